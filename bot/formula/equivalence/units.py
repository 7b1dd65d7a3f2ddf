"""Equal at K4: which signs, numbers and constants were dropped, and whether that is only a choice of units."""

from collections.abc import Callable, Iterable
from fractions import Fraction

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison, enumerated
from bot.formula.keys.algebra import equation, with_numbers
from bot.formula.keys.constants import is_constant, with_marked_constants
from bot.formula.keys.polynomial import CONSTANT_MARK, Number, Polynomial
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.numeric.sampling import SolutionVerdict
from bot.formula.tex.nodes import NormalNode, Relation
from bot.messages import Message

# In a shorter formula a constant is half of the content: without a bound, one more of the 352 labelled pairs of docs/compare.md is claimed falsely.
MIN_LEAVES_UNITS = 4
_FOURS = frozenset(Fraction(4) ** power for power in range(-3, 4))
ONE_IN_UNITS = frozenset(["c", "ħ", "k_B", "G"])  # constants that natural units set to one, and leave the numbers
_RATIONALISED = frozenset(["ε_0", "μ_0"])  # they come with 4π: a factor of 4, as π comes with no unit
_I = CONSTANT_MARK + "i"
_COUPLINGS = frozenset(["κ"])  # κ of one author is κ² of another


def compare_up_to_units(one: AnalysedFormula, other: AnalysedFormula, sampled: SolutionVerdict | None) -> Comparison:
    """Return the comparison of two formulas that are equal at K4; the same concept only where units can make the difference.

    Constants may come and go with the units, and numbers with 4π of electromagnetism or 8πG; a sign or a number alone makes another formula (½mv² and mv²).
    """
    left, right = one.keys, other.keys
    units, more_units = set(left.constants) - {"π"}, set(right.constants) - {"π"}  # π comes with no unit
    moved = units != more_units
    signs, numbers, ones = _signs_and_numbers(one.nodes)
    more_signs, more_numbers, more_ones = _signs_and_numbers(other.nodes)
    squares = _parities(one.nodes) != _parities(other.nodes)
    differing = {
        "part.signs": signs != more_signs,
        "part.numbers": numbers != more_numbers,
        "part.squares": squares,
    }
    unlike = sampled is not None and sampled.outcome == "unlike"
    if unlike and not any(differing.values()) and not moved and not units & _COUPLINGS:
        differing["part.factors"] = True
    if "i" in units | more_units and _phases(one.nodes) != _phases(other.nodes):
        differing["part.signs"] = True
    differs_in_units = units ^ more_units <= ONE_IN_UNITS and not (
        "G" in units ^ more_units and (numbers == ones or more_numbers == more_ones)
    )
    same = (
        not (squares or differing["part.signs"] or (differs_in_units and differing["part.numbers"]))
        and (moved or not any(differing.values()))
        and min(left.leaves, right.leaves) >= MIN_LEAVES_UNITS
        and not (
            differing["part.numbers"]
            and units ^ more_units <= _RATIONALISED
            and not _are_powers_of_four(one.nodes, other.nodes)
        )
    )
    parts = [Message(code) for code, differs in differing.items() if differs]
    values: dict[str, str | Message] = {"parts": enumerated(parts)} if parts else {}
    if moved:
        values["units"] = ", ".join(left.constants or right.constants)
    code = "note.one_side" + ("_to" if parts else "") + ("_units" if moved else "")
    return Comparison("rearranged" if same else "variant", "K4", same, Message(code, **values), loose=True)


def with_constants_apart(nodes: Iterable[NormalNode]) -> list[NormalNode]:
    """Return trees without needless scripts, their constants marked."""
    return without_needless_scripts(list(map(with_marked_constants, nodes)))


def equations_without_constants(nodes: Iterable[NormalNode]) -> list[tuple[str, Polynomial] | None]:
    """Return each equation without its constants as algebra has it; None where algebra does not apply to it."""
    return [equation(node, constants=False) for node in with_constants_apart(nodes)]


def _are_powers_of_four(one: list[NormalNode], other: list[NormalNode]) -> bool:
    """Tell whether the terms of two equations differ by powers of 4 alone; True where the terms are not the same ones."""
    terms: list[dict[str, Fraction]] = []
    for trees in (one, other):
        found = equations_without_constants(trees)
        if len(found) != 1 or found[0] is None:
            return True
        terms.append({str(sorted(powers.items())): abs(Fraction(number)) for number, powers in found[0][1].terms})
    if terms[0].keys() != terms[1].keys():
        return True
    ratios = [terms[0][key] / terms[1][key] for key in terms[0]]
    return all(ratio / ratios[0] in _FOURS for ratio in ratios)


def _parities(nodes: list[NormalNode]) -> list[bool]:
    """Return for every equation of two terms whether all its powers are even, so that it is weaker than its root."""
    found: list[bool] = []
    for node in nodes:
        if node.__class__ is Relation and len(node.sides) == 2:
            powers: list[Fraction] = []
            for side in node.sides:
                value = equation(side, constants=False)
                if value is None or len(value[1].terms) != 1:
                    break
                powers += [Fraction(power) for key, power in value[1].terms[0][1].items() if not is_constant(key)]
            else:
                found.append(bool(powers) and all(power % 2 == 0 for power in powers))
    return sorted(found)


def _phases(nodes: list[NormalNode]) -> list[dict[str, int]]:
    """Return for each equation the quarter turns of its terms (i is one, -1 are two) against its first one."""
    found: list[dict[str, int]] = []
    for node in with_constants_apart(nodes):
        value = equation(node)
        turns: dict[str, int] = {}
        for number, powers in value[1].terms if value else ():
            turn = powers.get(_I, 0) + (2 if number < 0 else 0)
            letters = sorted((key, power) for key, power in powers.items() if not is_constant(key))
            turns[str(letters)] = int(turn) % 4 if turn == int(turn) else -1
        first = turns[min(turns)] if turns else 0
        found.append({letters: (turn - first) % 4 for letters, turn in turns.items()})
    return sorted(found, key=str)


def _signs_and_numbers(nodes: list[NormalNode]) -> tuple[list[str], list[str], list[str]]:
    """Return the equations without constants: with the signs of their terms alone, with the numbers alone, and with neither."""
    found = [each for each in equations_without_constants(nodes) if each]

    def texts(change: Callable[[Number], Number]) -> list[str]:
        changed = (
            (sign, Polynomial([(change(number), powers) for number, powers in polynomial.terms], polynomial.atoms))
            for sign, polynomial in found
        )
        return sorted([with_numbers(*each) for each in changed])

    return (
        texts(lambda number: 1 if number > 0 else -1),
        texts(lambda number: max(number, -number)),
        texts(lambda number: 1),
    )
