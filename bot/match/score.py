"""From pairs to matches: the evidence of each pair, and how likely a careful editor accepts the formula for the item.

Each pair is judged by its own evidence: an item may hold several standard forms, and what other formulas and other
items say is evidence as well (`CompetingFormulas`).
"""

import math
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, Self

from bot.discover.articles import ArticleReading
from bot.errors import FormulaError
from bot.match.builtin.reviewer_answers import ReviewerAnswer
from bot.match.classes import CLASS_FEATURES
from bot.match.features.agreement import equivalent
from bot.match.features.builtin_list import BUILTIN_LIST_FEATURES
from bot.match.features.candidate_pair import CandidatePair, ConceptOccurrence, ConceptView
from bot.match.features.canonical_definition import DEFINITION_FEATURES
from bot.match.features.existing_claims import EXISTING_CLAIM_FEATURES
from bot.match.features.left_side import LEFT_SIDE_FEATURES
from bot.match.features.negative import NEGATIVE_FEATURES
from bot.match.features.ranking_evidence import CONTEXT_FEATURES, called_eponym, named_alone
from bot.match.features.reviewer_decisions import DECISION_FEATURES
from bot.match.features.special_case import SPECIAL_CASE_FEATURES, special_case
from bot.match.model import EvidenceModel, scores_by_name, shipped_model
from bot.match.retrieval.known_concepts import ConceptIndex
from bot.match.retrieval.recognise import Hit
from bot.records import Evidence, FormulaConcept, Item, ItemMatch
from bot.result_cache import NO_CACHE, ResultCache, cache_key

FormulaEvidence = list[tuple[Evidence, ...] | None]  # of the pairs of one concept: see formula_evidence

_NONE: Mapping[str, bytes] = MappingProxyType({})
ITEMS_KEPT = 5  # chosen: matches kept for a concept: the best and its runners-up
# Name score from which a formula counts as named after the item: of judged pairs .35 were accepted from .1 to .3, and .51 above.
MIN_NAME_SCORE = 0.3
# Evidence that the author gives a formula the item's name
AUTHOR_EVIDENCE = ("key_equation", "equation_title", "defined_term")
MIN_PROBABILITY = 0.005  # chosen: a probability below this is not a runner-up worth keeping
COMPARED = 12  # chosen, for the time it takes: of an item's best formulas, compared with one another for agreement
# Formulas of the name that say something else, from which the name says little: of judged pairs from .5 on without the list .77 are accepted below it, .63 from it on.
MANY_FORMULAS = 3


class NamingStrength(NamedTuple):
    """How surely the corpus gives a formula the name of an item: over all, by its author, in an explicit sentence."""

    named: float = 0.0
    given: float = 0.0
    called: float = 0.0


NamedFormula = tuple[float, str, str, NamingStrength]  # -score, concept, TeX, strength


@dataclass(frozen=True)
class Scored:
    """A pair with its evidence, and the probability that this evidence gives."""

    pair: CandidatePair
    evidence: tuple[Evidence, ...]
    probability: float = 0.0

    @property
    def tex(self) -> str:
        return self.pair.view.concept.tex


def formula_evidence(pair: CandidatePair) -> tuple[Evidence, ...] | None:
    """Return what the formula alone says: neither its places nor its names are looked at; None for a formula that has no tree."""
    try:
        return tuple(
            found
            for judge in (*EXISTING_CLAIM_FEATURES, *BUILTIN_LIST_FEATURES, *DEFINITION_FEATURES)
            if (found := judge(pair)) is not None
        )
    except FormulaError:
        return None


def _with_passages(
    pair: CandidatePair, classes: Mapping[str, str], of_formula: tuple[Evidence, ...] | None
) -> tuple[Evidence, ...]:
    if of_formula is None:
        return ()
    try:
        before = [judge(pair) for judge in (*CONTEXT_FEATURES, *LEFT_SIDE_FEATURES)]
        after = [judge(pair) for judge in (*NEGATIVE_FEATURES, *SPECIAL_CASE_FEATURES, *DECISION_FEATURES)]
    except FormulaError:
        return ()
    after += [judge(pair, classes) for judge in CLASS_FEATURES]
    evidence = [each for each in (*before, *of_formula, *after) if each is not None]
    together = (judge(evidence) for judge in (named_alone, called_eponym))
    return (*evidence, *filter(None, together))


class AskedConcept(NamedTuple):
    """A concept as it is sent to where it is judged: its view but for what all views share, and the items that it may be."""

    view: tuple[
        FormulaConcept,
        tuple[ConceptOccurrence, ...],
        Sequence[Hit],
        ReviewerAnswer | None,
        Mapping[str, tuple[int, int]],
    ]
    items: Sequence[tuple[Item, tuple[ArticleReading, ...]]]
    of_formula: FormulaEvidence | None = None  # where it is known

    @classmethod
    def of(cls, pairs: Sequence[CandidatePair], of_formula: FormulaEvidence | None = None) -> Self:
        view = pairs[0].view
        parts = view.concept, view.occurrences, view.recognised, view.answer, view.removed
        return cls(parts, [(pair.item, pair.articles) for pair in pairs], of_formula)

    def pairs(self, index: ConceptIndex, formula_property: str) -> list[CandidatePair]:
        """Return the concept with each of its items again."""
        concept, occurrences, recognised, answer, removed = self.view
        view = ConceptView(concept, occurrences, index, recognised, answer, removed)
        return [CandidatePair(view, item, formula_property, articles) for item, articles in self.items]


