"""Do two equations, or two systems of the same size, have the same solutions? Tried at random points with a fixed seed, in both directions.

Values are drawn for all variables but as many as there are equations, one system is solved for these, and the other must hold there; then the
other way round. Positive values first, then both signs: x = y solves x² = y², and not the other way round.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from bot.formula.expressions import LOGARITHM, SIGN, Computed, Expression, Point, Reader, Refused, Value, computed
from bot.formula.tree import EMPTY, Node

POINTS = 6  # agreeing points below which nothing is claimed
TRIES = 24  # for positive values, and again for both signs
MIRRORED = 3  # points of both signs that are also looked at with each sign changed
MAX_VARIABLES = 14
MAX_SYSTEM = 3
EVALUATIONS = 12_000  # of one side, in one comparison: what hostile input can cost
AGREES, DIFFERS = 1e-6, 1e-3  # distance from a solution, against what moving every variable by about 1/1000 does
_FAILED = (ArithmeticError, ValueError, TypeError)
_GRID = [0.04 * 1.55**k for k in range(18)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word`: same, implies (the first holds only where the second does), implied, unlike or unknown; `principal`: roots and arcs taken positive."""

    word: str
    points: int = 0
    principal: bool = False


UNKNOWN = Verdict("unknown")


@dataclass(slots=True)
class Pair:
    """Both systems as expressions over the same numbered variables."""

    one: list[tuple[Expression, Expression]]
    other: list[tuple[Expression, Expression]]
    names: list[str]
    whole: frozenset[int]
    marks: tuple[frozenset[str], frozenset[str]]


def same_solutions(a: Node, b: Node, seed: int = 2534) -> bool | None:
    """Tell whether two relations of two sides have the same solutions at the sample points; None where that cannot be said."""
    word = relate([a], [b], seed).word
    return True if word == "same" else None if word == "unknown" else False


def relate(one: Sequence[Node], other: Sequence[Node], seed: int = 2534) -> Verdict:
    """Compare the solutions of two systems of equations (normal trees)."""
    pair = read(one, other)
    if pair is None:
        return UNKNOWN
    found = _Sampler(pair, seed).verdict()
    if found.word != "same" and "i" in pair.names:
        imaginary = pair.names.index("i")
        unreal = _Sampler(pair, seed, imaginary).verdict()
        if unreal.word == "same":
            return unreal
    return found


def read(one: Sequence[Node], other: Sequence[Node]) -> Pair | None:
    """Return both systems as expressions, or None: other variables, another size, nothing to compute."""
    mine, yours = _equations(one), _equations(other)
    if mine is None or yours is None or len(mine) != len(yours) or len(mine) > MAX_SYSTEM:
        return None
    found = _read(mine, yours, natural=False)
    if found is None:
        return None
    pair, used = found
    unsaid = LOGARITHM in pair.names and used[0] != used[1]
    if unsaid:  # log beside an exponential of e on the other side is ln
        said = frozenset[str]().union(*pair.marks)
        found = _read(mine, yours, natural=True) if "exp" in said and not said & {"ln", "ten"} else None
        if found is None:
            return None
        pair, used = found
    number = len(pair.names) - (SIGN in pair.names)
    if used[0] - {SIGN} != used[1] - {SIGN} or not len(mine) < number <= MAX_VARIABLES:
        return None
    return pair


def _equations(nodes: Sequence[Node]) -> list[tuple[Node, Node]] | None:
    """a = b = c is two equations."""
    found: list[tuple[Node, Node]] = []
    for node in nodes:
        if node.__class__ is not tuple or node[0] != "rel" or set(node[1]) != {"="} or EMPTY in node[2]:
            return None
        found.extend(pairwise(node[2]))
    return found


