"""Which format a file is in, by what stands in it and then by its name; and the reader of each format."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from bot.corpus.decode import is_binary
from bot.records import Document, Occurrence

Read = Iterator[tuple[Document, tuple[Occurrence, ...]]]
HEAD = 16_384  # bytes that a format is recognised by

# format: (module, function); modules are imported when the first file of the format is met.
READERS = {
    "cnxml": ("bot.corpus.cnxml", "read_cnxml"),
    "latexml": ("bot.corpus.latexml", "read_latexml"),
    "mediawiki_html": ("bot.corpus.mediawiki_html", "read_mediawiki_html"),
    "wikitext": ("bot.corpus.wikitext", "read_wikitext"),
}
STREAMED = "mediawiki_xml"  # a dump is read page by page, never whole

_HTML_NAMES = frozenset([".html", ".htm", ".xhtml", ".xht"])
_WIKI_NAMES = frozenset([".wiki", ".wikitext", ".mediawiki", ".mw"])
_KNOWN_NAMES = _HTML_NAMES | _WIKI_NAMES | {".cnxml"}
_BY_CONTENT: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    (
        "mediawiki_xml",
        re.compile(rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<mediawiki[\s>]|<page>\s*<title>)", re.S),
    ),
    ("cnxml", re.compile(rb"<(?:\w+:)?document\b[^>]*cnx\.rice\.edu/cnxml")),
    ("latexml", re.compile(rb"by LaTeXML|dlmf\.nist\.gov/LaTeXML|class=\"[^\"]*\bltx_")),
    (
        "mediawiki_html",
        re.compile(
            rb"content=\"MediaWiki|wgPageName|mw-parser-output|mwe-math-element|mw-content-text|\bmw:PageProp|class=\"mediawiki\b"
        ),
    ),
)
_MATHML = re.compile(rb"<(?:\w+:)?math\b[^>]*\balttext=|application/x-tex")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.I)
_WIKI_MARKS = tuple(
    re.compile(mark, re.M)
    for mark in (
        rb"\[\[[^\]\n]{1,200}\]\]",
        rb"\{\{[^{}]{1,500}\}\}",
        rb"'''[^'\n]{1,200}'''",
        rb"^==+[^=\n]+==+\s*$",
        rb"<math\b",
    )
)


def recognise(name: str, head: bytes) -> str:
    """Return the format of a file from its name and first bytes, or an empty string."""
    suffix = PurePosixPath(name).suffix.lower()
    if is_binary(head):
        return _by_name(suffix)  # the reader says that it is binary
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    for format, pattern in _BY_CONTENT:
        if pattern.search(head) and (format != "latexml" or b"<" in head[:200]) and not _is_source_code(suffix):
            return format
    if _HTML.search(head[:2048]) and (suffix in _HTML_NAMES or _MATHML.search(head)):
        return "latexml"
    marks = sum(bool(mark.search(head)) for mark in _WIKI_MARKS)
    if suffix in _WIKI_NAMES or (marks and suffix == ".txt") or (marks >= 3 and suffix in ("", ".text")):
        return "wikitext"
    return _by_name(suffix)


def reader(format: str) -> Callable[..., Read]:
    """Return the reader of a format; its module is imported now."""
    module, function = READERS[format]
    found: Callable[..., Read] = getattr(importlib.import_module(module), function)
    return found


def _by_name(suffix: str) -> str:
    if suffix not in _KNOWN_NAMES:
        return ""
    return "latexml" if suffix in _HTML_NAMES else "wikitext" if suffix in _WIKI_NAMES else "cnxml"


def _is_source_code(suffix: str) -> bool:
    return suffix in (
        ".py",
        ".tex",
        ".md",
        ".rst",
        ".js",
        ".json",
        ".jsonl",
        ".csv",
        ".bib",
        ".pl",
        ".toml",
        ".yaml",
        ".yml",
        ".css",
    )
