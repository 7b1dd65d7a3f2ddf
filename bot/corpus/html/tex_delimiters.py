r"""Formulas in the text of a page between delimiters (`\( \)`, `\[ \]`, `$$`, `\begin{align}`), found as MathJax finds them.

A delimiter closes only where all braces opened since are closed. Work is bounded: beyond a share of the text it stops.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_ENVIRONMENT = (
    r"\\begin\s*\{((?:equation|displaymath|math|x?x?align|alignat|gather|multline|eqnarray|flalign|dmath|subequations|split|aligned|gathered"
    r"|[bBpvV]?matrix|smallmatrix|array|cases|CD)\*?)\}"
)
# Commands that MathJax also reads outside of formulas.
_REFERENCE = r"\\(?:eqref|ref)\s*\{[^{}]*\}"
_LONGEST = 20_000  # characters of one formula
_SHARE = 10  # characters looked at, at most, for each character of the text
# A dollar sign opens mathematics as in Pandoc's Markdown where a page does not say that it does: no blank behind it, none before the other, no digit after that.
_STRICT = re.compile(r"(?<![\\$\w])\$(?=[^\s$])((?:\\.|[^$\\]){1,300}?)(?<=\S)\$(?![\d$])", re.S)
_MATHEMATICAL = re.compile(r"\\[A-Za-z]|[\^_=<>+]|\A\s*[A-Za-z]['′]?\s*\Z")


class Delimiters:
    """Finds formulas in text; `put(tex, display)` keeps one and returns what stands for it in the text."""

    def __init__(self, pairs: Sequence[tuple[str, str, bool]], put: Callable[[str, bool], str], size: int) -> None:
        self.put = put
        self.left = _SHARE * size + _LONGEST
        self.ends = {opening: (closing, display) for opening, closing, display in pairs}
        openings = "|".join(re.escape(opening) for opening, _, _ in pairs)
        escaped = r"|\\\$" if "$" in self.ends else ""
        self.start = re.compile(rf"({openings})|{_ENVIRONMENT}|{_REFERENCE}{escaped}")
        self.closings: dict[str, re.Pattern[str]] = {}
        self.following: dict[str, int] = {}  # where the next of each closing delimiter stands in the text at hand

    def replaced(self, text: str) -> str:
        """Return `text` with what stands for its formulas."""
        parts: list[str] = []
        at = 0
        self.following = {}
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
            parts.append(self.put(inner, display))
            at = end + len(closing)
        parts.append(text[at:])
        return "".join(parts)

    def _end(self, text: str, start: int, closing: str) -> int:
        """Return where the closing delimiter stands, -1 for nowhere."""
        following = self.following.get(closing, -1)
        if following < start:
            following = text.find(closing, start)
            following = self.following[closing] = len(text) + _LONGEST if following < 0 else following
        if following > start + _LONGEST or self.left <= 0:
            return -1
        pattern = self.closings.get(closing)
        if pattern is None:
            pattern = self.closings[closing] = re.compile(rf"({re.escape(closing)})|\\.|[{{}}]", re.S)
        depth = 0
        for found in pattern.finditer(text, start, start + _LONGEST):
            if found[1]:
                if depth == 0:
                    self.left -= found.start() - start
                    return found.start()
            elif found[0] == "{":
                depth += 1
            elif found[0] == "}" and depth:
                depth -= 1
            if found.start() - start > self.left:
                break
        self.left -= _LONGEST
        return -1


def dollars(text: str, put: Callable[[str, bool], str]) -> str:
    """Return `text` with what stands for the formulas between single dollar signs that can hardly be anything else."""
    return _STRICT.sub(lambda m: put(m[1], False) if _MATHEMATICAL.search(m[1]) else m[0], text)
