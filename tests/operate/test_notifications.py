"""What people are told of scheduled runs: each cause once, in their language, and again by a later run where it could not be sent."""

from __future__ import annotations

import datetime as clock
import email
import email.policy
import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import call
from test_run_writes import _written

from bot import store
from bot.audit.known_findings import store_known
from bot.audit.run import _store
from bot.messages import Message, to_json, uncoded_message
from bot.operate import outbox
from bot.operate.outbox import Delivery, send_notices
from bot.operate.run_history import KILLED
from bot.records import Finding
from bot.settings import Notifying, ReviewerAddress, Settings
from bot.store import Workspace
from bot.wikibase import Json
from bot.write.pause import pause_writing, resume_writing

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from loopback_receivers import MailServer, Webhook

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)  # a Tuesday
DAY = timedelta(days=1)


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path / "w") as opened:
        yield opened


@pytest.fixture
def hook() -> Iterator[Webhook]:
    with Webhook() as server:
        yield server


def settings(hook: Webhook | None = None, **values: Any) -> Settings:
    return Settings(notify=Notifying(webhook=hook.address if hook else "", **values))


def said(workspace: Workspace, given: Settings, now: datetime = NOW) -> Delivery:
    return send_notices(workspace, given, now, sleep=lambda _: None)


def _stored(error: str | Message) -> Json | None:
    return to_json(error if isinstance(error, Message) else uncoded_message(error)) if error else None


def ran(workspace: Workspace, id_: str, code: int | None, error: str = "", day: datetime = NOW) -> None:
    time = f"{day:%Y-%m-%dT%H:%M:%SZ}"
    ended = time if code is not None else ""
    row = {"id": id_, "started": time, "ended": ended, "exit_code": code, "message": _stored(error), "figures": {}}
    with workspace.engine.begin() as db:
        db.execute(store.runs.insert().values(**row))


def test_nobody_is_told_where_nobody_is_named(w: Workspace) -> None:
    ran(w, "a", 70, "broken")
    assert said(w, Settings()) == Delivery()
    assert w.get("notices") is None


def test_a_failure_is_told_once_while_it_lasts_and_again_when_it_comes_back(w: Workspace, hook: Webhook) -> None:
    given = settings(hook)
    for number in range(3):
        ran(w, f"b{number}", 2, f"http://wiki:80{number}: did not answer", NOW + number * DAY)
        said(w, given, NOW + number * DAY)
    (told,) = hook.told
    assert told["subject"] == "formula-bot, wikidata: the scheduled run failed"
    assert told["text"].splitlines()[0] == (
        "Since the run of 2026-06-30T12:00:00Z the scheduled run ends with exit code 2: http://wiki:800: did not answer"
    )
    ran(w, "c", 2, "the disk is full", NOW + 3 * DAY)  # another cause
    said(w, given, NOW + 3 * DAY)
    ran(w, "d", 0, "", NOW + 4 * DAY)
    said(w, given, NOW + 4 * DAY)
    assert len(hook.told) == 2
    ran(w, "e", 2, "the disk is full", NOW + 5 * DAY)  # it is over, and begins again
    said(w, given, NOW + 5 * DAY)
    assert [told["cause"] for told in hook.told] == ["failure", "failure", "failure"]


def test_a_run_that_was_killed_is_told_by_the_next_one(w: Workspace, hook: Webhook) -> None:
    ran(w, "a", None, KILLED)
    for id_ in "bc":
        ran(w, id_, 0, "", NOW + DAY)
        said(w, settings(hook, language="de"))
    (told,) = hook.told
    assert told["text"].startswith("Der Lauf von 2026-06-30T12:00:00Z endete ohne Meldung")


def audited(workspace: Workspace, day: datetime, *texts: str, audit: str = "invalid") -> None:
    stamp = f"{day:%Y-%m-%dT%H:%M:%SZ}"
    said = [(f"Q{n}", text, to_json(uncoded_message(text))) for n, text in enumerate(texts, 1)]
    found = [Finding(audit, item, "warning", text, message=message) for item, text, message in said]
    _store(workspace, [audit], store_known(workspace, [audit], found, stamp), stamp)


