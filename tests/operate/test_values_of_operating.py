"""What the doctor, the status, the outbox and the watch of a run say: whole values, and where each draws its lines."""

from __future__ import annotations

import json
import os
import threading
from collections import namedtuple
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot import store
from bot.audit.edit_states import RemovedEdit
from bot.errors import BotError, LookupFailed, OutOfTime, SettingsError, WriteRefused
from bot.messages import Message, to_json, uncoded_message
from bot.operate import doctor, outbox, run_history, scheduled
from bot.operate import status as status_
from bot.operate.doctor import NO_ADVICE, HealthCheck
from bot.operate.outbox import Delivery, Notice
from bot.operate.run_history import RunLog, RunWatch
from bot.operate.status import CrawlStatus, _crawl, prometheus, status
from bot.records import Finding
from bot.review.proposal_state import State
from bot.settings import Agent, CrawlOrder, Notifying, Properties, ReviewerAddress, Run, Settings, Wiki, Writing
from bot.store import Workspace
from bot.write.pause import pause_writing

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)


def zulu(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def ran(workspace: Workspace, id_: str, moment: datetime, code: int | None = 0, error: str = "") -> None:
    message = to_json(uncoded_message(error)) if error else None
    row = {"id": id_, "started": zulu(moment), "ended": zulu(moment) if code is not None else "", "exit_code": code}
    with workspace.engine.begin() as db:
        db.execute(store.runs.insert().values(**row, message=message, figures={}))


def proposal(workspace: Workspace, id_: str, created: str, expires: str, kind: str = "new_claim") -> None:
    with workspace.engine.begin() as db:
        db.execute(store.proposals.insert().values(id=id_, kind=kind, created=created, expires=expires, qid="Q1"))


def edit(
    workspace: Workspace, n: int, moment: datetime, state: str = "", removed: str = "", reviewer: str = "Ada"
) -> None:
    row = {"n": n, "proposal": str(n), "qid": f"Q{n}", "time": zulu(moment), "outcome": "written", "reviewer": reviewer}
    with workspace.engine.begin() as db:
        db.execute(store.edits.insert().values(**row, payload={}))
        if state:
            found = {"edit": n, "state": state, "user": "Eve", "revision": 7, "changed": removed, "seen": "t"}
            db.execute(store.edit_states.insert().values(**found))


# -- the doctor


def codes(settings: Settings, base: Path) -> list[str]:
    return [each.message.code.removeprefix("error.") for each in doctor.setup_problems(settings, base)]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, []), ({"operators": ("a@b",), "smtp_host": "m", "sender": "x@y"}, []), ({"operators": ("a",), "smtp_host": "m", "sender": "x@y"}, ["no_mail_address"]),
        ({"operators": ("a@",), "smtp_host": "m", "sender": "x@y"}, ["no_mail_address"]), ({"operators": ("a@b",), "smtp_host": "m", "sender": "x"}, ["mail_settings"]),
        ({"operators": ("a@b",), "sender": "x@y"}, ["mail_settings"]), ({"reviewers": (ReviewerAddress("", "a@b"),), "smtp_host": "m", "sender": "x@y"}, ["nameless_reviewer"]),
        ({"smtp_security": "ssl"}, ["smtp_security"]), ({"smtp_security": "none", "smtp_host": "mail.example"}, ["smtp_unencrypted"]), ({"smtp_security": "none", "smtp_host": "localhost"}, []),
        ({"smtp_security": "none"}, []), ({"smtp_user": "u"}, ["smtp_password"]), ({"webhook": "http://hook.example/x"}, ["webhook_plain"]), ({"webhook": "https://hook.example/x"}, []),
        ({"webhook": "http://127.0.0.1/x"}, []), ({"language": "xx"}, ["notify_language"]), ({"reviewers": (ReviewerAddress("A", "a@b", "xx"),), "smtp_host": "m", "sender": "x@y"}, ["notify_language"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_how_people_are_told(tmp_path: Path, changes: dict[str, Any], found: list[str]) -> None:
    given = Settings(agent=Agent(contact="c"), notify=Notifying(**changes))
    assert codes(given, tmp_path) == found


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"agent": Agent(), "wiki": Wiki(api="https://w.example/api.php")}, ["host_without_contact"]), ({"agent": Agent(), "wiki": Wiki(api="http://127.0.0.1:8/api.php")}, []),
        ({"agent": Agent(), "run": Run(items="i")}, []), ({"run": Run(items="j")}, ["no_file"]), ({"run": Run(audits=("x",))}, ["audit_named"]), ({"run": Run(workspace="file/w")}, ["no_folder"]), ({"run": Run(logs="file")}, ["no_folder"]), ({"run": Run(workspace="w/x/y")}, []),
    ],
)  # fmt: skip
def test_what_would_end_a_run_late(tmp_path: Path, changes: dict[str, Any], found: list[str]) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "i").write_text('{"qid": "Q1", "label": "a"}')
    assert codes(replace(Settings(agent=Agent(contact="c")), **changes), tmp_path) == found


