"""Which formulas can be concepts: the paper's selection (section 3.2, Data Selection), by structure instead of by string.

Its digit filter is left out: it hides every law with a ½ or a 4π. What is kept out instead are numeric instances.
"""

from __future__ import annotations

import re

from bot.discover.left_sides import sides
from bot.errors import FormulaError
from bot.formula import Keys, identifiers, keys
from bot.wikibase import MOST_CHARACTERS

KINDS = frozenset(("equation", "system"))
_NUMBER = re.compile(r"\d+(?:[.,]\d+)+|\d{2,}|\d")
_INEQUALITY = re.compile(r"[<>]|\\(?:leq?|geq?|l[et]slant|geqslant|ll|gg)(?![a-zA-Z])")
_DERIVATIVE = re.compile(r"\\d{1,3}ot(?![a-zA-Z])|'|\\prime")
_TEXT = re.compile(r"\\(?:text|mbox|textrm|mathrm|operatorname|rm)\s*\{[^{}]*\}")
_STYLED = re.compile(r"\\(?:vec|mathbf|hat|boldsymbol)|[{}\s]")
_SCRIPT = re.compile(r"[_^](?:\{[^{}]*\}|\\?\w)")


def keys_of(tex: str) -> Keys | None:
    """Return the keys of a formula, None for one that has no tree."""
    try:
        return keys(tex)
    except FormulaError:
        return None


def candidate(tex: str, kind: str, given: bool = False) -> bool:
    """Say whether a formula is an equation that could define something: no stub, no x = x(t), x = y, x = const, no numbers.

    Where the author names the formula itself (`given`), only numbers put in for symbols speak against it.
    """
    if given and kind in ("dependence", "assignment"):
        return len(tex) <= MOST_CHARACTERS and not numeric(tex)
    if kind == "assignment" and _DERIVATIVE.search(sides(tex)[0]):
        kind = "equation"  # a rate is no bare variable
    stated = kind in KINDS or (kind == "relation" and bool(_INEQUALITY.search(tex)))
    return stated and 3 <= len(tex) <= MOST_CHARACTERS and not numeric(tex)


def numeric(tex: str) -> bool:
    """Say whether numbers were put in for symbols, as in `v = 3 m/s` or `F = (2.0)(9.8) = 19.6`.

    Powers and indices are no such numbers, and a small whole number (½, 4π, 2g) is part of many a law.
    """
    left, right = sides(_TEXT.sub(" ", tex))
    if not right:
        return False
    symbols = set(identifiers(right))
    numbers = [n for n in _NUMBER.findall(_SCRIPT.sub(" ", right)) if len(n) > 2 or "." in n]
    if not symbols:
        several = len(set(identifiers(left))) > 1 or re.fullmatch(r"\W*0\W*", _STYLED.sub("", right))
        return (
            not several and bool(re.search(r"\d", right)) and not re.search(r"\\(?:nabla|partial|pi|hbar|infty)", right)
        )
    return len(numbers) >= max(1, len(symbols)) and (len(numbers) > 1 or "." in numbers[0])
