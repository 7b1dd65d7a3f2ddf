"""Somebody else adds the formula between plan and writing: then the approved sources only, on their statement."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rehearsal import (
    REFERENCE,
    SETTINGS,
    Direct,
    Looks,
    Time,
    adds,
    approve,
    by_hand,
    changes,
    claims,
    formulas,
    no_row_is_open,
    policy,
    put,
    removes,
    undo,
)

from bot import hashchain as chain
from bot.propose.own_claims import is_same_value
from bot.records import Decision, Reference, UndoState
from bot.review import decide, show
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import Plan, apply, item_state, ledger, load_plan, make_plan, payload
from bot.write.outcome import outcome_counts, outcome_rows
from bot.write.outcome import print_outcome as show_outcome
from bot.write.plans import unfinished_entries

ITEM, TEX = "Q41273", "p=mv"
SECOND = Reference((("P248", "wikibase-item", "Q1"), ("P813", "time", "+2026-11-20T00:00:00Z")))
OLDER = Reference((("P854", "url", "https://example.org/a"), ("P813", "time", "+2020-01-01T00:00:00Z")))


class ConcurrentEdit:
    """One item without a formula, an approved claim with sources, and the plan for it."""

    def __init__(self, workspace: Workspace, sandbox: Sandbox) -> None:
        self.workspace, self.sandbox = workspace, sandbox
        self.before: Callable[[str], None] = lambda call: None

    def planned(self, *references: Reference, word: tuple[str, ...] = ()) -> Plan:
        self.made = put(self.workspace, ITEM, TEX, sources=references or (REFERENCE,))
        approve(self.workspace, self.made, references=word)
        self.plan = make_plan(self.workspace, Looks(self.sandbox), self.sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
        assert [entry.kind for entry in self.plan.entries] == ["new_claim"]
        return self.plan

    def run(self, before: Callable[[str], None] = lambda call: None) -> tuple[str, str]:
        wiki_policy = policy(self.workspace, self.sandbox, Time())
        session = Direct(self.sandbox, before)
        ((_, outcome, reason),) = apply(
            self.workspace, self.plan, self.sandbox.wiki, SETTINGS, session=session, policy=wiki_policy
        )
        return outcome, reason

    def sources(self) -> list[Any]:
        return [item_state.reference_content(r) for s in claims(self.sandbox, ITEM) for r in s.get("references", ())]

    def ours(self) -> list[dict[str, Any]]:
        return [row for row in self.sandbox.history(ITEM) if row["user"] == "WikiBot"]


def essence(reference: Reference) -> Any:
    return item_state.reference_content(payload.reference(reference))


@pytest.fixture
def concurrent(workspace: Workspace) -> Iterator[ConcurrentEdit]:
    with Sandbox() as sandbox:
        sandbox.fill([{"qid": "Q1", "label": "a book"}, {"qid": ITEM, "label": "momentum"}])
        yield ConcurrentEdit(workspace, sandbox)


def test_the_plan_shows_what_would_be_sent_then(concurrent: ConcurrentEdit) -> None:
    plan = concurrent.planned(REFERENCE, SECOND)
    (entry,) = plan.entries
    assert entry.otherwise == tuple(payload.reference(r) for r in (REFERENCE, SECOND))
    assert plan.group in entry.otherwise_summary
    assert load_plan(concurrent.workspace, plan.id) == plan


def test_the_approved_sources_alone_go_to_the_statement_of_the_other(concurrent: ConcurrentEdit) -> None:
    plan = concurrent.planned(REFERENCE, SECOND)
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    before = concurrent.sandbox.entity(ITEM) or {}
    outcome, reason = concurrent.run()
    assert (outcome, theirs in reason, "somebody else added the formula: the source only" in reason) == (
        "written",
        True,
        True,
    )
    (statement,) = claims(concurrent.sandbox, ITEM)
    assert statement["id"] == theirs
    assert concurrent.sources() == [essence(REFERENCE), essence(SECOND)]
    assert item_state.without_references(statement) == item_state.without_references(before["claims"]["P2534"][0])
    rows = ledger.ledger_rows(concurrent.workspace)
    assert [(r.guid, r.outcome, r.payload) for r in rows] == [
        (theirs, "written", one) for one in plan.entries[0].otherwise
    ]
    assert [r.revision for r in rows] == [r["id"] for r in concurrent.ours()]
    assert all(plan.group in r["comment"] for r in concurrent.ours())
    assert show(concurrent.workspace, concurrent.made.id).state == "written"
    assert concurrent.run() == (outcome, reason)  # a second run changes nothing
    assert len(concurrent.ours()) == 2
    assert unfinished_entries(concurrent.workspace, plan) == []
    assert list(chain.edit_discrepancies(concurrent.workspace)) == []


def test_the_outcome_names_it_and_adds_up(concurrent: ConcurrentEdit) -> None:
    plan = concurrent.planned()
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    concurrent.run()
    (told,) = outcome_rows(concurrent.workspace, plan)
    assert (told["outcome"], told["kind"], told["guid"]) == ("written", "source_only", theirs)
    counts = outcome_counts(concurrent.workspace, plan, [told])
    assert (counts["planned"], counts["written"], counts["source_only"]) == (1, 1, 1)
    show_outcome(concurrent.workspace, plan, False)
    assert "somebody else" in (concurrent.workspace.reports / "write-outcome.txt").read_text(encoding="utf-8")
    saved = json.loads((concurrent.workspace.reports / "write-outcome.json").read_text(encoding="utf-8"))
    assert saved["edits"][0]["kind"] == "source_only"


def test_undo_takes_back_the_source_and_not_the_claim(concurrent: ConcurrentEdit) -> None:
    plan = concurrent.planned()
    adds(concurrent.sandbox, ITEM, TEX)
    before = item_state.fingerprint(concurrent.sandbox.entity(ITEM) or {})
    concurrent.run()
    wiki_policy = policy(concurrent.workspace, concurrent.sandbox, Time())
    given = {"session": Direct(concurrent.sandbox), "policy": wiki_policy}
    ((_, what),) = undo(concurrent.workspace, concurrent.sandbox.wiki, SETTINGS, group=plan.group, **given)  # type: ignore[arg-type]
    assert what.state is UndoState.UNDONE
    assert item_state.fingerprint(concurrent.sandbox.entity(ITEM) or {}) == before


def test_only_the_references_that_the_person_approved_are_said(concurrent: ConcurrentEdit) -> None:
    concurrent.planned(REFERENCE, SECOND, word=("reject", "approve"))
    adds(concurrent.sandbox, ITEM, TEX)
    assert concurrent.run()[0] == "written"
    assert concurrent.sources() == [essence(SECOND)]


@pytest.mark.parametrize("there", [REFERENCE, OLDER])
def test_a_source_that_is_named_already_is_not_said_again(concurrent: ConcurrentEdit, there: Reference) -> None:
    plan = concurrent.planned()
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    by_hand(
        concurrent.sandbox,
        action="wbsetreference",
        statement=theirs,
        snaks=json.dumps(payload.reference(there)["snaks"]),
    )
    outcome, reason = concurrent.run()
    assert (outcome, "somebody else added the formula with this source" in reason) == ("already_there", True)
    assert concurrent.ours() == []
    assert outcome_rows(concurrent.workspace, plan)[0]["outcome"] == "already_there"
    assert unfinished_entries(concurrent.workspace, plan) == []
    assert show(concurrent.workspace, concurrent.made.id).state == "written"


def test_what_is_left_of_two_sources_is_said(concurrent: ConcurrentEdit) -> None:
    concurrent.planned(REFERENCE, SECOND)
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    by_hand(
        concurrent.sandbox,
        action="wbsetreference",
        statement=theirs,
        snaks=json.dumps(payload.reference(OLDER)["snaks"]),
    )
    assert concurrent.run()[0] == "written"
    assert concurrent.sources() == [essence(OLDER), essence(SECOND)]
    assert [r.outcome for r in ledger.ledger_rows(concurrent.workspace)] == ["already_there", "written"]


def _deprecated(concurrent: ConcurrentEdit) -> None:
    adds(concurrent.sandbox, ITEM, TEX)
    (statement,) = claims(concurrent.sandbox, ITEM)
    by_hand(concurrent.sandbox, action="wbsetclaim", claim=json.dumps({**statement, "rank": "deprecated"}))


def _qualified(concurrent: ConcurrentEdit) -> None:
    guid = adds(concurrent.sandbox, ITEM, TEX)
    value = json.dumps({"entity-type": "item", "id": "Q1"})
    by_hand(
        concurrent.sandbox, action="wbsetqualifier", claim=guid, property="P248", snaktype="value", value=value
    )  # whatever it is, it was not reviewed


def _no_value(concurrent: ConcurrentEdit) -> None:
    adds(concurrent.sandbox, ITEM, TEX)
    by_hand(concurrent.sandbox, action="wbcreateclaim", entity=ITEM, property="P2534", snaktype="novalue")


def _some_value_alone(concurrent: ConcurrentEdit) -> None:
    by_hand(concurrent.sandbox, action="wbcreateclaim", entity=ITEM, property="P2534", snaktype="somevalue")


def _another_too(concurrent: ConcurrentEdit) -> None:
    adds(concurrent.sandbox, ITEM, TEX)
    adds(concurrent.sandbox, ITEM, "F=ma")


def _taken_back(concurrent: ConcurrentEdit) -> None:
    removes(concurrent.sandbox, adds(concurrent.sandbox, ITEM, TEX))


def _withdrawn(concurrent: ConcurrentEdit) -> None:
    adds(concurrent.sandbox, ITEM, TEX)
    decide(concurrent.workspace, Decision(concurrent.made.id, concurrent.made.hash, "withdraw", reviewer="Ada"))


REFUSED: dict[str, tuple[Callable[[ConcurrentEdit], object], str]] = {
    "in other marks": (lambda concurrent: adds(concurrent.sandbox, ITEM, "p = m v"), "has changed"),
    "deprecated": (_deprecated, "deprecated"),
    "with qualifiers": (_qualified, "qualifiers"),
    "beside a statement of no value": (_no_value, "has changed"),
    "of unknown value": (_some_value_alone, "has changed"),
    "beside another formula": (_another_too, "has changed"),
    "and was taken back": (_taken_back, "removed again"),
    "and the approval was withdrawn": (_withdrawn, "not approved"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_is_not_just_what_was_approved_goes_back_to_review(concurrent: ConcurrentEdit, how: str) -> None:
    meanwhile, says = REFUSED[how]
    concurrent.planned()
    meanwhile(concurrent)
    before = item_state.fingerprint(concurrent.sandbox.entity(ITEM) or {})
    outcome, reason = concurrent.run()
    assert (outcome, says in reason) == ("refused", True), reason
    assert item_state.fingerprint(concurrent.sandbox.entity(ITEM) or {}) == before
    assert show(concurrent.workspace, concurrent.made.id).state == "open"
    assert concurrent.run()[0] == "refused"


@pytest.mark.parametrize("tex", ["p = m v", "p=m v"])
def test_a_formula_in_other_marks_goes_back_to_review_when_the_plan_is_made(
    concurrent: ConcurrentEdit, tex: str
) -> None:
    approve(concurrent.workspace, put(concurrent.workspace, ITEM, TEX))
    adds(concurrent.sandbox, ITEM, tex)
    plan = make_plan(concurrent.workspace, Looks(concurrent.sandbox), concurrent.sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    assert plan.entries == ()
    assert "other marks" in str(plan.refused[0][1])


def test_the_same_formula_gets_the_source_when_the_plan_is_made(concurrent: ConcurrentEdit) -> None:
    approve(concurrent.workspace, put(concurrent.workspace, ITEM, TEX))
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    plan = make_plan(concurrent.workspace, Looks(concurrent.sandbox), concurrent.sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    assert [(entry.kind, entry.statement) for entry in plan.entries] == [("add_reference", theirs)]


def _between(call_number: int, deed: Callable[[], object]) -> Callable[[str], None]:
    """Do something just before the n-th edit of ours."""
    seen = []

    def before(call: str) -> None:
        if call == "add":
            seen.append(call)
            if len(seen) == call_number:
                deed()

    return before


def test_a_run_that_ends_between_two_sources_says_the_second_one_later(concurrent: ConcurrentEdit) -> None:
    concurrent.planned(REFERENCE, SECOND)
    adds(concurrent.sandbox, ITEM, TEX)

    def dies() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        concurrent.run(_between(2, dies))
    assert outcome_rows(concurrent.workspace, concurrent.plan)[0]["outcome"] == "failed"
    assert len(unfinished_entries(concurrent.workspace, concurrent.plan)) == 1
    assert concurrent.run()[0] == "written"
    assert concurrent.sources() == [essence(REFERENCE), essence(SECOND)]
    assert no_row_is_open(concurrent.workspace)
    assert len(concurrent.ours()) == 2


@pytest.mark.parametrize("what", ["changed", "removed"])
def test_a_statement_that_is_touched_between_two_sources_gets_no_second_one(
    concurrent: ConcurrentEdit, what: str
) -> None:
    concurrent.planned(REFERENCE, SECOND)
    theirs = adds(concurrent.sandbox, ITEM, TEX)

    def dies() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        concurrent.run(_between(2, dies))
    changes(concurrent.sandbox, theirs, "p=2mv") if what == "changed" else removes(concurrent.sandbox, theirs)
    outcome, reason = concurrent.run()
    assert outcome == "refused", reason
    assert no_row_is_open(concurrent.workspace)
    assert essence(SECOND) not in concurrent.sources()
    assert formulas(concurrent.sandbox, ITEM) == (["p=2mv"] if what == "changed" else [])


def test_a_planned_source_does_not_go_to_a_statement_that_changed_after_the_first(concurrent: ConcurrentEdit) -> None:
    """The same for sources that were planned as such: what we ourselves have added hides no change of another."""
    theirs = adds(concurrent.sandbox, ITEM, TEX)
    made = put(concurrent.workspace, ITEM, TEX, kind="add_reference", statement=theirs, sources=(REFERENCE, SECOND))
    approve(concurrent.workspace, made)
    plan = make_plan(concurrent.workspace, Looks(concurrent.sandbox), concurrent.sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    assert len(plan.entries) == 2
    told: list[str] = []

    def noted(entry: Any, outcome: str) -> None:
        told.append(outcome)
        if len(told) == 1:
            changes(concurrent.sandbox, theirs, "p=2mv")

    wiki_policy = policy(concurrent.workspace, concurrent.sandbox, Time())
    given: dict[str, Any] = {"session": Direct(concurrent.sandbox), "policy": wiki_policy, "on_edit": noted}
    apply(concurrent.workspace, plan, concurrent.sandbox.wiki, SETTINGS, **given)
    assert told == ["written", "refused"]
    assert concurrent.sources() == [essence(REFERENCE)]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("a^2", "a^2", True),
        (" a^2\n", "a^2", True),
        ("\\text{f\u00fcr}", "\\text{fu\u0308r}", True),
        ("a^2", "a^{2}", False),
        ("p=mv", "p = mv", False),
        ("p=mv", "p=mV", False),
        ("\\displaystyle a", "a", False),
    ],
)
def test_what_the_wiki_takes_for_one_value(one: str, other: str, equal: bool) -> None:
    assert is_same_value(one, other) is equal
