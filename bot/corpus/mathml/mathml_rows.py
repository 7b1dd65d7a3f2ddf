"""Elements side by side: separators between them, and fences that fit their content."""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, TypeGuard

from bot.corpus.mathml.mathml_tokens import FUNCTIONS
from bot.formula.validity.unicode_tex import OPERATORS

_WORD_END = re.compile(r"\\[A-Za-z]+$")
_TEXT_AT_END = re.compile(r"\\text\{[^{}]*\}(?:\^\{[^{}]*\})?$")
_TEXT_AT_START = re.compile(r"(?:\\frac\{|\\mu *|[({\[])*\\text\{")
_RAISING = frozenset("^_'")
_CAN_CARRY_SCRIPT = re.compile(r"[\w)\]}'|]$")
_SIGNS = frozenset(OPERATORS.values()) - {r"\partial", r"\nabla", r"\hbar", r"\ell", r"\infty"}
_SCRIPTED = re.compile(r"(?:\^(?:\{[^{}]*\}|\\?\w+)|'+)$")
_OPENERS = {"(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil"}
_CLOSERS = {*_OPENERS.values(), "'", "!"}
VERTICAL = {r"\mid": "|", r"\parallel": r"\|"}  # relations whose characters are fences, too
_UPRIGHT = re.compile(r"\\mathrm\{[A-Za-z]\}")
_MIN_WORD_LENGTH = 3  # letters: two may be a product of units
_BARS = {"|", r"\|"}
_MATRICES = {("(", ")"): "p", ("[", "]"): "b", (r"\{", r"\}"): "B", ("|", "|"): "v", (r"\|", r"\|"): "V"}
_ENVIRONMENT = re.compile(r"\\begin\{(?:array\}\{[lcr]*|aligned)\}(.*)\\end\{(?:array|aligned)\}", re.S)
_MIN_SPACES = 3  # chosen: three of .28 em are nearly one em
_THIN, _WIDE, _WIDER = 0.35, 0.9, 1.9  # em: below the first a space only parts a number from its unit


class TexPiece(NamedTuple):
    """TeX of one element, with what its neighbours depend on."""

    tex: str
    tag: str
    tall: bool = False


def join_row(parts: Sequence[TexPiece]) -> str:
    """Return pieces as one string of TeX."""
    if len(parts) == 1 and parts[0].tag != "mspace" and parts[0].tex[:1] not in _RAISING:
        return parts[0].tex
    if not parts:
        return ""
    if all(part.tex == "'" for part in parts):
        return "'" * len(parts)
    texts, tags, tall = zip(*parts, strict=True)
    pieces = _without_thin_spaces(_joined_spaces(parts)) if "mspace" in tags else parts
    if "" in texts:
        pieces = [part for part in pieces if part.tex]
    if r"\mid" in texts or r"\parallel" in texts:
        pieces = _with_vertical_bars(pieces)
    if "mi" in tags and r"\mathrm{" in "".join(texts):
        pieces = _with_words(pieces)
    if "mtable" in tags:
        pieces = _matrices(pieces)
    if True in tall and (sizes := _stretchy_fences(pieces)):
        texts = tuple([sizes.get(n, part.tex) for n, part in enumerate(pieces)])
    elif pieces is not parts:
        texts = tuple([part.tex for part in pieces])
    built = last = ""
    for tex in texts:
        if tex[0] in _RAISING or (last[-1:].isalpha() and "\\" in last):
            built += separator_between(last, tex)
        built += tex
        last = tex
    return built


def _with_vertical_bars(parts: Sequence[TexPiece]) -> Sequence[TexPiece]:
    r"""Return the row with its relations (U+2223, U+2225) that are fences as such: two of the first side by side, and pairs that open and close.

    What bears a script closes: ∥x∥².
    """
    pieces: list[TexPiece] = []
    for part in parts:
        if pieces and all(piece.tex == r"\mid" and piece.tag == "mo" for piece in (part, pieces[-1])):
            pieces[-1] = TexPiece(r"\|", "mo")
        else:
            pieces.append(part)
    for relation, bar in VERTICAL.items():
        opened = -1
        for n, part in enumerate(pieces):
            scripts = part.tex.removeprefix(relation)
            if scripts == part.tex or (scripts and scripts[0] not in "^_"):
                continue
            if opened >= 0:
                pieces[opened] = TexPiece(bar, "mo")
                pieces[n] = TexPiece(bar + scripts, part.tag)
                opened = -1
            elif not scripts and (n == 0 or (pieces[n - 1].tag == "mo" and pieces[n - 1].tex not in _CLOSERS)):
                opened = n
    return pieces


def _with_words(parts: Sequence[TexPiece]) -> Sequence[TexPiece]:
    """Return the row with upright letters, three or more of which follow one another, as the word that they spell."""
    if len(parts) < _MIN_WORD_LENGTH or sum([part.tex[:8] == r"\mathrm{" for part in parts]) < _MIN_WORD_LENGTH:
        return parts
    pieces: list[TexPiece] = []
    n = 0
    while n < len(parts):
        end = n
        while end < len(parts) and parts[end].tag == "mi" and _UPRIGHT.fullmatch(parts[end].tex):
            end += 1
        if end - n >= _MIN_WORD_LENGTH:
            name = "".join(part.tex[len(r"\mathrm{") : -1] for part in parts[n:end])
            pieces.append(TexPiece(f"\\{name}" if name in FUNCTIONS else f"\\mathrm{{{name}}}", "mi"))
        else:
            end = max(end, n + 1)
            pieces += parts[n:end]
        n = end
    return pieces


