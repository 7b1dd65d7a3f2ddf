"""A formula's trees without what texts of one law dress it in: notes, unit vectors, magnitude bars, marks of operators, domains of integration.

Everything works on the normal trees; nothing here says that two formulas are one (see alike.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.formula.keys.constants import marked
from bot.formula.normal.arithmetic import plus, times
from bot.formula.normal.render import render
from bot.formula.normal.scripts import apart
from bot.formula.normal.stages import forms
from bot.formula.tex.nodes import EMPTY, Applied, Big, Product, Relation, Scripts, Signed
from bot.formula.tex.tree import Node, children, rebuilt

_REGIONAL = {"∬": "∫", "∭": "∫", "∯": "∮", "∰": "∮"}
_UNIT = frozenset("r n s e x y z i j k u R".split())
_STATES = frozenset(["ψ", "Ψ"])
DISTANCE = "d_"  # d where it is a letter
_INCREMENTS = ("Δ", "d", "δ", "đ")


@lru_cache(maxsize=50_000)
def undressed(tex: str, *, bound: bool = True) -> tuple[Node, ...]:
    """Return the equations of a formula without its dressing, bound names as numbers or as written; FormulaError where it has no tree."""
    found = forms(tex).noted[0] if bound else forms(tex).named
    # Beside a wave function a hat marks an operator; elsewhere, on a letter that names a direction, a unit vector.
    quantum = any(leaf in _STATES for node in found for leaf in _letters(node))
    walk = _Undressed(quantum, _has_calculus(found))
    return tuple(_labelled(node) for node in apart(_relative([walk.of(node) for node in map(marked, found)])))


class _Undressed:
    def __init__(self, quantum: bool, calculus: bool) -> None:
        self.quantum = quantum
        self.calculus = calculus

    def of(self, node: Node) -> Node:
        if node.__class__ is str:
            return "C" if node.strip('"%.( )').lower() in ("const", "constant") and node[:1] in '"%' else node
        tag = node[0]
        if tag == "acc" and node[1] == "hat" and self.quantum:
            return self.of(node[2])
        if tag == "()" and node[1] == node[2] == "|" and _is_letter(node[3]):
            return self.of(node[3])
        if tag == "s" and _pair(node[2]):
            return self.of(node[1] if node[3] == EMPTY else Scripts(node[1], EMPTY, node[3]))
        if tag == "s" and node[1] in ("d", "b.d") and not self.calculus:
            return Scripts(DISTANCE, node[2], self.of(node[3]))
        if tag == "app" and _integral(node[1]):
            return Applied(self.sign(node[1]), self.of(node[2]))
        if tag == "app" and (summed := _components(node)) is not None:
            return summed
        if tag == "*":
            return self.product(node)
        if tag == "in" and set(node[1]) == {"·"}:
            return self.product(Product(node[2], ()))
        if tag == "rel":
            return Relation(node[1], tuple(self.side(side) for side in node[2]))
        return rebuilt(node, self.of)

    def side(self, node: Node) -> Node:
        """⟨E⟩ among others is the value of E; alone on a side it is what the formula is about."""
        return rebuilt(node, self.of) if node[:1] == ("()",) else self.of(node)

    def product(self, node: Node) -> Node:
        above = [part for part in node[1] if not self.is_dress(part)] or list(node[1])
        if len(above) < len(node[1]) and not above:
            above = ["#1"]
        above = [self.of(part) for part in self.distances(above)]
        return times(above, [self.of(part) for part in self.distances(list(node[2]))])

    def is_dress(self, part: Node) -> bool:
        """A remark in parentheses; a unit vector."""
        if part.__class__ is str:
            return part[:2] == '"('
        base = part[1] if part[0] == "s" and part[3] == EMPTY else part
        return bool(
            not self.quantum and base[:1] == ("acc",) and base[1] == "hat" and _plain(base[2]) in _UNIT
        )  # fmt: skip

    def distances(self, factors: list[Node]) -> list[Node]:
        """Where nothing is differentiated, a d that no letter follows is a distance."""
        if self.calculus:
            return factors
        return [
            DISTANCE
            if part == "b.d" or (part == "d" and not (n + 1 < len(factors) and _is_letter(factors[n + 1])))
            else part
            for n, part in enumerate(factors)
        ]

    def sign(self, node: Node) -> Node:
        """Return an integral's sign without the number of signs and the name of its domain; a round one stays round, and numbers stay."""
        big, low, high = (node[1], node[2], node[3]) if node[0] == "s" else (node, EMPTY, EMPTY)
        big = Big(_REGIONAL.get(big[1], big[1]))
        named = not any(leaf[:1] == "#" or leaf == "~∞" for end in (low, high) for leaf in _all(end))
        return big if named else Scripts(big, low, high)


