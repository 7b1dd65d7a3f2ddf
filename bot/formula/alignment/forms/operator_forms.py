"""What a formula abbreviates by brackets, signs of means and sums, written in one way; and recurrences begun at one place.

E[X], 𝔼X and ⟨X⟩ are a mean; [A, B] is AB - BA, and a × b is -(b × a); (∂S/∂V)_T has a bar or parentheses; Δ before a vector beside rot is ∇²; labels are
upright or not; ∑ p log(1/p) is -∑ p log p; F_{n+2} = F_{n+1} + F_n and F_n = F_{n-1} + F_{n-2} are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.formula.alignment.tree_rewriting import NotReplaceable, bottom_up, with_values
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.polynomial import number_of
from bot.formula.normal.arithmetic import map_children_flat, minus, plus, times
from bot.formula.normal.bound_variables import binder_names
from bot.formula.normal.commuting import is_transposed, is_vector
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children, find_all, fraction_of, leaves, signed_body, terms_of

_MEAN = "bb.E"
_EXPECTATIONS = frozenset(["E", _MEAN, "%E", "cal.E", "b.E"])
_SPACE = frozenset(["curl", "div", "∇"])
_LOGARITHMS = frozenset(["%log", "%ln"])


def with_operators_expanded(node: NormalNode) -> NormalNode:
    """Return a tree with means, commutators of marked operators, and sums of logarithms in one form."""
    found = map_children_flat(node, with_operators_expanded)
    match found:
        case nodes.FunctionCall(name, "[]" | "()", body) if name in _EXPECTATIONS:
            return nodes.FunctionCall(_MEAN, "()", body)
        case nodes.Fenced("⟨", "⟩", body) if not isinstance(
            body, (nodes.CommaList, nodes.Parts)
        ) and "~|" not in leaves(body):
            return nodes.FunctionCall(_MEAN, "()", body)
        case nodes.Fenced("[" | "{" as opening, _, nodes.CommaList((",",), (left, right))) if _is_operator(left, right):
            in_order, reversed_order = (nodes.Infix(("⋅",), pair) for pair in ((left, right), (right, left)))
            return plus([in_order, minus(reversed_order) if opening == "[" else reversed_order])
        case nodes.Infix(("×",), (left, right)):
            return _cross(left, right) or found
        case nodes.Scripts(nodes.Sum() as base, low, ("#2" | "#4" | "#6") as power):  # (E - O)² is (O - E)²
            return nodes.Scripts(min(base, plus([minus(base)]), key=render), low, power)
        case nodes.Scripts(base, str(label), high) if (
            label[:1] == "%" and len(label) > 2
        ):  # as it is written without upright type
            return nodes.Scripts(base, nodes.Letters(tuple(label[1:])), high)
        case nodes.Applied(head, body) if base_of(head, nodes.Scripts) in _LOGARITHMS:
            return _logarithm(head, body)
        case nodes.Applied(head, body) if _is_linear(head):
            return _linear_operator(head, body)
        case nodes.Product(numerator, denominator):
            return _linear_operator_of_product(numerator, denominator) or found
    return found


def _cross(left: NormalNode, right: NormalNode) -> NormalNode | None:
    """Return a cross product of two vectors in one order, -(b × a) for a × b, with its factors in front; None for any other."""
    factors: list[NormalNode] = []
    vectors: list[NormalNode] = []
    for node in (left, right):
        (*before, last), denominator = fraction_of(node)
        factors += () if denominator else before
        vectors.append(node if denominator else last)
    if not all(map(is_vector, vectors)) or any(map(is_vector, factors)):
        return None
    one, other = sorted(vectors, key=render)
    product = times([*factors, nodes.Infix(("×",), (one, other))])
    return product if vectors[0] == one else minus(product)


def with_laplacians(trees: Sequence[NormalNode]) -> list[NormalNode]:
    """Return trees with ∇² for Δ before a vector, where rot, div or ∇ stand beside it: an increment of a vector stands elsewhere."""
    beside = not _SPACE.isdisjoint(leaf for node in trees for leaf in leaves(node))
    return [bottom_up(node, _with_laplacian) if beside else node for node in trees]


def _with_laplacian(node: NormalNode) -> NormalNode:
    match node:
        case nodes.Product((*before, "Δ", vector), denominator) if is_vector(vector):
            return times([*before, nodes.Applied("∇²", vector)], denominator)
    return node


def with_derivatives_for_subscripts(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write V_x and V_xx as the derivatives that the other formula has of the same letter, if this one has no derivative of it."""
    taken = {EMPTY, *(part.body for part in find_all(nodes.Derivative, node))}
    scripts: dict[NormalNode, NormalNode] = {
        nodes.Scripts(part.body, _subscript(part), EMPTY): part
        for part in find_all(nodes.Derivative, other)
        if part.body.__class__ is str and part.body not in taken
    }
    try:
        return with_values(node, scripts) if scripts else node
    except NotReplaceable:  # V_x(t) is a call of another name
        return node


