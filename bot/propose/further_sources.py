"""One more source for a claim that was approved: a proposal of its own, once the claim is on the item."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from bot.messages import Message
from bot.propose import checks
from bot.propose.build import BuildResult, ProposalContext, citations, creation_and_expiry, proposal_of, recomputed_hash
from bot.propose.checks import ProposalCase
from bot.propose.diff import Difference, existing_claims, same_formula_message
from bot.propose.earlier_rows import EarlierRow, unwritten_approvals
from bot.propose.quotes import quotes
from bot.propose.references import distinct_references, missing_references, reference_identity
from bot.propose.select import Suggestion, canonical_key
from bot.propose.source_formulas import compared_tex
from bot.records import Check, Proposal, Reference, Statement, digest
from bot.settings import Properties, Settings


def further_sources(built: BuildResult, context: ProposalContext, settings: Settings, today: date) -> list[BuildResult]:
    """Return a proposal for each source that is new to an approved claim, as many as a claim may have.

    Each is bound to its source, so that no decision on one depends on which others are found.
    """
    row, case = built.row, built.case
    if row is None or case is None or case.difference.statement is None or row.is_rejected or built.refused:
        return []
    if not row.written and not (row.is_unwritten_approval and row.proposal.kind == "add_reference"):
        return []
    properties, statement = settings.wiki.properties, case.difference.statement
    approved = row.accepted_references if row.is_unwritten_approval else ()
    pending = missing_references(approved, statement.references, properties)
    room = settings.proposing.references_per_claim - len(statement.references) - len(pending)
    new = [
        (_source_proposal_id(row, r, properties), r)
        for r in _new_sources(row, case, (*statement.references, *pending), properties)
    ]
    new = [(id_, r) for id_, r in new if id_ not in context.rows or not context.rows[id_].written]
    new.sort(key=lambda each: _priority(context.rows.get(each[0])))
    found = [_build_for_source(built, case, id_, r, context, settings, today) for id_, r in new[: max(0, room)]]
    return [each for each in found if each.proposal and (each.proposal.kind != "flag" or each.row)]


def number_of_waiting_sources(built: BuildResult, settings: Settings) -> int:
    """Return how many new sources wait until the approved claim is written."""
    row, case, proposal = built.row, built.case, built.proposal
    if row is None or case is None or not row.is_unwritten_approval or proposal is None:
        return 0
    if proposal.kind != "new_claim" or proposal.hash != row.proposal.hash:
        return 0
    room = settings.proposing.references_per_claim - len(row.accepted_references)
    return len(_new_sources(row, case, row.accepted_references, settings.wiki.properties)[: max(0, room)])


def approvals_without_source(
    rows: Iterable[EarlierRow], context: ProposalContext, settings: Settings
) -> list[BuildResult]:
    """Return as flagged the approved, unwritten proposals whose approved source is no longer in the corpus."""
    found = []
    for row in unwritten_approvals(rows):
        proposal = row.proposal
        item, tex = context.items.get(proposal.qid), proposal.tex
        if item is None or item.missing or item.redirect:
            continue
        item_quotes = quotes(context.quoted.get(proposal.id, ()), context.documents, item, context.tex_at)
        cited = citations(item_quotes, item, context, settings, row.first_day)
        cited_references = [citation.reference for quote, citation in cited if citation.reference and quote.where]
        cited_references += proposal.given
        if missing_references(row.accepted_references, cited_references, settings.wiki.properties):
            concepts = (proposal.concept,)
            entry = Suggestion(item.qid, canonical_key(tex), tex, proposal.probability, proposal.evidence, concepts)
            existing = existing_claims(item, tex, settings.wiki.properties)
            found.append(BuildResult(entry, item, proposal.id, existing, _as_flag(proposal), row=row))
    return found


def _new_sources(
    row: EarlierRow, case: ProposalCase, existing: Iterable[Reference], properties: Properties
) -> tuple[Reference, ...]:
    """Return the sources that support the claim and that neither `existing` has nor a reviewer has rejected."""
    cited = distinct_references((c.reference for quote, c in case.cited if c.reference and quote.where), properties)
    return missing_references(cited, (*existing, *row.rejected_references), properties)


def _build_for_source(
    built: BuildResult,
    case: ProposalCase,
    id_: str,
    reference: Reference,
    context: ProposalContext,
    settings: Settings,
    today: date,
) -> BuildResult:
    properties, statement = settings.wiki.properties, case.difference.statement
    row = context.rows.get(id_)
    _, expires = creation_and_expiry(row, today, settings.proposing.expires_days)
    own = [
        (q, c) for q, c in case.cited if c.reference and not missing_references([c.reference], [reference], properties)
    ]
    alone = replace(
        case,
        quotes=tuple(q for q, _ in own),
        citations=tuple(c for _, c in own),
        difference=Difference("add_reference", _same_formula(case, statement), statement, (reference,)),
    )
    check_results = checks.run_checks(alone)
    proposal = proposal_of(alone, check_results, id_, properties.defining_formula, expires, built.id)
    existing = existing_claims(built.item, compared_tex(proposal), properties)
    return BuildResult(built.entry, built.item, id_, existing, proposal, case=alone, row=row)


def _same_formula(case: ProposalCase, statement: Statement | None) -> Message:
    return next(
        same_formula_message(each.comparison.message) for each in case.existing_claims if each.statement == statement
    )


def _source_proposal_id(row: EarlierRow, reference: Reference, properties: Properties) -> str:
    """Return the id of one more source, made of the claim's proposal and the source without its day."""
    return digest("source", row.proposal.id, sorted(reference_identity(reference, properties)), length=16)


def _priority(row: EarlierRow | None) -> int:
    """What was approved goes first, then what is open already: a better source does not take its place."""
    return 2 if row is None else 0 if row.is_unwritten_approval else 1


def _as_flag(proposal: Proposal) -> Proposal:
    check = Check.of("source.lost", "fail")
    rest = tuple(c for c in proposal.checks if c.name != "source")
    flagged = replace(proposal, kind="flag", checks=(*rest, check))
    return replace(flagged, hash=recomputed_hash(flagged))
