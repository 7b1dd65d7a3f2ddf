"""Reading all that proposals are built from: the workspace's tables and, through the client, the items as they are now."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import NEGATIVE_VERDICTS, ClaimOutcome, claim_outcomes
from bot.discover import find_occurrences_again, load_concepts, occurrences_of
from bot.discover.corpus_gaps import missing_corpus_data as corpus_missing
from bot.discover.retrieval_days import first_days
from bot.discover.stored_concepts import load_documents
from bot.discover.stored_occurrences import owner_rows, tex_of
from bot.errors import LookupFailed
from bot.formula import clean
from bot.lookup import Client
from bot.match.wiki_gaps import missing_wiki_data as items_missing
from bot.messages import Message
from bot.propose import checks, own_claims, references
from bot.propose.build import ProposalContext, proposed_tex
from bot.propose.earlier_rows import EarlierRow, read_earlier_rows, unwritten_approvals
from bot.propose.quotes import formula_numbers, quotes
from bot.propose.select import Suggestion, canonical_key
from bot.records import Document, FormulaConcept, Item, ItemMatch, Occurrence, Proposal, Quote, Statement
from bot.result_cache import ResultCache, cache_key
from bot.settings import Settings
from bot.store import Row, Workspace

# Key of the workspace's `meta`: labels of classes and fields, by which the queue is filtered
KIND_LABELS = "kind_labels"
Holders = dict[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class RunCounts:
    """The run's numbers, in the order of the data."""

    documents: int = 0
    formulas: int = 0
    concepts: int = 0
    named: int = 0
    matched: int = 0
    items: int = 0  # that were matched
    likeliest: float = 0.0  # probability of the likeliest match


def run_counts(workspace: Workspace, matches: Sequence[ItemMatch]) -> RunCounts:
    """Return the run's numbers from the workspace's tables."""
    with workspace.engine.connect() as db:
        formulas = int(db.scalar(sa.select(sa.func.sum(store.sources.c.formulas))) or 0)
    best = store.concepts.c.names[0, "score"].as_float()  # below one half a name is a guess
    named = workspace.count(sa.select(store.concepts.c.key).where(best >= 0.5))
    documents, concepts = workspace.count(store.documents), workspace.count(store.concepts)
    concepts_matched, items = {m.concept for m in matches}, {m.qid for m in matches}
    likeliest = max((m.probability for m in matches), default=0.0)
    return RunCounts(documents, formulas, concepts, named, len(concepts_matched), len(items), likeliest)


def missing_inputs(workspace: Workspace, client: Client, settings: Settings) -> tuple[Message, ...]:
    """Return what the corpus and the items did not give."""
    return (*corpus_missing(workspace, settings), *items_missing(workspace, client))


