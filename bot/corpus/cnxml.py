"""CNXML modules (OpenStax) to documents: MathML as TeX, defined terms, titled boxes and tables of key equations as names."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft
from bot.corpus.html.mathtags import MARKER, MARKER_CLOSE, MARKER_OPEN, SYSTEMS, PlainMath, cut_plain_math
from bot.corpus.mathml.mathml_to_tex import lost_formula, mathml_equations, mathml_to_tex
from bot.corpus.mathml.text_variables import text_variable_counts, with_variables
from bot.corpus.named_statements import is_assumption
from bot.corpus.xml_parsing import XML_LANG, Element, element_name, one_line_text, parse_xml
from bot.corpus.xml_walker import ROLES_KEPT_INSIDE, XmlWalker, title_hint
from bot.errors import DocumentError
from bot.records import Document, NameHint, Role

_MODULE_ID = re.compile(r"m\d{4,6}")

_SKIPPED = frozenset(
    "metadata media image iframe object video audio flash download featured-links colspec label".split()
)
_BLOCKS = frozenset(
    "list table note example exercise problem solution commentary figure subfigure quote proof rule statement definition meaning glossary code preformat".split()
)
_LINES = frozenset("item row".split())
_ROLES: dict[str, Role] = {
    "example": "example", "exercise": "exercise", "problem": "exercise", "solution": "exercise", "caption": "caption",
}  # fmt: skip
# Whole sections are known by their class or, in books without classes, by their title.
_SECTIONS: dict[Role, re.Pattern[str]] = {
    "key_equations": re.compile(r"\bkey[- ](?:equation|formula)s?\b"),
    "summary": re.compile(r"\bkey-(?:concept|takeaway|idea)s?\b|\b(?:(?:section|chapter)[- ])?summary\b|\bkey concepts\b|\bin review\b"),
    "exercise": re.compile(
        r"\breview-|\bexercises?\b|\bproblems?\b|\bquestions\b|\bpractice\b|\bhomework\b|\b(?:practice-)?test\b|\bchallenge\b"
    ),
}  # fmt: skip
# Words of which alone the title of a list of exercises is made: “The Alternating Series Test” is none.
_OF_EXERCISES = re.compile(
    r"(?:(?:[\d.]+|additional|answers?|and|book|challenge|chapter|choice|conceptual?|critical|exams?|exercises?|extended|final|for|homework|in|items?"
    r"|key|multiple|of|practice|prep|problems?|questions?|responses?|review|section|short|solutions?|tests?|the|thinking|to)(?:\W+|$))+"
)
# What a reference without a text of its own shows.
_REFERENCES = {kind: kind.capitalize() for kind in "figure table equation example exercise section".split()}
_REFERENCES["subfigure"] = "Figure"
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_WORD = re.compile(r"[^\W\d_]{3}")
_MAX_NAME_LENGTH = 160  # characters of the name of a key equation; more is a sentence about a formula
_EDGE = " :;,.–—=-"


def read_cnxml(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the one document of a module. Raises DocumentError if there is none."""
    root, formulas = _module(decode(data, path), path)
    identifier = _metadata(root, "content-id")
    document = Document(
        id=path,
        title=_metadata(root, "title") or one_line_text(root.find("{*}title")) or PurePosixPath(path).stem,
        language=language_code(_metadata(root, "language") or root.get(XML_LANG) or "") or "en",
        licence=_licence(root),
        url=_metadata(root, "content-url")
        or (f"https://cnx.org/content/{identifier}/latest/" if _MODULE_ID.fullmatch(identifier) else ""),
        kind="textbook",
        identifiers=(("cnx", identifier),) if identifier else (),
    )
    draft = Draft(document.id)
    walker = _CnxmlWalker(root, draft, formulas)
    for part in ("content", "glossary"):
        for element in root.findall(f"{{*}}{part}"):
            if part == "glossary":
                draft.heading("Glossary")
            walker.read_content(element)
            draft.paragraph()
    yield draft.result(document)


def _module(text: str, path: str) -> tuple[Element, list[PlainMath]]:
    source, formulas = cut_plain_math(text)
    try:
        root = parse_xml(source, path)
    except DocumentError:
        root = parse_xml(text, path)  # which says where the document itself is broken
    if element_name(root) != "document" or root.find("{*}content") is None:
        raise DocumentError("no_cnxml", where=path)
    for blank in root.iter("{*}newline", "{*}space"):
        blank.text = " "
    for named in root.iter("{*}title", "{*}term"):
        for note in named.iter("{*}annotation", "{*}annotation-xml"):
            note.clear()  # what a formula in a name is written as is not to be seen
    return root, formulas


def _metadata(root: Element, field: str) -> str:
    return one_line_text(root.find(f"{{*}}metadata/{{*}}{field}"))


def _licence(root: Element) -> str:
    found = root.find("{*}metadata/{*}license")
    return "" if found is None else str(found.get("url") or one_line_text(found))


