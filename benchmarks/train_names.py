"""Fit the weights of bot/discover/name_weights.json and show how good they are on books that they have not seen.

`--book CORPUS GOLD`, once for each book: as in key_equations.py, tables of key equations and summaries hidden. `--work CORPUS W`, once
for each work whose names we judged (names_judged.jsonl). A conditional logit over the names that the text has for each formula, with a
Gaussian prior around the pooled cues alone; right are the names that key_equations.py accepts. Labels of `--items` are looked for in the
text. Held out: each book and work in turn, or of a single one its modules in ten folds. `--write` ships the weights.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from command import arguments
from key_equations import accepts, concepts, is_one_of, judged, key_of, wanted
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut

from bot.console import read_lines, table
from bot.discover import formula_concepts, names
from bot.discover.builtin_names import BuiltinFormulas
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import (
    PLACE_FEATURES,
    QUANTITY_FEATURES,
    SHAPE_FEATURES,
    USAGE_FEATURES,
    features,
    log_odds,
)
from bot.discover.names import CUE_KINDS, is_bare, name_candidates
from bot.discover.phrases import fold
from bot.records import FormulaConcept, digest

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "discover" / "name_weights.json"
FEATURES = (
    *(f"cue:{kind}" for kind in CUE_KINDS if not is_bare(kind)),
    *SHAPE_FEATURES,
    *USAGE_FEATURES,
    *QUANTITY_FEATURES,
    *PLACE_FEATURES,
)
STRENGTH = 6.0  # of the prior; of 1, 3 and 6 the best in folds
FREE = 0.02  # what of it holds the scale of the pooled cues
FOLDS = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A formula of the table: its names, what is weighed of each (the pooled cues' log-odds first), and which are right."""

    book: str
    module: str
    table: bool
    names: tuple[str, ...] = ()
    x: Floats | None = None
    right: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Gold:
    """Module, right names and TeX of formulas: the rows of a book's tables, which are hidden, or concepts that were judged."""

    book: str
    rows: Sequence[tuple[str, list[str], list[str]]]
    table: bool

    @classmethod
    def of_table(cls, path: str) -> Gold:
        modules = [row["module"] for row in read_lines(path, {"module": str})]
        return cls(path, [(m, [name], tex) for m, (name, tex) in zip(modules, wanted(path), strict=True)], True)

    @classmethod
    def of_work(cls, work: str) -> Gold:
        return cls(work, [(document, names, [tex]) for document, names, tex in judged(work) if names], False)

    def accepts(self, right: Sequence[str], name: str) -> bool:
        return any(accepts(one, name) for one in right) if self.table else is_one_of(right, name)


def examples(corpus: str, gold: Gold, labels: Labels) -> list[Example]:
    """Return the formulas of a table, or those judged, that stand in the text."""
    kept: dict[str, tuple[str, Mapping[str, Mapping[str, float]], Mapping[str, tuple[str, float]]]] = {}
    plain = formula_concepts.name_candidates

    def watched(mentions: list[names.NameMention], **given: object) -> tuple[names.NameCandidate, ...]:
        tex, usage = str(given.pop("formula", "")), given.pop("usage", None)
        found = name_candidates(mentions, **(given | {"most": 100_000}))  # type: ignore[arg-type]
        shown = {fold(each.name): (each.name, each.score) for each in found}
        pools: dict[str, list[names.NameMention]] = defaultdict(list)
        for mention in mentions:
            pools[fold(mention.name)].append(mention)
        told = features(tex, {name: pools[name] for name in shown}, usage, labels.known)  # type: ignore[arg-type]
        kept[tex] = tex, told, {n: (usage.sentence_case(s), p) for n, (s, p) in shown.items()}  # type: ignore[attr-defined]
        return plain(mentions, formula=tex, usage=usage, **given)  # type: ignore[arg-type]

    formula_concepts.name_candidates = watched  # type: ignore[assignment]
    try:
        at, seen = concepts([corpus], gold.table, BuiltinFormulas(), labels)
    finally:
        formula_concepts.name_candidates = plain
    made = []
    for module, right, formulas in gold.rows:
        places = [k for tex in formulas for k in (key_of(tex), key_of(tex, "K3")) if k in seen]
        if places:
            concept = next((at[k] for k in places if k in at), None)
            made.append(_example(gold, module, right, concept, kept))
    return made


