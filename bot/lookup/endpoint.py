"""An address of a wiki that is asked: agent, deadline, retries, and the budget of what was asked already."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

from bot.errors import LookupFailed
from bot.lookup.exchange import Exchange
from bot.lookup.request_policy import Budget, persistently

T = TypeVar("T")


class Endpoint:
    """What the query service and the Action API have in common; `clock` and `sleep` are for tests."""

    service: ClassVar[str]  # what a message calls it

    def __init__(
        self,
        address: str,
        agent: str,
        timeout: float,
        budget: Budget,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._address, self._agent, self._timeout = address, agent, timeout
        self._budget, self._clock, self._sleep = budget, clock, sleep
        self._http = Exchange(agent, timeout)

    def close(self) -> None:
        self._http.close()

    def _persistently(self, call: Callable[[], T]) -> T:
        return persistently(call, where=self._address, budget=self._budget, sleep=self._sleep)

    def _failure(self, what: str) -> LookupFailed:
        """Return a failure that asking again would not mend; it counts as an error of ours."""
        self._budget.erred()
        todo = f"check that the address is right and the {self.service} well, then run again"
        return LookupFailed(what, where=self._address, todo=todo)
