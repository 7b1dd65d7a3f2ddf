"""math-core with the macros of texvc, for mathml.py: in this process for what is surely short work, in a limited one else."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from bot.formula.worker import answer_lines

if TYPE_CHECKING:
    from math_core import LatexToMathML

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

    macros = tomllib.loads(files(__package__).joinpath("macros.toml").read_text(encoding="utf-8"))
    return LatexToMathML(macros=macros, fancy_error=False)
