"""What K2 does with operators: derivatives joined, contracted pairs of them as ∇² and □, operators in parentheses given what follows."""

from __future__ import annotations

from bot.formula.normal.arithmetic import plus, times
from bot.formula.tex.nodes import EMPTY, Accented, Applied, Derivative, Scripts, Signed
from bot.formula.tex.tree import Node, is_whole

INDEX_GREEK = frozenset("αβγδμνρσλκτ")
INDEX_LATIN = frozenset("abijklmn")


def derivative(style: str, variables: tuple[tuple[Node, str], ...], body: Node) -> Node:
    """Return the derivative, joined with one inside it, equal variables together; contracted ones are ∇² or □."""
    if body.__class__ is not str and body[0] == "-":
        return Signed("-", derivative(style, variables, body[1]))
    if (
        body.__class__ is not str
        and body[0] == "D"
        and body[3] != EMPTY
        and style in "^"
        and body[1] in "^"
        and (style == body[1] or not _integers(variables))
    ):
        if style == body[1]:
            return derivative(style, variables + body[2], body[3])
        return Applied("□", body[3]) if variables == body[2] else Derivative(style, variables, body)
    if (
        body.__class__ is not str
        and body[0] == "D"
        and {style, body[1]} in ({"", "^"}, {"∇", "∇^"})
        and variables == body[2]
    ):
        return Applied("□", body[3]) if body[3] != EMPTY else "□"
    orders: dict[Node, str] = {}
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
            name = "∇²" if variable in INDEX_LATIN else "□"
            return Applied(name, body) if body != EMPTY else name
        if (
            order == "1"
            and variable.__class__ is str
            and body.__class__ is not str
            and body[0] == "s"
            and INDEX_LATIN.issuperset([variable])
            and EMPTY in body[2:]
            and variable in body[2:]
        ):
            return Applied("div", body[1])
    return Derivative(style, tuple(orders.items()), body)


def _integers(variables: tuple[tuple[Node, str], ...]) -> bool:
    return all(is_whole(order) for _, order in variables)


def bold(node: Node) -> Node:
    """A letter with an arrow is a bold letter; a calligraphic one stays another letter."""
    if node.__class__ is str:
        return "b." + node if node and node[0] not in '#~"' and node[:2] != "b." else node
    if node[0] == "s":
        return Scripts(bold(node[1]), node[2], node[3])
    if node[0] == "D":
        return Derivative(node[1], node[2], bold(node[3]))
    return Accented("vec", node)


def laplacians(factors: list[Node]) -> list[Node]:
    """∇² and □ that stand before their function."""
    out: list[Node] = []
    for factor in reversed(factors):
        if factor in ("∇²", "□") and out:
            out.append(Applied(factor, out.pop()))
        else:
            out.append(factor)
    return out[::-1]


def contracted_pairs(factors: list[Node]) -> list[Node]:
    """η^{μν} ∂_μ ∂_ν is □; so is g^{μν} ∇_μ ∇_ν."""
    for place, factor in enumerate(factors):
        if (
            factor.__class__ is not str
            and factor[0] == "s"
            and factor[1] in ("η", "g")
            and factor[2] == EMPTY
            and factor[3].__class__ is not str
            and factor[3][0] == "seq"
        ):
            for other in factors:
                if (
                    other.__class__ is not str
                    and other[0] == "D"
                    and other[1] in ("", "∇")
                    and sorted(str(v) for v, _ in other[2]) == sorted(factor[3][1])
                    and len(factor[3][1]) == 2
                ):
                    boxed: Node = Applied("□", other[3]) if other[3] != EMPTY else "□"
                    return laplacians([boxed if f is other else f for k, f in enumerate(factors) if k != place])
    return factors


def spread(factors: list[Node]) -> Node | None:
    """(∂_t - κ∇²) T = ∂_t T - κ ∇² T: operators in parentheses take what follows."""
    operators, body = factors
    if operators.__class__ is str or operators[0] != "+" or not any(_is_operator(term) for term in operators[1]):
        return None
    return plus([_given(term, body) for term in operators[1]])


def _is_operator(node: Node) -> bool:
    if node.__class__ is str:
        return node in ("∇²", "□")
    if node[0] == "D":
        return bool(node[3] == EMPTY)
    if node[0] in ("-", "*"):
        return any(_is_operator(part) for part in (node[1] if node[0] == "*" else (node[1],)))
    return False


def _given(term: Node, body: Node) -> Node:
    if term.__class__ is not str:
        if term[0] == "-":
            inner = _given(term[1], body)
            return inner[1] if inner[:1] == ("-",) else Signed("-", inner)
        if term[0] == "D" and term[3] == EMPTY:
            return derivative(term[1], term[2], body)
        if term[0] == "*":
            last = term[1][-1]
            if _is_operator(last):
                return times([*term[1][:-1], _given(last, body)], term[2])
            return times([*term[1], body], term[2])
    if term in ("∇²", "□"):
        return Applied(term, body)
    return times([term, body])
