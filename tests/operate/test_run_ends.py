"""How a scheduled run begins and ends: the lock first, within its time, one line now and then, old logs removed, runs caught up."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_runner import call
from test_run_writes import RUN
from test_scheduled import _config, _logs

from bot import cli_common, store
from bot.console import progress, use_watcher
from bot.errors import OutOfTime
from bot.operate import doctor, run_history
from bot.operate.run_history import RunLog, RunWatch
from bot.operate.scheduled import scheduled_run
from bot.store import Workspace


class _Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def _told(log: RunLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[RunLog]:
    with RunLog(tmp_path, "run") as opened:
        yield opened


def test_work_ends_between_two_units_when_the_time_is_over(log: RunLog) -> None:
    clock, done = _Clock(), []
    watch = RunWatch(log, 60, minutes=2, clock=clock)
    watch.stage("discover")

    def work() -> None:
        with use_watcher(watch), progress("Reading", 9, quiet=True) as advance:
            for unit in range(9):
                done.append(unit)
                clock.time += 50
                advance(1)

    with pytest.raises(OutOfTime, match="its time is over in discover"):
        work()
    assert done == [0, 1, 2]
    watch.limited = False
    watch.stage("audit")
    watch.limited = True
    with pytest.raises(OutOfTime, match="in write"):
        watch.stage("write")
    with progress("Reading", quiet=True) as advance:  # nobody follows this one
        advance(1)


def test_a_heartbeat_names_stage_and_count_in_a_pipe_and_in_the_log(
    log: RunLog, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = _Clock()
    watch = RunWatch(log, 60, minutes=0, clock=clock)
    watch.stage("discover")
    with use_watcher(watch), progress("Reading", 400, quiet=True) as advance:
        advance(100)
        advance(36)
        clock.time = 90
        watch.report_progress()
    assert capsys.readouterr().err == "run: discover, 2 done (34%), after 1.5 minutes\n"
    line = _told(log)[-1]
    assert (line["event"], line["stage"], line["units"], line["minutes"]) == ("heartbeat", "discover", 2, 1.5)


def test_a_run_out_of_time_still_audits_and_the_next_one_goes_on(tmp_path: Path) -> None:
    config = _config(tmp_path)
    for folder in ("cnxml", "latexml"):
        shutil.rmtree(tmp_path / "corpus" / folder)
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("[run]", "[run]\nminutes = 0.000001"), encoding="utf-8")
    said = call("run", "--config", config, "--json")
    assert (said.code, said.rows[0]["audit_unknown"]) == (2, 0)
    assert "its time is over in discover; the next run goes on there" in said.err
    assert [line["event"] for line in _logs(tmp_path)[0]] == ["start", "out of time", "audit", "end"]
    (told,) = call("status", "--config", config, "--json").rows
    assert (told["runs"][0]["exit_code"], "its time is over" in told["runs"][0]["error"]) == (2, True)
    config.write_text(text, encoding="utf-8")
    call("run", "--config", config).news()


def test_the_lock_is_taken_before_anything_is_fetched(tmp_path: Path) -> None:
    """The order of the crawl leads to a port where nobody answers: a run that asked it would say so."""
    config = tmp_path / "bot.toml"
    (tmp_path / "items.jsonl").write_text('{"qid": "Q1", "label": "x"}\n', encoding="utf-8")
    (tmp_path / "corpus").mkdir()
    crawl = (
        '[[run.crawl]]\nsource = "http"\ninto = "corpus"\nurl = "http://127.0.0.1:9/"\n[agent]\ncontact = "User:A"\n'
    )
    config.write_text(RUN + crawl, encoding="utf-8")
    with Workspace.open(tmp_path / "w") as w, w.lock("run"):
        pass
    with (tmp_path / "w" / "lock").open("w+") as lock:
        lock.write("run (process 17 on somewhere, since 2026-11-20T03:00:00Z)\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        call("run", "--config", config).refused("in use by run (process 17 on somewhere, since 2026-11-20T03:00:00Z)")
    assert [line["event"] for line in _logs(tmp_path)[0]] == ["start", "end"]
    assert (tmp_path / "w" / "lock").read_text().startswith("run (process 17")  # as after a crash: nobody holds it
    with Workspace.open(tmp_path / "w") as w, w.lock("run"):
        assert "since 20" in (tmp_path / "w" / "lock").read_text()
        assert "process 17 " not in (tmp_path / "w" / "lock").read_text()


def test_old_logs_are_removed_and_others_left(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text("")
    for number in range(5):
        (tmp_path / f"2020010{number}T000000Z-00000000-run.jsonl").write_text("")
    with RunLog(tmp_path, "run", keep=3) as log:
        pass
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [
        "20200103T000000Z-00000000-run.jsonl",
        "20200104T000000Z-00000000-run.jsonl",
        log.path.name,
        "notes.jsonl",
    ]


def test_of_runs_in_one_second_the_later_one_is_the_last(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_history.store, "now", lambda: "2026-11-23T21:00:00Z")
    begun = []
    for _ in range(12):
        with RunLog(tmp_path, "run") as log, run_history.record_run(workspace, log.id):
            begun.append(log.id)
    assert {len(each) for each in begun} == {len("20261123T210000Z-00000000")}
    assert [row["id"] for row in run_history.last_runs(workspace, 12)] == begun[::-1]


def test_a_log_on_a_full_disk_ends_no_run(log: RunLog, capsys: pytest.CaptureFixture[str]) -> None:
    with open("/dev/full", "wb", buffering=0) as full:
        os.dup2(full.fileno(), log._file.fileno())  # every write fails from now on
        log.event("match", matched=1)
        log.event("propose", new=1)
    assert capsys.readouterr().err.count("cannot be written") == 1


def test_a_run_that_ends_hard_says_so_in_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that computes for longer than a stop may take: the last line comes from the thread that ends the process."""
    from bot.match.blocks import concept_views

    def look(*args: object) -> None:
        for call_ in cli_common.exit_callbacks:
            call_()
        raise KeyboardInterrupt

    monkeypatch.setattr(concept_views, "ConceptViews", look)
    with pytest.raises(KeyboardInterrupt):
        scheduled_run(_config(tmp_path), quiet=True)
    (log,) = _logs(tmp_path)
    assert [(line["event"], line.get("stage")) for line in log[-2:]] == [("end", "match"), ("end", "match")]
    assert log[-2]["outcome"] == "Terminated"
    assert cli_common.exit_callbacks == []


