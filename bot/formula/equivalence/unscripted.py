"""Equal without scripts (K3): the same formula where what was dropped told nothing apart."""

from collections import Counter

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import has_same_products
from bot.formula.keys.alpha_equivalence import canonical_renaming, is_name, scripted_variables
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.tex.nodes import FunctionCall, NormalNode, Scripts, Sum
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message


def by_scripts(one: AnalysedFormula, other: AnalysedFormula) -> Comparison:
    """Compare two formulas that are equal at K3."""
    # equal after renaming, also with their shown arguments kept
    alike = (
        one.keys.K5 == other.keys.K5
        and canonical_renaming(one.form.normal_with_names)[0] == canonical_renaming(other.form.normal_with_names)[0]
    )
    return without_scripts(one, other, alike=alike)


def without_scripts(one: AnalysedFormula, other: AnalysedFormula, *, alike: bool) -> Comparison:
    """Compare two formulas whose trees without scripts are equal; `alike` where they are equal after renaming, too."""
    if one.products != other.products and not has_same_products(one.products, other.products):
        return Comparison("variant", "K3", False, Message("note.order"))
    # with the same scripted letters, what differs is where they stand: T_c/T_h is not T_h/T_c
    sure = _told_apart(one) == _told_apart(other) or (
        one.variables != other.variables and (alike or _labels_agree(one, other))
    )
    if sure and not alike:
        called, otherwise = _arguments(one.nodes), _arguments(other.nodes)
        sure = not called or not otherwise or called == otherwise  # f(x) = x + a is not f(y) = x + a
    if sure and not has_other_index_range(one, other):
        return Comparison("notation", "K3", True, Message("note.scripts"))
    return Comparison("variant", "K3", False, Message("note.scripts_join"), loose=True)


def has_other_index_range(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether the same letters run to other places: y_{n+1} = y_n + hf(y_n) is not y_{n+1} = y_n + hf(y_{n+1})."""
    (letters, mine), (other_letters, yours) = _computed(one.nodes), _computed(other.nodes)
    return letters == other_letters and mine != yours


def _told_apart(formula: AnalysedFormula) -> list[str]:
    """The trees without scripts that tell nothing apart."""
    return sorted([render(node) for node in without_needless_scripts(formula.nodes)])


def _labels_agree(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """No two variables of one formula fall together when the scripts go, unless they do so in both."""
    mine, yours = len(one.variables), len(other.variables)
    return mine == yours or (
        mine == len(scripted_variables(one.form.unscripted)) and yours == len(scripted_variables(other.form.unscripted))
    )


def _computed(nodes: list[NormalNode]) -> tuple[set[str], Counter[str]]:
    """The sums below letters and in the parentheses of calls, and their letters: n+1 of y_{n+1} and f(y_{n+1})."""
    found = [node.arguments for node in walk(nodes) if node.__class__ is FunctionCall]
    found += [node.low for node in walk(nodes) if node.__class__ is Scripts and node.base.__class__ is str]
    sums = [each for each in found if each.__class__ is Sum]
    return {leaf for each in sums for leaf in leaves(each) if is_name(leaf)}, Counter(map(render, sums))


def _arguments(nodes: list[NormalNode]) -> set[str]:
    """Letters in the parentheses of calls."""
    calls = [node for node in walk(nodes) if node.__class__ is FunctionCall]
    return {leaf for call in calls for leaf in leaves(call.arguments) if is_name(leaf)}
