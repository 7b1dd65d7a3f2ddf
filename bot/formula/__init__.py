"""The mathematics of formulas: parse, keys, comparison, tokens, validity, MathML. Knows nothing of Wikidata; does no input or output."""

from __future__ import annotations

from bot.errors import FormulaError
from bot.formula.clean import clean
from bot.formula.compare import Comparison, compare
from bot.formula.describe import describe
from bot.formula.forms import parse
from bot.formula.keys import LEVELS, Keys, keys
from bot.formula.kinds import kind
from bot.formula.mathml import mathml
from bot.formula.similarity import identifiers, similarity, tokens
from bot.formula.tree import Formula
from bot.formula.validity import Validity, check

__all__ = [
    "LEVELS", "Comparison", "Formula", "FormulaError", "Keys", "Validity", "check", "clean", "compare", "describe", "identifiers", "keys", "kind", "mathml", "parse", "similarity", "tokens",
]  # fmt: skip