def _example(
    gold: Gold,
    module: str,
    names: Sequence[str],
    concept: FormulaConcept | None,
    kept: Mapping[str, tuple],  # type: ignore[type-arg]
) -> Example:
    if concept is None:
        return Example(gold.book, module, gold.table)
    _, told, shown = kept[concept.tex]
    x = [[log_odds(score), *(told[n].get(f, 0.0) for f in FEATURES)] for n, (_, score) in shown.items()]
    right = [gold.accepts(names, surface) for surface, _ in shown.values()]
    return Example(gold.book, module, gold.table, tuple(shown), np.array(x), np.array(right, dtype=bool))


def fit(rows: Sequence[Example]) -> Floats:
    """Return a weight for the pooled cues and one for each feature."""
    data = [(r.x, r.right) for r in rows if r.x is not None and r.right is not None and r.right.any()]
    held = STRENGTH * np.array([FREE, *[1.0] * len(FEATURES)])

    def loss(w: Floats) -> tuple[float, Floats]:
        total, slope = float((held * w * w).sum() / 2), held * w
        for x, right in data:
            logits = x @ w
            shares = np.exp(logits - logits.max())
            among = shares * right
            total -= math.log(among.sum() / shares.sum())
            slope = slope - x.T @ (among / among.sum() - shares / shares.sum())
        return total, slope

    start = np.array([1.0, *[0.0] * len(FEATURES)])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def hits(rows: Sequence[Example], w: Floats) -> tuple[int, int]:
    """Return how many formulas have a right name first, and among three."""
    first = three = 0
    for row in rows:
        if row.x is not None and row.right is not None and len(row.right):
            order = np.argsort(-(row.x @ w), kind="stable")
            first += bool(row.right[order[0]])
            three += bool(row.right[order[:3]].any())
    return first, three


def shipped(rows: Sequence[Example], w: Floats) -> dict[str, float]:
    """Return weights on the scale of the pooled cues, with a bias under which the first names keep their score on average."""
    scale = max(float(w[0]), 0.2)
    best = [row.x[int(np.argmax(row.x @ w))] for row in rows if row.x is not None and len(row.x)]
    bias = -float(np.mean([x[1:] @ w[1:] for x in best])) / scale
    found = {f: round(float(v) / scale, 4) for f, v in zip(FEATURES, w[1:], strict=True)}
    return {"bias": round(bias, 4), **{f: v for f, v in found.items() if abs(v) >= 0.0005}}


def main() -> None:
    parser = arguments(__doc__, "--items")
    parser.add_argument("--book", nargs=2, action="append", default=[], metavar=("CORPUS", "GOLD"))
    parser.add_argument("--work", nargs=2, action="append", default=[], metavar=("CORPUS", "W"))
    parser.add_argument("--write", action="store_true", help="ship the weights that are fitted on all books")
    given = parser.parse_args()
    labels = Labels((row["qid"], row["label"]) for row in read_lines(given.items, {"qid": str, "label": str}))
    books = [(corpus, Gold.of_table(path)) for corpus, path in given.book]
    works = [(corpus, Gold.of_work(work)) for corpus, work in given.work]
    rows = [row for corpus, gold in (*books, *works) for row in examples(corpus, gold, labels)]
    several = len(books) + len(works) > 1
    folds = LeaveOneGroupOut() if several else GroupKFold(FOLDS)
    out: dict[int, Floats] = {}  # of each row the weights that were fitted without it
    for train, test in folds.split(rows, groups=[row.book if several else row.module for row in rows]):
        w = fit([rows[n] for n in train])
        out |= dict.fromkeys(test.tolist(), w)
        print(rows[test[0]].book, len(test), *(np.array(hits([rows[n] for n in test], w)) / len(test)).round(4))
    fitted = fit(rows)
    alone = np.array([1.0, *[0.0] * len(FEATURES)])
    ways = {"pooled cues alone": lambda n: alone, "held out": out.__getitem__, "fitted": lambda n: fitted}
    for gold in ("tables", "judged"):
        some = [n for n, row in enumerate(rows) if row.table == (gold == "tables")]
        found = {way: sum(np.array(hits([rows[n]], weights(n))) for n in some) for way, weights in ways.items() if some}
        shares = [(way, *(f"{hit / len(some):.4f}" for hit in two)) for way, two in found.items()]
        table(f"names, {gold}: {len(some)} formulas", ("weights", "first", "in 3"), shares)
    if given.write:
        note = f"benchmarks/train_names.py: conditional logit, prior {STRENGTH:g}; {len(rows)} formulas of {len(books) + len(works)} books"
        data = digest(*(json.dumps([r.module, r.names]) for r in rows))
        text = json.dumps({"note": note, "data": data, "weights": shipped(rows, fitted)}, indent=1)
        WEIGHTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
