"""A parsed formula, and the walks over trees of either family."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter, itemgetter

from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, AnyNode, NodeT, NormalNode, RawNode


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula: `equations` are what it states, `conditions` what it says about their range, `tree` is both."""

    tex: str
    equations: tuple[RawNode, ...]
    conditions: tuple[RawNode, ...]
    tokens: tuple[str, ...]
    called: frozenset[str] = frozenset()  # letters that are functions in this formula
    aside: tuple[str, ...] = ()  # words between the parts, and equation numbers

    @property
    def tree(self) -> RawNode:
        equations: tuple[RawNode, ...] = self.equations
        return equations[0] if len(equations) == 1 and not self.conditions else nodes.System(equations, self.conditions)

    def leaves(self) -> tuple[str, ...]:
        return (*leaves(self.tree), *self.aside)

    def variables(self) -> tuple[str, ...]:
        return tuple(variables(self.tree))


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number of a size that formulas have, so that `int` takes it."""
    return text.isdecimal() and len(text) < 30


def children(node: NodeT) -> Iterable[NodeT]:
    """Return the nodes directly below, from left to right."""
    return _BELOW[node.__class__](node)  # type: ignore[return-value]  # the family of the node is that of its parts


def _none(node: AnyNode) -> tuple[()]:
    return ()


# One look-up for each node, as this is asked millions of times; a part that is no tuple of nodes is its own.
_BELOW: dict[type, Callable[..., Iterable[object]]] = {
    nodes.Scripts: attrgetter("base", "low", "high"), nodes.Product: lambda node: node.above + node.below, nodes.Sum: attrgetter("terms"),
    nodes.Relation: attrgetter("sides"), nodes.Factors: attrgetter("factors"), nodes.Infix: attrgetter("operands"), nodes.CommaList: attrgetter("parts"),
    nodes.Letters: attrgetter("letters"), nodes.Fraction: attrgetter("above", "below"), nodes.Stacked: attrgetter("above", "below"),
    nodes.Applied: attrgetter("head", "body"), nodes.Root: attrgetter("body", "degree"), nodes.FunctionCall: attrgetter("function", "arguments"),
    nodes.FencedCall: attrgetter("function", "arguments"), nodes.Prescripts: attrgetter("first", "second", "body"), nodes.Primed: lambda node: (node.base,),
    nodes.Differential: lambda node: (node.variable,), nodes.Derivative: lambda node: [*map(itemgetter(0), node.variables), node.body],
    nodes.Matrix: lambda node: tuple(chain.from_iterable(node.rows)), nodes.Parts: lambda node: [pair[1] for pair in node.pairs],
    nodes.System: lambda node: node.equations + node.conditions,
    **dict.fromkeys((nodes.Signed, nodes.Fenced, nodes.Accented, nodes.SquareRoot, nodes.Factorial, nodes.Modulo), lambda node: (node.body,)),
    **dict.fromkeys((str, nodes.Big, nodes.Operator, nodes.RelationSign), _none),
}  # fmt: skip


def rebuilt(node: NormalNode, change: Callable[[NormalNode], NormalNode]) -> NormalNode:
    """Return the node with `change` applied to each of its children."""
    if node.__class__ is str:
        return node
    if node.__class__ is nodes.Scripts:
        return nodes.Scripts(
            change(node.base), change(node.low) if node.low else EMPTY, change(node.high) if node.high else EMPTY
        )
    if node.__class__ is nodes.Product:
        return nodes.Product(tuple(map(change, node.above)), tuple(map(change, node.below)))
    if node.__class__ is nodes.Sum:
        return nodes.Sum(tuple(map(change, node.terms)))
    if node.__class__ is nodes.Relation:
        return nodes.Relation(node.signs, tuple(map(change, node.sides)))
    if node.__class__ is nodes.Signed:
        return nodes.Signed(node.sign, change(node.body))
    if node.__class__ is nodes.Applied:
        return nodes.Applied(change(node.head), change(node.body))
    if node.__class__ is nodes.Infix:
        return nodes.Infix(node.signs, tuple(map(change, node.operands)))
    match node:
        case nodes.Fenced():
            return nodes.Fenced(node.opening, node.closing, change(node.body))
        case nodes.FunctionCall():
            return nodes.FunctionCall(change(node.function), node.around, change(node.arguments))
        case nodes.Derivative():
            variables = tuple([(change(variable), order) for variable, order in node.variables])
            return nodes.Derivative(node.style, variables, change(node.body))
        case nodes.Accented():
            return nodes.Accented(node.name, change(node.body))
        case nodes.CommaList():
            return nodes.CommaList(node.separators, tuple(map(change, node.parts)))
        case nodes.Primed():
            return nodes.Primed(change(node.base), node.number)
        case nodes.Differential():
            return nodes.Differential(node.sign, node.order, change(node.variable))
        case nodes.Letters():
            return nodes.Letters(tuple([str(change(letter)) for letter in node.letters]))
        case nodes.Matrix():
            return nodes.Matrix(node.environment, tuple([tuple(map(change, row)) for row in node.rows]))
        case nodes.Parts():
            return nodes.Parts(tuple([(separator, change(part)) for separator, part in node.pairs]))
        case nodes.Stacked():
            return nodes.Stacked(node.tag, change(node.above), change(node.below))
        case nodes.Factorial():
            return nodes.Factorial(change(node.body))
        case nodes.Modulo():
            return nodes.Modulo(change(node.body))
        case nodes.Prescripts():
            return nodes.Prescripts(change(node.first), change(node.second), change(node.body))
        case nodes.System():
            return nodes.System(tuple(map(change, node.equations)), tuple(map(change, node.conditions)))
    return node


def walk(trees: Iterable[NodeT]) -> Iterator[NodeT]:
    """Yield nodes and everything below them, in no order that means anything."""
    stack = list(trees)
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ is not str:
            stack.extend(children(node))


def leaves(node: NodeT) -> Iterator[str]:
    """Yield identifiers, numbers, names and words from left to right."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if current and current[0] != "~":
                yield current
            continue
        yield from _words(current)
        stack.extend(tuple(children(current))[::-1])


