"""Fit the recogniser: weights that rank, and the probability that the first hit is right. Folds keep all queries of one concept together.

The ranker is a softmax over each query's shortlist; belief is a logistic model over first hits that the ranker of the other folds gave.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from recognition import gold
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from bot.console import read_lines, table
from bot.formula import clean
from bot.match.likeness import NAMES
from bot.match.model import Model
from bot.match.recognise import Ranker, Recogniser

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "recognition.json"
FOLDS = 10
PRECISION = 0.975  # of what is accepted, held out


def folds_of(queries: Sequence[dict[str, Any]]) -> list[int]:
    """Return a fold for each query: queries that share a right item share a fold."""
    parent: dict[str, str] = {}

    def root(qid: str) -> str:
        while parent.setdefault(qid, qid) != qid:
            qid = parent[qid]
        return qid

    for query in queries:
        for qid in gold(query):
            parent[root(qid)] = root(min(gold(query)))
    names = [root(min(gold(query))) if gold(query) else query["tex"] for query in queries]
    return [crc32(name.encode()) % FOLDS for name in names]


def examples(recogniser: Recogniser, queries: Sequence[dict[str, Any]]) -> list[tuple[Any, Any] | None]:
    """Return for each query the numbers of its shortlist and which rows are right; None where none is."""
    index = recogniser.index
    qids = np.array([entry.qid for entry in index.entries])
    found: list[tuple[Any, Any] | None] = []
    for query in queries:
        near = index.shortlist(clean(query["tex"]))
        right = None if near is None else np.isin(qids[near.rows], sorted(gold(query)))
        found.append(None if near is None or not right.any() else (recogniser.numbers(near), right))
    return found


def shares_key(index: Any, tex: str) -> bool:
    """Tell a formula that may be of an item after all."""
    near = index.shortlist(clean(tex))
    return near is not None and any(level < "K5" for level in near.levels.values())


def fit(data: Sequence[tuple[Any, Any] | None], weights: Sequence[float], ridge: float) -> Any:
    """Return the weights under which right rows hold most of the softmax."""
    kept = [(x, y, w) for each, w in zip(data, weights, strict=True) if each for x, y in [each]]
    x = np.concatenate([each[0] for each in kept])
    y = np.concatenate([each[1] for each in kept])
    w = np.array([each[2] for each in kept])
    sizes = [len(each[1]) for each in kept]
    start = np.cumsum([0, *sizes])[:-1]
    of = np.repeat(np.arange(len(kept)), sizes)

    def loss(b: Any) -> Any:
        z = x @ b
        power = np.exp(z - np.maximum.reduceat(z, start)[of])
        total, right = np.add.reduceat(power, start), np.add.reduceat(power * y, start)
        slope = x.T @ ((power / total[of] - power * y / right[of]) * w[of])
        return -(w * np.log(right / total)).sum() + ridge * (b @ b) / 2, slope + ridge * b

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x


def believe(first: Sequence[dict[str, float]], right: Any, weight: Any) -> Model:
    names = sorted(first[0])
    x = np.array([[each[name] for name in names] for each in first])
    model = LogisticRegression(C=1.0, max_iter=2000).fit(x, right, sample_weight=weight)
    return Model(float(model.intercept_[0]), dict(zip(names, map(float, model.coef_[0]), strict=True)))


def threshold(said: Any, right: Any, weight: Any) -> float:
    """Return the lowest probability from which on enough is right."""
    order = np.argsort(-said)
    precision = np.cumsum(right[order] * weight[order]) / np.cumsum(weight[order])
    good = [n for n in range(len(order)) if precision[n] >= PRECISION]
    return float(said[order][max(good)]) if good else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", required=True, metavar="F")
    parser.add_argument(
        "--queries", required=True, nargs="+", metavar="F", help="with gold; the first file is reported"
    )
    parser.add_argument(
        "--more",
        nargs="*",
        default=[],
        metavar="F",
        help="with gold, of a fifth of the weight; TeX may be called formula",
    )
    parser.add_argument("--negatives", nargs="*", default=[], metavar="F")
    parser.add_argument(
        "--others",
        metavar="F",
        help="formulas that are hardly ever of an item, of a tenth of the weight; every 10th is taken",
    )
    parser.add_argument("--ridge", type=float, default=3.0)
    parser.add_argument("--write", action="store_true", help="write bot/match/recognition.json")
    args = parser.parse_args()
    queries, weight = [], []
    for paths, worth, step in ((args.queries, 1.0, 1), (args.more, 0.2, 1), (args.negatives, 1.0, 1), ([args.others] if args.others else [], 0.1, 10)):  # fmt: skip
        for path in paths:
            rows = [{**row, "tex": row.get("tex") or row["formula"], "file": path} for row in read_lines(path)][::step]
            queries += rows
            weight += [worth] * len(rows)
    items = list(read_lines(args.items, {"qid": str}))
    known = {row["qid"] for row in items if row.get("formulas")}
    kept = [n for n, query in enumerate(queries) if query["file"] not in args.more or gold(query) & known]
    queries, weight = [queries[n] for n in kept], [weight[n] for n in kept]
    recogniser = Recogniser(items, Ranker(np.zeros(len(NAMES)), Model(0.0, {}), 1.0))
    kept = [
        n
        for n, query in enumerate(queries)
        if query["file"] != args.others or not shares_key(recogniser.index, query["tex"])
    ]
    queries, weight = [queries[n] for n in kept], [weight[n] for n in kept]
    data, folds = examples(recogniser, queries), np.array(folds_of(queries))
    first: list[dict[str, float]] = [{}] * len(queries)
    rank = np.full(len(queries), 999)
    for fold in range(FOLDS):
        seen = [n for n in range(len(queries)) if folds[n] != fold]
        recogniser.ranker = Ranker(
            fit([data[n] for n in seen], [weight[n] for n in seen], args.ridge), Model(0.0, {}), 1.0
        )
        for n in np.flatnonzero(folds == fold):
            hits = recogniser.hits(queries[n]["tex"], 10)
            first[n] = dict(hits[0].features) if hits else {}
            rank[n] = next((k for k, hit in enumerate(hits, 1) if hit.qid in gold(queries[n])), 999)
    # Labels that others gave on the side say which item is near, not that no other one is right: belief is not fitted to them,
    # nor to queries whose item is not there: where another holds the very formula, that is no mistake of the belief.
    answered = [
        n
        for n in range(len(queries))
        if first[n] and queries[n]["file"] not in args.more and (gold(queries[n]) & known or not gold(queries[n]))
    ]
    folds, right, w = folds[answered], rank[answered] == 1, np.array(weight)[answered]
    shown = [first[n] for n in answered]
    said = np.zeros(len(answered))
    for fold in range(FOLDS):
        seen = np.flatnonzero(folds != fold)
        model = believe([shown[n] for n in seen], right[seen], w[seen])
        for n in np.flatnonzero(folds == fold):
            said[n] = model.probability(shown[n])
    judged = np.array([queries[n]["file"] in (args.queries[0], *args.negatives) for n in answered])
    real = np.array([queries[n]["file"] != args.others for n in answered])
    accept = threshold(said[real], right[real], w[real])
    rows = []
    for path in dict.fromkeys(query["file"] for query in queries):
        mine = np.array([query["file"] == path for query in queries])
        part = mine[answered]
        taken = part & (said >= accept)
        rows.append((Path(path).name, int(mine.sum()), float((rank[mine] == 1).mean()), float((rank[mine] <= 10).mean()), int(taken.sum()), int((taken & right).sum())))  # fmt: skip
    table("held out", ("file", "queries", "first", "in ten", "accepted", "right"), rows)
    taken = judged & (said >= accept)
    print(
        f"accept from {accept:.3f}: of the first file and the negatives {taken.sum()} accepted, {(taken & right).sum()} right"
    )
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.01)):
        band = (said >= low) & (said < high)
        if band.any():
            print(f"said {low}-{high}: {band.sum()} queries, said {np.average(said[band], weights=w[band]):.2f}, right {np.average(right[band], weights=w[band]):.2f}")  # fmt: skip
    if args.write:
        ranking = fit(data, weight, args.ridge)
        model = believe(shown, right, w)
        shipped = {
            "note": f"fitted by benchmarks/train_recognition.py on {len(queries)} queries",
            "accept": round(accept, 3),
            "rank": {name: round(float(value), 3) for name, value in zip(NAMES, ranking, strict=True)},
            "belief": {
                "bias": round(model.bias, 3),
                "weights": {name: round(value, 3) for name, value in model.weights.items()},
            },
        }
        WEIGHTS.write_text(json.dumps(shipped, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
