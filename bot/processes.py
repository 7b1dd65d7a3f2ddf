"""Worker processes: for reading files, and for pure functions of many formulas."""

import atexit
import gc
import hashlib
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from multiprocessing import active_children, get_all_start_methods, get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from multiprocessing.synchronize import Event
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, TracebackType
from typing import Any, Self, TypeVar

from bot.errors import WorkspaceError
from bot.sequences import batched

T = TypeVar("T")
R = TypeVar("R")
_MAX_PROCESSES = 8  # processes; each holds some 200 MB
CORES = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, _MAX_PROCESSES)
_START_ATTEMPTS = 2  # before an error is raised
# Arguments for which processes are started: a start takes a second, an argument a millisecond or more
_MIN_TO_START = 1000
_MIN_TO_SHARE = 16  # arguments of one call for which they are started
_MAX_BLOCK = 128  # arguments sent together, at most


class WorkerPool:
    """Calls pure functions with many arguments, in one process for each core where there are enough arguments.

    With `number` 1, as in a process of another pool, everything is computed in this process.
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

    def make(self, function: Callable[[Sequence[T]], Sequence[R]], values: Sequence[T]) -> list[R]:
        """Return the results of a function, which is called with blocks of arguments. It is pickled, and each process reads it once."""
        return self.start(function, values)()

    def start(self, function: Callable[[Sequence[T]], Sequence[R]], values: Sequence[T]) -> Callable[[], list[R]]:
        """Return what returns the results of `make`; where there are other processes they are computed meanwhile."""
        size = _MAX_BLOCK
        # Running processes have what the function needs (an index, trees); here it would be in memory once more.
        in_processes = self._pool is not None or (
            max(len(values), self._expected) >= _MIN_TO_START and len(values) >= _MIN_TO_SHARE
        )
        if self._number > 1 and in_processes and values:
            size = min(size, -(-len(values) // (2 * self._number)))
            try:
                pool, path = self._running_pool(), self._pickle_to_file(function)
                parts = [pool.submit(_apply_pickled, path, block) for block in batched(values, size)]
                return lambda: self._results(parts, function, values)
            except (BrokenProcessPool, WorkspaceError):  # there may be memory for one process only
                self._number = 1
        return lambda: [one for block in batched(values, size) for one in function(block)]

    def _results(
        self, parts: Sequence[Future[Sequence[R]]], function: Callable[[Sequence[T]], Sequence[R]], values: Sequence[T]
    ) -> list[R]:
        try:
            return [one for part in parts for one in part.result()]
        except BrokenProcessPool:
            self._number = 1
            return self.make(function, values)

    @property
    def are_running(self) -> bool:
        """Tell whether there are other processes."""
        return self._pool is not None and self._number > 1

    def expect_arguments(self, arguments: int) -> None:
        """Announce so many arguments that will come in small calls of `make`; a slow one counts as several, and the most that was announced holds."""
        self._expected = max(arguments, self._expected)

    def _running_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._folder = self._open.enter_context(TemporaryDirectory())
            self._pool = self._open.enter_context(process_pool(self._number))
        return self._pool

    def _pickle_to_file(self, function: Callable[..., object]) -> str:
        packed = pickle.dumps(function)
        path = Path(self._folder, hashlib.blake2b(packed, digest_size=16).hexdigest())
        if not path.exists():
            path.write_bytes(packed)
        return str(path)


def _apply_pickled(path: str, values: Sequence[Any]) -> Sequence[Any]:
    return _unpickled_function(path)(values)


@lru_cache(maxsize=4)
def _unpickled_function(path: str) -> Callable[[Sequence[Any]], Sequence[Any]]:
    found: Callable[[Sequence[Any]], Sequence[Any]] = pickle.loads(Path(path).read_bytes())
    return found


@contextmanager
def process_pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes; when interrupted, end them at once without waiting for their work.

    Raises WorkspaceError where the start fails twice.
    """
    for _ in range(_START_ATTEMPTS):
        start = _start_context()
        with _own_import_path():
            all_started = start.Event()  # with the process that cleans up after all
        arguments = (all_started, *gc.get_threshold())
        with ProcessPoolExecutor(number, mp_context=start, initializer=_initialise_worker, initargs=arguments) as pool:
            try:
                if _workers_answer(pool, number, all_started):
                    yield pool
                    return
            except (KeyboardInterrupt, SystemExit, GeneratorExit):
                for child in active_children():
                    child.terminate()
                raise
    raise WorkspaceError("no_processes", todo="memory")


def _workers_answer(pool: ProcessPoolExecutor, number: int, all_started: Event) -> bool:
    """Start the processes of a pool, and return whether each answers.

    A pool starts no process while one is idle: until the last is started, none answers. A worker that ends at once
    closes the pool's pipes while the next is started; that is an OSError.
    """
    try:
        with _own_import_path(), _without_main_script():
            answers = [pool.submit(os.getpid) for _ in range(number)]
    except (BrokenProcessPool, OSError):
        return False
    finally:
        all_started.set()
    return not any(answer.exception() for answer in answers)


def _start_context() -> BaseContext:
    """Return the context that starts worker processes: a fork server that has loaded our modules, where there is one.

    Loading takes a second: the fork server does it once for all workers of all stages.
    """
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    start = get_context("forkserver")
    start.set_forkserver_preload([name for name in sys.modules if name.startswith("bot.")])
    return start


@contextmanager
def _own_import_path() -> Iterator[None]:
    """A server of processes started inside this block finds modules where this process does.

    Python before 3.12.8 looks for them in the current folder first (gh-117378): a folder `bot` there would be taken for ours.
    The process that cleans up after us does so without a word of what an interrupt left.
    """
    warnings = filter(None, (os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"))
    values = {
        "PYTHONSAFEPATH": "1",
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "PYTHONWARNINGS": ",".join(warnings),
    }
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _without_main_script() -> Iterator[None]:
    """Processes started inside this block do not import the calling script and ignore Ctrl-C.

    A script without a main guard would start us again. Ctrl-C reaches the whole process group, and the parent ends the
    workers. The signal is blocked here, and so in the processes that are started; it is never lost.
    """
    main = sys.modules["__main__"]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _initialise_worker(all_started: Event, *gc_thresholds: int) -> None:
    """Set the parent's thresholds of garbage collection, and end when the parent ends: after kill -9 nobody else would.

    Return when all processes of the pool are started.
    """
    gc.set_threshold(*gc_thresholds)
    atexit.register(os._exit, 0)  # taking hundreds of megabytes of objects apart takes a second
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
    all_started.wait()