def test_a_folder_has_to_be_writable_and_to_have_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "free")
    least = 256 * 2**20
    for free, found in ((least, []), (least - 1, [{"free": 255, "needed": 256}])):
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _, free=free: usage(free))
        assert [each.message.values for each in doctor._folder_problems(tmp_path / "a" / "b")] == found
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: mode != os.W_OK | os.X_OK)
    [wrong] = doctor._folder_problems(tmp_path / "a")
    assert (wrong.message.code, wrong.where) == ("error.folder_unwritable", str(tmp_path))


def test_the_files_of_an_account_are_there_and_nobody_elses(tmp_path: Path) -> None:
    given = Settings(writing=Writing(pywikibot_dir=str(tmp_path)))
    [lacks] = doctor.account_files(given)
    assert lacks.message.values["files"] == "user-config.py, user-password.py"
    for name, mode in zip(doctor.ACCOUNT_FILES, (0o600, 0o640), strict=True):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    [readable] = doctor.account_files(given)
    assert (readable.message.values["files"], readable.message.values["folder"]) == ("user-password.py", str(tmp_path))
    (tmp_path / "user-password.py").chmod(0o600)
    assert list(doctor.account_files(given)) == []


def told(check: HealthCheck) -> tuple[str, str, str, str]:
    return check.name, check.state, check.what.code.removeprefix("health."), check.todo.code.removeprefix("todo.")


NO_CODE = NO_ADVICE.code


class Wikis:
    """A client as the doctor asks it."""

    wiki = Wiki(properties=Properties(heuristic="", doi="P1", arxiv="P2"))

    def __init__(self, off: float = 0.0, rows: int = 1) -> None:
        self.off, self.listed = off, [{"item": "Q1"}] * rows

    def software_and_time(self) -> tuple[str, datetime]:
        return "MediaWiki", datetime.fromtimestamp(1000 + self.off, UTC)

    def datatypes(self, properties: Any) -> dict[str, str]:
        ids = self.wiki.properties
        right = {str(getattr(ids, name)): kind for name, kind in doctor.DATATYPES.items()}
        asked = list(properties)
        assert "" not in asked
        return {p: right[p] for p in asked if p != "P1"} | {"P2": "string"}

    def rows(self, text: str, *, fresh: bool, service: str) -> list[dict[str, str]]:
        assert ("P2534" in text, text.splitlines()[-1], fresh) == (True, "LIMIT 1", True)
        return self.listed


def test_the_clock_may_be_off_by_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.time, "time", lambda: 1000.0)
    for off, state, todo in ((60, "ok", NO_CODE), (-60, "ok", NO_CODE), (61, "warn", "clock"), (-61, "warn", "clock")):
        wiki: Any = Wikis(off)
        about, clock = doctor._api(wiki)
        assert told(about) == ("wiki", "ok", "wiki", NO_CODE)
        assert told(clock) == ("clock", state, "clock", todo)
        assert clock.what.values["seconds"] == abs(off)


def test_each_property_has_its_datatype() -> None:
    wiki: Any = Wikis()
    found = list(doctor._properties(wiki))
    assert [told(each) for each in found] == [
        ("wiki.properties.doi", "fail", "no_property", "own_property"), ("wiki.properties.arxiv", "fail", "datatype", "own_property")
    ]  # fmt: skip
    assert found[1].what.values == {"property": "P2", "found": "string", "wanted": "external-id"}
    wiki.datatypes = lambda properties: Wikis.datatypes(wiki, properties) | {"P1": "external-id", "P2": "external-id"}
    [well] = doctor._properties(wiki)
    assert (told(well)[1:3], well.what.values) == (("ok", "properties"), {"n": len(doctor.DATATYPES) - 1})


@pytest.mark.parametrize(
    ("rows", "seconds", "said"),
    [
        (0, 1, ("warn", "lists_none", "see_sparql")),
        (1, 10, ("ok", "answers", NO_CODE)),
        (1, 10.5, ("warn", "answers", "slow_audits")),
    ],
)
def test_a_query_service_lists_items_in_time(
    monkeypatch: pytest.MonkeyPatch, rows: int, seconds: float, said: tuple[str, ...]
) -> None:
    times = iter((5.0, 5.0 + seconds))
    monkeypatch.setattr(doctor.time, "monotonic", lambda: next(times))
    wiki: Any = Wikis(rows=rows)
    [found] = doctor._query_service(wiki)
    assert told(found)[1:] == said
    assert found.what.values.get("seconds", seconds) == seconds


