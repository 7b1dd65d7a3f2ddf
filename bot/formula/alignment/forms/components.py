"""What an equation of vectors or matrices says of its size, or row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, starmap

from bot.formula.alignment.tree_rewriting import bottom_up
from bot.formula.normal.arithmetic import map_children_flat, minus, plus, times
from bot.formula.normal.commuting import is_transposed, is_vector
from bot.formula.normal.notation_hints import letter_of
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, find_all, fraction_of, leaves, walk

_INDICES = frozenset("ijklmn")


def magnitudes(vectors: NormalNode, scalars: NormalNode) -> Iterator[NormalNode]:
    """Yield an equation of vectors as one of their magnitudes, with either sign, if it has a direction and the other formula has no vectors."""
    parts: list[NormalNode] = list(walk([vectors]))
    if (
        vectors.__class__ is nodes.Relation
        and len(vectors.sides) == 2
        and any(map(_is_direction, parts))
        and not any(map(is_vector, walk([scalars])))
    ):
        left, right = map(_with_magnitudes, vectors.sides)
        yield from (nodes.Relation(vectors.signs, (left, side)) for side in (right, minus(right)))


def _is_direction(node: NormalNode) -> bool:
    base = base_of(node, nodes.Scripts)
    return (base.__class__ is nodes.Accented and base.name == "hat") or (
        base.__class__ is nodes.Fenced and base.opening == "|"
    )


def _with_magnitudes(node: NormalNode) -> NormalNode:
    """Return a tree with magnitudes for vectors and 1 for unit vectors."""
    if node.__class__ is str:
        return node[2:] if node[:2] == "b." else node
    base = node.base if node.__class__ is nodes.Scripts else node
    if base.__class__ is nodes.Accented and base.name == "hat":
        return "#1"
    if node.__class__ is nodes.Fenced and node.opening == node.closing == "|":
        return _with_magnitudes(node.body)
    return map_children_flat(node, _with_magnitudes)


def with_inner_products(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write a·b for ⟨a, b⟩ and aᵀb of vectors where the other formula has them otherwise; the letters of aᵀ are small, as AᵀB is of matrices."""
    return node if _products_of(node) == _products_of(other) else bottom_up(node, _as_product)


def _products_of(node: NormalNode) -> set[str]:
    """Return in which ways a formula writes inner products: "⟨" or "T"; a dot is no way of its own."""
    found: set[str] = set()
    for part in walk([node]):
        match part:
            case nodes.Fenced("⟨", "⟩", nodes.CommaList((",",), (one, two))) if letter_of(one) and letter_of(two):
                found.add("⟨")
            case nodes.Product(numerator) if any(starmap(_are_vectors, pairwise(numerator))):
                found.add("T")
    return found


def _are_vectors(left: NormalNode, right: NormalNode) -> bool:
    """Tell aᵀ before b."""
    return is_transposed(left) and all(letter_of(each).islower() for each in (left, right))


def _as_product(node: NormalNode) -> NormalNode:
    match node:
        case nodes.Fenced("⟨", "⟩", nodes.CommaList((",",), (one, two))) if letter_of(one) and letter_of(two):
            return times([one, two])
        case nodes.Infix(signs, operands) if set(signs) == {"·"}:
            return times(operands)
        case nodes.Product(numerator, denominator):
            plain = [
                left.base if left.__class__ is nodes.Scripts and _are_vectors(left, right) else left
                for left, right in pairwise((*numerator, EMPTY))
            ]
            return times(plain, denominator)
    return node


# -- matrices -------------------------------------------------------------------------------------------------------------
def matrix_rows(node: NormalNode) -> list[NormalNode]:
    """Return the equations that a column of a matrix equation states; [] for any other equation."""
    if node.__class__ is not nodes.Relation or node.signs != ("=",):
        return []
    columns = [_column(side) for side in node.sides]
    if len({len(column) for column in columns}) != 1 or not columns[0]:
        return []
    return [nodes.Relation(("=",), row) for row in zip(*columns, strict=True)]


