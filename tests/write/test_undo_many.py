"""Undo of a run that others have touched: what is ours is taken back, the rest is shown; stopped, it goes on."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from rehearsal import (
    SETTINGS,
    Direct,
    Looks,
    Time,
    approve_all,
    changes,
    claims,
    in_a_process,
    policy,
    removes,
    rows,
    undo,
)

from bot import hashchain as chain
from bot.errors import InputError, WriteStopped
from bot.records import UndoState
from bot.sandbox import Sandbox
from bot.settings import environment
from bot.store import Workspace
from bot.write import apply, item_state, ledger, make_plan
from bot.write.undo import EditSelection, Undoer

LONG = environment("LONG")
COUNT, TOUCHED = (200, 20) if LONG else (24, 4)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(rows(COUNT))
        yield running


@pytest.fixture
def before(sandbox: Sandbox) -> dict[str, Any]:
    return {qid: item_state.fingerprint(sandbox.entity(qid) or {}) for qid in _qids()}


def _qids() -> list[str]:
    return [row["qid"] for row in rows(COUNT)]


def written(workspace: Workspace, sandbox: Sandbox, session: Any = None) -> str:
    """Write one edit on each item; return the edit group."""
    approve_all(workspace, sandbox, COUNT)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki_policy = policy(workspace, sandbox, Time())
    outcomes = apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    assert Counter(o for _, o, _ in outcomes) == {"written": COUNT}
    return plan.group


def touched(sandbox: Sandbox) -> list[str]:
    """Somebody changes or removes what we wrote on every tenth item."""
    qids = _qids()[:: COUNT // TOUCHED]
    for n, qid in enumerate(qids):
        (statement,) = claims(sandbox, qid)
        changes(sandbox, statement["id"], f"c_{{{n}}}=d") if n % 2 else removes(sandbox, statement["id"])
    return qids


def test_what_others_touched_is_shown_and_the_rest_is_taken_back(
    workspace: Workspace, sandbox: Sandbox, before: dict[str, Any]
) -> None:
    group = written(workspace, sandbox)
    qids = touched(sandbox)
    kept = {qid: item_state.fingerprint(sandbox.entity(qid) or {}) for qid in qids}
    done = undo(workspace, sandbox.wiki, SETTINGS, group=group)
    counts = Counter(result.state for _, result in done)
    assert counts == {"undone": COUNT - TOUCHED, "kept": TOUCHED}
    assert {row.qid for row, result in done if result.state is UndoState.KEPT} == set(qids)
    for qid in _qids():
        assert item_state.fingerprint(sandbox.entity(qid) or {}) == kept.get(qid, before[qid])
    again = undo(workspace, sandbox.wiki, SETTINGS, group=group)
    assert [str(result.message) for _, result in again] == [str(result.message) for _, result in done]
    assert list(chain.edit_discrepancies(workspace)) == []


def test_a_stopped_undo_goes_on(workspace: Workspace, sandbox: Sandbox, before: dict[str, Any]) -> None:
    group = written(workspace, sandbox, Direct(sandbox))
    calls = iter(range(10**6))

    def wiki_breaks(call: str) -> None:
        if call == "remove" and next(calls) == 7:
            sandbox.block("WikiBot")

    wiki_policy = policy(workspace, sandbox, Time())
    with pytest.raises(WriteStopped, match="blocked"):
        undo(workspace, sandbox.wiki, SETTINGS, group=group, session=Direct(sandbox, wiki_breaks), policy=wiki_policy)
    assert sum(r.undone for r in ledger.ledger_rows(workspace)) == 7
    sandbox.unblock("WikiBot")
    undo(workspace, sandbox.wiki, SETTINGS, group=group, session=Direct(sandbox), policy=wiki_policy)
    assert all(r.undone for r in ledger.ledger_rows(workspace))
    assert {qid: item_state.fingerprint(sandbox.entity(qid) or {}) for qid in _qids()} == before


def _undo_and_die(path: str, wiki: Any, group: str, point: str, nth: int) -> None:
    import os

    from bot.write import ledger as module
    from bot.write import session

    owner, name = (session._PywikibotSession, "_edit") if point == "sent" else (module, point)
    original, seen = getattr(owner, name), [0]

    def deadly(*args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)
        seen[0] += 1
        if seen[0] == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(owner, name, deadly)
    with Workspace.open(path) as workspace:
        undo(workspace, wiki, SETTINGS, group=group)


@pytest.mark.parametrize("point", ["begin_undo", "sent", "record_undo"] if LONG else ["sent"])
def test_a_killed_undo_knows_its_own_edits_again(
    workspace: Workspace, sandbox: Sandbox, before: dict[str, Any], point: str
) -> None:
    group = written(workspace, sandbox, Direct(sandbox))
    assert in_a_process(_undo_and_die, str(workspace.path), sandbox.wiki, group, point, 5) == -signal.SIGKILL
    undo(workspace, sandbox.wiki, SETTINGS, group=group)
    rows_ = ledger.ledger_rows(workspace)
    assert all(row.undo.startswith("undone in revision") for row in rows_)
    assert len({row.undo for row in rows_}) == COUNT
    assert {qid: item_state.fingerprint(sandbox.entity(qid) or {}) for qid in _qids()} == before
    assert list(chain.edit_discrepancies(workspace)) == []


def test_an_undo_is_planned_by_any_filter_and_a_plan_sends_nothing(workspace: Workspace, sandbox: Sandbox) -> None:
    written(workspace, sandbox, Direct(sandbox))
    edits = len(sandbox.history("Q1000"))
    taker = Undoer(workspace, sandbox.wiki, SETTINGS, session=Direct(sandbox))
    for which in (
        EditSelection(reviewer="Ada"),
        EditSelection(since="2026"),
        EditSelection(until="2999"),
        EditSelection(reviewer="Ada", since="2026"),
    ):
        assert len(taker.plan(which).open) == COUNT
    assert len(taker.plan(EditSelection(item="Q1000", reviewer="Ada")).open) == 1
    assert {str(result.message) for _, result in taker.plan(EditSelection(edit=1)).entries} == {"would be undone"}
    for word in ("yesterday", "20/11/2026", "2026-11-20 12:00"):
        with pytest.raises(InputError, match="is not a time"):
            taker.plan(EditSelection(until=word))
    assert len(sandbox.history("Q1000")) == edits
