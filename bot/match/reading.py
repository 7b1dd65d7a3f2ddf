"""A formula as the recognition index sees it: its traits by channel and its keys."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import FormulaError
from bot.formula import Keys, keys
from bot.match.traits import traits


@dataclass(frozen=True, slots=True)
class Read:
    """What the index looks at."""

    channels: tuple[frozenset[str], ...]
    keys: Keys


def read(tex: str) -> Read | None:
    """Return what the index looks at; None where the formula has no tree."""
    try:
        return Read(traits(tex).channels, keys(tex))
    except FormulaError:
        return None
