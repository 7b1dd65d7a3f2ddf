"""The scheduled run: one TOML file, one lock, one log; crawl, discover, match, propose, audit. It never approves or writes."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot import settings as settings_
from bot.cli_common import reachable
from bot.errors import BotError, LookupFailed, SettingsError
from bot.items_file import ItemRow, labels_of, read_items
from bot.operate import run_history
from bot.operate.runlog import RunLog
from bot.records import as_json
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code`: 0 nothing new, 1 something new for a person (a proposal, a finding), 2 an audit could not tell."""

    figures: dict[str, object]
    exit_code: int


def scheduled_run(config: str | Path, *, quiet: bool = False) -> Outcome:
    """Run all reading stages as the settings file says. Paths in it count from its own folder.

    Raises SettingsError, SourceError, WorkspaceError (another run holds the lock) or LookupFailed; the log says so too.
    Where the wiki does not answer, the audits are made all the same: some need none, and the others say that they could not tell.
    """
    settings = settings_.load(config)
    base = Path(config).resolve().parent
    if not (settings.run.sources or settings.run.crawl) or not settings.run.workspace:
        raise SettingsError("[run] needs sources and workspace", where=str(config), todo="see docs/operating.md")
    sources = tuple(str(base / s) for s in settings.run.sources)
    with RunLog(base / settings.run.logs, "run") as log:
        rows = _checked(settings, sources, base)
        crawled, complete = _crawl(settings, base, log, quiet)
        if settings.run.crawl:
            sources = _with_crawled(sources, _folders(settings, base))
        with Workspace.open(base / settings.run.workspace, database=settings.database) as workspace:
            for line in workspace.mended.lines(workspace.path):
                print(line, file=sys.stderr)
                log.event("rights", mended=line)
            items = base / settings.run.items if settings.run.items else None
            with workspace.lock("run"), run_history.kept(workspace, log.id) as kept:
                outcome = _stages(workspace, settings, sources, items, rows, log, quiet)
                outcome = Outcome({**crawled, **outcome.figures}, outcome.exit_code if complete else 2)
                kept.exit_code, kept.figures = outcome.exit_code, outcome.figures
    return dataclasses.replace(outcome, figures={**outcome.figures, "log": str(log.path)})


def _checked(settings: settings_.Settings, sources: tuple[str, ...], base: Path) -> list[ItemRow]:
    """Look at all that was given before a site is asked or a workspace touched; return the rows of the items file."""
    from bot.audit import AUDITS
    from bot.corpus.probe import probe

    for name in settings.run.audits:
        if name not in AUDITS:
            raise SettingsError(f"run.audits names {name!r}", where=settings.path, todo=f"known: {', '.join(AUDITS)}")
    rows = read_items(base / settings.run.items) if settings.run.items else []
    if settings.run.crawl:
        from bot.corpus.crawl.run import check_order

        for order in settings.run.crawl:
            check_order(order, settings)
    folders = _folders(settings, base)
    if there := [each for each in sources if not any(f.is_relative_to(Path(each).resolve()) for f in folders)]:
        probe(there)
    return rows


def _folders(settings: settings_.Settings, base: Path) -> list[Path]:
    return list(dict.fromkeys((base / order.into).resolve() for order in settings.run.crawl))


def _crawl(settings: settings_.Settings, base: Path, log: RunLog, quiet: bool) -> tuple[dict[str, int], bool]:
    """Fetch what the orders name; return the figures of all together, and whether every site answered.

    A site that does not answer costs what is new there: the documents that are here already are read.
    """
    figures, complete = Counter[str](), True
    for order in settings.run.crawl:
        from bot.corpus.crawl.run import crawl

        titles, query = (str(base / path) if path else "" for path in (order.titles_file, order.query))
        placed = dataclasses.replace(order, into=str(base / order.into), titles_file=titles, query=query)
        try:
            found = crawl(placed, settings, quiet=quiet)
        except LookupFailed as error:
            complete = False
            log.event("crawl failed", into=order.into, error=error.line())
            continue
        log.event("crawl", **as_json(found))
        complete = complete and not (found.failed or found.not_asked)
        for name, value in as_json(found).items():
            if name != "into":
                figures[f"crawl_{name}"] += len(value) if isinstance(value, list) else value
    return dict(figures), complete


def _with_crawled(sources: tuple[str, ...], folders: list[Path]) -> tuple[str, ...]:
    """Return the sources and the folders that were crawled and are in none of them; all can be read."""
    from bot.corpus.manifest import MANIFEST
    from bot.corpus.probe import probe

    below = [Path(source).resolve() for source in sources]
    new = (f for f in folders if (f / MANIFEST).exists() and not any(f.is_relative_to(source) for source in below))
    found = (*sources, *map(str, new))
    probe(found)
    return found


def _stages(
    workspace: Workspace,
    settings: settings_.Settings,
    sources: tuple[str, ...],
    items: Path | None,
    rows: list[ItemRow],
    log: RunLog,
    quiet: bool,
) -> Outcome:
    from bot.audit import exit_code, render, run_audits
    from bot.audit.known_findings import counts
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
    page = render(
        findings, "html", audits=settings.run.audits, wiki=settings.wiki if isinstance(wiki, BotError) else wiki.wiki
    )
    (workspace.reports / "audit.html").write_text(page, encoding="utf-8")
    new = sum(f.new and counts(f) for f in findings)
    unknown = sum(f.severity == "unknown" for f in findings)
    keep("audit", {"findings": sum(map(counts, findings)), "new": new, "unknown": unknown})
    if failed:
        raise failed
    figures["report"] = str(workspace.reports / "dry-run.html")
    figures["audit_report"] = str(workspace.reports / "audit.html")
    anything = new or figures["propose_new"] or figures["propose_changed"]
    return Outcome(figures, 2 if exit_code(findings) == 2 else int(bool(anything)))
