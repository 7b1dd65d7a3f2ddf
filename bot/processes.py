"""Processes of this machine: for reading files, and for work on many formulas that needs nothing but its arguments."""

from __future__ import annotations

import atexit
import gc
import hashlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from multiprocessing import active_children, get_all_start_methods, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, TracebackType
from typing import Any, Self, TypeVar

from bot.errors import WorkspaceError

T = TypeVar("T")
R = TypeVar("R")
_MOST = 8  # processes; each holds some 200 MB
CORES = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MOST)
_STARTS = 2  # of the processes, before it is given up
_BEGINS = (
    1000  # arguments from which processes are started: a second each, and what they do takes a millisecond or more
)
_SHARED = 16  # arguments from which running processes are asked
_AT_ONCE = 128  # arguments sent together, at most


class Processes:
    """Has functions make results of many arguments, in as many processes as there are cores where there is enough to do.

    With `number` 1, as in a process of another pool, all is done where it is asked.
    """

    def __init__(self, number: int = CORES) -> None:
        self._number = number
        self._open = ExitStack()
        self._pool: ProcessPoolExecutor | None = None
        self._folder = ""
        self._expected = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool = None
        self._open.__exit__(kind, error, trace)

    def make(self, function: Callable[[Sequence[T]], Sequence[R]], given: Sequence[T]) -> list[R]:
        """Return what a function makes of arguments; it gets some at once. It is pickled, and each process reads it once."""
        size = _AT_ONCE
        worth = self._pool is not None or max(len(given), self._expected) >= _BEGINS
        if self._number > 1 and worth and len(given) >= _SHARED:
            size = min(size, -(-len(given) // (2 * self._number)))
            blocks = [given[n : n + size] for n in range(0, len(given), size)]
            try:
                pool, path = self._started(), self._written(function)
                parts = [pool.submit(_made, path, block) for block in blocks]
                return [one for part in parts for one in part.result()]
            except (BrokenProcessPool, WorkspaceError):  # there may be memory for one process only
                self._number = 1
        return [one for n in range(0, len(given), size) for one in function(given[n : n + size])]

    def expect(self, arguments: int) -> None:
        """Take it that so many arguments will come, a few at a time; one that takes long counts for several."""
        self._expected = arguments

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._folder = self._open.enter_context(TemporaryDirectory())
            self._pool = self._open.enter_context(process_pool(self._number))
        return self._pool

    def _written(self, function: Callable[..., object]) -> str:
        packed = pickle.dumps(function)
        path = Path(self._folder, hashlib.blake2b(packed, digest_size=16).hexdigest())
        if not path.exists():
            path.write_bytes(packed)
        return str(path)


def _made(path: str, given: Sequence[Any]) -> Sequence[Any]:
    return _function(path)(given)


@lru_cache(maxsize=4)
def _function(path: str) -> Callable[[Sequence[Any]], Sequence[Any]]:
    found: Callable[[Sequence[Any]], Sequence[Any]] = pickle.loads(Path(path).read_bytes())
    return found


@contextmanager
def process_pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes; interrupted, end them at once instead of waiting for what they do.

    Raises WorkspaceError where they cannot be started, twice in a row.
    """
    for _ in range(_STARTS):
        start, often = _copies(), gc.get_threshold()
        with ProcessPoolExecutor(number, mp_context=start, initializer=_start, initargs=often) as pool:
            try:
                with _plain_start():
                    ready = [pool.submit(os.getpid) for _ in range(number)]
                if not any(one.exception() for one in ready):
                    yield pool
                    return
            except (KeyboardInterrupt, SystemExit, GeneratorExit):
                for child in active_children():
                    child.terminate()
                raise
    raise WorkspaceError("no_processes", todo="memory")


def _copies() -> BaseContext:
    """Return what starts processes as copies of one that has loaded what is loaded here and has one thread.

    Loading takes a second, and so it does not for each of them, nor for the processes of the next stage.
    """
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    start = get_context("forkserver")
    start.set_forkserver_preload([name for name in sys.modules if name.startswith("bot.")])
    return start


@contextmanager
def _plain_start() -> Iterator[None]:
    """Processes started inside this block do not run the script that we were called from, and hear no Ctrl-C.

    They need nothing of a script, and one without a main guard would call us again. Ctrl-C reaches the whole group:
    their parent ends them. It is held back here, and so in what is started, never dropped.
    """
    main = sys.modules["__main__"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(*often: int) -> None:
    """Look for cycles of objects as often as the parent of this process, and end when it is gone: after kill -9 nobody else would."""
    gc.set_threshold(*often)
    atexit.register(os._exit, 0)  # taking hundreds of megabytes of objects apart takes a second
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
