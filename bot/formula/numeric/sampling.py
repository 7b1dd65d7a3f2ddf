"""Do two equations, or two systems of the same size, have the same solutions? Tried at random points with a fixed seed, in both directions.

Values are drawn for all variables but as many as there are equations, one system is solved for these, and the other must hold there; then the
other way round. Positive values first, then both signs: x = y solves x² = y², and not the other way round.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Literal

from bot.formula.numeric.expressions import LOGARITHM, SIGN, ExpressionReader, NotComputable, Variable
from bot.formula.numeric.system_pair import SystemPair
from bot.formula.numeric.values import (
    EVALUATION_ERRORS,
    CompiledExpression,
    Point,
    Value,
    compile_expression,
    random_numbers,
)
from bot.formula.tex.nodes import NormalNode

# Measured on the 352 labelled pairs of docs/compare.md and on 3,865 of items and annotations.
# Agreeing points below which nothing is claimed; 3 make two more false claims, 10 leave eight pairs unsettled
POINTS = 6
TRIES = 24  # for positive values, and again for both signs; 12 leave ten pairs unsettled, 48 settle one more, wrongly
# Of one side, in one comparison: limits the cost of hostile input; 3,000 still give the same answers
EVALUATIONS = 12_000
# Residual, relative to the change when every variable moves by about 1/1000; 1e-9 to 1e-4 and 1e-5 to 0.1 give the same answers.
MAX_AGREEING_GAP, MIN_DIFFERING_GAP = 1e-6, 1e-3
_GRID = [0.04 * 1.55**k for k in range(18)]


@dataclass(frozen=True, slots=True)
class SolutionVerdict:
    """`outcome`: same, implies (the first holds only if the second does), implied, unlike or unknown; `principal`: with the principal values of roots and arcs."""

    outcome: Literal["same", "implies", "implied", "unlike", "unknown"]
    points: int = 0
    principal: bool = False


UNKNOWN = SolutionVerdict("unknown")


def compare_solutions(pair: SystemPair | None, values: tuple[float, float] = (0.3, 2.5)) -> SolutionVerdict:
    """Compare the solutions of two systems of equations, drawn between two values; nothing is known of what could not be read."""
    if pair is None:
        return UNKNOWN
    found = _Sampler(pair, values).verdict()
    if found.outcome != "same" and "i" in pair.names:
        unreal = _Sampler(pair, values, pair.names.index("i")).verdict()
        if unreal.outcome == "same":
            return unreal
    return found


# -- sampling -----------------------------------------------------------------------------------------------------------
class _BudgetSpent(Exception):
    """The budget of evaluations is spent."""


class _Sampler:
    def __init__(self, pair: SystemPair, values: tuple[float, float], imaginary: int = -1) -> None:
        self.pair, self.values, self.imaginary = pair, values, imaginary
        self.left = EVALUATIONS
        complexly = imaginary >= 0
        self.systems = [
            [(compile_expression(left, complexly), compile_expression(right, complexly)) for left, right in system]
            for system in (pair.one, pair.other)
        ]
        self.random = random_numbers()
        self.fixed = {pair.names.index(name) for name in (LOGARITHM, SIGN) if name in pair.names} | {imaginary}
        self.free = [k for k in range(len(pair.names)) if k not in self.fixed and k not in pair.whole_numbers]
        self.scattered = self.random_point(False)
        self.noise = [1 + self.random.uniform(0.5e-3, 1.5e-3) * self.random.choice((-1, 1)) for _ in pair.names]

    def verdict(self) -> SolutionVerdict:
        if len(self.free) < len(self.pair.one):
            return UNKNOWN
        both_signs = SIGN in self.pair.names
        try:
            forward, slips, points = self.direction(0, 1)
            reverse, slips_reverse, points_reverse = self.direction(1, 0)
            zeros = (self.zeros(0), self.zeros(1)) if forward and reverse else None
        except _BudgetSpent:
            return UNKNOWN
        points = min(points, points_reverse) if forward and reverse else max(points, points_reverse)
        if zeros and zeros[0] != zeros[1]:
            return SolutionVerdict("implies" if zeros[0] <= zeros[1] else "implied", points)
        if forward and reverse:
            # ± is two equations: each of them only is a solution
            return SolutionVerdict("implies" if both_signs else "same", points, bool(slips or slips_reverse))
        match forward, reverse:
            case (False, False) | (False, None) | (None, False):
                return SolutionVerdict("unlike")
            case True, False:
                return SolutionVerdict("implies", points)
            case False, True:
                return SolutionVerdict("implied", points)
        return UNKNOWN

    def direction(self, solved: int, tested: int) -> tuple[bool | None, int, int]:
        """Return (do the solutions of one hold in the other, how many did after taking another root, how many held)."""
        agreed = slips = 0
        for mixed in (False, True):
            agreeing = 0
            for attempt in range(TRIES):
                point = self.random_point(mixed)
                if not self.solve(solved, point, attempt, mixed) or not self.holds(solved, point):
                    continue
                found = self.agrees(tested, solved, point, mixed=mixed)
                if found == "no":
                    return False, slips, agreed
                slips += found == "principal"
                if found:
                    agreed += 1
                    agreeing += 1
                if agreeing >= POINTS:
                    break
        # a root or an arc may choose its value, but some points must agree without that
        return (True if agreed >= POINTS and agreed - slips >= POINTS // 2 else None), slips, agreed

    def zeros(self, system: int) -> frozenset[int]:
        """Return the variables that solve a system if they are zero: x² = x y allows x = 0, x = y does not."""
        found: set[int] = set()
        for index in self.free:
            point = [*self.scattered[:index], 0.0, *self.scattered[index + 1 :]]
            try:
                if all([self.residual(sides, point) == 0 for sides in self.systems[system]]):
                    found.add(index)
            except EVALUATION_ERRORS:
                continue
        return frozenset(found)

    def agrees(self, tested: int, solved: int, point: Point, *, mixed: bool) -> str:
        """Return yes, principal (with another value of a root or an arc), no, or "" if undecided."""
        found = self.holds(tested, point)
        if found is False:
            return "principal" if self.has_other_branch(tested, solved, point, mixed=mixed) else "no"
        return "yes" if found else ""

    def random_point(self, mixed: bool) -> Point:
        draw = self.random
        found: Point = []
        for index, name in enumerate(self.pair.names):
            if index == self.imaginary:
                found.append(1j)
            elif name == SIGN:
                found.append(draw.choice((-1.0, 1.0)))
            elif index in self.pair.whole_numbers:
                found.append(float(draw.randint(1, 8)))
            else:
                value = draw.uniform(*self.values)
                negative = mixed and index not in self.fixed and draw.random() < 0.5
                found.append(-value if negative else value)
        return found

    # -- does it hold? --------------------------------------------------------------------------------------------------
    def residual(self, sides: tuple[CompiledExpression, CompiledExpression], point: Point) -> Value:
        self.left -= 1
        if self.left < 0:
            raise _BudgetSpent
        return sides[0](point) - sides[1](point)

    def holds(self, system: int, point: Point) -> bool | None:
        """Tell whether a system holds at a point; None if moving the point changes nothing, or nothing can be computed."""
        moved = [
            value if k in self.fixed or k in self.pair.whole_numbers else value * self.noise[k]
            for k, value in enumerate(point)
        ]
        changes = False
        for sides in self.systems[system]:
            try:
                residual, residual_moved = abs(self.residual(sides, point)), self.residual(sides, moved)
                size = max(abs(sides[0](point)), abs(sides[1](point)))
            except EVALUATION_ERRORS:
                return None
            change = abs(abs(residual_moved) - residual) if residual else abs(residual_moved)
            if not (math.isfinite(residual) and math.isfinite(change)):
                return None
            if change <= 1e-12 * size or not change:
                if residual > 1e-9 * size:
                    return False
                continue  # 0 = 0
            if residual > MIN_DIFFERING_GAP * change:
                return False
            if residual > MAX_AGREEING_GAP * change:
                return None
            changes = True
        return True if changes else None

    def has_other_branch(self, tested: int, solved: int, point: Point, *, mixed: bool) -> bool:
        """Tell whether another value of one variable satisfies both, as √ and arcsin have several values, or other signs of two where signs are `mixed`."""
        marks, changes = self.pair.marks[tested], list[dict[int, Value]]()
        for index in self.free:
            value = point[index]
            others = [-value] if "root" in marks else []
            if "arc" in marks:
                turns = (value, math.pi - value, -value, value - math.pi)
                others += [math.remainder(angle.real, 2 * math.pi) for angle in turns]
            changes += [{index: other} for other in others]
        both = marks | self.pair.marks[solved]
        if mixed and "root" in both and "abs" not in both:  # σ√z is √(σ²z) for positive σ, and √(x²) is a size
            changes += [{one: -point[one], other: -point[other]} for one, other in combinations(self.free, 2)]
        return any(self.hold((tested, solved), point, change) for change in changes)

    def hold(self, systems: Iterable[int], point: Point, changes: Mapping[int, Value]) -> bool:
        """Tell whether systems hold at a point with other values of some variables."""
        moved = [changes.get(index, value) for index, value in enumerate(point)]
        return all(self.holds(system, moved) for system in systems)

    # -- solving --------------------------------------------------------------------------------------------------------
    def solve(self, system: int, point: Point, attempt: int, mixed: bool) -> bool:
        """Change as many variables of the point as there are equations until all hold; False if that fails."""
        equations = self.systems[system]
        if len(equations) > 1 or self.imaginary >= 0:
            unknowns = self.random.sample(self.free, len(equations))
            return _newton([partial(self.residual, sides) for sides in equations], point, unknowns)
        unknown = self.free[attempt % len(self.free)]
        if not self.solve_explicit(system, point, unknown):
            sides = equations[0]

            def gap(value: float) -> float:
                point[unknown] = value
                return self.residual(sides, point).real

            grid = _GRID if self.random.random() < 0.5 else _GRID[::-1]
            if mixed:
                grid = [-value for value in grid] + grid if self.random.random() < 0.5 else grid + [-v for v in grid]
            if not _root(gap, grid):
                return False
        return bool(1e-3 < abs(point[unknown]) < 1e3)

    def solve_explicit(self, system: int, point: Point, unknown: int) -> bool:
        """Solve x = f(the others) without a search."""
        sides = (self.pair.one, self.pair.other)[system][0]
        for side in (0, 1):
            if sides[side] == Variable(unknown):
                try:
                    self.left -= 1
                    point[unknown] = math.nan
                    value = self.systems[system][0][1 - side](point)
                except EVALUATION_ERRORS:
                    return False
                point[unknown] = value
                return math.isfinite(value.real)
        return False


def is_same_bound(one: NormalNode, other: NormalNode) -> bool:
    """Tell whether two inequalities of the same variables are equivalent: the ratio of the sides of the one is a power of that of the other."""
    names: dict[str, int] = {}
    readers = ExpressionReader(names), ExpressionReader(names)
    is_greater = [node.signs[0] in (">", "≥") for node in (one, other)]  # type: ignore[union-attr]
    strict = [node.signs[0] in "<>" for node in (one, other)]  # type: ignore[union-attr]
    try:
        sides = [
            [compile_expression(reader.read(side)) for side in node.sides]  # type: ignore[union-attr]
            for reader, node in zip(readers, (one, other), strict=True)
        ]
    except NotComputable:
        return False
    draw, powers = random_numbers(), []
    for _ in range(TRIES):
        point: Point = [draw.uniform(0.3, 2.5) for _ in names]
        try:
            logarithms = [math.log(left(point).real / right(point).real) for left, right in sides]
            powers.append(logarithms[0] / logarithms[1])
        except EVALUATION_ERRORS:
            continue
    sign = -1 if is_greater[0] != is_greater[1] else 1
    near = all(abs(power - powers[0]) < MAX_AGREEING_GAP * abs(power) for power in powers)
    return (
        strict[0] == strict[1]
        and readers[0].used == readers[1].used
        and len(powers) >= POINTS
        and near
        and powers[0] * sign > 0
    )


def found_root(gap: Callable[[float], float], *, negative: bool = False) -> bool:
    """Find a zero among positive values, or negative ones; the last call of `gap` is at it."""
    return _root(gap, [-value for value in _GRID] if negative else _GRID)


# -- zeros of functions that may fail anywhere ---------------------------------------------------------------------------
def _root(gap: Callable[[float], float], grid: Iterable[float]) -> bool:
    """Find a zero, at which `gap` is called last: of a line at once, of anything else by a change of sign."""
    try:
        near, far = gap(0.8), gap(1.7)
        value = 0.8 - near * 0.9 / (far - near)
        if abs(gap(value)) < 1e-13 * (abs(near) + abs(far)):
            return True
    except EVALUATION_ERRORS:
        pass
    last: tuple[float, float] | None = None
    for value in grid:
        try:
            residual = gap(value)
        except EVALUATION_ERRORS:
            last = None
            continue
        if not math.isfinite(residual):
            last = None
            continue
        if last is not None and (residual > 0) != (last[1] > 0) and (value > 0) == (last[0] > 0):
            return _bisect(gap, last, (value, residual))
        last = (value, residual)
    return False


def _bisect(gap: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> bool:
    """Illinois steps between two signs, then bisection; False at a pole."""
    (a, at_a), (b, at_b) = low, high
    first = max(abs(at_a), abs(at_b))
    try:
        for step in range(90):
            middle = (a * at_b - b * at_a) / (at_b - at_a) if step < 40 else (a + b) / 2
            residual = gap(middle)
            if residual == 0 or abs(b - a) < 1e-15 * abs(b):
                break
            if (residual > 0) == (at_b > 0):
                b, at_b = middle, residual
                at_a /= 2 if step < 40 else 1
            else:
                a, at_a, b, at_b = b, at_b, middle, residual
            if abs(residual) < 1e-15 * first:
                break
        return abs(gap(middle)) < 1e-11 * first
    except EVALUATION_ERRORS:
        return False


def _newton(gaps: Sequence[Callable[[Point], Value]], point: Point, unknowns: Sequence[int]) -> bool:
    """Newton's method with differences for one to three unknowns; real and complex."""
    from numpy.linalg import solve  # takes a tenth of a second to load, and most comparisons need none

    try:
        for _ in range(30):
            residuals = [gap(point) for gap in gaps]
            slopes: list[list[Value]] = [[] for _ in gaps]
            for index in unknowns:
                value_before = point[index]
                width = 1e-6 * (1 + abs(value_before))
                point[index] = value_before + width
                for row, gap, value in zip(slopes, gaps, residuals, strict=True):
                    row.append((gap(point) - value) / width)
                point[index] = value_before
            steps: list[Value] = solve(slopes, [-value for value in residuals]).tolist()
            for index, step in zip(unknowns, steps, strict=True):
                point[index] += step
            if all(abs(step) < 1e-13 * (1 + abs(point[k])) for k, step in zip(unknowns, steps, strict=True)):
                return all(1e-3 < abs(point[index]) < 1e3 for index in unknowns)
    except EVALUATION_ERRORS:  # numpy's error for a singular matrix among them
        return False
    return False
