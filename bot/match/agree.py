"""Whether two formulas state one concept, for an item whose name has been found: chains are read link by link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula import Comparison, clean, compare, identifiers

LINKS = 5  # of a chain a = b = c = …
# A short formula with other letters is the same concept only with a second sign. The name is one; this share of
# letters in common is asked for beside it (p = F/A and p = F/S, but not v = rω and v = s/t).
SHARED_LETTERS = 0.5
COUNTED = ("notation", "rearranged", "renamed")
_DIFFERENTIAL = re.compile(
    r"(?<![A-Za-z\\])d\s*(?:[A-Za-z]|\\(?!cdot|right|times|over|,|;|!)[a-z])|\\mathrm\s*\{\s*d\s*\}|\\int|frac\s*\{\s*d"
)
_DISTANCE = re.compile(r"(?<![A-Za-z\\])d(?![A-Za-z])")
_CONSTANT = re.compile(r"\\(?:text|mathrm|rm|operatorname)\s*\{\s*const(?:ant|\.)?\s*\}", re.IGNORECASE)
_INTEGRAL = re.compile(r"\\(?:oint|iint|iiint|oiint)(?![a-zA-Z])(?:\s*\\(?:no)?limits)?|\\int\s*\\(?:no)?limits")
_BOUND = re.compile(r"(\\int)\s*[_^]\s*(?:\{[^{}]*\}|\\[a-zA-Z]+|[^\s\\{])")
_UNIT_VECTOR = re.compile(
    r"\\hat\s*(?:\{\s*(?:\\(?:mathbf|boldsymbol|vec)\s*)?\{?\s*[a-z]\s*\}?\s*\}|[a-z]|\\mathbf\s*\{?[a-z]\}?)(?:\s*_\s*(?:\{[^{}]*\}|\w))?"
)


@lru_cache(maxsize=200_000)
def compared(a: str, b: str) -> Comparison | None:
    """Compare two formulas; None where one of them has no tree."""
    try:
        return compare(a, b)
    except FormulaError:
        return None


@lru_cache(maxsize=100_000)
def agree(a: str, b: str) -> Comparison | None:
    """Return the comparison by which two formulas of one name are one concept, or None.

    Whole against whole first; then any equality of a chain; then the right side where one of them is no equation.
    """
    for left, right in _ways(a, b):
        found = compared(left, right)
        if found and (found.same_concept or _named_alike(found, left, right)):
            return found
    return next((found for left, right in _ways(a, b) if (found := _plain_alike(left, right))), None)


def _ways(a: str, b: str) -> Iterator[tuple[str, str]]:
    yield a, b
    links_a, links_b = links(a), links(b)
    yield from ((x, y) for x in links_a for y in links_b if (x, y) != (a, b))
    if bool(links_a) != bool(links_b):
        chain, bare = (links_a, b) if links_a else (links_b, a)
        yield from ((side.partition("=")[2], bare) for side in chain)


def _plain_alike(a: str, b: str) -> Comparison | None:
    """Compare once more with domains of integration, unit vectors, an overall sign and the name of a constant aside."""
    left, right = plainer(a), plainer(b)
    if (left, right) == (a, b):
        return None
    found = compared(left, right)
    if found is None or not (found.same_concept or found.relation in COUNTED):
        return None
    return found if _letters_shared(left, right) else None


@lru_cache(maxsize=100_000)
def plainer(tex: str) -> str:
    """Return a formula without what texts of one concept differ in most."""
    text = _CONSTANT.sub(" C ", clean(tex))
    text = _INTEGRAL.sub(r"\\int ", text)
    text = _BOUND.sub(r"\1 ", _BOUND.sub(r"\1 ", text))
    text = _UNIT_VECTOR.sub(" ", text)
    if not _DIFFERENTIAL.search(text):
        text = _DISTANCE.sub(r"\\ell ", text)  # without any other differential, d is a distance
    text = re.sub(r"(?<=[A-Za-z])\s*\.\s*(?=[A-Za-z=]|$)", " ", text)
    return re.sub(r"=\s*-(?![^=]*[+-])", "=", text)


def _named_alike(found: Comparison, a: str, b: str) -> bool:
    return found.relation in COUNTED and _letters_shared(a, b)


def _letters_shared(a: str, b: str) -> bool:
    left, right = _letters(a), _letters(b)
    return bool(left) and len(left & right) >= SHARED_LETTERS * max(len(left), len(right))


def _letters(tex: str) -> frozenset[str]:
    return frozenset(symbol.casefold() for symbol in identifiers(tex))


@lru_cache(maxsize=100_000)
def links(tex: str) -> tuple[str, ...]:
    """Return the equalities of a chain, each from its first side: a = b = c gives a = b and a = c; () for no equation."""
    first, *others = _sides(clean(tex))
    return tuple(f"{first}={side}" for side in others[:LINKS] if first.strip() and side.strip())


def _sides(tex: str) -> list[str]:
    """Split at the equality signs that stand outside braces, brackets and environments."""
    sides, depth, start, at = [], 0, 0, 0
    text = tex.replace(r"\equiv", "=     ").replace(r"\coloneqq", "=        ")
    while at < len(text):
        char = text[at]
        if char == "\\":
            depth += text.startswith(r"\begin", at) - text.startswith(r"\end", at)
            at += 1 if text[at + 1 : at + 2].isalpha() else 2
            continue
        depth += (char in "{([") - (char in "})]")
        if char == "=" and depth <= 0:
            sides.append(text[start:at].rstrip(": "))
            start = at + 1
        at += 1
    return [*sides, text[start:]]
