"""Keys from strict to loose: equal keys at a level mean the same formula up to what that level forgets.

K0 tokens · K1 canonical tree · K2 derivatives and dummy indices in normal form · K3 no index or label scripts, no shown arguments ·
K4 constants and numeric factors dropped, sign-free, on one side, denominators cleared · K5 variables renamed · K6 skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from bot.errors import FormulaError
from bot.formula.algebra import equation, loose, tree
from bot.formula.clean import clean
from bot.formula.constants import is_constant, marked
from bot.formula.normal import normalised
from bot.formula.notation import UNKNOWN, notation
from bot.formula.parser import parse_parts
from bot.formula.render import render
from bot.formula.renaming import atomic, renamed
from bot.formula.scripts import bare
from bot.formula.systems import split
from bot.formula.tree import EMPTY, Formula, Node, leaves

LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5", "K6")


@dataclass(frozen=True, slots=True)
class Keys:
    """Digests of one formula at every level, how many leaves it has, and whether it states an equation."""

    K0: str
    K1: str
    K2: str
    K3: str
    K4: str
    K5: str
    K6: str
    leaves: int
    equation: bool
    notes: tuple[str, ...] = ()

    def at(self, level: str) -> str:
        value: str = getattr(self, level)
        return value


def parse(tex: str) -> Formula:
    """Return the formula's trees; FormulaError names what is wrong and where."""
    text = clean(tex)
    try:
        parts, tokens, called = parse_parts(text)
        equations, conditions = split(parts)
    except RecursionError:
        raise FormulaError("nested too deep") from None
    return Formula(text, equations, conditions, tuple(tokens[:-1]), frozenset(called))


def digest(level: str, text: str) -> str:
    return blake2b((level + text).encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=8192)
def keys(tex: str) -> Keys:
    """Return the keys of a formula; FormulaError where it has no tree."""
    try:
        return _keys(parse(tex))
    except RecursionError:
        raise FormulaError("nested too deep") from None


def _keys(formula: Formula) -> Keys:
    equations, conditions = normalised(formula)
    K0 = digest("K0", " ".join(formula.tokens))
    strict = render(("system", equations, conditions))
    noted = notation([*equations, *conditions])
    equations, conditions = noted[: len(equations)], noted[len(equations) :]
    second = render(("system", equations, conditions)).replace(UNKNOWN, "x")
    bared = [bare(node) for node in equations]
    loosest = render(("system", bared, ())).replace(UNKNOWN, "x")
    algebraic = ";".join(sorted([_algebraic(node) for node in equations])).replace(UNKNOWN, "x")
    renaming, skeleton = renamed(_solved_system([atomic(node) for node in equations]))
    count = sum(1 for node in formula.equations for _ in leaves(node))
    return Keys(
        K0, digest("K1", strict), digest("K2", second), digest("K3", loosest), digest("K4", algebraic), digest("K5", renaming), digest("K6", skeleton),
        count, any(states(node) for node in formula.equations),
    )  # fmt: skip


def _algebraic(node: Node) -> str:
    node = bare(marked(node))
    found = equation(node, is_constant)
    return loose(*found) if found else render(node)


def _solved_system(nodes: list[Node]) -> Node:
    solved = []
    for node in nodes:
        found = equation(node)
        solved.append(tree(*found) if found else node)
    return solved[0] if len(solved) == 1 else ("system", tuple(solved), ())


def states(node: Node) -> bool:
    """Tell a relation with two non-empty sides."""
    return bool(node[:1] == ("rel",) and node[2][0] != EMPTY and node[2][-1] != EMPTY)


__all__ = ["LEVELS", "FormulaError", "Keys", "keys", "parse"]