def test_an_account_is_looked_at_where_it_would_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Settings(writing=Writing(account="Bot", pywikibot_dir=str(tmp_path)))
    [sandbox] = doctor._account(Wiki(sandbox=True), given)
    assert told(sandbox) == ("writing", "ok", "rehearsal", NO_CODE)

    def refuse(wiki: Wiki, settings: Settings) -> None:
        raise WriteRefused(uncoded_message("no"))

    monkeypatch.setattr(doctor, "authorise", refuse)
    [refused] = doctor._account(Wiki(), given)
    assert (refused.name, refused.state, refused.todo.code) == ("writing", "warn", "todo.live_needs")
    monkeypatch.setattr(doctor, "authorise", lambda *_: None)
    [lacks] = doctor._account(Wiki(), given)
    assert (lacks.name, lacks.state, lacks.todo.code) == ("account", "fail", "todo.copy_config")
    monkeypatch.setattr(doctor, "account_files", lambda _: iter(()))
    [well] = doctor._account(Wiki(), given)
    assert (told(well), well.what.values) == (
        ("account", "ok", "account", NO_CODE),
        {"account": "Bot", "folder": str(tmp_path)},
    )


def test_a_check_that_fails_says_what_mends_it_and_one_that_could_not_tell_is_unknown() -> None:
    plain, advised = BotError(uncoded_message("x")), SettingsError("contact_empty", where="w", todo="contact")
    assert HealthCheck.failed("n", plain) == HealthCheck("n", "fail", plain.message, NO_ADVICE)
    assert HealthCheck.failed("n", advised).todo == Message("todo.contact", **{})

    def looks(error: BotError) -> Any:
        def look(_: Any) -> Any:
            raise error
            yield

        return look

    nobody: Any = None
    away = LookupFailed(uncoded_message("away"))
    assert doctor._run_check("n", looks(away), nobody) == [
        HealthCheck("n", "unknown", away.full_message, Message("todo.see_address"))
    ]
    assert doctor._run_check("n", looks(plain), nobody) == [HealthCheck("n", "fail", plain.full_message)]


def test_a_workspace_has_two_gigabytes_left(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "free")
    for free, state, todo in ((2 * 2**30, "ok", NO_CODE), (2 * 2**30 - 1, "warn", "room_disk")):
        monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _, free=free: usage(free))
        folder, disk, database = doctor._workspace(workspace)
        assert (folder.state, folder.todo, str(folder.what)) == ("ok", NO_ADVICE, str(workspace.path))
        assert (told(disk), disk.what.values) == (("disk", state, "free", todo), {"free": free / 2**30})
        assert database.what.values["dialect"] == "sqlite"
    monkeypatch.setattr(doctor.os, "access", lambda *_: False)
    assert [each.state for each in doctor._workspace(workspace)] == ["fail", "warn", "ok"]


# -- runs


def test_a_thousand_runs_are_kept(workspace: Workspace) -> None:
    rows = [
        {
            "id": f"{n:04}",
            "started": f"2020-01-01T00:{n // 60:02}:{n % 60:02}Z",
            "ended": "t",
            "exit_code": 0,
            "figures": {},
        }
        for n in range(1002)
    ]
    with workspace.engine.begin() as db:
        db.execute(store.runs.insert(), rows)
    with run_history.record_run(workspace, "new"):
        kept = run_history.last_runs(workspace, 2000)
    assert (len(kept), kept[0]["id"], kept[-1]["id"]) == (1000, "new", "0003")


@pytest.mark.parametrize(("hours", "n"), [(0, 0), (30, 0), (35.9, 0), (36.1, 1), (60, 1), (61, 2), (96, 3)])
def test_how_many_runs_were_missed(workspace: Workspace, hours: float, n: int) -> None:
    assert run_history.number_missed(workspace, 24, NOW) == 0
    ran(workspace, "a", NOW - timedelta(hours=hours))
    assert run_history.number_missed(workspace, 24, NOW) == n


def test_the_next_run_is_due_a_little_early_and_at_once_after_a_bad_end(workspace: Workspace) -> None:
    assert run_history.next_due(workspace, 100) is None
    for n, (code, due) in enumerate([(0, True), (1, True), (2, False), (70, False), (None, False)]):
        ran(workspace, str(n), NOW + timedelta(days=n), code)
        assert run_history.next_due(workspace, 100) == (NOW + timedelta(days=n, hours=98) if due else None)


