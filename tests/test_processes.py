"""Functions over many arguments: the same results here and in other processes, whatever becomes of these."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from bot import processes
from bot.discover.grouping.formula_facts import CachedFacts
from bot.errors import FormulaError
from bot.processes import WorkerPool
from bot.result_cache import ResultCache, cache_key, temporary_result_cache
from bot.sequences import one_ahead


@dataclass(frozen=True)
class Multiplied:
    by: int
    here: int = field(default_factory=os.getpid)

    def __call__(self, given: Sequence[int]) -> list[tuple[int, bool]]:
        if 13 in given and os.getpid() != self.here and self.by == 0:
            os._exit(9)
        if self.by < 0:
            raise FormulaError("no_rule", tex="x")
        return [(self.by * one, os.getpid() == self.here) for one in given]


@pytest.fixture
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_MIN_TO_START", 20)


@pytest.mark.usefixtures("_eager")
def test_many_arguments_are_worked_on_elsewhere_in_their_order_and_what_fails_fails_here() -> None:
    with WorkerPool(2) as several:
        assert several.make(Multiplied(3), range(19)) == [(3 * n, True) for n in range(19)]
        several.expect_arguments(19)
        assert several.make(Multiplied(3), range(19)) == [(3 * n, True) for n in range(19)]
        several.expect_arguments(20)  # a few at a time
        assert several.make(Multiplied(3), range(15)) == [(3 * n, True) for n in range(15)]
        assert several.make(Multiplied(3), range(16)) == [(3 * n, False) for n in range(16)]
    with WorkerPool(2) as several:
        assert several.make(Multiplied(3), range(20)) == [(3 * n, False) for n in range(20)]
        # They are there now, and have loaded what functions need.
        assert several.make(Multiplied(2), range(1)) == [(0, False)]
        assert several.make(Multiplied(2), []) == []
        with pytest.raises(FormulaError):
            several.make(Multiplied(-1), range(20))
        # One that dies takes no result along: all is made here, from then on.
        assert several.make(Multiplied(0), range(20)) == [(0, True)] * 20
        assert several.make(Multiplied(4), range(20)) == [(4 * n, True) for n in range(20)]


@pytest.mark.usefixtures("_eager")
def test_what_is_started_goes_on_while_others_are_started_and_a_process_that_dies_takes_no_result_along() -> None:
    with WorkerPool(2) as several:
        started = [several.start(Multiplied(by), range(by, by + 20)) for by in (2, 3)]
        assert [results() for results in started] == [[(by * n, False) for n in range(by, by + 20)] for by in (2, 3)]
        dying, other = several.start(Multiplied(0), range(20)), several.start(Multiplied(3), range(20))
        assert dying() == [(0, True)] * 20
        assert [found for found, _ in other()] == [3 * n for n in range(20)]


def test_the_next_call_is_started_before_the_last_one_is_finished() -> None:
    seen: list[str] = []

    def started(n: int) -> Callable[[], int]:
        seen.append(f"start {n}")

        def finish() -> int:
            seen.append(f"finish {n}")
            return n

        return finish

    assert list(one_ahead(map(started, range(3)))) == [0, 1, 2]
    assert seen == ["start 0", "start 1", "finish 0", "start 2", "finish 1", "finish 2"]
    assert list(one_ahead([])) == []


def test_nothing_is_said_of_what_an_interrupted_program_leaves_to_the_system() -> None:
    program = "import os\nfrom bot.processes import process_pool\nwith process_pool(2): os._exit(130)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")


def test_one_process_works_alone() -> None:
    with WorkerPool(1) as one:
        assert one.make(Multiplied(3), range(2000)) == [(3 * n, True) for n in range(2000)]


@pytest.mark.usefixtures("_eager")
def test_the_facts_of_formulas_are_the_same_wherever_they_are_made() -> None:
    formulas = [rf"E_{{{n}}}=\frac{{{n}}}{{2}}mv^{{2}}+U(x_{{{n}}})" for n in range(24)]
    with temporary_result_cache() as here, WorkerPool(2) as several:
        there = ResultCache(here._db, "there", several)
        assert list(CachedFacts(there).of(formulas)) == list(CachedFacts(here).of(formulas))
        assert several._number == 2
        assert len(there.load("formula", [cache_key(tex) for tex in formulas])) == 24
