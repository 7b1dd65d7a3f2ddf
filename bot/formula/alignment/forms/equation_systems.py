"""One equation beside several: a chain taken apart, unknowns eliminated, and a curve by a parameter beside its equation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from bot.formula.alignment.tree_rewriting import NotReplaceable, bottom_up, letter_of, quantities, with_values
from bot.formula.normal.arithmetic import minus, plus, square, times
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.values import EVALUATION_ERRORS, Point, compile_expression, random_numbers
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import find_all

_MAX_SIDES, _MAX_EQUATIONS = 4, 4
_POINTS = 6
_ZERO, _CLEAR = 1e-9, 1e-3


def chain_equations(node: NormalNode) -> Iterator[NormalNode]:
    """Yield the equations with two sides of a chain a = b = c."""
    if node.__class__ is nodes.Relation and set(node.signs) == {"="} and 2 < len(node.sides) <= _MAX_SIDES:
        yield from (nodes.Relation(("=",), pair) for pair in combinations(node.sides, 2) if EMPTY not in pair)


def substitute_definitions(system: Sequence[NormalNode], node: NormalNode) -> tuple[list[NormalNode], list[NormalNode]]:
    """Substitute what only the system defines, in the other formula: L = λ/(μ - λ), ρ = λ/μ beside L = ρ/(1 - ρ)."""
    left = list(system)
    for each, symbol, expression in list(_stated_values(system[1:])):
        if (
            each in left
            and symbol in quantities([node])
            and symbol not in quantities([one for one in left if one is not each])
            and symbol not in quantities([expression])
        ):
            try:
                node = with_values(node, {symbol: expression})
            except NotReplaceable:
                continue
            left.remove(each)
    return left, [node]


def eliminate(system: Sequence[NormalNode], kept: Iterable[NormalNode]) -> NormalNode | None:
    """Return one equation for a system whose other equations each give a quantity that is not among those kept; None where there is none."""
    trees, kept_quantities = list(system), set(kept)
    if len(trees) > _MAX_EQUATIONS:
        return None
    while len(trees) > 1:
        for node, symbol, expression in _stated_values(trees):
            others = [each for each in trees if each is not node]
            if (
                symbol not in kept_quantities
                and symbol not in quantities([expression])
                and symbol in quantities(others)
            ):
                try:
                    trees = [with_values(each, {symbol: expression}) for each in others]
                except NotReplaceable:
                    continue
                break
        else:
            return None
    return trees[0]


def _stated_values(trees: Sequence[NormalNode]) -> Iterator[tuple[NormalNode, NormalNode, NormalNode]]:
    for node in trees:
        if node.__class__ is nodes.Relation and node.signs == ("=",):
            left, right = node.sides
            yield from ((node, one, other) for one, other in ((left, right), (right, left)) if letter_of(one))


def is_curve(system: Sequence[NormalNode], equation: NormalNode) -> bool | None:
    """Tell whether quantities that a system gives by parameters satisfy one equation without these: x = a cos t, y = b sin t on an ellipse."""
    values = {symbol: expression for node, symbol, expression in _stated_values(system)}
    in_equation = quantities([equation])
    if (
        len(values) != len(system)
        or not values.keys() <= in_equation.keys()
        or equation.__class__ is not nodes.Relation
        or equation.signs != ("=",)
    ):
        return None
    parameters = quantities(values.values()).keys() - in_equation.keys()
    if len(parameters) != len(values) - 1:
        return None
    on, off = _relative_residuals(equation, values), _relative_residuals(equation, {})
    if min(map(len, (on, off))) < _POINTS or min(off) < _ZERO:
        return None
    return True if max(on) < _ZERO else False if min(on) > _CLEAR else None


def _relative_residuals(equation: nodes.Relation[NormalNode], values: Mapping[NormalNode, NormalNode]) -> list[float]:
    """Return the differences of the sides at random points, relative to their size."""
    names: dict[str, int] = {}
    found: list[float] = []
    try:
        reader = ExpressionReader(names)
        sides = [compile_expression(reader.read(with_values(side, values))) for side in equation.sides]
    except (NotComputable, NotReplaceable):
        return found
    draw = random_numbers()
    for _ in range(4 * _POINTS):
        point: Point = [draw.uniform(0.4, 1.9) for _ in names]
        try:
            left, right = (side(point) for side in sides)
        except EVALUATION_ERRORS:
            continue
        found.append(abs(left - right) / (abs(left) + abs(right) or 1.0))
    return found


# -- line elements --------------------------------------------------------------------------------------------------------
def with_polar_elements(node: NormalNode, other: NormalNode) -> NormalNode:
    """Replace dx² + dy² and dx² + dy² + dz² by polar forms such as dr² + r²dθ², with the letters of the other formula."""
    letters = {part.variable for part in find_all(nodes.Differential, other)}
    radius = next((name for name in ("r", "ρ", "R") if name in letters), EMPTY)
    angles = [name for name in ("θ", "ϑ", "φ", "ϕ", "Ω") if name in letters]
    if not radius or not angles or {"x", "y"} & letters:
        return node
    around = square(radius)
    plane = [_element(radius), times([around, _element(angles[-1])])]
    if len(angles) == 1:
        return _with_elements(node, {"xyz": plane, "xy": plane} if angles == ["Ω"] else {"xy": plane})
    sine: NormalNode = nodes.Applied(square("%sin"), angles[0])
    sphere = [_element(radius), times([around, _element(angles[0])]), times([around, sine, _element(angles[1])])]
    return _with_elements(node, {"xyz": sphere})


def _with_elements(node: NormalNode, elements: Mapping[str, Sequence[NormalNode]]) -> NormalNode:
    def in_elements(part: NormalNode) -> NormalNode:
        for axes, terms in elements.items() if part.__class__ is nodes.Sum else ():
            for sign in (lambda term: term, minus):
                written = [sign(_element(axis)) for axis in axes]
                if all(term in part.terms for term in written):  # type: ignore[union-attr]
                    return plus([*(term for term in part.terms if term not in written), *map(sign, terms)])  # type: ignore[union-attr]
        return part

    return bottom_up(node, in_elements)


def _element(name: NormalNode) -> NormalNode:
    """Return the square of the element of a coordinate."""
    return square(nodes.Differential("d", "1", name))
