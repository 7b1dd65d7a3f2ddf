"""From pairs to matches: the evidence of each pair, and how likely a careful editor accepts the formula for the item.

Each pair is judged by its own evidence: an item may hold several standard forms, and what other formulas and other
items say is evidence as well (`with_rivals`).
"""

from __future__ import annotations

import math
from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from bot.errors import FormulaError
from bot.kept_results import KeptResults, key_of
from bot.match.classes import CLASSES
from bot.match.features.agreement import equivalent
from bot.match.features.candidate_pair import CandidatePair
from bot.match.features.canonical_definition import FORMS
from bot.match.features.decided import DECIDED
from bot.match.features.existing_claims import EXISTING_CLAIMS
from bot.match.features.known import KNOWN
from bot.match.features.left_side import SYMBOLS
from bot.match.features.negative import DOUBTS
from bot.match.features.ranking_evidence import REASONS, named_alone
from bot.match.features.special_case import CASES, special_case
from bot.match.model import EvidenceModel, shipped
from bot.records import Evidence, ItemMatch

_NOTHING = KeptResults()
_NONE: Mapping[str, bytes] = MappingProxyType({})
ITEMS_KEPT = 5  # chosen: matches kept for a concept: the best and its runners-up
# Name score from which a formula counts as named after the item: of judged pairs .35 were accepted from .1 to .3, and .51 above.
NAMED = 0.3
GIVEN = ("key_equation", "equation_title", "defined_term")  # evidence that the author gives a formula the item's name
LEAST = 0.005  # chosen: a probability below this is no runner-up worth keeping
COMPARED = 12  # chosen, for the time it takes: of an item's best formulas, compared with one another for agreement


class Standing(NamedTuple):
    """How surely a formula is called as an item: over all, by its author, in so many words."""

    named: float = 0.0
    given: float = 0.0
    called: float = 0.0


@dataclass(frozen=True)
class Scored:
    """A pair with its evidence, and the probability that this evidence gives."""

    pair: CandidatePair
    evidence: tuple[Evidence, ...]
    probability: float = 0.0

    @property
    def tex(self) -> str:
        return self.pair.view.concept.tex


