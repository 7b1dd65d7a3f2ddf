"""The equalities of a chain: a = b = c says a = b and a = c."""

from __future__ import annotations

from functools import lru_cache

from bot.formula import clean

LINKS = 5  # of a chain a = b = c = …


@lru_cache(maxsize=100_000)
def links(tex: str) -> tuple[str, ...]:
    """Return the equalities of a chain, each from its first side: a = b = c gives a = b and a = c; () for no equation."""
    first, *others = sides(clean(tex))
    return tuple(f"{first}={side}" for side in others[:LINKS] if first.strip() and side.strip())


def sides(tex: str) -> list[str]:
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
