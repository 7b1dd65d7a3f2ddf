"""The card of a proposal from what the workspace knows: no wiki is asked."""

from dataclasses import replace

import sqlalchemy as sa

from bot import store
from bot.propose.build import BuildResult
from bot.propose.cards import Card, card
from bot.propose.diff import ExistingClaim, existing_claims
from bot.propose.select import Suggestion
from bot.propose.source_formulas import compared_tex
from bot.records import Document, Item, Proposal
from bot.review.answers import labels_of
from bot.review.proposal_answers import stored_item
from bot.settings import Wiki
from bot.store import Workspace, to_record


def displayed_wiki(workspace: Workspace, wiki: Wiki) -> Wiki:
    """Return the wiki that is proposed to; a rehearsal wiki answers only while a command runs, so it has no addresses."""
    return replace(wiki, sandbox=True, name="rehearsal wiki") if workspace.get("world") else wiki


def workspace_card(
    workspace: Workspace, wiki: Wiki, proposal: Proposal
) -> tuple[Card, Item, tuple[ExistingClaim, ...]]:
    """Return the card of a proposal, its item, and the item's formulas compared with it."""
    item = stored_item(workspace, proposal.qid)
    existing = existing_claims(item, compared_tex(proposal), wiki.properties)
    built = BuildResult(Suggestion(proposal.qid, "", proposal.tex, 0.0, (), ()), item, proposal.id, existing, proposal)
    references = [*proposal.references, *(r for s in item.statements for r in s.references)]
    mentioned = {value for r in references for _, _, value in r.snaks}
    mentioned |= {qid for _, _, qid in proposal.qualifiers}
    labels = labels_of(workspace, [*mentioned, *(qid for qid, _, _ in proposal.runners_up)])
    return card(built, wiki, _documents(workspace, proposal), labels), item, existing


def _documents(workspace: Workspace, proposal: Proposal) -> dict[str, Document]:
    ids = {quote.document for quote in proposal.quotes}
    table = store.documents.c
    rows = workspace.rows(
        sa.select(table.id, table.title, table.language, table.url, table.source).where(table.id.in_(ids))
    )
    return {row["id"]: to_record(Document, row, f"documents {row['id']}") for row in rows}
