"""A formula as a plain row: validity, the safe repair, and all keys."""

from typing import TypedDict

from bot.errors import FormulaError
from bot.formula.keys.levels import LEVELS, keys
from bot.formula.validity.check import check


class Description(TypedDict):
    """A row of `formula-bot formula`; without a tree, keys are empty and `why` says where the fault is."""

    tex: str
    valid: bool
    why: str
    mended: str
    keys: dict[str, str]


def describe(tex: str) -> Description:
    """Return the validity, the repaired form and the keys of a formula."""
    verdict = check(tex)
    row: Description = {"tex": tex, "valid": verdict.valid, "why": verdict.why, "mended": verdict.mended, "keys": {}}
    try:
        found = keys(tex)
    except FormulaError as error:
        return {**row, "why": verdict.why or str(error.message)}
    return {**row, "keys": {level: found.at(level) for level in LEVELS}}
