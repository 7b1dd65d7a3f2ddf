"""Rules put into a formula's tree: one step, everywhere or not at all.

Indices of a rule's symbol are places: G_{μν} = R_{μν} - … also holds for G_{ab}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from bot.formula.equivalence.rules import SubstitutionRule
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import Forms
from bot.formula.tex.nodes import EMPTY, Applied, Derivative, FunctionCall, Letters, Product, Scripts
from bot.formula.tex.tree import Node, leaves, rebuilt

MAX_LEAVES = 400  # of a rewritten formula
_INDEX = frozenset("μνρσλκταβγδijklmnabcd")


def rewritten(found: Forms, rules: Iterable[SubstitutionRule]) -> Forms | None:
    """Return the formula with all rules put in at once, or None where none applies or a symbol stands where nothing can be put in."""
    steps = list(rules)
    equations = []
    changed = False
    for node in found.noted[0]:
        walk = _Rewriting(steps)
        try:
            equations.append(walk.of(node))
        except _Fixed:
            return None
        changed = changed or walk.changed
    if not changed or sum(_size(node) for node in equations) > MAX_LEAVES:
        return None
    return replace(found, strict=(equations, []), noted=(equations, []), named=equations)


def ways(found: Forms, rules: Sequence[SubstitutionRule]) -> Iterator[tuple[tuple[SubstitutionRule, ...], Forms]]:
    """Yield the formula with each rule that applies, and with all of them."""
    applying: list[SubstitutionRule] = []
    for rule in rules:
        form = rewritten(found, [rule])
        if form is not None:
            applying.append(rule)
            yield (rule,), form
    if len(applying) > 1:
        form = rewritten(found, applying)
        if form is not None:
            yield tuple(applying), form


def _size(node: Node) -> int:
    return sum(1 for _ in leaves(node))


class _Fixed(Exception):
    """The symbol is differentiated by, called, or under a d: it cannot be put in everywhere."""


class _Rewriting:
    def __init__(self, rules: Iterable[SubstitutionRule]) -> None:
        self.rules = list(rules)
        self.changed = False

    def found(self, node: Node) -> Node | None:
        """The expression that stands for this node."""
        for rule in self.rules:
            if node == rule.symbol:
                self.changed = True
                return rule.expression
            names = _matched(rule.symbol, node)
            if names:
                self.changed = True
                return _reindexed(rule.expression, names)
        return None

    def of(self, node: Node) -> Node:
        expression = self.found(node)
        if expression is not None:
            return expression
        if node.__class__ is str:
            return node
        tag = node[0]
        if tag == "s":
            return self.scripts(node)
        if tag == "*":
            for row in node[1:]:
                for sign, factor in pairwise(row):
                    if sign in ("d", "δ", "Δ", "∂") and self.is_one(factor):
                        raise _Fixed
            return times([self.of(part) for part in node[1]], [self.of(part) for part in node[2]])
        if tag == "+":
            return plus([self.of(part) for part in node[1]])
        if tag == "-":
            return minus(self.of(node[1]))
        if tag == "D":
            if any(self.is_one(variable) for variable, _ in node[2]):
                raise _Fixed
            return Derivative(node[1], node[2], self.of(node[3]))
        if tag == "call":
            if self.is_one(node[1]):
                raise _Fixed
            return FunctionCall(node[1], node[2], self.of(node[3]))
        if tag == "d":
            if self.is_one(node[3]):
                raise _Fixed
            return node
        if tag in ("seq", "big", "acc"):
            return node
        if tag == "app":
            return Applied(node[1], self.of(node[2]))
        return rebuilt(node, self.of)

    def is_one(self, node: Node) -> bool:
        if node.__class__ is not str and node[0] == "s" and is_power(node[1], node[3]):
            node = node[1] if node[2] == EMPTY else Scripts(node[1], node[2], EMPTY)
        return any(node == rule.symbol or bool(_matched(rule.symbol, node)) for rule in self.rules)

    def scripts(self, node: Node) -> Node:
        """κ² is κ squared, x_κ has no κ in it."""
        base, low, high = node[1], node[2], node[3]
        if high == EMPTY or base[:1] == ("big",) or not is_power(base, high):
            return node
        inner = self.of(base if low == EMPTY else Scripts(base, low, EMPTY))
        exponent = self.of(Product(high[1], ()) if high.__class__ is not str and high[0] == "seq" else high)
        if inner == base or low != EMPTY:
            same = inner == ("s", base, low, EMPTY)
            if same and exponent == high:
                return node
            if same:
                return Scripts(base, low, exponent)
        return Scripts(inner, EMPTY, exponent)


# -- indices ------------------------------------------------------------------------------------------------------------
def _names(script: Node) -> tuple[str, ...]:
    """The index letters of a script, or nothing where it is a label or a number."""
    letters = script[1] if script[:1] == ("seq",) else (script,) if script != EMPTY else ()
    return tuple(letters) if all(letter.__class__ is str for letter in letters) else ("",)


def _matched(symbol: Node, node: Node) -> dict[str, str]:
    """Which index of the rule stands for which of the formula: G_{μν} and G_{ab}."""
    if symbol.__class__ is str or node.__class__ is str or symbol[0] != "s" or node[0] != "s" or symbol[1] != node[1]:
        return {}
    names: dict[str, str] = {}
    for mine, yours in zip(symbol[2:], node[2:], strict=True):
        left, right = _names(mine), _names(yours)
        if len(left) != len(right) or not all(name in _INDEX for name in left):
            return {}
        for one, other in zip(left, right, strict=True):
            if not (other in _INDEX or other[:1] == "ι") or names.setdefault(one, other) != other:
                return {}
    return names if len(set(names.values())) == len(names) >= 2 else {}  # one index may be a label


def _reindexed(node: Node, names: dict[str, str]) -> Node:
    if node.__class__ is str:
        return node
    if node[0] == "s":
        return Scripts(_reindexed(node[1], names), _renamed(node[2], names), _renamed(node[3], names))
    if node[0] == "D":
        by = tuple((_renamed(variable, names), order) for variable, order in node[2])
        return Derivative(node[1], by, _reindexed(node[3], names))
    return rebuilt(node, lambda child: _reindexed(child, names))


def _renamed(script: Node, names: dict[str, str]) -> Node:
    if script.__class__ is str:
        return names.get(script, script)
    return Letters(tuple(_renamed(part, names) for part in script[1])) if script[0] == "seq" else script
