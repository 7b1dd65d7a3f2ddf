"""Sources to Documents with their formulas in place: files, folders, globs and archives, read as streams.

A document that cannot be read is skipped and named through `on_skip`; a file of no known format is ignored.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import IO

from bot.corpus import archives, formats
from bot.corpus.draft import DocumentFormulas, NoArticle, Notice
from bot.corpus.epub import EpubBook, epub_book
from bot.corpus.manifest import is_current, with_manifest_metadata
from bot.corpus.siblings import FilesInMemory, FolderFiles, SiblingFiles
from bot.corpus.sources import FORMER_VERSION, CorpusListing, SourceFile, list_sources
from bot.errors import DocumentError, SourceError, short_text
from bot.messages import Message
from bot.records import Document, Occurrence

__all__ = ["CorpusListing", "ParsedDocument", "SourceFile", "list_sources", "read", "read_file"]

# Formats whose readers count unreadable formulas themselves
_COUNTS_UNREAD_ITSELF = ("latex", "html", "mediawiki_html", "notebook")


def _ignore_notice(path: str, reason: Message) -> None:
    """Ignore a notice."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """One document as read; `path` is file or archive!member, `digest` of the bytes it was read from."""

    path: str
    digest: str
    document: Document
    occurrences: tuple[Occurrence, ...]


def read(
    sources: Sequence[str], *, format: str = "", on_skip: Notice = _ignore_notice, on_ignore: Notice = _ignore_notice
) -> Iterator[ParsedDocument]:
    """Yield the documents of all sources in a stable order; `format` as in `list_sources`.

    Raises SourceError for a source that does not exist, and at the end where nothing at all could be read.
    """
    found = list_sources(sources, format)
    for path, reason in found.ignored:
        on_ignore(path, reason)
    skipped: list[tuple[str, Message]] = []
    ignored: list[tuple[str, Message]] = []

    def note(to: list[tuple[str, Message]], hand_on: Notice) -> Notice:
        def notice(path: str, reason: Message) -> None:
            if not to:
                to.append((path, reason))
            hand_on(path, reason)

        return notice

    skip, ignore = note(skipped, on_skip), note(ignored, on_ignore)
    pages = 0
    for file in found.files:
        for page in read_file(file, skip, ignore):
            pages += 1
            yield page
    if not pages:
        first = next((file.path for file in found.files), next((path for path, _ in found.ignored), sources[0]))
        path, reason = (*skipped, *ignored, (first, Message("unread.no_article")))[0]
        raise SourceError(reason, where=path, todo="mend_source")


def read_file(
    file: SourceFile, on_skip: Notice = _ignore_notice, on_ignore: Notice = _ignore_notice
) -> Iterator[ParsedDocument]:
    """Yield the documents of one file or archive; what is damaged goes to `on_skip` with one reason.

    The metadata of a crawl's manifest is used while the file is unchanged.
    """
    if file.problem:
        on_skip(file.path, file.problem)
        return
    pages = _documents_of(file, on_skip, on_ignore)
    row = file.manifest_row
    if row is not None and os.path.isfile(file.path) and is_current(row, file.path):
        pages = (replace(page, document=with_manifest_metadata(page.document, row)) for page in pages)
    yield from pages


def _documents_of(file: SourceFile, on_skip: Notice, on_ignore: Notice) -> Iterator[ParsedDocument]:
    try:
        with archives.open_source(file.path) as (kind, stream):
            id = f"{file.source}/{file.name if kind else archives.plain_name(file.name)}"
            reader = _DocumentReader(file.path, id, file.source, file.stated_format, on_skip, on_ignore)
            if kind:
                yield from _ArchiveReader(reader).documents(kind, stream)
                return
            packed = file.size if file.format == "archive" else 0
            grouped = file.format == "archive" or formats.format_named(file.stated_format or file.format).parts
            folder_files = FolderFiles(file.root, file.parts if grouped else None)
            yield from reader.documents(stream, packed, SiblingFiles(file.name, folder_files))
    except DocumentError as error:
        on_skip(file.path, error.message_without(file.path))
    except archives.DAMAGE_ERRORS as error:
        why = archives.damage_reason(error)
        cut = Message("error.archive_cut", why=why)
        on_skip(file.path, cut if file.format == "archive" else Message("error.unreadable", reason=why))


@dataclass(slots=True)
class _ArchiveReader:
    """Reads an archive member by member. Files whose format needs siblings, and text that such a file may include, wait for the archive's end."""

    archive: _DocumentReader  # as if it were a document
    is_nested: bool = False  # an archive in an archive
    waiting_files: dict[str, bytes] = field(default_factory=dict)
    # Of the waiting files, by name; "" for one that may be a part
    formats: dict[str, str] = field(default_factory=dict)
    size: int = 0

    def documents(self, kind: str, stream: IO[bytes]) -> Iterator[ParsedDocument]:
        """Yield the documents. Raises one of DAMAGE_ERRORS after the documents before the damage."""
        if kind == ".zip" and (book := epub_book(stream, self.archive.path)) is not None:
            yield from self._book(book, stream)
            return
        try:
            for member in archives.archive_members(kind, stream, self.archive.path):
                yield from self._member(member)
        except (DocumentError, *archives.DAMAGE_ERRORS):
            yield from self._pending_documents()
            raise
        yield from self._pending_documents()

    def _book(self, book: EpubBook, stream: IO[bytes]) -> Iterator[ParsedDocument]:
        """Yield the pages of an EPUB in their order."""
        with zipfile.ZipFile(stream) as archive:
            for name in book.pages:
                info = archive.getinfo(name)
                with archive.open(info) as file:
                    head = file.read(formats.HEAD_BYTES)
                    page = self.archive.member(archives.safe_name(name))
                    format_name = page.stated_format or formats.recognise(page.id, head) or "html"
                    reader = replace(page, stated_format=format_name, is_single_file=True)
                    for found in reader.documents(_StreamWithHead(head, file), info.compress_size):
                        yield replace(found, document=book.with_book_metadata(found.document))

    def _member(self, member: archives.ArchiveMember) -> Iterator[ParsedDocument]:
        reader = self.archive.member(member.name)
        try:
            if not member.kind:
                yield from self._file(member, reader)
            elif self.is_nested:
                reader.on_ignore(reader.path, Message("unread.archive_in_archive"))
            else:
                yield from _ArchiveReader(reader, is_nested=True).documents(member.kind, member.stream)
        except archives.DAMAGE_ERRORS as error:
            if not member.is_packed_alone:
                raise
            reader.on_skip(reader.path, Message("unread.cut", why=archives.damage_reason(error)))

    def _file(self, member: archives.ArchiveMember, reader: _DocumentReader) -> Iterator[ParsedDocument]:
        head = member.stream.read(formats.HEAD_BYTES)
        name = reader.format_name(head)
        stream = _StreamWithHead(head, member.stream)
        if name and not formats.format_named(name).siblings:
            yield from reader.documents(stream, member.packed_size)
        elif not name and (why := formats.unreadable_reason(reader.id, head)) != formats.UNKNOWN:
            reader.on_ignore(reader.path, why)
        elif member.name not in self.waiting_files:
            try:
                data = archives.read_whole(stream, reader.path, member.packed_size)
            except DocumentError as error:
                reader.on_skip(reader.path, error.message_without(reader.path))
                return
            self.size += len(data)
            if self.size > archives.MAX_HELD_BYTES:
                yield from self._pending_documents()
                self.size = len(data)
            self.waiting_files[member.name], self.formats[member.name] = data, name

    def _pending_documents(self) -> Iterator[ParsedDocument]:
        """Yield the documents among the waiting files, and drop the files."""
        files, parts = FilesInMemory(self.waiting_files), set[str]()
        for format in dict.fromkeys(filter(None, self.formats.values())):
            names = [name for name, its in self.formats.items() if its == format]
            for name, its_parts in formats.format_named(format).documents(files, names).items():
                parts |= {name, *its_parts}
                stream = io.BytesIO(self.waiting_files[name])
                yield from self.archive.member(name).documents(stream, 0, SiblingFiles(name, files))
        for name, format in self.formats.items():
            if name not in parts:
                why = FORMER_VERSION if format else formats.UNKNOWN
                self.archive.on_ignore(f"{self.archive.path}!{name}", why)
        self.waiting_files.clear()
        self.formats.clear()


