"""What two formulas say of one quantity by the same letters, where they say unlike things: another value, or one value for a special case alone.

f(x) = λe^{-λx} and F(x) = 1 - e^{-λx} are two functions, whatever item has both. A value that is the reciprocal of the other, or goes over into it by a number,
is another measure of the same.
"""

from bot.errors import FormulaError
from bot.formula.alignment.differences import difference
from bot.formula.equivalence.algebraic import rearranged
from bot.formula.equivalence.analysed import AnalysedFormula, analysed
from bot.formula.equivalence.related import related
from bot.formula.equivalence.units import ONE_IN_UNITS
from bot.formula.features.sides import sides
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.arithmetic import plus, remade
from bot.formula.normal.render import render
from bot.formula.numeric.sampling import SolutionVerdict
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.symbols import FUNCTIONS
from bot.formula.tex.tree import base_of, leaves, rebuilt, terms_of, walk
from bot.messages import Message

# What sampling cannot look into.
_OPAQUE = (nodes.Derivative, nodes.Differential, nodes.Big, nodes.Infix, nodes.Matrix, nodes.Fenced, nodes.FunctionCall)
LEAST = 4  # leaves of a formula that is a special case: v = s is none of v = st


def value_difference(a: str, b: str) -> Message | None:
    """Return by what two formulas differ that give values to the same or to two quantities; None where that is not sure."""
    try:
        one, other = analysed(a), analysed(b)
        if _equation(one) is None or _equation(other) is None:
            return None
        if _is_special_case(one, other) or _is_special_case(other, one):
            return Message("differs.special", tex=b)
        if one.letters == other.letters and _is_contradiction(a, b):
            return Message("differs.value", tex=b)
        if _has_other_limits(one, other) or _inverse(one, other):
            return Message("differs.value", tex=b)
        return _other_quantity(a, b, one, other)
    except (FormulaError, RecursionError):
        return None


def _equation(known: AnalysedFormula) -> nodes.Relation[NormalNode] | None:
    (node, *more) = known.expanded or ("",)
    single = not more and node.__class__ is nodes.Relation and node.signs == ("=",) and len(node.sides) == 2
    return node if single else None  # type: ignore[return-value]  # mypy does not narrow by __class__ in a name


def _is_contradiction(a: str, b: str) -> bool:
    """Tell whether two formulas of the same letters, all of which can be computed, have unlike solutions."""
    one, other = analysed(a), analysed(b)
    if any(
        isinstance(node, _OPAQUE) or (node.__class__ is str and _is_word(node))
        for node in walk(one.expanded + other.expanded)
    ):
        return False
    found = rearranged(one, other, "", None)
    return isinstance(found, SolutionVerdict) and found.outcome == "unlike"


def _is_word(leaf: str) -> bool:
    return leaf[:1] in ('"', "~") or (leaf[:1] == "%" and leaf[1:] not in FUNCTIONS)


def _other_quantity(a: str, b: str, one: AnalysedFormula, other: AnalysedFormula) -> Message | None:
    """Two quantities by the same letters: the second value is put beside the name of the first."""
    mine, yours = _defined_letter(one), _defined_letter(other)
    if not mine or not yours or mine == yours or one.letters - {mine} != other.letters - {yours}:
        return None
    left, right = sides(a), sides(b)
    if len(left) != 2 or len(right) != 2 or related(f"{right[0]}={left[1]}", b).same_concept:
        return None
    if related(rf"{right[0]}=\frac{{1}}{{{left[1]}}}", b).same_concept:
        return None
    moved = f"{right[0]}={left[1]}"
    found = difference(moved, b)
    unlike = found.code != "differs.factor" if found else _is_contradiction(moved, b)
    return Message("differs.value", tex=b) if unlike else None


def _inverse(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether each sums or integrates what the other one names: a transform and its inverse are two laws."""
    mine, yours = _defined_letter(one), _defined_letter(other)
    if not mine or not yours or mine == yours or mine not in other.letters or yours not in one.letters:
        return False
    runs = one.letters ^ other.letters  # what is free here is bound there
    both = set(one.form.formula.tokens) & set(other.form.formula.tokens)
    return runs <= both and all(any(isinstance(node, nodes.Big) for node in walk(each.nodes)) for each in (one, other))


def _defined_letter(known: AnalysedFormula) -> str:
    """Return the letter that a formula gives a value to on its left side: one that stands nowhere else; "" for none."""
    equation = _equation(known)
    if equation is None:
        return ""
    name = base_of(equation.sides[0], nodes.Scripts, nodes.FunctionCall)
    return name if name.__class__ is str and is_name(name) and name not in leaves(equation.sides[1]) else ""


def _is_special_case(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether the first is what the second says where a letter, that it has alone and that is no constant of nature, is one or zero."""
    more = other.letters - one.letters
    if len(more) != 1 or one.letters - other.letters or one.exact is None or one.keys.leaves < LEAST:
        return False
    (letter,) = more
    if letter in ONE_IN_UNITS or letter in other.keys.constants:
        return False
    numbers = ("#1", "#0") if _terms(one) == _terms(other) else ("#1",)  # a term that one has alone says nothing
    return any(
        exact_texts([_with_number_for(node, letter, number) for node in other.expanded]) == one.exact
        for number in numbers
    )


def _terms(known: AnalysedFormula) -> int:
    equation = _equation(known)
    return sum(len(terms_of(side)) for side in equation.sides) if equation else 0


def _with_number_for(node: NormalNode, letter: str, number: str) -> NormalNode:
    """The tree with a number for a letter; sums are without zeros, powers of one are gone."""
    if node.__class__ is str:
        return number if node == letter else node
    found = remade(node, lambda child: _with_number_for(child, letter, number))
    if found.__class__ is nodes.Sum:
        return plus([term for term in found.terms if term not in ("#0", nodes.Signed("-", "#0"))] or ["#0"])
    if found.__class__ is nodes.Product and "#0" in found.numerator:
        return "#0"
    return found.base if found.__class__ is nodes.Scripts and found.low == EMPTY and found.high == "#1" else found


def _has_other_limits(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether sums or integrals go between other limits, all else being the same."""
    bounds = [{render(node) for node in walk(each.nodes) if _is_bounded(node)} for each in (one, other)]
    bare = [[render(_unbounded(node)) for node in each.nodes] for each in (one, other)]
    return bare[0] == bare[1] and len(bounds[0]) == len(bounds[1]) > 0 and bounds[0] != bounds[1]


def _is_bounded(node: NormalNode) -> bool:
    return node.__class__ is nodes.Scripts and node.base.__class__ is nodes.Big and EMPTY not in (node.low, node.high)


def _unbounded(node: NormalNode) -> NormalNode:
    if node.__class__ is nodes.Scripts and _is_bounded(node):
        return node.base
    return rebuilt(node, _unbounded)
