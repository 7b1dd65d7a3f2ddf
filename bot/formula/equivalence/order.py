"""What must not be moved about: matrices, operators and cross products do not commute, and dot products have their partners.

Algebra on one side treats every letter as a number. Two formulas whose products of vectors or operators differ are not the same by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bot.formula.normal.canonical import is_vector
from bot.formula.normal.commuting import is_capital, is_transposed
from bot.formula.normal.render import render
from bot.formula.tex.tree import Node, children

Products = Counter[tuple[str, ...]]
_INVERSE = "^-#1;"  # the end of an inverse as it is rendered


def compatible(mine: Products, yours: Products) -> bool:
    """Tell whether both formulas multiply the same vectors and operators in the same order; so does one that marks none."""
    return mine == yours or ((not mine or not yours) and not _conjugates(mine) and not _conjugates(yours))


def _conjugates(found: Products) -> bool:
    """Tell whether a product holds a letter and its inverse, as P^{-1}AP: what it stands between is not what it was."""
    return any(
        factor.endswith(_INVERSE) and factor[: -len(_INVERSE)] in factors for factors in found for factor in factors
    )


def products(nodes: Iterable[Node]) -> Products:
    """Count the products of several vectors or operators, each as its factors in their order (dot products sorted)."""
    found: Products = Counter()
    stack = [(node, False) for node in nodes]
    while stack:
        node, inside = stack.pop()  # inside what is transposed as a whole
        if node.__class__ is str:
            continue
        if node[0] == "in":
            if any([is_vector(part) for part in node[2]]):
                factors = [render(_vector(part)) for part in node[2]]
                dots = set(node[1]) == {"·"}
                found["".join(sorted(set(node[1]))), *(sorted(factors) if dots else factors)] += 1
        elif node[0] == "*":
            matrices = inside or any([is_transposed(factor) for factor in node[1]])
            factors = [
                render(factor) for factor in node[1] if _does_not_commute(factor) or (matrices and _is_matrix(factor))
            ]
            if len(set(factors)) > 1:
                found["*", *factors] += 1
        transposed = is_transposed(node)
        stack.extend([(child, transposed) for child in children(node)])
    return found


def _vector(node: Node) -> Node:
    """The vector of q v."""
    if node.__class__ is not str and node[0] == "*":
        vectors = [factor for factor in node[1] if is_vector(factor)]
        if len(vectors) == 1:
            return vectors[0]
    return node


def _does_not_commute(node: Node) -> bool:
    """Bold letters, letters with a hat or an arrow."""
    if node.__class__ is str:
        return node[:2] == "b."
    if node[0] == "s":
        return _does_not_commute(node[1])
    return bool(node[0] == "acc" and node[1] in ("hat", "vec"))


def _is_matrix(node: Node) -> bool:
    """Beside a transposed matrix every capital letter is one."""
    return is_capital(node) or is_transposed(node)
