"""The rows of a display to formulas: one for each row, continued rows joined, and what is only a frame around an equation off."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.corpus.html import aligned_rows
from bot.corpus.latex import latex_commands as commands
from bot.formula.tex.tokenizer import KINDS
from bot.formula.validity.texvc_macros import KNOWN

_EQUATIONS = re.compile(r"[\s~]*\\begin\{(?:aligned|split|gathered|cases|array)\}")
_BLANKS = re.compile(r"[ \t]*\n\s*")
_WHOLE = re.compile(r"\s*\\([A-Za-z]+)\s*\{(.*)\}[\s.,;]*\Z", re.S)

_RIGHT, _LEFT, _CENTRE = frozenset(["ltx_align_right"]), frozenset(["ltx_align_left"]), frozenset[str]()


def formulas(rows: Sequence[Sequence[str]], environment: str) -> Iterator[str]:
    """Yield the formulas of the cells of a display in an environment without its star ("" for `\\[` and `$$`)."""
    if environment in commands.JOINED:
        yield one_line(" ".join(one_line(*row) for row in rows))
    elif len(rows) == 1 and len(rows[0]) == 1:
        yield unboxed(one_line(*rows[0]))
    else:
        # The alignment that amsmath or eqnarray gives to each cell of a row.
        kinds = (_RIGHT, _CENTRE, _LEFT) if environment in commands.ARRAYED else (_RIGHT, _LEFT)
        cells = [[aligned_rows.Cell(tex, kinds[n % len(kinds)]) for n, tex in enumerate(row)] for row in rows]
        yield from (unboxed(one_line(tex)) for tex in aligned_rows.formulas(cells))


def one_line(*cells: str) -> str:
    """Return cells as one formula on one line."""
    return _BLANKS.sub(" ", " ".join(cells))


def unboxed(tex: str) -> str:
    """Return a displayed equation without the unknown command that is all around it: the frame that a book puts around what matters."""
    found = _WHOLE.match(tex)
    if not found or found[1] in KNOWN or "\\" + found[1] in KINDS or not _braces_match(found[2]):
        return tex
    return found[2] if _EQUATIONS.match(found[2]) or aligned_rows.left_side(found[2]) else tex


def _braces_match(text: str) -> bool:
    depth = 0
    for sign in re.finditer(r"\\.|[{}]", text, re.S):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth < 0:
            return False
    return depth == 0
