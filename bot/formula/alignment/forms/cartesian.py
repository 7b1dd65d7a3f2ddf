"""Two equations of vectors, indices, components or derivatives of products, both in Cartesian components and with the product rule applied.

u·∇u and u_j ∂_j u_i, div(ρu) and ρ div u + u·∇ρ, Dρ/Dt, (xy')' and xy'' + y' are then the same sums of the same derivatives. An equation of vectors is taken along
the first axis, one of tensors as two elements of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bot.formula.alignment.tree_rewriting import top_down
from bot.formula.normal.arithmetic import HALF, minus, plus, square, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.commuting import is_vector
from bot.formula.normal.scripts import is_power, without_power
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children, find_all, fraction_of, is_whole, leaves, walk

_AXES = ("x", "y", "z")
_LATIN, _GREEK = frozenset("ijklmn"), frozenset("αβγδκλμνρσ")
_TENSORS = frozenset(["I", "δ", "ε"])  # the unit tensors
_EVEN = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
_OPERATORS = ("∇", "div", "curl", "∇²")
_MAX_TERMS = 400  # of an equation in components
Axes = tuple[int, ...]


class _NotCartesian(Exception):
    """The equation has no Cartesian components."""


def component_forms(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield both equations in components: along the first axis, along the axis of the one without vectors, and in one dimension."""
    one, other = _with_labels(one), _with_labels(other)
    if not any(map(_is_expandable, walk([one, other]))):
        return
    one, other = _with_usual_indices(one), _with_usual_indices(other)
    ranks = [_ranks(node) for node in (one, other)]
    if 2 in ranks[0].values() and 2 not in ranks[1].values():  # elements last
        yield from ((left, right) for right, left in component_forms(other, one))
        return
    one, other, shared = _with_common_letters(one, other, *ranks)
    bodies = [set(_functions(node)) for node in (one, other)]
    both = [{_base(part) for part in walk([node])} for node in (one, other)]
    velocities = {velocity for node in (one, other) for velocity in _velocities(node)}
    velocity = velocities.pop() if len(velocities) == 1 else EMPTY
    functions = [
        first - (letters - second) for first, second, letters in ((*bodies, both[1]), (*bodies[::-1], both[0]))
    ]  # letters that the other formula has but never differentiates are constants
    vectors = [any(map(is_vector, walk([node]))) for node in (one, other)]
    if not any(vectors):  # what is ∂²/∂x² in one dimension
        vectors = [any(part.head == "∇²" for part in find_all(nodes.Applied, node)) for node in (one, other)]
    ways = [(0, False)]
    if vectors[0] != vectors[1]:
        ways += [
            (axis, one_dimensional)
            for axis in _named_axes(other if vectors[0] else one)
            for one_dimensional in (False, True)
            if axis or one_dimensional
        ]
    for axis, one_dimensional in ways:
        components = [
            _Components(shared, frozenset(first), velocity, axis, one_dimensional and vector)
            for first, vector in zip(functions, vectors, strict=True)
        ]
        try:
            left, right = (each.equation(node) for each, node in zip(components, (one, other), strict=True))
        except _NotCartesian:
            continue
        if (left, right) != (one, other):
            yield left, right


def _named_axes(node: NormalNode) -> list[int]:
    """The axes that an equation without vectors names in labels or differentiates along."""
    labels = {part.low for part in find_all(nodes.Scripts, node)} | differentiation_variables(node)
    return [axis for axis in range(3) if labels & {_AXES[axis], f"#{axis + 1}"}]


def differentiation_variables(node: NormalNode) -> set[NormalNode]:
    """Return the variables of the derivatives in a tree."""
    return {name for part in find_all(nodes.Derivative, node) for name, _ in part.variables}