def test_a_run_that_is_watched_tells_where_it_is_and_ends_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    with RunLog(tmp_path, "run") as log:
        watch = RunWatch(log, 0.001, 2, clock=lambda: clock[0])
        watch.stage("match")
        watch.begin(8)
        watch.advance(2)
        clock[0] += 120
        watch.advance(4)
        watch.report_progress()
        clock[0] += 0.1
        with pytest.raises(OutOfTime) as ended:
            watch.advance(1)
        assert ended.value.message.values == {"stage": "match"}
        watch.limited = False
        watch.advance(5)
        watch.report_progress()
        watch.stage("audit")
        watch.report_progress()
        RunWatch(log, 1, 0, clock=lambda: 1e12).stage("x")
        told = threading.Event()
        monkeypatch.setattr(watch, "report_progress", told.set)
        with watch:
            assert told.wait(5)
        watch._thread.join(5)
        assert not watch._thread.is_alive()
    events = [json.loads(line) for line in log.path.read_text().splitlines()]
    beats = [each for each in events if each["event"] == "heartbeat"]
    assert [(b["stage"], b["units"], b["minutes"]) for b in beats[:3]] == [
        ("match", 2, 2.0),
        ("match", 4, 2.0),
        ("audit", 0, 2.0),
    ]
    assert (events[0]["event"], events[-1]["event"], events[-1]["outcome"]) == ("start", "end", "ok")
    assert {each["run"] for each in events} == {log.id}


def test_what_a_heartbeat_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RunLog(tmp_path, "run") as log:
        watch = RunWatch(log, 60, 0, clock=lambda: 30.0)
        watch.report_progress()
        watch.stage("match")
        watch.report_progress()
        watch.begin(8)
        watch.advance(2)
        watch.report_progress()
        watch.advance(20)
        watch.report_progress()
    assert capsys.readouterr().err.splitlines() == [
        "run: , 0 done, after 0.0 minutes", "run: match, 0 done, after 0.0 minutes", "run: match, 1 done (25%), after 0.0 minutes", "run: match, 2 done (100%), after 0.0 minutes"
    ]  # fmt: skip


def test_a_line_is_written_also_where_a_stopped_thread_keeps_the_turn(tmp_path: Path) -> None:
    """A signal may stop a thread for good while it writes: the others wait half a second, and give back no turn of its own."""
    asked: list[float] = []
    turn: Any = SimpleNamespace(acquire=lambda timeout: asked.append(timeout) or False)
    with RunLog(tmp_path, "run") as log:
        log._turn = turn
        log.event("stage", name="é")
    assert asked == [0.5, 0.5]
    lines = [json.loads(line) for line in log.path.read_text(encoding="utf-8").splitlines()]
    assert [(line["event"], line.get("name")) for line in lines] == [("start", None), ("stage", "é"), ("end", None)]


def test_who_writes_a_line_gives_the_turn_back(tmp_path: Path) -> None:
    with RunLog(tmp_path, "run") as log:
        assert not log._turn.locked()


def test_so_many_logs_of_a_name_are_kept(tmp_path: Path) -> None:
    for name in ("20200101-run.jsonl", "20200102-run.jsonl", "20200103-run.jsonl", "20200101-other.jsonl"):
        (tmp_path / name).touch()
    with RunLog(tmp_path, "run", keep=2) as log:
        assert sorted(p.name for p in tmp_path.iterdir()) == [
            "20200101-other.jsonl",
            "20200103-run.jsonl",
            log.path.name,
        ]


def test_a_pause_needs_three_removals_and_a_share_above_the_limit(workspace: Workspace) -> None:
    since = NOW - timedelta(days=30)
    edit(workspace, 1, NOW - timedelta(days=40), "removed", zulu(since))
    edit(workspace, 2, NOW - timedelta(days=40), "removed", zulu(since - timedelta(seconds=1)))
    edit(workspace, 3, since, "deprecated")
    edit(workspace, 4, since - timedelta(seconds=1), "deprecated")
    edit(workspace, 5, NOW, "changed", zulu(NOW))
    assert scheduled.removed_and_written(workspace, NOW) == ([1, 3], 2)
    assert not scheduled.pause_if_removed(workspace, 0.1, NOW)
    edit(workspace, 6, NOW, "removed", zulu(NOW))
    for n in range(7, 14):
        edit(workspace, n, NOW, "present")
    assert scheduled.removed_and_written(workspace, NOW) == ([1, 3, 6], 10)
    assert not scheduled.pause_if_removed(workspace, 0.3, NOW)
    assert scheduled.pause_if_removed(workspace, 0.29, NOW)
    [pause] = scheduled.pauses(workspace)
    assert pause["counted"] == [1, 3, 6]
    assert not scheduled.pause_if_removed(workspace, 0.29, NOW)


# -- what people are told