@dataclass(frozen=True, slots=True)
class _DocumentReader:
    """Reads one file. Damage to the stream is handled by the caller; damage to the document goes to `on_skip`."""

    path: str  # as shown to people
    id: str  # the document's id
    source: str
    stated_format: str  # the format that a person says it is in
    on_skip: Notice
    on_ignore: Notice
    is_single_file: bool = True  # not a member of an archive

    def member(self, name: str) -> _DocumentReader:
        """Return the reader of a member of the archive that this file is."""
        return replace(self, path=f"{self.path}!{name}", id=f"{self.id}/{name}", is_single_file=False)

    def format_name(self, head: bytes) -> str:
        """Return the name of the file's format, "" if it has none that is read."""
        stated = formats.accepted_format(self.stated_format, self.id, head, self.is_single_file)
        return stated or formats.recognise(self.id, head)

    def documents(
        self, stream: archives.ReadableStream, packed: int, siblings: SiblingFiles | None = None
    ) -> Iterator[ParsedDocument]:
        head = stream.read(formats.HEAD_BYTES)
        name = self.format_name(head)
        if not name:
            self.on_ignore(self.path, formats.unreadable_reason(self.id, head))
            return
        format = formats.format_named(name)
        whole = _StreamWithHead(head, stream)
        if format.streamed:
            skip, ignore = self._at(self.on_skip), self._at(self.on_ignore)
            for digest, found in format.read(whole, self.id, skip, ignore):
                yield self._parsed(digest, found, format)
        else:
            yield from self._read_at_once(whole, format, packed, siblings)

    def _at(self, notice: Notice) -> Notice:
        """Return a notice that takes a place within this file."""
        return lambda at, why: notice(self.path + at, why)

    def _read_at_once(
        self, stream: _StreamWithHead, format: formats.Format, packed: int, siblings: SiblingFiles | None
    ) -> Iterator[ParsedDocument]:
        try:
            data = archives.read_whole(stream, self.path, packed)
        except DocumentError as error:
            self._report(self.on_skip, error)
            return
        try:
            digest = hashlib.sha256(data).hexdigest()[:40]
            options = {}
            if format.siblings:
                own_siblings = siblings or SiblingFiles(PurePosixPath(self.id).name)
                options["siblings"] = replace(own_siblings, note=lambda reason: self.on_skip(self.path, reason))
            with _without_garbage_collection():
                read = list(format.read(data, path=self.id, **options))
            if not any(occurrences for _, occurrences in read):
                # A preamble looks like formulas; the LaTeX reader counts itself what it could not read.
                if format.name not in _COUNTS_UNREAD_ITSELF and formats.has_mathematics(data):
                    raise DocumentError("mathematics_unread", format=format.name)
                if format.needs_formulas:
                    raise NoArticle("no_mathematics")
            for found in read:
                if found[0].unread:
                    self.on_skip(self.path, found[0].unread)
                yield self._parsed(digest, found, format)
        except DocumentError as error:
            self._report(self.on_ignore if isinstance(error, NoArticle) else self.on_skip, error)
        except Exception as error:  # a fault of the reader on this document: the others are read
            self.on_skip(self.path, Message("error.unreadable", reason=short_text(error)))

    def _parsed(self, digest: str, found: DocumentFormulas, format: formats.Format) -> ParsedDocument:
        return ParsedDocument(self.path, digest, replace(found[0], source=self.source, format=format.name), found[1])

    def _report(self, to: Notice, error: DocumentError) -> None:
        to(self.path, error.message_without(self.path, self.id))


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Switch the garbage collector off: reading a document makes many objects that are all needed until its end."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _StreamWithHead:
    """A stream whose first bytes have been read: gives them again, and then the rest."""

    def __init__(self, head: bytes, stream: archives.ReadableStream) -> None:
        self._head, self._stream = head, stream

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return head or self._stream.read(size)
