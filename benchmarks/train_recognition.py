"""Fit the recogniser: weights that rank, and the probability that the first hit is right. Folds keep all queries of one concept together.

The ranker is a softmax over each query's shortlist; calibration is a logistic model over first hits that the ranker of the other folds gave.
Most of the material is the built-in list asked of itself: each formula with its own entry taken out (is its item still found?), and with all
of its item taken out (does the recogniser notice that the item is not there?). And formulas of items asked in another spelling.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from recognition import gold
from rich.progress import track
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from bot.console import read_lines, table
from bot.formula import clean
from bot.formula.generation.written_forms import equivalent_forms, near_misses
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.feature_groups import SHORTLIST_SIZE, Shortlist
from bot.match.retrieval.ranking_features import RANKING_FEATURES
from bot.match.retrieval.recognise import CALIBRATION, Hit, Ranker, Recogniser

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "recognition.json"
FOLDS = 10
PRECISION = 0.975  # of what is accepted, held out
SURE = 0.75  # whatever the development data allow, a probability below this is not an acceptance
# A shared key never speaks against an item, nor a stricter one at another item for it.
BOUNDS = [
    (0, None) if name[0] == "K" or name.startswith("link") else (None, 0) if name.startswith("beaten") else (None, None)
    for name in RANKING_FEATURES
]
# What is known before any data: a sign or a letter that differs matters where another item holds the formula without that difference.
_HAND = {"beaten": -2.0, "beaten_size": -2.0, "K1": 0.3, "K2": 0.3, "K3": 0.3}
PRIOR = np.array([_HAND.get(name, 0.0) for name in RANKING_FEATURES])
KEPT = 60  # rows of a shortlist that the fit looks at


@dataclass(frozen=True, slots=True)
class Query:
    """One formula with its gold; `near` is its shortlist without the formula's own entry."""

    tex: str
    gold: frozenset[str]
    source: str
    weight: float
    near: Shortlist | None
    fold: int
    judged: bool  # calibration is fitted to it


def folds_of(golds: Sequence[frozenset[str]], texts: Sequence[str]) -> list[int]:
    """Return a fold for each query: queries that share a right item share a fold."""
    parent: dict[str, str] = {}

    def root(qid: str) -> str:
        while parent.setdefault(qid, qid) != qid:
            qid = parent[qid]
        return qid

    for each in golds:
        for qid in each:
            parent[root(qid)] = root(min(each))
    names = [root(min(each)) if each else tex for each, tex in zip(golds, texts, strict=True)]
    return [crc32(name.encode()) % FOLDS for name in names]


def without(near: Shortlist | None, drop: Any) -> Shortlist | None:
    """Return the shortlist without some of its rows."""
    if near is None or not drop.any():
        return near
    keep = ~drop
    rows = near.rows[keep]
    if not len(rows):
        return None
    left = set(rows.tolist())
    levels = {row: level for row, level in near.levels.items() if row in left}
    links = {row: leaves for row, leaves in near.links.items() if row in left}
    shared, theirs = near.shared_sums[:, keep], near.entry_sums[:, keep]
    return replace(near, rows=rows, shared_sums=shared, entry_sums=theirs, levels=levels, links=links)


def from_files(
    args: argparse.Namespace, recogniser: Recogniser, known: set[str], formulas: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Any, ...]]:
    """Yield (tex, gold, source, weight, shortlist, judged) of the files."""
    others = [args.others] if args.others else []
    own = np.array([entry.tex in formulas.get(entry.qid, ()) for entry in recogniser.index.entries])
    for paths, worth, step in (
        (args.queries, 1.0, 1),
        (args.more, 0.2, 1),
        (args.negatives, 1.0, 1),
        (others, 0.1, 10),
    ):
        for path in paths:
            for row in list(read_lines(path))[::step]:
                tex, right = row.get("tex") or row["formula"], frozenset(gold(row))
                near = recogniser.index.search_tex(clean(tex))
                if path in args.more and not right & known:
                    continue
                if path in others and near is not None and any(level < "K5" for level in near.levels.values()):
                    continue  # may be of an item after all
                # Labels that others gave on the side say which item is near, not that no other one is right: calibration is not
                # fitted to them, nor to queries whose item is not there.
                judged = path not in args.more and (not right or bool(right & known))
                yield tex, right, path, worth, near, judged
                # The same without the built-in list: items that it does not know are recognised by the same weights.
                if near is not None and path not in others and (not right or any(formulas.get(qid) for qid in right)):
                    bare = recogniser.index.search_tex(clean(tex), 4 * SHORTLIST_SIZE)
                    yield tex, right, f"{path}, no list", worth / 2, without(bare, ~own[bare.rows]), judged


