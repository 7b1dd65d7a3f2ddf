"""Whether an equation in any form, such as ln(p/p_0) = -h/H, solves an ordinary differential equation of first order.

Its slope is computed at random points by differences, and put into the equation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE
from bot.formula.normal.render import render
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.sampling import found_root
from bot.formula.numeric.values import EVALUATION_ERRORS, CompiledExpression, Point, compile_expression, random_numbers
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children, find_all, is_whole

_STEPS = {1: 1e-5, 2: 1e-4}  # of differences: where their error is least
_ZERO, _CLEAR = 1e-5, 1e-2  # residuals, relative to the size of the terms: of a solution, and of anything else
_NEAR = 1e-4  # of a parameter, at points of one curve
_DRAWS, _ALONG = 12, 3  # curves that are tried, and points of each
_PRIME_VARIABLE = "x"  # default variable of primes


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
    """Yield the functions that a formula may give as the solution of an equation."""
    for side in solution.sides if solution.__class__ is nodes.Relation and len(solution.sides) == 2 else ():
        name = base_of(side, nodes.FunctionCall)
        if name.__class__ is str:
            yield name


def is_solution_with_parameter(equation: NormalNode, solution: NormalNode) -> bool | None:
    """Tell whether the second equation solves the first, of first order, with a parameter of its own and in any form: T_a + (T_0 - T_a)e^{-t/τ}, ln(p/p_0) = -h/H.

    It is a curve through any point, by one of its constants; its slope is that of the equation if the one parameter that it lacks has the same value all
    along, and that is positive: k is 1/τ. A constant that is named as the beginning must be that.
    """
    equation = rename_leaves(equation, {UNKNOWN_VARIABLE: _PRIME_VARIABLE})
    unknown = _unknown(equation)
    if unknown is None or unknown.order != 1 or not are_equations(equation, solution):
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


def are_equations(*trees: NormalNode) -> bool:
    """Tell whether trees are equations whose sides are all there."""
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
        draw = random_numbers()
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
        draw = random_numbers()
        point: Point = [draw.uniform(0.4, 1.9) for _ in self.names]
        point[self.names[self.unknown.variable]] = 0.0
        point[self.names[self.unknown.name]] = point[self.names[begins]]
        try:
            return abs(self.solution(point)) < _ZERO
        except EVALUATION_ERRORS:
            return True


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


def _derivatives(equation: NormalNode) -> list[nodes.Derivative[NormalNode]]:
    return list(find_all(nodes.Derivative, equation))
