"""Formulas that look like one and are another: an exponent, a sign, an operation or a factor changed, a fraction turned over, a term left out, two roles swapped."""

import re
from collections.abc import Callable, Iterator, Sequence

from bot.formula.generation.tex_pieces import (
    GREEK,
    fractions,
    has_top_level,
    in_script,
    is_bare_letter,
    levels,
    previous_piece,
    split_top,
    tokens,
)

_LETTERS = frozenset({*"ABCDEFGHIJKLMNOPQRSTUVWXYZabcefghijklmnopqrstuvwxyz", *GREEK})
_DERIVATIVE = re.compile(r"(?<![A-Za-z\\])[dD](?![A-Za-z]{2})|\\(?:partial|delta|Delta|mathrm|rm)\b")
_NO_OPERAND = frozenset("=+-<>([{,:;^_&") | {"\\leq", "\\geq", "\\approx", "\\equiv", "\\to", "\\left", "\\quad", "\\qquad", "\\\\", "\\cdot", "\\times"}  # fmt: skip


def _with_piece(pieces: Sequence[str], k: int, new: str) -> str:
    return "".join([*pieces[:k], new, *pieces[k + 1 :]])


def _sides(tex: str) -> Sequence[str]:
    """Return both sides of a formula with one equality sign; none of any other."""
    sides = split_top(tex, ("=",)) or ()
    return sides[::2] if len(sides) == 3 else ()


def _exponents(tex: str) -> Iterator[str]:
    """Change a number in an exponent; add ² to the last letter if there is none."""
    found = list(re.finditer(r"(\^\s*\{?\s*)(\d)(?!\d|\.)", tex))
    for each in found:
        digit = int(each[2])
        yield tex[: each.start(2)] + str(2 if digit == 3 else digit + 1) + tex[each.end(2) :]
    if not found:
        sides = _sides(tex)
        pieces = tokens(sides[1]) if sides else []
        for k in range(len(pieces) - 1, -1, -1):
            if pieces[k] in _LETTERS and is_bare_letter(pieces, k):
                yield f"{sides[0]}={_with_piece(pieces, k, pieces[k] + '^2')}"
                return


def _signs(tex: str) -> Iterator[str]:
    """Swap plus and minus outside of scripts; drop a minus that begins a side."""
    pieces = tokens(tex)
    for k, (piece, level) in enumerate(zip(pieces, levels(pieces), strict=True)):
        if piece not in ("+", "-") or (level and in_script(pieces, k)):
            continue
        before = previous_piece(pieces, k, "=")
        if before not in _NO_OPERAND:
            yield _with_piece(pieces, k, "-" if piece == "+" else "+")
        elif before == "=" and piece == "-":
            yield _with_piece(pieces, k, "")


def _operations(tex: str) -> Iterator[str]:
    """Replace a quotient by a product, a product of two letters by a sum, a sum by a product."""
    for numerator, denominator, start, end in fractions(tex):
        if not _DERIVATIVE.search(denominator):
            yield f"{tex[:start]}{_grouped(numerator)} {_grouped(denominator)}{tex[end:]}"
    pieces = tokens(tex)
    depth = levels(pieces)
    equals = [k for k, piece in enumerate(pieces) if piece == "=" and not depth[k]]
    if len(equals) != 1:
        return
    for k in range(equals[0] + 1, len(pieces)):
        if depth[k]:
            continue
        if pieces[k] in ("/", "+"):
            yield _with_piece(pieces, k, " " if pieces[k] == "/" else " \\cdot ")
        elif k > equals[0] + 1 and pieces[k] in _LETTERS and previous_piece(pieces, k, "=") in _LETTERS:
            yield _with_piece(pieces, k, "+" + pieces[k])


def _factors(tex: str) -> Iterator[str]:
    """Change a whole number outside of scripts; put 2 before the right side if that is one term."""
    pieces = tokens(tex)
    for k, piece in enumerate(pieces):
        neighbours = "".join(pieces[max(k - 1, 0) : k] + pieces[k + 1 : k + 2])
        if piece in "23456789" and not re.search(r"[\d.,^_]", neighbours) and not in_script(pieces, k):
            yield _with_piece(pieces, k, str(int(piece) + 1) if piece != "9" else "8")
    sides = _sides(tex)
    if not sides or has_top_level(sides[1], ("+", "-", "\\pm", "\\mp", ",", "\\quad", "\\approx")):
        return
    without_words = re.sub(r"\\(?:text|mbox)\s*\{[^{}]*\}", "", sides[1])
    if re.search("[A-Za-z]", without_words) and not re.match(r"\s*\d", sides[1]):
        yield f"{sides[0]}= 2 {sides[1].lstrip()}"


def _inverted(tex: str) -> Iterator[str]:
    for numerator, denominator, start, end in fractions(tex):
        if not _DERIVATIVE.search(denominator):
            yield f"{tex[:start]}\\frac{{{denominator}}}{{{numerator}}}{tex[end:]}"


def _shortened(tex: str) -> Iterator[str]:
    """Drop the last or the first term of a side of several terms."""
    sides = _sides(tex)
    if re.search(r"\\(?:dots|ldots|cdots|pm|mp|sum|int|prod|begin|text|quad)|,", tex):
        return
    for k, side in enumerate(sides):
        terms = split_top(side, ("+", "-"))
        if terms and len(terms) >= 3 and terms[0].strip() and all(term.strip() for term in terms[::2]):
            for shorter in (terms[:-2], ["-" if terms[1] == "-" else "", *terms[2:]]):
                yield "=".join([*sides[:k], "".join(shorter), *sides[k + 1 :]])


def _roles(tex: str) -> Iterator[str]:
    """Swap two letters of the right side: E = mc² -> E = cm²."""
    sides = _sides(tex)
    pieces = tokens(sides[1]) if sides else []
    indices = [k for k, piece in enumerate(pieces) if piece in _LETTERS and not in_script(pieces, k)]
    for n, k in enumerate(indices):
        for other in indices[n + 1 :]:
            a, b = pieces[k], pieces[other]
            if a != b and pieces.count(a) == pieces.count(b) == 1:
                swapped = [{k: b, other: a}.get(index, piece) for index, piece in enumerate(pieces)]
                spaced = [p + " " if p[0] == "\\" and p[-1].isalpha() else p for p in swapped]
                yield f"{sides[0]}={''.join(spaced)}"


def _grouped(part: str) -> str:
    return f"({part})" if has_top_level(part, ("+", "-")) else part


CHANGES: dict[str, Callable[[str], Iterator[str]]] = {
    "exponent": _exponents,
    "sign": _signs,
    "operation": _operations,
    "factor": _factors,
    "turned over": _inverted,
    "term left out": _shortened,
    "roles": _roles,
}
