"""What a source hands to the run: the addresses of documents, and what an answer makes of one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

from bot.corpus.manifest import ManifestRow
from bot.lookup.exchange import HttpAnswer

_LONGEST_NAME = 200  # bytes; file systems take 255
_UNSAFE = re.compile(r'[/\\%:*?"<>|\x00-\x1f\x7f]|^\.')


@dataclass(frozen=True, slots=True)
class Target:
    """One document to ask for; `known` is what the source knows of it before it is asked."""

    url: str
    known: ManifestRow
    revision: str = ""  # that the site has now, where listing told it: the same one need not be fetched
    documented: bool = False  # an interface made for programs
    page: str = ""  # the address whose robots.txt rule counts for a documented interface
    depth: int = 0  # links from where the crawl began


@dataclass(frozen=True, slots=True)
class Received:
    """A document as it is kept: `row` has its path and all that the answer says."""

    row: ManifestRow
    data: bytes


class CrawlSource(Protocol):
    """One way of finding documents. `problems` are (address, why) of what could not be listed, while the rest could."""

    follows: bool  # whether documents link to others that are fetched too
    problems: list[tuple[str, str]]

    def targets(self) -> Iterable[Target]:
        """Yield the documents in a stable order. Raises LookupFailed where they cannot be listed."""
        ...

    def received(self, target: Target, answer: HttpAnswer) -> Received:
        """Return what a whole answer (status 200) is kept as. Raises Unread or LookupFailed."""
        ...

    def links(self, target: Target, row: ManifestRow, data: bytes) -> Iterator[Target]:
        """Yield the targets that a document links to which is kept already."""
        ...


def file_name(text: str, suffix: str = "") -> str:
    """Return a text as the name of a file: no separators, no dot in front, not too long."""
    name = _UNSAFE.sub(lambda found: quote(found[0], safe="").replace(".", "%2E"), text)
    if len((name + suffix).encode()) > _LONGEST_NAME:
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        name = name.encode()[: _LONGEST_NAME - len(suffix) - 9].decode("utf-8", "ignore") + "-" + digest
    return name + suffix
