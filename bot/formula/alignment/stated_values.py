"""What two formulas say of one quantity by the same letters, where they say unlike things: another value, or one value for a special case alone.

f(x) = λe^{-λx} and F(x) = 1 - e^{-λx} are two functions, whatever item has both. A value that is the reciprocal of the other, or goes over into it by a number,
is another measure of the same.
"""

from bot.errors import FormulaError
from bot.formula.alignment.differences import difference
from bot.formula.alignment.tree_rewriting import bottom_up
from bot.formula.equivalence.algebraic import compare_rearranged
from bot.formula.equivalence.analysed import AnalysedFormula, analyse_formula
from bot.formula.equivalence.related import find_relation
from bot.formula.equivalence.units import ONE_IN_UNITS
from bot.formula.features.sides import sides
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.arithmetic import plus
from bot.formula.normal.render import render
from bot.formula.numeric.sampling import SolutionVerdict
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.symbols import FUNCTIONS
from bot.formula.tex.tree import base_of, find_all, leaves, map_children, terms_of, walk
from bot.messages import Message

# What sampling cannot look into.
_OPAQUE = (nodes.Derivative, nodes.Differential, nodes.Big, nodes.Infix, nodes.Matrix, nodes.Fenced, nodes.FunctionCall)
MIN_LEAVES = 4  # leaves of a formula that is a special case: v = s is not one of v = st


def value_difference(a: str, b: str) -> Message | None:
    """Return how two formulas differ that state values of one or two quantities; None if that is not certain."""
    try:
        one, other = analyse_formula(a), analyse_formula(b)
        if _equation(one) is None or _equation(other) is None:
            return None
        if _is_special_case(one, other) or _is_special_case(other, one):
            return Message("differs.special", tex=b)
        if one.letters == other.letters and _is_contradiction(a, b):
            return Message("differs.value", tex=b)
        if _has_other_limits(one, other) or _are_inverse_transforms(one, other):
            return Message("differs.value", tex=b)
        return _other_quantity(a, b, one, other)
    except (FormulaError, RecursionError):
        return None


def _equation(formula: AnalysedFormula) -> nodes.Relation[NormalNode] | None:
    (node, *others) = formula.expanded or ("",)
    single = not others and node.__class__ is nodes.Relation and node.signs == ("=",) and len(node.sides) == 2
    return node if single else None  # type: ignore[return-value]  # mypy does not narrow by __class__ in a name


def _is_contradiction(a: str, b: str) -> bool:
    """Tell whether two computable formulas with the same letters have different solutions."""
    one, other = analyse_formula(a), analyse_formula(b)
    if any(
        isinstance(node, _OPAQUE) or (node.__class__ is str and _is_word(node))
        for node in walk(one.expanded + other.expanded)
    ):
        return False
    found = compare_rearranged(one, other, "", None)
    return isinstance(found, SolutionVerdict) and found.outcome == "unlike"


def _is_word(leaf: str) -> bool:
    return leaf[:1] in ('"', "~") or (leaf[:1] == "%" and leaf[1:] not in FUNCTIONS)


def _other_quantity(a: str, b: str, one: AnalysedFormula, other: AnalysedFormula) -> Message | None:
    """Return the difference if both formulas define another quantity by the same letters."""
    first, second = _defined_letter(one), _defined_letter(other)
    if not first or not second or first == second or one.letters - {first} != other.letters - {second}:
        return None
    left, right = sides(a), sides(b)
    if len(left) != 2 or len(right) != 2 or find_relation(f"{right[0]}={left[1]}", b).same_concept:
        return None
    if find_relation(rf"{right[0]}=\frac{{1}}{{{left[1]}}}", b).same_concept:
        return None
    moved = f"{right[0]}={left[1]}"
    found = difference(moved, b)
    unlike = found.code != "differs.factor" if found else _is_contradiction(moved, b)
    return Message("differs.value", tex=b) if unlike else None


def _are_inverse_transforms(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether each sums or integrates what the other defines: a transform and its inverse are two laws."""
    left, right = _defined_letter(one), _defined_letter(other)
    if not left or not right or left == right or left not in other.letters or right not in one.letters:
        return False
    runs = one.letters ^ other.letters  # the free letter of one is bound in the other
    both = set(one.form.formula.tokens) & set(other.form.formula.tokens)
    return runs <= both and all(any(find_all(nodes.Big, *each.nodes)) for each in (one, other))


def _defined_letter(formula: AnalysedFormula) -> str:
    """Return the letter on the left side that a formula defines: one that occurs nowhere else; "" if there is none."""
    equation = _equation(formula)
    if equation is None:
        return ""
    name = base_of(equation.sides[0], nodes.Scripts, nodes.FunctionCall)
    return name if name.__class__ is str and is_name(name) and name not in leaves(equation.sides[1]) else ""


def _is_special_case(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether the first is what the second says where a letter, that it has alone and that is no constant of nature, is one or zero."""
    extra_letters = other.letters - one.letters
    if len(extra_letters) != 1 or one.letters - other.letters or one.exact is None or one.keys.leaves < MIN_LEAVES:
        return False
    (letter,) = extra_letters
    if letter in ONE_IN_UNITS or letter in other.keys.constants:
        return False
    numbers = ("#1", "#0") if _terms(one) == _terms(other) else ("#1",)  # a term that only one has is not evidence
    return any(
        exact_texts([_with_number_for(node, letter, number) for node in other.expanded]) == one.exact
        for number in numbers
    )


def _terms(formula: AnalysedFormula) -> int:
    equation = _equation(formula)
    return sum(len(terms_of(side)) for side in equation.sides) if equation else 0


def _with_number_for(node: NormalNode, letter: str, number: str) -> NormalNode:
    """Return the tree with a number for a letter, without zeros in sums and powers of one."""

    def simplified(part: NormalNode) -> NormalNode:
        match part:
            case str():
                return number if part == letter else part
            case nodes.Sum(terms):
                return plus([term for term in terms if term not in ("#0", nodes.Signed("-", "#0"))] or ["#0"])
            case nodes.Product(numerator, _) if "#0" in numerator:
                return "#0"
            case nodes.Scripts(base, "", "#1"):
                return base
        return part

    return bottom_up(node, simplified)


def _has_other_limits(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether only the limits of sums or integrals differ."""
    bounds = [sorted([render(node) for node in walk(each.nodes) if _is_bounded(node)]) for each in (one, other)]
    without_limits = [[render(_without_limits(node)) for node in each.nodes] for each in (one, other)]
    return without_limits[0] == without_limits[1] and len(bounds[0]) == len(bounds[1]) > 0 and bounds[0] != bounds[1]


def _is_bounded(node: NormalNode) -> bool:
    if node.__class__ is not nodes.Scripts:
        return False
    return node.base == "%lim" or (node.base.__class__ is nodes.Big and EMPTY not in (node.low, node.high))


def _without_limits(node: NormalNode) -> NormalNode:
    if node.__class__ is nodes.Scripts and _is_bounded(node):
        return node.base
    return map_children(node, _without_limits)
