"""What happened in a workspace and what waits: runs, crawls, the queue, approvals, the day's cap, findings, a pause, next steps."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from bot import store
from bot.audit.known_findings import stored_findings
from bot.corpus.manifest import MANIFEST, read_manifest
from bot.messages import Message, from_json
from bot.operate import outbox
from bot.operate.run_history import EXIT_FAULT, last_runs, number_missed, stored_error
from bot.records import EditOutcome
from bot.review.proposal_state import State, state_on_day, statuses, today
from bot.settings import CrawlOrder, Settings
from bot.store import Workspace, moment_of
from bot.write.pause import current_pause, pause_message
from bot.write.wiki_policy import OUTCOMES_AFTER_SENDING

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RunStatus:
    """One scheduled run; without an end it was killed, or it is going on."""

    id: str
    started: str
    ended: str
    exit_code: int | None
    error: Message | str  # why it failed; empty where it succeeded or is still running


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """One order of [[run.crawl]]: the documents in its folder, those that could not be fetched, and the time of the last answer."""

    source: str
    into: str
    documents: int
    failed: int
    checked: str  # ISO time; empty: nothing was fetched yet


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """`queue`: proposals by state today; `edits_left`: of the daily cap; `survival`: what the last audit of it said."""

    runs: tuple[RunStatus, ...]
    crawls: tuple[CrawlStatus, ...]
    paused: Message | str  # since when and why nothing is written; empty: it is
    documents: int
    concepts: int
    queue: Mapping[str, int]
    approvals_waiting: int
    edits_written: int
    edits_last_day: int
    edits_left: int
    findings: Mapping[str, int]  # by audit; accepted ones are left out
    findings_new: int  # first seen by the last run of the audit that found them
    could_not_tell: tuple[Message, ...]
    survival: tuple[Message, ...]
    next_steps: tuple[Message, ...]


def status(workspace: Workspace, settings: Settings, *, moment: datetime | None = None) -> WorkspaceStatus:
    """Return the state of a workspace; asks no wiki."""
    moment, day, found = moment or datetime.now(UTC), today(), statuses(workspace)
    columns = store.proposals.c  # symbols are decided on with their formulas
    proposals = workspace.rows(sa.select(columns.id, columns.expires).where(columns.kind != "symbol"))
    queue = Counter(str(state_on_day(found[p["id"]].state, p["expires"], day)) for p in proposals if p["id"] in found)
    edits = store.edits.c
    sent = workspace.rows(sa.select(edits.time, edits.outcome).where(edits.outcome.in_(OUTCOMES_AFTER_SENDING)))
    since = store.stamp(moment - _DAY)
    last_day = sum(row["time"] >= since for row in sent)
    rows = list(stored_findings(workspace))
    faults = [row for row in rows if row["severity"] in ("warning", "error") and not row["muted"]]
    crawls = tuple(_crawl(order, Path(settings.path).resolve().parent) for order in settings.run.crawl)
    pause = current_pause(workspace)
    runs = tuple(
        RunStatus(r["id"], r["started"], r["ended"], r["exit_code"], stored_error(r) or "")
        for r in last_runs(workspace)
    )
    unsure = (row for row in rows if row["severity"] == "unknown")
    unknown = tuple(Message("error.at_what", where=row["audit"], what=from_json(row["message"])) for row in unsure)
    new, unsent = sum(row["new"] for row in faults), outbox.unsent_notices(workspace)
    return WorkspaceStatus(
        runs=runs,
        crawls=crawls,
        paused=Message("status.paused", since=pause["since"], why=pause_message(pause)) if pause else "",
        documents=workspace.count(store.documents),
        concepts=workspace.count(store.concepts),
        queue=dict(sorted(queue.items())),
        approvals_waiting=queue[State.APPROVED],
        edits_written=sum(row["outcome"] == EditOutcome.WRITTEN for row in sent),
        edits_last_day=last_day,
        edits_left=max(0, settings.writing.edits_a_day - last_day),
        findings=dict(sorted(Counter(row["audit"] for row in faults).items())),
        findings_new=new,
        could_not_tell=unknown,
        survival=tuple(from_json(row["message"]) for row in rows if row["audit"] == "survival"),
        next_steps=(
            *_run_advice(workspace, settings, runs, crawls, moment),
            *([Message("next.pause")] if pause else []),
            *_next_steps(_options(workspace, settings), queue, new, unknown),
            *(Message("next.notices", n=len(unsent), problem=stored_error(row) or "–") for row in unsent[:1]),
        ),
    )


def _crawl(order: CrawlOrder, base: Path) -> CrawlStatus:
    rows = (read_manifest(base / order.into / MANIFEST) or {}).values()
    failed = sum(row.status in ("failed", "unusable", "forbidden") for row in rows)
    stored = sum(bool(row.path) for row in rows)
    return CrawlStatus(order.source, order.into, stored, failed, max((row.checked for row in rows), default=""))


def _run_advice(
    workspace: Workspace, settings: Settings, runs: Sequence[RunStatus], crawls: Sequence[CrawlStatus], moment: datetime
) -> Iterator[Message]:
    if runs and (runs[0].exit_code in (2, EXIT_FAULT) or (not runs[0].ended and runs[0].error)):
        yield Message("next.failed", why=runs[0].error or Message("next.see_log"))
    missed = number_missed(workspace, settings.run.every_hours, moment) if settings.run.workspace else 0
    if missed:
        yield Message("next.missed", n=missed)
    for crawl in crawls:
        if crawl.failed:
            yield Message("next.crawl", n=crawl.failed, folder=crawl.into, manifest=MANIFEST)


def _options(workspace: Workspace, settings: Settings) -> str:
    """Return the options with which a command works on this workspace by these settings."""
    stated = Path(settings.path).resolve() if settings.path else None
    config = ["--config", str(stated)] if stated and stated != (workspace.path / "settings.toml").resolve() else []
    return shlex.join(["-w", str(workspace.path), *config])


def _next_steps(options: str, queue: Mapping[str, int], new: int, unknown: Sequence[Message]) -> Iterator[Message]:
    waiting = queue.get(State.OPEN, 0) + queue.get(State.SECOND, 0)
    for code, number, command in (
        ("decide", waiting, "review serve"),
        ("disputed", queue.get(State.DISPUTED, 0), "review list --state disputed"),
        ("write", queue.get(State.APPROVED, 0), "write"),
        ("findings", new, "audit"),
        ("unknown", len(unknown), "doctor"),
    ):
        if number:
            yield Message(f"next.{code}", n=number, code_command=f"formula-bot {command} {options}")


def prometheus(found: WorkspaceStatus) -> str:
    """Return the figures in Prometheus' text format, for the textfile collector of a node exporter."""
    lines: list[str] = []

    def metric(name: str, text: str, values: Mapping[str, float]) -> None:
        lines.append(f"# HELP formula_bot_{name} {text}")
        lines.append(f"# TYPE formula_bot_{name} gauge")
        lines.extend(f"formula_bot_{name}{labels} {value:.12g}" for labels, value in values.items())

    if ended := [run for run in found.runs if run.ended and run.exit_code is not None]:
        last = ended[0]
        metric("last_run_end_seconds", "When the last run ended, Unix time.", {"": moment_of(last.ended).timestamp()})
        codes = "0 nothing new, 1 something new, 2 could not tell, 70 fault."
        metric("last_run_exit_code", codes, {"": last.exit_code or 0})
    metric("proposals", "Proposals by state.", {f'{{state="{state}"}}': n for state, n in found.queue.items()})
    metric("approvals_waiting", "Approvals that are not written yet.", {"": found.approvals_waiting})
    metric("edits_written", "Edits in the ledger that were written.", {"": found.edits_written})
    metric("edits_left_today", "Edits that the daily cap leaves.", {"": found.edits_left})
    by_audit = {f'{{audit="{name}"}}': n for name, n in found.findings.items()}
    metric("findings", "Findings that nobody has accepted.", by_audit)
    metric("findings_new", "Findings first seen by the last audit.", {"": found.findings_new})
    metric("paused", "1 while nothing is written.", {"": int(bool(found.paused))})
    metric("audits_could_not_tell", "Audits that could not tell.", {"": len(found.could_not_tell)})
    return "\n".join(lines) + "\n"
