"""MathML without TeX to the TeX that means the same: one pass from the leaves up; content is presented first.

Writers of textbooks set products as juxtaposed letters, function names and minus signs as text, and vectors as bold
letters under an arrow; what comes out is TeX as a mathematician would type it, in the subset that a wiki accepts.
"""

import re
from functools import lru_cache

from bot.corpus.html.aligned_rows import Cell, formulas, relates
from bot.corpus.mathml.content_mathml import CONTENT, NotShown, presented
from bot.corpus.mathml.mathml_elements import LEAST, MAKERS, WITH_ATTRIBUTES, Attributes
from bot.corpus.mathml.mathml_leaves import leaf
from bot.corpus.mathml.mathml_rows import TexPiece, row, space
from bot.corpus.tex_equations import equations as tex_equations
from bot.corpus.xml_parsing import Element, local_name, name, text_of, words

LEAVES = {"mi", "mn", "mo", "mtext", "ms"}
_TALL = {"mfrac", "mtable", "munderover", "munder", "mroot"}
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
    try:
        return _piece_of(math, "").tex.strip()
    except (NotShown, RecursionError):  # the fences of content nested by the hundred are trees of their own
        return ""


def _piece_of(element: Element, around: str) -> TexPiece:
    """Convert an element in the variant `around` it; no tree is deeper than the parser lets through."""
    tag, variant = local_name(element.tag), element.get("mathvariant") or around
    if tag in CONTENT:
        return _piece_of(presented(element), variant)
    alone = piece_alone(tag, text_of(element) if tag in LEAVES else "", variant, element)
    if alone is not None:
        return alone
    return made(tag, element, tuple([_piece_of(child, variant) for child in element if isinstance(child.tag, str)]))


def piece_alone(tag: str, text: str, variant: str, attributes: Attributes) -> TexPiece | None:
    """Return the piece of an element whose children do not matter, None for any other."""
    if tag in LEAVES:
        return _leaf(tag, text, variant)
    if tag == "mspace":
        return TexPiece(space(str(attributes.get("width", ""))), tag)
    return TexPiece("", tag) if tag in _IGNORED else None


def made(tag: str, element: Attributes, parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return the piece that an element makes of those of its children."""
    make = WITH_ATTRIBUTES.get(tag)
    if make is None or len(parts) < LEAST.get(tag, 0):
        return piece(tag, parts)
    return TexPiece(make(element, parts), tag, tag in _TALL or any(part.tall for part in parts))


@lru_cache(maxsize=16384)  # a book repeats its letters and signs
def _leaf(tag: str, text: str, variant: str) -> TexPiece:
    return TexPiece(leaf(tag, text, variant), tag)


@lru_cache(maxsize=65536)  # and what it makes of them
def piece(tag: str, parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return the piece that an element without attributes makes of those of its children."""
    make = MAKERS.get(tag)
    if make is None or len(parts) < LEAST.get(tag, 0):
        return group(parts)
    return TexPiece(make(parts), tag, tag in _TALL or True in [part.tall for part in parts])


def group(parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return elements side by side as one piece."""
    full = [part for part in parts if part.tex]
    tall = True in [part.tall for part in parts]
    return TexPiece(row(parts), full[0].tag if len(full) == 1 else "mrow", tall)


def _annotated(math: Element) -> str:
    for note in math.iter("{*}annotation"):
        if "tex" in str(note.get("encoding", "")).lower() and (note.text or "").strip():
            return str(note.text).strip()
    return ""
