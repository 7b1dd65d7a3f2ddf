"""Do two equations, or two systems of the same size, have the same solutions? Tried at random points with a fixed seed, in both directions.

Values are drawn for all variables but as many as there are equations, one system is solved for these, and the other must hold there; then the
other way round. Positive values first, then both signs: x = y solves x² = y², and not the other way round.
"""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bot.formula.numeric.expressions import LOGARITHM, SIGN, ExpressionReader, NotComputable, Variable
from bot.formula.numeric.system_pair import SystemPair
from bot.formula.numeric.values import EVALUATION_ERRORS, CompiledExpression, Point, Value, compiled
from bot.formula.tex.nodes import NormalNode

# Measured on the 352 labelled pairs of docs/compare.md and on 3,865 of items and annotations.
POINTS = (
    6  # agreeing points below which nothing is claimed; 3 make two more false claims, 10 leave eight pairs unsettled
)
TRIES = 24  # for positive values, and again for both signs; 12 leave ten pairs unsettled, 48 settle one more, wrongly
EVALUATIONS = 12_000  # of one side, in one comparison: what hostile input can cost; 3,000 still answer alike
# Distance from a solution, against what moving every variable by about 1/1000 does; 1e-9 to 1e-4 and 1e-5 to 0.1 answer alike.
MAX_AGREEING_GAP, MIN_DIFFERING_GAP = 1e-6, 1e-3
_GRID = [0.04 * 1.55**k for k in range(18)]


@dataclass(frozen=True, slots=True)
class SolutionVerdict:
    """`outcome`: same, implies (the first holds only where the second does), implied, unlike or unknown; `principal`: roots and arcs taken positive."""

    outcome: Literal["same", "implies", "implied", "unlike", "unknown"]
    points: int = 0
    principal: bool = False


UNKNOWN = SolutionVerdict("unknown")


def compare_solutions(
    pair: SystemPair | None, seed: int = 2534, values: tuple[float, float] = (0.3, 2.5)
) -> SolutionVerdict:
    """Compare the solutions of two systems of equations, drawn between two values; nothing is known of what could not be read."""
    if pair is None:
        return UNKNOWN
    found = _Sampler(pair, seed, values=values).verdict()
    if found.outcome != "same" and "i" in pair.names:
        imaginary = pair.names.index("i")
        unreal = _Sampler(pair, seed, imaginary, values).verdict()
        if unreal.outcome == "same":
            return unreal
    return found


# -- sampling -----------------------------------------------------------------------------------------------------------
class _BudgetSpent(Exception):
    """The budget of evaluations is spent."""


