"""From pairs to matches: all evidence of each pair, then what its rivals say, then a probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import FormulaError
from bot.match.classes import CLASSES
from bot.match.doubts import DOUBTS
from bot.match.evidence import REASONS
from bot.match.model import Model, shipped
from bot.match.standing import STANDING
from bot.match.symbols import SYMBOLS
from bot.match.view import Pair
from bot.records import Evidence, ItemMatch

RIVALS_KEPT = 5  # matches kept for a concept: the best and its runners-up
LEAST = 0.01  # a probability below this is no runner-up worth keeping
SPAN = 4.0  # a lead or lag of this many logits is as good as any larger one


@dataclass(frozen=True)
class Scored:
    """A pair with its evidence and the logit that this evidence alone gives."""

    pair: Pair
    evidence: tuple[Evidence, ...]
    logit: float


def evidence_for(pair: Pair, classes: Mapping[str, str]) -> tuple[Evidence, ...]:
    """Return everything there is to say about one pair; nothing about a formula that has no tree."""
    try:
        found = [judge(pair) for judge in (*REASONS, *SYMBOLS, *STANDING, *DOUBTS)]
    except FormulaError:
        return ()
    found += [judge(pair, classes) for judge in CLASSES]
    return tuple(each for each in found if each is not None)


def scored(pairs: Iterable[Pair], classes: Mapping[str, str], model: Model | None = None) -> list[Scored]:
    """Judge each pair by itself."""
    model = model or shipped("matching")
    judged = ((pair, evidence_for(pair, classes)) for pair in pairs)
    return [Scored(pair, found, model.logit(as_scores(found))) for pair, found in judged if found]


def rival_evidence(rows: Sequence[Scored]) -> list[dict[str, float]]:
    """Return for each row its lead over the next item for its concept, and over the next formula for its item.

    Leads are between -1 and 1; without any rival the lead is 1.
    """
    items = _leads(rows, [row.pair.view.concept.key for row in rows])
    formulas = _leads(rows, [row.pair.item.qid for row in rows])
    return [
        {"alone": row.logit, "lead_of_item": item, "lead_of_formula": formula}
        for row, item, formula in zip(rows, items, formulas, strict=True)
    ]


def matches(rows: Sequence[Scored], model: Model | None = None) -> list[ItemMatch]:
    """Weigh each row against its rivals; keep the best few items of each concept, best first."""
    model = model or shipped("choosing")
    by_concept: dict[str, list[ItemMatch]] = defaultdict(list)
    for row, rivals in zip(rows, rival_evidence(rows), strict=True):
        match = _match(row, rivals, model)
        by_concept[match.concept].append(match)
    kept = []
    for key in sorted(by_concept):
        ranked = sorted(by_concept[key], key=lambda m: (-m.probability, m.qid))
        kept += [m for n, m in enumerate(ranked[:RIVALS_KEPT]) if n == 0 or m.probability >= LEAST]
    return kept


def as_scores(evidence: Iterable[Evidence]) -> dict[str, float]:
    return {each.name: each.score for each in evidence}


def _match(row: Scored, rivals: Mapping[str, float], model: Model) -> ItemMatch:
    concept, item = row.pair.view.concept, row.pair.item
    said = [*row.evidence]
    for name, what in (
        ("lead_of_item", "another item has better evidence"),
        ("lead_of_formula", "another formula has better evidence"),
    ):
        if rivals[name] < 0:
            said.append(Evidence(name, round(rivals[name], 4), f"{what} here"))
    return ItemMatch(concept.key, concept.tex, item.qid, round(model.probability(rivals), 4), tuple(said))


def _leads(rows: Sequence[Scored], groups: Sequence[str]) -> list[float]:
    """Return each row's lead over the best other row of its group, cut at ±SPAN and scaled to ±1."""
    best: dict[str, list[float]] = defaultdict(list)
    for row, group in zip(rows, groups, strict=True):
        best[group] = sorted([*best[group], row.logit], reverse=True)[:2]
    leads = []
    for row, group in zip(rows, groups, strict=True):
        first, second = (*best[group], row.logit - SPAN)[:2]
        rival = first if row.logit < first else second
        leads.append(max(-SPAN, min(SPAN, row.logit - rival)) / SPAN)
    return leads
