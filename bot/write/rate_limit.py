"""One account, one writer, one pace: turns that are kept over processes, workspaces, kills and a clock set back.

The file lies in the account's folder, so whoever writes with that account shares it. Time is the machine's monotonic
clock, which nobody can set; after a restart of the machine the first turn waits for the whole gap. What was sent in the
last 24 hours is kept with both clocks, that one and the wiki's: the wiki's goes on over a restart.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import WriteStopped
from bot.file_permissions import open_lock
from bot.messages import Message

Clock = Callable[[], float]
Sleep = Callable[[float], None]
DAY = 86_400.0


class RateLimiter:
    """Turns at least `gap` seconds apart, from the end of one sending to the beginning of the next."""

    def __init__(
        self,
        folder: Path,
        gap: float,
        *,
        clock: Clock = time.monotonic,
        moment: Clock = time.time,
        sleep: Sleep = time.sleep,
        boot: str | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path, self.gap, self.clock, self.moment, self.sleep = folder / "pace.json", gap, clock, moment, sleep
        self.boot = _boot_id() if boot is None else boot

    @contextmanager
    def slot(self) -> Iterator[WriteSlot]:
        """Wait for the turn and hold it; only what is done inside `with turn.sending()` uses it up."""
        file = open_lock(self._path)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            slot = WriteSlot(file, self)
            slot.wait_for_gap()
            yield slot
        finally:
            os.close(file)


class WriteSlot:
    """A turn that is held."""

    def __init__(self, file: int, limiter: RateLimiter) -> None:
        self._file, self._limiter = file, limiter
        # When something was sent: by the monotonic clock (None: in another boot), and by the wall's or the wiki's.
        self._day: list[tuple[float | None, float]] = []
        self._last: float | None = None  # when the last sending ended; None: never
        self._unknown = False  # a process was killed while sending, or another boot sent last
        self._read()

    def wait_for_gap(self) -> None:
        """Wait until nothing was sent for the gap; what is not known counts as just now."""
        if self._unknown:
            wait = self._limiter.gap
        elif self._last is None:
            wait = 0.0
        else:
            wait = self._limiter.gap - max(0.0, self._limiter.clock() - self._last)
        self._unknown = False
        if wait > 0:
            self._limiter.sleep(wait)

    def sent_today(self) -> int:
        """Return how often something was sent in the last 24 hours, as far as either clock can tell."""
        return len(self._recent())

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Note that something is being sent, before and after; a second sending in one turn waits as any other."""
        self.wait_for_gap()
        self._day = [*self._recent(), (self._limiter.clock(), self._limiter.moment())]
        self._write(open_=True)
        try:
            yield
        finally:
            self._last = self._limiter.clock()
            self._write(open_=False)

    def _recent(self) -> list[tuple[float | None, float]]:
        now, moment = self._limiter.clock(), self._limiter.moment()
        return [(at, then) for at, then in self._day if moment - then < DAY or (at is not None and now - at < DAY)]

    def _read(self) -> None:
        text = os.pread(self._file, 1 << 20, 0).decode(errors="replace")
        if not text:
            return
        try:
            stored = json.loads(text)
            self._last, same_boot = float(stored["last"]), stored["boot"] == self._limiter.boot
            self._unknown = bool(stored["open"]) or not same_boot
            self._day = [
                (float(at) if same_boot and at is not None else None, float(then)) for at, then in stored["day"]
            ]
        except (ValueError, KeyError, TypeError):
            self._unknown = True

    def _write(self, *, open_: bool) -> None:
        stored = {
            "boot": self._limiter.boot,
            "last": self._last or self._limiter.clock(),
            "open": open_,
            "day": self._day,
        }
        text = json.dumps(stored).encode()
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))


@contextmanager
def lock_account(folder: Path) -> Iterator[None]:
    """Be the only process that writes with this account. Raises WriteStopped where another one is."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open_lock(folder / "writer.lock")
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise WriteStopped(Message("stopped.another"), where=str(folder), todo="wait") from None
        yield
    finally:
        os.close(file)


def _boot_id() -> str:
    """Return what changes when the machine starts anew: the monotonic clock begins from nothing then."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:  # no Linux: a boot that is never the same one, so that every process first waits for a whole gap
        return f"process {os.getpid()} {time.time()}"
