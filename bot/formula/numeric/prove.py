"""Proof by sympy of what sampling found, in one worker process that is killed at the limit and started anew.

What goes there is our own expression as JSON, never TeX and never code; what comes back is yes or no. Without sympy nothing is proved.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from types import TracebackType
from typing import Any

from bot.formula.numeric.expressions import SIGN, Expression
from bot.formula.numeric.system_pair import read
from bot.formula.tex.tree import Node
from bot.formula.worker import LimitedProcess

LIMIT = 2.0  # seconds for one pair
MAX_NODES = 120


def has_sympy() -> bool:
    """Tell whether sympy is installed, without loading it."""
    return find_spec("sympy") is not None


class Prover:
    """Proves pairs of equations; a context manager that ends its worker. Start-up is paid at the first proof."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.worker = LimitedProcess("bot.formula.numeric.proving", limit)

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.worker.close()

    def proves(self, one: Sequence[Node], other: Sequence[Node]) -> bool | None:
        """Return True where algebra proves both equations equivalent, None where it does not within the limit."""
        pair = read(one, other)
        if pair is None or len(pair.one) != 1 or SIGN in pair.names or pair.whole or not has_sympy():
            return None
        question = {"one": _plain(pair.one[0]), "other": _plain(pair.other[0]), "imaginary": _imaginary(pair.names)}
        if json.dumps(question).count("[") > MAX_NODES:
            return None
        return True if self.worker.ask(question) else None


def _plain(sides: tuple[Expression, Expression]) -> list[Any]:
    return [_listed(side) for side in sides]


def _listed(part: Any) -> Any:
    """An expression as JSON: tuples become lists, fractions two numbers."""
    if isinstance(part, tuple):
        return [_listed(inner) for inner in part]
    return ["q", str(part.numerator), str(part.denominator)] if isinstance(part, Fraction) else part


def _imaginary(names: Sequence[str]) -> int:
    return names.index("i") if "i" in names else -1
