"""K2: one form for what is only notation: derivatives, Laplacians and wave operators, vector arrows, e^x, definitions.

Derivatives become ("D", style, ((variable, order), …), body) with style "" for d, ∂, dots, primes and letters below, "^" for an upper index,
∇ for covariant ones, D for material ones, δ for functional ones. ("app", "∇²", f), ("app", "□", f), ("app", "div", E), ("app", "curl", B).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.formula.normal.arithmetic import times
from bot.formula.normal.derivatives import operator
from bot.formula.normal.notation_hints import (
    COORDINATES,
    FIELDS,
    NotationHints,
    differentiated_below,
    letter_of,
    survey,
)
from bot.formula.normal.operators import (
    INDEX_GREEK,
    INDEX_LATIN,
    bold,
    contracted_pairs,
    derivative,
    laplacians,
    spread,
)
from bot.formula.tex.nodes import EMPTY, Accented, Applied, Derivative, FunctionCall, Infix, Relation, Scripts, Sum
from bot.formula.tex.tree import Node, rebuilt

_SAME = dict(zip("ϕϵϑϱςϰ", "φεθρσκ", strict=True))
_SAME |= {f"b.{letter}": f"b.{other}" for letter, other in _SAME.items()}
_DEFINITION = {":=": "=", "=:": "=", "≜": "=", "≐": "=", "≡": "=", "≗": "="}
_DOTS = {"dot": "1", "ddot": "2", "dddot": "3", "ddddot": "4"}


def notation(nodes: list[Node]) -> list[Node]:
    """Return the normal trees in the one notation."""
    known = survey(nodes)
    walk = _Notation(known)
    return [walk.of(node) for node in nodes]


class _Notation:
    __slots__ = ("functions", "known")

    def __init__(self, known: NotationHints) -> None:
        self.known = known
        self.functions = differentiated_below(known)

    def of(self, node: Node) -> Node:
        if node.__class__ is str:
            return _SAME.get(node, node)
        rule = _RULES.get(node[0])
        return rule(self, node) if rule else rebuilt(node, self.of)

    def accent(self, node: Node) -> Node:
        body = self.of(node[2])
        if node[1] in _DOTS:
            return derivative("", (("t", _DOTS[node[1]]),), body)
        if node[1] == "vec":
            return bold(body)
        return Accented(node[1], body)

    def prime(self, node: Node) -> Node:
        return derivative("", ((self.known.primed, str(node[2])),), self.of(node[1]))

    def call(self, node: Node) -> Node:
        function, arguments = node[1], self.of(node[3])
        if function.__class__ is not str and function[0] == "'":
            variable = letter_of(arguments) or self.known.primed
            return derivative(
                "", ((variable, str(function[2])),), FunctionCall(self.of(function[1]), node[2], arguments)
            )
        if function == "%exp":
            return Scripts("e", EMPTY, arguments)
        name = self.of(function)
        if name.__class__ is not str and name[0] == "D" and name[3] != EMPTY:
            return Derivative(name[1], name[2], FunctionCall(name[3], node[2], arguments))
        return FunctionCall(name, node[2], arguments)

    def application(self, node: Node) -> Node:
        head, body = node[1], self.of(node[2])
        if head == "%exp":
            return Scripts("e", EMPTY, body)
        if head in _VECTOR_NAMES:
            return Applied(_VECTOR_NAMES[head], body)
        if (
            head.__class__ is not str
            and head[0] == "s"
            and head[2] == EMPTY
            and head[3] == "#2"
            and head[1] in ("∇", "∂")
        ):
            return Applied("∇²" if head[1] == "∇" else "□", body)
        return Applied(self.of(head), body)

    def quotient(self, node: Node) -> Node:
        style = _STYLES[node[1]]
        variables: list[tuple[Node, str]] = []
        for variable, order in node[2]:
            variable = self.of(variable)
            if variable.__class__ is not str and variable[0] == "s" and style == "":
                low, high = variable[2], variable[3]
                if high == EMPTY and low.__class__ is str and (low in INDEX_GREEK or low in INDEX_LATIN):
                    variable = low
                    style = "^" if low in INDEX_GREEK and len(node[2]) == 1 else ""
                elif low == EMPTY and high.__class__ is str and (high in INDEX_GREEK or high in INDEX_LATIN):
                    variable = high
            variables.append((variable, order))
        return derivative(style, tuple(variables), self.of(node[3]))

    def scripts(self, node: Node) -> Node:
        base, low, high = node[1], node[2], node[3]
        if base == "∂" and low != EMPTY:
            alone = operator(node)
            if alone is not None:
                return self.quotient(alone)
        if low.__class__ is not str and low[0] == "," and low[2][0] == EMPTY and low[1][0] == ",":
            names = low[2][1:]
            inner = [
                name for part in names for name in (part[1] if part[:1] == ("*",) or part[:1] == ("seq",) else (part,))
            ]
            rest = Scripts(base, EMPTY, high) if high != EMPTY else base
            return derivative("", tuple([(self.of(name), "1") for name in inner]), self.of(rest))
        if base in self.functions and low != EMPTY:
            letters = low[1] if low.__class__ is not str and low[0] == "seq" else (low,)
            found = derivative("", tuple([(letter, "1") for letter in letters]), self.of(base))
            return Scripts(found, EMPTY, self.of(high)) if high != EMPTY else found
        if base == "∇" and low == EMPTY and high == "#2":
            return "∇²"
        if base == "∂" and low == EMPTY and high == "#2":
            return "□"
        return Scripts(self.of(base), self.of(low), self.of(high))

    def infix(self, node: Node) -> Node:
        signs, operands = list(node[1]), [self.of(operand) for operand in node[2]]
        index = len(signs) - 1
        while index >= 0:
            rest = _before_nabla(operands[index])
            if rest is not None and signs[index] in "·×":
                body = operands[index + 1]
                if signs[index] == "×":
                    found: Node = Applied("curl", body)
                elif body.__class__ is not str and body[0] == "app" and body[1] == "∇":
                    found = Applied("∇²", body[2])
                else:
                    found = "∇²" if body == "∇" else Applied("div", body)
                operands[index : index + 2] = [times([*rest, found]) if rest else found]
                del signs[index]
            index -= 1
        return Infix(tuple(signs), tuple(operands)) if signs else operands[0]

    def product(self, node: Node) -> Node:
        above = self.all(node[1])
        if "Δ" in above and above[-1] != "Δ":
            above = self.with_laplacian(above)
        if "∇²" in above or "□" in above:
            above = laplacians(above)
        contracted = contracted_pairs(above)
        below = self.all(node[2])
        if len(contracted) == 2 and not below:
            given = spread(contracted)
            if given is not None:
                return given
        return times(contracted, below)

    def sum(self, node: Node) -> Node:
        return Sum(tuple(self.all(node[1])))

    def all(self, nodes: tuple[Node, ...]) -> list[Node]:
        return [_SAME.get(node, node) if node.__class__ is str else self.of(node) for node in nodes]

    def with_laplacian(self, factors: list[Node]) -> list[Node]:
        out: list[Node] = []
        for factor in reversed(factors):
            if (
                factor == "Δ"
                and out
                and (self.known.partial or self.functions or letter_of(out[-1]) in FIELDS)
                and letter_of(out[-1]) not in COORDINATES
            ):
                out.append(Applied("∇²", out.pop()))
            else:
                out.append(factor)
        return out[::-1]

    def relation(self, node: Node) -> Node:
        signs = tuple(
            [_DEFINITION.get(sign, sign) if sign != "≡" or not self.known.congruence else sign for sign in node[1]]
        )
        return Relation(signs, tuple(self.all(node[2])))


def _before_nabla(node: Node) -> list[Node] | None:
    if node == "∇":
        return []
    if node.__class__ is not str and node[0] == "*" and not node[2] and node[1][-1] == "∇":
        return list(node[1][:-1])
    return None


_STYLES = {
    "d": "",
    "∂": "",
    "D": "D",
    "δ": "δ",
    "∂_": "",
    "∂^": "^",
    "∇_": "∇",
    "∇^": "∇^",
    "D_": "D",
    "D^": "D^",
    "": "",
    "^": "^",
    "∇": "∇",
}
_VECTOR_NAMES = {"%div": "div", "%rot": "curl", "%curl": "curl", "%grad": "∇"}
_RULES: dict[str, Callable[[_Notation, Any], Node]] = {
    "acc": _Notation.accent, "'": _Notation.prime, "call": _Notation.call, "app": _Notation.application, "D": _Notation.quotient,
    "s": _Notation.scripts, "in": _Notation.infix, "*": _Notation.product, "rel": _Notation.relation, "+": _Notation.sum,
}  # fmt: skip
