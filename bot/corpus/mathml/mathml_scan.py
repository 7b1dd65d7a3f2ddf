"""Plain MathML, which most formulas are, to TeX from its source without a tree; any other needs a parser."""

import html
import re
from functools import lru_cache
from typing import NamedTuple

from bot.corpus.mathml.content_mathml import CONTENT_TAGS
from bot.corpus.mathml.mathml_elements import ATTRIBUTE_BUILDERS, TableRows
from bot.corpus.mathml.mathml_rows import TexPiece, join_row
from bot.corpus.mathml.mathml_to_tex import (
    TOKEN_ELEMENTS,
    childless_piece,
    element_piece,
    group_piece,
    plain_element_piece,
)

_CLOSE = "\0"  # for "</", so that a part begins with each tag that opens; no text has it
_PART = re.compile(r"([a-z]+)((?:\s[^<>/]*)?)(/?)>([^<\0]*)((?:\0[a-z]+>[^<>&\0]*)*)")
_CLOSED = re.compile(r"\0([a-z]+)")
_ATTRIBUTES = re.compile(r"""(?:\s+[A-Za-z][\w.-]*="[^"<>&]*")*\s*""")
_ATTRIBUTE = re.compile(r"""([\w.-]+)="([^"]*)\"""")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#(\d{2,6}|x[0-9a-fA-F]{2,5}));")
_BETWEEN = re.compile("[^<>&\0]*")
_TABLE = {"mtable": "", "mtr": "mtable", "mtd": "mtr"}  # its parts, and what each stands in
_GROUPS = frozenset(["mrow", "mstyle", "mpadded"])
_CHANGED = frozenset(["", "^", "_", "'"])  # what a row begins with that holds more than its parts
_MAX_DEPTH = 100


class _StartTag(NamedTuple):
    tag: str
    attributes: dict[str, str]


class _Part(NamedTuple):
    """A token element or a tag that opens, and the names of the elements that close behind it."""

    first: TexPiece | _StartTag
    closed: tuple[str, ...]


@lru_cache(maxsize=16384)  # a book repeats its formulas
def scan_mathml(inside: str, prefix: str = "") -> str | None:
    """Return the TeX of the content of a `<math>` without attributes, None if it is not plain.

    `prefix` is that of its namespace, with the colon. Plain are well-formed elements without annotations, comments and rare entities.
    """
    before, *parts = inside.replace(f"</{prefix}", _CLOSE).split(f"<{prefix}")
    if not _BETWEEN.fullmatch(before):
        return None
    around: list[tuple[list[TexPiece], _StartTag, str]] = []
    pieces: list[TexPiece] = []
    variant = ""
    tables: list[list[list[dict[str, str]]]] = []  # those that are open
    for part in parts:
        token = _read(part, variant)
        if isinstance(token, TexPiece):
            pieces.append(token)
            continue
        if token is None:
            return None
        first, closed = token
        if isinstance(first, TexPiece):
            pieces.append(first)
        else:
            tag, attributes = first
            if tag in _TABLE:
                if tag == "mtable":
                    tables.append([])
                elif not around or around[-1][1].tag != _TABLE[tag]:
                    return None
                elif tag == "mtr":
                    tables[-1].append([])
                else:
                    tables[-1][-1].append(attributes)
            around.append((pieces, first, variant))
            pieces, variant = [], attributes.get("mathvariant") or variant
        for name in closed:
            if not around or around[-1][1].tag != name or len(around) > _MAX_DEPTH:
                return None
            inner = tuple(pieces)
            pieces, (tag, attributes), variant = around.pop()
            if tag in _TABLE and tag != "mtd" and len(inner) != len(tables[-1] if tag == "mtable" else tables[-1][-1]):
                return None
            if tag in _GROUPS and len(inner) == 1 and inner[0].tex[:1] not in _CHANGED and inner[0].tag != "mspace":
                pieces += inner  # a row of one
            elif tag in _GROUPS and not around:
                pieces.append(group_piece(inner))  # all of a formula, which comes once
            elif tag == "mtable":
                pieces.append(element_piece(tag, TableRows(tables.pop(), attributes), inner))
            elif tag in ATTRIBUTE_BUILDERS:
                pieces.append(element_piece(tag, attributes, inner))
            else:
                pieces.append(plain_element_piece(tag, inner))
    return None if around else join_row(pieces).strip()


@lru_cache(maxsize=16384)
def _read(part: str, variant: str) -> TexPiece | _Part | None:
    """Return a part, only its piece if nothing closes after it; None if it is not plain."""
    found = _PART.fullmatch(part)
    attributes = parse_attributes(found[2]) if found else None
    if found is None or attributes is None:
        return None
    tag, _, empty, inside, after = found.groups()
    closed = tuple(_CLOSED.findall(after))
    if tag == "annotation" or tag in CONTENT_TAGS:
        return None
    if token := tag in TOKEN_ELEMENTS and not empty:
        text = _text(inside) if closed[:1] == (tag,) else None
        closed = closed[1:]
    else:
        text = "" if _BETWEEN.fullmatch(inside) else None  # between elements there is no text to read
    if text is None:
        return None
    alone = childless_piece(tag, text, attributes.get("mathvariant") or variant, attributes)
    if alone or (empty and tag not in _TABLE):
        first = alone or element_piece(tag, attributes, ())
        return None if not token and not empty else _Part(first, closed) if closed else first
    return _Part(_StartTag(tag, attributes), (tag, *closed) if empty else closed)


def _text(source: str) -> str | None:
    """Return the text of a token element, None where parsers may differ."""
    if "]]>" in source or "&" in _ENTITY.sub("", source):
        return None
    text = html.unescape(source)
    for number in filter(None, _ENTITY.findall(source)):
        sign = chr(int(number[1:], 16) if number[0] == "x" else int(number))
        if sign < " " or not (sign.isprintable() or sign.isspace()) or html.unescape(f"&#{number};") != sign:
            return None
    return text


@lru_cache(maxsize=4096)
def parse_attributes(source: str) -> dict[str, str] | None:
    """Return attributes by name, None where a parser might read them in another way."""
    found = _ATTRIBUTE.findall(source) if _ATTRIBUTES.fullmatch(source) else []
    return dict(found) if len(dict(found)) == source.count("=") else None
