"""The day on which each document was first read into the workspace: what a reference to it states as `retrieved`."""

from __future__ import annotations

from datetime import date

import sqlalchemy as sa

from bot import store
from bot.store import Workspace


def note_new(workspace: Workspace, today: date) -> None:
    """Give every document that is new its day; a document that is read again, moved or taken out and put back keeps its first."""
    documents, table = store.documents, store.retrievals
    known = sa.select(table.c.document).where(table.c.document == documents.c.id)
    new = sa.select(documents.c.id, sa.literal(today.isoformat())).where(~known.exists())
    with workspace.engine.begin() as db:
        db.execute(table.insert().from_select(["document", "day"], new))


def first_days(workspace: Workspace) -> dict[str, str]:
    """Return document -> ISO day; documents read before days were kept have none."""
    rows = workspace.rows(sa.select(store.retrievals))
    return {row["document"]: row["day"] for row in rows if row["day"]}
