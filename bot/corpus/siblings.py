"""The files beside a document: those of its folder or archive, read by name; nothing outside of it is ever opened."""

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from bot.messages import Message

MAX_BYTES = 64 * 2**20  # of one sibling
MAX_NAMES = 100_000  # of a folder; a larger one has no siblings


class FileCollection(Protocol):
    """Files by name, with `/` between folders; `memo` stores results of readers."""

    memo: dict[str, object]

    @property
    def names(self) -> Collection[str]: ...

    def read(self, name: str) -> bytes | None: ...


class FolderFiles:
    """The files below a folder; where `only` is given, no others. A link that leads out of it is not a file of it."""

    def __init__(self, root: str, only: Collection[str] | None = None) -> None:
        self.root, self.only = os.path.realpath(root), only
        self.memo: dict[str, object] = {}

    @cached_property
    def names(self) -> Collection[str]:
        if self.only is not None:
            return self.only
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += (os.path.relpath(os.path.join(folder, name), self.root).replace(os.sep, "/") for name in names)
            if len(found) > MAX_NAMES:
                return frozenset()
        return frozenset(found)

    def read(self, name: str) -> bytes | None:
        if self.only is not None and name not in self.only:
            return None
        path = Path(os.path.realpath(os.path.join(self.root, name)))
        with suppress(OSError):
            if path.is_relative_to(self.root) and path.is_file() and path.stat().st_size <= MAX_BYTES:
                return path.read_bytes()
        return None


@dataclass(slots=True)
class RecordingFiles:
    """Records which files were read; it has a memo of its own."""

    files: FileCollection
    memo: dict[str, object] = field(default_factory=dict)
    files_read: dict[str, None] = field(default_factory=dict)

    @property
    def names(self) -> Collection[str]:
        return self.files.names

    def read(self, name: str) -> bytes | None:
        data = self.files.read(name)
        if data is not None:
            self.files_read[name] = None
        return data


@dataclass(slots=True)
class FilesInMemory:
    """The members of an archive that are held in memory."""

    contents: Mapping[str, bytes]
    memo: dict[str, object] = field(default_factory=dict)

    @property
    def names(self) -> Collection[str]:
        return self.contents.keys()

    def read(self, name: str) -> bytes | None:
        return self.contents.get(name)


@dataclass(frozen=True, slots=True)
class SiblingFiles:
    """The files around a document, for readers of documents in several files.

    `home` is the document's own name among them. `note` takes a message about something that was left out: the
    document is read, and the sentence is listed among what was skipped.
    """

    home: str
    files: FileCollection = field(default_factory=lambda: FilesInMemory({}))
    note: Callable[[Message], None] = lambda reason: None

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file of this name, or None where there is none."""
        return self.files.read(name)
