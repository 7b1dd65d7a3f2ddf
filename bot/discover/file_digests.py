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
    """The digests of files that had not been changed for some seconds when they were read, and are the same files by size, times and number now."""

    def __init__(self, workspace: Workspace, now: Callable[[], int] = time.time_ns) -> None:
        self._workspace, self._now = workspace, now
        self._last: dict[str, list[str]] = workspace.get(_KEY, {})
        self._settled: dict[str, list[str]] = {}

    def of(self, path: str) -> str:
        """Return the digest of a file, or why it cannot be read."""
        state, settled = self._state(path)
        stated, digest = self._last.get(path, ["", ""])
        if stated != state or not state:
            digest = digest_of_file(path)
        if settled:
            self._settled[path] = [state, digest]
        return digest

    def store(self) -> None:
        """Keep the digests of the files that were asked for."""
        if self._settled != self._last:
            self._workspace.put(_KEY, self._settled)

    def _state(self, path: str) -> tuple[str, bool]:
        try:
            found, access = os.stat(path), os.access(path, os.R_OK)
        except OSError:
            return "", False
        state = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_dev} {found.st_ino}"
        return state, access and max(found.st_mtime_ns, found.st_ctime_ns) < self._now() - _SETTLED


def digest_of_file(path: str) -> str:
    """Return the digest of a file's bytes, or why it cannot be read."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"unreadable: {error.strerror}"
