"""Proof by sympy of what sampling found, in one worker process that is killed at the limit and started anew.

What goes there is our own expression as JSON, never TeX and never code; what comes back is yes or no. Without sympy nothing is proved.
"""

import json
from fractions import Fraction
from importlib.util import find_spec
from typing import Self

from bot.formula.numeric.expressions import (
    SIGN,
    Addition,
    Expression,
    FunctionValue,
    Multiplication,
    Number,
    Power,
    Variable,
)
from bot.formula.numeric.proof_worker import Json, Question
from bot.formula.numeric.system_pair import SystemPair
from bot.formula.worker import LimitedProcess

LIMIT = 2.0  # seconds for one pair; of 48 judged pairs that are asked the median takes 0.6
MAX_NODES = 120  # lists in the question; larger ones are not proved within the limit


def has_sympy() -> bool:
    """Tell whether sympy is installed, without loading it."""
    return find_spec("sympy") is not None


class Prover:
    """Proves pairs of equations; a context manager that ends its worker. Start-up is paid at the first proof."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.worker = LimitedProcess("bot.formula.numeric.proof_worker", limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.worker.close()

    def proves(self, pair: SystemPair) -> bool | None:
        """Return True if algebra proves both equations equivalent, None if it does not within the limit."""
        if len(pair.one) != 1 or SIGN in pair.names or pair.whole_numbers or not has_sympy():
            return None
        question: Question = {
            "one": [_as_json(side) for side in pair.one[0]],
            "other": [_as_json(side) for side in pair.other[0]],
            "imaginary": pair.names.index("i") if "i" in pair.names else -1,
        }
        if json.dumps(question).count("[") > MAX_NODES:
            return None
        return True if self.worker.ask(question) else None


def _as_json(expression: Expression) -> list[Json]:
    """Return an expression as JSON: a list that begins with its kind or the name of its function."""
    match expression:
        case Number(value):
            return ["n", _fraction(value)]
        case Variable(index):
            return ["v", index]
        case Addition(terms):
            return ["+", [_as_json(part) for part in terms]]
        case Multiplication(numerator, denominator):
            return ["*", [_as_json(part) for part in numerator], [_as_json(part) for part in denominator]]
        case Power(base, exponent):
            return ["^", _as_json(base), _fraction(exponent)]
        case FunctionValue(name, arguments):
            return [name, *[_as_json(part) for part in arguments]]


def _fraction(value: int | Fraction) -> Json:
    return ["q", str(value.numerator), str(value.denominator)] if isinstance(value, Fraction) else value
