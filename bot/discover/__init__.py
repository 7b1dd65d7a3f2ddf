"""Occurrences to named formula concepts: sources are mined into Parquet shards, counted by canonical key, named, stored.

mine → count → group → names → concepts       name cues are found while mining, weighed while naming
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.discover.formula_concepts import load_concepts
from bot.discover.name_search import find
from bot.discover.stored_occurrences import all_occurrences, occurrences_again, occurrences_of

if TYPE_CHECKING:
    from bot.discover.run import DiscoverSummary, discover

__all__ = [
    "DiscoverSummary",
    "all_occurrences",
    "discover",
    "find",
    "load_concepts",
    "occurrences_again",
    "occurrences_of",
]


def __getattr__(name: str) -> object:
    """Import the stage itself when it is asked for: it brings the learning libraries, which readers of a workspace do not need."""
    if name in ("DiscoverSummary", "discover"):
        from bot.discover import run

        return getattr(run, name)
    raise AttributeError(name)
