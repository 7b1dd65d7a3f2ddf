"""The scheduled run: one settings file, one lock, one log. Crawl, discover, match, propose, expire, audit, write, report.

It never approves. It writes what people approved where `[run] write` says so, after the audit of what it wrote before.
Where others remove too much of what it wrote, the bot pauses its own writing.
"""

import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from bot import settings as settings_
from bot import store
from bot.audit import survival
from bot.cli_common import exit_callbacks, open_client_or_error, open_workspace, translate_database_errors
from bot.console import localised, progress, use_watcher
from bot.errors import BotError, LookupFailed, OutOfTime, WriteStopped, short_text
from bot.items_file import ItemRow, labels_of
from bot.lookup import Client
from bot.messages import Message
from bot.operate import outbox, run_history
from bot.operate.doctor import check_before_run, crawled_folders, notification_problems
from bot.operate.run_history import RunLog, RunWatch
from bot.records import EditOutcome, as_json
from bot.settings import Settings
from bot.store import Workspace
from bot.write.ledger import OUTCOMES
from bot.write.pause import current_pause, pause_writing, pauses

WINDOW = timedelta(days=30)  # chosen: the last age of the survival audit
MIN_REMOVALS = 3  # removals; chosen, since one person's disagreement is not a rate
# What others did with a claim that they disagree with; a correction is none
_REMOVED_STATES = ("removed", "deprecated")
_SEEDED = "seeded"  # the audit without which nothing is written


def removed_and_written(workspace: Workspace, now: datetime) -> tuple[list[int], int]:
    """Return the numbers of edits that others removed in the last 30 days, and how many edits were written in these days.

    Removals that a person reviewed when lifting a pause are not counted.
    """
    since = store.stamp(now - WINDOW)
    counted = {n for pause in pauses(workspace) if pause["until"] for n in pause["counted"]}
    removed = [
        each.edit
        for each in survival(workspace, now).removals
        if each.state in _REMOVED_STATES and (each.removed or each.written) >= since and each.edit not in counted
    ]
    edits = store.edits.c
    written = sa.select(edits.n).where(edits.outcome == EditOutcome.WRITTEN, ~store.is_undone(), edits.time >= since)
    return removed, workspace.count(written)


def pause_if_removed(workspace: Workspace, max_share: float, now: datetime) -> bool:
    """Pause writing if the share of removals is above `max_share`; return whether this call paused it."""
    removed, written = removed_and_written(workspace, now)
    if len(removed) < MIN_REMOVALS or len(removed) <= max_share * max(written, 1) or current_pause(workspace):
        return False
    pause_writing(workspace, Message("pause.removals", n=len(removed), written=written), counted=removed)
    return True


@dataclass(frozen=True, slots=True)
class Outcome:
    """`exit_code`: 0 nothing new, 1 something new for a person (a proposal, a finding, a pause), 2 something could not be told."""

    figures: Mapping[str, object]
    exit_code: int
    error: Message | None = None  # why the run failed


def scheduled_run(config: str | Path, *, quiet: bool = False, if_due: bool = False) -> Outcome:
    """Do all stages as the settings file says. Paths in it count from its own folder.

    With `if_due` nothing is done before [run] every_hours are over, also while the run that began then is going on. Raises SettingsError, SourceError, WorkspaceError
    (another run holds the lock) or LookupFailed; the log says so too. Where the wiki does not answer or the time is over,
    the audits are made all the same: some need no wiki, and the others say that they could not tell.
    """
    settings = settings_.load_run(config)
    base = Path(config).resolve().parent
    folder = base / settings.run.workspace
    existed = (folder / "bot.db").exists() or bool(settings.database and folder.is_dir())
    if if_due and existed and (due := _due_later(folder, config, settings)):
        return Outcome({"due": due}, 0)
    with RunLog(base / settings.run.logs, "run", keep=settings.run.keep_logs) as log:
        rows = [] if existed else check_before_run(settings, base)  # before a workspace is made
        with open_workspace(str(folder), str(config), create=True) as (workspace, _):
            for line in workspace.mended.lines(workspace.path):
                log.event("rights", mended=str(line))
            with workspace.lock("run"):
                missed = run_history.number_missed(workspace, settings.run.every_hours, datetime.now(UTC))
                with (
                    _send_notices_afterwards(workspace, settings, log),
                    run_history.record_run(workspace, log.id) as result,
                    translate_database_errors(str(folder)),
                ):
                    rows = check_before_run(settings, base) if existed else rows
                    watched = RunWatch(log, settings.run.heartbeat_seconds, settings.run.minutes)
                    with watched as watch, use_watcher(watch):
                        run = _ScheduledRun(workspace, settings, base, rows, log, watch, quiet)
                        run.record("catch up", {"missed": missed}) if missed else None
                        outcome = run.run_stages()
                    result.exit_code, result.figures, result.error = outcome.exit_code, outcome.figures, outcome.error
    return dataclasses.replace(outcome, figures={**outcome.figures, "log": str(log.path)})


