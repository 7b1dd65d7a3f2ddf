"""Quantities and their letters: which are usual, which stand for one quantity, what stands alone on the left, which names state something."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files

from bot.formula import identifiers
from bot.match.item_labels import fold


def left_symbol(tex: str) -> str:
    """Return the one symbol before the first `=`, its accents and label scripts aside; "" for anything else there."""
    ends = [at for sign in ("=", r"\equiv", r"\coloneqq", r"\doteq") if (at := tex.find(sign)) > 0]
    if not ends:
        return ""
    side = tex[: min(ends)].strip().rstrip(":").strip()
    found = identifiers(side)
    alone = len(found) == 1 and not any(
        sign in side for sign in ("+", "-", "/", r"\frac", r"\int", r"\sum", r"\cdot", r"\nabla")
    )
    return found[0] if alone else ""


@lru_cache(maxsize=50_000)
def usual_symbols(name: str) -> tuple[str, ...]:
    """Return the usual symbols of the quantity whose name is the longest suffix of this one; () if none is known."""
    words = name.split()
    table = _quantities()
    for start in range(len(words)):
        if found := table.get(" ".join(words[start:])):
            return found
    return ()


@cache
def _companions() -> frozenset[frozenset[str]]:
    return frozenset(
        frozenset((one, other)) for symbols in _quantities().values() for one in symbols for other in symbols
    )


def same_quantity(one: str, other: str) -> bool:
    """Tell whether two letters are both usual for some quantity: A and S for an area."""
    return frozenset((one, other)) in _companions()


@cache
def _quantities() -> Mapping[str, tuple[str, ...]]:
    data = json.loads(files("bot.match").joinpath("symbols.json").read_text(encoding="utf-8"))
    return {
        fold(name): tuple(found for symbol in symbols for found in identifiers(symbol)[:1] or (symbol,))
        for name, symbols in data["quantities"].items()
    }
