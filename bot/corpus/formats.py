"""The table of formats: what each is called, how its files are recognised, and the function that reads them.

A file is of the first format whose marks stand in its first bytes, unless its name says that it is something else;
a file without any marks is of the format that its name belongs to.
"""

import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from bot.corpus.decode import is_binary
from bot.corpus.siblings import FileCollection
from bot.errors import InputError
from bot.messages import Message
from bot.wikibase import Json

HEAD_BYTES = 16_384  # bytes that a format is recognised by
UNKNOWN = Message("unread.unknown")


@dataclass(frozen=True, slots=True)
class Format:
    """One format. Its description is the message `format.<name>`.

    `read(data, *, path)` yields the documents of a file, each with its formulas; with `siblings` it also gets a `SiblingFiles` of that name,
    the other files of the same folder or archive: `siblings.read("macros.tex")` gives the bytes of one or None,
    `siblings.home` is the file's own name among them. Members of an archive in such a format are held until its end.
    The function that `parts` names, called with (files, names), says which of the files in this format are documents, and
    which others each is made of (`bot.corpus.latex.project.documents`); without it each file is one. A `streamed` one is called with (stream, path, on_skip, on_ignore)
    and yields (digest, document with its formulas).
    """

    name: str
    reader: str  # "module:function", imported when the first file of the format is met
    names: tuple[str, ...] = ()  # how its files' names end
    matches: Callable[[bytes, str], object] = lambda head, suffix: False  # first bytes and suffix -> is it this format?
    by_name: bool = True  # a file of such a name is of this format even without its marks
    streamed: bool = False  # read piece by piece, never whole
    siblings: bool = False
    parts: str = ""  # "module:function"
    needs_formulas: bool = False  # prose of many kinds is written in it: a file without any formula is not a document

    @property
    def description(self) -> Message:
        """Return a description for users."""
        return Message(f"format.{self.name}")

    @property
    def read(self) -> Callable[..., Any]:
        """Return the reader; its module is imported now."""
        found: Callable[..., Any] = pkgutil.resolve_name(self.reader)
        return found

    def documents(self, files: FileCollection, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return those of the files that are documents, each with the other files that it is made of."""
        found: dict[str, tuple[str, ...]] = (
            pkgutil.resolve_name(self.parts)(files, names) if self.parts else {name: () for name in names}
        )
        return found


def _pattern(pattern: bytes, flags: int = 0) -> Callable[[bytes, str], object]:
    compiled = re.compile(pattern, flags)
    return lambda head, suffix: compiled.search(head)


def _xml(pattern: bytes) -> Callable[[bytes, str], object]:
    """Match a pattern in what begins as XML does: a program may quote any of it."""
    compiled = re.compile(pattern)
    return lambda head, suffix: head[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and compiled.search(head)


_SETTINGS = "bot.corpus.markdown.front_matter:settings_of_folder"
_HTML_NAMES = (".html", ".htm", ".xhtml", ".xht")
_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd", ".qmd", ".rmd", ".mdx", ".myst")
_WIKI_NAMES = (".wiki", ".wikitext", ".mediawiki", ".mw")
_HTML = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.I)
_LATEXML = re.compile(rb"by LaTeXML|dlmf\.nist\.gov/LaTeXML|class=\"[^\"]*\bltx_")
_LATEX = re.compile(
    rb"^[^%\n]*\\(?:document(?:class|style)\b\s*[\[{%]|begin\s*\{document\}|input\s+(?:harvmac|amstex|phyzzx|jnl)\b|magnification\s*=?\s*\\mag)",
    re.M,
)
_MATHML = re.compile(rb"<(?:\w+:)?math\b[^>]*\balttext=|application/x-tex")
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


def _latexml(head: bytes, suffix: str) -> bool:
    return bool(_LATEXML.search(head) and b"<" in head[:200])


def _page_with_tex(head: bytes, suffix: str) -> bool:
    return bool(_HTML.search(head[:2048]) and (suffix in _HTML_NAMES or _MATHML.search(head)))


def _wikitext(head: bytes, suffix: str) -> bool:
    marks = sum(bool(mark.search(head)) for mark in _WIKI_MARKS)
    return bool((marks and suffix == ".txt") or (marks >= 3 and suffix in ("", ".text")))


def _latex(head: bytes, suffix: str) -> bool:
    """Tell whether a file is LaTeX source, whatever its ending (arXiv has none); files that TeX writes are not sources."""
    return suffix not in (".sty", ".cls", ".dtx", ".ins", ".bbl", ".aux", ".log", ".toc") and bool(_LATEX.search(head))


def _enterprise(head: bytes, suffix: str) -> bool:
    named = b'"name"' in head and b'"url"' in head
    return named and head.lstrip().startswith(b"{") and bool(_ENTERPRISE.search(head))


_ENTERPRISE = re.compile(rb'"(?:article_body|in_language|is_part_of|date_modified)"\s*:')
# Comments are taken as they come: a comment that could end at any later --> would be tried with each.
_DUMP = rb"(?s)\A\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+(?:<mediawiki[\s>]|<page>\s*<title>)"
_MEDIAWIKI_PAGE = rb"content=\"MediaWiki|wgPageName|mw-parser-output|mwe-math-element|mw-content-text|\bmw:PageProp|class=\"mediawiki\b"

_JATS = (
    rb"(?s)<(?:\w+:)?(?:article|book|book-part|book-part-wrapper|pmc-articleset)\b"
    rb"(?=.*(?:JATS|BITS|NLM//DTD|<journal-meta|<article-meta|<book-meta|dtd-version=))"
)

_NOTEBOOK = rb"\A\s*\{(?s:.*)\"cell_type\"\s*:\s*\"(?:markdown|code|raw)\""
_FORMULA_ROW = rb"^(?:\xef\xbb\xbf)?[ \t]*\{(?=[^\n]*\"(?:tex|TeX|formula|latex)\"\s*:\s*\")[^\n]*"

# In the order in which they are asked: a format that is a kind of another one stands before it.
FORMATS = (
    Format("mediawiki_xml", "bot.corpus.mediawiki_xml:read_dump", matches=_pattern(_DUMP), streamed=True),
    Format("cnxml", "bot.corpus.cnxml:read_cnxml", (".cnxml",), _xml(rb"<(?:\w+:)?document\b[^>]*cnx\.rice\.edu/cnxml")),
    Format("jats", "bot.corpus.jats:read_jats", (".nxml", ".jats"), _xml(_JATS), by_name=False),
    Format("tei", "bot.corpus.tei:read_tei", (".tei",), _xml(rb"<(?:\w+:)?(?:TEI|teiCorpus)\b[^>]*tei-c\.org/ns|<TEI\.2\b"), by_name=False),
    Format("latexml_xml", "bot.corpus.latexml_xml:read_latexml_xml", (), _xml(rb"<(?:\w+:)?document\b[^>]*dlmf\.nist\.gov/LaTeXML"), by_name=False),
    Format("wikimedia_enterprise", "bot.corpus.wikimedia_enterprise:read_enterprise", (".ndjson", ".jsonl", ".json"), _enterprise, by_name=False, streamed=True),
    Format("latexml", "bot.corpus.html.latexml:read_latexml", _HTML_NAMES, _latexml, by_name=False),
    Format("mediawiki_html", "bot.corpus.html.mediawiki_html:read_mediawiki_html", _HTML_NAMES, _pattern(_MEDIAWIKI_PAGE), by_name=False),
    Format("html", "bot.corpus.html.html_page:read_html", _HTML_NAMES, _page_with_tex),
    Format("latex", "bot.corpus.latex.latex_reader:read_latex", (".tex", ".ltx", ".latex"), _latex, siblings=True, parts="bot.corpus.latex.project:documents"),
    Format("markdown", "bot.corpus.markdown.markdown_reader:read_markdown", _MARKDOWN_NAMES, siblings=True, parts=_SETTINGS, needs_formulas=True),
    Format("notebook", "bot.corpus.markdown.markdown_reader:read_notebook", (".ipynb",), _pattern(_NOTEBOOK), siblings=True, parts=_SETTINGS, needs_formulas=True),
    Format("rst", "bot.corpus.restructured_text:read_restructured_text", (".rst", ".rest"), siblings=True, parts="bot.corpus.restructured_text:documents", needs_formulas=True),
    Format("org", "bot.corpus.org:read_org", (".org",), siblings=True, parts="bot.corpus.org:documents", needs_formulas=True),
    Format("formula_rows", "bot.corpus.formula_rows:read_formula_rows", (".jsonl", ".ndjson", ".jsonlines"), _pattern(_FORMULA_ROW, re.M), by_name=False, streamed=True),
    Format("wikitext", "bot.corpus.wikitext:read_wikitext", _WIKI_NAMES, _wikitext),
)  # fmt: skip

# Code is left out: a shell's $$ and an example of markup are not mathematics of the text. So are an article's references, which are not read.
_NOT_TEXT = re.compile(
    rb"^[ \t]*(```|~~~).{0,20000}?^[ \t]*\1|`[^`\n]*`|<(pre|code|script)\b.{0,20000}?</\2>|<ref\b[^>]*(?<!/)>.{0,20000}?</ref>",
    re.M | re.S | re.I,
)
_MATHEMATICS = re.compile(
    rb"\\begin\s*\{(?:equation|align|alignat|eqnarray|gather|multline|flalign|displaymath|math)\*?\}"
    rb"|\$[^$]{0,400}?\\[a-zA-Z]{2,}|\\\[[^\]]{0,400}\\[a-zA-Z]{2,}|\\\([^)]{0,400}\\[a-zA-Z]{2,}"
    rb"|<(?:\w+:)?math\b|<(?:inline-formula|disp-formula|tex-math)\b|type=[\"']math/tex|:math:`|^\.\. math::|\{math\}`",
    re.M,
)

# What is written in files of these names is not a page, whatever it quotes.
_CODE = frozenset(
    f".{name}" for name in "py tex md rst js json jsonl csv bib pl toml yaml yml css c h cpp java sh".split()
)
_APPLE_DOUBLE = b"\x00\x05\x16\x07"  # what macOS says of a file `x` in `._x` beside it; DocOnce names pages like that
_PICTURES = frozenset(
    f".{name}" for name in "png jpg jpeg gif svg webp tif tiff bmp ico eps pdf_tex mp3 mp4 ogg webm wav".split()
)
_PICTURE_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"II*\0", b"MM\0*", b"BM")
# Formats from which another program makes one that we read: their first bytes, their names, and the advice.
_PANDOC = Message("convert.pandoc")
_UNSUPPORTED = (
    ("pdf", (b"%PDF-",), (), Message("convert.pdf")),
    ("postscript", (b"%!PS-Adobe", b"%!PS\n", b"%!PS\r"), (".ps",), Message("convert.scanned", tool="ps2pdf")),
    ("djvu", (b"AT&TFORM",), (), Message("convert.scanned", tool="ddjvu")),
    ("word", (b"PK",), (".docx", ".docm"), _PANDOC),
    ("opendocument", (b"PK",), (".odt", ".odp", ".fodt"), _PANDOC),
    ("powerpoint", (b"PK",), (".pptx", ".ppsx"), Message("convert.scanned", tool="LibreOffice")),
    ("old_office", (b"\xd0\xcf\x11\xe0",), (), Message("convert.docx")),
    ("rtf", (b"{\\rtf",), (), _PANDOC),
    # A page of DokuWiki begins with its title: six signs, with which no page of MediaWiki begins.
    ("dokuwiki", (b"====== ",), (), Message("convert.html", tool="do=export_xhtml")),
    # Text, which their names tell.
    ("tiddlywiki", (), (".tid",), Message("convert.html", tool="tiddlywiki --render")),
    ("asciidoc", (), (".adoc", ".asciidoc"), Message("convert.html", tool="asciidoctor")),
    ("pretext", (), (".ptx",), Message("convert.html", tool="pretext build")),
    ("typst", (), (".typ",), _PANDOC),
    ("lyx", (b"#LyX",), (".lyx",), Message("convert.lyx")),
)  # fmt: skip
# The container of an EPUB has a namespace of OpenDocument, and its pages quote anything.
_EPUB = b"mimetypeapplication/epub+zip"
_INSIDE_ZIP = ((b"vnd.oasis.opendocument", "opendocument"), (b"word/", "word"), (b"ppt/", "powerpoint"))


def format_named(name: str) -> Format:
    """Return the format with this name. Raises InputError for an unknown one."""
    found = next((each for each in FORMATS if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in FORMATS)
        raise InputError("no_form", form=repr(name), todo="known", known=names)
    return found


def format_rows() -> list[Json]:
    """Return a row for each format: its name, what it is in English, and how its files are named."""
    return [{"name": f.name, "description": str(f.description), "files": [*f.names]} for f in FORMATS]


def recognise(name: str, head: bytes) -> str:
    """Return the name of a file's format from its own name and first bytes, or an empty string."""
    suffix = PurePosixPath(name).suffix.lower()
    by_name = next((each.name for each in FORMATS if suffix in each.names and each.by_name), "")
    if needed_preparation(name, head):
        return ""
    if is_binary(head):
        return "" if head.startswith(_APPLE_DOUBLE) else by_name  # the reader says that it is binary
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    of_other_format = suffix in _CODE or any(suffix in each.names for each in FORMATS)
    for each in FORMATS:
        if (not of_other_format or suffix in each.names) and each.matches(head, suffix):
            return each.name
    return by_name


def has_mathematics(data: bytes) -> bool:
    """Tell whether a file without any formula found has marks of formulas outside of code and references."""
    return bool(_MATHEMATICS.search(data)) and bool(_MATHEMATICS.search(_NOT_TEXT.sub(b" ", data)))


def accepted_format(format: str, name: str, head: bytes, by_itself: bool) -> str:
    """Return `format`, as stated by a person, if the file can have it, else "".

    Of a folder or an archive it holds for files of any format that we know and for those that are named as its files
    are; never for a picture, or for what has to be converted first.
    """
    suffix = PurePosixPath(name).suffix.lower()
    if not format or unreadable_reason(name, head) != UNKNOWN:
        return ""
    return format if by_itself or suffix in format_named(format).names or recognise(name, head) else ""


def unreadable_reason(name: str, head: bytes) -> Message:
    """Return why a file's format is not read, and what converts it to one that is."""
    suffix = PurePosixPath(name).suffix.lower()
    if not head:
        return Message("unread.empty")
    if suffix in _PICTURES or head.startswith(_PICTURE_MAGIC):
        return Message("unread.picture")
    if preparation := needed_preparation(name, head):
        return preparation
    return Message("unread.binary") if is_binary(head) else UNKNOWN


def needed_preparation(name: str, head: bytes) -> Message | None:
    """Return how a file must be prepared before it can be read, None if it need not be."""
    suffix, inside = PurePosixPath(name).suffix.lower(), ""
    if head.startswith(b"PK") and _EPUB not in head[:100]:
        inside = next((kind for mark, kind in _INSIDE_ZIP if mark in head), "")
    for kind, magic, names, advice in _UNSUPPORTED:
        by_bytes = head.startswith(magic) and (kind == inside or suffix in names or b"PK" not in magic)
        if by_bytes or (not magic and suffix in names):
            return Message("unread.convert", kind=Message(f"filekind.{kind}"), advice=advice)
    return None
