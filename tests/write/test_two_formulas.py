"""Two approved formulas of one item: in one plan or in two, the item says the same in the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from rehearsal import Direct, Looks, Time, adds, approve, by_hand, changes, claims, formulas, policy, put, undo

from bot import store
from bot.lookup.entities import snak_value
from bot.propose.build import recomputed_hash
from bot.records import Proposal, Reference, as_json
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.store import Workspace
from bot.write import apply, make_plan

SETTINGS = Settings()
ITEM = "Q41273"
SECOND = Reference((("P854", "url", "https://example.org/b"), ("P813", "time", "+2026-11-20T00:00:00Z")))
THIRD = Reference((("P854", "url", "https://third.example/c"), ("P813", "time", "+2026-11-20T00:00:00Z")))


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill([{"qid": ITEM, "label": "momentum"}])
        yield running


def write(workspace: Workspace, sandbox: Sandbox) -> dict[str, tuple[str, str]]:
    """Plan and carry out; return proposal -> outcome and reason, of what the plan refused too."""
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki_policy = policy(workspace, sandbox, Time())
    done = apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    return {e.proposal: (outcome, why) for e, outcome, why in done} | {p: ("refused", str(w)) for p, w in plan.refused}


def approve_and_write(
    workspace: Workspace, sandbox: Sandbox, plans: int, first: dict[str, Any], second: dict[str, Any]
) -> list[tuple[str, str]]:
    """Approve two proposals of the item and write them in one plan or in two; return what became of each."""
    made, told = [], {}
    for given in (first, second):
        made.append(put(workspace, ITEM, given["tex"], sources=given.get("sources", (SECOND,))))
        approve(workspace, made[-1], **(_edited(given["edited"]) if "edited" in given else {}))
        if plans == 2:
            told |= write(workspace, sandbox)
    told |= write(workspace, sandbox) if plans == 1 else {}
    return [told[each.id] for each in made]


def _edited(tex: str) -> dict[str, Any]:
    return {"tex": tex, "edit_confirmed": True, "references": ("approve",)}


PAIRS = {
    "another formula": ("p=mv", r"p=\hbar k"),
    "other letters": ("p=mv", "q=nw"),
    "rearranged": ("p=mv", "v=p/m"),
    "a special case": (r"E=\sqrt{p^2c^2+m^2c^4}", "E=mc^2"),
}


@pytest.mark.parametrize("plans", [1, 2])
@pytest.mark.parametrize("pair", PAIRS)
def test_two_approved_formulas_are_both_written(workspace: Workspace, sandbox: Sandbox, plans: int, pair: str) -> None:
    one, other = PAIRS[pair]
    told = approve_and_write(workspace, sandbox, plans, {"tex": one}, {"tex": other})
    assert [outcome for outcome, _ in told] == ["written", "written"], told
    assert sorted(formulas(sandbox, ITEM)) == sorted([one, other])


@pytest.mark.parametrize("plans", [1, 2])
def test_a_third_one_is_written_beside_them(workspace: Workspace, sandbox: Sandbox, plans: int) -> None:
    approve_and_write(workspace, sandbox, plans, {"tex": "p=mv"}, {"tex": r"p=\hbar k"})
    approve(workspace, put(workspace, ITEM, r"p=\frac{E}{c}"))
    assert [outcome for outcome, _ in write(workspace, sandbox).values()] == ["written"]
    assert len(formulas(sandbox, ITEM)) == 3


@pytest.mark.parametrize("plans", [1, 2])
def test_the_same_formula_approved_twice_is_one_statement_with_both_sources(
    workspace: Workspace, sandbox: Sandbox, plans: int
) -> None:
    first = {"tex": "p=mv"}
    second = {"tex": "p=mv+0", "edited": "p=mv", "sources": (THIRD,)}
    told = approve_and_write(workspace, sandbox, plans, first, second)
    assert [outcome for outcome, _ in told] == ["written", "written"], told
    assert formulas(sandbox, ITEM) == ["p=mv"]
    assert len(claims(sandbox, ITEM)[0]["references"]) == 2


@pytest.mark.parametrize("plans", [1, 2])
def test_the_same_formula_in_other_marks_goes_back_to_review(
    workspace: Workspace, sandbox: Sandbox, plans: int
) -> None:
    second = {"tex": "E=m", "edited": "E=mc^{2}", "sources": (THIRD,)}
    told = approve_and_write(workspace, sandbox, plans, {"tex": "E=mc^2"}, second)
    assert sorted(outcome for outcome, _ in told) == ["refused", "written"]
    why = next(why for outcome, why in told if outcome == "refused")
    assert why.startswith("another approval of the same formula was first in other marks")
    assert len(formulas(sandbox, ITEM)) == 1


def test_a_plan_that_was_made_before_another_was_carried_out_still_holds(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    """What the first plan wrote is ours, also for the second one, which knew the item without it."""
    plans = []
    for tex in ("p=mv", r"p=\hbar k"):
        approve(workspace, put(workspace, ITEM, tex))
        plans.append(make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS))  # type: ignore[arg-type]
    wiki_policy = policy(workspace, sandbox, Time())
    for plan in plans:
        done = apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
        assert {outcome for _, outcome, _ in done} == {"written"}, done
    assert sorted(formulas(sandbox, ITEM)) == sorted(["p=mv", r"p=\hbar k"])


def test_the_same_formula_met_when_the_plan_is_carried_out_is_said_to_be_of_another_approval(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    one = put(workspace, ITEM, "p=mv")
    approve(workspace, one)
    plans = [make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)]  # type: ignore[arg-type]
    with workspace.engine.begin() as db:  # the second plan is to know nothing of the first
        db.execute(store.proposals.delete().where(store.proposals.c.id == one.id))
    approve(workspace, put(workspace, ITEM, "p=mv+0", sources=(THIRD,)), **_edited("p=mv"))
    plans.append(make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS))  # type: ignore[arg-type]
    put(workspace, ITEM, "p=mv")
    wiki_policy = policy(workspace, sandbox, Time())
    told = [
        apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)[0] for plan in plans
    ]
    assert [outcome for _, outcome, _ in told] == ["written", "written"]
    assert told[1][2].startswith("another approval of the same formula was first: the source only, on ")
    assert len(claims(sandbox, ITEM)[0]["references"]) == 2


# What is not ours any more is compared as any other statement


def test_a_formula_of_somebody_else_still_sends_the_approval_back(workspace: Workspace, sandbox: Sandbox) -> None:
    adds(sandbox, ITEM, "p=mv")
    made = put(workspace, ITEM, r"p=\hbar k")
    approve(workspace, made)
    ((outcome, why),) = write(workspace, sandbox).values()
    assert outcome == "refused"
    assert why.startswith("not as reviewed: ")
    assert why.endswith(": p=mv")


def test_a_formula_of_ours_that_a_person_changed_is_theirs(workspace: Workspace, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, ITEM, "p=mv"))
    write(workspace, sandbox)
    changes(sandbox, claims(sandbox, ITEM)[0]["id"], r"p=\gamma mv")
    approve(workspace, put(workspace, ITEM, r"p=\hbar k"))
    ((outcome, why),) = write(workspace, sandbox).values()
    assert outcome == "refused"
    assert r"p=\gamma mv" in why


def test_a_formula_of_ours_that_was_taken_back_and_set_by_a_person_is_theirs(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    approve(workspace, put(workspace, ITEM, "p=mv"))
    write(workspace, sandbox)
    kept = claims(sandbox, ITEM)[0]
    wiki_policy = policy(workspace, sandbox, Time())
    undo(workspace, sandbox.wiki, SETTINGS, item=ITEM, session=Direct(sandbox), policy=wiki_policy)
    by_hand(sandbox, action="wbsetclaim", claim={name: kept[name] for name in ("id", "type", "rank", "mainsnak")})
    approve(workspace, put(workspace, ITEM, r"p=\hbar k"))
    ((outcome, why),) = write(workspace, sandbox).values()
    assert outcome == "refused"
    assert why.startswith("not as reviewed: ")
    assert why.endswith(": p=mv")


# A further formula that was approved beside those of the item


def put_beside(workspace: Workspace, sandbox: Sandbox, tex: str) -> Proposal:
    """Put a claim in the queue that was shown beside the item's formulas of now."""
    made = put(workspace, ITEM, tex)
    there = tuple(sorted((claim["id"], snak_value(claim["mainsnak"])) for claim in claims(sandbox, ITEM)))
    made = replace(made, beside=there)
    made = replace(made, hash=recomputed_hash(made))
    table = store.proposals
    with workspace.engine.begin() as db:
        db.execute(table.update().where(table.c.id == made.id).values(hash=made.hash, record=as_json(made)))
    return made


def test_a_further_formula_is_written_beside_those_that_the_reviewer_saw(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    adds(sandbox, ITEM, "p=mv")
    approve(workspace, put_beside(workspace, sandbox, r"p=\hbar k"))
    ((outcome, why),) = write(workspace, sandbox).values()
    assert outcome == "written", why
    assert sorted(formulas(sandbox, ITEM)) == [r"p=\hbar k", "p=mv"]


@pytest.mark.parametrize("how", ["another", "changed"])
def test_a_formula_that_the_reviewer_did_not_see_sends_the_approval_back(
    workspace: Workspace, sandbox: Sandbox, how: str
) -> None:
    adds(sandbox, ITEM, "p=mv")
    approve(workspace, put_beside(workspace, sandbox, r"p=\hbar k"))
    if how == "another":
        adds(sandbox, ITEM, r"p=\frac{E}{c}")
    else:
        changes(sandbox, claims(sandbox, ITEM)[0]["id"], r"p=\gamma mv")
    ((outcome, why),) = write(workspace, sandbox).values()
    assert outcome == "refused"
    assert why.startswith("not as reviewed: ")
