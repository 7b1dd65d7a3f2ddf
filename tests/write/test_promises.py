"""Ways to break a promise that no other test takes: copies of the workspace, races, clocks, answers that are not true."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
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
    formulas,
    policy,
    put,
    put_symbol,
    removes,
    removes_sources,
    undo,
)

from bot import store
from bot.errors import AlreadyWritten, WriteStopped
from bot.messages import Message
from bot.records import Decision, EditOutcome, UndoState
from bot.review import decide, remove_reviewer
from bot.sandbox import Sandbox
from bot.settings import Properties
from bot.store import Workspace
from bot.write import Plan, apply, ledger, load_plan, make_plan, plans, unfinished_plan
from bot.write.pause import pause_writing
from bot.write.wiki_protocol import AccountStatus

ITEM, OTHER, TEX = "Q41273", "Q11379", "p=mv"


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        made.fill([{"qid": ITEM, "label": "momentum"}, {"qid": OTHER, "label": "energy"}])
        yield made


def write(workspace: Workspace, sandbox: Sandbox, plan: Plan | None = None, session: Any = None) -> list[str]:
    """Plan where no plan is given, carry it out, and return outcome and reason of each entry and of what was refused before."""
    plan = plan or make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki_policy, session = policy(workspace, sandbox, Time()), session or Direct(sandbox)
    done = apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    return [f"{outcome}: {reason}" for _, outcome, reason in done] + [str(why) for _, why in plan.refused]


# What people removed is never added again


def _claim(workspace: Workspace, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, ITEM, TEX))


def _source(workspace: Workspace, sandbox: Sandbox) -> None:
    statement = adds(sandbox, ITEM, TEX)
    approve(workspace, put(workspace, ITEM, TEX, kind="add_reference", statement=statement))


def _symbol(workspace: Workspace, sandbox: Sandbox) -> None:
    adds(sandbox, ITEM, TEX)
    approve(workspace, put_symbol(workspace, "m", OTHER))


@pytest.mark.parametrize("approved", [_claim, _source, _symbol])
def test_a_copy_of_the_workspace_from_before_an_edit_does_not_make_it_again(
    tmp_path: Path, sandbox: Sandbox, approved: Callable[[Workspace, Sandbox], None]
) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        approved(workspace, sandbox)
    shutil.copytree(tmp_path / "w", tmp_path / "copy")
    with Workspace.open(tmp_path / "w") as workspace:
        assert write(workspace, sandbox) == ["written: "]
        (row,) = ledger.ledger_rows(workspace)
    if approved is _source:
        removes_sources(sandbox, claims(sandbox, ITEM)[0])
    else:
        removes(sandbox, row.guid)
    left = sandbox.entity(ITEM)
    with Workspace.open(tmp_path / "copy") as workspace:
        (outcome,) = write(workspace, sandbox)
    assert outcome == "refused: somebody has added this since it was proposed, and it was removed again"
    assert sandbox.entity(ITEM) == left


def test_a_formula_that_came_and_went_between_proposal_and_plan_is_left_alone(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    _claim(workspace, sandbox)
    removes(sandbox, adds(sandbox, ITEM, TEX))
    assert write(workspace, sandbox)[0].endswith("and it was removed again")
    assert formulas(sandbox, ITEM) == []


@pytest.mark.parametrize("approved", [_claim, _source])
def test_what_was_undone_can_be_approved_and_written_again(
    workspace: Workspace, sandbox: Sandbox, approved: Callable[[Workspace, Sandbox], None]
) -> None:
    approved(workspace, sandbox)
    assert write(workspace, sandbox) == ["written: "]
    ((row, result),) = undo(
        workspace, sandbox.wiki, SETTINGS, Direct(sandbox), policy(workspace, sandbox, Time()), item=ITEM
    )
    assert result.state is UndoState.UNDONE
    (made,) = workspace.rows(store.proposals.select().where(store.proposals.c.id == row.proposal))
    decide(workspace, Decision(made["id"], made["hash"], "approve", reviewer="Ada"))
    assert write(workspace, sandbox) == ["written: "]


# A decision that is taken back while the item is being read


class Meanwhile(Direct):
    """A session in which somebody does something while the account's status is asked for, the last request before sending."""

    def __init__(self, sandbox: Sandbox, action: Callable[[], object]) -> None:
        super().__init__(sandbox)
        self.action = action

    def account_status(self, pages: tuple[str, ...]) -> AccountStatus:
        self.action()
        return super().account_status(pages)


