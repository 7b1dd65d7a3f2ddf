"""Open plain and compressed files and the members of archives as streams, within limits; nothing is ever unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Protocol, cast

from bot.errors import CodedError, DocumentError
from bot.messages import Message

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_BYTES = 128 * 2**20  # of one document; the largest page of the collections we know has 30 MB
MAX_HELD_BYTES = 2**28  # of the members that wait because a document is made of several
MAX_MEMBERS = 5_000_000
# Unpacked to packed, above RATIO_CHECKED_FROM; text shrinks to a tenth, markup of formulas to a fiftieth
MAX_COMPRESSION_RATIO = 300
RATIO_CHECKED_FROM = 16 * 2**20
_CHUNK = 2**20

# What the libraries raise for data that is cut off or damaged.
DAMAGE_ERRORS = (
    EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
_SUFFIX_OF_MAGIC = {
    b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"PK\x03\x04": ".zip", b"PK\x05\x06": ".zip",
}  # fmt: skip


class ReadableStream(Protocol):
    """A stream of bytes that can be read."""

    def read(self, size: int = -1, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file, plain or out of an archive: its name without compression suffix, a stream, and its packed size."""

    name: str
    stream: IO[bytes]
    packed_size: int
    kind: str = ""  # ".tar" for an archive in the archive, as each paper is one in the bulk files of arXiv
    is_packed_alone: bool = False  # damage to it does not damage the archive


def compression_suffix(head: bytes) -> str:
    """Return ".gz", ".bz2", ".xz", ".zip", ".tar" or an empty string, by the first 512 bytes."""
    found = next((suffix for mark, suffix in _SUFFIX_OF_MAGIC.items() if head.startswith(mark)), "")
    return found or (".tar" if head[257:262] == b"ustar" else "")


class DamagedFile(CodedError, ValueError):
    """Damage found by this module rather than by a library."""


def damage_reason(error: BaseException) -> str | Message:
    """Return the reason of damage: our message, or a library's on one line."""
    if isinstance(error, DamagedFile):
        return error.message
    return " ".join(str(error).split())[:200] or type(error).__name__


def decompressed(stream: IO[bytes], suffix: str) -> io.BufferedIOBase:
    """Return a stream of the plain bytes of a compressed one."""
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=stream)
    if suffix == ".bz2":
        return bz2.BZ2File(stream)
    return lzma.LZMAFile(stream)


def plain_name(name: str) -> str:
    """Return the name without its compression suffix."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in (".gz", ".bz2", ".xz") else name


@contextmanager
def open_source(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    """Open a file; yield what is inside (".zip", ".tar" or "" for one document) and the stream of it."""
    with open(path, "rb") as file:
        suffix = compression_suffix(file.read(512))
        file.seek(0)
        if suffix in (".zip", ".tar", ""):
            yield suffix, file
            return
        with decompressed(file, suffix) as inner:
            buffered = io.BufferedReader(inner, 2**16)
            yield ".tar" if compression_suffix(buffered.peek(512)[:512]) == ".tar" else "", buffered


def archive_members(kind: str, stream: IO[bytes], path: str) -> Iterator[ArchiveMember]:
    """Yield the regular files of an archive in its own order, each to be read before the next is asked for.

    Raises one of DAMAGE_ERRORS where the archive is cut off; a tar without its end mark counts as cut off.
    """
    for count, member in enumerate(_zip(stream) if kind == ".zip" else _tar(stream), 1):
        if count > MAX_MEMBERS:
            raise DocumentError("many_members", most=MAX_MEMBERS, where=path, todo="split")
        yield member


def read_whole(stream: ReadableStream, path: str, packed: int = 0) -> bytes:
    """Return all bytes of one document. Raises DocumentError when it is beyond the limits (a zip bomb)."""
    parts, size = [], 0
    while part := stream.read(2**20):
        size += len(part)
        if size > MAX_BYTES:
            raise DocumentError("large_unpacked", most=MAX_BYTES >> 20, where=path, todo="split")
        if packed and size > RATIO_CHECKED_FROM and size > packed * MAX_COMPRESSION_RATIO:
            raise DocumentError("archive_bomb", most=MAX_COMPRESSION_RATIO, where=path)
        parts.append(part)
    return b"".join(parts)


def limited_lines(stream: ReadableStream, most: int) -> Iterator[bytes | None]:
    """Yield the lines of a stream, None for one of more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    while chunk := stream.read(_CHUNK):
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield b"".join([*parts, end]) if size + len(end) <= most else None
            parts, size = [], 0
        size += len(rest)
        if size <= most:
            parts.append(rest)
    if size:
        yield b"".join(parts) if size <= most else None


def safe_name(name: str) -> str:
    """Return a member's name as a path that stays inside: no root, drive or `..`."""
    parts = [
        part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..") and not part.endswith(":")
    ]
    return "/".join("".join(c for c in part if c.isprintable()) for part in parts)


def _zip(stream: IO[bytes]) -> Iterator[ArchiveMember]:
    with zipfile.ZipFile(stream) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                with archive.open(info) as file:
                    yield from _opened_member(info.filename, file, info.compress_size)


def _tar(stream: IO[bytes]) -> Iterator[ArchiveMember]:
    watched = _CountingStream(stream)
    with tarfile.open(fileobj=watched, mode="r|") as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isreg() else None
            if file is not None:
                yield from _opened_member(info.name, file, info.size)
    if watched.total % 512:
        raise DamagedFile("archive_ends_in_block")


def _opened_member(name: str, file: IO[bytes], size: int) -> Iterator[ArchiveMember]:
    """A member may itself be packed (page.xml.gz), or a tar; a zip inside an archive is not opened."""
    buffered = io.BufferedReader(cast(io.RawIOBase, file), 2**16)
    suffix = compression_suffix(buffered.peek(512)[:512])
    if suffix in (".gz", ".bz2", ".xz"):
        inner = io.BufferedReader(cast(io.RawIOBase, _SizeLimitedStream(decompressed(buffered, suffix), size)), 2**16)
        try:
            kind = ".tar" if compression_suffix(inner.peek(512)[:512]) == ".tar" else ""
        except DAMAGE_ERRORS:
            kind = ""  # reading it will raise
        yield ArchiveMember(safe_name(plain_name(name)), inner, size, kind, is_packed_alone=True)
    else:
        yield ArchiveMember(safe_name(name), buffered, size, suffix if suffix == ".tar" else "")


class _SizeLimitedStream(io.RawIOBase):
    """A packed member, read up to a size that no real one has: a decompression bomb ends here."""

    def __init__(self, stream: io.BufferedIOBase, packed: int) -> None:
        self._stream, self.remaining = stream, max(RATIO_CHECKED_FROM, packed * MAX_COMPRESSION_RATIO)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer).cast("B")
        data = self._stream.read1(len(room))
        self.remaining -= len(data)
        if self.remaining < 0:
            raise DamagedFile("archive_bomb", most=MAX_COMPRESSION_RATIO)
        room[: len(data)] = data
        return len(data)


class _CountingStream(io.RawIOBase):
    """Counts the bytes that a tar reader gets, since it takes a short last block for the end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.total = stream, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.total += len(data)
        return data