def test_who_waits_waits_for_a_decision_and_until_a_day(workspace: Workspace) -> None:
    today = store.now()[:10]
    for id_, created, expires, kind in (
        ("a", "2026-06-10", today, "new_claim"), ("b", "2026-06-12", "9999-01-01", "new_claim"), ("c", "2026-06-01", "2020-01-01", "new_claim"), ("d", "2026-06-02", "9999-01-01", "symbol")
    ):  # fmt: skip
        proposal(workspace, id_, created, expires, kind)
    assert outbox._waiting_since(workspace) == ["2026-06-10", "2026-06-12"]
    for days, found in ((0, None), (20, None), (19, 19), (1, 1)):
        notice = outbox._queue_notice(workspace, days, NOW)
        assert (notice and notice.lines[0].values) == ({"n": 2, "since": "2026-06-10", "days": days} if found else None)


def test_what_a_week_came_to(workspace: Workspace) -> None:
    week = timedelta(days=7)
    for n, (moment, code) in enumerate(
        [(NOW, 0), (NOW, 2), (NOW, None), (NOW - week, 70), (NOW - week - timedelta(seconds=1), 2)]
    ):
        ran(workspace, str(n), moment, code)
    edit(workspace, 1, NOW - timedelta(days=90), "removed", zulu(NOW - week))
    edit(workspace, 2, NOW - timedelta(days=90), "removed", zulu(NOW - week - timedelta(seconds=1)), "Bob")
    edit(workspace, 3, NOW - week, "present", reviewer="Cy")
    with workspace.engine.begin() as db:
        for n, (who, moment) in enumerate(
            [("Ada", NOW - week), ("Ada", NOW), ("Bob", NOW - week - timedelta(seconds=1))]
        ):
            db.execute(store.decisions.insert().values(proposal=str(n), reviewer=who, time=zulu(moment)))
    people = tuple(ReviewerAddress(name, f"{name}@x") for name in ("Ada", "Bob", "Cy"))
    whole, ada, cy = outbox._digests(workspace, Settings(notify=Notifying(reviewers=people)), NOW, "W", 4)
    assert [(line.code.removeprefix("notice."), line.values.get("n"), line.values.get("failed")) for line in whole.lines] == [
        ("digest.subject", None, None), ("digest.runs", 4, 2), ("digest.decided", 2, None), ("digest.written", 1, None), ("removed", None, None), ("digest.queue", 0, None), ("digest.findings", 4, None)
    ]  # fmt: skip
    assert whole.subject.values == {"since": "2026-06-23", "until": "2026-06-30"}
    assert (whole.cause, ada.cause, cy.cause) == ("digest W", "digest W Ada", "digest W Cy")
    assert [[line.values.get("n") for line in each.lines[1:3]] for each in (ada, cy)] == [[2, 0], [0, 1]]
    assert (len(ada.lines), len(cy.lines), ada.reviewer) == (4, 3, "Ada")


def test_a_removal_of_no_known_day_is_told_in_the_week_in_which_it_was_written(workspace: Workspace) -> None:
    edit(workspace, 1, NOW - timedelta(days=7), "removed", "")
    edit(workspace, 2, NOW - timedelta(days=8), "removed", "")
    edit(workspace, 3, NOW, "present")
    (whole,) = outbox._digests(workspace, Settings(), NOW, "W", 0)
    assert [line.values["qid"] for line in whole.lines if line.code == "notice.removed"] == ["Q1"]


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"workspace": ""}, []),
        ({}, [("run", "ok", "health.run", {"n": 0, "does": Message("health.plans")})]),
        ({"crawl": ("c",)}, [("run", "ok", "health.run_crawls", {"n": 1, "does": Message("health.plans")})]),
        ({"crawl": ("c", "wrong")}, [("crawl wrong", "fail", "error.no_file", {})]),
        ({"audits": ("no audit",)}, [("run", "fail", "error.audit_named", {})]),
    ],
)
def test_what_a_scheduled_run_would_look_at_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], found: list[Any]
) -> None:
    def checked(order: CrawlOrder, settings: Settings) -> None:
        if order.into == "wrong":
            raise SettingsError("no_file")

    monkeypatch.setattr(doctor, "check_order", checked)
    monkeypatch.setattr("bot.corpus.probe.probe", lambda _: None)
    orders = tuple(CrawlOrder("http", into) for into in changes.pop("crawl", ()))
    run = Run(**({"workspace": "w", "crawl": orders} | changes))
    settings = Settings(run=run, path=str(tmp_path / "bot.toml"), agent=Agent(contact="me"))
    told = [(each.name, each.state, each.what.code, dict(each.what.values)) for each in doctor._scheduled(settings)]
    assert [each if each[1] == "ok" else (*each[:3], {}) for each in told] == found