def _column(node: NormalNode) -> list[NormalNode]:
    """Return the cells of a column, which may be a product with a matrix; [] for anything else."""
    if node.__class__ is nodes.Matrix:
        return [row[0] for row in node.rows] if all(len(row) == 1 for row in node.rows) else []
    if node.__class__ is nodes.Derivative:
        return [nodes.Derivative(node.style, node.variables, cell) for cell in _column(node.body)]
    if node.__class__ is not nodes.Product or not node.numerator:
        return []
    *before, last = node.numerator
    cells = _column(last)
    for factor in reversed(before if cells else []):
        if factor.__class__ is nodes.Matrix:
            if any(len(row) != len(cells) for row in factor.rows):
                return []
            cells = [plus(_without_zero_terms([times([one, other]) for one, other in zip(row, cells, strict=True)])) for row in factor.rows]  # fmt: skip
        else:
            cells = [times([factor, cell]) for cell in cells]
    return [times([cell], node.denominator) for cell in cells]


def _without_zero_terms(terms: Sequence[NormalNode]) -> Sequence[NormalNode]:
    return [term for term in terms if "#0" not in leaves(term)] or ["#0"]


def matrix_products(node: NormalNode) -> NormalNode | None:
    """Return an equation of matrices by their elements as one of products in order: c_ij = ∑ a_ik b_kj as c = a ⋅ b; None for any other equation."""
    if node.__class__ is not nodes.Relation or node.signs != ("=",):
        return None
    chains = [_element_product(side) for side in node.sides]
    if None in chains or not any(len(chain[1]) > 1 for chain in chains if chain):
        return None
    ends = {chain[0] for chain in chains if chain}
    return nodes.Relation(("=",), tuple([chain[2] for chain in chains if chain])) if len(ends) == 1 else None


def _element_product(node: NormalNode) -> tuple[tuple[str, ...], tuple[NormalNode, ...], NormalNode] | None:
    """The free indices of a product of elements, its factors in the order in which their indices meet, and it as a product of matrices."""
    is_sum = node.__class__ is nodes.Applied and base_of(node.head, nodes.Scripts) == nodes.Big("∑")
    body = node.body if is_sum else node  # type: ignore[union-attr]
    factors, denominator = fraction_of(body)
    parts = (body,) if denominator else factors
    elements = [(part, indices) for part in parts if (indices := _indices(part))]
    scalars = [part for part in parts if not _indices(part)]
    counts = Counter(index for _, indices in elements for index in indices)
    free = tuple(index for _, indices in elements for index in indices if counts[index] == 1)
    if (
        not elements
        or any(is_vector(part) or len(list(walk([part]))) > 1 for part in scalars)
        or max(counts.values()) > 2
    ):
        return None
    for start in permutations(elements):  # three at most
        row = [indices for _, indices in start]
        if all(one[-1] == other[0] for one, other in pairwise(row)):
            factors = tuple([part.base for part, _ in start])  # type: ignore[union-attr]
            matrix_product = nodes.Infix(("⋅",) * (len(factors) - 1), factors) if len(factors) > 1 else factors[0]
            return tuple(sorted(free)), factors, times([*scalars, matrix_product])
    return None


def _indices(node: NormalNode) -> tuple[str, ...]:
    if node.__class__ is not nodes.Scripts or node.high != EMPTY or node.base.__class__ is not str:
        return ()
    found = node.low.letters if node.low.__class__ is nodes.Letters else (node.low,)
    named = all(name.__class__ is str and (name in _INDICES or name[:1] in "ιδ") for name in found)
    return tuple(map(str, found)) if named and len(found) < 3 else ()


def factors_in_order(node: NormalNode, names: set[str]) -> NormalNode:
    """Return a tree whose factors of these letters, in any case and style, are products in order."""

    def in_order(part: NormalNode) -> NormalNode:
        factors, denominator = fraction_of(part)
        matrices = tuple([factor for factor in factors if _name(factor) in names])
        if len(matrices) < 2 or denominator:
            return part
        rest = [factor for factor in factors if _name(factor) not in names]
        return times([*rest, nodes.Infix(("⋅",) * (len(matrices) - 1), matrices)])

    return bottom_up(node, in_order)


def ordered_names(node: NormalNode) -> set[str]:
    """Return the letters in products in order, without case and style."""
    return {_name(part) for each in find_all(nodes.Infix, node) for part in each.operands}


def _name(node: NormalNode) -> str:
    return node.rpartition(".")[2].casefold() if node.__class__ is str else ""
