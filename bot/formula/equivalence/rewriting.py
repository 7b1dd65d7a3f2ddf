"""Rules put into a formula's tree: one step, everywhere or not at all.

Indices of a rule's symbol are places: G_{μν} = R_{μν} - … also holds for G_{ab}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from bot.formula.equivalence.analysed import with_equations
from bot.formula.equivalence.rules import SubstitutionRule
from bot.formula.normal.arithmetic import map_children_flat, times
from bot.formula.normal.scripts import is_power, without_power, without_scripts
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
from bot.formula.tex.tree import leaves, map_children

MAX_LEAVES = 400  # of a rewritten formula
_INDEX = frozenset("μνρσλκταβγδijklmnabcd")


def apply_rules(found: NormalForms, rules: Iterable[SubstitutionRule]) -> NormalForms | None:
    """Return the formula with all rules applied at once, or None if none applies or a symbol stands where nothing can be put in."""
    steps = list(rules)
    equations = []
    changed = False
    for node in found.normal[0]:
        walk = _Rewriting(steps)
        try:
            equations.append(walk.visit(node))
        except _NotReplaceable:
            return None
        changed = changed or walk.changed
    if not changed or sum(1 for node in equations for _ in leaves(node)) > MAX_LEAVES:
        return None
    return with_equations(found, equations, without_scripts(equations, "_" in found.formula.tokens))


def rewritings(
    found: NormalForms, rules: Sequence[SubstitutionRule]
) -> Iterator[tuple[tuple[SubstitutionRule, ...], NormalForms]]:
    """Yield the formula with each rule that applies, and with all of them."""
    applying: list[SubstitutionRule] = []
    for rule in rules:
        form = apply_rules(found, [rule])
        if form is not None:
            applying.append(rule)
            yield (rule,), form
    if len(applying) > 1:
        form = apply_rules(found, applying)
        if form is not None:
            yield tuple(applying), form


class _NotReplaceable(Exception):
    """The symbol cannot be replaced everywhere: it is called, under a d, or a variable of a derivative."""


class _Rewriting:
    def __init__(self, rules: Iterable[SubstitutionRule]) -> None:
        self.rules = list(rules)
        self.changed = False

    def replacement(self, node: Node) -> Node | None:
        """Return the expression that replaces this node, None if no rule applies."""
        for rule in self.rules:
            if node == rule.symbol:
                self.changed = True
                return rule.expression
            names = match_indices(rule.symbol, node)
            if names:
                self.changed = True
                return rename_indices(rule.expression, names)
        return None

    def visit(self, node: Node) -> Node:
        expression = self.replacement(node)
        if expression is not None:
            return expression
        match node:
            case Scripts():
                return self.scripts(node)
            case Product(numerator, denominator):
                for sign, factor in (*pairwise(numerator), *pairwise(denominator)):
                    if isinstance(sign, str) and sign in ("d", "δ", "Δ", "∂") and self.is_symbol(factor):
                        raise _NotReplaceable
                return times([self.visit(part) for part in numerator], [self.visit(part) for part in denominator])
            case Derivative():
                if any(self.is_symbol(variable) for variable, _ in node.variables):
                    raise _NotReplaceable
                return Derivative(node.style, node.variables, self.visit(node.body))
            case FunctionCall():
                if self.is_symbol(node.function):
                    raise _NotReplaceable
                return FunctionCall(node.function, node.around, self.visit(node.arguments))
            case Differential():
                if self.is_symbol(node.variable):
                    raise _NotReplaceable
                return node
            case str() | Letters() | Big() | Accented():
                return node
            case Applied():
                return Applied(node.head, self.visit(node.body))
        return map_children_flat(node, self.visit)

    def is_symbol(self, node: Node) -> bool:
        if node.__class__ is Scripts and is_power(node.base, node.high):
            node = without_power(node)
        return any(node == rule.symbol or bool(match_indices(rule.symbol, node)) for rule in self.rules)

    def scripts(self, node: Scripts[Node]) -> Node:
        """Rewrite scripts: κ² is κ squared, the label of x_κ is not κ."""
        if node.high == EMPTY or node.base.__class__ is Big or not is_power(node.base, node.high):
            return node
        plain = without_power(node)
        inner = self.visit(plain)
        exponent = self.visit(Product(node.high.letters, ()) if node.high.__class__ is Letters else node.high)
        if node.low != EMPTY and inner == plain:
            return Scripts(node.base, node.low, exponent)
        return Scripts(inner, EMPTY, exponent)


# -- indices ------------------------------------------------------------------------------------------------------------
def _names(script: Node) -> tuple[str, ...]:
    """Return the index letters of a script; () for a label or a number."""
    match script:
        case Letters():
            return script.letters
        case str():
            return (script,) if script else ()
    return ("",)


def match_indices(symbol: Node, node: Node) -> dict[str, str]:
    """Map the indices of the rule to those of the formula: G_{μν} and G_{ab}."""
    if symbol.__class__ is not Scripts or node.__class__ is not Scripts or symbol.base != node.base:
        return {}
    names: dict[str, str] = {}
    for first, second in ((symbol.low, node.low), (symbol.high, node.high)):
        left, right = _names(first), _names(second)
        if len(left) != len(right) or not all(name in _INDEX for name in left):
            return {}
        for one, other in zip(left, right, strict=True):
            if not (other in _INDEX or other[:1] == "ι") or names.setdefault(one, other) != other:
                return {}
    return names if len(set(names.values())) == len(names) >= 2 else {}  # one index may be a label


def rename_indices(node: Node, names: dict[str, str]) -> Node:
    match node:
        case str():
            return node
        case Scripts():
            return Scripts(
                rename_indices(node.base, names),
                _script_with_names(node.low, names),
                _script_with_names(node.high, names),
            )
        case Derivative():
            by = tuple([(_script_with_names(variable, names), order) for variable, order in node.variables])
            return Derivative(node.style, by, rename_indices(node.body, names))
    return map_children(node, lambda child: rename_indices(child, names))


def _script_with_names(script: Node, names: dict[str, str]) -> Node:
    match script:
        case str():
            return names.get(script, script)
        case Letters():
            return Letters(tuple([names.get(letter, letter) for letter in script.letters]))
    return script
