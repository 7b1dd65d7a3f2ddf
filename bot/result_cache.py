"""A cache of the results of pure functions in a workspace. The key is a digest of all inputs.

Equal inputs have equal results, so the cache never changes the result of a run; removing its file costs time only. The cache is emptied
when the code changes. Results that a run did not use are removed once there are twice as many results as after the first run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

from bot.pickled_values import from_pickle, to_pickle
from bot.processes import WorkerPool
from bot.sequences import batched
from bot.stage_state import code_version
from bot.store import Workspace

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
FILE = "kept.db"
_KEYS_PER_QUERY = 500  # keys in one statement; SQLite's older limit is 999
_BLOCK = 500  # results in memory before they are stored
_LARGE_BLOCK = 1024  # results in memory before they are stored, where they may come from several processes
_MAX_CALLS = 50_000  # results of one function in memory
_UNUSED_ALLOWED = 1000  # results that no run asked for and that are not worth a look
_SCHEMA = """
CREATE TABLE IF NOT EXISTS version (code TEXT);
CREATE TABLE IF NOT EXISTS tidied (stage TEXT PRIMARY KEY, left INTEGER);
CREATE TABLE IF NOT EXISTS results (stage TEXT, key BLOB, value BLOB, PRIMARY KEY (stage, key));
"""


def cache_key(*parts: object) -> bytes:
    """Return a digest of values, made from their `repr`, which distinguishes records, texts and numbers."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class ResultCache:
    """The cached results of one stage, and the processes that compute them. Without a database nothing is cached."""

    def __init__(
        self, db: sqlite3.Connection | None = None, stage: str = "", processes: WorkerPool | None = None
    ) -> None:
        self._db, self._stage = db, stage
        self.processes = processes or WorkerPool(1)
        self._asked: set[bytes] = set()
        self._begun: dict[bytes, tuple[Callable[[], Sequence[Any]], int]] = {}  # the results of a call, and its place

    def map_batch(
        self, of: str, inputs: Sequence[T], key: Callable[[T], bytes], make: Callable[[list[T]], Sequence[R]]
    ) -> list[R]:
        """Return the results of `inputs` in order; `make` is called once, with all that are not cached.

        `of` names the function: for one name, equal keys have equal results.
        """
        if self._db is None:
            return list(make(list(inputs))) if inputs else []
        keys = [cache_key(of, key(one)) for one in inputs]
        found: dict[bytes, R] = self._load_rows(keys)
        missing = {k: one for k, one in zip(keys, inputs, strict=True) if k not in found}
        begun = {k: self._begun.pop(k) for k in missing if k in self._begun}
        computed: dict[bytes, R] = {k: results()[number] for k, (results, number) in begun.items()}
        if remaining := {k: one for k, one in missing.items() if k not in computed}:
            computed |= zip(remaining, make(list(remaining.values())), strict=True)
        if computed:
            self._store_rows(computed)
        return [(found[k] if k in found else computed[k]) for k in keys]

    def begin(
        self, of: str, inputs: Sequence[T], key: Callable[[T], bytes], make: Callable[[Sequence[T]], Sequence[R]]
    ) -> None:
        """Have other processes compute what `map_parallel` will be asked for next, where there are any."""
        if self._db is None or not self.processes.are_running:
            return
        keyed = {cache_key(of, key(one)): one for one in inputs}
        existing = {key for (key,) in self._select("key", list(keyed))} | self._begun.keys()
        missing = {k: one for k, one in keyed.items() if k not in existing}
        results = cache(self.processes.start(make, list(missing.values())))
        self._begun |= {k: (results, number) for number, k in enumerate(missing)}

    def map_lazily(
        self,
        of: str,
        inputs: Sequence[T],
        key: Callable[[T], bytes],
        make: Callable[[list[T]], Iterable[R]],
        block: int = _BLOCK,
    ) -> CachedSequence[T, R]:
        """Return an iterable of the results of `inputs` in order. It can be iterated again; one block is in memory at a time.

        `make` is called once, with all that are not cached, and yields their results in order; they are stored in blocks.
        """
        keys = [cache_key(of, key(one)) for one in inputs]
        existing = {key for (key,) in self._select("key", keys)}
        missing = {k: one for k, one in zip(keys, inputs, strict=True) if k not in existing}
        computed = zip(missing, make(list(missing.values())), strict=True) if missing else iter(())
        for some in batched(computed, block):
            self._store_rows(dict(some))
        return CachedSequence(self, inputs, keys, make, block)

    def map_as_one_row(
        self, of: str, inputs: Sequence[T], key: Callable[[T], bytes], make: Callable[[list[T]], Iterable[R]]
    ) -> list[R]:
        """Return the results of `inputs` in order. They are stored as one row: for small results that every run needs all of."""
        last: dict[bytes, R] = self.load_last(of, b"")
        keys = list(map(key, inputs))
        missing = {k: one for k, one in zip(keys, inputs, strict=True) if k not in last}
        computed = dict(zip(missing, make(list(missing.values())), strict=True)) if missing else {}
        found = {k: computed[k] if k in computed else last[k] for k in keys}
        if computed or len(found) < len(last):
            self.store_last(of, b"", found)
        return [found[k] for k in keys]

    def map_parallel(
        self, of: str, inputs: Sequence[T], key: Callable[[T], bytes], make: Callable[[Sequence[T]], Sequence[R]]
    ) -> Iterator[R]:
        """Yield the results of `inputs` in order; those that are not cached are computed in blocks, in other processes where there are many.

        `make` must be picklable and pure.
        """
        for block in batched(inputs, _LARGE_BLOCK):
            yield from self.map_batch(of, block, key, partial(self.processes.make, make))

    def load(self, of: str, keys: Sequence[bytes]) -> dict[bytes, R]:
        """Return key -> cached result, for the keys that have one."""
        if self._db is None:
            return {}
        keyed = {cache_key(of, key): key for key in keys}
        found: dict[bytes, R] = self._load_rows(list(keyed))
        return {keyed[key]: value for key, value in found.items()}

    def load_in_order(self, of: str, keys: Sequence[bytes]) -> Iterator[R]:
        """Yield the cached results of these keys in order; one block is in memory at a time."""
        for block in batched(keys, _BLOCK):
            found: dict[bytes, R] = self.load(of, block)
            yield from map(found.__getitem__, block)

    def store(self, of: str, results: Mapping[bytes, object]) -> None:
        """Store results under their keys; earlier ones are replaced."""
        self.store_all({(of, key): value for key, value in results.items()})

    def store_all(self, results: Mapping[tuple[str, bytes], object]) -> None:
        """Store results of several functions, each under its function and key."""
        if self._db is not None:
            self._store_rows({cache_key(of, key): value for (of, key), value in results.items()})

    def for_stage(self, stage: str) -> ResultCache:
        """Return the cache of another stage, in the same database."""
        return ResultCache(self._db, stage, self.processes)

    def load_last(self, of: str, key: bytes) -> dict[T, R]:
        """Return the results that the last run stored together under a key: input, or its digest -> result."""
        found: dict[bytes, dict[T, R]] = self.load(of, [key])
        return found.get(key, {})

    def store_last(self, of: str, key: bytes, results: Mapping[T, R]) -> None:
        """Replace what `load_last` returns."""
        self.store(of, {key: results})

    def _select(self, columns: str, keys: Sequence[bytes]) -> Iterator[tuple[bytes, ...]]:
        assert self._db is not None
        for part in batched(keys, _KEYS_PER_QUERY):
            query = f"SELECT {columns} FROM results WHERE stage = ? AND key IN ({','.join('?' * len(part))})"
            yield from self._db.execute(query, [self._stage, *part])

    def _load_rows(self, keys: Sequence[bytes]) -> dict[bytes, R]:
        self._asked.update(keys)
        found: dict[bytes, R] = {}
        for key, value in self._select("key, value", keys):
            with suppress(Exception):  # a damaged row is computed again
                found[key] = from_pickle(value)
        return found

    def _store_rows(self, computed: Mapping[bytes, object]) -> None:
        assert self._db is not None
        rows = [(self._stage, key, to_pickle(value)) for key, value in computed.items()]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def drop_unused(self) -> None:
        """Remove the results that this run did not use, once there are twice as many as after the last removal or the first run."""
        if self._db is None:
            return
        stage = (self._stage,)
        (count,) = self._db.execute("SELECT count(*) FROM results WHERE stage = ?", stage).fetchone()
        (left,) = self._db.execute("SELECT max(left) FROM tidied WHERE stage = ?", stage).fetchone()
        if left is not None and count <= 2 * left + _UNUSED_ALLOWED:
            return
        with self._db:
            if left is not None:
                keys = [key for (key,) in self._db.execute("SELECT key FROM results WHERE stage = ?", stage)]
                unused = [(self._stage, key) for key in keys if key not in self._asked]
                self._db.executemany("DELETE FROM results WHERE stage = ? AND key = ?", unused)
                count = max(left, count - len(unused))
            self._db.execute("INSERT OR REPLACE INTO tidied VALUES (?, ?)", (self._stage, count))


