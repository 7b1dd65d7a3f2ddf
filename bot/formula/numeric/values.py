"""Expressions as functions from a point to a value, real or complex; they raise one of EVALUATION_ERRORS where there is no value."""

import cmath
import math
import random
from collections.abc import Callable
from fractions import Fraction

from bot.formula.numeric.expressions import Addition, Expression, FunctionValue, Multiplication, Number, Power, Variable

Value = float | complex
Point = list[Value]
CompiledExpression = Callable[[Point], Value]

EVALUATION_ERRORS = (ArithmeticError, ValueError, TypeError)
MAX_FACTORIAL = 60  # a bound for hostile input; values that count something are drawn from 1 to 8


def random_numbers() -> random.Random:
    """Return random numbers that are the same for every comparison."""
    return random.Random(2534)


def compile_expression(expression: Expression, complexly: bool = False) -> CompiledExpression:
    """Return the function from a point to the value; it raises ArithmeticError or ValueError where there is none."""
    match expression:
        case Number(value):
            number = float(value)
            return lambda at: number
        case Variable(index):
            return lambda at: at[index]
        case Addition(terms):
            return _sum([compile_expression(part, complexly) for part in terms])
        case Multiplication(numerator, denominator):
            return _quotient(
                [compile_expression(part, complexly) for part in numerator],
                [compile_expression(part, complexly) for part in denominator],
            )
        case Power(base, exponent):
            return _rational(compile_expression(base, complexly), exponent)
        case FunctionValue(name, arguments):
            inner = [compile_expression(part, complexly) for part in arguments]
            call = (_COMPLEX if complexly else _REAL).get(name, _refuse_complex)
            if len(inner) == 1:
                (only,) = inner
                return lambda at: call(only(at))
            return lambda at: call(*[part(at) for part in inner])


def _sum(terms: list[CompiledExpression]) -> CompiledExpression:
    if len(terms) == 2:
        one, other = terms
        return lambda at: one(at) + other(at)
    return lambda at: sum([term(at) for term in terms])


def _quotient(numerator: list[CompiledExpression], denominator: list[CompiledExpression]) -> CompiledExpression:
    if not denominator and len(numerator) == 2:
        one, other = numerator
        return lambda at: one(at) * other(at)

    def value(at: Point) -> Value:
        number: Value = 1.0
        for part in numerator:
            number *= part(at)
        for part in denominator:
            number /= part(at)
        return number

    return value


def _rational(base: CompiledExpression, power: Fraction) -> CompiledExpression:
    if power.denominator == 1:
        whole = int(power)
        return lambda at: base(at) ** whole
    number, odd, even_above = float(power), power.denominator % 2, power.numerator % 2 == 0

    def value(at: Point) -> Value:
        inner = base(at)
        if isinstance(inner, complex):
            raise ValueError  # a branch would have to be chosen
        if inner < 0 and odd:  # the real cube root
            return math.pow(-inner, number) * (1 if even_above else -1)
        return math.pow(inner, number)

    return value


# -- functions ----------------------------------------------------------------------------------------------------------
def _refuse_complex(*values: Value) -> Value:
    raise ValueError  # a branch would have to be chosen


def _exponential(exponent: Value) -> Value:
    return cmath.exp(exponent) if isinstance(exponent, complex) else math.exp(exponent)


def _whole_number(value: float) -> int:
    number = round(value)
    if abs(value - number) > 1e-9 or not 0 <= number <= MAX_FACTORIAL:
        raise ValueError
    return number


def _factorial(value: float) -> float:
    return float(math.factorial(_whole_number(value)))


def _binomial(upper: float, lower: float) -> float:
    number, subset = _whole_number(upper), _whole_number(lower)
    if subset > number:
        raise ValueError  # n!/(k!(n-k)!) has no value there
    return float(math.comb(number, subset))


_REAL: dict[str, Callable[..., Value]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "ln": math.log,
    "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan, "arsinh": math.asinh, "arcosh": math.acosh, "artanh": math.atanh, "erf": math.erf,
    "exp": _exponential, "pow": math.pow, "log": lambda of, base: math.log(of) / math.log(base), "abs": abs, "!": _factorial, "binom": _binomial,
    "π": lambda: math.pi,
}  # fmt: skip
_COMPLEX: dict[str, Callable[..., Value]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh, "exp": _exponential,
    "π": lambda: math.pi,
}  # fmt: skip
