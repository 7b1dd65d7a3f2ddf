"""The scheduled run: one settings file, one lock, one log, an exit code; it decides nothing and writes to no wiki."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from cli_runner import CORPUS, ITEMS, SETTINGS, call, count, exports, few_documents, finished, wait_for
from forked import bot

WORK = """
[run]
sources = ["corpus"]
workspace = "w"
items = "items.jsonl"
audits = [{audits}]
"""


def _config(folder: Path, audits: str = '"seeded"', more: str = "") -> Path:
    if not (folder / "corpus").exists():
        few_documents(folder / "corpus")
        shutil.copy(ITEMS, folder / "items.jsonl")
    path = folder / "bot.toml"
    text = WORK.format(audits=audits) + SETTINGS.read_text(encoding="utf-8") + more
    path.write_text(text, encoding="utf-8")
    return path


def _logs(folder: Path) -> list[list[dict[str, Any]]]:
    files = sorted((folder / "logs").iterdir(), key=lambda p: p.stat().st_mtime_ns)
    told = [[json.loads(line) for line in f.read_text(encoding="utf-8").splitlines()] for f in files]
    return [[line for line in log if line["event"] != "heartbeat"] for log in told]  # their number depends on the load


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder after a run in peace, and what it printed; for reading only."""
    folder = tmp_path_factory.mktemp("ran") / "f"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir("/")  # paths count from the settings file
        (figures,) = call("run", "--config", _config(folder), "--json").news().rows
    return folder, figures


@pytest.fixture
def ran(first_run: tuple[Path, dict[str, Any]]) -> Path:
    return first_run[0]


