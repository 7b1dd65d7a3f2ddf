"""Rules put into a formula's tree: one step, everywhere or not at all.

Indices of a rule's symbol are places: G_{μν} = R_{μν} - … also holds for G_{ab}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from bot.formula.equivalence.rules import SubstitutionRule
from bot.formula.normal.arithmetic import remade, times
from bot.formula.normal.scripts import is_power, without_scripts
from bot.formula.normal.stages import NormalForms
from bot.formula.tex.nodes import (
    EMPTY,
    Accented,
    Applied,
    Big,
    Derivative,
    Differential,
    FunctionCall,
    Letters,
    Product,
    Scripts,
)
from bot.formula.tex.nodes import NormalNode as Node
from bot.formula.tex.tree import leaves, rebuilt

MAX_LEAVES = 400  # of a rewritten formula
_INDEX = frozenset("μνρσλκταβγδijklmnabcd")


def rewritten(found: NormalForms, rules: Iterable[SubstitutionRule]) -> NormalForms | None:
    """Return the formula with all rules put in at once, or None where none applies or a symbol stands where nothing can be put in."""
    steps = list(rules)
    equations = []
    changed = False
    for node in found.normal[0]:
        walk = _Rewriting(steps)
        try:
            equations.append(walk.of(node))
        except _NotReplaceable:
            return None
        changed = changed or walk.changed
    if not changed or sum(1 for node in equations for _ in leaves(node)) > MAX_LEAVES:
        return None
    bare = without_scripts(equations, "_" in found.formula.tokens)
    return replace(
        found, canonical=(equations, []), normal=(equations, []), normal_with_names=equations, unscripted=bare
    )


def rewritings(
    found: NormalForms, rules: Sequence[SubstitutionRule]
) -> Iterator[tuple[tuple[SubstitutionRule, ...], NormalForms]]:
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


class _NotReplaceable(Exception):
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
            names = matched_indices(rule.symbol, node)
            if names:
                self.changed = True
                return reindexed(rule.expression, names)
        return None

    def of(self, node: Node) -> Node:
        expression = self.found(node)
        if expression is not None:
            return expression
        match node:
            case Scripts():
                return self.scripts(node)
            case Product(above, below):
                for sign, factor in (*pairwise(above), *pairwise(below)):
                    if isinstance(sign, str) and sign in ("d", "δ", "Δ", "∂") and self.is_one(factor):
                        raise _NotReplaceable
                return times([self.of(part) for part in above], [self.of(part) for part in below])
            case Derivative():
                if any(self.is_one(variable) for variable, _ in node.variables):
                    raise _NotReplaceable
                return Derivative(node.style, node.variables, self.of(node.body))
            case FunctionCall():
                if self.is_one(node.function):
                    raise _NotReplaceable
                return FunctionCall(node.function, node.around, self.of(node.arguments))
            case Differential():
                if self.is_one(node.variable):
                    raise _NotReplaceable
                return node
            case str() | Letters() | Big() | Accented():
                return node
            case Applied():
                return Applied(node.head, self.of(node.body))
        return remade(node, self.of)

    def is_one(self, node: Node) -> bool:
        if node.__class__ is Scripts and is_power(node.base, node.high):
            node = node.base if node.low == EMPTY else Scripts(node.base, node.low, EMPTY)
        return any(node == rule.symbol or bool(matched_indices(rule.symbol, node)) for rule in self.rules)

    def scripts(self, node: Scripts[Node]) -> Node:
        """κ² is κ squared, x_κ has no κ in it."""
        if node.high == EMPTY or node.base.__class__ is Big or not is_power(node.base, node.high):
            return node
        plain = node.base if node.low == EMPTY else Scripts(node.base, node.low, EMPTY)
        inner = self.of(plain)
        exponent = self.of(Product(node.high.letters, ()) if node.high.__class__ is Letters else node.high)
        if node.low != EMPTY and inner == plain:
            return Scripts(node.base, node.low, exponent)
        return Scripts(inner, EMPTY, exponent)


# -- indices ------------------------------------------------------------------------------------------------------------
def _names(script: Node) -> tuple[str, ...]:
    """The index letters of a script, or nothing where it is a label or a number."""
    match script:
        case Letters():
            return script.letters
        case str():
            return (script,) if script else ()
    return ("",)


def matched_indices(symbol: Node, node: Node) -> dict[str, str]:
    """Which index of the rule stands for which of the formula: G_{μν} and G_{ab}."""
    if symbol.__class__ is not Scripts or node.__class__ is not Scripts or symbol.base != node.base:
        return {}
    names: dict[str, str] = {}
    for mine, yours in ((symbol.low, node.low), (symbol.high, node.high)):
        left, right = _names(mine), _names(yours)
        if len(left) != len(right) or not all(name in _INDEX for name in left):
            return {}
        for one, other in zip(left, right, strict=True):
            if not (other in _INDEX or other[:1] == "ι") or names.setdefault(one, other) != other:
                return {}
    return names if len(set(names.values())) == len(names) >= 2 else {}  # one index may be a label


def reindexed(node: Node, names: dict[str, str]) -> Node:
    match node:
        case str():
            return node
        case Scripts():
            return Scripts(reindexed(node.base, names), _renamed(node.low, names), _renamed(node.high, names))
        case Derivative():
            by = tuple([(_renamed(variable, names), order) for variable, order in node.variables])
            return Derivative(node.style, by, reindexed(node.body, names))
    return rebuilt(node, lambda child: reindexed(child, names))


def _renamed(script: Node, names: dict[str, str]) -> Node:
    match script:
        case str():
            return names.get(script, script)
        case Letters():
            return Letters(tuple([names.get(letter, letter) for letter in script.letters]))
    return script