NO_CACHE = ResultCache()


class CachedSequence(Generic[T, R]):
    """Cached results in the order of their inputs (see `ResultCache.map_lazily`)."""

    def __init__(
        self,
        cache: ResultCache,
        inputs: Sequence[T],
        keys: Sequence[bytes],
        make: Callable[[list[T]], Iterable[R]],
        block: int,
    ) -> None:
        self._cache, self._given, self._keys, self._make, self._block = cache, inputs, keys, make, block

    def __iter__(self) -> Iterator[R]:
        for start in range(0, len(self._keys), self._block):
            keys = self._keys[start : start + self._block]
            found: dict[bytes, R] = self._cache._load_rows(keys)
            for number, key in enumerate(keys, start):
                if key not in found:  # a damaged row
                    (found[key],) = self._make([self._given[number]])
                yield found[key]


class CachedFunction(Generic[R_co]):
    """A memoised pure function of texts; within `use_cached_calls` its results are cached from run to run."""

    def __init__(self, function: Callable[..., R_co]) -> None:
        self._function, self.name = function, f"{function.__module__}.{function.__qualname__}".encode()
        self.previous: dict[tuple[str, ...], R_co] = {}  # of the last run
        self.results: dict[tuple[str, ...], R_co] = {}

    def __call__(self, *texts: str) -> R_co:
        if texts not in self.results:
            if len(self.results) == _MAX_CALLS:
                self.results.clear()
            self.results[texts] = self.previous[texts] if texts in self.previous else self._function(*texts)
        return self.results[texts]


