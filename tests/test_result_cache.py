"""Results of pure functions that are kept between runs: what is made, what is found again, and what is removed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from bot import result_cache
from bot.processes import WorkerPool
from bot.result_cache import (
    CachedFunction,
    ResultCache,
    cache_key,
    open_result_cache,
    temporary_result_cache,
    use_cached_calls,
)
from bot.store import Workspace


@pytest.fixture
def cache() -> Iterator[ResultCache]:
    with temporary_result_cache() as made:
        yield made


class Doubling:
    """Doubles numbers and keeps what it was asked, a list for each call."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def some(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        return [2 * number for number in numbers]

    def lazily(self, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            self.asked.append([number])
            yield 2 * number


def key(number: int) -> bytes:
    return cache_key(number)


def rows(cache: ResultCache, stage: str | None = None) -> int:
    assert cache._db is not None
    query = "SELECT count(*) FROM results WHERE stage = ?"
    (count,) = cache._db.execute(query, (cache._stage if stage is None else stage,)).fetchone()
    return int(count)


def test_keys_tell_values_apart() -> None:
    assert len(cache_key()) == 16
    assert cache_key("a", 1) == cache_key("a", 1)
    assert len({cache_key("a", 1), cache_key("a1"), cache_key("a", "1"), cache_key(("a", 1)), cache_key("\ud800")}) == 5


@pytest.mark.parametrize("way", ["map_batch", "map_parallel", "map_lazily", "map_as_one_row"])
def test_what_is_kept_is_not_made_again_and_comes_in_order(cache: ResultCache, way: str) -> None:
    made = Doubling()
    make = made.lazily if way == "map_lazily" else made.some

    def asked(of: str, numbers: list[int]) -> list[int]:
        made.asked.clear()
        return list(getattr(cache, way)(of, numbers, key, make))

    assert asked("double", [3, 1, 3, 2]) == [6, 2, 6, 4]
    assert sorted(n for each in made.asked for n in each) == [1, 2, 3]
    assert asked("double", [2, 5, 1]) == [4, 10, 2]
    assert made.asked == [[5]]
    assert asked("double", [5, 2]) == [10, 4]
    assert made.asked == []
    assert asked("another", [2]) == [4]
    assert made.asked == [[2]]
    assert asked("double", []) == []
    assert made.asked == []


@pytest.mark.parametrize("way", ["map_batch", "map_parallel"])
def test_without_a_database_all_is_made_each_time(way: str) -> None:
    made, nothing = Doubling(), ResultCache()
    for _ in range(2):
        assert list(getattr(nothing, way)("double", [1, 2], key, made.some)) == [2, 4]
    assert sum(map(len, made.asked)) == 4
    assert nothing.load("double", [b"1"]) == {}
    nothing.store("double", {b"1": 2})
    nothing.drop_unused()


def test_a_stage_sees_its_own_results(cache: ResultCache) -> None:
    other = cache.for_stage("match")
    cache.store("double", {b"1": 2})
    other.store("double", {b"1": 3, b"2": 4})
    assert cache.load("double", [b"1", b"2"]) == {b"1": 2}
    assert other.load("double", [b"2", b"1"]) == {b"1": 3, b"2": 4}
    assert other.load("another", [b"1"]) == {}
    cache.store("double", {b"1": 9})
    assert cache.load("double", [b"1"]) == {b"1": 9}
    assert cache.for_stage("match").load("double", [b"1"]) == {b"1": 3}


def test_more_keys_than_one_statement_takes_are_looked_up(cache: ResultCache) -> None:
    every = list(range(1201))
    made = Doubling()
    assert cache.map_batch("double", every, key, made.some) == [2 * n for n in every]
    assert list(cache.map_lazily("double", every, key, made.lazily)) == [2 * n for n in every]
    assert list(cache.load_in_order("double", [key(n) for n in every])) == [2 * n for n in every]
    assert [len(each) for each in made.asked] == [1201]


class StartedPool(WorkerPool):
    """Computes what is started when its results are asked for, as a pool whose processes are slow."""

    are_running = True  # type: ignore[assignment]


def test_what_was_begun_is_made_once_and_kept() -> None:
    with temporary_result_cache() as made:
        cache, doubling = ResultCache(made._db, "stage", StartedPool(1)), Doubling()
        assert list(cache.map_parallel("of", [1], key, doubling.some)) == [2]
        cache.begin("of", [1, 2, 3], key, doubling.some)
        cache.begin("of", [3, 4], key, doubling.some)
        assert list(cache.map_parallel("of", [4, 3, 5, 2], key, doubling.some)) == [8, 6, 10, 4]
        assert sorted(doubling.asked) == [[1], [2, 3], [4], [5]]
        assert list(cache.map_parallel("of", [2, 3, 4, 5], key, doubling.some)) == [4, 6, 8, 10]
        assert len(doubling.asked) == 4
        made.begin("of", [6], key, doubling.some)  # there are no other processes
        ResultCache(None, "", StartedPool(1)).begin("of", [6], key, doubling.some)  # nothing is kept
        assert not made._begun


def test_lazy_results_are_stored_in_blocks(cache: ResultCache) -> None:
    made = Doubling()
    found = cache.map_lazily("double", list(range(7)), key, made.lazily, block=3)
    assert rows(cache) == 7
    assert list(found) == list(found) == [2 * n for n in range(7)]
    assert len(made.asked) == 7


def test_a_damaged_row_is_made_again(cache: ResultCache) -> None:
    made = Doubling()
    lazily = cache.map_lazily("double", [1, 2], key, made.lazily)
    assert cache._db is not None
    cache._db.execute("UPDATE results SET value = ?", (b"damaged",))
    made.asked.clear()
    assert list(lazily) == [2, 4]
    assert made.asked == [[1], [2]]
    assert cache.map_batch("double", [2], key, made.some) == [4]
    assert made.asked[2:] == [[2]]


def test_one_row_holds_what_the_last_run_needed(cache: ResultCache) -> None:
    made = Doubling()

    def asked(*numbers: int) -> list[int]:
        made.asked.clear()
        return cache.map_as_one_row("double", numbers, key, made.some)

    assert asked(1, 2, 3) == [2, 4, 6]
    assert asked(2, 3) == [4, 6]
    assert made.asked == []
    assert asked(1, 3) == [2, 6]  # what the run before did not need is gone
    assert made.asked == [[1]]
    assert rows(cache) == 1
    assert asked() == []
    assert cache.load_last("double", b"") == {}


def test_what_no_run_uses_is_removed_once_there_is_twice_as_much(
    cache: ResultCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_cache, "_UNUSED_ALLOWED", 2)
    other = cache.for_stage("other")
    other.store("double", {key(n): n for n in range(30)})

    def run(*numbers: int) -> int:
        """Ask for these in a run of its own; return how many rows are left."""
        here = cache.for_stage("stage")
        here.map_batch("double", numbers, key, Doubling().some)
        here.drop_unused()
        return rows(here)

    assert run(1, 2, 3) == 3  # the first run says how many are many
    assert run(4, 5) == 5
    assert run(6, 7, 8) == 8  # twice as many, and two: not more
    assert run(9) == 1  # more: what this run did not use goes, and the number of the first run stays the measure
    assert run(9, 10, 11) == 3
    assert run(*range(12, 17)) == 8
    assert run(17) == 1
    assert run(*range(20, 32)) == 12  # which is the measure from now on
    assert run(40) == 13
    assert rows(cache, "other") == 30


def test_a_function_is_called_once_and_its_calls_are_kept_for_the_next_run(cache: ResultCache) -> None:
    called: list[tuple[str, ...]] = []

    @CachedFunction
    def joined(*texts: str) -> str:
        called.append(texts)
        return "".join(texts)

    assert (joined("a", "b"), joined("a", "b"), joined("ab")) == ("ab", "ab", "ab")
    assert called == [("a", "b"), ("ab",)]
    for texts, calls in ((("a", "b"), 1), (("a", "b"), 0), (("c",), 1), (("a", "b"), 1)):
        called.clear()
        with use_cached_calls(cache, joined):
            joined(*texts)
        assert len(called) == calls
    assert joined.previous == {}
    with suppress(ValueError), use_cached_calls(cache, joined):
        joined("d")
        raise ValueError
    called.clear()
    with use_cached_calls(cache, joined):
        joined("a", "b")
        joined("d")
    assert called == [("d",)]  # a run that failed stored nothing


def test_calls_in_memory_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_MAX_CALLS", 2)
    length: CachedFunction[int] = CachedFunction(len)
    assert [length(text) for text in ("a", "bb", "ccc")] == [1, 2, 3]
    assert length.results == {("ccc",): 3}


def test_the_file_of_another_version_is_emptied_and_what_is_no_database_replaced(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(numbers: list[int]) -> list[list[int]]:
        made = Doubling()
        with open_result_cache(workspace, "stage") as cache:
            assert cache.map_batch("double", numbers, key, made.some) == [2 * n for n in numbers]
        return made.asked

    assert run([1, 2]) == [[1, 2]]
    assert run([1, 2]) == []
    monkeypatch.setattr(result_cache, "code_version", lambda: "the next one")
    assert run([1, 2]) == [[1, 2]]
    assert run([1]) == []
    path: Path = workspace.path / result_cache.FILE
    path.write_bytes(b"no database" * 100)
    assert run([1]) == [[1]]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT code FROM version").fetchall() == [("the next one",)]
    db.close()
