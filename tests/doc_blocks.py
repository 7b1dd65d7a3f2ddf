"""The fenced blocks of the documents, and a shell that runs what they print in a folder of its own."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cli_runner import call
from forked import run_anew
from platformdirs import user_cache_path

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SHELL = re.compile(r"[|;&<>$`]")
_QUOTED = re.compile(r"""'[^']*'|"[^"$`\\]*"|\s#.*""")  # or a comment
_OURS = re.compile(r"(?:echo '(?P<given>[^']*)' \| )?formula-bot (?P<words>.*?)(?: > (?P<file>[\w.-]+))?")
_FILE = re.compile(r"`([\w./-]+\.(?:py|toml|jsonl))`")

# What a command of the documents runs in: the checkout's program, and no way out of this machine.
_PROGRAM = """#!{python}
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from local_only import local_only
from bot.cli import main
with local_only():
    main()
"""


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    language: str
    text: str
    files: tuple[str, ...]  # files that the paragraph before it names


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        paragraph = text[: fence.start()].rstrip().rpartition("\n\n")[2]
        found.append(Block(page.name, fence[1], fence[2], tuple(_FILE.findall(paragraph))))
    return found


def block(page: str, beginning: str) -> Block:
    """Return the one block of a page that begins so."""
    found = [b for b in blocks(ROOT / page) if b.text.startswith(beginning)]
    assert len(found) == 1, (page, beginning, found)
    return found[0]


@dataclass
class Shell:
    """Runs blocks in a folder. `changes` are put in for what a reader fills in: an id, a port that is free."""

    folder: Path
    changes: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False  # each command in a process of its own

    def __post_init__(self) -> None:
        programs = self.folder / ".programs"
        programs.mkdir()
        program = programs / "formula-bot"
        program.write_text(
            _PROGRAM.format(python=sys.executable, root=str(ROOT), tests=str(ROOT / "tests")), encoding="utf-8"
        )
        program.chmod(0o755)

    def commands(self, block: Block) -> list[str]:
        """Return the commands of a block, continued lines joined."""
        text = self.filled(block).replace("\\\n", " ")
        return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    def filled(self, block: Block) -> str:
        text = block.text
        for printed, ours in self.changes.items():
            text = text.replace(printed, ours)
        return text

    def run(self, command: str) -> str:
        """Return what a command prints; fails where it does not end well. One of ours runs in this process: that is quicker."""
        ours = _OURS.fullmatch(command)
        if ours and not _SHELL.search(_QUOTED.sub("", ours["words"])):
            words = shlex.split(ours["words"].replace(" ~/", f" {self.folder}/"), comments=True)
            given = f"{ours['given']}\n" if ours["given"] else ""
            if not self.apart:
                with pytest.MonkeyPatch.context() as patch:
                    patch.chdir(self.folder)
                    out = call(*words, stdin=given).well().out
                if ours["file"]:
                    (self.folder / ours["file"]).write_text(out, encoding="utf-8")
                return "" if ours["file"] else out
            done = run_anew(["python", "-m", "bot", *words], **self._where(), timeout=240)  # type: ignore[arg-type]
        else:
            done = subprocess.run(self._call(command), **self._where(), capture_output=True, text=True, timeout=240)  # type: ignore[call-overload]
        assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
        return str(done.stdout)

    def run_block(self, block: Block) -> list[str]:
        return [self.run(command) for command in self.commands(block)]

    def serve(self, command: str, announces: str) -> subprocess.Popen[str]:
        """Start what serves until it is interrupted, and wait for the line that it announces itself with."""
        log = self.folder / f"{len(list(self.folder.glob('*.served')))}.served"
        with log.open("w", encoding="utf-8") as out:
            running = subprocess.Popen(
                self._call(f"exec env {command}"), **self._where(), stdout=out, stderr=out, text=True
            )  # type: ignore[call-overload]
        end = time.monotonic() + 240
        while announces not in log.read_text(encoding="utf-8"):
            assert running.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < end, log.read_text(encoding="utf-8")
            time.sleep(0.05)
        return running  # type: ignore[no-any-return]

    def _call(self, command: str) -> Sequence[str]:
        return ["bash", "-euo", "pipefail", "-c", command]

    def _where(self) -> dict[str, object]:
        path = f"{self.folder / '.programs'}:{os.environ['PATH']}"
        here = {"HOME": str(self.folder), "PATH": path, "COLUMNS": "80", "PYWIKIBOT_DIR": "/nonexistent"}
        here["XDG_CACHE_HOME"] = str(user_cache_path())  # readings of the formula list: half a minute to make anew
        return {"cwd": self.folder, "env": {**os.environ, **here, **self.variables}}


def interrupt(running: subprocess.Popen[str]) -> None:
    """Press Ctrl-C and wait for the end."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(60)
    finally:
        running.kill()


def free_port() -> int:
    """Return a port below those that the system gives away by itself, so that no other test's server takes it meanwhile."""
    for port in random.SystemRandom().sample(range(20000, 32000), 100):
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no free port among a hundred")
