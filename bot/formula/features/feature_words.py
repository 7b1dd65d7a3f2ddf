"""What a formula is made of, as words for vectors: token n-grams, symbols, pairs of symbols, and facets of its shape.

A formula without a tree has its tokens only. Nothing here knows any concept: the same words are made of every formula.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from bot.errors import FormulaError
from bot.formula.features.canonical_tokens import tokens
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.tree import base_of, children, leaves, walk

_OPERATORS = {"∇²": ("space", 2), "□": ("wave", 2), "∇": ("space", 1)} | dict.fromkeys(
    ("div", "rot", "curl", "grad"), ("space", 1)
)
_TIMES = frozenset("tτ")
_COORDINATES = frozenset("xyzrtρθφ")  # u_{xx} is a second derivative, T_{ii} a trace


class Features(NamedTuple):
    """Four blocks of words; a vectoriser weights each block separately."""

    tokens: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def features(tex: str) -> Features:
    """Return the words of a formula."""
    row = tokens(tex)
    grams = tuple(" ".join(row[i : i + n]) for n in (1, 2, 3) for i in range(len(row) - n + 1))
    try:
        equations, conditions = normal_forms(tex).normal
        parts = [*equations, *conditions]
        return Features(grams, tuple(_symbols(parts)), tuple(_pairs(parts)), tuple(_facets(parts)))
    except (FormulaError, RecursionError):
        return Features(grams)


def _without_style(leaf: str) -> str:
    """Return a letter without its style: bold, arrows and calligraphy are facets of their own."""
    return leaf[1:].lower() if leaf[0] in '"%' else leaf if leaf[0] in "#~\\" else leaf.rpartition(".")[2]


def _symbols(parts: list[NormalNode]) -> Iterator[str]:
    for part in parts:
        yield from (_without_style(leaf) for leaf in leaves(part) if leaf[0] != "#")


def _pairs(parts: list[NormalNode]) -> Iterator[str]:
    """Yield pairs of symbols of one equation."""
    for part in parts:
        company = sorted(set(_symbols([part])))
        yield from (f"{one} {other}" for i, one in enumerate(company) for other in company[i + 1 :])


# -- facets --------------------------------------------------------------------------------------------------------------
def _facets(parts: list[NormalNode]) -> Iterator[str]:
    order: Counter[str] = Counter()
    for part in parts:
        order |= _order(part)
        for node in walk([part]):
            if node.__class__ is not str:
                yield from _facets_of(node)
            elif node[:2] == "b.":
                yield "vector"
            elif node in ("Δ", "δ"):
                yield "difference"
    yield from (f"order of {kind} {number}" for kind, number in order.items())
    yield f"highest order {max(order.values(), default=0)}"


def _facets_of(node: NormalNode) -> Iterator[str]:
    """Yield the facets of one inner node."""
    match node:
        case nodes.Relation():
            yield from (f"relation {sign}" for sign in sorted(set(node.signs)))
            for side in node.sides:
                yield f"side {'0' if side == '#0' else 'leaf' if side.__class__ is str else _head(side)}"
        case nodes.Scripts():
            scripts = (("_", node.low), ("^", node.high))
            yield from (f"script {position} {_script(script)}" for position, script in scripts if script != EMPTY)
        case nodes.Product():
            yield f"factors {min(len(node.numerator) + len(node.denominator), 6)}"
            if node.denominator:
                yield "quotient"
        case nodes.Sum():
            yield f"terms {min(len(node.terms), 5)}"
        case nodes.Derivative():
            yield "derivative " + "+".join([order for _, order in node.variables])
        case nodes.Fenced():
            yield f"() {node.opening + node.closing}"
        case nodes.Accented():
            yield f"acc {node.name}"
        case nodes.Big():
            yield f"big {node.sign}"
        case nodes.Infix():
            yield f"in {node.signs[0]}"
        case nodes.Applied():
            yield f"applies {_head(node.head)}"
        case nodes.Differential() | nodes.Matrix() | nodes.FunctionCall():
            yield tag_of(node)


def _head(node: NormalNode) -> str:
    """Return the name of a node in the features of its neighbours."""
    head = base_of(node, nodes.Scripts, nodes.Primed, nodes.FunctionCall, nodes.Applied, nodes.Accented)
    if head.__class__ is str:
        return _without_style(head) if head else ""
    return head.sign if head.__class__ is nodes.Big else tag_of(head)


def _script(node: NormalNode) -> str:
    if node.__class__ is str:
        return f"number {node}" if node[0] == "#" else "label" if node[0] in '"%' else "index"
    return f"indices {len(node.letters)}" if node.__class__ is nodes.Letters else tag_of(node)


# -- order of differentiation --------------------------------------------------------------------------------------------
def _order(node: NormalNode) -> Counter[str]:
    """Return the highest orders of derivatives by time, place and index: nested and multiplied orders add, of terms and sides the highest counts."""
    if node.__class__ is str:
        kind, number = _OPERATORS.get(_without_style(node) if node else "", ("", 0))
        return Counter({kind: number}) if number else Counter()
    if node.__class__ is nodes.Derivative:
        return sum((Counter({_variable_kind(by): _number(order)}) for by, order in node.variables), _order(node.body))
    if node.__class__ is nodes.Scripts:
        return _scripted_order(node)
    inner = [_order(child) for child in (node.numerator if node.__class__ is nodes.Product else children(node))]
    if isinstance(node, (nodes.Product, nodes.Infix, nodes.Applied, nodes.FunctionCall)):
        found = sum(inner, Counter[str]())
        # Δ before an operator is a Laplacian, not a difference
        if node.__class__ is nodes.Product and "Δ" in node.numerator and found["space"]:
            found["space"] += 2
        return +found
    return reduce(or_, inner, Counter[str]())


def _scripted_order(node: nodes.Scripts[NormalNode]) -> Counter[str]:
    subscript, superscript = node.low, node.high
    if (
        subscript.__class__ is nodes.Letters
        and len(set(subscript.letters)) == 1
        and subscript.letters[0] in _COORDINATES
    ):
        return Counter({_variable_kind(subscript.letters[0]): len(subscript.letters)})
    power = _number(superscript[1:]) if superscript.__class__ is str and superscript[:1] == "#" else 1
    base = Counter({"space": 2}) if node.base == "Δ" and power > 1 else _order(node.base)
    return Counter({kind: number * min(power, 4) for kind, number in base.items()})


def _number(order: object) -> int:
    digits = "".join([c for c in str(order) if c.isdecimal()])
    return int(digits[:2]) if digits else 1


def _variable_kind(by: NormalNode) -> str:
    """Return whether a variable is time, place, or an index that is summed over (which has a numbered name)."""
    name = _head(by)
    if name in _TIMES or (
        by.__class__ is nodes.Letters and not _TIMES.isdisjoint([_head(part) for part in by.letters])
    ):
        return "time"
    return "index" if name[:1] in "διη" and name[1:].isdecimal() else "space"
