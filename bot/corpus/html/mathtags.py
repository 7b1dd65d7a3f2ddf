"""Cut `<math>` elements out of a page before it is parsed: their trees are most of its bytes and only their TeX is wanted.

An element's TeX is its annotation or `alttext`; where it has none, or an `alttext` that is no TeX, its MathML is turned into it.

What stays is the page with a marker for each formula, so that a parser sees a twentieth of the bytes and no broken MathML.
"""

import html
import re
from bisect import bisect
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree

from bot.corpus.decode import decode, is_plain_utf8
from bot.corpus.mathml.mathml_scan import scanned
from bot.corpus.mathml.mathml_to_tex import equations
from bot.corpus.xml_parsing import parser, with_characters

# Private-use characters: a marker is OPEN number CLOSE. Pages that use them lose them.
OPEN, CLOSE = "\ue000", "\ue001"
MARKER = re.compile(f"{OPEN}(\\d+){CLOSE}")
_PRIVATE = re.compile("[\ue000-\ue01f]")
_PRIVATE_BYTE = b"\xee"  # the first of each in UTF-8
_OPEN_BYTES, _CLOSE_BYTES = (sign.encode().decode("latin-1") for sign in (OPEN, CLOSE))
_PRIVATE_ENTITY = re.compile("&#(?:x[eE]0[01][0-9a-fA-F]|573(?:4[4-9]|[56]\\d|7[0-5]));")
_ENTITY_OF_MARKER = re.compile(rb"&#(?:[xX]0*[eE]0|0*573)")
_NAMESPACE = re.compile(r"""xmlns:([\w.-]+)\s*=\s*["']http://www\.w3\.org/1998/Math/MathML["']""")
# An attribute may hold ">" as it is; HTML allows that.
_REST = re.compile(r"""((?:[ \t\n\r\f\v][^>"']*+(?:(?:"[^"]*"|'[^']*')[^>"']*+)*+)?/?)>""")
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))""")
_ANNOTATION = re.compile(
    r"""<(?:\w+:)?annotation\b[^>]*encoding=["'](?:application/x-tex|LaTeX|TeX)["'][^>]*>(.*?)</(?:\w+:)?annotation>""",
    re.S | re.I,
)
_WHOLE = (re.compile(r"<title\b.*?</title>", re.S), re.compile(r"<row\b.*?</row>", re.S))  # in XML
_WORD = re.compile(r"[^\W\d_]{2,}")
_TAG = re.compile(r"<[^<>]*>")
_SPOKEN = re.compile(r"[^\W\d_]{3,}\s+[^\W\d_]{2,}")
_UNSEEN = re.compile("[\\s\u200b\u2060-\u2064]+")
_LINE_JOIN = re.compile(r"(?<!\\)((?:\\\\)*)%\n\s*")


@dataclass(slots=True)
class MathTag:
    """One formula of a page: its TeX (may be empty), whether it is displayed, and the rows of a display that has several."""

    tex: str
    display: bool
    rows: tuple[str, ...] = ()
    inline: bool = False  # the page says that it is not displayed
    qid: str = ""  # of the item that its author tied it to


def cut_page(data: bytes, path: str, otherwise: str = "") -> tuple[str, list[MathTag]]:
    """Return a page with a marker for each `<math>` element, and the elements; errors and `otherwise` as in `decode`.

    Undamaged UTF-8 is cut byte by byte, and what is not read of it never decoded: MathML is full of letters outside of the first plane,
    which make a text four times as long.
    """
    if is_plain_utf8(data) and _PRIVATE_BYTE not in data and not _ENTITY_OF_MARKER.search(data):
        with suppress(UnicodeDecodeError):
            return _cut(data.decode("latin-1"), _OPEN_BYTES, _CLOSE_BYTES, lambda text: text.encode("latin-1").decode())
    return cut(decode(data, path, otherwise))


def cut(page: str) -> tuple[str, list[MathTag]]:
    """Return the page with a marker for each `<math>` element, and the elements."""
    return _cut(without_private(page), OPEN, CLOSE, str)


def _cut(page: str, opening: str, closing: str, text: Callable[[str], str]) -> tuple[str, list[MathTag]]:
    """Cut a page; `text` makes text of a part of it, and markers of `opening` and `closing`."""
    found: list[MathTag] = []
    for name in _names(page):
        parts: list[str] = []
        at = 0
        for start, attributes, inside, end, stop in _elements(page, name):
            parts += (page[at:start], f"{opening}{len(found)}{closing}")
            found.append(_math(name, text(attributes), lambda: text(page[inside:end] if end > inside else "")))  # noqa: B023
            at = stop
        page = "".join((*parts, page[at:]))
    return text(page), found


