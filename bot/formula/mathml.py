"""TeX to MathML for pages: math-core with the macros of texvc; what cannot be drawn is shown as its TeX.

What comes out is safe to put into a page as it is, and shows hidden characters of the input instead of obeying them.
"""

from __future__ import annotations

import html
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

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

# math-core recurses: a few thousand open groups or chained commands would end the process, not raise. Real formulas of
# the corpora stay under a tenth of each limit.
LENGTH, COMMANDS, DEPTH = 20_000, 2_000, 300

_OWN_MACROS = re.compile(
    r"\\(?:def|gdef|edef|let|newcommand|renewcommand|providecommand|DeclareMathOperator)(?![A-Za-z])"
)
# Characters that a reader does not see or that turn text around: a reviewer must see that they are there.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\uffff]"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_IDENTITY = re.compile(r' id="[^"]*"|</?a\b[^>]*>')
_TEXT_GROUP = re.compile(r"(\\(?:text|textrm|textit|textbf|mbox|hbox))\s*\{([^{}]*\$[^{}]*)\}")
_REPAIRS = (
    (re.compile(r"\\[mh]box\s*\{\s*\\boldmath\s*\$([^${}]*)\$\s*\}"), r"\\boldsymbol{\1}"),
    (re.compile(r"(\\begin\s*\{array\})\s*\[[^\]{}]*\]"), r"\1"),
    (re.compile(r"(\\[bB]igg?[lrm]?)\s*\{\s*(\\[A-Za-z|{}]+|[^\\{}])\s*\}"), r"\1\2 "),
    (re.compile(r"%[ \t]*\n"), ""),
    (re.compile(r"\\(?:label|ref|eqref)\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])"), ""),
    (re.compile(r"\\tag\*?\s*\{([^{}]*)\}"), r"\\quad\\text{(\1)}"),
    (re.compile(r"\\[bB]igg?[lrm]?\s*\.(?!\d)"), ""),
    (re.compile(r"\\(begin|end)\s*\{(?:smallmatrix|subarray)\}"), r"\\\1{matrix}"),
    (re.compile(r"\\operatorname\*?(?=\s*\{[^{}]*[\\{])"), r"\\mathrm"),
    (re.compile(r"\\(?:raise|lower)\s*-?[\d.]+\s*[a-z]{2}(?![a-z])|\\hbox\s*to\s*-?[\d.]+\s*[a-z]{2}"), ""),
)


@lru_cache(maxsize=8192)
def mathml(tex: str, display: bool = False) -> str:
    """Return `tex` as a MathML element, or as an escaped <code> where it cannot be drawn. Never raises."""
    source = html.unescape(tex) if _ENTITY.search(tex) else tex
    if _drawable(source):
        for form in (source, repaired(source)):
            drawn = _draw(form, display)
            if drawn:
                return drawn
    return f'<code class="tex">{html.escape(_HIDDEN.sub(_shown, tex))}</code>'


def repaired(tex: str) -> str:
    """Return `tex` with what math-core does not know rewritten into what it draws alike; for drawing only."""
    for pattern, instead in _REPAIRS:
        tex = pattern.sub(instead, tex)
    return _TEXT_GROUP.sub(_formulas_out, tex)


def _drawable(tex: str) -> bool:
    if len(tex) > LENGTH or tex.count("\\") > COMMANDS or _HIDDEN.search(tex) or _OWN_MACROS.search(tex):
        return False
    depth = deepest = 0
    for character in tex:
        if character == "{":
            depth += 1
            deepest = max(deepest, depth)
        elif character == "}":
            depth -= 1
    return deepest <= DEPTH


def _draw(tex: str, display: bool) -> str:
    from math_core import LatexError

    try:
        drawn: str = _converter().convert_with_local_state(tex, displaystyle=display)
    except (LatexError, ValueError):
        return ""
    # Named entities are unknown to XML; identities and links of one formula must not meet those of the page.
    # A combining arrow is drawn left of its letter by fonts that place it for text; the arrow itself stands over it.
    return _IDENTITY.sub("", drawn.replace("&ApplyFunction;", "\u2061").replace("\u20d7</mo>", "→</mo>"))


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(macros=MACROS, fancy_error=False)


def _formulas_out(found: re.Match[str]) -> str:
    """Return a text group with its $…$ parts as formulas between text groups."""
    parts = found[2].split("$")
    return "".join(part if n % 2 else f"{found[1]}{{{part}}}" for n, part in enumerate(parts) if part)


def _shown(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
