"""Substitution rules `symbol = expression`: read from the text ("where κ = …"), or one of the few that always hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bot.errors import FormulaError, InputError
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import forms
from bot.formula.tex.nodes import EMPTY, Relation
from bot.formula.tex.tree import Node, children, leaves

MAX_RULES = 12
_HIGH = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class SubstitutionRule:
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
def read_rule(tex: str) -> SubstitutionRule:
    """Return the rule that a TeX string states; FormulaError where it is none."""
    found = forms(tex)
    equations, conditions = found.noted
    rule = equations[0]
    if len(equations) != 1 or conditions or rule.__class__ is not Relation:
        raise FormulaError(f"no rule `symbol = expression`: {tex[:80]}")
    signs, sides = rule.signs, rule.sides
    if signs != ("=",) or EMPTY in sides:
        raise FormulaError(f"a rule has one equals sign and two sides: {tex[:80]}")
    symbol, expression = sides
    if not is_symbol(symbol):
        raise FormulaError(f"the left side of a rule is one symbol: {tex[:80]}")
    if expression == symbol or _held(expression, symbol):
        raise FormulaError(f"a rule must not hold its own symbol on the right: {tex[:80]}")
    return SubstitutionRule(tex, symbol, expression)


def read_rules(where: Sequence[str]) -> tuple[SubstitutionRule, ...]:
    """Return the rules of a list of TeX strings; FormulaError for the first that is none, or for too many."""
    if len(where) > MAX_RULES:
        raise FormulaError(f"more than {MAX_RULES} rules")
    return tuple(read_rule(tex) for tex in where)


def of_row(row: Mapping[str, Any], number: int) -> tuple[SubstitutionRule, ...]:
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


def _held(node: Node, symbol: Node) -> bool:
    stack = [node]
    while stack:
        current = stack.pop()
        if current == symbol:
            return True
        if current.__class__ is not str:
            stack.extend(children(current))
    return False


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
def _shipped() -> list[tuple[str, Shipped, SubstitutionRule, frozenset[str]]]:
    out = []
    for each in SHIPPED:
        rule = read_rule(each.rule)
        held = frozenset(leaf for leaf in leaves(rule.expression) if is_name(leaf))
        out.append((next(leaves(rule.symbol)), each, rule, held))
    return out


def shipped(mine: frozenset[str], yours: frozenset[str]) -> tuple[SubstitutionRule, ...]:
    """Return the shipped rules that may join formulas of these letters: the symbol in one of them only, what it stands for in the other."""
    found: list[SubstitutionRule] = []
    for letter, each, rule, held in _shipped():
        for here, there in ((mine, yours), (yours, mine)):
            stands = letter in here and letter not in there and held <= there and not held & here
            if stands and (not each.beside or each.beside & here):
                found.append(rule)
    return tuple(found)
