"""Which factors do not commute: vectors, matrices and operators. Their order among themselves is kept, and their inverse is no fraction."""

from __future__ import annotations

from bot.formula.tree import EMPTY, Node, rebuilt

_TRANSPOSED = frozenset(["T", "†", "~†", "⊤", "~⊤", "H", "%T", "~∗"])


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
    """A^T, A^†: what stands beside it may be a matrix, too."""
    return bool(node.__class__ is tuple and node[0] == "s" and node[3].__class__ is str and node[3] in _TRANSPOSED)


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
    if node.__class__ is tuple:
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
        return ("in", ("⋅",) * (len(node[1]) - 1), tuple([in_order(part, ordered) for part in node[1]]))
    return rebuilt(node, lambda part: in_order(part, ordered))
