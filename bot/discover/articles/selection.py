"""Which formula of an article defines what the article is about, with the reasons; none where the article has none.

A conditional logit: the article's formulas share one unit of probability with “none of them”. What is the same formula
written twice is counted together. The weights are shipped in model.json, fitted by benchmarks/train_articles.py.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from bot.discover.articles.article import ArticleFormulas, Candidate
from bot.discover.articles.clues import CLUES
from bot.formula import FormulaError, compare
from bot.records import Document, Evidence, Occurrence

COMPARED = 6  # of the best formulas, compared with one another
SHOWN = 6  # reasons told


@dataclass(frozen=True, slots=True)
class ArticleModel:
    """A bias against “none”, a weight for each clue, and the probability from which a choice is accepted."""

    bias: float
    weights: Mapping[str, float]
    accept_from: float = 0.5

    def logit(self, scores: Mapping[str, float]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) * score for name, score in sorted(scores.items()))


@dataclass(frozen=True, slots=True)
class Defining:
    """The choice for one article. `tex` as it stands there, "" where there is no formula at all; `reasons` most telling first."""

    document: Document
    tex: str = ""
    position: int = -1
    probability: float = 0.0
    accepted: bool = False
    reasons: tuple[Evidence, ...] = ()
    others: tuple[tuple[str, float], ...] = ()  # the next formulas, with their own shares


@cache
def shipped() -> ArticleModel:
    """Return the model of model.json."""
    data = json.loads(files("bot.discover.articles").joinpath("model.json").read_text(encoding="utf-8"))
    return ArticleModel(data["bias"], data["weights"], data["accept_from"])


def defining_formula(
    document: Document, occurrences: Sequence[Occurrence], model: ArticleModel | None = None
) -> Defining:
    """Choose the formula that defines what an article is about."""
    article = ArticleFormulas(document, tuple(occurrences))
    rows = [(one, judged(article, one)) for one in article.candidates]
    return chosen(document, rows, model or shipped())


def judged(article: ArticleFormulas, one: Candidate) -> tuple[Evidence, ...]:
    """Return everything there is to say about one formula."""
    found = (clue(article, one) for clue in CLUES)
    return tuple(each for each in found if each is not None)


def chosen(document: Document, rows: Sequence[tuple[Candidate, tuple[Evidence, ...]]], model: ArticleModel) -> Defining:
    """Return the likeliest formula of judged ones."""
    if not rows:
        return Defining(document)
    shares = _shares([model.logit({e.name: e.score for e in evidence}) for _, evidence in rows])
    order = sorted(range(len(rows)), key=lambda n: (-shares[n], rows[n][0].occurrence.position))
    sums = {n: _together(n, order[:COMPARED], rows, shares) for n in order[:COMPARED]}
    best = max(order[:COMPARED], key=lambda n: (round(sums[n], 9), shares[n], -n))
    one, evidence = rows[best]
    others = tuple((rows[n][0].tex, round(shares[n], 4)) for n in order[:COMPARED] if n != best)
    told = sorted((_weighed(each, model) for each in evidence), key=lambda each: -abs(each.score))
    accepted = sums[best] >= model.accept_from
    reasons = tuple(each for each in told if each.score)[:SHOWN]
    return Defining(document, one.tex, one.occurrence.position, round(sums[best], 4), accepted, reasons, others[:3])


def _shares(logits: Sequence[float]) -> list[float]:
    weights = [math.exp(max(-30.0, min(30.0, logit))) for logit in logits]
    total = 1.0 + sum(weights)
    return [weight / total for weight in weights]


def _together(
    n: int, near: Sequence[int], rows: Sequence[tuple[Candidate, tuple[Evidence, ...]]], shares: Sequence[float]
) -> float:
    return shares[n] + sum(shares[m] for m in near if m != n and same(rows[n][0].tex, rows[m][0].tex))


def same(a: str, b: str) -> bool:
    """Say whether two formulas are one up to notation."""
    first, second = sorted((a, b))
    try:
        return compare(first, second).same_concept
    except FormulaError:
        return False


def _weighed(each: Evidence, model: ArticleModel) -> Evidence:
    """Return a clue with what it counted, squashed to -1…1: above 0 it speaks for the formula."""
    return replace(each, score=round(math.tanh(model.weights.get(each.name, 0.0) * each.score), 4))
