"""Plain MathML to TeX from its source, without a tree: what most formulas are. Of any other, only a parser can tell."""

import html
import re
from functools import lru_cache
from typing import NamedTuple

from bot.corpus.mathml.content_mathml import CONTENT
from bot.corpus.mathml.mathml_elements import WITH_ATTRIBUTES, TableRows
from bot.corpus.mathml.mathml_rows import TexPiece, row
from bot.corpus.mathml.mathml_to_tex import made, piece, piece_alone

_TOKENS = re.compile(r"<[^<>]*+>(?:[^<]*+</m(?:[inos]|text)>)?|[^<]+|<")  # a tag, with a leaf all of it
_LEAF = re.compile(r"<(m\w+)((?:\s[^<>/]*)?)>([^<]*)</\1>")
_TAG = re.compile(r"<([a-z]+)((?:\s[^<>/]*)?)(/?)>")
_ATTRIBUTES = re.compile(r"""(?:\s+[A-Za-z][\w.-]*="[^"<>&]*")*\s*""")
_ATTRIBUTE = re.compile(r"""([\w.-]+)="([^"]*)\"""")
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|#(\d{2,6}|x[0-9a-fA-F]{2,5}));")
_EMPTY = re.compile(r"<(mt[dr])\b([^<>]*)/>")
_TABLE = {"mtable": "", "mtr": "mtable", "mtd": "mtr"}  # its parts, and what each stands in
_GROUPS = frozenset(["mrow", "mstyle", "mpadded"])
_CHANGED = frozenset(["", "^", "_", "'"])  # what a row begins with that holds more than its parts
_DEEPEST = 100


class _Opening(NamedTuple):
    tag: str
    attributes: dict[str, str]


def scanned(inside: str, prefix: str = "") -> str | None:
    """Return the TeX of what stands in a `<math>` without attributes of its own, None where it is not plain.

    `prefix` is that of its namespace, with the colon. Plain are well-formed elements without annotations, comments and rare entities.
    """
    return _scanned(inside.replace(f"<{prefix}", "<").replace(f"</{prefix}", "</") if prefix else inside)


@lru_cache(maxsize=16384)  # a book repeats its formulas
def _scanned(inside: str) -> str | None:
    around: list[tuple[list[TexPiece], _Opening, str]] = []
    parts: list[TexPiece] = []
    variant = ""
    tables: list[list[list[dict[str, str]]]] = []  # those that are open
    if "<mtable" in inside:
        inside = _EMPTY.sub(r"<\1\2></\1>", inside)
    for token in _TOKENS.findall(inside):
        found = _read(token, variant)
        if found.__class__ is TexPiece:
            parts.append(found)
        elif found.__class__ is _Opening:
            tag, attributes = found
            if tag in _TABLE:
                if tag == "mtable":
                    tables.append([])
                elif not around or around[-1][1].tag != _TABLE[tag]:
                    return None
                elif tag == "mtr":
                    tables[-1].append([])
                else:
                    tables[-1][-1].append(attributes)
            around.append((parts, found, variant))
            parts, variant = [], attributes.get("mathvariant") or variant
        elif found is None or (found and (not around or around[-1][1].tag != found or len(around) > _DEEPEST)):
            return None
        elif found:
            inner = tuple(parts)
            parts, (tag, attributes), variant = around.pop()
            if tag in _TABLE and tag != "mtd" and len(inner) != len(tables[-1] if tag == "mtable" else tables[-1][-1]):
                return None
            if tag in _GROUPS and len(inner) == 1 and inner[0].tex[:1] not in _CHANGED and inner[0].tag != "mspace":
                parts += inner  # a row of one
            elif tag == "mtable":
                parts.append(made(tag, TableRows(tables.pop(), attributes), inner))
            else:
                parts.append(made(tag, attributes, inner) if tag in WITH_ATTRIBUTES else piece(tag, inner))
    return None if around else row(parts).strip()


@lru_cache(maxsize=16384)
def _read(token: str, variant: str) -> TexPiece | _Opening | str | None:
    """Return the piece that a token is, the tag that it opens, the name of the one that it closes; "" for blanks, None for what is not plain."""
    if token[0] != "<":
        return None if "&" in token or ">" in token else ""  # between elements there is no text to read
    if token.startswith("</"):
        return token[2:-1] or None
    leaf, tag = _LEAF.fullmatch(token), _TAG.fullmatch(token)
    opening = leaf or tag
    attributes = _attributes(opening[2]) if opening else None
    if opening is None or attributes is None or opening[1] == "annotation" or opening[1] in CONTENT:
        return None
    text = _text(leaf[3]) if leaf else ""
    if text is None:
        return None
    alone = piece_alone(opening[1], text, attributes.get("mathvariant") or variant, attributes)
    if leaf or opening[3]:
        return alone or (None if opening[1] in _TABLE else made(opening[1], attributes, ()))
    return None if alone else _Opening(opening[1], attributes)


def _text(source: str) -> str | None:
    """Return the text of a leaf, None where parsers may differ."""
    if "]]>" in source or "&" in _ENTITY.sub("", source):
        return None
    text = html.unescape(source)
    for number in filter(None, _ENTITY.findall(source)):
        sign = chr(int(number[1:], 16) if number[0] == "x" else int(number))
        if sign < " " or not (sign.isprintable() or sign.isspace()) or html.unescape(f"&#{number};") != sign:
            return None
    return text


@lru_cache(maxsize=4096)
def _attributes(source: str) -> dict[str, str] | None:
    """Return attributes by name, None where a parser might read them in another way."""
    found = _ATTRIBUTE.findall(source) if _ATTRIBUTES.fullmatch(source) else []
    return dict(found) if len(dict(found)) == source.count("=") else None
