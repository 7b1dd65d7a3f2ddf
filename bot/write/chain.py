"""The hash chain under the ledger: from the source sentence over decision, payload and GUID to the revision.

Rows of `edits` are closed and marked as undone; links are only ever appended, each in the transaction of the change it
tells of, and each holds the hash of the one before. Whoever changes a row, a decision or a link breaks the chain there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.records import digest
from bot.store import Workspace

links = store.chain
GENESIS = "0" * 64
_DECIDED = ("n", "proposal", "hash", "verdict", "references", "reason", "reviewer", "time", "tex")
SAID = ("proposal", "hash", "plan", "group", "qid", "guid", "decision", "reviewer", "revision_before", "time")


def append(db: sa.Connection, edit: int, event: str, record: dict[str, Any], time: str) -> None:
    """Add a link inside the transaction that changes the row."""
    previous = head(db)
    values = {"edit": edit, "event": event, "record": record, "time": time, "previous": previous}
    db.execute(links.insert().values(**values, hash=_hash(values)))


def head(db: sa.Connection) -> str:
    """Return the hash of the newest link."""
    row = db.execute(sa.select(links.c.hash).order_by(links.c.n.desc()).limit(1)).first()
    return row[0] if row else GENESIS


def length(workspace: Workspace) -> tuple[int, str]:
    """Return the number of links and the hash of the newest."""
    with workspace.engine.connect() as db:
        return int(db.execute(sa.select(sa.func.count()).select_from(links)).scalar_one()), head(db)


def place(workspace: Workspace, kept: str) -> int:
    """Return the number of the link whose hash (or its beginning) was kept elsewhere as head; -1 where there is none."""
    if GENESIS.startswith(kept):
        return 0
    found = workspace.rows(sa.select(links.c.n).where(links.c.hash.startswith(kept, autoescape=True)))
    return int(found[0]["n"]) if found else -1


def beginning(db: sa.Connection, row: dict[str, Any]) -> dict[str, Any]:
    """Return what the first link of an attempt binds: the source sentences, the decision, the payload, the GUID."""
    query = sa.select(store.decisions).where(store.decisions.c.n == row.get("decision", 0))
    decision = db.execute(query).mappings().first()
    return _bound(row, dict(decision) if decision else None)


def broken(workspace: Workspace) -> Iterator[tuple[int, str]]:
    """Yield (number of the edit, what does not fit) for all that differs from what the chain says."""
    rows = {row["n"]: row for row in workspace.rows(sa.select(store.edits))}
    decisions = {row["n"]: row for row in workspace.rows(sa.select(store.decisions))}
    chain = workspace.rows(sa.select(links).order_by(links.c.n))
    previous = GENESIS
    told: dict[int, dict[str, dict[str, Any]]] = {}
    for link in chain:
        if link["previous"] != previous:
            yield link["edit"], f"link {link['n']} does not follow the one before it: a link was removed or put in"
        elif link["hash"] != _hash(link):
            yield link["edit"], f"link {link['n']} was changed"
        previous = link["hash"]
        told.setdefault(link["edit"], {})[link["event"]] = link["record"]
    first = min(told, default=0)
    for n, row in rows.items():
        if n in told:
            yield from ((n, what) for what in _differences(row, told[n], decisions.get(row["decision"])))
        elif first and n > first:
            yield n, "has no link in the chain"
    yield from ((n, "is told of by the chain and is not in the ledger") for n in told if n not in rows)


def _differences(
    row: dict[str, Any], told: dict[str, dict[str, Any]], decision: dict[str, Any] | None
) -> Iterator[str]:
    began, now = told.get("begin", {}), _bound(row, decision)
    for name, word in (("sentence", "its source sentences"), ("said", "its decision"), ("payload", "its payload")):
        if began.get(name) != now[name]:
            yield f"{word} changed after it was sent"
    changed = [name for name in SAID if began.get(name) != now[name]]
    if changed:
        yield f"its {', '.join(changed)} changed after it was sent"
    ended = told.get("end", {"outcome": "pending", "revision": 0, "reason": ""})
    changed = [name for name in ended if ended[name] != row[name]]
    if changed:
        yield f"its {', '.join(changed)} changed after it was closed"
    if (row["undo"] or "") != told.get("undo", {}).get("undo", ""):
        yield "what it says of its undo is not what the chain says"


def _bound(row: dict[str, Any], decision: dict[str, Any] | None) -> dict[str, Any]:
    said = {name: decision[name] for name in _DECIDED} if decision else {}
    record = (decision or {}).get("record") or {}
    return {
        **{name: row.get(name) for name in SAID},
        "payload": digest(row.get("payload")),
        "said": digest(said, record),
        "sentence": digest(record.get("quotes") or []),
    }


def _hash(link: dict[str, Any]) -> str:
    return digest(*(link[name] for name in ("previous", "edit", "event", "record", "time")), length=64)
