"""Elements side by side: what stands between them, and fences made to fit what they hold."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.corpus.mathml.mathml_leaves import FUNCTIONS
from bot.formula.validity.unicode_tex import OPERATORS

_WORD_END = re.compile(r"\\[A-Za-z]+$")
_RAISING = frozenset("^_'")
_CARRIES = re.compile(r"[\w)\]}'|]$")
_SIGNS = frozenset(OPERATORS.values()) - {r"\partial", r"\nabla", r"\hbar", r"\ell", r"\infty"}
_SCRIPTED = re.compile(r"(?:\^(?:\{[^{}]*\}|\\?\w+)|'+)$")
_OPENERS = {"(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil"}
_CLOSERS = {*_OPENERS.values(), "'", "!"}
_DIVIDES = r"\mid"
_UPRIGHT = re.compile(r"\\mathrm\{[A-Za-z]\}")
_SHORTEST_WORD = 3  # letters: two may be a product of units
_BARS = {"|", r"\|"}
_MATRICES = {("(", ")"): "p", ("[", "]"): "b", (r"\{", r"\}"): "B", ("|", "|"): "v", (r"\|", r"\|"): "V"}
_ENVIRONMENT = re.compile(r"\\begin\{(?:array\}\{[lcr]*|aligned)\}(.*)\\end\{(?:array|aligned)\}", re.S)
_THIN, _WIDE, _WIDER = 0.35, 0.9, 1.9  # em: below the first a space only parts a number from its unit


class TexPiece(NamedTuple):
    """TeX of one element, and what its neighbours must know of it."""

    tex: str
    tag: str
    tall: bool = False


def row(parts: Sequence[TexPiece]) -> str:
    """Return pieces as one string of TeX."""
    if not parts:
        return ""
    texts, tags, tall = zip(*parts, strict=True)
    kept = [part for part in (_spaced(parts) if "mspace" in tags else parts) if part.tex]
    if r"\mid" in texts:
        kept = _bars(kept)
    if "mi" in tags:
        kept = _words(kept)
    if "mtable" in tags:
        kept = _matrices(kept)
    sizes = _stretched(kept) if True in tall else {}
    built = ""
    last = ""
    for n, (tex, _, _) in enumerate(kept):
        if sizes:
            tex = sizes.get(n, tex)
        if tex[0] in _RAISING or (last[-1:].isalpha() and "\\" in last):
            built += glue(last, tex)
        built += tex
        last = tex
    return built


def _bars(parts: list[TexPiece]) -> list[TexPiece]:
    r"""Return the row with its signs "divides" (U+2223) that are vertical bars as such: two side by side, and pairs that open and close."""
    if sum([part.tex == _DIVIDES for part in parts]) < 2:
        return parts
    kept: list[TexPiece] = []
    for part in parts:
        if part.tex == _DIVIDES and part.tag == "mo" and kept and kept[-1].tex == _DIVIDES and kept[-1].tag == "mo":
            kept[-1] = TexPiece(r"\|", "mo")
        else:
            kept.append(part)
    opened = -1
    for n, part in enumerate(kept):
        if part.tag != "mo" or part.tex != _DIVIDES:
            continue
        if opened >= 0:
            kept[opened] = kept[n] = TexPiece("|", "mo")
            opened = -1
        elif n == 0 or (kept[n - 1].tag == "mo" and kept[n - 1].tex not in _CLOSERS):
            opened = n
    return kept


def _words(parts: list[TexPiece]) -> list[TexPiece]:
    """Return the row with upright letters, three or more of which follow one another, as the word that they spell."""
    if len(parts) < _SHORTEST_WORD or sum([part.tex[:8] == r"\mathrm{" for part in parts]) < _SHORTEST_WORD:
        return parts
    kept: list[TexPiece] = []
    n = 0
    while n < len(parts):
        end = n
        while end < len(parts) and parts[end].tag == "mi" and _UPRIGHT.fullmatch(parts[end].tex):
            end += 1
        if end - n >= _SHORTEST_WORD:
            word = "".join(part.tex[len(r"\mathrm{") : -1] for part in parts[n:end])
            kept.append(TexPiece(f"\\{word}" if word in FUNCTIONS else f"\\mathrm{{{word}}}", "mi"))
        else:
            end = max(end, n + 1)
            kept += parts[n:end]
        n = end
    return kept


def glue(last: str, tex: str) -> str:
    """Return what must stand between two strings of TeX so that they stay two."""
    if tex[:1] in _RAISING:
        raised = tex[0] != "_" and scripted(last)
        return "{}" if raised or not _CARRIES.search(last) or _is_sign(last) else ""
    return " " if "\\" in last and tex[:1].isalpha() and _WORD_END.search(last) else ""


def _is_sign(tex: str) -> bool:
    """Tell whether TeX ends in a macro for a sign, which a degree or a prime does not belong to."""
    found = _WORD_END.search(tex)
    return found is not None and found[0] in _SIGNS


def _spaced(parts: Sequence[TexPiece]) -> list[TexPiece]:
    """Return the row without the thin spaces that a formula does not need: all but those beside words and units."""
    kept = []
    for n, part in enumerate(parts):
        if part.tag == "mspace" and part.tex == r"\,":
            before, after = _neighbour(parts, n, -1), _neighbour(parts, n, 1)
            if before is None or after is None or not (_ends_in_text(before) or _starts_with_text(after)):
                continue
        kept.append(part)
    return kept


def _neighbour(parts: Sequence[TexPiece], n: int, step: int) -> TexPiece | None:
    n += step
    while 0 <= n < len(parts) and (parts[n].tag == "mspace" or not parts[n].tex):
        n += step
    found = parts[n] if 0 <= n < len(parts) else None
    return None if found is None or found.tag == "mo" or found.tex.strip("\\") in FUNCTIONS else found


def _ends_in_text(part: TexPiece) -> bool:
    return part.tag == "mtext" or bool(re.search(r"\\text\{[^{}]*\}(?:\^\{[^{}]*\})?$", part.tex))


def _starts_with_text(part: TexPiece) -> bool:
    return part.tag == "mtext" or bool(re.match(r"(?:\\frac\{|\\mu *|[({\[])*\\text\{", part.tex))


def _stretched(parts: Sequence[TexPiece]) -> dict[int, str]:
    r"""Return \left and \right forms for the fences of this row that hold something tall."""
    pairs: list[tuple[int, int]] = []
    open_at: list[int] = []
    for n, part in enumerate(parts):
        if part.tag != "mo":
            continue
        if part.tex in _OPENERS:
            open_at.append(n)
        elif part.tex in _OPENERS.values():
            if open_at and _OPENERS[parts[open_at[-1]].tex] == part.tex:
                pairs.append((open_at.pop(), n))
            else:
                open_at.clear()
    bars = [n for n, part in enumerate(parts) if part.tag == "mo" and part.tex in _BARS]
    if len(bars) == 2 and not pairs:
        pairs.append((bars[0], bars[1]))
    return {
        n: f"\\{side}{parts[n].tex}"
        for pair in pairs
        if any(part.tall for part in parts[pair[0] + 1 : pair[1]])
        for side, n in zip(("left", "right"), pair, strict=True)
    }


def _matrices(parts: list[TexPiece]) -> list[TexPiece]:
    """Return the row with fenced tables as matrices, and a table under a lone brace as cases."""
    kept: list[TexPiece] = []
    n = 0
    while n < len(parts):
        opening, body = parts[n], parts[n + 1] if n + 1 < len(parts) else None
        closing = parts[n + 2].tex if n + 2 < len(parts) else ""
        made = _matrix(opening, body, closing) if body is not None and body.tag == "mtable" else None
        kept.append(made[0] if made else opening)
        n += made[1] if made else 1
    return kept


def _matrix(opening: TexPiece, body: TexPiece, closing: str) -> tuple[TexPiece, int] | None:
    found = _ENVIRONMENT.fullmatch(body.tex)
    name = _MATRICES.get((opening.tex, closing))
    if not found or opening.tag != "mo":
        return None
    if name:
        return TexPiece(f"\\begin{{{name}matrix}}{found[1]}\\end{{{name}matrix}}", "mtable", True), 3
    if opening.tex == r"\{":
        if _columns(found[1]) <= 2:
            return TexPiece(f"\\begin{{cases}}{found[1]}\\end{{cases}}", "cases", True), 2
        return TexPiece(f"\\left\\{{{body.tex}\\right.", "cases", True), 2
    return None


def _columns(body: str) -> int:
    return max(line.count("&") for line in body.split(r"\\")) + 1


def scripted(tex: str) -> bool:
    """Tell whether TeX ends in a superscript, to which no second can be added."""
    return bool(_SCRIPTED.search(tex))


def space(width: str) -> str:
    """Return the space of TeX that comes nearest to a width of MathML."""
    found = re.match(r"\s*(-?[\d.]*\d)\s*(em|ex|px|pt|mu)?", width)
    if not found:
        return {"thickmathspace": r"\;", "verythickmathspace": r"\;"}.get(width, r"\," if "math" in width else "")
    size = float(found[1]) * {"ex": 0.5, "px": 0.06, "pt": 0.1, "mu": 0.056}.get(found[2] or "em", 1.0)
    if size <= 0.12:
        return ""
    return r"\," if size < _THIN else r"\;" if size < _WIDE else r"\quad" if size < _WIDER else r"\qquad"