def test_a_withdrawal_that_was_recorded_before_sending_holds(workspace: Workspace, sandbox: Sandbox) -> None:
    made = put(workspace, ITEM, TEX)
    approve(workspace, made)
    session = Meanwhile(sandbox, lambda: decide(workspace, Decision(made.id, made.hash, "withdraw", reviewer="Ada")))
    assert write(workspace, sandbox, session=session) == ["refused: is not approved any more"]
    assert formulas(sandbox, ITEM) == []


def test_a_symbol_that_is_withdrawn_before_sending_does_not_go_along(workspace: Workspace, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, ITEM, TEX))
    symbol = put_symbol(workspace, "m", OTHER)
    approve(workspace, symbol)
    session = Meanwhile(sandbox, lambda: None)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    opened = ledger.open_row

    def open_row(*args: Any, **values: Any) -> int:
        n = opened(*args, **values)
        if values["decision"] == 1:
            decide(workspace, Decision(symbol.id, symbol.hash, "withdraw", reviewer="Ada"))
        return n

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "open_row", open_row)
        assert write(workspace, sandbox, plan, session) == ["written: ", "refused: is not approved any more"]
    assert [*(sandbox.entity(ITEM) or {})["claims"]] == ["P2534"]


def test_a_withdrawal_after_the_row_is_made_is_refused(workspace: Workspace, sandbox: Sandbox) -> None:
    made = put(workspace, ITEM, TEX)
    approve(workspace, made)

    def before(call: str) -> None:
        if call == "add":
            with pytest.raises(AlreadyWritten):
                decide(workspace, Decision(made.id, made.hash, "withdraw", reviewer="Ada"))

    assert write(workspace, sandbox, session=Direct(sandbox, before)) == ["written: "]


def test_a_pause_during_the_last_request_before_sending_holds(workspace: Workspace, sandbox: Sandbox) -> None:
    _claim(workspace, sandbox)
    session = Meanwhile(sandbox, lambda: pause_writing(workspace, Message("told.paused"), by="Ada"))
    with pytest.raises(WriteStopped, match="paused"):
        write(workspace, sandbox, session=session)
    assert formulas(sandbox, ITEM) == []


def test_a_plan_of_another_version_does_not_prevent_a_new_one(workspace: Workspace, sandbox: Sandbox) -> None:
    _claim(workspace, sandbox)
    assert write(workspace, sandbox) == ["written: "]
    (row,) = workspace.rows(store.plans.select())
    row["record"]["entries"][0]["newer"] = 1
    workspace.change(store.plans.update().values(record=row["record"]))
    approve(workspace, put(workspace, OTHER, "E=mc^2"))
    assert write(workspace, sandbox) == ["written: "]


# The machine's clock


