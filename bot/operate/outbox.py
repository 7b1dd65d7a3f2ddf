"""Notices of scheduled runs to people, by e-mail and webhook, each sent once."""

import json
import re
import smtplib
import ssl
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from itertools import takewhile

import requests
import sqlalchemy as sa
import tenacity

from bot import store
from bot.audit import survival
from bot.audit.edit_states import RemovedEdit
from bot.audit.known_findings import stored_findings
from bot.errors import CodedError
from bot.messages import Message, from_json, sentence, to_json
from bot.operate.run_history import EXIT_FAULT, last_runs, stored_error
from bot.records import EditOutcome, digest
from bot.review.proposal_state import UNDECIDED, statuses
from bot.settings import Notifying, Settings, environment
from bot.store import Row, Workspace, moment_of, stamp
from bot.write.pause import current_pause, pause_message

_STATE_KEY = "notices"  # in `meta`: findings up to this time, whether the queue was told, the week of the last digest
_MAX_FINDINGS = 20  # findings in one message; the report has all
_WEEK = timedelta(days=7)
OPERATORS = ""  # whom a notice is for: all operators, or one reviewer by name
WEBHOOK = "webhook"
_GIVE_UP_AFTER = timedelta(days=7)  # chosen: a notice that could not be sent for a week is dropped
_TIMEOUT = 20  # seconds, chosen
_TRIES = 3  # in one run
_outbox = store.notifications


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice; notices with the same `cause` are sent once."""

    cause: str
    subject: Message
    lines: tuple[Message, ...]
    reviewer: str = OPERATORS

    def text(self, language: str) -> str:
        return "\n".join(sentence(line, language) for line in self.lines) + "\n"


def due_notices(workspace: Workspace, settings: Settings, now: datetime) -> tuple[list[Notice], Row]:
    """Return the notices that are due, and the state to store once they are in the outbox."""
    state: Row = dict(workspace.get(_STATE_KEY) or {"findings": "", "queue": False, "digest": ""})
    found = list(_run_notices(workspace))
    if pause := current_pause(workspace):
        body = Message("notice.pause.body", since=pause["since"], why=pause_message(pause))
        lines = (body, Message("notice.pause.todo"))
        found.append(Notice(f"pause {pause['since']}", Message("notice.pause.subject"), lines))
    rows = [row for row in stored_findings(workspace) if row["severity"] in ("warning", "error") and not row["muted"]]
    # A state later than now was noted by a clock that was wrong.
    told_until = state["findings"] if state["findings"] <= stamp(now) else ""
    fresh = [row for row in rows if told_until < row["first_seen"] <= stamp(now)]
    if fresh:
        state["findings"] = max(row["first_seen"] for row in fresh)
        found.append(_findings_notice(fresh, state["findings"]))
    waits = _queue_notice(workspace, settings.notify.queue_days, now)
    if waits and not state["queue"]:
        found.append(waits)
    state["queue"] = waits is not None
    week = f"{now:%G-W%V}"
    if settings.notify.digest and week != state["digest"]:
        if state["digest"]:
            found += _digests(workspace, settings, now, week, len(rows))
        state["digest"] = week
    return found, state


def _run_notices(workspace: Workspace) -> Iterator[Notice]:
    runs = last_runs(workspace, 100)
    if not runs:
        return
    last = runs[0]
    if last["exit_code"] in (2, EXIT_FAULT):
        # The runs before it that failed by the same cause, one after another.
        same = list(takewhile(lambda row: _failure_key(row) == _failure_key(last), runs))
        values = {"started": same[-1]["started"], "code": last["exit_code"], "error": stored_error(last) or "–"}
        lines = (Message("notice.failure.body", **values), Message("notice.failure.once"))
        yield Notice(f"failure {same[-1]['id']}", Message("notice.failure.subject"), lines)
    for row in runs[1:2]:
        if row["message"] and not row["ended"]:
            body = (Message("notice.killed.body", started=row["started"]),)
            yield Notice(f"killed {row['id']}", Message("notice.killed.subject"), body)


def _failure_key(run: Row) -> tuple[object, str]:
    # Times, ports and counts change from night to night.
    return run["exit_code"], re.sub(r"\d+", "#", json.dumps(run["message"]))


def _findings_notice(rows: Sequence[Row], time: str) -> Notice:
    code = "notice.findings.line"
    lines = [Message(code, audit=r["audit"], item=r["item"] or "–", what=from_json(r["message"])) for r in rows]
    omitted = [Message("notice.findings.more", n=len(rows) - _MAX_FINDINGS)] if len(rows) > _MAX_FINDINGS else []
    subject = Message("notice.findings.subject", n=len(rows))
    return Notice(
        f"findings {time}", subject, (subject, *lines[:_MAX_FINDINGS], *omitted, Message("notice.findings.todo"))
    )


def _queue_notice(workspace: Workspace, days: int, now: datetime) -> Notice | None:
    """Return the notice of a queue whose oldest undecided proposal has waited longer than `days`."""
    waiting = _waiting_since(workspace)
    if not days or not waiting or waiting[0] >= f"{now - timedelta(days=days):%Y-%m-%d}":
        return None
    body = Message("notice.queue.body", n=len(waiting), since=waiting[0], days=days)
    subject = Message("notice.queue.subject", n=len(waiting))
    return Notice(f"queue {stamp(now)}", subject, (body, Message("notice.queue.todo")))


def _waiting_since(workspace: Workspace) -> list[str]:
    """Return since when each proposal waits that waits for a decision and has not expired, the oldest first."""
    found = statuses(workspace)
    columns = store.proposals.c
    wanted = sa.select(columns.id, columns.created).where(columns.expires >= store.now()[:10], columns.kind != "symbol")
    rows = workspace.rows(wanted)
    return sorted(row["created"] for row in rows if row["id"] in found and found[row["id"]].state in UNDECIDED)


def _digests(workspace: Workspace, settings: Settings, now: datetime, week: str, findings: int) -> Iterator[Notice]:
    since, until = stamp(now - _WEEK), stamp(now)
    edits, decisions = store.edits.c, store.decisions.c
    removed = [each for each in survival(workspace, now).removals if (each.removed or each.written) >= since]
    recent = sa.select(edits.n, edits.reviewer, edits.proposal).where(edits.time >= since)
    written = workspace.rows(recent.where(edits.outcome == EditOutcome.WRITTEN))
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
        *_removal_messages(removed),
        Message("notice.digest.queue", n=len(_waiting_since(workspace))),
        Message("notice.digest.findings", n=findings),
    )
    yield Notice(f"digest {week}", subject, lines)
    whose = {row["n"]: row["reviewer"] for row in workspace.rows(sa.select(edits.n, edits.reviewer))}
    for address in settings.notify.reviewers:
        own = sum(row["reviewer"] == address.name for row in written)
        own_removed = [each for each in removed if whose.get(each.edit) == address.name]
        if decided[address.name] or own or own_removed:
            lines = (
                Message("notice.reviewer.hello", name=address.name),
                Message("notice.reviewer.decided", n=decided[address.name]),
                Message("notice.reviewer.written", n=own),
                *_removal_messages(own_removed),
            )
            yield Notice(f"digest {week} {address.name}", subject, lines, address.name)


def _removal_messages(removed: Iterable[RemovedEdit]) -> Iterator[Message]:
    for each in removed:
        state, user = Message(f"notice.state.{each.state}"), each.user or "–"
        yield Message("notice.removed", qid=each.qid, state=state, user=user, revision=each.revision)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The result of sending the notices of a run; `problems` contain no secret."""

    sent: int = 0
    waiting: int = 0
    problems: tuple[Message, ...] = ()


