"""Recognition as the Formula Concept Database grows: 0, 1, 3, 5, 9 further representations of each concept.

A concept is what the queries share: their `qid`, or the first of their `gold_qids`. Its representations are the queries
of the file itself and of --also; a query is always asked of an index that holds other sources than itself.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments
from recognition import gold, rank_of

from bot.console import read_lines, table, write_json
from bot.formula import clean
from bot.match import Recogniser
from bot.review.fcdb import with_representations

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
STEPS = (0, 1, 3, 5, 9)
# Earlier measurements (top 1, top 10), idf-weighted Jaccard of token 1-3-grams: one formula each on the items of 2019,
# more representations on 5,612 formulas; and for other concepts than the paper's on the items of 2019.
ANCHORS: dict[str, dict[int, tuple[float, float]]] = {
    "the paper's 100": {0: (0.37, 0.60), 1: (0.56, 0.82), 3: (0.66, 0.88), 5: (0.74, 0.92), 9: (0.84, 0.97)},
    "other concepts": {0: (0.28, 0.52)},
}


def concept_of(row: Row) -> str:
    """Return the item that stands for the query's concept."""
    return str(row.get("qid") or next(iter(row.get("gold_qids") or ()), ""))


def rounds(queries: Sequence[Row], also: Iterable[Row], k: int, seed: int) -> Iterator[tuple[list[Row], list[Row]]]:
    """Yield (representations to add, queries to ask of them) until each query was asked once.

    In a round every concept has `k` further representations, drawn at random, and what is asked is none of them. A
    concept with no more than `k` has all but the query.
    """
    pools = _pools(queries, also, seed)
    open_ = {concept: [n for n, row in enumerate(pool) if row["asked"]] for concept, pool in pools.items()}
    while any(open_.values()):
        added: list[Row] = []
        asked: list[Row] = []
        for concept, pool in pools.items():
            # The first open query is left out, and with it every source that is the same string.
            first = open_[concept][0] if open_[concept] else 0
            own = clean(pool[first]["tex"])
            others = [(first + 1 + n) % len(pool) for n in range(len(pool) - 1)]
            block = [n for n in others if clean(pool[n]["tex"]) != own][:k]
            drawn = {clean(pool[n]["tex"]) for n in block}
            added += [{"qid": concept, "tex": pool[n]["tex"]} for n in block]
            now = [n for n in open_[concept] if clean(pool[n]["tex"]) not in drawn]
            asked += [pool[n]["asked"] for n in now]
            open_[concept] = [n for n in open_[concept] if n not in now]
        yield added, asked


def _pools(queries: Sequence[Row], also: Iterable[Row], seed: int) -> dict[str, list[dict[str, Any]]]:
    """Return concept -> its representations in random order; `asked` is the query that one is, if it is one.

    What is the same string up to trimming is one source and stands once.
    """
    pools: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in queries:
        spelling = clean(row["tex"])
        while spelling in pools[concept_of(row)]:
            spelling += " "  # asked all the same
        pools[concept_of(row)][spelling] = {"tex": row["tex"], "asked": row}
    for row in also:
        if concept_of(row) in pools:
            pools[concept_of(row)].setdefault(clean(row["tex"]), {"tex": row["tex"], "asked": None})
    draw = random.Random(seed)
    return {concept: draw.sample(list(pool.values()), len(pool)) for concept, pool in sorted(pools.items())}


def measure(
    items: Sequence[Row], queries: Sequence[Row], also: Sequence[Row], k: int, seed: int, book: Any
) -> tuple[float, float]:
    """Return top 1 and top 10 over all queries."""
    ranks: list[int | None] = []
    known = {row["qid"] for row in items}
    for added, asked in rounds(queries, also, k, seed):
        new = [{"qid": qid} for qid in sorted({row["qid"] for row in added} - known)]
        recogniser = Recogniser(with_representations([*items, *new], added), book=book)
        ranks += [rank_of(recogniser.answer(row, 10), gold(row)) for row in asked]
    return fmean(rank == 1 for rank in ranks), fmean(rank is not None and rank <= 10 for rank in ranks)


def growth(
    items: Sequence[Row],
    queries: Sequence[Row],
    also: Sequence[Row],
    seeds: int,
    steps: Sequence[int] = STEPS,
    book: Any = None,
) -> dict[int, dict[str, float]]:
    """Return further representations -> mean figures; a step above what every concept has is left out."""
    sizes = [len(pool) for pool in _pools(queries, also, 0).values()]
    found: dict[int, dict[str, float]] = {}
    for k in (k for k in steps if k < min(sizes, default=1)):
        runs = [measure(items, queries, also, k, seed, book) for seed in range(seeds if 0 < k < max(sizes) - 1 else 1)]
        found[k] = {"top1": round(fmean(r[0] for r in runs), 4), "top10": round(fmean(r[1] for r in runs), 4)}
        found[k] |= {"least_top1": round(min(r[0] for r in runs), 4), "seeds": len(runs)}
    return found


def figure(found: Mapping[int, Mapping[str, float]], anchors: Mapping[int, tuple[float, float]]) -> Figure:
    """Return the chart: recognition over further representations, the earlier measurement dashed."""
    from charts import line_charts

    lines = {"top 1": {k: f["top1"] for k, f in found.items()}, "top 10": {k: f["top10"] for k, f in found.items()}}
    for n, name in enumerate(("top 1, earlier", "top 10, earlier")):
        if points := {k: anchors[k][n] for k in anchors if k in found}:
            lines[name] = points
    return line_charts(
        "Recognition grows with representations",
        {"": lines},
        low=0.2,
        below="further representations of each concept",
        left="share of queries (0 to 1)",
        dashed=("top 1, earlier", "top 10, earlier"),
    )


def main() -> None:
    parser = arguments(__doc__, "--items", "--queries", "--no-builtin", "--json")
    parser.add_argument("--also", action="append", default=[], metavar="F", help="further representations {qid, tex}")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--figure", metavar="F", help="draw a line chart (SVG)")
    args = parser.parse_args()
    queries = [row for row in read_lines(args.queries, {"tex": str}) if concept_of(row)]
    if not queries:
        parser.error(f"{args.queries} holds no query with a qid or gold_qids")
    also = [row for path in args.also for row in read_lines(path, {"tex": str})]
    found = growth(
        list(read_lines(args.items, {"qid": str})),
        queries,
        also,
        max(args.seeds, 1),
        book={} if args.no_builtin else None,
    )
    anchors = ANCHORS["the paper's 100" if "gold_qids" in queries[0] else "other concepts"]
    if args.figure:
        from charts import save

        save(figure(found, anchors), args.figure)
    if args.json:
        write_json({"queries": len(queries), "growth": [{"further": k, **f} for k, f in found.items()]})
        return
    rows = [
        (k, f["top1"], f["top10"], f["least_top1"], *map(str, anchors.get(k, ("–", "–")))) for k, f in found.items()
    ]
    table("recognition", ("further", "top 1", "top 10", "least top 1", "anchor top 1", "anchor top 10"), rows)


if __name__ == "__main__":
    main()
