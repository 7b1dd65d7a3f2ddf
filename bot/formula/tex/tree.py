"""The operator tree: leaves are strings, everything else is a tuple whose first part says what it is.

Leaves: x, α, b.F (bold), %sin (a name), #2 (a number), "where (words), ~∞ (a symbol), "" (nothing).
Nodes: ("s", base, sub, sup) scripts · ("'", base, n) primes · ("acc", name, body) · ("frac", a, b) · ("binom", a, b) · ("sqrt", a) · ("root", a, n) ·
("!", a) · ("*", factors) · ("/", a, b) · ("in", signs, operands) infix · ("+", terms), a term with a sign being ("-", a) · ("rel", signs, sides) ·
(",", separators, parts) · ("()", open, close, body) · ("mat", environment, rows) · ("call", f, arguments) · ("app", head, body) · ("big", sign) ·
("d", sign, order, x) a differential · ("D", style, ((variable, order), …), body) a derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Node = Any  # str | tuple[Any, ...]: a recursive alias would cost more casts than it catches mistakes
EMPTY = ""


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula: `equations` are what it states, `conditions` what it says about their range, `tree` is both."""

    tex: str
    equations: tuple[Node, ...]
    conditions: tuple[Node, ...]
    tokens: tuple[str, ...]
    called: frozenset[str] = frozenset()  # letters that are functions in this formula
    aside: tuple[str, ...] = ()  # words between the parts, and equation numbers

    @property
    def tree(self) -> Node:
        if len(self.equations) == 1 and not self.conditions:
            return self.equations[0]
        return ("system", self.equations, self.conditions)

    def leaves(self) -> tuple[str, ...]:
        return (*leaves(self.tree), *self.aside)

    def variables(self) -> tuple[str, ...]:
        return tuple(variables(self.tree))


# What the parts of a node are after its tag: n a node, t a tuple of nodes, r rows of nodes, p (separator, node) pairs, v (node, order) pairs, - no node.
SHAPES = {
    "s": "nnn", "'": "n-", "acc": "-n", "frac": "nn", "binom": "nn", "atop": "nn", "brace": "nn", "brack": "nn", "sqrt": "n", "root": "nn", "!": "n",
    "/": "nn", "in": "-t", "+": "t", "-": "n", "±": "n", "∓": "n", "⊕": "n", "⊖": "n", "∔": "n", "⊞": "n", "⊟": "n", "rel": "-t", ",": "-t", "()": "--n",
    "mat": "-r", "parts": "p", "app": "nn", "big": "-", "d": "--n", "D": "-vn", "mod": "n", "pre": "nnn", "system": "tt", "seq": "t", "sign": "-", "op": "--",
    "*": "t", "call": "nn",
}  # fmt: skip
NORMAL_SHAPES = SHAPES | {"*": "tt", "call": "n-n"}


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number of a size that formulas have, so that `int` takes it."""
    return text.isdecimal() and len(text) < 30


def _places(shapes: dict[str, str]) -> dict[str, tuple[int, ...]]:
    """Where the parts stand in nodes that hold nothing but single nodes and words."""
    return {
        tag: tuple([place for place, kind in enumerate(shape, 1) if kind == "n"])
        for tag, shape in shapes.items()
        if set(shape) <= set("n-")
    }


_PLACES, _NORMAL_PLACES = _places(SHAPES), _places(NORMAL_SHAPES)


def children(node: Node, shapes: dict[str, str] = SHAPES) -> list[Node]:
    """Return the nodes directly below, from left to right."""
    if node.__class__ is str:
        return []
    tag = node[0]  # the common ones first: this is walked millions of times
    if tag == "s":
        return list(node[1:])
    if tag == "*":
        return [*node[1], *node[2]] if shapes is NORMAL_SHAPES else list(node[1])
    if tag == "+":
        return list(node[1])
    if tag == "rel" or tag == "in":
        return list(node[2])
    places = (_NORMAL_PLACES if shapes is NORMAL_SHAPES else _PLACES).get(tag)
    if places is not None:
        return [node[place] for place in places]
    found: list[Node] = []
    for kind, part in zip(shapes[tag], node[1:], strict=True):
        if kind == "n":
            found.append(part)
        elif kind == "t":
            found.extend(part)
        elif kind == "r":
            found.extend(cell for row in part for cell in row)
        elif kind == "p":
            found.extend(inner for _, inner in part)
        elif kind == "v":
            found.extend(inner for inner, _ in part)
    return found


def rebuilt(node: Node, change: Callable[[Node], Node], shapes: dict[str, str] = NORMAL_SHAPES) -> Node:
    """Return the node with `change` applied to each of its children."""
    if node.__class__ is str:
        return node
    tag = node[0]
    if tag == "s":
        return (tag, change(node[1]), change(node[2]) if node[2] else EMPTY, change(node[3]) if node[3] else EMPTY)
    if tag == "*" and shapes is NORMAL_SHAPES:
        return (tag, tuple(map(change, node[1])), tuple(map(change, node[2])))
    if tag == "+":
        return (tag, tuple(map(change, node[1])))
    if tag == "rel" or tag == "in":
        return (tag, node[1], tuple(map(change, node[2])))
    places = (_NORMAL_PLACES if shapes is NORMAL_SHAPES else _PLACES).get(tag)
    if places is not None:
        copy = list(node)
        for place in places:
            copy[place] = change(node[place])
        return tuple(copy)
    parts: list[Node] = [node[0]]
    for kind, part in zip(shapes[node[0]], node[1:], strict=True):
        if kind == "n":
            parts.append(change(part))
        elif kind == "t":
            parts.append(tuple([change(inner) for inner in part]))
        elif kind == "r":
            parts.append(tuple([tuple([change(cell) for cell in row]) for row in part]))
        elif kind == "p":
            parts.append(tuple([(sep, change(inner)) for sep, inner in part]))
        elif kind == "v":
            parts.append(tuple([(change(inner), order) for inner, order in part]))
        else:
            parts.append(part)
    return tuple(parts)


def leaves(node: Node, shapes: dict[str, str] = SHAPES) -> Iterator[str]:
    """Yield identifiers, numbers, names and words from left to right."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if current and current[0] != "~":
                yield current
            continue
        yield from _words(current)
        stack.extend(reversed(children(current, shapes)))