@contextmanager
def use_cached_calls(results: ResultCache, *functions: CachedFunction[object]) -> Iterator[None]:
    """Let functions use the calls of the last run, and store the calls of this one."""
    for each in functions:
        each.results, each.previous = {}, results.load_last("calls", each.name)
    try:
        yield
        for each in functions:
            if each.results.keys() != each.previous.keys():
                results.store_last("calls", each.name, each.results)
    finally:
        for each in functions:
            each.previous = {}


@contextmanager
def open_result_cache(workspace: Workspace, stage: str) -> Iterator[ResultCache]:
    """Open the cache of a stage of a workspace; a file that cannot be used is replaced."""
    db = open_or_recreate(workspace.path / FILE)
    try:
        with WorkerPool() as processes:
            cache = ResultCache(db, stage, processes)
            yield cache
            cache.drop_unused()
    finally:
        db.close()


@contextmanager
def temporary_result_cache() -> Iterator[ResultCache]:
    """Open a cache that belongs to no workspace and is gone when closed; it is on disk where it is large."""
    db = sqlite3.connect("")  # a temporary file of SQLite's own
    try:
        db.executescript(_SCHEMA)
        yield ResultCache(db)
    finally:
        db.close()


def open_or_recreate(path: Path) -> sqlite3.Connection:
    """Open the file of a cache; one that cannot be used is replaced."""
    try:
        return _connect(path)
    except sqlite3.Error:
        for rest in ("", "-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=10)
    try:
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;" + _SCHEMA)
        if db.execute("SELECT code FROM version").fetchone() != (code_version(),):
            db.executescript("DROP TABLE version; DROP TABLE tidied; DROP TABLE results;" + _SCHEMA)
            with db:
                db.execute("INSERT INTO version VALUES (?)", (code_version(),))
    except sqlite3.Error:
        db.close()
        raise
    return db