def read_context(
    workspace: Workspace, client: Client, settings: Settings, entries: Sequence[Suggestion], results: ResultCache
) -> tuple[ProposalContext, tuple[Message, ...]]:
    """Return the proposal context and what could not be asked. Raises LookupFailed where the items themselves cannot be read."""
    unknown: list[Message] = []
    rows = read_earlier_rows(workspace, {entry.qid for entry in entries})
    approved = unwritten_approvals(rows.values())
    # What was approved has quotes of its own, and is kept in its spelling where the corpus still has that.
    approved_items = {row.proposal.qid for row in approved}
    concepts = _concepts(workspace, [entry for entry in entries if entry.qid in approved_items])
    others = [entry for entry in entries if entry.qid not in approved_items]
    placed, quoted = _concepts(workspace, others, ("representations",)), _quoted(workspace, approved)
    places, tex_at = occurrences_of_concepts(workspace, concepts, [o for each in quoted.values() for o in each])
    documents = load_documents(workspace)
    near = {o.document for each in (*places.values(), *quoted.values()) for o in each}
    near |= {document for concept in placed.values() for document, _ in concept.places}
    near &= documents.keys()
    named = references.items_to_cite([documents[id_] for id_ in sorted(near)], settings)
    qids = list(dict.fromkeys([*(entry.qid for entry in entries), *(row.proposal.qid for row in approved), *named]))
    # The entity JSON as it is now: neither the query service nor yesterday's cache says what an item holds.
    items = client.entities(qids, fresh=True)
    known_items, classes, verdicts, constraints = stored_items(workspace), {}, {}, None
    with _collecting_failures(unknown, "formula_items"):
        known_items |= client.items_with_formulas(exclude=items)
    known_items |= items
    labels = {qid: item.label for qid, item in known_items.items() if item.label}
    with_class = [qid for qid, item in items.items() if item.classes]
    with _collecting_failures(unknown, "classes_above"):  # without the query service those are all that is known
        found = client.classes_of(with_class)
        classes = {qid: frozenset(superclasses) for qid, superclasses in found.items()}
    kinds = {qid for item in items.values() for qid in (*item.classes, *item.fields)}
    mentioned = kinds | {q for e in entries for q, _ in e.runners_up}
    with _collecting_failures(unknown, "labels"):
        labels |= client.labels_of(sorted(mentioned - labels.keys()))
    workspace.put(
        KIND_LABELS, {**workspace.get(KIND_LABELS, {}), **{q: labels[q] for q in sorted(kinds) if q in labels}}
    )
    values = list(dict.fromkeys(proposed_tex(entry.tex, *entry.parts)[0] for entry in entries))
    with _collecting_failures(unknown, "verdicts"):
        verdicts = {v.tex: (v.valid, v.why) for v in client.parse_math(values)}
    ids = settings.wiki.properties
    formula = ids.defining_formula
    with _collecting_failures(unknown, "constraints"):
        constraints = checks.read_constraints(client.raw_entities([formula])[formula], ids)
    context = ProposalContext(
        items=items,
        documents=documents,
        quotes=_quotes_of_entries(workspace, others, placed, documents, items, results),
        places=places,
        tex_at=tex_at,
        holders=items_by_formula(known_items.values(), formula),
        rivals=_rivals(entries),
        classes=classes,
        labels=labels,
        verdicts=verdicts,
        constraints=constraints,
        own=own_claims.written_claims(workspace),
        removed=removed_claims(workspace),
        rows=rows,
        read_on=first_days(workspace),
        unsuitable=references.unsuitable_items(named, items, classes, labels, settings),
        quoted=quoted,
        spellings={key: frozenset((c.tex, *(r.tex for r in c.representations))) for key, c in concepts.items()},
    )
    return context, tuple(unknown)


def removed_claims(workspace: Workspace) -> dict[str, tuple[ClaimOutcome, ...]]:
    """Return what other editors removed, deprecated or corrected of our claims, by item."""
    found: dict[str, tuple[ClaimOutcome, ...]] = {}
    for each in claim_outcomes(workspace):
        if each.verdict in NEGATIVE_VERDICTS:
            found[each.qid] = (*found.get(each.qid, ()), each)
    return found


def _concepts(
    workspace: Workspace, entries: Sequence[Suggestion], without: Collection[str] = ()
) -> dict[str, FormulaConcept]:
    wanted = {concept for entry in entries for concept in entry.concepts}
    existing = {row["key"] for row in workspace.rows(sa.select(store.concepts.c.key))}
    return {
        c.key: c
        for c in load_concepts(workspace, sorted(wanted & existing), without=("names", "definitions", *without))
    }


def _quotes_of_entries(
    workspace: Workspace,
    entries: Sequence[Suggestion],
    concepts: Mapping[str, FormulaConcept],
    documents: Mapping[str, Document],
    items: Mapping[str, Item],
    results: ResultCache,
) -> dict[tuple[str, tuple[str, ...]], tuple[Quote, ...]]:
    """Return the quotes of each entry by its item and concepts; what stands in documents is read for those that are not cached."""
    shards = {id_: shard for id_, _, shard in owner_rows(workspace)}

    @cache
    def digest_of(document: str) -> bytes:
        return cache_key(documents.get(document), shards.get(document))

    def key(entry: Suggestion) -> bytes:
        item = items[entry.qid]
        places = [place for key in entry.concepts if key in concepts for place in concepts[key].places]
        at = [(place, digest_of(place[0])) for place in places]
        return cache_key(item.qid, item.label, item.aliases, at)

    def quotes_of(some: Sequence[Suggestion]) -> Iterator[tuple[Quote, ...]]:
        near = {key: concepts[key] for entry in some for key in entry.concepts if key in concepts}
        places, tex_at = occurrences_of_concepts(workspace, near, ())
        for entry in some:
            found = (o for key in entry.concepts for o in places.get(key, ()))
            yield quotes(found, documents, items[entry.qid], tex_at)

    found = results.map_as_one_row("quotes", entries, key, quotes_of)
    return {(entry.qid, entry.concepts): each for entry, each in zip(entries, found, strict=True)}


