"""What a formula abbreviates, spelt out before algebra: short sums and products, differentials, scalar factors of cross products.

A d that is a letter would cancel (dW = F dx is not W = F x); a sum over a literal range is its terms.
"""

from collections.abc import Iterable
from itertools import pairwise

from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.polynomial import number_of
from bot.formula.normal.arithmetic import map_children_flat, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.commuting import is_vector
from bot.formula.normal.derivatives import differential
from bot.formula.tex import nodes
from bot.formula.tex.nodes import NormalNode
from bot.formula.tex.tree import base_of, leaves, walk

INCREMENTS = frozenset(["d", "δ", "Δ"])
MAX_TERMS = 12
MAX_LEAVES = 120


def expand_abbreviations(trees: list[NormalNode], quotients: bool = False) -> list[NormalNode]:
    """Return the normal trees with abbreviations expanded; with `quotients` also dW/dx as one differential over another."""
    found = trees
    sums = crosses = False
    for node in walk(trees):
        sums = sums or (node.__class__ is nodes.Big and node.sign in "∑∏")
        crosses = crosses or (node.__class__ is nodes.Infix and "×" in node.signs)
    if sums:
        found = [_sums(node) for node in found]
    joined = increments(found)
    if joined or quotients:
        found = [_with_differentials(node, joined, quotients) for node in found]
    return [_factor_out_scalars(node) for node in found] if crosses else found


def increments(trees: Iterable[NormalNode]) -> set[str]:
    """Return which of d, δ and Δ are before a letter like factors; d and δ only if more than once, else they are letters."""
    return {sign for sign, number in _increments(trees).items() if number > 1 or sign == "Δ"}


# -- sums ---------------------------------------------------------------------------------------------------------------
def _sums(node: NormalNode) -> NormalNode:
    if node.__class__ is nodes.Applied:
        bounds = _bounds(node.head)
        if bounds is not None:
            sign, name, first, last = bounds
            if sum(1 for _ in leaves(node.body)) * (last - first + 1) <= MAX_LEAVES:
                body = _sums(node.body)
                parts = [rename_leaves(body, {name: f"#{number}"}) for number in range(first, last + 1)]
                return plus(parts) if sign == "∑" else times(parts)
    return map_children_flat(node, _sums)


def _bounds(head: NormalNode) -> tuple[str, str, int, int] | None:
    """Return the sign, the name and both limits of ∑_{i=1}^{3} if these are numbers."""
    if head.__class__ is not nodes.Scripts or head.base.__class__ is not nodes.Big or head.base.sign not in ("∑", "∏"):
        return None
    low, high = head.low, head.high
    if low.__class__ is not nodes.Relation or low.signs != ("=",) or high.__class__ is not str or high[:1] != "#":
        return None
    name, start = low.sides
    if name.__class__ is not str or not is_name(name) or start.__class__ is not str or start[:1] != "#":
        return None
    first, last = number_of(start), number_of(high)
    if first.__class__ is not int or last.__class__ is not int or not 0 <= last - first < MAX_TERMS:
        return None
    return head.base.sign, name, int(first), int(last)


# -- differentials ------------------------------------------------------------------------------------------------------
def _increments(trees: Iterable[NormalNode]) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in walk(trees):
        if node.__class__ is nodes.Differential:
            found[node.sign] = found.get(node.sign, 0) + 1
        elif node.__class__ is nodes.Product:
            for row in (node.numerator, node.denominator):
                for sign, letter in pairwise(row):
                    if sign.__class__ is str and sign in INCREMENTS and _is_letter(letter):
                        found[sign] = found.get(sign, 0) + 1
    return found


def _is_letter(node: NormalNode) -> bool:
    found = base_of(node, nodes.Scripts, nodes.Primed, nodes.FunctionCall, nodes.Accented)
    return found.__class__ is str and is_name(found) and found not in INCREMENTS


def _with_differentials(node: NormalNode, signs: set[str], quotients: bool) -> NormalNode:
    """Join d and the letter after it."""
    if node.__class__ is nodes.Product:
        return times(
            _factors_with_differentials(node.numerator, signs, quotients),
            _factors_with_differentials(node.denominator, signs, quotients),
        )
    if (
        quotients
        and node.__class__ is nodes.Derivative
        and node.style == ""
        and len(node.variables) == 1
        and node.variables[0][1] == "1"
        and _is_letter(node.body)
    ):
        return nodes.Product((differential("d", "1", node.body),), (differential("d", "1", node.variables[0][0]),))
    return map_children_flat(node, lambda child: _with_differentials(child, signs, quotients))


def _factors_with_differentials(row: tuple[NormalNode, ...], signs: set[str], quotients: bool) -> list[NormalNode]:
    out: list[NormalNode] = []
    waiting = ""
    for factor in row:
        if waiting and _is_letter(factor):
            out.append(differential(waiting, "1", factor))
            waiting = ""
            continue
        if waiting:
            out.append(waiting)
        waiting = factor if factor.__class__ is str and factor in signs else ""
        if not waiting:
            out.append(_with_differentials(factor, signs, quotients))
    return [*out, waiting] if waiting else out


# -- cross products -----------------------------------------------------------------------------------------------------
def _factor_out_scalars(node: NormalNode) -> NormalNode:
    """(q v) × B is q (v × B)."""
    found = map_children_flat(node, _factor_out_scalars)
    if (
        found.__class__ is nodes.Infix
        and set(found.signs) == {"×"}
        and any([is_vector(part) for part in found.operands])
    ):
        numerator: list[NormalNode] = []
        denominator: list[NormalNode] = []
        parts: list[NormalNode] = []
        for part in found.operands:
            if part.__class__ is nodes.Product:
                vectors = [factor for factor in part.numerator if is_vector(factor)]
                if len(vectors) == 1:
                    numerator += [factor for factor in part.numerator if not is_vector(factor)]
                    denominator += part.denominator
                    part = vectors[0]
            parts.append(part)
        if numerator or denominator:
            return times([*numerator, nodes.Infix(found.signs, tuple(parts))], denominator)
    return found