def judge_pairs(
    index: ConceptIndex, formula_property: str, classes: Mapping[str, str], concepts: Sequence[AskedConcept]
) -> list[tuple[FormulaEvidence, list[tuple[Evidence, ...]]]]:
    """Return for each concept the evidence of its formula alone, and all evidence, of each pair; for other processes, which read the index once."""
    found = []
    for concept in concepts:
        pairs = concept.pairs(index, formula_property)
        alone = list(map(formula_evidence, pairs)) if concept.of_formula is None else concept.of_formula
        found.append((alone, [_with_passages(pair, classes, each) for pair, each in zip(pairs, alone, strict=True)]))
    return found


def judge_special_cases(
    index: ConceptIndex, formula_property: str, cases: Sequence[tuple[str, Item, tuple[str, ...]]]
) -> list[Evidence | None]:
    """Return for each formula with its item of which of the other formulas it is a special case."""
    views = (ConceptView(FormulaConcept("", tex, 0, 0), (), index) for tex, _, _ in cases)
    return [
        special_case(CandidatePair(view, item, formula_property), others)
        for view, (_, item, others) in zip(views, cases, strict=True)
    ]


class Judge:
    """Judges concepts with their candidates, each with the labels of the items' `classes`; what was judged before on the same grounds is kept.

    `version` tells what is known beyond the corpus from what was known when results were kept.
    """

    def __init__(
        self,
        classes: Mapping[str, str],
        results: ResultCache = NO_CACHE,
        version: str = "",
        items: Mapping[str, bytes] = _NONE,
    ) -> None:
        self._classes, self._kept, self._version = classes, results, version
        self._items = dict(items)  # a digest of each

    def evidence(self, concepts: Sequence[Sequence[CandidatePair]]) -> list[list[tuple[Evidence, ...]]]:
        """Return the evidence of each pair of each concept, without that of competing pairs."""
        return self.start(concepts)()

    def start(self, concepts: Sequence[Sequence[CandidatePair]]) -> Callable[[], list[list[tuple[Evidence, ...]]]]:
        """Return what returns `evidence`; where there are other processes they judge meanwhile."""
        pairs_of_concepts = [pairs for pairs in concepts if pairs]
        if not pairs_of_concepts:
            return lambda: [[] for _ in concepts]
        first, keys = pairs_of_concepts[0][0], [self._of_formula(pairs) for pairs in pairs_of_concepts]
        stored: dict[bytes, FormulaEvidence] = self._kept.load("formula", keys)
        asked_concepts = [
            AskedConcept.of(pairs, stored.get(key)) for key, pairs in zip(keys, pairs_of_concepts, strict=True)
        ]
        judge = partial(judge_pairs, first.view.known, first.formula_property, self._classes)
        started, has_pairs = self._kept.processes.start(judge, asked_concepts), [bool(pairs) for pairs in concepts]

        def results() -> list[list[tuple[Evidence, ...]]]:
            found = started()
            self._kept.store(
                "formula", {key: alone for key, (alone, _) in zip(keys, found, strict=True) if key not in stored}
            )
            whole = iter(found)
            return [next(whole)[1] if each else [] for each in has_pairs]

        return results

    def _of_formula(self, pairs: Sequence[CandidatePair]) -> bytes:
        """Return a digest of all that the formula of a concept and its items say."""
        items = [self._item(pair.item) for pair in pairs]
        return cache_key(pairs[0].view.concept.tex, items, pairs[0].formula_property, self._version)

    def digest_of(self, item: Item, formula_property: str, articles: Sequence[ArticleReading]) -> bytes:
        """Return a digest of all that `evidence` looks at in an item."""
        labels = [self._classes.get(each) for each in item.classes]
        return cache_key(self._item(item), formula_property, articles, labels, self._version)

    def equivalents(self, formulas: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[bool, ...]]:
        """Yield for each formula which of the others beside it agree with it."""
        return self._kept.map_parallel("agreeing", formulas, lambda one: cache_key(*one), _agreeing)

    def special_cases(self, cases: Sequence[tuple[CandidatePair, tuple[str, ...]]]) -> Iterator[Evidence | None]:
        """Yield for each pair of what other formula of its item it is a special case."""
        if not cases:
            return iter(())
        first, _ = cases[0]

        def grounds(one: tuple[str, Item, tuple[str, ...]]) -> bytes:
            tex, item, others = one
            return cache_key(tex, self._item(item), first.formula_property, others, self._version)

        judge = partial(judge_special_cases, first.view.known, first.formula_property)
        formulas = [(pair.view.concept.tex, pair.item, others) for pair, others in cases]
        return self._kept.map_parallel("case", formulas, grounds, judge)

    def _item(self, item: Item) -> bytes:
        found = self._items.get(item.qid)
        if found is None:
            found = self._items[item.qid] = cache_key(item)
        return found