def increments(nodes: Sequence[Node]) -> list[Node] | None:
    """Return a sum of single quantities without the Δ and d that mark increments; None for anything else.

    ΔE = Q − W and dE = δQ − δW say the same. A quotient of increments is a mean in one and a derivative in the other.
    """
    if len(nodes) != 1 or nodes[0][:1] != ("rel",):
        return None
    marked = False
    sides = []
    for side in nodes[0][2]:
        terms = []
        for term in side[1] if side[:1] == ("+",) else (side,):
            sign, body = (True, term[1]) if term[:1] == ("-",) else (False, term)
            quantity = _increment_of(body)
            if quantity is None and not _is_letter(body):
                return None
            marked = marked or quantity is not None
            terms.append(Signed("-", quantity or body) if sign else quantity or body)
        sides.append(plus(terms))
    return [Relation(nodes[0][1], tuple(sides))] if marked else None


def _increment_of(node: Node) -> Node | None:
    if node[:1] == ("d",):
        return node[3]
    if (
        node[:1] == ("*",)
        and not node[2]
        and len(node[1]) == 2
        and node[1][0] in _INCREMENTS
        and _is_letter(node[1][1])
    ):
        return node[1][1]
    return None


def _relative(nodes: list[Node]) -> list[Node]:
    """ΔL/L₀ is ΔL/L: where a letter stands only in its increment and with a 0, the 0 tells nothing apart."""
    grown: set[str] = set()
    alone: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
        elif node[0] == "s" and node[2] == "#0":
            stack.append(node[3])
        elif node[0] == "*":
            for parts in (node[1], node[2]):
                after = [n for n, part in enumerate(parts) if n and parts[n - 1] == "Δ" and part.__class__ is str]
                grown.update(parts[n] for n in after)
                stack.extend(part for n, part in enumerate(parts) if n not in after)
        else:
            stack.extend(children(node))
    relative = grown - alone

    def without(node: Node) -> Node:
        if node[:1] == ("s",) and node[1] in relative and node[2] == "#0":
            return node[1] if node[3] == EMPTY else Scripts(node[1], EMPTY, node[3])
        return rebuilt(node, without)

    return [without(node) for node in nodes] if relative else nodes


def _labelled(node: Node) -> Node:
    """Return the tree with every letter that keeps its label as one leaf: I_1 beside I_2."""
    if node[:1] == ("s",) and _is_letter(node[1]) and node[1].__class__ is str and node[2] != EMPTY:
        leaf = f"{node[1]}_{render(node[2])}"
        return leaf if node[3] == EMPTY else Scripts(leaf, EMPTY, _labelled(node[3]))
    return rebuilt(node, _labelled)


def _components(node: Node) -> Node | None:
    """Σ aᵢbᵢ over three components is a·b."""
    sign, body = node[1], node[2]
    if sign[:1] != ("s",) or sign[1] != ("big", "∑") or sign[3] != "#3" or body[:1] != ("*",) or body[2]:
        return None
    index = next(_letters(sign[2]), "")
    if len(body[1]) == 2 and all(part[:1] == ("s",) and part[2] == index and part[3] == EMPTY for part in body[1]):
        return times([part[1] for part in body[1]])
    return None


def _integral(node: Node) -> bool:
    big = node[1] if node[:1] == ("s",) else node
    return bool(big[:1] == ("big",) and big[1] in "∫∬∭∮∯∰")


def _pair(node: Node) -> bool:
    """The subscript of what one body does to another: 12, 21."""
    return node in ("#12", "#21") or (node[:1] == ("seq",) and node[1] in (("#1", "#2"), ("#2", "#1")))


def _is_letter(node: Node) -> bool:
    if node.__class__ is str:
        return bool(node) and node[0] not in '#"%~' and node not in ("d", "Δ", "∂", "∇")
    return bool(node[0] == "s" and node[3] == EMPTY and _is_letter(node[1])) or (
        node[0] == "acc" and node[1] == "vec" and _is_letter(node[2])
    )


def _plain(node: Node) -> str:
    return node.rpartition(".")[2] if node.__class__ is str else ""


def _all(node: Node) -> list[str]:
    found, stack = [], [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            found.append(current)
        elif current[0] == "seq":
            stack.extend(current[1])
        else:
            stack.extend(children(current))
    return found


def _letters(node: Node) -> Iterator[str]:
    return (leaf for leaf in _all(node) if leaf and leaf[0] not in '#"%~')


def _has_calculus(nodes: list[Node]) -> bool:
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is not str:
            if node[0] in ("D", "d") or node[:1] == ("big",):
                return True
            stack.extend(children(node))
    return False
