"""The normal trees behind a formula's keys, made once: what keys hash and comparison looks into."""

from dataclasses import dataclass
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.normal.bound_variables import (
    has_big_operators,
    may_bind,
    with_constants_in_front,
    with_numbered_bound_names,
)
from bot.formula.normal.canonical import normalised
from bot.formula.normal.notation import to_one_notation
from bot.formula.normal.notation_hints import needs_notation, notation_hints_of
from bot.formula.normal.scripts import has_natural_logarithm, with_natural_logarithm, without_scripts
from bot.formula.tex.nodes import NormalNode
from bot.formula.tex.parsing import parse
from bot.formula.tex.tree import Formula, is_statement, number_of_leaves


@dataclass(frozen=True, slots=True)
class NormalForms:
    """Equations and conditions for the keys K1 (`canonical`) and K2 (`normal`, in one notation); `unscripted` are the equations for K3."""

    formula: Formula
    canonical: tuple[list[NormalNode], list[NormalNode]]
    normal: tuple[list[NormalNode], list[NormalNode]]
    normal_with_names: list[NormalNode]  # as `normal`, with bound names and indices as they are written
    unscripted: list[NormalNode]
    leaves: int  # of the equations as they are parsed
    has_relation: bool  # one of the equations is a relation with two sides


@lru_cache(maxsize=256)  # the two of a comparison, and candidates
def normal_forms(tex: str) -> NormalForms:
    """Return the trees of each stage; FormulaError if the formula has none."""
    return recent_normal_forms(tex)


@lru_cache(maxsize=8)  # trees kept alive cost memory and collection: keys of many formulas take 6 % longer with 256
def recent_normal_forms(tex: str) -> NormalForms:
    """Return the same and keep the last few only, for code that reads each formula once."""
    formula = parse(tex)
    leaves, stating = sum(map(number_of_leaves, formula.equations)), any(map(is_statement, formula.equations))
    try:
        equations, conditions, derived = normalised(formula)
        strict = [*equations, *conditions]
        named = to_one_notation(strict, notation_hints_of(strict)) if derived or needs_notation(formula) else strict
        if has_big_operators(formula):
            named = list(map(with_constants_in_front, named))
        noted = with_numbered_bound_names(named) if derived or may_bind(formula) else named
        first = len(equations)
        stated = noted[:first]
        unscripted = without_scripts(stated, "_" in formula.tokens)
        if has_natural_logarithm(formula):
            unscripted = list(map(with_natural_logarithm, unscripted))
        return NormalForms(
            formula, (equations, conditions), (stated, noted[first:]), named[:first], unscripted, leaves, stating
        )
    except RecursionError:
        raise FormulaError("too_deep") from None
