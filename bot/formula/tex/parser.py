"""TeX to operator trees, in one pass over the tokens: the reader takes the rows, the commands what follows them."""

from __future__ import annotations

from bot.formula.tex.commands import COMMANDS
from bot.formula.tex.reader import TexReader
from bot.formula.tex.rows import Part
from bot.formula.tex.tokenizer import tokenize


def parse_parts(tex: str) -> tuple[list[Part], list[str], set[str]]:
    """Return the parts of a formula between commas, wide spaces, connecting words and row ends; its tokens, and the letters called as functions."""
    reader = TexReader(tex, tokenize(tex), COMMANDS)
    return reader.rows(), reader.tokens, reader.called