def _words(node: Node) -> Iterator[str]:
    """Words that are no node: mod, the label of an arrow, "if" between the parts of a cell."""
    tag = node[0]
    if tag == "mod":
        yield "%mod"
    elif tag == "rel":
        yield from ['"' + sign[sign.index("[") + 1 : -1] for sign in node[1] if sign[-1:] == "]"]
    elif tag == "in":
        yield from ["%mod" for sign in node[1] if sign == "mod"]
    elif tag == "parts":
        yield from [separator for separator, _ in node[1] if separator[:1] == '"']


def count(node: Node) -> int:
    """Return how many leaves `leaves` yields, the words that are no node aside."""
    if node.__class__ is str:
        return int(node[:1] not in _SILENT)
    number = 0
    stack = [node]
    while stack:
        current = stack.pop()
        tag = current[0]
        if tag == "s":
            below = current[1:]
        elif tag == "*" or tag == "+":
            below = current[1]
        else:
            below = children(current)
        for child in below:
            if child.__class__ is not str:
                stack.append(child)
            elif child[:1] not in _SILENT:
                number += 1
    return number


_SILENT = frozenset(["", "~"])
NOT_VARIABLES = frozenset(["∂", "∇", "□", "d"])


def is_variable(leaf: str) -> bool:
    return bool(leaf) and leaf[0] not in '#"%~' and leaf not in NOT_VARIABLES


def variables(node: Node, shapes: dict[str, str] = SHAPES) -> Iterator[str]:
    """Yield the identifiers that are no scripts, from left to right, without style."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if is_variable(current):
                yield current.rpartition(".")[2]
        elif current[0] == "s" and not (current[1].__class__ is str and current[1][:1] in "%" and current[1]):
            if current[1].__class__ is tuple and current[1][0] == "big":
                stack.extend((current[3], current[2]))
            elif current[3] != EMPTY and current[3].__class__ is tuple and current[3][0] not in ("()", ","):
                stack.extend((current[3], current[1]))
            else:
                stack.append(current[1])
        else:
            stack.extend(reversed(children(current, shapes)))