def _is_expandable(node: NormalNode) -> bool:
    match node:
        case nodes.Applied("∇" | "div" | "curl" | "∇²") | nodes.Infix():
            return True
        case nodes.Derivative(style, variables, body):
            return (
                style == "D"
                or body.__class__ in (nodes.Product, nodes.Sum, nodes.Derivative)
                or _is_index(variables[0][0])
            )
        case nodes.Scripts():
            return bool(_indices_of_letter(node))
        case nodes.Fenced("|" | "‖", _, body):
            return is_vector(body)
    return False


def _with_usual_indices(node: NormalNode) -> NormalNode:
    """Write ∇_a ξ_b as ∇_i ξ_j: a letter is an index if a derivative has it as variable."""
    by = differentiation_variables(node)
    used = set(leaves(node))
    if by.isdisjoint("abcd") or used.intersection("ijkl") or used.intersection("abcd") & set(_outside_scripts(node)):
        return node
    return rename_leaves(node, dict(zip("abcd", "ijkl", strict=True)))


def _with_labels(node: NormalNode) -> NormalNode:
    """Return an equation with labels for indices that are numbers elsewhere in it: the n of P_n beside n(n + 1)."""
    numbers = {name for name in _outside_scripts(node) if _is_index(name)}

    def labelled(part: NormalNode) -> NormalNode | None:
        named = part.__class__ is nodes.Scripts and part.base.__class__ is str and part.low in numbers
        return nodes.Scripts(part.base, f"%{part.low}", part.high) if named else None  # type: ignore[union-attr]

    return top_down(node, labelled) if numbers else node


def _outside_scripts(node: NormalNode) -> Iterator[NormalNode]:
    if node.__class__ is nodes.Scripts:
        yield from _outside_scripts(node.base)
        if node.high != EMPTY and is_power(node.base, node.high) and not _indices(node.high):
            yield from _outside_scripts(node.high)
    elif node.__class__ is str:
        yield node
    elif node.__class__ in (nodes.Derivative, nodes.Applied):
        yield from _outside_scripts(node.body)
    else:
        for child in children(node):
            yield from _outside_scripts(child)


def _is_index(node: NormalNode) -> bool:
    return node.__class__ is str and (node in _LATIN or node in _GREEK or (node[:1] in "ιδ" and node[1:].isdigit()))


def _indices(script: NormalNode) -> tuple[str, ...]:
    parts = script.letters if script.__class__ is nodes.Letters else (script,)
    return tuple(map(str, parts)) if all(map(_is_index, parts)) else ()


def _indices_of_letter(node: nodes.Scripts[NormalNode]) -> tuple[str, ...]:
    """Return the indices of a letter, superscripts first, without powers."""
    superscripts = () if is_power(node.base, node.high) and node.high[:1] not in ("ι", "δ") else _indices(node.high)  # type: ignore[index]
    return (*superscripts, *_indices(node.low))


def _base(node: NormalNode) -> str:
    """The letter of a quantity, without style and scripts."""
    node = base_of(node, nodes.Scripts, nodes.FunctionCall)
    return node.rpartition(".")[2] if node.__class__ is str else ""


def _ranks(node: NormalNode) -> dict[str, int]:
    """Return the number of indices of each letter; a bold letter has one unless the other formula has more."""
    found: dict[str, int] = {}
    for part in walk([node]):
        if part.__class__ is nodes.Scripts and part.base.__class__ is str:
            count = len(_indices_of_letter(part))
            if count:
                found[_base(part)] = max(count, found.get(_base(part), 0))
            elif part.low in _AXES:
                found.setdefault(_base(part), 1)
        elif part.__class__ is str and part[:2] == "b.":
            found.setdefault(part[2:], 1)
    return found