def test_a_removal_names_who_did_it_where_that_is_known() -> None:
    one = RemovedEdit(1, "p", "Q1", "removed", "t", "", 0, "")
    assert [each.values for each in outbox._removal_messages([one, replace(one, user="Eve", revision=5)])] == [
        {"qid": "Q1", "state": Message("notice.state.removed"), "user": user, "revision": n} for user, n in (("–", 0), ("Eve", 5))
    ]  # fmt: skip


def test_a_notice_goes_to_those_whom_it_is_for() -> None:
    people = (ReviewerAddress("Ada", "ada@x", "de"), ReviewerAddress("Bob", "bob@x"))
    given = Settings(notify=Notifying(operators=("op@x",), webhook="https://h", reviewers=people, language="en"))
    notice = Notice("digest W", Message("notice.pause.subject"), (Message("notice.pause.todo"),))

    def receivers(reviewer: str, settings: Settings = given) -> list[str]:
        return [row["receiver"] for row in outbox._outbox_rows(replace(notice, reviewer=reviewer), settings, NOW)]

    assert receivers("") == ["op@x", "webhook"]
    assert (receivers("Ada"), receivers("Cy")) == (["ada@x"], [])
    assert receivers("", replace(given, notify=replace(given.notify, webhook=""))) == ["op@x"]
    [german], [english] = (
        list(outbox._outbox_rows(replace(notice, reviewer=name), given, NOW)) for name in ("Ada", "Bob")
    )
    assert german["body"] != english["body"]
    assert german["id"] != english["id"]
    assert {name: english[name] for name in ("cause", "created", "sent", "tries", "message")} == {
        "cause": "digest W", "created": "2026-06-30T12:00:00Z", "sent": "", "tries": 0, "message": None
    }  # fmt: skip
    assert english["subject"].startswith("formula-bot, wikidata: ")


