"""What the wiki does not give: one sentence for each thing without which items were looked for in the dark."""

from __future__ import annotations

import sqlalchemy as sa

from bot import store
from bot.errors import LookupFailed
from bot.lookup import Client
from bot.settings import Wiki
from bot.store import Workspace


def missing(workspace: Workspace, client: Client) -> tuple[str, ...]:
    """Return what the items lack, and what about the wiki's answers is not as it should be.

    Of the items nothing is said where all is there, or where no concept asked for one.
    """
    return (*_answers(client), *_items(workspace, client))


def other_ids(wiki: Wiki) -> tuple[str, ...]:
    """Return the sentence on ids that are Wikidata's though the wiki is another one; none where all are stated."""
    if not wiki.unstated:
        return ()
    told = ", ".join(wiki.unstated)
    return (f"These settings hold Wikidata's own ids, and this is another wiki: {told}. State the wiki's own ids.",)


def _answers(client: Client) -> tuple[str, ...]:
    return (*other_ids(client.wiki), *client.cached().remarks())


def _items(workspace: Workspace, client: Client) -> tuple[str, ...]:
    with workspace.engine.connect() as db:
        concepts = db.scalar(sa.select(sa.func.count()).select_from(store.concepts)) or 0
        matched = sa.select(store.matches.c.qid).distinct()
        records = list(db.scalars(sa.select(store.items.c.record).where(store.items.c.qid.in_(matched))))
    if not concepts:
        return ()
    said = []
    if not records:
        said.append("No concept found an item: none is called like one, and none has a formula like one.")
    elif not any(record["label"] or record["aliases"] for record in records):
        said.append(
            "No item that was found has a label or alias in the wiki's language: their formulas alone speak for them."
        )
    if not _formulas(client):
        said.append(
            "No item of the wiki has a defining formula: there is none to compare with, and names and the handbook alone "
            "speak for an item."
        )
    return tuple(said)


def _formulas(client: Client) -> bool:
    try:
        return bool(client.items_with_formula())
    except LookupFailed:
        return True  # what was not answered is said elsewhere
