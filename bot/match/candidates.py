"""Which items might be meant: those that carry a name of the concept, and those that carry its formula, here or in the built-in list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import chain
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.errors import FormulaError
from bot.lookup import Client
from bot.match.features.candidate_pair import ConceptView, labels_of
from bot.match.item_labels import fold, labels_to_ask, variants
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula, all_keys
from bot.records import Item
from bot.result_cache import NO_CACHE, ResultCache
from bot.wikibase import item_number

# Chosen, for the number of names that are asked for: a candidate too many is weighed, one too few is lost.
NAMES_WITH_VARIANTS = 6  # further names of a concept are asked for as they stand
FIRST_EQUATIONS = 12  # how far into an article its title is still a name for the equation
MAX_SIMILAR = 8  # entries of the index looked at for each concept
RECOGNISED_FROM = 0.5  # probability from which what the built-in list recognises is a name to ask for
SIMILAR_FROM = 0.5  # idf-Jaccard from which an item is a candidate without a shared key


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """The query of a concept to the wiki: names, True if their variants are asked for too, and items that it is tied to."""

    names: Mapping[str, bool]
    qids: frozenset[str]

    @classmethod
    def of(cls, view: ConceptView) -> CandidateQuery:
        return cls(names_of(view), frozenset(tied_qids(view)))


@dataclass(frozen=True)
class Candidates:
    """The items met, among which the candidates of a concept are looked for."""

    items: Mapping[str, Item]
    holders: Mapping[str, Item] = field(default_factory=dict)  # that have a formula

    @cached_property
    def items_by_label(self) -> dict[str, list[str]]:
        """Return the items that carry each folded label."""
        found: dict[str, list[str]] = defaultdict(list)
        for qid, item in self.items.items():
            for label in labels_of(item):
                found[label].append(qid)
        return dict(found)

    def of(self, query: CandidateQuery, like: Collection[str]) -> tuple[str, ...]:
        """Return the candidates of a concept by number, also those that are no item now; `like` are the items that have a formula like its own."""
        named = chain.from_iterable(map(self._carriers, query.names))
        return tuple(sorted({*named, *query.qids, *like}, key=_number))

    @cached_property
    def _carriers(self) -> Callable[[str], tuple[str, ...]]:
        """What returns the items that carry a spelling of a name; many concepts have the same names."""
        labels = self.items_by_label

        @lru_cache(maxsize=20_000)
        def found(name: str) -> tuple[str, ...]:
            return tuple([qid for spelling, _ in variants(name) for qid in labels.get(spelling, ())])

        return found


def names_of(view: ConceptView) -> dict[str, bool]:
    """Return every name worth asking for; True where its variants are worth asking for as well."""
    found: dict[str, bool] = {}
    for rank, name in enumerate(view.corpus_names):
        found[name.name] = rank < NAMES_WITH_VARIANTS
    for one in view.occurrences:
        found.update((hint.name, True) for hint in one.occurrence.hints if hint.kind != "qid")
        if one.rank < FIRST_EQUATIONS:
            found[one.document.title] = True
        found[one.occurrence.heading] = True
    found.update((meaning, True) for meaning in view.meanings.get(view.left, ()))
    found.update((view.known.label(hit.qid), False) for hit in view.recognised if hit.probability >= RECOGNISED_FROM)
    return {name: wide for name, wide in found.items() if len(fold(name)) > 1 and len(name) <= 100}


def tied_qids(view: ConceptView) -> Iterator[str]:
    """Yield the items to which the source itself or a person ties the formula, and those for which the workspace's own database likely has it."""
    yield from (hint.name for one in view.occurrences for hint in one.occurrence.hints if hint.kind == "qid")
    likely = (hit.qid for hit in view.recognised if hit.probability >= RECOGNISED_FROM)
    yield from filter(view.known.is_own, likely)
    if view.answer and view.answer.qid:
        yield view.answer.qid


def spelling_digests(query: CandidateQuery) -> bytes:
    """Return a number of four bytes for each spelling of a concept's names."""
    return _digests({spelling for name in query.names for spelling, _ in variants(name)}).tobytes()


def _digests(texts: Collection[str]) -> NDArray[np.uint32]:
    return np.array([crc32(text.encode("utf-8", "surrogatepass")) for text in texts], dtype=np.uint32)


def spellings_among(digests: Sequence[bytes], labels: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each concept whether one of its spellings has the number of one of the labels."""
    numbers = np.frombuffer(b"".join(digests), dtype=np.uint32)
    of = np.repeat(np.arange(len(digests)), [len(each) // 4 for each in digests])
    is_among = np.isin(numbers, _digests(labels))
    return np.bincount(of[is_among], minlength=len(digests)) > 0


def items_by_name(queries: Iterable[CandidateQuery], client: Client) -> Iterator[frozenset[str]]:
    """Yield for each concept the items that carry one of its names, or that it is tied to; the wiki is asked once. `queries` is walked twice."""
    answers = client.items_by_label(sorted({form for each in queries for form in _labels_of_query(each)}))
    for each in queries:
        yield each.qids.union(*(answers[form] for form in _labels_of_query(each)))


def _labels_of_query(query: CandidateQuery) -> set[str]:
    return {form for name, wide in query.names.items() for form in labels_to_ask(name, variants_too=wide)}


def fetch_candidates(found: Iterable[frozenset[str]], client: Client) -> Candidates:
    """Ask the wiki for the items that concepts met, and for those that have a formula."""
    holders = client.items_with_formulas()
    qids = frozenset[str]().union(*found)
    items = dict(holders) | client.entities(sorted(qids - holders.keys(), key=_number))
    items = {qid: item for qid, item in items.items() if not item.missing and not item.redirect}
    return Candidates(items, holders)


def similar_items(tex: str, index: FormulaIndex) -> frozenset[str]:
    """Return the items one of whose formulas shares a key with the concept's or is much like it."""
    try:
        near = index.search(tex, MAX_SIMILAR)
    except FormulaError:
        return frozenset()
    return frozenset(found.entry.qid for found in near if found.level or found.jaccard >= SIMILAR_FROM)


def claims_index(items: Iterable[Item], formula_property: str, results: ResultCache = NO_CACHE) -> FormulaIndex:
    """Index the formulas that items hold; other processes help where there are any."""
    entries = [
        IndexedFormula(item.qid, statement.value)
        for item in items
        for statement in item.live_statements(formula_property)
    ]
    return FormulaIndex(entries, partial(results.processes.make, all_keys))


def _number(qid: str) -> tuple[int, str]:
    return item_number(qid), qid
