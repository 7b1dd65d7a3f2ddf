"""Equations of means, variances and covariances in one form: E and Cov are linear, an integral with a density or a sum with probabilities is a mean.

The random quantities are named X, Y and so on in both; μ is the mean of the only one, σ² its variance. Var(X) = E[X²] - μ² and σ² = ∫(x - μ)² f(x) dx are then one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bot.formula.alignment.forms.operator_forms import without_index
from bot.formula.alignment.replacing import letter_of, quantities
from bot.formula.normal.arithmetic import map_children_flat, minus, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import leaves, walk

_MEAN, _COVARIANCE = "bb.E", "%Cov"
_MEANS = frozenset(["E", "bb.E", "%E"])
_VARIANCES = frozenset(["%Var", "%var", "bb.V", "V", "D"])
_COVARIANCES = frozenset(["%Cov", "%cov"])
_DENSITIES = frozenset("fpPρ")
_NAMES = ("X", "Y", "Z")
_MAX_TERMS = 40
_HALF: NormalNode = nodes.Product(("#1",), ("#2",))


def mean_forms(one: NormalNode, other: NormalNode) -> tuple[NormalNode, NormalNode] | None:
    """Return both equations with their means in one form; None where one of them has no mean, variance or covariance."""
    forms = _mean_form(one), _mean_form(other)
    return (forms[0], forms[1]) if forms[0] is not None and forms[1] is not None else None


def _mean_form(node: NormalNode) -> NormalNode | None:
    node = _with_mean_calls(node)
    random = list(dict.fromkeys(_random_letters(node)))
    if not 0 < len(random) <= len(_NAMES):
        return None
    names = dict(zip(random, _NAMES, strict=False))
    node = rename_leaves(node, names)
    return _Means(frozenset(names.values())).visit(node)


def _with_mean_calls(node: NormalNode) -> NormalNode:
    """Write every mean as a call: ∫ g(x) f(x) dx, ∑ g(x_i) p_i, and means that were read as products."""
    found = node if node.__class__ is str else map_children_flat(node, _with_mean_calls)
    match found:
        case nodes.Product(numerator, ()) if not _MEANS.isdisjoint(
            part for part in numerator[:-1] if part.__class__ is str
        ):
            position = next(position for position, part in enumerate(numerator) if part in _MEANS)
            return times([*numerator[:position], nodes.FunctionCall(_MEAN, "()", times(numerator[position + 1 :]))])
        case nodes.Applied(nodes.Scripts(nodes.Big("∫"), low, high), nodes.Product(numerator, ())) if (low, high) in (
            (EMPTY, EMPTY),
            (nodes.Signed("-", "~∞"), "~∞"),
        ):
            return _integral(numerator) or found
        case nodes.Applied(nodes.Big("∫"), nodes.Product(numerator, ())):
            return _integral(numerator) or found
        case nodes.Applied(nodes.Scripts(nodes.Big("∑"), low), nodes.Product(numerator, ())):
            bound = low.sides[0] if low.__class__ is nodes.Relation else low
            return _sum_of_values(str(bound), numerator) or found
    return found


def _integral(factors: Sequence[NormalNode]) -> NormalNode | None:
    element = next((part for part in factors if part.__class__ is nodes.Differential), EMPTY)
    density = next(
        (
            part
            for part in factors
            if letter_of(part.function if part.__class__ is nodes.FunctionCall else part) in _DENSITIES
        ),
        EMPTY,
    )
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
            values = {part.base for part in walk([rest]) if part.__class__ is nodes.Scripts and part.low == bound}
            if len(values) == 1:
                return nodes.FunctionCall(_MEAN, "()", without_index(rest, bound, "X"))
    return None


def _random_letters(node: NormalNode) -> Iterator[str]:
    """Yield the letters of random quantities: capitals in means, or small letters if there are no capitals."""
    arguments = [
        part.arguments
        for part in walk([node])
        if part.__class__ is nodes.FunctionCall
        and (part.function in _MEANS or part.function in _VARIANCES or part.function in _COVARIANCES)
    ]
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
            case nodes.Scripts("σ", low, high) if high in (EMPTY, "#2") and (
                low in self.random or (low == EMPTY and self.only)
            ):
                name = low or self.only
                variance = self.covariance(name, name)
                return variance if high == "#2" else nodes.Scripts(variance, EMPTY, _HALF)
            case nodes.Scripts("σ", nodes.Letters((left, right)) | nodes.CommaList(_, (left, right)), "") if {
                left,
                right,
            } <= self.random:
                return self.covariance(left, right)
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
        negative = term.__class__ is nodes.Signed
        body = term.body if negative else term  # type: ignore[union-attr]
        numerator, denominator = (
            (body.numerator, body.denominator) if body.__class__ is nodes.Product else ((body,), ())
        )
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
            base, power = (
                (part.base, int(part.high[1:]))  # type: ignore[index]
                if part.__class__ is nodes.Scripts
                and part.low == EMPTY
                and str(part.high)[:1] == "#"
                and str(part.high)[1:].isdecimal()
                else (part, 1)
            )
            powers[base] = powers.get(base, 0) + power
        inner = times(
            [
                base if power == 1 else nodes.Scripts(base, EMPTY, f"#{power}")
                for base, power in sorted(powers.items(), key=str)
            ]
        )
        means = [nodes.FunctionCall(_MEAN, "()", inner)] if factors else []
        product = times([*map(self.visit, constant), *means] or ["#1"], denominator)
        return minus(product) if negative else product

    def covariance(self, left: NormalNode, right: NormalNode) -> NormalNode:
        found = []
        for one in self.terms(left):
            for other in self.terms(right):
                (negative, constant, first, denominator), (other_negative, other_constants, second, under) = (
                    self.split(one),
                    self.split(other),
                )
                if first and second:
                    pair = sorted((times(first), times(second)), key=str)
                    product = times(
                        [
                            *constant,
                            *other_constants,
                            nodes.FunctionCall(_COVARIANCE, "()", nodes.CommaList((",",), tuple(pair))),
                        ],
                        [*denominator, *under],
                    )
                    found.append(minus(product) if negative != other_negative else product)
        return plus(found) if found else "#0"
