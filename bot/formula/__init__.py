"""The mathematics of formulas: parse, keys, comparison, tokens, validity, MathML. Knows nothing of Wikidata; does no input or output."""

from bot.errors import FormulaError
from bot.formula.alignment.compare import compare
from bot.formula.describe import describe
from bot.formula.drawing.mathml import mathml
from bot.formula.equivalence.comparison import Comparison
from bot.formula.features.canonical_tokens import identifiers, tokens
from bot.formula.keys.kinds import statement_kind
from bot.formula.keys.levels import LEVELS, Keys, keys
from bot.formula.tex.clean import clean
from bot.formula.tex.parsing import parse
from bot.formula.validity.check import Validity, check, unreadable

__all__ = [
    "LEVELS",
    "Comparison",
    "FormulaError",
    "Keys",
    "Validity",
    "check",
    "clean",
    "compare",
    "describe",
    "identifiers",
    "keys",
    "mathml",
    "parse",
    "statement_kind",
    "tokens",
    "unreadable",
]  # fmt: skip
