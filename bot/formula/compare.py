"""How two formulas are related, in one word, with the key level at which they meet and a sentence a reviewer reads."""

from __future__ import annotations

from dataclasses import dataclass

from bot.errors import FormulaError
from bot.formula.clean import clean
from bot.formula.keys import LEVELS, Keys, keys

# Renamed formulas of fewer leaves coincide by chance (F = ma, V = IR): measured on the items of 2019.
MIN_LEAVES_RENAMED = 8
_RELATION = {
    "K0": "identical",
    "K1": "typographic",
    "K2": "notation",
    "K3": "notation",
    "K4": "rearranged",
    "K5": "renamed",
    "K6": "different",
}
_NOTE = {
    "K0": "the same tokens",
    "K1": "the same formula set differently",
    "K2": "the same formula in another notation",
    "K3": "equal without index and label scripts, shown arguments and vector marks",
    "K4": "equal after moving terms to one side and dropping numeric factors, signs and constants",
    "K5": "equal after renaming the variables",
    "K6": "of the same shape only",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`level` is the strictest key that both share ("" for none)."""

    relation: str
    level: str
    same_concept: bool
    note: str


def compare(a: str, b: str) -> Comparison:
    """Compare two formulas; what has no tree is only compared as a string."""
    if "".join(clean(a).split()) == "".join(clean(b).split()):
        return Comparison("identical", "K0", True, _NOTE["K0"])
    try:
        left, right = keys(a), keys(b)
    except FormulaError as error:
        return Comparison("different", "", False, f"one of them has no tree: {error}")
    for level in LEVELS:
        if left.at(level) == right.at(level):
            return Comparison(_RELATION[level], level, _same(level, left, right), _NOTE[level])
    return Comparison("different", "", False, "no key in common")


def _same(level: str, left: Keys, right: Keys) -> bool:
    if level in ("K0", "K1", "K2", "K3"):
        return True
    enough = min(left.leaves, right.leaves) >= MIN_LEAVES_RENAMED
    return enough and level in ("K4", "K5")
