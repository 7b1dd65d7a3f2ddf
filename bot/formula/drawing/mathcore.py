"""math-core with the macros of texvc, for mathml.py: in this process for what is surely short work, in a limited one else."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from bot.formula.worker import answer_lines

if TYPE_CHECKING:
    from math_core import LatexToMathML

# texvc's own macros and habits of the corpora that math-core lacks.
MACROS = {
    "mbox": r"\text{#1}",
    "hbox": r"\text{#1}",
    "vbox": r"\text{#1}",
    "emph": r"\textit{#1}",
    "mathnormal": r"\mathit{#1}",
    "widetilde": r"\tilde{#1}",
    "dotsb": r"\cdots",
    "dotsc": r"\ldots",
    "dotsi": r"\cdots",
    "dotsm": r"\cdots",
    "dotso": r"\ldots",
    "smallsetminus": r"\setminus",
    "varprojlim": r"\mathop{\underleftarrow{\operatorname{lim}}}",
    "varinjlim": r"\mathop{\underrightarrow{\operatorname{lim}}}",
    "varliminf": r"\mathop{\underline{\operatorname{lim}}}",
    "varlimsup": r"\mathop{\overline{\operatorname{lim}}}",
    "ang": r"\angle",
    "and": r"\land",
    "or": r"\lor",
    "AA": r"\text{Å}",
    "euro": r"\text{€}",
    "geneuro": r"\text{€}",
    "officialeuro": r"\text{€}",
    "surd": r"\text{√}",
    "sen": r"\operatorname{sen}",
    "sgn": r"\operatorname{sgn}",
    "arccot": r"\operatorname{arccot}",
    "arcsec": r"\operatorname{arcsec}",
    "arccsc": r"\operatorname{arccsc}",
    "C": r"\mathbb{C}",
    "H": r"\mathbb{H}",
    "Q": r"\mathbb{Q}",
    "cnums": r"\mathbb{C}",
    "Complex": r"\mathbb{C}",
    "leavevmode": "",
    "par": "",
}

_IDENTITY = re.compile(r' id="[^"]*"|</?a\b[^>]*>')


def draw(tex: str, display: bool) -> str:
    """Return `tex` as MathML, or an empty string if math-core does not support it."""
    try:
        drawn: str = _converter().convert_with_local_state(tex, displaystyle=display)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a fault of the formula, or a panic of the library, which is not Exception
        return ""
    # Named entities are unknown to XML; identities and links of one formula must not meet those of the page.
    # A combining arrow is drawn left of its letter by fonts that place it for text; the arrow itself stands over it.
    return _IDENTITY.sub("", drawn.replace("&ApplyFunction;", "\u2061").replace("\u20d7</mo>", "→</mo>"))


def main() -> None:
    """Answer requests until standard input ends."""
    _converter()
    answer_lines(_answer_question)


def _answer_question(question: tuple[str, bool]) -> str:
    return draw(*question)


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(macros=MACROS, fancy_error=False)
