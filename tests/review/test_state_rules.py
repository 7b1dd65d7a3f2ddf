"""The state of a proposal from its decisions, row by row: no database, every rule alone and with the others."""

from __future__ import annotations

from typing import Any

import pytest

from bot.propose.stored_proposals import is_for_content
from bot.records import digest
from bot.review.proposal_state import (
    State,
    Status,
    Terms,
    in_sample,
    is_rehearsal_only,
    state_on_day,
    status_of,
)
from bot.review.queue_rules import Rules

PEOPLE = frozenset({"Ada", "Ben", "Cleo", "Dora", "Olga"})  # Olga is an operator
NEW, FLAG = {"id": "p", "hash": "h", "kind": "new_claim"}, {"id": "p", "hash": "h", "kind": "flag"}
BOTH = ["approve", "approve"]


def said(*words: str, **more: Any) -> list[dict[str, Any]]:
    """Return rows of "Ada approve", oldest first; "Ada approve*" is of other content."""
    rows = []
    for n, each in enumerate(words, 1):
        name, verdict = each.split()
        row = {
            "n": n, "proposal": "p", "hash": "other" if verdict.endswith("*") else "h", "verdict": verdict.rstrip("*"),
            "references": BOTH, "reason": "not_defining" if "reject" in verdict else "", "reviewer": name, "time": "", "tex": "",
            "edit_confirmed": False, "role": "reviewer", "wiki": "",
        }  # fmt: skip
        rows.append({**row, **more})
    return rows


def terms(rehearsal: bool = False, approvers: frozenset[str] = PEOPLE, **rules: Any) -> Terms:
    return Terms(Rules(**rules), frozenset({"Olga"}), approvers, rehearsal)


def status(rows: list[dict[str, Any]], kind: Any = NEW, written: bool = False, spent: Any = (), **more: Any) -> Status:
    return status_of(kind, rows, written, spent, terms(**more))


PLAIN: list[tuple[tuple[str, ...], str, int, bool, str]] = [
    ((), "open", 0, False, ""),
    (("Ada skip",), "open", 0, False, ""),
    (("Ada approve",), "approved", 1, False, "Ada"),
    (("Ada approve", "Ada skip"), "approved", 1, False, "Ada"),
    (("Ada approve", "Ben skip"), "approved", 1, False, "Ada"),
    (("Ada reject",), "rejected", 1, False, "Ada"),
    (("Ada unsure",), "unsure", 1, False, "Ada"),
    (("Ada approve", "Ben reject"), "rejected", 2, False, "Ben"),
    (("Ada reject", "Ben approve"), "approved", 2, False, "Ben"),
    (("Ada approve", "Ada withdraw"), "open", 2, False, ""),
    (("Ada approve", "Ada withdraw", "Ben unsure"), "unsure", 3, False, "Ben"),
    (("Ada approve*",), "open", 1, True, ""),
    (("Ada unsure*",), "open", 1, True, ""),
    (("Ada reject*",), "rejected", 1, False, "Ada"),
    (("Eve approve",), "open", 1, True, ""),
    (("Eve reject",), "rejected", 1, False, "Eve"),
    (("Ada reject", "Eve approve"), "rejected", 2, False, "Ada"),
]


@pytest.mark.parametrize(("words", "state", "number", "reopened", "reviewer"), PLAIN)
def test_alone_the_last_decision_counts(
    words: tuple[str, ...], state: str, number: int, reopened: bool, reviewer: str
) -> None:
    found = status(said(*words))
    assert (found.state, found.number, found.reopened, found.reviewer) == (state, number, reopened, reviewer)
    assert (found.decision is not None) == (state in ("approved", "rejected", "unsure"))
    assert found.first_decider == ""
    flagged = status(said(*words), FLAG)
    assert flagged.state == ("flagged" if state == "open" else state)
    assert status(said(*words), written=True).state == "written"
    assert status(said(*words), FLAG, written=True).state == "written"


@pytest.mark.parametrize(
    ("spent", "state", "reopened", "number"),
    [
        ((), "rejected", False, 3),
        ((1,), "rejected", False, 3),
        ((2,), "rejected", False, 3),
        ((3,), "open", False, 3),
        ((1, 3), "open", False, 3),
        ((9,), "rejected", False, 3),
    ],
)
def test_a_spent_decision_and_all_before_it_count_no_more(
    spent: tuple[int, ...], state: str, reopened: bool, number: int
) -> None:
    found = status(said("Ada approve", "Ben approve", "Cleo reject"), spent=spent)
    assert (found.state, found.reopened, found.number) == (state, reopened, number)


