r"""Wikitext of wikis that leave formulas to MathJax (ProofWiki, Encyclopedia of Mathematics): `$…$`, `\[…\]`, `\begin{align}`.

Only where a page has no `<math>` and types more than one command of TeX so: elsewhere dollars are money.
"""

import re
from collections.abc import Callable

from bot.corpus.html.tex_delimiters import Delimiters
from bot.corpus.single_dollars import replace_single_dollars
from bot.corpus.tex_equations import display_equations, without_delimiters
from bot.corpus.tex_macros import TexMacros

_PAIRS = (("$$", "$$", True), (r"\[", r"\]", True), (r"\(", r"\)", False))
_MIN_TEX_FORMULAS = 2
_STATED = re.compile(r"\{\{\s*TEX\s*\|")  # Encyclopedia of Mathematics marks its pages
# ProofWiki's tables of equations: a row is left side, sign and right side, and a comment; without left side it continues the one before.
_EQUATIONS = re.compile(r"\{\{begin-eqn\b[^{}]*\}\}((?:(?!\{\{begin-eqn).)*?)\{\{end-eqn\b[^{}]*\}\}", re.S | re.I)
_ROW = re.compile(r"\{\{eqn\b", re.I)
_CELL = re.compile(r"\|\s*(ll|l|o|r|rr|c|n)\s*=((?:[^|]|\|(?!\s*\w{1,2}\s*=))*)")


def mark_typed_formulas(text: str, put: Callable[[str, bool], str]) -> tuple[str, bool]:
    """Return `text` with its formulas replaced by what `put(tex, display)` returns, and whether the page types formulas so."""
    macros = TexMacros()
    macros.load("proofwiki")
    typed = 0

    def put_rows(tex: str, display: bool) -> str:
        nonlocal typed
        typed += "\\" in tex
        expanded = macros.expand(tex)
        rows = display_equations(expanded) if display else [without_delimiters(expanded)]
        return " ".join(put(row, display) for row in rows if row)

    text = _EQUATIONS.sub(lambda m: _equations(m[1], put_rows), text)
    text = Delimiters(_PAIRS, put_rows, len(text)).replace_formulas(text)
    text = replace_single_dollars(text, put_rows)
    return text, typed >= _MIN_TEX_FORMULAS or bool(typed and _STATED.search(text))


def _equations(rows: str, put: Callable[[str, bool], str]) -> str:
    equations: list[str] = []
    comments: list[str] = []
    for row in _ROW.split(rows)[1:]:
        cells = {name: value.strip() for name, value in _CELL.findall(row.rpartition("}}")[0])}
        left, right = cells.get("l", ""), f"{cells.get('r', '')} {cells.get('rr', '')}".strip()
        equation = f"{left} {cells.get('o', '=')} {right}".strip()
        if left or not equations:
            equations.append(equation)
        else:
            equations[-1] += f" {equation}"
        comments.append(cells.get("c", ""))
    shown = "\n\n".join(put(equation, True) for equation in equations)
    return f"\n\n{shown}\n\n{'; '.join(filter(None, comments))}\n\n"
