"""What is known beyond a corpus, for bundling: letters usual for one quantity, and well-known concepts that two formulas may both be of."""

from __future__ import annotations

from functools import lru_cache

from bot.match.concepts import concepts
from bot.match.symbols import same_quantity


class Knowledge:
    """The table of symbols and the handbook; the handbook is read when it is first asked.

    Bundling is a part of discover and cannot import match: who puts the stages together hands this to it.
    """

    def usual(self, one: str, other: str) -> bool:
        return same_quantity(one, other)

    def meeting(self, a: str, b: str) -> float:
        return _meeting(a, b)


@lru_cache(maxsize=8192)
def _meeting(a: str, b: str) -> float:
    found = concepts().meeting(a, b)
    return found.probability if found else 0.0
