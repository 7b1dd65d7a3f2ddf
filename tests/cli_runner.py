"""Drive the command line as a person does: in this process where speed counts, in one of its own where kills count."""

from __future__ import annotations

import io
import json
import os
import runpy
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from forked import Forked

from bot.cli import main
from bot.settings import resource

EXAMPLES = resource("examples")
CORPUS, ITEMS, SETTINGS = EXAMPLES / "corpus", EXAMPLES / "items.jsonl", EXAMPLES / "settings.toml"
TABLES = (
    "occurrences",
    "concepts",
    "matches",
    "proposals",
    "symbols",
    "decisions",
    "edits",
    "findings",
    "representations",
)
TIMES = ("time", "first_seen", "added", "created", "seen", "fetched")
FEW = {
    "cnxml": ("m-circuits.cnxml", "m-energy.cnxml", "m-rotation.cnxml"),
    "latexml": ("lecture-fields.html", "lecture-gases.html", "lecture-quanta.html"),
    "wikitext": ("Hookes_law.wiki", "Mass-energy_equivalence.wiki", "Ohms_law.wiki"),
}
STAGES = ("discover", "match", "propose")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    def well(self) -> CommandResult:
        assert self.code == 0, self.err
        return self

    def ended(self, code: int) -> CommandResult:
        assert self.code == code, self.err
        return self

    def news(self) -> CommandResult:
        """Assert that a run ended with something new for a person."""
        assert self.code == 1, self.err
        return self

    def refused(self, *words: object, code: int = 2) -> CommandResult:
        """Assert one clear line: these words in it, no traceback, nothing on standard output."""
        assert self.code == code, (self.code, self.out, self.err)
        lines = [line for line in self.err.splitlines() if line.startswith("formula-bot: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        assert self.out == ""
        for word in words:
            assert str(word) in lines[0]
        return self


def call(*args: object, stdin: str | bytes = b"") -> CommandResult:
    """Run a command in this process."""
    return _here(lambda: main([str(a) for a in args]), stdin)


def run_script(command: Sequence[object], **_: object) -> subprocess.CompletedProcess[str]:
    """Run a Python script with its arguments in this process; takes and returns what `subprocess.run` does."""
    _python, *arguments = map(str, command)
    path = [os.path.dirname(arguments[0]), *sys.path]  # as where a script is run
    with patch.object(sys, "argv", arguments), patch.object(sys, "path", path):
        said = _here(lambda: runpy.run_path(arguments[0], run_name="__main__"))
    return subprocess.CompletedProcess(command, said.code, said.out, said.err)


def _here(work: Callable[[], object], stdin: str | bytes = b"") -> CommandResult:
    _keep_large_indexes()
    out, err = io.StringIO(), io.StringIO()
    given = stdin.encode() if isinstance(stdin, str) else stdin
    before, term = sys.stdin, signal.getsignal(signal.SIGTERM)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            work()
    except SystemExit as end:
        return CommandResult(int(end.code or 0), out.getvalue(), err.getvalue())
    finally:
        sys.stdin = before
        signal.signal(signal.SIGTERM, term)
    return CommandResult(0, out.getvalue(), err.getvalue())


@cache
def _keep_large_indexes() -> None:
    """Leave the index of the built-in list in memory, which a stage gives back: every command would build it anew."""
    from bot.match.retrieval.known_concepts import ConceptIndex

    release = ConceptIndex.release
    ConceptIndex.release = lambda one: None if len(one.entries) > 100 else release(one)  # type: ignore[method-assign]


def environment(seed: int = 0) -> dict[str, str]:
    return {**os.environ, "PYTHONHASHSEED": str(seed), "COLUMNS": "80"}


def process(
    *args: object, stdin: str | bytes = b"", seed: int = 0, program: tuple[str, ...] = ("-m", "bot")
) -> CommandResult:
    """Run a command in a process of its own."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    command = [sys.executable, *program, *map(str, args)]
    done = subprocess.run(command, input=given, capture_output=True, timeout=900, env=environment(seed), check=False)
    return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())


def started(*args: object) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, as a terminal does."""
    command = [sys.executable, "-m", "bot", *map(str, args)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=environment(), start_new_session=True
    )


def finished(running: subprocess.Popen[bytes] | Forked) -> CommandResult:
    out, err = running.communicate(timeout=600)
    assert running.returncode is not None
    return CommandResult(running.returncode, out.decode(), err.decode())


def wait_for(running: subprocess.Popen[bytes] | Forked, moment: Callable[[], bool], most: float = 600.0) -> bool:
    """Poll until the moment has come; False where the command ended before it."""
    end = time.monotonic() + most
    while time.monotonic() < end:
        if moment():
            return True
        if running.poll() is not None:
            return False
        time.sleep(0.005)
    raise AssertionError("the moment did not come")


def count(database: Path, table: str, where: str = "1") -> int:
    """Return how many rows a table has, 0 while there is no database yet."""
    if not database.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)) as db:
            return int(db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def stage(name: str, workspace: Path, corpus: Path = CORPUS) -> tuple[object, ...]:
    """Return the arguments of one of the first three stages on the examples."""
    rest: Mapping[str, tuple[object, ...]] = {
        "discover": (corpus, "--items", ITEMS),
        "match": ("--items", ITEMS),
        "propose": (),
    }
    return (name, *rest[name], "--workspace", workspace, "--config", SETTINGS)


def few_documents(folder: Path) -> Path:
    """Copy three of the examples of each format into a folder: the chain on them takes half the time."""
    for kind in sorted(CORPUS.iterdir()):
        (folder / kind.name).mkdir(parents=True)
        for name in FEW[kind.name]:
            shutil.copy(kind / name, folder / kind.name)
    return folder


def exports(workspace: Path, *leave: str) -> dict[str, list[dict[str, Any]]]:
    """Return every table as exported, without times and the fields named."""
    gone = {*TIMES, *leave}
    return {
        name: [
            {k: v for k, v in row.items() if k not in gone}
            for row in call("export", name, "--workspace", workspace).well().rows
        ]
        for name in TABLES
    }


def dump(workspace: Path) -> str:
    """Return the database as SQL, but for the notes by which an unchanged stage is not run again."""
    with closing(sqlite3.connect(f"file:{workspace / 'bot.db'}?mode=ro", uri=True)) as db:
        return "\n".join(line for line in db.iterdump() if "VALUES('stage:" not in line)


def files(workspace: Path) -> set[str]:
    """Return the names of all files, without the cache and those that SQLite and the lock come and go with."""
    names = {str(p.relative_to(workspace)) for p in workspace.rglob("*") if p.is_file()}
    return {n for n in names if not n.endswith(("-wal", "-shm", "lock", "lookup.db"))}
