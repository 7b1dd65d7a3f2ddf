"""A limit of processor time that holds on a busy machine too, where the same work takes several times as long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

NOMINAL = 0.006  # processor seconds of `_unit` on two idle cores


@contextmanager
def at_most(seconds: float, what: object = "") -> Iterator[None]:
    """Assert that the work takes at most `seconds` of processor time, more where this machine is slower than usual just now."""
    before = _unit()
    start = time.process_time()
    yield
    taken = time.process_time() - start
    assert taken < seconds * max(1.0, before / NOMINAL, _unit() / NOMINAL), repr(what)[:400]


def _unit() -> float:
    start = time.process_time()
    sum(n * n for n in range(100_000))
    return time.process_time() - start
