"""Formulas written in wiki or HTML text (`{{math|''E'' = ''mc''<sup>2</sup>}}`, `{{mvar|F}}`) to simple TeX."""

import html
import re

from bot.corpus.mathml.mathml_tokens import FUNCTIONS
from bot.formula.validity.unicode_tex import GREEK, OPERATORS

# Fractions and roots inside a template reach us as these private-use marks (see `wikitemplates`).
FRACTION, OVER, FRACTION_END = "\ue010", "\ue011", "\ue012"
ROOT, ROOT_END = "\ue013", "\ue014"

# Signs that are set in another way here than among MathML's tokens, or that are not a letter or operator.
_COMMANDS = {
    **GREEK, **OPERATORS,
    "∅": r"\emptyset", "□": r"\Box", "∣": "|", "∙": r"\cdot", "°": r"\circ", "ħ": r"\hbar", "µ": r"\mu", "∆": r"\Delta", "′": "'", "″": "''",
    "−": "-", "–": "-", "‐": "-", "∕": "/", "⁄": "/", "%": r"\%", "#": r"\#", "$": r"\$", "&": r"\&", "\u2061": "", "\u2062": "", "\u200b": "",
    **dict.fromkeys("\xa0\u2009\u202f\u200a\u2002\u2003", " "),
}  # fmt: skip
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢⱼₖₘₓ", "0123456789+-=()nijkmx", strict=True))
_FUNCTIONS = FUNCTIONS | frozenset("max min sup inf deg Pr mod hom".split())
_MARKS = {
    FRACTION: r"\frac{", OVER: "}{", FRACTION_END: "}", ROOT: r"\sqrt{", ROOT_END: "}", "{": r"\{", "}": r"\}", "√": r"\surd ", "\\": r"\backslash ",
}  # fmt: skip
_SUPS, _SUBS = "".join(_SUPERSCRIPTS), "".join(_SUBSCRIPTS)
_TOKEN = re.compile(
    r"(?P<quotes>'{2,5})|<(?P<close>/)?(?P<tag>sub|sup|i|em|b|strong|var|br|small|big|span|u)\b[^<>]*>|<[^<>]*>"
    rf"|(?P<word>[^\W\d_{_SUPS}{_SUBS}]+)|(?P<sups>[{_SUPS}]+)|(?P<subs>[{_SUBS}]+)|(?P<space>\s+)|(?P<sign>.)",
    re.S,
)


def to_tex(text: str) -> str:
    """Return TeX for a formula in wiki or HTML markup. Upright words become functions or \\mathrm, bold ones \\mathbf."""
    out: list[str] = []
    italic = bold = False
    stack: list[str] = []
    for token in _TOKEN.finditer(html.unescape(html.unescape(text))):
        kind = token.lastgroup
        if kind == "quotes":
            italic ^= len(token[0]) in (2, 5)
            bold ^= len(token[0]) in (3, 4, 5)
        elif kind == "tag":
            tag, closing = token["tag"], bool(token["close"])
            if tag in ("sub", "sup"):
                _script(out, stack, tag, closing)
            elif tag in ("i", "em", "var"):
                italic = not closing
            elif tag in ("b", "strong"):
                bold = not closing
        elif kind == "word":
            out.append(_word(token[0], italic, bold))
        elif kind == "sups":
            out.append("^{" + "".join(_SUPERSCRIPTS[c] for c in token[0]) + "}")
        elif kind == "subs":
            out.append("_{" + "".join(_SUBSCRIPTS[c] for c in token[0]) + "}")
        elif kind == "space":
            out.append(" ")
        elif kind == "sign":
            out.append(_sign(token[0]))
    out += ["}"] * len(stack)
    return _tidy("".join(out))


def _script(out: list[str], stack: list[str], tag: str, closing: bool) -> None:
    if not closing:
        stack.append(tag)
        out.append("_{" if tag == "sub" else "^{")
    elif stack:
        stack.pop()
        out.append("}")


def _word(word: str, italic: bool, bold: bool) -> str:
    letters = "".join(f"{_COMMANDS[c]} " if c in _COMMANDS else c for c in word)
    if bold:
        return rf"\mathbf{{{letters.strip()}}}"
    if italic or len(word) == 1 or not word.isascii():
        return letters
    if word in _FUNCTIONS:
        return rf"\{word} "
    return letters if len(word) <= 2 else rf"\mathrm{{{word}}}"


def _sign(sign: str) -> str:
    if sign in _MARKS:
        return _MARKS[sign]
    command = _COMMANDS.get(sign, sign)
    return f"{command} " if re.search(r"\\[A-Za-z]+$", command) else command


def _tidy(tex: str) -> str:
    tex = re.sub(r"[_^]\{\s*\}", "", tex)
    tex = re.sub(r"([_^])\{([A-Za-z0-9])\}", r"\1\2", tex)
    tex = re.sub(r"(\\[A-Za-z]+) (?=[^A-Za-z])", r"\1", re.sub(r"\s+", " ", tex))
    return re.sub(r" (?=[}_^)])|(?<=[({]) ", "", tex).strip()
