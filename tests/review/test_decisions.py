"""What a decision may say, when it says something new, and what it makes of the Formula Concept Database: table by table."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError, UnconfirmedEdit
from bot.propose.quotes import quote_parts
from bot.records import Decision, Representation, as_json
from bot.review import add_reviewer, decide, packet
from bot.review.decide import (
    approved_references,
    checked_reference_verdicts,
    needs_confirmation,
    proposal_row,
    same_earlier_decision,
)
from bot.review.fcdb import decision_origin, row_id, rows_of, with_representations
from bot.store import Workspace, now

from test_review import proposal, put  # isort: skip

PLAIN, TODAY = proposal(), now()[:10]


def word(verdict: str = "approve", **values: Any) -> Decision:
    return Decision(**{"proposal": PLAIN.id, "hash": PLAIN.hash, "verdict": verdict, "reviewer": "Ada", **values})


def row(**values: Any) -> dict[str, Any]:
    return {"hash": PLAIN.hash, "kind": "new_claim", "expires": "2999-01-01", "record": as_json(PLAIN), **values}


ALLOWED: list[tuple[Decision, dict[str, Any], tuple[str, ...]]] = [
    (word(), {}, ("approve", "approve")),
    (word(references=("reject", "approve")), {}, ("reject", "approve")),
    (word(references=("skip", "approve")), {}, ("skip", "approve")),
    (word("reject", reason="bad_tex"), {}, ("reject", "reject")),
    (word("reject", reason="bad_tex", references=("approve", "reject")), {}, ("approve", "reject")),
    (word("unsure"), {}, ("skip", "skip")),
    (word("skip"), {}, ("skip", "skip")),
    (word("withdraw"), {}, ("skip", "skip")),
    (word("reject", reason="bad_tex"), {"kind": "flag", "expires": "2000-01-01"}, ("reject", "reject")),
    (word(), {"expires": TODAY}, ("approve", "approve")),
    (word(), {"kind": "add_reference"}, ("approve", "approve")),
    (word(tex="E = m c^{2}"), {}, ("approve", "approve")),
    (word(tex="F = m a", edit_confirmed=True, references=("approve", "reject")), {}, ("approve", "reject")),
    (word("unsure", tex=r"\nomacro"), {}, ("skip", "skip")),
]


@pytest.mark.parametrize(("decision", "values", "references"), ALLOWED)
def test_a_decision_that_can_hold(
    decision: Decision, values: dict[str, Any], references: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[checked_reference_verdicts.__module__]
    monkeypatch.setattr(module, "now", lambda: f"{TODAY}T23:59:59Z")  # also where the tests run over midnight
    assert checked_reference_verdicts(decision, row(**values), 2) == references


def test_each_reference_has_a_verdict_of_its_own() -> None:
    given = ("approve", "reject", "skip")
    assert checked_reference_verdicts(word(references=given), row(), 3) == given


NOT: list[tuple[Decision, dict[str, Any], str]] = [
    (word("reject"), {}, "no such reason ''"),
    (word("reject", reason="ugly"), {}, "no such reason 'ugly'"),
    (word(), {"expires": "2026-01-01"}, "has expired"),
    (word(), {"kind": "flag"}, "is only flagged for a person and never written"),
    (word(tex="E = m c^{2}"), {"kind": "add_reference"}, "the formula stands already and cannot be edited"),
    (word(tex="F = m a"), {}, "the edited formula is not the proposed one"),
    (word(tex="F = m a", edit_confirmed=True), {}, "the edited formula is another one, and no reference was approved for it"),
    (word(references=("approve",) * 3), {}, "needs a verdict for each of its 2 references"),
    (word(references=("approve", "maybe")), {}, "needs a verdict for each of its 2 references"),
    (word(references=("skip", "reject")), {}, "no reference is left, and nothing is written without a source"),
]  # fmt: skip


@pytest.mark.parametrize(("decision", "values", "why"), NOT)
def test_a_decision_that_cannot_hold(decision: Decision, values: dict[str, Any], why: str) -> None:
    with pytest.raises(ReviewError) as refused:
        checked_reference_verdicts(decision, row(**values), 2)
    assert str(refused.value.message) == why
    assert isinstance(refused.value, UnconfirmedEdit) == why.startswith("the edited formula is")


def test_an_edit_to_another_formula_is_one_that_differs_in_more_than_notation() -> None:
    assert [needs_confirmation("v = H_0 d", tex) for tex in ("v=H_0d", r"v\,=\,H_{0}\,d", "v = H d")] == [False] * 3
    assert [needs_confirmation("v = H_0 d", tex) for tex in ("w = H_0 d", r"d = \frac{v}{H_0}", "F = m a")] == [
        True
    ] * 3


def test_the_accepted_references_are_those_with_an_approval() -> None:
    assert approved_references(word(references=("approve", "reject")), PLAIN) == PLAIN.references[:1]
    assert approved_references(word(references=("skip", "approve")), PLAIN) == PLAIN.references[1:2] != ()


@pytest.mark.parametrize(
    ("given", "found"), [("prop", True), ("pro", False), ("", False), ("proposal-1", True), ("prop%", False)]
)
def test_an_id_has_at_least_four_characters(workspace: Workspace, given: str, found: bool) -> None:
    put(workspace, PLAIN)
    if found:
        assert proposal_row(workspace, given)["id"] == PLAIN.id
        return
    with pytest.raises(ReviewError):
        proposal_row(workspace, given)


def test_a_whole_id_is_found_though_another_begins_with_it(workspace: Workspace) -> None:
    put(workspace, proposal("abcd"))
    put(workspace, proposal("abcde"))
    assert proposal_row(workspace, "abcd")["id"] == "abcd"


@pytest.fixture
def three(workspace: Workspace) -> Workspace:
    for name in ("Ada", "Ben"):
        add_reviewer(workspace, name)
    put(workspace, PLAIN)
    return workspace


SAME: list[tuple[list[Decision], Decision, bool]] = [
    ([], word(), False),
    ([word()], word(), True),
    ([word()], word(references=("approve", "approve")), True),
    ([word()], word(references=("approve", "reject")), False),
    ([word()], word("unsure"), False),
    ([word()], word(tex="E = m c^{2}"), False),
    ([word(tex="E = m c^{2}")], word(tex="E = m c^{2}"), True),
    ([word()], word(hash="x"), False),
    ([word()], word(reviewer="Ben"), False),
    ([word("reject", reason="bad_tex")], word("reject", reason="bad_tex"), True),
    ([word("reject", reason="bad_tex")], word("reject", reason="duplicate"), False),
    ([word("reject", reason="wrong_item", about="Q5")], word("reject", reason="wrong_item", about="Q5"), True),
    ([word("reject", reason="wrong_item", about="Q5")], word("reject", reason="wrong_item", about="Q6"), False),
    ([word("close", reason="by_hand", about="5")], word("close", reason="by_hand", about="6"), False),
    ([word(), word("unsure")], word(), False),
    ([word(), word("skip")], word(), True),
    ([word(), word(reviewer="Ben")], word(), True),
    ([word(), word("unsure", reviewer="Ben")], word(), False),
    ([word("unsure", reviewer="Ben"), word()], word(), True),
    ([word(), word("skip", reviewer="Ben")], word(), True),
]


@pytest.mark.parametrize(("said", "again", "known"), SAME)
def test_the_same_decision_again_is_known(three: Workspace, said: list[Decision], again: Decision, known: bool) -> None:
    for each in said:
        decide(three, each)
    assert (same_earlier_decision(three, again) is not None) is known


@pytest.mark.parametrize(
    ("outcome", "undo_state", "known"),
    [
        ("refused", "", False),
        ("failed", "", True),
        ("written", "undone", False),
        ("written", "kept", True),
    ],
)
def test_a_decision_whose_edit_was_refused_or_undone_can_be_said_again(
    three: Workspace, outcome: str, undo_state: str, known: bool
) -> None:
    decide(three, word())
    with three.engine.begin() as db:
        db.execute(
            store.edits.insert().values(
                proposal=PLAIN.id, outcome=outcome, decision=1, undo_state=undo_state, reason=""
            )
        )
    assert (same_earlier_decision(three, word()) is not None) is known


@pytest.mark.parametrize(
    ("outcome", "undo_state", "refused"),
    [("written", "", True), ("pending", "", True), ("failed", "", False), ("refused", "", False), ("written", "undone", False), ("written", "kept", True)],
)  # fmt: skip
def test_what_is_on_its_way_or_written_is_not_decided_again(
    three: Workspace, outcome: str, undo_state: str, refused: bool
) -> None:
    with three.engine.begin() as db:
        db.execute(
            store.edits.insert().values(
                proposal=PLAIN.id, outcome=outcome, decision=0, undo_state=undo_state, reason=""
            )
        )
    if not refused:
        assert decide(three, word()).verdict == "approve"
        return
    with pytest.raises(ReviewError, match="already written"):
        decide(three, word())


def test_text_that_is_none_is_not_kept(three: Workspace) -> None:
    for bad in (word(tex="\x00"), word(reason="\ud800"), word(references=("approve", "\x00"))):
        with pytest.raises(ReviewError, match="holds what is not a character"):
            decide(three, bad)
    assert three.rows(sa.select(store.decisions)) == []


# The rows of the Formula Concept Database


def rows(decision: Decision, **record: Any) -> list[tuple[str, str, str, str, int]]:
    spellings = [Representation("E = mc^2", "K1"), Representation("m=E/c^2", "K4")]
    made = {**as_json(PLAIN), "concept": "c", **record}
    found = rows_of(made, decision, spellings, {"m=E/c^2": ("book", 7)})
    assert all(r["id"] == row_id("c", "Q35875", r["tex"], decision_origin("Ada")) for r in found)
    return [(r["tex"], r["level"], r["qid"], r["document"], r["position"]) for r in found]


def test_rows_of_an_approval_and_of_a_refutation() -> None:
    own = ("E=mc^2", "K0", "Q35875", "doc", 0)
    all_ = [own, ("E = mc^2", "K1", "Q35875", "doc", 0), ("m=E/c^2", "K4", "Q35875", "book", 7)]
    assert rows(word()) == all_
    assert rows(word(tex="E=m c^{2}")) == [*all_, ("E=m c^{2}", "K1", "Q35875", "doc", 0)]
    assert rows(word(tex="m=E/c^2")) == all_
    assert rows(word(tex="F=ma", edit_confirmed=True)) == [("F=ma", "K0", "Q35875", "doc", 0)]
    assert rows(word(), quotes=[])[0] == ("E=mc^2", "K0", "Q35875", "", 0)
    for reason in ("wrong_item", "wrong_formula", "not_defining", "special_case"):
        assert rows(word("reject", reason=reason)) == [("E=mc^2", "K0", "", "doc", 0)]
    for reason in ("duplicate", "bad_source", "bad_tex", "needs_modelling"):
        assert rows(word("reject", reason=reason)) == []
    for verdict in ("skip", "unsure", "withdraw"):
        assert rows(word(verdict, reason="wrong_item")) == []


def test_items_get_their_representations_after_their_own_formulas() -> None:
    known = [{"qid": "Q1", "tex": "a"}, {"qid": "Q1", "tex": "b"}, {"qid": "Q2", "tex": "c"}]
    items = [{"qid": "Q1", "formulas": ["b", "x"]}, {"qid": "Q2", "formulas": None}, {"qid": "Q3"}]
    assert [i["formulas"] for i in with_representations(items, known)] == [["b", "x", "a"], ["c"], []]


# Cells of a packet


@pytest.mark.parametrize(
    ("given", "number"),
    [
        ("0", 0),
        (0, 0),
        (" 7 ", 7),
        (7, 7),
        ("", 0),
        (None, 0),
        ("x", 0),
        ("-1", 0),
        ("3.0", 3),
        ("3,00", 3),
        ("3.5", 0),
        ("1" * 9, 111111111),
        ("1" * 10, 0),
    ],
)
def test_a_number_of_a_packet(given: Any, number: int) -> None:
    assert packet._number(given) == number


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a=b", "a=b"),
        ("=a", "'=a"),
        ("  +a", "'  +a"),
        ("-a", "'-a"),
        ("@a", "'@a"),
        ("\ta", "'\ta"),
        ("＝a", "'＝a"),
        ("", ""),
    ],
)
def test_a_cell_and_what_is_typed_from_it(text: str, cell: str) -> None:
    assert packet._cell(text) == cell
    assert packet._typed_value(cell) == text
    assert packet._typed_value("'a") == "'a"
    assert packet._typed_value("b=a") == "b=a"


def test_a_row_of_a_packet_is_a_decision() -> None:
    given = {
        "proposal": " p ",
        "hash": "h",
        "verdict": " Reject ",
        "reason": "bad_tex",
        "reference_verdicts": "approve  reject",
    }
    made = packet._decision(given, "Ada")
    assert made == Decision("p", "h", "reject", ("approve", "reject"), "bad_tex", "Ada")
    assert packet._decision({**given, "verdict": "approve"}, "Ada").reason == ""
    confirmed = {
        text: packet._decision({**given, "edit_confirmed": text}, "Ada").edit_confirmed
        for text in ("yes", "TRUE", "1", "x", "no", "")
    }
    assert confirmed == {"yes": True, "TRUE": True, "1": True, "x": True, "no": False, "": False}
    assert packet._decision({}, "Ada") == Decision("", "", "", reviewer="Ada")


def test_a_window_in_plain_text_and_a_reference_in_one_line() -> None:
    quote = replace(PLAIN.quotes[0], window="⟦0⟧ and ⟦1⟧ and ⟦2⟧", formulas=((0, "a"), (1, "b")))
    assert packet.plain_window(quote) == "$a$ and $b$ and ⟦2⟧"
    assert packet.plain_window(replace(quote, window="⟦0⟧\n\nand ⟦1⟧")) == "$a$ and $b$"
    assert packet.reference_text((("P1", "url", "x"), ("P2", "time", "y"))) == "P1: x, P2: y"
    pieces = [(each.kind, each.text) for each in quote_parts(replace(quote, window="mass ⟦0⟧ ⟦1⟧", name="mass"))]
    assert [kind for kind, text in pieces if text.strip()] == ["name", "subject", "formula"]
    assert "name" not in {each.kind for each in quote_parts(replace(quote, window="mass ⟦1⟧", name=""))}