def cut_plain(source: str) -> tuple[str, list[str]]:
    """Return an XML document with a marker in each `<math>` outside of titles that is plain, and the TeX of these.

    In the row of a table the marker is followed by the text of the formula, which may be part of a name.
    """
    found: list[str] = []
    if "<![CDATA[" in source or OPEN in source or CLOSE in source or _PRIVATE_ENTITY.search(source):
        return source, found
    for name in _names(source):
        titles, rows = ([place for each in whole.finditer(source) for place in each.span()] for whole in _WHOLE)
        parts: list[str] = []
        at = 0
        for start, attributes, inside, end, _ in _elements(source, name):
            if end < 0 or "mathvariant" in attributes or bisect(titles, start) % 2:
                continue
            prefix = name.removesuffix("math")
            if (tex := scanned(source[inside:end], prefix)) is not None:
                parts += (source[at:inside], f"{OPEN}{len(found)}{CLOSE}")
                if bisect(rows, start) % 2:
                    texts = [html.unescape(text).strip() for text in _TAG.split(source[inside:end])]
                    parts.append(f"<{prefix}mtext>{html.escape(''.join(texts), quote=False)}</{prefix}mtext>")
                found.append(tex)
                at = end
        source = "".join((*parts, source[at:]))
    return source, found


def without_private(text: str) -> str:
    """Return `text` without the private-use characters that markers are made of."""
    if not text.isascii() and _PRIVATE_BYTE in text.encode("utf-8", "surrogatepass"):  # a pattern alone is far slower
        text = _PRIVATE.sub("", text)
    return _PRIVATE_ENTITY.sub("", text) if "&#" in text else text


def _names(page: str) -> list[str]:
    """Return how `math` is written on a page, with and without the prefix of its namespace."""
    names = ("math", *(f"{prefix}:math" for prefix in dict.fromkeys(_NAMESPACE.findall(page))))
    return [name for name in names if f"<{name}" in page]


def _elements(page: str, name: str) -> Iterator[tuple[int, str, int, int, int]]:
    """Yield for each `<math>` its start, attributes, start and end of what is in it, and end; -1 is the end inside of one that is never closed.

    Plain string search: five times as fast as one regular expression for all names.
    """
    opening, closing = f"<{name}", f"</{name}>"
    start = page.find(opening)
    while start >= 0:
        tag = _REST.match(page, start + len(opening))
        following = page.find(opening, tag.end() if tag else start + len(opening))
        if tag:  # not <mathvariant> or a tag that never ends
            inside, attributes = tag.end(), tag[1]
            end = (
                -1
                if attributes.endswith("/")
                else page.find(closing, inside, following if following >= 0 else len(page))
            )
            # An element that is never closed ends with its start tag: the damage stays its own.
            yield start, attributes, inside, end, end + len(closing) if end >= 0 else inside
        start = following


def _math(name: str, attributes: str, inside: Callable[[], str]) -> MathTag:
    values = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(attributes)}
    display = values.get("display") == "block" or values.get("mode") == "display"
    inline = values.get("display") == "inline" or values.get("mode") == "inline"
    tex = html.unescape(values.get("alttext", ""))
    if "ltx_" not in values.get("class", "") and not _is_tex(tex, inside()):  # LaTeXML's is TeX, whatever is shown
        annotation = _ANNOTATION.search(inside())
        tex = html.unescape(annotation[1] if annotation else values.get("data-latex", ""))
    if not tex or tex.isspace():
        rows = _converted(name, inside())
        return MathTag(" \\\\ ".join(rows), display or len(rows) > 1, tuple(rows), inline)
    # LaTeXML breaks long lines as TeX does, with "%" at the end.
    return MathTag(_LINE_JOIN.sub(r"\1", tex) if "%" in tex else tex, display, (), inline)


def _is_tex(text: str, inside: str) -> bool:
    """Tell whether an `alttext` is TeX: it has commands, or no word that is not to be seen in the formula itself."""
    if not text or "\\" in text:
        return bool(text)
    seen = _UNSEEN.sub("", html.unescape(_TAG.sub("", inside)))
    if not seen:
        return not _SPOKEN.search(text)
    return all(word in seen for word in _WORD.findall(text))


def _converted(name: str, inside: str) -> list[str]:
    prefix = name.rpartition(":")[0]
    # The rows of a table may be formulas of their own.
    if "mtable" not in inside and (tex := scanned(inside, f"{prefix}:" if prefix else "")) is not None:
        return [tex] if tex else []
    spaces = f' xmlns{":" if prefix else ""}{prefix}="http://www.w3.org/1998/Math/MathML"'
    source = with_characters(f"<{name}{spaces}>{inside}</{name}>")
    try:
        element = etree.fromstring(source.encode(), parser(recover=True))
    except etree.XMLSyntaxError:
        return []
    return [] if element is None else equations(element)
