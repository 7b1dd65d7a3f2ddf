"""Commutators and Poisson brackets written out, beside a formula without them, and equations multiplied by i."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.formula.alignment.tree_rewriting import bottom_up
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, find_all, fraction_of, leaves, signed_body, terms_of

_COORDINATES = ("q", "x", "p")


def with_commutators(node: NormalNode, other: NormalNode) -> NormalNode:
    """Return an equation with AB - BA for [A, B], if one of both has ħ, and times i, if only the other one has i on the left."""
    if "ħ" not in leaves(node) and "ħ" not in leaves(other):
        return node

    def expanded(part: NormalNode) -> NormalNode:
        match part:
            case nodes.Fenced("[", "]", nodes.CommaList((",",), (left, right))):
                return plus([nodes.Infix(("⋅",), (left, right)), minus(nodes.Infix(("⋅",), (right, left)))])
        return part

    match bottom_up(node, expanded), other:
        case nodes.Relation(("=",), (left, right)), nodes.Relation(("=",), (left_of_other, _)) if (
            not _has_i(left) and _has_i(right) and _has_i(left_of_other)
        ):
            return nodes.Relation(("=",), (_times_i(left), _times_i(right)))
        case found, _:
            return found


def _has_i(side: NormalNode) -> bool:
    return any("i" in factors for term in terms_of(side) for factors in fraction_of(base_of(term, nodes.Signed)))


def _times_i(side: NormalNode) -> NormalNode:
    """Return i times a side, with -1 for i²."""
    terms: list[NormalNode] = []
    for term in terms_of(side):
        negative, _ = signed_body(term)
        numerator, denominator = map(list, fraction_of(base_of(term, nodes.Signed)))
        if "i" in denominator:
            denominator.remove("i")
        elif "i" in numerator:
            numerator.remove("i")
            negative = not negative
        else:
            numerator.append("i")
        product = times(numerator or ["#1"], denominator)
        terms.append(minus(product) if negative else product)
    return plus(terms)


# -- Poisson brackets ------------------------------------------------------------------------------------------------------
def with_poisson_brackets(node: NormalNode, other: NormalNode) -> NormalNode:
    """Return an equation with ∂f/∂q ∂g/∂p - ∂f/∂p ∂g/∂q for {f, g}, with the letters, index and sum of the other formula.

    Beside a formula without a Hamiltonian {f, H} is ∂f/∂q dq/dt + ∂f/∂p dp/dt, by Hamilton's equations.
    """
    variables = [*_coordinates(other), *_coordinates(node)]
    if not variables:
        return node
    name, index = min(variables, key=lambda each: (each[1] == EMPTY, _COORDINATES.index(each[0])))
    sums = (part.head for part in find_all(nodes.Applied, other) if _runs_over(part.head, index))
    pair = [nodes.Scripts(each, index, EMPTY) if index else each for each in ("q" if name == "p" else name, "p")]
    return _with_brackets_expanded(node, pair, next(sums, EMPTY), by_rates="H" not in leaves(other))


def _coordinates(tree: NormalNode) -> Iterator[tuple[str, NormalNode]]:
    """Yield the coordinates and momenta that a formula differentiates by, each with its index."""
    for part in find_all(nodes.Derivative, tree):
        for variable, _ in part.variables:
            name, index = (variable.base, variable.low) if variable.__class__ is nodes.Scripts else (variable, EMPTY)
            if name in _COORDINATES:
                yield str(name), index


def _runs_over(head: NormalNode, index: NormalNode) -> bool:
    is_sum = head.__class__ is nodes.Scripts and head.base == nodes.Big("∑")
    return is_sum and index != EMPTY and index in set(leaves(head.low))  # type: ignore[union-attr]


def _with_brackets_expanded(
    node: NormalNode, pair: Sequence[NormalNode], head: NormalNode, *, by_rates: bool
) -> NormalNode:
    def expanded(part: NormalNode) -> NormalNode:
        match part:
            case nodes.Fenced("{", "}", nodes.CommaList((",",), (left, right))):
                terms = []
                for (one, two), sign in ((pair, 1), (pair[::-1], -1)):
                    factors = [_derivative(left, one, pair), _derivative(right, two, pair)]
                    if by_rates and right == "H":
                        factors[1], sign = _derivative(one, "t", ()), 1
                    if "#0" not in factors:
                        term = times(factors)
                        terms.append(term if sign > 0 else minus(term))
                body = plus(terms) if terms else "#0"
                is_of_one = any(side in pair for side in (left, right))
                return body if head == EMPTY or is_of_one or not terms else nodes.Applied(head, body)
        return part

    return bottom_up(node, expanded)


def _derivative(node: NormalNode, variable: NormalNode, independent: Sequence[NormalNode]) -> NormalNode:
    """Return the derivative of a letter: one by itself, zero of a coordinate or a momentum by the other."""
    if node in independent:
        return "#1" if node == variable else "#0"
    if node.__class__ is nodes.Scripts and variable == "t":  # as the dot of q_i is read
        return nodes.Derivative("", (("t", "1"),), node)
    return nodes.Derivative("", ((variable, "1"),), node)
