"""Safe mends: spellings that a wiki refuses, rewritten into ones it accepts that are set alike and mean the same."""

from collections.abc import Callable

from bot.formula.tex.clean import clean
from bot.formula.validity.repair_macros import repair_delimiters, repair_macros, without_layout, without_spacing
from bot.formula.validity.repair_structure import (
    repair_delimiter_pairs,
    repair_environments,
    repair_fractions,
    repair_tables,
    wrap_system,
)
from bot.formula.validity.repair_words import repair_characters, repair_text_groups

Rewrite = Callable[[str], str]
_GENTLE: tuple[Rewrite, ...] = (
    clean,
    repair_characters,
    without_layout,
    repair_tables,
    repair_environments,
    repair_delimiters,
    repair_text_groups,
    repair_macros,
)
_FIRMER: tuple[Rewrite, ...] = (wrap_system, repair_fractions, repair_delimiter_pairs)
_LAST: tuple[Rewrite, ...] = (without_spacing,)


def repairs(tex: str) -> tuple[str, ...]:
    """Return repaired forms to try in order, each changing more than the one before."""
    first = _spaced(_apply(tex, _GENTLE))
    second = _spaced(_apply(first, _FIRMER))
    third = _spaced(_apply(second, _LAST))
    return tuple(dict.fromkeys((first, second, third)))


def _apply(tex: str, rewrites: tuple[Rewrite, ...]) -> str:
    for rewrite in rewrites:
        tex = rewrite(tex)
    return tex


def _spaced(tex: str) -> str:
    return clean(" ".join(tex.split()))
