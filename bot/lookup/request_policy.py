"""How often and how long we ask: retries round one HTTP call, Retry-After, and the query service's budget.

Wikidata gives each client 60 s of query time a minute and 30 errors a minute; who ignores a Retry-After is banned.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import TypeVar

import tenacity

from bot.errors import LookupFailed

T = TypeVar("T")

ATTEMPTS = 4  # chosen: about 7 s of doubling waits
LONGEST_WAIT = 120.0  # seconds, chosen; told to wait longer, we stop instead of asking sooner
LONGEST_STEP = 30.0  # of the doubling waits between attempts
UNTOLD_WAIT = 60.0  # seconds after a 429 that names no time: the query service's manual says a minute
WINDOW = 60.0  # seconds over which the budget counts
QUERY_TIME = 50.0  # seconds of query time in a window: under the 60 allowed, since a query's end is not known before
ERRORS = 20  # in a window, under the 30 allowed
FAILURES_IN_A_ROW = 3  # chosen


class Transient(Exception):
    """This attempt failed and another may not; `wait` in seconds where the server named it."""

    def __init__(self, why: str, wait: float | None = None, attempts: int = ATTEMPTS) -> None:
        super().__init__(why)
        self.wait, self.attempts = wait, attempts


def retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds a Retry-After header asks for (a number or an HTTP date), None where it says nothing."""
    if not value or not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def for_status(status: int, header: str | None, now: float) -> Transient | None:
    """Return what to do about an HTTP status: a Transient to raise, or None where asking again is no use."""
    wait = retry_after(header, now)
    if status == 429:
        return Transient("asked us to slow down (HTTP 429)", UNTOLD_WAIT if wait is None else wait)
    if status >= 500:
        return Transient(f"has an error of its own (HTTP {status})", wait)
    return None


def persistently(
    call: Callable[[], T],
    *,
    where: str,
    budget: Budget,
    sleep: Callable[[float], None],
    longest: float = LONGEST_WAIT,
) -> T:
    """Return what `call` returns, retrying its Transient failures; raises LookupFailed when they do not end.

    `longest` is the seconds that are waited at most where the server names them.
    """
    budget.check(where)

    def attempt() -> T:
        try:
            return call()
        except Transient:
            budget.erred()
            raise

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(Transient), wait=_wait, stop=_stop(longest), sleep=sleep, reraise=True
    )
    try:
        answer = retrying(attempt)
    except Transient as error:
        budget.failed()
        if error.wait is not None and error.wait > longest:
            todo = f"it wants {error.wait / 60:.0f} minutes of silence: run again after that"
        else:
            todo = "check that it is up and reachable, then run again"
        raise LookupFailed(str(error), where=where, todo=todo) from None
    budget.answered()
    return answer


class Budget:
    """What we have already asked of one wiki; shared by all requests of a client."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock, self._sleep = clock, sleep
        self._queries: deque[tuple[float, float]] = deque()  # (end, seconds)
        self._errors: deque[float] = deque()
        self._failures = 0

    def check(self, where: str) -> None:
        """Raise LookupFailed where asking on would be rude: after failures in a row, or too many errors a minute."""
        self._forget_old()
        if self._failures >= FAILURES_IN_A_ROW or len(self._errors) >= ERRORS:
            raise LookupFailed(
                "failed repeatedly and is not asked again in this run", where=where, todo="run again later"
            )

    def wait_for_errors(self) -> None:
        """Sleep until a window holds fewer errors than are allowed, for those who have the time."""
        self._forget_old()
        while len(self._errors) >= ERRORS:
            self._sleep(max(0.1, self._errors[0] + WINDOW - self._clock()))
            self._forget_old()

    def wait_for_query_time(self) -> None:
        """Sleep until a window holds less than the allowed query time."""
        while self._queries and self._spent() >= QUERY_TIME:
            oldest = self._queries[0][0]
            self._sleep(max(0.1, oldest + WINDOW - self._clock()))
            self._queries.popleft()

    def queried(self, seconds: float) -> None:
        self._queries.append((self._clock(), seconds))

    def erred(self) -> None:
        self._errors.append(self._clock())

    def failed(self) -> None:
        self._failures += 1

    def answered(self) -> None:
        self._failures = 0

    def _forget_old(self) -> None:
        while self._errors and self._errors[0] <= self._clock() - WINDOW:
            self._errors.popleft()

    def _spent(self) -> float:
        start = self._clock() - WINDOW
        while self._queries and self._queries[0][0] <= start:
            self._queries.popleft()
        return sum(seconds for _, seconds in self._queries)


def _wait(state: tenacity.RetryCallState) -> float:
    error = _error(state)
    return error.wait if error.wait is not None else min(2.0 ** (state.attempt_number - 1), LONGEST_STEP)


def _stop(longest: float) -> Callable[[tenacity.RetryCallState], bool]:
    def stop(state: tenacity.RetryCallState) -> bool:
        error = _error(state)
        return state.attempt_number >= error.attempts or (error.wait or 0.0) > longest

    return stop


def _error(state: tenacity.RetryCallState) -> Transient:
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, Transient)
    return error
