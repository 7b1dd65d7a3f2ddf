"""TeX to MathML for pages: math-core with the macros of texvc; what cannot be drawn is shown as its TeX.

What comes out is safe to put into a page as it is, and shows hidden characters of the input instead of obeying them.
"""

import html
import re
from functools import lru_cache

from bot.formula.drawing.mathcore import draw
from bot.formula.worker import LimitedProcess

# math-core recurses: a few thousand open groups or chained commands would end the process, not raise. Each delimiter that
# is not closed, or that has a fault behind it, doubles its time. Real formulas of the corpora stay far below each limit.
LENGTH, COMMANDS, DEPTH, UNCLOSED = 20_000, 2_000, 300, 10
# Below these its work is surely short: it is done in this process, which is quicker than asking another one.
SHORT, GROUPS, DELIMITERS = 1_000, 60, 6
SECONDS = 1.0  # for one formula, in the process that is killed then

_PROCESS = LimitedProcess("bot.formula.drawing.mathcore", SECONDS)

_OWN_MACROS = re.compile(
    r"\\(?:def|gdef|edef|let|newcommand|renewcommand|providecommand|DeclareMathOperator)(?![A-Za-z])"
)
# Characters that a reader does not see or that turn text around: a reviewer must see that they are there.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\ufff9-\uffff]"
)
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_NAMES = "Angle|Brace|Vert|ang|angle|brace|brack|ceil|floor|group|moustache|paren|vert"
_DELIMITER = re.compile(
    r"(?P<begin>\{|\\left\s*(?:\\[A-Za-z]+|\\.|.)|\\begin(?![A-Za-z]))"
    r"|(?P<end>\}|\\right\s*(?:\\[A-Za-z]+|\\.|.)|\\end(?![A-Za-z]))"
    r"|(?P<cell>&|\\\\|\\cr(?![A-Za-z]))"
    r"|(?P<sized>\\(?:middle|[bB]igg?[lrm]?)\s*(?:\\[A-Za-z]+|\\.|.))"  # it takes the delimiter after it
    rf"|(?P<opens>[(\[⟨⟦⟪⌈⌊]|\\\{{|\\(?:l(?:{_NAMES})|ll(?:angle|bracket|parenthesis)|[ul]lcorner)(?![A-Za-z]))"
    rf"|(?P<closes>[)\]⟩⟧⟫⌉⌋]|\\\}}|\\(?:r(?:{_NAMES})|rr(?:angle|bracket|parenthesis)|[ul]rcorner)(?![A-Za-z]))"
    r"|\\(?:[A-Za-z]+|.)",
    re.S,
)
# Whatever may open a delimiter for math-core, also in a version to come.
_OPENS = re.compile(r"[(\[]|\\\{|[^\x00-\x7f]|\\[ul](?!(?:ambda|dots|eft|eq?|im|n)(?![A-Za-z]))")
_TEXT_GROUP = re.compile(r"(\\(?:text|textrm|textit|textbf|mbox|hbox))\s*\{([^{}]*\$[^{}]*)\}")
_UNNUMBERED = re.compile(r"\\(begin|end)\s*\{(align|equation|gather|multline)\}")
# Own macros for limits with a line or an arrow: math-core puts their limits beside them, not below.
_LIMIT_BELOW = re.compile(r"(\\var(?:liminf|limsup|injlim|projlim))\s*_\s*(\{[^{}]*\}|[A-Za-z0-9])")
_REPAIRS = (
    (re.compile(r"\\substack\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"), r"\\begin{matrix}\1\\end{matrix}"),
    (re.compile(r"\\begin\s*\{alignat\*?\}\s*\{\d+\}"), r"\\begin{align*}"),
    (re.compile(r"\\end\s*\{alignat\*?\}"), r"\\end{align*}"),
    (re.compile(r"\\pmb(?![A-Za-z])"), r"\\boldsymbol"),
    (re.compile(r"&\s*(=|<|>|\\[A-Za-z]+)\s*&"), r"&\1 "),
    (re.compile(r"\\(begin|end)\s*\{eqnarray\*?\}"), r"\\\1{align*}"),
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
# math-core sets each table at the size of the line; in a limit, as \\substack has it, it is as small as the limit.
_TABLE_IN_LIMIT = re.compile(
    r'(<m(?:under|over|underover|sub|sup|subsup)\b[^>]*><m[oi]\b[^>]*>[^<]*</m[oi]><mtable displaystyle="false" scriptlevel=)"0"'
)
# A delimiter of a given size with a script: browsers apply the size only in a row, not to the base of a script.
_SIZED_BASE = re.compile(r"(<m(?:sub|sup|subsup)>)(<mo\b[^>]*\bminsize=[^>]*>[^<]*</mo>)")
# Accents that screen readers name and browsers stretch, in place of those that math-core takes.
_ACCENTS = (
    ("\u0332</mo></m", "\u203e</mo></m"),
    (">\u02c6</mo>", ">^</mo>"),
    (">\u20db</mo>", ">\u2026</mo>"),
    ('<mo stretchy="false">\u02dc</mo>', '<mo stretchy="false">~</mo>'),
)
_WIDE_TILDE = ('</mrow><mo stretchy="false">\u02dc</mo>', '</mrow><mo stretchy="true">\u02dc</mo>')


@lru_cache(maxsize=8192)
def mathml(tex: str, display: bool = False, *, named: bool = True) -> str:
    """Return `tex` as a MathML element, or as an escaped <code> where it cannot be drawn. Never raises.

    Rows carry no numbers. `alttext` is the TeX, a name for what does not read MathML and what a page copies, unless not `named`.
    """
    plain = html.unescape(tex) if _ENTITY.search(tex) else tex
    source = _UNNUMBERED.sub(r"\\\1{\2*}", plain)
    if display:
        source = _LIMIT_BELOW.sub(r"\\underset \2{\1}", source)
    if _drawable(source):
        drawn = _draw(source, display)
        if drawn == "" and (other := repaired(source)) != source:
            drawn = _draw(other, display)
        if drawn:
            drawn = _SIZED_BASE.sub(r"\1<mrow>\2</mrow>", _TABLE_IN_LIMIT.sub(r'\1"1"', drawn))
            for accent, better in (_WIDE_TILDE, *_ACCENTS) if r"\widetilde" in source else _ACCENTS:
                drawn = drawn.replace(accent, better)
            if not named:
                return drawn
            return drawn.replace("<math", f'<math alttext="{html.escape(" ".join(plain.split()))}"', 1)
    return f'<code class="tex">{html.escape(_HIDDEN.sub(_unicode_escape, tex))}</code>'


def repaired(tex: str) -> str:
    """Return `tex` with everything that math-core does not support rewritten so that it looks the same; for drawing only."""
    for pattern, instead in _REPAIRS:
        tex = pattern.sub(instead, tex)
    return _TEXT_GROUP.sub(_split_text_group, tex)


def _drawable(tex: str) -> bool:
    if len(tex) > LENGTH or tex.count("\\") > COMMANDS or _HIDDEN.search(tex) or _OWN_MACROS.search(tex):
        return False
    if _is_short_work(tex):
        return True
    deepest, unclosed = _nesting(tex)
    return deepest <= DEPTH and unclosed <= UNCLOSED


def _is_short_work(tex: str) -> bool:
    return len(tex) <= SHORT and tex.count("{") <= GROUPS and len(_OPENS.findall(tex)) <= DELIMITERS


def _draw(tex: str, display: bool) -> str | None:
    """Return MathML, an empty string where math-core does not know `tex`, None where it takes too long."""
    if _is_short_work(tex):
        return draw(tex, display)
    found = _PROCESS.ask([tex, display])
    return found if isinstance(found, str) else None


def _nesting(tex: str) -> tuple[int, int]:
    """Return the nesting depth of groups, and the number of delimiters not closed in their group or cell."""
    groups = [0]  # the delimiters that each open group has open
    deepest = unclosed = 0
    for found in _DELIMITER.finditer(tex):
        kind = found.lastgroup
        if kind == "begin":
            groups.append(0)
            deepest = max(deepest, len(groups) - 1)
        elif kind == "opens":
            groups[-1] += 1
        elif kind == "closes" and groups[-1]:
            groups[-1] -= 1
        elif kind in ("end", "cell"):
            unclosed += groups.pop()
            if kind == "cell" or not groups:
                groups.append(0)
    return deepest, unclosed + sum(groups)


def _split_text_group(found: re.Match[str]) -> str:
    """Return a text group with its $…$ parts as formulas between text groups."""
    parts = found[2].split("$")
    return "".join(part if n % 2 else f"{found[1]}{{{part}}}" for n, part in enumerate(parts) if part)


def _unicode_escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