def _ran(workspace: Workspace, id_: str, started: str, code: int | None) -> None:
    ended = started if code is not None else ""
    row = {"id": id_, "started": started, "ended": ended, "exit_code": code, "message": None, "figures": {}}
    with workspace.engine.begin() as db:
        db.execute(store.runs.insert().values(**row))


@pytest.mark.parametrize(("hours_ago", "missed"), [(24, 0), (25, 0), (35, 0), (37, 1), (73, 2), (24 * 10, 9)])
def test_runs_that_were_missed_are_counted(tmp_path: Path, hours_ago: int, missed: int) -> None:
    with Workspace.open(tmp_path / "w") as w:
        now = datetime(2026, 5, 20, 3, tzinfo=UTC)
        assert run_history.number_missed(w, 24, now) == 0  # the first one
        _ran(w, "a", "2026-05-01T00:00:00Z", 0)
        started = datetime.fromtimestamp(now.timestamp() - 3600 * hours_ago, UTC)
        _ran(w, "b", f"{started:%Y-%m-%dT%H:%M:%SZ}", 0)
        assert run_history.number_missed(w, 24, now) == missed


@pytest.mark.parametrize(
    ("code", "due"), [(0, "2026-05-02 02:31"), (1, "2026-05-02 02:31"), (2, None), (70, None), (None, None)]
)
def test_a_run_is_due_a_day_after_a_good_one_and_at_once_after_a_bad_one(
    tmp_path: Path, code: int | None, due: str | None
) -> None:
    with Workspace.open(tmp_path / "w") as w:
        _ran(w, "a", "2026-05-01T03:00:00Z", code)
        found = run_history.next_due(w, 24)
    assert (f"{found:%Y-%m-%d %H:%M}" if found else None) == due


