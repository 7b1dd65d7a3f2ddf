"""Equations of four-vectors and of the field tensor, in their parts of time and space (challenges 11 and 12 of the paper).

∂_α F^αβ = j^β says div E = ρ (β = 0) and curl B − ∂E/∂t = j (β = 1, 2, 3), because F holds E and B, and j^β holds ρ and j. Constants are left
out, as they are in K4: systems of units place c, ε₀ and 4π differently. Conventions differ in the signature of the metric and in the order of the
indices of F, so both signs of a side are tried; the signs within it are fixed.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from bot.errors import FormulaError
from bot.formula.equivalence.comparison import Comparison, enumerated
from bot.formula.keys.algebra import equation
from bot.formula.keys.constants import with_marked_constants
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.operators import as_bold
from bot.formula.normal.scripts import without_scripts
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import indices, leaves, terms_of, walk
from bot.messages import Message

# Four-vectors: the time part, and their name; the space part has the letter of the vector.
_VECTORS = {"j": ("ρ", "current"), "A": ("φ", "potential"), "p": ("E", "momentum"), "k": ("ω", "wavevector")}
_FIELD = "F"
_GREEK = frozenset("αβγδεζηθικλμνξρστυφχψω")
_CURRENT = {"J": "j", "b.J": "b.j"}


class _NoParts(Exception):
    """The equation is not one of four-vectors."""


class _Term(NamedTuple):
    """A term: its free index ("" for a scalar), its time part, and its space part."""

    free: str
    time: NormalNode
    space: NormalNode


class SpacetimeParts(NamedTuple):
    """The equations that are parts of an equation of four-vectors, and the definitions of its constituents."""

    parts: dict[str, NormalNode]  # "time" and "space", or "all" for a scalar one
    constituents: tuple[str, ...]


def compare_parts(a: str, b: str) -> Comparison | None:
    """Return a comparison if one formula states in four-vectors what the other states in vectors, or a part of it; else None."""
    for one, other in ((a, b), (b, a)):
        try:
            found = _parts(one)
            stated = [_texts(node) for node in without_scripts(_marked_equations(other))] if found else []
        except (FormulaError, RecursionError):
            return None
        if found is None:
            continue
        texts_of_parts = {part: {text for sign in (1, -1) for text in _texts(_signed(node, sign))} for part, node in found.parts.items()}  # fmt: skip
        matched_parts = [next((part for part, texts in texts_of_parts.items() if texts & each), "") for each in stated]
        if not all(matched_parts):
            continue
        constituents = enumerated([Message(f"spacetime.{name}") for name in found.constituents])
        if set(matched_parts) == set(texts_of_parts):
            exact = all(any(text in texts_of_parts[part] for text in each if "*" in text) for part, each in zip(matched_parts, stated, strict=True))  # fmt: skip
            return (
                Comparison("rearranged", "", True, Message("note.spacetime", constituents=constituents), loose=True)
                if exact
                else None
            )
        part = Message(f"spacetime.{matched_parts[0]}")
        return Comparison("variant", "", False, Message("note.spacetime_part", part=part, constituents=constituents))
    return None


def has_parts(tex: str) -> bool:
    """Tell whether a formula is an equation of four-vectors."""
    return _parts(tex) is not None


@lru_cache(maxsize=8192)
def _parts(tex: str) -> SpacetimeParts | None:
    trees = normal_forms(tex).normal_with_names
    return None if _GREEK.isdisjoint(walk(trees)) else spacetime_parts(_marked_equations(tex))


def compare_with_vectors(a: str, b: str) -> Comparison | None:
    """Return a comparison if two formulas that are the same without scripts (K3) are one of four-vectors and one of vectors; None otherwise.

    p^μ = mu^μ states its part of time beside 𝐩 = m𝐮. An index below counts only beside marked vectors: F_ν may be a flux at a frequency.
    """
    trees = normal_forms(a).normal_with_names, normal_forms(b).normal_with_names
    for one, other in (trees, trees[::-1]):
        indices, relation = set(_greek_indices(one)), one[0]
        if len(indices) != 1 or relation.__class__ is not nodes.Relation or any(_greek_indices(other)):
            continue
        terms = [term for side in relation.sides for term in terms_of(side)]
        if any(len(list(_greek_indices([term]))) != 1 for term in terms if term != "#0"):
            continue
        has_upper_index = any(part.__class__ is nodes.Scripts and part.high in indices for part in walk(one))
        if has_upper_index or any(leaf[:2] == "b." for node in other for leaf in leaves(node)):
            return compare_parts(a, b) or Comparison("variant", "K3", False, Message("note.four_vector"))
    return None


def _greek_indices(trees: Sequence[NormalNode]) -> Iterator[str]:
    """Yield the Greek indices of letters."""
    for part in walk(trees):
        if part.__class__ is nodes.Scripts:
            yield from _indices(part)


def spacetime_parts(trees: Sequence[NormalNode]) -> SpacetimeParts | None:
    """Return the parts of an equation in index notation; None for any other formula. Constants are marked in the trees, before and after."""
    if len(trees) != 1 or trees[0].__class__ is not nodes.Relation or trees[0].signs != ("=",):
        return None
    letters: dict[str, None] = {}
    try:
        left, right = (_side(side, letters) for side in trees[0].sides)
    except _NoParts:
        return None
    if not letters or (left.free != right.free and "#0" not in (left.time, right.time)):
        return None
    parts = {"time": (left.time, right.time), "space": (left.space, right.space)}
    if not (left.free or right.free):
        parts = {"all": parts["time"]}
    part_equations = {part: without_scripts([nodes.Relation(("=",), sides)])[0] for part, sides in parts.items()}
    return SpacetimeParts(part_equations, tuple(letters))


def _marked_equations(tex: str) -> list[NormalNode]:
    """Return the equations of a formula with their constants marked, and with one letter for the current."""
    return [rename_leaves(with_marked_constants(node), _CURRENT) for node in normal_forms(tex).normal_with_names]


def _signed(node: NormalNode, sign: int) -> NormalNode:
    if sign > 0 or node.__class__ is not nodes.Relation:
        return node
    return nodes.Relation(node.signs, (minus(node.sides[0]), node.sides[1]))


def _texts(node: NormalNode) -> set[str]:
    """Return an equation without its constants, with the signs of its terms, and with their numbers too (a * stands in these)."""
    found = equation(node, constants=False)
    if found is None or found[0] != "=":
        return set()
    terms = [(number, "·".join(sorted(f"{atom}^{power}" for atom, power in powers.items()))) for number, powers in found[1].terms]  # fmt: skip
    signs = [sorted(("+" if (number > 0) == up else "-") + text for number, text in terms) for up in (True, False)]
    numbers = [sorted(f"{number * sign}*{text}" for number, text in terms) for sign in (1, -1)]
    return {" ".join(min(signs)), " ".join(min(numbers))}


# -- terms ------------------------------------------------------------------------------------------------------------------
def _side(side: NormalNode, letters: dict[str, None]) -> _Term:
    if side.__class__ is nodes.Sum and _is_cyclic(side.terms):
        letters["field"] = None
        return _dual("cyclic")
    terms = [_term(term, letters) for term in terms_of(side)]
    if len({term.free for term in terms}) > 1:
        raise _NoParts
    return _Term(terms[0].free, plus([term.time for term in terms]), plus([term.space for term in terms]))


def _term(term: NormalNode, letters: dict[str, None]) -> _Term:
    if term == "#0":
        return _Term("", term, term)
    if term.__class__ is nodes.Signed and term.sign == "-":
        index, time, space = _term(term.body, letters)
        return _Term(index, minus(time), minus(space))
    numerator, denominator = (term.numerator, term.denominator) if term.__class__ is nodes.Product else ((term,), ())
    pieces = [factor for factor in numerator if list(_indices(factor))]
    scalars = [factor for factor in numerator if factor not in pieces]
    if not pieces:
        return _Term("", term, "#0")
    index, time, space = _term_of_pieces(pieces, letters)
    return _Term(index, times([*scalars, time], denominator), times([*scalars, space], denominator))


def _term_of_pieces(pieces: Sequence[NormalNode], letters: dict[str, None]) -> _Term:
    names = [name for piece in pieces for name in _indices(piece)]
    free = [name for name in names if names.count(name) == 1]
    derived = [piece for piece in pieces if piece.__class__ is nodes.Derivative]
    if len(derived) == 1 and len(free) <= 1 and derived[0].variables[0][1] == "1" and len(derived[0].variables) == 1:
        bodies = [
            piece for piece in (derived[0].body, *pieces) if piece != EMPTY and piece.__class__ is not nodes.Derivative
        ]
        if len(bodies) == 1 and not free:
            time, space = _vector(bodies[0], letters)
            return _Term("", plus([_rate(time), nodes.Applied("div", space)]), "#0")
        if free and bodies and (base := _field(bodies[0])):
            letters["field"] = None
            if len(bodies) == 2 and bodies[1].__class__ is nodes.Scripts and bodies[1].base == "ε":
                return _dual(free[0])
            if len(bodies) == 1:
                curl_part = plus([nodes.Applied("curl", "b.B"), minus(_rate("b.E"))])
                return (
                    _Term(free[0], nodes.Applied("div", "b.E"), curl_part) if base.__class__ is str else _dual(free[0])
                )
    elif len(pieces) == 1 and len(names) == 1:
        piece = pieces[0]
        if piece.__class__ is nodes.Applied and piece.head == "□":
            time, space = _vector(piece.body, letters)
            return _Term(names[0], _wave(time), _wave(space))
        time, space = _vector(piece, letters)
        return _Term(names[0], time, space)
    elif len(pieces) == 2 and not free and len(names) == 2:
        (time, space), other = _vector(pieces[0], letters), _vector(pieces[1], letters)
        if (time, space) == other:
            return _Term("", plus([_squared(time), minus(_squared(space))]), "#0")
    raise _NoParts


def _vector(node: NormalNode, letters: dict[str, None]) -> tuple[str, NormalNode]:
    """Return the time and space parts of a four-vector."""
    if node.__class__ is nodes.Scripts and node.base.__class__ is str and len(list(_indices(node))) == 1:
        parts = _VECTORS.get(node.base)
        if parts and EMPTY in (node.low, node.high):
            letters[parts[1]] = None
            return parts[0], as_bold(node.base)
    raise _NoParts


def _field(node: NormalNode) -> NormalNode:
    """Return the letter of the field tensor, also under the tilde of its dual; EMPTY for anything else."""
    if node.__class__ is not nodes.Scripts or len(list(_indices(node))) != 2:
        return EMPTY
    base = node.base
    letter = base.body if base.__class__ is nodes.Accented and base.name == "tilde" else base
    return base if letter == _FIELD else EMPTY


def _is_cyclic(terms: Sequence[NormalNode]) -> bool:
    """Tell whether terms are ∂_λ F_μν + ∂_μ F_νλ + ∂_ν F_λμ."""
    found = [(str(term.variables[0][0]), *_indices(term.body)) for term in terms if term.__class__ is nodes.Derivative and _field(term.body) == _FIELD]  # fmt: skip
    if len(found) != 3 or len(terms) != 3:
        return False
    first = found[0]
    turns = {first, first[1:] + first[:1], first[2:] + first[:2]}
    return len(set(first)) == 3 and set(found) == turns


def _dual(index: str) -> _Term:
    return _Term(index, nodes.Applied("div", "b.B"), plus([nodes.Applied("curl", "b.E"), _rate("b.B")]))


def _rate(node: NormalNode, order: str = "1") -> NormalNode:
    return nodes.Derivative("", (("t", order),), node)


def _wave(node: NormalNode) -> NormalNode:
    return plus([nodes.Applied("∇²", node), minus(_rate(node, "2"))])


def _squared(node: NormalNode) -> NormalNode:
    return nodes.Scripts(node, EMPTY, "#2")


def _indices(node: NormalNode) -> Iterator[str]:
    """Yield the Greek indices of a factor."""
    if node.__class__ is nodes.Scripts:
        for script in (node.low, node.high):
            yield from (str(each) for each in indices(script) if each in _GREEK)
    elif node.__class__ is nodes.Derivative:
        yield from (str(name) for name, _ in node.variables if name in _GREEK)
        yield from _indices(node.body)
    elif node.__class__ is nodes.Applied and node.head == "□":
        yield from _indices(node.body)