def _read(
    one: Sequence[tuple[Node, Node]], other: Sequence[tuple[Node, Node]], *, natural: bool
) -> tuple[Pair, tuple[set[str], set[str]]] | None:
    names: dict[str, int] = {}
    whole: set[int] = set()
    systems: list[list[tuple[Expression, Expression]]] = []
    used: list[set[str]] = []
    marks: list[frozenset[str]] = []
    for sides in (one, other):
        own: dict[str, int] = dict(names)
        reader = Reader(_Noting(own), natural)
        try:
            systems.append([(reader.of(left), reader.of(right)) for left, right in sides])
        except Refused:
            return None
        noted = reader.names
        assert isinstance(noted, _Noting)
        names = dict(noted)
        used.append(noted.asked)
        whole |= reader.whole
        marks.append(frozenset(reader.marks))
    pair = Pair(systems[0], systems[1], list(names), frozenset(whole), (marks[0], marks[1]))
    return pair, (used[0], used[1])


class _Noting(dict[str, int]):
    """Numbers names, and notes which of them one system asked for."""

    def __init__(self, known: dict[str, int]) -> None:
        super().__init__(known)
        self.asked: set[str] = set()

    def setdefault(self, key: str, default: int = 0) -> int:
        self.asked.add(key)
        return super().setdefault(key, default)


# -- sampling -----------------------------------------------------------------------------------------------------------
class _Exhausted(Exception):
    """The budget of evaluations is spent."""


class _Sampler:
    def __init__(self, pair: Pair, seed: int, imaginary: int = -1) -> None:
        self.pair = pair
        self.random = random.Random(seed)
        self.imaginary = imaginary
        self.left = EVALUATIONS
        complexly = imaginary >= 0
        self.systems = [
            [(computed(left, complexly), computed(right, complexly)) for left, right in system]
            for system in (pair.one, pair.other)
        ]
        fixed = {pair.names.index(name) for name in (LOGARITHM, SIGN) if name in pair.names} | {imaginary}
        self.fixed = fixed
        self.free = [k for k in range(len(pair.names)) if k not in fixed and k not in pair.whole]
        self.scattered = self.point(False)
        self.noise = [1 + self.random.uniform(0.5e-3, 1.5e-3) * self.random.choice((-1, 1)) for _ in pair.names]

    def verdict(self) -> Verdict:
        if len(self.free) < len(self.pair.one):
            return UNKNOWN
        both_signs = SIGN in self.pair.names
        try:
            forth, slips, points = self.direction(0, 1)
            back, slips_back, points_back = self.direction(1, 0)
            zeros = (self.zeros(0), self.zeros(1)) if forth and back else None
        except _Exhausted:
            return UNKNOWN
        points = min(points, points_back) if forth and back else max(points, points_back)
        if zeros and zeros[0] != zeros[1]:
            return Verdict("implies" if zeros[0] <= zeros[1] else "implied", points)
        if forth and back:
            # ± is two equations: each of them only is a solution
            return Verdict("implies" if both_signs else "same", points, bool(slips or slips_back))
        if forth is False and back is False:
            return Verdict("unlike")
        if forth and back is False:
            return Verdict("implies", points)
        if back and forth is False:
            return Verdict("implied", points)
        return UNKNOWN

    def direction(self, solved: int, tested: int) -> tuple[bool | None, int, int]:
        """Return (do the solutions of one hold in the other, how many did after taking another root, how many held)."""
        agreed = slips = mirrored = 0
        for mixed in (False, True):
            here = 0
            for attempt in range(TRIES):
                point = self.point(mixed)
                if not self.solve(solved, point, attempt, mixed):
                    continue
                found = self.agrees(tested, solved, point)
                if found == "no":
                    return False, slips, agreed
                slips += found == "principal"
                if found:
                    agreed += 1
                    here += 1
                if mixed and found and mirrored < MIRRORED:
                    mirrored += 1
                    if any([self.agrees(tested, solved, other) == "no" for other in self.mirrors(solved, point)]):
                        return False, slips, agreed
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
            except _FAILED:
                continue
        return frozenset(found)

    def agrees(self, tested: int, solved: int, point: Point) -> str:
        """Return yes, principal (after another value of a root or an arc), no, or "" where nothing can be said."""
        found = self.holds(tested, point)
        if found is False:
            return "principal" if self.principal(tested, solved, point) else "no"
        return "yes" if found else ""

    def mirrors(self, solved: int, point: Point) -> Iterator[Point]:
        """Yield the point with one sign changed, where that is a solution too: x² = y² has x = -y."""
        for index in self.free:
            other = [*point[:index], -point[index], *point[index + 1 :]]
            if self.holds(solved, other):
                yield other

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
                value = draw.uniform(0.3, 2.5)
                negative = mixed and index not in self.fixed and draw.random() < 0.5
                found.append(-value if negative else value)
        return found

    # -- does it hold? --------------------------------------------------------------------------------------------------
    def gap(self, sides: tuple[Computed, Computed], point: Point) -> Value:
        self.left -= 1
        if self.left < 0:
            raise _Exhausted
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
            except _FAILED:
                return None
            change = abs(abs(there) - here) if here else abs(there)
            if not (math.isfinite(here) and math.isfinite(change)):
                return None
            if change <= 1e-12 * size or not change:
                if here > 1e-9 * size:
                    return False
                continue  # 0 = 0
            if here > DIFFERS * change:
                return False
            if here > AGREES * change:
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
                others += [math.remainder(angle, 2 * math.pi) for angle in turns]
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
                found: float = self.gap(sides, point)
                return found

            grid = _GRID if self.random.random() < 0.5 else _GRID[::-1]
            if mixed:
                grid = [-value for value in grid] + grid if self.random.random() < 0.5 else grid + [-v for v in grid]
            if not _root(gap, grid):
                return False
        return bool(1e-3 < abs(point[unknown]) < 1e3)

    def explicit(self, system: int, point: Point, unknown: int) -> bool:
        """x = f(the others) needs no search."""
        for side in (0, 1):
            if self.pair_of(system)[side] == ("v", unknown):
                try:
                    self.left -= 1
                    point[unknown] = math.nan
                    value = self.systems[system][0][1 - side](point)
                except _FAILED:
                    return False
                point[unknown] = value
                return bool(math.isfinite(value))
        return False

    def pair_of(self, system: int) -> tuple[Expression, Expression]:
        return (self.pair.one if system == 0 else self.pair.other)[0]


