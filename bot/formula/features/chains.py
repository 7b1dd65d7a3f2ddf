"""The equalities of a chain: a = b = c says a = b and a = c."""

from __future__ import annotations

from functools import lru_cache

from bot.formula import clean
from bot.formula.features.sides import ENVIRONMENTS, relations

LINKS = 5  # of a chain a = b = c = …


@lru_cache(maxsize=100_000)
def links(tex: str) -> tuple[str, ...]:
    """Return the equalities of a chain, each from its first side: a = b = c gives a = b and a = c; () for no equation."""
    first, *others = sides(clean(tex))
    return tuple(f"{first}={side}" for side in others[:LINKS] if first.strip() and side.strip())


def sides(tex: str) -> list[str]:
    """Split at the equality signs that stand outside braces, brackets and environments."""
    text = tex.replace(r"\equiv", "=     ").replace(r"\coloneqq", "=        ")
    found, start = [], 0
    for depth, sign in relations(text, "=", ENVIRONMENTS):
        if depth <= 0:
            found.append(text[start : sign.start()].rstrip(": "))
            start = sign.end()
    return [*found, text[start:]]
