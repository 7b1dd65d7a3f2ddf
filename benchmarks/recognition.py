"""Recognition: formulas to items, items counted once; and whether the recogniser knows when to abstain.

Gold of a query: `qid` (with `also_ok`) or `gold_qids`. Negatives are formulas that are no instance of any item. `--no-handbook` asks of the
items' own formulas alone. `relaxed` counts a first hit that is one step of part-of from the right item. Times are for answering only, on
one core: the median of single queries, and queries a second over all of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bot.console import read_lines, table, write_json
from bot.match import Recogniser


def gold(row: Mapping[str, Any]) -> set[str]:
    """Return the items that count as right; queries without any are negatives."""
    return {qid for qid in (row.get("qid"), *row.get("gold_qids", ()), *row.get("also_ok", ())) if qid}


def rank_of(answer: Mapping[str, Any], wanted: set[str]) -> int | None:
    """Return the first right rank, from 1."""
    return next((n for n, hit in enumerate(answer["hits"], 1) if hit["qid"] in wanted), None)


def relaxed(answer: Mapping[str, Any], wanted: set[str]) -> bool:
    """Tell a first hit that is right, or answered together with what is."""
    first = answer["hits"][:1]
    return bool(first) and bool({first[0]["qid"], *first[0].get("together", ())} & wanted)


def figures(
    answers: Sequence[Mapping[str, Any]], seconds: Sequence[float], negatives: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """Return the figures over answered queries; accepted negatives count against precision."""
    ranks = [rank_of(answer, gold(answer)) for answer in answers]
    accepted = [answer for answer in (*answers, *negatives) if answer["accepted"]]
    right = sum(bool(answer["hits"]) and answer["hits"][0]["qid"] in gold(answer) for answer in accepted)
    total = max(len(answers), 1)
    return {
        "top1": round(sum(rank == 1 for rank in ranks) / total, 4),
        "relaxed": round(sum(relaxed(answer, gold(answer)) for answer in answers) / total, 4),
        "top10": round(sum(rank is not None and rank <= 10 for rank in ranks) / total, 4),
        "mrr10": round(sum(1 / rank for rank in ranks if rank and rank <= 10) / total, 4),
        "accepted_precision": round(right / len(accepted), 4) if accepted else None,
        "accepted_recall": round(right / total, 4),
        "ms_per_query": round(1000 * median(seconds), 3) if seconds else None,
        "queries_per_s": round(len(seconds) / sum(seconds)) if seconds else None,
    }


def run(
    items: Iterable[Mapping[str, Any]],
    queries: Sequence[Mapping[str, Any]],
    negatives: Sequence[Mapping[str, Any]],
    book: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Index the items, answer everything."""
    recogniser = Recogniser(items, book=book)
    answers, seconds = [], []
    for row in (*queries, *negatives):
        start = time.perf_counter()
        answers.append(recogniser.answer(row, 10))
        seconds.append(time.perf_counter() - start)
    found = figures(answers[: len(queries)], seconds, answers[len(queries) :])
    return {**found, "formulas": len(recogniser.index.entries)}, answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", required=True, metavar="F")
    parser.add_argument("--queries", required=True, metavar="F")
    parser.add_argument("--negatives", metavar="F")
    parser.add_argument("--no-handbook", action="store_true", help="ask of the items' own formulas alone")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    queries = list(read_lines(args.queries, {"tex": str}))
    negatives = list(read_lines(args.negatives, {"tex": str})) if args.negatives else []
    found, answers = run(read_lines(args.items, {"qid": str}), queries, negatives, {} if args.no_handbook else None)
    if args.json:
        write_json(found)
        return
    rows = [
        (
            a.get("name", a.get("label", a.get("kind", ""))),
            a["tex"],
            rank_of(a, gold(a)) or "–",
            a["accepted"],
            h["qid"],
            h["formula"],
            h["probability"],
        )
        for a in answers
        for h in a["hits"][:1]
        if rank_of(a, gold(a)) != 1
    ]
    table("not first", ("concept", "query", "rank", "accepted", "first hit", "its formula", "p"), rows)
    table("recognition", ("what", "figure"), list(found.items()))


if __name__ == "__main__":
    main()
