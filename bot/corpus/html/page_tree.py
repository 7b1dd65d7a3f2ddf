"""An HTML page as a tree without its `<math>`, and a walker that writes it to a Draft in reading order."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any

from lxml import etree

from bot.corpus.draft import Draft, collapse_blanks
from bot.corpus.html import xpaths
from bot.corpus.html.mathtags import MARKER, MathTag, cut_math, cut_math_from_bytes
from bot.corpus.html.page_formulas import PageFormulas, replace_element, with_whole_tex
from bot.corpus.html.tex_delimiters import page_settings
from bot.corpus.tex_equations import readable_tex
from bot.corpus.xml_parsing import (
    XML_LANG,
    Element,
    element_name,
    replace_named_entities,
    text_of,
    without_doctype,
    xml_parser,
)  # fmt: skip
from bot.corpus.xml_walker import skip_element
from bot.errors import DocumentError
from bot.records import NameHint, Role

_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_NAVIGATION = re.compile(r"<!--Navigation Panel-->.{0,10000}?<!--End of Navigation Panel-->", re.S)  # of LaTeX2HTML
_XHTML = re.compile(r"<html\b[^>]*xmlns\s*=", re.I)
# An element without content that is not closed, as HTML has it: an XML parser takes what follows for its content.
_OPEN_VOID = re.compile(
    r"""<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b(?:[^<>"']|"[^"]*"|'[^']*')*+(?<!/)>(?!\s*</\1\s*>)""",
    re.I,
)
_QUOTED = re.compile(r"' ?([^' ]{4,}) ?'")
_NUMBER = re.compile(r"\A\d+(?:\.\d+)+\.?(?=[^\W\d_])")  # of a section; only its style sets it apart from the title
_MAX_SHORT_TEXT = 5000  # characters; what is longer holds more than formulas
_ONLY_MATH = re.compile(rf"(?:\s|[.,;:()]|\d|{MARKER.pattern})+")


class PageTree:
    """A page parsed without its formulas: `root`, `body`, and the `math` that the markers in its text point at."""

    def __init__(self, page: str | bytes, path: str, otherwise: str = "", *, in_layout: bool = False) -> None:
        """Parse a page; `in_layout`: the layout around it, and so the program that shows its formulas, is in another file."""
        skeleton, self.math = cut_math(page) if isinstance(page, str) else cut_math_from_bytes(page, path, otherwise)
        self.root, self.body = parse_page(with_whole_tex(skeleton), path)
        # Words of markup are searched in it; text of one byte a character takes half the time.
        self._lowered = skeleton.encode("utf-8", "replace").lower().decode("latin-1")
        settings = page_settings(skeleton, self._lowered, in_layout)
        self._classes = _first_of_each_class(self.root)
        formulas = PageFormulas(self.root, self.math, settings, self._lowered, self._classes.keys())
        formulas.mark_formulas()
        self.unreadable, self.macros = formulas.unreadable, formulas.macros
        if any(word in self._lowered for word in xpaths.UNSHOWN_WORDS):
            self._drop_unshown()

    def _drop_unshown(self) -> None:
        """Remove content that a reader does not see: hidden elements that the page never opens, deleted text, visual copies of formulas."""
        pointed_at: set[str] | None = None
        unshown = _find_unshown(self.body)
        for element in (each for each in unshown if isinstance(each, Element)) if isinstance(unshown, list) else ():
            if element.get("aria-hidden") == "true" and not _is_hidden(element):
                if not (self._is_copied_dialog(element) if element.get("role") == "dialog" else self._is_copy(element)):
                    continue
            elif element.tag not in ("del", "s", "strike"):
                pointed_at = {*_POINTED_AT.findall(self._lowered)} if pointed_at is None else pointed_at
                around = islice(chain([element], element.iterancestors()), 3)
                names = " ".join(each.get("class") or "" for each in around).lower()
                if (element.get("id") or "").lower() in pointed_at or any(w in names for w in xpaths.OPENED_CLASSES):
                    continue
            replace_element(element, "")

    def _is_copy(self, element: Element) -> bool:
        """Say whether an element that only screen readers skip shows a formula that stands beside it again."""
        parent = element.getparent()
        if parent is None or len(parent) > _MAX_BESIDE:
            return False
        beside = "".join(_texts_beside(parent, element))
        if not MARKER.search(beside):
            return False
        own, others = text_of(element), [self.math_tag(int(number)).tex for number in MARKER.findall(beside)]
        if numbers := MARKER.findall(own):
            return all(self.math_tag(int(number)).tex in others for number in numbers)
        return len(own) < _MAX_COPY_LENGTH and not _WORDS.search(own) and not _WORDS.search(MARKER.sub("", beside))

    def _is_copied_dialog(self, element: Element) -> bool:
        """Say whether a dialog that a reader can open shows formulas of the page again, all of them, as one that enlarges them."""
        own = Counter(self._formulas_in(element))
        if not own or any(self._shown_formulas[tex] <= count for tex, count in own.items()):
            return False
        self._shown_formulas -= own
        return True

    @cached_property
    def _shown_formulas(self) -> Counter[str]:
        return Counter(self._formulas_in(self.body))

    def _formulas_in(self, element: Element) -> Iterator[str]:
        return (self.math_tag(int(number)).tex for number in MARKER.findall(text_of(element)))

    def first_element(self, wanted: str) -> Element | None:
        """Return the first element that an XPath finds, or of a class (`.name`)."""
        if wanted[0] == ".":
            return self._classes.get(wanted[1:])
        found = self.root.xpath(wanted) if self._may_match(wanted) else []
        return next((each for each in found if isinstance(each, Element)), None) if isinstance(found, list) else None

    def xpath_text(self, *xpaths: str) -> str:
        """Return the first text that XPaths give, "" if none does."""
        texts = (" ".join(str(self.root.xpath(xpath)).split()) for xpath in xpaths if self._may_match(xpath))
        return next(filter(None, texts), "")

    @property
    def language(self) -> str:
        """The language that the page states, as it is written, or an empty string."""
        languages = (at.get(key) for at in (self.root, self.body) for key in ("lang", "xml:lang", XML_LANG))
        return " ".join(next(filter(None, languages), "").split()) or self.xpath_text(*xpaths.LANGUAGES)

    def _may_match(self, xpath: str) -> bool:
        """Tell whether an XPath may match: the page has a word that it quotes. To evaluate it walks the whole page."""
        quoted = _QUOTED.findall(xpath)
        return not quoted or any(word.lower() in self._lowered for word in quoted)

    def plain_text(self, element: Element, skip: frozenset[str] = frozenset()) -> str:
        """Return the element's text, formulas as TeX, without elements of the classes `skip`."""
        text = "".join(_texts(element, skip))
        plain = " ".join(MARKER.sub(lambda m: readable_tex(self.math_tag(int(m[1])).tex), text).split())
        return _NUMBER.sub(r"\g<0> ", plain, count=1)

    def math_tag(self, number: int) -> MathTag:
        return self.math[number] if number < len(self.math) else MathTag("", False)


def _first_of_each_class(root: Element) -> dict[str, Element]:
    """Return the first element of each class."""
    found: dict[str, Element] = {}
    seen = set[str]()
    for element in root.iter(etree.Element):
        names = element.get("class")
        if names and names not in seen:
            seen.add(names)
            for name in names.split():
                found.setdefault(name, element)
    return found


def parse_page(skeleton: str, path: str) -> tuple[Element, Element]:
    """Return the root of a page and its body, repaired as a browser would; entities and DTDs are never followed.

    XHTML goes through a recovering XML parser first, since an HTML parser takes `<title/>` for an open tag;
    a page that only says so and has HTML's `<br>` is none.
    """
    skeleton = without_doctype(_DECLARATION.sub("", skeleton, count=1))
    if "<!--Navigation Panel-->" in skeleton:
        skeleton = _NAVIGATION.sub("", skeleton)
    root = None
    if _XHTML.search(skeleton[:4096]) and not _OPEN_VOID.search(skeleton):
        root = _without_namespaces(
            etree.fromstring(replace_named_entities(skeleton).encode(), xml_parser(recover=True))
        )
    if root is None or root.find(".//body") is None:
        # Not the parser of lxml.html, which chooses a class for each element in Python.
        repairing = etree.HTMLParser(encoding="utf-8", no_network=True, collect_ids=False, remove_comments=True)
        root = etree.fromstring(skeleton.encode(), repairing)
    body = None if root is None else root.find(".//body")
    if root is None or body is None:
        raise DocumentError("no_readable_page", where=path)
    return root, body


def _without_namespaces(root: Element | None) -> Element | None:
    for element in root.iter(etree.Element) if root is not None else ():
        element.tag = element_name(element)
    return root


_find_unshown = etree.XPath(xpaths.UNSHOWN.replace("//*", "descendant::*"))
_POINTED_AT = re.compile(r"(?<!\bid=)[\"'(]#?([\w:-]{1,80})[\"')]")  # ids that a link or a script names
_WORDS = re.compile(r"[^\W\d_]{3,}\s+[^\W\d_]{2,}")
_MAX_BESIDE = 20  # elements side by side among which the formula of a copy is looked for
_MAX_COPY_LENGTH = 300  # characters of a formula set for the eye


def _is_hidden(element: Element) -> bool:
    return element.get("hidden") is not None or "display:none" in (element.get("style") or "").replace(" ", "").lower()


def _texts_beside(parent: Element, element: Element) -> Iterator[str]:
    """Yield the texts in an element without those of one child."""
    yield parent.text or ""
    for child in parent:
        if child is not element and isinstance(child.tag, str):
            yield text_of(child)
        yield child.tail or ""


class PageWalker:
    """Writes a tree to a draft; subclasses override `read_special` for the elements that they treat in their own way."""

    skipped_classes: frozenset[str] = frozenset()
    caption_classes: frozenset[str] = frozenset()
    table_classes: frozenset[str] = frozenset()
    class_prefix = ""

    def __init__(self, tree: PageTree, draft: Draft) -> None:
        self.tree, self.draft = tree, draft
        self.role: Role = "text"
        self.hints: tuple[NameHint, ...] = ()
        self.display = False
        self.readers: dict[tuple[str, str | None], Callable[[Any, Element], None]] = {}
        self.deferred: list[Element] = []  # notes and floats, read after their section

    def read_element(self, element: Element) -> None:
        """Read an element and all in it (not its tail)."""
        tag = element.tag
        if isinstance(tag, str):
            key = tag, element.get("class")
            (self.readers.get(key) or self.readers.setdefault(key, self.reader_of(*key)))(self, element)

    @classmethod
    def reader_of(cls, tag: str, names: str | None) -> Callable[[Any, Element], None]:
        """Return the reader of a tag and classes: an unbound function, since a bound method would make a cycle with its walker."""
        classes = class_names(names, cls.class_prefix)
        if tag in xpaths.SKIPPED_TAGS or classes & cls.skipped_classes:
            return skip_element
        way = cls.default_reader(tag, classes)
        if not cls.may_be_special(classes):
            return way

        def read(walker: PageWalker, element: Element) -> None:
            if not walker.read_special(element, tag, classes):
                way(walker, element)

        return read

    @classmethod
    def default_reader(cls, tag: str, classes: frozenset[str]) -> Callable[[Any, Element], None]:
        """Return the reader of a tag and classes that get no special treatment."""
        if tag in xpaths.HEADING_TAGS:
            return cls.heading
        if classes & cls.caption_classes or tag in ("figcaption", "caption"):
            return cls.caption
        if classes & cls.table_classes:
            return cls.table
        if tag in xpaths.BLOCK_TAGS:
            return cls.block
        if tag in xpaths.LINE_TAGS:
            return cls.line
        if tag in ("td", "th"):
            return cls.cell
        return cls.line_break if tag == "br" else cls.read_content

    @classmethod
    def may_be_special(cls, classes: frozenset[str]) -> bool:
        """Tell whether `read_special` may treat elements of these classes."""
        return True

    def read_special(self, element: Element, tag: str, classes: frozenset[str]) -> bool:
        """Read an element in a special way and return True, or return False."""
        return False

    def classes(self, element: Element) -> frozenset[str]:
        return class_names(element.get("class"), self.class_prefix)

    def read_content(self, element: Element) -> None:
        string, walk = self.add_text, self.read_element
        if text := element.text:
            string(text)
        for child in element:
            walk(child)
            if text := child.tail:
                string(text)

    def block(self, element: Element) -> None:
        """Read the content of an element as a separate paragraph."""
        self.draft.paragraph()
        self.read_content(element)
        self.draft.paragraph()

    def line_content(self, element: Element) -> None:
        """Read a list item or an indented line; one that holds formulas only displays them."""
        text = short_text(element)
        before, self.display = self.display, self.display or bool(MARKER.search(text) and _ONLY_MATH.fullmatch(text))
        self.read_content(element)
        self.display = before

    def add_text(self, text: str) -> None:
        """Add text with markers; any run of blanks becomes one."""
        pour = self.draft.text
        if text.isspace():
            pour(" ")
            return
        for n, piece in enumerate(MARKER.split(text)):
            if n % 2:
                self.add_marked_formula(self.tree.math_tag(int(piece)))
            elif piece:
                pour(collapse_blanks(piece))

    def add_marked_formula(self, tag: MathTag) -> None:
        """Add the formula of a marker."""
        if tag.lost:
            self.draft.add_unreadable("mathml")
        if not tag.qid and not tag.rows:
            self.add_formula(tag.tex, tag.display)
            return
        before = self.hints
        if tag.qid:
            self.hints = (NameHint("qid", tag.qid), *before)
        for tex in tag.rows or (tag.tex,):
            self.add_formula(tex, tag.display)
        self.hints = before

    def add_formula(self, tex: str, display: bool = False) -> None:
        self.draft.formula(tex, display=display or self.display, role=self.role, hints=self.hints)

    def heading(self, element: Element) -> None:
        """Open a section; formulas in its heading are formulas too."""
        self.read_deferred()
        self.draft.heading(self.tree.plain_text(element, self.skipped_classes))
        if MARKER.search("".join(_texts(element, self.skipped_classes))):
            self.read_content(element)
            self.draft.paragraph()

    def caption(self, element: Element) -> None:
        before, self.role = self.role, "caption"
        self.block(element)
        self.role = before

    def line(self, element: Element) -> None:
        self.draft.line()
        self.line_content(element)
        self.draft.line()

    def line_break(self, element: Element) -> None:
        """Read a line break in a paragraph."""
        self.draft.text(" ")

    def cell(self, element: Element) -> None:
        """Read a cell of a table that only sets things beside each other: words of two cells are not one."""
        self.read_content(element)
        self.draft.text(" ")

    def table(self, element: Element) -> None:
        """Read a table: a row is a line, its cells are separated by a bar."""
        before, self.role = self.role, "table" if self.role == "text" else self.role
        lines = rows_of(element)
        if not lines:
            self.read_content(element)
        for caption in element.findall("caption") if lines else ():
            self.caption(caption)
        for row in lines:
            self.draft.paragraph()
            for number, cell in enumerate(c for c in row if c.tag in ("td", "th")):
                if number:
                    self.draft.text(" | ")
                self.read_content(cell)
        self.draft.paragraph()
        self.role = before

    def read_deferred(self) -> None:
        """Read the elements deferred to the end of the section."""
        waiting, self.deferred = self.deferred, []
        for element in waiting:
            self.block(element)


@lru_cache(maxsize=4096)
def class_names(attribute: str | None, prefix: str = "") -> frozenset[str]:
    """Return the classes that an attribute names, without a prefix."""
    return frozenset(name.removeprefix(prefix) for name in (attribute or "").split())


def short_text(element: Element) -> str:
    """Return the text of an element, "" if it is too long for only formulas."""
    parts, size = [], 0
    for part in element.itertext():
        size += len(part)
        if size > _MAX_SHORT_TEXT:
            return ""
        parts.append(str(part))
    return "".join(parts)


def rows_of(table: Element) -> list[Element]:
    """Return the rows of a table, not those of a table in one of its cells."""
    if table.tag == "tr":
        return [table]
    return [row for part in (table, *table) for row in part if row.tag == "tr"]


def first_text(tree: PageTree, ways: Sequence[str], skip: frozenset[str]) -> str:
    """Return the first XPath's element that has text, as plain text."""
    for xpath in ways:
        element = tree.first_element(xpath)
        if element is not None and (text := tree.plain_text(element, skip)):
            return text
    return ""


def _texts(element: Element, skip: frozenset[str]) -> list[str]:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in xpaths.SKIPPED_TAGS:
            parts += [] if class_names(child.get("class"), "ltx_") & skip else _texts(child, skip)
        parts.append(child.tail or "")
    return parts
