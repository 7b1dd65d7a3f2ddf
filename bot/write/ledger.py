"""The ledger: one row for each attempt, made before anything is sent and closed once with its outcome."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bot import store
from bot.store import Workspace, now

OPEN = "pending"
OUTCOMES = ("pending", "written", "already_there", "refused", "failed")


def begin(workspace: Workspace, **values: Any) -> int:
    """Store GUID and payload of an attempt before it is sent; return its number."""
    row = {"outcome": OPEN, "revision": 0, "reason": "", "undo": "", "time": now(), **values}
    with workspace.engine.begin() as db:
        key = db.execute(store.edits.insert().values(**row)).inserted_primary_key
    return int(key[0]) if key else 0


def close(workspace: Workspace, n: int, outcome: str, *, revision: int = 0, reason: str = "") -> None:
    """Say how attempt `n` ended."""
    values = {"outcome": outcome, "revision": revision, "reason": reason}
    with workspace.engine.begin() as db:
        db.execute(store.edits.update().where(store.edits.c.n == n).values(**values))


def record_undo(workspace: Workspace, n: int, what: str) -> None:
    """Note what became of the undo of edit `n`."""
    with workspace.engine.begin() as db:
        db.execute(store.edits.update().where(store.edits.c.n == n).values(undo=what))


def attempts(workspace: Workspace, *, decision: int = 0, outcome: str = "") -> list[dict[str, Any]]:
    """Return ledger rows in order, of one decision or with one outcome where given."""
    edits = store.edits
    query = sa.select(edits).order_by(edits.c.n)
    query = query.where(edits.c.decision == decision) if decision else query
    query = query.where(edits.c.outcome == outcome) if outcome else query
    return workspace.rows(query)