class _CnxmlWalker(XmlWalker):
    """Reads a module; footnotes wait for the end of their paragraph."""

    skipped, blocks, lines, roles = _SKIPPED, _BLOCKS, _LINES, _ROLES

    def __init__(self, root: Element, draft: Draft, cut: Sequence[PlainMath]) -> None:
        super().__init__(draft)
        self.root, self.cut = root, cut
        self.variables = text_variable_counts(math.tex for math in cut)
        self.entry: tuple[NameHint, ...] = ()  # the term of the glossary whose first equation is to come

    def read_content(self, element: Element) -> None:
        """Read what is in an element, in its text the formulas that were cut out."""
        text, readers = self.draft.text, self.readers
        if content := element.text:
            self.add_text(content) if MARKER_CLOSE in content else text(content)
        for child in element:
            tag = child.tag
            (readers.get(tag) or self._reader(tag))(self, child)
            if content := child.tail:
                self.add_text(content) if MARKER_CLOSE in content else text(content)

    def add_text(
        self, text: str, between: Callable[[str], str] = str, *, display: bool = False, hints: tuple[NameHint, ...] = ()
    ) -> None:
        """Add text with markers; `between` reads the words before and after them."""
        for n, piece in enumerate(MARKER.split(text) if self.cut else [text]):
            if n % 2:
                math = self.cut[int(piece)]
                self.add_tex(math.tex, display=display or math.display, hints=hints)
            elif piece or n:
                self.draft.text(between(piece))

    def add_math(self, math: Element, *, display: bool = False, hints: tuple[NameHint, ...] = ()) -> None:
        """Add a formula that was not cut out."""
        is_display = display or math.get("display") == "block" or math.get("mode") == "display"
        tex = mathml_to_tex(math)
        if lost_formula(math, [tex]):
            self.draft.add_unreadable("mathml")
        is_system = is_display and tex.startswith(SYSTEMS)  # a table that is no chain a = b = c
        for equation in mathml_equations(math) if is_system else [tex]:
            self.add_tex(equation, display=is_display, hints=hints)

    def add_tex(self, tex: str, *, display: bool, hints: tuple[NameHint, ...] = ()) -> None:
        if self.entry and "=" in tex:
            hints, self.entry = (*hints, *self.entry), ()
        if display and self.titles and not is_assumption(self.draft.unfinished_sentence()):
            hints = (*hints, *self.titles)  # a theorem's name is not that of what it supposes
        self.draft.formula(with_variables(tex, self.variables), display=display, role=self.role, hints=hints)

    # One method for each element that is read in its own way.

    _para = XmlWalker.paragraph
    _footnote = XmlWalker.defer_note

    def _equation(self, element: Element) -> None:
        hints = title_hint(element)
        if MARKER_OPEN in (text := element.text or ""):
            self.add_text(text[text.index(MARKER_OPEN) :], str.strip, display=True, hints=hints)
        for child in element:
            if element_name(child) == "math":
                self.add_math(child, display=True, hints=hints)
            elif element_name(child) not in ("label", "title"):
                self.read_element(child)
            self.add_text(child.tail or "", str.strip, display=True, hints=hints)

    def _section(self, element: Element) -> None:
        title = one_line_text(element.find("{*}title"))
        of_class, lower = element.get("class", "").lower(), title.lower()
        known_by = {role: f"{of_class} {lower}" for role in _SECTIONS}
        if not _OF_EXERCISES.fullmatch(lower):
            known_by["exercise"] = of_class
        role = next((role for role, pattern in _SECTIONS.items() if pattern.search(known_by[role])), self.role)
        self.draft.heading(title)
        if role == "key_equations":
            self.role, before = role, self.role
            self.read_key_equations(element)
            self.role = before
        else:
            self.read_content_as(element, role, ())

    def _note(self, element: Element) -> None:
        self.read_box(element, title_hint(element))

    _rule = _note

    _math = add_math

    def _title(self, element: Element) -> None:
        if element_name(element.getparent()) not in ("section", "document", "equation"):
            title = one_line_text(element)
            if element.find(".//{*}math") is None:
                self.draft.text(title)
            else:
                self.read_content(element)
            self.draft.text(" " if title.endswith((".", "?", "!", ":")) else ". ")

    def _term(self, element: Element) -> None:
        text = element.text or ""
        if len(element) or MARKER_OPEN in text:
            self.read_content(element)
        elif text.strip():
            self.draft.term("defined_term", text)

    def _entry(self, element: Element) -> None:
        self.read_content_as(element, self.role if self.role in ROLES_KEPT_INSIDE else "table", self.titles)
        self.draft.text(" ")

    def _row(self, element: Element) -> None:
        self.line(element)
        self.draft.text("| ")

    def _definition(self, element: Element) -> None:
        self.draft.paragraph()
        term = element.find("{*}term")
        name = "" if term is None else _plain_text_of(term, self.cut)
        self.entry = (NameHint("glossary", name),) if name else ()
        for child in element:
            self.read_element(child)
            self.draft.text(": " if element_name(child) == "term" else " ")
        self.entry = ()
        self.draft.paragraph()

    _meaning = read_content

    def _link(self, element: Element) -> None:
        if one_line_text(element):
            self.read_content(element)
        else:
            self.draft.text(_REFERENCES.get(self.reference_kinds.get(element.get("target-id"), ""), "…"))

    @cached_property
    def reference_kinds(self) -> dict[str | None, str]:
        """Map the ids of elements that references may name to the kind of element."""
        wanted = self.root.iter(*(f"{{*}}{kind}" for kind in _REFERENCES))
        return {element.get("id"): element_name(element) for element in wanted}

    # Key equations: rows of tables and items of lists, each with a name and the formulas that bear it.

    def read_key_equations(self, section: Element) -> None:
        """Read a section of key equations; rows of tables and items of lists carry their names, all else is text."""
        rows = list(section.iter("{*}row"))
        for row, spanning_name in zip(rows, _spanning_names(rows, self.cut), strict=True):
            if element_name(row.getparent()) != "thead":
                self.read_key_row([cell for cell in row if isinstance(cell.tag, str)], spanning_name)
        for line in section.iter("{*}item", "{*}para", "{*}equation"):
            if not any(str(ancestor.tag).endswith(("}row", "}item", "}para")) for ancestor in line.iterancestors()):
                self.read_key_item(line)

    def read_key_row(self, cells: list[Element], spanning_name: str) -> None:
        named = next((cell for cell in cells if _is_name(cell, self.cut)), None)
        title = spanning_name if named is None else _plain_text_of(named, self.cut)
        if named is None and not spanning_name and len(cells) > 1:
            named = cells[0]  # a symbol where the name should be: it names nothing, but it is not a key equation either
        self.draft.paragraph()
        if named is not None:
            self.read_content_as(named, "table", ())
            self.draft.text(": ")
        elif spanning_name:
            self.draft.text(f"{spanning_name}: ")
        hints = (NameHint("key_equation", title),) if 0 < len(title) <= _MAX_NAME_LENGTH else ()
        for cell in cells:
            if cell is not named:
                self.read_key_cell(cell, hints)
        self.draft.paragraph(closed=True)

    def read_key_cell(self, cell: Element, hints: tuple[NameHint, ...]) -> None:
        def between(words: str) -> str:
            return words or " "

        self.add_text(cell.text or "", between, display=True, hints=hints)
        for part in cell:
            if part.tag == f"{_MATHML}math":
                self.add_math(part, display=True, hints=hints)
            elif isinstance(part.tag, str):
                self.read_key_cell(part, hints)
            tail = part.tail or ""
            self.add_text(tail if tail[:1] not in ("", MARKER_OPEN) else f" {tail}", between, display=True, hints=hints)

    def read_key_item(self, line: Element) -> None:
        """Read an item: words before its first formula are the name."""
        before = itertools.takewhile(lambda pair: not pair[1], _texts(line, self.cut))
        title = " ".join("".join(text for text, _ in before).split()).strip(_EDGE)
        named = bool(_WORD.search(title)) and len(title) <= _MAX_NAME_LENGTH
        self.draft.paragraph()
        self.read_key_cell(line, (NameHint("key_equation", title),) if named else ())
        self.draft.paragraph(closed=True)


