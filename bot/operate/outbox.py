"""Notices on their way: kept in the workspace until mail server or webhook has taken them, and tried again by later runs.

A notice that cannot be delivered fails no run. Its id is made of cause and receiver: it is kept once, and stands in the mail's
Message-ID and the webhook's `id`, by which a receiver knows one that a crash delivered twice. Nothing said here holds an
address of a webhook or a password.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime

import requests
import sqlalchemy as sa
import tenacity

from bot import store
from bot.messages import sentence
from bot.operate import notices
from bot.operate.run_history import moment_of
from bot.records import digest
from bot.settings import Notifying, Settings, environment
from bot.store import Row, Workspace

WEBHOOK = "webhook"
_KEPT = timedelta(days=7)  # chosen: what could not be told for a week is not told any more
_TIMEOUT = 20  # seconds, chosen
_TRIES = 3  # in one run
_outbox = store.notifications


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of the notices of a run; `problems` name no secret."""

    sent: int = 0
    waiting: int = 0
    problems: tuple[str, ...] = ()


class NotDelivered(Exception):
    """A receiver did not take a notice; the text says why, without its address."""


def tell(
    workspace: Workspace, settings: Settings, now: datetime, sleep: Callable[[float], None] = tenacity.nap.sleep
) -> Delivery:
    """Put on its way what is to be told now, and send it with what earlier runs could not send."""
    if not notices.wanted(settings.notify):
        return Delivery()
    found, told = notices.notices(workspace, settings, now)
    with workspace.engine.begin() as db:
        known = set(db.scalars(sa.select(_outbox.c.id)))
        rows = [row for notice in found for row in _rows(notice, settings, now) if row["id"] not in known]
        if rows:
            db.execute(_outbox.insert(), rows)
        notices.keep_told(db, told)
    return _deliver(workspace, settings.notify, now, sleep)


def waiting(workspace: Workspace) -> list[Row]:
    """Return what is on its way still, the oldest first, with the last problem."""
    return workspace.rows(sa.select(_outbox).where(_outbox.c.sent == "").order_by(_outbox.c.created, _outbox.c.id))


def _rows(notice: notices.Notice, settings: Settings, now: datetime) -> Iterator[Row]:
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
            "created": f"{now:%Y-%m-%dT%H:%M:%SZ}",
            "sent": "",
            "tries": 0,
            "problem": "",
        }


def _deliver(workspace: Workspace, notify: Notifying, now: datetime, sleep: Callable[[float], None]) -> Delivery:
    sent, problems, left = 0, [], 0
    away: set[str] = set()  # receivers' servers that did not take one in this run
    for row in waiting(workspace):
        if now - moment_of(row["created"]) > _KEPT:
            problem, done = f"given up after {row['tries']} tries: {row['problem']}", True
        else:
            server = WEBHOOK if row["receiver"] == WEBHOOK else "mail"
            problem, done = _tried(row, notify, sleep) if server not in away else (row["problem"], False)
            if not done:
                away.add(server)
        time = f"{now:%Y-%m-%dT%H:%M:%SZ}" if done else ""
        values = {"sent": time, "tries": row["tries"] + 1, "problem": problem}
        with workspace.engine.begin() as db:
            db.execute(_outbox.update().where(_outbox.c.id == row["id"]).values(**values))
        sent, left = sent + (done and not problem), left + (not done)
        if problem:
            problems.append(f"{row['receiver']}: {problem}")
    return Delivery(sent, left, tuple(dict.fromkeys(problems)))


def _tried(row: Row, notify: Notifying, sleep: Callable[[float], None]) -> tuple[str, bool]:
    send = _post if row["receiver"] == WEBHOOK else _mail
    try:
        send(row, notify, sleep)
    except NotDelivered as error:
        return str(error), False
    return "", True


def _post(row: Row, notify: Notifying, sleep: Callable[[float], None]) -> None:
    told = {"id": row["id"], "cause": row["cause"].split()[0], "subject": row["subject"], "text": row["body"]}

    def once() -> None:
        try:
            answer = requests.post(notify.webhook, json=told, timeout=_TIMEOUT, allow_redirects=False)
        except requests.RequestException as error:  # its text holds the address
            raise NotDelivered(f"the webhook was not reached ({type(error).__name__})") from None
        if answer.status_code >= 300:
            raise NotDelivered(f"the webhook answered {answer.status_code}")

    tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(NotDelivered),
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
        raise NotDelivered(f"the mail server answered {error.smtp_code}") from None
    except (OSError, smtplib.SMTPException) as error:
        raise NotDelivered(f"the mail server did not take it ({type(error).__name__})") from None
