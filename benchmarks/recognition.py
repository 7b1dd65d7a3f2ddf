"""Recognition: formulas to items, items counted once; and whether the recogniser knows when to abstain.

Gold of a query: `qid` (with `also_ok`) or `gold_qids`. Negatives are formulas that are not an instance of any item. `--no-builtin` asks of the
items' own formulas alone. `relaxed` counts a first hit that is one step of part-of from the right item. Times are for answering only, on
one core, of formulas that were not seen before: the median of queries asked alone, and queries a second of all asked in one batch; the
best of three rounds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.formula import clean, keys, tokens
from bot.formula.features.structural import structural_features
from bot.formula.normal.stages import normal_forms
from bot.match import Recogniser

ROUNDS = 3


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


def figures(answers: Sequence[Mapping[str, Any]], negatives: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
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
    }


def forget() -> None:
    """Drop what is remembered of formulas: a time is for those that are new."""
    for remembering in (clean, tokens, keys, normal_forms, structural_features):
        remembering.cache_clear()


def times(recogniser: Recogniser, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the median time of single queries and the rate of a batch."""
    alone, together = [], []
    for _ in range(ROUNDS if rows else 0):
        forget()
        seconds = []
        for row in rows:
            start = time.perf_counter()
            recogniser.answer(row)
            seconds.append(time.perf_counter() - start)
        alone.append(median(seconds))
        forget()
        start = time.perf_counter()
        for _ in recogniser.answers(rows):
            pass
        together.append(time.perf_counter() - start)
    return {
        "ms_per_query": round(1000 * min(alone), 3) if alone else None,
        "queries_per_s": round(len(rows) / min(together)) if together else None,
    }


def run(
    items: Iterable[Mapping[str, Any]],
    queries: Sequence[Mapping[str, Any]],
    negatives: Sequence[Mapping[str, Any]],
    book: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Index the items, answer everything."""
    recogniser = Recogniser(items, book=book)
    rows = [*queries, *negatives]
    answers = list(recogniser.answers(rows))
    found = figures(answers[: len(queries)], answers[len(queries) :])
    return {**found, **times(recogniser, rows), "formulas": len(recogniser.index.entries)}, answers


def main() -> None:
    parser = arguments(__doc__, "--items", "--queries", "--no-builtin", "--json")
    parser.add_argument("--negatives", metavar="F")
    args = parser.parse_args()
    queries = list(read_lines(args.queries, {"tex": str}))
    negatives = list(read_lines(args.negatives, {"tex": str})) if args.negatives else []
    found, answers = run(read_lines(args.items, {"qid": str}), queries, negatives, {} if args.no_builtin else None)
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
