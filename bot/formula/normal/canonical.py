"""The canonical tree: products, sums and fractions flat, grouping parentheses off, derivatives and differentials found.

A normal product is ("*", numerators, denominators), its sign stands in front of it; ("call", f, parentheses, arguments).
What a derivative looks like is kept as its style, so that nothing but typography is lost here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.commuting import in_order, ordered_products
from bot.formula.normal.commuting import is_vector as is_vector
from bot.formula.normal.derivatives import applied, differential, quotient
from bot.formula.tex.nodes import (
    EMPTY,
    Applied,
    CommaList,
    Derivative,
    Factors,
    Fenced,
    FencedCall,
    FunctionCall,
    Infix,
    Letters,
    Matrix,
    Parts,
    Relation,
    Scripts,
    Signed,
)
from bot.formula.tex.symbols import FUNCTIONS
from bot.formula.tex.tree import Formula, Node, rebuilt

_LOGICAL = ("⇔", "⇒", "⇐", "∴", "⊢", "⊨", "↔")
_MATRICES = {"pmatrix": "p", "bmatrix": "p", "vmatrix": "v", "Vmatrix": "V", "Bmatrix": "B"}
_GROUPING = frozenset(["()", "[]", "{}"])


def normalised(formula: Formula) -> tuple[list[Node], list[Node], bool]:
    """Return the normal trees of a formula's equations and conditions, and whether there is a derivative in them."""
    reader = _Normal(formula.tokens, formula.called)
    equations = [reader.of(node) for node in formula.equations]
    conditions = [reader.of(node) for node in formula.conditions]
    ordered = ordered_products(reader.products, not _CALLIGRAPHIC.isdisjoint(formula.tokens))
    if ordered:
        equations = [in_order(node, ordered) for node in equations]
        conditions = [in_order(node, ordered) for node in conditions]
    return equations, conditions, reader.derived


