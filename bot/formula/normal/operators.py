"""What K2 does with operators: derivatives joined, contracted pairs of them as ∇² and □, operators in parentheses given what follows."""

from __future__ import annotations

from collections.abc import Callable

from bot.formula.normal.arithmetic import plus, times
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import is_whole

INDEX_GREEK = frozenset("αβγδμνρσλκτ")
INDEX_LATIN = frozenset("abijklmn")


def derivative(style: str, variables: tuple[tuple[NormalNode, str], ...], body: NormalNode) -> NormalNode:
    """Return the derivative, joined with one inside it, equal variables together; contracted ones are ∇² or □."""
    if body.__class__ is nodes.Signed and body.sign == "-":
        return nodes.Signed("-", derivative(style, variables, body.body))
    if (
        body.__class__ is nodes.Derivative
        and body.body != EMPTY
        and style in "^"
        and body.style in "^"
        and (style == body.style or not all(is_whole(order) for _, order in variables))
    ):
        if style == body.style:
            return derivative(style, variables + body.variables, body.body)
        return (
            nodes.Applied("□", body.body) if variables == body.variables else nodes.Derivative(style, variables, body)
        )
    if (
        body.__class__ is nodes.Derivative
        and {style, body.style} in ({"", "^"}, {"∇", "∇^"})
        and variables == body.variables
    ):
        return _applied("□", body.body)
    orders: dict[NormalNode, str] = {}
    for variable, order in variables:
        if variable in orders and is_whole(order) and is_whole(orders[variable]):
            order = str(int(order) + int(orders[variable]))
        elif variable in orders:
            order = orders[variable] + "+" + order
        orders[variable] = order
    if style == "" and len(orders) == 1:
        variable, order = next(iter(orders.items()))
        if (
            order == "2"
            and variable.__class__ is str
            and len(variables) == 2
            and (variable in INDEX_LATIN or variable in INDEX_GREEK)
        ):
            return _applied("∇²" if variable in INDEX_LATIN else "□", body)
        if (
            order == "1"
            and variable.__class__ is str
            and body.__class__ is nodes.Scripts
            and INDEX_LATIN.issuperset([variable])
            and EMPTY in (body.low, body.high)
            and variable in (body.low, body.high)
        ):
            return nodes.Applied("div", body.base)
    return nodes.Derivative(style, tuple(orders.items()), body)


def _applied(operator: str, body: NormalNode) -> NormalNode:
    return nodes.Applied(operator, body) if body != EMPTY else operator


def as_bold(node: NormalNode) -> NormalNode:
    """Return a letter in bold; a calligraphic one stays another letter."""
    if node.__class__ is str:
        return "b." + node if node and node[0] not in '#~"' and node[:2] != "b." else node
    if node.__class__ is nodes.Scripts:
        return nodes.Scripts(as_bold(node.base), node.low, node.high)
    if node.__class__ is nodes.Derivative:
        return nodes.Derivative(node.style, node.variables, as_bold(node.body))
    return nodes.Accented("vec", node)


def apply_to_next(
    factors: list[NormalNode], operator_of: Callable[[NormalNode, NormalNode], NormalNode]
) -> list[NormalNode]:
    """Apply operators among the factors to the function after them; `operator_of` a factor and the next one is EMPTY for any other."""
    out: list[NormalNode] = []
    for factor in reversed(factors):
        operator = operator_of(factor, out[-1]) if out else EMPTY
        out.append(nodes.Applied(operator, out.pop()) if operator != EMPTY else factor)
    return out[::-1]


def laplacians(factors: list[NormalNode]) -> list[NormalNode]:
    """Apply ∇² and □ among the factors to the function after them."""
    return apply_to_next(factors, lambda factor, following: factor if factor in ("∇²", "□") else EMPTY)


def contracted_pairs(factors: list[NormalNode]) -> list[NormalNode]:
    """Write η^{μν} ∂_μ ∂_ν and g^{μν} ∇_μ ∇_ν as □."""
    for position, factor in enumerate(factors):
        if (
            factor.__class__ is nodes.Scripts
            and factor.base in ("η", "g")
            and factor.low == EMPTY
            and factor.high.__class__ is nodes.Letters
        ):
            for other in factors:
                if (
                    other.__class__ is nodes.Derivative
                    and other.style in ("", "∇")
                    and sorted(str(v) for v, _ in other.variables) == sorted(factor.high.letters)
                    and len(factor.high.letters) == 2
                ):
                    boxed = _applied("□", other.body)
                    return laplacians([boxed if f is other else f for k, f in enumerate(factors) if k != position])
    return factors


def distributed_operators(factors: list[NormalNode]) -> NormalNode | None:
    """Apply operators in parentheses to what follows: (∂_t - κ∇²) T = ∂_t T - κ ∇² T."""
    operators, body = factors
    if operators.__class__ is not nodes.Sum or not any(_is_operator(term) for term in operators.terms):
        return None
    return plus([_apply_term(term, body) for term in operators.terms])


def _is_operator(node: NormalNode) -> bool:
    if node.__class__ is str:
        return node in ("∇²", "□")
    if node.__class__ is nodes.Derivative:
        return bool(node.body == EMPTY)
    if node.__class__ is nodes.Product:
        return any(_is_operator(part) for part in node.numerator)
    return node.__class__ is nodes.Signed and node.sign == "-" and _is_operator(node.body)


def _apply_term(term: NormalNode, body: NormalNode) -> NormalNode:
    if term.__class__ is not str:
        if term.__class__ is nodes.Signed and term.sign == "-":
            inner = _apply_term(term.body, body)
            return inner.body if inner.__class__ is nodes.Signed and inner.sign == "-" else nodes.Signed("-", inner)
        if term.__class__ is nodes.Derivative and term.body == EMPTY:
            return derivative(term.style, term.variables, body)
        if term.__class__ is nodes.Product:
            last = term.numerator[-1]
            if _is_operator(last):
                return times([*term.numerator[:-1], _apply_term(last, body)], term.denominator)
            return times([*term.numerator, body], term.denominator)
    if term in ("∇²", "□"):
        return nodes.Applied(term, body)
    return times([term, body])
