"""Every concept of a workspace with its candidates, judged: evidence of each pair, then of competing formulas, then probabilities.

What is made of a concept is kept by a digest of its grounds. In memory are a block of concepts, and of all others the candidates.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter

from bot.discover.articles import ArticleReading
from bot.lookup import Client
from bot.match.blocks.concept_views import BLOCK, ConceptDigest, ConceptViews
from bot.match.candidates import (
    CandidateQuery,
    Candidates,
    claims_index,
    fetch_candidates,
    items_by_name,
    similar_items,
    spelling_digests,
    spellings_among,
)
from bot.match.features.candidate_pair import CandidatePair, ConceptView
from bot.match.model import EvidenceModel
from bot.match.retrieval.inverted_index import FormulaIndex
from bot.match.score import (
    CompetingFormulas,
    Judge,
    NamingStrength,
    Scored,
    is_compared,
    matches,
    naming_strength,
    with_probabilities,
)
from bot.pickled_values import from_pickle, to_pickle
from bot.records import Evidence, ItemMatch
from bot.result_cache import ResultCache, cache_key
from bot.sequences import batched, one_ahead
from bot.settings import Settings
from bot.stage_state import code_version

_JUDGED = 64  # concepts which are judged at once; so many more have their places in memory

Articles = Mapping[str, tuple[ArticleReading, ...]]


@dataclass(frozen=True, slots=True)
class ConceptCandidates:
    """A concept and its candidates."""

    concept: ConceptDigest
    items: tuple[str, ...]
    digest: bytes = b""  # of all that the evidence is made from


_Digested = tuple[bytes, ConceptCandidates]
# The items of each label, and of each concept its candidates and the digests of its spellings.
_LastCandidates = tuple[dict[str, list[str]], dict[bytes, tuple[tuple[str, ...], bytes]]]


@dataclass(frozen=True, slots=True)
class JudgedConcept:
    """The result for a concept: the probability of each item with evidence, and the matches."""

    key: str
    digest: bytes  # of all that it was made from
    probabilities: tuple[tuple[str, float], ...]
    _packed: Callable[[], bytes]

    @property
    def matches(self) -> list[ItemMatch]:
        """Return the matches, the best first: they are read when they are looked at, which they are where they have changed."""
        found: list[ItemMatch] = from_pickle(self._packed())
        return found


class JudgedConcepts:
    """The concepts of a workspace, each with the items that it may be. Raises LookupFailed where the wiki does not answer."""

    def __init__(
        self, views: ConceptViews, client: Client, settings: Settings, results: ResultCache, advance: Callable[[], None]
    ) -> None:
        self._views, self._kept, self._property = views, results, settings.wiki.properties.defining_formula
        self._queries(views.concept_digests)  # before the index of what is recognised is given back
        views.known.release()
        advance()
        found = fetch_candidates(self._items_by_name(client, settings), client)
        self.items = found.items
        digests = {qid: cache_key(item) for qid, item in (*found.holders.items(), *found.items.items())}
        holders_digest = cache_key(self._property, [digests[qid] for qid in found.holders])

        def indexed(_: object) -> list[FormulaIndex]:
            return [claims_index(found.holders.values(), self._property, results)]

        def similar(texts: list[str]) -> list[tuple[str, ...]]:
            (index,) = results.map_batch("index", [holders_digest], bytes, indexed)
            return results.processes.make(partial(_similar_items, index), texts)

        texts = list(dict.fromkeys(one.tex for one in views.concept_digests))
        found_like = results.map_as_one_row("alike", texts, lambda tex: cache_key(tex, holders_digest), similar)
        like = dict(zip(texts, found_like, strict=True))
        never = {*settings.proposing.implausible_classes, settings.wiki.properties.disambiguation_class}
        plain = {qid for qid, item in found.items.items() if not never.intersection(item.classes)}
        self._all = [
            ConceptCandidates(one, tuple(qid for qid in qids if qid in plain))
            for one, qids in zip(views.concept_digests, self._candidates(found, like), strict=True)
        ]
        candidate_qids = {qid for one in self._all for qid in one.items}
        classes = sorted({each for qid in candidate_qids for each in found.items[qid].classes})
        self._judge = Judge(client.labels_of(classes) if classes else {}, results, views.version, digests)
        self.read({})

    def listed_formulas(self, qid: str) -> tuple[str, ...] | None:
        """Return the formulas that the built-in list or the workspace has for an item, None where neither is asked."""
        return self._views.known.definitions_of_item(self.items[qid])

    def read(self, articles: Articles) -> None:
        """Use encyclopaedia articles of items as evidence from now on."""
        self._articles = articles
        self._with = " with articles" if any(articles.values()) else ""
        candidates = dict.fromkeys(qid for one in self._all for qid in one.items)
        of_item = {
            qid: self._judge.digest_of(self.items[qid], self._property, articles.get(qid, ())) for qid in candidates
        }
        self._all = [
            replace(one, digest=cache_key(one.concept.digest, *map(of_item.__getitem__, one.items)))
            for one in self._all
        ]
        self._seen: CompetingFormulas | None = None

    def _candidates(self, found: Candidates, like: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
        """Yield the candidates of each concept: those of the last run if none of its names is the label of other items than then."""
        concepts = self._views.concept_digests
        keys = [cache_key(one.digest, self._views.version, like[one.tex]) for one in concepts]
        last_stored: dict[bytes, _LastCandidates] = self._kept.load("candidates", [b""])
        labels, (last_labels, last_candidates) = found.items_by_label, last_stored.get(b"", ({}, {}))
        changed = [label for label in {**last_labels, **labels} if last_labels.get(label) != labels.get(label)]
        affected = spellings_among(
            [last_candidates[key][1] if key in last_candidates else b"" for key in keys], changed
        )
        new = [n for n, key in enumerate(keys) if key not in last_candidates or affected[n]]
        for n, query in zip(new, self._queries([concepts[n] for n in new]), strict=True):
            last_candidates[keys[n]] = found.of(query, like[concepts[n].tex]), spelling_digests(query)
        if new or changed:
            self._kept.store("candidates", {b"": (labels, {key: last_candidates[key] for key in keys})})
        return (last_candidates[key][0] for key in keys)

    def _items_by_name(self, client: Client, settings: Settings) -> Iterable[frozenset[str]]:
        """Return for each concept the items that it met by name; on a wiki of which only asking tells its state, all are asked for."""
        if (state := client.content_version()) is None:
            return items_by_name(self._queries(self._views.concept_digests), client)
        world = cache_key(state, settings.wiki, client.languages)
        return self._kept.map_as_one_row(
            "met",
            self._views.concept_digests,
            lambda one: cache_key(one.digest, self._views.version, world),
            lambda some: items_by_name(self._queries(some), client),
        )

    def _queries(self, of: Sequence[ConceptDigest]) -> Iterable[CandidateQuery]:
        version, views = self._views.version, self._views.views
        return self._kept.map_lazily(
            "asked", of, lambda one: cache_key(one.digest, version), lambda some: map(CandidateQuery.of, views(some))
        )

    def judged(self, model: EvidenceModel) -> Iterator[JudgedConcept]:
        """Yield what becomes of each concept."""
        rivals, weights = self._rivals(), cache_key(model, code_version())
        states = {qid: cache_key(rivals.inputs(qid)) for qids in self._compared for qid in qids}
        digests = [
            cache_key(one.digest, [states[qid] for qid in qids], weights)
            for one, qids in zip(self._all, self._compared, strict=True)
        ]
        wanted = list(zip(digests, self._all, strict=True))

        def judge_all(some: list[_Digested]) -> Iterator[tuple[tuple[tuple[str, float], ...], bytes]]:
            return self._judge_block([one for _, one in some], rivals, model)

        def matches_of(one: _Digested) -> bytes:
            return self._kept.map_batch("judged", [one], itemgetter(0), lambda some: list(judge_all(some)))[0][1]

        def probabilities(some: list[_Digested]) -> Iterator[tuple[tuple[str, float], ...]]:
            return (found for found, _ in self._kept.map_lazily("judged", some, itemgetter(0), judge_all))

        probabilities_of_concepts = self._kept.map_as_one_row(
            f"probabilities{self._with}", wanted, itemgetter(0), probabilities
        )
        for one, found in zip(wanted, probabilities_of_concepts, strict=True):
            yield JudgedConcept(one[1].concept.key, one[0], found, partial(matches_of, one))

    def scored(self, model: EvidenceModel) -> Iterator[Scored]:
        """Yield every pair with all of its evidence."""
        for rows in self._scored(self._all, self._rivals(), model):
            yield from rows

    def _rivals(self) -> CompetingFormulas:
        if self._seen is not None:
            return self._seen
        rivals = self._seen = CompetingFormulas()
        self._compared: list[list[str]] = []  # of each concept the items whose other formulas say something of it
        strengths = self._kept.map_as_one_row(
            f"standing{self._with}",
            self._all,
            attrgetter("digest"),
            lambda some: (scores for scores, _ in self._evidence(some)),
        )
        for one, scores in zip(self._all, strengths, strict=True):
            self._compared.append([])
            for pair, (named, *given_and_called) in zip(self._pairs(one), scores, strict=True):
                rivals.add(pair, NamingStrength(named, *given_and_called))
                if is_compared(named):
                    self._compared[-1].append(pair.item.qid)
        return rivals

    def _evidence(self, of: Sequence[ConceptCandidates]) -> Iterable[tuple[tuple[tuple[float, ...], ...], bytes]]:
        """Return for each concept its standing with each item, and the evidence of each pair by itself, packed."""

        def make(some: Sequence[ConceptCandidates]) -> Iterator[tuple[tuple[tuple[float, ...], ...], bytes]]:
            views = self._views.views([each.concept for each in some])
            pairs = map(self._pairs, some, views)
            for evidence in one_ahead(map(self._judge.start, batched(pairs, _JUDGED))):
                for found in evidence:
                    yield tuple(tuple(naming_strength(each)) for each in found), to_pickle(found)

        return self._kept.map_lazily("evidence", of, lambda one: one.digest, make)

    def _pairs(self, one: ConceptCandidates, view: ConceptView | None = None) -> list[CandidatePair]:
        """Return a concept with each of its candidates; without a view of it, its formula alone is there."""
        view = view or self._views.formula_alone(one.concept)
        return [CandidatePair(view, self.items[qid], self._property, self._articles.get(qid, ())) for qid in one.items]

    def _scored(
        self, of: Sequence[ConceptCandidates], rivals: CompetingFormulas, model: EvidenceModel
    ) -> Iterator[list[Scored]]:
        """Yield the rows of each concept, weighed; pairs that there is nothing to say of are left out."""
        for block in batched(of, BLOCK):
            rows: list[list[Scored]] = []
            for one, (_, evidence) in zip(block, self._evidence(block), strict=True):
                found: list[tuple[Evidence, ...]] = from_pickle(evidence)
                rows.append([Scored(pair, each) for pair, each in zip(self._pairs(one), found, strict=True) if each])
            whole = iter(
                with_probabilities(rivals.with_competitors([row for each in rows for row in each], self._judge), model)
            )
            for each in rows:
                yield [next(whole) for _ in each]

    def _judge_block(
        self, some: Sequence[ConceptCandidates], rivals: CompetingFormulas, model: EvidenceModel
    ) -> Iterator[tuple[tuple[tuple[str, float], ...], bytes]]:
        for rows in self._scored(some, rivals, model):
            yield tuple((row.pair.item.qid, row.probability) for row in rows), to_pickle(matches(rows, model))


def _similar_items(index: FormulaIndex, texts: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(sorted(similar_items(tex, index))) for tex in texts]
