"""Results of pure functions, kept in a workspace from run to run by a digest of exactly what they were made from.

Equal inputs have equal results, so what is kept can never make a run end otherwise than one that begins with nothing; removing the
file costs time only. Another version of the code begins anew, and what a run did not ask for is dropped once the results are twice as many
as they were when all was made.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from bot.kept_values import packed, unpacked
from bot.processes import Processes
from bot.stage_state import code_version
from bot.store import Workspace

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
FILE = "kept.db"
_AT_ONCE = 500  # keys in one statement; SQLite's older limit is 999
_BLOCK = 500  # results in memory before they are stored
_MANY = 1024  # results in memory before they are stored, where they may come from several processes
_REMEMBERED = 50_000  # results of one function in memory
_SPARE = 1000  # results that no run asked for and that are not worth a look
_SCHEMA = """
CREATE TABLE IF NOT EXISTS version (code TEXT);
CREATE TABLE IF NOT EXISTS tidied (stage TEXT PRIMARY KEY, left INTEGER);
CREATE TABLE IF NOT EXISTS results (stage TEXT, key BLOB, value BLOB, PRIMARY KEY (stage, key)) WITHOUT ROWID;
"""


def key_of(*parts: object) -> bytes:
    """Return a digest of values by their `repr`: records, texts and numbers are told apart by it."""
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class KeptResults:
    """The results of one stage. Without a database nothing is kept, and all is made."""

    def __init__(
        self, db: sqlite3.Connection | None = None, stage: str = "", processes: Processes | None = None
    ) -> None:
        self._db, self._stage = db, stage
        self._processes = processes or Processes(1)
        self._asked: set[bytes] = set()

    def each(self, of: str, given: Sequence[T], key: Callable[[T], bytes], make: Callable[[T], R]) -> Iterator[R]:
        """Yield the result of `make` for each of `given` in order; under one name `of` equal keys have equal results."""
        for start in range(0, len(given), _BLOCK):
            yield from self.together(of, given[start : start + _BLOCK], key, lambda some: [make(one) for one in some])

    def together(
        self, of: str, given: Sequence[T], key: Callable[[T], bytes], make: Callable[[list[T]], Sequence[R]]
    ) -> list[R]:
        """Return the results of `given` in order; `make` gets all those together that are not kept."""
        if self._db is None:
            return list(make(list(given))) if given else []
        keys = [key_of(of, key(one)) for one in given]
        found: dict[bytes, R] = self._kept(keys)
        lacking = {k: one for k, one in zip(keys, given, strict=True) if k not in found}
        if lacking:
            made = dict(zip(lacking, make(list(lacking.values())), strict=True))
            self._keep(made)
            found |= made
        return [found[k] for k in keys]

    def all(
        self,
        of: str,
        given: Sequence[T],
        key: Callable[[T], bytes],
        make: Callable[[list[T]], Iterable[R]],
        block: int = _BLOCK,
    ) -> KeptWalk[T, R]:
        """Return what yields the results of `given` in order as often as it is walked, a block of them in memory.

        `make` gets all those together that are not kept, and yields their results in order; they are stored as they come.
        """
        assert self._db is not None
        keys = [key_of(of, key(one)) for one in given]
        there = self._there(keys)
        lacking = {k: one for k, one in zip(keys, given, strict=True) if k not in there}
        made = zip(lacking, make(list(lacking.values())), strict=True) if lacking else iter(())
        while some := dict(islice(made, block)):
            self._keep(some)
        return KeptWalk(self, given, keys, make, block)

    def in_one(
        self, of: str, given: Sequence[T], key: Callable[[T], bytes], make: Callable[[list[T]], Iterable[R]]
    ) -> list[R]:
        """Return the results of `given` in order. They are kept in one piece: small ones, all of which each run asks for."""
        last: dict[bytes, R] = self.last(of, b"")
        keys = list(map(key, given))
        lacking = {k: one for k, one in zip(keys, given, strict=True) if k not in last}
        made = dict(zip(lacking, make(list(lacking.values())), strict=True)) if lacking else {}
        found = {k: made[k] if k in made else last[k] for k in keys}
        if made or len(found) < len(last):
            self.keep_last(of, b"", found)
        return [found[k] for k in keys]

    def make(self, make: Callable[[Sequence[T]], Sequence[R]], given: Sequence[T]) -> list[R]:
        """Return what `make` makes of arguments; it gets some at once, in other processes where they are many.

        It can be pickled, and looks at nothing but what it holds and what it gets.
        """
        return self._processes.make(make, given)

    def expect(self, arguments: int) -> None:
        """Say for how many arguments of a millisecond each, or so, results are to be made a few at a time."""
        self._processes.expect(arguments)

    def by_many(
        self, of: str, given: Sequence[T], key: Callable[[T], bytes], make: Callable[[Sequence[T]], Sequence[R]]
    ) -> Iterator[R]:
        """Yield the results of `given` in order like `each`, those that are not kept as `KeptResults.make` does."""
        for start in range(0, len(given), _MANY):
            yield from self.together(of, given[start : start + _MANY], key, partial(self.make, make))

    def known(self, of: str, keys: Sequence[bytes]) -> dict[bytes, R]:
        """Return what is kept under these keys."""
        if self._db is None:
            return {}
        keyed = {key_of(of, key): key for key in keys}
        found: dict[bytes, R] = self._kept(list(keyed))
        return {keyed[key]: value for key, value in found.items()}

    def keep(self, of: str, results: Mapping[bytes, object]) -> None:
        """Keep results under their keys, in the place of those that were kept."""
        if self._db is not None:
            self._keep({key_of(of, key): value for key, value in results.items()})

    def of_stage(self, stage: str) -> KeptResults:
        """Return the results of an earlier stage, to be read and added to."""
        return KeptResults(self._db, stage, self._processes)

    def last(self, of: str, key: bytes) -> dict[T, R]:
        """Return the results that the last run kept together under a key, each by what it was made from, or a digest of it."""
        found: dict[bytes, dict[T, R]] = self.known(of, [key])
        return found.get(key, {})

    def keep_last(self, of: str, key: bytes, results: Mapping[T, R]) -> None:
        """Replace what `last` returns."""
        self.keep(of, {key: results})

    def _there(self, keys: Sequence[bytes]) -> set[bytes]:
        assert self._db is not None
        found: set[bytes] = set()
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            query = f"SELECT key FROM results WHERE stage = ? AND key IN ({','.join('?' * len(part))})"
            found.update(key for (key,) in self._db.execute(query, [self._stage, *part]))
        return found

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, R]:
        assert self._db is not None
        self._asked.update(keys)
        found: dict[bytes, R] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            query = f"SELECT key, value FROM results WHERE stage = ? AND key IN ({','.join('?' * len(part))})"
            for key, value in self._db.execute(query, [self._stage, *part]):
                with suppress(Exception):  # a damaged row is made anew
                    found[key] = unpacked(value)
        return found

    def _keep(self, made: Mapping[bytes, object]) -> None:
        assert self._db is not None
        rows = [(self._stage, key, packed(value)) for key, value in made.items()]
        with self._db:
            self._db.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def tidy(self) -> None:
        """Drop what this run did not ask for once there is twice what was left the last time, or made in the first run."""
        if self._db is None:
            return
        here = (self._stage,)
        (count,) = self._db.execute("SELECT count(*) FROM results WHERE stage = ?", here).fetchone()
        (left,) = self._db.execute("SELECT max(left) FROM tidied WHERE stage = ?", here).fetchone()
        if left is not None and count <= 2 * left + _SPARE:
            return
        with self._db:
            if left is not None:
                keys = [key for (key,) in self._db.execute("SELECT key FROM results WHERE stage = ?", here)]
                gone = [(self._stage, key) for key in keys if key not in self._asked]
                self._db.executemany("DELETE FROM results WHERE stage = ? AND key = ?", gone)
                count = max(left, count - len(gone))
            self._db.execute("INSERT OR REPLACE INTO tidied VALUES (?, ?)", (self._stage, count))


class KeptRows(Generic[R]):
    """Kept results under these keys, in their order, as often as they are walked; a block of them is in memory."""

    def __init__(self, kept: KeptResults, of: str, keys: Sequence[bytes]) -> None:
        self._kept, self._of, self._keys = kept, of, keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[R]:
        for start in range(0, len(self._keys), _BLOCK):
            keys = self._keys[start : start + _BLOCK]
            found: dict[bytes, R] = self._kept.known(self._of, keys)
            yield from map(found.__getitem__, keys)


class KeptWalk(Generic[T, R]):
    """Kept results in the order of what they were made from (see `KeptResults.all`)."""

    def __init__(
        self,
        kept: KeptResults,
        given: Sequence[T],
        keys: Sequence[bytes],
        make: Callable[[list[T]], Iterable[R]],
        block: int,
    ) -> None:
        self._kept, self._given, self._keys, self._make, self._block = kept, given, keys, make, block

    def __iter__(self) -> Iterator[R]:
        for start in range(0, len(self._keys), self._block):
            keys = self._keys[start : start + self._block]
            found: dict[bytes, R] = self._kept._kept(keys)
            for number, key in enumerate(keys, start):
                if key not in found:  # a damaged row
                    (found[key],) = self._make([self._given[number]])
                yield found[key]


class KeptCalls(Generic[R_co]):
    """A pure function of texts whose results are remembered, and kept from run to run within `remembering`."""

    def __init__(self, function: Callable[..., R_co]) -> None:
        self._function, self.name = function, f"{function.__module__}.{function.__qualname__}".encode()
        self.last: dict[tuple[str, ...], R_co] = {}  # of the last run
        self.known: dict[tuple[str, ...], R_co] = {}

    def __call__(self, *texts: str) -> R_co:
        if texts not in self.known:
            if len(self.known) == _REMEMBERED:
                self.known.clear()
            self.known[texts] = self.last[texts] if texts in self.last else self._function(*texts)
        return self.known[texts]


@contextmanager
def remembering(results: KeptResults, *functions: KeptCalls[object]) -> Iterator[None]:
    """Let functions begin with what the last run asked of them, and keep what this one asks."""
    for each in functions:
        each.known, each.last = {}, results.last("calls", each.name)
    try:
        yield
        for each in functions:
            if each.known.keys() != each.last.keys():
                results.keep_last("calls", each.name, each.known)
    finally:
        for each in functions:
            each.last = {}


@contextmanager
def kept_results(workspace: Workspace, stage: str) -> Iterator[KeptResults]:
    """Open what a workspace keeps of a stage; a file that cannot be used is made anew."""
    db = _opened(workspace.path / FILE)
    try:
        with Processes() as processes:
            kept = KeptResults(db, stage, processes)
            yield kept
            kept.tidy()
    finally:
        db.close()


@contextmanager
def kept_for_now() -> Iterator[KeptResults]:
    """Open what is kept until it is closed, on disk where it is large, and in no workspace."""
    db = sqlite3.connect("")  # a temporary file of SQLite's own
    try:
        db.executescript(_SCHEMA)
        yield KeptResults(db)
    finally:
        db.close()


def _opened(path: Path) -> sqlite3.Connection:
    try:
        return _connected(path)
    except sqlite3.Error:
        for rest in ("", "-wal", "-shm"):
            path.with_name(path.name + rest).unlink(missing_ok=True)
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=10)
    try:
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;" + _SCHEMA)
        if db.execute("SELECT code FROM version").fetchone() != (code_version(),):
            with db:
                db.execute("DELETE FROM version")
                db.execute("DELETE FROM results")
                db.execute("DELETE FROM tidied")
                db.execute("INSERT INTO version VALUES (?)", (code_version(),))
    except sqlite3.Error:
        db.close()
        raise
    return db
