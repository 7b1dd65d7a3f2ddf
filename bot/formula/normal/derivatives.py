"""Derivatives and differentials as they are spelt: \\frac{d^2 x}{dt^2}, \\partial_t u, \\frac{\\partial}{\\partial x} f, dx.

("D", style, ((variable, order), …), body): style is d, ∂, D or δ for a quotient and ∂_, ∇_, D_ for an operator with the variable below;
an empty body is an operator alone. ("d", sign, order, x) is a differential.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from bot.formula.normal.arithmetic import times
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, AnyNode, NormalNode, RawNode
from bot.formula.tex.terms import DERIVATIVE_SIGNS
from bot.formula.tex.tree import base_of, children, indices, inside_parentheses, is_whole

_ACTING = frozenset(["∇", "∂", "□", "D"])  # alone or with a script below


class DerivativeFraction(NamedTuple):
    """A derivative written as a fraction: its coefficient, its sign, its variables with orders, and the differentiated factors."""

    coefficient: Sequence[RawNode]
    sign: str
    variables: list[tuple[RawNode, str]]
    body: Sequence[RawNode]


def derivative_of_fraction(numerator: RawNode, denominator: RawNode) -> DerivativeFraction | None:
    """Return the derivative that a fraction denotes, None if it is not a derivative."""
    variables = _variables(denominator)
    if variables is None:
        return None
    sign, orders = variables
    factors = _factors(numerator)
    position = next((k for k, factor in enumerate(factors) if _differential_sign(factor)[0] == sign), -1)
    if position < 0:
        return None
    order = _differential_sign(factors[position])[1]
    if len(orders) == 1 and orders[0][1] != order and not (is_whole(order) and is_whole(orders[0][1])):
        orders = [(orders[0][0], order)]
    elif all(is_whole(power) for _, power in orders) and str(sum(int(power) for _, power in orders)) != order:
        return None
    return DerivativeFraction(factors[:position], sign, orders, factors[position + 1 :])


def _factors(node: RawNode) -> tuple[RawNode, ...]:
    node = inside_parentheses(node)
    if node.__class__ is not nodes.Factors:
        return (node,) if node != EMPTY else ()
    found: list[RawNode] = []
    for part in node.factors:
        inner = inside_parentheses(part)
        if inner.__class__ is nodes.Factors and _differential_sign(inner.factors[0])[0]:
            found += inner.factors
        else:
            found.append(part)
    return tuple(found)


def _differential_sign(node: AnyNode) -> tuple[str, str]:
    """Return sign and order: ("d", "2") for d^2, ("∂", "1") for ∂."""
    if node.__class__ is str:
        return (node, "1") if node in DERIVATIVE_SIGNS else ("", "")
    if (
        node.__class__ is nodes.Scripts
        and node.base.__class__ is str
        and node.base in DERIVATIVE_SIGNS
        and node.low == EMPTY
    ):
        order = _order(node.high)
        return (node.base, order) if order else ("", "")
    return ("", "")


def _order(node: AnyNode) -> str:
    if node.__class__ is str:
        return node.lstrip("#") if node[:1] not in ("~", '"', "%") else ""
    if node.__class__ is nodes.Sum and all(
        part.__class__ is str or (part.__class__ is nodes.Signed and part.sign == "-" and part.body.__class__ is str)
        for part in node.terms
    ):
        return "+".join(f"-{part.body}" if part.__class__ is nodes.Signed else str(part) for part in node.terms)
    return ""


def _variables(denominator: RawNode) -> tuple[str, list[tuple[RawNode, str]]] | None:
    """Return ("∂", [(x, 1), (t, 2)]) for ∂x∂t^2; None for any other denominator."""
    factors = _factors(denominator)
    sign = ""
    found: list[tuple[RawNode, str]] = []
    index = 0
    while index < len(factors):
        mark = factors[index]
        if mark.__class__ is nodes.Scripts and mark.base == "(":
            return None
        if mark.__class__ is not str or mark not in DERIVATIVE_SIGNS or (sign and mark != sign):
            return None
        sign = mark
        index += 1
        if index >= len(factors):
            return None
        variable = factors[index]
        index += 1
        order = "1"
        if variable.__class__ is nodes.Scripts and variable.high != EMPTY:
            power = _order(variable.high)
            if power and (is_whole(power) or not _is_index(power)):
                order = power
                variable = variable.base if variable.low == EMPTY else nodes.Scripts(variable.base, variable.low, EMPTY)
        if variable.__class__ is str and (not variable or variable[0] in '#"'):
            return None
        found.append((variable, order))
    return (sign, found) if found else None


def _is_index(name: str) -> bool:
    return name in "μνρσλκταβγδijklab" and name not in "n"


def has_differentials(trees: Iterable[RawNode]) -> bool:
    """Tell whether the italic d of a formula without an integral makes differentials: dU = T dS − p dV, and not (c + di)(a − bi).

    No d is a factor of its own, and two different variables at least follow one, or a δ. Before parentheses or a function d may be either.
    """
    found = {variable for tree in trees for variable in _variables_of_differentials(tree)}
    return len(found) > 1 and EMPTY not in found


def _variables_of_differentials(node: RawNode) -> Iterator[RawNode]:
    """Yield each variable that follows a d or δ, EMPTY for a d that is a factor of its own."""
    if node.__class__ is str:
        if node == "d":
            yield EMPTY
        return
    parts: Iterable[RawNode] = children(node)
    if node.__class__ is nodes.Scripts:
        labelled = node.low != EMPTY and node.base == "d"  # d_0, and the label of v_d
        parts = [
            node.high,
            *(() if labelled else [node.base]),
            *(() if isinstance(node.low, str | nodes.Letters) else [node.low]),
        ]
    elif node.__class__ is nodes.Fraction and (quotient := derivative_of_fraction(node.numerator, node.denominator)):
        parts = (*quotient.coefficient, *quotient.body)
    elif node.__class__ is nodes.Factors:
        parts = []
        for factor, after in zip(node.factors, (*node.factors[1:], EMPTY), strict=True):
            sign, _ = _differential_sign(factor)
            if sign in ("d", "δ") and _is_variable(after):
                yield after
            elif sign != "d" or after.__class__ is str:
                parts.append(factor)
    for part in parts:
        yield from _variables_of_differentials(part)


def join_differentials(factors: list[NormalNode]) -> list[NormalNode]:
    """Join d with the variable after it if d is a differential: beside an integral, or upright."""
    if len(factors) < 2:
        return factors
    out: list[NormalNode] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        sign, order = _differential_sign(factor)
        if sign == "d" and index < len(factors) and _is_variable(factors[index]):
            out.append(differential(sign, order, factors[index]))
            index += 1
        else:
            out.append(factor)
    return out


def differential(sign: str, order: str, variable: NormalNode) -> NormalNode:
    """Return dx; dx² is (dx)²."""
    if variable.__class__ is nodes.Scripts and variable.high.__class__ is str and variable.high[:1] == "#":
        letter = nodes.Scripts(variable.base, variable.low, EMPTY) if variable.low != EMPTY else variable.base
        return nodes.Scripts(nodes.Differential(sign, order, letter), EMPTY, variable.high)
    return nodes.Differential(sign, order, variable)


def _take_operand(following: list[NormalNode], style: str) -> NormalNode:
    """Remove an operator's operand from the factors after it (last first) and return it: ∂_t and ∇_μ act on the next one, d/dt on all up to a differential."""
    body = following.pop()
    if style not in DERIVATIVE_SIGNS or (body.__class__ is nodes.Derivative and body.body == EMPTY):
        return body
    factors = [body]
    while following and not _ends_operand(following[-1]):
        factors.append(following.pop())
    return times(factors) if len(factors) > 1 else body


