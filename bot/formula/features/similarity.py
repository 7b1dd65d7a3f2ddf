"""Tokens that mean the same have the same name, and how much two formulas have in common by them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.tex.clean import clean
from bot.formula.tex.parsing import parse
from bot.formula.tex.symbols import WIDE
from bot.formula.tex.tokenizer import KINDS, tokenize

_DROPPED = frozenset(["{", "}", "&", "\\\\", "\\left", "\\right", "", "\\limits", "\\mathop"]) | WIDE


@lru_cache(maxsize=16384)
def tokens(tex: str) -> tuple[str, ...]:
    """Return canonical tokens in order: no braces, no styling, one name for each sign; () for what has none."""
    try:
        found = tokenize(clean(tex))
    except FormulaError:
        return ()
    return tuple([_name(token) for token in found if token not in _DROPPED])


def _name(token: str) -> str:
    value = KINDS[token][1]
    return value if value and token[0] != "{" else token


def similarity(a: str, b: str) -> float:
    """Return the overlap of token 1- to 3-grams, 0 to 1."""
    left, right = _grams(a), _grams(b)
    union = (left | right).total()
    return (left & right).total() / union if union else 0.0


@lru_cache(maxsize=16384)
def _grams(tex: str) -> Counter[tuple[str, ...]]:
    found = tokens(tex)
    return Counter(found[i : i + n] for n in (1, 2, 3) for i in range(len(found) - n + 1))


@lru_cache(maxsize=16384)
def identifiers(tex: str) -> tuple[str, ...]:
    """Return the variables without their scripts, in order of first appearance; () for what has no tree."""
    try:
        formula = parse(tex)
    except FormulaError:
        return ()
    seen: dict[str, None] = {}
    for leaf in formula.variables():
        seen.setdefault(leaf)
    return tuple(seen)
