"""Do two equations have the same solutions? Tried at random points, from our own tree, with a fixed seed and no other library.

Values are drawn for all variables but one, the first equation is solved for that one by bisection, and the second must hold there.
What cannot be computed (a derivative, a sum, a call) counts as one variable of its own.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from bot.formula.algebra import number_of
from bot.formula.render import render
from bot.formula.tree import EMPTY, Node

POINTS = 6
MAX_VARIABLES = 12
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "%sin": math.sin, "%cos": math.cos, "%tan": math.tan, "%sinh": math.sinh, "%cosh": math.cosh, "%tanh": math.tanh, "%exp": math.exp,
    "%ln": math.log, "%log": math.log, "%arcsin": math.asin, "%arccos": math.acos, "%arctan": math.atan, "%lg": math.log10,
}  # fmt: skip
Value = Callable[[dict[str, float]], float]


def same_solutions(a: Node, b: Node, seed: int = 2534) -> bool | None:
    """Tell whether two relations of two sides agree at the sample points; None where that cannot be tried."""
    names: dict[str, None] = {}
    first, second = _difference(a, names), None
    own = set(names)
    if first is None:
        return None
    second = _difference(b, names)
    if second is None or set(names) != own or not 1 < len(names) <= MAX_VARIABLES:
        return None
    rng = random.Random(seed)
    listed = sorted(names)
    agreed = 0
    for attempt in range(8 * POINTS):
        unknown = listed[attempt % len(listed)]
        point = {name: rng.uniform(0.3, 2.5) for name in listed}
        if not _solve(first, point, unknown):
            continue
        try:
            left, right = second[0](point), second[1](point)
        except (ArithmeticError, ValueError):
            continue
        if not math.isclose(left, right, rel_tol=1e-6, abs_tol=1e-9):
            return False
        agreed += 1
        if agreed >= POINTS:
            return True
    return None


def _solve(sides: tuple[Value, Value], point: dict[str, float], unknown: str) -> bool:
    """Set the unknown so that both sides agree; False where no change of sign is found between 0.02 and 60."""

    def gap(value: float) -> float:
        point[unknown] = value
        return sides[0](point) - sides[1](point)

    grid = [0.02 * 1.45**k for k in range(22)]
    last: tuple[float, float] | None = None
    for value in grid:
        try:
            here = gap(value)
        except (ArithmeticError, ValueError):
            last = None
            continue
        if last is not None and (here > 0) != (last[1] > 0) and math.isfinite(here) and math.isfinite(last[1]):
            low, high, sign = last[0], value, last[1] > 0
            try:
                for _ in range(80):
                    middle = (low + high) / 2
                    if (gap(middle) > 0) == sign:
                        low = middle
                    else:
                        high = middle
                return abs(gap((low + high) / 2)) < 1e-7 * (1 + abs(sides[0](point)))
            except (ArithmeticError, ValueError):
                return False
        last = (value, here)
    return False


def _difference(node: Node, names: dict[str, None]) -> tuple[Value, Value] | None:
    if node.__class__ is not tuple or node[0] != "rel" or len(node[2]) != 2 or node[1][0] != "=" or EMPTY in node[2]:
        return None
    left, right = (_compiled(side, names) for side in node[2])
    return left, right


def _compiled(node: Node, names: dict[str, None]) -> Value:
    if node.__class__ is str:
        return _leaf(node, names)
    tag = node[0]
    if tag == "+":
        terms = [_compiled(part, names) for part in node[1]]
        return lambda at: sum(term(at) for term in terms)
    if tag == "-":
        inner = _compiled(node[1], names)
        return lambda at: -inner(at)
    if tag == "*":
        above = [_compiled(part, names) for part in node[1]]
        below = [_compiled(part, names) for part in node[2]]
        return lambda at: math.prod(part(at) for part in above) / math.prod(part(at) for part in below)
    if tag == "in" and set(node[1]) <= {"×", "·"}:
        parts = [_compiled(part, names) for part in node[2]]
        return lambda at: math.prod(part(at) for part in parts)
    if tag == "s" and node[2] == EMPTY and node[3] != EMPTY:
        if node[1] == "e":
            power = _compiled(node[3], names)
            return lambda at: math.exp(power(at))
        base, power = _compiled(node[1], names), _compiled(node[3], names)
        return lambda at: math.pow(base(at), power(at))
    if tag in ("app", "call") and node[1] in _FUNCTIONS:
        function, argument = _FUNCTIONS[node[1]], _compiled(node[-1], names)
        return lambda at: function(argument(at))
    return _variable(render(node), names)


def _leaf(leaf: str, names: dict[str, None]) -> Value:
    if leaf[:1] == "#":
        value = number_of(leaf)
        number = float(value) if value is not None else math.nan
        return lambda at: number
    if leaf == "π":
        return lambda at: math.pi
    return _variable(leaf, names)


def _variable(name: str, names: dict[str, None]) -> Value:
    names[name] = None
    return lambda at: at[name]