@pytest.fixture
def folder(ran: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to run in again."""
    return Path(shutil.copytree(ran, tmp_path / "f"))


def test_a_run_reads_proposes_audits_and_logs_but_writes_nothing(first_run: tuple[Path, dict[str, Any]]) -> None:
    folder, figures = first_run
    assert figures["discover_documents"] == 9
    assert figures["propose_new_claims"] > 0
    assert Path(figures["report"]).exists()
    (log,) = _logs(folder)
    assert Path(figures["log"]).parent == folder / "logs"
    assert [line["event"] for line in log] == [
        *("start", "discover", "match", "propose", "expire", "audit", "write", "end")
    ]
    assert (log[-1]["outcome"], {line["run"] for line in log}) == ("ok", {log[0]["run"]})
    w = folder / "w"
    assert call("export", "edits", "-w", w).rows == call("export", "decisions", "-w", w).rows == []


def test_a_second_run_changes_nothing_and_has_a_log_of_its_own(tmp_path: Path) -> None:
    config = _config(tmp_path)
    call("run", "--config", config).news()
    before = exports(tmp_path / "w")
    (figures,) = call("run", "--config", config, "--json").well().rows
    assert (figures["propose_new"], figures["propose_changed"], figures["discover_files_read"]) == (0, 0, 0)
    assert exports(tmp_path / "w") == before
    assert len(_logs(tmp_path)) == 2


def test_the_run_finds_the_same_as_its_stages_one_by_one(tmp_path: Path, ran: Path) -> None:
    config = _config(tmp_path)
    w, items = tmp_path / "alone", tmp_path / "items.jsonl"
    call("discover", tmp_path / "corpus", "--items", items, "-w", w, "--config", config).well()
    call("match", "--items", items, "-w", w, "--config", config).well()
    call("propose", "-w", w, "--config", config).well()
    together, alone = exports(ran / "w"), exports(w)
    for table in ("concepts", "matches", "proposals"):
        assert together[table] == alone[table]


def test_the_exit_code_says_whether_anything_is_new(folder: Path, first_run: tuple[Path, dict[str, Any]]) -> None:
    _, first = first_run  # new proposals: exit code 1
    assert (first["audit_new"], first["propose_new"] > 0) == (0, True)
    assert call("run", "--config", folder / "bot.toml").code == 0
    (second,) = call("run", "--config", _config(folder, '"unreferenced"'), "--json").news().rows  # new findings
    assert second["audit_new"] == second["audit_findings"] > 0
    assert second["propose_new"] == 0
    (third,) = call("run", "--config", _config(folder, '"unreferenced"'), "--json").well().rows  # the same ones
    assert (third["audit_new"], third["audit_findings"]) == (0, second["audit_findings"])
    page = Path(third["audit_report"]).read_text(encoding="utf-8")
    assert f"<summary>{second['audit_findings']} known before</summary>" in page


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"audits": '"gravity"'}, ("gravity", "seeded")),
        ({"more": "\n[agent]\nodd = 1"}, ("agent.odd",)),
    ],
)
def test_settings_that_cannot_be_meant_end_it_before_anything(
    tmp_path: Path, change: dict[str, str], words: tuple[str, ...]
) -> None:
    call("run", "--config", _config(tmp_path, **change)).refused(*words)
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("damage", ["no corpus", "empty corpus", "broken corpus", "bad items", "no items"])
def test_what_it_is_to_read_is_looked_at_first_and_the_log_says_why_not(tmp_path: Path, damage: str) -> None:
    config = _config(tmp_path)
    if "corpus" in damage:
        shutil.rmtree(tmp_path / "corpus")
        if damage != "no corpus":
            (tmp_path / "corpus").mkdir()
        if damage == "broken corpus":
            (tmp_path / "corpus" / "a.cnxml").write_bytes((CORPUS / "cnxml" / "m-atoms.cnxml").read_bytes()[:500])
    elif damage == "bad items":
        (tmp_path / "items.jsonl").write_text('{"qid": "Q1"}\n{', encoding="utf-8")
    else:
        (tmp_path / "items.jsonl").unlink()
    call("run", "--config", config).refused(tmp_path / damage.split()[1].replace("items", "items.jsonl"))
    assert not (tmp_path / "w").exists()
    (log,) = _logs(tmp_path)
    assert log[-1]["outcome"] in ("SourceError", "ItemsError")
    assert log[-1]["error"]


def test_without_a_run_table_it_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text("", encoding="utf-8")
    call("run", "--config", tmp_path / "bot.toml").refused("bot.toml", "sources and workspace")
    call("run", "--config", tmp_path / "none.toml").refused("none.toml", "no such")
    call("run").refused("--config", "formula-bot run --help")
    assert not (tmp_path / "logs").exists()


def test_a_second_run_at_the_same_time_ends_at_once(folder: Path) -> None:
    with (folder / "w" / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call("run", "--config", folder / "bot.toml").refused(folder / "w", "in use by")
    assert _logs(folder)[-1][-1]["outcome"] == "WorkspaceError"


def test_a_wiki_that_is_down_is_told_in_the_log_and_by_the_exit_code(tmp_path: Path) -> None:
    config = _config(tmp_path)
    text = config.read_text(encoding="utf-8").replace('items = "items.jsonl"\n', "")
    wiki = '[wiki]\napi = "http://127.0.0.1:9/w/api.php"\nsparql = "http://127.0.0.1:9/sparql"\n'
    config.write_text(text + wiki, encoding="utf-8")
    call("run", "--config", config).refused("http://127.0.0.1:9/", "run again")
    (log,) = _logs(tmp_path)
    assert [line["event"] for line in log] == ["start", "discover", "lookup failed", "audit", "end"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
def test_a_run_that_is_ended_from_outside_goes_on_the_next_time(
    tmp_path: Path, ran: Path, number: signal.Signals, code: int
) -> None:
    config = _config(tmp_path)
    running = bot("run", "--config", config)
    assert wait_for(running, lambda: count(tmp_path / "w" / "bot.db", "sources") >= 3)
    os.killpg(running.pid, number)
    said = finished(running)
    assert said.code == code
    assert "Traceback" not in said.err
    if number == signal.SIGTERM:
        assert _logs(tmp_path)[0][-1]["event"] == "end"
    call("run", "--config", config).news()
    assert exports(tmp_path / "w") == exports(ran / "w")
