"""The command line at another time, and with something happening at a point of a scheduled run. For the simulations beside it.

python benchmarks/run_at.py --time 2026-03-01T03:00:00Z --stage write --units 2 --signal 9 -- run --config bot.toml
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import time
from datetime import datetime
from pathlib import Path

from bot.operate import run_history, scheduled
from bot.operate.run_history import RunWatch


def fill(file: Path) -> None:
    """Fill the disk that a file lies on, and fill it again when room is made, until the process ends."""
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as ballast:
        while True:
            for size in (1 << 20, 1 << 12, 1):
                with contextlib.suppress(OSError):
                    while ballast.write(b"\0" * size):
                        pass
            time.sleep(0.002)


class _Point:
    """Does it once, when the run is in the stage and so many units of it are done."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given, self.done = given, False

    def reached(self, stage: str, units: int) -> None:
        if self.done or stage != self.given.stage or units < self.given.units:
            return
        self.done = True
        if self.given.fill:
            threading.Thread(target=fill, args=(Path(self.given.fill),), daemon=True).start()
            time.sleep(1)
        else:
            threading.Thread(target=self._signal).start()

    def _signal(self) -> None:
        time.sleep(self.given.seconds)
        print("signal at", time.monotonic(), file=sys.stderr, flush=True)
        os.kill(os.getpid(), self.given.signal)


def _follow(point: _Point) -> None:
    class Watch(RunWatch):
        def begin(self, total: float | None) -> None:
            super().begin(total)
            point.reached(self._log.stage, self._units)

        def advance(self, step: float) -> None:
            super().advance(step)
            point.reached(self._log.stage, self._units)

    class Log(run_history.RunLog):
        @property
        def stage(self) -> str:  # also of the stages that tell no progress
            return self._stage

        @stage.setter
        def stage(self, name: str) -> None:
            self._stage = name
            point.reached(name, 0)

    scheduled.RunWatch, scheduled.RunLog = Watch, Log  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", default="", help="ISO time at which the command begins")
    parser.add_argument("--stage", default="")
    parser.add_argument("--units", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0, help="after that point")
    parser.add_argument("--signal", type=int, default=0)
    parser.add_argument("--fill", default="", metavar="F", help="fill the disk by this file")
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    if given.stage:
        _follow(_Point(given))
    from bot.cli import main as bot

    if not given.time:
        bot(given.command)
    import time_machine

    with time_machine.travel(datetime.fromisoformat(given.time), tick=True):
        bot(given.command)


if __name__ == "__main__":
    main()