def _with_common_letters(
    one: NormalNode, other: NormalNode, left: Mapping[str, int], right: Mapping[str, int]
) -> tuple[NormalNode, NormalNode, dict[str, int]]:
    """Rename the vectors that only the first has to those that only the second has, in order; several only where as many letters stay, or none."""
    for name, rank in right.items():  # the matrix A beside its elements a_ij
        if rank == 2 and name.upper() not in right and name.upper() in set(_letters(one)):
            other = _renamed(other, {name: name.upper()})
            return _with_common_letters(one, other, left, _ranks(other))
    lone_left, lone_right = (
        [name for name in dict.fromkeys(_letters(node)) if name in own and name not in {*others, *_TENSORS}]
        for node, own, others in ((one, left, right), (other, right, left))
    )
    ranks = {name: max(left.get(name, 0), right.get(name, 0)) for name in (*left, *right)}
    if "I" in ranks and 2 in ranks.values():
        ranks["I"] = 2
    letters = {name for name in _letters(one) if len(name) == 1}
    alone = len(letters) == 1 and {*lone_left, *lone_right} != {"u", "v"}  # the vector is all that it speaks of
    kept = len(letters) - len(lone_left)
    fits = len(lone_left) == len(lone_right) and (len(lone_left) <= max(kept, 1) or not kept)  # p × E is not m × B
    if fits and not alone and not set(lone_right) & set(_letters(one)):
        one = _renamed(one, dict(zip(lone_left, lone_right, strict=True)))
    return one, other, ranks


def _has_terms_of_other_indices(node: NormalNode, indices: Sequence[str]) -> bool:
    """Tell whether terms of one sum have different ones of these indices, so that they are labels: (r_α - r_β)/(r_α + r_β)."""
    for part in find_all(nodes.Sum, node):
        free = (frozenset(index for index in indices if _counts(term).get(index) == 1) for term in part.terms)
        if len({*free}) > 1:
            return True
    return False


def _renamed(node: NormalNode, names: Mapping[str, str]) -> NormalNode:
    leaf_names = {leaf: leaf.replace(_base(leaf), names[_base(leaf)]) for leaf in leaves(node) if _base(leaf) in names}
    return rename_leaves(node, leaf_names)


def _functions(node: NormalNode) -> Iterator[str]:
    """Yield the letters that are differentiated."""
    for part in find_all(nodes.Derivative, node):
        variables = {_base(name) for name, _ in part.variables}
        yield from (name for name in _letters(part.body) if name not in variables)
    for applied in find_all(nodes.Applied, node):
        yield from _letters(applied.body) if applied.head in _OPERATORS else ()


def _letters(node: NormalNode) -> Iterator[str]:
    """Yield the letters of a tree that are not in scripts."""
    if node.__class__ is str:
        if node[:1] not in '#%~"':
            yield _base(node)
    elif node.__class__ is nodes.Scripts and node.base.__class__ is str:
        yield _base(node)
    else:
        for child in children(node):
            yield from _letters(child)


def _velocities(node: NormalNode) -> Iterator[NormalNode]:
    """Yield velocities: vectors with a divergence, and vectors before ∇ or before a derivative by their index."""
    for part in walk([node]):
        match part:
            case nodes.Applied("div", body):
                vectors = [each for each in fraction_of(body)[0] if is_vector(each) or each.__class__ is str]
                yield from (f"b.{_base(each)}" for each in vectors[-1:] if _base(each))
            case nodes.Infix(("·",), (str() as flow, nodes.Applied("∇") | "∇")):
                yield flow


