"""The formula of a proposal for another item that a reviewer names: from what the workspace holds, without asking the wiki.

The next `propose` looks at the item anew, and the difference is made again just before anything is written.
"""

from dataclasses import replace
from datetime import date

import sqlalchemy as sa

from bot import store
from bot.discover import occurrences_of
from bot.discover.retrieval_days import first_days
from bot.discover.stored_concepts import load_documents
from bot.propose import own_claims
from bot.propose.build import BuildResult, ProposalContext, build
from bot.propose.proposal_context import items_by_formula, occurrences_of_concepts, removed_claims, stored_items
from bot.propose.select import Suggestion, canonical_key
from bot.propose.stored_proposals import proposal_from_record
from bot.records import FormulaConcept, Item, ItemMatch, Proposal
from bot.settings import Settings
from bot.store import Workspace, to_record


def queued_proposal(workspace: Workspace, qid: str, tex: str) -> Proposal | None:
    """Return the proposal of this formula for this item that is in the queue already, if there is one."""
    table, key = store.proposals.c, canonical_key(tex)
    rows = workspace.rows(sa.select(table.id, table.record).where(table.qid == qid).order_by(table.id))
    found = (proposal_from_record(row["record"], f"proposals {row['id']}") for row in rows)
    return next((each for each in found if not each.claim and canonical_key(each.tex) == key), None)


def build_for_item(
    workspace: Workspace, settings: Settings, proposal: Proposal, item: Item, today: date
) -> BuildResult:
    """Return what `propose` would make of the formula for `item`: evidence is that of matching, where it met the pair."""
    matches = [
        to_record(ItemMatch, row, "matches")
        for row in workspace.rows(sa.select(store.matches).where(store.matches.c.concept == proposal.concept))
    ]
    own_match = next((match for match in matches if match.qid == item.qid), None)
    probability_of = {qid: probability for qid, _, probability in proposal.runners_up}
    rivals = {proposal.qid: proposal.probability} | {q: p for q, p in probability_of.items() if q != item.qid}
    entry = Suggestion(
        item.qid,
        canonical_key(proposal.tex),
        proposal.tex,
        own_match.probability if own_match else probability_of.get(item.qid, 0.0),
        own_match.evidence if own_match else (),
        (proposal.concept,),
        tuple(rivals.items()),
        chosen=True,
    )
    rows = workspace.rows(sa.select(store.concepts).where(store.concepts.c.key == proposal.concept))
    concepts = {row["key"]: to_record(FormulaConcept, row, f"concepts {row['key']}") for row in rows}
    quoted = occurrences_of(workspace, [(quote.document, quote.position) for quote in proposal.quotes])
    places, tex_at = occurrences_of_concepts(workspace, concepts, quoted)
    items = {**stored_items(workspace), item.qid: item}
    context = ProposalContext(
        items={item.qid: item},
        documents=load_documents(workspace),
        places={proposal.concept: tuple(dict.fromkeys((*quoted, *places.get(proposal.concept, ()))))},
        tex_at=tex_at,
        holders=items_by_formula(items.values(), settings.wiki.properties.defining_formula),
        labels={qid: each.label for qid, each in items.items() if each.label},
        own=own_claims.written_claims(workspace),
        removed=removed_claims(workspace),
        read_on=first_days(workspace),
    )
    built = build(entry, context, settings, today)
    replacement = built.proposal
    return replace(built, proposal=replace(replacement, instead_of=proposal.id)) if replacement else built
