"""Answers of a wiki kept in one SQLite file, each with its age; a wiki that changes all the time has none."""

import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from bot.errors import LookupFailed
from bot.sequences import batched
from bot.settings import Wiki
from bot.wikibase import Json

T = TypeVar("T")
_SCHEMA = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, stored REAL NOT NULL, body BLOB NOT NULL)"
_AT_ONCE = 500  # keys in one statement; SQLite's older limit is 999


class Cache:
    """Remember JSON answers for some days. `path=None` remembers nothing."""

    def __init__(self, path: Path | None, wiki: Wiki, days: float, clock: Callable[[], float]) -> None:
        self._wiki = f"{wiki.name}\0{wiki.entity_prefix}"
        self._max_age, self._clock, self._path = days * 86400, clock, path
        self._lock = threading.Lock()
        self._opened, self._used = clock(), 0
        self._oldest = self._opened
        self._db: sqlite3.Connection | None = None

    @property
    def old_answers_used(self) -> int:
        """How many answers were taken that are older than this object."""
        return self._used

    @property
    def oldest_age(self) -> float:
        """How old the oldest of them was when this object was made, in seconds; 0 where there was none."""
        return max(0.0, self._opened - self._oldest)

    @property
    def today(self) -> str:
        """The day on which an answer is stored that comes now, in UTC: 2026-11-22."""
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()

    def get_many(self, requests: Iterable[str]) -> Json:
        """Return the answers that are young enough, by request; one from a clock that was ahead has no age, and is none."""
        if self._path is None:
            return {}
        keys = {self._key(request): request for request in requests}
        now = self._clock()
        found, oldest = {}, now - self._max_age
        with self._lock:
            for part in batched(list(keys), _AT_ONCE):
                marks = ",".join("?" * len(part))
                rows = self._execute(
                    f"SELECT key, stored, body FROM answers WHERE stored > ? AND stored <= ? AND key IN ({marks})",
                    [oldest, now, *part],
                )
                found.update({keys[key]: json.loads(zlib.decompress(body)) for key, _, body in rows})
                before = [stored for _, stored, _ in rows if stored < self._opened]
                self._used, self._oldest = self._used + len(before), min([self._oldest, *before])
        return found

    def get_or_ask(
        self,
        requests: Mapping[str, str],
        ask: Callable[[Sequence[str]], dict[str, T]],
        at_once: int,
        *,
        fresh: bool = False,
        on_failure: Callable[[LookupFailed], None] | None = None,
    ) -> dict[str, T]:
        """Return name -> answer for requests by their names; what is not remembered is asked for, some names at once, and stored.

        `fresh`: all is asked for. A failure is raised, or reported to `on_failure`: then what was left to ask for is missing.
        """
        cached = {} if fresh else self.get_many(requests.values())
        found: dict[str, T] = {name: cached[request] for name, request in requests.items() if request in cached}
        for part in batched([name for name in requests if name not in found], at_once):
            try:
                new = ask(part)
            except LookupFailed as error:
                if on_failure is None:
                    raise
                on_failure(error)
                break
            self.put_many({requests[name]: answer for name, answer in new.items()})
            found |= new
        return {name: found[name] for name in requests if name in found}

    def put_many(self, answers: Mapping[str, object]) -> None:
        """Store answers under their requests, replacing older ones."""
        if self._path is None or not answers:
            return
        now = self._clock()
        rows = [
            (self._key(r), now, zlib.compress(json.dumps(a, ensure_ascii=False).encode(), 3))
            for r, a in answers.items()
        ]
        with self._lock:
            self._execute("DELETE FROM answers WHERE stored <= ?", [now - self._max_age])
            for row in rows:
                self._execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)
            self._connection().commit()

    def put(self, request: str, answer: object) -> None:
        self.put_many({request: answer})

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    def _key(self, request: str) -> str:
        return hashlib.sha256(f"{self._wiki}\0{request}".encode()).hexdigest()

    def _execute(self, sql: str, values: Iterable[object]) -> list[tuple[str, float, bytes]]:
        try:
            return self._connection().execute(sql, tuple(values)).fetchall()
        except (sqlite3.Error, OSError) as error:
            raise LookupFailed("cache", why=str(error), where=str(self._path), todo="remove_it") from None

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            assert self._path is not None
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self._path, timeout=10, check_same_thread=False)
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=OFF")  # losing an answer costs a request, nothing else
                self._db.execute(_SCHEMA)
            except sqlite3.Error:
                self.close()
                raise
        return self._db
