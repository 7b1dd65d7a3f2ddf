"""What is known of scheduled runs: the log of one, who watches it, and the history of all in the workspace."""

import contextlib
import json
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

import sqlalchemy as sa

from bot import store
from bot.cli_common import Terminated
from bot.console import localised
from bot.errors import BotError, InputError, OutOfTime, WorkspaceError, short_text, system_error_message
from bot.messages import Message, from_json, to_json, uncoded_message
from bot.store import Row, Workspace, moment_of, now

_LOCK_TIMEOUT = 0.5  # seconds for which one thread waits for another's line
EXIT_FAULT = 70  # exit code of a fault of the bot
KILLED = Message("run.killed")
_DUE_EARLIER = 0.02  # of the time between two runs; chosen
_MAX_RUNS = 1000  # runs; three years of nights
_AHEAD = timedelta(days=1)  # chosen; what began later than that from now was noted by a clock that was wrong


class RunLog:
    """Append events to logs/<time>-<id>.jsonl. Use in a `with`: the last line says how the run ended, and in which stage.

    `keep` is how many logs of this name are left in the folder, this one among them; None keeps all. Raises WorkspaceError
    for a folder that cannot be.
    """

    def __init__(self, folder: str | Path, name: str, *, keep: int | None = None) -> None:
        started = datetime.now(UTC)  # runs of one second are in order by the microseconds
        self.id = f"{started:%Y%m%dT%H%M%SZ}-{started.microsecond:05x}{uuid.uuid4().hex[:3]}"
        self.stage = ""  # the one that is going on
        self.path = Path(folder) / f"{self.id}-{name}.jsonl"
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            reason = str(error.strerror)
            raise WorkspaceError("unmakable", reason=reason, where=str(self.path.parent), todo="other_place") from None
        self._turn = threading.Lock()
        self._full = False
        if keep is not None:
            for old in sorted(self.path.parent.glob(f"*-{name}.jsonl"))[:-keep]:
                with contextlib.suppress(OSError):
                    old.unlink()

    def __enter__(self) -> Self:
        self.event("start")
        return self

    def event(self, what: str, **values: object) -> None:
        """Write one line at once. A full disk does not end the run; it is reported once on standard error."""
        line = {"time": now(), "run": self.id, "event": what, **values}
        text = json.dumps(line, ensure_ascii=False, default=str) + "\n"
        locked = self._turn.acquire(timeout=_LOCK_TIMEOUT)  # a thread that a signal stopped may never give it back
        try:
            self._file.write(text)
            self._file.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by the end of the run
            if not self._full:
                self._full = True
                unwritable = InputError("unwritable", reason=str(error), where=str(self.path))
                print(localised(unwritable.full_message), file=sys.stderr)
        finally:
            if locked:
                self._turn.release()

    def end(self, outcome: str, error: str = "") -> None:
        """Write the last line."""
        self.event("end", outcome=outcome, error=error, **({"stage": self.stage} if self.stage else {}))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self.end("ok" if kind is None else kind.__name__, str(error or ""))
        with contextlib.suppress(OSError):
            self._file.close()


class RunWatch:
    """Follows the progress of a run's stages; use in a `with`, within `console.use_watcher`.

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
        self._thread = threading.Thread(target=self._report_regularly, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
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
            raise OutOfTime("time_over", stage=self._log.stage, todo="next_run")

    def _report_regularly(self) -> None:
        while not self._ended.wait(self._seconds):
            self.report_progress()

    def report_progress(self) -> None:
        """Say where the run is: on standard error unless that is a terminal, which shows a bar, and in the log."""
        minutes = round((self._clock() - self._began) / 60, 1)
        share = f" ({min(1.0, self._done / self._total):.0%})" if self._total else ""
        self._log.event("heartbeat", stage=self._log.stage, units=self._units, minutes=minutes)
        if not sys.stderr.isatty():
            line = f"run: {self._log.stage}, {self._units:,} done{share}, after {minutes} minutes"
            print(line, file=sys.stderr, flush=True)


@dataclass(slots=True)
class RunResult:
    """What is stored of a running run at its end."""

    exit_code: int = EXIT_FAULT
    figures: Mapping[str, object] = field(default_factory=dict)
    error: Message | None = None


@contextmanager
def record_run(workspace: Workspace, run: str) -> Iterator[RunResult]:
    """Keep the run from its begin, so that one that was killed is seen, and at its end what came of it.

    The caller holds the workspace's lock: an earlier run without an end cannot be going on.
    """
    runs = store.runs
    row: Row = {"id": run, "started": store.now(), "ended": "", "exit_code": None, "message": None, "figures": {}}
    with workspace.engine.begin() as db:
        db.execute(runs.update().where(runs.c.ended == "", runs.c.message.is_(None)).values(message=to_json(KILLED)))
        db.execute(runs.insert().values(**row))
        old = sa.select(runs.c.id).order_by(runs.c.started.desc(), runs.c.id.desc()).offset(_MAX_RUNS)
        db.execute(runs.delete().where(runs.c.id.in_(list(db.execute(old).scalars()))))
    result = RunResult()
    try:
        yield result
    except BotError as failure:
        result.exit_code, result.error = 2, failure.full_message
        raise
    except OSError as failure:
        if system_message := system_error_message(failure):
            result.exit_code = 2
        result.error = system_message or uncoded_message(short_text(failure))
        raise
    except KeyboardInterrupt as failure:
        result.exit_code = 143 if isinstance(failure, Terminated) else 130
        result.error = Message("run.interrupted")
        raise
    except BaseException as failure:
        result.error = uncoded_message(short_text(failure))
        raise
    finally:
        figures = {name: value for name, value in result.figures.items() if isinstance(value, int | float | str)}
        message = to_json(result.error) if result.error else None
        values = {"ended": store.now(), "exit_code": result.exit_code, "message": message, "figures": figures}
        workspace.change(runs.update().where(runs.c.id == run).values(**values))


def last_runs(workspace: Workspace, most: int = 5) -> list[Row]:
    """Return the last runs, the newest first; one without an end was killed or is going on.

    One of a clock that was set wrong, long after now, is left out: it would be the last one for years.
    """
    runs = store.runs
    begun = sa.select(runs).where(runs.c.started <= store.stamp(datetime.now(UTC) + _AHEAD))
    return workspace.rows(begun.order_by(runs.c.started.desc(), runs.c.id.desc()).limit(most))


def stored_error(row: Row) -> Message | None:
    """Return what a row of `runs`, `notifications` or `audit_answers` says went wrong, None where nothing did."""
    return from_json(row["message"]) if row["message"] else None


def next_due(workspace: Workspace, hours: float) -> datetime | None:
    """Return when the next run is due; None, which means at once, where no run has succeeded yet or the last one failed.

    It is due a little earlier than `hours` after the last one began: a schedule that asks every so often would drift. One
    without an end while the workspace is in use is taken for going on, and no failure.
    """
    last = last_runs(workspace, 1)
    if not last or not (last[0]["exit_code"] in (0, 1) or (_has_no_end(last[0]) and workspace.in_use())):
        return None
    return moment_of(last[0]["started"]) + timedelta(hours=hours * (1 - _DUE_EARLIER))


def _has_no_end(run: Row) -> bool:
    return not (run["ended"] or run["message"])


def number_missed(workspace: Workspace, hours: float, now: datetime) -> int:
    """Return how many runs should have been made since the last one began, and were not: this one makes up for all."""
    last = last_runs(workspace, 1)
    since = (now - moment_of(last[0]["started"])) / timedelta(hours=hours) if last else 0.0
    return max(0, round(since) - 1)