def with_probabilities(rows: Iterable[Scored], model: EvidenceModel) -> list[Scored]:
    """Return the rows with their probabilities under a model."""
    return [replace(row, probability=model.probability(scores_by_name(row.evidence))) for row in rows]


def is_compared(name_score: float) -> bool:
    """Say whether a formula with this name score is compared with the other formulas of the item."""
    return 2 * name_score >= MIN_NAME_SCORE


class CompetingFormulas:
    """The formulas that have the name of each item. All pairs are added first; then each row gets evidence of the other formulas of its item.

    Only the best few formulas of an item are in memory.
    """

    def __init__(self) -> None:
        self._best: dict[str, list[NamedFormula]] = defaultdict(list)  # of each item, in order

    def add(self, pair: CandidatePair, strength: NamingStrength) -> None:
        """Note how surely a concept has the name of an item; pairs may come in any order."""
        if strength.named >= MIN_NAME_SCORE:
            qid, concept = pair.item.qid, pair.view.concept
            insort(self._best[qid], (-strength.named, concept.key, concept.tex, strength))
            del self._best[qid][COMPARED:]

    def inputs(self, qid: str) -> tuple[object, ...]:
        """Return all that `with_competitors` looks at for an item. Of scores of names it is the order."""
        return tuple([(key, tex, strength.given, strength.called) for _, key, tex, strength in self._best.get(qid, ())])

    def with_competitors(self, rows: Sequence[Scored], judge: Judge) -> list[Scored]:
        """Return the rows with the evidence of competing formulas; all rows of a concept must be among them."""
        best = {
            n: self._best.get(row.pair.item.qid, [])
            for n, row in enumerate(rows)
            if is_compared(naming_strength(row.evidence).named)
        }
        others = {n: [one for one in each if one[1] != rows[n].pair.view.concept.key] for n, each in best.items()}
        agreeing = judge.equivalents([(rows[n].tex, tuple(one[2] for one in each)) for n, each in others.items()])
        cases = judge.special_cases([(rows[n].pair, tuple(one[2] for one in each)) for n, each in best.items()])
        found = {
            n: (*_evidence_of_equivalents(others[n], agree), *filter(None, (case,)))
            for n, agree, case in zip(best, agreeing, cases, strict=True)
        }
        return [replace(row, evidence=(*row.evidence, *found.get(n, ()))) for n, row in enumerate(rows)]


def _evidence_of_equivalents(others: Sequence[NamedFormula], agree: Sequence[bool]) -> Iterator[Evidence]:
    """Yield evidence of other formulas with the name of an item: whether many do not agree, and how those that do are named."""
    equivalents = [one for one, agrees in zip(others, agree, strict=True) if agrees]
    if (unlike := len(others) - len(equivalents)) >= MANY_FORMULAS:
        yield Evidence.of("many_formulas.n", 1.0, n=unlike)
    for name in ("given", "called"):
        strength, tex = max(((getattr(one[3], name), one[2]) for one in equivalents), default=(0.0, ""))
        if strength:
            yield Evidence.of(f"twin_{name}.so", strength, tex=tex)


def _agreeing(formulas: Sequence[tuple[str, tuple[str, ...]]]) -> list[tuple[bool, ...]]:
    return [tuple(equivalent(*sorted((tex, other))) is not None for other in others) for tex, others in formulas]


def matches(rows: Sequence[Scored], model: EvidenceModel | None = None) -> list[ItemMatch]:
    """Return the best few items of each concept, best first; a match's evidence says how much it weighed, and which way."""
    model = model or shipped_model("matching")
    by_concept: dict[str, list[ItemMatch]] = defaultdict(list)
    for row in rows:
        concept, item = row.pair.view.concept, row.pair.item
        by_concept[concept.key].append(
            ItemMatch(concept.key, concept.tex, item.qid, round(row.probability, 4), contributions(row.evidence, model))
        )
    chosen = []
    for key in sorted(by_concept):
        ranked = sorted(by_concept[key], key=lambda m: (-m.probability, m.qid))
        chosen += [m for n, m in enumerate(ranked[:ITEMS_KEPT]) if n == 0 or m.probability >= MIN_PROBABILITY]
    return chosen


def contributions(evidence: Iterable[Evidence], model: EvidenceModel) -> tuple[Evidence, ...]:
    """Return the evidence with weight × value for its score, squashed to -1…1: above 0 it speaks for the item, below against it.

    What was measured stays as `value`: `formula-bot train` weighs it anew.
    """
    return tuple(
        replace(each, score=round(math.tanh(model.weight(each) * each.score), 4), value=each.score) for each in evidence
    )


def naming_strength(evidence: Iterable[Evidence]) -> NamingStrength:
    scores = scores_by_name(evidence)
    return NamingStrength(
        scores.get("name_score", 0.0), max(scores.get(name, 0.0) for name in AUTHOR_EVIDENCE), scores.get("called", 0.0)
    )
