"""Which matches go to the queue: an item's likeliest formulas, each concept in one way of writing.

Another item may have the better claim to a formula: formulas stand on several items, the evidence has priced it in,
and the report shows it.
"""

from collections import defaultdict
from collections.abc import Iterable

from bot.match.features.agreement import equivalent
from bot.records import ItemMatch
from bot.wikibase import item_number

FORMULAS = 3  # chosen, for one item: what a person must tell apart should be few


def choose_matches(matches: Iterable[ItemMatch], propose_from: float, formulas: int = FORMULAS) -> list[ItemMatch]:
    """Return up to `formulas` matches for each item, the likeliest first; the order depends on the content only.

    Formulas that agree as the item's are one, and the likeliest way of writing it stands for all.
    """
    chosen: dict[str, list[ItemMatch]] = defaultdict(list)
    for match in sorted(matches, key=ranking_key):
        of_item = chosen[match.qid]
        if (
            match.probability >= propose_from
            and len(of_item) < formulas
            and not any(_one(match, each) for each in of_item)
        ):
            of_item.append(match)
    return sorted((match for each in chosen.values() for match in each), key=ranking_key)


def _one(match: ItemMatch, other: ItemMatch) -> bool:
    return match.tex == other.tex or equivalent(*sorted((match.tex, other.tex))) is not None


def ranking_key(match: ItemMatch) -> tuple[float, int, str, str, str]:
    """Return the key by which matches are sorted, the likeliest first."""
    return -match.probability, item_number(match.qid), match.qid, match.concept, match.tex
