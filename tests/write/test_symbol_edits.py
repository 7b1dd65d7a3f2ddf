"""A formula and the approved symbols of it: one edit with a row for each, never a symbol without its formula, taken back one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from rehearsal import (
    SETTINGS,
    Direct,
    Looks,
    Time,
    adds,
    approve,
    by_hand,
    claims,
    policy,
    put,
    put_symbol,
    removes,
    undo,
)

from bot.audit.edit_states import edit_state
from bot.lookup.entities import snak_value
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import Plan, apply, ledger, make_plan, verify
from bot.write.plan_report import diff_lines

ITEM, FORMULA = "Q41273", "p=mv"
MEANT = {"m": "Q11423", "v": "Q11465"}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill([{"qid": ITEM, "label": "momentum"}, *({"qid": qid} for qid in MEANT.values())])
        yield running


def approved(workspace: Workspace, *, formula: bool = True) -> None:
    if formula:
        approve(workspace, put(workspace, ITEM, FORMULA))
    for symbol, qid in MEANT.items():
        approve(workspace, put_symbol(workspace, symbol, qid))


def planned(workspace: Workspace, sandbox: Sandbox) -> Plan:
    return make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]


def carried_out(workspace: Workspace, sandbox: Sandbox, plan: Plan, before: Any = lambda call: None) -> list[str]:
    session, wiki_policy = Direct(sandbox, before), policy(workspace, sandbox, Time())
    done = apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    return [str(outcome) for _, outcome, _ in done]


def represented(sandbox: Sandbox) -> dict[str, list[str]]:
    """Return symbol -> items by the statements of the wiki, and prove that each is a math value with one item and a reference."""
    found: dict[str, list[str]] = {}
    entity = sandbox.entity(ITEM)
    assert entity is not None
    for statement in entity["claims"].get("P7235", []):
        assert statement["mainsnak"]["datatype"] == "math"
        assert statement["qualifiers-order"] == ["P9758"]
        assert len(statement["references"]) == 1
        meant = found.setdefault(statement["mainsnak"]["datavalue"]["value"], [])
        meant += [snak["datavalue"]["value"]["id"] for snak in statement["qualifiers"]["P9758"]]
    return found


def edits(sandbox: Sandbox) -> list[str]:
    return [row["comment"] for row in sandbox.history(ITEM) if row["user"] == "WikiBot"]


def test_a_formula_and_its_symbols_are_one_edit(workspace: Workspace, sandbox: Sandbox) -> None:
    approved(workspace)
    plan = planned(workspace, sandbox)
    assert [entry.kind for entry in plan.entries] == ["new_claim", "symbol", "symbol"]
    assert plan.number_of_edits == 1
    shown = [line for entry in plan.entries for line in diff_lines(entry) if "represents" in line]
    assert sorted(shown) == [f"  + in this formula {symbol} represents {qid}" for symbol, qid in MEANT.items()]
    assert carried_out(workspace, sandbox, plan) == ["written"] * 3
    assert represented(sandbox) == {"m": ["Q11423"], "v": ["Q11465"]}
    assert len(claims(sandbox, ITEM)) == 1
    (comment,) = edits(sandbox)
    assert "add formula with its source and what its symbols represent, approved by Ada" in comment
    rows = ledger.ledger_rows(workspace)
    assert len(rows) == 3
    assert len({row.revision for row in rows}) == 1
    assert len({row.guid for row in rows}) == 3
    assert not list(verify.workspace_discrepancies(workspace))
    assert carried_out(workspace, sandbox, plan) == ["written"] * 3
    assert len(edits(sandbox)) == 1
    assert planned(workspace, sandbox).entries == ()


def test_symbols_of_a_formula_that_stands_are_an_edit_of_their_own(workspace: Workspace, sandbox: Sandbox) -> None:
    adds(sandbox, ITEM, FORMULA)
    approved(workspace, formula=False)
    plan = planned(workspace, sandbox)
    assert plan.number_of_edits == 1
    assert carried_out(workspace, sandbox, plan) == ["written"] * 2
    assert represented(sandbox) == {"m": ["Q11423"], "v": ["Q11465"]}
    assert len(claims(sandbox, ITEM)) == 1
    assert len(edits(sandbox)) == 1


def test_a_symbol_waits_for_its_formula(workspace: Workspace, sandbox: Sandbox) -> None:
    approved(workspace, formula=False)
    adds(sandbox, ITEM, "p=mv^2")
    plan = planned(workspace, sandbox)
    assert (plan.entries, plan.refused) == ((), ())
    approve(
        workspace,
        put(workspace, ITEM, FORMULA, kind="new_claim"),
        tex="p=vm",
        edit_confirmed=True,
        references=("approve",),
    )
    assert [entry.kind for entry in planned(workspace, sandbox).entries] == []  # the item has another formula now


@pytest.mark.parametrize("who", ["removes it", "deprecates it"])
def test_no_symbol_is_written_once_its_formula_is_gone(workspace: Workspace, sandbox: Sandbox, who: str) -> None:
    guid = adds(sandbox, ITEM, FORMULA)
    approved(workspace, formula=False)
    plan = planned(workspace, sandbox)
    if who == "removes it":
        removes(sandbox, guid)
    else:
        by_hand(sandbox, action="wbsetclaim", claim=json.dumps({**claims(sandbox, ITEM)[0], "rank": "deprecated"}))
    assert carried_out(workspace, sandbox, plan) == ["refused"] * 2
    assert represented(sandbox) == {}
    assert edits(sandbox) == []
    assert {row.reason for row in ledger.ledger_rows(workspace)} == {
        "its formula is not on the item, and a symbol is never written without it"
    }


def test_symbols_go_alone_where_somebody_else_adds_the_formula_first(workspace: Workspace, sandbox: Sandbox) -> None:
    approved(workspace)
    plan = planned(workspace, sandbox)
    adds(sandbox, ITEM, FORMULA)
    assert carried_out(workspace, sandbox, plan) == ["written"] * 3
    assert len(claims(sandbox, ITEM)) == 1
    assert len(represented(sandbox)) == 2
    assert len(edits(sandbox)) == 2


def test_a_symbol_that_the_wiki_refuses_keeps_neither_the_formula_nor_the_others_back(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    approved(workspace)
    approve(workspace, put_symbol(workspace, "p", "Q999999"))  # an item that does not exist
    outcomes = carried_out(workspace, sandbox, planned(workspace, sandbox))
    assert sorted(outcomes) == ["refused", "written", "written", "written"]
    assert represented(sandbox) == {"m": ["Q11423"], "v": ["Q11465"]}
    assert len(claims(sandbox, ITEM)) == 1
    assert ledger.ledger_rows(workspace, outcome="pending") == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "refusal"),
    [("m", "the item says already what m represents"), ("M", "the item says already what M represents")],
)
def test_what_the_item_says_of_a_symbol_is_neither_doubled_nor_contradicted(
    workspace: Workspace, sandbox: Sandbox, value: str, refusal: str
) -> None:
    adds(sandbox, ITEM, FORMULA)
    qid = "Q11465" if value == "m" else "Q11423"
    claim = {
        "mainsnak": {"snaktype": "value", "property": "P7235", "datavalue": {"type": "string", "value": value}},
        "type": "statement",
        "rank": "normal",
    }
    meant = {
        "P9758": [
            {
                "snaktype": "value",
                "property": "P9758",
                "datavalue": {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": qid}},
            }
        ]
    }
    by_hand(sandbox, action="wbeditentity", id=ITEM, data=json.dumps({"claims": [{**claim, "qualifiers": meant}]}))
    approve(workspace, put_symbol(workspace, "m", "Q11423"))
    plan = planned(workspace, sandbox)
    assert plan.entries == ()
    assert str(plan.refused[0][1]).startswith(refusal)


class Killed(BaseException):
    """The end of the process."""


POINTS = ["the item is read", "a row is made", "all rows are made", "it is sent", "a row is closed"]


@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_the_next_run_ends_it(
    workspace: Workspace, sandbox: Sandbox, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    approved(workspace)
    plan = planned(workspace, sandbox)
    calls: list[str] = []

    def deadly(name: str, nth: int, original: Any) -> Any:
        def called(*args: Any, **kwargs: Any) -> Any:
            found = original(*args, **kwargs)
            calls.append(name)
            if calls.count(name) == nth:
                raise Killed
            return found

        return called

    with monkeypatch.context() as patched:
        where: dict[str, tuple[Any, str, int]] = {"the item is read": (Direct, "entity", 1), "a row is made": (ledger, "open_row", 2), "all rows are made": (ledger, "open_row", 3), "it is sent": (Direct, "add_claims", 1), "a row is closed": (ledger, "close_row", 2)}  # fmt: skip
        owner, name, nth = where[point]
        patched.setattr(owner, name, deadly(name, nth, getattr(owner, name)))
        with pytest.raises(Killed):
            carried_out(workspace, sandbox, plan)
    assert carried_out(workspace, sandbox, plan) == ["written"] * 3
    assert represented(sandbox) == {"m": ["Q11423"], "v": ["Q11465"]}
    assert len(claims(sandbox, ITEM)) == 1
    assert len(edits(sandbox)) == 1
    assert ledger.ledger_rows(workspace, outcome="pending") == []
    assert not list(verify.workspace_discrepancies(workspace))
    assert planned(workspace, sandbox).entries == ()


def test_what_came_beside_a_change_by_others_is_taken_back_symbol_by_symbol(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    approved(workspace)
    plan, done = planned(workspace, sandbox), []

    def other(call: str) -> None:
        if call == "add" and not done:
            done.append(adds(sandbox, ITEM, "p=0"))

    assert "refused" in carried_out(workspace, sandbox, plan, other)
    assert represented(sandbox) == {}
    assert [s["mainsnak"]["datavalue"]["value"] for s in claims(sandbox, ITEM)] == ["p=0"]


def test_undo_takes_symbols_back_one_by_one_and_with_their_formula(workspace: Workspace, sandbox: Sandbox) -> None:
    approved(workspace)
    carried_out(workspace, sandbox, planned(workspace, sandbox))
    session, wiki_policy = Direct(sandbox), policy(workspace, sandbox, Time())
    rows = {row.payload["mainsnak"]["datavalue"]["value"]: row.n for row in ledger.ledger_rows(workspace)}
    given: dict[str, Any] = {"session": session, "policy": wiki_policy}
    assert [str(result.state) for _, result in undo(workspace, sandbox.wiki, SETTINGS, edit=rows["m"], **given)] == [
        "undone"
    ]
    assert represented(sandbox) == {"v": ["Q11465"]}
    assert len(claims(sandbox, ITEM)) == 1
    assert [row.n for row, _ in undo(workspace, sandbox.wiki, SETTINGS, edit=rows[FORMULA], **given)] == [
        rows["v"],
        rows[FORMULA],
    ]
    assert represented(sandbox) == {}
    assert claims(sandbox, ITEM) == []


def test_an_audit_sees_when_a_symbol_represents_something_else(workspace: Workspace, sandbox: Sandbox) -> None:
    approved(workspace)
    carried_out(workspace, sandbox, planned(workspace, sandbox))
    row = next(row for row in ledger.ledger_rows(workspace) if snak_value(row.payload["mainsnak"]) == "m")
    entity = sandbox.entity(ITEM)
    assert entity is not None
    assert edit_state(row, entity).state == "present"
    statement = next(s for s in entity["claims"]["P7235"] if s["id"] == row.guid)
    statement["qualifiers"]["P9758"][0]["datavalue"]["value"] = {"entity-type": "item", "numeric-id": 1, "id": "Q1"}
    assert (edit_state(row, entity).state, edit_state(row, entity).instead) == ("changed", "–")