def test_each_finding_is_told_once(w: Workspace, hook: Webhook) -> None:
    given = settings(hook)
    audited(w, NOW, "x is wrong", "y is wrong")
    said(w, given)
    said(w, given)
    audited(w, NOW + DAY, "x is wrong", "y is wrong", "z is wrong")
    said(w, given, NOW + DAY)
    first, second = hook.told
    assert first["subject"].endswith("2 new findings")
    assert second["text"].splitlines()[:2] == ["1 new finding", "- invalid, Q3: z is wrong"]
    audited(w, NOW + 2 * DAY, *(f"{n} is wrong" for n in range(25)))
    said(w, given, NOW + 2 * DAY)
    assert hook.told[2]["text"].splitlines()[21] == "and 5 more"


def test_findings_of_a_run_that_crashed_before_it_told_anybody_are_told_by_the_next(
    w: Workspace, hook: Webhook
) -> None:
    audited(w, NOW, "x is wrong")
    audited(w, NOW + DAY, "x is wrong")  # it is not a new one for the audit
    said(w, settings(hook), NOW + DAY)
    assert [told["cause"] for told in hook.told] == ["findings"]


def test_findings_are_told_again_after_a_night_with_a_clock_that_was_years_ahead(w: Workspace, hook: Webhook) -> None:
    audited(w, NOW + 1000 * DAY, "x is wrong")
    said(w, settings(hook, digest=False), NOW + 1000 * DAY)
    audited(w, NOW, "x is wrong", "y is wrong")
    for _ in range(2):
        said(w, settings(hook, digest=False), NOW)
    assert [told["text"].splitlines()[1] for told in hook.told] == [
        "- invalid, Q1: x is wrong",
        "- invalid, Q2: y is wrong",
    ]


def test_a_pause_is_told_once(w: Workspace, hook: Webhook) -> None:
    pause_writing(w, Message("pause.removals", n=3, written=9), counted=[1, 2, 3])
    said(w, settings(hook, language="de"))
    said(w, settings(hook, language="de"))
    (told,) = hook.told
    assert "andere haben 3 der 9 Bearbeitungen der letzten 30 Tage entfernt" in told["text"]
    resume_writing(w, "looked at", "Ada")
    assert said(w, settings(hook)).sent == 0


def waiting(workspace: Workspace, id_: str, day: datetime) -> None:
    row = {"id": id_, "kind": "new_claim", "qid": "Q1", "probability": 0.9, "hash": "h", "record": {}}
    days = {"created": f"{day:%Y-%m-%d}", "seen": f"{day:%Y-%m-%d}", "expires": "9999-01-01"}
    with workspace.engine.begin() as db:
        db.execute(store.proposals.insert().values(**row, **days))


def test_a_queue_that_waits_too_long_is_told_once_until_it_has_moved(w: Workspace, hook: Webhook) -> None:
    given = settings(hook, queue_days=14)
    waiting(w, "a", NOW - 14 * DAY)
    assert said(w, given) == Delivery()
    for day in (1, 2):
        said(w, given, NOW + day * DAY)
    (told,) = hook.told
    assert told["text"].splitlines()[0] == (
        "Waiting for a decision: 1. The oldest proposal has waited since 2026-06-16, longer than 14 days."
    )
    with w.engine.begin() as db:
        db.execute(store.proposals.delete())
    said(w, given, NOW + 3 * DAY)
    waiting(w, "b", NOW - 20 * DAY)
    said(w, given, NOW + 4 * DAY)
    assert [each["cause"] for each in hook.told] == ["queue", "queue"]
    assert said(w, settings(hook, queue_days=0), NOW + 5 * DAY) == Delivery()


