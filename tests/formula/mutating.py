"""What the keys must see through: for each way of writing a formula differently the key that is kept, and the share that the project promises."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bot.formula.generation.tex_pieces import without_needless_blanks
from bot.formula.generation.transformations import TRANSFORMATIONS

_PROMISED = {
    "over": ("K1", 0.995),
    "slash": ("K1", 0.99),  # f^* \sup ((1)/(N)) \sum and the like are ambiguous
    "grouped slash": ("K1", 0.99),
    "plain slash": ("K1", 0.995),
    "dfrac": ("K1", 0.995),
    "tfrac": ("K1", 0.995),
    "swapped sides": ("K1", 0.99),
    "to one side": ("K4", 0.97),
    "commuted terms": ("K1", 0.995),
    "reordered factors": ("K1", 0.99),
    "negative powers": ("K1", 0.95),
    "multiplication signs": ("K1", 0.99),
    "solved for another": ("K4", 0.97),
    "roots as powers": ("K1", 0.99),
    "exponential function": ("K2", 0.97),
    "notation of derivatives": ("K2", 0.85),
    "notation of vectors": ("K3", 0.99),
    "styling": ("K1", 1.0),
    "renaming": ("K5", 0.995),
    "label below": ("K3", 0.995),
    "index below": ("K3", 0.995),
    "label above": ("K3", 0.995),
    "upright label": ("K3", 0.995),
}


def _seeded(name: str) -> Callable[[str, int], str | None]:
    return lambda tex, seed: TRANSFORMATIONS[name](without_needless_blanks(tex), Random(seed))


MUTATIONS = {name: (level, floor, _seeded(name)) for name, (level, floor) in _PROMISED.items()}
