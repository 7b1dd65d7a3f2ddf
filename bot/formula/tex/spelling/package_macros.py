r"""Macros of braket, physics, mathtools and KaTeX that stand in a formula unexpanded: \ket{ψ}, \abs{x}, \dv{f}{x}; and spellings of arg max.

Documents in LaTeX are read with all their macros expanded; this is for what people type, and for pages that a browser typesets.
"""

import re
from collections.abc import Sequence

from bot.formula.tex.spelling.groups import with_commands

# By how many groups follow, at most; #1 and #2 are what these hold, #0 what is in the brackets before them.
_TEMPLATES: dict[str, tuple[str, ...]] = {
    "ket": (r"| #1 \rangle",),
    "bra": (r"\langle #1 |",),
    "braket": (r"\langle #1 \rangle", r"\langle #1 | #2 \rangle"),
    "ketbra": ("", r"| #1 \rangle \langle #2 |"),
    "expval": (r"\langle #1 \rangle",),
    "ev": (r"\langle #1 \rangle",),
    "mel": ("", "", r"\langle #1 | #2 | #3 \rangle"),
    "abs": (r"\lvert #1 \rvert",),
    "norm": (r"\lVert #1 \rVert",),
    "floor": (r"\lfloor #1 \rfloor",),
    "ceil": (r"\lceil #1 \rceil",),
    "set": (r"\{ #1 \}",),
    "comm": ("", "[ #1 , #2 ]"),
    "acomm": ("", r"\{ #1 , #2 \}"),
    "vb": (r"\mathbf { #1 }",),
    "va": (r"\vec { #1 }",),
    "vv": (r"\vec { #1 }",),
    "vu": (r"\hat { #1 }",),
    "dv": (r"\frac { \mathrm{d} #0 } { \mathrm{d} #1 #0 }", r"\frac { \mathrm{d} #0 #1 } { \mathrm{d} #2 #0 }"),
    "pdv": (r"\frac { \partial #0 } { \partial #1 #0 }", r"\frac { \partial #0 #1 } { \partial #2 #0 }"),
}
_TEMPLATES |= {name.capitalize(): _TEMPLATES[name] for name in ("ket", "bra", "braket", "set")}
NAMES = tuple("\\" + name for name in _TEMPLATES)
_MACRO = re.compile(rf"\\({'|'.join(_TEMPLATES)})(?![A-Za-z])(?:\s*\*)?(?:\s*\[([^\[\]]*)\])?(?=\s*\{{)")
_SLOT = re.compile("#([0-3])")
_GLUE = r"(?:\\[,;:! ]|~|\s|\{\})*"
_EXTREME = re.compile(
    rf"\\mathop\s*\{{\s*\\(?:mathrm|rm|operatorname)\b\s*\{{?\s*arg{_GLUE}\\?(max|min)\s*\}}+"
    rf"|\\(?:operatorname\*?|operatornamewithlimits|mathrm|text|textrm)\s*\{{\s*\\?arg{_GLUE}\\?(max|min)\s*\}}"
    r"|\\arg(max|min)(?![a-zA-Z])"
)
_BELOW = re.compile(r"\\underset\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})\s*\{\s*\\arg\s*\\(max|min)\s*\}")
_BARRED_LIMIT = re.compile(r"\\(overline|underline)\s*\{\s*\\lim\s*\}")
_INEXACT = re.compile(r"\{?\\mathchar\s*'26(?:\\mkern-?[0-9.]+mu)?\s*d\}?")


def with_one_spelling(tex: str) -> str:
    r"""Return the formula with one spelling of arg max, limsup and the inexact differential, which is several tokens otherwise."""
    tex = _EXTREME.sub(lambda found: rf"\arg\{next(filter(None, found.groups()))} ", tex)
    tex = _BELOW.sub(r"\\arg\\\2_\1", tex)
    tex = _BARRED_LIMIT.sub(lambda found: r"\limsup " if found[1] == "overline" else r"\liminf ", tex)
    return _INEXACT.sub(r"\\delta ", tex)


def with_package_macros(tex: str) -> str:
    """Return the formula with each of these macros as what it stands for; one without its arguments stays."""

    def filled(macro: re.Match[str], groups: Sequence[str]) -> str | None:
        template = _TEMPLATES[macro[1]][len(groups) - 1] if groups else ""
        values = (f"^{{{macro[2]}}}" if macro[2] else "", *map(with_package_macros, groups))
        return _SLOT.sub(lambda slot: f" {values[int(slot[1])]} ", template) if template else None

    return with_commands(tex, _MACRO, lambda macro: len(_TEMPLATES[macro[1]]), filled)
