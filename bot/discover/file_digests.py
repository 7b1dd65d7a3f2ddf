"""Digests of the bytes of source files. They are kept by what the file system says of a file, so that what was not touched is not read."""

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from bot.store import Workspace

_KEY = "digests of files"  # of the workspace's `meta`
_SETTLED = 5_000_000_000  # nanoseconds since the last change: within the tick of a file system's clock another may look the same


class FileDigests:
    """The digests of files that had not been changed for some seconds when they were read, by what the file system says of them."""

    def __init__(self, workspace: Workspace, now: Callable[[], int] = time.time_ns) -> None:
        self._workspace, self._now = workspace, now
        self._last: dict[str, str] = workspace.get(_KEY, {})
        self._settled: dict[str, str] = {}

    def of(self, path: str) -> str:
        """Return the digest of a file, or why it cannot be read."""
        if not (state := self._state(path)):
            return digest_of_file(path)
        self._settled[state] = self._last.get(state) or digest_of_file(path)
        return self._settled[state]

    def store(self) -> None:
        """Keep the digests of the files that were asked for."""
        if self._settled != self._last:
            self._workspace.put(_KEY, self._settled)

    def _state(self, path: str) -> str:
        """Return size, times and place of a file on its disk; "" where it cannot be read or was changed just now."""
        try:
            found, is_readable = os.stat(path), os.access(path, os.R_OK)
        except OSError:
            return ""
        settled = max(found.st_mtime_ns, found.st_ctime_ns) < self._now() - _SETTLED
        state = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_dev, found.st_ino)
        return " ".join(map(str, state)) if is_readable and settled else ""


def digest_of_file(path: str) -> str:
    """Return the digest of a file's bytes, or why it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"
