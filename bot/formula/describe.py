"""Everything this room can say of one formula, as a plain row: validity, the safe mend, and all keys."""

from __future__ import annotations

from typing import Any

from bot.errors import FormulaError
from bot.formula.keys.levels import LEVELS, keys
from bot.formula.validity.check import check


def describe(tex: str) -> dict[str, Any]:
    """Return {"tex", "valid", "why", "mended", "keys"}; keys are empty, and `why` says where, if there is no tree."""
    verdict = check(tex)
    row = {"tex": tex, "valid": verdict.valid, "why": verdict.why, "mended": verdict.mended}
    try:
        found = keys(tex)
    except FormulaError as error:
        return {**row, "why": verdict.why or error.what, "keys": {}}
    return {**row, "keys": {level: found.at(level) for level in LEVELS}}
