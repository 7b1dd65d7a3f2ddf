"""Whether a function solves an ordinary differential equation with as many free constants as its order: then both say the same.

The function and its derivatives are computed at random points by differences, and put into the equation.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from bot.formula.keys.alpha_equivalence import is_name, scripted_variables
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE
from bot.formula.normal.render import render
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.sampling import found_root
from bot.formula.numeric.values import EVALUATION_ERRORS, CompiledExpression, Point, compile_expression
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import children, is_whole, terms_of, walk

POINTS = 8  # at which a solution is tried
_STEPS = {1: 1e-5, 2: 1e-4}  # of differences: where their error is least
_ZERO, _CLEAR = 1e-5, 1e-2  # residuals, relative to the size of the terms: of a solution, and of anything else
_NEAR = 1e-4  # of a parameter, at points of one curve
_DRAWS, _ALONG = 12, 3  # curves that are tried, and points of each
_PRIME_VARIABLE = "x"  # default variable of primes
_NUMBERS = frozenset(["$e", "$π"])


@dataclass(frozen=True, slots=True)
class _Unknown:
    """The function that an equation is solved for, its variable, and the order."""

    name: str
    variable: str
    order: int


def unknown_function(equation: NormalNode) -> str:
    """Return the name of the function that an equation is solved for; "" where there is none."""
    found = _unknown(rename_leaves(equation, {UNKNOWN_VARIABLE: _PRIME_VARIABLE}))
    return found.name if found else ""


def stated_functions(solution: NormalNode) -> Iterator[str]:
    """Yield the functions for which `is_solution` may accept a formula as a solution."""
    for side in solution.sides if solution.__class__ is nodes.Relation and len(solution.sides) == 2 else ():
        name = side.function if side.__class__ is nodes.FunctionCall else side
        if name.__class__ is str:
            yield name


def is_solution(equation: NormalNode, solution: NormalNode) -> bool | None:
    """Tell whether the second equation is the general solution of the first; None if that is uncertain.

    A function of other letters than the equation says nothing: its constants may be named otherwise.
    """
    equation = rename_leaves(equation, {UNKNOWN_VARIABLE: _PRIME_VARIABLE})
    unknown = _unknown(equation)
    value = _value(solution, unknown) if unknown else None
    if unknown is None or value is None or equation.__class__ is not nodes.Relation or equation.signs != ("=",):
        return None
    left, right = (scripted_variables([node]) - _NUMBERS for node in (equation, value))
    if left - {f"${unknown.name}"} - right or f"${unknown.variable}" not in right:
        return None
    gaps = _residuals(equation, value, unknown)
    if len(gaps) < POINTS:
        return None
    if max(gaps) < _ZERO:
        return (
            True if _number_of_free_constants(equation, value, unknown) >= unknown.order else None
        )  # one of many solutions is a weaker statement
    return False if min(gaps) > _CLEAR else None


def is_solution_with_parameter(equation: NormalNode, solution: NormalNode) -> bool | None:
    """Tell whether the second equation solves the first, of first order, with a parameter of its own and in any form: T_a + (T_0 - T_a)e^{-t/τ}, ln(p/p_0) = -h/H.

    It is a curve through any point, by one of its constants; its slope is that of the equation if the one parameter that it lacks has the same value all
    along, and that is positive: k is 1/τ. A constant that is named as the beginning must be that.
    """
    equation = rename_leaves(equation, {UNKNOWN_VARIABLE: _PRIME_VARIABLE})
    unknown = _unknown(equation)
    if unknown is None or unknown.order != 1 or not _are_equations(equation, solution):
        return None
    names: dict[str, int] = {}
    reader = ExpressionReader(names)
    try:
        curve_gap, law_gap = _difference_of_sides(reader, solution), _difference_of_sides(reader, equation)
    except NotComputable:
        return None
    own, right = (_used_names(node) for node in (equation, solution))
    slopes = [render(node) for node in _derivatives(equation)]
    missing = own - right - {unknown.name, *slopes}
    if (
        not {unknown.name, unknown.variable} <= right
        or len(missing) > 1
        or slopes[0] not in names  # read as something else
        or "i" in names
        or missing.intersection(children(equation))
    ):
        return None
    curve = _Curve(names, curve_gap, law_gap, unknown, slopes[0], next(iter(missing), ""))
    answers = [curve.solves_equation(constant) for constant in sorted(right - own - {unknown.variable, unknown.name})]
    if True in answers:
        return curve.has_initial_value(right)
    return False if False in answers else None


def _are_equations(*trees: NormalNode) -> bool:
    return all(node.__class__ is nodes.Relation and node.signs == ("=",) and EMPTY not in node.sides for node in trees)


def _difference_of_sides(reader: ExpressionReader, node: NormalNode) -> CompiledExpression:
    """Return the difference of both sides of an equation."""
    left, right = [compile_expression(reader.read(side)) for side in node.sides]  # type: ignore[union-attr]
    return lambda at: left(at) - right(at)


def _used_names(node: NormalNode) -> set[str]:
    reader = ExpressionReader({})
    for side in node.sides:  # type: ignore[union-attr]
        reader.read(side)
    return reader.used


@dataclass(frozen=True, slots=True)
class _Curve:
    """A solution in any form, and the equation with the slope in it, at points with the same numbered names."""

    names: dict[str, int]
    solution: CompiledExpression
    equation: CompiledExpression
    unknown: _Unknown
    slope: str
    missing_parameter: str  # the parameter that only the equation has

    def solves_equation(self, constant: str) -> bool | None:
        """Tell whether the curve solves the equation for this constant; False if it never does, or only for a negative parameter."""
        draw = random.Random(2534)
        passing: list[float] = []
        for _ in range(_DRAWS):
            fixed: Point = [draw.uniform(0.4, 1.9) for _ in self.names]
            values: list[float] = []
            for _ in range(_DRAWS):
                point = [*fixed]
                for name in (self.unknown.name, self.unknown.variable):
                    point[self.names[name]] = draw.uniform(0.4, 1.9)
                try:
                    if self.fit_constant(point, constant):
                        value = self.required_parameter(point)
                        if value is not None:
                            values.append(value)
                except EVALUATION_ERRORS:
                    continue
                if len(values) == _ALONG:
                    break
            if len(values) == _ALONG:
                middle = sum(values) / _ALONG
                if self.missing_parameter:
                    if any(abs(value - middle) > _NEAR * abs(middle) for value in values):
                        return None
                    passing.append(middle)
                else:
                    passing.append(max(map(abs, values)))
        if len(passing) < _ALONG:
            return None
        if self.missing_parameter:
            return True if min(passing) > 0 else False if max(passing) < 0 else None
        return True if max(passing) < _NEAR else False if min(passing) > _CLEAR else None

    def fit_constant(self, point: Point, constant: str) -> bool:
        """Set the constant so that the curve goes through the point."""
        index = self.names[constant]

        def gap(value: float) -> float:
            point[index] = value
            return self.solution(point).real

        return found_root(gap)

    def required_parameter(self, point: Point) -> float | None:
        """Return the missing parameter that the point requires, or the residual of the equation."""
        by_function, by_variable = (self._slope_at(point, self.names[name]) for name in (self.unknown.name, self.unknown.variable))  # fmt: skip
        if abs(by_function) < _ZERO:
            return None
        point = [*point]
        point[self.names[self.slope]] = -by_variable / by_function
        if not self.missing_parameter:
            size = abs(point[self.names[self.slope]])
            return abs(self.equation(point).real) / (size or 1.0)
        index = self.names[self.missing_parameter]

        def gap(value: float) -> float:
            point[index] = value
            return self.equation(point).real

        return point[index].real if found_root(gap) or found_root(gap, negative=True) else None

    def _slope_at(self, point: Point, index: int) -> float:
        forward, backward = [*point], [*point]
        forward[index] += _STEPS[1]
        backward[index] -= _STEPS[1]
        return (self.solution(forward).real - self.solution(backward).real) / (2 * _STEPS[1])

    def has_initial_value(self, names: set[str]) -> bool:
        """Tell whether y_0 is the initial value of the curve, if nothing else has that name."""
        begins = f"{self.unknown.name}_#0^;"
        if begins not in names or any(name.startswith(self.unknown.variable + "_") for name in names):
            return True
        draw = random.Random(2534)
        point: Point = [draw.uniform(0.4, 1.9) for _ in self.names]
        point[self.names[self.unknown.variable]] = 0.0
        point[self.names[self.unknown.name]] = point[self.names[begins]]
        try:
            return abs(self.solution(point)) < _ZERO
        except EVALUATION_ERRORS:
            return True


def _number_of_free_constants(equation: nodes.Relation[NormalNode], value: NormalNode, unknown: _Unknown) -> int:
    """Return the number of independent constants of the solution, up to the order: A and B of Ae^{kx} + Be^{kx} are one.

    The rank of what each of them changes at as many instants as the order.
    """
    names: dict[str, int] = {}
    equation_names: dict[str, int] = {}
    function = compile_expression(ExpressionReader(names).read(value))
    for side in equation.sides:
        ExpressionReader(equation_names).read(side)
    draw = random.Random(2534)
    at, most = names[unknown.variable], 0
    constants = [index for name, index in names.items() if name not in equation_names and index != at]
    for _ in range(POINTS):
        point: Point = [draw.uniform(0.4, 1.9) for _ in names]
        instants = [draw.uniform(0.4, 1.9) for _ in range(unknown.order)]

        def change(constant: int, instant: float, point: Point = point) -> float:
            forward, backward = [*point], [*point]
            forward[at] = backward[at] = instant
            forward[constant] += _STEPS[1]
            backward[constant] -= _STEPS[1]
            return (function(forward).real - function(backward).real) / (2 * _STEPS[1])

        try:
            changes = [[change(constant, instant) for instant in instants] for constant in constants]
        except EVALUATION_ERRORS:
            continue
        most = max(most, rank(changes))
    return most


def rank(rows: list[list[float]]) -> int:
    """Return the rank of a matrix with one or two columns."""
    rows = [[number / max(map(abs, row)) for number in row] for row in rows if max(map(abs, row)) > _ZERO]
    if len(rows) < 2 or len(rows[0]) == 1:
        return min(len(rows), 1)
    return 2 if any(abs(a * d - b * c) > _CLEAR for (a, b), (c, d) in combinations(rows, 2)) else 1


def _unknown(equation: NormalNode) -> _Unknown | None:
    names: set[NormalNode] = set()
    variables: set[NormalNode] = set()
    orders: set[int] = set()
    for node in _derivatives(equation):
        if node.style or len(node.variables) != 1 or not is_whole(node.variables[0][1]):
            return None
        names.add(node.body)
        variables.add(node.variables[0][0])
        orders.add(int(node.variables[0][1]))
    if len(names) != 1 or len(variables) != 1 or max(orders) not in _STEPS:
        return None
    (name,), (variable,) = names, variables
    if name.__class__ is not str or variable.__class__ is not str or not is_name(name):
        return None
    return _Unknown(name, variable, max(orders))


def _value(solution: NormalNode, unknown: _Unknown) -> NormalNode | None:
    """Return the value of the function in the solution."""
    if solution.__class__ is not nodes.Relation or solution.signs != ("=",) or len(solution.sides) != 2:
        return None
    left, right = map(_without_argument, solution.sides, [unknown.variable] * 2)
    if right == unknown.name:
        left, right = right, left
    is_stated = f"${unknown.name}" not in scripted_variables([right])
    calculus = any(isinstance(node, (nodes.Derivative, nodes.Differential)) for node in walk([right]))
    return right if left == unknown.name and is_stated and not calculus and right != EMPTY else None


def _without_argument(side: NormalNode, variable: str) -> NormalNode:
    """Return N for N(t)."""
    return side.function if side.__class__ is nodes.FunctionCall and side.arguments == variable else side


def _derivatives(equation: NormalNode) -> list[nodes.Derivative[NormalNode]]:
    trees: Iterator[NormalNode] = walk([equation])
    return [node for node in trees if node.__class__ is nodes.Derivative]


def _residuals(equation: nodes.Relation[NormalNode], value: NormalNode, unknown: _Unknown) -> list[float]:
    """Return the differences of both sides at random points, relative to the size of their terms."""
    names: dict[str, int] = {}
    try:
        reader = ExpressionReader(names)
        function = compile_expression(reader.read(value))
        terms = [compile_expression(reader.read(term)) for side in equation.sides for term in terms_of(side)]
        sides = [compile_expression(reader.read(side)) for side in equation.sides]
    except NotComputable:
        return []
    if len(sides) != 2 or unknown.variable not in names or "i" in names:
        return []
    derivatives = {render(node): int(node.variables[0][1]) for node in _derivatives(equation)}
    at = names[unknown.variable]
    draw = random.Random(2534)
    found: list[float] = []
    for _ in range(3 * POINTS):
        point: Point = [draw.uniform(0.4, 1.9) for _ in names]

        def shifted(step: float, point: Point = point) -> float:
            moved = [*point]
            moved[at] += step
            return function(moved).real

        try:
            now = shifted(0.0)
            for text, order in derivatives.items():
                step = _STEPS[order]
                forward, backward = shifted(step), shifted(-step)
                slope = (forward - backward) / (2 * step) if order == 1 else (forward - 2 * now + backward) / step**2
                if text in names:
                    point[names[text]] = slope
            if unknown.name in names:
                point[names[unknown.name]] = now
            size = max(abs(term(point)) for term in terms)
            found.append(abs(sides[0](point) - sides[1](point)) / (size or 1.0))
        except EVALUATION_ERRORS:
            continue
        if len(found) == POINTS:
            break
    return found
