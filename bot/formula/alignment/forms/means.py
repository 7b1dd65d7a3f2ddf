"""Equations of means, variances and covariances in one form: E and Cov are linear, an integral with a density or a sum with probabilities is a mean.

The random quantities are named X, Y and so on in both; μ is the mean of the only one, σ² its variance. Var(X) = E[X²] - μ² and σ² = ∫(x - μ)² f(x) dx are then one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from bot.formula.alignment.forms.operator_forms import without_index
from bot.formula.alignment.tree_rewriting import bottom_up, letter_of, quantities
from bot.formula.normal.arithmetic import HALF, map_children_flat, minus, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, find_all, fraction_of, leaves

_MEAN, _COVARIANCE = "bb.E", "%Cov"
_MEANS = frozenset(["E", "bb.E", "%E"])
_VARIANCES = frozenset(["%Var", "%var", "bb.V", "V", "D"])
_COVARIANCES = frozenset(["%Cov", "%cov"])
_DENSITIES = frozenset("fpPρ")
_NAMES = ("X", "Y", "Z")
_MAX_TERMS = 40


def mean_forms(one: NormalNode, other: NormalNode) -> tuple[NormalNode, NormalNode] | None:
    """Return both equations with their means in one form; None where one of them has no mean, variance or covariance."""
    forms = _mean_form(one), _mean_form(other)
    return (forms[0], forms[1]) if forms[0] is not None and forms[1] is not None else None


def _mean_form(node: NormalNode) -> NormalNode | None:
    node = bottom_up(node, _as_mean_call)
    random = list(dict.fromkeys(_random_letters(node)))
    if not 0 < len(random) <= len(_NAMES):
        return None
    names = dict(zip(random, _NAMES, strict=False))
    node = rename_leaves(node, names)
    return _Means(frozenset(names.values())).visit(node)


def _as_mean_call(node: NormalNode) -> NormalNode:
    """Write a mean as a call: ∫ g(x) f(x) dx, ∑ g(x_i) p_i, and a mean that was read as a product."""
    match node:
        case nodes.Product(numerator, ()) if not _MEANS.isdisjoint(numerator[:-1]):
            position = next(position for position, part in enumerate(numerator) if part in _MEANS)
            return times([*numerator[:position], nodes.FunctionCall(_MEAN, "()", times(numerator[position + 1 :]))])
        case nodes.Applied(
            nodes.Big("∫")
            | nodes.Scripts(nodes.Big("∫"), "", "")
            | nodes.Scripts(nodes.Big("∫"), nodes.Signed("-", "~∞"), "~∞"),
            nodes.Product(numerator, ()),
        ):
            return _integral(numerator) or node
        case nodes.Applied(nodes.Scripts(nodes.Big("∑"), low), nodes.Product(numerator, ())):
            bound = low.sides[0] if low.__class__ is nodes.Relation else low
            return _sum_of_values(str(bound), numerator) or node
    return node


def _integral(factors: Sequence[NormalNode]) -> NormalNode | None:
    element = next((part for part in factors if part.__class__ is nodes.Differential), EMPTY)
    named = ((part, part.function if part.__class__ is nodes.FunctionCall else part) for part in factors)
    density = next((part for part, name in named if letter_of(name) in _DENSITIES), EMPTY)
    if not element or not density or element.variable.__class__ is not str:  # type: ignore[union-attr]
        return None
    value = times([part for part in factors if part not in (element, density)] or ["#1"])
    return nodes.FunctionCall(_MEAN, "()", rename_leaves(value, {element.variable: "X"}))  # type: ignore[union-attr]


def _sum_of_values(bound: str, factors: Sequence[NormalNode]) -> NormalNode | None:
    for density in factors:
        rest = times([part for part in factors if part is not density] or ["#1"])
        if (
            density.__class__ is nodes.FunctionCall
            and letter_of(density.function) in _DENSITIES
            and density.arguments == bound
        ):
            return nodes.FunctionCall(_MEAN, "()", rename_leaves(rest, {bound: "X"}))
        if density.__class__ is nodes.Scripts and density.low == bound and density.base in _DENSITIES:
            values = {part.base for part in find_all(nodes.Scripts, rest) if part.low == bound}
            if len(values) == 1:
                return nodes.FunctionCall(_MEAN, "()", without_index(rest, bound, "X"))
    return None


def _random_letters(node: NormalNode) -> Iterator[str]:
    """Yield the letters of random quantities: capitals in means, or small letters if there are no capitals."""
    of_random = _MEANS | _VARIANCES | _COVARIANCES
    arguments = [part.arguments for part in find_all(nodes.FunctionCall, node) if part.function in of_random]
    names = [name for argument in arguments for name in sorted(set(leaves(argument)))]
    capitals = [name for name in names if len(name) == 1 and name.isascii() and name.isupper() and name != "E"]
    yield from capitals or [name for name in names if name in ("x", "y", "z", "q", "p")]


class _Means:
    """Expands means and covariances of sums, with constants in front."""

    def __init__(self, random: frozenset[str]) -> None:
        self.random = random
        self.only = next(iter(random)) if len(random) == 1 else ""

    def visit(self, node: NormalNode) -> NormalNode:
        match node:
            case "μ" if self.only:
                return nodes.FunctionCall(_MEAN, "()", self.only)
            case "%Var" | "%var" if self.only:
                return self.covariance(self.only, self.only)
            case nodes.Scripts("σ", low, ("" | "#2") as high) if (low or self.only) in self.random:
                variance = self.covariance(low or self.only, low or self.only)
                return variance if high == "#2" else nodes.Scripts(variance, EMPTY, HALF)
            case nodes.Scripts("σ", nodes.Letters(pair) | nodes.CommaList(_, pair), "") if (
                len(pair) == 2 and {*pair} <= self.random
            ):
                return self.covariance(*pair)
            case nodes.FunctionCall(head, _, argument) if head in _VARIANCES:
                return self.covariance(argument, argument)
            case nodes.FunctionCall(head, _, nodes.CommaList(_, (left, right))) if head in _COVARIANCES:
                return self.covariance(left, right)
            case nodes.FunctionCall(head, _, argument) if head in _MEANS:
                return plus([self.mean(term) for term in self.terms(argument)])
        return node if node.__class__ is str else map_children_flat(node, self.visit)

    def terms(self, node: NormalNode) -> list[NormalNode]:
        """Multiply a tree out into terms."""
        match node:
            case nodes.Sum(terms):
                found = [each for term in terms for each in self.terms(term)]
            case nodes.Signed("-", body):
                found = [minus(each) for each in self.terms(body)]
            case nodes.Scripts(nodes.Sum() | nodes.Product() | nodes.Signed() as base, "", "#2"):
                found = self.terms(nodes.Product((base, base), ()))
            case nodes.Product(numerator, denominator):
                found = [times(["#1"], denominator)]
                for part in numerator:
                    found = [times([one, other]) for one in found for other in self.terms(part)]
                    if len(found) > _MAX_TERMS:
                        break
            case _:
                return [node]
        return found if len(found) <= _MAX_TERMS else [node]

    def split(self, term: NormalNode) -> tuple[bool, list[NormalNode], list[NormalNode], Sequence[NormalNode]]:
        """Return whether a term is negative, its constants, its random factors, and its denominator."""
        negative, body = term.__class__ is nodes.Signed, base_of(term, nodes.Signed)
        numerator, denominator = fraction_of(body)
        constant = [part for part in numerator if self.is_constant(part)]
        return negative, constant, [part for part in numerator if not self.is_constant(part)], denominator

    def is_constant(self, node: NormalNode) -> bool:
        if node.__class__ is nodes.FunctionCall and node.function in _MEANS:
            return True
        return node.__class__ is not nodes.FunctionCall and self.random.isdisjoint(map(letter_of, quantities([node])))

    def mean(self, term: NormalNode) -> NormalNode:
        negative, constant, factors, denominator = self.split(term)
        powers: dict[NormalNode, int] = {}
        for part in factors:
            base, power = part, 1
            match part:
                case nodes.Scripts(inner, "", str(exponent)) if exponent[:1] == "#" and exponent[1:].isdecimal():
                    base, power = inner, int(exponent[1:])
            powers[base] = powers.get(base, 0) + power
        raised = [
            base if power == 1 else nodes.Scripts(base, EMPTY, f"#{power}")
            for base, power in sorted(powers.items(), key=str)
        ]
        means = [nodes.FunctionCall(_MEAN, "()", times(raised))] if factors else []
        found = times([*map(self.visit, constant), *means] or ["#1"], denominator)
        return minus(found) if negative else found

    def covariance(self, left: NormalNode, right: NormalNode) -> NormalNode:
        found = []
        for one, other in product(self.terms(left), self.terms(right)):
            negative, constant, first, denominator = self.split(one)
            other_negative, other_constants, second, under = self.split(other)
            if first and second:
                pair = sorted((times(first), times(second)), key=str)
                covariance: NormalNode = nodes.FunctionCall(_COVARIANCE, "()", nodes.CommaList((",",), tuple(pair)))
                term = times([*constant, *other_constants, covariance], [*denominator, *under])
                found.append(minus(term) if negative != other_negative else term)
        return plus(found) if found else "#0"
