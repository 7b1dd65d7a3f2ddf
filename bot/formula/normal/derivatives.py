"""Derivatives and differentials as they are spelt: \\frac{d^2 x}{dt^2}, \\partial_t u, \\frac{\\partial}{\\partial x} f, dx.

("D", style, ((variable, order), …), body): style is d, ∂, D or δ for a quotient and ∂_, ∇_, D_ for an operator with the variable below;
an empty body is an operator alone. ("d", sign, order, x) is a differential.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.formula.tex.nodes import EMPTY, Applied, Derivative, Differential, Scripts
from bot.formula.tex.tree import Node, is_whole

SIGNS = frozenset("d∂Dδ")
_ACTING = frozenset(["∇", "∂", "□", "D"])  # alone or with a script below


class Quotient(NamedTuple):
    """What stands before the derivative in its fraction, its sign and variables with their orders, and the factors that are differentiated."""

    before: Sequence[Node]
    sign: str
    variables: list[tuple[Node, str]]
    body: Sequence[Node]


def quotient(above: Node, below: Node) -> Quotient | None:
    """Return the derivative that a fraction is, or None."""
    variables = _variables(below)
    if variables is None:
        return None
    sign, orders = variables
    factors = _factors(above)
    place = next((k for k, factor in enumerate(factors) if _signed(factor)[0] == sign), -1)
    if place < 0:
        return None
    order = _signed(factors[place])[1]
    if len(orders) == 1 and orders[0][1] != order and not (is_whole(order) and is_whole(orders[0][1])):
        orders = [(orders[0][0], order)]
    elif all(is_whole(power) for _, power in orders) and str(sum(int(power) for _, power in orders)) != order:
        return None
    return Quotient(factors[:place], sign, orders, factors[place + 1 :])


def _factors(node: Node) -> tuple[Node, ...]:
    while node.__class__ is not str and node[0] == "()" and node[1] == "(" and node[3] != EMPTY:
        node = node[3]
    if node.__class__ is not str and node[0] == "factors":
        found: list[Node] = []
        for part in node[1]:
            inner = part
            while inner.__class__ is not str and inner[0] == "()" and inner[1] == "(":
                inner = inner[3]
            if inner.__class__ is not str and inner[0] == "factors" and _signed(inner[1][0])[0]:
                found.extend(inner[1])
            else:
                found.append(part)
        return tuple(found)
    return (node,) if node != EMPTY else ()


def _signed(node: Node) -> tuple[str, str]:
    """d^2 is ("d", "2"), ∂ is ("∂", "1")."""
    if node.__class__ is str:
        return (node, "1") if node in SIGNS else ("", "")
    if node[0] == "s" and node[1].__class__ is str and node[1] in SIGNS and node[2] == EMPTY:
        order = _order(node[3])
        return (node[1], order) if order else ("", "")
    return ("", "")


def _order(node: Node) -> str:
    if node.__class__ is str:
        return node.lstrip("#") if node[:1] not in ("~", '"', "%") else ""
    if node[0] == "+" and all(
        part.__class__ is str or (part[0] == "-" and part[1].__class__ is str) for part in node[1]
    ):
        return "+".join(part if part.__class__ is str else "-" + part[1] for part in node[1])
    return ""


def _variables(below: Node) -> tuple[str, list[tuple[Node, str]]] | None:
    """∂x∂t^2 is ("∂", [(x, 1), (t, 2)]); None where the denominator is anything else."""
    if below.__class__ is str or not (below[0] == "factors" or below[0] == "()"):
        return None  # a derivative has its sign and a variable below
    factors = _factors(below)
    sign = ""
    found: list[tuple[Node, str]] = []
    index = 0
    while index < len(factors):
        mark = factors[index]
        if mark.__class__ is not str and mark[0] == "s" and mark[1] == "(":
            return None
        if mark.__class__ is not str or mark not in SIGNS or (sign and mark != sign):
            return None
        sign = mark
        index += 1
        if index >= len(factors):
            return None
        variable = factors[index]
        index += 1
        order = "1"
        if variable.__class__ is not str and variable[0] == "s" and variable[3] != EMPTY:
            power = _order(variable[3])
            if power and (is_whole(power) or not _is_index(power)):
                order = power
                variable = variable[1] if variable[2] == EMPTY else Scripts(variable[1], variable[2], EMPTY)
        if variable.__class__ is str and (not variable or variable[0] in '#"'):
            return None
        found.append((variable, order))
    return (sign, found) if found else None


def _is_index(name: str) -> bool:
    return name in "μνρσλκταβγδijklab" and name not in "n"


def differential(factors: list[Node]) -> list[Node]:
    """Join d with the variable after it, where d is a differential: beside an integral, or upright."""
    if len(factors) < 2:
        return factors
    out: list[Node] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        sign, order = _signed(factor)
        if sign == "d" and index < len(factors) and _is_variable(factors[index]):
            out.append(Differential(sign, order, factors[index]))
            index += 1
        else:
            out.append(factor)
    return out


def _is_variable(node: Node) -> bool:
    if node.__class__ is str:
        return bool(node) and node[0] not in '#"%~' and node not in SIGNS
    return bool(node[0] in ("s", "acc", "'") and _is_variable(node[2] if node[0] == "acc" else node[1]))


def operator(node: Node) -> Node | None:
    """Return the derivative without a body that a factor is (∂_t, ∂_x^2, ∇_μ, D_t, d/dx), or None."""
    if node.__class__ is str:
        return None
    if node[0] == "D":
        return node if node[3] == EMPTY else None
    if node[0] == "s" and node[1].__class__ is str and node[1] in ("∂", "∇", "D"):
        base, sub, sup = node[1], node[2], node[3]
        if sub == EMPTY:
            if sup.__class__ is str and sup[:1] not in ("#", "") and sup[0] not in '~"%':
                return Derivative(base + "^", ((sup, "1"),), EMPTY)
            return None
        if base == "D" and sup == EMPTY and not (sub.__class__ is str and sub in "txyzμν"):
            return None
        order = "1" if sup == EMPTY else _order(sup)
        if not order or not (is_whole(order) or order in "nmk"):
            return None
        names = sub[1] if sub.__class__ is not str and sub[0] == "seq" else (sub,)
        if any(name.__class__ is str and name[:1] in '"%' for name in names):
            return None
        if len(names) > 1 and base == "∂" and order == "1" and names[0] not in ("c",):
            return Derivative("∂_", tuple([(name, "1") for name in names]), EMPTY)
        return Derivative(base + "_", ((names[0] if len(names) == 1 else sub, order),), EMPTY)
    return None


def applied(factors: list[Node]) -> list[Node]:
    """Give every operator among the factors what follows it; operators side by side act together. The same list where there is none."""
    for factor in factors:
        if factor.__class__ is str:
            if factor in _ACTING:
                break
        elif factor[0] == "D" or (factor[0] == "s" and factor[1].__class__ is str and factor[1] in _ACTING):
            break
    else:
        return factors
    out: list[Node] = []
    for factor in reversed(factors):
        found = operator(factor)
        if found is not None:
            body = out.pop() if out and not _is_bare(out[-1]) else EMPTY
            if body == EMPTY and out and _is_bare(out[-1]) and out[-1][1][:1] == found[1][:1]:
                body = out.pop()
            if body.__class__ is not str and body[0] == "D" and body[1] == found[1]:
                out.append(Derivative(found[1], found[2] + body[2], body[3]))
            else:
                out.append(Derivative(found[1], found[2], body))
        elif factor in ("∇", "□") or (
            factor.__class__ is not str and factor[0] == "s" and factor[1] in ("∇", "∂") and factor[2] == EMPTY
        ):
            out.append(Applied(factor, out.pop() if out else EMPTY) if out else factor)
        else:
            out.append(factor)
    out.reverse()
    return out


def _is_bare(node: Node) -> bool:
    return bool(node.__class__ is not str and node[0] == "D" and node[3] == EMPTY)
