"""Proposals that nobody can decide on any more: what they rest on is gone. Rows of the queue + the wiki -> fewer rows.

What somebody has decided on stays, and so does what the last run of the stage found: it knows its documents and items.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from bot import store
from bot.lookup import Client
from bot.propose.stored_proposals import proposal_from_record
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class ExpireSummary:
    """Numbers of proposals taken out of the queue."""

    expired: int = 0  # nobody decided on them in time
    source_gone: int = 0  # none of their documents is in the corpus any more
    item_gone: int = 0  # the item was deleted, or merged into another

    @property
    def all(self) -> int:
        return self.expired + self.source_gone + self.item_gone


def expire(workspace: Workspace, client: Client, *, today: date) -> ExpireSummary:
    """Take out proposals that were not found again, nobody has decided on, and that expired or lost source or item.

    Raises LookupFailed where the wiki does not answer; then nothing changes.
    """
    table, day = store.proposals, today.isoformat()
    decided = sa.select(store.decisions.c.proposal)
    rows = workspace.rows(sa.select(table).where(table.c.seen < day, table.c.id.not_in(decided)))
    if not rows:
        return ExpireSummary()
    documents = {row["id"] for row in workspace.rows(sa.select(store.documents.c.id))}
    expired, orphans, left = set(), set(), {}
    for row in rows:
        quoted = {quote.document for quote in proposal_from_record(row["record"], f"proposals {row['id']}").quotes}
        if row["expires"] < day:
            expired.add(row["id"])
        elif quoted and not quoted & documents:
            orphans.add(row["id"])
        else:
            left[row["id"]] = row["qid"]
    entities = client.raw_entities(sorted(set(left.values())), fresh=True) if left else {}
    gone = {id_ for id_, qid in left.items() if "missing" in entities[qid] or entities[qid]["id"] != qid}
    with workspace.engine.begin() as db:
        for id_ in sorted(expired | orphans | gone):
            db.execute(table.delete().where(table.c.id == id_))
    return ExpireSummary(len(expired), len(orphans), len(gone))
