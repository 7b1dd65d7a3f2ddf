"""Values of single rules: rows of a list, what counts as written, errors of the API, a short session, control questions, a short formula."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from flask import get_flashed_messages
from web_records import SignedIn, dozen

from bot import store
from bot.records import Decision
from bot.review.curated import _KnownFormulas, rows_of
from bot.review.decide import decide
from bot.review.outcomes import personal_outcome
from bot.review.proposal_state import State
from bot.review.web import control_questions, pages_proposal, queue_selection
from bot.store import Workspace


def test_rows_of_a_list_are_new_known_or_refused_with_the_reason() -> None:
    given = [{"qid": "Q1", "tex": tex} for tex in ("a=b", r"b=a", "a=b", "x=y", "{" * 60, r"\,", "a=\ud800")]
    known = _KnownFormulas({"Q1": ["b=a"]}, frozenset({("Q1", "x=y")}), {"Q1": "concept"})
    made, number, refused = rows_of(given, known, "Ada", "list.jsonl", "2026")
    assert [(row["tex"], row["level"], row["concept"], row["document"]) for row in made] == [
        ("a=b", "K1", "concept", "list.jsonl"),
        ("b=a", "K0", "concept", "list.jsonl"),
    ]
    assert number == 2
    assert [(str(row), str(why)) for row, why in refused] == [
        ("row 5 (Q1)", "cannot be read: nested more than 40 deep at position 40"),
        ("row 6 (Q1)", "holds no formula"),
        ("row 7 (Q1)", "holds half a character"),
    ]


@pytest.mark.parametrize(
    ("tex", "why"),
    [
        (r"E = \frac{m", "cannot be read: { is never closed"),
        ("E = mc^2}", "cannot be read: } closes nothing"),
        (r"\left( E = m", r"cannot be read: \left is never closed"),
        (r"E = \pdv{u}{t}", ""),  # the command of a package
        (r"E &= m \\ c", ""),
    ],
)
def test_what_no_tex_reads_is_refused_and_what_only_the_wiki_refuses_is_not(tex: str, why: str) -> None:
    known = _KnownFormulas({}, frozenset(), {})
    made, _, refused = rows_of([{"qid": "Q1", "tex": tex}], known, "Ada", "list.jsonl", "2026")
    assert ([row["tex"] for row in made], [str(reason) for _, reason in refused]) == (
        ([], [why]) if why else ([tex], [])
    )


def test_an_edit_counts_for_a_person_while_they_approve_it(w: Workspace) -> None:
    hubble, einstein = dozen()[:2]
    for each, verdict in ((hubble, "approve"), (einstein, "approve"), (einstein, "withdraw")):
        decide(w, Decision(each.id, each.hash, verdict, reviewer="Ada"))
    with w.engine.begin() as db:
        for n, each in enumerate((hubble, einstein), 1):
            db.execute(store.edits.insert().values(n=n, proposal=each.id, qid="Q1", outcome="written", undo_state=""))
    found = personal_outcome(w, "Ada")
    assert (found.written, found.waiting, found.undone, found.gone) == (1, 0, 0, ())


def test_an_error_of_the_api_is_one_plain_sentence(ada: SignedIn) -> None:
    token = ada.client.get("/api/v1/proposals/none")
    assert token.get_json() == {"error": {"code": 401, "what": "a token is needed: Authorization: Bearer …"}}
    for answer in (ada.client.get("/api/nowhere"), ada.client.post("/api/v1/decisions")):
        nowhere = answer.get_json()["error"]
        assert nowhere["code"] == 404
        assert nowhere["what"].startswith("The requested URL was not found on the server.")


def test_a_short_session_ends_after_twenty_decisions(ada: SignedIn) -> None:
    with ada.client.session_transaction() as session:
        session["count"] = 3
    ada.post("/session")
    with ada.client.session_transaction() as session:
        assert session["until"] == 23
    assert "20" in ada.get("/session")


def test_sixty_control_questions_are_kept_at_hand(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(control_questions, "make_questions", lambda workspace, number: asked.append(number))
    control_questions.ensure_made(w)
    with w.engine.begin() as db:
        db.execute(store.control_questions.insert().values(id="1", record={}))
    control_questions.ensure_made(w)
    assert asked == [60]
    assert w.rows(sa.select(store.control_questions.c.id)) == [{"id": "1"}]


TOLD: tuple[tuple[Any, dict[str, str], str, str], ...] = (
    ("approve", {}, "approved", "Approved: {label}"), ("reject", {"reason": "not_defining"}, "rejected", "Rejected: {label}"),
    ("approve", {}, "second", "Approved by you: {label}. It waits for a second person and is not written before that."),
    ("approve", {}, "disputed", "Approved by you: {label}. Another person decided otherwise; a third one or an operator settles it."),
    ("reject", {"reason": "not_defining"}, "disputed", "Rejected by you: {label}. Another person decided otherwise; a third one or an operator settles it."),
    ("reject", {"about": "Q5"}, "rejected", "Not {label}: the formula belongs to another item, whose card is this one."),
    ("close", {"reason": "by_hand", "about": "77"}, "closed", "Closed: {label} was changed by hand, seen in revision 77."),
    ("close", {"reason": "leave"}, "closed", "Closed: {label} stays as it is."), ("skip", {}, "second", "Skipped: {label}"),
    ("unsure", {}, "disputed", "Put aside: {label}"), ("withdraw", {}, "open", "Taken back: {label}"),
)  # fmt: skip
TOLD_OF_CONTROL: tuple[tuple[Any, str, str], ...] = (
    ("skip", "done", "Skipped: "), ("approve", "error", "That was a control question: its formula belongs to another item."),
    ("reject", "done", "That was a control question with a wrong formula, and you noticed."), ("unsure", "done", "That was a control question with a wrong formula, and you noticed."),
)  # fmt: skip


def test_a_person_is_told_what_their_decision_did(w: Workspace, ada: SignedIn) -> None:
    row = queue_selection.row_of(w, dozen()[0].id)
    assert row is not None
    for verdict, given, state, said in TOLD:
        for label, shown in ((row.label, row.label), ("", row.qid)):
            with ada.app.test_request_context():
                now = msgspec.structs.replace(row, state=State(state), label=label)
                pages_proposal._flash_result(Decision(row.id, row.hash, verdict, reviewer="Ada", **given), now)
                assert get_flashed_messages(with_categories=True) == [("done", said.format(label=shown))]
    control_questions.make_questions(w, 1)
    (made,) = w.rows(sa.select(store.control_questions))
    shown_row = control_questions.row_of(w, made["record"])
    for verdict, category, said in TOLD_OF_CONTROL:
        w.change(store.attention.delete())
        reason = "wrong_item" if verdict == "reject" else ""
        with ada.app.test_request_context():
            decision = Decision(made["id"], made["record"]["hash"], verdict, reason=reason, reviewer="Ada")
            pages_proposal._record_control_answer(made["record"], decision, shown_row)
            [(kind, sentence)] = get_flashed_messages(with_categories=True)
        assert (kind, sentence[: len(said)]) == (category, said)
