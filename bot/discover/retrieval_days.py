"""The day that a reference to a document states as `retrieved`: its crawl's, or that on which it was first read into the workspace."""

from collections.abc import Iterable
from datetime import date

import sqlalchemy as sa

from bot import store
from bot.records import Document
from bot.store import Workspace


def store_crawl_days(db: sa.Connection, documents: Iterable[Document]) -> None:
    """Give documents of a crawl the day on which their present content was fetched."""
    table = store.retrievals
    for document in documents:
        if document.retrieved:
            db.execute(table.delete().where(table.c.document == document.id))
            db.execute(table.insert().values(document=document.id, day=document.retrieved))


def store_first_days(workspace: Workspace, today: date) -> None:
    """Give every document that is new its day; a document that is read again, moved or taken out and put back keeps its first."""
    documents, table = store.documents, store.retrievals
    stored = sa.select(table.c.document).where(table.c.document == documents.c.id)
    new = sa.select(documents.c.id, sa.literal(today.isoformat())).where(~stored.exists())
    with workspace.engine.begin() as db:
        db.execute(table.insert().from_select(["document", "day"], new))


def first_days(workspace: Workspace) -> dict[str, str]:
    """Return document -> ISO day; documents read before days were kept have none."""
    rows = workspace.rows(sa.select(store.retrievals))
    return {row["document"]: row["day"] for row in rows if row["day"]}
