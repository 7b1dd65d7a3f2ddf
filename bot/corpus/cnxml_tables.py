"""Tables and lists of key equations: each row has a name and the formulas that bear it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bot.corpus.html.mathtags import MARKER, MARKER_OPEN, PlainMath
from bot.corpus.xml_parsing import Element, element_name
from bot.records import NameHint

if TYPE_CHECKING:
    from bot.corpus.cnxml import CnxmlWalker

_NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
_WORD = re.compile(r"[^\W\d_]{3}")
_MAX_NAME_LENGTH = 160  # characters; more is a sentence about a formula, no name
_EDGE = " :;,.–—=-"


def read_key_equations(section: Element, reader: CnxmlWalker) -> None:
    """Read a section of key equations; rows of tables and items of lists carry their names, all else is text."""
    rows = list(section.iter("{*}row"))
    for row, spanning_name in zip(rows, _spanning_names(rows, reader.cut), strict=True):
        if element_name(row.getparent()) != "thead":
            _row([cell for cell in row if isinstance(cell.tag, str)], spanning_name, reader)
    for line in section.iter("{*}item", "{*}para", "{*}equation"):
        if not any(str(ancestor.tag).endswith(("}row", "}item", "}para")) for ancestor in line.iterancestors()):
            _line(line, reader)


def _spanning_names(rows: list[Element], cut: Sequence[PlainMath]) -> Iterator[str]:
    """Yield for each row the name that a cell spanning it from above gives, or an empty string."""
    name, left = "", 0
    for row in rows:
        yield name if left > 0 else ""
        left -= 1
        first = next((cell for cell in row if isinstance(cell.tag, str)), None)
        if first is not None and re.fullmatch("[1-9][0-9]{0,3}", str(first.get("morerows", "0"))):
            name, left = plain_text_of(first, cut), int(first.get("morerows", "0"))


def _row(cells: list[Element], spanning_name: str, reader: CnxmlWalker) -> None:
    named = next((cell for cell in cells if _is_name(cell, reader.cut)), None)
    title = spanning_name if named is None else plain_text_of(named, reader.cut)
    if named is None and not spanning_name and len(cells) > 1:
        named = cells[0]  # a symbol where the name should be: it names nothing, but it is not a key equation either
    reader.draft.paragraph()
    if named is not None:
        reader.read_content_as(named, "table", ())
        reader.draft.text(": ")
    elif spanning_name:
        reader.draft.text(f"{spanning_name}: ")
    hints = (NameHint("key_equation", title),) if 0 < len(title) <= _MAX_NAME_LENGTH else ()
    for cell in cells:
        if cell is not named:
            _cell(cell, hints, reader)
    reader.draft.paragraph(closed=True)


def _cell(cell: Element, hints: tuple[NameHint, ...], reader: CnxmlWalker) -> None:
    def between(words: str) -> str:
        return words or " "

    reader.add_text(cell.text or "", between, display=True, hints=hints)
    for part in cell:
        if part.tag == f"{_NAMESPACE}math":
            reader.add_math(part, display=True, hints=hints)
        elif isinstance(part.tag, str):
            _cell(part, hints, reader)
        tail = part.tail or ""
        reader.add_text(tail if tail[:1] not in ("", MARKER_OPEN) else f" {tail}", between, display=True, hints=hints)


def _line(line: Element, reader: CnxmlWalker) -> None:
    """Read an item: words before its first formula are the name."""
    before = itertools.takewhile(lambda pair: not pair[1], _texts(line, reader.cut))
    title = " ".join("".join(text for text, _ in before).split()).strip(_EDGE)
    named = bool(_WORD.search(title)) and len(title) <= _MAX_NAME_LENGTH
    reader.draft.paragraph()
    _cell(line, (NameHint("key_equation", title),) if named else (), reader)
    reader.draft.paragraph(closed=True)


def _is_name(cell: Element, cut: Sequence[PlainMath]) -> bool:
    """Tell whether a cell has words besides its formulas."""
    return bool(_WORD.search("".join(text for text, formula in _texts(cell, cut) if not formula)))


def plain_text_of(element: Element, cut: Sequence[PlainMath]) -> str:
    """Return an element's text on one line, formulas in it as their bare characters."""
    return " ".join("".join(text.strip() if formula else text for text, formula in _texts(element, cut)).split())


def _texts(element: Element, cut: Sequence[PlainMath]) -> Iterator[tuple[str, bool]]:
    """Yield the texts of an element in order, each with whether it belongs to a formula."""
    if isinstance(element.tag, str):
        formula = element.tag.startswith(_NAMESPACE)
        yield from _split_at_formulas(element.text or "", cut, formula)
        for child in element:
            yield from _texts(child, cut)
            yield from _split_at_formulas(child.tail or "", cut, formula)


def _split_at_formulas(text: str, cut: Sequence[PlainMath], formula: bool) -> Iterator[tuple[str, bool]]:
    for n, piece in enumerate(MARKER.split(text) if cut else [text]):
        yield (cut[int(piece)].text, True) if n % 2 else (piece, formula)