class DeliveryError(CodedError):
    """A receiver did not take a notice; the text says why, without its address."""


def send_notices(
    workspace: Workspace, settings: Settings, now: datetime, sleep: Callable[[float], None] = tenacity.nap.sleep
) -> Delivery:
    """Store the due notices and send them, with those that earlier runs could not send."""
    notify = settings.notify
    if not (notify.operators or notify.webhook or notify.reviewers):
        return Delivery()
    found, state = due_notices(workspace, settings, now)
    with workspace.engine.begin() as db:
        stored_ids = set(db.scalars(sa.select(_outbox.c.id)))
        rows = [row for notice in found for row in _outbox_rows(notice, settings, now) if row["id"] not in stored_ids]
        if rows:
            db.execute(_outbox.insert(), rows)
        store.put(db, _STATE_KEY, state)
    return _deliver(workspace, notify, now, sleep)


def unsent_notices(workspace: Workspace) -> list[Row]:
    """Return the notices not sent yet, the oldest first, with their last problem."""
    return workspace.rows(sa.select(_outbox).where(_outbox.c.sent == "").order_by(_outbox.c.created, _outbox.c.id))


def _outbox_rows(notice: Notice, settings: Settings, now: datetime) -> Iterator[Row]:
    notify = settings.notify
    receivers = [(address, notify.language) for address in notify.operators]
    if notify.webhook:
        receivers.append((WEBHOOK, notify.language))
    if notice.reviewer:
        named = [each for each in notify.reviewers if each.name == notice.reviewer]
        receivers = [(each.email, each.language or notify.language) for each in named]
    for receiver, language in receivers:
        yield {
            "id": digest(notice.cause, receiver, length=16),
            "cause": notice.cause,
            "receiver": receiver,
            "subject": f"formula-bot, {settings.wiki.name}: {sentence(notice.subject, language)}",
            "body": notice.text(language),
            "created": stamp(now),
            "sent": "",
            "tries": 0,
            "message": None,
        }