def _words(node: AnyNode) -> Iterator[str]:
    """Words that are no node: mod, the label of an arrow, "if" between the parts of a cell."""
    if node.__class__ is nodes.Modulo:
        yield "%mod"
    elif node.__class__ is nodes.Relation:
        yield from ['"' + sign[sign.index("[") + 1 : -1] for sign in node.signs if sign[-1:] == "]"]
    elif node.__class__ is nodes.Infix:
        yield from ["%mod" for sign in node.signs if sign == "mod"]
    elif node.__class__ is nodes.Parts:
        yield from [separator for separator, _ in node.pairs if separator[:1] == '"']


def count(node: RawNode) -> int:
    """Return how many leaves `leaves` yields, the words that are no node aside."""
    if node.__class__ is str:
        return int(node[:1] not in _SILENT)
    number = 0
    stack = [node]
    while stack:
        for part in children(stack.pop()):
            if part.__class__ is not str:
                stack.append(part)
            elif part[:1] not in _SILENT:
                number += 1
    return number


def states(node: AnyNode) -> bool:
    """Tell a relation with two non-empty sides."""
    return node.__class__ is nodes.Relation and node.sides[0] != EMPTY and node.sides[-1] != EMPTY


_SILENT = frozenset(["", "~"])
NOT_VARIABLES = frozenset(["∂", "∇", "□", "d"])


def is_variable(leaf: str) -> bool:
    return bool(leaf) and leaf[0] not in '#"%~' and leaf not in NOT_VARIABLES


def variables(node: NodeT) -> Iterator[str]:
    """Yield the identifiers that are no scripts, from left to right, without style."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if is_variable(current):
                yield current.rpartition(".")[2]
        elif current.__class__ is nodes.Scripts and not (current.base.__class__ is str and current.base[:1] == "%"):
            base, low, high = current.base, current.low, current.high
            if base.__class__ is nodes.Big:
                stack += (high, low)
            elif high.__class__ in (str, nodes.Fenced, nodes.CommaList):
                stack.append(base)
            else:
                stack += (high, base)
        else:
            stack += tuple(children(current))[::-1]
