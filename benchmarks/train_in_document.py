"""Fit the recogniser for formulas in documents: the weights that rank by formula and words together, and calibration. Folds are documents and concepts.

Material: rows as for in_document.py, each with every context that can be made for it, all contexts of a row together of one weight; the
formulas of the built-in list, each with its own entry taken out, in made-up contexts that name its concept, another one of the field, or both; and,
for calibration alone, formulas that are not an item's with the words beside them. What the formula alone says comes from the shipped recogniser.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from in_document import articles, contexts, tex_of, title_of
from rich.progress import track
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from train_recognition import without

from bot.console import read_lines, table
from bot.formula import clean
from bot.match import Recogniser
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.contextual import CONTEXT_CALIBRATION, CONTEXT_FEATURE_NAMES, calibration_features_in_document
from bot.match.retrieval.recognise import RERANKED

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "recognition.json"
FOLDS = 8  # of rows without a document
SMALL = 5  # rows; documents with fewer make one fold together
PRECISION = 0.95
NEGATIVES = 0.3  # weight of one
LIST = 0.1  # weight of one of its formulas
ELSEWHERE = 0.3  # of the made-up contexts speak of another field
# How a text names the concept and another one beside a formula; of three contexts, one does not name the concept.
TEMPLATES = (
    "{own}",
    "{other}",
    "{topic}",
    "{other}\nThe {own} can be written as {tex} .",
    "From the {other} we have {tex} for the {own}, where {word} is small.",
    "{topic}\nThis is {tex}, as the {other} shows.",
    "Using the {other} and the {word}, we find {tex} .",
)
# What cannot speak against an item, and what cannot speak for it.
FOR = frozenset(("share", "probability", "title", "title_doubt", "heading", "near", "before", "times", "telling", "usual", "own", "left_is", "label", "spelt", "field", "words", "kinds"))  # fmt: skip
AGAINST = frozenset(("unusual", "right_is", "unlike"))
BOUNDS = [
    (0, None) if name in FOR else (None, 0) if name in AGAINST else (None, None) for name in CONTEXT_FEATURE_NAMES
]


@dataclass(frozen=True, slots=True)
class Example:
    """One row with one context: a row of numbers for each item it may be of; `right` is all False where none is."""

    source: str
    kind: str
    fold: str
    numbers: Any
    right: Any
    weight: float
    alone: bool  # the formula alone has the right item first
    accepted: bool


def examples(args: argparse.Namespace, rows: Sequence[Any]) -> list[Example]:
    items = {row["qid"]: row for row in rows}
    labels = {qid: row["label"] for qid, row in items.items() if row.get("label")}
    recogniser = Recogniser(rows)
    found = []

    def add(
        source: str, tex: str, qid: str, fold: str, said: dict[str, str], weight: float = 1.0, near: Any = None
    ) -> None:
        brought = recogniser.all_ranked([near], RERANKED)[0] if near else recogniser.hits(tex, RERANKED)
        first = bool(brought) and brought[0].qid == qid
        sure = bool(brought) and brought[0].probability >= recogniser.ranker.accept
        for kind, text in said.items():
            context = recogniser.contextual_index.read(text, tex)
            candidates = recogniser.contextual_index.candidates(tex, brought, context) if context else []
            if candidates:
                numbers = recogniser.contextual_index.features(tex, brought, context, candidates)
                right = np.array([recogniser.contextual_index.qid(item) == qid for item in candidates])
                found.append(Example(source, kind, fold, numbers, right, weight / len(said), first, sure))

    pages = articles(args.corpus)
    for path in args.queries:
        queries = [row for row in read_lines(path) if row.get("qid")]
        many = Counter(map(title_of, queries))
        for row, said in zip(track(queries, Path(path).stem), contexts(queries, pages, labels), strict=True):
            title = title_of(row)
            fold = (
                f"concept {crc32(row['qid'].encode()) % FOLDS}" if not title else title if many[title] > SMALL else ""
            )
            add(Path(path).stem, tex_of(row), row["qid"], fold, said)
    for path in args.negatives:
        for n, row in enumerate(track(list(read_lines(path))[:: args.every], Path(path).stem)):
            words = row.get("context") or row.get("window500") or row.get("surrounding_words") or ()
            text = words if isinstance(words, str) else " ".join(words)
            near = recogniser.index.search_tex(tex_of(row)) if text else None
            if text and not (near and any(level < "K5" for level in near.levels.values())):
                add("no item's", tex_of(row), "", f"concept {n % FOLDS}", {"words": text})
    for qid, tex, said, near in from_list(recogniser, labels, args.list):
        add("list", tex, qid, f"concept {crc32(qid.encode()) % FOLDS}", said, LIST, near)
    return found


def from_list(recogniser: Recogniser, labels: dict[str, str], every: int) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield (QID, formula, contexts by kind, shortlist without the formula's own entry)."""
    rng = random.Random(2534)
    entries = recogniser.index.entries
    known = {entry.qid for entry in entries}
    book = [concept for concept in builtin_formulas().values() if concept.qid in known]
    by_field: dict[str, list[str]] = defaultdict(list)
    for concept in book:
        by_field[concept.field].append(concept.qid)
    listed = [(concept, tex) for concept in book for tex in concept.formulas]
    for concept, tex in track(listed[::every], "list"):
        near = recogniser.index.search_tex(clean(tex))
        if near is None:
            continue
        own = np.array([entries[row].qid == concept.qid and entries[row].tex == tex for row in near.rows])
        near = without(near, own)
        beside = by_field[rng.choice(list(by_field)) if rng.random() < ELSEWHERE else concept.field]
        other, word = (labels[rng.choice(beside)] for _ in range(2))
        if near is None or labels[concept.qid] in (other, word):
            continue
        words = {"own": labels[concept.qid], "other": other, "word": word, "tex": f"${tex}$", "topic": concept.field}
        yield (
            concept.qid,
            tex,
            {form.replace("\n", " / "): form.format(**words) for form in rng.sample(TEMPLATES, 4)},
            near,
        )