class _Normal:
    """One formula's walk; knows whether its d's are differentials and which letters are called as functions."""

    __slots__ = ("called", "derived", "differentials", "products")

    def __init__(self, tokens: Sequence[str], called: frozenset[str]) -> None:
        self.called = called
        self.derived = False
        self.differentials = not _INTEGRAL_TOKENS.isdisjoint(tokens)
        self.products: list[tuple[Node, ...]] = []

    def of(self, node: Node) -> Node:
        if node.__class__ is str:
            return _upright(node) if node[:1] == '"' else node
        return _RULES[node[0]](self, node)

    def ungrouped(self, node: Node) -> Node:
        """In a product brackets and braces around a sum are parentheses."""
        if node[:1] == ("()",) and node[1] + node[2] in _GROUPING:
            body = node[3]
            while body.__class__ is not str and body[0] == "()" and body[1] == "(" and body[2] == ")":
                body = body[3]
            if body.__class__ is not str and body[0] in ("+", "-", "factors", "frac", "in"):
                return self.of(body)
        return self.of(node)

    def bare(self, node: Node) -> Node:
        """Above and below a fraction stroke parentheses around everything say nothing."""
        while (
            node.__class__ is not str
            and node[0] == "()"
            and node[1] == "("
            and node[2] == ")"
            and node[3][:1] not in ((",",), ("rel",), EMPTY)
        ):
            node = node[3]
        return self.ungrouped(node)

    def sum(self, node: Node) -> Node:
        return plus([self.of(term) for term in node[1]])

    def negative(self, node: Node) -> Node:
        return minus(self.of(node[1]))

    def product(self, node: Node) -> Node:
        raw = self.with_calls(node[1]) if self.called else node[1]
        factors = [
            factor if factor.__class__ is str and factor[:1] != '"' else self.ungrouped(factor) for factor in raw
        ]
        if self.differentials:
            factors = differential(factors)
        acting = applied(factors)
        if acting is not factors:
            self.derived = True
        found = times(acting)
        if found.__class__ is not str and found[0] == "*" and len(found[1]) > 1:
            self.products.append(found[1])
        return found

    def with_calls(self, factors: Sequence[Node]) -> Sequence[Node]:
        """f beside parentheses is a call where f is called elsewhere in the formula."""
        out: list[Node] = []
        for factor in factors:
            if (
                out
                and factor.__class__ is not str
                and factor[0] == "()"
                and factor[1] == "("
                and _head(out[-1]) in self.called
            ):
                out.append(FencedCall(out.pop(), factor))
            else:
                out.append(factor)
        return out

    def fraction(self, node: Node) -> Node:
        found = quotient(node[1], node[2])
        if found is None:
            return times([self.bare(node[1])], [self.bare(node[2])])
        self.derived = True
        rest = found.body
        body = self.product(Factors(tuple(rest))) if len(rest) > 1 else self.bare(rest[0]) if rest else EMPTY
        variables = tuple([(self.of(variable), power) for variable, power in found.variables])
        derivative = Derivative(found.sign, variables, body)
        return times([*[self.ungrouped(factor) for factor in found.before], derivative]) if found.before else derivative

    def fence(self, node: Node) -> Node:
        body = self.of(node[3])
        around = node[1] + node[2]
        if body.__class__ is not str:
            if around == "()" and body[0] not in (",", "rel", "mat", "parts"):
                return body
            if body[0] == "mat":
                if around in _GROUPING:
                    return Matrix("p" if around != "{}" else "B", body[2])
                if around in ("||", "‖‖"):
                    return Matrix("v" if around == "||" else "V", body[2])
                if around == "{":
                    return Matrix("cases", body[2])
        elif around == "()" and body and body[0] not in '"':
            return body
        return Fenced(node[1], node[2], body)

    def infix(self, node: Node) -> Node:
        """Dots between numbers or plain letters are products; so are crosses with a number. ∘, ⊗, ⋆, * (1*f is a convolution) and products of vectors stay."""
        operands = [self.ungrouped(operand) for operand in node[2]]
        out: list[Node] = [operands[0]]
        kept: list[str] = []
        for sign, operand in zip(node[1], operands[1:], strict=True):
            before = out[-1]
            if before == "~∞" or operand == "~∞" or (sign == "*" and (before == "#1" or operand == "#1")):
                kept.append(sign)
                out.append(operand)
            elif (sign == "·" and not _ends_in_nabla(before) and not (is_vector(before) and is_vector(operand))) or (
                sign in ("×", "*") and (_is_number(before, -1) or _is_number(operand, 0))
            ):
                out[-1] = times([before, operand])
            elif sign == "÷":
                out[-1] = times([before], [operand])
            else:
                kept.append(sign)
                out.append(operand)
        if not kept:
            return out[0]
        negative = out[0].__class__ is not str and out[0][0] == "-"
        if negative:
            out[0] = out[0][1]
        result = Infix(tuple(kept), tuple(out))
        return Signed("-", result) if negative else result

    def relation(self, node: Node) -> Node:
        return _by_strength(node[1], tuple([self.of(side) for side in node[2]]))

    def list(self, node: Node) -> Node:
        return CommaList(node[1], tuple([self.of(part) for part in node[2]]))

    def generic(self, node: Node) -> Node:
        return rebuilt(node, self.of)

    def scripts(self, node: Node) -> Node:
        low, high = node[2], node[3]
        if low == EMPTY == high:  # x^{}
            return self.of(node[1])
        power = low == EMPTY and node[1].__class__ is str and (node[1] == "e" or node[1][:1] == "#")  # e^{ikx}, 2^{nk}
        return Scripts(
            self.of(node[1]),
            low if low.__class__ is str else self.script(low),
            high if high.__class__ is str else self.of(high) if power else self.script(high),
        )

    def script(self, node: Node) -> Node:
        """Letters side by side in a script are indices or a label: their order counts. So do parentheses."""
        if node[0] == "factors" and all([part.__class__ is str for part in node[1]]):
            return Letters(node[1])
        if node[0] == "()":
            while node[3].__class__ is not str and node[3][0] == "()":
                node = node[3]
            return self.of(node) if node[3][:1] == ("frac",) else Fenced(node[1], node[2], self.of(node[3]))
        return self.of(node)

    def matrix(self, node: Node) -> Node:
        return Matrix(
            _MATRICES.get(node[1], node[1]),
            tuple([tuple([self.of(cell) for cell in row]) for row in node[2]]),
        )

    def call(self, node: Node) -> Node:
        function, fence = self.of(node[1]), node[2]
        if fence[:1] != ("()",):
            return FunctionCall(function, "()", self.of(fence))
        body = self.of(fence[3])
        name = _head(function)
        if name[:1] == "%" and name[1:] in FUNCTIONS and body[:1] not in ((",",), ("rel",), EMPTY):
            return Applied(function, body)
        return FunctionCall(function, fence[1] + fence[2], body)

    def application(self, node: Node) -> Node:
        head = self.of(node[1])
        return Applied(head, self.bare(node[2]) if head.__class__ is str else self.of(node[2]))

    def parts(self, node: Node) -> Node:
        return Parts(tuple([(sep if sep[:1] != '"' else ",", self.of(part)) for sep, part in node[1]]))

    def root(self, node: Node) -> Node:
        body = self.of(node[1])
        return Scripts(body, EMPTY, times(["#1"], [self.of(node[2]) if len(node) > 2 else "#2"]))


