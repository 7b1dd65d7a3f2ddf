"""Which matches go to the queue: an item's likeliest formulas, each in one way of writing.

Another item may have the better claim to a formula: formulas stand on several items, the evidence has priced it in,
and the report shows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bot.errors import FormulaError
from bot.formula import keys
from bot.records import ItemMatch

FORMULAS = 3  # for one item; what a person must tell apart should be few


def choose(matches: Iterable[ItemMatch], propose_from: float, formulas: int = FORMULAS) -> list[ItemMatch]:
    """Return up to `formulas` matches for each item, the likeliest first; the order depends on the content only.

    Formulas that are one but for notation count once.
    """
    kept: dict[str, dict[str, ItemMatch]] = defaultdict(dict)
    for match in sorted(matches, key=_order):
        if match.probability >= propose_from and len(kept[match.qid]) < formulas:
            kept[match.qid].setdefault(_canonical(match.tex), match)
    return sorted((match for each in kept.values() for match in each.values()), key=_order)


def _canonical(tex: str) -> str:
    try:
        return keys(tex).K2
    except FormulaError:
        return tex


def _order(match: ItemMatch) -> tuple[float, int, str, str, str]:
    number = int(match.qid[1:]) if match.qid[1:].isdigit() else 0
    return -match.probability, number, match.qid, match.concept, match.tex
