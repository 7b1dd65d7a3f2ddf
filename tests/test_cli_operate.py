"""Commands of an operator: what they print, where they write, and with which code they end."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_runner import call

from bot import cli_operate
from bot.errors import BotError
from bot.messages import Message, uncoded_message
from bot.operate import doctor, scheduled, status
from bot.operate.status import CrawlStatus, RunStatus, WorkspaceStatus
from bot.store import Workspace


@pytest.fixture
def config(workspace: Workspace) -> Path:
    path = Path(workspace.path).parent / "bot.toml"
    path.write_text('[run]\nsources = ["corpus"]\nworkspace = "workspace"\n', encoding="utf-8")
    return path


def test_writing_is_paused_and_resumed_with_a_reason_that_status_shows(config: Path, tmp_path: Path) -> None:
    assert "Writing is paused" not in call("status", "--config", config).well().out
    call("pause", "--config", config, "--reason", "wrong item").well()
    paused = call("status", "--config", config, "--prometheus", tmp_path / "f.prom").well().out
    assert "wrong item" in paused
    assert "formula_bot_paused 1" in (tmp_path / "f.prom").read_text(encoding="utf-8")
    assert "wrong item" in json.dumps(json.loads(call("status", "-w", tmp_path / "workspace", "--json").well().out))
    call("resume", "--config", config, "--reason", "seen").well()
    assert "wrong item" not in call("status", "--config", config).well().out
    call("status").refused("workspace")


SHOWN = WorkspaceStatus(
    runs=(
        RunStatus("1", "2026-01-02T03", "2026-01-02T04", 0, ""),
        RunStatus("2", "2026-01-03T03", "", None, Message("stopped.another")),
        RunStatus("3", "2026-01-04T03", "", None, ""),
    ),
    crawls=(CrawlStatus("arxiv", "corpus", 7, 8, "2026-01-05T01"), CrawlStatus("web", "pages", 9, 10, "")),
    paused="", documents=11, concepts=12, queue={"open": 13}, approvals_waiting=14, edits_written=15, edits_last_day=16, edits_left=17,
    findings={"shared": 18, "invalid": 2}, findings_new=19, could_not_tell=(uncoded_message("nobody knows"),), survival=(uncoded_message("all survived"),), next_steps=(),
)  # fmt: skip


def test_status_shows_crawls_runs_figures_and_what_is_next(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "status", lambda opened, settings: SHOWN)
    shown = [" ".join(line.split()) for line in call("status", "--config", config).well().out.splitlines()]
    for line in (
        "2026-01-02T03 2026-01-02T04 0", "2026-01-03T03 no end another process writes with this account", "2026-01-04T03 still running, or killed",
        "arxiv corpus 7 8 2026-01-05T01", "web pages 9 10 never", "open 13", "documents 11", "edits of the last 24 hours 16", "findings 20", "nobody knows", "all survived", "nothing is waiting",
    ):  # fmt: skip
        assert line in shown
    monkeypatch.setattr(status, "status", lambda opened, settings: replace(SHOWN, crawls=(), next_steps=(uncoded_message("do it"),)))  # fmt: skip
    shown = [line.strip() for line in call("status", "--config", config).well().out.splitlines()]
    assert "do it" in shown
    assert not any("folder" in line for line in shown)


@pytest.mark.parametrize(
    ("states", "code"), [(("ok", "warn"), 0), (("ok", "unknown"), 2), (("unknown", "fail"), 1), ((), 0)]
)
def test_doctor_ends_with_what_its_checks_found(
    config: Path, monkeypatch: pytest.MonkeyPatch, states: tuple[str, ...], code: int
) -> None:
    checks = [doctor.HealthCheck(f"check {n}", state, uncoded_message(f"what {n}")) for n, state in enumerate(states)]  # type: ignore[arg-type]
    monkeypatch.setattr(cli_operate, "open_client_or_error", lambda opened, settings: nullcontext())
    monkeypatch.setattr(doctor, "examine", lambda opened, settings, wiki: checks)
    text = call("doctor", "--config", config).ended(code).out
    assert all(f"what {n}" in text for n in range(len(states)))
    rows = json.loads(call("doctor", "--config", config, "--json").ended(code).out)["checks"]
    assert [row["state"] for row in rows] == [*states]


def test_a_run_ends_with_its_figures_its_code_and_why_it_failed(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def run(config: str, **how: Any) -> scheduled.Outcome:
        asked.append(how)
        return scheduled.Outcome({"proposals": 3}, 2, Message("stopped.another") if how["if_due"] else None)

    monkeypatch.setattr(scheduled, "scheduled_run", run)
    ended = call("run", "--config", config, "--json").ended(2)
    assert (json.loads(ended.out)["proposals"], ended.err) == (3, "")
    call("run", "--config", config, "--if-due").ended(2).err.index("another process writes")
    assert asked == [{"quiet": True, "if_due": False}, {"quiet": False, "if_due": True}]


def test_files_of_a_scheduler_are_printed_or_written(config: Path, tmp_path: Path) -> None:
    printed = call("deploy", "cron", "--config", config).well().out
    (named,) = call("deploy", "cron", "--config", config, "--into", tmp_path).well().out.splitlines()
    assert Path(named).parent == tmp_path
    assert Path(named).read_text(encoding="utf-8").strip() == printed.strip()
    call("deploy", "cron", "--config", config, "--into", tmp_path / "none").refused("--into", tmp_path / "none")


def test_queries_are_listed_and_one_is_filled_in() -> None:
    rows = json.loads(call("query", "--json").well().out)["queries"]
    assert {"lookup_classes"} <= {row["name"] for row in rows}
    assert "lookup_classes" in call("query").well().out
    filled = call("query", "lookup_classes", "--set", "items=Q11412,Q35875").well().out
    assert "wd:Q11412 wd:Q35875" in filled
    told = json.loads(call("query", "lookup_classes", "--set", "items=Q11412,Q35875", "--json").well().out)
    assert filled == f"# {told['purpose']}\n{told['query']}\n"
    call("query", "lookup_classes", "--set", "items").refused("--set items")
    call("query", "none").refused("none")


def test_an_error_of_the_wiki_is_one_of_the_checks(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_operate, "open_client_or_error", lambda opened, settings: nullcontext(BotError("no_wiki")))
    assert call("doctor", "--config", config, "--json").code == 1
