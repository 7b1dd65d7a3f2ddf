r"""Formulas in the text of a page between delimiters (`\( \)`, `\[ \]`, `$$`, `\begin{align}`), found as MathJax finds them.

A delimiter closes only where all braces opened since are closed. Work is bounded: beyond a share of the text it stops.
What a page tells MathJax or KaTeX counts: the signs that enclose formulas, and macros.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bot.corpus.latex.macros import package_definitions

_ENGINES = ("mathjax", "katex", "rendermathinelement", "arithmatex")
_CONFIGURED = re.compile(r"MathJax\.Hub\.Config|text/x-mathjax-config|\bMathJax\s*=|renderMathInElement\s*\(")
_LIST = re.compile(r"""["']?\b(inlineMath|displayMath|load|packages|extensions)["']?\s*:\s*(?=[\[{])""")
_QUOTED = r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?:String\.raw)?`(?:[^`\\]|\\.)*`)"""
_PAIR = re.compile(rf"\[\s*{_QUOTED}\s*,\s*{_QUOTED}\s*\]")
_KATEX = re.compile(
    rf"\{{\s*[\"']?left[\"']?\s*:\s*{_QUOTED}\s*,\s*[\"']?right[\"']?\s*:\s*{_QUOTED}\s*,\s*[\"']?display[\"']?\s*:\s*(true|false)"
)
_MACROS = re.compile(r"""(?:["']?\b[mM]acros["']?\s*:|\b\w{0,40}[mM]acros\s*=)\s*\{""")
_MACRO = re.compile(
    rf"\s*,?\s*(?://[^\n]*\n\s*|/\*.*?\*/\s*)*(?:{_QUOTED}|([A-Za-z]+))\s*:\s*(?:{_QUOTED}|\[\s*{_QUOTED}\s*(?:,\s*(\d))?\s*(?:,\s*{_QUOTED})?\s*[^\]]*\])",
    re.S,
)
_NAME = re.compile(r"\w+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_MAX_LIST_LENGTH = 600  # characters of a list of delimiters
_MAX_MACROS = 500
_ENVIRONMENT = (
    r"\\begin\s*\{((?:equation|displaymath|math|x?x?align|alignat|gather|multline|eqnarray|flalign|dmath|subequations|split|aligned|gathered"
    r"|[bBpvV]?matrix|smallmatrix|array|cases|CD)\*?)\}"
)
# Commands that MathJax also reads outside of formulas.
_REFERENCE = r"\\(?:eqref|ref)\s*\{[^{}]*\}"
_SPACED_NAME = re.compile(r"(\\(?:begin|end))\s+(?=\{)")  # TeX4ht sets a blank before the name of an environment
_MAX_LENGTH = 20_000  # characters of one formula
_MAX_WORK_PER_CHARACTER = 10  # characters looked at, at most, for each character of the text
# A dollar sign opens mathematics as in Pandoc's Markdown where a page does not say that it does: no blank behind it, none before the other, no digit after that.
_STRICT_DOLLARS = re.compile(r"(?<![\\$\w])\$(?=[^\s$])((?:\\.|[^$\\]){1,300}?)(?<=\S)\$(?![\d$])", re.S)
_MATHEMATICAL = re.compile(r"\\[A-Za-z]|[\^_=<>+]|\A\s*[A-Za-z]['′]?\s*\Z")


@dataclass(slots=True)
class PageSettings:
    """Delimiters as (opening, closing, display), the longest first and macros."""

    delimiters: list[tuple[str, str, bool]] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)  # that it loads, of those whose definitions are known
    macros: dict[str, list[str | int]] = field(default_factory=dict)
    engine: bool = False  # the page is made for MathJax or KaTeX
    configured: bool = False  # and its settings stand in it


def page_settings(page: str, lowered: str, in_layout: bool = False) -> PageSettings:
    """Return what holds on a page, which is given as it is and in small letters; what it does not set is as these programs have it.

    A page that stands in a layout may be made for such a program, though it does not say so.
    """
    found = PageSettings(engine=in_layout or any(name in lowered for name in _ENGINES))
    pairs = {("\\(", "\\)"): False, ("\\[", "\\]"): True}
    if found.engine:
        pairs["$$", "$$"] = True
        found.configured = bool(_CONFIGURED.search(page))
        for setting in _LIST.finditer(page):
            settings = _balanced_literal(page, setting.end())
            if not setting[1].endswith("Math"):
                found.packages |= package_definitions().keys() & set(_NAME.findall(settings))
                continue
            for pair in _PAIR.finditer(settings):
                opening, closing = _unquoted_string(pair[1]), _unquoted_string(pair[2])
                if opening and closing:
                    pairs[opening, closing] = setting[1] == "displayMath"
        for pair in _KATEX.finditer(page):
            pairs[_unquoted_string(pair[1]) or "$$", _unquoted_string(pair[2]) or "$$"] = pair[3] == "true"
        found.macros = macros_in(page)
    ordered = sorted(pairs.items(), key=lambda pair: -len(pair[0][0]))
    found.delimiters = [(opening, closing, display) for (opening, closing), display in ordered]
    return found


def _balanced_literal(page: str, start: int) -> str:
    """Return the list or object that begins at `start`."""
    depth = 0
    for found in re.compile(rf"{_QUOTED}|[\[\]{{}}]", re.S).finditer(page, start, start + _MAX_LIST_LENGTH):
        depth += (found[0] in "[{") - (found[0] in "]}")
        if depth <= 0:
            return page[start : found.end()]
    return ""


def macros_in(page: str) -> dict[str, list[str | int]]:
    r"""Return the macros of the settings in a page or script as `TexMacros.add` takes them: of `RR: "{\\bf R}"`, `bold: ["{\\bf #1}", 1]`, `"\\RR": "\\mathbb{R}"`."""
    found: dict[str, list[str | int]] = {}
    for macros in _MACROS.finditer(page):
        at = macros.end()
        while len(found) < _MAX_MACROS and (macro := _MACRO.match(page, at)):
            at = macro.end()
            arity = [int(macro[5])] if macro[5] else []
            default = [_unquoted_string(macro[6])] if macro[6] else []
            found[macro[2] or _unquoted_string(macro[1])] = [_unquoted_string(macro[3] or macro[4]), *arity, *default]
    return found


def _unquoted_string(quoted: str) -> str:
    """Return the value of a quoted JavaScript string."""
    if quoted.startswith("String"):
        return quoted[len("String.raw`") : -1]
    return _ESCAPE.sub(
        lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else {"n": "\n", "t": "\t"}.get(m[1], m[1]), quoted[1:-1]
    )


