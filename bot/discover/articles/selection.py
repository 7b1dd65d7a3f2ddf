"""Which formula of an article defines what the article is about, with the reasons; none where the article has none.

Two linear models over the same clues, shipped in model.json and fitted by benchmarks/train_articles.py: a conditional logit
shares one unit of probability among the article's formulas, the same formula written twice counted together; a logistic
regression then says how likely the best one is the defining one, and so whether the article has one at all. Each is fitted twice:
to what the article says alone, and beside a list of concepts that has formulas of many subjects.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from operator import itemgetter

from bot.discover.articles.article import ArticleCandidate, ArticleFormulas
from bot.discover.articles.clues import CLUES
from bot.formula import compare
from bot.records import Document, Occurrence

COMPARED = 6  # of the best formulas, compared with one another
MAX_REASONS = 6  # reasons told
FIRST = ("defines", "title_in_sentence", "title_section", "statement_section", "lead")  # clues
Scores = Mapping[str, float]  # of the clues, by name


@dataclass(frozen=True, slots=True)
class ArticleModel:
    """Weights of the clues for the choice and for accepting it (there with the `share` of the choice among all formulas),
    and the probability from which a choice is accepted."""

    choice: Mapping[str, float]
    accept: Mapping[str, float]
    bias: float = 0.0
    accept_from: float = 0.5

    def score(self, scores: Scores) -> float:
        return sum(self.choice.get(name, 0.0) * score for name, score in scores.items())

    def probability(self, scores: Scores, share: float) -> float:
        """Return how likely a choice with this share is right."""
        found = {**scores, "share": share}
        logit = self.bias + sum(self.accept.get(name, 0.0) * found[name] for name in sorted(found))
        return 1.0 / (1.0 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class DefiningFormula:
    """The choice for one article. `tex` as the article writes it, "" where there is no formula at all; `reasons` are clues, most telling first."""

    document: Document
    tex: str = ""
    position: int = -1
    probability: float = 0.0
    accepted: bool = False
    reasons: tuple[tuple[str, float], ...] = ()  # with what each counts, -1 to 1
    others: tuple[tuple[str, float], ...] = ()  # the next formulas, with their own shares


@cache
def shipped_article_model(*, listed: bool = False) -> ArticleModel:
    """Return the model of model.json for articles alone, or for articles beside a list of concepts."""
    found = json.loads(files("bot.discover.articles").joinpath("model.json").read_text(encoding="utf-8"))
    data = found["listed" if listed else "alone"]
    return ArticleModel(data["choice"], data["accept"], data["bias"], data["accept_from"])


def defining_formula(
    document: Document, occurrences: Sequence[Occurrence], listed: tuple[str, ...] | None = None
) -> DefiningFormula:
    """Choose the formula that defines what an article is about.

    `listed` are the formulas that a list of concepts has for the subject, the usual one first; None if no list was asked.
    """
    article = ArticleFormulas(document, tuple(occurrences), listed)
    return choose_formula(document, scored_candidates(article), shipped_article_model(listed=listed is not None))


def scored_candidates(article: ArticleFormulas) -> list[tuple[ArticleCandidate, Scores]]:
    """Return each formula with the scores of the clues that have something to say about it.

    For the clues of FIRST the first formula of which one holds has a score under a name of its own: what is introduced later is a case or a consequence.
    """
    rows: list[tuple[ArticleCandidate, Scores]] = []
    seen: set[str] = set()
    for one in article.candidates:
        scores = {name: round(float(score), 4) for name, clue in CLUES.items() if (score := clue(article, one))}
        if one.kind != "expression":
            scores |= {f"first_{name}": 1.0 for name in FIRST if name in scores and name not in seen}
            seen.update(scores)
        rows.append((one, scores))
    return rows


def choose_formula(
    document: Document, rows: Sequence[tuple[ArticleCandidate, Scores]], model: ArticleModel
) -> DefiningFormula:
    """Return the likeliest formula of judged ones."""
    if not rows:
        return DefiningFormula(document)
    order, shares = formula_shares(rows, [model.score(scores) for _, scores in rows])
    best = order[0]
    one, scores = rows[best]
    probability = model.probability(scores, shares[best])
    others = tuple((rows[n][0].tex, round(shares[n], 4)) for n in order[1:COMPARED])
    weighted_clues = [(name, _clue_weight(model, name, score)) for name, score in scores.items()]
    reasons = tuple(sorted(filter(itemgetter(1), weighted_clues), key=lambda each: -abs(each[1])))[:MAX_REASONS]
    accepted = probability >= model.accept_from
    return DefiningFormula(
        document, one.tex, one.occurrence.position, round(probability, 4), accepted, reasons, others[:3]
    )


def formula_shares(
    rows: Sequence[tuple[ArticleCandidate, Scores]], scores: Sequence[float]
) -> tuple[list[int], dict[int, float]]:
    """Return the best formulas, the best first, with their shares; what is one formula up to notation has the share of all its forms."""
    highest = max(scores)
    parts = [math.exp(score - highest) for score in scores]
    total = sum(parts)
    best = sorted(range(len(rows)), key=lambda n: (-parts[n], rows[n][0].occurrence.position))[:COMPARED]
    shares = {
        n: sum(parts[m] for m in best if m == n or is_same_formula(rows[n][0].tex, rows[m][0].tex)) / total
        for n in best
    }
    return sorted(best, key=lambda n: (-round(shares[n], 9), -parts[n], rows[n][0].occurrence.position)), shares


@lru_cache(maxsize=10_000)
def is_same_formula(a: str, b: str) -> bool:
    """Say whether two formulas are one up to notation."""
    return compare(a, b).same_concept


def _clue_weight(model: ArticleModel, name: str, score: float) -> float:
    """Return what a clue counted in both models, squashed to -1…1: above 0 it speaks for the formula."""
    weight = model.choice.get(name, 0.0) + model.accept.get(name, 0.0)
    return round(math.tanh(weight * score), 4)
