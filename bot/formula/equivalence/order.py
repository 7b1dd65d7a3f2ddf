"""What must not be moved about: matrices, operators and cross products do not commute, and dot products have their partners.

Algebra on one side treats every letter as a number. Two formulas whose products of vectors or operators differ are not the same by it.
"""

from collections import Counter
from collections.abc import Iterable

from bot.formula.normal.commuting import is_capital, is_transposed, is_vector
from bot.formula.normal.render import render
from bot.formula.tex.nodes import Accented, Infix, NormalNode, Product, Scripts
from bot.formula.tex.tree import children

Products = Counter[tuple[str, ...]]
_INVERSE = "^-#1;"  # the end of an inverse as it is rendered


def has_same_products(left: Products, right: Products) -> bool:
    """Tell whether both formulas multiply the same vectors and operators in the same order, or one marks none."""
    return left == right or ((not left or not right) and not _has_conjugation(left) and not _has_conjugation(right))


def _has_conjugation(found: Products) -> bool:
    """Tell whether a product has a letter and its inverse, as P^{-1}AP, which is not equal to A."""
    return any(
        factor.endswith(_INVERSE) and factor[: -len(_INVERSE)] in factors for factors in found for factor in factors
    )


def products(nodes: Iterable[NormalNode]) -> Products:
    """Count the products of several vectors or operators, each as its factors in their order (dot products sorted)."""
    found: Products = Counter()
    stack = [(node, False) for node in nodes]
    while stack:
        node, inside = stack.pop()  # inside what is transposed as a whole
        if node.__class__ is str:
            continue
        if node.__class__ is Infix:
            if any([is_vector(part) for part in node.operands]):
                factors = [render(_vector_factor(part)) for part in node.operands]
                dots = set(node.signs) == {"·"}
                found["".join(sorted(set(node.signs))), *(sorted(factors) if dots else factors)] += 1
        elif node.__class__ is Product:
            # beside a transposed matrix every capital letter is a matrix, and so is its own letter: a of a†a
            transposed = [factor for factor in node.numerator if is_transposed(factor)]
            matrices = inside or bool(transposed)
            own = [factor.base for factor in transposed if factor.__class__ is Scripts]
            factors = [
                render(factor)
                for factor in node.numerator
                if _does_not_commute(factor)
                or (matrices and (is_capital(factor) or factor in transposed or factor in own))
            ]
            if len(set(factors)) > 1:
                found["*", *factors] += 1
        within = is_transposed(node)
        stack.extend([(child, within) for child in children(node)])
    return found


def _vector_factor(node: NormalNode) -> NormalNode:
    """Return the vector of q v."""
    if node.__class__ is Product:
        vectors = [factor for factor in node.numerator if is_vector(factor)]
        if len(vectors) == 1:
            return vectors[0]
    return node


def _does_not_commute(node: NormalNode) -> bool:
    """Tell whether a node is a bold letter, or a letter with a hat or an arrow."""
    if node.__class__ is str:
        return node[:2] == "b."
    if node.__class__ is Scripts:
        return _does_not_commute(node.base)
    return node.__class__ is Accented and node.name in ("hat", "vec")