def evidence_for(pair: CandidatePair, classes: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Return everything there is to say about one pair; nothing about a formula that has no tree."""
    return _with_passages(pair, classes, formula_evidence(pair))


def formula_evidence(pair: CandidatePair) -> tuple[Evidence, ...] | None:
    """Return what the formula alone says: neither its places nor its names are looked at; None for a formula that has no tree."""
    try:
        return tuple(found for judge in (*EXISTING_CLAIMS, *KNOWN, *FORMS) if (found := judge(pair)) is not None)
    except FormulaError:
        return None


def _with_passages(
    pair: CandidatePair, classes: Mapping[str, str], of_formula: tuple[Evidence, ...] | None
) -> tuple[Evidence, ...]:
    if of_formula is None:
        return ()
    try:
        before = [judge(pair) for judge in (*REASONS, *SYMBOLS)]
        after = [judge(pair) for judge in (*DOUBTS, *CASES, *DECIDED)]
    except FormulaError:
        return ()
    after += [judge(pair, classes) for judge in CLASSES]
    seen = [each for each in (*before, *of_formula, *after) if each is not None]
    alone = named_alone(seen)
    return (*seen, alone) if alone else tuple(seen)


class Judge:
    """Judges pairs, each with the labels of the items' `classes`; what was judged before on the same grounds is kept.

    `version` tells what is known beyond the corpus from what was known when results were kept.
    """

    def __init__(
        self,
        classes: Mapping[str, str],
        kept: KeptResults = _NOTHING,
        version: str = "",
        items: Mapping[str, bytes] = _NONE,
    ) -> None:
        self._classes, self._kept, self._version = classes, kept, version
        self._items = dict(items)  # a digest of each

    def evidence(self, pairs: Sequence[CandidatePair]) -> list[tuple[Evidence, ...]]:
        """Return what there is to say about each pair of one concept by itself."""
        if not pairs:
            return []

        def grounds(pairs: Sequence[CandidatePair]) -> bytes:
            first = pairs[0]
            return key_of(first.view.concept.tex, list(map(self._item, pairs)), first.formula_property, self._version)

        (of_formula,) = self._kept.together(
            "formula", [pairs], grounds, lambda some: [list(map(formula_evidence, each)) for each in some]
        )
        return [_with_passages(pair, self._classes, each) for pair, each in zip(pairs, of_formula, strict=True)]

    def grounds(self, pair: CandidatePair) -> bytes:
        """Return a digest of all that `evidence` looks at, but for the view."""
        labels = [self._classes.get(each) for each in pair.item.classes]
        return key_of(self._item(pair), pair.formula_property, pair.articles, labels, self._version)

    def agreeing(self, asked: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[bool, ...]]:
        """Yield for each formula which of the others beside it agree with it."""
        return self._kept.each("agreeing", asked, lambda one: key_of(*one), lambda one: _agreeing(*one))

    def special_cases(self, asked: Sequence[tuple[CandidatePair, tuple[str, ...]]]) -> Iterator[Evidence | None]:
        """Yield for each pair of what other formula of its item it is a special case."""

        def grounds(one: tuple[CandidatePair, tuple[str, ...]]) -> bytes:
            pair, others = one
            return key_of(pair.view.concept.tex, self._item(pair), pair.formula_property, others, self._version)

        return self._kept.each("case", asked, grounds, lambda one: special_case(*one))

    def _item(self, pair: CandidatePair) -> bytes:
        found = self._items.get(pair.item.qid)
        if found is None:
            found = self._items[pair.item.qid] = key_of(pair.item)
        return found


def scored(
    pairs: Iterable[CandidatePair], classes: Mapping[str, str], model: EvidenceModel | None = None
) -> list[Scored]:
    """Judge pairs, each by itself and then in the light of the others, without anything kept."""
    judge = Judge(classes)
    rows = [Scored(pair, found) for pair in pairs if (found := evidence_for(pair, classes))]
    return weighed(with_rivals(rows, judge), model or shipped("matching"))


def weighed(rows: Iterable[Scored], model: EvidenceModel) -> list[Scored]:
    """Return the rows with their probabilities under a model."""
    return [replace(row, probability=model.probability(as_scores(row.evidence))) for row in rows]


def with_rivals(rows: Sequence[Scored], judge: Judge | None = None) -> list[Scored]:
    """Add what other names of the concept and other formulas of the item say."""
    rivals = Rivals()
    for row in rows:
        rivals.see(row.pair, standing(row.evidence))
    return rivals.added(rows, judge or Judge({}))


class Rivals:
    """The formulas that are named as each item: all rows are seen first, then what they say of each other is added.

    Of an item the best few are held, so that the rows themselves need not be.
    """

    def __init__(self) -> None:
        # -score, concept, TeX, standing; in order
        self._best: dict[str, list[tuple[float, str, str, Standing]]] = defaultdict(list)

    def see(self, pair: CandidatePair, how: Standing) -> None:
        """Take notice of how a concept is named as an item; pairs may come in any order."""
        if how.named >= NAMED:
            qid, concept = pair.item.qid, pair.view.concept
            insort(self._best[qid], (-how.named, concept.key, concept.tex, how))
            del self._best[qid][COMPARED:]

    def state(self, qid: str) -> tuple[object, ...]:
        """Return all that `added` looks at for an item."""
        return tuple(self._best.get(qid, ()))

    def added(self, rows: Sequence[Scored], judge: Judge) -> list[Scored]:
        """Return the rows with what rivals say of them; all rows of a concept are among them."""
        twins, cases = self._twins(rows, judge), self._special_cases(rows, judge)
        return [
            replace(row, evidence=(*row.evidence, *twins.get(n, ()), *cases.get(n, ()))) for n, row in enumerate(rows)
        ]

    def _twins(self, rows: Sequence[Scored], judge: Judge) -> dict[int, list[Evidence]]:
        """Return evidence for rows whose formula other formulas, named as the same item elsewhere, agree with."""
        asked = {
            n: [one for one in self._best.get(row.pair.item.qid, ()) if one[1] != row.pair.view.concept.key]
            for n, row in enumerate(rows)
            if 2 * named(row.evidence) >= NAMED
        }
        agreeing = judge.agreeing([(rows[n].tex, tuple(one[2] for one in others)) for n, others in asked.items()])
        found: dict[int, list[Evidence]] = {}
        for (n, others), agree in zip(asked.items(), agreeing, strict=True):
            twins = [one for one, agrees in zip(others, agree, strict=True) if agrees]
            for name in ("given", "called"):
                worth, tex = max(((getattr(one[3], name), one[2]) for one in twins), default=(0.0, ""))
                if worth:
                    found.setdefault(n, []).append(Evidence.of(f"twin_{name}.so", worth, tex=tex))
        return found

    def _special_cases(self, rows: Sequence[Scored], judge: Judge) -> dict[int, tuple[Evidence, ...]]:
        """Return evidence for rows whose formula is a special case of another one that is named as the same item."""
        asked = {
            n: (row.pair, tuple(tex for _, _, tex, _ in self._best.get(row.pair.item.qid, ())))
            for n, row in enumerate(rows)
            if 2 * named(row.evidence) >= NAMED
        }
        found = zip(asked, judge.special_cases(list(asked.values())), strict=True)
        return {n: (case,) for n, case in found if case}


def _agreeing(tex: str, others: Iterable[str]) -> tuple[bool, ...]:
    return tuple(equivalent(*sorted((tex, other))) is not None for other in others)


def matches(rows: Sequence[Scored], model: EvidenceModel | None = None) -> list[ItemMatch]:
    """Return the best few items of each concept, best first; a match's evidence says how much it weighed, and which way."""
    model = model or shipped("matching")
    by_concept: dict[str, list[ItemMatch]] = defaultdict(list)
    for row in rows:
        concept, item = row.pair.view.concept, row.pair.item
        by_concept[concept.key].append(
            ItemMatch(concept.key, concept.tex, item.qid, round(row.probability, 4), contributions(row.evidence, model))
        )
    kept = []
    for key in sorted(by_concept):
        ranked = sorted(by_concept[key], key=lambda m: (-m.probability, m.qid))
        kept += [m for n, m in enumerate(ranked[:ITEMS_KEPT]) if n == 0 or m.probability >= LEAST]
    return kept


def contributions(evidence: Iterable[Evidence], model: EvidenceModel) -> tuple[Evidence, ...]:
    """Return the evidence with weight × value for its score, squashed to -1…1: above 0 it speaks for the item, below against it.

    What was measured stays as `value`: `formula-bot train` weighs it anew.
    """
    return tuple(
        replace(each, score=round(math.tanh(model.weights.get(each.name, 0.0) * each.score), 4), value=each.score)
        for each in evidence
    )


def as_scores(evidence: Iterable[Evidence]) -> dict[str, float]:
    return {each.name: each.score for each in evidence}


def standing(evidence: Iterable[Evidence]) -> Standing:
    scores = as_scores(evidence)
    return Standing(
        scores.get("name_score", 0.0), max(scores.get(name, 0.0) for name in GIVEN), scores.get("called", 0.0)
    )


def named(evidence: Iterable[Evidence]) -> float:
    """Return how surely the concept is called as the item."""
    return next((each.score for each in evidence if each.name == "name_score"), 0.0)
