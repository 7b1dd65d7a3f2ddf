"""Recognition at growing size: time alone, rate in batches, time to build and memory, beside TF-IDF of TeX tokens in the same run.

`--fill` are JSON lines with "tex" or "formula" that make up for what items and the built-in list lack; each formula is an item of its own. Where
they run out, their letters are altered. The other method compares a query with all formulas: scikit-learn's TF-IDF of token 1- to
3-grams, cosine, ten best. Each size and method runs in a process of its own, on one core, with queries that were not seen before.

OPENBLAS_NUM_THREADS=1 python benchmarks/recognition_scale.py --items items.jsonl --queries variants.jsonl --fill catalogue.jsonl
"""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from recognition import forget, times
from sklearn.feature_extraction.text import TfidfVectorizer

from bot.console import read_lines, table, write_json
from bot.formula import tokens
from bot.match import Recogniser
from bot.match.builtin import builtin_formulas
from bot.match.builtin import entry_for_item as from_book

_LETTER = re.compile(
    r"(?<![A-Za-z\\{])[a-zA-Z](?![A-Za-z])"
)  # a variable, no part of a command, nor the name of an environment
ROUNDS = 3

Row = Mapping[str, Any]


def altered(tex: str, turn: int) -> str:
    """Return the formula with its letters moved on in the alphabet."""
    return _LETTER.sub(lambda found: chr((ord(found[0].lower()) - 97 + turn) % 26 + 97), tex)


def filling(paths: Sequence[str]) -> Iterator[str]:
    """Yield the formulas of the files without end, each text once."""
    texts = list(
        dict.fromkeys(str(row.get("tex") or row.get("formula") or "") for path in paths for row in read_lines(path))
    )
    seen: set[str] = set()
    for turn in range(26):
        for tex in texts:
            new = altered(tex, turn) if turn else tex
            if new.strip() and new not in seen:
                seen.add(new)
                yield new


def known_formulas(items: Sequence[Row]) -> int:
    """Return how many formulas items and the built-in list have together."""
    total = 0
    for row in items:
        concept = from_book(row["qid"], [row.get("label") or "", *(row.get("aliases") or ())], builtin_formulas())
        total += len({*(row.get("formulas") or ()), *(concept.formulas if concept else ())})
    return total


def filled(items: Sequence[Row], fill: Sequence[str], lacking: int) -> list[Row]:
    """Return the items with as many further ones, of one formula each."""
    numbers = count(10**9)
    return [
        *items,
        *[
            {"qid": f"Q{number}", "label": "", "formulas": [tex]}
            for number, tex in zip(numbers, fill[:lacking], strict=False)
        ],
    ]


def ours(items: Sequence[Row], queries: Sequence[Row], book: Mapping[str, Any] | None) -> dict[str, Any]:
    """Measure the recogniser; the first build reads what is new, the second is what every later run takes."""
    first = built(items, book)[1]
    recogniser, again = built(items, book)
    found = times(recogniser, queries)
    return {
        "formulas": len(recogniser.index.entries),
        **found,
        "build_s": round(again, 2),
        "first_build_s": round(first, 2),
    }


def built(items: Sequence[Row], book: Mapping[str, Any] | None) -> tuple[Recogniser, float]:
    start = time.perf_counter()
    recogniser = Recogniser(items, book=book)
    return recogniser, time.perf_counter() - start


def other(items: Sequence[Row], queries: Sequence[Row], book: Mapping[str, Any] | None) -> dict[str, Any]:
    """Measure TF-IDF with cosine over all rows."""
    book = builtin_formulas() if book is None else book
    texts = []
    for row in items:
        concept = from_book(row["qid"], [row.get("label") or "", *(row.get("aliases") or ())], book)
        texts += list(dict.fromkeys([*(row.get("formulas") or ()), *(concept.formulas if concept else ())]))
    start = time.perf_counter()
    vectorizer = TfidfVectorizer(analyzer=_grams)
    rows = vectorizer.fit_transform(texts)
    columns = rows.T.tocsr()
    build = time.perf_counter() - start

    def answer(asked: Sequence[Row]) -> list[Any]:
        alike = (vectorizer.transform([row["tex"] for row in asked]) @ columns).toarray()
        best = np.argpartition(-alike, 10, axis=1)[:, :10]
        return [sorted(zip(-each[at], at, strict=True)) for each, at in zip(alike, best, strict=True)]

    alone, together = [], []
    for _ in range(ROUNDS):
        forget()
        seconds = []
        for row in queries:
            begin = time.perf_counter()
            answer([row])
            seconds.append(time.perf_counter() - begin)
        alone.append(median(seconds))
        forget()
        begin = time.perf_counter()
        for at in range(0, len(queries), 128):
            answer(queries[at : at + 128])
        together.append(time.perf_counter() - begin)
    return {
        "formulas": len(texts),
        "ms_per_query": round(1000 * min(alone), 3),
        "queries_per_s": round(len(queries) / min(together)),
        "build_s": round(build, 2),
        "first_build_s": round(build, 2),
    }


def _grams(tex: str) -> list[str]:
    row = tokens(tex)
    return [" ".join(row[at : at + n]) for n in (1, 2, 3) for at in range(len(row) - n + 1)]


def _measured(method: Any, *given: Any) -> dict[str, Any]:
    found: dict[str, Any] = method(*given)
    return {**found, "mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)}


def alone(work: Any) -> dict[str, Any]:
    """Return what a process of its own measures: memory is counted from nothing."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found: dict[str, Any] = pool.apply(work)
    return found


def main() -> None:
    parser = arguments(__doc__, "--items", "--json")
    parser.add_argument("--queries", required=True, nargs="+", metavar="F")
    parser.add_argument("--fill", nargs="*", default=[], metavar="F")
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[50_000], help="formulas, beyond those of items and the built-in list"
    )
    args = parser.parse_args()
    items = list(read_lines(args.items, {"qid": str}))
    queries = [{"tex": row["tex"]} for path in args.queries for row in read_lines(path, {"tex": str})]
    fill = list(filling(args.fill)) if args.fill else []
    worlds: list[tuple[list[Row], Mapping[str, Any] | None]] = [(items, {}), (items, None)]
    held = known_formulas(items)
    worlds += [(filled(items, fill, size - held), None) for size in args.sizes if fill and size > held]
    found = []
    for rows, book in worlds:
        mine, theirs = (alone(partial(_measured, method, rows, queries, book)) for method in (ours, other))
        ratio = {
            "time": round(mine["ms_per_query"] / theirs["ms_per_query"], 2),
            "rate": round(mine["queries_per_s"] / theirs["queries_per_s"], 2),
        }
        found.append({"recognition": mine, "tfidf": theirs, "ratio": ratio})
    if args.json:
        write_json({"queries": len(queries), "sizes": found})
        return
    names = list(found[0]["recognition"])
    lines = [(method, *[each[method][name] for name in names]) for each in found for method in ("recognition", "tfidf")]
    table(f"{len(queries)} queries", ("method", *names), lines)
    table(
        "recognition to TF-IDF",
        ("formulas", "time", "rate"),
        [(each["recognition"]["formulas"], *each["ratio"].values()) for each in found],
    )


if __name__ == "__main__":
    main()
