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
    "latexml": ("bot.corpus.html.latexml", "read_latexml"),
    "mediawiki_html": ("bot.corpus.html.mediawiki_html", "read_mediawiki_html"),
    "wikitext": ("bot.corpus.wikitext", "read_wikitext"),
}
STREAMED = "mediawiki_xml"  # a dump is read page by page, never whole

_HTML_NAMES = frozenset([".html", ".htm", ".xhtml", ".xht"])
_WIKI_NAMES = frozenset([".wiki", ".wikitext", ".mediawiki", ".mw"])
_BY_NAME = dict.fromkeys(_HTML_NAMES, "latexml") | dict.fromkeys(_WIKI_NAMES, "wikitext") | {".cnxml": "cnxml"}
# A page quoted in one of these is no page.
_OTHER_NAMES = frozenset(f".{name}" for name in "py tex md rst js json jsonl csv bib pl toml yaml yml css".split())
_BY_CONTENT = {
    format: re.compile(pattern)
    for format, pattern in {
        "mediawiki_xml": rb"(?s)\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<mediawiki[\s>]|<page>\s*<title>)",
        "cnxml": rb"<(?:\w+:)?document\b[^>]*cnx\.rice\.edu/cnxml",
        "latexml": rb"by LaTeXML|dlmf\.nist\.gov/LaTeXML|class=\"[^\"]*\bltx_",
        "mediawiki_html": rb"content=\"MediaWiki|wgPageName|mw-parser-output|mwe-math-element|mw-content-text|\bmw:PageProp|class=\"mediawiki\b",
    }.items()
}
_MATHML = re.compile(rb"<(?:\w+:)?math\b[^>]*\balttext=|application/x-tex")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.I)
_WIKI_MARKS = [
    re.compile(mark, re.M)
    for mark in (
        rb"\[\[[^\]\n]{1,200}\]\]",
        rb"\{\{[^{}]{1,500}\}\}",
        rb"'''[^'\n]{1,200}'''",
        rb"^==+[^=\n]+==+\s*$",
        rb"<math\b",
    )
]


def recognise(name: str, head: bytes) -> str:
    """Return the format of a file from its name and first bytes, or an empty string."""
    suffix = PurePosixPath(name).suffix.lower()
    if is_binary(head):
        return _BY_NAME.get(suffix, "")  # the reader says that it is binary
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    for format, pattern in _BY_CONTENT.items():
        if pattern.search(head) and (format != "latexml" or b"<" in head[:200]) and suffix not in _OTHER_NAMES:
            return format
    if _HTML.search(head[:2048]) and (suffix in _HTML_NAMES or _MATHML.search(head)):
        return "latexml"
    marks = sum(bool(mark.search(head)) for mark in _WIKI_MARKS)
    if suffix in _WIKI_NAMES or (marks and suffix == ".txt") or (marks >= 3 and suffix in ("", ".text")):
        return "wikitext"
    return _BY_NAME.get(suffix, "")


def reader(format: str) -> Callable[..., Read]:
    """Return the reader of a format; its module is imported now."""
    module, function = READERS[format]
    found: Callable[..., Read] = getattr(importlib.import_module(module), function)
    return found
