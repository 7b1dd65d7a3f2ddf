"""What a page says after each thing that is done on it, and what it says where that was refused."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import SignedIn, dozen

from bot import store
from bot.propose import card_pages
from bot.records import Decision, Item
from bot.review import add_reviewer, decide, reviewers
from bot.review.queue_rules import change_rules
from bot.review.web import pages_proposal
from bot.review.web.recording import reference_verdicts
from bot.review.web.review_context import ReviewContext
from bot.store import Workspace


def told(person: SignedIn) -> list[tuple[str, str]]:
    """Return what the next page would say, and say it no more."""
    with person.client.session_transaction() as session:
        return [(kind, str(text)) for kind, text in session.pop("_flashes", [])]


def said(key: str, **values: Any) -> tuple[str, str]:
    return "done", card_pages.text("en", key, **values)


def refused(found: list[tuple[str, str]]) -> str:
    """Return the one error that was told."""
    ((kind, text),) = found
    assert kind == "error"
    return text


def test_topics_undo_and_batches(w: Workspace, ada: SignedIn) -> None:
    ada.post("/topics", name="mine", items="Q1 Q2", view="low=5")
    assert told(ada) == [said("topic_kept", name="mine", n=2)]
    ada.post("/topics", name="", items="")
    assert "name" in refused(told(ada))
    assert ada.post("/undo", view="low=5").location == "/?low=5"
    assert told(ada) == [("error", card_pages.text("en", "nothing_to_undo"))]
    one, two, three, *_ = dozen()
    chosen = [f"{each.id}:{each.hash}:0" for each in (one, two, three)]
    assert ada.post("/batch", chosen=chosen, view="low=5").location == "/?low=5"
    first, second = told(ada)
    assert first == said("approved_n", n=2)
    assert second[0] == "error"  # one check of the third is not green
    with ada.client.session_transaction() as session:
        assert (session["done"], session["count"]) == ([[one.id, two.id]], 2)
    assert ada.post("/undo", view="low=5").location == "/?low=5"
    assert told(ada) == [said("undone_n", n=2)]
    with ada.client.session_transaction() as session:
        assert (session["done"], session["count"]) == ([], 0)
    ada.decide(one.id, "approve")
    told(ada)
    assert ada.post("/undo", view="low=5").location == f"/p/{one.id}?low=5"
    assert told(ada) == [said("undone_n", n=1)]
    change_rules(w, {"two_persons": "true"})
    ada.post("/batch", chosen=[f"{one.id}:{one.hash}:4"])
    assert told(ada) == [said("approved_n", n=1), said("wait_for_second_n", n=1)]
    decide(w, Decision(one.id, one.hash, "approve", reviewer="Ben"))
    ada.post("/undo")
    assert refused(told(ada))


def test_decisions_say_what_becomes_of_them(w: Workspace, ada: SignedIn) -> None:
    labels = [row["record"]["label"] for row in w.rows(sa.select(store.items))]
    for n, (verdict, more, key) in enumerate(
        (
            ("approve", {}, "told_approved"),
            ("reject", {"reason": "bad_tex"}, "told_rejected"),
            ("", {"close": "leave"}, "told_leave"),
            ("unsure", {}, "told_put_aside"),
            ("skip", {}, "told_skipped"),
        )
    ):
        answer = ada.decide(dozen()[n].id, verdict, **more)
        assert answer.status_code == 303
        assert told(ada) == [said(key, label=labels[n], about="")], key
    with ada.client.session_transaction() as session:
        assert session["count"] == 4  # a skip is none
    answer = ada.decide(dozen()[5].id, "reject", reason="nonsense")
    assert (answer.status_code, "no such reason" in answer.get_data(True)) == (409, True)
    assert ada.decide(dozen()[5].id, "approve", reference=[]).status_code == 409
    assert ada.get("/p/none-at-all", 404)
    assert ada.post(f"/p/{dozen()[6].id}", verdict="take_over", view="low=5").location == f"/p/{dozen()[6].id}?low=5"


def test_people_are_added_and_removed_by_operators_but_no_script_and_not_oneself(w: Workspace, ada: SignedIn) -> None:
    add_reviewer(w, "robot", "stand-in")
    ada.post("/people", name=" Cleo ", role="operator")
    assert told(ada) == [said("person_added", name="Cleo")]
    ada.post("/people", name="Dora")
    ada.post("/people", remove="Ben")
    assert told(ada) == [said("person_added", name="Dora"), said("person_removed", name="Ben")]
    for values in (
        {"name": "x", "role": "stand-in"},
        {"name": "robot"},
        {"name": ""},
        {"remove": "Ada"},
        {"remove": "Zoe"},
    ):
        assert ada.post("/people", **values).location == "/people"
        assert refused(told(ada))
    assert reviewers(w) == {"Ada": "operator", "Cleo": "operator", "Dora": "reviewer", "robot": "stand-in"}


def test_packets_come_back_as_tables_or_lines_alone(w: Workspace, ada: SignedIn) -> None:
    one = dozen()[0]
    good = f"proposal,hash,verdict\n{one.id},{one.hash},approve\n{one.id},{one.hash},\n"
    for name, text, wanted in (
        ("p.txt", good, ("error", card_pages.text("en", "packet_file"))),
        ("p.csv", good, said("packet_done", recorded=1, known=0, empty=1, refused=0)),
        ("p.csv", good, said("packet_done", recorded=0, known=1, empty=1, refused=0)),
    ):
        ada.post("/packets", file=(io.BytesIO(text.encode()), name))
        assert told(ada) == [wanted]
    ada.post("/packets", file=(io.BytesIO(b"a,b\n1,2\n"), "p.csv"))
    assert refused(told(ada)) == "lacks the columns hash, proposal, verdict: export it again."
    ada.post("/packets")
    assert refused(told(ada)) == card_pages.text("en", "packet_file")


def test_answers_about_formulas(w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReviewContext, "read_item", lambda self, qid: Item(qid, revision=1))
    assert ada.post("/formulas/free-0", answer="none").location == "/formulas/free-1"
    assert ada.post("/formulas/free-1", pick="Q41591").location == "/formulas/free-2"
    assert told(ada) == [said("answered_none", label=""), said("answered_item", label="Ohm's law")]
    assert ada.post("/formulas/free-2", answer="item", qid=" q77 ").location == "/formulas/free-3"
    assert ada.post("/formulas/free-1", answer="withdraw").location == "/formulas/free-1"
    assert told(ada) == [said("answered_item", label="Q77"), said("answered_withdraw", label="")]
    assert ada.post("/formulas/free-3", answer="item").location == "/formulas/free-3"
    assert refused(told(ada))
    ada.get("/formulas/none", 404)


def test_a_proposal_for_another_item_says_who_sent_it(w: Workspace) -> None:
    from bot.review.web import make_app
    from bot.settings import Settings

    one, two = dozen()[:2]
    moved = Decision(one.id, one.hash, "reject", reason="wrong_item", reviewer="Ben", about=two.qid)
    with make_app(w, Settings(), hosts={"localhost"}).app_context():
        assert pages_proposal._origin_of_reassigned(two) is None
        assert pages_proposal._origin_of_reassigned(replace(two, instead_of=one.id)) is None
        decide(w, moved)
        assert pages_proposal._origin_of_reassigned(replace(two, instead_of=one.id)) == {
            "name": "Ben",
            "label": "Hubble's law",
        }
        assert pages_proposal._origin_of_reassigned(replace(dozen()[2], instead_of=one.id)) is None
        with w.engine.begin() as db:
            db.execute(store.queue.delete())
        assert pages_proposal._origin_of_reassigned(replace(two, instead_of=one.id)) == {"name": "Ben", "label": ""}


@pytest.mark.parametrize(("given", "wanted"), [(["0", "2"], "ara"), ([], "rrr"), (["3", "x"], "rrr")])
def test_references_that_are_not_ticked_are_rejected(given: list[str], wanted: str) -> None:
    assert [each[0] for each in reference_verdicts(given, 3)] == list(wanted)