def test_the_week_is_told_to_operators_and_to_each_reviewer(w: Workspace) -> None:
    reviewers = (ReviewerAddress("Ada", "ada@example.org"), ReviewerAddress("Emmy", "emmy@example.org", "de"))
    with MailServer() as mails:
        given = settings(
            operators=("op@example.org",), sender="bot@example.org", smtp_host="127.0.0.1", smtp_port=mails.port,
            smtp_security="none", reviewers=reviewers,
        )  # fmt: skip
        assert said(w, given) == Delivery()  # the first week has no week before
        _written(w, 12, 1, -6)  # Ada's, six days after the first run
        ran(w, "a", 0, "", NOW + 6 * DAY)
        ran(w, "b", 2, "x", NOW + 7 * DAY)
        ran(w, "c", 0, "", NOW + 7 * DAY)
        assert said(w, given, NOW + 7 * DAY).sent == 2
        assert said(w, given, NOW + 8 * DAY) == Delivery()
    to_operator, to_ada = (email.message_from_string(mail, policy=email.policy.default) for mail in mails.mails)
    assert (to_operator["To"], to_ada["To"]) == ("op@example.org", "ada@example.org")
    assert to_ada["Subject"] == "formula-bot, wikidata: the week from 2026-06-30 to 2026-07-07"
    lines = to_ada.get_content().splitlines()
    assert lines[0] == "Hello Ada,"
    assert lines[2] == "12 of your decisions were written"
    assert lines[3] == "- Q1: removed by Bob, revision 7"
    assert "3 runs; 1 failed" in to_operator.get_content()
    assert "12 edits were written" in to_operator.get_content()


def test_what_could_not_be_sent_is_kept_and_sent_by_a_later_run(w: Workspace, tmp_path: Path) -> None:
    with Webhook(500, 503, 429) as hook:
        given = settings(hook, digest=False)
        ran(w, "a", 70, "broken")
        told = said(w, given)
        assert (told.sent, told.waiting, *map(str, told.problems), hook.asked) == (
            0,
            1,
            "webhook: the webhook answered 429",
            3,
        )
        (step,) = [s for s in call("status", "-w", tmp_path / "w", "--json").rows[0]["next_steps"] if "notif" in s]
        assert step == "1 notification could not be sent (the webhook answered 429)"
        assert said(w, given, NOW + DAY) == Delivery(sent=1)
        assert [each["cause"] for each in hook.told] == ["failure"]
        assert said(w, given, NOW + 2 * DAY) == Delivery()
    ran(w, "b", 2, "other", NOW + 3 * DAY)
    away = said(w, given, NOW + 3 * DAY)
    assert list(map(str, away.problems)) == ["webhook: the webhook was not reached (ConnectionError)"]
    assert "given up after 1 try" in str(said(w, given, NOW + 11 * DAY).problems[0])
    assert outbox.unsent_notices(w) == []


