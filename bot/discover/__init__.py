"""Occurrences to named formula concepts: sources are mined into Parquet shards, counted by canonical key, named, stored.

mine → count → group → names → concepts       name cues are found while mining, weighed while naming
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.discover.name_search import find_by_name
    from bot.discover.run import discover
    from bot.discover.stored_concepts import load_concepts
    from bot.discover.stored_occurrences import all_occurrences, find_occurrences_again, occurrences_of

__all__ = ["all_occurrences", "discover", "find_by_name", "find_occurrences_again", "load_concepts", "occurrences_of"]
_HOMES = {"discover": "run", "find_by_name": "name_search", "load_concepts": "stored_concepts"}


def __getattr__(name: str) -> object:
    """Import a part when it is asked for: some bring libraries that the others do not need."""
    if name in __all__:
        return getattr(import_module(f"bot.discover.{_HOMES.get(name, 'stored_occurrences')}"), name)
    raise AttributeError(name)