def _subscript(derivative: nodes.Derivative[NormalNode]) -> NormalNode:
    """Return the letters by which a function is differentiated, as often as it is."""
    orders = [(str(by), int(order) if order.isdigit() else 0) for by, order in derivative.variables]
    letters = [by for by, order in orders for _ in range(order)]
    return nodes.Letters(tuple(letters)) if len(letters) != 1 else letters[0]


def _is_operator(left: NormalNode, right: NormalNode) -> bool:
    """Tell factors that keep their order in a product, too."""
    return all(
        is_vector(node) or (node.__class__ is nodes.Scripts and is_vector(node.base)) for node in (left, right)
    ) or is_transposed(right)


def _logarithm(head: NormalNode, body: NormalNode) -> NormalNode:
    """Return the logarithm of a fraction as a difference, without a term for 1."""
    if body.__class__ is not nodes.Product or not body.denominator:
        return nodes.Applied(head, body)
    parts = [times(body.numerator), times(body.denominator)]
    numerator, denominator = [nodes.Applied(head, part) for part in parts]
    return minus(denominator) if parts[0] == "#1" else plus([numerator, minus(denominator)])


def _is_linear(head: NormalNode) -> bool:
    big = base_of(head, nodes.Scripts)
    return big.__class__ is nodes.Big and big.sign in "∑∫∮"


def _linear_operator(head: NormalNode, body: NormalNode) -> NormalNode:
    """Return a linear operator of a sum, or of a product with one, as a sum of such operators without a sign of their own."""
    if body.__class__ is nodes.Product:
        sums = [part for part in body.numerator if part.__class__ is nodes.Sum]
        if len(sums) == 1:
            others = [part for part in body.numerator if part is not sums[0]]
            body = plus([times([*others, term], body.denominator) for term in terms_of(sums[0])])
    if body.__class__ is nodes.Sum:
        return plus([_linear_operator(head, term) for term in terms_of(body)])
    negative, inner = signed_body(body)
    return minus(nodes.Applied(head, inner)) if negative else nodes.Applied(head, body)


def _linear_operator_of_product(
    numerator: tuple[NormalNode, ...], denominator: tuple[NormalNode, ...]
) -> NormalNode | None:
    """Return k ∫ f dx as ∫ k f dx; None where there is not just one sum or integral."""
    applied = [factor for factor in numerator if factor.__class__ is nodes.Applied and _is_linear(factor.head)]
    scalars = [factor for factor in numerator if factor not in applied]
    if len(applied) != 1 or any(map(is_vector, scalars)):
        return None
    return _linear_operator(applied[0].head, times([*scalars, applied[0].body], denominator))


# -- what sums and integrals run over: most authors leave out what their readers know --------------------------------------
def without_domains(node: NormalNode) -> NormalNode:
    """Return a tree without the names of domains of integrals: V of ∫_V, C of ∮_C."""
    return _less(node, limits=False, indices=False)


def without_limits(node: NormalNode) -> NormalNode:
    """Return a tree with indefinite integrals, and with sums over an index of which no range is said; p(i) under ∑_i is p_i."""
    return _less(node, limits=True, indices=False)


def without_running_indices(node: NormalNode) -> NormalNode:
    """Return a tree without limits, and without indices that run: ∑ x for ∑_i x_i."""
    return _less(node, limits=True, indices=True)


def has_no_limits(trees: list[NormalNode]) -> bool:
    """Tell whether a sum or an integral has no limits."""
    heads = [node.head for node in find_all(nodes.Applied, *trees)]
    return any(
        head.__class__ is nodes.Big or (head.__class__ is nodes.Scripts and _is_linear(head) and head.high == EMPTY)
        for head in heads
    )


