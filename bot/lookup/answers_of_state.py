"""What a wiki answered in one state, for runs that find it in the same state: the rehearsal wiki tells its state, another wiki is asked again."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from bot.result_cache import ResultCache, cache_key

T = TypeVar("T")
_MOST_KEPT = 100_000  # answers of one kind, some 20 MB: they are in memory together


class AnswersOfState:
    """Answers by kind and name. What is asked while the wiki changes is not kept."""

    def __init__(self, results: ResultCache, state: Callable[[], str], *settings: object) -> None:
        self._results, self._state, self._settings = results, state, settings
        self._key = self._current_key()
        self._known: dict[str, dict[str, object]] = {}
        self._changed: set[str] = set()

    def get(self, kind: str, names: Iterable[str], ask: Callable[[list[str]], Mapping[str, T]]) -> dict[str, T]:
        """Return the answer to each name; `ask` is called with those that are not known and answers each of them."""
        if kind not in self._known:
            self._known[kind] = self._results.load_last(f"wiki {kind}", self._key)
        known: dict[str, T] = self._known[kind]  # type: ignore[assignment]  # by its kind
        wanted = dict.fromkeys(names)
        if missing := [name for name in wanted if name not in known]:
            known |= ask(missing)
            self._changed.add(kind)
        return {name: known[name] for name in wanted}

    def store(self) -> None:
        """Keep the answers for later runs."""
        if self._current_key() == self._key:
            for kind in self._changed:
                if len(self._known[kind]) <= _MOST_KEPT:
                    self._results.store_last(f"wiki {kind}", self._key, self._known[kind])

    def _current_key(self) -> bytes:
        return cache_key(self._state(), *self._settings)
