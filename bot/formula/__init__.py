"""The mathematics of formulas: parse, keys, comparison, tokens, validity, MathML. Knows nothing of Wikidata; does no input or output."""

from __future__ import annotations

from bot.errors import FormulaError
from bot.formula.clean import clean
from bot.formula.compare import Comparison, compare
from bot.formula.keys import LEVELS, Keys, keys, parse
from bot.formula.kinds import kind
from bot.formula.mathml import mathml
from bot.formula.similarity import identifiers, similarity, tokens
from bot.formula.tree import Formula

__all__ = [
    "LEVELS", "Comparison", "Formula", "FormulaError", "Keys", "clean", "compare", "identifiers", "keys", "kind", "mathml", "parse", "similarity", "tokens",
]  # fmt: skip
