"""Two formulas that state the same in different forms, where that is certain, and two that only look alike.

Both are brought into one form: integrals over any domain and components as vectors, indices as vectors, a written sum beside its ∑, units in which constants are
one; or one is the solution of the other. Formulas that are then equal are the same; those that differ decisively are not.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property, lru_cache

from bot.errors import FormulaError
from bot.formula.alignment.differences import ElementCounts, decisive_difference, element_counts
from bot.formula.alignment.forms.function_solutions import solves
from bot.formula.alignment.forms.operator_forms import (
    has_no_index,
    has_no_limits,
    with_laplacians,
    with_operators_expanded,
    with_recurrence_from_zero,
    without_domains,
    without_limits,
    without_running_indices,
)
from bot.formula.alignment.forms.solutions import stated_functions, unknown_function
from bot.formula.alignment.forms.vector_forms import INDICES, has_dots, has_vectors, vector_form, without_indices
from bot.formula.alignment.forms.written_sums import (
    follows_convention,
    has_series,
    has_written_sum,
    match_written_sums,
    with_convention,
)
from bot.formula.equivalence.analysed import AnalysedFormula, analyse_forms, analyse_formula, with_equations
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import has_same_products
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED, is_renaming
from bot.formula.keys.algebra import equation as polynomial_equation
from bot.formula.keys.alpha_equivalence import canonical_renaming
from bot.formula.keys.levels import text_digest
from bot.formula.normal.arithmetic import map_children_flat, minus, plus, square, times
from bot.formula.normal.bound_variables import with_numbered_bound_names
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_scripts, without_shown_arguments
from bot.formula.normal.stages import NormalForms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import children, find_all, leaves, map_children, walk
from bot.messages import Message

MAX_LEAVES = 200  # a bound for hostile input: the longest pair that is joined has 40
MIN_LEAVES = 4  # of a formula that is the same in other units, as for units that factor out
# What is set to one in natural units: its letter, and its label.
_UNITS = {"c": "c", "ħ": "ħ", "G": "G", "k_B": "k_B", "k_%B": "k_B"}
# Nodes one of which a formula has that is changed by `with_operators_expanded`, and by `with_recurrence_from_zero`
_EXPANDED = frozenset([nodes.Applied, nodes.Fenced, nodes.FunctionCall, nodes.Infix])
_RUNNING = frozenset([nodes.Scripts, nodes.FunctionCall, nodes.Stacked, nodes.Factorial])
_LESS_LIMITS = (without_domains, without_limits, without_running_indices)
_LEFT_OUT = frozenset(["note.limits", "note.shown_arguments"])  # forms that say less
_WITH_SCRIPTS = frozenset(["note.written_out", "note.shifted"]) | _LEFT_OUT
_FormPair = tuple[str, list[NormalNode], list[NormalNode]]  # code of the message, both formulas in one form


def compare_in_common_form(a: str, b: str) -> Comparison | None:
    """Return how two formulas without a common key are related in a common form; None where there is none."""
    try:
        one, other = _forms_of(a), _forms_of(b)
        if one is None or other is None:
            return None
        answer = _compare_as_solution(one, other, b)
        for code, left, right in _common_forms(one, other) if answer is None else ():
            first, second = one.in_form(left), other.in_form(right)
            if _are_equal(first, second, scripts=code in _WITH_SCRIPTS):
                return None if code == "note.rates" else Comparison("rearranged", "", True, Message(code))
            if code != "note.rates" and _are_renamings(first, second):
                return Comparison("renamed", "", True, Message("note.renamed_form", form=Message(code)))
            if answer is not None or code in _LEFT_OUT:
                continue
            if differs := decisive_difference(first.element_counts, second.element_counts, b):
                answer = _different_in_form(Message(code), differs)
        return answer
    except (FormulaError, RecursionError):
        return None


ANY_FORM = "anything"  # required by a formula some of whose forms depend on both formulas


def common_form_points(tex: str) -> tuple[Iterable[Hashable], Iterable[Hashable], Iterable[Hashable]]:
    """Return points, required and provided forms of a formula: only formulas that share a point, or of which one provides what the other requires, can be equal in a common form."""
    found = _forms_of(tex)
    return (found.points(), found.required(), found.provided()) if found else ((), (), ())


class _OneForm:
    """A formula in one form, prepared for comparison; `bare` are its equations without scripts."""

    def __init__(self, formula: AnalysedFormula, trees: list[NormalNode]) -> None:
        self._formula, self._trees, self._is_as_written = formula, trees, trees == formula.form.normal_with_names
        self._noted = with_numbered_bound_names(trees)
        if self._noted == formula.nodes:
            found, self._bare = formula, formula.form.unscripted
        else:
            self._bare = without_scripts(self._noted, "_" in formula.form.formula.tokens)
            found = analyse_forms(self._form, formula.keys)
        self.analysed = found
        self.products, self.exact, self.increments = found.products, found.exact, found.increments
        self.bare = sorted(map(render, self._bare))

    @cached_property
    def _form(self) -> NormalForms:
        return replace(with_equations(self._formula.form, self._noted, self._bare), normal_with_names=self._trees)

    @cached_property
    def has_cancelling_terms(self) -> bool:
        """Tell whether terms such as 1/[A] and 1/[A]_0 cancel only without scripts."""
        found = [list(map(polynomial_equation, trees)) for trees in (self._noted, self.analysed.expanded)]
        return any(one and other and len(one[1].terms) > len(other[1].terms) for one, other in zip(*found, strict=True))

    @cached_property
    def renaming_key(self) -> str:
        """A digest of the formula with canonical letters; "" for one that is too short."""
        trees = without_shown_arguments(self._trees)
        if sum(1 for node in trees for _ in leaves(node)) < MIN_LEAVES_RENAMED:
            return ""
        if self._is_as_written and (trees == self._trees or self._formula.form.formula.called_letters):
            return self._formula.keys.K5
        return text_digest("K5", canonical_renaming(trees)[0])

    @cached_property
    def element_counts(self) -> ElementCounts:
        return element_counts(self._form)


class _FormulaForms:
    """A formula in each form, and what decides whether a form changes it; computed lazily."""

    def __init__(self, formula: AnalysedFormula) -> None:
        self.known, self.trees = formula, formula.form.normal_with_names
        self._vectors: dict[bool, tuple[list[NormalNode], bool]] = {}
        self._natural: dict[frozenset[str], list[NormalNode]] = {}
        self._less_limits: dict[int, list[NormalNode]] = {}
        self._made: dict[tuple[NormalNode, ...], _OneForm] = {}
        parts = list(walk(self.trees))
        self._kinds: Set[type] = {part.__class__ for part in parts}
        self._leaves: Set[NormalNode] = {part for part in parts if part.__class__ is str}
        self._may_be_reindexed = any(map(_is_changed_without_indices, parts))

    def vectors(self, dots: bool) -> tuple[list[NormalNode], bool]:
        """Return the vector form, and whether it has vectors."""
        if (found := self._vectors.get(dots)) is None:
            has_operators, has_axes = nodes.Big in self._kinds, self._leaves >= {"x", "y"}
            if dots and not has_operators:
                return self.vectors(False)
            may_change = has_operators or has_axes or nodes.Derivative in self._kinds
            vector_forms = [vector_form(node, dots) for node in self.trees] if may_change else self.trees
            found = self._vectors[dots] = (
                vector_forms if vector_forms != self.trees else self.trees,
                has_vectors(vector_forms),
            )
        return found

    def in_natural_units(self, constants: frozenset[str]) -> list[NormalNode]:
        """Return the formula with these constants set to one."""
        if (found := self._natural.get(constants)) is None:
            may_change = constants or "#1" in self._leaves
            found = self._natural[constants] = (
                [_set_to_one(node, constants) for node in self.trees] if may_change else self.trees
            )
        return found

    def in_form(self, trees: list[NormalNode]) -> _OneForm:
        if (found := self._made.get(tuple(trees))) is None:
            found = self._made[tuple(trees)] = _OneForm(self.known, trees)
        return found

    def points(self) -> Iterator[Hashable]:
        """Yield the formula in each form that it may share with another one."""
        ways = [self.vectors(dots) for dots in (False, True)]
        unindexed = [_without_indices(trees) for trees, of_vectors in ways if self._may_be_reindexed and not of_vectors]
        # Of two formulas only one has units that are set to one.
        forms = [
            self.trees,
            *(trees for trees, _ in ways),
            *unindexed,
            self.without_summation_signs,
            self.in_natural_units(self.unit_constants),
        ]
        forms += self.with_operators_expanded, self.with_recurrence_from_zero, self.without_shown_arguments
        forms += [self.with_less_limits(level) for level in range(len(_LESS_LIMITS))] if self.has_limits else []
        for form in dict.fromkeys(map(self.in_form, forms)):
            yield "bare", *form.bare
            if form.exact is not None:
                yield "exact", *form.exact
            if form.renaming_key:
                yield "renamed", form.renaming_key

    def required(self) -> Iterator[Hashable]:
        """Yield what another formula must provide for a form that depends on both."""
        if self.has_box:
            yield ANY_FORM
        if self.has_derivative and len(self.known.expanded) == 1 and (name := unknown_function(self.known.expanded[0])):
            yield "solution", name
        if has_written_sum(self.known.nodes[0]):
            yield "series"

    def provided(self) -> Iterator[Hashable]:
        """Yield the forms that this formula provides."""
        if len(self.known.expanded) == 1:
            yield from (("solution", name) for name in stated_functions(self.known.expanded[0]))
        if has_series(self.known.nodes[0]):
            yield "series"

    @cached_property
    def without_shown_arguments(self) -> list[NormalNode]:
        return without_shown_arguments(self.trees) if nodes.FunctionCall in self._kinds else self.trees

    @cached_property
    def calls(self) -> dict[NormalNode, set[NormalNode]]:
        """The arguments of each function: two formulas of which each shows others are not compared without them."""
        found: dict[NormalNode, set[NormalNode]] = {}
        for call in find_all(nodes.FunctionCall, *self.trees):
            found.setdefault(call.function, set()).add(call.arguments)
        return found

    @property
    def has_limits(self) -> bool:
        return nodes.Big in self._kinds

    @cached_property
    def unsaid_of_limits(self) -> int:
        """How little is said of what sums and integrals run over, as an index of _LESS_LIMITS."""
        return 2 if has_no_index(self.trees) else int(has_no_limits(self.trees))

    def with_less_limits(self, level: int) -> list[NormalNode]:
        """Return the formula with no more said of that than in one of this level."""
        if (found := self._less_limits.get(level)) is None:
            found = self._less_limits[level] = list(map(_LESS_LIMITS[level], self.trees))
        return found

    @cached_property
    def has_dots(self) -> bool:
        return has_dots(self.trees)

    @cached_property
    def without_summation_signs(self) -> list[NormalNode]:
        may_change = nodes.Big in self._kinds or "∇²" in self._leaves
        return list(map(with_convention, self.trees)) if may_change else self.trees

    @cached_property
    def with_operators_expanded(self) -> list[NormalNode]:
        may_change = not self._kinds.isdisjoint(_EXPANDED) or (
            nodes.Scripts in self._kinds
            and (nodes.Sum in self._kinds or any(str(leaf)[:1] == "%" for leaf in self._leaves))
        )
        return list(map(with_operators_expanded, with_laplacians(self.trees))) if may_change else self.trees

    @cached_property
    def with_recurrence_from_zero(self) -> list[NormalNode]:
        may_change = nodes.Sum in self._kinds and not self._kinds.isdisjoint(_RUNNING)
        return list(map(with_recurrence_from_zero, self.trees)) if may_change else self.trees

    @cached_property
    def follows_convention(self) -> bool:
        return follows_convention(self.trees)

    @cached_property
    def has_box(self) -> bool:
        return any(node.head == "□" for node in find_all(nodes.Applied, *self.trees))

    @cached_property
    def has_rate(self) -> bool:
        return any(find_all(nodes.Derivative, *self.trees))

    @cached_property
    def rates_as_differences(self) -> list[NormalNode]:
        return list(map(_rates_as_differences, self.trees))

    @cached_property
    def has_derivative(self) -> bool:
        return any(find_all(nodes.Derivative, *self.known.expanded))

    @cached_property
    def unit_constants(self) -> frozenset[str]:
        if self._leaves.isdisjoint("cħGk"):
            return frozenset()
        return frozenset(filter(None, map(_unit, outside_labels(self.trees))))


@lru_cache(maxsize=1024)
def _forms_of(tex: str) -> _FormulaForms | None:
    """Return the forms of a single equation of moderate length; None for any other formula."""
    formula = analyse_formula(tex)
    single = len(formula.nodes) == 1 and formula.keys.equation and formula.keys.leaves <= MAX_LEAVES
    return _FormulaForms(formula) if single else None


def _different_in_form(form: Message, differs: Message) -> Comparison:
    return Comparison("different", "", False, Message("note.not_in_form", form=form, differs=differs), differs)


def _compare_as_solution(one: _FormulaForms, other: _FormulaForms, known_tex: str) -> Comparison | None:
    for equation, solution in ((one, other), (other, one)):
        laws, solutions = equation.known.expanded, solution.known.expanded
        if not equation.has_derivative or len(laws) != 1 or len(solutions) != 1:
            continue
        name = unknown_function(laws[0])
        answer = (
            solves(laws[0], solutions[0], general=True) if name and name in stated_functions(solutions[0]) else None
        )
        if answer:
            return Comparison("rearranged", "", True, Message("note.solution"))
        if answer is False:
            return _different_in_form(Message("note.solution"), Message("differs.solution", tex=known_tex))
    return None


def _common_forms(one: _FormulaForms, other: _FormulaForms) -> Iterator[_FormPair]:
    """Yield both formulas in each form that changes one of them."""
    first, second = one.trees, other.trees
    dots = one.has_dots or other.has_dots
    (left, of_vectors), (right, other_of_vectors) = one.vectors(dots), other.vectors(dots)
    if (left, right) != (first, second):
        yield "note.vector_form", left, right
    if of_vectors != other_of_vectors:
        unindexed = [left if of_vectors else _without_indices(left), right if other_of_vectors else _without_indices(right)]  # fmt: skip
        if all(unindexed) and unindexed != [left, right]:
            yield "note.index_form", unindexed[0], unindexed[1]
    shown = one.without_shown_arguments, other.without_shown_arguments
    if shown != (first, second) and all(other.calls.get(head, found) == found for head, found in one.calls.items()):
        yield "note.shown_arguments", *shown
    if one.has_limits and other.has_limits:
        level = max(one.unsaid_of_limits, other.unsaid_of_limits)
        less = one.with_less_limits(level), other.with_less_limits(level)
        if less != (first, second):
            yield "note.limits", *less
    if sums := match_written_sums(one.known.nodes[0], other.known.nodes[0]):
        yield "note.series", [sums[0]], [sums[1]]
    if (expanded := (one.with_operators_expanded, other.with_operators_expanded)) != (first, second):
        yield "note.written_out", *expanded
    if (shifted := (one.with_recurrence_from_zero, other.with_recurrence_from_zero)) != (first, second):
        yield "note.shifted", *shifted
    summed = one.without_summation_signs, other.without_summation_signs
    changed = summed[0] != first, summed[1] != second
    if changed[0] != changed[1] and (other if changed[0] else one).follows_convention:
        yield "note.summation", *summed
    if one.has_box != other.has_box:
        with_c = any("c" in leaves(node) for node in first + second)
        for sign in (1, -1):
            left, right = ([_without_box(node, sign, with_c) for node in trees] for trees in summed)
            yield "note.box", left, right
    if one.has_rate != other.has_rate:
        rates = one.rates_as_differences, other.rates_as_differences
        if rates != (first, second):
            yield "note.rates", *rates
    units = one.unit_constants, other.unit_constants
    least = min(one.known.keys.leaves, other.known.keys.leaves)
    if least >= MIN_LEAVES and bool(units[0]) != bool(units[1]):
        moved = units[0] | units[1]
        yield "note.natural_units", one.in_natural_units(moved), other.in_natural_units(moved)


def _is_changed_without_indices(node: NormalNode) -> bool:
    """Tell whether a part of a formula may be changed by `without_indices`: by an index, a negative power, or a minus before a sum."""
    if node.__class__ is nodes.Scripts:
        return node.high.__class__ is nodes.Signed or not INDICES.isdisjoint(
            node.low.letters if node.low.__class__ is nodes.Letters else (node.low,)
        )
    if node.__class__ is nodes.Derivative:
        return any(variable in INDICES for variable, _ in node.variables)
    if node.__class__ is nodes.Signed:
        return node.body.__class__ is nodes.Sum
    return node.__class__ is nodes.Differential and node.variable in INDICES


def _without_indices(trees: Sequence[NormalNode]) -> list[NormalNode]:
    found = [without_indices(node) for node in trees]
    return [node for node in found if node is not None] if None not in found else []


def _are_equal(one: _OneForm, other: _OneForm, *, scripts: bool) -> bool:
    """Tell whether two formulas in one form are equal; with `scripts` also in these."""
    if not has_same_products(one.products, other.products):
        return False
    return (one.bare == other.bare and not scripts) or (
        one.exact == other.exact is not None
        and one.increments == other.increments
        and not (one.has_cancelling_terms or other.has_cancelling_terms)
    )


def _are_renamings(one: _OneForm, other: _OneForm) -> bool:
    """Tell whether two formulas in one form are equal up to their letters, and long enough for that."""
    return (
        one.renaming_key == other.renaming_key != ""
        and has_same_products(one.products, other.products)
        and is_renaming(one.analysed, other.analysed)
    )


# -- rates: a mean is not a rate, but formulas that differ even then are different --------------------------------------------


def _rates_as_differences(node: NormalNode) -> NormalNode:
    """Write dv/dt as Δv/Δt."""
    match node:
        case nodes.Derivative("", ((variable, "1"),), str(body)) if body != EMPTY:
            return nodes.Product(("Δ", body), ("Δ", variable))
        case nodes.Product(numerator, denominator):
            return times(map(_rates_as_differences, numerator), list(map(_rates_as_differences, denominator)))
    return map_children(node, _rates_as_differences)


# -- the wave operator -----------------------------------------------------------------------------------------------------
def _without_box(node: NormalNode, sign: int, with_c: bool) -> NormalNode:
    """Write out □f as ±(∂²f/∂t²/c² − ∇²f): the sign depends on the signature of the metric, which texts seldom state."""
    found = map_children(node, lambda child: _without_box(child, sign, with_c))
    if found.__class__ is not nodes.Applied or found.head != "□":
        return found
    time: NormalNode = nodes.Derivative("", (("t", "2"),), found.body)
    if with_c:
        time = nodes.Product((time,), (square("c"),))
    space: NormalNode = nodes.Applied("∇²", found.body)
    return plus([time, minus(space)] if sign > 0 else [space, minus(time)])


# -- units --------------------------------------------------------------------------------------------------------------
def _unit(node: NormalNode) -> str:
    """Return the constant that a node is: a letter, or k_B."""
    if node.__class__ is nodes.Scripts:
        return _UNITS.get(f"{node.base}_{node.low}", "") if node.low.__class__ is node.base.__class__ is str else ""
    return _UNITS.get(node, "") if node.__class__ is str else ""


def outside_labels(trees: Iterable[NormalNode]) -> Iterator[NormalNode]:
    """Yield all nodes of trees outside of subscripts: the c of I_{cm} is not a speed."""
    for node in trees:
        yield node
        yield from outside_labels((node.base, node.high) if node.__class__ is nodes.Scripts else children(node))


def _set_to_one(node: NormalNode, constants: frozenset[str]) -> NormalNode:
    if _unit(node) in constants:
        return "#1"
    if node.__class__ is nodes.Scripts:
        base = _set_to_one(node.base, constants)
        is_one = base == "#1" and node.low == EMPTY
        return "#1" if is_one else nodes.Scripts(base, node.low, _set_to_one(node.high, constants))
    return map_children_flat(node, lambda child: _set_to_one(child, constants))
