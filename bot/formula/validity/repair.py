"""Safe repairs: spellings that a wiki refuses, rewritten into ones it accepts that are set alike and mean the same."""

from collections.abc import Callable, Iterator
from functools import reduce

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

# Each step changes more than the one before.
_STEPS: tuple[tuple[Callable[[str], str], ...], ...] = (
    (
        clean,
        repair_characters,
        without_layout,
        repair_tables,
        repair_environments,
        repair_delimiters,
        repair_text_groups,
        repair_macros,
    ),
    (wrap_system, repair_fractions, repair_delimiter_pairs),
    (without_spacing,),
)


def repairs(tex: str) -> Iterator[str]:
    """Yield repaired forms to try in order, those that a step changes."""
    for step in _STEPS:
        form = reduce(lambda tex, rewrite: rewrite(tex), step, tex)
        form = clean(" ".join(form.split()))
        if form != tex:
            yield form
        tex = form
