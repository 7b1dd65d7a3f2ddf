"""Which matches go to the queue: for each item its likeliest formula, among formulas whose likeliest item it is."""

from __future__ import annotations

from collections.abc import Iterable

from bot.records import ItemMatch


def choose(matches: Iterable[ItemMatch], propose_from: float) -> list[ItemMatch]:
    """Return one match for each item, the likeliest first; the order depends on the matches' content only."""
    best_item: dict[str, ItemMatch] = {}
    for match in sorted(matches, key=_order):
        best_item.setdefault(match.concept, match)
    best_formula: dict[str, ItemMatch] = {}
    for match in sorted(best_item.values(), key=_order):
        if match.probability >= propose_from:
            best_formula.setdefault(match.qid, match)
    return list(best_formula.values())


def _order(match: ItemMatch) -> tuple[float, int, str, str, str]:
    number = int(match.qid[1:]) if match.qid[1:].isdigit() else 0
    return -match.probability, number, match.qid, match.concept, match.tex
