"""A formula as a sum of monomials on one side, and back: as canonical strings (with and without numbers) and as a normal tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd, lcm

from bot.formula.keys.polynomial import (
    LARGEST,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    bounded,
    exponent_of,
    number_of,
    size,
    terms_of,
)
from bot.formula.keys.solving import solve
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.tex.nodes import EMPTY, CommaList, Matrix, NormalNode, Parts, Relation, Scripts

__all__ = [
    "Polynomial",
    "coprime",
    "equation",
    "exact",
    "exact_texts",
    "exponent_of",
    "loose",
    "number_of",
    "size",
    "tree",
]

_EQUAL = frozenset("=≈≃∼≅≡∝≐")
_ORDER = frozenset("<>≤≥≪≫≠≲≳")
_NO_SIDE = (CommaList, Matrix, Parts, Relation)


def equation(node: NormalNode, constant: Callable[[NormalNode], bool] | None = None) -> tuple[str, Polynomial] | None:
    """Return (sign, everything on one side) for a relation of two sides, ("", value) for an expression, None where algebra does not apply."""
    try:
        found = _equation(node, constant)
        if found is not None:
            for number, powers in found[1].terms:
                bounded(number)
                for power in powers.values():
                    bounded(power)
        return found
    except TooLarge:
        return None


def _equation(node: NormalNode, constant: Callable[[NormalNode], bool] | None) -> tuple[str, Polynomial] | None:
    if node.__class__ is Relation:
        signs, sides = node.signs, node.sides
        if len(sides) != 2 or EMPTY in sides or (signs[0] not in _EQUAL and signs[0] not in _ORDER):
            return None
        if isinstance(sides[0], _NO_SIDE) or isinstance(sides[1], _NO_SIDE):
            return None
        found = Polynomial([])
        left, right = terms_of(sides[0], found.atoms), terms_of(sides[1], found.atoms)
        if signs[0] in ">≥≫≳":
            left, right = right, left
        found.terms = left + [(-number, powers) for number, powers in right]
        sign = "=" if signs[0] in _EQUAL else "≠" if signs[0] == "≠" else "<" if signs[0] in "<>≪≫" else "≤"
    elif node == EMPTY or isinstance(node, _NO_SIDE):
        return None
    else:
        found = Polynomial([])
        found.terms = terms_of(node, found.atoms)
        sign = ""
    if constant is not None:
        _drop(found, constant)
    solve(found, sign)
    return (sign, found) if found.terms else None


def _drop(found: Polynomial, constant: Callable[[NormalNode], bool]) -> None:
    """Take constant factors away wherever something else is left; what is left counts without number and sign."""
    known = {key for key, node in found.atoms.items() if key[:1] == "#" or constant(node)}
    if not known:
        return
    terms: list[Monomial] = []
    for number, powers in found.terms:
        kept = {key: power for key, power in powers.items() if key not in known}
        terms.append((number, kept or powers))
    found.terms = terms


# -- back to strings and trees ------------------------------------------------------------------------------------------
def loose(sign: str, found: Polynomial) -> str:
    """Monomials without numbers and signs."""
    if len(found.terms) == 1:
        return sign + _text(found.terms[0][1])
    return sign + "&".join(sorted({_text(powers) for _, powers in found.terms}))


def exact(sign: str, found: Polynomial) -> str:
    """Monomials with their numbers, up to one common factor (an equation may be multiplied by any number)."""
    terms = coprime(found.terms) if sign else found.terms
    one = sorted([f"{number}*{_text(powers)}" for number, powers in terms])
    if sign not in ("=", "≠"):
        return sign + "&".join(one)  # an order turns round with the sign
    other = sorted([f"{-number}*{_text(powers)}" for number, powers in terms])
    return sign + "&".join(min(one, other))


def exact_texts(nodes: Iterable[NormalNode]) -> list[str] | None:
    """Return equations as `exact` has them, sorted; None where algebra does not apply to one of them, or where one holds numbers only."""
    texts: list[str] = []
    for node in nodes:
        found = equation(node)
        if found is None or not any([atom[:1] != "#" for atom in found[1].atoms]):
            return None
        texts.append(exact(*found))
    return sorted(texts)


def coprime(terms: Iterable[Monomial]) -> list[Monomial]:
    """Scale the numbers to integers without a common divisor; as they are where that takes too large ones."""
    listed = list(terms)
    plain = [number for number, _ in listed if number.__class__ is int]
    if len(plain) == len(listed) and (1 in plain or -1 in plain):
        return listed
    numbers = [Fraction(number) for number, _ in listed]
    scale = 1
    for number in numbers:
        scale = lcm(scale, number.denominator)
        if scale > LARGEST:
            return listed
    shared = gcd(*[int(number * scale) for number in numbers]) or 1
    return [(int(number * scale) // shared, powers) for number, (_, powers) in zip(numbers, listed, strict=True)]


def _text(powers: dict[str, Number]) -> str:
    return "·".join(sorted([key if power == 1 else f"{key}^{power}" for key, power in powers.items()]))


def tree(sign: str, found: Polynomial) -> NormalNode:
    """Return the normal tree of a polynomial: for an equation, the positive terms on one side and the negative ones on the other."""
    if not sign:
        return plus(
            [
                minus(_node(-number, powers, found)) if number < 0 else _node(number, powers, found)
                for number, powers in found.terms
            ]
        )
    positive: list[NormalNode] = []
    negative: list[NormalNode] = []
    for number, powers in coprime(found.terms):
        (negative if number < 0 else positive).append(_node(size(number), powers, found))
    return Relation((sign,), (plus(positive) if positive else "#0", plus(negative) if negative else "#0"))


def _node(number: Number, powers: dict[str, Number], found: Polynomial) -> NormalNode:
    above: list[NormalNode] = [] if number == 1 and powers else ["#" + str(number)]
    below: list[NormalNode] = []
    for key, power in powers.items():
        if power == 1:
            above.append(found.atoms[key])
        elif power == -1:
            below.append(found.atoms[key])
        else:
            (above if power > 0 else below).append(Scripts(found.atoms[key], EMPTY, "#" + str(abs(power))))
    return times(above, below)
