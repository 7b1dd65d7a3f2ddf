r"""Wikitext of wikis that leave formulas to MathJax (ProofWiki, Encyclopedia of Mathematics): `$…$`, `\[…\]`, `\begin{align}`.

Only where a page has no `<math>` and types more than one command of TeX so: elsewhere dollars are money.
"""

import re
from collections.abc import Callable

from bot.corpus.html.tex_delimiters import Delimiters
from bot.corpus.single_dollars import replace_single_dollars
from bot.corpus.tex_equations import equations
from bot.corpus.tex_macros import TexMacros

_PAIRS = (("$$", "$$", True), (r"\[", r"\]", True), (r"\(", r"\)", False))
_MIN_TEX_FORMULAS = 2
_STATED = re.compile(r"\{\{\s*TEX\s*\|")  # Encyclopedia of Mathematics marks its pages
# ProofWiki's tables of equations and axioms: a row is left side, sign and right side, and a comment; without left side
# it continues the one before. An axiom has a quantifier in front.
_EQUATIONS = re.compile(
    r"\{\{begin-(eqn|axiom)\b[^{}]*\}\}((?:(?!\{\{begin-(?:eqn|axiom)).)*?)\{\{end-\1\b[^{}]*\}\}", re.S | re.I
)
_ROW = re.compile(r"\{\{(?:eqn|axiom)\b", re.I)
_CELL = re.compile(r"\|\s*(ll|l|o|r|ro|rr|c|n|lc|q|m|ml|mo|mr|rc)\s*=((?:[^|]|\|(?!\s*\w{1,2}\s*=))*)")


def mark_typed_formulas(text: str, put: Callable[[str, bool], str]) -> tuple[str, bool]:
    """Return `text` with its formulas replaced by what `put(tex, display)` returns, and whether the page types formulas so."""
    macros = TexMacros()
    macros.load("proofwiki")
    typed = 0

    def put_rows(tex: str, display: bool) -> str:
        nonlocal typed
        typed += "\\" in tex
        return " ".join(put(row, display) for row in equations(macros.expand(tex), display=display) if row)

    text = _EQUATIONS.sub(lambda m: (_equations if m[1].lower() == "eqn" else _axioms)(m[2], put_rows), text)
    text = Delimiters(_PAIRS, put_rows, len(text)).replace_formulas(text)
    text = replace_single_dollars(text, put_rows)
    return text, typed >= _MIN_TEX_FORMULAS or bool(typed and _STATED.search(text))


def _rows(rows: str) -> list[dict[str, str]]:
    """Return the cells of each row by their names; an empty cell is none."""
    found = (_CELL.findall(row.rpartition("}}")[0]) for row in _ROW.split(rows)[1:])
    return [{name: value.strip() for name, value in cells if value.strip()} for cells in found]


def _joined(cells: dict[str, str], *names: str) -> str:
    return " ".join(cells[name] for name in names if name in cells)


def _equations(table: str, put: Callable[[str, bool], str]) -> str:
    equations: list[str] = []
    rows = _rows(table)
    for cells in rows:
        equation = _joined({"o": "=", **cells}, "l", "o", "r", "ro", "rr")
        if "l" in cells or not equations:
            equations.append(equation)
        else:
            equations[-1] += f" {equation}"
    shown = "\n\n".join(put(equation, True) for equation in equations)
    return f"\n\n{shown}\n\n{'; '.join(cells['c'] for cells in rows if 'c' in cells)}\n\n"


def _axioms(table: str, put: Callable[[str, bool], str]) -> str:
    shown = []
    for cells in _rows(table):
        for_all = put(cells["q"], False) if "q" in cells else ""
        axiom = put(_joined(cells, "ml", "mo", "mr", "m"), True)
        shown.append(" ".join((_joined(cells, "lc"), for_all, axiom, _joined(cells, "rc"))))
    return "\n\n" + "\n\n".join(shown) + "\n\n"
