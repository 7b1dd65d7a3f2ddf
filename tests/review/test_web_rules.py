"""Rules that several pages of a review share: who counts as an approver, what is said of a decision, what comes too late."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from markupsafe import escape
from web_records import SignedIn, dozen, opened, proposal, signed_in

from bot import store
from bot.messages import Message, sentence
from bot.records import Decision
from bot.review import add_reviewer, decide
from bot.review.people import SCRIPTED_ROLE
from bot.review.proposal_state import State, terms
from bot.review.queue_rules import change_rules
from bot.review.web.queue_index import QueueIndex
from bot.store import Workspace

ONE, PROPOSALS = f"{0:016x}", dozen()


@pytest.mark.parametrize("rehearsal", [False, True])
def test_whose_approval_counts(w: Workspace, rehearsal: bool) -> None:
    add_reviewer(w, "bot", SCRIPTED_ROLE)
    if rehearsal:
        w.put("world", {"kind": "sandbox"})
    found = terms(w)
    assert (found.operators, found.rehearsal) == ({"Ada"}, rehearsal)
    assert found.approvers == ({"Ada", "Ben", "bot"} if rehearsal else {"Ada", "Ben"})


def test_packets_are_offered_in_every_state_but_written(ada: SignedIn) -> None:
    page = ada.get("/packets")
    offered = [name for name in State if f'value="{name}"' in page]
    assert "written" not in offered
    assert {"open", "approved", "rejected"} <= set(offered)


def test_the_last_of_them_that_expires_is_counted_with_the_expired(tmp_path: Path) -> None:
    late = [proposal(n, expires="2020-01-01" if n < 2 else "2999-01-01") for n in range(3)]
    with opened(tmp_path / "w", "Ada", proposals=late) as workspace:
        ada = signed_in(workspace, "Ada")
        with ada.app.test_request_context():
            states = ada.app.extensions["review"].states()
        assert {name: n for name, n in states.items() if n} == {"open": 1, "expired": 2}


@pytest.mark.parametrize(
    ("field", "value", "follows"),
    [("probability", 0.5, True), ("probability", 0.97 + 1e-12, False), ("expires", "2998-01-01", True), ("hash", "other", True)],
)  # fmt: skip
def test_the_queue_follows_a_changed_proposal(w: Workspace, field: str, value: Any, follows: bool) -> None:
    index = QueueIndex(w)
    index.refresh(now=True)
    before = index.changes
    with w.engine.begin() as db:
        db.execute(store.proposals.update().where(store.proposals.c.id == ONE).values({field: value}))
    index.refresh(now=True)
    assert (index.changes > before) is follows


@pytest.mark.parametrize(
    ("rules", "verdict", "code"),
    [
        ({}, "approve", "page.told_approved"),
        ({"two_persons": "yes"}, "approve", "page.told_approved_second"),
        ({"two_persons": "yes"}, "reject", "page.told_rejected"),
    ],
)
def test_what_is_said_of_a_decision(w: Workspace, rules: dict[str, str], verdict: str, code: str) -> None:
    change_rules(w, rules)
    ada = signed_in(w, "Ada")
    ada.decide(ONE, verdict, **({} if verdict == "approve" else {"reason": "wrong_item"}))
    with ada.client.session_transaction() as session:
        assert session["_flashes"] == [("done", sentence(Message(code, label="Hubble's law")))]


def test_a_decision_that_went_past_the_page_is_not_gone_over(w: Workspace, ada: SignedIn) -> None:
    """The queue's row says that nothing was decided; the decisions themselves are what counts."""
    fields = ada.fields(ONE)
    with w.engine.begin() as db:
        kept = db.execute(sa.select(store.queue.c.decided).where(store.queue.c.id == ONE)).scalar_one()
    decide(w, Decision(ONE, PROPOSALS[0].hash, "reject", reason="wrong_item", reviewer="Ben"))
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(store.queue.c.id == ONE).values(decided=kept))
    answer = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert "decided" in answer.get_data(True)
    rows = w.rows(sa.select(store.decisions.c.reviewer))
    assert [row["reviewer"] for row in rows] == ["Ben"]


def test_what_is_not_in_the_queue_is_said_to_be_no_longer_there(ada: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.review.web.queue_selection.row_of", lambda workspace, proposal: None)
    assert str(escape(sentence(Message("error.not_in_queue")))) in ada.get(f"/p/{ONE}", 404)


def test_an_answer_about_a_formula_leads_to_the_next(w: Workspace, ada: SignedIn) -> None:
    ada.get("/formulas/free-0")
    answer = ada.post("/formulas/free-0", answer="none")
    assert (answer.status_code, answer.location) == (303, "/formulas/free-1")
    withdrawn = ada.post("/formulas/free-0", answer="withdraw")
    assert (withdrawn.status_code, withdrawn.location) == (303, "/formulas/free-0")


def test_a_formula_shows_eight_of_its_spellings(w: Workspace, ada: SignedIn) -> None:
    spellings = [{"tex": f"x_{n}", "level": "K0", "occurrences": 100 - n, "documents": 1} for n in range(10)]
    with w.engine.begin() as db:
        where = store.concepts.c.key == "free-1"
        db.execute(store.concepts.update().where(where).values(representations=spellings))
    shown = [n for n in range(10) if f"<mn>{n}</mn>" in ada.get("/formulas/free-1")]
    assert shown == list(range(8))
