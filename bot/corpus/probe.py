"""Is there anything to read at all? Asked before a workspace is made or touched."""

import os
from collections.abc import Sequence

from bot.corpus import CorpusListing, archives, list_sources, read, read_file
from bot.errors import DocumentError, SourceError

# Packed bytes up to which an archive is read to its end beforehand; a larger one is named when its end is missed.
MAX_BYTES = 256 * 2**20


def probe(sources: Sequence[str], format: str = "") -> CorpusListing:
    """Return what is there if the sources can be used; reads the first document, and archives named by themselves to their end.

    Raises SourceError for a source that is not there or empty, an archive that is cut off, or sources of which no
    document can be read; InputError for an unknown format.
    """
    named = {os.path.realpath(os.path.expanduser(str(source))) for source in sources}
    listing = list_sources(sources, format)
    for file in listing.files:
        if file.format == "archive" and file.size <= MAX_BYTES and os.path.realpath(file.path) in named:
            _read_to_the_end(file.path)
    if not any(True for file in listing.files for _ in read_file(file)):
        next(read(sources, format=format))  # raises, with the reason
    return listing


def _read_to_the_end(path: str) -> None:
    try:
        with archives.open_source(path) as (kind, stream):
            rest = archives.archive_members(kind, stream, path) if kind else iter(lambda: stream.read(2**20), b"")
            for _ in rest:
                pass
    except DocumentError:
        return  # beyond a limit, not damaged: reading it says so
    except archives.DAMAGE_ERRORS as error:
        raise SourceError("archive_cut", why=archives.damage_reason(error), where=path, todo="fetch_again") from None
