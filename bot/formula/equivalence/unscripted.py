"""Equal without scripts (K3): the same formula where what was dropped told nothing apart."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise, permutations

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import has_same_products
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import canonical_renaming, is_name, scripted_variables
from bot.formula.normal.render import render
from bot.formula.normal.scripts import has_natural_logarithm, with_natural_logarithm, without_needless_scripts
from bot.formula.tex.nodes import EMPTY, FunctionCall, Letters, NormalNode, Relation, Scripts, Signed, Sum
from bot.formula.tex.tree import base_of, leaves, map_children, walk
from bot.messages import Message

_PARTICLES = frozenset(["e", "p", "n", "%e", "%p", "%n"])
_MAX_LABELS = 3  # of one letter, whose permutations are tried


def compare_scripts(one: AnalysedFormula, other: AnalysedFormula) -> Comparison:
    """Compare two formulas that are equal at K3."""
    # equal after renaming, also with their shown arguments kept
    same_names = (
        one.keys.K5 == other.keys.K5
        and canonical_renaming(one.form.normal_with_names)[0] == canonical_renaming(other.form.normal_with_names)[0]
    )
    return compare_without_scripts(one, other, same_names=same_names)


def compare_without_scripts(one: AnalysedFormula, other: AnalysedFormula, *, same_names: bool) -> Comparison:
    """Compare two formulas whose trees without scripts are equal; `same_names` if they are equal after renaming, too."""
    if one.products != other.products and not has_same_products(one.products, other.products):
        return Comparison("variant", "K3", False, Message("note.order"))
    # with the same scripted letters only their places differ: T_c/T_h is not T_h/T_c
    sure = _without_needless_scripts(one) == _without_needless_scripts(other) or (
        one.variables != other.variables and (same_names or _labels_agree(one, other))
    )
    if sure and not same_names:
        called, otherwise = _arguments(one.nodes), _arguments(other.nodes)
        sure = (called <= otherwise or otherwise <= called) and not _have_other_arguments(one.nodes, other.nodes)
    if is_told_by_scripts(one) or is_told_by_scripts(other):
        sure = _index_pattern(one) in (_index_pattern(other), _index_pattern(other, backward=True))
    if sure and not (
        has_other_index_range(one, other)
        or has_swapped_labels(one, other)
        or has_other_labels(one, other)
        or has_other_parts(one, other)
        or _has_other_mass(one, other)
        or _number_of_daggers(one) != _number_of_daggers(other)
    ):
        return Comparison("notation", "K3", True, Message("note.scripts"))
    return Comparison("variant", "K3", False, Message("note.scripts_join"), loose=True)


def is_told_by_scripts(formula: AnalysedFormula) -> bool:
    """Tell whether a formula says nothing without its scripts: T_ij = T_ji."""
    sides = [node.sides for node in formula.form.unscripted if node.__class__ is Relation]
    return any(len({render(base_of(side, Signed)) for side in each}) == 1 for each in sides)


def has_other_parts(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether two formulas of a single letter are about other parts of it: F_LW + F_SW is no F_{n-1} + F_{n-2}, nor E_kin + E_pot what is absorbed and emitted.

    Words are compared by their initials; single letters, numbers and signs are names that an author is free to give.
    """
    left, right = map(_subscripts, (one, other))
    if not (left and right and _has_one_letter(one) and _has_one_letter(other)):
        return False
    computed = [any(label.__class__ is Sum for label in labels) for labels in (left, right)]
    if any(computed):
        return computed[0] != computed[1]
    words = [*map(_word, left), *map(_word, right)]
    told = all(words) and any(
        len(word) > 1 and not _is_index(label) for word, label in zip(words, left + right, strict=True)
    )
    return told and {word[0] for word in words[: len(left)]} != {word[0] for word in words[len(left) :]}


def _has_one_letter(formula: AnalysedFormula) -> bool:
    return len({leaf for node in formula.form.unscripted for leaf in leaves(node) if is_name(leaf)}) == 1


def _is_index(part: NormalNode) -> bool:
    """Tell whether a script of several letters is a row of indices: T_ij, unlike F_LW and E_kin, which is set upright."""
    return part.__class__ is Letters and render(part).islower()


def _function_calls(trees: Iterable[NormalNode]) -> list[FunctionCall[NormalNode]]:
    return [node for node in walk(trees) if node.__class__ is FunctionCall]


