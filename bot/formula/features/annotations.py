"""A formula's trees without annotations, which differ between texts of one law: notes, unit vectors, magnitude bars, marks of operators, domains of integration.

Everything works on the normal trees; nothing here says that two formulas are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.formula.keys.constants import with_marked_constants
from bot.formula.normal.arithmetic import plus, times
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import children, map_children, raised, terms_of, walk

_REGIONAL = {"∬": "∫", "∭": "∫", "∯": "∮", "∰": "∮"}
_UNIT = frozenset("r n s e x y z i j k u R".split())
_STATES = frozenset(["ψ", "Ψ"])
DISTANCE = "d_"  # d as a letter
_INCREMENTS = ("Δ", "d", "δ", "đ")


@lru_cache(maxsize=4096)
def strip_annotations(tex: str, *, bound: bool = True) -> tuple[NormalNode, ...]:
    """Return the equations of a formula without annotations, bound names as numbers or as written; FormulaError where it has no tree."""
    found = normal_forms(tex).normal[0] if bound else normal_forms(tex).normal_with_names
    # Beside a wave function a hat marks an operator; elsewhere, on a letter that names a direction, a unit vector.
    quantum = any(leaf in _STATES for node in found for leaf in _letters(node))
    walk = _AnnotationStripper(quantum, _has_calculus(found))
    return tuple(
        _with_labels_in_leaves(node)
        for node in without_needless_scripts(
            _without_reference_labels([walk.visit(node) for node in map(with_marked_constants, found)])
        )
    )


class _AnnotationStripper:
    def __init__(self, quantum: bool, calculus: bool) -> None:
        self.quantum = quantum
        self.calculus = calculus

    def visit(self, node: NormalNode) -> NormalNode:
        if node.__class__ is str:
            return "C" if node.strip('"%.( )').lower() in ("const", "constant") and node[:1] in '"%' else node
        if node.__class__ is nodes.Accented and node.name == "hat" and self.quantum:
            return self.visit(node.body)
        if node.__class__ is nodes.Fenced and node.opening == node.closing == "|" and _is_letter(node.body):
            return self.visit(node.body)
        if node.__class__ is nodes.Scripts and _is_body_pair(node.low):
            return self.visit(raised(node.base, node.high))
        if node.__class__ is nodes.Scripts and node.base in ("d", "b.d") and not self.calculus:
            return nodes.Scripts(DISTANCE, node.low, self.visit(node.high))
        if node.__class__ is nodes.Applied and _is_integral(node.head):
            return nodes.Applied(self.sign(node.head), self.visit(node.body))
        if node.__class__ is nodes.Applied and (summed := _dot_product(node)) is not None:
            return summed
        if node.__class__ is nodes.Product:
            return self.product(node)
        if node.__class__ is nodes.Infix and set(node.signs) == {"·"}:
            return self.product(nodes.Product(node.operands, ()))
        if node.__class__ is nodes.Relation:
            return nodes.Relation(node.signs, tuple(self.side(side) for side in node.sides))
        return map_children(node, self.visit)

    def side(self, node: NormalNode) -> NormalNode:
        """Strip a side: ⟨E⟩ among other factors is the value of E, but alone on a side it stays."""
        return map_children(node, self.visit) if node.__class__ is nodes.Fenced else self.visit(node)

    def product(self, node: nodes.Product[NormalNode]) -> NormalNode:
        numerator = [part for part in node.numerator if not self.is_annotation(part)] or list(node.numerator)
        numerator = [self.visit(part) for part in self.distances(numerator)]
        return times(numerator, [self.visit(part) for part in self.distances(list(node.denominator))])

    def is_annotation(self, part: NormalNode) -> bool:
        """Tell whether a factor is a remark in parentheses or a unit vector."""
        if part.__class__ is str:
            return part[:2] == '"('
        base = part.base if part.__class__ is nodes.Scripts and part.high == EMPTY else part
        return bool(
            not self.quantum and base.__class__ is nodes.Accented and base.name == "hat" and _without_style(base.body) in _UNIT
        )  # fmt: skip

    def distances(self, factors: list[NormalNode]) -> list[NormalNode]:
        """Make a d without a letter after it a distance, if the formula has no calculus."""
        if self.calculus:
            return factors
        return [
            DISTANCE
            if part == "b.d" or (part == "d" and not (n + 1 < len(factors) and _is_letter(factors[n + 1])))
            else part
            for n, part in enumerate(factors)
        ]

    def sign(self, node: NormalNode) -> NormalNode:
        """Return the sign of an integral without its multiplicity and the name of its domain; ∮ stays ∮, and numeric limits stay."""
        sign, low, high = (node.base, node.low, node.high) if node.__class__ is nodes.Scripts else (node, EMPTY, EMPTY)
        assert sign.__class__ is nodes.Big
        big = nodes.Big(_REGIONAL.get(sign.sign, sign.sign))
        named = not any(leaf.__class__ is str and (leaf[:1] == "#" or leaf == "~∞") for leaf in walk([low, high]))
        return big if named else nodes.Scripts(big, low, high)


def increments(trees: Sequence[NormalNode]) -> list[NormalNode] | None:
    """Return a sum of single quantities without the Δ and d that mark increments; None for anything else.

    ΔE = Q − W and dE = δQ − δW say the same. A quotient of increments is a mean in one and a derivative in the other.
    """
    if len(trees) != 1 or trees[0].__class__ is not nodes.Relation:
        return None
    marked = False
    sides = []
    for side in trees[0].sides:
        terms = []
        for term in terms_of(side):
            sign, body = (True, term.body) if term.__class__ is nodes.Signed and term.sign == "-" else (False, term)
            quantity = _increment_of(body)
            if quantity is None and not _is_letter(body):
                return None
            marked = marked or quantity is not None
            terms.append(nodes.Signed("-", quantity or body) if sign else quantity or body)
        sides.append(plus(terms))
    return [nodes.Relation(trees[0].signs, tuple(sides))] if marked else None


def _increment_of(node: NormalNode) -> NormalNode | None:
    if node.__class__ is nodes.Differential:
        return node.variable
    if (
        node.__class__ is nodes.Product
        and not node.denominator
        and len(node.numerator) == 2
        and node.numerator[0] in _INCREMENTS
        and _is_letter(node.numerator[1])
    ):
        return node.numerator[1]
    return None


def _without_reference_labels(trees: list[NormalNode]) -> list[NormalNode]:
    """Write ΔL/L₀ as ΔL/L: a 0 is needless if a letter is only in its increment and with that 0."""
    grown: set[str] = set()
    alone: set[str] = set()
    stack = list(trees)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
        elif node.__class__ is nodes.Scripts and node.low == "#0":
            stack.append(node.high)
        elif node.__class__ is nodes.Product:
            for parts in (node.numerator, node.denominator):
                after = [n for n, part in enumerate(parts) if n and parts[n - 1] == "Δ" and part.__class__ is str]
                grown.update(str(parts[n]) for n in after)
                stack.extend(part for n, part in enumerate(parts) if n not in after)
        else:
            stack.extend(children(node))
    relative = grown - alone

    def without(node: NormalNode) -> NormalNode:
        if node.__class__ is nodes.Scripts and node.base in relative and node.low == "#0":
            return raised(node.base, node.high)
        return map_children(node, without)

    return [without(node) for node in trees] if relative else trees


def _with_labels_in_leaves(node: NormalNode) -> NormalNode:
    """Return the tree with every letter that keeps its label as one leaf: I_1 and I_2."""
    if node.__class__ is nodes.Scripts and _is_letter(node.base) and node.base.__class__ is str and node.low != EMPTY:
        return raised(f"{node.base}_{render(node.low)}", _with_labels_in_leaves(node.high))
    return map_children(node, _with_labels_in_leaves)


def _dot_product(node: nodes.Applied[NormalNode]) -> NormalNode | None:
    """Return a·b for Σ aᵢbᵢ over three components; None for anything else."""
    sign, body = node.head, node.body
    if (
        sign.__class__ is not nodes.Scripts
        or sign.base != nodes.Big("∑")
        or sign.high != "#3"
        or body.__class__ is not nodes.Product
        or body.denominator
    ):
        return None
    index = next(_letters(sign.low), "")
    bases = [
        part.base for part in body.numerator if part.__class__ is nodes.Scripts and part.low == index and not part.high
    ]
    return times(bases) if len(bases) == len(body.numerator) == 2 else None


def _is_integral(node: NormalNode) -> bool:
    big = node.base if node.__class__ is nodes.Scripts else node
    return bool(big.__class__ is nodes.Big and big.sign in "∫∬∭∮∯∰")


def _is_body_pair(node: NormalNode) -> bool:
    """Tell whether a subscript names two bodies, as 12 and 21 of forces."""
    return node in ("#12", "#21") or (node.__class__ is nodes.Letters and node.letters in (("#1", "#2"), ("#2", "#1")))


def _is_letter(node: NormalNode) -> bool:
    if node.__class__ is str:
        return bool(node) and node[0] not in '#"%~' and node not in ("d", "Δ", "∂", "∇")
    return bool(node.__class__ is nodes.Scripts and node.high == EMPTY and _is_letter(node.base)) or (
        node.__class__ is nodes.Accented and node.name == "vec" and _is_letter(node.body)
    )


def _without_style(node: NormalNode) -> str:
    return node.rpartition(".")[2] if node.__class__ is str else ""


def _letters(node: NormalNode) -> Iterator[str]:
    return (leaf for leaf in walk([node]) if leaf.__class__ is str and leaf and leaf[0] not in '#"%~')


def _has_calculus(trees: list[NormalNode]) -> bool:
    return any(isinstance(node, (nodes.Derivative, nodes.Differential, nodes.Big)) for node in walk(trees))
