"""What each step of a scheduled run keeps, and which exit code all of them together make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import bot.corpus.crawl.run
import bot.corpus.probe
import bot.write
import bot.write.outcome
import bot.write.plan
import bot.write.plan_report
from bot.cli_common import exit_callbacks
from bot.corpus.crawl.run import CrawlSummary
from bot.errors import BotError, LookupFailed, OutOfTime, WriteStopped
from bot.lookup import Client
from bot.messages import Message
from bot.operate import scheduled
from bot.operate.run_history import RunLog
from bot.operate.scheduled import _ScheduledRun
from bot.records import EditOutcome, Finding
from bot.settings import CrawlOrder, Run, Settings, Wiki
from bot.store import Workspace
from bot.write.pause import pause_writing

LATE, AWAY = OutOfTime("time_over", stage="match"), LookupFailed("unanswered")


class Watch:
    """Notes the stages that begin."""

    def __init__(self) -> None:
        self.limited, self.stages = True, list[str]()

    def stage(self, name: str) -> None:
        self.stages.append(name)


@pytest.fixture
def run_of(workspace: Workspace, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that makes a run with some settings; its log is in a folder of its own."""
    logs = ExitStack()

    def make(**changes: Any) -> _ScheduledRun:
        settings = Settings(run=Run(**({"audits": ("wrong",)} | changes)))
        log = logs.enter_context(RunLog(tmp_path / "logs", "run"))
        return _ScheduledRun(workspace, settings, tmp_path, [], log, cast(Any, Watch()), True)

    with logs:
        yield make


def events(run: _ScheduledRun) -> list[dict[str, Any]]:
    """The lines of the log, without time and run."""
    rows = [json.loads(line) for line in run.log.path.read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in row.items() if name not in ("time", "run")} for row in rows]


# -- all steps together


@pytest.mark.parametrize(
    ("ended", "code"),
    [
        ({}, 0),
        ({"new": 1}, 1),
        ({"new": 3}, 1),
        ({"problems": [Message("a"), Message("b")], "new": 1}, 2),
        ({"could_tell": set()}, 2),
        ({"failed": LATE, "new": 1}, 2),
        ({"failed": WriteStopped(Message("stopped.daily_cap", n=1))}, 2),
    ],
)
def test_the_exit_code_says_whether_something_is_new_or_could_not_be_told(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, ended: dict[str, Any], code: int
) -> None:
    run, could_tell = run_of(), ended.pop("could_tell", {"wrong"})
    wiki, done = object(), list[tuple[object, ...]]()

    def audit(of: object) -> set[str]:
        done.append(("audit", of, run.watch.limited, len(exit_callbacks)))
        return cast(set[str], could_tell)

    def fill(of: object) -> None:
        done.append(("fill", of, run.watch.limited, len(exit_callbacks)))
        run.__dict__.update(ended)

    before = len(exit_callbacks)
    monkeypatch.setattr(scheduled, "open_client_or_error", lambda *_: nullcontext(wiki))
    run.__dict__.update(_fill_queue=fill, _audit=audit, _write=lambda of, told: done.append(("write", of, told)))
    outcome = run.run_stages()
    failed = ended.get("failed")
    problems = Message("run.incomplete", problems=tuple(ended["problems"])) if "problems" in ended else None
    assert (outcome.exit_code, outcome.error) == (code, failed.full_message if failed else problems)
    # What an audit takes is not limited, and who ends hard is told of it.
    assert done[:2] == [("fill", wiki, True, before + 1), ("audit", wiki, False, before + 1)]
    assert done[2:] == ([] if failed else [("write", wiki, False)])
    assert (run.watch.limited, len(exit_callbacks), run.log.stage) == (True, before, "")


@pytest.mark.parametrize("opened", [True, False])
def test_a_lookup_that_failed_ends_the_run_after_its_audits(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, opened: bool
) -> None:
    run, done = run_of(), list[str]()
    monkeypatch.setattr(scheduled, "open_client_or_error", lambda *_: nullcontext(object() if opened else AWAY))

    def audit(_: object) -> set[str]:
        done.append("audit")
        return {"wrong"}

    run.__dict__.update(_fill_queue=lambda _: setattr(run, "failed", AWAY), _audit=audit, _write=lambda *_: done.append("write"))  # fmt: skip
    with pytest.raises(LookupFailed) as caught:
        run.run_stages()
    assert caught.value is AWAY
    assert done == ["audit"]