def _scripts(trees: Iterable[NormalNode]) -> list[Scripts[NormalNode]]:
    return [node for node in walk(trees) if node.__class__ is Scripts]


def _subscripts(formula: AnalysedFormula) -> list[NormalNode]:
    return [node.low for node in _scripts(formula.nodes) if node.low != EMPTY]


def has_other_conditions(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether an equation beside both says something else of the same letters: N/V and NV are constant."""
    left, right = map(_equations_beside, (one, other))
    return left.keys() == right.keys() and left != right


def _equations_beside(formula: AnalysedFormula) -> dict[tuple[str, ...], list[str]]:
    """Return the rendered equations among the conditions by their letters; n = 1 beside a formula begins a list."""
    found: dict[tuple[str, ...], list[str]] = {}
    for node in formula.form.normal[1]:
        if node.__class__ is Relation and node.signs == ("=",):
            names = tuple(sorted(filter(is_name, leaves(node))))
            if len(set(names)) > 1 or any(_scripts([node])):
                found.setdefault(names, []).append(render(node))
    return {names: sorted(texts) for names, texts in found.items()}


def _index_pattern(formula: AnalysedFormula, *, backward: bool = False) -> list[list[tuple[int, bool]]]:
    """Return the indices of each letter, numbered as they first appear; whether one is above counts where some are below."""
    sides = [side for node in formula.nodes for side in (node.sides if node.__class__ is Relation else (node,))]
    found = _scripts(sides[::-1] if backward else sides)
    mixed = any(node.low != EMPTY for node in found) and any(node.high != EMPTY for node in found)
    numbers: dict[str, int] = {}
    return [
        [
            (numbers.setdefault(leaf, len(numbers)), mixed and up)
            for up, script in ((False, node.low), (True, node.high))
            for leaf in leaves(script)
            if is_name(leaf)
        ]
        for node in found
    ]


def _number_of_daggers(formula: AnalysedFormula) -> int:
    return sum(node.high == "~†" for node in _scripts(formula.nodes))


def _has_other_mass(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether one has the mass of an electron where the other has that of a proton or neutron: two magnetons."""
    left, right = ({node.low for node in _scripts(formula.nodes) if node.base == "m"} for formula in (one, other))
    return left != right and bool(left) and bool(right) and left | right <= _PARTICLES


def has_swapped_labels(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether two formulas are equal only once labels of one letter change places: T_h/T_c for T_cold/T_hot.

    Labels are compared as words where both formulas have the same, else by their initials. Neighbours in the alphabet (a and b, x and y) are names that
    an author is free to give.
    """
    return any(_has_swapped(one, other, length) for length in (None, 1))


def has_other_labels(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether the same labels are on the same letters otherwise, where a letter has two of them: the prices and quantities of two index numbers.

    A label that is left out, or on a letter that also has none, says nothing.
    """
    left, right = _labels_by_base(one), _labels_by_base(other)
    if left.keys() != right.keys() or set().union(*left.values()) != set().union(*right.values()):
        return False
    twice = any(len(left[base]) > 1 and left[base] == right[base] for base in left)
    changed = [left[base] | right[base] for base in left if left[base] != right[base]]
    return twice and bool(changed) and all("" not in labels for labels in changed)


def _labels_by_base(formula: AnalysedFormula) -> dict[str, set[str]]:
    """Return the scripts of each letter, "" for none."""
    found: dict[str, set[str]] = {}
    for variable in formula.variables:
        base, _, label = variable.partition("_")
        found.setdefault(base, set()).add(label)
    return found


def _has_swapped(one: AnalysedFormula, other: AnalysedFormula, length: int | None) -> bool:
    left, right = _labels_by_letter(one.expanded, length), _labels_by_letter(other.expanded, length)
    shared = {base for base in left.keys() & right.keys() if set(left[base].values()) == set(right[base].values())}
    labels = {tuple(sorted(left[base].values())) for base in shared}
    if len(labels) != 1:
        return False
    (initials,) = labels
    expected = exact_texts(_relabelled(other.expanded, {base: right[base] for base in shared}))
    if expected is None:
        return False

    def agrees(renamed: tuple[str, ...]) -> bool:
        new = dict(zip(initials, renamed, strict=True))
        moved = {base: {low: new[initial] for low, initial in left[base].items()} for base in shared}
        return exact_texts(_relabelled(one.expanded, moved)) == expected

    return not agrees(initials) and any(agrees(renamed) for renamed in permutations(initials) if renamed != initials)


def _labels_by_letter(trees: list[NormalNode], length: int | None) -> dict[str, dict[NormalNode, str]]:
    """Return for each letter with several labels these labels and how they begin, if all are different and none are neighbours."""
    found: dict[str, dict[NormalNode, str]] = {}
    for node in _scripts(trees):
        if node.low != EMPTY and node.base.__class__ is str and is_name(node.base):
            found.setdefault(node.base, {})[node.low] = _word(node.low)[:length]
    return {base: labels for base, labels in found.items() if _are_telling(sorted(labels.values()))}


def _word(label: NormalNode) -> str:
    """Return the letters of a label, however it is typeset."""
    return "".join(filter(str.isalpha, render(label))).casefold()


def _are_telling(labels: list[str]) -> bool:
    return 1 < len(labels) <= _MAX_LABELS and all(
        one and one != other and (len(one + other) > 2 or ord(other) - ord(one) > 1) for one, other in pairwise(labels)
    )


def _relabelled(trees: list[NormalNode], labels: Mapping[str, Mapping[NormalNode, str]]) -> list[NormalNode]:
    def visit(node: NormalNode) -> NormalNode:
        if node.__class__ is Scripts and node.base.__class__ is str and node.low in labels.get(node.base, ()):
            return Scripts(node.base, labels[node.base][node.low], visit(node.high))
        return map_children(node, visit)

    return [visit(node) for node in trees]


def has_other_index_range(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether the same letters have other computed indices: y_{n+1} = y_n + hf(y_n) is not y_{n+1} = y_n + hf(y_{n+1}), nor R_{mn} R_{m+n}."""
    (letters, left), (other_letters, right) = _computed(one.nodes), _computed(other.nodes)
    if letters == other_letters:
        return left != right
    side_by_side, computed = (one, other_letters) if not letters else (other, letters)
    return not (letters and other_letters) and any(
        node.low.__class__ is Letters and set(node.low.letters) == computed for node in _scripts(side_by_side.nodes)
    )


def _without_needless_scripts(formula: AnalysedFormula) -> list[str]:
    """Return the rendered trees without needless scripts."""
    trees = without_needless_scripts(formula.nodes)
    if has_natural_logarithm(formula.form.formula):
        trees = list(map(with_natural_logarithm, trees))
    return sorted(map(render, trees))


def _labels_agree(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether removing scripts makes the same number of variables equal in both formulas."""
    left, right = len(one.variables), len(other.variables)
    return left == right or (
        left == len(scripted_variables(one.form.unscripted)) and right == len(scripted_variables(other.form.unscripted))
    )


def _computed(nodes: list[NormalNode]) -> tuple[set[str], Counter[str]]:
    """Return the sums in subscripts and in arguments of calls, and their letters: n+1 of y_{n+1} and f(y_{n+1})."""
    found = [call.arguments for call in _function_calls(nodes)]
    found += [node.low for node in _scripts(nodes) if node.base.__class__ is str]
    sums = [each for each in found if each.__class__ is Sum]
    return {leaf for each in sums for leaf in leaves(each) if is_name(leaf)}, Counter(map(render, sums))


def _have_other_arguments(left: list[NormalNode], right: list[NormalNode]) -> bool:
    """Tell whether a function of one letter in both is of another one: f(x) = x + a is not f(y) = x + a, nor ∫ φ(x - y)f(y) dy with f(x)."""
    one, other = _calls(left), _calls(right)
    return any(one[head].isdisjoint(other[head]) for head in one.keys() & other.keys())


def _calls(nodes: list[NormalNode]) -> dict[NormalNode, set[str]]:
    """Return for each function the letters that it is called with."""
    found: dict[NormalNode, set[str]] = {}
    for call in _function_calls(nodes):
        if call.arguments.__class__ is str and is_name(call.arguments):
            found.setdefault(call.function, set()).add(call.arguments)
    return found


def _arguments(nodes: list[NormalNode]) -> set[str]:
    """Return the letters in arguments of calls."""
    return {leaf for call in _function_calls(nodes) for leaf in leaves(call.arguments) if is_name(leaf)}
