"""The paper's first experiment: each equation is a query, its concept's item the answer, counted strictly and once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from paper_printed import SEARCH, SEARCH_STRICT
from rapidfuzz import fuzz, process
from recognition import gold, rank_of

from bot.formula import clean
from bot.match import recognise
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula

Row = Mapping[str, Any]
FIGURES = ("top1", "top10", "mrr10")


def figures(ranks: Sequence[int | None]) -> dict[str, float]:
    """Return top-1, top-10 and MRR@10 over all queries: one that is not found counts as nothing, not as absent."""
    found = [rank for rank in ranks if rank and rank <= 10]
    total = max(len(ranks), 1)
    return {
        "top1": round(found.count(1) / total, 4),
        "top10": round(len(found) / total, 4),
        "mrr10": round(sum(1 / rank for rank in found) / total, 4),
    }


def published(ranks: Sequence[Row] | None) -> list[dict[str, Any]]:
    """Return the paper's sources: as printed, by the usual definition from the authors' ranks, and strictly."""
    out = []
    for source, (mrr, top10, top1) in SEARCH.items():
        row: dict[str, Any] = {"source": source, "printed": {"top1": top1, "top10": top10, "mrr_of_found": mrr}}
        if ranks:
            row["all_queries"] = figures([each.get(source) for each in ranks])
        if source in SEARCH_STRICT:
            row["strict"] = dict(zip(FIGURES, SEARCH_STRICT[source], strict=True))
        out.append(row)
    return out


def ours(items: Sequence[Row], queries: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the paper's string ratio and two ways of ours, on the same items."""
    entries = [IndexedFormula(row["qid"], tex) for row in items for tex in row.get("formulas") or ()]
    present = {entry.qid for entry in entries}
    ceiling = round(sum(bool(gold(query) & present) for query in queries) / max(len(queries), 1), 4)
    methods: dict[str, Callable[[], Iterable[Sequence[str]]]] = {
        "string ratio, again": lambda: _by_ratio(entries, queries),
        "idf-Jaccard of canonical tokens": lambda: _by_tokens(entries, queries),
        "recognise": lambda: ([hit["qid"] for hit in row["hits"]] for row in recognise(items, queries, 10)),
    }
    return [
        {"source": name, "formulas": len(entries), "ceiling": ceiling, "strict": _scored(queries, method())}
        for name, method in methods.items()
    ]


def _scored(queries: Sequence[Row], answers: Iterable[Sequence[str]]) -> dict[str, float]:
    pairs = zip(queries, answers, strict=True)
    return figures([rank_of({"hits": [{"qid": qid} for qid in _once(found)]}, gold(row)) for row, found in pairs])


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
        near = sorted(index.near(clean(query["tex"]), 60), key=lambda each: (-each.jaccard, each.entry.qid))
        yield [each.entry.qid for each in near]
