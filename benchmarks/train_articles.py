"""Fit the weights of bot/discover/articles/model.json and show how good they are on articles that they have not seen.

First a conditional logit over the formulas of each article that has a defining one; then a logistic regression of whether the
chosen formula is right, on choices for articles that the first model had not seen. Both have a Gaussian prior around weights set
by hand (PRIORS), and no weight may change its sign: an article's hundred formulas are one observation, and there are few. Both are
fitted twice: for articles alone, and beside the built-in list, which has formulas of half of the subjects.
Held-out figures: articles in folds by title, both models fitted without the fold, averaged over several ways to fold.
`--gold` names files as in articles.py; the articles of articles_read.jsonl are used besides and judged by the same rule.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from articles import ReadArticle, against_reading, articles, read_gold
from command import arguments
from scipy.optimize import minimize
from sklearn.model_selection import KFold

from bot.console import table, write_json
from bot.corpus import ParsedDocument
from bot.discover.articles.article import ArticleCandidate, ArticleFormulas
from bot.discover.articles.selection import (
    ArticleModel,
    DefiningFormula,
    choose_formula,
    formula_shares,
    scored_candidates,
)
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.records import digest

MODEL = Path(__file__).resolve().parents[1] / "bot" / "discover" / "articles" / "model.json"
READ = Path(__file__).with_name("articles_read.jsonl")
# Where the weights start. A weight keeps the sign that it has here; one that is not here is not fitted and stays 0.
CHOICE = {
    "first": 0.8, "opens_section": 0.4, "far": -2.0, "lead": 1.0, "display": 1.0, "infobox": 1.0, "formula_field": 2.0, "boxed": 0.7, "out_of_text": -0.7,
    "statement_section": 1.0, "aside_section": -0.7, "title_section": 1.0, "bold_title": 0.7, "title_in_sentence": 0.7, "title_near": 0.5,
    "subject": 0.7, "short_subject": 0.5, "defines": 1.0, "says": 0.5, "named_after": 0.5, "other_law": -1.0,
    "example": -0.7, "special": -0.8, "step": -0.7, "condition": -0.2, "besides": -1.2, "explained": 0.4, "meanings": 0.7,
    "own_symbol": 1.0, "other_symbol": -1.0, "own_meaning": 1.0, "other_meaning": -0.8, "initial": 0.5, "initials": 1.0, "symbol_left": 0.2,
    "serves_another": -1.0, "repeated": 0.6, "central": 0.5, "operation": 0.5, "ingredients": 1.0, "definition_sign": 0.5,
    "relation": -1.0, "expression": -1.5, "notation": -2.0, "numbers": -1.5, "mean": -1.0, "large": -0.3, "narrow_section": -0.5,
    "said_to_be": 0.3, "relates": -0.3, "first_defines": 0.7, "first_title_in_sentence": 0.5, "first_title_section": 0.7, "first_statement_section": 0.5, "first_lead": 0.5,
}  # fmt: skip
ACCEPT = {
    "share": 1.5, "quantity": 1.2, "thing": -1.2, "listing": -3.0, "of_a_law": 0.3, "lead": 0.7, "infobox": 0.5, "statement_section": 0.7,
    "aside_section": -0.5, "title_section": 0.3, "subject": 0.3, "short_subject": 0.2, "defines": 0.7, "title_in_sentence": 0.3,
    "own_symbol": 0.5, "operation": 0.5, "ingredients": 0.7, "display": 0.3, "far": -1.0, "numbers": -1.0, "example": -0.5, "step": -0.2,
    "relation": -0.7, "expression": -1.0, "other_law": -0.5, "mean": -0.7, "central": 0.5, "other_symbol": -0.5, "formula_field": 0.5,
    "narrow_section": -0.5,
}  # fmt: skip
LISTED = {"like_listed": 1.0, "like_first_listed": 0.5, "contains_listed": 0.5}
# For articles alone and beside the list, the weights of the choice and of accepting it where they start.
PRIORS = {"alone": (CHOICE, ACCEPT), "listed": ({**CHOICE, **LISTED}, {**ACCEPT, **LISTED, "is_listed": 0.5})}
BIAS = -1.5
FOLDS, INNER = 10, 5
ACCEPT_FROM = (0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)


@dataclass(frozen=True)
class Row:
    """One article that was read: its judged formulas, and what is right of it."""

    page: ParsedDocument
    judged: list[tuple[ArticleCandidate, Mapping[str, float]]]
    known: ReadArticle

    @cached_property
    def right(self) -> np.ndarray:
        return np.array([self.known.right(one.tex) for one, _ in self.judged], dtype=bool)

    def x(self, names: Sequence[str]) -> np.ndarray:
        rows = [[scores.get(name, 0.0) for name in names] for _, scores in self.judged]
        return np.array(rows).reshape(-1, len(names))

    def choice(self, weights: Mapping[str, float]) -> tuple[dict[str, float], bool]:
        """Return the clues of the chosen formula, its share among them, and whether it is right."""
        model = ArticleModel(weights, {})
        order, shares = formula_shares(self.judged, [model.score(scores) for _, scores in self.judged])
        return {**self.judged[order[0]][1], "share": shares[order[0]]}, bool(self.right[order[0]])


def load(corpora: Sequence[str], gold: Mapping[str, ReadArticle]) -> list[Row]:
    """Return the articles that were read and hold a formula at all."""
    rows = []
    for page in articles(corpora):
        if known := gold.get(page.document.title):
            listed = builtin_concepts().definitions_called(page.document.title)
            article = ArticleFormulas(page.document, page.occurrences, listed)
            rows.append(Row(page, scored_candidates(article), known))
    return rows


def fit(rows: Sequence[Row], prior: str, strength: float, accept_from: float) -> ArticleModel:
    """Return the weights of both models; the second one is fitted on choices that the first did not see."""
    choice, acceptance = PRIORS[prior]
    rows = [row for row in rows if row.judged]
    seen: list[tuple[dict[str, float], bool]] = []
    for some, others in KFold(INNER, shuffle=True, random_state=1).split(rows):
        weights = _choice([rows[n] for n in some], choice, strength)
        seen += [rows[n].choice(weights) for n in others]
    x = np.array([[1.0, *(clues.get(name, 0.0) for name in acceptance)] for clues, _ in seen])
    start = np.array([BIAS, *acceptance.values()])
    fitted = _logistic(x, np.array([right for _, right in seen]), start, strength)
    accept = {name: round(float(w), 3) for name, w in zip(acceptance, fitted[1:], strict=True)}
    return ArticleModel(_choice(rows, choice, strength), accept, round(float(fitted[0]), 3), accept_from)


def _choice(rows: Sequence[Row], prior: Mapping[str, float], strength: float) -> dict[str, float]:
    """Return the weights under which the right formulas are likeliest."""
    start = np.array(list(prior.values()))
    data = [(row.x(list(prior)), row.right) for row in rows if row.right.any()]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        pull = w - start
        value, slope = 0.5 * strength * float(pull @ pull), strength * pull
        for x, good in data:
            z = x @ w
            e = np.exp(z - z.max())
            value += float(np.log(e.sum()) - np.log(e[good].sum()))
            slope = slope + x.T @ (e / e.sum() - np.where(good, e, 0) / e[good].sum())
        return value, slope

    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=_bounds(start)).x
    return {name: round(float(w), 3) for name, w in zip(prior, best, strict=True)}


def _logistic(x: np.ndarray, right: np.ndarray, start: np.ndarray, strength: float) -> np.ndarray:
    """Return the weights of a logistic regression; the first column is the bias, which has no prior."""

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        pull = w - start
        pull[0] = 0.0
        z = x @ w
        value = float(np.logaddexp(0.0, np.where(right, -z, z)).sum()) + 0.5 * strength * float(pull @ pull)
        return value, x.T @ (1.0 / (1.0 + np.exp(-z)) - right) + strength * pull

    bounds = [(None, None), *_bounds(start[1:])]
    found: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found


def _bounds(start: np.ndarray) -> list[tuple[float | None, float | None]]:
    return [(0, None) if w > 0 else (None, 0) for w in start]


def held_out(rows: Sequence[Row], prior: str, strength: float, seed: int) -> list[DefiningFormula]:
    """Return for each article the choice of models that never saw it."""
    found: dict[int, DefiningFormula] = {}
    for seen, unseen in KFold(FOLDS, shuffle=True, random_state=seed).split(rows):
        model = fit([rows[n] for n in seen], prior, strength, 0.5)
        found |= {n: choose_formula(rows[n].page.document, rows[n].judged, model) for n in unseen}
    return [found[n] for n in range(len(rows))]


def main() -> None:
    parser = arguments(__doc__, "--corpus")
    parser.add_argument("--gold", nargs="+", default=[], metavar="F", help="articles that were read, as in articles.py")
    parser.add_argument("--strength", type=float, default=3.0, help="how hard the weights are held where they start")
    parser.add_argument("--accept-from", type=float, default=0.75)
    parser.add_argument("--seeds", type=int, default=4, help="how many ways to fold")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--write", action="store_true", help="write bot/discover/articles/model.json")
    args = parser.parse_args()
    gold = read_gold([str(READ), *args.gold])
    judged_by = read_gold(args.gold) or gold
    rows = load(args.corpus, gold)
    figures = {}
    for prior in PRIORS:
        every = [held_out(rows, prior, args.strength, seed) for seed in range(args.seeds)]
        if args.show:
            show(prior, rows, every)
        figures[prior] = {str(low): averaged(rows, every, judged_by, low) for low in ACCEPT_FROM}
    write_json(figures)
    if args.write:
        write({prior: fit(rows, prior, args.strength, args.accept_from) for prior in PRIORS}, rows, args.strength)


def averaged(
    rows: Sequence[Row], every: Sequence[Sequence[DefiningFormula]], gold: Mapping[str, ReadArticle], low: float
) -> dict[str, Any]:
    """Return the figures at an acceptance probability, the means over the ways to fold."""
    figures = [
        against_reading([(r.page, _at(d, low)) for r, d in zip(rows, found, strict=True)], gold) for found in every
    ]
    return {name: round(float(np.mean([f[name] or 0.0 for f in figures])), 3) for name in figures[0]}


def _at(one: DefiningFormula, low: float) -> DefiningFormula:
    return DefiningFormula(one.document, one.tex, one.position, one.probability, one.probability >= low)


def show(prior: str, rows: Sequence[Row], every: Sequence[Sequence[DefiningFormula]]) -> None:
    lines = []
    for row, *found in zip(rows, *every, strict=True):
        one = found[0]
        verdict = "right" if row.known.right(one.tex) else "WRONG" if row.known.acceptable else "none"
        why = " ".join(f"{name}:{counted:+.2f}" for name, counted in one.reasons[:5])
        mean = round(float(np.mean([each.probability for each in found])), 3)
        lines.append((mean, verdict, row.known.title, row.known.doubtful, one.tex[:60], why))
    table(
        f"held out, {prior}",
        ("p", "verdict", "title", "doubtful", "ours", "why"),
        sorted(lines, key=lambda line: -line[0]),
    )


def write(models: Mapping[str, ArticleModel], rows: Sequence[Row], strength: float) -> None:
    data = digest([[row.known.title, row.right.tolist()] for row in rows])
    body = {
        "note": f"Fitted by benchmarks/train_articles.py on {len(rows)} articles, strength {strength:g}; the digest is of their titles and verdicts.",
        "data": data,
        **{prior: asdict(model) for prior, model in models.items()},
    }
    MODEL.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")
    print(f"written: {MODEL}", file=sys.stderr)


if __name__ == "__main__":
    main()
