"""Plain MathML to TeX from its source, without a tree: what most formulas are. Of any other, only a parser can tell."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from typing import NamedTuple

from bot.corpus.mathml.mathml_rows import TexPiece
from bot.corpus.mathml.mathml_to_tex import made, piece, piece_alone

_TOKENS = re.compile(r"<[^>]*+>(?:[^<]*+</m(?:[inos]|text)>)?|[^<]+")  # a tag, with a leaf all of it
_LEAF = re.compile(r"<(m\w+)((?:\s[^<>/]*)?)>([^<>]*)</\1>")
_TAG = re.compile(r"<([a-z]+)((?:\s[^<>/]*)?)(/?)>")
_ATTRIBUTES = re.compile(r"""(?:\s+[A-Za-z][\w.-]*="[^"<>&]*")*\s*""")
_ATTRIBUTE = re.compile(r"""([\w.-]+)="([^"]*)\"""")
_ENTITY = re.compile("&(?:lt|gt|amp|quot|apos);")
_NOT_PLAIN = frozenset(["annotation", "mtable"])  # is taken as it stands; looks at the attributes of its cells
_DEEPEST = 100


class _Opening(NamedTuple):
    tag: str
    attributes: dict[str, str]


def scanned(inside: str, prefix: str = "") -> str | None:
    """Return the TeX of what stands in a `<math>` without attributes of its own, None where it is not plain.

    `prefix` is that of its namespace, with the colon. Plain are well-formed elements without tables, annotations, comments and rare entities.
    """
    return _scanned(inside.replace(f"<{prefix}", "<").replace(f"</{prefix}", "</") if prefix else inside)


@lru_cache(maxsize=16384)  # a book repeats its formulas
def _scanned(inside: str) -> str | None:
    around: list[tuple[list[TexPiece], _Opening, str]] = []
    parts: list[TexPiece] = []
    variant = ""
    for token in _TOKENS.findall(inside):
        found = _read(token, variant)
        if isinstance(found, TexPiece):
            parts.append(found)
        elif isinstance(found, _Opening):
            around.append((parts, found, variant))
            parts, variant = [], found.attributes.get("mathvariant") or variant
        elif found is None or (found and (not around or around[-1][1].tag != found or len(around) > _DEEPEST)):
            return None
        elif found:
            inner = tuple(parts)
            parts, (tag, attributes), variant = around.pop()
            parts.append(made(tag, attributes, inner))
    return None if around else piece("math", tuple(parts)).tex.strip()


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
    if opening is None or attributes is None or opening[1] in _NOT_PLAIN or (leaf and "&" in _ENTITY.sub("", leaf[3])):
        return None
    text = html.unescape(leaf[3]) if leaf else ""
    alone = piece_alone(opening[1], text, attributes.get("mathvariant") or variant, attributes)
    if leaf or opening[3]:
        return alone or made(opening[1], attributes, ())
    return None if alone else _Opening(opening[1], attributes)


@lru_cache(maxsize=4096)
def _attributes(source: str) -> dict[str, str] | None:
    """Return attributes by name, None where a parser might read them in another way."""
    found = _ATTRIBUTE.findall(source) if _ATTRIBUTES.fullmatch(source) else []
    return dict(found) if len(dict(found)) == source.count("=") else None
