"""Where a scheduled run is: a line now and then for pipes and logs, and the end of its time between two units of work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from bot.errors import OutOfTime
from bot.operate.runlog import RunLog


class RunWatch:
    """Follows the progress of a run's stages; use in a `with`, within `console.watched_by`.

    `seconds` lie between two heartbeats; `minutes` is the time for the stages, 0 for no limit. Raises OutOfTime
    from `begin` and `advance` once that is over, while `limited`.
    """

    def __init__(
        self, log: RunLog, seconds: float, minutes: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._seconds, self._clock = log, seconds, clock
        self._began = clock()
        self._end = self._began + 60 * minutes if minutes else float("inf")
        self.limited = True
        self._units, self._done, self._total = 0, 0.0, 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> RunWatch:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._ended.set()

    def stage(self, name: str) -> None:
        """A stage begins. Raises OutOfTime."""
        self._log.stage = name
        self.begin(None)

    def begin(self, total: float | None) -> None:
        self._units, self._done, self._total = 0, 0.0, total or 0.0
        self._check()

    def advance(self, step: float) -> None:
        self._units += 1
        self._done += step
        self._check()

    def _check(self) -> None:
        if self.limited and self._clock() > self._end:
            raise OutOfTime(f"its time is over in {self._log.stage}", todo="the next run goes on there")

    def _beat(self) -> None:
        while not self._ended.wait(self._seconds):
            self.beat()

    def beat(self) -> None:
        """Say where the run is: on standard error unless that is a terminal, which shows a bar, and in the log."""
        minutes = round((self._clock() - self._began) / 60, 1)
        share = f" ({min(1.0, self._done / self._total):.0%})" if self._total else ""
        self._log.event("heartbeat", stage=self._log.stage, units=self._units, minutes=minutes)
        if not sys.stderr.isatty():
            line = f"run: {self._log.stage}, {self._units:,} done{share}, after {minutes} minutes"
            print(line, file=sys.stderr, flush=True)
