"""What kind of statement a formula is: discovery keeps equations and leaves stubs, dependences and assignments."""

from __future__ import annotations

from bot.errors import FormulaError
from bot.formula.normal.stages import parse, states
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.tree import Node, variables


def kind(tex: str) -> str:
    """Return equation, relation (≤, ∈, →, …), stub, dependence, assignment, system, expression or unreadable."""
    try:
        formula = parse(tex)
    except FormulaError:
        return "unreadable"
    equations = formula.equations
    if sum(states(node) for node in equations) > 1:
        return "system"
    node = next((node for node in equations if states(node)), equations[0])
    if node[:1] != ("rel",):
        return "expression"
    if not states(node):
        return "stub"
    left, right = node[2][0], node[2][-1]
    if len(node[2]) == 2 and node[1][0] in ("=", "≡", ":=", "≈", "∼", "≃"):
        if _is_dependence(left, right) or _is_dependence(right, left):
            return "dependence"
        if (_bare(left) and (_bare(right) or _constant(right))) or (_constant(left) and _bare(right)):
            return "assignment"
    return (
        "equation"
        if any(sign in ("=", "≡", ":=", "≈", "≃", "≅", "∼", "∝", "≜", "≐") for sign in node[1])
        else "relation"
    )


def _is_dependence(left: Node, right: Node) -> bool:
    """x = x(t)"""
    return bool(right[:1] == ("fcall",) and right[1] == left)


def _bare(node: Node) -> bool:
    if node.__class__ is str:
        return node != EMPTY
    return bool(
        node[0] in ("s", "acc", "'")
        and (node[0] != "s" or node[3][:1] != "#")
        and _bare(node[1 if node[0] != "acc" else 2])
    )


def _constant(node: Node) -> bool:
    """A number, a word such as const, ±∞, a value with its unit: no variable in it."""
    return not any(True for _ in variables(node)) or (node[:1] == ("-",) and _bare(node[1]))