def _deliver(workspace: Workspace, notify: Notifying, now: datetime, sleep: Callable[[float], None]) -> Delivery:
    sent, problems, left = 0, [], 0
    away: set[str] = set()  # receivers' servers that did not take one in this run
    problem: Message | None
    for row in unsent_notices(workspace):
        if now - moment_of(row["created"]) > _GIVE_UP_AFTER:
            problem, done = Message("outbox.given_up", n=row["tries"], problem=stored_error(row) or "–"), True
        else:
            server = WEBHOOK if row["receiver"] == WEBHOOK else "mail"
            problem, done = _try_to_send(row, notify, sleep) if server not in away else (stored_error(row), False)
            if not done:
                away.add(server)
        time = stamp(now) if done else ""
        values = {"sent": time, "tries": row["tries"] + 1, "message": to_json(problem) if problem else None}
        workspace.change(_outbox.update().where(_outbox.c.id == row["id"]).values(**values))
        sent, left = sent + (done and not problem), left + (not done)
        if problem:
            problems.append(Message("error.at_what", where=row["receiver"], what=problem))
    return Delivery(sent, left, tuple(dict.fromkeys(problems)))


def _try_to_send(row: Row, notify: Notifying, sleep: Callable[[float], None]) -> tuple[Message | None, bool]:
    send = _post if row["receiver"] == WEBHOOK else _mail
    try:
        send(row, notify, sleep)
    except DeliveryError as error:
        return error.message, False
    return None, True


def _post(row: Row, notify: Notifying, sleep: Callable[[float], None]) -> None:
    payload = {"id": row["id"], "cause": row["cause"].split()[0], "subject": row["subject"], "text": row["body"]}

    def once() -> None:
        try:
            answer = requests.post(notify.webhook, json=payload, timeout=_TIMEOUT, allow_redirects=False)
        except requests.RequestException as error:  # its text holds the address
            raise DeliveryError("webhook_unreached", kind=type(error).__name__) from None
        if answer.status_code >= 300:
            raise DeliveryError("webhook_answered", status=answer.status_code)

    tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(DeliveryError),
        stop=tenacity.stop_after_attempt(_TRIES),
        wait=tenacity.wait_exponential(),
        sleep=sleep,
        reraise=True,
    )(once)


def _mail(row: Row, notify: Notifying, sleep: Callable[[float], None]) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = notify.sender, row["receiver"], row["subject"]
    mail["Date"] = format_datetime(moment_of(row["created"]))
    mail["Message-ID"] = f"<{row['id']}@{notify.sender.rpartition('@')[2].strip('> ')}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(row["body"])
    trusted = ssl.create_default_context()
    try:
        if notify.smtp_security == "tls":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                notify.smtp_host, notify.smtp_port, timeout=_TIMEOUT, context=trusted
            )
        else:
            server = smtplib.SMTP(notify.smtp_host, notify.smtp_port, timeout=_TIMEOUT)
        with server:
            if notify.smtp_security == "starttls":
                server.starttls(context=trusted)
            if notify.smtp_user:
                server.login(notify.smtp_user, environment("SMTP_PASSWORD"))
            server.send_message(mail)
    except smtplib.SMTPResponseException as error:  # what a server answers may repeat what it was sent
        raise DeliveryError("mail_answered", status=error.smtp_code) from None
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryError("mail_not_taken", kind=type(error).__name__) from None
