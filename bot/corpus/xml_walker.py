"""A walker that writes an XML document to a Draft in reading order; subclasses list their elements and add methods for special ones."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from bot.corpus.draft import CELLS, Draft
from bot.corpus.xml_parsing import Element, element_name, local_name, one_line_text
from bot.records import NameHint, Role

ROLES_KEPT_INSIDE = frozenset(["key_equations", "exercise"])  # an example among exercises is one of them

_CELLS = frozenset("td th cell entry".split())

_Reader = Callable[[Any, Element], None]  # of a walker and an element


def skip_element(walker: object, element: Element) -> None:
    """Read nothing of an element."""


class XmlWalker:
    """Keeps the role and the names that apply at the current place.

    An element `tag` is read by the method `_tag` ("-" as "_") where there is one; then by the tables of the class; and
    of any other element what is in it is read.
    """

    skipped: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    roles: Mapping[str, Role] = {}

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.role: Role = "text"
        self.readers: dict[object, _Reader] = {}
        self.notes: list[Element] = []  # that wait for the end of their paragraph
        self.titles: tuple[NameHint, ...] = ()  # of the boxes around: they name display formulas

    def read_content(self, element: Element) -> None:
        """Read what is in an element: its text, its children and their tails."""
        text, readers = self.draft.text, self.readers
        if element.text:
            text(element.text)
        for child in element:
            tag = child.tag
            (readers.get(tag) or self._reader(tag))(self, child)
            if tail := child.tail:
                text(tail)

    def read_element(self, element: Element) -> None:
        (self.readers.get(element.tag) or self._reader(element.tag))(self, element)

    def _reader(self, tag: object) -> _Reader:
        found = self.reader_of(local_name(tag)) if isinstance(tag, str) else skip_element
        self.readers[tag] = found
        return found

    @classmethod
    @lru_cache(maxsize=4096)
    def reader_of(cls, tag: str) -> _Reader:
        """Return the reader of a tag: an unbound function, since a bound method would make a cycle with its walker."""
        if tag in cls.skipped:
            return skip_element
        special = getattr(cls, f"_{tag.replace('-', '_')}", None) if tag[0] != "_" else None
        if special:
            found: _Reader = special
            return found
        if tag in cls.blocks or tag in cls.roles:
            return cls.block
        return cls.line if tag in cls.lines else cls.read_content

    def line(self, element: Element) -> None:
        """Read an element as a separate line."""
        self.draft.line()
        self.read_content(element)
        self.draft.line()

    def row(self, element: Element) -> None:
        """Read a row of a table: its cells are separated by a bar."""
        self.draft.paragraph()
        role: Role = self.role if self.role in ROLES_KEPT_INSIDE else "table"
        for number, cell in enumerate(each for each in element if isinstance(each.tag, str)):
            self.draft.text(CELLS if number else "")
            self.read_content_as(cell, role, self.titles)
        self.draft.paragraph()

    def paragraph(self, element: Element) -> None:
        """Read a paragraph, and then its notes; one in a cell of a table is a part of its row."""
        if element_name(element.getparent()) in _CELLS:
            self.read_content(element)
            self.draft.text(" ")
        else:
            self.block(element)
            self.read_notes()

    def defer_note(self, element: Element) -> None:
        """Leave a note for the end of its paragraph."""
        self.notes.append(element)

    def read_notes(self) -> None:
        waiting, self.notes = self.notes, []
        for note in waiting:
            self.block(note)

    def block(self, element: Element) -> None:
        """Read an element as a separate paragraph, in the role of its kind."""
        self.draft.paragraph()
        before = self.role
        if before not in ROLES_KEPT_INSIDE:
            self.role = self.roles.get(element_name(element), before)
        self.read_content(element)
        self.role = before
        self.draft.paragraph()

    def read_box(self, element: Element, titles: tuple[NameHint, ...], role: Role | None = None) -> None:
        """Read an element as a paragraph of its own whose display formulas have these names, or else those around it."""
        self.draft.paragraph()
        self.read_content_as(element, role or self.role, titles or self.titles)
        self.draft.paragraph()

    def _break(self, element: Element) -> None:
        """Read a line break in a paragraph."""
        self.draft.text(" ")

    def read_content_as(self, element: Element, role: Role, titles: tuple[NameHint, ...]) -> None:
        before = self.role, self.titles
        self.role, self.titles = role, titles
        self.read_content(element)
        self.role, self.titles = before

    def add_tex(self, tex: str, *, display: bool, hints: tuple[NameHint, ...] = ()) -> None:
        """Add one formula; titles of boxes name only what is displayed in them."""
        named = (*hints, *(self.titles if display else ()))
        self.draft.formula(tex, display=display, role=self.role, hints=named)


def title_hint(element: Element) -> tuple[NameHint, ...]:
    """Return the title of a box as the name of what is displayed in it."""
    title = one_line_text(element.find("{*}title"))
    return (NameHint("equation_title", title),) if title else ()
