"""Whether a function solves a differential equation, ordinary or partial, perhaps with a parameter of its own: ω for √(k/m) in x = A cos(ωt + φ).

It must have a constant of its own, or begin at rest: I = V/R (1 - e^{-Rt/L}). A wave f(x - ct) solves whatever f is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from bot.formula.alignment.forms.solutions import are_equations
from bot.formula.alignment.tree_rewriting import bottom_up, top_down
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE
from bot.formula.normal.render import render
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.values import (
    EVALUATION_ERRORS,
    CompiledExpression,
    Point,
    Value,
    compile_expression,
    random_numbers,
)
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import find_all, is_whole, leaves, terms_of, walk

_DRAWS, _PLACES = 5, 4  # choices of the constants, and places of each
_STEP = 1e-4  # of differences of first and second order
_ZERO, _CLEAR = 1e-5, 1e-2  # residuals, relative to the size of the terms: of a solution, and of anything else
_ANY = ("%tanh", "%arctan", "%erf")  # functions that no linear equation has
_AXES = ("x", "y", "z")
_GRID = [0.01 * 1.5**k for k in range(24)]
Orders = tuple[tuple[str, int], ...]  # variables and how often is differentiated by each


def solves(equation: NormalNode, solution: NormalNode, *, general: bool = False) -> bool | None:
    """Tell whether the second equation is a solution of the first; False if it is none though it has the same letters, None if nothing is certain.

    With `general` nothing is certain of one without a letter of the equation, or with less free constants than its order.
    """
    found = _read_solution(equation, solution)
    if found is None or found.is_trivial():
        return None
    sides = set(map(render, equation.sides))  # type: ignore[union-attr]
    missing, own = found.given - found.of_value, found.of_value - found.given - found.variables
    if general and missing:
        return None
    if not missing and found.residual_is_zero(""):
        return found.is_general(own) if not general or found.has_free_constants(own) else None
    for parameter in () if general else sorted((own | missing) - sides):
        if (missing <= {parameter} or parameter in own) and found.residual_is_zero(parameter):
            return found.is_general(own - {parameter})
    return False if not missing and found.is_clear() else None


@dataclass(frozen=True)
class _Solution:
    """A function and an equation with its derivatives, at points of the same numbered names."""

    names: Mapping[str, int]
    function: CompiledExpression
    terms: list[CompiledExpression]  # of the equation, all on one side
    derivatives: Mapping[str, Orders]  # as they are named in the equation
    name: str
    variables: set[str]
    given: set[str]
    of_value: set[str]
    calls: bool  # has an arbitrary function in it

    def points(self) -> Iterator[list[Point]]:
        """Yield lists of points for several choices of the constants."""
        draw = random_numbers()
        for _ in range(_DRAWS):
            fixed: Point = [draw.uniform(0.4, 1.9) for _ in self.names]
            if "i" in self.names:
                fixed[self.names["i"]] = 1j
            points = []
            for _ in range(_PLACES):
                point = [*fixed]
                for variable in sorted(self.variables):
                    point[self.names[variable]] = draw.uniform(0.4, 1.9)
                points.append(point)
            yield points

    def with_function_values(self, point: Point) -> Point:
        """Return the point with the values of the function and its derivatives."""
        point = [*point]
        values = {name: self.difference_quotient(point, orders) for name, orders in self.derivatives.items()}
        for name, value in values.items():
            point[self.names[name]] = value
        if self.name in self.names:
            point[self.names[self.name]] = self.function(point)
        return point

    def difference_quotient(self, point: Point, orders: Orders) -> Value:
        if not orders:
            return self.function(point)
        (variable, order), *others = orders
        index, rest = self.names[variable], tuple(others)
        forward, backward = [*point], [*point]
        forward[index] += _STEP
        backward[index] -= _STEP
        after, before = self.difference_quotient(forward, rest), self.difference_quotient(backward, rest)
        if order == 2:
            return (after - 2 * self.difference_quotient(point, rest) + before) / _STEP**2
        return (after - before) / (2 * _STEP)

    def residual(self, point: Point) -> tuple[Value, float]:
        """Return the residual of the equation, and the size of its terms."""
        values = [term(self.with_function_values(point)) for term in self.terms]
        return sum(values), max(map(abs, values))

    def is_trivial(self) -> bool:
        """Tell whether all terms are zero, or the function is constant."""
        try:
            return any(max(abs(self.residual(point)[1]) for point in points) < _ZERO for points in self.points())
        except EVALUATION_ERRORS:
            return True

    def residual_is_zero(self, parameter: str) -> bool:
        """Tell whether the function solves the equation at all points, for one positive value of the parameter."""
        agreed = 0
        for points in self.points():
            fits: Iterable[None] = self.fit_parameter(points, self.names[parameter]) if parameter else [None]
            try:
                tried = [all(abs(left) < _ZERO * size for left, size in map(self.residual, points)) for _ in fits]
            except EVALUATION_ERRORS:
                continue
            if tried and not any(tried):
                return False
            agreed += bool(tried)
        return agreed >= 2

    def fit_parameter(self, points: list[Point], index: int) -> Iterator[None]:
        """Set the parameter to each value that solves the equation at the first point."""

        def gap(value: float) -> float:
            points[0][index] = value
            left, size = self.residual(points[0])
            return (left.real if abs(left.imag) < abs(left.real) else left.imag) / (size or 1.0)

        last = (0.0, 0.0)
        for value in _GRID:
            residual = gap(value)
            if residual * last[1] < 0:
                low, high = last[0], value
                for _ in range(40):
                    middle = (low + high) / 2
                    low, high = (middle, high) if gap(middle) * last[1] > 0 else (low, middle)
                for point in points:
                    point[index] = (low + high) / 2
                yield None
            last = (value, residual)

    def is_clear(self) -> bool:
        try:
            found = [abs(left) > _CLEAR * size for points in self.points() for left, size in map(self.residual, points)]
            return sum(found) >= 0.8 * len(found)  # a curve may cross another one
        except EVALUATION_ERRORS:
            return False

    def is_general(self, constants: set[str]) -> bool | None:
        """Tell whether the solution has a constant of its own, and starts at its named initial value or at rest."""
        first = {f"{self.name}_#0^;", f"{self.name}_%0^;"} & constants
        at_zero = [point for points in self.points() for point in points]
        if len(self.variables) > 1:
            return True if constants or self.calls else None
        (variable,) = self.variables
        try:
            if len(constants) >= self.order > 1 and self.number_of_free_constants(constants) < self.order:
                return None
            for point in at_zero:
                point[self.names[variable]] = 0.0
                value = self.function(point)
                if (
                    first
                    and abs(value - point[self.names[next(iter(first))]]) > _ZERO
                    and abs(self.difference_quotient(point, ((variable, 1),))) > 0
                ):
                    return None
                if not constants and abs(value) > _ZERO:
                    return None
        except EVALUATION_ERRORS:
            return True if constants and not first else None
        return True

    @property
    def order(self) -> int:
        return max(sum(count for _, count in orders) for orders in self.derivatives.values())

    def has_free_constants(self, constants: set[str]) -> bool:
        """Tell whether there are as many independent constants as the order."""
        try:
            return self.number_of_free_constants(constants) >= self.order
        except EVALUATION_ERRORS:
            return False

    def number_of_free_constants(self, constants: set[str]) -> int:
        """Return the number of independent constants: A and B of Ae^{kx} + Be^{kx} are one."""
        return max(
            _rank(
                [
                    [self.difference_quotient(point, ((name, 1),)).real for point in points[: self.order]]
                    for name in sorted(constants)
                ]
            )
            for points in self.points()
        )


def _rank(rows: list[list[float]]) -> int:
    """Return the rank of a matrix with one or two columns."""
    rows = [[number / max(map(abs, row)) for number in row] for row in rows if max(map(abs, row)) > _ZERO]
    if len(rows) < 2 or len(rows[0]) == 1:
        return min(len(rows), 1)
    return 2 if any(abs(a * d - b * c) > _CLEAR for (a, b), (c, d) in combinations(rows, 2)) else 1


def _read_solution(equation: NormalNode, solution: NormalNode) -> _Solution | None:
    equation, solution = (
        _with_plain_states(rename_leaves(node, {UNKNOWN_VARIABLE: "x"})) for node in (equation, solution)
    )
    if not are_equations(equation, solution):
        return None
    equation = _as_derivatives(_with_axes(equation, set(leaves(solution))), solution)
    derivatives: dict[str, Orders] = {}
    bodies: set[NormalNode] = set()
    variables: set[str] = set()
    for node in find_all(nodes.Derivative, equation):
        if node.style or not all(name.__class__ is str and is_whole(order) for name, order in node.variables):
            return None
        orders = tuple((str(name), int(order)) for name, order in node.variables)
        if sum(order for _, order in orders) > 2:
            return None
        derivatives[render(node)] = orders
        bodies.add(node.body)
        variables.update(name for name, _ in orders)
    name = bodies.pop() if len(bodies) == 1 else EMPTY
    if not derivatives or name.__class__ is not str or not is_name(name):
        return None
    value = _value(solution, name, variables)
    if value is None:
        return None
    value, calls = _with_functions(value, variables, set(leaves(equation)))
    names: dict[str, int] = {}
    of_value, of_equation = ExpressionReader(names), ExpressionReader(names)
    try:
        value_read = of_value.read(value)
        left, right = equation.sides  # type: ignore[union-attr]
        negated = plus([minus(term) for term in terms_of(right)])
        terms_read = [of_equation.read(term) for side in (left, times(["#1", negated])) for term in terms_of(side)]
    except NotComputable:
        return None
    used = of_value.used
    if (
        not variables <= used
        or name in used
        or not derivatives.keys() <= names.keys()  # one stands in a call of an unknown function only
        or any(isinstance(node, (nodes.Derivative, nodes.Differential, nodes.Big)) for node in walk([value]))
    ):
        return None
    function, *terms = (compile_expression(each, "i" in names) for each in (value_read, *terms_read))
    parameters = of_equation.used - {name, "i", *derivatives} - variables
    return _Solution(names, function, terms, derivatives, name, variables, parameters, used - {"i"}, calls)


def _value(solution: NormalNode, name: NormalNode, variables: set[str]) -> NormalNode | None:
    """Return the value of the function in the solution, which may have some of these variables."""
    left, right = solution.sides[0], solution.sides[-1]  # type: ignore[union-attr]
    for side, value in ((left, right), (right, left)):
        if side.__class__ is nodes.FunctionCall and not variables.isdisjoint(leaves(side.arguments)):
            side = side.function
        if side == name:
            return value
    return None


def _with_plain_states(node: NormalNode) -> NormalNode:
    """Write a ket as its letter, and an operator as a number: only one of them is in the equation."""
    hats = {part for part in find_all(nodes.Accented, node) if part.name == "hat"}
    return without_kets(node) if len(hats) < 2 else node


def without_kets(node: NormalNode) -> NormalNode:
    """Return a tree with letters for kets and operators."""

    def letter(part: NormalNode) -> NormalNode | None:
        match part:
            case nodes.Fenced("|", "⟩", body) if body.__class__ in (str, nodes.FunctionCall):
                return body
            case nodes.Accented("hat", body):
                return body
        return None

    return top_down(node, letter)


def _as_derivatives(node: NormalNode, solution: NormalNode) -> NormalNode:
    """Write dN = -λN dt as dN/dt = -λN if the solution gives N."""
    found = {part.variable for part in find_all(nodes.Differential, node) if part.sign == "d"}
    defined = {
        name for name in found if name.__class__ is str and _value(solution, name, set(map(str, found))) is not None
    }
    if len(found) != 2 or len(defined) != 1 or any(find_all(nodes.Derivative, node)):
        return node
    (name,), (variable,) = defined, found - defined

    rates: dict[NormalNode, NormalNode] = {
        nodes.Differential("d", "1", name): nodes.Derivative("", ((variable, "1"),), name),
        nodes.Differential("d", "1", variable): "#1",
    }
    return top_down(node, rates.get)


def _with_axes(node: NormalNode, letters: set[str]) -> NormalNode:
    """Write ∇²u as the sum of second derivatives along the axes of the solution."""
    axes = [axis for axis in _AXES if axis in letters]

    def along_axes(part: NormalNode) -> NormalNode | None:
        if part.__class__ is not nodes.Applied or part.head != "∇²":
            return None
        return plus([nodes.Derivative("", ((axis, "2"),), part.body) for axis in axes])

    return top_down(node, along_axes) if axes else node


def _with_functions(node: NormalNode, variables: set[str], names: set[str]) -> tuple[NormalNode, bool]:
    """Replace arbitrary functions by known ones: f(x - ct), which may be read as a product if f occurs nowhere else."""
    functions: dict[NormalNode, str] = {}

    def call(head: NormalNode, argument: NormalNode) -> NormalNode | None:
        own = head.__class__ is str and is_name(head) and head not in names and head not in variables
        if not own or variables.isdisjoint(leaves(argument)) or (head not in functions and len(functions) == len(_ANY)):
            return None
        return nodes.Applied(functions.setdefault(head, _ANY[len(functions)]), argument)

    def known(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall(head, _, argument):
                return call(head, argument) or part
            case nodes.Product((head, nodes.Sum() as argument), ()) if len(variables) > 1 and variables <= set(
                leaves(argument)
            ):
                return call(head, argument) or part
        return part

    changed = bottom_up(node, known)
    return changed, bool(functions)
