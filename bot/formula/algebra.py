"""A formula as a sum of monomials on one side: denominators cleared, products expanded, common factors and roots gone.

A monomial is a coefficient and the exponents of its atoms; an atom is whatever algebra does not look into (a letter, a call, a
derivative, an integral), known by its canonical string. All steps have a limit on size and stop quietly there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import Any, TypeAlias

from bot.formula.arithmetic import minus, plus, times
from bot.formula.render import render
from bot.formula.tree import EMPTY, Node

Number: TypeAlias = int | Fraction
Monomial: TypeAlias = tuple[Number, dict[str, Number]]
MAX_TERMS = 40
_EQUAL = frozenset("=≈≃∼≅≡∝≐")
_ORDER = frozenset("<>≤≥≪≫≠≲≳")


@dataclass(slots=True)
class Polynomial:
    """Monomials, and the trees of their atoms."""

    terms: list[Monomial]
    atoms: dict[str, Node] = field(default_factory=dict)


def equation(node: Node, constant: Callable[[Node], bool] | None = None) -> tuple[str, Polynomial] | None:
    """Return (sign, everything on one side) for a relation of two sides, ("", value) for an expression, None where algebra does not apply."""
    if node.__class__ is tuple and node[0] == "rel":
        signs, sides = node[1], node[2]
        if len(sides) != 2 or EMPTY in sides or (signs[0] not in _EQUAL and signs[0] not in _ORDER):
            return None
        if any(side.__class__ is tuple and side[0] in (",", "mat", "parts", "rel") for side in sides):
            return None
        found = Polynomial([])
        left, right = _terms(sides[0], found.atoms), _terms(sides[1], found.atoms)
        if signs[0] in ">≥≫≳":
            left, right = right, left
        found.terms = left + [(-number, powers) for number, powers in right]
        sign = "=" if signs[0] in _EQUAL else "≠" if signs[0] == "≠" else "<" if signs[0] in "<>≪≫" else "≤"
    elif node == EMPTY or (node.__class__ is tuple and node[0] in (",", "mat", "parts")):
        return None
    else:
        found = Polynomial([])
        found.terms = _terms(node, found.atoms)
        sign = ""
    if constant is not None:
        _drop(found, constant)
    solve(found, sign)
    return (sign, found) if found.terms else None


def _terms(node: Node, atoms: dict[str, Node]) -> list[Monomial]:
    if node.__class__ is tuple:
        tag = node[0]
        if tag == "+":
            return [term for part in node[1] for term in _terms(part, atoms)]
        if tag == "-":
            return [(-number, powers) for number, powers in _terms(node[1], atoms)]
        if tag == "rel":
            key = render(node)
            atoms[key] = node
            return [(1, {key: 1})]
    number, powers = _monomial(node, atoms)
    return [(number, powers)]


def _monomial(node: Node, atoms: dict[str, Node]) -> tuple[Number, dict[str, Number]]:
    powers: dict[str, Number] = {}
    number = _multiply(node, 1, powers, atoms)
    return number, {key: power for key, power in powers.items() if power}


def _multiply(node: Node, power: Number, powers: dict[str, Number], atoms: dict[str, Node]) -> Number:
    """Multiply node^power into `powers`; return the number it contributes."""
    if node.__class__ is str:
        if node[:1] == "#":
            value = number_of(node)
            if value is not None and power.__class__ is int and abs(power) < 20:
                return value**power if power > 0 else Fraction(1) / Fraction(value) ** -power if value else 0
        powers[node] = powers.get(node, 0) + power
        atoms[node] = node
        return 1
    tag = node[0]
    if tag == "*":
        number: Number = 1
        for part in node[1]:
            number *= _multiply(part, power, powers, atoms)
        for part in node[2]:
            number *= _multiply(part, -power, powers, atoms)
        return number
    if tag == "-" and power.__class__ is int:
        return _multiply(node[1], power, powers, atoms) * (-1 if power % 2 else 1)
    if tag == "s" and node[2] == EMPTY:
        exponent = exponent_of(node[3])
        if exponent is not None:
            return _multiply(node[1], power * exponent, powers, atoms)
        if node[3].__class__ is tuple and node[3][0] == "-":
            inverse = ("s", node[1], EMPTY, node[3][1])
            return _multiply(inverse, -power, powers, atoms)
    if tag == "in" and set(node[1]) <= {"×", "·"} and "×" not in node[1]:
        number = 1
        for part in node[2]:
            number *= _multiply(part, power, powers, atoms)
        return number
    key = render(node)
    powers[key] = powers.get(key, 0) + power
    atoms[key] = node
    return 1


def size(number: Number) -> Number:
    """abs for both kinds of number."""
    return -number if number < 0 else number


def number_of(leaf: str) -> Number | None:
    text = leaf[1:]
    if text.isdigit():
        return int(text) if len(text) < 30 else None
    try:
        return Fraction(text) if len(text) < 30 else None
    except ValueError:
        return None


def exponent_of(node: Node) -> Number | None:
    """2, -1, 1/2 and -3/2 as numbers; None for a letter."""
    if node.__class__ is str:
        return number_of(node) if node[:1] == "#" else None
    if node[0] == "-":
        inner = exponent_of(node[1])
        return -inner if inner is not None else None
    if node[0] == "*" and len(node[1]) == 1 and len(node[2]) == 1:
        above, below = exponent_of(node[1][0]), exponent_of(node[2][0])
        return Fraction(above) / Fraction(below) if above is not None and below else None
    return None


def _drop(found: Polynomial, constant: Callable[[Node], bool]) -> None:
    """Take constant factors away wherever something else is left; what is left counts without number and sign."""
    known = {key for key, node in found.atoms.items() if key[:1] == "#" or constant(node)}
    terms: list[Monomial] = []
    for number, powers in found.terms:
        kept = {key: power for key, power in powers.items() if key not in known}
        terms.append((number, kept or powers))
    found.terms = terms


def solve(found: Polynomial, sign: str) -> None:
    """Clear denominators, expand, take out what is common, collect; in place."""
    for _ in range(4):
        _fold(found)
        collect(found)
        if not found.terms:
            return  # everything cancels: there is nothing left to compare by
        before = len(found.terms)
        if sign:
            _clear(found)
            if len(found.terms) == 2 and sign in "=≠":
                _unroot(found)
        if not _expand(found):
            break
        if len(found.terms) == before and not sign:
            break
    collect(found)


def _fold(found: Polynomial) -> None:
    """A number that came out of a root is a number again: (√2)² = 2."""
    if not any([key[:1] == "#" for key in found.atoms]):
        return
    terms: list[Monomial] = []
    for number, powers in found.terms:
        for key in [key for key, power in powers.items() if key[:1] == "#" and power.__class__ is int]:
            value = number_of(key)
            if value and size(powers[key]) < 20:
                number = Fraction(number) * Fraction(value) ** int(powers.pop(key))
        terms.append((number, powers))
    found.terms = terms


def collect(found: Polynomial) -> None:
    """Add monomials that differ in the number only."""
    if len(found.terms) < 2:
        return
    if len(found.terms) == 2 and found.terms[0][1] != found.terms[1][1]:
        return
    sums: dict[tuple[tuple[str, Number], ...], Number] = {}
    for number, powers in found.terms:
        key = tuple(sorted([(name, power) for name, power in powers.items() if power]))
        sums[key] = sums.get(key, 0) + number
    found.terms = [(number, dict(key)) for key, number in sums.items() if number]


def _clear(found: Polynomial) -> None:
    """Multiply by every denominator, divide by every common factor."""
    if len(found.terms) == 1:
        number, powers = found.terms[0]
        positive: dict[str, Number] = {key: 1 for key, power in powers.items() if power > 0}
        found.terms = [(1 if positive else number, positive or powers)]
        return
    # One pass: in a sum of a thousand variables, asking every term for each of them takes seconds.
    least: dict[str, Number] = {}
    count: Counter[str] = Counter()
    for _, powers in found.terms:
        count.update(powers.keys())
        for key, power in powers.items():
            least[key] = min(least.get(key, power), power)
    for key, lowest in least.items():
        power = lowest if count[key] == len(found.terms) else min(lowest, 0)
        if power:
            for _, powers in found.terms:
                left = powers.get(key, 0) - power
                if left:
                    powers[key] = left
                else:
                    powers.pop(key, None)


def _unroot(found: Polynomial) -> None:
    """A² = B² and √A = √B say A = B: exponents of a monomial equation become coprime integers."""
    (first, above), (second, below) = found.terms
    powers = [*above.values(), *below.values()]
    if not powers:
        return
    scale = lcm(*[power.denominator for power in powers])
    shared = gcd(*[int(power * scale) for power in powers])
    if (scale, shared) == (1, 1) or not shared or not first:
        return  # a factor zero leaves nothing to take a root of
    ratio = Fraction(-second) / Fraction(first)
    number = _rooted(abs(ratio) ** scale, shared)
    if number is None:
        if shared != 1:
            return
        number = abs(ratio) ** scale
    sign = 1 if ratio > 0 or (scale % 2 == 0) else -1
    found.terms = [
        (1, {key: int(power * scale) // shared for key, power in above.items()}),
        (-sign * number, {key: int(power * scale) // shared for key, power in below.items()}),
    ]


def _rooted(value: Fraction, degree: int) -> Fraction | None:
    if degree == 1:
        return value
    if degree % 2:
        return value if value == 1 else None
    above, below = isqrt(value.numerator), isqrt(value.denominator)
    if above * above != value.numerator or below * below != value.denominator:
        return None
    return _rooted(Fraction(above, below), degree // 2)


def _expand(found: Polynomial) -> bool:
    """Multiply sums out where they stand to a small positive power; tell whether anything changed."""
    changed = False
    out: list[Monomial] = []
    for number, powers in found.terms:
        key = next(
            (
                key
                for key, power in powers.items()
                if _is_sum(found.atoms[key]) and power.__class__ is int and 0 < power <= 3
            ),
            None,
        )
        if key is None:
            out.append((number, powers))
            continue
        rest = dict(powers)
        degree = rest.pop(key)
        parts = [term for part in found.atoms[key][1] for term in _terms(part, found.atoms)]
        product: list[Monomial] = [(number, rest)]
        for _ in range(int(degree)):
            if len(product) * len(parts) > MAX_TERMS:
                return False
            product = [_times(one, other) for one in product for other in parts]
        out.extend(product)
        if len(out) > MAX_TERMS:
            return False
        changed = True
    if changed:
        found.terms = out
    return changed


def _times(one: Monomial, other: Monomial) -> Monomial:
    powers = dict(one[1])
    for key, power in other[1].items():
        powers[key] = powers.get(key, 0) + power
    return one[0] * other[0], {key: power for key, power in powers.items() if power}


def _is_sum(node: Node) -> bool:
    return bool(node.__class__ is tuple and node[0] == "+")


# -- back to strings and trees ------------------------------------------------------------------------------------------
def loose(sign: str, found: Polynomial) -> str:
    """Monomials without numbers and signs."""
    return sign + "&".join(sorted({_text(powers) for _, powers in found.terms}))


def exact(sign: str, found: Polynomial) -> str:
    """Monomials with their numbers, up to one common factor (an equation may be multiplied by any number)."""
    terms = coprime(found.terms) if sign else found.terms
    one = sorted([f"{number}*{_text(powers)}" for number, powers in terms])
    if sign not in ("=", "≠"):
        return sign + "&".join(one)  # an order turns round with the sign
    other = sorted([f"{-number}*{_text(powers)}" for number, powers in terms])
    return sign + "&".join(min(one, other))


def coprime(terms: Iterable[Monomial]) -> list[Monomial]:
    """Scale the numbers to integers without a common divisor."""
    listed = list(terms)
    if any([number == 1 or number == -1 for number, _ in listed]) and all(
        [number.__class__ is int for number, _ in listed]
    ):
        return listed
    numbers = [Fraction(number) for number, _ in listed]
    scale = lcm(*[number.denominator for number in numbers])
    shared = gcd(*[int(number * scale) for number in numbers]) or 1
    return [(int(number * scale) // shared, powers) for number, (_, powers) in zip(numbers, listed, strict=True)]


def _text(powers: dict[str, Number]) -> str:
    return "·".join(sorted([key if power == 1 else f"{key}^{power}" for key, power in powers.items()]))


def tree(sign: str, found: Polynomial) -> Node:
    """Return the normal tree of a polynomial: for an equation, the positive terms on one side and the negative ones on the other."""
    if not sign:
        return plus(
            [
                minus(_node(-number, powers, found)) if number < 0 else _node(number, powers, found)
                for number, powers in found.terms
            ]
        )
    positive: list[Node] = []
    negative: list[Node] = []
    for number, powers in coprime(found.terms):
        (negative if number < 0 else positive).append(_node(size(number), powers, found))
    return ("rel", (sign,), (plus(positive) if positive else "#0", plus(negative) if negative else "#0"))


def _node(number: Number, powers: dict[str, Number], found: Polynomial) -> Node:
    above: list[Any] = [] if number == 1 and powers else ["#" + str(number)]
    below: list[Any] = []
    for key, power in powers.items():
        atom = found.atoms[key]
        (above if power > 0 else below).append(atom if abs(power) == 1 else ("s", atom, EMPTY, "#" + str(abs(power))))
    return times(above, below)
