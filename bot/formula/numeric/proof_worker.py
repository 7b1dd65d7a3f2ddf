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
    """Answer questions until standard input ends; if sympy fails, the answer is "not proved"."""
    answer_lines(is_proved)


def is_proved(question: Question) -> bool:
    """Tell whether two equations are equivalent: the differences of their sides have a constant ratio, or each solution satisfies the other."""
    import sympy

    one, other = (
        _to_sympy(left, question["imaginary"]) - _to_sympy(right, question["imaginary"])
        for left, right in (question["one"], question["other"])
    )
    return _is_never_zero(sympy.simplify(one / other)) or (_implies(one, other) and _implies(other, one))


def _is_never_zero(ratio: sympy.Expr) -> bool:
    """Tell whether a ratio is a product of numbers, powers and exponentials of positive symbols."""
    for factor in ratio.as_ordered_factors():
        base = factor.as_base_exp()[0]
        if not (base.is_Symbol or (base.is_number and base.is_nonzero) or factor.func.__name__ == "exp"):
            return False
    return True


def _implies(solved: sympy.Expr, implied: sympy.Expr) -> bool:
    """Solve `solved` for one of its symbols and see `implied` vanish at every solution."""
    import sympy

    symbols = sorted(solved.free_symbols, key=lambda symbol: (solved.count(symbol), str(symbol)))
    for symbol in symbols[:3]:
        try:
            solutions = sympy.solve(solved, symbol)
        except NotImplementedError:
            continue
        if solutions and all(sympy.simplify(implied.subs(symbol, value)) == 0 for value in solutions):
            return True
    return False


def _to_sympy(part: Json, imaginary: int) -> sympy.Expr:
    """Convert an expression of prove.py to sympy; ValueError for anything else."""
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
            case ["*", [*numerator], [*denominator]]:
                return sympy.Mul(*map(of, numerator), *[1 / of(inner) for inner in denominator])
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
            case ["q", str(numerator), str(denominator)]:
                return sympy.Rational(int(numerator), int(denominator))
        raise ValueError(f"no number: {value!r}")

    return of(part)


_NAMES = {
    "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "ln": "log", "arcsin": "asin", "arccos": "acos",
    "arctan": "atan", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh", "erf": "erf", "exp": "exp", "log": "log", "abs": "Abs",
}  # fmt: skip