def test_a_mail_server_that_does_not_answer_is_asked_once_a_run(w: Workspace) -> None:
    given = settings(
        operators=("a@example.org", "b@example.org"), sender="bot@example.org", smtp_host="127.0.0.1", smtp_port=9,
        smtp_security="none",
    )  # fmt: skip
    ran(w, "a", 70, "broken")
    told = said(w, given)
    assert (told.sent, told.waiting) == (0, 2)
    (problem,) = told.problems  # of one of the two
    assert str(problem).endswith("@example.org: the mail server did not take it (ConnectionRefusedError)")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of 127.0.0.1, signed by itself."""
    from ipaddress import ip_address

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    today = clock.datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - DAY)
        .not_valid_after(today + DAY)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "loopback.pem"
    form = serialization.PrivateFormat.PKCS8
    secret = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_mails_and_passwords_go_over_tls_alone(
    w: Workspace, certificate: Path, security: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORMULA_BOT_SMTP_PASSWORD", "s3cret")
    ran(w, "a", 70, "broken")
    with MailServer(certificate, at_once=security == "tls") as server:
        given = settings(
            operators=("op@example.org",), sender="Bot <bot@example.org>", smtp_host="127.0.0.1",
            smtp_port=server.port, smtp_security=security, smtp_user="bot", language="de",
        )  # fmt: skip
        told = said(w, given)
        assert list(map(str, told.problems)) == [
            "op@example.org: the mail server did not take it (SSLCertVerificationError)"
        ]
        assert server.logins == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert said(w, given) == Delivery(sent=1)
    assert (server.encrypted, len(server.logins)) == ([True], 1)
    mail = email.message_from_string(server.mails[0], policy=email.policy.default)
    assert mail["Subject"] == "formula-bot, wikidata: der geplante Lauf ist gescheitert"
    (row,) = w.rows(sa.select(store.notifications))
    assert mail["Message-ID"] == f"<{row['id']}@example.org>"
    assert "s3cret" not in json.dumps(row)


def test_what_a_server_answers_is_not_repeated(w: Workspace) -> None:
    ran(w, "a", 70, "broken")
    with MailServer(refuse=1) as server:
        given = settings(
            operators=("op@example.org",), sender="bot@example.org", smtp_host="127.0.0.1", smtp_port=server.port,
            smtp_security="none",
        )  # fmt: skip
        assert list(map(str, said(w, given).problems)) == ["op@example.org: the mail server answered 451"]
        assert said(w, given).sent == 1


@pytest.mark.parametrize(
    ("notify", "why"),
    [
        ('webhook = "{address}"\nsmtp_security = "ssl"', "notify.smtp_security is 'ssl'"),
        ('webhook = "{address}"\nsmtp_host = "mail.example.org"\nsmtp_security = "none"', "none for another machine"),
        ('webhook = "https:///hook"', "notify.webhook is neither"),
    ],
)
def test_nothing_is_sent_by_settings_that_a_run_refuses(tmp_path: Path, notify: str, why: str) -> None:
    from test_scheduled import _config, _logs

    config = _config(tmp_path)
    call("run", "--config", config).news()
    with Webhook() as hook:
        text = config.read_text(encoding="utf-8")
        config.write_text(f"{text}\n[notify]\n{notify.format(address=hook.address)}\n", encoding="utf-8")
        call("run", "--config", config).refused(why)
        assert hook.asked == 0
    (line,) = [line for log in _logs(tmp_path) for line in log if line["event"] == "notification"]
    assert why in line["problems"][0]


def test_a_run_tells_and_its_log_holds_no_secret(tmp_path: Path) -> None:
    from test_scheduled import _config, _logs

    config = _config(tmp_path)
    for name in ("cnxml", "latexml"):
        (tmp_path / "corpus" / name).rename(tmp_path / name)
    with Webhook() as hook:
        text = config.read_text(encoding="utf-8")
        config.write_text(text + f'\n[notify]\nwebhook = "{hook.address}"\n', encoding="utf-8")
        call("run", "--config", config).news()
    (tmp_path / "corpus").rename(tmp_path / "elsewhere")
    with socket.socket() as held:  # nobody answers there; without SO_REUSEADDR no other test's server gets the port
        held.bind(("127.0.0.1", 0))
        moved = config.read_text(encoding="utf-8").replace(f":{hook.server_port}/", f":{held.getsockname()[1]}/")
        config.write_text(moved, encoding="utf-8")
        failed = call("run", "--config", config)
    assert "notification: webhook: the webhook was not reached" in failed.err, failed.err
    assert failed.code == 2
    (line,) = [line for log in _logs(tmp_path) for line in log if line["event"] == "notification"]
    assert (line["sent"], line["waiting"]) == (0, 1)
    everything = failed.err + "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "logs").iterdir())
    assert "secret-token" not in everything
    with Workspace.open(tmp_path / "w") as opened:
        assert replace(settings(hook)).notify.webhook not in json.dumps(opened.rows(sa.select(store.notifications)))
