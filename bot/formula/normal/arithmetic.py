"""Products, sums and signs of normal trees, kept flat: the only place that makes ("*", above, below), ("+", terms) and ("-", term)."""

from collections.abc import Callable, Iterable, Sequence

from bot.formula.normal.commuting import INVERSE, is_capital, is_matrix, is_transposed, is_transposition_mark
from bot.formula.tex.nodes import EMPTY, NormalNode, Product, Scripts, Signed, Sum
from bot.formula.tex.spelling.measures import UNITS
from bot.formula.tex.tree import map_children

HALF: NormalNode = Product(("#1",), ("#2",))


def square(node: NormalNode) -> NormalNode:
    """Return the square of a normal node."""
    return Scripts(node, EMPTY, "#2")


def times(nodes: Iterable[NormalNode], divisors: Iterable[NormalNode] = ()) -> NormalNode:
    """Return the product of normal nodes, divided by others, flat, with its sign in front."""
    numerator: list[NormalNode] = []
    under: list[NormalNode] = []
    negative = _gather(nodes, numerator, under)
    if divisors:
        negative ^= _gather(divisors, under, numerator)
    if len(numerator) > 1 and "#1" in numerator:
        numerator = [node for node in numerator if node != "#1"] or ["#1"]
    if under and "#1" in under:
        under = [node for node in under if node != "#1"]
    if under or len(numerator) != 1:
        product: NormalNode = Product(tuple(numerator) or ("#1",), tuple(under))
    else:
        product = numerator[0]
    return Signed("-", product) if negative else product


def _gather(nodes: Iterable[NormalNode], numerator: list[NormalNode], under: list[NormalNode]) -> bool:
    negative = False
    nodes = list(nodes)
    inverted = [node.base for node in nodes if node.__class__ is Scripts and node.high == INVERSE]
    matrices = _inverted_matrices(inverted, nodes) if inverted else ()
    for node in nodes:
        if node.__class__ is Signed and node.sign == "-":
            negative = not negative
            node = node.body
        if node.__class__ is str:
            if node != EMPTY:
                numerator.append(node)
        elif node.__class__ is Product:
            numerator.extend(node.numerator)
            under.extend(node.denominator)
        elif (
            node.__class__ is Scripts
            and node.high.__class__ is Signed
            and node.high.sign == "-"
            and node.base not in matrices
            and _is_inverse(node)
        ):
            base, exponent = node.base, node.high.body
            if exponent != "#1":
                under.append(Scripts(base, node.low, exponent))
            elif node.low != EMPTY:
                under.append(Scripts(base, node.low, EMPTY))
            elif base.__class__ is Product:
                under.extend(base.numerator)
                numerator.extend(base.denominator)
            else:
                under.append(base)
        else:
            numerator.append(node)
    return negative


def _inverted_matrices(inverted: Sequence[NormalNode], factors: Sequence[NormalNode]) -> Sequence[NormalNode]:
    """Return the capitals whose inverse is not a fraction in this product: P in P^{-1}AP, and all beside a transposed matrix."""
    transposed = any([is_transposed(node) for node in factors if node.__class__ is Scripts and node.high != INVERSE])
    return [base for base in inverted if is_capital(base) and (transposed or base in factors)]


def _is_inverse(node: Scripts[NormalNode]) -> bool:
    """Tell whether a power is a fraction, as x^{-2}; inverse functions and matrices (bold, or A^T A) and sin^{-1} are not."""
    base, exponent = node.base, node.high.body if node.high.__class__ is Signed else EMPTY
    if exponent.__class__ is not str:
        return False
    if exponent[:1] != "#":  # n^{-s}; e^{-x} keeps its sign, and A^{-T} is transposed
        plain = base.__class__ is str and base != "e" and not base[-1:].isupper() and base[:1] not in "%~"
        return plain and exponent.isalpha() and not is_transposition_mark(base, exponent)
    if base.__class__ is str:
        return (base[:1] not in "%~#" and base[:2] != "b.") or base in UNITS if base else False
    return isinstance(base, (Sum, Product, Scripts)) and not is_matrix(base)


def plus(terms: Iterable[NormalNode]) -> NormalNode:
    """Return the sum of normal nodes, flat; a minus before a sum goes to its terms."""
    flat: list[NormalNode] = []
    for term in terms:
        if term.__class__ is not str:
            if term.__class__ is Sum:
                flat.extend(term.terms)
                continue
            if term.__class__ is Signed and term.sign == "-" and term.body.__class__ is Sum:
                flat.extend([minus(inner) for inner in term.body.terms])
                continue
        flat.append(term)
    return flat[0] if len(flat) == 1 else Sum(tuple(flat))


def minus(node: NormalNode) -> NormalNode:
    """Return the normal node with the other sign."""
    if node.__class__ is not str:
        if node.__class__ is Signed and node.sign == "-":
            return node.body
        if node.__class__ is Signed and node.sign == "±":
            return Signed("∓", node.body)
        if node.__class__ is Signed and node.sign == "∓":
            return Signed("±", node.body)
    return Signed("-", node)


def map_children_flat(node: NormalNode, change: Callable[[NormalNode], NormalNode]) -> NormalNode:
    """Return the normal node with `change` applied to each of its children, flat again."""
    found = map_children(node, change)
    if found.__class__ is Sum:
        return plus(found.terms)
    if found.__class__ is Product:
        return times(found.numerator, found.denominator)
    return minus(found.body) if found.__class__ is Signed and found.sign == "-" else found
