"""One formula as comparison looks at it: what the stages of a comparison ask for, made once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bot.formula.equivalence.order import Products, products
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import is_name, scripted_variables
from bot.formula.keys.expanded import expanded, increments
from bot.formula.keys.levels import Keys, keys
from bot.formula.normal.scripts import apart
from bot.formula.normal.stages import Forms, forms
from bot.formula.tex.tree import Node, leaves


@dataclass(frozen=True, slots=True)
class AnalysedFormula:
    """A formula, or what substitutions made of it; `keys` are those of the formula as it was written."""

    form: Forms
    keys: Keys
    nodes: list[Node]  # the equations in one notation
    spelt: list[Node]  # sums and differentials spelt out, scripts gone where they tell nothing apart
    exact: list[str] | None  # `spelt` in exact algebra, see `exact_texts`
    letters: frozenset[str]  # of `spelt`, but e, which may be a number
    variables: set[str]  # letters with their scripts
    increments: set[str]  # d, δ, Δ before letters
    products: Products  # that do not commute


@lru_cache(maxsize=4096)
def analysed(tex: str) -> AnalysedFormula:
    """Return what comparison needs of a formula; FormulaError where it has no tree."""
    return analyse(forms(tex), keys(tex))


def analyse(form: Forms, known: Keys) -> AnalysedFormula:
    """Return the same for trees that may come from substitutions."""
    nodes = form.noted[0]
    spelt = apart(expanded(nodes))
    return AnalysedFormula(
        form=form,
        keys=known,
        nodes=nodes,
        spelt=spelt,
        exact=exact_texts(spelt),
        letters=frozenset([leaf for node in spelt for leaf in leaves(node) if is_name(leaf)]) - {"e"},
        variables=scripted_variables(form.named),
        increments=increments(nodes),
        products=products(nodes),
    )
