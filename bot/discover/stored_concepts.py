"""Documents and formula concepts as a workspace has them."""

from collections.abc import Collection, Iterator, Sequence

import sqlalchemy as sa

from bot import store
from bot.records import Document, FormulaConcept
from bot.sequences import batched
from bot.store import Workspace, to_record

_LOADED = 500  # rows read at once; SQLite's older limit of a statement is 999 values


def load_documents(workspace: Workspace) -> dict[str, Document]:
    """Return the workspace's documents by id."""
    rows = workspace.rows(sa.select(store.documents))
    return {row["id"]: to_record(Document, row, f"documents {row['id']}") for row in rows}


def load_concepts(
    workspace: Workspace, keys: Sequence[str] | None = None, without: Collection[str] = ()
) -> Iterator[FormulaConcept]:
    """Yield the concepts of the workspace, those in most documents first; with `keys` these, in their order.

    The fields named in `without` are not read: names are most of a concept.
    """
    table = store.concepts
    if keys is None:
        order = sa.select(table.c.key).order_by(table.c.documents.desc(), table.c.occurrences.desc(), table.c.key)
        keys = [row["key"] for row in workspace.rows(order)]
    columns = [column for column in table.c if column.name not in without]
    for block in batched(keys, _LOADED):
        rows = {row["key"]: row for row in workspace.rows(sa.select(*columns).where(table.c.key.in_(block)))}
        for key in block:
            yield to_record(FormulaConcept, rows[key], f"concepts {key}")
