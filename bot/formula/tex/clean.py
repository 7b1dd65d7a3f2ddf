"""A formula as it stands in a page or a database, to the TeX that is meant: entities, wrappers and trailing marks off."""

import html
import re
from functools import lru_cache

from bot.formula.tex.spelling.groups import end_of_group

_STYLE = r"\\(?:displaystyle|textstyle|scriptstyle|scriptscriptstyle)(?![A-Za-z])"
_WRAPPED = re.compile(rf"\{{\s*(?:{_STYLE}\s*)+(.*)\}}\Z", re.S)
_LEADING = re.compile(rf"(?:{_STYLE}|\\[,;:!> ]|~|\\(?:quad|qquad)(?![A-Za-z])|\s)+")
_WIDE = re.compile(r"\\q?quad\Z")
_DELIMITED = re.compile(r"\\(?:left|right)\s*\.\Z")
MAX_LENGTH = 100_000  # longer is not a formula; the parser says so
_ENVIRONMENTS = ("equation", "equation*", "displaymath", "math")
_DELIMITERS = (
    *(("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")),
    *[(f"\\begin{{{name}}}", f"\\end{{{name}}}") for name in _ENVIRONMENTS],
)
# Environments of rows around a formula that is one row: nothing is aligned. Of an array one cell alone: a row of several may be a matrix.
_ONE_ROW = re.compile(
    r"\\begin\{(?P<name>(?:align|gather|multline|eqnarray)\*?|aligned|gathered|split|array)\}(?:\[[bct]\])?(?P<row>.*)\\end\{(?P=name)\}",
    re.S,
)
_CELL = re.compile(r"\{[lcr]\}(?P<row>[^&]*)", re.S)  # the sides of an array's only column, and what it holds
_MORE_ROWS = re.compile(r"\\\\|\\(?:cr|[hc]line|hdashline)(?![A-Za-z])|\\begin\{")
_COLUMN = re.compile(r"(?<!\\)&")
_LINE_END = re.compile(r"\\.|%[ \t]*\r?\n", re.S)  # a % that ends its line; \% is a sign of the formula
_BLANKS = re.compile(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])|\s+")
_MARKS = ".,;~"
_SPACES = ",;:!> "  # after a backslash


@lru_cache(maxsize=16384)
def clean(tex: str) -> str:
    """Return the formula without entities, math delimiters, an outer style group, alignment of a single row, and edge blanks and punctuation.

    Idempotent. What stands inside the formula is not touched.
    """
    text = tex
    if len(tex) > MAX_LENGTH:
        return tex
    for _ in range(8):  # a wrapper may hold a wrapper; pages that escape twice exist, ten times do not
        before = text
        text = _without_delimiters(text)
        if text == before:
            return text
    return text


def without_blanks(tex: str) -> str:
    r"""Return the cleaned formula without blanks, but for one that ends a command before a letter: \sin hx is not \sinh x."""
    return _BLANKS.sub(lambda found: found[1] + " " if found[1] else "", clean(tex))


def _without_delimiters(text: str) -> str:
    if "&" in text and ";" in text:
        text = html.unescape(text)
    if "%" in text:
        text = _LINE_END.sub(lambda found: found[0] if found[0][0] == "\\" else "", text)
    if leading := _LEADING.match(text):
        text = text[leading.end() :]
    text = text[: _end_of_formula(text)]
    first = text[:1]
    if first == "$" or first == "\\":
        for start, end in _DELIMITERS:
            if text.startswith(start) and text.endswith(end) and len(text) >= len(start) + len(end):
                inner = text[len(start) : len(text) - len(end)]
                if start not in inner:
                    return inner.strip()
        if text.startswith("\\begin") and (found := _ONE_ROW.fullmatch(text)):
            return _without_columns(found["name"], found["row"].strip()) or text
    elif first == "{" and text[-1] == "}":
        wrapped = _WRAPPED.match(text)
        if wrapped and end_of_group(text, 0) == len(text):
            return wrapped[1].strip()
    return text


def _without_columns(environment: str, row: str) -> str:
    """Return what an environment of rows holds if it is one row, without its marks of columns; an empty string otherwise."""
    if environment == "array":
        cell = _CELL.fullmatch(row)
        row = cell["row"].strip() if cell else ""
    row = row[: _end_of_formula(row)]
    return "" if _MORE_ROWS.search(row) else _COLUMN.sub("", row)


def _end_of_formula(text: str) -> int:
    """Return where the formula ends before blanks, punctuation and row ends. Reading from the right is linear in the length of the tail."""
    end = len(text)
    while end:
        last = text[end - 1]
        if last == "\\":
            end -= 1
        elif last in _MARKS or last in _SPACES or last.isspace():
            escaped = _is_escaped(text, end - 1)
            if last in (".~" if escaped else ":!>"):
                return end  # \~ is an accent, and ! a sign of the formula
            if last == "." and _DELIMITED.search(text, max(0, end - 20), end):
                return end  # the dot is the delimiter of \right
            end -= 2 if escaped else 1
        elif last == "d" and (wide := _WIDE.search(text, max(0, end - 6), end)) and not _is_escaped(text, wide.start()):
            end = wide.start()
        else:
            return end
    return 0


def _is_escaped(text: str, at: int) -> bool:
    """Tell whether an odd number of backslashes is before this position."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return (at - start) % 2 == 1
