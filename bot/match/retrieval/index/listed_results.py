"""Results for formulas of the built-in list, in the user's cache folder: every run compares with these formulas, in several processes."""

import logging
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import TypeVar

from platformdirs import user_cache_path

from bot.result_cache import ResultCache, open_or_recreate
from bot.stage_state import code_version

R = TypeVar("R")
_WRITTEN = 256  # results in memory before they are written
_listed: set[str] = set()
_LOG = logging.getLogger(__name__)


def kept_for_list(maxsize: int) -> Callable[[Callable[[str], R]], Callable[[str], R]]:
    """Cache a pure function of a formula; its results for formulas of the built-in list are kept for other processes and later runs."""

    def decorated(function: Callable[[str], R]) -> Callable[[str], R]:
        name = f"{function.__module__}.{function.__qualname__}"

        @lru_cache(maxsize=maxsize)
        @wraps(function)
        def cached(tex: str) -> R:
            return _listed_results().result(name, tex, function) if tex in _listed else function(tex)

        return cached

    return decorated


def keep_results_for(formulas: Iterable[str]) -> None:
    """Keep the results for these formulas of the list."""
    _listed.update(formulas)


def keep_results_for_links(tex: str, links: Iterable[str]) -> None:
    """Keep results for the equalities of a formula, too, if those for itself are kept."""
    if tex in _listed:
        _listed.update(links)


class ListedResults:
    """Results by function and formula, in a file that processes share. A file that cannot be used costs time only."""

    def __init__(self, folder: Path) -> None:
        from bot.match.retrieval.index.stored_readings import exclusive_lock, remove_old  # it brings numpy

        self._new: dict[tuple[str, bytes], object] = {}
        self._cache = ResultCache()
        path = folder / f"comparisons-{code_version()}.db"
        try:
            with exclusive_lock(
                path.with_suffix(".lock")
            ):  # two processes that lay it out would be in each other's way
                self._cache = ResultCache(open_or_recreate(path), "list")
                remove_old(path)
        except (OSError, sqlite3.Error) as error:
            _LOG.info("results for the built-in list cannot be kept in %s (%s)", path, error)

    def result(self, name: str, tex: str, function: Callable[[str], R]) -> R:
        """Return the result of a function; it is written with the next ones."""
        key = tex.encode("utf-8", "surrogatepass")
        with suppress(sqlite3.Error):
            stored: dict[bytes, R] = self._cache.load(name, [key])
            if key in stored:
                return stored[key]
        found = function(tex)
        self._new[name, key] = found
        if len(self._new) >= _WRITTEN:
            new, self._new = self._new, {}
            with suppress(sqlite3.Error):
                self._cache.store_all(new)
        return found


@cache
def _listed_results() -> ListedResults:
    return ListedResults(user_cache_path("formula-concept-bot"))
