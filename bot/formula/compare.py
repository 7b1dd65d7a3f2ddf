"""How two formulas are related, in one word, with the key level at which they meet and a sentence a reviewer reads.

From sure to unsure: the same string, keys K0 to K3, exact algebra on one side, sampled solutions, K4, renaming, shared terms.
`same_concept` prefers to miss: short formulas that only share their shape are different (p = mv, F = ma, V = IR).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bot.errors import FormulaError
from bot.formula.algebra import Polynomial, equation, exact, size
from bot.formula.clean import clean
from bot.formula.constants import is_constant, marked
from bot.formula.forms import Forms, forms, states
from bot.formula.keys import LEVELS, Keys, keys
from bot.formula.renaming import atomic
from bot.formula.sampling import same_solutions
from bot.formula.scripts import apart
from bot.formula.shapes import shapes
from bot.formula.tree import NORMAL_SHAPES, Node, leaves

# Renamed formulas of fewer leaves coincide by chance: of 178 groups on the items of 2019 only the 41 of eight leaves and more are mostly real.
MIN_LEAVES_RENAMED = 8
# A formula is a variant of another from this share of its terms on; random pairs stay below .3.
VARIANT = 0.75
LEAST = 6.0  # formulas that say less than this are no standard to measure a share by
SAME_SHAPES = 14.0  # weight of terms (see shapes) from which equal shapes on both sides mean the same formula


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
        return Comparison("identical", "K0", True, "the same formula, character by character")
    try:
        left, right = keys(a), keys(b)
        one, other = forms(a), forms(b)
    except FormulaError as error:
        return Comparison("different", "", False, f"one of them cannot be read: {error}")
    level = next((level for level in LEVELS if left.at(level) == right.at(level)), "")
    if level in ("K0", "K1"):
        note = (
            "the same formula, set or ordered differently" if level == "K1" else "the same tokens, spaced differently"
        )
        return Comparison("typographic" if level == "K1" else "identical", level, True, note)
    if level == "K2":
        return Comparison(
            "notation", level, True, "the same formula with derivatives, bound names or definitions written differently"
        )
    if level == "K3":
        sure = left.K5 == right.K5 or _labels_agree(one, other)
        note = "equal without index and label scripts, shown arguments and vector marks"
        return Comparison(
            "notation", level, sure, note if sure else note + ", but dropping these joins variables that differ"
        )
    return _rearranged(one, other, left, right, level) or _looser(one, other, left, right, level)


def _labels_agree(one: Forms, other: Forms) -> bool:
    """No two variables of one formula fall together when the scripts go, unless they do so in both."""
    mine, yours = _variables(one.named), _variables(other.named)
    return len(mine) == len(yours) or (
        len(mine) == len(_variables(one.bare)) and len(yours) == len(_variables(other.bare))
    )


def _variables(nodes: list[Node]) -> set[str]:
    return {leaf for node in nodes for leaf in leaves(atomic(node), NORMAL_SHAPES) if leaf[0] == "$"}


# -- rearranged ---------------------------------------------------------------------------------------------------------
def _rearranged(one: Forms, other: Forms, left: Keys, right: Keys, level: str) -> Comparison | None:
    mine, yours = apart(one.noted[0]), apart(other.noted[0])
    if len(mine) == len(yours) and all(states(node) for node in mine + yours):
        texts = [sorted(text for node in nodes if (text := _exact(node))) for nodes in (mine, yours)]
        if texts[0] == texts[1] and len(texts[0]) == len(mine):
            return Comparison(
                "rearranged", level, True, "the same after moving terms and factors across the relation sign"
            )
        if len(mine) == 1 and min(left.leaves, right.leaves) >= 3 and same_solutions(mine[0], yours[0]):
            return Comparison(
                "rearranged", level, True, "solved for another variable: both hold at the same sampled values"
            )
    if level != "K4":
        return None
    signs, numbers = _differences(one.noted[0], other.noted[0])
    parts = [text for text, differs in (("signs of terms", signs), ("numeric factors", numbers)) if differs]
    units = [note for note in (*left.notes, *right.notes) if note.startswith("K4 drops")]
    moved = {note for note in left.notes if note in units} != {note for note in right.notes if note in units}
    said = "equal on one side with denominators cleared"
    if parts:
        said += f", up to {' and '.join(parts)}"
    if moved:
        said += f" ({units[0].replace('K4 drops the constants', 'other units:')})"
    return Comparison("rearranged", level, _units_only(left, right, signs, numbers, moved), said)


def _exact(node: Node) -> str | None:
    found = equation(node)
    return exact(*found) if found else None


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


def _units_only(left: Keys, right: Keys, signs: bool, numbers: bool, units: bool) -> bool:
    """Constants may come and go with the units, and numbers with them; a sign or a number alone makes another formula (½mv² and mv²)."""
    if signs or left.leaves < 4 or right.leaves < 4:
        return False
    return units or not numbers


# -- looser -------------------------------------------------------------------------------------------------------------
def _looser(one: Forms, other: Forms, left: Keys, right: Keys, level: str) -> Comparison:
    if level == "K5":
        enough = min(left.leaves, right.leaves) >= MIN_LEAVES_RENAMED and left.equation
        why = (
            "long enough not to coincide by chance"
            if enough
            else "too short for this to mean anything without a second sign"
        )
        return Comparison("renamed", level, enough, f"equal after renaming the variables; {why}")
    share, weight = containment(one, other)
    if share == 1.0 and weight >= SAME_SHAPES and shapes(one.noted[0]).keys() == shapes(other.noted[0]).keys():
        return Comparison(
            "renamed",
            level,
            True,
            "the same terms up to names, constants and signs, and too many of them to coincide by chance",
        )
    if share >= VARIANT and weight >= 6:
        return Comparison(
            "variant",
            level,
            False,
            f"one holds {share:.0%} of the other's terms, weighted by what they say: a special case or an extension",
        )
    if level == "K6":
        return Comparison("different", level, False, "of the same shape, with other variables in other places")
    return Comparison("different", "", False, "no key in common")


def containment(one: Forms, other: Forms) -> tuple[float, float]:
    """Return how much of the smaller formula's terms the other holds (names aside, heavier terms count more), and the weight found."""
    left, right = shapes(one.noted[0]), shapes(other.noted[0])
    if not left or not right:
        return 0.0, 0.0
    common = sum(min(count, right[term][0]) * weight for term, (count, weight) in left.items() if term in right)
    smaller = min(sum(count * weight for count, weight in side.values()) for side in (left, right))
    return common / max(smaller, LEAST), common
