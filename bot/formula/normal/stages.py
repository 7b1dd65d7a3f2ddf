"""The normal trees behind a formula's keys, made once: what keys hash and comparison looks into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.normal.bound_variables import may_bind, unified
from bot.formula.normal.canonical import normalised
from bot.formula.normal.notation import notation
from bot.formula.normal.notation_hints import needs_notation
from bot.formula.normal.scripts import bared
from bot.formula.tex.clean import clean
from bot.formula.tex.commands import COMMANDS
from bot.formula.tex.nodes import EMPTY, AnyNode, NormalNode, Relation
from bot.formula.tex.reader import TexReader
from bot.formula.tex.systems import aside, split
from bot.formula.tex.tokenizer import tokenize
from bot.formula.tex.tree import Formula


@dataclass(frozen=True, slots=True)
class Forms:
    """Equations and conditions: as written (`strict`), in one notation (`noted`), without scripts (`bare`, of the equations)."""

    formula: Formula
    strict: tuple[list[NormalNode], list[NormalNode]]
    noted: tuple[list[NormalNode], list[NormalNode]]
    named: list[NormalNode]  # noted, with bound names and indices as they are written

    @property
    def bare(self) -> list[NormalNode]:
        return bared(self.noted[0], "_" in self.formula.tokens)


def parse(tex: str) -> Formula:
    """Return the formula's trees; FormulaError names what is wrong and where."""
    text = clean(tex)
    try:
        reader = TexReader(text, tokenize(text), COMMANDS)
        parts = reader.rows()
        equations, conditions = split(parts)
    except RecursionError:
        raise FormulaError("nested too deep") from None
    return Formula(
        text,
        equations,
        conditions,
        tuple(reader.tokens[:-1]),
        frozenset(reader.called),
        aside(parts) if len(parts) > 1 else (),
    )


@lru_cache(
    maxsize=256
)  # the two of a comparison and a shortlist; thousands of trees kept alive slow everything by a tenth
def forms(tex: str) -> Forms:
    """Return the trees at each stage; FormulaError where the formula has none."""
    formula = parse(tex)
    try:
        equations, conditions, derived = normalised(formula)
        strict = [*equations, *conditions]
        named = notation(strict) if derived or needs_notation(formula) else strict
        noted = unified(named) if derived or may_bind(formula) else named
        first = len(equations)
        return Forms(
            formula,
            (equations, conditions),
            (noted[:first], noted[first:]),
            named[:first],
        )
    except RecursionError:
        raise FormulaError("nested too deep") from None


def states(node: AnyNode) -> bool:
    """Tell a relation with two non-empty sides."""
    return node.__class__ is Relation and node.sides[0] != EMPTY and node.sides[-1] != EMPTY
