"""Substitution rules: `symbol = expression` put into a formula's tree, one step, everywhere or not at all.

A rule comes from the text ("where κ = …") or is one of SHIPPED. Indices of the symbol are places: G_{μν} = R_{μν} - … also holds for G_{ab}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from bot.errors import FormulaError, InputError
from bot.formula.arithmetic import minus, plus, times
from bot.formula.forms import Forms, forms
from bot.formula.renaming import is_name
from bot.formula.scripts import is_power
from bot.formula.tree import EMPTY, NORMAL_SHAPES, Node, children, leaves, rebuilt

MAX_RULES = 12
MAX_LEAVES = 400  # of a rewritten formula
_INDEX = frozenset("μνρσλκταβγδijklmnabcd")
_HIGH = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class Rule:
    """`symbol` may stand as `expression`; both are trees in one notation."""

    tex: str
    symbol: Node
    expression: Node

    def said(self) -> str:
        """Return the rule as a person reads it: κ = 8πG/c⁴; as it was given where plain signs cannot say it."""
        try:
            return f"{_said(self.symbol)} = {_said(self.expression)}"
        except ValueError:
            return self.tex


@lru_cache(maxsize=1024)
def read_rule(tex: str) -> Rule:
    """Return the rule that a TeX string states; FormulaError where it is none."""
    found = forms(tex)
    equations, conditions = found.noted
    if len(equations) != 1 or conditions or equations[0][:1] != ("rel",):
        raise FormulaError(f"no rule `symbol = expression`: {tex[:80]}")
    signs, sides = equations[0][1], equations[0][2]
    if signs != ("=",) or EMPTY in sides:
        raise FormulaError(f"a rule has one equals sign and two sides: {tex[:80]}")
    symbol, expression = sides
    if not is_symbol(symbol):
        raise FormulaError(f"the left side of a rule is one symbol: {tex[:80]}")
    if expression == symbol or _held(expression, symbol):
        raise FormulaError(f"a rule must not hold its own symbol on the right: {tex[:80]}")
    return Rule(tex, symbol, expression)


def read_rules(where: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of a list of TeX strings; FormulaError for the first that is none, or for too many."""
    if len(where) > MAX_RULES:
        raise FormulaError(f"more than {MAX_RULES} rules")
    return tuple(read_rule(tex) for tex in where)


def of_row(row: Mapping[str, Any], number: int) -> tuple[Rule, ...]:
    """Return the rules of a row's optional field "where"; InputError names the row."""
    where = row.get("where", [])
    todo = 'give "where" as a list such as ["\\\\kappa = 8\\\\pi G/c^4"]'
    if not isinstance(where, list) or not all(isinstance(tex, str) for tex in where):
        raise InputError('"where" is no list of strings', where=f"row {number}", todo=todo)
    try:
        return read_rules(where)
    except FormulaError as error:
        raise InputError(error.what.removesuffix(" at position 0"), where=f"row {number}", todo=todo) from None


def is_symbol(node: Node) -> bool:
    """One letter or word, perhaps with an accent, an index or a label; a power is none."""
    if node.__class__ is str:
        return is_name(node) or (node[:1] in '%"' and len(node) > 1)
    if node[0] == "acc":
        return is_symbol(node[2])
    return bool(
        node[0] == "s"
        and is_symbol(node[1])
        and (node[3] == EMPTY or not is_power(node[1], node[3]))
        and (node[2] != EMPTY or node[3] != EMPTY)
    )


def rewritten(found: Forms, rules: Iterable[Rule]) -> Forms | None:
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


def ways(found: Forms, rules: Sequence[Rule]) -> Iterator[tuple[tuple[Rule, ...], Forms]]:
    """Yield the formula with each rule that applies, and with all of them."""
    applying: list[Rule] = []
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
    return sum(1 for _ in leaves(node, NORMAL_SHAPES))


def _held(node: Node, symbol: Node) -> bool:
    stack = [node]
    while stack:
        current = stack.pop()
        if current == symbol:
            return True
        if current.__class__ is tuple:
            stack.extend(children(current, NORMAL_SHAPES))
    return False


class _Fixed(Exception):
    """The symbol is differentiated by, called, or under a d: it cannot be put in everywhere."""


