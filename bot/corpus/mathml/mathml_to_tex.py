"""Presentation MathML without TeX to the TeX that means the same: one pass from the leaves up, no recursion.

Writers of textbooks set products as juxtaposed letters, function names and minus signs as text, and vectors as bold
letters under an arrow; what comes out is TeX as a mathematician would type it, in the subset that a wiki accepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.corpus.html.aligned_rows import Cell, formulas, relates
from bot.corpus.mathml.mathml_elements import LEAST, MAKERS
from bot.corpus.mathml.mathml_leaves import leaf
from bot.corpus.mathml.mathml_rows import TexPiece, row, space
from bot.corpus.tex_equations import equations as tex_equations
from bot.corpus.xml_parsing import Element, local_name, name, text_of, words

_LEAVES = {"mi", "mn", "mo", "mtext", "ms"}
_TALL = {"mfrac", "mtable", "munderover", "munder", "mroot"}
_SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts"}
_WRAPPERS = ("mrow", "mstyle", "semantics", "mpadded", "math")
_STOPS = ("", ".", ",", ";")
_BLANK = re.compile(r"^(?:\\q?quad(?![A-Za-z])|\\[,;:! ]|\s)+|(?:\\q?quad(?![A-Za-z])|\\[,;:! ]|\s)+$")
_IGNORED = {"mphantom", "annotation", "annotation-xml", "none", "mprescripts", "maligngroup", "malignmark"}


def mathml_to_tex(math: Element) -> str:
    """Return the TeX of a <math> element, or its own TeX annotation where it has one."""
    return _annotated(math) or _converted(math)


def equations(math: Element) -> list[str]:
    """Return the equations of a displayed <math>: each row of a table that is all of it, or the one formula that it is."""
    noted = _annotated(math)
    if noted:
        return tex_equations(noted)
    table = _only_table(math)
    rows = [] if table is None else [_cells(row, table) for row in table if name(row) in ("mtr", "mlabeledtr")]
    if any(relates(cell.tex) for row in rows for cell in row) or len(rows) == 1:
        return formulas(rows)
    tex = _converted(math)
    return [tex] if tex else []


def _only_table(math: Element) -> Element | None:
    """Return the table that is all of a formula but for spaces and stops, also within wrappers."""
    element = math
    while True:
        parts = [part for part in element if isinstance(part.tag, str) and name(part) not in _IGNORED]
        parts = [part for part in parts if (name(part) != "mspace" and words(part) not in _STOPS) or len(part)]
        if len(parts) != 1 or name(parts[0]) not in (*_WRAPPERS, "mtable"):
            return None
        element = parts[0]
        if name(element) == "mtable":
            return element


def _cells(row: Element, table: Element) -> list[Cell]:
    sides = str(table.get("columnalign", "")).split()
    cells = [cell for cell in row if isinstance(cell.tag, str)][name(row) == "mlabeledtr" :]
    found = []
    for number, cell in enumerate(cells):
        side = str(cell.get("columnalign") or (sides[min(number, len(sides) - 1)] if sides else ""))
        tex = _BLANK.sub("", _converted(cell))
        found.append(Cell(tex, frozenset([f"ltx_align_{side}"])))
    return found


def _converted(math: Element) -> str:
    """Convert from the leaves up, with a stack of our own: nothing is too deep."""
    around = _Open(math, "", "")
    around.children = iter((math,))
    stack = [around]
    while True:
        here = stack[-1]
        parts, variant = here.parts, here.variant
        for child in here.children:
            if not isinstance(child.tag, str):
                continue
            tag = local_name(child.tag)
            variant = child.get("mathvariant") or here.variant
            if tag in _LEAVES:
                parts.append(_leaf(tag, text_of(child), variant))
            elif tag == "mspace":
                parts.append(TexPiece(space(str(child.get("width", ""))), tag))
            elif tag in _IGNORED:
                parts.append(TexPiece("", tag))
            else:
                stack.append(_Open(child, tag, variant))
                break
        else:
            if here is around:
                return parts[0].tex.strip()
            stack.pop()
            stack[-1].parts.append(_piece(here.element, here.tag, parts))


class _Open:
    """An element whose children are being converted."""

    __slots__ = ("children", "element", "parts", "tag", "variant")

    def __init__(self, element: Element, tag: str, variant: str) -> None:
        self.element, self.tag, self.variant = element, tag, variant
        self.children: Iterator[Element] = iter(element)
        self.parts: list[TexPiece] = []


@lru_cache(maxsize=16384)  # a book repeats its letters and signs
def _leaf(tag: str, text: str, variant: str) -> TexPiece:
    return TexPiece(leaf(tag, text, variant), tag)


def _annotated(math: Element) -> str:
    for note in math.iter("{*}annotation"):
        if "tex" in str(note.get("encoding", "")).lower() and (note.text or "").strip():
            return str(note.text).strip()
    return ""


def _piece(element: Element, tag: str, parts: list[TexPiece]) -> TexPiece:
    make = MAKERS.get(tag)
    if make is not None and len(parts) >= LEAST.get(tag, 0):
        return TexPiece(make(element, parts), tag, tag in _TALL or any(part.tall for part in parts))
    full = [part for part in parts if part.tex]
    return TexPiece(row(parts), full[0].tag if len(full) == 1 else "mrow", any(part.tall for part in parts))
