"""Which factors do not commute: vectors, matrices and operators. Their order among themselves is kept, and their inverse is no fraction."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.formula.tex.nodes import EMPTY, Infix, Signed
from bot.formula.tex.tree import Node, rebuilt

# The one table of marks: what stands at a matrix whatever its letter, and what may also be a power or a conjugate, so that it marks capitals only.
_SURE = frozenset(["T", "⊤", "⊺", "†", "H", "tr"])
_AT_CAPITALS = frozenset(["t", "*", "⋆"])
_STYLE = re.compile(r'^[~%"]?(?:[a-z]+\.)?\\?')
_SPELLINGS = {"dag": "†", "ddag": "†", "‡": "†", "top": "⊤", "intercal": "⊺"}
_INVERSE = Signed("-", "#1")


def is_vector(node: Node) -> bool:
    """Bold letters, arrows, unit vectors, ∇, and what is built of them."""
    if node.__class__ is str:
        return node[:2] == "b." or node == "∇"
    tag = node[0]
    if tag == "acc":
        return node[1] in ("vec", "hat", "leftarrow") or is_vector(node[2])
    if tag in ("s", "'", "-", "call"):
        return is_vector(node[1])
    if tag == "*" or tag == "+":
        return any([is_vector(part) for part in node[1]])
    if tag == "app":
        return is_vector(node[2])
    if tag == "in":
        return "×" in node[1] and any([is_vector(part) for part in node[2]])
    if tag in ("D", "d"):
        return is_vector(node[3])
    return False


def is_transposed(node: Node) -> bool:
    """A^T, x^T, A^†, A^{-T}, (AB)^t: what stands beside it may be a matrix, too. Capitals alone are marked by A^t, A^* and a kept A^{-1}."""
    if node.__class__ is str or node[0] != "s" or node[3] == EMPTY:
        return False
    mark = node[3]
    if mark.__class__ is not str:
        if mark[0] != "-":
            return False
        if mark == _INVERSE:  # of a plain letter it is a fraction by now, unless it is a matrix
            return is_capital(node[1]) if node[1].__class__ is str else is_transposed(node[1])
        mark = mark[1]
    return is_mark(node[1], mark)


def is_mark(base: Node, script: Node) -> bool:
    """Tell a mark of a transposed matrix from a power, an index or a label above a letter."""
    mark = _plain(script)
    return (mark in _SURE and _has_no_number(base)) or (mark in _AT_CAPITALS and is_capital(base))


def is_capital(node: Node) -> bool:
    """A capital letter with its scripts, or a product of such: beside a transposed matrix it is one."""
    if node.__class__ is str:
        return node[-1:].isupper()
    if node[0] == "*":
        return not node[2] and all([is_capital(part) for part in node[1]])
    return node[0] == "s" and is_capital(node[1])


def matrices_inverted(nodes: Sequence[Node]) -> frozenset[Node]:
    """Return the capitals whose inverse is no fraction in this product: P in P^{-1}AP, and all beside a transposed matrix."""
    inverted = [node[1] for node in nodes if node.__class__ is not str and node[0] == "s" and node[3] == _INVERSE]
    if not inverted:
        return frozenset()
    transposed = any([is_transposed(node) for node in nodes if node.__class__ is not str and node[3:] != (_INVERSE,)])
    return frozenset([base for base in inverted if is_capital(base) and (transposed or base in nodes)])


def _plain(mark: Node) -> str:
    """Return a mark without its style: \\mathsf T, \\text{T} and \\rm T are T."""
    if mark.__class__ is not str:
        return ""
    plain = _STYLE.sub("", mark, count=1)
    return _SPELLINGS.get(plain, plain)


def _has_no_number(node: Node) -> bool:
    """2^T and (1+r)^T are powers."""
    if node.__class__ is str:
        return node[:1] != "#"
    return node[0] not in ("*", "+") or all([_has_no_number(part) for part in node[1]])


def keeps_order(node: Node) -> bool:
    """Tell a factor that does not commute with others of its kind."""
    if node.__class__ is str:
        return node[:2] == "b." or node == "∂" or node == "∇"
    tag = node[0]
    if tag == "s":
        return is_vector(node[1]) or is_transposed(node)
    if tag == "D":
        return bool(node[3] == EMPTY)
    return tag == "acc" and is_vector(node)


def is_matrix(node: Node) -> bool:
    """Tell a product or sum with a factor in it that keeps its order."""
    if node.__class__ is not str:
        if node[0] == "*" or node[0] == "+":
            return any([is_matrix(part) for part in node[1]])
        if node[0] == "-":
            return is_matrix(node[1])
    return keeps_order(node)


# -- letters that turn out not to commute -------------------------------------------------------------------------------
def ordered_products(products: list[tuple[Node, ...]], calligraphic: bool) -> set[frozenset[Node]]:
    """Products that stand in two orders, and those with a calligraphic letter inside: here the order must mean something."""
    found: set[frozenset[Node]] = set()
    if calligraphic:
        for factors in products:
            if any([factor.__class__ is str and factor[:4] == "cal." for factor in factors[1:-1]]):
                found.add(frozenset(factors))
    if len(products) > 1:
        orders: dict[frozenset[Node], tuple[Node, ...]] = {}
        for factors in products:
            content = frozenset(factors)
            if orders.setdefault(content, factors) != factors:
                found.add(content)
    return found


def in_order(node: Node, ordered: set[frozenset[Node]]) -> Node:
    """AB beside BA, and a letter that relates its neighbours: the product becomes an infix chain."""
    if node.__class__ is str:
        return node
    if node[0] == "*" and not node[2] and frozenset(node[1]) in ordered:
        return Infix(("⋅",) * (len(node[1]) - 1), tuple([in_order(part, ordered) for part in node[1]]))
    return rebuilt(node, lambda part: in_order(part, ordered))
