"""The scheduled runs of a workspace: when each began and ended, its figures, its exit code, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.cli_common import Terminated
from bot.errors import BotError, of_surroundings, summary
from bot.store import Row, Workspace

FAULT = 70  # exit code of a fault of the bot
KILLED = "ended without a word: killed, or the machine stopped"
_EARLY = 0.02  # of the time between two runs; chosen
_KEPT = 1000  # runs; three years of nights


@dataclass(slots=True)
class RunResult:
    """What is to be kept of a run that is going on."""

    exit_code: int = FAULT
    figures: Mapping[str, object] = field(default_factory=dict)
    error: str = ""


@contextmanager
def kept(workspace: Workspace, run: str) -> Iterator[RunResult]:
    """Keep the run from its begin, so that one that was killed is seen, and at its end what came of it.

    The caller holds the workspace's lock: an earlier run without an end cannot be going on.
    """
    runs = store.runs
    row: Row = {"id": run, "started": store.now(), "ended": "", "exit_code": None, "error": "", "figures": {}}
    with workspace.engine.begin() as db:
        db.execute(runs.update().where(runs.c.ended == "", runs.c.error == "").values(error=KILLED))
        db.execute(runs.insert().values(**row))
        old = sa.select(runs.c.id).order_by(runs.c.started.desc(), runs.c.id.desc()).offset(_KEPT)
        db.execute(runs.delete().where(runs.c.id.in_(list(db.execute(old).scalars()))))
    result = RunResult()
    try:
        yield result
    except BotError as failure:
        result.exit_code, result.error = 2, failure.line()
        raise
    except OSError as failure:
        if line := of_surroundings(failure):
            result.exit_code = 2
        result.error = line or summary(failure)
        raise
    except KeyboardInterrupt as failure:
        result.exit_code, result.error = 143 if isinstance(failure, Terminated) else 130, "interrupted"
        raise
    except BaseException as failure:
        result.error = summary(failure)
        raise
    finally:
        figures = {name: value for name, value in result.figures.items() if isinstance(value, int | float | str)}
        values = {"ended": store.now(), "exit_code": result.exit_code, "error": result.error, "figures": figures}
        with workspace.engine.begin() as db:
            db.execute(runs.update().where(runs.c.id == run).values(**values))


def last_runs(workspace: Workspace, most: int = 5) -> list[Row]:
    """Return the last runs, the newest first; one without an end was killed or is going on."""
    runs = store.runs
    return workspace.rows(sa.select(runs).order_by(runs.c.started.desc(), runs.c.id.desc()).limit(most))


def next_due(workspace: Workspace, hours: float) -> datetime | None:
    """Return when the next run is due; None where none has come to a good end, or the last one did not: then at once.

    It is due a little earlier than `hours` after the last one began: a schedule that asks every so often would drift.
    """
    last = last_runs(workspace, 1)
    if not last or last[0]["exit_code"] not in (0, 1):
        return None
    return moment_of(last[0]["started"]) + timedelta(hours=hours * (1 - _EARLY))


def missed(workspace: Workspace, hours: float, now: datetime) -> int:
    """Return how many runs should have been made since the last one began, and were not: this one makes up for all."""
    last = last_runs(workspace, 1)
    since = (now - moment_of(last[0]["started"])) / timedelta(hours=hours) if last else 0.0
    return max(0, round(since) - 1)


def moment_of(time: str) -> datetime:
    """Return a time of a table."""
    return datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
