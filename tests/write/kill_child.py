"""A writer that dies by SIGKILL at the n-th time it comes by a marked point. Run in a process of its own."""

from __future__ import annotations

import os
import signal
from typing import Any

# Every step of one edit, in order. `before` kills on the way in, `after` on the way out.
POINTS: dict[str, tuple[str, str, str]] = {
    "the turn is taken": ("bot.write.rate_limit.WriteSlot", "wait_for_gap", "after"),
    "the item is read": ("bot.write.session._PywikibotSession", "entity", "after"),
    "the ledger row is to be made": ("bot.write.ledger", "_insert", "before"),
    "in the transaction that makes it": ("bot.hashchain", "append", "before"),
    "the ledger row is made": ("bot.write.ledger", "_insert", "after"),
    "the turn is marked as sending": ("bot.write.rate_limit.WriteSlot", "_write", "after"),
    "the request is to be sent": ("bot.write.session._PywikibotSession", "_edit", "before"),
    "the answer has come": ("bot.write.session._PywikibotSession", "_edit", "after"),
    "the proof is made": ("bot.write.proof", "prove_edit", "after"),
    "the ledger row is to be closed": ("bot.write.ledger", "_update", "before"),
    "in the transaction that closes it": ("bot.hashchain", "head", "after"),
    "the ledger row is closed": ("bot.write.ledger", "_update", "after"),
}


def write_and_die(path: str, plan_id: str, wiki: Any, point: str, nth: int) -> None:
    """Carry out a plan; be killed at `point` the n-th time. An empty point: live."""
    from bot.settings import Settings
    from bot.store import Workspace
    from bot.write import apply, load_plan

    if point:
        _arm(point, nth)
    with Workspace.open(path) as workspace, workspace.lock("write"):
        plan = load_plan(workspace, plan_id)
        assert plan
        apply(workspace, plan, wiki, Settings())


def _arm(point: str, nth: int) -> None:
    where, name, side = POINTS[point]
    owner = _load(where)
    original, seen = getattr(owner, name), [0]

    def deadly(*args: Any, **kwargs: Any) -> Any:
        seen[0] += 1
        if side == "before" and seen[0] == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        found = original(*args, **kwargs)
        if side == "after" and seen[0] == nth:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(owner, name, deadly)


def _load(where: str) -> Any:
    import importlib

    try:
        return importlib.import_module(where)
    except ModuleNotFoundError:
        module, _, name = where.rpartition(".")
        return getattr(importlib.import_module(module), name)