def separator_between(last: str, tex: str) -> str:
    """Return the separator that two strings of TeX need to stay two."""
    if tex[:1] in _RAISING:
        raised = tex[0] != "_" and ends_in_superscript(last)
        return "{}" if raised or not _CAN_CARRY_SCRIPT.search(last) or _is_sign(last) else ""
    return " " if "\\" in last and tex[:1].isalpha() and _WORD_END.search(last) else ""


def _is_sign(tex: str) -> bool:
    """Tell whether TeX ends in a macro for a sign, which takes no degree or prime."""
    found = _WORD_END.search(tex)
    return found is not None and found[0] in _SIGNS


def _joined_spaces(parts: Sequence[TexPiece]) -> list[TexPiece]:
    """Return the row with several narrow spaces in a row as the wide one that they make: it parts a formula from its condition."""
    pieces: list[TexPiece] = []
    for tag, run in groupby(parts, key=lambda part: part.tag):
        same = list(run)
        narrow = tag == "mspace" and all(part.tex in (r"\,", r"\;") for part in same)
        pieces += [TexPiece(r"\quad", tag)] if narrow and len(same) >= _MIN_SPACES else same
    return pieces


def _without_thin_spaces(parts: Sequence[TexPiece]) -> list[TexPiece]:
    """Return the row without needless thin spaces: only those beside words and units are left."""
    pieces: list[TexPiece] = []
    before: TexPiece | None = None
    for n, part in enumerate(parts):
        if part.tag != "mspace":
            before = part if part.tex else before
        elif part.tex == r"\,":
            after = next((other for other in parts[n + 1 :] if other.tag != "mspace" and other.tex), None)
            if not (_is_word(before) and _is_word(after)):
                continue
            texts = (
                "mtext" in (before.tag, after.tag) or _TEXT_AT_END.search(before.tex) or _TEXT_AT_START.match(after.tex)
            )
            if not texts:
                continue
        pieces.append(part)
    return pieces


def _is_word(part: TexPiece | None) -> TypeGuard[TexPiece]:
    """Tell whether there is a neighbour, and it is not a sign or function."""
    return part is not None and part.tag != "mo" and part.tex.strip("\\") not in FUNCTIONS


def _stretchy_fences(parts: Sequence[TexPiece]) -> dict[int, str]:
    r"""Return \left and \right forms for the fences of this row that enclose something tall."""
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


def _matrices(parts: Sequence[TexPiece]) -> list[TexPiece]:
    """Return the row with fenced tables as matrices, and a table under a lone brace as cases."""
    pieces: list[TexPiece] = []
    n = 0
    while n < len(parts):
        opening, body = parts[n], parts[n + 1] if n + 1 < len(parts) else None
        closing = parts[n + 2].tex if n + 2 < len(parts) else ""
        matrix = _matrix(opening, body, closing) if body is not None and body.tag == "mtable" else None
        pieces.append(matrix[0] if matrix else opening)
        n += matrix[1] if matrix else 1
    return pieces


def _matrix(opening: TexPiece, body: TexPiece, closing: str) -> tuple[TexPiece, int] | None:
    found = _ENVIRONMENT.fullmatch(body.tex)
    name = _MATRICES.get((opening.tex, closing))
    if not found or opening.tag != "mo":
        return None
    if name:
        return TexPiece(f"\\begin{{{name}matrix}}{found[1]}\\end{{{name}matrix}}", "mtable", True), 3
    if opening.tex == r"\{":
        if all(line.count("&") < 2 for line in found[1].split(r"\\")):
            return TexPiece(f"\\begin{{cases}}{found[1]}\\end{{cases}}", "cases", True), 2
        return TexPiece(f"\\left\\{{{body.tex}\\right.", "cases", True), 2
    return None


def ends_in_superscript(tex: str) -> bool:
    """Tell whether TeX ends in a superscript, to which no second can be added."""
    return bool(_SCRIPTED.search(tex))


def space_to_tex(width: str) -> str:
    """Return the space of TeX that comes nearest to a width of MathML."""
    found = re.match(r"\s*(-?(?:\d+\.?\d*|\.\d+))\s*(em|ex|px|pt|mu)?", width)
    if not found:
        return {"thickmathspace": r"\;", "verythickmathspace": r"\;"}.get(width, r"\," if "math" in width else "")
    size = float(found[1]) * {"ex": 0.5, "px": 0.06, "pt": 0.1, "mu": 0.056}.get(found[2] or "em", 1.0)
    if size <= 0.12:
        return ""
    return r"\," if size < _THIN else r"\;" if size < _WIDE else r"\quad" if size < _WIDER else r"\qquad"
