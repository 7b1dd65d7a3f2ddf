"""Which factors do not commute: vectors, matrices and operators. Their order among themselves is kept, and their inverse is not a fraction."""

import re

from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import map_children

# Marks of transposition: certain ones for any letter, and those that may also be a power or a conjugate and count only for capitals.
_SURE = frozenset(["T", "⊤", "⊺", "†", "H", "tr"])
_AT_CAPITALS = frozenset(["t", "*", "⋆"])
_STYLE = re.compile(r'^[~%"]?(?:[a-z]+\.)?\\?')
_SPELLINGS = {"dag": "†", "ddag": "†", "‡": "†", "top": "⊤", "intercal": "⊺"}
INVERSE = nodes.Signed("-", "#1")


def is_vector(node: NormalNode) -> bool:
    """Tell whether a node is a vector: a bold letter, one with an arrow, a unit vector, ∇, or composed of these."""
    match node:
        case str():
            return node[:2] == "b." or node == "∇"
        case nodes.Accented(name, body):
            return name in ("vec", "hat", "leftarrow") or is_vector(body)
        case nodes.Scripts(inner) | nodes.Primed(inner) | nodes.FunctionCall(inner) | nodes.Signed("-", inner):
            return is_vector(inner)
        case nodes.Applied(_, inner) | nodes.Derivative(_, _, inner) | nodes.Differential(_, _, inner):
            return is_vector(inner)
        case nodes.Product(parts, _) | nodes.Sum(parts):
            return any(map(is_vector, parts))
        case nodes.Infix(signs, parts):
            return "×" in signs and any(map(is_vector, parts))
    return False


def ends_in_nabla(node: NormalNode) -> bool:
    return node == "∇" or (node.__class__ is nodes.Product and not node.denominator and node.numerator[-1] == "∇")


def is_transposed(node: NormalNode) -> bool:
    """Tell whether a node is transposed (A^T, x^T, A^†, A^{-T}, (AB)^t), so that its neighbours may be matrices. A^t, A^* and a kept A^{-1} count only for capitals."""
    if node.__class__ is not nodes.Scripts or node.high == EMPTY:
        return False
    mark = node.high
    if mark.__class__ is not str:
        if not (mark.__class__ is nodes.Signed and mark.sign == "-"):
            return False
        if mark == INVERSE:  # of a plain letter it is a fraction by now, unless it is a matrix
            return is_capital(node.base) if node.base.__class__ is str else is_transposed(node.base)
        mark = mark.body
    return is_transposition_mark(node.base, mark)


def is_transposition_mark(base: NormalNode, script: NormalNode) -> bool:
    """Tell whether a superscript marks a transposed matrix, and is not a power, an index or a label."""
    return is_certain_transposition_mark(base, script) or (plain_mark(script) in _AT_CAPITALS and is_capital(base))


def is_certain_transposition_mark(base: NormalNode, script: NormalNode) -> bool:
    """Tell whether a superscript marks a transposition for any letter; 2^T, (1+r)^T and e^T are powers."""
    return plain_mark(script) in _SURE and base != "e" and _has_no_number(base)


def is_capital(node: NormalNode) -> bool:
    """Tell whether a node is a capital letter with scripts, or a product of these: beside a transposed matrix it is a matrix."""
    if node.__class__ is str:
        return node[-1:].isupper()
    if node.__class__ is nodes.Product:
        return not node.denominator and all([is_capital(part) for part in node.numerator])
    return node.__class__ is nodes.Scripts and is_capital(node.base)


def plain_mark(mark: NormalNode) -> str:
    """Return a mark without its style: \\mathsf T, \\text{T} and \\rm T are T."""
    if mark.__class__ is not str:
        return ""
    plain = _STYLE.sub("", mark, count=1)
    return _SPELLINGS.get(plain, plain)


def _has_no_number(node: NormalNode) -> bool:
    """Tell whether a node has no number: 2^T and (1+r)^T are powers."""
    if node.__class__ is str:
        return node[:1] != "#"
    if node.__class__ is nodes.Product:
        return all([_has_no_number(part) for part in node.numerator])
    return node.__class__ is not nodes.Sum or all([_has_no_number(part) for part in node.terms])


def keeps_order(node: NormalNode) -> bool:
    """Tell whether a factor does not commute with others of its kind."""
    if node.__class__ is str:
        return node[:2] == "b." or node == "∂" or node == "∇"
    if node.__class__ is nodes.Scripts:
        return is_vector(node.base) or is_transposed(node)
    if node.__class__ is nodes.Derivative:
        return bool(node.body == EMPTY)
    return node.__class__ is nodes.Accented and is_vector(node)


def is_matrix(node: NormalNode) -> bool:
    """Tell whether a product or sum has a factor that does not commute."""
    if node.__class__ is not str:
        if node.__class__ is nodes.Product:
            return any([is_matrix(part) for part in node.numerator])
        if node.__class__ is nodes.Sum:
            return any([is_matrix(part) for part in node.terms])
        if node.__class__ is nodes.Signed and node.sign == "-":
            return is_matrix(node.body)
    return keeps_order(node)


# -- letters that turn out not to commute -------------------------------------------------------------------------------
def ordered_products(products: list[tuple[NormalNode, ...]], calligraphic: bool) -> set[frozenset[NormalNode]]:
    """Return the products that occur in two orders, and those with a calligraphic letter inside: here the order must mean something."""
    found: set[frozenset[NormalNode]] = set()
    if calligraphic:
        for factors in products:
            if any([factor.__class__ is str and factor[:4] == "cal." for factor in factors[1:-1]]):
                found.add(frozenset(factors))
    orders: dict[frozenset[NormalNode], tuple[NormalNode, ...]] = {}
    for factors in products:
        content = frozenset(factors)
        if orders.setdefault(content, factors) != factors:
            found.add(content)
    return found


def in_order(node: NormalNode, ordered: set[frozenset[NormalNode]]) -> NormalNode:
    """AB beside BA, and a letter that relates its neighbours: the product becomes an infix chain."""
    if node.__class__ is nodes.Product and not node.denominator and frozenset(node.numerator) in ordered:
        return nodes.Infix(
            ("⋅",) * (len(node.numerator) - 1), tuple([in_order(part, ordered) for part in node.numerator])
        )
    return map_children(node, lambda part: in_order(part, ordered))
