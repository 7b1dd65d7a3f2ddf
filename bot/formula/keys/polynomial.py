"""A normal tree as a sum of monomials: what is multiplied, to which power, with which number.

A monomial is a coefficient and the exponents of its atoms; an atom is whatever algebra does not look into (a letter, a call, a
derivative, an integral), known by its canonical string.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from bot.formula.normal.render import render
from bot.formula.tex.nodes import EMPTY, Infix, NormalNode, Product, Relation, Scripts, Signed, Sum

Number: TypeAlias = int | Fraction
Monomial: TypeAlias = tuple[Number, dict[str, Number]]

# Of a number, numerator or denominator: no formula of science comes near, and the arithmetic stays quick
MAX_NUMBER = 10**300
CONSTANT_MARK = "¢"  # marks a leaf that is a constant
_DIGITS = 29  # of a number as written


class TooLarge(ArithmeticError):
    """A number beyond MAX_NUMBER: algebra does not apply to such a formula."""


@dataclass(slots=True)
class Polynomial:
    """Monomials, and the trees of their atoms."""

    terms: list[Monomial]
    atoms: dict[str, NormalNode] = field(default_factory=dict)


def difference(left: NormalNode, right: NormalNode, *, swapped: bool) -> Polynomial:
    """Return the difference of both sides of a relation."""
    found = Polynomial([])
    terms, others = terms_of(left, found.atoms), terms_of(right, found.atoms)
    if swapped:
        terms, others = others, terms
    found.terms = terms + [(-number, powers) for number, powers in others]
    return found


def drop_constants(found: Polynomial) -> None:
    """Remove numbers and marked constants from monomials that have other factors; number and sign of these become 1."""
    constants = {
        key
        for key, node in found.atoms.items()
        if (first := key[:1]) == "#" or (first == CONSTANT_MARK and node.__class__ is str)
    }
    if constants:
        terms: list[Monomial] = []
        for number, powers in found.terms:
            without_constants = {key: power for key, power in powers.items() if key not in constants}
            terms.append((number, without_constants or powers))
        found.terms = terms


def terms_of(node: NormalNode, atoms: dict[str, NormalNode]) -> list[Monomial]:
    """Return the monomials of a normal tree; their atoms are added to `atoms`."""
    if node.__class__ is not str:
        if node.__class__ is Sum:
            return [term for part in node.terms for term in terms_of(part, atoms)]
        if node.__class__ is Signed and node.sign == "-":
            return [(-number, powers) for number, powers in terms_of(node.body, atoms)]
        if node.__class__ is Relation:
            key = render(node)
            atoms[key] = node
            return [(1, {key: 1})]
    elif node[:1] != "#":
        atoms[node] = node
        return [(1, {node: 1})]
    powers: dict[str, Number] = {}
    number = _multiply(node, 1, powers, atoms)
    if 0 in powers.values():
        powers = {key: power for key, power in powers.items() if power}
    return [(number, powers)]


def _multiply(node: NormalNode, power: Number, powers: dict[str, Number], atoms: dict[str, NormalNode]) -> Number:
    """Multiply node^power into `powers`; return the number it contributes."""
    if node.__class__ is str:
        if node[:1] == "#":
            value = number_of(node)
            if value is not None and power.__class__ is int and abs(power) < 20:
                if power == 1:
                    return value
                return value**power if power > 0 else 1 / Fraction(value**-power) if value else 0
        powers[node] = powers.get(node, 0) + power
        atoms[node] = node
        return 1
    if node.__class__ is Product:
        number = _factors(node.numerator, power, powers, atoms)
        return bounded(number * _factors(node.denominator, -power, powers, atoms)) if node.denominator else number
    if node.__class__ is Signed and node.sign == "-" and power.__class__ is int:
        return _multiply(node.body, power, powers, atoms) * (-1 if power % 2 else 1)
    if node.__class__ is Scripts and node.low == EMPTY:
        exponent = exponent_of(node.high)
        if exponent is not None:
            return _multiply(node.base, bounded(power * exponent), powers, atoms)
        if node.high.__class__ is Signed and node.high.sign == "-":
            inverse = Scripts(node.base, EMPTY, node.high.body)
            return _multiply(inverse, -power, powers, atoms)
    if node.__class__ is Infix and set(node.signs) <= {"·"}:
        return _factors(node.operands, power, powers, atoms)
    key = render(node)
    powers[key] = powers.get(key, 0) + power
    atoms[key] = node
    return 1


def bounded(number: Number) -> Number:
    """Return the number; raise TooLarge for one beyond MAX_NUMBER."""
    if number.__class__ is int:
        if -MAX_NUMBER < number < MAX_NUMBER:
            return number
    elif -MAX_NUMBER < number.numerator < MAX_NUMBER and number.denominator < MAX_NUMBER:
        return number
    raise TooLarge


def _factors(
    nodes: tuple[NormalNode, ...], power: Number, powers: dict[str, Number], atoms: dict[str, NormalNode]
) -> Number:
    number: Number = 1
    for node in nodes:
        if node.__class__ is str and node[:1] != "#":
            powers[node] = powers.get(node, 0) + power
            atoms[node] = node
        else:
            factor = _multiply(node, power, powers, atoms)
            number = bounded(factor if number == 1 else number * factor)
    return number


def number_of(leaf: str) -> Number | None:
    text = leaf[1:]
    if len(text) > _DIGITS:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def exponent_of(node: NormalNode) -> Number | None:
    """Return an exponent (2, -1, 1/2, -3/2) as a number; None for a letter."""
    if node.__class__ is str:
        return number_of(node) if node[:1] == "#" else None
    if node.__class__ is Signed and node.sign == "-":
        inner = exponent_of(node.body)
        return -inner if inner is not None else None
    if node.__class__ is Product and len(node.numerator) == 1 and len(node.denominator) == 1:
        numerator, denominator = exponent_of(node.numerator[0]), exponent_of(node.denominator[0])
        return Fraction(numerator) / Fraction(denominator) if numerator is not None and denominator else None
    return None
