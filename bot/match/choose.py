"""Which matches go to the queue: for each item its likeliest formula.

Another item may have the better claim to that formula: formulas stand on several items, the evidence has priced it in,
and the report shows it. Two formulas for one item would let chance pick between them.
"""

from __future__ import annotations

from collections.abc import Iterable

from bot.records import ItemMatch


def choose(matches: Iterable[ItemMatch], propose_from: float) -> list[ItemMatch]:
    """Return one match for each item, the likeliest first; the order depends on the matches' content only."""
    best: dict[str, ItemMatch] = {}
    for match in sorted(matches, key=_order):
        if match.probability >= propose_from:
            best.setdefault(match.qid, match)
    return list(best.values())


def _order(match: ItemMatch) -> tuple[float, int, str, str, str]:
    number = int(match.qid[1:]) if match.qid[1:].isdigit() else 0
    return -match.probability, number, match.qid, match.concept, match.tex
