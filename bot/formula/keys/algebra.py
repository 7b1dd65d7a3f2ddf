"""A formula as a sum of monomials on one side, and as a canonical string, with numbers and without."""

from collections.abc import Iterable

from bot.formula.keys.polynomial import Number, Polynomial, TooLarge, bounded, difference, drop_constants, terms_of
from bot.formula.keys.solving import coprime, solve
from bot.formula.tex.nodes import EMPTY, CommaList, Matrix, NormalNode, Parts, Relation

_EQUAL = frozenset("=≈≃∼≅≡∝≐")
_ORDER = frozenset("<>≤≥≪≫≠≲≳")
_NO_SIDE = (CommaList, Matrix, Parts, Relation)


def equation(node: NormalNode, *, constants: bool = True) -> tuple[str, Polynomial] | None:
    """Return (sign, everything on one side) for a relation of two sides, ("", value) for an expression, None where algebra does not apply.

    The numbers of a relation have no common factor. Without `constants` those that are marked (see constants.py) are left out as factors.
    """
    try:
        found = _equation(node, constants)
        if found is not None:
            scaled = coprime(found[1].terms) if found[0] else found[1].terms
            for number, powers in found[1].terms:
                bounded(number)
                for power in powers.values():
                    bounded(power)
            found[1].terms = scaled
        return found
    except TooLarge:
        return None


def _equation(node: NormalNode, constants: bool) -> tuple[str, Polynomial] | None:
    sign = ""
    if node.__class__ is Relation:
        signs, sides = node.signs, node.sides
        if len(sides) != 2 or EMPTY in sides or (signs[0] not in _EQUAL and signs[0] not in _ORDER):
            return None
        if isinstance(sides[0], _NO_SIDE) or isinstance(sides[1], _NO_SIDE):
            return None
        found = difference(*sides, swapped=signs[0] in ">≥≫≳")
        sign = "=" if signs[0] in _EQUAL else "≠" if signs[0] == "≠" else "<" if signs[0] in "<>≪≫" else "≤"
    elif node == EMPTY or isinstance(node, _NO_SIDE):
        return None
    else:
        found = Polynomial([])
        found.terms = terms_of(node, found.atoms)
    if not constants:
        drop_constants(found)
    solve(found, sign)
    return (sign, found) if found.terms else None


# -- as strings ---------------------------------------------------------------------------------------------------------
def without_numbers(sign: str, found: Polynomial) -> str:
    """Return the monomials without numbers and signs."""
    if len(found.terms) == 1:
        return sign + _text(found.terms[0][1])
    return sign + "&".join(sorted({_text(powers) for _, powers in found.terms}))


def with_numbers(sign: str, found: Polynomial) -> str:
    """Return the monomials with their numbers; an equation may be multiplied by -1."""
    one = sorted([f"{number}*{_text(powers)}" for number, powers in found.terms])
    if sign not in ("=", "≠"):
        return sign + "&".join(one)  # an order turns round with the sign
    other = sorted([f"{-number}*{_text(powers)}" for number, powers in found.terms])
    return sign + "&".join(min(one, other))


def exact_texts(nodes: Iterable[NormalNode]) -> list[str] | None:
    """Return equations as `with_numbers` has them, sorted; None where algebra does not apply to one of them, or where one holds numbers only."""
    texts: list[str] = []
    for node in nodes:
        found = equation(node)
        if found is None or not any([atom[:1] != "#" for atom in found[1].atoms]):
            return None
        texts.append(with_numbers(*found))
    return sorted(texts)


def _text(powers: dict[str, Number]) -> str:
    return "·".join(sorted([key if power == 1 else f"{key}^{power}" for key, power in powers.items()]))
