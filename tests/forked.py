"""Processes of their own that need not import everything anew, which takes a second of each start.

They are copies of a server that has loaded the bot and never run it: it has one thread, so that no lock can be held in a copy.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO, Any

from local_only import local_only

# pywikibot is not among what is loaded: it reads its settings at import.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    "__main__ bot.cli bot.discover.run bot.match.stage bot.operate.scheduled bot.propose.run bot.sandbox bot.write pytest hypothesis".split()
)


class Forked:
    """Runs a Python script, or `-m bot` with its arguments, in a process group of its own. Used like `subprocess.Popen`."""

    def __init__(
        self, command: Sequence[object], cwd: object = None, env: Mapping[str, str] | None = None, input: str = ""
    ) -> None:
        _python, *arguments = map(str, command)
        self._command = command
        self._files = [tempfile.NamedTemporaryFile() for _ in range(3)]  # noqa: SIM115, closed by `communicate`
        self._files[0].write(input.encode())
        self._files[0].flush()
        names = [file.name for file in self._files]
        where = (str(cwd or os.getcwd()), dict(os.environ if env is None else env))
        self._process = PROCESSES.Process(target=_run, args=(names, *where, arguments))
        self._process.start()
        assert self._process.pid
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()  # does nothing where it has ended

    def communicate(self, timeout: float = 600) -> tuple[bytes, bytes]:
        """Wait for the end and return what was printed."""
        self._process.join(timeout)
        if late := self._process.is_alive():
            self.kill()
            self._process.join()
        _, out, err = map(_whole, self._files)
        if late:
            raise subprocess.TimeoutExpired(list(map(str, self._command)), timeout, out, err)
        return out, err


def _run(names: Sequence[str], cwd: str, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
    """Be the command: called in the new process."""
    os.setsid()
    for number, name in enumerate(names):
        os.dup2(os.open(name, os.O_RDWR), number)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    with local_only():
        if list(arguments[:2]) == ["-m", "bot"]:
            from bot.cli import main

            main(arguments[2:])
        sys.argv = list(arguments)
        sys.path.insert(0, os.path.dirname(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")


def _whole(file: IO[bytes]) -> bytes:
    with file:
        file.seek(0)
        return file.read()


def bot(*args: object) -> Forked:
    """Start a command of the bot."""
    return Forked(["python", "-m", "bot", *args], env={**os.environ, "COLUMNS": "80"})


def run_anew(
    command: Sequence[object],
    cwd: object = None,
    env: Mapping[str, str] | None = None,
    input: str = "",
    timeout: float = 900,
    **_: Any,
) -> subprocess.CompletedProcess[str]:
    """Take and return what `subprocess.run` does."""
    running = Forked(command, cwd, env, input)
    out, err = running.communicate(timeout)
    assert running.returncode is not None
    return subprocess.CompletedProcess(command, running.returncode, out.decode(), err.decode())