def _ends_operand(node: NormalNode) -> bool:
    """Tell whether a node ends the operand: a differential or words."""
    return node[:1] == '"' if node.__class__ is str else node.__class__ is nodes.Differential


def _is_variable(node: AnyNode) -> bool:
    found = base_of(cast("NormalNode", node), nodes.Scripts, nodes.Primed, nodes.Accented)  # or a RawNode
    return found.__class__ is str and found[:1] not in ("", "#", '"', "%", "~") and found not in DERIVATIVE_SIGNS


def derivative_operator(node: NormalNode) -> nodes.Derivative[NormalNode] | None:
    """Return the derivative without a body that a factor is (∂_t, ∂_x^2, ∇_μ, D_t, d/dx), or None."""
    if node.__class__ is str:
        return None
    if node.__class__ is nodes.Derivative:
        return node if node.body == EMPTY else None
    if node.__class__ is nodes.Scripts and node.base.__class__ is str and node.base in ("∂", "∇", "D"):
        base, sub, sup = node.base, node.low, node.high
        if sub == EMPTY:
            if sup.__class__ is str and sup[:1] not in ("#", "") and sup[0] not in '~"%':
                return nodes.Derivative(base + "^", ((sup, "1"),), EMPTY)
            return None
        if base == "D" and sup == EMPTY and not (sub.__class__ is str and sub in "txyzμν"):
            return None
        order = "1" if sup == EMPTY else _order(sup)
        if not order or not (is_whole(order) or order in "nmk"):
            return None
        names = indices(sub)
        if any(name.__class__ is str and name[:1] in '"%' for name in names):
            return None
        if len(names) > 1 and base == "∂" and order == "1" and names[0] not in ("c",):
            return nodes.Derivative("∂_", tuple([(name, "1") for name in names]), EMPTY)
        return nodes.Derivative(base + "_", ((names[0] if len(names) == 1 else sub, order),), EMPTY)
    return None


def apply_operators(factors: list[NormalNode]) -> list[NormalNode]:
    """Apply every operator among the factors to the factors after it; adjacent operators act together. Without an operator the list is unchanged."""
    for factor in factors:
        if factor.__class__ is str:
            if factor in _ACTING:
                break
        elif factor.__class__ is nodes.Derivative or (
            factor.__class__ is nodes.Scripts and factor.base.__class__ is str and factor.base in _ACTING
        ):
            break
    else:
        return factors
    out: list[NormalNode] = []
    for factor in reversed(factors):
        found = derivative_operator(factor)
        if found is not None:
            last = out[-1] if out else EMPTY
            apart = last.__class__ is nodes.Derivative and last.body == EMPTY and last.style[:1] != found.style[:1]
            body = EMPTY if apart or not out else _take_operand(out, found.style)
            if body.__class__ is nodes.Derivative and body.style == found.style:
                out.append(nodes.Derivative(found.style, found.variables + body.variables, body.body))
            else:
                out.append(nodes.Derivative(found.style, found.variables, body))
        elif factor in ("∇", "□") or (
            factor.__class__ is nodes.Scripts and factor.base in ("∇", "∂") and factor.low == EMPTY
        ):
            out.append(nodes.Applied(factor, out.pop() if out else EMPTY) if out else factor)
        else:
            out.append(factor)
    out.reverse()
    return out