def from_list(recogniser: Recogniser, known: set[str], every: int) -> Iterator[tuple[Any, ...]]:
    """Yield the formulas of the built-in list asked of everything but themselves, and some of everything but their item."""
    qids = np.array([entry.qid for entry in recogniser.index.entries])
    texts = [entry.tex for entry in recogniser.index.entries]
    listed = [(qid, tex) for qid, concept in builtin_formulas().items() if qid in known for tex in concept.formulas]
    for n, (qid, tex) in enumerate(track(listed[::every], "list")):
        near = recogniser.index.search_tex(clean(tex))
        if near is None:
            continue
        mine = qids[near.rows] == qid
        own = mine & np.array([texts[row] == tex for row in near.rows])
        same = {texts_qid for row, level in near.levels.items() if level <= "K3" and (texts_qid := qids[row]) != qid}
        yield tex, frozenset({qid, *same}), "list", 0.06, without(near, own), True
        if n % 2 == 0 and not any(level <= "K5" for row, level in near.levels.items() if qids[row] != qid):
            yield tex, frozenset(), "list, item taken out", 0.04, without(near, mine), True


def from_spellings(recogniser: Recogniser, every: int, generated: int, misses: bool) -> Iterator[tuple[Any, ...]]:
    """Yield formulas of the index as others write them (`bot.equivalent_forms`, three transformations each); items with the same key are right as well.

    With `misses` also formulas that only look like them and are not a known formula: no item is right.
    """
    index = recogniser.index
    for entry in track(index.entries[::every], "spellings"):
        plain = index.search_tex(clean(entry.tex))
        if plain is None:
            continue
        same = {index.entries[row].qid for row, level in plain.levels.items() if level <= "K3"}
        forms = equivalent_forms(entry.tex, seed=2534, steps=3) if generated else []
        rng = random.Random(f"{entry.qid}|{entry.tex}")
        for form in rng.sample(forms, min(generated, len(forms))):
            near = index.search_tex(clean(form.tex))
            yield form.tex, frozenset({entry.qid, *same}), "generated forms", 0.1 / generated, near, True
        for form in near_misses(entry.tex, seed=2534)[:1] if misses else []:
            near = index.search_tex(clean(form.tex))
            if near is not None and not any(level <= "K3" for level in near.levels.values()):
                yield form.tex, frozenset(), "near misses", 0.1, near, True


def fit(data: Sequence[tuple[Any, Any, float]], ridge: float) -> Any:
    x = np.concatenate([each[0] for each in data]).astype(np.float64)
    y = np.concatenate([each[1] for each in data])
    w = np.array([each[2] for each in data])
    sizes = [len(each[1]) for each in data]
    start = np.cumsum([0, *sizes])[:-1]
    of = np.repeat(np.arange(len(data)), sizes)

    def loss(b: Any) -> Any:
        z = x @ b
        power = np.exp(z - np.maximum.reduceat(z, start)[of])
        total, right = np.add.reduceat(power, start), np.add.reduceat(power * y, start)
        slope = x.T @ ((power / total[of] - power * y / right[of]) * w[of])
        away = b - PRIOR
        return -(w * np.log(right / total)).sum() + ridge * (away @ away) / 2, slope + ridge * away

    return minimize(loss, np.zeros(x.shape[1]), jac=True, bounds=BOUNDS, method="L-BFGS-B", options={"maxiter": 120}).x


def calibrate(first: Any, right: Any, weight: Any) -> Any:
    """Return one weight for each of CALIBRATION, then the bias."""
    model = LogisticRegression(C=1.0, max_iter=4000).fit(first, right, sample_weight=weight)
    return np.append(model.coef_[0], model.intercept_[0])


def threshold(said: Any, right: Any, weight: Any) -> float:
    """Return the lowest probability from which on enough is right."""
    order = np.argsort(-said)
    precision = np.cumsum(right[order] * weight[order]) / np.cumsum(weight[order])
    good = [n for n in range(len(order)) if precision[n] >= PRECISION]
    return max(SURE, float(said[order][max(good)])) if good else 1.0


def examples(recogniser: Recogniser, queries: Sequence[Query]) -> list[tuple[Any, Any, float] | None]:
    """Return for each query the numbers of its best rows, which are right, and its weight; None where none is."""
    qids = np.array([entry.qid for entry in recogniser.index.entries])
    found: list[tuple[Any, Any, float] | None] = []
    for query in queries:
        right = None if query.near is None else np.isin(qids[query.near.rows], sorted(query.gold))
        if query.near is None or right is None or not right.any():
            found.append(None)
            continue
        numbers = recogniser.features(query.near)
        order = np.argsort(-(numbers @ recogniser.ranker.weights))[:KEPT]
        keep = np.union1d(order, np.flatnonzero(right))
        found.append((numbers[keep].astype(np.float32), right[keep], query.weight))
    return found


