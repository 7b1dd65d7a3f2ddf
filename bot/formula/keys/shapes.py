"""The terms of a formula by their shape: names, numbers and constants gone, derivatives and functions kept."""

from bot.formula.keys.algebra import equation
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.constants import with_marked_constants
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_scripts
from bot.formula.tex.nodes import Applied, Big, Derivative, Factorial, FunctionCall, Infix, Matrix, NormalNode, Stacked
from bot.formula.tex.tree import children, map_children

_COORDINATES = frozenset("txyzr")


def shapes(nodes: list[NormalNode]) -> dict[str, tuple[int, float]]:
    """Map the shape of each term to (its count, its weight): D(t,2) of v weighs more than v."""
    found: dict[str, tuple[int, float]] = {}
    for node in without_scripts([with_marked_constants(node) for node in nodes]):
        solved = equation(node, constants=False)
        if solved is None:
            continue
        polynomial = solved[1]
        for _number, powers in polynomial.terms:
            parts: list[str] = []
            weight = 0.0
            for key, power in powers.items():
                atom = polynomial.atoms[key]
                parts.append(f"{render(_nameless(atom))}^{power}")
                weight += _weight(atom)
            text = "·".join(sorted(parts))
            count = found.get(text, (0, 0.0))[0]
            found[text] = (count + 1, weight)
    return found


def _nameless(node: NormalNode) -> NormalNode:
    if node.__class__ is str:
        return "v" if is_name(node) else node
    if node.__class__ is Derivative:
        variables = tuple(
            [
                (variable if variable.__class__ is str and variable in _COORDINATES else "v", order)
                for variable, order in node.variables
            ]
        )
        return Derivative(node.style, variables, _nameless(node.body))
    if node.__class__ is Big:
        return node
    return map_children(node, _nameless)


def _weight(node: NormalNode) -> float:
    """Return the weight: three for operators and functions, little for letters, nothing for numbers."""
    if node.__class__ is str:
        return 0.3 if is_name(node) else 0.0
    own = 3.0 if isinstance(node, (Derivative, Applied, FunctionCall, Big, Infix, Stacked, Factorial, Matrix)) else 0.0
    return own + sum(_weight(child) for child in children(node))
