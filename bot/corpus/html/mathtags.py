"""Cut `<math>` elements out of a page before it is parsed: their trees are most of its bytes and only their TeX is wanted.

An element's TeX is its annotation or `alttext`; where it has none, or an `alttext` that is not TeX, its MathML is turned into it.

What stays is the page with a marker for each formula, so that a parser sees a twentieth of the bytes and no broken MathML.
"""

import html
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from bot.corpus.decode import decode, has_invalid_references, is_clean_utf8
from bot.corpus.mathml.mathml_scan import parse_attributes, scan_mathml
from bot.corpus.mathml.mathml_to_tex import lost_formula, mathml_equations
from bot.corpus.xml_parsing import replace_named_entities, xml_parser

# Private-use characters: a marker is MARKER_OPEN number MARKER_CLOSE. Pages that use them lose them.
MARKER_OPEN, MARKER_CLOSE = "\ue000", "\ue001"
MARKER = re.compile(f"{MARKER_OPEN}(\\d+){MARKER_CLOSE}")
_PRIVATE = re.compile("[\ue000-\ue01f]")
_PRIVATE_BYTE = b"\xee"  # the first of each in UTF-8
_OPEN_BYTES, _CLOSE_BYTES = (sign.encode().decode("latin-1") for sign in (MARKER_OPEN, MARKER_CLOSE))
_PRIVATE_ENTITY = re.compile("&#(?:x[eE]0[01][0-9a-fA-F]|573(?:4[4-9]|[56]\\d|7[0-5]));")
_NAMESPACE = re.compile(r"""xmlns:([\w.-]+)\s*=\s*["']http://www\.w3\.org/1998/Math/MathML["']""")
# An attribute may hold ">" as it is; HTML allows that.
_REST_OF_TAG = re.compile(r"""((?:[ \t\n\r\f\v][^>"']*+(?:(?:"[^"]*"|'[^']*')[^>"']*+)*+)?/?)>""")
# What LaTeXML writes of a formula, and nothing else.
_LATEXML = re.compile(
    r"""(?: id="[^"]*")? class="ltx_[^"]*" alttext="([^\s"&][^"]*)" display="(block|inline)"(?: xref="[^"]*")?>"""
)
_ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>/]+))""")
_ANNOTATION = re.compile(
    r"""<(?:\w+:)?annotation\b[^>]*encoding=["'](?:application/x-tex|LaTeX|TeX)["'][^>]*>(.*?)</(?:\w+:)?annotation>""",
    re.S | re.I,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_TAG = re.compile(r"<[^<>]*>")
_SPOKEN_WORDS = re.compile(r"[^\W\d_]{3,}\s+[^\W\d_]{2,}")
_INVISIBLE = re.compile("[\\s\u200b\u2060-\u2064]+")
SYSTEMS = ("\\begin{aligned}", "\\begin{array}")  # how a table of equations begins that is no chain
_LINE_JOIN = re.compile(r"(?<!\\)((?:\\\\)*)%\n\s*")


@dataclass(slots=True)
class MathTag:
    """One formula of a page: its TeX (may be empty), whether it is displayed, and the rows of a display that has several."""

    tex: str
    display: bool
    rows: tuple[str, ...] = ()
    inline: bool = False  # the page says that it is not displayed
    qid: str = ""  # of the item that its author tied it to
    lost: bool = False  # it shows a formula that cannot be read


def cut_math_from_bytes(data: bytes, path: str, otherwise: str = "") -> tuple[str, list[MathTag]]:
    """Return a page with a marker for each `<math>` element, and the elements; errors and `otherwise` as in `decode`.

    Undamaged UTF-8 is cut byte by byte, and what is not read of it never decoded: MathML is full of letters outside of the first plane,
    which make a text four times as long.
    """
    if is_clean_utf8(data) and _PRIVATE_BYTE not in data:
        read: list[bytes] = []

        def text(part: str) -> str:
            read.append(part.encode("latin-1"))
            return read[-1].decode()

        with suppress(UnicodeDecodeError):
            found = _cut_all_names(data.decode("latin-1"), _OPEN_BYTES, _CLOSE_BYTES, text)
            if not has_invalid_references(b" ".join(read)):
                return found
    return cut_math(decode(data, path, otherwise))


def cut_math(page: str) -> tuple[str, list[MathTag]]:
    """Return the page with a marker for each `<math>` element, and the elements."""
    return _cut_all_names(without_marker_characters(page), MARKER_OPEN, MARKER_CLOSE, str)


def _cut_all_names(page: str, opening: str, closing: str, text: Callable[[str], str]) -> tuple[str, list[MathTag]]:
    """Cut a page; `text` makes text of a part of it, and markers of `opening` and `closing`."""
    found: list[MathTag] = []
    page = _cut_named("math", page, opening, closing, text, found)
    for name in _prefixed_math_names(page):
        page = _cut_named(name, page, opening, closing, text, found)
    return text(page), found


def _cut_named(
    name: str, page: str, opening: str, closing: str, text: Callable[[str], str], found: list[MathTag]
) -> str:
    """Cut the elements of one name, which join those that were found."""
    before, *elements = page.split(f"<{name}")
    closing_tag = f"</{name}>"
    parts = [before]
    for element in elements:
        latexml = _LATEXML.match(element)
        tag = latexml or _REST_OF_TAG.match(element)
        if tag is None:  # <mathvariant> or a tag that never ends
            parts += (f"<{name}", element)
            continue
        inside = tag.end()
        # An element that is never closed ends with its start tag: the damage stays its own.
        end = -1 if not latexml and tag[1].endswith("/") else element.find(closing_tag, inside)
        if latexml:
            alttext, display = latexml.groups()
            tex = text(alttext)
            if "&" in alttext:
                tex = html.unescape(tex)
            math = MathTag(_join_lines(tex) if "%" in tex else tex, display == "block", (), display == "inline")
        else:
            math = _math_tag(name, text(tag[1]), lambda: text(element[inside:end] if end > inside else ""))  # noqa: B023
        parts += (f"{opening}{len(found)}{closing}", element[end + len(closing_tag) if end >= 0 else inside :])
        found.append(math)
    return "".join(parts)


class PlainMath(NamedTuple):
    """One plain formula of an XML document."""

    tex: str
    display: bool
    source: str  # what stands in its element

    @property
    def text(self) -> str:
        """Its bare characters."""
        return "".join(html.unescape(text).strip() for text in _TAG.split(self.source))


def cut_plain_math(source: str) -> tuple[str, list[PlainMath]]:
    """Return an XML document with a marker for each `<math>` outside of titles that is plain and no table, and these."""
    found: list[PlainMath] = []
    whole = source
    for name in (*_prefixed_math_names(source), "math"):
        prefix, opening, closing = name.removesuffix("math"), f"<{name}", f"</{name}>"
        before, *elements = source.split(opening)
        parts = [before]
        in_title = False
        for element in elements:
            if "title" in before:
                in_title = before.rfind("<title") > before.rfind("</title")
            inside, closed, after = element.partition(closing)
            tag = None if in_title or not closed else _REST_OF_TAG.match(inside)
            attributes = parse_attributes(tag[1]) if tag else None
            tex = None
            if tag and attributes is not None and "mathvariant" not in attributes:
                inside = inside[tag.end() :]
                tex = scan_mathml(inside, prefix)
            if tex is None or attributes is None or tex.startswith(SYSTEMS):
                parts += (opening, element)
                before = element
            else:
                parts += (f"{MARKER_OPEN}{len(found)}{MARKER_CLOSE}", after)
                before = after
                display = bool(attributes) and (
                    attributes.get("display") == "block" or attributes.get("mode") == "display"
                )
                found.append(PlainMath(tex, display, inside))
        source = "".join(parts)
    counts = source.count(MARKER_OPEN), source.count(MARKER_CLOSE)
    if "<![CDATA[" in source or counts != (len(found), len(found)) or _PRIVATE_ENTITY.search(source):
        return whole, []  # markup that is text, or characters that would be taken for markers
    return source, found


def without_marker_characters(text: str) -> str:
    """Return `text` without the private-use characters that markers are made of."""
    if not text.isascii() and _PRIVATE_BYTE in text.encode("utf-8", "surrogatepass"):  # a pattern alone is far slower
        text = _PRIVATE.sub("", text)
    return _PRIVATE_ENTITY.sub("", text) if "&#" in text else text


def _prefixed_math_names(page: str) -> list[str]:
    """Return how `math` is written on a page with the prefixes of its namespace."""
    names = (f"{prefix}:math" for prefix in dict.fromkeys(_NAMESPACE.findall(page)))
    return [name for name in names if f"<{name}" in page]


def _math_tag(name: str, attributes: str, inside: Callable[[], str]) -> MathTag:
    values = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(attributes)}
    display = values.get("display") == "block" or values.get("mode") == "display"
    inline = values.get("display") == "inline" or values.get("mode") == "inline"
    tex = html.unescape(values.get("alttext", ""))
    if "ltx_" not in values.get("class", "") and not _is_tex(tex, inside()):  # LaTeXML's is TeX, whatever is shown
        annotation = _ANNOTATION.search(inside())
        tex = html.unescape(annotation[1] if annotation else values.get("data-latex", ""))
    if not tex or tex.isspace():
        rows, lost = _equations_of_mathml(name, inside())
        return MathTag(" \\\\ ".join(rows), display or len(rows) > 1, tuple(rows), inline, lost=lost)
    return MathTag(_join_lines(tex), display, (), inline)


