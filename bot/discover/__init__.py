"""Occurrences to named formula concepts: sources are mined into Parquet shards, counted by canonical key, named, stored.

mine → count → group → names → concepts       name cues are found while mining, weighed while naming
"""

from bot.discover.formula_concepts import load_concepts
from bot.discover.name_search import find
from bot.discover.run import DiscoverSummary, discover
from bot.discover.stored_occurrences import all_occurrences, occurrences_again, occurrences_of

__all__ = [
    "DiscoverSummary",
    "all_occurrences",
    "discover",
    "find",
    "load_concepts",
    "occurrences_again",
    "occurrences_of",
]
