"""The canonical tree and its string: what typography and the order of terms, factors and sides cannot change.

`normal` flattens products, sums and fractions and takes off grouping parentheses; `render` writes a tree as a string in
which commuting parts are sorted, so equal strings are equal formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bot.formula.symbols import COMMUTATIVE_INFIX, FLIPPED, SYMMETRIC
from bot.formula.tree import EMPTY, NORMAL_SHAPES, SHAPES, Node, children, rebuilt

_LOGICAL = ("⇔", "⇒", "⇐", "∴", "⊢", "⊨", "↔")


# -- normal form --------------------------------------------------------------------------------------------------------
def normal(node: Node) -> Node:
    """Return the normal form: ("*", numerators, denominators), flat sums, signs in front, relations split at ⇒ first."""
    if node.__class__ is str:
        return node
    return _NORMAL[node[0]](node)


def times(nodes: Iterable[Node], below: Iterable[Node] = ()) -> Node:
    """Return the product of normal nodes over others, flat, with its sign in front."""
    above: list[Node] = []
    under: list[Node] = []
    negative = _gather(nodes, above, under) ^ _gather(below, under, above)
    if len(above) > 1 or (above and under):
        above = [node for node in above if node != "#1"] or (["#1"] if under or not above else ["#1"])
    under = [node for node in under if node != "#1"]
    if not under and len(above) == 1:
        product: Node = above[0]
    else:
        product = ("*", tuple(above) or ("#1",), tuple(under))
    return ("-", product) if negative else product


def _gather(nodes: Iterable[Node], above: list[Node], under: list[Node]) -> bool:
    negative = False
    for node in nodes:
        if node.__class__ is tuple:
            if node[0] == "-":
                negative = not negative
                node = node[1]
            if node.__class__ is tuple:
                if node[0] == "*":
                    above.extend(node[1])
                    under.extend(node[2])
                    continue
                if (
                    node[0] == "s"
                    and node[2] == EMPTY
                    and _negative_number(node[3])
                    and node[1].__class__ is str
                    and node[1][0] not in "%~"
                    and "." not in node[1]
                ):
                    exponent = node[3][1]
                    under.append(node[1] if exponent == "#1" else ("s", node[1], EMPTY, exponent))
                    continue
        if node != EMPTY:
            above.append(node)
    return negative


def _negative_number(node: Node) -> bool:
    return bool(node.__class__ is tuple and node[0] == "-" and node[1].__class__ is str and node[1][:1] == "#")


def plus(terms: Iterable[Node]) -> Node:
    """Return the sum of normal nodes, flat; a minus before a sum goes to its terms."""
    flat: list[Node] = []
    for term in terms:
        if term[:1] == ("+",):
            flat.extend(term[1])
        elif term[:1] == ("-",) and term[1][:1] == ("+",):
            flat.extend(minus(inner) for inner in term[1][1])
        else:
            flat.append(term)
    return flat[0] if len(flat) == 1 else ("+", tuple(flat))


def minus(node: Node) -> Node:
    if node.__class__ is tuple:
        if node[0] == "-":
            return node[1]
        if node[0] == "±":
            return ("∓", node[1])
        if node[0] == "∓":
            return ("±", node[1])
    return ("-", node)


def _sum(node: Node) -> Node:
    return plus(normal(term) for term in node[1])


def _signed(node: Node) -> Node:
    inner = normal(node[1])
    return minus(inner) if node[0] == "-" else (node[0], inner)


def _product(node: Node) -> Node:
    return times([_ungrouped(factor) for factor in node[1]])


def _ungrouped(node: Node) -> Node:
    """Brackets and braces around a sum in a product are parentheses."""
    if (
        node.__class__ is tuple
        and node[0] == "()"
        and node[1] + node[2] in ("[]", "{}", "()")
        and node[3].__class__ is tuple
        and node[3][0] in ("+", "*", "frac")
    ):
        return normal(node[3])
    return normal(node)


def _fraction(node: Node) -> Node:
    return times([_ungrouped(node[1])], [_ungrouped(node[2])])


def _fence(node: Node) -> Node:
    body = normal(node[3])
    if (
        node[1] == "("
        and node[2] == ")"
        and body[:1] not in ((",",), ("rel",), ("mat",))
        and body != EMPTY
        and body[:1] != '"'
    ):
        return body
    if body[:1] == ("mat",) and node[1] + node[2] in ("()", "[]", "||", "‖‖", "{}"):
        return ("mat", {"()": "p", "[]": "p", "||": "v", "‖‖": "V", "{}": "B"}[node[1] + node[2]], body[2])
    if body[:1] == ("mat",) and node[1] == "{" and node[2] == "":
        return ("mat", "cases", body[2])
    return ("()", node[1], node[2], body)


def _infix(node: Node) -> Node:
    """Dots and crosses between numbers or plain letters are products; ∘, ⊗, ⋆, * and products of vectors stay."""
    signs, operands = node[1], [_ungrouped(operand) for operand in node[2]]
    out: list[Node] = [operands[0]]
    kept: list[str] = []
    for sign, operand in zip(signs, operands[1:], strict=True):
        before = out[-1]
        if (sign == "·" and not (_is_vector(before) and _is_vector(operand))) or (sign in "×*" and (_is_number(before) or _is_number(operand))):
            out[-1] = times([before, operand])
        elif sign == "÷":
            out[-1] = times([before], [operand])
        else:
            kept.append(sign)
            out.append(operand)
    if not kept:
        return out[0]
    negative = False
    if out[0][:1] == ("-",):
        negative, out[0] = True, out[0][1]
    result = ("in", tuple(kept), tuple(out))
    return ("-", result) if negative else result


def _is_vector(node: Node) -> bool:
    if node.__class__ is str:
        return node[:2] == "b." or node == "∇"
    tag = node[0]
    if tag == "acc":
        return node[1] in ("vec", "hat", "leftarrow") or _is_vector(node[2])
    if tag in ("s", "'", "-", "call"):
        return _is_vector(node[1])
    if tag == "*":
        return any(_is_vector(part) for part in node[1])
    if tag == "+":
        return any(_is_vector(part) for part in node[1])
    if tag == "app":
        return _is_vector(node[2])
    if tag == "in":
        return any(_is_vector(part) for part in node[2])
    if tag == "D":
        return _is_vector(node[3])
    if tag == "d":
        return _is_vector(node[3])
    return False


def _is_number(node: Node) -> bool:
    if node.__class__ is str:
        return node[:1] == "#" or node[:1] == '"' or (node[:1] == "%" and len(node) > 3)
    if node[0] == "s":
        return _is_number(node[1])
    return bool(node[0] == "*" and (_is_number(node[1][-1]) or _is_number(node[1][0])))


def _relation(node: Node) -> Node:
    signs, sides = node[1], tuple(normal(side) for side in node[2])
    for logical in _LOGICAL:
        if logical in signs and len(signs) > 1:
            pieces, start, kept = [], 0, []
            for index, sign in enumerate((*signs, logical)):
                if sign == logical:
                    inner = signs[start:index]
                    pieces.append(_relation(("rel", inner, sides[start : index + 1])) if inner else sides[start])
                    kept.append(sign)
                    start = index + 1
            return ("rel", tuple(kept[:-1]), tuple(pieces))
    return ("rel", signs, sides)


def _list(node: Node) -> Node:
    return (",", node[1], tuple(normal(part) for part in node[2]))


def _generic(node: Node) -> Node:
    return rebuilt(node, normal, SHAPES)


def _scripts(node: Node) -> Node:
    return ("s", normal(node[1]), _script(node[2]), _script(node[3]))


def _script(node: Node) -> Node:
    """Letters side by side in a script are indices or a label: their order counts."""
    if node.__class__ is tuple and node[0] == "*" and all(part.__class__ is str for part in node[1]):
        return ("seq", node[1])
    return normal(node)


def _matrix(node: Node) -> Node:
    kind = {"pmatrix": "p", "bmatrix": "p", "vmatrix": "v", "Vmatrix": "V", "Bmatrix": "B"}.get(node[1], node[1])
    return ("mat", kind, tuple(tuple(normal(cell) for cell in row) for row in node[2]))


def _call(node: Node) -> Node:
    fence = node[2]
    if fence[0] != "()":
        return ("call", normal(node[1]), "()", normal(fence))
    return ("call", normal(node[1]), fence[1] + fence[2], normal(fence[3]))


def _parts(node: Node) -> Node:
    return ("parts", tuple((sep if sep[:1] != '"' else ",", normal(part)) for sep, part in node[1]))


_NORMAL: dict[str, Callable[[Any], Node]] = {
    "*": _product,
    "+": _sum,
    "-": _signed,
    "±": _signed,
    "∓": _signed,
    "⊕": _signed,
    "⊖": _signed,
    "∔": _signed,
    "⊞": _signed,
    "⊟": _signed,
    "frac": _fraction,
    "()": _fence,
    "in": _infix,
    "rel": _relation,
    ",": _list,
    "s": _scripts,
    "mat": _matrix,
    "call": _call,
    "parts": _parts,
    "acc": lambda node: ("acc", node[1], normal(node[2])),
    "'": lambda node: ("'", normal(node[1]), node[2]),
    "big": lambda node: node,
    "seq": lambda node: node,
    "app": lambda node: ("app", normal(node[1]), normal(node[2])),
    "sqrt": lambda node: ("s", normal(node[1]), EMPTY, ("*", ("#1",), ("#2",))),
    "root": lambda node: ("s", normal(node[1]), EMPTY, times(["#1"], [normal(node[2])])),
}
for _tag in ("binom", "!", "mod", "pre", "atop", "brace", "brack"):
    _NORMAL[_tag] = _generic


# -- string form --------------------------------------------------------------------------------------------------------
def render(node: Node) -> str:
    """Return the canonical string of a normal tree."""
    if node.__class__ is str:
        return node
    return _RENDER.get(node[0], _render_generic)(node)


def _render_product(node: Node) -> str:
    above = "·".join(_in_order(node[1]))
    return f"({above}/{'·'.join(_in_order(node[2]))})" if node[2] else f"({above})"


def _in_order(factors: tuple[Node, ...]) -> list[str]:
    """Sort commuting factors; matrices and vectors, sums over what follows, and names keep their order among themselves."""
    strings = [factor if factor.__class__ is str else render(factor) for factor in factors]
    if len(strings) < 2:
        return strings
    fixed = [index for index, factor in enumerate(factors) if _is_fixed(factor)]
    if len(fixed) < 2:
        return sorted(strings)
    kept = set(fixed)
    return sorted(text for index, text in enumerate(strings) if index not in kept) + [
        "".join(strings[index] + "⋅" for index in fixed)
    ]


def _is_fixed(node: Node) -> bool:
    if node.__class__ is str:
        return node[:2] == "b." or node == "∇" or node == "∂"
    return bool(
        node[0] in ("s", "'", "acc")
        and (_is_vector(node) or (node[0] == "s" and node[3] in ("T", "†", "~†", "⊤", "~⊤", "~∗")))
    )


def _render_sum(node: Node) -> str:
    terms = [term if term.__class__ is str else render(term) for term in node[1]]
    if any(term[:1] in (("⊕",), ("⊖",)) for term in node[1]):
        return "[" + "+".join(terms) + "]"
    return "[" + "+".join(sorted(terms)) + "]"


def _render_infix(node: Node) -> str:
    operands = [render(operand) for operand in node[2]]
    if node[1][0] in COMMUTATIVE_INFIX and len(set(node[1])) == 1:
        operands.sort()
    out = operands[0]
    for sign, operand in zip(node[1], operands[1:], strict=True):
        out += sign + operand
    return "{" + out + "}"


def _render_relation(node: Node) -> str:
    signs, sides = node[1], [render(side) for side in node[2]]
    if len(set(signs)) == 1 and signs[0] in SYMMETRIC:
        return "<" + signs[0].join(sorted(sides)) + ">"
    if all(sign in FLIPPED for sign in signs):
        return _chain([FLIPPED[sign] for sign in reversed(signs)], sides[::-1])
    if all(sign in SYMMETRIC or sign in FLIPPED or sign in _UNFLIPPED for sign in signs):
        backward = [sign if sign in SYMMETRIC else FLIPPED.get(sign) or _UNFLIPPED[sign] for sign in reversed(signs)]
        return min(_chain(list(signs), sides), _chain(backward, sides[::-1]))
    return _chain(list(signs), sides)


def _chain(signs: list[str], sides: list[str]) -> str:
    return "<" + sides[0] + "".join(sign + side for sign, side in zip(signs, sides[1:], strict=True)) + ">"


_UNFLIPPED = {small: big for big, small in FLIPPED.items()}


def _render_scripts(node: Node) -> str:
    return (
        f"{render(node[1])}_{render(node[2])}^{render(node[3])};"
        if node[2] != EMPTY
        else f"{render(node[1])}^{render(node[3])};"
    )


def _render_generic(node: Node) -> str:
    return (
        node[0]
        + "("
        + "|".join(
            [str(part) for part in node[1:] if part.__class__ is not tuple]
            + [render(child) for child in children(node, NORMAL_SHAPES)]
        )
        + ")"
    )


_RENDER: dict[str, Callable[[Any], str]] = {
    "*": _render_product,
    "+": _render_sum,
    "in": _render_infix,
    "rel": _render_relation,
    "s": _render_scripts,
    "-": lambda node: "-" + render(node[1]),
    "±": lambda node: "±" + render(node[1]),
    "∓": lambda node: "∓" + render(node[1]),
    "seq": lambda node: "‹" + " ".join(node[1]) + "›",
    "acc": lambda node: f"{node[1]}({render(node[2])})",
    ",": lambda node: "(," + ",".join(render(part) for part in node[2]) + ")",
    "()": lambda node: f"{node[1]}({render(node[3])}){node[2]}",
    "call": lambda node: f"{render(node[1])}@{node[2]}{render(node[3])}",
    "app": lambda node: f"{render(node[1])}@({render(node[2])})",
    "mat": lambda node: f"mat{node[1]}(" + "\\".join("&".join(render(cell) for cell in row) for row in node[2]) + ")",
    "parts": lambda node: "{" + ";".join(render(part) for _, part in node[1]) + "}",
}