def test_votes_before_a_spent_decision_are_no_votes() -> None:
    rows = said("Ada approve", "Ben approve", "Cleo approve")
    assert status(rows, two_persons=True).state == "approved"
    assert status(rows, spent={2}, two_persons=True).state == "second"
    assert status(said("Ada skip", "Ada approve", "Ben approve"), spent={2}, two_persons=True).state == "second"


TWO: list[tuple[tuple[str, ...], str, str]] = [
    (("Ada approve",), "second", "Ada"),
    (("Ada approve", "Ada approve"), "second", "Ada"),
    (("Ada approve", "Ben approve"), "approved", ""),
    (("Ada approve*", "Ben approve"), "second", "Ben"),
    (("Ada approve", "Ben reject"), "rejected", ""),
    (("Ada approve", "Ben reject", "Cleo approve"), "approved", ""),
    (("Ada approve", "Ben unsure"), "unsure", ""),
    (("Ada approve", "Ben withdraw"), "open", ""),
    (("Ada approve", "Ben reject", "Ben approve"), "approved", ""),
    (("Ada reject",), "rejected", ""),
    (("Olga approve",), "second", "Olga"),
    (("Ada approve", "Eve approve"), "second", "Ada"),
    (("Ada approve*",), "open", ""),
]


@pytest.mark.parametrize(("words", "state", "first"), TWO)
def test_with_two_persons_an_approval_needs_another_one_of_the_same(
    words: tuple[str, ...], state: str, first: str
) -> None:
    found = status(said(*words), two_persons=True)
    assert (found.state, found.first_decider, found.reopened) == (state, first, words == ("Ada approve*",))
    assert (found.decision is None) == (state in ("second", "open"))
    assert found.reviewer == ("" if state == "open" else words[-1 if "Eve" not in words[-1] else 0].split()[0])


@pytest.mark.parametrize(
    "other", [{"tex": "v = d"}, {"references": ["approve", "reject"]}, {"hash": "other"}, {"reviewer": "Ada"}]
)
def test_two_approvals_of_different_content_are_not_two_of_one(other: dict[str, Any]) -> None:
    first, second = said("Ada approve", "Ben approve")
    assert status([first, second], two_persons=True).state == "approved"
    found = status([first, {**second, **other}], two_persons=True)
    assert found.decision is None
    assert found.first_decider == ("" if "hash" in other else other.get("reviewer", "Ben"))  # the last one waits
    assert status([{**first, "tex": None}, second], two_persons=True).state == "approved"
    bare = {"references": None}  # as older rows of proposals without references have it
    assert status([{**first, **bare}, {**second, **bare}], two_persons=True).state == "approved"
    assert status([{**first, **bare}, second], two_persons=True).decision is None


BLIND: list[tuple[tuple[str, ...], str, str]] = [
    (("Ada approve",), "approved", "Ada"),  # Ada decided first, and somebody else is wanted
    (("Ada reject",), "rejected", "Ada"),
    (("Ada unsure",), "unsure", ""),
    (("Ada approve", "Ada reject"), "rejected", "Ada"),
    (("Ada approve", "Ben approve"), "approved", ""),
    (("Ada approve", "Ben reject"), "disputed", ""),
    (("Ada reject", "Ben approve"), "disputed", ""),
    (("Ada approve", "Ben reject", "Cleo approve"), "approved", ""),
    (("Ada approve", "Ben reject", "Cleo reject"), "rejected", ""),
    (("Ada approve", "Ben approve", "Cleo reject"), "approved", ""),
    (("Ada reject", "Ben reject", "Cleo approve"), "rejected", ""),
    (("Ada approve", "Ben approve", "Cleo reject", "Dora reject"), "disputed", ""),
    (("Ada approve", "Ben reject", "Olga approve"), "approved", ""),
    (("Ada approve", "Ben reject", "Olga reject"), "rejected", ""),
    (("Ada approve", "Olga reject"), "rejected", ""),
    (("Ada reject", "Olga approve"), "approved", ""),
    (("Ada approve", "Ben approve", "Olga reject"), "rejected", ""),
    (("Olga approve", "Ben reject"), "disputed", ""),
    (("Ada approve", "Ben reject", "Ada reject"), "rejected", ""),
    (("Ada approve", "Ben unsure"), "unsure", ""),
    (("Ada approve*", "Ben reject"), "rejected", "Ben"),
    (("Ada approve", "Ben reject", "Ben withdraw"), "open", ""),
]


@pytest.mark.parametrize(("words", "state", "first"), BLIND)
def test_a_blind_disagreement_binds_nobody_until_a_majority_or_an_operator_settles_it(
    words: tuple[str, ...], state: str, first: str
) -> None:
    found = status(said(*words), blind=1.0)
    assert found.state == state
    assert (found.decision is None) == (state in ("disputed", "open"))
    assert found.needs_review == (state in ("disputed", "open") or bool(found.first_decider))
    assert found.first_decider == first


