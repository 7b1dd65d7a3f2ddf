"""A parsed formula, and the walks over trees of either family."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bot.formula.tex import nodes
from bot.formula.tex.nodes import CHILDREN, EMPTY, MAP_CHILDREN, AnyNode, NodeT, NormalNode, RawNode

Kind = TypeVar("Kind")


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula: its equations, the conditions on their range, and `tree` with both."""

    tex: str
    equations: tuple[RawNode, ...]
    conditions: tuple[RawNode, ...]
    tokens: tuple[str, ...]
    called_letters: frozenset[str] = frozenset()  # letters and names of operators that are functions in this formula
    left_out: tuple[str, ...] = ()  # words between the parts, and equation numbers

    @property
    def tree(self) -> RawNode:
        equations: tuple[RawNode, ...] = self.equations
        return equations[0] if len(equations) == 1 and not self.conditions else nodes.System(equations, self.conditions)

    def leaves(self) -> tuple[str, ...]:
        return (*leaves(self.tree), *self.left_out)

    def variables(self) -> tuple[str, ...]:
        return tuple(variables(self.tree))


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number that is short enough for `int`."""
    return text.isdecimal() and len(text) < 30


def children(node: NodeT) -> Iterable[NodeT]:
    """Return the nodes directly below, from left to right."""
    return CHILDREN[node.__class__](node)  # type: ignore[return-value]  # the family of the node is that of its parts


def map_children(node: AnyNode, change: Callable[..., NormalNode]) -> NormalNode:
    """Return the node with `change` applied to each of its children; EMPTY ones stay."""
    return node if node.__class__ is str else MAP_CHILDREN[node.__class__](node, change)  # type: ignore[return-value]


def base_of(node: NodeT, *kinds: type) -> NodeT:
    """Return the innermost base under nodes of these kinds: the first part of each, as the base of scripts."""
    while node.__class__ in kinds:
        (node, *_) = children(node)
    return node


def inside_parentheses(node: RawNode) -> RawNode:
    """Return what is in a pair of parentheses or several; any other node as it is."""
    while node.__class__ is nodes.Fenced and node.opening == "(":
        node = node.body
    return node


def side_by_side(factors: Sequence[RawNode]) -> RawNode:
    """Return factors as one node, a single one as it is."""
    return nodes.Factors(tuple(factors)) if len(factors) > 1 else factors[0] if factors else EMPTY


def walk(trees: Iterable[NodeT]) -> Iterator[NodeT]:
    """Yield nodes and all their descendants, in an unspecified order."""
    stack = list(trees)
    while stack:
        node = stack.pop()
        yield node
        if node.__class__ is not str:
            stack.extend(children(node))


def find_all(kind: type[Kind], *trees: NormalNode) -> Iterator[Kind]:
    """Yield the nodes of one kind in trees, in an unspecified order."""
    return (node for node in walk(trees) if node.__class__ is kind)  # type: ignore[misc]  # mypy narrows by a literal class only


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
    """Yield words that are not nodes: mod, the label of an arrow, "if" between the parts of a cell."""
    if node.__class__ is nodes.Modulo:
        yield "%mod"
    elif node.__class__ is nodes.Relation:
        yield from ['"' + sign[sign.index("[") + 1 : -1] for sign in node.signs if sign[-1:] == "]"]
    elif node.__class__ is nodes.Infix:
        yield from ["%mod" for sign in node.signs if sign == "mod"]
    elif node.__class__ is nodes.Parts:
        yield from [separator for separator, _ in node.pairs if separator[:1] == '"']


def number_of_leaves(node: RawNode) -> int:
    """Return the number of leaves, without words that are not nodes."""
    return sum([part.__class__ is str and part[:1] not in _SILENT for part in walk([node])])


def terms_of(side: NormalNode) -> tuple[NormalNode, ...]:
    """Return the terms of a sum; any other node is one term."""
    return side.terms if side.__class__ is nodes.Sum else (side,)


def signed_body(term: NormalNode) -> tuple[bool, NormalNode]:
    """Return whether a term has a minus, and the term without it."""
    return (True, term.body) if term.__class__ is nodes.Signed and term.sign == "-" else (False, term)


def fraction_of(term: NormalNode) -> tuple[tuple[NormalNode, ...], tuple[NormalNode, ...]]:
    """Return the factors above and below the stroke of a product; any other node is one factor."""
    return (term.numerator, term.denominator) if term.__class__ is nodes.Product else ((term,), ())


def indices(script: NormalNode) -> tuple[NormalNode, ...]:
    """Return the letters side by side in a script; anything else is one."""
    return script.letters if script.__class__ is nodes.Letters else (script,)


def raised(base: NormalNode, high: NormalNode) -> NormalNode:
    """Return a base with a superscript, if there is one."""
    return nodes.Scripts(base, EMPTY, high) if high != EMPTY else base


def is_statement(node: AnyNode) -> bool:
    """Tell whether a node is a relation whose first and last sides are not empty."""
    return node.__class__ is nodes.Relation and node.sides[0] != EMPTY and node.sides[-1] != EMPTY


_SILENT = frozenset(["", "~"])
NOT_VARIABLES = frozenset(["∂", "∇", "□", "d"])


def is_variable(leaf: str) -> bool:
    return bool(leaf) and leaf[0] not in '#"%~' and leaf not in NOT_VARIABLES


def variables(node: NodeT) -> Iterator[str]:
    """Yield the identifiers that are not scripts, from left to right, without style."""
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
