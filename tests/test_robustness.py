"""Killed, interrupted, run twice, run with another hash seed: the result is that of an undisturbed run, nothing twice.

The commands run in processes of their own; a test watches the database or the folder and kills at a moment it chose.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_runner import (
    CORPUS,
    ITEMS,
    STAGES,
    TABLES,
    CommandResult,
    call,
    count,
    dump,
    exports,
    few_documents,
    files,
    finished,
    process,
    stage,
    wait_for,
)
from forked import Forked, bot

from bot.sandbox import Sandbox

Exports = dict[str, list[dict[str, Any]]]
CHAIN = """
import json, sys
from bot.cli import main
for stage in json.loads(sys.argv[1]):
    try:
        main(stage)
    except SystemExit as end:
        assert not end.code
"""  # several commands in one process
REPORTS = ("dry-run.html", "dry-run.jsonl", "dry-run.quickstatements.csv", "dry-run.wikitext")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some of the examples, twice over."""
    folder = tmp_path_factory.mktemp("corpus")
    for copy in ("spring", "autumn"):
        few_documents(folder / copy)
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Articles long enough that they are read in processes of their own."""
    folder = tmp_path_factory.mktemp("large")
    prose = "It was a fine day, and nobody thought of physics at all. " * 60 + "\n\n"
    for n, path in enumerate(sorted((CORPUS / "wikitext").iterdir()) * 2):
        text = path.read_text(encoding="utf-8")
        (folder / f"{n:02}-{path.name}").write_text(text + prose * 30, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def discovered(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    """A workspace after discovery; to be copied."""
    path = tmp_path_factory.mktemp("discovered") / "w"
    call(*stage("discover", path, corpus)).well()
    return path


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory, discovered: Path) -> Path:
    """A workspace after matching; to be copied."""
    path = _copied(discovered, tmp_path_factory.mktemp("matched"))
    call(*stage("match", path)).well()
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, matched: Path) -> Path:
    """A workspace in which every stage ran once and in peace, with everything approved; for reading only."""
    path = _copied(matched, tmp_path_factory.mktemp("undisturbed"))
    call(*stage("propose", path)).well()
    call("review", "add-reviewer", "Ada", "-w", path).well()
    rows = call("review", "list", "--json", "-w", path).well().rows
    call("review", "approve", *(row["id"] for row in rows), "-w", path).well()
    return path


@pytest.fixture(scope="module")
def expected(undisturbed: Path) -> Exports:
    """What the undisturbed workspace exports, without what decisions make of it."""
    return _without_decisions(exports(undisturbed, "not"))


@pytest.fixture(scope="module")
def said_of(discovered: Path, matched: Path) -> dict[Path, Exports]:
    """What the workspaces after the first two stages export."""
    return {path: exports(path, "not") for path in (discovered, matched)}


def _killed(moment: Callable[[], bool], *args: object) -> bool:
    """Start a command, kill it at a moment with SIGKILL, and wait until its whole process group is gone."""
    running = bot(*args)
    came = wait_for(running, moment)
    running.kill()
    running.communicate()
    _gone(running)
    return came


def _gone(running: Forked) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("processes of a killed command go on")


def _after(seconds: float) -> Callable[[], bool]:
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def _sources(path: Path, n: int) -> Callable[[], bool]:
    return lambda: count(path / "bot.db", "sources") >= n


# Twice


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="all stages four times; FORMULA_BOT_LONG=1")
def test_the_whole_chain_twice_changes_nothing_whatever_the_hash_seed(tmp_path: Path) -> None:
    corpus = few_documents(tmp_path / "c")

    def said(path: Path) -> tuple[object, ...]:
        return exports(path), {name: (path / "reports" / name).read_bytes() for name in REPORTS}, files(path)

    there, here = tmp_path / "a", tmp_path / "b"
    stages = [[str(word) for word in stage(name, there, corpus)] for name in STAGES]
    process(json.dumps(stages), program=("-c", CHAIN), seed=2 if os.environ.get("PYTHONHASHSEED") == "1" else 1).well()
    first = said(there)
    for path in (here, there):  # with the seed of this process
        for name in STAGES:
            call(*stage(name, path, corpus)).well()
        assert said(path) == first


def test_after_writing_the_chain_proposes_only_further_sources_once_and_writes_nothing(
    tmp_path: Path, undisturbed: Path
) -> None:
    w = _copied(undisturbed, tmp_path)
    call("write", "--live", "-w", w).well()
    edits, said = exports(w)["edits"], _wiki(w)
    for first in (True, False):
        call("match", "-w", w).well()
        (summary,) = call("propose", "-w", w, "--json").well().rows
        assert (summary["new_claims"], summary["new"]) == (0, summary["add_references"] if first else 0)
        rows = call("export", "proposals", "-w", w).rows
        assert {r["kind"] for r in rows if r["claim"]} == {"add_reference"}
        listed = call("review", "list", "-w", w, "--json").well().rows
        assert {r["id"] for r in listed} == {r["id"] for r in rows if r["claim"]}
        assert "planned 0" in call("write", "--live", "-w", w).well().out
        assert (exports(w)["edits"], _wiki(w)) == (edits, said)


# Killed


@pytest.mark.parametrize("share", [0.0, 0.6, 1.0])
def test_discover_killed_while_reading_or_naming(
    tmp_path: Path, corpus: Path, discovered: Path, said_of: dict[Path, Exports], share: float
) -> None:
    w = tmp_path / "w"
    total = count(discovered / "bot.db", "sources")
    moment = _sources(w, round(share * total)) if share else (lambda: (w / "bot.db").exists())
    assert _killed(moment, *stage("discover", w, corpus))
    call(*stage("discover", w, corpus)).well()
    _same(w, discovered, said_of[discovered])


def test_discover_killed_with_reading_processes_leaves_none_of_them(tmp_path: Path, large: Path) -> None:
    peace = tmp_path / "peace"
    args = ("discover", large, "--json", "-w")
    for number in range(4):  # on a busy machine all files may have been read before the kill
        w = tmp_path / f"w{number}"
        assert _killed(_sources(w, 3), *args, w)
        (again,) = call(*args, w).well().rows
        if again["files_read"]:
            break
    assert 3 <= again["files_reused"] < again["files_reused"] + again["files_read"] == 32
    call(*args, peace).well()
    assert exports(w) == exports(peace)
    assert files(w) == files(peace)


@pytest.mark.parametrize("moment", ["filling", "filled", "weighing", "storing"])
def test_match_killed_while_filling_or_matching(
    tmp_path: Path, discovered: Path, matched: Path, said_of: dict[Path, Exports], moment: str
) -> None:
    w = _copied(discovered, tmp_path)
    moments: dict[str, Callable[[], bool]] = {
        "filling": lambda: any(w.glob("sandbox.db.new-*")),
        "filled": lambda: (w / "sandbox.db").exists(),
        "weighing": lambda: count(w / "bot.db", "meta", "key = 'world'") > 0,
        "storing": lambda: count(w / "bot.db", "matches") > 0,
    }
    _killed(moments[moment], *stage("match", w))
    call(*stage("match", w)).well()
    _same(w, matched, said_of[matched])


@pytest.mark.parametrize("moment", ["early", "queue", "report"])
def test_propose_killed(tmp_path: Path, matched: Path, undisturbed: Path, expected: Exports, moment: str) -> None:
    w = _copied(matched, tmp_path)
    moments: dict[str, Callable[[], bool]] = {
        "early": _after(0.1),
        "queue": lambda: count(w / "bot.db", "proposals") > 0,
        "report": lambda: any((w / "reports").iterdir()),
    }
    _killed(moments[moment], *stage("propose", w))
    call(*stage("propose", w)).well()
    _same(w, undisturbed, expected)
    for name in REPORTS[1:]:
        assert (w / "reports" / name).read_bytes() == (undisturbed / "reports" / name).read_bytes()


def test_live_writing_killed_again_and_again_writes_everything_once(tmp_path: Path, undisturbed: Path) -> None:
    peace = Path(shutil.copytree(undisturbed, tmp_path / "peace"))
    call("write", "--live", "-w", peace).well()
    w = _copied(undisturbed, tmp_path)
    kills = 0
    for rows in (1, 4, 9):
        kills += _killed(lambda n=rows: count(w / "bot.db", "edits") >= n, "write", "--live", "-w", w)
    sent = lambda: count(w / "bot.db", "edits", "outcome = 'pending'") > 0  # noqa: E731
    kills += _killed(sent, "write", "--live", "-w", w)
    assert kills == 4
    call("write", "--live", "-w", w).well()
    assert "planned 0" in call("write", "--live", "-w", w).well().out
    assert _wiki(w) == _wiki(peace)
    names = ("proposal", "qid", "guid", "outcome", "payload")
    told = [sorted(([e[n] for n in names] for e in exports(p)["edits"]), key=str) for p in (w, peace)]
    assert told[0] == told[1]


def test_undo_killed_takes_everything_back_once(tmp_path: Path, undisturbed: Path) -> None:
    w = _copied(undisturbed, tmp_path)
    before = _wiki(w)
    call("write", "--live", "-w", w).well()
    group = call("export", "edits", "-w", w).rows[0]["group"]
    assert _killed(lambda: count(w / "bot.db", "edits", "undo <> ''") >= 2, "undo", "--group", group, "-w", w)
    call("undo", "--group", group, "-w", w).well()
    assert _wiki(w) == before
    undone = [e["undo"] for e in call("export", "edits", "-w", w).rows]
    assert all(undone)
    # The one whose answer was lost is found gone; all others say their revision.
    assert sum(not u.startswith("undone") for u in undone) <= 1


# Interrupted


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_says_one_line_and_goes_on_later(
    tmp_path: Path, large: Path, number: signal.Signals, code: int
) -> None:
    w = tmp_path / "w"
    running = bot("discover", large, "-w", w)
    assert wait_for(running, _sources(w, 3))
    os.killpg(running.pid, number)  # Ctrl-C reaches the whole group
    said = finished(running)
    _gone(running)
    _one_line(said, code)
    (again,) = call("discover", large, "-w", w, "--json").well().rows
    assert again["files_reused"] >= 3
    assert again["documents"] == 32


@pytest.mark.parametrize("name", ["match", "write"])
def test_other_commands_are_interrupted_in_one_line_too(tmp_path: Path, undisturbed: Path, name: str) -> None:
    w = _copied(undisturbed, tmp_path)
    args = ("write", "--live") if name == "write" else ("match",)
    before = _time((w / "lock").stat())
    running = bot(*args, "-w", w)
    ready = (
        (lambda: count(w / "bot.db", "edits") > 1) if name == "write" else (lambda: _time((w / "lock").stat()) > before)
    )
    assert wait_for(running, ready)
    os.killpg(running.pid, signal.SIGINT)
    _one_line(finished(running), 130)
    call(*args, "-w", w).well()
    assert len(_wiki(w)) > 0


def _time(stat: os.stat_result) -> int:
    return stat.st_mtime_ns


def _one_line(said: CommandResult, code: int) -> None:
    assert said.code == code, said.err
    lines = [line for line in said.err.splitlines() if not line.endswith(": done")]
    assert lines == ["formula-bot: interrupted; finished work is kept, run it again to continue"]


# Bits


def _copied(workspace: Path, folder: Path) -> Path:
    return Path(shutil.copytree(workspace, folder / "w"))


def _without_decisions(found: Exports) -> Exports:
    return {**found, "representations": [row for row in found["representations"] if not row["reviewer"]]}


def _same(w: Path, undisturbed: Path, expected: Exports) -> None:
    ours = _without_decisions(exports(w, "not"))
    for table in TABLES:
        if table != "decisions":
            assert ours[table] == expected[table], table
    parts = {name for name in files(undisturbed) if name.startswith("occurrences")}
    assert {name for name in files(w) if name.startswith("occurrences")} == parts
    assert not [name for name in files(w) if "new-" in name or name.endswith((".tmp", ".part"))]


def _wiki(w: Path) -> dict[str, Any]:
    """Return what every item of the rehearsal wiki says, without revisions."""
    qids = [json.loads(line)["qid"] for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    sandbox = Sandbox(w / "sandbox.db")
    try:
        return {qid: (sandbox.entity(qid) or {}).get("claims") for qid in qids}
    finally:
        sandbox.close()


def test_a_dump_tells_two_databases_apart(undisturbed: Path) -> None:
    assert "CREATE TABLE" in dump(undisturbed)
