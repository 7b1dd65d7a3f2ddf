"""Zeros of functions that may fail anywhere: of one variable by a line, a change of sign and bisection, of several by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from bot.formula.numeric.values import FAILED, Point, Value


def root(gap: Callable[[float], float], grid: Iterable[float]) -> bool:
    """Find a zero; the last call of `gap` is at it. A line is met at once, anything else by a change of sign."""
    try:
        near, far = gap(0.8), gap(1.7)
        value = 0.8 - near * 0.9 / (far - near)
        if abs(gap(value)) < 1e-13 * (abs(near) + abs(far)):
            return True
    except FAILED:
        pass
    last: tuple[float, float] | None = None
    for value in grid:
        try:
            here = gap(value)
        except FAILED:
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
    except FAILED:
        return False


def newton(gaps: Sequence[Callable[[Point], Value]], point: Point, chosen: Sequence[int]) -> bool:
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
    except FAILED:  # numpy's error for a singular matrix among them
        return False
    return False
