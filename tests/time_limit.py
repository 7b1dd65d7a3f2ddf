"""A limit of processor time against work that grows with the square of its input: wide enough for a slow, busy machine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

NOMINAL = 0.006  # processor seconds of `_unit` on two idle cores
MARGIN = 5  # quadratic work takes hundreds of times as long, a machine that others use two or three times


@contextmanager
def at_most(seconds: float, what: object = "") -> Iterator[None]:
    """Assert that the work takes no more than `MARGIN` times `seconds` of processor time, more where this machine is slower just now."""
    start = time.process_time()
    yield
    taken = (time.process_time() - start) / (seconds * MARGIN)
    assert taken < 1 or taken < max(_unit(), _unit()) / NOMINAL, repr(what)[:400]


def _unit() -> float:
    start = time.process_time()
    sum(n * n for n in range(100_000))
    return time.process_time() - start
