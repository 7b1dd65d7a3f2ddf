"""The paper's first experiment: each equation is a query, its concept's item the answer, counted strictly and once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean
from typing import Any

from paper_printed import SEARCH_STRICT, SOURCES, printed
from rapidfuzz import fuzz, process
from recognition import gold, rank_of

from bot.formula import clean
from bot.match import recognise
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula

Row = Mapping[str, Any]
FIGURES = ("top1", "top10", "mrr10")
MEANS = {"mean of six sources": SOURCES[:6], "mean of two search engines": SOURCES[6:8]}


def figures(ranks: Sequence[int | None]) -> dict[str, float]:
    """Return top-1, top-10 and MRR@10 over all queries: one that is not found counts as nothing, not as absent."""
    found = [rank for rank in ranks if rank and rank <= 10]
    total = max(len(ranks), 1)
    return {
        "top1": round(found.count(1) / total, 4),
        "top10": round(len(found) / total, 4),
        "mrr10": round(sum(1 / rank for rank in found) / total, 4),
    }


def of_found(ranks: Sequence[int | None]) -> dict[str, float]:
    """Return mean rank and mean reciprocal rank as the paper has them: over the queries that are found in the first ten."""
    found = [rank for rank in ranks if rank and rank <= 10]
    return {"mr": round(mean(found), 4), "mrr": round(mean(1 / rank for rank in found), 4)} if found else {}


def published(ranks: Sequence[Row] | None) -> list[dict[str, Any]]:
    """Return the paper's sources and their two means: as printed, as the authors' ranks give it, and strictly."""
    out: list[dict[str, Any]] = []
    for source in SOURCES:
        row: dict[str, Any] = {"source": source}
        row["printed"] = {name: printed(f"search.{source}.{name}") for name in ("top1", "top10", "mr", "mrr")}
        if ranks and source not in MEANS:
            own = [each.get(source) for each in ranks]
            row["all_queries"] = figures(own) | of_found(own)
        elif ranks:
            parts = [each["all_queries"] for each in out if each["source"] in MEANS[source]]
            row["all_queries"] = {name: round(mean(part[name] for part in parts), 4) for name in parts[0]}
        if source in SEARCH_STRICT:
            row["strict"] = dict(zip(FIGURES, SEARCH_STRICT[source], strict=True))
        out.append(row)
    return out


def ours(items: Sequence[Row], queries: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the paper's string ratio and ways of ours, on the same items."""
    entries = [IndexedFormula(row["qid"], tex) for row in items for tex in row.get("formulas") or ()]
    present = {entry.qid for entry in entries}
    ceiling = round(sum(bool(gold(query) & present) for query in queries) / max(len(queries), 1), 4)
    methods: dict[str, Callable[[], Iterable[Sequence[str]]]] = {
        "string ratio, again": lambda: _by_ratio(entries, queries),
        "idf-Jaccard of canonical tokens": lambda: _by_tokens(entries, queries),
        "recognise, without the built-in list": lambda: _recognised(items, queries, builtin=False),
        "recognise": lambda: _recognised(items, queries, builtin=True),
    }
    return [
        {"source": name, "formulas": len(entries), "ceiling": ceiling, "strict": scored(queries, method())}
        for name, method in methods.items()
    ]


def _recognised(items: Sequence[Row], queries: Sequence[Row], *, builtin: bool) -> Iterable[list[str]]:
    return ([hit["qid"] for hit in row["hits"]] for row in recognise(items, queries, 10, builtin=builtin))


def scored(queries: Sequence[Row], answers: Iterable[Sequence[str]]) -> dict[str, float]:
    pairs = zip(queries, answers, strict=True)
    ranks = [rank_of({"hits": [{"qid": qid} for qid in _once(found)]}, gold(row)) for row, found in pairs]
    return figures(ranks) | of_found(ranks)


def _once(qids: Iterable[str]) -> list[str]:
    """An item with several formulas is one answer."""
    return list(dict.fromkeys(qids))[:10]


def _by_ratio(entries: Sequence[IndexedFormula], queries: Sequence[Row]) -> Iterable[list[str]]:
    texts = [clean(entry.tex) for entry in entries]
    for query in queries:
        best = process.extract(clean(query["tex"]), texts, scorer=fuzz.ratio, limit=60)
        yield [entries[index].qid for _, _, index in best]


def _by_tokens(entries: Sequence[IndexedFormula], queries: Sequence[Row]) -> Iterable[list[str]]:
    index = FormulaIndex(entries)
    for query in queries:
        near = sorted(index.search(clean(query["tex"]), 60), key=lambda each: (-each.jaccard, each.entry.qid))
        yield [each.entry.qid for each in near]
