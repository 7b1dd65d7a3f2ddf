"""A process of its own that begins as a copy of this one, so that it need not import everything anew: that takes a second of each start."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from local_only import local_only

from bot import cli_common
from bot.cli import main

# Processes of their own that need not import all that again; pywikibot is not among it: it reads its settings at import.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(
    ["__main__", "bot.cli", "bot.write", "bot.sandbox", "bot.operate.scheduled", "pytest", "hypothesis"]
)


class Forked:
    """Runs a function in a process group of its own; what it prints goes to files. Used like `subprocess.Popen`."""

    def __init__(
        self, work: Callable[[], object], cwd: object = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._out, self._err = (tempfile.TemporaryFile() for _ in range(2))  # noqa: SIM115, closed by `communicate`
        self.returncode: int | None = None
        self.pid = os.fork()
        if not self.pid:
            _child(work, (self._out, self._err), str(cwd or os.getcwd()), environment or {})

    def poll(self) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:  # else its number may be another's by now
            os.kill(self.pid, signal.SIGKILL)

    def communicate(self, timeout: float = 600) -> tuple[bytes, bytes]:
        """Wait for the end and return what was printed."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                self.kill()
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.005)
        return _whole(self._out), _whole(self._err)


def _child(work: Callable[[], object], files: Sequence[IO[bytes]], cwd: str, environment: Mapping[str, str]) -> None:
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        cli_common._watched.cache_clear()  # its pipe is read in the process that this is a copy of
        _ready([os.open(os.devnull, os.O_RDONLY), *(file.fileno() for file in files)], cwd, environment)
        work()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _ready(files: Sequence[int], cwd: str, environment: Mapping[str, str]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
    os.chdir(cwd)
    os.environ.update(environment)


def _whole(file: IO[bytes]) -> bytes:
    with file:
        file.seek(0)
        return file.read()


def bot(*args: object) -> Forked:
    """Start a command of the bot."""
    return Forked(lambda: main([str(each) for each in args]), environment={"COLUMNS": "80"})


def run_script(command: Sequence[object], cwd: object = None, **_: Any) -> subprocess.CompletedProcess[str]:
    """Run a Python script with its arguments; takes and returns what `subprocess.run` does."""
    _python, *arguments = map(str, command)
    running = Forked(lambda: _python_with(arguments), cwd)
    out, err = running.communicate(900)
    return subprocess.CompletedProcess(command, running.returncode or 0, out.decode(), err.decode())


def run_anew(
    command: Sequence[object],
    cwd: object = None,
    env: Mapping[str, str] | None = None,
    input: str = "",
    timeout: float = 600,
    **_: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a Python script, or `-m bot` with its arguments, in a copy of a process that has loaded the bot and never run it, nor pywikibot.

    Takes and returns what `subprocess.run` does.
    """
    _python, *arguments = map(str, command)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.NamedTemporaryFile()) for _ in range(3)]
        files[0].write(input.encode())
        files[0].flush()
        names = [file.name for file in files]
        process = PROCESSES.Process(
            target=_with_files, args=(names, str(cwd or os.getcwd()), dict(env or os.environ), arguments)
        )
        process.start()
        process.join(timeout)
        code = process.exitcode
        if code is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(map(str, command)), timeout)
        return subprocess.CompletedProcess(command, code, *(file.read().decode() for file in files[1:]))


def _with_files(names: Sequence[str], cwd: str, environment: Mapping[str, str], arguments: Sequence[str]) -> None:
    _ready([os.open(name, os.O_RDWR) for name in names], cwd, environment)
    with local_only():
        _python_with(arguments)


def _python_with(arguments: Sequence[str]) -> None:
    if list(arguments[:2]) == ["-m", "bot"]:
        main(arguments[2:])
    sys.argv = list(arguments)
    sys.path.insert(0, os.path.dirname(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
