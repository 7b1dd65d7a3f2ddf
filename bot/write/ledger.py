"""The ledger: one row for each attempt, made before anything is sent and closed once with its outcome.

Every change of a row appends a link to the hash chain, in the same transaction.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa

from bot import hashchain as chain
from bot import store
from bot.messages import Message, Value, to_json, uncoded_message
from bot.records import Edit, EditOutcome, UndoState
from bot.store import Row, Workspace, now, to_record
from bot.wikibase import Json
from bot.write import item_state

FINAL = (EditOutcome.WRITTEN, EditOutcome.ALREADY_THERE, EditOutcome.REFUSED)  # an entry with one of these is done
OUTCOMES = (*FINAL, EditOutcome.FAILED)
Reason: TypeAlias = Message | str


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The result of undoing an edit."""

    state: UndoState
    why: Message | None = None  # it was kept, or could not be undone
    revision: int = 0  # that undid the edit, or restored another editor's version

    @property
    def message(self) -> Message:
        """Return its message."""
        values: dict[str, Value] = {"why": self.why} if self.why else {}
        if self.revision and self.why:
            return Message(f"undo.{self.state}.in_revision", revision=self.revision, **values)
        if self.revision:
            values["revision"] = self.revision
        return Message(f"undo.{self.state}", **values)

    def is_recorded_in(self, row: Edit) -> bool:
        """Say whether a row of the ledger says so already."""
        same = (self.state, self.revision) == (row.undo_state, row.undo_revision)
        return same and (self.state is UndoState.UNDONE or to_json(self.message) == row.undo_message)


def open_row(workspace: Workspace, check: Callable[[], None] = lambda: None, **values: object) -> int:
    """Store GUID and payload of an attempt before it is sent; return its number.

    `check` may refuse by raising, while no decision and no change of people or rules can come in.
    """
    row = {"outcome": EditOutcome.PENDING, "revision": 0, "reason": "", "time": now(), **values}
    return _insert(workspace, row, check)


def add_closed_row(
    workspace: Workspace, outcome: EditOutcome, *, revision: int = 0, reason: Reason = "", **values: object
) -> int:
    """Store an attempt that ended before anything was sent; return its number."""
    return _insert(workspace, {"time": now(), **values, **_closing_values(outcome, revision, reason)})


def close_row(workspace: Workspace, n: int, outcome: EditOutcome, *, revision: int = 0, reason: Reason = "") -> None:
    """Say how attempt `n` ended."""
    _update(workspace, n, _closing_values(outcome, revision, reason), "end")


def close_sent_attempts(workspace: Workspace, read: Callable[[list[str]], Mapping[str, Json]]) -> None:
    """Close the attempts of a run that was killed after sending: what they name is on the item. `read` returns the entities that can be read."""
    rows = ledger_rows(workspace, outcome=EditOutcome.PENDING)
    entities = read(sorted({row.qid for row in rows})) if rows else {}
    for row in rows:
        entity = entities.get(row.qid) or {}
        if item_state.contains(entity, row.guid, row.payload):
            reason = Message("ended.found")
            close_row(workspace, row.n, EditOutcome.WRITTEN, revision=entity["lastrevid"], reason=reason)


def record_undo(workspace: Workspace, n: int, result: UndoResult) -> None:
    """Record the result of undoing edit `n`."""
    texts = {"undo": str(result.message), "undo_message": to_json(result.message)}
    values = {**texts, "undo_state": result.state, "undo_revision": result.revision}
    _update(workspace, n, values, "undo")


def begin_undo(workspace: Workspace, n: int, revision_before: int, group: str) -> None:
    """Note that the undo of edit `n` is about to be sent; the row itself says nothing of it yet."""
    with workspace.engine.begin() as db:
        chain.lock(db)
        chain.append(db, n, "undoing", {"revision_before": revision_before, "group": group}, now())


def undo_attempts(workspace: Workspace, n: int) -> list[Row]:
    """Return what was noted before each sending of an undo of edit `n`: revision_before and group."""
    links = chain.links.c
    query = sa.select(links.record).where(links.edit == n, links.event == "undoing").order_by(links.n)
    return [row["record"] for row in workspace.rows(query)]


def ledger_rows(
    workspace: Workspace, *, decision: int = 0, outcome: EditOutcome | None = None, item: str = ""
) -> list[Edit]:
    """Return ledger rows in order, of one decision, one item or with one outcome where given."""
    edits = store.edits
    query = sa.select(edits).order_by(edits.c.n)
    query = query.where(edits.c.decision == decision) if decision else query
    query = query.where(edits.c.qid == item) if item else query
    query = query.where(edits.c.outcome == outcome) if outcome else query
    return rows_of_query(workspace, query)


def rows_of_query(workspace: Workspace, query: sa.Select[Any]) -> list[Edit]:
    """Return the rows of a query of the ledger."""
    return [to_record(Edit, row, f"edits {row['n']}") for row in workspace.rows(query)]


def _closing_values(outcome: EditOutcome, revision: int, reason: Reason) -> Row:
    """Return how an attempt ended as a row keeps it: the English sentence for exports, and its code with values."""
    message = uncoded_message(reason) if isinstance(reason, str) else reason
    text = str(message)
    return {"outcome": outcome, "revision": revision, "reason": text, "message": to_json(message) if text else None}


def _insert(workspace: Workspace, row: Row, check: Callable[[], None] = lambda: None) -> int:
    with workspace.engine.begin() as db:
        chain.lock(db)
        check()
        key = db.execute(store.edits.insert().values(**row)).inserted_primary_key
        n = int(key[0]) if key else 0
        chain.append(db, n, "begin", chain.opening_record(db, row), row["time"])
        if row["outcome"] != EditOutcome.PENDING:
            ended = {name: row[name] for name in ("outcome", "revision", "reason", "message")}
            chain.append(db, n, "end", ended, row["time"])
    return n


def _update(workspace: Workspace, n: int, values: Row, event: str) -> None:
    with workspace.engine.begin() as db:
        chain.lock(db)
        db.execute(store.edits.update().where(store.edits.c.n == n).values(**values))
        chain.append(db, n, event, values, now())
