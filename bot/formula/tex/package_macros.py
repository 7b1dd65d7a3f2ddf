r"""Macros of braket, physics, mathtools and KaTeX that stand in a formula unexpanded: \ket{ψ}, \abs{x}, \dv{f}{x}; and spellings of arg max.

Documents in LaTeX are read with all their macros expanded; this is for what people type, and for pages that a browser typesets.
"""

import re
from collections.abc import Sequence

# By how many groups follow, at most; #1 and #2 are what these hold, #0 what is in the brackets before them.
_TEMPLATES: dict[str, tuple[str, ...]] = {
    r"\ket": (r"| #1 \rangle",),
    r"\bra": (r"\langle #1 |",),
    r"\braket": (r"\langle #1 \rangle", r"\langle #1 | #2 \rangle"),
    r"\ketbra": ("", r"| #1 \rangle \langle #2 |"),
    r"\expval": (r"\langle #1 \rangle",),
    r"\ev": (r"\langle #1 \rangle",),
    r"\mel": ("", "", r"\langle #1 | #2 | #3 \rangle"),
    r"\abs": (r"\lvert #1 \rvert",),
    r"\norm": (r"\lVert #1 \rVert",),
    r"\floor": (r"\lfloor #1 \rfloor",),
    r"\ceil": (r"\lceil #1 \rceil",),
    r"\set": (r"\{ #1 \}",),
    r"\comm": ("", "[ #1 , #2 ]"),
    r"\acomm": ("", r"\{ #1 , #2 \}"),
    r"\vb": (r"\mathbf { #1 }",),
    r"\va": (r"\vec { #1 }",),
    r"\vv": (r"\vec { #1 }",),
    r"\vu": (r"\hat { #1 }",),
    r"\dv": (r"\frac { \mathrm{d} #0 } { \mathrm{d} #1 #0 }", r"\frac { \mathrm{d} #0 #1 } { \mathrm{d} #2 #0 }"),
    r"\pdv": (r"\frac { \partial #0 } { \partial #1 #0 }", r"\frac { \partial #0 #1 } { \partial #2 #0 }"),
}
_TEMPLATES |= {"\\" + name[1].upper() + name[2:]: _TEMPLATES[name] for name in (r"\ket", r"\bra", r"\braket", r"\set")}
_PIECES = {name: [template.split() for template in templates] for name, templates in _TEMPLATES.items()}
NAMES = frozenset(_PIECES)
SPELLED = re.compile(r"arg(?:\W|m)|\\(?:over|under)line\s*\{\s*\\lim|\\mathchar")  # what may be spelt otherwise
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


def with_expanded_macros(tokens: list[str]) -> list[str]:
    """Return the tokens with each of NAMES as what it stands for; one without its arguments stays."""
    out: list[str] = []
    at = 0
    while at < len(tokens):
        pieces = _PIECES.get(tokens[at])
        at += 1
        if pieces is None:
            out.append(tokens[at - 1])
            continue
        start = at + (tokens[at : at + 1] == ["*"])
        order, start = _group(tokens, start, "[", "]")
        arguments: list[Sequence[str]] = []
        while len(arguments) < len(pieces):
            argument, start = _group(tokens, start, "{", "}")
            if argument is None:
                break
            arguments.append(with_expanded_macros(list(argument)))
        if not arguments or not pieces[len(arguments) - 1]:
            out.append(tokens[at - 1])
            continue
        out += _filled(pieces[len(arguments) - 1], arguments, order)
        at = start
    return out


def _filled(pieces: Sequence[str], arguments: Sequence[Sequence[str]], order: Sequence[str] | None) -> list[str]:
    out: list[str] = []
    for piece in pieces:
        if piece == "#0":
            out += ["^", "{", *order, "}"] if order else []
        elif piece[0] == "#":
            out += arguments[int(piece[1]) - 1]
        else:
            out.append(piece)
    return out


def _group(tokens: Sequence[str], start: int, opening: str, closing: str) -> tuple[Sequence[str] | None, int]:
    """Return the tokens of a group that begins here and where it ends; None and the start where none does."""
    if start >= len(tokens) or tokens[start] != opening:
        return None, start
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at] == opening) - (tokens[at] == closing)
        if not depth:
            return tokens[start + 1 : at], at + 1
    return None, start
