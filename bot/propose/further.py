"""One more source for a claim that was approved: a proposal of its own, once the claim is on the item."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from bot.messages import Message
from bot.propose import checks
from bot.propose.build import Built, ProposalContext, citations, days, proposal_of, rehashed
from bot.propose.checks import Case
from bot.propose.diff import Difference, same_formula, standing
from bot.propose.earlier import EarlierRow, waiting
from bot.propose.references import distinct, identity, missing
from bot.propose.select import Suggestion, canonical
from bot.propose.source_formulas import compared_tex
from bot.records import Check, Proposal, Reference, Statement, digest
from bot.settings import Properties, Settings


def further(built: Built, world: ProposalContext, settings: Settings, today: date) -> list[Built]:
    """Return a proposal for each source that is new to an approved claim, as many as a claim may have.

    Each is bound to its source, so that no decision on one depends on which others are found.
    """
    row, case = built.row, built.case
    if row is None or case is None or case.difference.statement is None or row.condemned or built.refused:
        return []
    if not (row.written or (row.waits and row.shown and row.shown.kind == "add_reference")):
        return []
    properties, statement = settings.wiki.properties, case.difference.statement
    pending = missing(row.accepted, statement.references, properties) if row.waits else ()
    room = settings.proposing.references_per_claim - len(statement.references) - len(pending)
    new = [(_id(row, r, properties), r) for r in _new(row, case, (*statement.references, *pending), properties)]
    new = [(id_, r) for id_, r in new if id_ not in world.rows or not world.rows[id_].written]
    new.sort(key=lambda each: _turn(world.rows.get(each[0])))
    found = [_built(built, case, id_, r, world, settings, today) for id_, r in new[: max(0, room)]]
    return [each for each in found if each.proposal and (each.proposal.kind != "flag" or each.row)]


def sources_waiting(built: Built, settings: Settings) -> int:
    """Return how many new sources wait until the approved claim is written."""
    row, case, properties = built.row, built.case, settings.wiki.properties
    if row is None or case is None or not row.waits or built.proposal is None or built.proposal.kind != "new_claim":
        return 0
    room = settings.proposing.references_per_claim - len(row.accepted)
    same = row.shown is not None and built.proposal.hash == row.shown.hash
    return len(_new(row, case, row.accepted, properties)[: max(0, room)]) if same else 0


def lost(rows: Iterable[EarlierRow], world: ProposalContext, settings: Settings) -> list[Built]:
    """Return as flagged what is approved and not written, and whose approved source the corpus has no longer."""
    found = []
    for row in waiting(rows):
        item, shown = world.items.get(row.qid), row.shown
        if shown is None or item is None or item.missing or item.redirect:
            continue
        cited = citations(list(world.quoted.get(row.id, ())), item, world, settings, row.made)
        there = [citation.reference for quote, citation in cited if citation.reference and quote.where]
        there += shown.given
        if missing(row.accepted, there, settings.wiki.properties):
            entry = Suggestion(
                row.qid, canonical(row.tex), row.tex, shown.probability, shown.evidence, (shown.concept,)
            )
            stands = standing(item, row.tex, settings.wiki.properties)
            found.append(Built(entry, item, row.id, stands, _flagged(shown), row=row))
    return found


def _new(row: EarlierRow, case: Case, there: Iterable[Reference], properties: Properties) -> tuple[Reference, ...]:
    """Return the sources that support the claim and that neither `there` has nor a reviewer has rejected."""
    cited = distinct((c.reference for quote, c in case.cited if c.reference and quote.where), properties)
    return missing(cited, (*there, *row.refused), properties)


def _built(
    built: Built, case: Case, id_: str, reference: Reference, world: ProposalContext, settings: Settings, today: date
) -> Built:
    properties, statement = settings.wiki.properties, case.difference.statement
    row = world.rows.get(id_)
    _, expires = days(row, today, settings.proposing.expires_days)
    own = [(q, c) for q, c in case.cited if c.reference and not missing([c.reference], [reference], properties)]
    alone = replace(
        case,
        quotes=tuple(q for q, _ in own),
        citations=tuple(c for _, c in own),
        difference=Difference("add_reference", _same_formula(case, statement), statement, (reference,)),
    )
    said = checks.run(alone)
    made = proposal_of(alone, said, id_, properties.defining_formula, expires, built.id)
    stands = standing(built.item, compared_tex(made), properties)
    return Built(built.entry, built.item, id_, stands, made, case=alone, row=row)


def _same_formula(case: Case, statement: Statement | None) -> Message:
    return next(same_formula(each.comparison.message) for each in case.standing if each.statement == statement)


def _id(row: EarlierRow, reference: Reference, properties: Properties) -> str:
    """Return the id of one more source: of the claim's proposal and what the source is, whatever its day."""
    return digest("source", row.id, sorted(identity(reference, properties)), length=16)


def _turn(row: EarlierRow | None) -> int:
    """What was approved goes first, then what is open already: a better source does not take its place."""
    return 2 if row is None else 0 if row.waits else 1


def _flagged(shown: Proposal) -> Proposal:
    check = Check.of("source.lost", "fail")
    rest = tuple(c for c in shown.checks if c.name != "source")
    flagged = replace(shown, kind="flag", checks=(*rest, check))
    return replace(flagged, hash=rehashed(flagged))
