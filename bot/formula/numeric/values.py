"""Expressions as functions from a point to a value, real or complex; they raise one of FAILED where there is no value."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from bot.formula.numeric.expressions import Expression

Value = Any  # float or complex: one code for both
Point = list[Value]
Computed = Callable[[Point], Value]

FAILED = (ArithmeticError, ValueError, TypeError)
MAX_FACTORIAL = 60

_REAL: dict[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "ln": math.log,
    "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arsinh": math.asinh, "arcosh": math.acosh, "artanh": math.atanh, "erf": math.erf,
}  # fmt: skip
_COMPLEX: dict[str, Callable[[complex], complex]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh,
}  # fmt: skip


def computed(expression: Expression, complexly: bool = False) -> Computed:
    """Return the function from a point to the value; it raises ArithmeticError or ValueError where there is none."""
    tag = expression[0]
    if tag == "n":
        number = float(expression[1])
        return lambda at: number
    if tag == "k":
        constant: Value = math.pi if expression[1] == "π" else 1j
        return lambda at: constant
    if tag == "v":
        index = expression[1]
        return lambda at: at[index]
    if tag == "+":
        terms = [computed(part, complexly) for part in expression[1]]
        if len(terms) == 2:
            one, other = terms
            return lambda at: one(at) + other(at)
        return lambda at: sum([term(at) for term in terms])
    if tag == "*":
        above = [computed(part, complexly) for part in expression[1]]
        below = [computed(part, complexly) for part in expression[2]]
        return _quotient(above, below)
    if tag == "^":
        return _rational(computed(expression[1], complexly), expression[2])
    inner = [computed(part, complexly) for part in expression[1:] if part.__class__ is tuple]
    if tag == "f":
        return _function(expression[1], inner[0], complexly)
    return _OTHER[tag](*inner) if not complexly or tag == "exp" else _never


def _never(at: Point) -> Value:
    raise ValueError  # a branch would have to be chosen


def _quotient(above: list[Computed], below: list[Computed]) -> Computed:
    if not below and len(above) == 2:
        one, other = above
        return lambda at: one(at) * other(at)

    def value(at: Point) -> Value:
        number: Value = 1.0
        for part in above:
            number *= part(at)
        for part in below:
            number /= part(at)
        return number

    return value


def _rational(base: Computed, power: Fraction) -> Computed:
    if power.denominator == 1:
        whole = int(power)
        return lambda at: base(at) ** whole
    number, odd, even_above = float(power), power.denominator % 2, power.numerator % 2 == 0

    def value(at: Point) -> Value:
        inner = base(at)
        if inner.__class__ is complex:
            raise ValueError
        if inner < 0 and odd:  # the real cube root
            return math.pow(-inner, number) * (1 if even_above else -1)
        return math.pow(inner, number)

    return value


def _function(name: str, inner: Computed, complexly: bool) -> Computed:
    known: Any = (_COMPLEX if complexly else _REAL).get(name)
    if known is None:
        return _never
    return lambda at: known(inner(at))


def _exponential(inner: Computed) -> Computed:
    def value(at: Point) -> Value:
        exponent = inner(at)
        return cmath.exp(exponent) if exponent.__class__ is complex else math.exp(exponent)

    return value


def _power(base: Computed, exponent: Computed) -> Computed:
    return lambda at: math.pow(base(at), exponent(at))


def _logarithm(inner: Computed, base: Computed) -> Computed:
    return lambda at: math.log(inner(at)) / math.log(base(at))


def _absolute(inner: Computed) -> Computed:
    return lambda at: abs(inner(at))


def _whole(value: Value) -> int:
    number = round(value)
    if abs(value - number) > 1e-9 or not 0 <= number <= MAX_FACTORIAL:
        raise ValueError
    return int(number)


def _factorial(inner: Computed) -> Computed:
    return lambda at: float(math.factorial(_whole(inner(at))))


def _binomial(above: Computed, below: Computed) -> Computed:
    def value(at: Point) -> float:
        number, chosen = _whole(above(at)), _whole(below(at))
        if chosen > number:
            raise ValueError  # n!/(k!(n-k)!) has no value there
        return float(math.comb(number, chosen))

    return value


_OTHER: dict[str, Callable[..., Computed]] = {
    "exp": _exponential, "pow": _power, "log": _logarithm, "abs": _absolute, "!": _factorial, "binom": _binomial,
}  # fmt: skip
