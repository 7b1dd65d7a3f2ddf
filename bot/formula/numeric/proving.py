"""The worker behind prove.py: reads expressions, answers whether they are proved equivalent."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypedDict, Union

from bot.formula.worker import answer_lines

if TYPE_CHECKING:
    import sympy

Json: TypeAlias = Union[int, str, "list[Json]"]


class Question(TypedDict):
    """Two equations of two sides each, and the number of the variable that is i, -1 for none."""

    one: list[Json]
    other: list[Json]
    imaginary: int


def main() -> None:
    """Answer questions until standard input ends; what sympy cannot do is simply not proved."""
    answer_lines(proved)


def proved(question: Question) -> bool:
    """Tell whether two equations are equivalent: a constant ratio of their gaps, or each solved and put into the other."""
    import sympy

    one, other = (
        _to_sympy(left, question["imaginary"]) - _to_sympy(right, question["imaginary"])
        for left, right in (question["one"], question["other"])
    )
    return _never_zero(sympy.simplify(one / other)) or (_implies(one, other) and _implies(other, one))


def _never_zero(ratio: sympy.Expr) -> bool:
    """A product of numbers, powers and exponentials of positive symbols."""
    for factor in ratio.as_ordered_factors():
        base = factor.as_base_exp()[0]
        if not (base.is_Symbol or (base.is_number and base.is_nonzero) or factor.func.__name__ == "exp"):
            return False
    return True


def _implies(known: sympy.Expr, wanted: sympy.Expr) -> bool:
    """Solve `known` for one of its symbols and see `wanted` vanish at every solution."""
    import sympy

    symbols = sorted(known.free_symbols, key=lambda symbol: (known.count(symbol), str(symbol)))
    for symbol in symbols[:3]:
        try:
            solutions = sympy.solve(known, symbol)
        except NotImplementedError:
            continue
        if solutions and all(sympy.simplify(wanted.subs(symbol, value)) == 0 for value in solutions):
            return True
    return False


def _to_sympy(part: Json, imaginary: int) -> sympy.Expr:
    """Return what an expression of prove.py is in sympy; ValueError for anything else."""
    import sympy

    def of(part: Json) -> sympy.Expr:
        match part:
            case ["n", value]:
                return number(value)
            case ["v", int(index)]:
                return sympy.I if index == imaginary else sympy.Symbol(f"v{index}", positive=True)
            case ["π"]:
                return sympy.pi
            case ["+", [*terms]]:
                return sympy.Add(*map(of, terms))
            case ["*", [*above], [*below]]:
                return sympy.Mul(*map(of, above), *[1 / of(inner) for inner in below])
            case ["^", base, exponent]:
                return of(base) ** number(exponent)
            case ["pow", base, exponent]:
                return of(base) ** of(exponent)
            case [str(name), *arguments] if name in _NAMES:
                return getattr(sympy, _NAMES[name])(*map(of, arguments))
        raise ValueError(f"no expression: {part!r}")

    def number(value: Json) -> sympy.Expr:
        match value:
            case int():
                return sympy.Integer(value)
            case ["q", str(above), str(below)]:
                return sympy.Rational(int(above), int(below))
        raise ValueError(f"no number: {value!r}")

    return of(part)


_NAMES = {
    "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "ln": "log", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "erf": "erf", "exp": "exp", "log": "log", "abs": "Abs",
}  # fmt: skip
