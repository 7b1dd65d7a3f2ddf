"""What a page tells MathJax or KaTeX: the signs that enclose formulas, and macros."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_ENGINES = ("mathjax", "katex", "rendermathinelement", "arithmatex")
_CONFIGURED = re.compile(r"MathJax\.Hub\.Config|text/x-mathjax-config|\bMathJax\s*=|renderMathInElement\s*\(")
_LIST = re.compile(r"""["']?(inlineMath|displayMath)["']?\s*:\s*(?=[\[{])""")
_QUOTED = r"""(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')"""
_PAIR = re.compile(rf"\[\s*{_QUOTED}\s*,\s*{_QUOTED}\s*\]")
_KATEX = re.compile(
    rf"\{{\s*[\"']?left[\"']?\s*:\s*{_QUOTED}\s*,\s*[\"']?right[\"']?\s*:\s*{_QUOTED}\s*,\s*[\"']?display[\"']?\s*:\s*(true|false)"
)
_MACROS = re.compile(r"""["']?\b[mM]acros["']?\s*:\s*\{""")
_MACRO = re.compile(
    rf"\s*,?\s*(?://[^\n]*\n\s*|/\*.*?\*/\s*)*(?:{_QUOTED}|([A-Za-z]+))\s*:\s*(?:{_QUOTED}|\[\s*{_QUOTED}\s*(?:,\s*(\d))?\s*(?:,\s*{_QUOTED})?\s*[^\]]*\])",
    re.S,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_LONGEST_LIST = 600  # characters of a list of delimiters
_MOST_MACROS = 500


@dataclass(slots=True)
class PageSettings:
    """Delimiters as (opening, closing, display), the longest first and macros."""

    delimiters: list[tuple[str, str, bool]] = field(default_factory=list)
    macros: dict[str, list[str | int]] = field(default_factory=dict)
    engine: bool = False  # the page is made for MathJax or KaTeX
    configured: bool = False  # and its settings stand in it


def page_settings(page: str, lowered: str) -> PageSettings:
    """Return what holds on a page, which is given as it is and in small letters; what it does not set is as these programs have it."""
    found = PageSettings(engine=any(name in lowered for name in _ENGINES))
    pairs = {("\\(", "\\)"): False, ("\\[", "\\]"): True}
    if found.engine:
        pairs["$$", "$$"] = True
        found.configured = bool(_CONFIGURED.search(page))
        for setting in _LIST.finditer(page):
            for pair in _PAIR.finditer(_balanced(page, setting.end())):
                opening, closing = _plain(pair[1] or pair[2] or ""), _plain(pair[3] or pair[4] or "")
                if opening and closing:
                    pairs[opening, closing] = setting[1] == "displayMath"
        for pair in _KATEX.finditer(page):
            pairs[_plain(pair[1] or pair[2] or "$$"), _plain(pair[3] or pair[4] or "$$")] = pair[5] == "true"
        found.macros = _macros(page)
    ordered = sorted(pairs.items(), key=lambda pair: -len(pair[0][0]))
    found.delimiters = [(opening, closing, display) for (opening, closing), display in ordered]
    return found


def _balanced(page: str, start: int) -> str:
    """Return the list or object that begins at `start`."""
    depth = 0
    for found in re.compile(rf"{_QUOTED}|[\[\]{{}}]", re.S).finditer(page, start, start + _LONGEST_LIST):
        depth += (found[0] in "[{") - (found[0] in "]}")
        if depth <= 0:
            return page[start : found.end()]
    return ""


def _macros(page: str) -> dict[str, list[str | int]]:
    r"""Return macros as `TexMacros.add` takes them: of `RR: "{\\bf R}"`, `bold: ["{\\bf #1}", 1]`, `"\\RR": "\\mathbb{R}"`."""
    found: dict[str, list[str | int]] = {}
    for macros in _MACROS.finditer(page):
        at = macros.end()
        while len(found) < _MOST_MACROS and (macro := _MACRO.match(page, at)):
            at = macro.end()
            body = next(filter(None, macro.group(4, 5, 6, 7)), "")
            more = [int(macro[8])] if macro[8] else []
            default = next(filter(None, macro.group(9, 10)), None)
            found[_plain(macro[1] or macro[2] or macro[3])] = [
                _plain(body),
                *more,
                *([] if default is None else [_plain(default)]),
            ]
    return found


def _plain(text: str) -> str:
    """Return what a string of JavaScript says."""
    return _ESCAPE.sub(
        lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else {"n": "\n", "t": "\t"}.get(m[1], m[1]), text
    )
