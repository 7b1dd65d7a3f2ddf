"""A process that answers JSON lines and is killed at its limit of time or memory; the next question starts a new one.

For libraries that may take for ever on some input, hold the interpreter lock meanwhile, or end their process.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

Q = TypeVar("Q")  # a question, as JSON has it
START_TIMEOUT = 30.0  # seconds for a new process to be ready on a busy machine
MEMORY = 1 << 30  # bytes of address space
MAX_KILLS, KILL_WINDOW = 20, 120.0  # so many killed processes in so many seconds, and no new one is started for now


class LimitedProcess:
    """A process that runs `main` of a module, which calls `answer_lines`. One question at a time; threads wait for each other."""

    def __init__(self, module: str, seconds: float) -> None:
        self.module, self.seconds = module, seconds
        self.started = 0
        self._running: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._ended: deque[float] = deque(maxlen=MAX_KILLS)
        self._lock = threading.Lock()

    @property
    def running(self) -> bool:
        """Tell whether a process is waiting for a question."""
        return self._running is not None

    def ask(self, question: object) -> object:
        """Return the answer; None if there was none within the limits, or too many processes were killed recently."""
        with self._lock:
            try:
                return self._ask(json.dumps(question).encode() + b"\n")
            except BaseException:  # Ctrl-C in between: the answer would be read as that of the next question
                self._close()
                raise

    def close(self) -> None:
        """End the process, if one runs."""
        with self._lock:
            self._close()

    def _ask(self, line: bytes) -> object:
        if self._owner != os.getpid():  # after a fork the process answers our parent
            self._running = None
        if self._running is None and not self._start():
            return None
        assert self._running is not None
        assert self._running.stdin is not None
        try:
            self._running.stdin.write(line)
            self._running.stdin.flush()
        except OSError:
            self._kill()
            return None
        return self._answer(self.seconds)

    def _start(self) -> bool:
        if len(self._ended) == MAX_KILLS and time.monotonic() - self._ended[0] < KILL_WINDOW:
            return False
        self.started += 1
        self._owner = os.getpid()
        root = str(Path(__file__).resolve().parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH", "")])]
        code = f"from {self.module} import main; main()"
        self._running = subprocess.Popen(
            [sys.executable, "-c", code, str(self.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl-C is ours to answer
        )
        return bool(self._answer(START_TIMEOUT) == "ready")

    def _answer(self, seconds: float) -> object:
        """Read one line; kill the process if the line is not complete in time."""
        assert self._running is not None
        assert self._running.stdout is not None
        end, line = time.monotonic() + seconds, b""
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._running.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                arrived = waiting.select(end - time.monotonic()) if end > time.monotonic() else []
                part = os.read(self._running.stdout.fileno(), 1 << 16) if arrived else b""
                if not part:
                    self._kill()
                    return None
                line += part
        return json.loads(line)

    def _kill(self) -> None:
        self._ended.append(time.monotonic())
        self._close()

    def _close(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not sent yet cannot be flushed
                    pipe.close()


def answer_lines(answer: Callable[[Q], object]) -> None:
    """Answer until standard input ends: the other side, in the process itself, which reads its limit of time from its argument."""
    seconds = float(sys.argv[1])
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print('"ready"', flush=True)
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_REAL, seconds + 1)  # in case nobody is left who would kill us
        try:
            found = answer(json.loads(line))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:  # a panic of a Rust library is not Exception
            found = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(json.dumps(found), flush=True)
