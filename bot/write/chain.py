"""The hash chain under the ledger: from the source sentence over decision, payload and GUID to the revision.

Rows of `edits` are closed and marked as undone; links are only ever appended, each in the transaction of the change it
tells of, and each holds the hash of the one before. Whoever changes a row, a decision or a link breaks the chain there.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from bot import store
from bot.hashchain import (
    GENESIS,
    append,
    broken_links,
    earlier_edits,
    head,
    length,
    links,
    place,
    record_of_link,
    undo_of_text,
)
from bot.messages import Message
from bot.records import EditOutcome, digest
from bot.store import Row, Workspace

__all__ = ["GENESIS", "append", "beginning", "broken", "head", "length", "links", "place"]
_DECIDED = ("n", "proposal", "hash", "verdict", "references", "reason", "reviewer", "time", "tex")
BOUND = ("proposal", "hash", "plan", "group", "qid", "guid", "decision", "reviewer", "revision_before", "time")


def beginning(db: sa.Connection, row: Row) -> Row:
    """Return what the first link of an attempt binds: the source sentences, the decision, the payload, the GUID."""
    query = sa.select(store.decisions).where(store.decisions.c.n == row.get("decision", 0))
    decision = db.execute(query).mappings().first()
    return _bound(row, dict(decision) if decision else None)


def broken(workspace: Workspace) -> Iterator[tuple[int, Message]]:
    """Yield (number of the edit, what does not fit) for all that differs from what the chain says."""
    rows = {row["n"]: row for row in workspace.rows(sa.select(store.edits))}
    decisions = {row["n"]: row for row in workspace.rows(sa.select(store.decisions))}
    told: dict[int, dict[str, Row]] = {}
    for link in workspace.rows(sa.select(links).where(links.c.edit != 0).order_by(links.c.n)):
        told.setdefault(link["edit"], {})[link["event"]] = record_of_link(link)
    yield from ((link["edit"], what) for link, what in broken_links(workspace))
    first, earlier = min(told, default=0), earlier_edits(workspace)
    for n, row in rows.items():
        if n in told:
            yield from ((n, what) for what in _differences(row, told[n], decisions.get(row["decision"])))
        elif n > earlier if earlier is not None else first and n > first:
            yield n, Message("discrepancy.no_link")
        elif not _is_undo(row, {"undo": row["undo"] or ""}):
            yield n, Message("discrepancy.undo_of_itself")
    yield from ((n, Message("discrepancy.not_in_ledger")) for n in told if n not in rows)


def _differences(row: Row, told: dict[str, Row], decision: Row | None) -> Iterator[Message]:
    began, now = told.get("begin", {}), _bound(row, decision)
    for name in ("sentence", "said", "payload"):
        if began.get(name) != now[name]:
            yield Message(f"discrepancy.changed.{name}")
    changed = [name for name in BOUND if began.get(name) != now[name]]
    if changed:
        yield Message("discrepancy.changed_after_sending", code_names=", ".join(changed))
    # A link of before there were codes says nothing of them, and its row has none.
    ended = {"message": None} | told.get("end", {"outcome": EditOutcome.PENDING, "revision": 0, "reason": ""})
    changed = [name for name in ended if ended[name] != row.get(name)]
    if changed:
        yield Message("discrepancy.changed_after_closing", code_names=", ".join(changed))
    if not _is_undo(row, told.get("undo", {"undo": ""})):
        yield Message("discrepancy.undo_of_chain")


def _is_undo(row: Row, told: Row) -> bool:
    """Say whether a row has the undo that a link tells; of an older link the codes are those of its text."""
    text = str(told.get("undo") or "")
    wanted = {"undo_message": None} | undo_of_text(text) | told | {"undo": text}
    return all((row[name] or "") == (value or "") for name, value in wanted.items() if name in row)


def _bound(row: Row, decision: Row | None) -> Row:
    of_decision = {name: decision[name] for name in _DECIDED} if decision else {}
    record = (decision or {}).get("record") or {}
    quotes = record.get("quotes") if isinstance(record, dict) else []
    return {
        **{name: row.get(name) for name in BOUND},
        "payload": digest(row.get("payload")),
        "said": digest(of_decision, record),
        "sentence": digest(quotes or []),
    }
