"""What a scheduled run has to tell people, and whom: the workspace after a run -> notices, each for one cause and once.

A cause is told when it begins. What it was told of is kept, so that neither the next night nor a crash tells it again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.audit import survival
from bot.audit.edit_states import RemovedEdit
from bot.audit.known_findings import stored_findings
from bot.messages import Message, from_json, recorded, sentence
from bot.operate.run_history import FAULT, KILLED, last_runs
from bot.records import EditOutcome
from bot.review.proposal_state import UNDECIDED, statuses
from bot.settings import Notifying, Settings
from bot.store import Row, Workspace
from bot.write.pause import current_pause, why

_TOLD = "notices"  # in `meta`: findings up to this time, whether the queue was told, the week of the last digest
_SHOWN = 20  # findings in one message; the report has all
_WEEK = timedelta(days=7)
OPERATORS = ""  # whom a notice is for: all operators, or one reviewer by name


@dataclass(frozen=True, slots=True)
class Notice:
    """`cause` is the same for what is to be told once."""

    cause: str
    subject: Message
    lines: tuple[Message, ...]
    reviewer: str = OPERATORS

    def text(self, language: str) -> str:
        return "\n".join(sentence(line, language) for line in self.lines) + "\n"


def wanted(notify: Notifying) -> bool:
    """Say whether anybody is to be told anything."""
    return bool(notify.operators or notify.webhook or notify.reviewers)


def notices(workspace: Workspace, settings: Settings, now: datetime) -> tuple[list[Notice], Row]:
    """Return what is to be told now, and what `keep_told` keeps once it is on its way."""
    told: Row = dict(workspace.get(_TOLD) or {"findings": "", "queue": False, "digest": ""})
    found = [*_runs(workspace), *_pause(workspace)]
    rows = [row for row in stored_findings(workspace) if row["severity"] in ("warning", "error") and not row["muted"]]
    fresh = [row for row in rows if row["first_seen"] > told["findings"]]
    if fresh:
        told["findings"] = max(row["first_seen"] for row in fresh)
        found.append(_of_findings(fresh, told["findings"]))
    waits = _waits(workspace, settings.notify.queue_days, now)
    if waits and not told["queue"]:
        found.append(waits)
    told["queue"] = waits is not None
    week = f"{now:%G-W%V}"
    if settings.notify.digest and week != told["digest"]:
        if told["digest"]:
            found += _digests(workspace, settings, now, week, len(rows))
        told["digest"] = week
    return found, told


def keep_told(db: sa.Connection, told: Row) -> None:
    """Keep what was told, in the transaction that puts it on its way."""
    db.execute(store.meta.delete().where(store.meta.c.key == _TOLD))
    db.execute(store.meta.insert().values(key=_TOLD, value=told))


def _runs(workspace: Workspace) -> Iterator[Notice]:
    runs = last_runs(workspace, 100)
    if not runs:
        return
    last = runs[0]
    if last["exit_code"] in (2, FAULT):
        same = list(_while(runs, last))
        values = {"started": same[-1]["started"], "code": last["exit_code"], "error": last["error"] or "–"}
        lines = (Message("notice.failure.body", **values), Message("notice.failure.once"))
        yield Notice(f"failure {same[-1]['id']}", Message("notice.failure.subject"), lines)
    for row in runs[1:2]:
        if row["error"] == KILLED:
            said = (Message("notice.killed.body", started=row["started"]),)
            yield Notice(f"killed {row['id']}", Message("notice.killed.subject"), said)


def _while(runs: Sequence[Row], last: Row) -> Iterator[Row]:
    """Yield the runs, the newest first, that failed by the same cause one after another."""
    for row in runs:
        if row["exit_code"] != last["exit_code"] or _cause(row["error"]) != _cause(last["error"]):
            return
        yield row


def _cause(error: str) -> str:
    return re.sub(r"\d+", "#", error)  # times, ports and counts change from night to night


def _pause(workspace: Workspace) -> Iterator[Notice]:
    if pause := current_pause(workspace):
        lines = (Message("notice.pause.body", since=pause["since"], why=why(pause)), Message("notice.pause.todo"))
        yield Notice(f"pause {pause['since']}", Message("notice.pause.subject"), lines)


def _of_findings(rows: Sequence[Row], time: str) -> Notice:
    shown = [
        Message("notice.findings.line", audit=row["audit"], item=row["item"] or "–", what=_what(row)) for row in rows
    ]
    more = [Message("notice.findings.more", n=len(rows) - _SHOWN)] if len(rows) > _SHOWN else []
    subject = Message("notice.findings.subject", n=len(rows))
    return Notice(f"findings {time}", subject, (subject, *shown[:_SHOWN], *more, Message("notice.findings.todo")))


def _what(row: Row) -> Message:
    return from_json(row["message"]) if row.get("message") else recorded(row["what"])


def _waits(workspace: Workspace, days: int, now: datetime) -> Notice | None:
    """Return the notice of a queue whose oldest undecided proposal waits longer than so many days."""
    waiting = _undecided(workspace)
    if not days or not waiting or waiting[0] >= f"{now - timedelta(days=days):%Y-%m-%d}":
        return None
    body = Message("notice.queue.body", n=len(waiting), since=waiting[0], days=days)
    subject = Message("notice.queue.subject", n=len(waiting))
    return Notice(f"queue {now:%Y-%m-%dT%H:%M:%SZ}", subject, (body, Message("notice.queue.todo")))


def _undecided(workspace: Workspace) -> list[str]:
    """Return since when each proposal waits that waits for a decision and has not expired, the oldest first."""
    found = statuses(workspace)
    made = store.proposals.c
    wanted = sa.select(made.id, made.created).where(made.expires >= store.now()[:10], made.kind != "symbol")
    rows = workspace.rows(wanted)
    return sorted(row["created"] for row in rows if row["id"] in found and found[row["id"]].state in UNDECIDED)


def _digests(workspace: Workspace, settings: Settings, now: datetime, week: str, findings: int) -> Iterator[Notice]:
    since, until = f"{now - _WEEK:%Y-%m-%dT%H:%M:%SZ}", f"{now:%Y-%m-%dT%H:%M:%SZ}"
    edits, decisions = store.edits.c, store.decisions.c
    removed = [each for each in survival(workspace, now).removals if (each.removed or each.written) >= since]
    written = workspace.rows(
        sa.select(edits.n, edits.reviewer, edits.proposal).where(
            edits.outcome == EditOutcome.WRITTEN, edits.time >= since
        )
    )
    decided = Counter(
        row["reviewer"] for row in workspace.rows(sa.select(decisions.reviewer).where(decisions.time >= since))
    )
    runs = [row for row in last_runs(workspace, 1000) if row["started"] >= since]
    failed = sum(row["exit_code"] not in (0, 1) and bool(row["ended"]) for row in runs)
    subject = Message("notice.digest.subject", since=since[:10], until=until[:10])
    lines = (
        subject,
        Message("notice.digest.runs", n=len(runs), failed=failed),
        Message("notice.digest.decided", n=sum(decided.values())),
        Message("notice.digest.written", n=len(written)),
        *_removals(removed),
        Message("notice.digest.queue", n=len(_undecided(workspace))),
        Message("notice.digest.findings", n=findings),
    )
    yield Notice(f"digest {week}", subject, lines)
    whose = {row["n"]: row["reviewer"] for row in workspace.rows(sa.select(edits.n, edits.reviewer))}
    for address in settings.notify.reviewers:
        own = sum(row["reviewer"] == address.name for row in written)
        gone = [each for each in removed if whose.get(each.edit) == address.name]
        if decided[address.name] or own or gone:
            lines = (
                Message("notice.reviewer.hello", name=address.name),
                Message("notice.reviewer.decided", n=decided[address.name]),
                Message("notice.reviewer.written", n=own),
                *_removals(gone),
            )
            yield Notice(f"digest {week} {address.name}", subject, lines, address.name)


def _removals(removed: Iterable[RemovedEdit]) -> Iterator[Message]:
    for each in removed:
        state, user = Message(f"notice.state.{each.state}"), each.user or "–"
        yield Message("notice.removed", qid=each.qid, state=state, user=user, revision=each.revision)