def test_without_a_wiki_nothing_is_written_and_what_could_be_told_decides(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, written = run_of(), list[object]()
    monkeypatch.setattr(scheduled, "open_client_or_error", lambda *_: nullcontext(AWAY))
    run.__dict__.update(_fill_queue=lambda _: None, _audit=lambda _: {"wrong"}, _write=lambda *_: written.append(1))
    assert run.run_stages().exit_code == 0
    assert written == []


@pytest.mark.parametrize(
    ("named", "writes", "audits"),
    [
        (("wrong",), False, ("wrong",)),
        (("wrong",), True, ("wrong", "seeded")),
        (("seeded", "wrong"), True, ("seeded", "wrong")),
        ((), True, ("seeded",)),
        ((), False, ()),
    ],
)
def test_who_writes_looks_first_at_what_was_written(
    run_of: Callable[..., Any], named: tuple[str, ...], writes: bool, audits: tuple[str, ...]
) -> None:
    assert run_of(audits=named, write=writes)._audits() == audits


def test_figures_of_a_step_are_kept_by_its_name_and_in_the_log(run_of: Callable[..., Any]) -> None:
    @dataclass
    class Summary:
        n: int
        files_read: int = 2

    run = run_of()
    run.record("catch up", {"missed": 3})
    run.record("match", Summary(7))
    assert run.figures == {"catch_up_missed": 3, "match_n": 7, "match_files_read": 2}
    assert events(run)[-2:] == [{"event": "catch up", "missed": 3}, {"event": "match", "n": 7, "files_read": 2}]
    run._record_failure("out of time", LATE)
    assert run.failed is LATE
    assert events(run)[-1] == {"event": "out of time", "error": LATE.line()}


def test_the_items_file_lies_beside_the_settings(run_of: Callable[..., Any], tmp_path: Path) -> None:
    assert run_of(items="items.jsonl")._items() == tmp_path / "items.jsonl"
    assert run_of()._items() is None


# -- the crawl


def crawled(
    run: _ScheduledRun, monkeypatch: pytest.MonkeyPatch, made: dict[str, CrawlSummary | BotError]
) -> tuple[tuple[str, ...], list[CrawlOrder]]:
    """What a run reads after a crawl of which each order comes to so much, and the orders as they were given."""
    given = list[CrawlOrder]()

    def crawl(order: CrawlOrder, settings: Settings, *, quiet: bool) -> CrawlSummary:
        given.append(order)
        found = made[Path(order.into).name]
        if isinstance(found, BotError):
            raise found
        return found

    monkeypatch.setattr(bot.corpus.crawl.run, "crawl", crawl)
    probed = list[Sequence[str]]()
    monkeypatch.setattr(bot.corpus.probe, "probe", probed.append)
    found = run._crawl()
    assert probed == [found]
    return found, given


def test_what_was_fetched_is_read_beside_the_sources(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("a", "b", "books/c"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "manifest.jsonl").touch()
    orders = (
        CrawlOrder("http", "a", titles_file="t.txt", query="q.rq"),
        CrawlOrder("http", "b"),
        CrawlOrder("http", "books/c"),  # which is read with its source
        CrawlOrder("http", "d"),  # nothing was fetched there yet
        CrawlOrder("http", "a"),
    )
    run = run_of(sources=("books",), crawl=orders)
    some = CrawlSummary("x", documents=3, fetched=2, unchanged=1, vanished=[("u", Message("a"))], requests=5)
    made: dict[str, CrawlSummary | BotError] = {name: some for name in "abcd"}
    found, given = crawled(run, monkeypatch, made)
    assert found == (str(tmp_path / "books"), str(tmp_path / "a"), str(tmp_path / "b"))
    assert [(each.into, each.titles_file, each.query) for each in given[:2]] == [
        (str(tmp_path / "a"), str(tmp_path / "t.txt"), str(tmp_path / "q.rq")), (str(tmp_path / "b"), "", "")
    ]  # fmt: skip
    assert {name: run.figures[f"crawl_{name}"] for name in ("documents", "fetched", "vanished", "requests")} == {
        "documents": 15, "fetched": 10, "vanished": 5, "requests": 25,
    }  # fmt: skip
    assert "crawl_into" not in run.figures
    assert (run.problems, cast(Any, run.watch).stages) == ([], ["crawl"] * 5)


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (CrawlSummary("a"), None),
        (CrawlSummary("a", unusable=[("u", Message("a"))], forbidden=[("u", Message("a"))]), None),
        (
            CrawlSummary("a", failed=[("u", Message("a"))]),
            "1 document of a could not be fetched: see its manifest.jsonl",
        ),
        (CrawlSummary("a", not_asked=2), "2 documents of a could not be fetched: see its manifest.jsonl"),
        (AWAY, f"a: {AWAY.full_message}"),
    ],
)
def test_a_site_that_did_not_answer_costs_what_is_new_there(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, found: CrawlSummary | BotError, problem: str | None
) -> None:
    run = run_of(sources=("books",), crawl=(CrawlOrder("http", "a"), CrawlOrder("http", "b")))
    crawled(run, monkeypatch, {"a": found, "b": CrawlSummary("b", documents=2)})
    assert [str(each) for each in run.problems] == ([problem] if problem else [])
    assert run.figures["crawl_documents"] == 2
    if found is AWAY:
        assert {"event": "crawl failed", "into": "a", "error": AWAY.line()} in events(run)


