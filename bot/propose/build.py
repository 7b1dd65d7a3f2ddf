"""Entry + item + sources -> a Proposal, a refusal, or nothing to say. Pure: the clock and the wiki stay outside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from bot.claim_outcomes import ClaimOutcome
from bot.formula import Validity, check, clean, compare
from bot.messages import Message
from bot.propose import checks
from bot.propose.checks import Constraints, ProposalCase
from bot.propose.diff import SAME_FORMULA, Difference, ExistingClaim, difference, existing_claims
from bot.propose.earlier_rows import EarlierRow, decision_still_holds, with_approved_spelling
from bot.propose.own_claims import own_claims_on
from bot.propose.quotes import MAX_QUOTES, quotes
from bot.propose.references import (
    Citation,
    cite,
    distinct_references,
    missing_references,
    reference_identity,
    with_retrieval_day,
)
from bot.propose.select import Suggestion, canonical_key, value_key
from bot.propose.source_formulas import compared_tex
from bot.propose.trimming import trimmed
from bot.records import Check, Document, Item, Kind, Occurrence, Proposal, Quote, Reference, digest
from bot.result_cache import CachedFunction
from bot.settings import Properties, Settings


@dataclass(frozen=True)
class ProposalContext:
    """The data that proposals are built from; all of it is read before."""

    items: Mapping[str, Item]
    documents: Mapping[str, Document]
    places: Mapping[str, tuple[Occurrence, ...]]  # of each concept without `quotes`, the most telling first
    tex_at: Mapping[tuple[str, int], str] = field(default_factory=dict)
    # Of an item and its concepts
    quotes: Mapping[tuple[str, tuple[str, ...]], tuple[Quote, ...]] = field(default_factory=dict)
    holders: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # formula key -> (QID, label)
    # Key -> (QID, probability), in this run
    rivals: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)
    classes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    verdicts: Mapping[str, tuple[bool, str | Message]] = field(default_factory=dict)
    constraints: Constraints | None = None
    rows: Mapping[str, EarlierRow] = field(default_factory=dict)  # of earlier runs, by id
    own: Mapping[str, str] = field(default_factory=dict)  # GUID -> TeX of what was written from approvals
    read_on: Mapping[str, str] = field(default_factory=dict)  # document -> day on which it was first read
    unsuitable: Mapping[str, Message] = field(default_factory=dict)  # item that no reference can name -> why
    quoted: Mapping[str, tuple[Occurrence, ...]] = field(default_factory=dict)  # of each waiting row, in its documents
    spellings: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of each concept
    # Of each item, what others removed of ours
    removed: Mapping[str, tuple[ClaimOutcome, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BuildResult:
    """What became of an entry. Exactly one of `proposal`, `refused` and `reason_for_nothing` says something."""

    entry: Suggestion
    item: Item
    id: str
    existing_claims: tuple[ExistingClaim, ...] = ()
    proposal: Proposal | None = None
    refused: Check | None = None  # the failure that leaves a reviewer nothing to do
    reason_for_nothing: Message | None = None
    case: ProposalCase | None = None
    row: EarlierRow | None = None  # of an earlier run


def proposal_id(qid: str, property_id: str, key: str) -> str:
    """Return the id: one for each item, property and canonical formula, independent of the kind of proposal."""
    return digest("proposal", qid, property_id, key, length=16)


def content_hash(
    kind: str,
    qid: str,
    property_id: str,
    tex: str,
    references: tuple[Reference, ...],
    statement: str,
    beside: tuple[tuple[str, str], ...] = (),
    symbol: tuple[object, ...] = (),
) -> str:
    """Return the hash that a decision is bound to: of all that would be written, and of the formulas beside which it would be.

    `symbol`: the qualifiers of a symbol, and the formula that it stands in.
    """
    return digest(kind, qid, property_id, tex, references, statement, *filter(None, (beside, symbol)))


def recomputed_hash(proposal: Proposal) -> str:
    """Return the content hash of a proposal, worked out again."""
    p = proposal
    symbol = (p.qualifiers, p.formula) if p.kind == "symbol" else ()
    return content_hash(p.kind, p.qid, p.property, p.tex, p.references, p.statement, p.beside, symbol)


@CachedFunction
def proposed_tex(tex: str, *parts: str) -> tuple[str, Validity]:
    """Return the TeX that would be written, trimmed to what states the formula and mended where that is safe, and the verdict on what the source has.

    `parts`: see `trimmed`.
    """
    tidy = trimmed(clean(tex), *parts)
    validity = check(tidy)
    return (tidy if validity.valid or not validity.mended else validity.mended), validity


def build(entry: Suggestion, context: ProposalContext, settings: Settings, today: date) -> BuildResult:
    """Return the proposal for an entry, or why there is none."""
    item = context.items[entry.qid]
    properties = settings.wiki.properties
    row = _earlier_row(entry, context, properties.defining_formula)
    entry = with_approved_spelling(entry, row, _spellings(entry, context))
    made_id = row.proposal.id if row else proposal_id(entry.qid, properties.defining_formula, entry.key)
    created, expires = creation_and_expiry(row, today, settings.proposing.expires_days)
    case = _case(entry, item, context, settings, created, row)
    check_results = checks.run_checks(case)
    built = BuildResult(entry, item, made_id, case.existing_claims, case=case, row=row)
    failed = [c for c in check_results if c.state == "fail"]
    if refused := check_removed_by_others(case, made_id, context) or checks.blocking_failure(case, failed):
        return replace(built, refused=refused)
    if case.difference.kind == "nothing":
        return replace(built, reason_for_nothing=case.difference.why)
    if row and row.written:  # it stays as it was approved; more sources are proposals of their own
        return replace(built, reason_for_nothing=Message("nothing.written"))
    proposal = proposal_of(case, check_results, made_id, properties.defining_formula, expires)
    if row and decision_still_holds(row, proposal, case, properties):
        proposal = replace(row.proposal, expires=expires)
    existing = existing_claims(item, compared_tex(proposal), properties)
    return replace(built, proposal=proposal, existing_claims=existing)


def check_removed_by_others(case: ProposalCase, made_id: str, context: ProposalContext) -> Check | None:
    """Return why a formula is not proposed again: other editors have removed, deprecated or corrected it on this item.

    Where somebody has stated it again since, only its source is in question.
    """
    removed = (r for r in context.removed.get(case.entry.qid, ()) if not case.is_on_item or r.verdict == "deprecated")
    same = (r for r in removed if r.proposal == made_id or compare(r.tex, case.tex).relation in SAME_FORMULA)
    removal = next(same, None)
    if removal is None:
        return None
    why = f": {removal.comment}" if removal.comment else ""
    return Check.of(
        f"removed.{removal.verdict}", "fail", user=removal.user or "–", day=removal.day, why=why, tex=removal.instead
    )


def _spellings(entry: Suggestion, context: ProposalContext) -> frozenset[str]:
    """Return every TeX that the corpus suggests for this formula."""
    found = {tex for concept in entry.concepts for tex in context.spellings.get(concept, ())}
    return frozenset(proposed_tex(tex, *entry.parts)[0] for tex in found)


def _earlier_row(entry: Suggestion, context: ProposalContext, property_id: str) -> EarlierRow | None:
    """Return the row of an earlier run about the same item and formula.

    Keys may change when the mathematics improves, values when more is left out of them; a person's decision on a formula
    must not be lost with them.
    """
    row = context.rows.get(proposal_id(entry.qid, property_id, entry.key))
    if row is not None:
        return row
    rows = ((r, r.proposal.tex) for r in context.rows.values() if r.proposal.qid == entry.qid and not r.proposal.claim)
    return next((r for r, tex in rows if entry.key in (canonical_key(tex), value_key(tex, *entry.parts))), None)


def creation_and_expiry(row: EarlierRow | None, today: date, keep: int) -> tuple[str, str]:
    """Return the day of first making and the day of expiry, which a late return renews."""
    renewed = (today + timedelta(days=keep)).isoformat()
    if row is None:
        return today.isoformat(), renewed
    return row.first_day, row.expires if row.expires >= today.isoformat() else renewed


def _case(
    entry: Suggestion, item: Item, context: ProposalContext, settings: Settings, created: str, row: EarlierRow | None
) -> ProposalCase:
    properties, proposing = settings.wiki.properties, settings.proposing
    tex, validity = proposed_tex(entry.tex, *entry.parts)
    item_quotes = context.quotes.get((entry.qid, entry.concepts))
    if item_quotes is None:
        occurrences = [o for concept in entry.concepts for o in context.places.get(concept, ())]
        occurrences += context.quoted.get(row.proposal.id, ()) if row else ()
        item_quotes = quotes(occurrences, context.documents, item, context.tex_at)
    cited = citations(item_quotes, item, context, settings, created)
    found, used = _shown_sources(cited, row.rejected_references if row else (), settings)
    stated = missing_references(row.proposal.given, row.rejected_references, properties) if row else ()
    found_ = (c.reference for c in used if c.reference)
    references = distinct_references((*stated, *found_), properties)[: proposing.references_per_claim]
    existing = existing_claims(item, tex, properties)
    # An approved proposal is not flagged because of statements written since.
    own_claims = own_claims_on(item, context.own) if row and row.approved else ()
    return ProposalCase(
        entry=entry,
        item=item,
        tex=tex,
        validity=validity,
        server=context.verdicts.get(tex),
        existing_claims=existing,
        difference=_limit_sources(
            difference(item, existing, references, properties, own_claims), proposing.references_per_claim
        ),
        quotes=found,
        citations=used,
        cited=cited,
        other_items=_other_items(entry, context),
        rivals=tuple((qid, context.labels.get(qid, ""), probability) for qid, probability in entry.runners_up),
        classes=frozenset(item.classes) | context.classes.get(entry.qid, frozenset()),
        class_labels=context.labels,
        constraints=context.constraints,
        settings=proposing,
        disambiguation=properties.disambiguation_class,
        own_claims=own_claims,
        reviewer_sources=stated,
    )


def _limit_sources(found: Difference, most: int) -> Difference:
    """Add no more sources than a claim of ours would have: otherwise each run would bring the next ones."""
    if found.kind != "add_reference" or found.statement is None:
        return found
    references = found.references[: max(0, most - len(found.statement.references))]
    if not references:
        return replace(found, kind="nothing", why=Message("check.standing_formulas.enough"), references=())
    return replace(found, references=references)


def _other_items(entry: Suggestion, context: ProposalContext) -> tuple[tuple[str, str], ...]:
    """Return the other items that have this formula, or that this run finds likelier to be meant by it."""
    found = dict(context.holders.get(entry.key, ()))
    for qid, probability in context.rivals.get(entry.key, ()):
        if probability > entry.probability:
            found.setdefault(qid, context.labels.get(qid, ""))
    return tuple((qid, label) for qid, label in found.items() if qid != entry.qid)


def citations(
    found: Sequence[Quote], item: Item, context: ProposalContext, settings: Settings, created: str
) -> tuple[tuple[Quote, Citation], ...]:
    """Return quotes, each with what names its document in a reference, and the way in which their documents are cited.

    A reference carries the day on which its document was first read, `created` where that is not known; one source with
    several documents the first of their days.
    """
    properties = settings.wiki.properties
    unsuitable = {**context.unsuitable, item.qid: Message("unsuitable.itself")}
    cited: list[tuple[Quote, Citation]] = []
    first_days: dict[frozenset[tuple[str, str]], str] = {}
    for quote in found:
        day = context.read_on.get(quote.document) or created
        citation = cite(context.documents[quote.document], properties, settings.proposing, day, unsuitable)
        if citation.reference:
            quote = replace(quote, cited=citation.reference.snaks[0][2])
            source = reference_identity(citation.reference, properties)
            first_days[source] = min(day, first_days.get(source, day))
        cited.append((quote, citation))

    def with_first_day(citation: Citation) -> Citation:
        if citation.reference is None:
            return citation
        day = first_days[reference_identity(citation.reference, properties)]
        return replace(citation, reference=with_retrieval_day(citation.reference, day, properties))

    return tuple((quote, with_first_day(citation)) for quote, citation in cited)


def _shown_sources(
    cited: Sequence[tuple[Quote, Citation]], refused: tuple[Reference, ...], settings: Settings
) -> tuple[tuple[Quote, ...], tuple[Citation, ...]]:
    """Return the quotes to show and their citations: what can be cited goes before what cannot."""
    properties = settings.wiki.properties
    used = [(q, _without_rejected_reference(citation, refused, properties)) for q, citation in cited]
    used.sort(key=lambda each: each[1].reference is None)
    shown = used[: max(MAX_QUOTES, settings.proposing.references_per_claim)]
    return tuple(q for q, _ in shown), tuple(citation for q, citation in shown if q.where)


def _without_rejected_reference(citation: Citation, refused: tuple[Reference, ...], properties: Properties) -> Citation:
    if citation.reference is None or missing_references([citation.reference], refused, properties):
        return citation
    return Citation(citation.document, None, Message("cite.rejected"))


def proposal_of(
    case: ProposalCase, check_results: tuple[Check, ...], made_id: str, property_id: str, expires: str, claim: str = ""
) -> Proposal:
    """Return the proposal of a case; `claim` is the proposal whose claim gets one more source."""
    failed = [c for c in check_results if c.state == "fail"]
    kind: Kind = (
        "flag" if failed or case.difference.kind not in ("new_claim", "add_reference") else case.difference.kind
    )
    statement = case.difference.statement if case.is_on_item else None
    tex = statement.value if statement else case.tex
    guid = statement.guid if statement else ""
    references = case.difference.references
    proposal = Proposal(
        id=made_id,
        kind=kind,
        qid=case.entry.qid,
        property=property_id,
        tex=tex,
        references=references,
        evidence=case.entry.evidence,
        checks=check_results,
        probability=round(case.entry.probability, 4),
        base_revision=case.item.revision,
        hash="",
        expires=expires,
        statement=guid,
        concept=case.entry.concepts[0],
        quotes=case.quotes,
        runners_up=case.rivals,
        other_formulas=case.entry.other_formulas,
        claim=claim,
        beside=case.difference.beside,
        given=tuple(r for r in case.reviewer_sources if r in references),
    )
    return replace(proposal, hash=recomputed_hash(proposal))