def test_the_newest_plan_is_the_last_one_made_whatever_the_clock_said(
    workspace: Workspace, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ahead(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(2031, 1, 1, tzinfo=UTC)

    _claim(workspace, sandbox)
    with monkeypatch.context() as patch:
        patch.setattr(plans, "datetime", Ahead)
        assert write(workspace, sandbox) == ["written: "]
    approve(workspace, put(workspace, OTHER, "E=mc^2"))
    second = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    newest = load_plan(workspace)
    assert newest is not None
    assert newest.id == second.id
    assert unfinished_plan(workspace, sandbox.wiki) is not None
    assert write(workspace, sandbox, newest) == ["written: "]


# Answers that are not true


def test_an_answer_of_success_to_what_was_not_saved_is_no_written_edit(workspace: Workspace, sandbox: Sandbox) -> None:
    class Liar(Direct):
        def _ask(self, call: str, **parameters: Any) -> Any:
            return {"success": 1} if call == "add" else super()._ask(call, **parameters)

    _claim(workspace, sandbox)
    with pytest.raises(WriteStopped, match="saved nothing"):
        write(workspace, sandbox, session=Liar(sandbox))
    assert [row.outcome for row in ledger.ledger_rows(workspace)] == [EditOutcome.PENDING]
    assert write(workspace, sandbox, load_plan(workspace)) == ["written: "]
    assert formulas(sandbox, ITEM) == [TEX]


# A run that was killed after the wiki had saved


class KilledError(Exception):
    """Stands for SIGKILL."""


class Killed(Direct):
    def _edit(self, call: str, **parameters: Any) -> int:
        super()._edit(call, **parameters)
        raise KilledError


@pytest.fixture
def killed(workspace: Workspace, sandbox: Sandbox) -> Plan:
    """Return the plan of a run that was killed after its one edit was saved."""
    _claim(workspace, sandbox)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    with pytest.raises(KilledError):
        write(workspace, sandbox, plan, Killed(sandbox))
    return plan


def test_what_was_saved_is_written_whatever_was_decided_since(
    workspace: Workspace, sandbox: Sandbox, killed: Plan
) -> None:
    remove_reviewer(workspace, "Ada")
    assert write(workspace, sandbox, killed) == ["written: found on the item"]


def test_what_was_not_saved_is_refused_where_the_decision_does_not_count_any_more(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    class Before(Direct):
        def _edit(self, call: str, **parameters: Any) -> int:
            raise KilledError

    _claim(workspace, sandbox)
    with pytest.raises(KilledError):
        write(workspace, sandbox, session=Before(sandbox))
    remove_reviewer(workspace, "Ada")
    assert write(workspace, sandbox, load_plan(workspace)) == ["refused: is not approved any more"]
    assert formulas(sandbox, ITEM) == []


def test_undo_finds_the_edit_of_a_killed_run(workspace: Workspace, sandbox: Sandbox, killed: Plan) -> None:
    wiki_policy = policy(workspace, sandbox, Time())
    ((_, result),) = undo(workspace, sandbox.wiki, SETTINGS, Direct(sandbox), wiki_policy, group=killed.group)
    assert result.state is UndoState.UNDONE
    assert formulas(sandbox, ITEM) == []


def test_a_refusal_of_an_older_plan_is_not_one_of_a_later_approval(
    workspace: Workspace, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = put(workspace, ITEM, TEX)
    approve(workspace, made)
    another = adds(sandbox, ITEM, "a=b")
    older = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    assert len(older.refused) == 1
    removes(sandbox, another)
    monkeypatch.setattr(sys.modules["bot.review.decide"], "now", lambda: "2998-01-01T00:00:00Z")
    decide(workspace, Decision(made.id, made.hash, "withdraw", reviewer="Ada"))
    approve(workspace, made)
    newer = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    write(workspace, sandbox, older)
    assert write(workspace, sandbox, newer) == ["written: "]


# Undo takes back what is ours alone


def test_a_row_of_the_ledger_that_was_changed_by_hand_undoes_nothing(workspace: Workspace, sandbox: Sandbox) -> None:
    theirs = adds(sandbox, OTHER, "E=mc^2")
    named = {"qid": OTHER, "guid": theirs, "payload": claims(sandbox, OTHER)[0]}
    _claim(workspace, sandbox)
    assert write(workspace, sandbox) == ["written: "]
    row = {"group": "g", "decision": 1, "reviewer": "Ada", "revision": 1, "outcome": "written", "time": "2026-11-20"}
    workspace.change(store.edits.insert().values(**named, **row))
    workspace.change(store.edits.update().values(**named).where(store.edits.c.n == 1))
    for _, result in undo(workspace, sandbox.wiki, SETTINGS, Direct(sandbox), policy(workspace, sandbox, Time()), item=OTHER):  # fmt: skip
        assert result.state is UndoState.KEPT
    assert formulas(sandbox, OTHER) == ["E=mc^2"]


def test_undo_works_where_only_the_decision_was_changed_by_hand(workspace: Workspace, sandbox: Sandbox) -> None:
    _claim(workspace, sandbox)
    assert write(workspace, sandbox) == ["written: "]
    workspace.change(store.decisions.update().values(reviewer="Ben"))
    undo(workspace, sandbox.wiki, SETTINGS, Direct(sandbox), policy(workspace, sandbox, Time()), item=ITEM)
    assert formulas(sandbox, ITEM) == []


# Settings that were changed between plan and writing


def test_a_plan_for_another_property_than_that_of_the_settings_is_not_sent(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    _claim(workspace, sandbox)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki = dataclasses.replace(sandbox.wiki, properties=Properties(defining_formula="P7973"))
    session, wiki_policy = Direct(sandbox), policy(workspace, sandbox, Time())
    ((_, outcome, why),) = apply(workspace, plan, wiki, SETTINGS, session=session, policy=wiki_policy)
    assert (outcome, why) == ("refused", "it was approved for P2534, and the settings name another property since")
    assert formulas(sandbox, ITEM) == []


# What an item has become


def test_an_item_that_became_a_disambiguation_page_goes_back_to_review(workspace: Workspace, sandbox: Sandbox) -> None:
    sandbox.fill([{"qid": "Q4167410", "label": "disambiguation page"}])
    _claim(workspace, sandbox)
    value = json.dumps({"entity-type": "item", "numeric-id": 4167410})
    by_hand(sandbox, action="wbcreateclaim", entity=ITEM, property="P31", snaktype="value", value=value)
    assert write(workspace, sandbox) == ["the item is a disambiguation page"]


# Power cuts


def test_what_was_committed_survives_a_power_cut(workspace: Workspace) -> None:
    with workspace.engine.connect() as db:
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