def test_a_server_that_took_none_is_left_alone_and_what_waited_a_week_is_given_up(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def mail(row: Any, *_: Any) -> None:
        asked.append(row["id"])
        if "bad" in row["receiver"]:
            raise outbox.DeliveryError("mail_not_taken", kind="X")

    monkeypatch.setattr(outbox, "_mail", mail)
    monkeypatch.setattr(outbox, "_post", mail)
    week = timedelta(days=7)
    ages = {
        "1": ("a", week + timedelta(seconds=1)),
        "2": ("good", week),
        "3": ("bad", timedelta(1)),
        "4": ("other", timedelta(0)),
        "5": ("webhook", timedelta(0)),
    }
    with workspace.engine.begin() as db:
        for id_, (receiver, age) in ages.items():
            row = {
                "id": id_,
                "cause": "c",
                "receiver": receiver,
                "subject": "s",
                "body": "b",
                "created": zulu(NOW - age),
            }
            db.execute(store.notifications.insert().values(**row, sent="", tries=2, message=None))
    found = outbox._deliver(workspace, Notifying(), NOW, lambda _: None)
    assert asked == ["2", "3", "5"]
    assert (found.sent, found.waiting, len(found.problems)) == (2, 2, 2)
    assert [p.values["where"] for p in found.problems] == ["a", "bad"]
    first = found.problems[0].values["what"]
    assert isinstance(first, Message)
    assert (first.code, first.values) == ("outbox.given_up", {"n": 2, "problem": "–"})
    left = outbox.unsent_notices(workspace)
    assert [(row["id"], row["tries"], bool(row["message"])) for row in left] == [("3", 3, True), ("4", 3, False)]
    assert outbox._deliver(workspace, Notifying(), NOW, lambda _: None) == Delivery(0, 2, found.problems[1:])
    monkeypatch.setattr(outbox, "_mail", lambda *_: None)
    assert outbox._deliver(workspace, Notifying(), NOW, lambda _: None) == Delivery(2)


def test_requests_and_mails_are_given_up_after_twenty_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def post(address: str, **given: Any) -> Any:
        seen.append((address, given))
        return namedtuple("answer", "status_code")(300)

    monkeypatch.setattr(outbox.requests, "post", post)
    waits: list[float] = []
    row = {"id": "i", "cause": "failure 7", "subject": "s", "body": "b", "receiver": "r@x", "created": zulu(NOW)}
    with pytest.raises(outbox.DeliveryError) as refused:
        outbox._post(row, Notifying(webhook="https://h"), waits.append)
    assert refused.value.message.values == {"status": 300}
    assert (
        seen
        == [
            (
                "https://h",
                {
                    "json": {"id": "i", "cause": "failure", "subject": "s", "text": "b"},
                    "timeout": 20,
                    "allow_redirects": False,
                },
            )
        ]
        * 3
    )
    assert waits == [1, 2]

    class Server:
        def __init__(self, host: str, port: int, **given: Any) -> None:
            seen.append((host, port, given["timeout"]))

        def __enter__(self) -> Server:
            return self

        def __exit__(self, *_: object) -> None:
            seen.append("left")

        def send_message(self, mail: Any) -> None:
            seen.append((mail["From"], mail["To"], mail["Subject"], mail["Message-ID"], mail.get_content()))

        def starttls(self, context: Any) -> None:
            seen.append("starttls")

        def login(self, user: str, password: str) -> None:
            seen.append(user)

    monkeypatch.setattr(outbox.smtplib, "SMTP", Server)
    monkeypatch.setattr(outbox.smtplib, "SMTP_SSL", Server)
    sent = ("Bot <b@y.org>", "r@x", "s", "<i@y.org>", "b\n")
    for security, between in (("starttls", ["starttls"]), ("tls", []), ("none", [])):
        seen.clear()
        outbox._mail(
            row, Notifying(sender="Bot <b@y.org>", smtp_host="h", smtp_port=7, smtp_security=security), waits.append
        )
        assert seen == [("h", 7, 20), *between, sent, "left"]


def test_a_failure_lasts_as_long_as_its_cause_without_its_numbers(workspace: Workspace) -> None:
    for n, (code, why) in enumerate([(2, "disk 1"), (2, "port 5"), (2, "port 6"), (2, "port 7")]):
        ran(workspace, str(n), NOW + timedelta(days=n), code, why)
    [notice] = outbox._run_notices(workspace)
    assert (notice.cause, notice.lines[0].values["started"], notice.lines[0].values["code"]) == (
        "failure 1",
        zulu(NOW + timedelta(days=1)),
        2,
    )
    ran(workspace, "k", NOW + timedelta(days=5), None, "killed")
    ran(workspace, "l", NOW + timedelta(days=6), 1)
    assert [each.cause for each in outbox._run_notices(workspace)] == ["killed k"]
    ran(workspace, "m", NOW + timedelta(days=7), 70)
    [fault] = outbox._run_notices(workspace)
    assert (fault.cause, fault.lines[0].values["error"]) == ("failure m", "–")


def test_twenty_findings_are_shown_and_the_others_counted() -> None:
    messages = [to_json(uncoded_message(f"w{n}")) for n in range(21)]
    rows = [{"audit": "a", "item": "Q1" if n else "", "message": message} for n, message in enumerate(messages)]
    for n in (20, 21):
        notice = outbox._findings_notice(rows[:n], "t")
        assert [line.values.get("n") for line in notice.lines if line.code.endswith(".more")] == (
            [] if n == 20 else [1]
        )
        assert [line.values["item"] for line in notice.lines if line.code.endswith(".line")] == ["–", *["Q1"] * 19]
        assert (notice.cause, notice.subject.values) == ("findings t", {"n": n})


# -- the status


def test_a_crawl_is_counted_from_its_manifest(tmp_path: Path) -> None:
    order = CrawlOrder(source="http", into="c")
    assert _crawl(order, tmp_path) == CrawlStatus("http", "c", 0, 0, "")
    (tmp_path / "c").mkdir()
    rows = [
        ("a", "ok", "2026-01-01"),
        ("b", "ok", "2026-01-03"),
        ("", "failed", ""),
        ("", "forbidden", ""),
        ("c", "unusable", "2026-01-02"),
        ("", "gone", ""),
    ]
    text = "".join(
        json.dumps({"url": f"u{n}", "path": path, "status": state, "checked": day}) + "\n"
        for n, (path, state, day) in enumerate(rows)
    )
    (tmp_path / "c" / "manifest.jsonl").write_text(text)
    assert _crawl(order, tmp_path) == CrawlStatus("http", "c", 3, 3, "2026-01-03")


def test_the_state_of_a_workspace_in_figures(workspace: Workspace, tmp_path: Path) -> None:
    from bot.audit.known_findings import mute, store_known
    from bot.audit.run import _store

    for n, (age, outcome) in enumerate(
        [(0, "written"), (24, "written"), (24.1, "written"), (1, "pending"), (1, "refused"), (1, "already_there")]
    ):
        with workspace.engine.begin() as db:
            row = {"n": n + 1, "proposal": "p", "qid": "Q1", "payload": {}, "outcome": outcome}
            db.execute(store.edits.insert().values(**row, time=zulu(NOW - timedelta(hours=age))))
    said = [("wrong", f"Q{n}", "error", "w") for n in (1, 2, 3)] + [
        ("ledger", "", "unknown", "cannot"),
        ("wrong", "", "info", "3"),
    ]
    found = [Finding(*each, message=to_json(uncoded_message(each[-1]))) for each in said]  # type: ignore[arg-type]
    made = store_known(workspace, ["wrong", "ledger"], found, "t")
    mute(workspace, made[0].id, "so", "Ada")
    _store(workspace, ["wrong", "ledger"], found, "t")
    ran(workspace, "r", NOW - timedelta(hours=50), 2)
    pause_writing(workspace, uncoded_message("because"))
    for id_, expires in (("a", "9999-01-01"), ("b", "9999-01-01"), ("c", "2020-01-01")):
        proposal(workspace, id_, "2026-06-01", expires)
    with workspace.engine.begin() as db:
        row = {"id": "n", "cause": "c", "receiver": "r", "subject": "s", "body": "b", "created": "t", "sent": ""}
        db.execute(store.notifications.insert().values(**row, tries=0, message=None))
    given = Settings(
        writing=Writing(edits_a_day=10), run=Run(workspace="w", every_hours=24), path=str(tmp_path / "bot.toml")
    )
    told = status(workspace, given, moment=NOW)
    assert (told.edits_written, told.edits_last_day, told.edits_left) == (3, 3, 7)
    assert (dict(told.queue), told.approvals_waiting) == ({"expired": 1, "open": 2}, 0)
    assert (dict(told.findings), told.findings_new) == ({"wrong": 2}, 2)
    assert [each.values["where"] for each in told.could_not_tell] == ["ledger"]
    assert [(step.code, step.values.get("n")) for step in told.next_steps] == [
        ("next.failed", None), ("next.missed", 1), ("next.pause", None), ("next.decide", 2), ("next.findings", 2), ("next.unknown", 1), ("next.notices", 1)
    ]  # fmt: skip
    assert told.next_steps[-1].values["problem"] == "–"
    assert told.next_steps[0].values["why"] == Message("next.see_log")
    assert status(workspace, replace(given, writing=Writing(edits_a_day=2)), moment=NOW).edits_left == 0
    values = [line for line in prometheus(told).splitlines() if not line.startswith("#")]
    end = f"{(NOW - timedelta(hours=50)).timestamp():.12g}"
    assert values == [
        f"formula_bot_last_run_end_seconds {end}", "formula_bot_last_run_exit_code 2", 'formula_bot_proposals{state="expired"} 1', 'formula_bot_proposals{state="open"} 2',
        "formula_bot_approvals_waiting 0", "formula_bot_edits_written 3", "formula_bot_edits_left_today 7", 'formula_bot_findings{audit="wrong"} 2', "formula_bot_findings_new 2",
        "formula_bot_paused 1", "formula_bot_audits_could_not_tell 1",
    ]  # fmt: skip
    lines = prometheus(told).splitlines()
    assert [lines[n : n + 2] for n in (0, -3)] == [
        ["# HELP formula_bot_last_run_end_seconds When the last run ended, Unix time.", "# TYPE formula_bot_last_run_end_seconds gauge"],
        ["# HELP formula_bot_audits_could_not_tell Audits that could not tell.", "# TYPE formula_bot_audits_could_not_tell gauge"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ("", "-w '{0}/a b'"), ("{0}/a b/settings.toml", "-w '{0}/a b'"), ("{0}/bot.toml", "-w '{0}/a b' --config {0}/bot.toml"),
    ],
)  # fmt: skip
def test_a_command_names_the_settings_unless_they_are_the_workspace_s_own(
    tmp_path: Path, settings: str, options: str
) -> None:
    workspace: Any = SimpleNamespace(path=tmp_path / "a b")
    given = Settings(path=settings.format(tmp_path))
    assert status_._options(workspace, given) == options.format(tmp_path)


@pytest.mark.parametrize(
    ("queue", "new", "unknown", "steps"),
    [
        ({}, 0, 0, []), ({State.OPEN: 3}, 0, 0, ["decide 3 review serve"]), ({State.SECOND: 2}, 0, 0, ["decide 2 review serve"]),
        ({State.OPEN: 3, State.SECOND: 2, State.WRITTEN: 7}, 0, 0, ["decide 5 review serve"]), ({State.DISPUTED: 1}, 0, 0, ["disputed 1 review list --state disputed"]),
        ({State.APPROVED: 4, State.OPEN: 1}, 6, 2, ["decide 1 review serve", "write 4 write", "findings 6 audit", "unknown 2 doctor"]),
    ],
)  # fmt: skip
def test_each_number_that_waits_has_its_command(
    queue: dict[str, int], new: int, unknown: int, steps: list[str]
) -> None:
    found = status_._next_steps("-w 'a b'", queue, new, [Message("x")] * unknown)
    said = [
        (each.code.removeprefix("next."), each.values["n"], each.values["code_command"].split(" ", 1)[1])
        for each in found
    ]
    assert [f"{code} {n} {command}" for code, n, command in said] == [f"{step} -w 'a b'" for step in steps]
