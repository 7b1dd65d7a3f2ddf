"""What a wiki answered is kept for as long as it is known not to have changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.lookup import Client
from bot.result_cache import ResultCache, temporary_result_cache


class Asked:
    """The names that a client asked the wiki for, each time."""

    def __init__(self, make: Callable[..., Client], results: ResultCache) -> None:
        self.client, self.results, self.names = make(), results, list[list[str]]()
        self.client._items_by_label = self._answer  # type: ignore[method-assign, assignment]

    def _answer(self, names: list[str]) -> dict[str, list[str]]:
        self.names.append(names)
        return {name: [f"Q{len(name)}"] for name in names}

    def ask(self, state: Callable[[], str] | None, *names: str) -> dict[str, list[str]]:
        self.names.clear()
        self.client._content_version = state
        with self.client.keeping_answers(self.results):
            return self.client.items_by_label(names)


def test_only_new_names_are_asked_of_a_wiki_that_has_not_changed(make: Callable[..., Client]) -> None:
    with temporary_result_cache() as results:
        wiki = Asked(make, results)
        assert wiki.ask(lambda: "today", "mass", "force") == {"mass": ["Q4"], "force": ["Q5"]}
        assert wiki.ask(lambda: "today", "force", "energy") == {"force": ["Q5"], "energy": ["Q6"]}
        assert wiki.names == [["energy"]]
        wiki.ask(lambda: "edited", "force")
        assert wiki.names == [["force"]]


@pytest.mark.parametrize("is_known", [True, False])
def test_nothing_is_kept_of_a_wiki_that_changes(make: Callable[..., Client], is_known: bool) -> None:
    with temporary_result_cache() as results:
        wiki = Asked(make, results)
        state = (lambda: "edited" if wiki.names else "today") if is_known else None
        for _ in range(2):
            assert wiki.ask(state, "mass") == {"mass": ["Q4"]}
            assert wiki.names == [["mass"]]
