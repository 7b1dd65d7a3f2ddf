"""Trees rewritten by a rule for every part, or with other trees for their quantities, which are letters with their scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.arithmetic import map_children_flat, times
from bot.formula.normal.scripts import is_power, without_power
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children

_NO_QUANTITY = frozenset(["e", "i", "∂", "∇"])


def bottom_up(tree: NormalNode, rule: Callable[[NormalNode], NormalNode]) -> NormalNode:
    """Return a tree with a rule applied to every part, the innermost first."""

    def visit(node: NormalNode) -> NormalNode:
        return rule(node if node.__class__ is str else map_children_flat(node, visit))

    return visit(tree)


def top_down(tree: NormalNode, rule: Callable[[NormalNode], NormalNode | None]) -> NormalNode:
    """Return a tree with what a rule makes of its parts, the outermost first; only where it makes nothing of a part it is asked about those inside."""

    def visit(node: NormalNode) -> NormalNode:
        if (found := rule(node)) is not None:
            return found
        return node if node.__class__ is str else map_children_flat(node, visit)

    return visit(tree)


def _is_letter(leaf: str) -> bool:
    """Tell whether a leaf may stand for a quantity; a d that stands alone is one, as a differential is a node of its own."""
    return leaf == "d" or (is_name(leaf) and leaf not in _NO_QUANTITY)


def quantities(trees: Iterable[NormalNode]) -> dict[NormalNode, None]:
    """Return the letters of trees, each with the scripts that are not powers."""
    found: dict[NormalNode, None] = {}
    stack = list(trees)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            if _is_letter(node):
                found[node] = None
        elif node.__class__ is nodes.Scripts and node.base.__class__ in (str, nodes.Accented):
            power = node.high == EMPTY or _is_exponent(node.base, node.high)
            if letter_of(node):
                found[without_power(node) if power else node] = None
            if power:
                stack.append(node.high)
        elif node.__class__ is nodes.Accented:
            if letter_of(node):
                found[node] = None
        else:
            stack.extend(children(node))
    return found


def _is_exponent(base: NormalNode, script: NormalNode) -> bool:
    """Tell whether a script is a power, not an index or a mark; j^⋆ and E^⊖ are quantities."""
    return is_power(base, script) and not (script.__class__ is str and script[:1] == "~")


def letter_of(node: NormalNode) -> str:
    """Return the letter of a quantity, without style; "" for anything else."""
    base = base_of(node, nodes.Scripts, nodes.Accented)
    return base.rpartition(".")[2] if base.__class__ is str and _is_letter(base) else ""


class NotReplaceable(Exception):
    """A letter cannot be replaced if it is called or a variable of a derivative."""


def with_values(node: NormalNode, values: Mapping[NormalNode, NormalNode]) -> NormalNode:
    """Return the tree with other trees for quantities."""
    if node in values:
        return values[node]
    if node.__class__ is str:
        return node
    match node:
        case nodes.Scripts(base, low, high) if base.__class__ in (str, nodes.Accented):
            if high == EMPTY or not _is_exponent(base, high):
                return node
            plain = without_power(node)
            value, power = values.get(plain, plain), with_values(high, values)
            if value == plain:
                return nodes.Scripts(base, low, power)
            if value.__class__ is nodes.Scripts and value.high == EMPTY:
                return nodes.Scripts(value.base, value.low, power)
            if value.__class__ is nodes.Scripts and value.low == EMPTY:
                return nodes.Scripts(value.base, EMPTY, times([value.high, power]))
            return nodes.Scripts(value, EMPTY, power)
        case nodes.Derivative(style, variables, body):
            by = tuple([(_name(variable, values), order) for variable, order in variables])
            return nodes.Derivative(style, by, with_values(body, values))
        case nodes.Differential(sign, order, variable):
            return nodes.Differential(sign, order, _name(variable, values))
        case nodes.FunctionCall(function, around, arguments):
            return nodes.FunctionCall(_name(function, values), around, with_values(arguments, values))
        case nodes.Accented():
            return node
    return map_children_flat(node, lambda child: with_values(child, values))


def _name(node: NormalNode, values: Mapping[NormalNode, NormalNode]) -> NormalNode:
    if node not in values and node.__class__ is not str and not letter_of(node):
        return with_values(node, values)
    found = values.get(node, node)
    if not (found == node or letter_of(found)):
        raise NotReplaceable
    return found
