"""TeX to a parsed formula: cleaned, cut into tokens, read into a tree, split into what it states and under which conditions."""

from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.tex.clean import clean
from bot.formula.tex.commands import COMMANDS
from bot.formula.tex.reader import TexReader
from bot.formula.tex.systems import left_out_parts, split_statements
from bot.formula.tex.tokenizer import tokenize
from bot.formula.tex.tree import Formula


@lru_cache(maxsize=8)  # keys, symbols and features of one formula are asked for one after another
def parse(tex: str) -> Formula:
    """Return the formula's trees; FormulaError names what is wrong and where."""
    text = clean(tex)
    try:
        reader = TexReader(text, tokenize(text), COMMANDS)
        parts = reader.rows()
        equations, conditions = split_statements(parts)
    except RecursionError:
        raise FormulaError("too_deep") from None
    return Formula(
        text,
        equations,
        conditions,
        tuple(reader.tokens[:-1]),
        frozenset(reader.called),
        left_out_parts(parts) if len(parts) > 1 else (),
    )
