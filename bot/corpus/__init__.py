"""Sources to Documents with their formulas in place: files, folders, globs and archives, read as streams.

A document that cannot be read is skipped and named through `on_skip`; a file of no known format is ignored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from bot.corpus import archives, formats
from bot.corpus.draft import NoArticle
from bot.corpus.sources import CorpusListing, SourceFile, plan, survey
from bot.errors import DocumentError, SourceError, summary
from bot.records import Document, Occurrence

__all__ = ["CorpusListing", "Page", "SourceFile", "plan", "read", "read_file", "survey"]

Told = Callable[[str, str], None] | None


@dataclass(frozen=True, slots=True)
class Page:
    """One document as read; `path` is file or archive!member, `digest` of the bytes it was read from."""

    path: str
    digest: str
    document: Document
    occurrences: tuple[Occurrence, ...]


def read(sources: Sequence[str], *, on_skip: Told = None, on_ignore: Told = None) -> Iterator[Page]:
    """Yield the documents of all sources in a stable order.

    Raises SourceError for a source that does not exist, and at the end where nothing at all could be read.
    """
    found = survey(sources)
    for path in found.ignored:
        _tell(on_ignore, path, "is of no known format")
    reasons: list[tuple[str, str]] = []

    def skip(path: str, reason: str) -> None:
        if not reasons:
            reasons.append((path, reason))
        _tell(on_skip, path, reason)

    pages = 0
    for file in found.files:
        for page in read_file(file, skip, on_ignore):
            pages += 1
            yield page
    if not pages:
        path, reason = reasons[0] if reasons else (found.files[0].path, "holds no article")
        raise SourceError(reason, where=path, todo="mend it or leave it out; nothing else could be read")


def read_file(file: SourceFile, on_skip: Told = None, on_ignore: Told = None) -> Iterator[Page]:
    """Yield the documents of one file or archive; what is damaged is told to `on_skip` with one reason."""
    if file.problem:
        _tell(on_skip, file.path, file.problem)
        return
    try:
        with archives.opened(file.path) as (kind, stream):
            if not kind:
                where = _Place(file.path, f"{file.source}/{archives.plain_name(file.name)}", file.source)
                packed = file.size if file.format == "archive" else 0
                yield from _document(stream, where, packed, on_skip, on_ignore)
                return
            for member in archives.members(kind, stream, file.path):
                where = _Place(f"{file.path}!{member.name}", f"{file.source}/{file.name}/{member.name}", file.source)
                yield from _document(member.stream, where, member.packed, on_skip, on_ignore)
    except DocumentError as error:
        _tell(on_skip, file.path, error.line().removeprefix(f"{file.path}: "))
    except archives.DAMAGED as error:
        what = "the archive is cut off or damaged" if file.format == "archive" else "cannot be read"
        _tell(on_skip, file.path, f"{what} ({_said(error)})")


@dataclass(frozen=True, slots=True)
class _Place:
    path: str  # where a person finds it
    id: str  # the document's id
    source: str


def _document(stream: IO[bytes], where: _Place, packed: int, on_skip: Told, on_ignore: Told) -> Iterator[Page]:
    """Read one file. Damage to the stream is the caller's affair; damage to the document is told here."""
    head = stream.read(formats.HEAD)
    format = formats.recognise(where.id, head)
    if not format:
        _tell(on_ignore, where.path, "is of no known format")
    elif format == formats.STREAMED:
        yield from _dump(_Joined(head, stream), where, on_skip, on_ignore)
    else:
        yield from _whole(_Joined(head, stream), where, format, packed, on_skip, on_ignore)


def _dump(stream: _Joined, where: _Place, on_skip: Told, on_ignore: Told) -> Iterator[Page]:
    from bot.corpus.mediawiki_xml import read_dump

    def skip(at: str, why: str) -> None:
        _tell(on_skip, where.path + at, why)

    def ignore(at: str, why: str) -> None:
        _tell(on_ignore, where.path + at, why)

    for digest, document, occurrences in read_dump(stream, where.id, where.source, skip, ignore):
        yield Page(where.path, digest, document, occurrences)


def _whole(stream: _Joined, where: _Place, format: str, packed: int, on_skip: Told, on_ignore: Told) -> Iterator[Page]:
    try:
        data = archives.read_whole(stream, where.path, packed)
    except DocumentError as error:
        _tell(on_skip, where.path, _reason(error, where))
        return
    try:
        digest = hashlib.sha256(data).hexdigest()[:40]
        for document, occurrences in formats.reader(format)(data, path=where.id, source=where.source):
            yield Page(where.path, digest, document, occurrences)
    except NoArticle as error:
        _tell(on_ignore, where.path, _reason(error, where))
    except DocumentError as error:
        _tell(on_skip, where.path, _reason(error, where))
    except Exception as error:  # a fault of the reader on this document: the others are read
        _tell(on_skip, where.path, f"cannot be read ({summary(error)})")


class _Joined:
    """The head that was looked at, and then the rest of the stream."""

    def __init__(self, head: bytes, stream: IO[bytes]) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return head or self._stream.read(size)


def _reason(error: DocumentError, where: _Place) -> str:
    line = error.line()
    for name in (where.path, where.id):
        line = line.removeprefix(f"{name}: ")
    return line


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _tell(to: Told, path: str, reason: str) -> None:
    if to is not None:
        to(path, reason)