class _Sampler:
    def __init__(
        self, pair: SystemPair, seed: int, imaginary: int = -1, values: tuple[float, float] = (0.3, 2.5)
    ) -> None:
        self.pair, self.values = pair, values
        self.random = random.Random(seed)
        self.imaginary = imaginary
        self.left = EVALUATIONS
        complexly = imaginary >= 0
        self.systems = [
            [(compiled(left, complexly), compiled(right, complexly)) for left, right in system]
            for system in (pair.one, pair.other)
        ]
        fixed = {pair.names.index(name) for name in (LOGARITHM, SIGN) if name in pair.names} | {imaginary}
        self.fixed = fixed
        self.free = [k for k in range(len(pair.names)) if k not in fixed and k not in pair.whole]
        self.scattered = self.point(False)
        self.noise = [1 + self.random.uniform(0.5e-3, 1.5e-3) * self.random.choice((-1, 1)) for _ in pair.names]

    def verdict(self) -> SolutionVerdict:
        if len(self.free) < len(self.pair.one):
            return UNKNOWN
        both_signs = SIGN in self.pair.names
        try:
            forth, slips, points = self.direction(0, 1)
            back, slips_back, points_back = self.direction(1, 0)
            zeros = (self.zeros(0), self.zeros(1)) if forth and back else None
        except _BudgetSpent:
            return UNKNOWN
        points = min(points, points_back) if forth and back else max(points, points_back)
        if zeros and zeros[0] != zeros[1]:
            return SolutionVerdict("implies" if zeros[0] <= zeros[1] else "implied", points)
        if forth and back:
            # ± is two equations: each of them only is a solution
            return SolutionVerdict("implies" if both_signs else "same", points, bool(slips or slips_back))
        match forth, back:
            case False, False:
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
            here = 0
            for attempt in range(TRIES):
                point = self.point(mixed)
                if not self.solve(solved, point, attempt, mixed) or not self.holds(solved, point):
                    continue
                found = self.agrees(tested, solved, point)
                if found == "no":
                    return False, slips, agreed
                slips += found == "principal"
                if found:
                    agreed += 1
                    here += 1
                if here >= POINTS:
                    break
        # a root or an arc may choose its value, but some points must agree without that
        return (True if agreed >= POINTS and agreed - slips >= POINTS // 2 else None), slips, agreed

    def zeros(self, system: int) -> frozenset[int]:
        """Return the variables that solve a system by being zero: x² = x y allows x = 0, x = y does not."""
        found: set[int] = set()
        for index in self.free:
            point = [*self.scattered[:index], 0.0, *self.scattered[index + 1 :]]
            try:
                if all([self.gap(sides, point) == 0 for sides in self.systems[system]]):
                    found.add(index)
            except EVALUATION_ERRORS:
                continue
        return frozenset(found)

    def agrees(self, tested: int, solved: int, point: Point) -> str:
        """Return yes, principal (after another value of a root or an arc), no, or "" where nothing can be said."""
        found = self.holds(tested, point)
        if found is False:
            return "principal" if self.principal(tested, solved, point) else "no"
        return "yes" if found else ""

    def point(self, mixed: bool) -> Point:
        draw = self.random
        found: Point = []
        for index, name in enumerate(self.pair.names):
            if index == self.imaginary:
                found.append(1j)
            elif name == SIGN:
                found.append(draw.choice((-1.0, 1.0)))
            elif index in self.pair.whole:
                found.append(float(draw.randint(1, 8)))
            else:
                value = draw.uniform(*self.values)
                negative = mixed and index not in self.fixed and draw.random() < 0.5
                found.append(-value if negative else value)
        return found

    # -- does it hold? --------------------------------------------------------------------------------------------------
    def gap(self, sides: tuple[CompiledExpression, CompiledExpression], point: Point) -> Value:
        self.left -= 1
        if self.left < 0:
            raise _BudgetSpent
        return sides[0](point) - sides[1](point)

    def holds(self, system: int, point: Point) -> bool | None:
        """None where moving the point changes nothing, or where nothing can be computed: such an equation says nothing here."""
        moved = [
            value if k in self.fixed or k in self.pair.whole else value * self.noise[k] for k, value in enumerate(point)
        ]
        told = False
        for sides in self.systems[system]:
            try:
                here, there = abs(self.gap(sides, point)), self.gap(sides, moved)
                size = max(abs(sides[0](point)), abs(sides[1](point)))
            except EVALUATION_ERRORS:
                return None
            change = abs(abs(there) - here) if here else abs(there)
            if not (math.isfinite(here) and math.isfinite(change)):
                return None
            if change <= 1e-12 * size or not change:
                if here > 1e-9 * size:
                    return False
                continue  # 0 = 0
            if here > MIN_DIFFERING_GAP * change:
                return False
            if here > MAX_AGREEING_GAP * change:
                return None
            told = True
        return True if told else None

    def principal(self, tested: int, solved: int, point: Point) -> bool:
        """√ and arcsin take one of several values: does another value of one variable satisfy both?"""
        marks = self.pair.marks[tested]
        if not marks & {"root", "arc"}:
            return False
        for index in self.free:
            value = point[index]
            others = [-value] if "root" in marks else []
            if "arc" in marks:
                turns = (value, math.pi - value, -value, value - math.pi)
                others += [math.remainder(angle.real, 2 * math.pi) for angle in turns]
            for other in others:
                moved = [*point[:index], other, *point[index + 1 :]]
                if self.holds(tested, moved) and self.holds(solved, moved):
                    return True
        return False

    # -- solving --------------------------------------------------------------------------------------------------------
    def solve(self, system: int, point: Point, attempt: int, mixed: bool) -> bool:
        """Change as many variables of the point as there are equations until all hold; False where that fails."""
        equations = self.systems[system]
        if len(equations) > 1 or self.imaginary >= 0:
            chosen = self.random.sample(self.free, len(equations))
            return _newton([partial(self.gap, sides) for sides in equations], point, chosen)
        unknown = self.free[attempt % len(self.free)]
        if not self.explicit(system, point, unknown):
            sides = equations[0]

            def gap(value: float) -> float:
                point[unknown] = value
                return self.gap(sides, point).real

            grid = _GRID if self.random.random() < 0.5 else _GRID[::-1]
            if mixed:
                grid = [-value for value in grid] + grid if self.random.random() < 0.5 else grid + [-v for v in grid]
            if not _root(gap, grid):
                return False
        return bool(1e-3 < abs(point[unknown]) < 1e3)

    def explicit(self, system: int, point: Point, unknown: int) -> bool:
        """x = f(the others) needs no search."""
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
    """Tell whether two inequalities of the same variables bound the same: the ratio of the sides of the one is a power of that of the other."""
    names: dict[str, int] = {}
    readers = ExpressionReader(names), ExpressionReader(names)
    turned = [node.signs[0] in (">", "≥") for node in (one, other)]  # type: ignore[union-attr]
    strict = [node.signs[0] in "<>" for node in (one, other)]  # type: ignore[union-attr]
    try:
        sides = [
            [compiled(reader.of(side)) for side in node.sides]  # type: ignore[union-attr]
            for reader, node in zip(readers, (one, other), strict=True)
        ]
    except NotComputable:
        return False
    draw, powers = random.Random(2534), []
    for _ in range(TRIES):
        point: Point = [draw.uniform(0.3, 2.5) for _ in names]
        try:
            logarithms = [math.log(left(point).real / right(point).real) for left, right in sides]
            powers.append(logarithms[0] / logarithms[1])
        except EVALUATION_ERRORS:
            continue
    sign = -1 if turned[0] != turned[1] else 1
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
    """Find a zero; the last call of `gap` is at it. A line is met at once, anything else by a change of sign."""
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
            here = gap(value)
        except EVALUATION_ERRORS:
            last = None
            continue
        if not math.isfinite(here):
            last = None
            continue
        if last is not None and (here > 0) != (last[1] > 0) and (value > 0) == (last[0] > 0):
            return _bisected(gap, last, (value, here))
        last = (value, here)
    return False


def _bisected(gap: Callable[[float], float], low: tuple[float, float], high: tuple[float, float]) -> bool:
    """Illinois steps between two signs, then bisection; False at a pole."""
    (a, at_a), (b, at_b) = low, high
    first = max(abs(at_a), abs(at_b))
    try:
        for step in range(90):
            middle = (a * at_b - b * at_a) / (at_b - at_a) if step < 40 else (a + b) / 2
            here = gap(middle)
            if here == 0 or abs(b - a) < 1e-15 * abs(b):
                break
            if (here > 0) == (at_b > 0):
                b, at_b = middle, here
                at_a /= 2 if step < 40 else 1
            else:
                a, at_a, b, at_b = b, at_b, middle, here
            if abs(here) < 1e-15 * first:
                break
        return abs(gap(middle)) < 1e-11 * first
    except EVALUATION_ERRORS:
        return False


def _newton(gaps: Sequence[Callable[[Point], Value]], point: Point, chosen: Sequence[int]) -> bool:
    """Newton's method with differences for one to three unknowns; real and complex."""
    from numpy.linalg import solve  # takes a tenth of a second to load, and most comparisons need none

    try:
        for _ in range(30):
            here = [gap(point) for gap in gaps]
            slopes: list[list[Value]] = [[] for _ in gaps]
            for index in chosen:
                kept = point[index]
                width = 1e-6 * (1 + abs(kept))
                point[index] = kept + width
                for row, gap, value in zip(slopes, gaps, here, strict=True):
                    row.append((gap(point) - value) / width)
                point[index] = kept
            steps: list[Value] = solve(slopes, [-value for value in here]).tolist()
            for index, step in zip(chosen, steps, strict=True):
                point[index] += step
            if all(abs(step) < 1e-13 * (1 + abs(point[k])) for k, step in zip(chosen, steps, strict=True)):
                return all(1e-3 < abs(point[index]) < 1e3 for index in chosen)
    except EVALUATION_ERRORS:  # numpy's error for a singular matrix among them
        return False
    return False
