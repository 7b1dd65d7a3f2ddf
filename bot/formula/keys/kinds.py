"""What kind of statement a formula is: discovery keeps equations and leaves stubs, dependences and assignments."""

from bot.errors import FormulaError
from bot.formula.tex.nodes import EMPTY, Accented, FencedCall, Primed, RawNode, Relation, Scripts, Signed
from bot.formula.tex.parsing import parse
from bot.formula.tex.tree import is_statement, variables


def statement_kind(tex: str) -> str:
    """Return equation, relation (≤, ∈, →, …), stub, dependence, assignment, system, expression or unreadable."""
    try:
        formula = parse(tex)
    except FormulaError:
        return "unreadable"
    equations = formula.equations
    if sum(is_statement(node) for node in equations) > 1:
        return "system"
    node = next((node for node in equations if is_statement(node)), equations[0])
    if node.__class__ is not Relation:
        return "expression"
    if not is_statement(node):
        return "stub"
    left, right = node.sides[0], node.sides[-1]
    if len(node.sides) == 2 and node.signs[0] in ("=", "≡", ":=", "≈", "∼", "≃"):
        if _is_dependence(left, right) or _is_dependence(right, left):
            return "dependence"
        if (_is_single_quantity(left) and (_is_single_quantity(right) or _is_constant(right))) or (
            _is_constant(left) and _is_single_quantity(right)
        ):
            return "assignment"
    if any(sign in ("=", "≡", ":=", "≈", "≃", "≅", "∼", "∝", "≜", "≐") for sign in node.signs):
        return "equation"
    return "relation"


def _is_dependence(left: RawNode, right: RawNode) -> bool:
    """x = x(t)"""
    return bool(right.__class__ is FencedCall and right.function == left)


def _is_single_quantity(node: RawNode) -> bool:
    if node.__class__ is str:
        return node != EMPTY
    if node.__class__ is Scripts:
        return not (node.high.__class__ is str and node.high[:1] == "#") and _is_single_quantity(node.base)
    if node.__class__ is Primed:
        return _is_single_quantity(node.base)
    return node.__class__ is Accented and _is_single_quantity(node.body)


def _is_constant(node: RawNode) -> bool:
    """Tell whether a node has no variable: a number, a word such as const, ±∞, a value with its unit."""
    return not any(True for _ in variables(node)) or (
        node.__class__ is Signed and node.sign == "-" and _is_single_quantity(node.body)
    )
