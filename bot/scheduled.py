"""The scheduled run: one TOML file, one lock, one log; discover, match, propose, audit. It never approves or writes."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot import settings as settings_
from bot.cli_common import reachable
from bot.errors import BotError, SettingsError
from bot.items_file import labels_of, read_items
from bot.records import as_json
from bot.runlog import RunLog
from bot.store import Workspace
from bot.wikibase import Json


@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code`: 0 clean, 1 audits found something, 2 an audit could not tell."""

    figures: dict[str, object]
    exit_code: int


def scheduled_run(config: str | Path, *, quiet: bool = False) -> Outcome:
    """Run all reading stages as the settings file says. Paths in it count from its own folder.

    Raises SettingsError, SourceError, WorkspaceError (another run holds the lock) or LookupFailed; the log says so too.
    Where the wiki does not answer, the audits are made all the same: some need none, and the others say that they could not tell.
    """
    settings = settings_.load(config)
    base = Path(config).resolve().parent
    if not settings.run.sources or not settings.run.workspace:
        raise SettingsError("[run] needs sources and workspace", where=str(config), todo="see docs/operating.md")
    sources = tuple(str(base / s) for s in settings.run.sources)
    with RunLog(base / settings.run.logs, "run") as log:
        rows = _checked(settings, sources, base)
        with Workspace.open(base / settings.run.workspace, database=settings.database) as workspace:
            for line in workspace.mended.lines(workspace.path):
                print(line, file=sys.stderr)
                log.event("rights", mended=line)
            items = base / settings.run.items if settings.run.items else None
            with workspace.lock("run"):
                outcome = _stages(workspace, settings, sources, items, rows, log, quiet)
    return dataclasses.replace(outcome, figures={**outcome.figures, "log": str(log.path)})


def _checked(settings: settings_.Settings, sources: tuple[str, ...], base: Path) -> list[Json]:
    """Look at all that was given before a workspace is touched; return the rows of the items file."""
    from bot.audit import AUDITS
    from bot.corpus.probe import probe

    for name in settings.run.audits:
        if name not in AUDITS:
            raise SettingsError(f"run.audits names {name!r}", where=settings.path, todo=f"known: {', '.join(AUDITS)}")
    rows = read_items(base / settings.run.items) if settings.run.items else []
    probe(sources)
    return rows


def _stages(
    workspace: Workspace,
    settings: settings_.Settings,
    sources: tuple[str, ...],
    items: Path | None,
    rows: list[Json],
    log: RunLog,
    quiet: bool,
) -> Outcome:
    from bot.audit import exit_code, run_audits
    from bot.discover import discover
    from bot.match import match
    from bot.match.knowledge import Knowledge
    from bot.propose import propose

    figures: dict[str, object] = {}

    def keep(stage: str, summary: object) -> None:
        figures.update({f"{stage}_{name}": value for name, value in as_json(summary).items()})
        log.event(stage, **as_json(summary))

    knowledge = Knowledge.of(workspace, settings)
    keep("discover", discover(workspace, sources, settings, labels=labels_of(rows), builtin=knowledge, quiet=quiet))
    failed: BotError | None = None
    with reachable(workspace, settings, items) as wiki:
        try:
            if isinstance(wiki, BotError):
                raise wiki
            keep("match", match(workspace, wiki, settings, quiet=quiet))
            keep("propose", propose(workspace, wiki, settings, today=datetime.now(UTC).date(), quiet=quiet))
        except BotError as error:
            failed = error
            log.event("lookup failed", error=error.line())
        findings = run_audits(workspace, wiki, settings, settings.run.audits)
    keep("audit", {"findings": len(findings), "unknown": sum(f.severity == "unknown" for f in findings)})
    if failed:
        raise failed
    figures["report"] = str(workspace.reports / "dry-run.html")
    return Outcome(figures, exit_code(findings))
