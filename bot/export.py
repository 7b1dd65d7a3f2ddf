"""Tables of the workspace as plain rows, with the field names that DESIGN gives to exports."""

from collections.abc import Iterator

import sqlalchemy as sa

from bot import store
from bot.records import as_json
from bot.store import Row, Workspace


def rows(workspace: Workspace, what: str) -> Iterator[Row]:
    """Yield the rows of one table, in a stable order."""
    if what == "occurrences":
        from bot.discover import all_occurrences

        yield from map(as_json, all_occurrences(workspace))
        return
    if what == "symbols":
        from bot.match.symbols.symbol_stage import read_symbols

        yield from map(dict, read_symbols(workspace))
        return
    if what == "representations":
        from bot.review.fcdb import representations

        yield from representations(workspace)
        return
    if what == "concepts":
        from bot.review.ranked_list import ranked_concepts

        yield from ranked_concepts(workspace)
        return
    if what == "findings":
        from bot.audit.known_findings import stored_findings

        yield from stored_findings(workspace)
        return
    table, order, record = _TABLES[what]
    for row in workspace.rows(sa.select(table).order_by(*(table.c[c] for c in order))):
        yield _edit(row) if what == "edits" else {**row.pop("record"), **row} if record else _match(row)


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
