"""From pairs to matches: the evidence of each pair, and how likely a careful editor accepts the formula for the item.

Each pair is judged by its own evidence: an item may hold several standard forms, and what other formulas and other
items say is evidence as well (`with_rivals`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
from bot.match.features.ranking_evidence import REASONS
from bot.match.features.special_case import CASES, special_case
from bot.match.model import EvidenceModel, shipped
from bot.records import Evidence, ItemMatch

_NOTHING = KeptResults()
ITEMS_KEPT = 5  # chosen: matches kept for a concept: the best and its runners-up
# Name score from which a formula counts as named after the item: of judged pairs .35 were accepted from .1 to .3, and .51 above.
NAMED = 0.3
LEAST = 0.005  # chosen: a probability below this is no runner-up worth keeping
COMPARED = 12  # chosen, for the time it takes: of an item's best formulas, compared with one another for agreement


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
    try:
        found = [
            judge(pair) for judge in (*REASONS, *SYMBOLS, *EXISTING_CLAIMS, *KNOWN, *FORMS, *DOUBTS, *CASES, *DECIDED)
        ]
    except FormulaError:
        return ()
    found += [judge(pair, classes) for judge in CLASSES]
    return tuple(each for each in found if each is not None)


class Judge:
    """Judges pairs, each with the labels of the items' `classes`; what was judged before on the same grounds is kept.

    `version` tells what is known beyond the corpus from what was known when results were kept.
    """

    def __init__(self, classes: Mapping[str, str], kept: KeptResults = _NOTHING, version: str = "") -> None:
        self._classes, self._kept, self._version = classes, kept, version
        self._items: dict[str, bytes] = {}

    def scored(self, pairs: Sequence[CandidatePair], model: EvidenceModel) -> list[Scored]:
        """Judge each pair, and then in the light of the concept's other items and the item's other formulas."""
        found = self._kept.each("evidence", pairs, self._grounds, lambda pair: evidence_for(pair, self._classes))
        judged = [Scored(pair, each) for pair, each in zip(pairs, found, strict=True) if each]
        return weighed(with_rivals(judged, self), model)

    def agreeing(self, asked: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[int]:
        """Yield for each formula how many of the others beside it agree with it."""
        return self._kept.each("agreeing", asked, lambda one: key_of(*one), lambda one: _agreeing(*one))

    def special_cases(self, asked: Sequence[tuple[CandidatePair, tuple[str, ...]]]) -> Iterator[Evidence | None]:
        """Yield for each pair of what other formula of its item it is a special case."""

        def grounds(one: tuple[CandidatePair, tuple[str, ...]]) -> bytes:
            pair, others = one
            return key_of(pair.view.concept.tex, self._item(pair), pair.formula_property, others, self._version)

        return self._kept.each("case", asked, grounds, lambda one: special_case(*one))

    def _grounds(self, pair: CandidatePair) -> bytes:
        labels = [self._classes.get(each) for each in pair.item.classes]
        return key_of(
            pair.view.digest, self._item(pair), pair.shared, pair.formula_property, pair.articles, labels, self._version
        )

    def _item(self, pair: CandidatePair) -> bytes:
        found = self._items.get(pair.item.qid)
        if found is None:
            found = self._items[pair.item.qid] = key_of(pair.item)
        return found


def scored(
    pairs: Iterable[CandidatePair], classes: Mapping[str, str], model: EvidenceModel | None = None
) -> list[Scored]:
    """Judge pairs without anything kept."""
    return Judge(classes).scored(list(pairs), model or shipped("matching"))


def weighed(rows: Iterable[Scored], model: EvidenceModel) -> list[Scored]:
    """Return the rows with their probabilities under a model."""
    return [replace(row, probability=model.probability(as_scores(row.evidence))) for row in rows]


def with_rivals(rows: Sequence[Scored], judge: Judge | None = None) -> list[Scored]:
    """Add what other names of the concept and other formulas of the item say."""
    judge = judge or Judge({})
    names: dict[str, list[float]] = defaultdict(list)
    spread: dict[str, int] = defaultdict(int)
    for row in rows:
        names[row.pair.view.concept.key].append(_named(row))
        if _named(row) >= NAMED:
            spread[row.pair.item.qid] = max(spread[row.pair.item.qid], row.pair.view.concept.documents)
    seconds, cases = _also_written(rows, judge), _special_cases(rows, judge)
    return [
        replace(row, evidence=(*row.evidence, *_rivals(row, names, spread), *seconds.get(n, ()), *cases.get(n, ())))
        for n, row in enumerate(rows)
    ]


def _also_written(rows: Sequence[Scored], judge: Judge) -> dict[int, tuple[Evidence, ...]]:
    """Return evidence for rows whose formula other formulas, named as the same item elsewhere, agree with."""
    groups: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        if _named(row) >= NAMED:
            groups[row.pair.item.qid].append(n)
    asked: dict[int, tuple[str, tuple[str, ...]]] = {}
    for members in groups.values():
        best = sorted(members, key=lambda n: (-_named(rows[n]), rows[n].pair.view.concept.key))[:COMPARED]
        asked |= {n: (rows[n].tex, tuple(rows[m].tex for m in best if m != n)) for n in best}
    return {
        n: (Evidence.of("also_written.n", round(min(1.0, math.log2(1 + others) / 2), 4), n=others),)
        for n, others in zip(asked, judge.agreeing(list(asked.values())), strict=True)
        if others
    }


def _agreeing(tex: str, others: Iterable[str]) -> int:
    return sum(equivalent(*sorted((tex, other))) is not None for other in others)


def _special_cases(rows: Sequence[Scored], judge: Judge) -> dict[int, tuple[Evidence, ...]]:
    """Return evidence for rows whose formula is a special case of another one that is named as the same item."""
    general: dict[str, list[str]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (-_named(row), row.pair.view.concept.key)):
        wider = general[row.pair.item.qid]
        if _named(row) >= NAMED and len(wider) < COMPARED:
            wider.append(row.tex)
    asked = {n: (row.pair, tuple(general[row.pair.item.qid])) for n, row in enumerate(rows) if 2 * _named(row) >= NAMED}
    found = zip(asked, judge.special_cases(list(asked.values())), strict=True)
    return {n: (case,) for n, case in found if case}


def _rivals(row: Scored, names: Mapping[str, Sequence[float]], spread: Mapping[str, int]) -> Iterable[Evidence]:
    own = _named(row)
    best = max(names[row.pair.view.concept.key])
    if best > own:
        yield Evidence.of("better_named.other", round(best - own, 4))
    documents, most = row.pair.view.concept.documents, spread.get(row.pair.item.qid, 0)
    if own >= NAMED and most >= 2:
        share = math.log(1 + documents) / math.log(1 + most)
        yield Evidence.of("most_frequent.n", round(share, 4), n=documents, m=most)


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


def _named(row: Scored) -> float:
    return next((each.score for each in row.evidence if each.name == "name_score"), 0.0)
