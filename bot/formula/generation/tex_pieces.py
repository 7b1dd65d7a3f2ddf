"""TeX as pieces with their nesting: enough to cut a formula at its signs and to find its fractions, and no more.

The generated forms are tests of the reader as well, so nothing here reads a formula as the reader does: only where a group ends is one function.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from bot.formula.tex.spelling.groups import end_of_group

_PIECE = re.compile(
    r"\\(?:begin|end)\s*\{[a-z]+\*?\}|\\(?:text|textrm|mbox|operatorname\*?|mathrm|mathbb|mathcal|mathfrak|hbox|textbf|textit)\s*\{[^{}]*\}|\\[A-Za-z]+\*?|\\.|\s+|.",
    re.S,
)
_OPEN = ("{", "(", "[", "\\{", "\\left", "\\langle", "\\lfloor", "\\lceil", "\\begin")
_CLOSE = ("}", ")", "]", "\\}", "\\right", "\\rangle", "\\rfloor", "\\rceil", "\\end")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{")
GREEK = tuple("\\" + name for name in "alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi varphi chi psi omega Omega Phi Psi".split())  # fmt: skip
_WITH_LETTERS = frozenset({"\\frac", "\\sqrt", "\\left", "\\right", "\\cdot", "\\times", "\\le", "\\leq", "\\in", "\\dfrac", "\\tfrac"})  # fmt: skip
_AFTER = frozenset({"_", "^", "'", "(", "\\left", "[", "\\big", "{", "\\bigl", "\\Big"})
_BEFORE = frozenset({"_", "^", "\\frac", "\\sqrt", "d", "\\partial", "\\rm", "\\bf", "\\not"})


def tokens(tex: str) -> list[str]:
    """Return the pieces of a formula; joined they are the formula."""
    return _PIECE.findall(tex)


def without_needless_blanks(tex: str) -> str:
    """Return a formula without needless blanks, and without braces around a lone fraction."""
    pieces = [re.sub(r"^(\\[A-Za-z]+\*?)\s+\{", r"\1{", piece) for piece in tokens(tex.strip())]
    tex = ""
    for piece, following in pairwise([*pieces, ""]):
        if not piece.isspace():
            tex += piece
        elif following[:1].isalpha() and re.search(r"\\[A-Za-z]+$", tex):
            tex += " "
    return _without_braces(tex)


def _without_braces(tex: str) -> str:
    for _, _, start, end in fractions(tex):
        alone = tex[start - 1 : start] == "{" and tex[end : end + 1] == "}"
        if alone and not re.search(r"(?:\\[A-Za-z]+|[\]}^_])$", tex[: start - 1]):
            return _without_braces(tex[: start - 1] + tex[start:end] + tex[end + 1 :])
    return tex


def levels(pieces: list[str]) -> list[int]:
    """Return the nesting level of each piece; an opening brace counts as inside."""
    depth, found = 0, []
    skip = False
    for piece in pieces:
        if skip and piece.strip():  # the delimiter of \left or \right
            found.append(depth if depth else 1)
            skip = False
            continue
        if piece.startswith(_CLOSE):
            found.append(depth)
            depth -= 1
        elif piece.startswith(_OPEN):
            depth += 1
            found.append(depth)
        else:
            found.append(depth)
        if piece in ("\\left", "\\right"):
            skip = True
    return found


def split_top(tex: str, signs: tuple[str, ...]) -> list[str] | None:
    """Split at signs outside all groups, with the signs in between; None if groups are not balanced."""
    pieces = tokens(tex)
    depth = levels(pieces)
    if any(level < 0 for level in depth) or (depth and depth[-1] != 0 and not pieces[-1].startswith(_CLOSE)):
        return None
    out = [""]
    for piece, level in zip(pieces, depth, strict=True):
        if level == 0 and piece in signs:
            out += [piece, ""]
        else:
            out[-1] += piece
    return out


def top_level_pieces(tex: str) -> set[str]:
    """Return the pieces outside all groups, commands without their arguments."""
    pieces = tokens(tex)
    return {piece.split("{")[0].strip() for piece, level in zip(pieces, levels(pieces), strict=True) if level == 0}


def has_top_level(tex: str, signs: tuple[str, ...]) -> bool:
    return bool(top_level_pieces(tex) & set(signs))


def group(tex: str, start: int) -> tuple[str, int]:
    """Return the content of the brace that opens at `start`, and the position after it."""
    end = end_of_group(tex, start)
    return (tex[start + 1 : end - 1], end) if end > 0 else (tex[start + 1 :], len(tex))


def fractions(tex: str) -> Iterator[tuple[str, str, int, int]]:
    """Yield (numerator, denominator, start, end) of each fraction with braces, the outer before the inner."""
    for found in _FRACTION.finditer(tex):
        numerator, middle = group(tex, found.end() - 1)
        middle += len(tex[middle:]) - len(tex[middle:].lstrip())
        if tex[middle : middle + 1] == "{":
            denominator, end = group(tex, middle)
            if numerator.strip() and denominator.strip():
                yield numerator, denominator, found.start(), end


def previous_piece(pieces: list[str], k: int, default: str = "") -> str:
    """Return the piece before k, without blanks."""
    return next((piece for piece in reversed(pieces[:k]) if piece.strip()), default)


def pieces_before_open_braces(pieces: list[str], k: int) -> Iterator[str]:
    """Yield the piece before each brace that is open at k, from the inside."""
    depth = 0
    for j in range(k - 1, -1, -1):
        depth += (pieces[j] == "}") - (pieces[j] == "{")
        if depth < 0:
            yield previous_piece(pieces, j)
            depth = 0


def in_script(pieces: list[str], k: int) -> bool:
    """Tell whether piece k is in a superscript or subscript."""
    return previous_piece(pieces, k) in ("_", "^") or any(
        opener in ("_", "^") for opener in pieces_before_open_braces(pieces, k)
    )


def is_bare_letter(pieces: list[str], k: int) -> bool:
    """Tell whether letter k has no script, prime or argument, and is not inside a script, an accent or a word."""
    after = next((piece for piece in pieces[k + 1 :] if piece.strip()), "")
    if after in _AFTER or previous_piece(pieces, k) in _BEFORE:
        return False
    return not any(
        opener in ("_", "^") or (opener.startswith("\\") and opener not in _WITH_LETTERS)
        for opener in pieces_before_open_braces(pieces, k)
    )
