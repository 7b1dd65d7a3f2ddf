"""What a formula abbreviates, spelt out before algebra: short sums and products, differentials, scalar factors of cross products.

A d that is a letter would cancel (dW = F dx is not W = F x); a sum over a literal range is its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from bot.formula.keys.algebra import number_of
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.bound_variables import substituted
from bot.formula.normal.canonical import is_vector
from bot.formula.tex.nodes import EMPTY, Differential, Infix, Product, Scripts, Signed, Sum
from bot.formula.tex.tree import Node, children, leaves, rebuilt

INCREMENTS = frozenset(["d", "δ", "Δ"])
MAX_TERMS = 12
MAX_LEAVES = 120


def expanded(nodes: list[Node], quotients: bool = False) -> list[Node]:
    """Return the normal trees with these spelt out; with `quotients` also dW/dx as one differential over another."""
    found = nodes
    if any([_needs_sums(node) for node in nodes]):
        found = [_sums(node) for node in found]
    joined = increments(found)
    if joined or quotients:
        found = [_joined(node, joined, quotients) for node in found]
    return [_scalars_out(node) for node in found]


def increments(nodes: Iterable[Node]) -> set[str]:
    """Return which of d, δ and Δ stand before a letter as if they were factors; d and δ more than once, else they are letters."""
    return {sign for sign, number in _increments(nodes).items() if number > 1 or sign == "Δ"}


def _walk(nodes: Iterable[Node]) -> Iterator[Node]:
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is not str:
            yield node
            stack.extend(children(node))


# -- sums ---------------------------------------------------------------------------------------------------------------
def _needs_sums(node: Node) -> bool:
    return any([inner[0] == "big" and inner[1] in "∑∏" for inner in _walk([node])])


def _sums(node: Node) -> Node:
    if node.__class__ is str:
        return node
    if node[0] == "app":
        bounds = _bounds(node[1])
        if bounds is not None:
            name, first, last = bounds
            if _size(node[2]) * (last - first + 1) <= MAX_LEAVES:
                body = _sums(node[2])
                parts = [substituted(body, {name: f"#{number}"}) for number in range(first, last + 1)]
                return plus(parts) if node[1][1][1] == "∑" else times(parts)
    return _again(node, _sums)


def _size(node: Node) -> int:
    return sum(1 for _ in leaves(node))


def _bounds(head: Node) -> tuple[str, int, int] | None:
    """∑_{i=1}^{3} with numbers for both ends."""
    if head.__class__ is str or head[0] != "s" or head[1][:1] != ("big",) or head[1][1] not in ("∑", "∏"):
        return None
    low, high = head[2], head[3]
    if low[:1] != ("rel",) or low[1] != ("=",) or high.__class__ is not str or high[:1] != "#":
        return None
    name, start = low[2]
    if name.__class__ is not str or not is_name(name) or start.__class__ is not str or start[:1] != "#":
        return None
    first, last = number_of(start), number_of(high)
    if first.__class__ is not int or last.__class__ is not int or not 0 <= last - first < MAX_TERMS:
        return None
    return name, int(first), int(last)


def _again(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with its children changed, flat again."""
    found = rebuilt(node, change)
    if found.__class__ is Sum:
        return plus(found.terms)
    if found.__class__ is Product:
        return times(found.above, found.below)
    return minus(found.body) if found.__class__ is Signed and found.sign == "-" else found


# -- differentials ------------------------------------------------------------------------------------------------------
def _increments(nodes: Iterable[Node]) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in _walk(nodes):
        if node[0] == "*":
            for row in node[1:]:
                for sign, letter in pairwise(row):
                    if sign.__class__ is str and sign in INCREMENTS and _letter(letter):
                        found[sign] = found.get(sign, 0) + 1
    return found


def _letter(node: Node) -> bool:
    if node.__class__ is str:
        return is_name(node) and node not in INCREMENTS
    return bool(node[0] in ("s", "acc", "'", "call") and _letter(node[2] if node[0] == "acc" else node[1]))


def _joined(node: Node, signs: set[str], quotients: bool) -> Node:
    """d and the letter after it as one atom."""
    if node.__class__ is str:
        return node
    if node[0] == "*":
        above, below = (_row(row, signs, quotients) for row in node[1:])
        return times(above, below)
    if (
        quotients
        and node[0] == "D"
        and node[1] == ""
        and len(node[2]) == 1
        and node[2][0][1] == "1"
        and _letter(node[3])
    ):
        return Product((_differential("d", node[3]),), (_differential("d", node[2][0][0]),))
    return _again(node, lambda child: _joined(child, signs, quotients))


def _row(row: tuple[Node, ...], signs: set[str], quotients: bool) -> list[Node]:
    out: list[Node] = []
    waiting = ""
    for factor in row:
        if waiting and _letter(factor):
            out.append(_differential(waiting, factor))
            waiting = ""
            continue
        if waiting:
            out.append(waiting)
        waiting = factor if factor.__class__ is str and factor in signs else ""
        if not waiting:
            out.append(_joined(factor, signs, quotients))
    return [*out, waiting] if waiting else out


def _differential(sign: str, letter: Node) -> Node:
    """dx² is (dx)²."""
    if letter.__class__ is not str and letter[0] == "s" and letter[3].__class__ is str and letter[3][:1] == "#":
        base = letter[1] if letter[2] == EMPTY else Scripts(letter[1], letter[2], EMPTY)
        return Scripts(Differential(sign, "1", base), EMPTY, letter[3])
    return Differential(sign, "1", letter)


# -- cross products -----------------------------------------------------------------------------------------------------
def _scalars_out(node: Node) -> Node:
    """(q v) × B is q (v × B)."""
    if node.__class__ is str:
        return node
    found = _again(node, _scalars_out)
    if found[:1] == ("in",) and set(found[1]) == {"×"} and any([is_vector(part) for part in found[2]]):
        above: list[Node] = []
        below: list[Node] = []
        parts: list[Node] = []
        for part in found[2]:
            if part.__class__ is not str and part[0] == "*":
                vectors = [factor for factor in part[1] if is_vector(factor)]
                if len(vectors) == 1:
                    above += [factor for factor in part[1] if not is_vector(factor)]
                    below += part[2]
                    part = vectors[0]
            parts.append(part)
        if above or below:
            return times([*above, Infix(found[1], tuple(parts))], below)
    return found
