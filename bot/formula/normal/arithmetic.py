"""Products, sums and signs of normal trees, kept flat: the only place that makes ("*", above, below), ("+", terms) and ("-", term)."""

from __future__ import annotations

from collections.abc import Iterable

from bot.formula.normal.commuting import is_matrix, matrices_inverted
from bot.formula.tex.nodes import EMPTY, Product, Scripts, Signed, Sum
from bot.formula.tex.tree import Node


def times(nodes: Iterable[Node], below: Iterable[Node] = ()) -> Node:
    """Return the product of normal nodes over others, flat, with its sign in front."""
    above: list[Node] = []
    under: list[Node] = []
    negative = _gather(nodes, above, under)
    if below:
        negative ^= _gather(below, under, above)
    if len(above) > 1 and "#1" in above:
        above = [node for node in above if node != "#1"] or ["#1"]
    if under and "#1" in under:
        under = [node for node in under if node != "#1"]
    if under or len(above) != 1:
        product: Node = Product(tuple(above) or ("#1",), tuple(under))
    else:
        product = above[0]
    return Signed("-", product) if negative else product


def _gather(nodes: Iterable[Node], above: list[Node], under: list[Node]) -> bool:
    negative = False
    nodes = list(nodes)
    matrices = matrices_inverted(nodes)
    for node in nodes:
        if node.__class__ is not str and node[0] == "-":
            negative = not negative
            node = node[1]
        if node.__class__ is str:
            if node != EMPTY:
                above.append(node)
        elif node[0] == "*":
            above.extend(node[1])
            under.extend(node[2])
        elif (
            node[0] == "s"
            and node[3].__class__ is not str
            and node[3][0] == "-"
            and node[1] not in matrices
            and _inverse(node)
        ):
            base, exponent = node[1], node[3][1]
            if exponent != "#1":
                under.append(Scripts(base, node[2], exponent))
            elif node[2] != EMPTY:
                under.append(Scripts(base, node[2], EMPTY))
            elif base[:1] == ("*",):
                under.extend(base[1])
                above.extend(base[2])
            else:
                under.append(base)
        else:
            above.append(node)
    return negative


def _inverse(node: Node) -> bool:
    """x^{-2} is 1/x²; an inverse function, the inverse of a matrix (in bold, or A^T A), sin^{-1} are not fractions."""
    base, exponent = node[1], node[3][1]
    if exponent.__class__ is not str or exponent[:1] != "#":
        return False
    if base.__class__ is str:
        return base[:1] not in "%~#" and base[:2] != "b." if base else False
    return base[0] in ("+", "*", "s") and not is_matrix(base)


def plus(terms: Iterable[Node]) -> Node:
    """Return the sum of normal nodes, flat; a minus before a sum goes to its terms."""
    flat: list[Node] = []
    for term in terms:
        if term.__class__ is not str:
            if term[0] == "+":
                flat.extend(term[1])
                continue
            if term[0] == "-" and term[1].__class__ is not str and term[1][0] == "+":
                flat.extend([minus(inner) for inner in term[1][1]])
                continue
        flat.append(term)
    return flat[0] if len(flat) == 1 else Sum(tuple(flat))


def minus(node: Node) -> Node:
    """Return the normal node with the other sign."""
    if node.__class__ is not str:
        if node[0] == "-":
            return node[1]
        if node[0] == "±":
            return Signed("∓", node[1])
        if node[0] == "∓":
            return Signed("±", node[1])
    return Signed("-", node)