def test_the_decision_of_the_majority_counts_and_the_latest_of_it() -> None:
    rows = said("Ada approve", "Ben approve", "Cleo reject")
    decision = status(rows, blind=1.0).decision
    assert decision is not None
    assert (decision["n"], decision["verdict"]) == (2, "approve")
    decision = status(said("Ben reject", "Ada approve", "Cleo approve"), blind=1.0).decision
    assert decision is not None
    assert decision["n"] == 3


def test_an_operators_approval_settles_a_dispute_only_with_a_second_one_where_two_are_wanted() -> None:
    both = {"blind": 1.0, "two_persons": True}
    assert status(said("Ada approve", "Ben reject", "Olga approve"), **both).state == "approved"
    assert status(said("Ada reject", "Olga approve"), **both).state == "second"
    assert status(said("Ada approve", "Ben reject"), **both).state == "disputed"
    assert status(said("Ada approve"), **both).state == "second"
    assert status(said("Ada approve", "Ben reject", "Cleo reject"), **both).state == "rejected"


def test_without_a_blind_share_a_disagreement_is_no_dispute() -> None:
    assert status(said("Ada approve", "Ben reject"), two_persons=True).state == "rejected"
    assert status(said("Ada approve", "Ben reject")).state == "rejected"


def test_a_disagreement_on_other_content_is_reopened_and_no_dispute() -> None:
    found = status(said("Ada reject*", "Ben approve*"), blind=1.0)
    assert (found.state, found.decision, found.reopened, found.reviewer) == ("open", None, True, "")
    found = status(said("Ada approve", "Ben reject"), blind=1.0)
    assert (found.reopened, found.reviewer) == (False, "Ben")


def test_who_decided_first_is_kept_for_those_of_the_sample_alone() -> None:
    share = int(digest("blind", "p", length=8), 16) / 0x1_0000_0000
    assert status(said("Ada approve"), blind=share).first_decider == ""
    assert status(said("Ada approve"), blind=share + 1e-9).first_decider == "Ada"


@pytest.mark.parametrize(("share", "within"), [(0.0, False), (-1.0, False), (1.0, True)])
def test_sample_of_nothing_and_of_all(share: float, within: bool) -> None:
    assert all(in_sample(f"p{n}", share) is within for n in range(50))


def test_sample_is_about_its_share_and_grows_with_it() -> None:
    ids = [f"p{n}" for n in range(2000)]
    fifth, half = ({i for i in ids if in_sample(i, share)} for share in (0.2, 0.5))
    assert fifth < half
    assert 340 < len(fifth) < 460
    assert 900 < len(half) < 1100


@pytest.mark.parametrize(
    ("state", "expires", "seen"),
    [
        ("open", "2026-11-19", "expired"),
        ("open", "2026-11-20", "open"),
        ("open", "2026-11-21", "open"),
        ("second", "2026-11-19", "expired"),
        ("disputed", "2026-11-19", "expired"),
        *((s, "2026-11-19", s) for s in ("flagged", "unsure", "approved", "rejected", "written", "expired")),
    ],
)
def test_what_waits_for_a_decision_expires(state: str, expires: str, seen: str) -> None:
    assert state_on_day(State(state), expires, "2026-11-20") == seen


HOLDS = [
    ("approve", "", "h", True),
    ("approve", "", "other", False),
    ("unsure", "", "h", True),
    ("unsure", "", "other", False),
    ("withdraw", "", "h", False),
    ("reject", "wrong_item", "h", True),
    ("reject", "wrong_item", "other", True),
    ("reject", "duplicate", "other", True),
    ("reject", "bad_source", "h", True),
    ("reject", "bad_source", "other", False),
    ("reject", "bad_tex", "h", True),
    ("reject", "bad_tex", "other", False),
]


@pytest.mark.parametrize(("verdict", "reason", "current", "held"), HOLDS)
def test_a_decision_holds(verdict: str, reason: str, current: str, held: bool) -> None:
    assert is_for_content({"hash": "h", "verdict": verdict, "reason": reason}, current) is held


@pytest.mark.parametrize(
    ("role", "wiki", "bound"),
    [("reviewer", "", False), ("stand-in", "", True), ("reviewer", "rehearsal", True), ("stand-in", "rehearsal", True)],
)
def test_a_rehearsals_approval_counts_in_a_rehearsal_only(role: str, wiki: str, bound: bool) -> None:
    rows = said("Ada approve", role=role, wiki=wiki)
    assert is_rehearsal_only(rows[0]) is bound
    assert status(rows).state == ("open" if bound else "approved")
    assert status(rows, rehearsal=True).state == "approved"
    assert status(rows, rehearsal=True, approvers=frozenset()).state == "open"
    assert status(said("Ada reject", role=role, wiki=wiki)).state == "rejected"
