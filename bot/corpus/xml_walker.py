"""A walker that pours an XML document into a Draft in reading order; a reader names its elements and adds methods for its own."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from bot.corpus.draft import Draft
from bot.corpus.xml_parsing import Element, local_name, name, words
from bot.records import NameHint, Role

KEPT_ROLES = frozenset(["key_equations", "exercise"])  # an example among exercises is one of them


_Reader = Callable[[Any, Element], None]  # of a walker and an element


def skip(walker: object, element: Element) -> None:
    """Read nothing of an element."""


class XmlWalker:
    """Carries the role and the names that hold where it is.

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
        self.titles: tuple[NameHint, ...] = ()  # of the boxes around: they name display formulas

    def inside(self, element: Element) -> None:
        """Read what is in an element: its text, its children and their tails."""
        text, readers = self.draft.text, self.readers
        if element.text:
            text(element.text)
        for child in element:
            tag = child.tag
            (readers.get(tag) or self._reader(tag))(self, child)
            if tail := child.tail:
                text(tail)

    def one(self, element: Element) -> None:
        (self.readers.get(element.tag) or self._reader(element.tag))(self, element)

    def _reader(self, tag: object) -> _Reader:
        found = self.reader_of(local_name(tag)) if isinstance(tag, str) else skip
        self.readers[tag] = found
        return found

    @classmethod
    @lru_cache(maxsize=4096)
    def reader_of(cls, tag: str) -> _Reader:
        """Return what reads the elements of a name: no bound method, with which a walker and its tree would be a cycle."""
        if tag in cls.skipped:
            return skip
        special = getattr(cls, f"_{tag.replace('-', '_')}", None) if tag[0] != "_" else None
        if special:
            found: _Reader = special
            return found
        if tag in cls.blocks or tag in cls.roles:
            return cls.block
        return cls.line if tag in cls.lines else cls.inside

    def line(self, element: Element) -> None:
        """Read an element as a line of its own."""
        self.draft.line()
        self.inside(element)
        self.draft.line()

    def block(self, element: Element) -> None:
        """Read an element as a paragraph of its own, in the role of its kind."""
        self.draft.paragraph()
        before = self.role
        if before not in KEPT_ROLES:
            self.role = self.roles.get(name(element), before)
        self.inside(element)
        self.role = before
        self.draft.paragraph()

    def boxed(self, element: Element, titles: tuple[NameHint, ...], role: Role | None = None) -> None:
        """Read an element as a paragraph of its own whose display formulas have these names, or else those around it."""
        self.draft.paragraph()
        self.within(element, role or self.role, titles or self.titles)
        self.draft.paragraph()

    def _break(self, element: Element) -> None:
        """Read a line break in a paragraph."""
        self.draft.text(" ")

    def within(self, element: Element, role: Role, titles: tuple[NameHint, ...]) -> None:
        before = self.role, self.titles
        self.role, self.titles = role, titles
        self.inside(element)
        self.role, self.titles = before

    def tex(self, tex: str, *, display: bool, hints: tuple[NameHint, ...] = ()) -> None:
        """Add one formula; titles of boxes name only what is displayed in them."""
        named = (*hints, *(self.titles if display else ()))
        self.draft.formula(tex, display=display, role=self.role, hints=named)


def titled(element: Element) -> tuple[NameHint, ...]:
    """Return the title of a box as the name of what is displayed in it."""
    title = words(element.find("{*}title"))
    return (NameHint("equation_title", title),) if title else ()
