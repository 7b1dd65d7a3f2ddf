"""MathML without TeX to TeX of the same meaning, in one pass from the tokens up; content MathML becomes presentation MathML first.

Writers of textbooks set products as juxtaposed letters, function names and minus signs as text, and vectors as bold
letters under an arrow; what comes out is TeX as a mathematician would type it, in the subset that a wiki accepts.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows, has_relation
from bot.corpus.mathml.content_mathml import CONTENT_TAGS, NoPresentation, to_presentation
from bot.corpus.mathml.mathml_elements import ATTRIBUTE_BUILDERS, ELEMENT_BUILDERS, MIN_CHILDREN, Attributes
from bot.corpus.mathml.mathml_rows import TexPiece, join_row, space_to_tex
from bot.corpus.mathml.mathml_tokens import token_to_tex
from bot.corpus.tex_equations import display_equations
from bot.corpus.xml_parsing import Element, element_name, local_name, one_line_text, text_of

TOKEN_ELEMENTS = {"mi", "mn", "mo", "mtext", "ms"}
_TALL = {"mfrac", "mtable", "munderover", "munder", "mroot"}
_WRAPPERS = ("mrow", "mstyle", "semantics", "mpadded", "math")
_STOPS = ("", ".", ",", ";")
_BLANK = re.compile(r"^(?:\\q?quad(?![A-Za-z])|\\[,;:! ]|\s)+|(?:\\q?quad(?![A-Za-z])|\\[,;:! ]|\s)+$")
_ONLY_WORDS = re.compile(r"(?:\\text\{[^{}=]*\}|\\[,;: ]|\\q?quad|[\s.,;:()])+")  # "i.", the number of a row
# What was done to get an equation, in a cell behind it; a condition begins with a small letter.
_REMARK = re.compile(r"(?:\\begin\{array\}\{[lcr]+\})?\\text\{[^\W\d_a-z][^\W\d_]{2}")
# How an annotation says that it is TeX: `application/x-tex`, `LaTeX`; not an input language of a publisher's own (`vnd.….mathtex`).
_TEX_ENCODING = re.compile(r"\s*(?:\w+/)?(?:x-)?(?:la|ams)?tex\b", re.I)
_IGNORED = {"mphantom", "annotation", "annotation-xml", "none", "mprescripts", "maligngroup", "malignmark"}


def mathml_to_tex(math: Element) -> str:
    """Return the TeX of a <math> element, or its own TeX annotation where it has one."""
    return _tex_annotation(math) or _tex_of_presentation(math)


def mathml_equations(math: Element, *, display: bool = True) -> list[str]:
    """Return the equations of a <math>: where it is displayed each row of a table that is all of it, else the one formula that it is."""
    if not display:
        return [mathml_to_tex(math)]
    if noted := _tex_annotation(math):
        return display_equations(noted)
    table = _only_table(math)
    rows = [] if table is None else [_cells(row, table) for row in table if element_name(row) in ("mtr", "mlabeledtr")]
    if any(has_relation(cell.tex) for row in rows for cell in row) or len(rows) == 1:
        found = formulas_of_rows(rows)
        return [tex for tex in found if len(found) == 1 or not _ONLY_WORDS.fullmatch(tex)]
    tex = _tex_of_presentation(math)
    return [tex] if tex else []


def lost_formula(math: Element, found: Sequence[str]) -> bool:
    """Tell whether nothing was found in a <math> that shows letters or numbers: its content cannot be read."""
    return not any(found) and any(text.isalnum() for text in _shown_texts(math))


def _shown_texts(element: Element) -> Iterator[str]:
    """Yield the characters of an element that a reader sees."""
    if isinstance(element.tag, str) and local_name(element.tag) not in _IGNORED:
        yield from element.text or ""
        for child in element:
            yield from _shown_texts(child)


def _only_table(math: Element) -> Element | None:
    """Return the table if it is the whole formula except for spaces and full stops, also inside wrappers."""
    element = math
    while True:
        parts = [part for part in element if isinstance(part.tag, str) and element_name(part) not in _IGNORED]
        parts = [p for p in parts if len(p) or (element_name(p) != "mspace" and one_line_text(p) not in _STOPS)]
        if len(parts) != 1 or element_name(parts[0]) not in (*_WRAPPERS, "mtable"):
            return None
        element = parts[0]
        if element_name(element) == "mtable":
            return element


def _cells(row: Element, table: Element) -> list[AlignedCell]:
    sides = str(table.get("columnalign", "")).split()
    cells = [cell for cell in row if isinstance(cell.tag, str)][element_name(row) == "mlabeledtr" :]
    found: list[AlignedCell] = []
    for number, cell in enumerate(cells):
        side = str(cell.get("columnalign") or (sides[min(number, len(sides) - 1)] if sides else ""))
        tex = _BLANK.sub("", _tex_of_presentation(cell))
        if _REMARK.match(tex) and any(has_relation(other.tex) for other in found):
            break
        found.append(AlignedCell(tex, f"ltx_align_{side}"))
    return found


def _tex_of_presentation(math: Element) -> str:
    try:
        return _piece_of(math, "").tex.strip()
    except (NoPresentation, RecursionError):  # content nested by the hundred makes deeper trees
        return ""


def _piece_of(element: Element, around: str) -> TexPiece:
    """Convert an element in the variant `around` it; no tree is deeper than the parser lets through."""
    tag, variant = local_name(element.tag), element.get("mathvariant") or around
    if tag in CONTENT_TAGS:
        return _piece_of(to_presentation(element), variant)
    alone = childless_piece(tag, text_of(element) if tag in TOKEN_ELEMENTS else "", variant, element)
    if alone is not None:
        return alone
    return element_piece(
        tag, element, tuple([_piece_of(child, variant) for child in element if isinstance(child.tag, str)])
    )


def childless_piece(tag: str, text: str, variant: str, attributes: Attributes) -> TexPiece | None:
    """Return the piece of an element whose children do not matter, None for any other."""
    if tag in TOKEN_ELEMENTS:
        return _token(tag, text, variant)
    if tag == "mspace":
        return TexPiece(space_to_tex(str(attributes.get("width", ""))), tag)
    return TexPiece("", tag) if tag in _IGNORED else None


def element_piece(tag: str, element: Attributes, parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return the piece that an element makes of those of its children."""
    make = ATTRIBUTE_BUILDERS.get(tag)
    if make is None or len(parts) < MIN_CHILDREN.get(tag, 0):
        return plain_element_piece(tag, parts)
    return TexPiece(make(element, parts), tag, tag in _TALL or any(part.tall for part in parts))


@lru_cache(maxsize=16384)  # a book repeats its letters and signs
def _token(tag: str, text: str, variant: str) -> TexPiece:
    return TexPiece(token_to_tex(tag, text, variant), tag)


@lru_cache(maxsize=65536)  # and what it makes of them
def plain_element_piece(tag: str, parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return the piece that an element without attributes makes of those of its children."""
    make = ELEMENT_BUILDERS.get(tag)
    if make is None or len(parts) < MIN_CHILDREN.get(tag, 0):
        return group_piece(parts)
    return TexPiece(make(parts), tag, tag in _TALL or True in [part.tall for part in parts])


def group_piece(parts: tuple[TexPiece, ...]) -> TexPiece:
    """Return elements side by side as one piece."""
    full = [part for part in parts if part.tex]
    tall = True in [part.tall for part in parts]
    return TexPiece(join_row(parts), full[0].tag if len(full) == 1 else "mrow", tall)


def _tex_annotation(math: Element) -> str:
    for note in math.iter("{*}annotation"):
        if _TEX_ENCODING.match(str(note.get("encoding", ""))) and (note.text or "").strip():
            return str(note.text).strip()
    return ""
