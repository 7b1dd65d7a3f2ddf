"""Fit the weights of bot/discover/articles/model.json and show how good they are on articles that they have not seen.

A conditional logit over each article's formulas and “none of them”, with a Gaussian prior (HAND) and
signs that may not turn (FOR, AGAINST). Right formulas are those that agree with the item's (`--items`) or with those that were read (`--read`).
Held-out figures: article by article in folds, all articles of one title in one fold.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from articles import Gold, against_read, articles, figures, right
from command import arguments
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from bot.console import read_lines, table, write_json
from bot.corpus import Page
from bot.discover.articles.article import ArticleFormulas, Candidate
from bot.discover.articles.clues import CLUES
from bot.discover.articles.selection import ArticleModel, Defining, chosen, judged
from bot.records import Evidence, digest

MODEL = Path(__file__).resolve().parents[1] / "bot" / "discover" / "articles" / "model.json"
NAMES = [clue.__name__ for clue in CLUES]
# What a clue says is never turned round by chance: these can only speak for a formula, those only against it.
FOR = set(
    "first opens_section lead display infobox boxed statement_section bold_title title_in_sentence title_near says meanings own_symbol initial "
    "repeated central of_a_law".split()
)
AGAINST = set(
    "far out_of_text aside_section doubts besides other_symbol serves_another relation expression numbers mean large".split()
)
# Where the weights start: what a hundred articles hardly ever show is set by hand, all else at nothing.
HAND = {"infobox": 1.0, "boxed": 0.7, "own_symbol": 1.0, "out_of_text": -0.7, "numbers": -1.5, "mean": -1.0}
FOLDS = 10
ACCEPT = (0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


@dataclass(frozen=True)
class Row:
    """One article: its judged formulas, and which of them are right; `right` is None where nobody knows."""

    page: Page
    judged: list[tuple[Candidate, tuple[Evidence, ...]]]
    right: list[bool] | None
    gold: tuple[str, ...]  # of its item

    @property
    def x(self) -> np.ndarray:
        scores = [{e.name: e.score for e in evidence} for _, evidence in self.judged]
        return np.array([[1.0, *(s.get(n, 0.0) for n in NAMES)] for s in scores]).reshape(-1, len(NAMES) + 1)


def load(corpora: Sequence[str], items: str, read: str) -> list[Row]:
    """Return the articles with what is known of them."""
    gold = Gold(read_lines(items, {"qid": str}))
    known = {r["title"]: r["formulas"] for r in read_lines(read, {"title": str, "formulas": list})}
    rows = []
    for page in articles(corpora):
        article = ArticleFormulas(page.document, page.occurrences)
        rated = [(one, judged(article, one)) for one in article.candidates]
        wanted = gold(page.document.title)
        formulas = (*wanted, *known.get(page.document.title, ()))
        verdicts = [right(one.tex, formulas) for one, _ in rated]
        # An item's formula that the article does not hold says nothing about the article, unless somebody read it.
        judgeable = any(verdicts) or page.document.title in known
        rows.append(Row(page, rated, verdicts if judgeable else None, wanted))
    return rows


def fit(rows: Sequence[Row], strength: float) -> ArticleModel:
    """Return the weights under which the right formulas, or none, are likeliest."""
    start = np.array([0.0, *(HAND.get(name, 0.0) for name in NAMES)])
    data = [(row.x, np.array(row.right, dtype=bool)) for row in rows if row.right is not None and row.judged]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        pull = np.concatenate(([0.0], (w - start)[1:]))
        value, slope = 0.5 * strength * float(pull @ pull), strength * pull
        for x, good in data:
            e = np.exp(np.clip(x @ w, -30, 30))
            total = 1.0 + e.sum()
            wanted = e[good].sum() if good.any() else 1.0
            value += float(np.log(total) - np.log(wanted))
            slope = slope + x.T @ (e / total - (np.where(good, e, 0) / wanted if good.any() else 0))
        return value, slope

    bounds = [(None, None)] + [
        (0, None) if name in FOR else (None, 0) if name in AGAINST else (None, None) for name in NAMES
    ]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return ArticleModel(round(float(best[0]), 3), {n: round(float(w), 3) for n, w in zip(NAMES, best[1:], strict=True)})


def held_out(rows: Sequence[Row], strength: float) -> list[Defining]:
    """Return for each article the choice of a model that never saw its title."""
    titles = np.array([row.page.document.title for row in rows])
    found: list[Defining | None] = [None] * len(rows)
    for seen, unseen in GroupKFold(FOLDS).split(titles, groups=titles):
        model = fit([rows[n] for n in seen], strength)
        for n in unseen:
            found[n] = chosen(rows[n].page.document, rows[n].judged, model)
    return [one for one in found if one is not None]


def show(rows: Sequence[Row], found: Sequence[Defining]) -> None:
    lines = []
    for row, one in zip(rows, found, strict=True):
        if row.right is not None:
            good = [c.tex for (c, _), v in zip(row.judged, row.right, strict=True) if v]
            verdict = "right" if one.tex in good else "none" if not good else "WRONG"
            why = " ".join(f"{e.name}:{e.score:+.2f}" for e in one.reasons[:5])
            lines.append((one.probability, verdict, row.page.document.title, one.tex[:60], " | ".join(good)[:60], why))
    table("held out", ("p", "verdict", "title", "ours", "right", "why"), sorted(lines, key=lambda line: -line[0]))


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items")
    parser.add_argument("--read", default=str(Path(__file__).with_name("articles_read.jsonl")), metavar="F")
    parser.add_argument("--strength", type=float, default=0.6, help="how hard the weights are held where they start")
    parser.add_argument("--accept-from", type=float, default=0.7)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--write", action="store_true", help="write bot/discover/articles/model.json")
    args = parser.parse_args()
    rows = load(args.corpus, args.items, args.read)
    found = held_out(rows, args.strength)
    if args.show:
        show(rows, found)
    for low in ACCEPT:
        at = [Defining(d.document, d.tex, d.position, d.probability, d.probability >= low) for d in found]
        by_items = figures([(r.page, d, r.gold) for r, d in zip(rows, at, strict=True) if r.gold])
        by_reading = against_read([(r.page, d) for r, d in zip(rows, at, strict=True)], args.read)
        if low == ACCEPT[0]:
            write_json(by_items | by_reading)
        stood = (
            "accepted",
            "accepted_precision",
            "read_accepted",
            "read_accepted_precision",
            "read_without_formula_accepted",
        )
        print(low, {name: (by_items | by_reading)[name] for name in stood}, file=sys.stderr)
    if args.write:
        model = fit(rows, args.strength)
        data = digest([[r.page.document.title, list(r.right)] for r in rows if r.right is not None])
        body = {
            "note": f"Fitted by benchmarks/train_articles.py on {sum(r.right is not None for r in rows)} articles, strength {args.strength:g}; the digest is of their titles and verdicts.",
            "data": data,
            "accept_from": args.accept_from,
            "bias": model.bias,
            "weights": model.weights,
        }
        MODEL.write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