@dataclass(frozen=True)
class _Components:
    """Writes trees in components, from the ranks of the letters, the letters that vary, and the velocity of D/Dt."""

    ranks: Mapping[str, int]
    functions: frozenset[str]
    velocity: NormalNode
    axis: int = 0  # the axis along which an equation of vectors is taken
    one_dimensional: bool = False  # in one dimension, that of the axis, whose label is left away

    @property
    def axes(self) -> Sequence[int]:
        return (self.axis,) if self.one_dimensional else range(3)

    def element(self, name: str, label: NormalNode, axes: Axes) -> NormalNode:
        if self.one_dimensional:
            return name if label == EMPTY else nodes.Scripts(name, label, EMPTY)
        labels = (*leaves(label), *[_AXES[axis] for axis in axes])
        return nodes.Scripts(name, labels[0] if len(labels) == 1 else nodes.Letters(labels), EMPTY)

    def equation(self, node: NormalNode) -> NormalNode:
        if node.__class__ is not nodes.Relation or len(node.sides) != 2:
            raise _NotCartesian
        left, right = node.sides
        free = sorted({index for index, count in _counts(left if left != "#0" else right).items() if count == 1})
        rank = max(map(self.rank, node.sides))
        if len(free) + rank > 2 or (free and rank):
            raise _NotCartesian
        if len(free) + rank < 2:
            at, axes = dict.fromkeys(free, self.axis), (self.axis,) * rank
            sides = [self.value(side, at, axes) for side in node.sides]
        else:  # one element on the diagonal and one off it
            sides = []
            for side in node.sides:
                elements = [
                    self.value(side, dict(zip(free, indices, strict=True)) if free else {}, () if free else indices)
                    for indices in ((0, 0), (0, 1))
                ]
                sides.append(_sum([times(["#3", elements[0]]), times(["#7", elements[1]])]))
        if sum(1 for _ in walk(sides)) > 8 * _MAX_TERMS:
            raise _NotCartesian
        return nodes.Relation(node.signs, tuple(sides))

    def rank(self, node: NormalNode) -> int:
        """Return the number of axes of a tree besides its indices."""
        match node:
            case str():
                rank = self.ranks.get(_base(node), 1)
                return rank if node[:2] == "b." or rank == 2 else 0
            case nodes.Scripts() if _indices_of_letter(node):
                return 0
            case nodes.Scripts(base, _, high) if base.__class__ is str or high == EMPTY:
                return self.rank(base) if not (high != EMPTY and is_power(base, high)) else 0
            case nodes.Signed(_, body) | nodes.Derivative(_, _, body) | nodes.Applied("∇²", body):
                return self.rank(body)
            case nodes.Sum(terms):
                return max(map(self.rank, terms))
            case nodes.Product(numerator, _):
                ranks = [rank for part in numerator if (rank := self.rank(part))]
                return ranks[1] if ranks[:1] == [2] and len(ranks) == 2 else sum(ranks)
            case nodes.Applied("∇", body):
                return self.rank(body) + 1
            case nodes.Applied("curl") | nodes.Infix(("×",)):
                return 1
            case nodes.Applied("div", body):
                return max(self.rank(body) - 1, 0)
            case nodes.Infix(("·",), (left, right)):
                return max(self.rank(left) + (1 if right == "∇" else self.rank(right)) - 2, 0)
            case nodes.Differential(_, _, variable):
                return self.rank(variable)
            case nodes.Accented("hat" | "vec", body):
                return self.rank(body)
        return 0

    def value(self, node: NormalNode, at: Mapping[str, int], axes: Axes = ()) -> NormalNode:
        """Return a tree along axes; its indices have the given values, and those that occur twice are summed."""
        if node.__class__ in (nodes.Sum, nodes.Signed):
            parts = node.terms if node.__class__ is nodes.Sum else (node.body,)  # type: ignore[union-attr]
            values = [self.value(part, at, axes) for part in parts]
            return _sum(values) if node.__class__ is nodes.Sum else _negative(values[0])
        if node.__class__ is str and not axes:
            if node[:2] == "b.":
                raise _NotCartesian
            return node
        twice = [index for index, count in _counts(node).items() if count > 1 and index not in at]
        if twice:
            if len(twice) > 3 or _has_terms_of_other_indices(node, twice):
                raise _NotCartesian
            places = (dict(zip(twice, axis, strict=True)) for axis in product(self.axes, repeat=len(twice)))
            return _sum([self.value(node, {**at, **place}, axes) for place in places])
        return self.term(node, at, axes)

    def term(self, node: NormalNode, at: Mapping[str, int], axes: Axes) -> NormalNode:
        match node:
            case str():
                return self.component(node, axes)
            case nodes.Scripts():
                return self.scripts(node, at, axes)
            case nodes.Product(numerator, denominator):
                return self.product(numerator, denominator, at, axes)
            case nodes.Infix(("·",), (left, right)):
                return self.dot(left, right, at, axes)
            case nodes.Infix(("×",), (left, right)) if len(axes) == 1 and not self.one_dimensional:
                one, two = (axes[0] + 1) % 3, (axes[0] + 2) % 3
                parts = [
                    _times([self.value(left, at, (first,)), self.value(right, at, (second,))])
                    for first, second in ((one, two), (two, one))
                ]
                return _sum([parts[0], _negative(parts[1])])
            case nodes.Applied("∇", body) if axes:
                return self.diff(self.value(body, at, axes[:-1]), _AXES[axes[-1]])
            case nodes.Applied("div", body):
                if body.__class__ is str and body[:2] != "b.":
                    body = f"b.{body}"
                return _sum([self.diff(self.value(body, at, (*axes, number)), _AXES[number]) for number in self.axes])
            case nodes.Applied("curl", body) if len(axes) == 1 and not self.one_dimensional:
                one, two = (axes[0] + 1) % 3, (axes[0] + 2) % 3
                first, second = self.value(body, at, (two,)), self.value(body, at, (one,))
                return _sum([self.diff(first, _AXES[one]), _negative(self.diff(second, _AXES[two]))])
            case nodes.Applied("∇²", body):
                inner = self.value(body, at, axes)
                return _sum([self.diff(self.diff(inner, axis), axis) for axis in map(_AXES.__getitem__, self.axes)])
            case nodes.Applied("%tr", str() as body) if self.rank(body) == 2 and not (axes or self.one_dimensional):
                return _sum([self.component(body, (number, number)) for number in self.axes])
            case nodes.Applied(head, body) if head.__class__ is nodes.Scripts and head.base == nodes.Big("∑"):
                return self.index_sum(head.low, body, at, axes)
            case nodes.Applied(str() as head, body) if not axes and head[:1] == "%":
                return nodes.Applied(head, self.value(body, at))
            case nodes.Derivative(style, variables, body):
                return self.derivative(style, variables, self.value(body, at, axes), at)
            case nodes.Fenced("|" | "‖", _, body) if not axes and self.rank(body) == 1:
                return nodes.Scripts(self.square(body, at), EMPTY, HALF)
            case nodes.Fenced(opening, closing, body) if not axes:
                return nodes.Fenced(opening, closing, self.value(body, at))
            case nodes.Differential(sign, order, variable) if axes:
                return nodes.Differential(sign, order, self.component(variable, axes))
            case nodes.Accented(name, body) if axes and name in ("hat", "vec"):
                return nodes.Scripts(nodes.Accented(name, _base(body)), _AXES[axes[0]], EMPTY)
        if axes or any(is_vector(part) or part.__class__ is nodes.Infix for part in walk([node])) or _counts(node):
            raise _NotCartesian
        return node

    def component(self, node: NormalNode, axes: Axes) -> NormalNode:
        if node == "#0":
            return node
        name = _base(node)
        if not name or not (node[:2] == "b." or name in self.ranks):  # type: ignore[index]
            raise _NotCartesian
        if name == "I" and len(axes) == 2:
            return "#1" if axes[0] == axes[1] else "#0"
        return self.element(name, EMPTY, axes)

    def scripts(self, node: nodes.Scripts[NormalNode], at: Mapping[str, int], axes: Axes) -> NormalNode:
        base, low, high = node.base, node.low, node.high
        names = _indices_of_letter(node)
        if high != EMPTY and is_power(base, high) and not (names and high in names):
            plain = without_power(node)
            if self.rank(plain) == 1 and high == "#2" and not axes:
                return self.square(plain, at)
            return nodes.Scripts(self.value(plain, at, axes), EMPTY, high)
        if base.__class__ is not str:
            if base.__class__ is nodes.Derivative and high == EMPTY:  # the dot of q_i
                rate = nodes.Derivative(base.style, base.variables, nodes.Scripts(base.body, low, high))
                return self.value(rate, at, axes)
            raise _NotCartesian
        if names:
            if not set(names) <= at.keys():
                raise _NotCartesian
            values = tuple(at[name] for name in names)
            if base == "ε" and len(values) == 3:
                return "#0" if len(set(values)) < 3 else "#1" if values in _EVEN else minus("#1")
            if base == "δ" and len(values) == 2:
                return "#1" if values[0] == values[1] else "#0"
            return self.element(_base(base), EMPTY, values)
        if axes:
            label = low if low != EMPTY else high
            return self.element(_base(base), label, axes)
        if low in ("#1", "#2", "#3") and high == EMPTY and self.ranks.get(_base(base)) == 1 and base[:2] != "b.":
            return self.element(_base(base), EMPTY, (int(low[1:]) - 1,))
        return node

    def square(self, node: NormalNode, at: Mapping[str, int]) -> NormalNode:
        return _sum([square(self.value(node, at, (axis,))) for axis in self.axes])

    def product(
        self, numerator: Sequence[NormalNode], denominator: Sequence[NormalNode], at: Mapping[str, int], axes: Axes
    ) -> NormalNode:
        match numerator:
            case [*before, nodes.Infix(("·",), (flow, "∇")), operand]:  # (u·∇)v
                derivative = self.directional_derivative(flow, operand, at, axes)
                factors = [self.value(part, at) for part in before]
                return _times([*factors, derivative], [self.value(part, at) for part in denominator])
        ranked = [part for part in numerator if self.rank(part)]
        if [self.rank(part) for part in ranked] == [2, len(axes)] and axes:  # a matrix times a vector or a matrix
            matrix, other = ranked
            rest = [self.value(part, at) for part in numerator if part not in ranked]
            denominator = [self.value(part, at) for part in denominator]
            pairs = [
                [self.value(matrix, at, (axes[0], axis)), self.value(other, at, (axis, *axes[1:]))]
                for axis in self.axes
            ]
            return _sum([_times([*rest, *pair], denominator) for pair in pairs])
        values, left = [], list(axes)
        for part in numerator:
            rank = self.rank(part)
            if rank > len(left) and not (rank == len(left) == 0):
                raise _NotCartesian
            values.append(self.value(part, at, tuple(left[:rank])))
            left = left[rank:]
        if left:
            raise _NotCartesian
        return _times(values, [self.value(part, at) for part in denominator])

    def dot(self, left: NormalNode, right: NormalNode, at: Mapping[str, int], axes: Axes) -> NormalNode:
        if right.__class__ is nodes.Applied and right.head == "∇":
            return self.directional_derivative(left, right.body, at, axes)
        before, after = axes[: self.rank(left) - 1], axes[self.rank(left) - 1 :]
        pairs = ([self.value(left, at, (*before, axis)), self.value(right, at, (axis, *after))] for axis in self.axes)
        return _sum(list(map(_times, pairs)))

    def directional_derivative(
        self, flow: NormalNode, operand: NormalNode, at: Mapping[str, int], axes: Axes
    ) -> NormalNode:
        """Return (flow·∇) of the operand."""
        return self.convective(flow, self.value(operand, at, axes), at)

    def convective(self, flow: NormalNode, inner: NormalNode, at: Mapping[str, int]) -> NormalNode:
        """Return (flow·∇) of a tree in components."""
        return _sum([_times([self.value(flow, at, (axis,)), self.diff(inner, _AXES[axis])]) for axis in self.axes])

    def index_sum(self, low: NormalNode, body: NormalNode, at: Mapping[str, int], axes: Axes) -> NormalNode:
        name = low.sides[0] if low.__class__ is nodes.Relation else low
        if not _is_index(name):
            raise _NotCartesian
        return _sum([self.value(body, {**at, str(name): axis}, axes) for axis in self.axes])

    # -- derivatives --------------------------------------------------------------------------------------------------
    def derivative(
        self, style: str, variables: Sequence[tuple[NormalNode, str]], body: NormalNode, at: Mapping[str, int]
    ) -> NormalNode:
        for variable, order in variables:
            if not is_whole(order) or int(order) > 4:
                raise _NotCartesian
            if style == "D":
                if not self.velocity or (variable, order) != ("t", "1"):
                    raise _NotCartesian
                body = _sum([self.diff(body, "t"), self.convective(self.velocity, body, at)])
                continue
            if variable.__class__ is nodes.Scripts and variable.base == "x" and variable.low in ("#1", "#2", "#3"):
                variable = _AXES[int(variable.low[1:]) - 1]
            if _is_index(variable):
                if variable not in at:
                    raise _NotCartesian
                variable = _AXES[at[str(variable)]]
            for _ in range(int(order)):
                body = self.diff(body, variable, style.rstrip("^"))
        return body

    def diff(self, node: NormalNode, variable: NormalNode, style: str = "") -> NormalNode:
        """Return the derivative of a tree in components, by the rules for sums, products and powers."""
        match node:
            case str():
                if node == variable:
                    return "#1"
                return nodes.Derivative(style, ((variable, "1"),), node) if node in self.functions else "#0"
            case nodes.Sum(terms):
                return _sum([self.diff(term, variable, style) for term in terms])
            case nodes.Signed("-", body):
                return _negative(self.diff(body, variable, style))
            case nodes.Product(numerator, denominator):
                found = [
                    _times(
                        [self.diff(part, variable, style), *numerator[:position], *numerator[position + 1 :]],
                        denominator,
                    )
                    for position, part in enumerate(numerator)
                ]
                found += [
                    _negative(_times([*numerator, self.diff(part, variable, style)], [*denominator, part]))
                    for part in denominator
                ]
                return _sum(found)
            case nodes.Scripts(base, low, str(high)) if is_power(base, high) and is_whole(high[1:]):
                plain = without_power(node)
                power = int(high[1:])
                rest = plain if power == 2 else nodes.Scripts(base, low, f"#{power - 1}")
                return _times([high, rest, self.diff(plain, variable, style)])
            case nodes.Derivative(inner, variables, body) if inner == style:
                orders = Counter({name: int(order) for name, order in variables})
                orders[variable] += 1
                by = sorted([(name, str(order)) for name, order in orders.items()], key=str)
                return nodes.Derivative(style, tuple(by), body)
        names = {_base(part) for part in walk([node])}
        if names.isdisjoint(self.functions) and variable not in set(leaves(node)):
            return "#0"
        return nodes.Derivative(style, ((variable, "1"),), node)


