"""The files of a crawl: documents, their manifest, and the state of an unfinished crawl.

Every answer is kept before the next question: the file first, then its row at the end of the manifest. Killed at any moment
between the two, the crawl asks for that one document again. The state is a file of its own for each order and goes away
when the crawl has got everything: what was listed, since when, and until when nobody may be asked.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, Self, TypeVar
from urllib.parse import quote

from bot.corpus.manifest import MANIFEST, VANISHED, ManifestRow, is_current, read_manifest
from bot.errors import InputError, WorkspaceError
from bot.records import as_json
from bot.wikibase import Json

_MAX_NAME_BYTES = 200  # bytes; file systems take 255
_UNSAFE = re.compile(r'[/\\%:*?"<>|\x00-\x1f\x7f]|^\.')
T = TypeVar("T")
FAILED = "failed"
RETRY_AFTER = 12 * 3600.0  # seconds, chosen: less than the day between two scheduled runs


def file_name(text: str, suffix: str = "") -> str:
    """Return a file name made of a text: no separators, no leading dot, not too long."""
    name = _UNSAFE.sub(lambda found: quote(found[0], safe="").replace(".", "%2E"), text)
    if len((name + suffix).encode()) > _MAX_NAME_BYTES:
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        name = name.encode()[: _MAX_NAME_BYTES - len(suffix) - 9].decode("utf-8", "ignore") + "-" + digest
    return name + suffix


class Journal:
    """One folder, held by one crawl at a time; `order` tells orders apart, `dry` writes nothing. Use in a `with`."""

    def __init__(self, folder: Path, order: str, clock: Callable[[], float], *, dry: bool = False) -> None:
        self.folder, self.clock, self._dry = folder, clock, dry
        self._state = folder / f".crawl-{order}.jsonl"
        self._lock: IO[str] | None = None
        self._answers: Json = {}
        self.rows: dict[str, ManifestRow] = {}
        self.rest_until = 0.0  # nobody is asked before this time
        self.started = self._retried = ""  # since when documents, and those that failed, are asked for

    def __enter__(self) -> Self:
        if not self._dry:
            self._acquire_lock()
        try:
            self._read()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _acquire_lock(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / ".crawl.lock").open("w")
        except OSError as error:
            raise InputError(
                "unmakable", reason=str(error.strerror), where=str(self.folder), todo="check", code_what="--into"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise WorkspaceError("other_crawl", where=str(self.folder), todo="wait") from None

    def __exit__(self, *exc: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def now(self, later: float = 0.0) -> str:
        """Return the present time, UTC, or that so many seconds later; texts of it sort as the times do."""
        return datetime.fromtimestamp(self.clock() + later, UTC).isoformat(timespec="microseconds")

    def was_requested(self, url: str) -> bool:
        """Tell whether this crawl, or the interrupted one that it continues, has already requested a document.

        What failed in a crawl that came to its end is asked for again.
        """
        row = self.rows.get(url)
        since = self._retried if row is not None and row.status == FAILED else self.started
        return row is not None and row.checked >= since

    def is_intact(self, row: ManifestRow) -> bool:
        """Tell whether the file of a row exists as it was fetched."""
        with suppress(OSError):
            return bool(row.path) and row.status != VANISHED and is_current(row, str(self.folder / row.path))
        return False

    def answer_once(self, question: str, ask: Callable[[], T]) -> T:
        """Return the answer (JSON values) to a question of listing, asked once in a crawl however often it is killed."""
        if question not in self._answers:
            self._answers[question] = ask()
            self._append_state({"question": question, "answer": self._answers[question]})
        found: T = self._answers[question]
        return found

    def forget_answers(self, beginning: str) -> None:
        """Forget the answers to questions that begin so."""
        self._answers = {q: a for q, a in self._answers.items() if not q.startswith(beginning)}

    def record_wait(self, seconds: float) -> None:
        """Store that for so many seconds no request may be sent, also for the run after an interruption."""
        self.rest_until = self.clock() + seconds
        self._append_state({"rest": self.rest_until})

    def write_document(self, path: str, data: bytes) -> None:
        """Put a document's bytes under its path, whole or not at all."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        new = target.with_name(f".{target.name[:100]}.new")
        _write(new, "wb", data)
        new.replace(target)

    def delete_document(self, path: str) -> None:
        """Take away a document's file that no row names any more."""
        (self.folder / path).unlink(missing_ok=True)

    def append_row(self, row: ManifestRow) -> None:
        """Put a row at the end of the manifest."""
        self.rows[row.url] = row
        _write(self.folder / MANIFEST, "ab", _line(as_json(row)))

    def finish(self, *, complete: bool) -> None:
        """Rewrite the manifest with one line for each document, and delete the state of this crawl.

        Where something could not be had, the state is kept for RETRY seconds: a crawl begun within them asks for that alone.
        """
        self._rewrite()
        if complete:
            self._state.unlink(missing_ok=True)
        else:
            self._append_state({"ended": self.now()})

    def _read(self) -> None:
        path = self.folder / MANIFEST
        rows = read_manifest(path) if path.exists() else {}
        if rows is None:
            raise InputError("no_manifest", where=str(path), todo="other_folder")
        self.rows = rows or {}
        if path.exists() and not self._dry and not path.read_bytes().endswith(b"\n"):
            self._rewrite()  # a kill has cut off its last line
        lines = self._lines()
        if lines and "ended" in lines[-1]:
            if lines[-1]["ended"] < self.now(-RETRY_AFTER):
                lines = []
                self._forget_state()
            else:
                lines.append({"retried": self.now()})
                self._append_state(lines[-1])
        for line in lines:
            if "question" in line:
                self._answers[line["question"]] = line["answer"]
            self.rest_until = line.get("rest", self.rest_until)
            self.started = line.get("started", self.started)
            self._retried = line.get("retried", self._retried)
        if not self.started:
            self.started = self._retried = self.now()
            self._append_state({"started": self.started, "retried": self.started})

    def _forget_state(self) -> None:
        self._answers = {}
        if not self._dry:
            self._state.unlink(missing_ok=True)

    def _lines(self) -> list[Json]:
        """Return the lines of the state; an incomplete last line is removed, so that the next one is separate."""
        if not self._state.exists():
            return []
        data = self._state.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data and not self._dry:
            os.truncate(self._state, len(whole))
        try:
            return [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            self._forget_state()  # the crawl begins anew
            return []

    def _append_state(self, line: Json) -> None:
        if not self._dry:
            _write(self._state, "ab", _line(line))

    def _rewrite(self) -> None:
        self.write_document(MANIFEST, b"".join(_line(as_json(row)) for row in self.rows.values()))


def _line(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def _write(path: Path, mode: Literal["wb", "ab"], data: bytes) -> None:
    """Write to a file; what was written is there also after the power failed."""
    with path.open(mode) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