class Delimiters:
    """Finds formulas in text; `put(tex, display)` stores one and returns its replacement."""

    def __init__(self, pairs: Sequence[tuple[str, str, bool]], put: Callable[[str, bool], str], size: int) -> None:
        self.add_formula = put
        self.remaining = _MAX_WORK_PER_CHARACTER * size + _MAX_LENGTH
        self.ends = {opening: (closing, display) for opening, closing, display in pairs}
        openings = "|".join(re.escape(opening) for opening, _, _ in pairs)
        escaped = r"|\\\$" if "$" in self.ends else ""
        self.start = re.compile(rf"({openings})|{_ENVIRONMENT}|{_REFERENCE}{escaped}")
        self.closings: dict[str, re.Pattern[str]] = {}
        self.next_closings: dict[str, int] = {}  # where the next of each closing delimiter stands in the text at hand

    def replace_formulas(self, text: str) -> str:
        """Return `text` with its formulas replaced."""
        parts: list[str] = []
        at = 0
        self.next_closings = {}
        text = _SPACED_NAME.sub(r"\1", text)
        while start := self.start.search(text, at):
            parts.append(text[at : start.start()])
            opening, environment = start[1], start[2]
            if not opening and not environment:
                parts.append("$" if start[0] == r"\$" else "…")
                at = start.end()
                continue
            closing, display = self.ends[opening] if opening else (f"\\end{{{environment}}}", True)
            end = self._end(text, start.end(), closing)
            if end < 0:
                parts.append(start[0])
                at = start.end()
                continue
            inner = text[start.end() : end] if opening else text[start.start() : end + len(closing)]
            parts.append(self.add_formula(inner, display))
            at = end + len(closing)
        parts.append(text[at:])
        return "".join(parts)

    def _end(self, text: str, start: int, closing: str) -> int:
        """Return the position of the closing delimiter, -1 if there is none."""
        following = self.next_closings.get(closing, -1)
        if following < start:
            following = text.find(closing, start)
            following = self.next_closings[closing] = len(text) + _MAX_LENGTH if following < 0 else following
        if following > start + _MAX_LENGTH or self.remaining <= 0:
            return -1
        pattern = self.closings.get(closing)
        if pattern is None:
            pattern = self.closings[closing] = re.compile(rf"({re.escape(closing)})|\\.|[{{}}]", re.S)
        depth = 0
        for found in pattern.finditer(text, start, start + _MAX_LENGTH):
            if found[1]:
                if depth == 0:
                    self.remaining -= found.start() - start
                    return found.start()
            elif found[0] == "{":
                depth += 1
            elif found[0] == "}" and depth:
                depth -= 1
            if found.start() - start > self.remaining:
                break
        self.remaining -= _MAX_LENGTH
        return -1


def replace_strict_dollars(text: str, put: Callable[[str, bool], str]) -> str:
    """Return `text` with formulas between single dollar signs replaced, if they can hardly be anything else."""
    return _STRICT_DOLLARS.sub(lambda m: put(m[1], False) if _MATHEMATICAL.search(m[1]) else m[0], text)