def has_no_index(trees: list[NormalNode]) -> bool:
    """Tell whether a sum names no index."""
    return any(node.head == nodes.Big("∑") for node in find_all(nodes.Applied, *trees))


def _less(node: NormalNode, *, limits: bool, indices: bool) -> NormalNode:
    found = map_children_flat(node, lambda child: _less(child, limits=limits, indices=indices))
    if found.__class__ is not nodes.Applied or found.head.__class__ is not nodes.Scripts:
        return found
    head, body = found.head, found.body
    if not _is_linear(head):
        return found
    if head.base != nodes.Big("∑"):
        return nodes.Applied(head.base, body) if limits or head.high == EMPTY else found
    names = binder_names(nodes.Applied(head, body))
    if not limits or len(names) != 1 or not _is_range(head.low):
        return found
    (name,) = names
    body = _with_indices(body, name)
    if indices:
        return nodes.Applied(head.base, without_index(body, name))
    return nodes.Applied(nodes.Scripts(head.base, name, EMPTY), body)


def _is_range(low: NormalNode) -> bool:
    """Tell an index, its first value, or the set that it runs through; not i ≠ j."""
    return low.__class__ is str or (low.__class__ is nodes.Relation and low.signs in (("=",), ("∈",)))


def _with_indices(node: NormalNode, name: str) -> NormalNode:
    if node.__class__ is nodes.FunctionCall and node.arguments == name and node.function.__class__ is str:
        return nodes.Scripts(node.function, name, EMPTY)
    return map_children_flat(node, lambda child: _with_indices(child, name))


def without_index(node: NormalNode, name: str, letter: NormalNode = EMPTY) -> NormalNode:
    """Return a tree with the letters that have this index without it, or with one letter for all of them."""
    if node.__class__ is nodes.Scripts and node.low == name:
        return (letter or node.base) if node.high == EMPTY else nodes.Scripts(letter or node.base, EMPTY, node.high)
    return map_children_flat(node, lambda child: without_index(child, name, letter))


# -- recurrences --------------------------------------------------------------------------------------------------------
def with_recurrence_from_zero(node: NormalNode) -> NormalNode:
    """Return a recurrence with its smallest running number at zero: F_{n+2} = F_{n+1} + F_n."""
    if node.__class__ is not nodes.Relation or any(side.__class__ is str for side in node.sides):
        return node
    for name in sorted(set(filter(is_name, leaves(node)))):
        running = set(_offsets(node, name, inside=False))
        if len(running) > 1 and (least := min(_offsets(node, name, inside=True))):
            node = _shifted(node, name, -least)
    return node


def _offsets(node: NormalNode, name: str, *, inside: bool) -> Iterator[int]:
    """Yield what is added to a name in scripts and arguments; wherever it stands if `inside` is true of the whole."""
    if node == name:
        yield from [0] if inside else ()
    elif node.__class__ is nodes.Sum and name in node.terms:
        yield from [_number(node)] if inside else ()
        for term in node.terms:
            if term != name:
                yield from _offsets(term, name, inside=inside)
    else:
        for child in children(node):
            begins = isinstance(node, (nodes.FunctionCall, nodes.Stacked, nodes.Factorial)) or (
                node.__class__ is nodes.Scripts and child is node.low
            )
            yield from _offsets(child, name, inside=inside or begins)


def _number(node: nodes.Sum[NormalNode]) -> int:
    """The whole number among the terms of a sum."""
    return sum(whole_number(term) or 0 for term in node.terms)


def whole_number(term: NormalNode) -> int | None:
    """Return the whole number that a term is, with its sign; None for any other term."""
    negative, body = signed_body(term)
    number = number_of(body) if body.__class__ is str and body[:1] == "#" else None
    return None if number.__class__ is not int else -number if negative else number


def _shifted(node: NormalNode, name: str, by: int) -> NormalNode:
    if node == name:
        return plus([name, _number_node(by)])
    if node.__class__ is nodes.Sum and name in node.terms:
        rest = [term for term in node.terms if term != name and whole_number(term) is None]
        number = _number(node) + by
        return plus([name, *[_shifted(term, name, by) for term in rest], *([_number_node(number)] if number else [])])
    return node if node.__class__ is str else map_children_flat(node, lambda child: _shifted(child, name, by))


def _number_node(number: int) -> NormalNode:
    return f"#{number}" if number >= 0 else minus(f"#{-number}")
