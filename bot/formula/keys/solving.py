"""Polynomial equations solved up to what may be multiplied: denominators cleared, sums expanded, common factors and roots gone.

Every step works in place, has a limit on size and stops quietly there; a number too large for any formula raises TooLarge.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, isqrt, lcm

from bot.formula.keys.polynomial import MAX_NUMBER, Monomial, Number, Polynomial, bounded, number_of, terms_of
from bot.formula.tex.nodes import Sum

MAX_TERMS = 40
MAX_ROOT = 100
MAX_CLEARED = 10_000  # denominators times terms: a thousand unlike fractions have no common denominator worth writing


def solve(found: Polynomial, sign: str) -> None:
    """Clear denominators, expand, divide by common factors, collect."""
    for _ in range(4):
        if any([atom.__class__ is str and atom[:1] == "#" for atom in found.atoms.values()]):  # a number under a root
            _fold(found)
        collect(found)
        if not found.terms:
            return  # everything cancels: there is nothing left to compare by
        before = len(found.terms)
        if sign:
            _clear_denominators(found)
            if len(found.terms) == 2 and sign in "=≠":
                _reduce_exponents(found)
        if not _expand(found):
            return
        if len(found.terms) == before and not sign:
            break
    collect(found)


def _fold(found: Polynomial) -> None:
    """Evaluate powers of numbers: (√2)² = 2."""
    terms: list[Monomial] = []
    for number, powers in found.terms:
        for key in [key for key, power in powers.items() if key[:1] == "#" and power.__class__ is int]:
            value = number_of(key)
            if value and -20 < powers[key] < 20:
                number = bounded(Fraction(number) * Fraction(value) ** int(powers.pop(key)))
        terms.append((number, powers))
    found.terms = terms


def collect(found: Polynomial) -> None:
    """Add monomials that differ only in the number."""
    if len(found.terms) < 2:
        return
    if len(found.terms) == 2 and found.terms[0][1] != found.terms[1][1]:
        return
    sums: dict[tuple[tuple[str, Number], ...], Number] = {}
    for number, powers in found.terms:
        key = tuple(sorted([(name, power) for name, power in powers.items() if power]))
        sums[key] = bounded(sums.get(key, 0) + number)
    found.terms = [(number, dict(key)) for key, number in sums.items() if number]


def _clear_denominators(found: Polynomial) -> None:
    """Multiply by every denominator, divide by every common factor."""
    if len(found.terms) == 1:
        number, powers = found.terms[0]
        positive: dict[str, Number] = {key: 1 for key, power in powers.items() if power > 0}
        found.terms = [(1 if positive else number, positive or powers)]
        return
    # One pass: in a sum of a thousand variables, asking every term for each of them takes seconds.
    least: dict[str, Number] = {}
    count: dict[str, int] = {}
    for _, powers in found.terms:
        for key, power in powers.items():
            if key in least:
                count[key] += 1
                if power < least[key]:
                    least[key] = power
            else:
                count[key] = 1
                least[key] = power
    every = len(found.terms)
    if every * sum([1 for key, lowest in least.items() if lowest < 0 and count[key] < every]) > MAX_CLEARED:
        return
    for key, lowest in least.items():
        power = lowest if lowest < 0 or count[key] == every else 0
        if power:
            for _, powers in found.terms:
                if left := powers.get(key, 0) - power:
                    powers[key] = left
                else:
                    powers.pop(key, None)


def _reduce_exponents(found: Polynomial) -> None:
    """Make the exponents of a monomial equation coprime integers: A² = B² and √A = √B become A = B."""
    (first, first_powers), (second, second_powers) = found.terms
    powers = [*first_powers.values(), *second_powers.values()]
    if not powers or (1 in powers and set(map(type, powers)) == {int}):
        return  # nothing in common
    scale = lcm(*[power.denominator for power in powers])
    if scale > MAX_ROOT:
        return
    shared = gcd(*[int(power * scale) for power in powers])
    if (scale, shared) == (1, 1) or not shared or not first:
        return  # a factor zero leaves nothing to take a root of
    ratio = Fraction(-second) / Fraction(first)
    number = _exact_root(abs(ratio) ** scale, shared)
    if number is None:
        return
    sign = 1 if ratio > 0 or (scale % 2 == 0) else -1
    found.terms = [
        (1, {key: int(power * scale) // shared for key, power in first_powers.items()}),
        (-sign * number, {key: int(power * scale) // shared for key, power in second_powers.items()}),
    ]


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    if degree == 1:
        return value
    if degree % 2:
        return value if value == 1 else None
    numerator, denominator = isqrt(value.numerator), isqrt(value.denominator)
    if numerator * numerator != value.numerator or denominator * denominator != value.denominator:
        return None
    return _exact_root(Fraction(numerator, denominator), degree // 2)


def _expand(found: Polynomial) -> bool:
    """Multiply out small positive powers of sums; tell whether anything changed."""
    sums = {key: node.terms for key, node in found.atoms.items() if node.__class__ is Sum}
    changed = False
    out: list[Monomial] = []
    for number, powers in found.terms:
        key = next(
            (key for key, power in powers.items() if key in sums and power.__class__ is int and 0 < power <= 3), None
        )
        if key is None:
            out.append((number, powers))
            continue
        rest = dict(powers)
        degree = rest.pop(key)
        parts = [term for part in sums[key] for term in terms_of(part, found.atoms)]
        product: list[Monomial] = [(number, rest)]
        for _ in range(int(degree)):
            if len(product) * len(parts) > MAX_TERMS:
                return False
            product = [_multiply_monomials(one, other) for one in product for other in parts]
        out.extend(product)
        if len(out) > MAX_TERMS:
            return False
        changed = True
    if changed:
        found.terms = out
    return changed


def _multiply_monomials(one: Monomial, other: Monomial) -> Monomial:
    powers = dict(one[1])
    for key, power in other[1].items():
        powers[key] = powers.get(key, 0) + power
    return bounded(one[0] * other[0]), {key: power for key, power in powers.items() if power}


def coprime(terms: Iterable[Monomial]) -> list[Monomial]:
    """Scale the numbers to integers without a common divisor; unchanged if these would be too large."""
    listed = list(terms)
    plain = [number for number, _ in listed if number.__class__ is int]
    if (1 in plain or -1 in plain) and len(plain) == len(listed):
        return listed
    numbers = [Fraction(number) for number, _ in listed]
    scale = 1
    for number in numbers:
        scale = lcm(scale, number.denominator)
        if scale > MAX_NUMBER:
            return listed
    shared = gcd(*[int(number * scale) for number in numbers]) or 1
    return [(int(number * scale) // shared, powers) for number, (_, powers) in zip(numbers, listed, strict=True)]