@contextmanager
def _send_notices_afterwards(workspace: Workspace, settings: Settings, log: RunLog) -> Iterator[None]:
    """Send the notices of the run, also of a failed one, but not of an interrupted one. An error in sending does not fail the run."""
    try:
        yield
    finally:
        if not isinstance(sys.exception(), KeyboardInterrupt):
            try:
                if problem := next(notification_problems(settings), None):
                    raise problem  # what was refused as unsafe is not tried with a password
                delivery = outbox.send_notices(workspace, settings, datetime.now(UTC))
                if delivery != outbox.Delivery():
                    log.event("notification", **as_json(delivery))
                for undelivered in delivery.problems:
                    print(f"notification: {localised(undelivered)}", file=sys.stderr)
            except Exception as error:
                line = error.line() if isinstance(error, BotError) else short_text(error)
                log.event("notification", problems=[line])
                print(f"notification: {line}", file=sys.stderr)


def _due_later(folder: Path, config: str | Path, settings: Settings) -> str:
    """Return when the next run is due, "" where that is now."""
    with open_workspace(str(folder), str(config)) as (workspace, _):
        due = run_history.next_due(workspace, settings.run.every_hours)
    return store.stamp(due) if due and due > datetime.now(UTC) else ""


@dataclass
class _ScheduledRun:
    workspace: Workspace
    settings: Settings
    base: Path
    rows: list[ItemRow]  # of the items file
    log: RunLog
    watch: RunWatch
    quiet: bool
    figures: dict[str, object] = field(default_factory=dict)
    problems: list[Message] = field(default_factory=list)  # what could not be fetched or told
    new: int = 0  # for a person: proposals, findings, refused edits, a pause
    failed: BotError | None = None

    def record(self, stage: str, summary: object) -> None:
        figures = as_json(summary)
        self.figures.update({f"{stage}_{name}".replace(" ", "_"): value for name, value in figures.items()})
        self.log.event(stage, **figures)

    def run_stages(self) -> Outcome:
        exit_callbacks.append(lambda: self.log.end("Terminated", "ended hard, inside a library"))
        try:
            with open_client_or_error(self.workspace, self.settings, self._items()) as wiki:
                self._fill_queue(wiki)
                self.watch.limited = False
                could_tell = self._audit(wiki)
                self.watch.limited = True
                if not isinstance(wiki, BotError) and not self.failed:
                    self._write(wiki, _SEEDED in could_tell)
        finally:
            exit_callbacks.pop()
        if self.failed and not isinstance(self.failed, OutOfTime | WriteStopped):
            raise self.failed
        self.log.stage = ""
        conclusive = not (self.problems or self.failed) and could_tell == set(self._audits())
        error = Message("run.incomplete", problems=tuple(self.problems)) if self.problems else None
        return Outcome(
            self.figures, int(self.new > 0) if conclusive else 2, self.failed.full_message if self.failed else error
        )

    def _items(self) -> Path | None:
        return self.base / self.settings.run.items if self.settings.run.items else None

    def _audits(self) -> tuple[str, ...]:
        named = self.settings.run.audits
        return (*named, _SEEDED) if self.settings.run.write and _SEEDED not in named else named

    def _fill_queue(self, wiki: Client | BotError) -> None:
        """Everything up to the queue; where time or the wiki is away, the earlier queue stays."""
        from bot.discover import discover
        from bot.match import match
        from bot.match.knowledge import Knowledge
        from bot.propose.run import propose
        from bot.propose.stored_proposals import expire

        workspace, settings, today = self.workspace, self.settings, datetime.now(UTC).date()
        try:
            sources = self._crawl()
            self.watch.stage("discover")
            labels, builtin = labels_of(self.rows), Knowledge.of(workspace, settings)
            found = discover(workspace, sources, settings, labels=labels, builtin=builtin, quiet=self.quiet)
            self.record("discover", found)
        except OutOfTime as error:
            self._record_failure("out of time", error)
            return
        try:
            if isinstance(wiki, BotError):
                raise wiki
            self.watch.stage("match")
            self.record("match", match(workspace, wiki, settings, quiet=self.quiet))
            self.watch.stage("propose")
            proposed = propose(workspace, wiki, settings, today=today, quiet=self.quiet)
            self.record("propose", proposed)
            self.new += proposed.new + proposed.changed
            self.watch.stage("expire")
            self.record("expire", expire(workspace, wiki, today=today))
            self.figures["report"] = str(workspace.reports / "dry-run.html")
        except OutOfTime as error:
            self._record_failure("out of time", error)
        except BotError as error:
            self._record_failure("lookup failed", error)

    def _record_failure(self, event: str, error: BotError) -> None:
        self.failed = error
        self.log.event(event, error=error.line())

    def _crawl(self) -> tuple[str, ...]:
        """Fetch what the orders name; return what is to be read.

        A site that does not answer costs what is new there: the documents that are here already are read.
        """
        sources = tuple(str(self.base / source) for source in self.settings.run.sources)
        if not self.settings.run.crawl:
            return sources
        from bot.corpus.crawl.run import crawl
        from bot.corpus.manifest import MANIFEST
        from bot.corpus.probe import probe

        figures = Counter[str]()
        for order in self.settings.run.crawl:
            self.watch.stage("crawl")
            titles, query = (str(self.base / path) if path else "" for path in (order.titles_file, order.query))
            placed = dataclasses.replace(order, into=str(self.base / order.into), titles_file=titles, query=query)
            try:
                found = crawl(placed, self.settings, quiet=self.quiet)
            except LookupFailed as error:
                self.problems.append(Message("error.at_what", where=order.into, what=error.full_message))
                self.log.event("crawl failed", into=order.into, error=error.line())
                continue
            self.log.event("crawl", **as_json(found))
            if missing := len(found.failed) + found.not_asked:
                self.problems.append(Message("next.crawl", n=missing, folder=order.into, manifest=MANIFEST))
            for name, value in as_json(found).items():
                if name != "into":
                    figures[f"crawl_{name}"] += len(value) if isinstance(value, list) else value
        self.figures.update(figures)
        resolved = [Path(source).resolve() for source in sources]
        folders = crawled_folders(self.settings, self.base)
        new = (f for f in folders if (f / MANIFEST).exists() and not any(f.is_relative_to(each) for each in resolved))
        found_sources = (*sources, *map(str, new))
        probe(found_sources)
        return found_sources

    def _audit(self, wiki: Client | BotError) -> set[str]:
        """Make the audits and their report; return the names of those that could tell."""
        from bot.audit import audits_of, render, run_audits
        from bot.audit.known_findings import needs_attention

        self.log.stage = "audit"
        audits, workspace = self._audits(), self.workspace
        findings = run_audits(workspace, wiki, self.settings, audits) if audits else []
        asked_wiki = self.settings.wiki if isinstance(wiki, BotError) else wiki.wiki
        page = workspace.reports / "audit.html"
        text = render(
            findings, "html", audits=audits, wiki=asked_wiki, all_audits=audits_of(self.settings), workspace=workspace
        )
        page.write_text(text, encoding="utf-8")
        self.figures["audit_report"] = str(page)
        new = sum(f.new and needs_attention(f) for f in findings)
        unknown = {f.audit: f.explanation for f in findings if f.severity == "unknown"}
        for audit, why in unknown.items():
            self.log.event("audit failed", audit=audit, error=str(why))
        if unknown:
            audit, why = next(iter(unknown.items()))
            self.problems.append(Message("run.audits_unknown", n=len(unknown), audit=audit, why=why))
        self.record("audit", {"findings": sum(map(needs_attention, findings)), "new": new, "unknown": len(unknown)})
        self.new += new
        if pause_if_removed(workspace, self.settings.run.pause_above, datetime.now(UTC)):
            self.new += 1
            self.log.event("paused", **(current_pause(workspace) or {}))
        return set(audits) - unknown.keys()

    def _write(self, wiki: Client, could_tell: bool) -> None:
        """Plan the approved edits, and send them where the settings say so and nothing forbids it."""
        from bot.write import apply, make_plan, outcome
        from bot.write.plan import estimated_duration
        from bot.write.plan_report import save_report

        self.log.stage = "write"
        workspace, settings = self.workspace, self.settings
        try:
            plan = make_plan(workspace, wiki, wiki.wiki, settings)
        except BotError as error:
            self._record_failure("lookup failed" if isinstance(error, LookupFailed) else "write stopped", error)
            return
        language = settings.proposing.report_language
        takes = estimated_duration(plan.number_of_edits, wiki.wiki, settings)
        save_report(workspace, plan, wiki.wiki.properties, takes, language)
        paused = current_pause(workspace) is not None
        live = settings.run.write and could_tell and not paused
        counts: dict[str, object] = {"live": live, "paused": paused, "planned": plan.number_of_edits}
        stopped = None
        if live and (plan.entries or plan.refused):
            try:
                with progress(Message("told.writing_bar"), len(plan.entries), quiet=self.quiet) as advance:
                    apply(workspace, plan, wiki.wiki, settings, on_edit=lambda entry, result: advance(note=entry.qid))
            except WriteStopped as error:
                counts["stopped"], stopped = error.line(), error.full_message
                if error.message.code not in ("stopped.daily_cap", "refused.paused"):
                    self.failed = error
            except BotError as error:
                self.failed = error
            saved = outcome.save_outcome(workspace, plan, stopped, language)[1]
            counts |= {name: saved[name] for name in (*OUTCOMES, "back_to_review")}
            self.new += saved[EditOutcome.REFUSED] + saved["back_to_review"]
        self.record("write", counts)
