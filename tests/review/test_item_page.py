"""What the script on the wiki's item pages may ask, and what it may not: its origin, its token, its two requests; and the script itself."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import requests
import sqlalchemy as sa
from cli_runner import call
from flask.testing import FlaskClient
from test_web_security import provider, shared
from web_records import SignedIn, dozen, signed_in

import bot.review
from bot import store
from bot.errors import SettingsError
from bot.messages import Message, languages
from bot.records import Check, as_json
from bot.review import remove_reviewer, sessions
from bot.review.gadget import PAGE_WORDS, WORDS, script, server_origin
from bot.review.web import make_app, queue_selection, review_context
from bot.review.web.rest import make_token
from bot.settings import Gadget, Settings, Wiki, load
from bot.store import Workspace

WIKI = "https://www.wikidata.org"
ITEM, ONE = "/api/v1/items/Q35875/proposals", f"{1:016x}"
DECISION = {"hash": dozen()[1].hash, "verdict": "approve", "references": ["approve", "reject"], "words": 0}


def connected(person: SignedIn) -> dict[str, str]:
    """Return the headers with which an item page asks that this person has connected."""
    page = person.post("/connect").get_data(True)
    found = re.findall(r'data-token="([^"]+)" data-origin="([^"]+)"', page)
    assert found, page
    assert found[0][1] == WIKI
    return {"Authorization": f"Bearer {found[0][0]}", "Origin": WIKI}


def decide(client: FlaskClient, headers: dict[str, str], **changes: Any) -> int:
    body = {name: value for name, value in {**DECISION, **changes}.items() if value is not None}
    return client.post(f"/api/v1/proposals/{ONE}/decisions", json=body, headers=headers).status_code


def decisions(w: Workspace) -> list[tuple[str, str, str]]:
    query = sa.select(store.decisions).order_by(store.decisions.c.n)
    return [(row["proposal"], row["verdict"], row["reviewer"]) for row in w.rows(query)]


@pytest.fixture
def page(w: Workspace, ada: SignedIn) -> tuple[FlaskClient, dict[str, str]]:
    """A page of the wiki that Ada has connected: a client without her cookies, and her headers."""
    return ada.app.test_client(), connected(ada)


# -- what it is told
def test_what_waits_on_an_item_is_told_with_all_that_its_page_shows(
    w: Workspace, page: tuple[FlaskClient, dict[str, str]]
) -> None:
    check = Check.of(
        "formula_of_the_source.one", "warn", title="\0<b>", tex=r"E = \gamma", relation=Message("relation.variant")
    )
    beside = as_json(dataclasses.replace(dozen()[1], beside=(("Q35875$1", "E=mc^2"),), checks=(check,)))
    with w.engine.begin() as db:
        db.execute(store.proposals.update().where(store.proposals.c.id == ONE).values(record=beside))
    client, headers = page
    found = client.get(f"{ITEM}?lang=de", headers=headers).json
    assert (found["qid"], found["reviewer"]) == ("Q35875", "Ada")
    assert [(p["id"], p["kind"], p["words"]) for p in found["proposals"]] == [
        (ONE, "new_claim", 0),
        (f"{10:016x}", "add_reference", 0),
    ]
    first, second = found["proposals"]
    assert first["hash"] == dozen()[1].hash
    assert first["drawn"].startswith('<math alttext="E = m c^{2}" display="block">')
    assert (first["percent"], first["property_name"], first["address"]) == (95, "definierende Formel", f"/p/{ONE}")
    assert [piece["kind"] for piece in first["quotes"][0]["pieces"]] == ["text", "name", "text", "subject", "text", "formula", "text"]  # fmt: skip
    assert first["quotes"][0]["link"].startswith("https://lectures.example.org/expansion#")
    assert first["references"][0][1] == {"name": "abgerufen am", "value": "2026-11-20", "link": ""}
    assert (first["answers"][0], "reject" in first["answers"]) == ("approve", True)
    [[before, drawn, behind]] = first["warnings"]
    assert before == {"kind": "text", "text": "Formel der Quelle: \\u0000<b> schreibt "}
    assert (drawn["kind"], behind["text"]) == ("formula", " (im Vergleich: verwandt, aber nicht dieselbe)")
    assert drawn["text"].startswith(r'<math alttext="E = \gamma">')
    assert (first["second"], second["second"], second["statement"]) == (True, False, "Q35875$1")
    assert second["warnings"] == []
    assert client.get("/api/v1/items/P31/proposals", headers=headers).status_code == 404


def test_what_somebody_else_looks_at_can_only_be_read(w: Workspace, page: tuple[FlaskClient, dict[str, str]]) -> None:
    client, headers = page
    assert queue_selection.lease(w, ONE, "Ben", 10)
    first = client.get(ITEM, headers=headers).json["proposals"][0]
    assert (first["looked_at_by"], first["answers"]) == ("Ben", [])
    assert decide(client, headers) == 409
    assert decisions(w) == []


def test_it_is_shown_to_everyone_only_where_the_settings_say_so_and_then_only_to_read(w: Workspace) -> None:
    for everyone, code in ((False, 401), (True, 200)):
        client = make_app(w, Settings(gadget=Gadget(everyone=everyone)), hosts={"localhost"}).test_client()
        answer = client.get(ITEM, headers={"Origin": WIKI})
        assert answer.status_code == code
        assert decide(client, {"Origin": WIKI}) == 401
        assert client.get(f"/api/v1/proposals/{ONE}").status_code == 401
    assert answer.json["reviewer"] == ""
    assert [(p["answers"], p["looked_at_by"]) for p in answer.json["proposals"]] == [([], "")] * 2
    assert client.get(ITEM, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert decisions(w) == []


# -- who may ask
def test_only_the_wiki_may_ask_and_only_for_two_things(w: Workspace, ada: SignedIn) -> None:
    client, good = ada.app.test_client(), f"Bearer {make_token(w, 'Ada')}"
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization, content-type"}
    for path, allowed in (
        (ITEM, True),
        (f"/api/v1/proposals/{ONE}/decisions", True),
        ("/api/v1/statistics", False),
        (f"/api/v1/proposals/{ONE}", False),
        ("/", False),
    ):
        answer = client.options(path, headers={"Origin": WIKI, **wanted})
        if path.startswith("/api/"):
            assert answer.status_code == (200 if allowed else 403), path
        assert answer.headers.get("Access-Control-Allow-Origin") == (WIKI if allowed else None), path
        assert "Access-Control-Allow-Credentials" not in answer.headers
    answer = client.options(ITEM, headers={"Origin": WIKI, **wanted})
    assert answer.status_code == 200
    assert answer.headers["Access-Control-Allow-Headers"] == "Authorization, Content-Type"
    assert answer.headers["Vary"] == "Origin"
    assert (
        client.get(ITEM, headers={"Authorization": good, "Origin": WIKI}).headers["Access-Control-Allow-Origin"] == WIKI
    )
    for origin in (
        "https://evil.example",
        "http://www.wikidata.org",
        f"{WIKI}.evil.example",
        f"{WIKI}:8443",
        "null",
        "http://[::1",
    ):
        for method in (client.get, client.options):
            answer = method(ITEM, headers={"Authorization": good, "Origin": origin})
            assert answer.status_code == 403, origin
            assert "Access-Control-Allow-Origin" not in answer.headers
        assert decide(client, {"Authorization": good, "Origin": origin}) == 403
    assert decisions(w) == []


def test_a_rehearsal_is_shown_on_no_wiki_and_ports_count(w: Workspace, ada: SignedIn) -> None:
    w.put("world", {"any": "thing"})
    assert ada.app.test_client().get(ITEM, headers={"Origin": WIKI}).status_code == 403
    assert "its own rehearsal wiki" in ada.get("/connect", 404)
    assert Wiki(page_prefix="HTTP://Wiki.Example:8484/wiki/").origin == "http://wiki.example:8484"
    assert Wiki(sandbox=True).origin == ""


# -- its token
def test_a_person_connects_the_page_once_in_a_session(ada: SignedIn) -> None:
    assert "data-token" not in ada.get("/connect")
    for csrf in ("", "wrong"):
        assert ada.client.post("/connect", data={"csrf": csrf}).status_code == 403
    for headers in ({"Origin": WIKI}, {"Sec-Fetch-Site": "cross-site"}):
        assert ada.client.post("/connect", data={"csrf": ada.csrf}, headers=headers).status_code == 403
    assert "data-token" not in ada.get("/connect")
    first = connected(ada)
    answer = ada.client.get("/connect")
    second = re.findall(r'data-token="([^"]+)"', answer.get_data(True))[0]
    assert second not in first["Authorization"]
    assert answer.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert "script-src 'self';" in answer.headers["Content-Security-Policy"]
    assert ada.client.get("/").headers["Cross-Origin-Opener-Policy"] == "same-origin"


def test_its_token_decides_from_the_wiki_and_does_nothing_else(
    w: Workspace, page: tuple[FlaskClient, dict[str, str]]
) -> None:
    client, headers = page
    alone = {"Authorization": headers["Authorization"]}
    for path in ("/api/v1/proposals", f"/api/v1/proposals/{ONE}", "/api/v1/statistics"):
        assert client.get(path, headers=headers).status_code == 403
        assert client.get(path, headers=alone).status_code == 401
    assert client.post("/api/v1/next", json={}, headers=headers).status_code == 403
    for foreign, code in (({}, 401), ({"Origin": "http://localhost"}, 401), ({"Origin": "https://evil.example"}, 403)):
        assert decide(client, {**alone, **foreign}) == code
    assert client.get("/", headers=headers).location == "/sign-in"
    assert decide(client, headers) == 201
    assert decisions(w) == [(ONE, "approve", "Ada")]


def test_no_decision_without_the_content_that_was_seen(w: Workspace, page: tuple[FlaskClient, dict[str, str]]) -> None:
    client, headers = page
    assert decide(client, headers, hash=None) == 422
    assert decide(client, headers, hash="another") == 409
    assert decisions(w) == []
    ben = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    assert decide(client, ben, verdict="reject", reason="duplicate", references=[]) == 201
    assert decide(client, headers) == 409  # it was shown before Ben decided
    assert decisions(w) == [(ONE, "reject", "Ben")]


def test_a_decision_is_taken_back_by_who_made_it_last(w: Workspace, page: tuple[FlaskClient, dict[str, str]]) -> None:
    client, headers = page
    assert decide(client, headers) == 201
    assert decide(client, headers, verdict="withdraw", references=[], words=1) == 201
    assert [verdict for _, verdict, _ in decisions(w)] == ["approve", "withdraw"]
    assert client.get(ITEM, headers=headers).json["proposals"][0]["words"] == 2


@pytest.mark.parametrize("end", ["sign out", "by command", "person", "age"])
def test_its_token_is_void_with_the_session(w: Workspace, ada: SignedIn, end: str) -> None:
    client, headers = ada.app.test_client(), connected(ada)
    assert client.get(ITEM, headers=headers).status_code == 200
    if end == "sign out":
        ada.post("/sign-out")
    elif end == "by command":
        sessions.end_listed(w, store.sessions, sessions.list_open(w, store.sessions))
    elif end == "person":
        remove_reviewer(w, "Ada")
    else:
        with w.engine.begin() as db:
            db.execute(store.sessions.update().values(seen="2020-01-01T00:00:00Z"))
    for _ in range(2):  # the second time it is not known at all
        assert client.get(ITEM, headers=headers).status_code == 401
        assert decide(client, headers) == 401
    assert decisions(w) == []


def test_who_connects_is_who_decides(w: Workspace, ada: SignedIn) -> None:
    """Whoever signs in afterwards in the same browser decides with a token of their own."""
    before = connected(ada)
    ben = signed_in(w, "Ben")
    ada.client, ada.csrf = ben.client, ben.csrf
    assert "data-token" not in ada.get("/connect")
    assert decide(ben.app.test_client(), before) == 401  # another server, which never gave it
    assert decide(ben.app.test_client(), connected(ada)) == 201
    assert decisions(w) == [(ONE, "approve", "Ben")]


def test_the_oldest_tokens_are_forgotten(monkeypatch: pytest.MonkeyPatch, w: Workspace) -> None:
    monkeypatch.setattr(review_context, "MAX_CONNECTED", 2)
    known, secret = review_context.ConnectedPages(), sessions.begin_session(w, "Ada", 8)
    tokens = [known.new_token(secret) for _ in range(3)]
    assert [known.reviewer_of(w, token, 8) for token in tokens] == ["", "Ada", "Ada"]


def test_strangers_are_sent_to_the_wiki_and_come_back(w: Workspace) -> None:
    base = "http://127.0.0.1:8091"
    with provider({"username": "Ada"}) as (address, _):
        app = shared(w, address, 8091)
        for path, then in (("/connect", "/connect"), ("/sign-in/start", "/")):
            client = app.test_client()
            away = client.get(path, base_url=base)
            if path == "/connect":
                assert away.location == "/sign-in/start?connect=1"
                away = client.get(away.location, base_url=base)
            assert away.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
            back = requests.get(away.location, allow_redirects=False, timeout=60).headers["Location"]
            assert client.get(back.removeprefix(base), base_url=base).location == then
        assert "data-token" not in client.get("/connect", base_url=base).get_data(True)


# -- the script
SCRIPT = Path(bot.review.__file__).with_name("gadget.js").read_text(encoding="utf-8")


def test_every_word_of_the_script_is_in_the_catalogue_and_is_used() -> None:
    known = {*WORDS, *PAGE_WORDS}
    made = {name for name in known if name.startswith(("reason_", "menu_"))}  # put together: "reason_" + reason
    assert known - made <= set(re.findall(r'"(\w+)"', SCRIPT)) | {"new_claim", "add_reference"}
    assert set(re.findall(r'\b(?:say|tell)\("(\w+)"', SCRIPT)) <= known | {"reason_"}


def test_the_script_writes_no_markup_stores_nothing_and_loads_nothing() -> None:
    forbidden = "innerHTML outerHTML insertAdjacentHTML document.write eval( Function( localStorage sessionStorage cookie indexedDB import( importScript mw.loader"
    assert [name for name in forbidden.split() if name in SCRIPT] == []
    assert re.findall(r"https?://[a-z.]+", SCRIPT) == ["http://www.w"]  # the namespace of MathML


def test_it_is_printed_for_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        '[gadget]\nserver = "https://Review.example.org/"\n[wiki]\npage_prefix = "https://wiki.example/wiki/"\n'
    )
    text = call("gadget", "--config", path).well().out
    assert '"server": "https://review.example.org", "wiki": "https://wiki.example", "everyone": false' in text
    assert '"server": "http://127.0.0.1:8090", "wiki": "https://www.wikidata.org"' in call("gadget").well().out
    assert text == script(load(path))
    assert all(f'"{code}": {{"menu": ' in text for code in languages())
    call("gadget", "--server", "http://review.example.org").refused("gadget.server", "https://HOST")


def test_other_addresses_are_refused() -> None:
    wrong = 'ftp://x https:// https://x/path https://me@x https://x?y javascript:1 https://[::1 https://[zz] https://x:0x https://x:99999 https://x"y'
    for address in ("", "review.example.org", "https://x y", *wrong.split()):
        with pytest.raises(SettingsError):
            server_origin(address)


def test_an_address_is_named_as_browsers_name_its_origin() -> None:
    assert server_origin(" HTTPS://X.example:443/ ") == "https://x.example"
    assert server_origin("http://localhost:80") == "http://localhost"
    assert server_origin("https://[::1]:90") == "https://[::1]:90"