def _root(gap: Callable[[float], float], grid: Iterable[float]) -> bool:
    """Find a zero; the last call of `gap` is at it. A line is met at once, anything else by a change of sign."""
    try:
        near, far = gap(0.8), gap(1.7)
        value = 0.8 - near * 0.9 / (far - near)
        if abs(gap(value)) < 1e-13 * (abs(near) + abs(far)):
            return True
    except _FAILED:
        pass
    last: tuple[float, float] | None = None
    for value in grid:
        try:
            here = gap(value)
        except _FAILED:
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
    except _FAILED:
        return False


def _newton(gaps: Sequence[Callable[[Point], Value]], point: Point, chosen: Sequence[int]) -> bool:
    """Newton's method with differences for one to three unknowns; real and complex."""
    size = len(chosen)
    try:
        for _ in range(30):
            here = [gap(point) for gap in gaps]
            rows = [[*([0.0] * size), -value] for value in here]
            for column, index in enumerate(chosen):
                kept = point[index]
                step = 1e-6 * (1 + abs(kept))
                point[index] = kept + step
                for row, gap in enumerate(gaps):
                    rows[row][column] = (gap(point) - here[row]) / step
                point[index] = kept
            steps = _solved(rows)
            if steps is None:
                return False
            for index, step in zip(chosen, steps, strict=True):
                point[index] += step
            if all(abs(step) < 1e-13 * (1 + abs(point[k])) for k, step in zip(chosen, steps, strict=True)):
                return all(1e-3 < abs(point[index]) < 1e3 for index in chosen)
    except _FAILED:
        return False
    return False


def _solved(rows: list[list[Value]]) -> list[Value] | None:
    """Gauss with pivots."""
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < 1e-12:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(size):
            if row != column:
                factor = rows[row][column] / rows[column][column]
                rows[row] = [value - factor * above for value, above in zip(rows[row], rows[column], strict=True)]
    return [rows[row][size] / rows[row][row] for row in range(size)]
