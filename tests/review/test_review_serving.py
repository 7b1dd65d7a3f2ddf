"""How the servers of reviewing are set up and what they remember, without any being started; errors; tags; packets that cannot be written."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import SignedIn, dozen, proposal

from bot import store
from bot.errors import LookupFailed, ReviewError
from bot.messages import export_sentence, uncoded_message
from bot.records import Quote
from bot.review import add_reviewer, export_packet, packet, web
from bot.review.packet import differing_sources
from bot.review.queue_rules import change_rules
from bot.review.reconciliation import serve_reconciliation
from bot.review.web import control_questions, listener, make_app, pages_queue, queue_selection
from bot.review.web.queue_index import QueueIndex, _insert_tags
from bot.settings import Settings
from bot.store import Workspace


class Server(SimpleNamespace):
    """What `listen` returns, of the port 7: `did` tells what was asked of it."""

    def __init__(self) -> None:
        super().__init__(effective_port=7, did=[], application=None)

    def run(self) -> None:
        self.did.append("run")
        raise KeyboardInterrupt

    def close(self) -> None:
        self.did.append("close")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.setattr(listener, "listen", lambda app, *given: made.did.append((app({}, None), *given)) or made)
    return made


def test_reconciliation_is_served_to_this_machine(server: Server) -> None:
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        serve_reconciliation([{"qid": "Q1", "label": "gauge"}], Settings(), port=5, say=said.append)
    assert server.did == [([], "127.0.0.1", 5), "run", "close"]
    assert said[0].startswith("http://127.0.0.1:7/\n")
    client = server.application.test_client()
    for host, code in (("127.0.0.1:7", 200), ("localhost:7", 200), ("localhost", 400)):
        assert client.get("/", headers={"Host": host}).status_code == code


def test_the_page_is_served_to_this_machine_by_a_token_or_to_all_by_the_wiki(
    w: Workspace, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    made: dict[str, Any] = {}
    kept: list[Workspace] = []
    monkeypatch.setattr(web, "make_app", lambda *given, **values: made.update(values))
    monkeypatch.setattr(control_questions, "ensure_made", kept.append)

    def serve(**values: Any) -> None:
        server.did.clear()
        said.clear()
        with pytest.raises(KeyboardInterrupt):
            web.serve(w, Settings(), port=5, say=said.append, **values)

    serve(reviewer="Ada")
    assert server.did == [([], "127.0.0.1", 5, None), "run", "close"]
    assert (made["hosts"], made["public"], made["oauth_secret"]) == ({"127.0.0.1:7", "localhost:7"}, "", "")
    assert said == [
        f"http://127.0.0.1:7/sign-in/{made['token'].text}",
        "Open it in a browser. The address works once; Ctrl-C ends it.",
    ]
    assert kept == []
    made["token"].spend(made["token"].text)
    made["token"].renew()
    assert said[2] == f"http://127.0.0.1:7/sign-in/{made['token'].text}\nA new address to sign in with; it works once."
    change_rules(w, {"known_wrong": "0.1", "oauth_client": "c"})
    monkeypatch.setattr(web, "environment", lambda name: "secret")
    serve(public="https://review.example", host="0.0.0.0")
    assert server.did[0][:3] == ([], "0.0.0.0", 5)
    assert server.did[0][3].oauth_client == "c"
    assert (made["hosts"], made["token"], made["oauth_secret"]) == ({"review.example"}, None, "secret")
    assert said == ["https://review.example", "Open it in a browser. Ctrl-C ends it."]
    assert kept == [w]
    add_reviewer(w, "robot", "stand-in")
    for values in ({"host": "0.0.0.0"}, {"reviewer": "robot"}, {"reviewer": "Zoe"}):
        server.did.clear()
        with pytest.raises(ReviewError):
            web.serve(w, Settings(), **values)
        assert server.did == []
    for host in ("localhost", "::1"):
        serve(host=host)


def test_a_person_looks_at_one_proposal_at_a_time(w: Workspace) -> None:
    app = make_app(w, Settings(), hosts={"localhost"})
    context = app.extensions["review"]
    ids = [each.id for each in dozen()[:3]]

    def leases() -> list[str]:
        found = [queue_selection.row_of(w, id_) for id_ in ids]
        return [each.lease if each else "?" for each in found]

    queue_selection.lease(w, ids[2], "Ben", 10)
    with app.test_request_context():
        from flask import g, session

        g.who = "Ada"
        for proposed, mine, looking, wanted in (
            (ids[0], True, ids[0], ["Ada", "", "Ben"]),
            (ids[0], True, ids[0], ["Ada", "", "Ben"]),
            (ids[1], True, ids[1], ["", "Ada", "Ben"]),
            (ids[2], False, "", ["", "", "Ben"]),
            (ids[1], True, ids[1], ["", "Ada", "Ben"]),
            ("", True, "", ["", "", "Ben"]),
        ):
            assert context.lease_to_reviewer(proposed) is mine
            assert (session.get("looking"), leases()) == (looking, wanted)


def test_a_control_question_goes_between_and_the_queue_goes_on_behind_it(
    w: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_rules(w, {"known_wrong": "0.5"})
    app = make_app(w, Settings(), hosts={"localhost"})
    context, due = app.extensions["review"], ["question", "", "question", ""]
    context._preparing = SimpleNamespace()
    monkeypatch.setattr(control_questions, "due_question", lambda *given: due.pop(0))
    with app.test_request_context():
        from flask import g

        g.who = "Ada"
        ids = [row.id for row in queue_selection.rows(w, pages_queue.Filter(), "Ada")]
        assert context.next(pages_queue.Filter(), ids[2]) == "question"
        assert context.next(pages_queue.Filter(), "question") == ids[3]
        context._resume_after.update({(str(n), ""): "" for n in range(10_000)})
        assert context.next(pages_queue.Filter(), ids[4]) == "question"
        assert context._resume_after == {("Ada", "question"): ids[4]}
        assert context.next(pages_queue.Filter(), ids[4], back=True) == ids[3]
        assert context.next(pages_queue.Filter(state="unsure")) == ""
        assert due == [""]


def test_errors_have_a_page_and_their_code(ada: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(error: Exception) -> None:
        def fail(*_: object) -> None:
            raise error

        monkeypatch.setattr(pages_queue, "personal_outcome", fail)

    failing(LookupFailed(uncoded_message("the wiki is away"), where="w"))
    assert "the wiki is away" in ada.get("/session", 409)
    failing(sa.exc.OperationalError("select", {}, Exception("locked")))
    assert "select" not in ada.get("/session", 503)
    answer = ada.client.put("/help", headers={"X-CSRF-Token": ada.csrf})
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    answer = ada.client.put("/api/v1/preview", headers={"X-CSRF-Token": ada.csrf})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (405, 405)


def test_tags_that_are_one_to_a_database_are_kept_once(w: Workspace) -> None:
    QueueIndex(w).refresh(now=True)
    tags = store.queue_tags
    number = len(w.rows(sa.select(tags)))
    with w.engine.begin() as db:
        _insert_tags(None, [])  # asks the database nothing
        _insert_tags(db, [("word:zy", "Q2"), ("word:zz", "Q1"), ("word:zz", "Q1"), ("word:zz", "Q3")])
    assert len(w.rows(sa.select(tags))) == number + 3


def test_a_packet_needs_a_known_form_and_a_place(w: Workspace, tmp_path: Path) -> None:
    assert export_packet(w, tmp_path / "p.csv", Settings()) == 11
    assert export_packet(w, tmp_path / "p.csv", Settings(), state="all") == 12
    assert (tmp_path / "p.csv").read_text("utf-8").count(",new_claim,") == 10
    for name, why in (("p.txt", "a packet is .html or .csv"), ("none/p.csv", "cannot be written")):
        with pytest.raises(ReviewError, match=why):
            export_packet(w, tmp_path / name, Settings())


def test_what_sources_write_otherwise_is_told_of_claims_alone() -> None:
    tex = r"E = \gamma m c^2"
    quotes = (Quote("d", 0, "⟦0⟧", "", "n", "Title", "https://a.org", ((0, tex),), "sentence"),)
    one = proposal(1, quotes=quotes)
    (found,) = differing_sources(one)
    assert str(packet.source_formula(found)).startswith(f"Title writes {tex} (")
    assert export_sentence(packet.source_formula(found), "de").startswith(f"Title schreibt {tex} (")
    assert differing_sources(proposal(1, quotes=quotes, kind="flag")) == []
    assert differing_sources(proposal(1)) == []
