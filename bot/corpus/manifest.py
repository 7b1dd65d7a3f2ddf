"""The manifest of a crawl: one JSON line for each document, in a file beside the documents; what it says of a file goes into its Document.

Written by `bot.corpus.crawl`. A line further down replaces an earlier one of the same address; a last line that a kill
cut off is not a line.
"""

import dataclasses
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from bot.errors import SourceError
from bot.messages import Message, from_json, to_json, uncoded_message
from bot.records import Document
from bot.wikibase import Json

MANIFEST = "manifest.jsonl"
VANISHED = "vanished"
_FIRST_BYTES = b'{"url"'  # a line of ours, also where it was cut off
_REQUIRED_FIELDS = frozenset(["url", "path", "status"])  # a file without these in its first line is some other manifest


@dataclass(frozen=True, slots=True)
class ManifestRow:
    """The row of one document. An empty `path` means that it has no file."""

    url: str  # the address that was asked
    source: str = ""  # wikipedia, arxiv, http or sitemap
    final_url: str = ""  # the address that answered, after redirects
    permanent_url: str = ""  # what a reference cites: for a wiki's page the link to this very revision
    path: str = ""  # of the file, from the manifest's folder
    licence: str = ""
    revision: str = ""
    title: str = ""
    language: str = ""
    identifiers: tuple[tuple[str, str], ...] = ()
    day: str = ""  # ISO date on which the file's content was fetched
    checked: str = ""  # ISO time, UTC, of the last answer about it
    etag: str = ""
    last_modified: str = ""
    digest: str = ""  # SHA-256 of the file
    status: str = ""  # fetched, unchanged, vanished, forbidden, unusable, failed
    reason: str = ""  # of such a status, the English sentence
    message: Json | None = None  # the same as a code with values

    @property
    def status_message(self) -> Message:
        """Return the reason for the status as a translatable message."""
        return from_json(self.message) if self.message else uncoded_message(self.reason)

    def as_failed(self, status: str, why: Message) -> Self:
        """Return the row of a document that could not be had."""
        return dataclasses.replace(self, status=status, reason=str(why), message=to_json(why))

    @property
    def document_metadata(self) -> tuple[object, ...]:
        """Return all that goes into a Document."""
        about = (self.title, self.language, self.licence, self.identifiers, self.day)
        return (self.permanent_url, self.revision, self.digest, *about)


def read_manifest(path: Path) -> dict[str, ManifestRow] | None:
    """Return the rows by address, None for a file that is not a manifest of a crawl. Raises SourceError for a damaged line."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except OSError:
        return None
    rows: dict[str, ManifestRow] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            if number == 1 and not line.startswith(_FIRST_BYTES):
                return None
            break
        try:
            raw = msgspec.json.decode(line)
            if number == 1 and not (isinstance(raw, dict) and raw.keys() >= _REQUIRED_FIELDS):
                return None
            row = msgspec.convert(raw, ManifestRow)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            if number == 1:
                return None
            raise SourceError("no_manifest_line", where=f"{path}:{number}", todo="crawl_again") from None
        rows[row.url] = row
    return rows


class Manifests:
    """The manifests above the files of a corpus; each is read once."""

    def __init__(self) -> None:
        self._of: dict[Path, tuple[Path, dict[str, ManifestRow]] | None] = {}

    def row(self, path: str) -> ManifestRow | None:
        """Return the row of the file in the manifest of its folder, or of the nearest folder above; None if there is none."""
        real = Path(os.path.realpath(path))
        found = self._nearest_manifest(real.parent)
        return found[1].get(real.relative_to(found[0]).as_posix()) if found else None

    def _nearest_manifest(self, folder: Path) -> tuple[Path, dict[str, ManifestRow]] | None:
        if folder not in self._of:
            rows = read_manifest(folder / MANIFEST) if (folder / MANIFEST).is_file() else None
            if rows is not None:
                # Of two addresses of one file the row told last counts, and a living one before a vanished.
                latest_last = sorted(rows.values(), key=lambda row: (row.status != VANISHED, row.checked))
                self._of[folder] = folder, {row.path: row for row in latest_last if row.path}
            else:
                self._of[folder] = self._nearest_manifest(folder.parent) if folder != folder.parent else None
        return self._of[folder]


def is_current(row: ManifestRow, path: str) -> bool:
    """Tell whether the file is unchanged since the row was written."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == row.digest


def with_manifest_metadata(document: Document, row: ManifestRow) -> Document:
    """Return the document with the metadata of its row: title and language from the site, the rest where the file has none."""
    own = dict(document.identifiers)
    stated = tuple(pair for pair in row.identifiers if pair[0] not in own)
    return dataclasses.replace(
        document,
        title=row.title or document.title,
        language=row.language or document.language,
        licence=document.licence or row.licence,
        url=row.permanent_url if row.revision else document.url or row.permanent_url,
        identifiers=(*document.identifiers, *stated),
        retrieved=row.day,
    )