def _by_strength(signs: tuple[str, ...], sides: tuple[Node, ...]) -> Node:
    """a = b ⇒ c = d relates two equations: implications part first."""
    if len(signs) > 1:
        for logical in _LOGICAL:
            if logical in signs and len(set(signs)) > 1:
                pieces: list[Node] = []
                start = 0
                for index, sign in enumerate((*signs, logical)):
                    if sign == logical:
                        inner = sides[start : index + 1]
                        pieces.append(_by_strength(signs[start:index], inner) if len(inner) > 1 else inner[0])
                        start = index + 1
                return Relation((logical,) * (len(pieces) - 1), tuple(pieces))
    return Relation(signs, sides)


def _ends_in_nabla(node: Node) -> bool:
    return node == "∇" or (node.__class__ is not str and node[0] == "*" and not node[2] and node[1][-1] == "∇")


def _upright(words: str) -> str:
    r"""One word of text is an upright symbol: \text{Re} is \mathrm{Re}, \text{const.} is \mathrm{const}."""
    word = words[1:].strip().removesuffix(".")
    if not word.isalpha():
        return words
    return word if len(word) == 1 else "%" + word


def _is_number(node: Node, at: int) -> bool:
    """A number or a word at the end that touches the sign."""
    if node.__class__ is str:
        return node[:1] in ("#", '"') or (node[:1] == "%" and len(node) > 3)
    if node[0] == "s":
        return _is_number(node[1], at)
    if node[0] == "*":
        return not node[2] and _is_number(node[1][at], at)
    return False


def _head(node: Node) -> str:
    while node.__class__ is not str:
        if node[0] in ("s", "'"):
            node = node[1]
        elif node[0] == "acc":
            node = node[2]
        else:
            return ""
    return str(node)


_CALLIGRAPHIC = frozenset(["\\mathcal", "\\mathscr", "\\cal", "\\mathbfcal"])
_INTEGRAL_TOKENS = frozenset(
    [
        "\\int",
        "∫",
        "\\iint",
        "\\iiint",
        "\\oint",
        "\\oiint",
        "\\oiiint",
        "\\idotsint",
        "\\mathrm{d}",
        "\\mathrm {d}",
        "\\textrm{d}",
        "\\textrm {d}",
    ]
)
_RULES: dict[str, Callable[[_Normal, Any], Node]] = {
    "factors": _Normal.product, "+": _Normal.sum, "-": _Normal.negative, "frac": _Normal.fraction, "()": _Normal.fence, "in": _Normal.infix,
    "rel": _Normal.relation, ",": _Normal.list, "s": _Normal.scripts, "mat": _Normal.matrix, "fcall": _Normal.call, "app": _Normal.application,
    "parts": _Normal.parts, "sqrt": _Normal.root, "root": _Normal.root,
    **dict.fromkeys(("binom", "!", "mod", "pre", "atop", "brace", "brack", "±", "∓", "⊕", "⊖", "∔", "⊞", "⊟", "acc", "'", "big", "seq", "sign"), _Normal.generic),
}  # fmt: skip
