"""The worker behind prove.py: reads expressions, answers whether they are proved equivalent."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bot.formula.worker import answer_lines


def main() -> None:
    """Answer questions until standard input ends; what sympy cannot do is simply not proved."""
    sympy = import_module("sympy")
    answer_lines(lambda question: proved(sympy, question))


def proved(sympy: Any, question: dict[str, Any]) -> bool:
    """Tell whether two equations are equivalent: a constant ratio of their gaps, or each solved and put into the other."""
    reader = _ExpressionBuilder(sympy, question["imaginary"])
    gaps = []
    for left, right in (question["one"], question["other"]):
        gaps.append(reader.of(left) - reader.of(right))
    ratio = sympy.simplify(gaps[0] / gaps[1])
    if _never_zero(ratio):
        return True
    return _implies(sympy, gaps[0], gaps[1]) and _implies(sympy, gaps[1], gaps[0])


def _never_zero(ratio: Any) -> bool:
    """A product of numbers, powers and exponentials of positive symbols."""
    for factor in ratio.as_ordered_factors():
        base = factor.as_base_exp()[0]
        if not (base.is_Symbol or (base.is_number and base.is_nonzero) or factor.func.__name__ == "exp"):
            return False
    return True


def _implies(sympy: Any, known: Any, wanted: Any) -> bool:
    """Solve `known` for one of its symbols and see `wanted` vanish at every solution."""
    symbols = sorted(known.free_symbols, key=lambda symbol: (known.count(symbol), str(symbol)))
    for symbol in symbols[:3]:
        try:
            solutions = sympy.solve(known, symbol)
        except NotImplementedError:
            continue
        if solutions and all(sympy.simplify(wanted.subs(symbol, value)) == 0 for value in solutions):
            return True
    return False


class _ExpressionBuilder:
    def __init__(self, sympy: Any, imaginary: int) -> None:
        self.sympy = sympy
        self.imaginary = imaginary

    def of(self, part: list[Any]) -> Any:
        sympy, tag = self.sympy, part[0]
        if tag == "n":
            return self.number(part[1])
        if tag == "k":
            return sympy.pi if part[1] == "π" else sympy.I
        if tag == "v":
            return sympy.I if part[1] == self.imaginary else sympy.Symbol(f"v{int(part[1])}", positive=True)
        if tag == "+":
            return sympy.Add(*map(self.of, part[1]))
        if tag == "*":
            return sympy.Mul(*map(self.of, part[1]), *[1 / self.of(inner) for inner in part[2]])
        if tag == "^":
            return self.of(part[1]) ** self.number(part[2])
        if tag == "f":
            return getattr(sympy, _NAMES[part[1]])(self.of(part[2]))
        inner = [self.of(each) for each in part[1:]]
        if tag == "pow":
            return inner[0] ** inner[1]
        return getattr(sympy, {"exp": "exp", "log": "log", "abs": "Abs"}[tag])(*inner)

    def number(self, value: Any) -> Any:
        return (
            self.sympy.Integer(value) if isinstance(value, int) else self.sympy.Rational(int(value[1]), int(value[2]))
        )


_NAMES = {
    "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "ln": "log", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "erf": "erf",
}  # fmt: skip