class _Rewriting:
    def __init__(self, rules: Iterable[Rule]) -> None:
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
            return (*node[:3], self.of(node[3]))
        if tag == "call":
            if self.is_one(node[1]):
                raise _Fixed
            return ("call", node[1], node[2], self.of(node[3]))
        if tag == "d":
            if self.is_one(node[3]):
                raise _Fixed
            return node
        if tag in ("seq", "big", "acc"):
            return node
        if tag == "app":
            return ("app", node[1], self.of(node[2]))
        return rebuilt(node, self.of)

    def is_one(self, node: Node) -> bool:
        if node.__class__ is tuple and node[0] == "s" and is_power(node[1], node[3]):
            node = node[1] if node[2] == EMPTY else ("s", node[1], node[2], EMPTY)
        return any(node == rule.symbol or bool(_matched(rule.symbol, node)) for rule in self.rules)

    def scripts(self, node: Node) -> Node:
        """κ² is κ squared, x_κ has no κ in it."""
        base, low, high = node[1], node[2], node[3]
        if high == EMPTY or base[:1] == ("big",) or not is_power(base, high):
            return node
        inner = self.of(base if low == EMPTY else ("s", base, low, EMPTY))
        exponent = self.of(("*", high[1], ()) if high.__class__ is tuple and high[0] == "seq" else high)
        if inner == base or low != EMPTY:
            same = inner == ("s", base, low, EMPTY)
            if same and exponent == high:
                return node
            if same:
                return ("s", base, low, exponent)
        return ("s", inner, EMPTY, exponent)


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
        return ("s", _reindexed(node[1], names), _renamed(node[2], names), _renamed(node[3], names))
    if node[0] == "D":
        by = tuple((_renamed(variable, names), order) for variable, order in node[2])
        return ("D", node[1], by, _reindexed(node[3], names))
    return rebuilt(node, lambda child: _reindexed(child, names))


def _renamed(script: Node, names: dict[str, str]) -> Node:
    if script.__class__ is str:
        return names.get(script, script)
    return ("seq", tuple(_renamed(part, names) for part in script[1])) if script[0] == "seq" else script


# -- saying it ----------------------------------------------------------------------------------------------------------
def _said(node: Node, inside: bool = False) -> str:
    if node.__class__ is str:
        return node[1:] if node[:1] in '#%"' and node else node.rpartition(".")[2]
    if node[0] == "*":
        above = "".join(_said(part, True) for part in node[1])
        if not node[2]:
            return above
        below = "".join(_said(part, True) for part in node[2])
        return f"{above}/{below if len(node[2]) == 1 else f'({below})'}"
    if node[0] == "s" and _plain(node[2]) and _plain(node[3]):
        low = "".join(node[2][1]) if node[2][:1] == ("seq",) else node[2].lstrip("#%")
        high = "".join(node[3][1]) if node[3][:1] == ("seq",) else node[3].lstrip("#%")
        down = low.translate(_LOW) if low.isdigit() else f"_{low}" if low else ""
        return _said(node[1], True) + down + (high.translate(_HIGH) if high.isdigit() else f"^{high}" if high else "")
    if node[0] == "+":
        text = " + ".join(_said(term) for term in node[1]).replace("+ -", "- ")
        return f"({text})" if inside else text
    if node[0] == "-":
        return "-" + _said(node[1], True)
    raise ValueError(node[0])


def _plain(script: Node) -> bool:
    return script.__class__ is str or (script[0] == "seq" and all(part.__class__ is str for part in script[1]))


# -- what needs no telling ----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Shipped:
    """A rule that always holds where its symbol stands beside one of `beside`; "" asks for nothing."""

    rule: str
    beside: frozenset[str] = frozenset()


SHIPPED = (
    Shipped(r"k=\frac{1}{4\pi\varepsilon_0}", frozenset("qQ")),
    Shipped(r"k_e=\frac{1}{4\pi\varepsilon_0}"),
    Shipped(r"k_{\mathrm e}=\frac{1}{4\pi\varepsilon_0}"),
    Shipped(r"k_C=\frac{1}{4\pi\varepsilon_0}", frozenset("qQ")),
    Shipped(r"\hbar=\frac{h}{2\pi}"),
    Shipped(r"\omega=2\pi\nu", frozenset(["ħ"])),
    Shipped(r"\omega=2\pi f", frozenset(["ħ"])),
)


@lru_cache(maxsize=1)
def _shipped() -> list[tuple[str, Shipped, Rule, frozenset[str]]]:
    out = []
    for each in SHIPPED:
        rule = read_rule(each.rule)
        held = frozenset(leaf for leaf in leaves(rule.expression, NORMAL_SHAPES) if is_name(leaf))
        out.append((next(leaves(rule.symbol, NORMAL_SHAPES)), each, rule, held))
    return out


def shipped(one: Forms, other: Forms) -> tuple[Rule, ...]:
    """Return the shipped rules that may join these two: the symbol stands in one of them only, what it stands for in the other."""
    mine, yours = (
        frozenset(leaf for node in form.noted[0] for leaf in leaves(node, NORMAL_SHAPES)) for form in (one, other)
    )
    if mine == yours:
        return ()
    found: list[Rule] = []
    for letter, each, rule, held in _shipped():
        for here, there in ((mine, yours), (yours, mine)):
            stands = letter in here and letter not in there and held - here <= there
            if stands and (not each.beside or each.beside & here):
                found.append(rule)
    return tuple(found)