def main() -> None:
    parser = arguments(__doc__, "--items")
    parser.add_argument("--queries", required=True, nargs="+", metavar="F", help="with gold; the first is reported")
    parser.add_argument("--more", nargs="*", default=[], metavar="F", help="with gold, of a fifth of the weight; TeX may be called formula")  # fmt: skip
    parser.add_argument("--negatives", nargs="*", default=[], metavar="F")
    parser.add_argument("--others", metavar="F", help="formulas that are hardly ever of an item, of a tenth of the weight; every 10th is taken")  # fmt: skip
    parser.add_argument("--every", type=int, default=3, help="of the formulas of the built-in list")
    parser.add_argument("--generated", type=int, default=1, metavar="N", help="forms generated from each second formula of the index that is taken (default 1)")  # fmt: skip
    parser.add_argument("--near-misses", action="store_true", help="also generate formulas that are of no item")
    parser.add_argument("--ridge", type=float, default=3.0)
    parser.add_argument("--write", action="store_true", help="write bot/match/recognition.json")
    args = parser.parse_args()
    items = list(read_lines(args.items, {"qid": str}))
    recogniser = Recogniser(items)
    known = {entry.qid for entry in recogniser.index.entries}
    rows = [
        *from_files(args, recogniser, known, {row["qid"]: row.get("formulas") or () for row in items}),
        *from_list(recogniser, known, args.every),
        *from_spellings(recogniser, 2 * args.every, args.generated, args.near_misses),
    ]
    folds = folds_of([row[1] for row in rows], [row[0] for row in rows])
    queries = [Query(*row[:5], fold, row[5]) for row, fold in zip(rows, folds, strict=True)]
    data = examples(recogniser, queries)
    first, rank = held_out(recogniser, queries, data, args.ridge)
    answered = [n for n, query in enumerate(queries) if first[n] and query.judged]
    shown = np.array([hit.evidence for n in answered if (hit := first[n])])
    right, weight = rank[answered] == 1, np.array([queries[n].weight for n in answered])
    said = np.zeros(len(answered))
    for fold in range(FOLDS):
        seen = np.array([queries[n].fold != fold for n in answered])
        model = calibrate(shown[seen], right[seen], weight[seen])
        said[~seen] = 1 / (1 + np.exp(-(shown[~seen] @ model[:-1] + model[-1])))
    report(args, queries, rank, answered, said, right, weight)
    sources = np.array([queries[n].source for n in answered])
    real = np.isin(sources, [*args.queries, *args.negatives])
    accept = threshold(said[real], right[real], weight[real])
    print(f"accept from {accept:.3f}: of the queries and negatives {(real & (said >= accept)).sum()} accepted, {(real & (said >= accept) & right).sum()} right")  # fmt: skip
    if args.write:
        ranking = fit([each for each in data if each], args.ridge)
        calibration = calibrate(shown, right, weight)
        write(ranking, calibration, accept, len(queries))


def held_out(
    recogniser: Recogniser, queries: Sequence[Query], data: Sequence[tuple[Any, Any, float] | None], ridge: float
) -> tuple[list[Hit | None], Any]:
    """Return each query's first hit and the rank of the right item, by rankers that did not see its concept."""
    first: list[Hit | None] = [None] * len(queries)
    rank = np.full(len(queries), 999)
    for fold in track(range(FOLDS), "folds"):
        seen = [each for each, query in zip(data, queries, strict=True) if each and query.fold != fold]
        recogniser.ranker = Ranker(fit(seen, ridge), np.zeros(len(CALIBRATION) + 1), 1.0)
        for n, query in enumerate(queries):
            if query.fold == fold and query.near is not None:
                (hits,) = recogniser.all_ranked([query.near])
                first[n] = hits[0]
                rank[n] = next((k for k, hit in enumerate(hits, 1) if hit.qid in query.gold), 999)
    return first, rank


def report(args: Any, queries: Sequence[Query], rank: Any, answered: Any, said: Any, right: Any, weight: Any) -> None:
    sources = np.array([query.source for query in queries])
    of = sources[answered]
    rows = []
    for source in dict.fromkeys(sources):
        mine, part = sources == source, of == source
        taken = [int((part & (said >= bar)).sum()) for bar in (0.8, 0.9)]
        good = [int((part & (said >= bar) & right).sum()) for bar in (0.8, 0.9)]
        rows.append((Path(source).name, int(mine.sum()), float((rank[mine] == 1).mean()), float((rank[mine] <= 10).mean()), *[f"{g} of {t}" for g, t in zip(good, taken, strict=True)]))  # fmt: skip
    table("held out", ("file", "queries", "first", "in ten", "right at .8", "right at .9"), rows)
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        band = (said >= low) & (said < high)
        if band.any():
            print(f"said {low}-{high}: {band.sum()} queries, said {np.average(said[band], weights=weight[band]):.2f}, right {np.average(right[band], weights=weight[band]):.2f}")  # fmt: skip
    print(f"reported file and negatives: {sources[answered].size} answered; first file {args.queries[0]}")


def write(ranking: Any, calibration: Any, accept: float, total: int) -> None:
    shipped = {
        "note": f"fitted by benchmarks/train_recognition.py on {total} queries",
        "accept": round(accept, 3),
        "rank": {name: round(float(value), 3) for name, value in zip(RANKING_FEATURES, ranking, strict=True)},
        "calibration": {
            "bias": round(float(calibration[-1]), 3),
            "weights": {
                name: round(float(value), 3) for name, value in zip(CALIBRATION, calibration[:-1], strict=True)
            },
        },
    }
    before = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    shipped["same"] = before[
        "same"
    ]  # fitted by train_same_concept.py, and this by train_in_document.py, on top of these weights
    shipped["in_document"] = before["in_document"]
    WEIGHTS.write_text(json.dumps(shipped, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