def test_a_run_by_a_clock_that_was_years_ahead_is_not_the_last_one(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    with Workspace.open(tmp_path / "w") as w:
        _ran(w, "ahead", store.stamp(now + timedelta(days=1000)), 0)
        assert run_history.next_due(w, 24) is None
        _ran(w, "right", store.stamp(now - timedelta(days=3)), 0)
        assert [row["id"] for row in run_history.last_runs(w)] == ["right"]
        assert run_history.number_missed(w, 24, now) == 2


def test_a_run_that_is_not_due_does_nothing(tmp_path: Path) -> None:
    config = _config(tmp_path)
    with Workspace.open(tmp_path / "w") as w:
        _ran(w, "a", store.now(), 0)
    said = call("run", "--config", config, "--if-due", "--json").well()
    assert list(said.rows[0]) == ["due"]
    assert not (tmp_path / "logs").exists()


def test_a_run_that_is_going_on_is_no_failure_for_a_schedule_that_asks_every_hour(tmp_path: Path) -> None:
    config = _config(tmp_path)
    with Workspace.open(tmp_path / "w") as w:
        _ran(w, "a", store.now(), None)
        with w.lock("run"):
            said = call("run", "--config", config, "--if-due", "--json").well()
            call("run", "--config", config).refused("is in use by run")
        assert run_history.next_due(w, 24) is None  # it was killed
        assert list(said.rows[0]) == ["due"]
        w.change(store.runs.delete())
        _ran(w, "b", "2026-05-01T03:00:00Z", None)
        with w.lock("run"):  # for longer than there should be between two runs
            call("run", "--config", config, "--if-due").refused("is in use by run")


def test_logs_that_cannot_be_kept_are_said_in_one_line(tmp_path: Path) -> None:
    config = _config(tmp_path)
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("[run]", '[run]\nlogs = "items.jsonl"', 1), encoding="utf-8")
    call("run", "--config", config).refused("items.jsonl: cannot be made (File exists); choose another place")


def test_a_run_of_a_shared_database_that_is_not_due_does_nothing_either(tmp_path: Path) -> None:
    config, database = _config(tmp_path), f"sqlite:///{tmp_path / 'shared.db'}"
    config.write_text(f'database = "{database}"\n{config.read_text(encoding="utf-8")}', encoding="utf-8")
    with Workspace.open(tmp_path / "w", database=database) as w:
        _ran(w, "a", store.now(), 0)
    assert list(call("run", "--config", config, "--if-due", "--json").well().rows[0]) == ["due"]


def test_a_run_makes_up_for_missed_ones_and_names_the_one_that_was_killed(tmp_path: Path) -> None:
    config = _config(tmp_path)
    shutil.rmtree(tmp_path / "corpus")
    with Workspace.open(tmp_path / "w") as w:
        _ran(w, "a", "2026-05-01T00:00:00Z", None)
    call("run", "--config", config).refused("corpus")
    with Workspace.open(tmp_path / "w") as w:
        new, old = run_history.last_runs(w)
    assert (run_history.stored_error(old), old["ended"]) == (run_history.KILLED, "")
    assert (new["exit_code"], "corpus" in str(run_history.stored_error(new))) == (
        2,
        True,
    )  # what is wrong with the settings is kept too


LIVE = """
[run]
sources = ["corpus"]
workspace = "w"
{run}
[agent]
contact = "{contact}"
[wiki]
name = "here"
api = "http://{host}/w/api.php"
[notify]
{notify}
"""


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"contact": "", "host": "wiki.example"}, "agent.contact is empty: wiki.example is not asked"),
        ({"run": 'write = true'}, "run.write is true, and"),
        ({"notify": 'operators = ["ada"]'}, "'ada' is not an e-mail address"),
        ({"notify": 'operators = ["ada@example.org"]'}, "needs smtp_host and sender"),
        ({"notify": 'webhook = "http://example.org/x"'}, "neither on HTTPS nor on this machine"),
        ({"notify": 'smtp_security = "ssl"'}, "notify.smtp_security is 'ssl'; known: starttls"),
        ({"notify": 'smtp_security = "none"\nsmtp_host = "mail.example.org"'}, "none for another machine"),
        ({"notify": 'smtp_user = "bot"'}, "no password; put it into FORMULA_BOT_SMTP_PASSWORD"),
        ({"notify": 'language = "xx"'}, "no catalogue for 'xx'"),
        ({"notify": '[[notify.reviewers]]\nemail = "ada@example.org"'}, "ada@example.org has no name"),
    ],
)  # fmt: skip
def test_what_would_end_a_run_late_is_said_before_its_first_stage(
    tmp_path: Path, given: dict[str, str], words: str
) -> None:
    config = _config(tmp_path)
    values = {"run": "", "contact": "User:Ada", "host": "127.0.0.1:9", "notify": "", **given}
    config.write_text(LIVE.format(**values), encoding="utf-8")
    call("run", "--config", config).refused(words)
    assert not (tmp_path / "w").exists()
    assert _logs(tmp_path)[0][-1]["outcome"] in ("SettingsError", "WorkspaceError")


def test_a_disk_without_room_is_said_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_MIN_FREE_FOR_RUN", 1 << 62)
    call("run", "--config", _config(tmp_path)).refused("MiB free", "make room")
    assert not (tmp_path / "w").exists()