def fit(data: Sequence[Example], ridge: float, start: Any = None) -> Any:
    x = np.concatenate([each.numbers for each in data])
    y = np.concatenate([each.right for each in data]).astype(np.float64)
    w = np.array([each.weight for each in data])
    sizes = [len(each.right) for each in data]
    begin = np.cumsum([0, *sizes])[:-1]
    of = np.repeat(np.arange(len(data)), sizes)

    def loss(b: Any) -> Any:
        z = x @ b
        power = np.exp(z - np.maximum.reduceat(z, begin)[of])
        total = np.add.reduceat(power, begin)
        right = np.maximum(np.add.reduceat(power * y, begin), 1e-12)
        slope = x.T @ ((power / total[of] - power * y / right[of]) * w[of])
        return -(w * np.log(right / total)).sum() + ridge * (b @ b) / 2, slope + ridge * b

    first = np.zeros(x.shape[1]) if start is None else start
    return minimize(loss, first, jac=True, bounds=BOUNDS, method="L-BFGS-B", options={"maxiter": 150}).x


def first_of(example: Example, weights: Any) -> tuple[bool, Any]:
    """Return whether the first item is right, and what speaks for believing it."""
    scores = example.numbers @ weights
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    best = int(np.argmax(shares))
    return bool(example.right[best]), calibration_features_in_document(example.numbers, shares)[best]


def calibrate(data: Sequence[Example], firsts: Sequence[tuple[bool, Any]]) -> Any:
    """Return one weight for each of CALIBRATION, then the bias."""
    weight = [each.weight * (NEGATIVES if each.source == "no item's" else 1.0) for each in data]
    model = LogisticRegression(C=1.0, max_iter=4000)
    model.fit([seen for _, seen in firsts], [right for right, _ in firsts], sample_weight=weight)
    return np.append(model.coef_[0], model.intercept_[0])