def _counts(node: NormalNode) -> Counter[str]:
    """Count each index of a tree, without indices that a term inside a sum runs over."""
    if node.__class__ is str:
        return Counter()
    if node.__class__ is nodes.Sum:
        found: Counter[str] = Counter()
        for term in node.terms:
            found |= Counter([name for name, count in _counts(term).items() if count == 1])
        return found
    if node.__class__ is nodes.Scripts:
        inner = _counts(node.base)
        inner.update(_indices_of_letter(node))
        return Counter({name: count * 2 for name, count in inner.items()}) if node.high == "#2" else inner
    found = Counter()
    if node.__class__ is nodes.Derivative:
        for name, order in node.variables:
            if _is_index(name):
                found[str(name)] += int(order) if is_whole(order) else 1
        return found + _counts(node.body)
    if node.__class__ is nodes.Applied and node.head.__class__ is nodes.Scripts:
        low = node.head.low
        bound = low.sides[0] if low.__class__ is nodes.Relation else low
        return Counter({name: count for name, count in _counts(node.body).items() if name != bound})
    for child in children(node):
        found += _counts(child)
    return found


def _sum(terms: Sequence[NormalNode]) -> NormalNode:
    nonzero = [term for term in terms if term not in ("#0", nodes.Signed("-", "#0"))]
    return plus(nonzero) if nonzero else "#0"


def _times(numerator: Sequence[NormalNode], denominator: Sequence[NormalNode] = ()) -> NormalNode:
    return "#0" if "#0" in numerator else times(numerator, denominator)


def _negative(node: NormalNode) -> NormalNode:
    return node if node == "#0" else minus(node)
