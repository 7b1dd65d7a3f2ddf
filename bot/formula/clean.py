"""A formula as it stands in a page or a database, to the TeX that is meant: entities, wrappers and trailing marks off."""

from __future__ import annotations

import html
import re
from functools import lru_cache

_STYLE = r"\\(?:displaystyle|textstyle|scriptstyle|scriptscriptstyle)(?![A-Za-z])"
_WRAPPED = re.compile(rf"^\{{\s*(?:{_STYLE}\s*)+(.*)\}}$", re.S)
_LEADING = re.compile(rf"^(?:{_STYLE}|\\[,;:!> ]|~|\\(?:quad|qquad)(?![A-Za-z])|\s)+")
_TRAILING = re.compile(r"(?:\s|~|[.,;]|(?<!\\)\\[,;:!> ]|\\(?:quad|qquad)(?![A-Za-z])|(?<!\\)\\$|\\\\$)+$")
MAX_LENGTH = 100_000  # longer is no formula; the parser says so
_DOLLARS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_LINE_END = re.compile(r"%[ \t]*\r?\n")


@lru_cache(maxsize=16384)
def clean(tex: str) -> str:
    """Return the formula without entities, math delimiters, an outer style group, and edge blanks and punctuation.

    Idempotent. What stands inside the formula is not touched.
    """
    text = tex
    if len(tex) > MAX_LENGTH:
        return tex
    for _ in range(8):  # a wrapper may hold a wrapper; pages that escape twice exist, ten times do not
        before = text
        text = _unwrapped(text)
        if text == before:
            return text
    return text


def _unwrapped(text: str) -> str:
    if "&" in text and ";" in text:
        text = html.unescape(text)
    if "%" in text:
        text = _LINE_END.sub("", text)
    text = _LEADING.sub("", text)
    trimmed = _TRAILING.sub("", text)
    if trimmed.endswith("\\right"):
        trimmed = text[
            : len(trimmed) + len(text[len(trimmed) :]) - len(text[len(trimmed) :].lstrip()) + 1
        ]  # the dot is its delimiter
    if trimmed.endswith("\\") and not trimmed.endswith("\\\\"):
        trimmed += text[len(trimmed) : len(trimmed) + 1]  # never cut a control symbol in two
    text = trimmed.strip()
    for start, end in _DOLLARS:
        if text.startswith(start) and text.endswith(end) and len(text) >= len(start) + len(end):
            inner = text[len(start) : len(text) - len(end)]
            if start not in inner:
                return inner.strip()
    wrapped = _WRAPPED.match(text)
    if wrapped and _closes_at_end(text):
        return wrapped.group(1).strip()
    return text


def _closes_at_end(text: str) -> bool:
    """Tell whether the brace that opens at 0 is the one that closes last."""
    depth = 0
    for found in re.finditer(r"\\.|[{}]", text, re.S):
        sign = found.group()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return found.end() == len(text)
    return False
