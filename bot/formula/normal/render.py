"""The canonical string of a normal tree: commuting parts sorted, so equal strings are equal formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bot.formula.normal.commuting import is_transposed, keeps_order
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.symbols import COMMUTATIVE_INFIX, FLIPPED, SYMMETRIC
from bot.formula.tex.tree import Node

_OPERATORS = frozenset(["∂", "∇"])
_UNFLIPPED = {small: big for big, small in FLIPPED.items()}


def render(node: Node) -> str:
    """Return the canonical string of a normal tree."""
    if node.__class__ is str:
        return node
    return _RENDER[node[0]](node)


def _product(node: Node) -> str:
    above = _in_order(node[1])
    return f"({above}/{_in_order(node[2])})" if node[2] else f"({above})"


def _in_order(factors: tuple[Node, ...], inside: bool = False) -> str:
    """Sort commuting factors; vectors, matrices and operators keep their order among themselves. `inside` what is transposed as a whole all do."""
    strings: list[str] = []
    fixed: list[int] = []
    for factor in factors:
        if factor.__class__ is str:
            if factor[:2] == "b." or factor in _OPERATORS:
                fixed.append(len(strings))
            strings.append(factor)
        else:
            if keeps_order(factor):
                fixed.append(len(strings))
            strings.append(_RENDER[factor[0]](factor))
    if len(strings) > 1:
        if fixed or inside:
            # with a transposed matrix about, all may be matrices
            if inside or any([is_transposed(factors[index]) for index in fixed]):
                fixed = [index for index, factor in enumerate(factors) if factor[:1] != "#"]
            if len(fixed) > 1:
                kept = set(fixed)
                ordered = "⋅".join([strings[index] for index in fixed])
                strings = [text for index, text in enumerate(strings) if index not in kept]
                strings.append(ordered)
        strings.sort()
    return "·".join(strings)


def _sum(node: Node) -> str:
    terms = [term if term.__class__ is str else _RENDER[term[0]](term) for term in node[1]]
    if not any([term.__class__ is not str and term[0] in ("⊕", "⊖") for term in node[1]]):
        terms.sort()
    return "[" + "+".join(terms) + "]"


def _infix(node: Node) -> str:
    operands = [render(operand) for operand in node[2]]
    if len(set(node[1])) == 1 and node[1][0] in COMMUTATIVE_INFIX:
        operands.sort()
    return (
        "{" + operands[0] + "".join([sign + operand for sign, operand in zip(node[1], operands[1:], strict=True)]) + "}"
    )


def _relation(node: Node) -> str:
    signs = node[1]
    sides = [side if side.__class__ is str else _RENDER[side[0]](side) for side in node[2]]
    if signs[0] in SYMMETRIC and (len(signs) == 1 or len(set(signs)) == 1):
        sides.sort()
        return f"<{signs[0].join(sides)}>"
    if EMPTY not in sides and all([sign in SYMMETRIC or sign in FLIPPED or sign in _UNFLIPPED for sign in signs]):
        backward = [sign if sign in SYMMETRIC else FLIPPED.get(sign) or _UNFLIPPED[sign] for sign in reversed(signs)]
        return min(_chain(signs, sides), _chain(backward, sides[::-1]))
    return _chain(signs, sides)


def _chain(signs: Any, sides: list[str]) -> str:
    return "<" + sides[0] + "".join([sign + side for sign, side in zip(signs, sides[1:], strict=True)]) + ">"


def _scripts(node: Node) -> str:
    base, low, high = [part if part.__class__ is str else _RENDER[part[0]](part) for part in node[1:]]
    if node[1][:1] == ("*",) and not node[1][2] and is_transposed(node):
        base = f"({_in_order(node[1][1], inside=True)})"
    return f"{base}_{low}^{high};" if node[2] != EMPTY else f"{base}^{high};"


def _derivative(node: Node) -> str:
    variables = sorted([f"{render(variable)}{order}" for variable, order in node[2]])
    return f"D{node[1]}({','.join(variables)}|{render(node[3])})"


def _generic(node: Node) -> str:
    return f"{node[0]}({'|'.join([part if part.__class__ is str else render(part) for part in node[1:]])})"


_RENDER: dict[str, Callable[[Any], str]] = {
    "*": _product,
    "+": _sum,
    "in": _infix,
    "rel": _relation,
    "s": _scripts,
    "D": _derivative,
    "-": lambda node: "-" + render(node[1]),
    "±": lambda node: "±" + render(node[1]),
    "∓": lambda node: "∓" + render(node[1]),
    "seq": lambda node: "‹" + " ".join(node[1]) + "›",
    "acc": lambda node: f"{node[1]}({render(node[2])})",
    "'": lambda node: f"{render(node[1])}{'′' * node[2]}",
    ",": lambda node: "(," + ",".join([render(part) for part in node[2]]) + ")",
    "()": lambda node: f"{node[1]}({render(node[3])}){node[2]}",
    "call": lambda node: f"{render(node[1])}@{node[2]}{render(node[3])}",
    "app": lambda node: f"{render(node[1])}@({render(node[2])})",
    "d": lambda node: f"d{node[2]}({render(node[3])})",
    "mat": lambda node: (
        f"mat{node[1]}(" + "\\\\".join(["&".join([render(cell) for cell in row]) for row in node[2]]) + ")"
    ),
    "parts": lambda node: "{" + ";".join([render(part) for _, part in node[1]]) + "}",
    "system": lambda node: (
        "{"
        + ";".join(sorted([render(part) for part in node[1]]))
        + "|"
        + ";".join(sorted([render(part) for part in node[2]]))
        + "}"
    ),
    **dict.fromkeys(
        ("binom", "!", "mod", "pre", "atop", "brace", "brack", "⊕", "⊖", "∔", "⊞", "⊟", "big", "sign", "op"), _generic
    ),
}
