"""Tables of the workspace as plain rows, with the field names of exports."""

from collections.abc import Iterator
from importlib import import_module

import sqlalchemy as sa

from bot import store
from bot.records import as_json
from bot.store import Row, Workspace


def rows(workspace: Workspace, what: str) -> Iterator[Row]:
    """Yield the rows of one table, in a stable order."""
    if what in _READERS:
        module, name = _READERS[what]
        yield from map(as_json, getattr(import_module(module), name)(workspace))
        return
    table, order, record = _TABLES[what]
    for row in workspace.rows(sa.select(table).order_by(*(table.c[c] for c in order))):
        yield _edit(row) if what == "edits" else {**row.pop("record"), **row} if record else _match(row)


_READERS = {  # module and function, loaded when they are needed
    "occurrences": ("bot.discover", "all_occurrences"),
    "symbols": ("bot.match.symbols.symbol_stage", "read_symbols"),
    "representations": ("bot.review.fcdb", "representations"),
    "concepts": ("bot.review.ranked_list", "ranked_concepts"),
    "findings": ("bot.audit.known_findings", "stored_findings"),
}
_TABLES: dict[str, tuple[sa.Table, tuple[str, ...], bool]] = {
    "matches": (store.matches, ("concept", "qid"), False),
    "proposals": (store.proposals, ("id",), True),
    "decisions": (store.decisions, ("n",), False),
    "edits": (store.edits, ("n",), False),
}


def _edit(row: Row) -> Row:
    row.pop("message")  # exports have its sentence as the reason
    return {**row, "edit": row["n"]}


def _match(row: Row) -> Row:
    row.pop("record", None)
    return row