def _join_lines(tex: str) -> str:
    """Return TeX with its lines joined: LaTeXML breaks long ones as TeX does, with "%" at the end."""
    return _LINE_JOIN.sub(r"\1", tex)


def _is_tex(text: str, inside: str) -> bool:
    """Tell whether an `alttext` is TeX: it has commands, or no word that is not to be seen in the formula itself."""
    if not text or "\\" in text:
        return bool(text)
    visible = _INVISIBLE.sub("", html.unescape(_TAG.sub("", inside)))
    if not visible:
        return not _SPOKEN_WORDS.search(text)
    return all(word in visible for word in _WORD.findall(text))


def _equations_of_mathml(name: str, inside: str) -> tuple[list[str], bool]:
    """Return the equations of an element by what is in it, and whether it shows a formula that cannot be read."""
    prefix = name.rpartition(":")[0]
    # The rows of a table may be formulas of their own.
    if "mtable" not in inside and (tex := scan_mathml(inside, f"{prefix}:" if prefix else "")) is not None:
        return [tex] if tex else [], False
    spaces = f' xmlns{":" if prefix else ""}{prefix}="http://www.w3.org/1998/Math/MathML"'
    source = replace_named_entities(f"<{name}{spaces}>{inside}</{name}>")
    try:
        element = etree.fromstring(source.encode(), xml_parser(recover=True))
    except etree.XMLSyntaxError:
        return [], False
    if element is None:
        return [], False
    found = mathml_equations(element)
    return found, lost_formula(element, found)
