"""The tokens of a formula, those that mean the same under one name, and its identifiers."""

from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.tex.clean import clean
from bot.formula.tex.parsing import parse
from bot.formula.tex.symbols import WIDE
from bot.formula.tex.tokenizer import KINDS, tokenize

_DROPPED = frozenset(["{", "}", "&", "\\\\", "\\left", "\\right", "", "\\limits", "\\mathop"]) | WIDE


@lru_cache(maxsize=16384)
def tokens(tex: str) -> tuple[str, ...]:
    """Return canonical tokens in order: no braces, no styling, one name for each sign; () if the text cannot be tokenized."""
    try:
        found = tokenize(clean(tex))
    except FormulaError:
        return ()
    return tuple([_name(token) for token in found if token not in _DROPPED])


def _name(token: str) -> str:
    value = KINDS[token][1]
    return value if value and token[0] != "{" else token


@lru_cache(maxsize=16384)
def identifiers(tex: str) -> tuple[str, ...]:
    """Return the variables without their scripts, in order of first appearance; () if there is no tree."""
    try:
        formula = parse(tex)
    except FormulaError:
        return ()
    return tuple(dict.fromkeys(formula.variables()))