def _spanning_names(rows: list[Element], cut: Sequence[PlainMath]) -> Iterator[str]:
    """Yield for each row the name that a cell spanning it from above gives, or an empty string."""
    name, left = "", 0
    for row in rows:
        yield name if left > 0 else ""
        left -= 1
        first = next((cell for cell in row if isinstance(cell.tag, str)), None)
        if first is not None and re.fullmatch("[1-9][0-9]{0,3}", str(first.get("morerows", "0"))):
            name, left = _plain_text_of(first, cut), int(first.get("morerows", "0"))


def _is_name(cell: Element, cut: Sequence[PlainMath]) -> bool:
    """Tell whether a cell has words besides its formulas."""
    return bool(_WORD.search("".join(text for text, formula in _texts(cell, cut) if not formula)))


def _plain_text_of(element: Element, cut: Sequence[PlainMath]) -> str:
    """Return an element's text on one line, formulas in it as their bare characters."""
    return " ".join("".join(text.strip() if formula else text for text, formula in _texts(element, cut)).split())


def _texts(element: Element, cut: Sequence[PlainMath]) -> Iterator[tuple[str, bool]]:
    """Yield the texts of an element in order, each with whether it belongs to a formula."""
    if isinstance(element.tag, str):
        formula = element.tag.startswith(_MATHML)
        yield from _split_at_formulas(element.text or "", cut, formula)
        for child in element:
            yield from _texts(child, cut)
            yield from _split_at_formulas(child.tail or "", cut, formula)


def _split_at_formulas(text: str, cut: Sequence[PlainMath], formula: bool) -> Iterator[tuple[str, bool]]:
    for n, piece in enumerate(MARKER.split(text) if cut else [text]):
        yield (cut[int(piece)].text, True) if n % 2 else (piece, formula)