def occurrences_of_concepts(
    workspace: Workspace, concepts: Mapping[str, FormulaConcept], extra: Iterable[Occurrence]
) -> tuple[dict[str, tuple[Occurrence, ...]], dict[tuple[str, int], str]]:
    """Return the occurrences of each concept, and the TeX of every formula in their windows and in those of `extra`."""
    wanted = [place for concept in concepts.values() for place in concept.places]
    at = {(o.document, o.position): o for o in occurrences_of(workspace, wanted)}
    occurrence_at = {**at, **{(o.document, o.position): o for o in extra}}
    around = {
        (o.document, position) for o in occurrence_at.values() for position in formula_numbers(o.window)
    } - occurrence_at.keys()
    tex_at = {place: occurrence.tex for place, occurrence in occurrence_at.items()}
    tex_at |= tex_of(workspace, sorted(around))
    return {key: tuple(at[p] for p in c.places if p in at) for key, c in concepts.items()}, tex_at


def _quoted(workspace: Workspace, rows: Iterable[EarlierRow]) -> dict[str, tuple[Occurrence, ...]]:
    """Return where the documents that each row quotes hold its formula today; a place may have moved."""
    wanted = {row.proposal.id: _formula_of_each_quote(row.proposal) for row in rows}
    requests = {(*place, key) for each in wanted.values() for place, key in each.items()}
    found: dict[tuple[str, str], list[Occurrence]] = defaultdict(list)
    for occurrence in find_occurrences_again(workspace, requests):
        found[occurrence.document, canonical_key(clean(occurrence.tex))].append(occurrence)
    return {
        id_: tuple(o for (document, _), key in each.items() for o in found[document, key])
        for id_, each in wanted.items()
    }


def _formula_of_each_quote(proposal: Proposal) -> dict[tuple[str, int], str]:
    """Return place -> canonical formula of what a proposal quotes."""
    return {(q.document, q.position): canonical_key(clean(q.tex or proposal.tex)) for q in proposal.quotes}


def items_by_formula(items: Iterable[Item], wanted: str) -> Holders:
    """Return which items have each canonical formula."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for item in items:
        for statement in item.live_statements(wanted):
            found[canonical_key(statement.value)][item.qid] = item.label
    return {key: tuple(sorted(holding.items(), key=lambda h: int(h[0][1:]))) for key, holding in found.items()}


def _rivals(entries: Iterable[Suggestion]) -> dict[str, tuple[tuple[str, float], ...]]:
    """Return for which items this run proposes each canonical formula, the likeliest first."""
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for entry in entries:
        found[entry.key].append((entry.qid, entry.probability))
    return {key: tuple(sorted(each, key=lambda r: (-r[1], int(r[0][1:])))) for key, each in found.items()}


def stored_items(workspace: Workspace) -> dict[str, Item]:
    """Return the items that matching met, as far as they are needed to tell who has which formula."""
    records = [row["record"] for row in workspace.rows(sa.select(store.items.c.record))]
    return {r["qid"]: Item(r["qid"], r.get("label") or "", statements=_statements(r)) for r in records}


def _statements(record: Row) -> tuple[Statement, ...]:
    rows = record.get("statements") or ()
    return tuple(Statement(s["guid"], s["property"], s["value"], s.get("rank") or "normal") for s in rows)


@contextmanager
def _collecting_failures(unknown: list[Message], source: str) -> Iterator[None]:
    """Catch a failed look-up of `source` and add it to `unknown`; the caller goes on without its answer."""
    try:
        yield
    except LookupFailed as error:
        unknown.append(Message(f"unasked.{source}", why=error.full_message))