def test_without_orders_the_sources_alone_are_read(run_of: Callable[..., Any], tmp_path: Path) -> None:
    assert run_of(sources=("books", "b"))._crawl() == (str(tmp_path / "books"), str(tmp_path / "b"))


# -- writing


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The stage of writing with a plan of two entries of which one edit each is sent; `raises` is how it ends."""
    plan = SimpleNamespace(number_of_edits=2, entries=["a", "b"], refused=[])
    state = SimpleNamespace(plan=plan, raises=None, applied=0, saved=[], reports=0)
    told = {str(each): 0 for each in EditOutcome} | {"refused": 2, "written": 1, "back_to_review": 3}

    def apply(workspace: Workspace, plan: Any, wiki: Any, settings: Settings, *, on_edit: Any) -> None:
        state.applied += 1
        on_edit(SimpleNamespace(qid="Q1"), "written")
        if state.raises:
            raise state.raises

    def report(*_: object) -> None:
        state.reports += 1

    def save(workspace: Workspace, plan: Any, stopped: Message | None, language: str) -> tuple[str, dict[str, int]]:
        state.saved.append((stopped, language))
        return "", told

    def make(*_: object) -> Any:
        if isinstance(state.plan, BotError):
            raise state.plan
        return state.plan

    monkeypatch.setattr(bot.write, "make_plan", make)
    monkeypatch.setattr(bot.write, "apply", apply)
    monkeypatch.setattr(bot.write.plan, "estimated_duration", lambda *_: 0.0)
    monkeypatch.setattr(bot.write.plan_report, "save_report", report)
    monkeypatch.setattr(bot.write.outcome, "save_outcome", save)
    return state


WIKI = cast(Client, SimpleNamespace(wiki=SimpleNamespace(properties=None)))


@pytest.mark.parametrize(
    ("writes", "could_tell", "paused", "live"),
    [
        (True, True, False, True),
        (False, True, False, False),
        (True, False, False, False),
        (True, True, True, False),
    ],
)
def test_a_plan_is_carried_out_where_the_settings_say_so_and_nothing_stands_against_it(
    run_of: Callable[..., Any], writing: Any, workspace: Workspace, writes: bool, could_tell: bool, paused: bool, live: bool
) -> None:  # fmt: skip
    run = run_of(write=writes)
    if paused:
        pause_writing(workspace, Message("pause.removals", n=3, written=9))
    run._write(WIKI, could_tell)
    assert {name: run.figures[f"write_{name}"] for name in ("live", "paused", "planned")} == {
        "live": live, "paused": paused, "planned": 2,
    }  # fmt: skip
    assert (writing.applied, len(writing.saved), writing.reports) == (int(live), int(live), 1)
    assert run.figures.get("write_written") == (1 if live else None)
    assert (run.new, run.failed, run.log.stage) == (5 if live else 0, None, "write")


@pytest.mark.parametrize(("entries", "refused", "applied"), [([], [], 0), (["a"], [], 1), ([], ["a"], 1)])
def test_a_plan_of_nothing_is_not_carried_out(
    run_of: Callable[..., Any], writing: Any, entries: list[str], refused: list[str], applied: int
) -> None:
    run = run_of(write=True)
    writing.plan = SimpleNamespace(number_of_edits=0, entries=entries, refused=refused)
    run._write(WIKI, True)
    assert writing.applied == applied


@pytest.mark.parametrize(
    ("error", "failed", "stopped"),
    [
        (WriteStopped(Message("stopped.daily_cap", n=1)), False, True),
        (WriteStopped(Message("stopped.page", page="x", text="y")), True, True),
        (AWAY, True, False),
    ],
)
def test_the_daily_cap_is_no_failure(
    run_of: Callable[..., Any], writing: Any, error: BotError, failed: bool, stopped: bool
) -> None:
    run = run_of(write=True)
    writing.raises = error
    run._write(WIKI, True)
    assert (run.failed is error) is failed
    assert run.figures.get("write_stopped") == (error.line() if stopped else None)
    assert writing.saved == [(error.full_message if stopped else None, Settings().proposing.report_language)]


@pytest.mark.parametrize(
    ("error", "event"),
    [(AWAY, "lookup failed"), (WriteStopped(Message("stopped.page", page="x", text="y")), "write stopped")],
)
def test_a_plan_that_cannot_be_made_is_a_failure(
    run_of: Callable[..., Any], writing: Any, error: BotError, event: str
) -> None:
    run = run_of(write=True)
    writing.plan = error
    run._write(WIKI, True)
    assert (run.failed, writing.applied, writing.reports) == (error, 0, 0)
    assert events(run)[-1] == {"event": event, "error": error.line()}


@pytest.mark.parametrize(("hours", "later"), [(None, False), (-1, False), (1, True)])
def test_a_run_that_is_due_later_says_when(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, hours: int | None, later: bool
) -> None:
    due = None if hours is None else datetime.now(UTC) + timedelta(hours=hours)
    monkeypatch.setattr("bot.operate.run_history.next_due", lambda workspace, every: due)
    monkeypatch.setattr(scheduled, "open_workspace", lambda *given: nullcontext((workspace, None)))
    found = scheduled._due_later(workspace.path, "settings.toml", Settings())
    assert found == (f"{due:%Y-%m-%dT%H:%M:%SZ}" if later else "")


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (AWAY, AWAY.line()),
        (ValueError("two\nlines"), "ValueError: two lines"),
    ],
)
@pytest.mark.parametrize("own", [None, KeyError("own"), KeyboardInterrupt()])
def test_a_fault_in_sending_notices_is_told_in_a_line_and_does_not_replace_the_runs_own(
    workspace: Workspace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: Exception,
    line: str,
    own: BaseException | None,
) -> None:
    def send(*given: object) -> None:
        raise fault

    monkeypatch.setattr("bot.operate.outbox.send_notices", send)
    with RunLog(tmp_path / "logs", "run") as log:
        caught = None
        try:
            with scheduled._send_notices_afterwards(workspace, Settings(), log):
                if own:
                    raise own
        except BaseException as error:
            caught = error
        events = [json.loads(each) for each in log.path.read_text("utf-8").splitlines()]
    assert caught is own
    told = [] if isinstance(own, KeyboardInterrupt) else [line]
    assert [each["problems"] for each in events if each["event"] == "notification"] == [[each] for each in told]
    assert capsys.readouterr().err == "".join(f"notification: {each}\n" for each in told)


@pytest.mark.parametrize("away", [False, True])
def test_the_audits_of_a_run_count_what_needs_attention_and_who_could_not_tell(
    run_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, away: bool
) -> None:
    findings = [
        Finding("a", "Q1", "error", "w", new=True),
        Finding("a", "Q2", "warning", "w", new=False),
        Finding("a", "Q3", "info", "w", new=True),
        Finding("b", "", "unknown", "w", new=True),
    ]
    drawn: list[Any] = []

    def render(found: object, form: str, *, wiki: object, **more: object) -> str:
        drawn.append((found, form, wiki))
        return "page"

    monkeypatch.setattr("bot.audit.run_audits", lambda *given: findings)
    monkeypatch.setattr("bot.audit.render", render)
    run = run_of(audits=("a", "b"))
    run.__dict__["_audits"] = lambda: ("a", "b")
    run.workspace.reports.mkdir(parents=True, exist_ok=True)
    wiki = Wiki(name="shown")
    assert run._audit(AWAY if away else SimpleNamespace(wiki=wiki)) == {"a"}
    assert drawn == [(findings, "html", run.settings.wiki if away else wiki)]
    page = run.workspace.reports / "audit.html"
    assert (page.read_text("utf-8"), run.figures["audit_report"]) == ("page", str(page))
    figures = {name: run.figures[f"audit_{name}"] for name in ("findings", "new", "unknown")}
    assert (figures, run.new) == ({"findings": 2, "new": 1, "unknown": 1}, 1)
