"""Equal at K4: which signs, numbers and constants were dropped, and whether that is only a choice of units."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from bot.formula.equivalence.analysed import Side
from bot.formula.equivalence.comparison import Comparison, listed
from bot.formula.keys.algebra import Polynomial, equation, exact, size
from bot.formula.keys.constants import is_constant, marked
from bot.formula.keys.levels import Keys
from bot.formula.normal.scripts import apart
from bot.formula.numeric.sampling import Verdict
from bot.formula.tex.tree import Node
from bot.messages import Message

_COUPLINGS = frozenset(["κ"])  # κ of one author is κ² of another


def up_to_units(one: Side, other: Side, level: str, sampled: Verdict | None) -> Comparison:
    """Return the comparison of two formulas that are equal at K4; the same concept only where units can make the difference."""
    left, right = one.keys, other.keys
    signs, numbers = _differences(one.nodes, other.nodes)
    squared = _parities(one.nodes) != _parities(other.nodes)
    differing = (("part.signs", signs), ("part.numbers", numbers), ("part.squares", squared))
    parts = [Message(code) for code, differs in differing if differs]
    moved = _units(left) != _units(right)
    unlike = sampled is not None and sampled.word == "unlike"
    if unlike and not parts and not moved and not _units(left) & _COUPLINGS:
        numbers = True
        parts.append(Message("part.factors"))
    values: dict[str, str | Message] = {"parts": listed(parts)} if parts else {}
    if moved:
        values["units"] = ", ".join(left.constants or right.constants)
    code = "note.one_side" + ("_to" if parts else "") + ("_units" if moved else "")
    same = not squared and _units_only(left, right, signs, numbers, moved)
    return Comparison("rearranged" if same else "variant", level, same, Message(code, **values), loose=True)


def _units(found: Keys) -> set[str]:
    """The constants that K4 left out; π comes with no unit."""
    return set(found.constants) - {"π"}


def _units_only(left: Keys, right: Keys, signs: bool, numbers: bool, units: bool) -> bool:
    """Constants may come and go with the units, and numbers with them; a sign or a number alone makes another formula (½mv² and mv²)."""
    if signs or left.leaves < 4 or right.leaves < 4:
        return False
    return units or not numbers


def _parities(nodes: list[Node]) -> list[bool]:
    """For every equation of two terms: are all its powers even, so that it says less than its root?"""
    found: list[bool] = []
    for node in nodes:
        if node.__class__ is tuple and node[0] == "rel" and len(node[2]) == 2:
            powers: list[Fraction] = []
            for side in node[2]:
                value = equation(side, is_constant)
                if value is None or len(value[1].terms) != 1:
                    break
                powers += [Fraction(power) for key, power in value[1].terms[0][1].items() if not is_constant(key)]
            else:
                found.append(bool(powers) and all(power % 2 == 0 for power in powers))
    return sorted(found)


def _differences(one: list[Node], other: list[Node]) -> tuple[bool, bool]:
    """Whether two systems equal at K4 differ in the signs of terms, and in numbers, once constants are gone."""
    signs: list[Counter[str]] = []
    numbers: list[Counter[str]] = []
    for nodes in (one, other):
        sign_texts: Counter[str] = Counter()
        number_texts: Counter[str] = Counter()
        for node in apart([marked(node) for node in nodes]):
            found = equation(node, is_constant)
            if found is not None:
                sign_texts[exact(found[0], _only_signs(found[1]))] += 1
                number_texts[exact(found[0], _only_sizes(found[1]))] += 1
        signs.append(sign_texts)
        numbers.append(number_texts)
    return signs[0] != signs[1], numbers[0] != numbers[1]


def _only_signs(found: Polynomial) -> Polynomial:
    return Polynomial([(1 if number > 0 else -1, powers) for number, powers in found.terms], found.atoms)


def _only_sizes(found: Polynomial) -> Polynomial:
    return Polynomial([(size(number), powers) for number, powers in found.terms], found.atoms)
