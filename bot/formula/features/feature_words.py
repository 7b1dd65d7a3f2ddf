"""What a formula is made of, as words for vectors: token n-grams, symbols, pairs of symbols, and facets of its shape.

A formula without a tree has its tokens only. Nothing here knows any concept: the same words are made of every formula.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.features.similarity import tokens
from bot.formula.normal.stages import forms
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.tree import Node, children, leaves

BLOCKS = ("tokens", "symbols", "pairs", "facets")

_OPERATORS = {"∇²": ("space", 2), "□": ("wave", 2), "∇": ("space", 1)} | dict.fromkeys(
    ("div", "rot", "curl", "grad"), ("space", 1)
)
_TIMES = frozenset("tτ")
_COORDINATES = frozenset("xyzrtρθφ")  # u_{xx} is a second derivative, T_{ii} a trace


@dataclass(frozen=True, slots=True)
class Features:
    """Four blocks of words; a vectoriser weighs each block by itself."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()

    def block(self, name: str) -> tuple[str, ...]:
        value: tuple[str, ...] = getattr(self, name)
        return value


@lru_cache(maxsize=4096)
def features(tex: str) -> Features:
    """Return the words of a formula."""
    row = tokens(tex)
    grams = tuple(" ".join(row[i : i + n]) for n in (1, 2, 3) for i in range(len(row) - n + 1))
    try:
        equations, conditions = forms(tex).noted
        parts = [*equations, *conditions]
        return Features(grams, tuple(_symbols(parts)), tuple(_pairs(parts)), tuple(_facets(parts)))
    except (FormulaError, RecursionError):
        return Features(grams)


def _plain(leaf: str) -> str:
    """A letter without its style: bold, arrows and calligraphy are another facet."""
    return leaf[1:].lower() if leaf[0] in '"%' else leaf if leaf[0] in "#~\\" else leaf.rpartition(".")[2]


def _symbols(parts: list[Node]) -> Iterator[str]:
    for part in parts:
        yield from (_plain(leaf) for leaf in leaves(part) if leaf[0] != "#")


def _pairs(parts: list[Node]) -> Iterator[str]:
    """Symbols that stand in one equation: a letter means more in company."""
    for part in parts:
        company = sorted(set(_symbols([part])))
        yield from (f"{one} {other}" for i, one in enumerate(company) for other in company[i + 1 :])


def _walk(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(children(current))


# -- facets --------------------------------------------------------------------------------------------------------------
def _facets(parts: list[Node]) -> Iterator[str]:
    order: Counter[str] = Counter()
    for part in parts:
        order |= _order(part)
        for node in _walk(part):
            if node.__class__ is not str:
                yield from _facets_of(node)
            elif node[:2] == "b.":
                yield "vector"
            elif node in ("Δ", "δ"):
                yield "difference"
    yield from (f"order of {kind} {number}" for kind, number in order.items())
    yield f"highest order {max(order.values(), default=0)}"


def _facets_of(node: Node) -> Iterator[str]:
    """What one inner node says about the shape of the whole."""
    match node[0]:
        case "rel":
            yield from (f"relation {sign}" for sign in sorted(set(node[1])))
            for side in node[2]:
                yield f"side {'0' if side == '#0' else 'leaf' if side.__class__ is str else _head(side)}"
        case "s":
            yield from (
                f"script {place} {_script(script)}"
                for place, script in zip("_^", node[2:], strict=True)
                if script != EMPTY
            )
        case "*":
            yield f"factors {min(len(node[1]) + len(node[2]), 6)}"
            if node[2]:
                yield "quotient"
        case "+":
            yield f"terms {min(len(node[1]), 5)}"
        case "D":
            yield "derivative " + "+".join([str(order) for _, order in node[2]])
        case "()" | "acc" | "big" | "in":
            yield f"{node[0]} {node[1][0] if node[0] == 'in' else node[1] + node[2] if node[0] == '()' else node[1]}"
        case "app":
            yield f"applies {_head(node[1])}"
        case "d" | "mat" | "call":
            yield node[0]


def _head(node: Node) -> str:
    """The name of a node by which its neighbours know it."""
    if node.__class__ is str:
        return _plain(node) if node else ""
    if node[0] in ("s", "'", "call", "app"):
        return _head(node[1])
    if node[0] == "acc":
        return _head(node[2])
    return str(node[1] if node[0] == "big" else node[0])


def _script(node: Node) -> str:
    if node.__class__ is str:
        return f"number {node}" if node[0] == "#" else "label" if node[0] in '"%' else "index"
    return f"indices {len(node[1])}" if node[0] == "seq" else str(node[0])


# -- order of differentiation --------------------------------------------------------------------------------------------
def _order(node: Node) -> Counter[str]:
    """How often a formula differentiates by time, place or index at most: nested and multiplied orders add, terms and sides do not."""
    if node.__class__ is str:
        kind, number = _OPERATORS.get(_plain(node) if node else "", ("", 0))
        return Counter({kind: number}) if number else Counter()
    if node[0] == "D":
        return sum((Counter({_kind(by): _number(order)}) for by, order in node[2]), _order(node[3]))
    if node[0] == "s":
        return _scripted_order(node)
    inner = [_order(child) for child in (node[1] if node[0] == "*" else children(node))]
    if node[0] in ("*", "in", "app", "call"):
        found = sum(inner, Counter[str]())
        if (
            node[0] == "*" and "Δ" in node[1] and found["space"]
        ):  # Δ before what differentiates is a Laplacian, not a difference
            found["space"] += 2
        return +found
    return _most(inner)


def _most(found: list[Counter[str]]) -> Counter[str]:
    out: Counter[str] = Counter()
    for each in found:
        out |= each
    return out


def _scripted_order(node: Node) -> Counter[str]:
    below, above = node[2], node[3]
    if below.__class__ is not str and below[0] == "seq" and len(set(below[1])) == 1 and below[1][0] in _COORDINATES:
        return Counter({_kind(below[1][0]): len(below[1])})
    power = _number(above[1:]) if above.__class__ is str and above[:1] == "#" else 1
    base = Counter({"space": 2}) if node[1] == "Δ" and power > 1 else _order(node[1])
    return Counter({kind: number * min(power, 4) for kind, number in base.items()})


def _number(order: object) -> int:
    digits = "".join([c for c in str(order) if c.isdecimal()])
    return int(digits[:2]) if digits else 1


def _kind(by: Node) -> str:
    """Time, place, or an index that is summed over (those have numbered names by now)."""
    name = _head(by)
    if name in _TIMES or (name == "seq" and not _TIMES.isdisjoint([_head(part) for part in by[1]])):
        return "time"
    return "index" if name[:1] in "διη" and name[1:].isdecimal() else "space"
