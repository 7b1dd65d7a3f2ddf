"""The scheduled runs of a workspace: when each began and ended, its figures, its exit code, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlalchemy as sa

from bot import store
from bot.errors import BotError, summary
from bot.store import Row, Workspace

FAULT = 70  # exit code of a fault of the bot
_KEPT = 1000  # runs; three years of nights


@dataclass(slots=True)
class RunResult:
    """What is to be kept of a run that is going on."""

    exit_code: int = FAULT
    figures: Mapping[str, object] = field(default_factory=dict)


@contextmanager
def kept(workspace: Workspace, run: str) -> Iterator[RunResult]:
    """Keep the run from its begin, so that one that was killed is seen, and at its end what came of it."""
    runs = store.runs
    row: Row = {"id": run, "started": store.now(), "ended": "", "exit_code": None, "error": "", "figures": {}}
    with workspace.engine.begin() as db:
        db.execute(runs.insert().values(**row))
        old = sa.select(runs.c.id).order_by(runs.c.started.desc(), runs.c.id.desc()).offset(_KEPT)
        db.execute(runs.delete().where(runs.c.id.in_(list(db.execute(old).scalars()))))
    result, error = RunResult(), ""
    try:
        yield result
    except BotError as failure:
        result.exit_code, error = 2, failure.line()
        raise
    except BaseException as failure:
        error = summary(failure) if isinstance(failure, Exception) else "interrupted"
        raise
    finally:
        figures = {name: value for name, value in result.figures.items() if isinstance(value, int | float | str)}
        values = {"ended": store.now(), "exit_code": result.exit_code, "error": error, "figures": figures}
        with workspace.engine.begin() as db:
            db.execute(runs.update().where(runs.c.id == run).values(**values))


def last_runs(workspace: Workspace, most: int = 5) -> list[Row]:
    """Return the last runs, the newest first; one without an end was killed or is going on."""
    runs = store.runs
    return workspace.rows(sa.select(runs).order_by(runs.c.started.desc(), runs.c.id.desc()).limit(most))