def main() -> None:
    parser = arguments(__doc__, "--items")
    parser.add_argument("--queries", required=True, nargs="+", metavar="F")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="DIR")
    parser.add_argument(
        "--negatives", nargs="*", default=[], metavar="F", help="formulas that are not an item's, with words"
    )
    parser.add_argument("--every", type=int, default=10, help="of the negatives")
    parser.add_argument("--list", type=int, default=15, metavar="N", help="every Nth of its formulas")
    parser.add_argument("--ridge", type=float, default=1.0)
    parser.add_argument(
        "--write", action="store_true", help="write the block in_document of bot/match/recognition.json"
    )
    args = parser.parse_args()
    data = examples(args, list(read_lines(args.items, {"qid": str})))
    ok = [each for each in data if each.right.any()]
    weights = fit(ok, args.ridge)
    firsts: list[tuple[bool, Any]] = [(False, None)] * len(data)
    for fold in track(sorted({each.fold for each in data}), "folds"):
        held = fit([each for each in ok if each.fold != fold], args.ridge, weights)
        for n, each in enumerate(data):
            if each.fold == fold:
                firsts[n] = first_of(each, held)
    said = np.zeros(len(data))
    for fold in sorted({each.fold for each in data}):
        seen = [n for n, each in enumerate(data) if each.fold != fold]
        model = calibrate([data[n] for n in seen], [firsts[n] for n in seen])
        for n, each in enumerate(data):
            if each.fold == fold:
                said[n] = 1 / (1 + np.exp(-(firsts[n][1] @ model[:-1] + model[-1])))
    report(data, firsts, said)
    calibration = calibrate(data, firsts)
    print({name: round(float(value), 3) for name, value in zip(CONTEXT_FEATURE_NAMES, weights, strict=True)})
    print(
        {name: round(float(value), 3) for name, value in zip((*CONTEXT_CALIBRATION, "bias"), calibration, strict=True)}
    )
    if args.write:
        write(weights, calibration, len(data))


def report(data: Sequence[Example], firsts: Sequence[tuple[bool, Any]], said: Any) -> None:
    by: dict[tuple[str, str], list[int]] = defaultdict(list)
    for n, each in enumerate(data):
        by[each.source, each.kind].append(n)
    rows = []
    for (source, kind), part in sorted(by.items()):
        right = np.array([firsts[n][0] for n in part])
        taken = said[part] >= 0.8
        before = np.array([data[n].accepted for n in part])
        good = np.array([data[n].alone for n in part])
        rows.append((source, kind, len(part), right.mean(), good.mean(), data_ceiling(data, part), f"{right[taken].sum()} of {taken.sum()}", f"{good[before].sum()} of {before.sum()}"))  # fmt: skip
    table("held out", ("set", "context", "rows", "first", "alone", "there", "right at .8", "accepted alone"), rows)
    right = np.array([good for good, _ in firsts])
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.01)):
        band = (said >= low) & (said < high)
        if band.any():
            print(f"said {low}-{high}: {band.sum()}, said {said[band].mean():.2f}, right {right[band].mean():.2f}")


def data_ceiling(data: Sequence[Example], part: Sequence[int]) -> float:
    """Return how often the right item is among those looked at."""
    return float(np.mean([data[n].right.any() for n in part]))


def write(weights: Any, calibration: Any, total: int) -> None:
    shipped = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    shipped["in_document"] = {
        "note": f"fitted by benchmarks/train_in_document.py on {total} rows with a context",
        "rank": {name: round(float(value), 3) for name, value in zip(CONTEXT_FEATURE_NAMES, weights, strict=True)},
        "calibration": {
            "bias": round(float(calibration[-1]), 3),
            "weights": {
                name: round(float(value), 3) for name, value in zip(CONTEXT_CALIBRATION, calibration[:-1], strict=True)
            },
        },
    }
    WEIGHTS.write_text(json.dumps(shipped, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
