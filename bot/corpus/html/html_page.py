"""Any other HTML page to a document: of a documentation tool, a notebook, a converter, a publisher or by hand."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath

from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft, may_be_term
from bot.corpus.formats import has_mathematics
from bot.corpus.html import xpaths
from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows, is_relation
from bot.corpus.html.mathtags import MARKER, MathTag
from bot.corpus.html.page_tree import PageTree, PageWalker, class_names, rows_of, short_text
from bot.corpus.markdown import front_matter
from bot.corpus.named_statements import name_at_end
from bot.corpus.tex_equations import equations, readable_tex
from bot.corpus.xml_parsing import Element, one_line_text, text_of
from bot.errors import DocumentError
from bot.records import Document, NameHint

_PERMALINK = re.compile(r"\s*[¶#§🔗]\s*$")
_SITE = re.compile(r"\s+[|·—]\s+")  # what follows is the name of the site
_TEX_IN_TITLE = re.compile(r"\\\((.+?)\\\)")
_STATEMENTS = re.compile(
    r"(?:^|[-_ ])(?:theorem|definition|lemma|proposition|corollary|axiom|principle|law|thm|defn|prop|cor)(?:$|[-_ ])(?!list)",
    re.I,
)
# A cell of a table that only lays out equations: a formula and a stop, the equation's number, or nothing.
_EQUATION_CELL = re.compile(rf"\s*(?:{MARKER.pattern}\s*([.,;:]?)|\([\w.*'′–-]{{1,8}}\))?\s*")
_NOTE_MARK = re.compile(r"\s*[\[(]?(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\])]?\s*")
_OWN_NAME = re.compile(r"\W*([^()]{4,80}?)\W*")


def read_html(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the one document of a page. Raises DocumentError where there is no page in it, or formulas that cannot be read."""
    # A page of Jekyll or Hugo says in front of its text what its layout needs.
    fields, text = front_matter.split(decode(data, path, "cp1252")) if data.startswith(b"---") else ({}, "")
    tree = PageTree(text if fields else data, path, "cp1252", in_layout=bool(fields))  # as HTML has it
    doi = tree.xpath_text(xpaths.DOI).removeprefix("doi:")
    document = Document(
        id=path,
        title=front_matter.first_text(fields, "title") or _title(tree) or PurePosixPath(path).stem,
        language=front_matter.language(fields) or language_code(tree.language) or "en",
        licence=tree.xpath_text(*xpaths.LICENCE),
        url=tree.xpath_text(*xpaths.ADDRESSES) or (f"https://doi.org/{doi}" if doi else ""),
        kind="paper" if tree.first_element("//meta[@name='citation_title']") is not None else "textbook",
        identifiers=(("doi", doi),) if doi else (),
    )
    draft = Draft(document.id, tree.unreadable)
    walker = _PlainPageWalker(tree, draft)
    content = _content(tree)
    walker.read_element(content)
    walker.read_deferred()
    found = draft.result(document)
    prose = "" if found[1] else " ".join(_prose_texts(content))
    if MARKER.search(prose) or has_mathematics(prose.encode()):
        raise DocumentError("mathematics_unexplained", where=path)
    yield found


def _title(tree: PageTree) -> str:
    """Return the page's title: a lone first heading, else its title without the name of the site."""
    stated = tree.xpath_text(*xpaths.STATED_TITLES)
    heads = [
        text
        for each in tree.root.iter("h1")
        if not _is_of_site(each) and (text := _PERMALINK.sub("", tree.plain_text(each)))
    ]
    title = tree.xpath_text("string((//head/title)[1])", "string((//title)[1])")
    found = stated or (heads[0] if len(heads) == 1 or (heads and not title) else _SITE.split(title)[0])
    found = _TEX_IN_TITLE.sub(lambda tex: readable_tex(tex[1]), found)
    return "" if "{{" in found or "{%" in found else found  # a layout, which has the title of each page


def _is_of_site(heading: Element) -> bool:
    """Tell whether a heading is in the header of a page beside its <main>: the name of a book or a site, which links to it."""
    header = next((each for each in heading.iterancestors() if each.tag in ("header", "main", "article")), None)
    main = heading.getroottree().find(".//main")
    return header is not None and header.tag == "header" and main is not None and heading.find("a") is not None


def _prose_texts(element: Element) -> Iterator[str]:
    """Yield the texts of a page outside of code and of what is around it."""
    if not isinstance(element.tag, str) or element.tag in xpaths.SKIPPED_TAGS | xpaths.NO_TEX_TAGS:
        return
    if element.get("role") in xpaths.PAGE_ROLES or xpaths.PAGE_SKIPPED & class_names(element.get("class")):
        return
    yield element.text or ""
    for child in element:
        yield from _prose_texts(child)
        yield child.tail or ""


def _content(tree: PageTree) -> Element:
    """Return the part of the page that holds its text, if it holds all formulas; else all of the body."""
    total = len(MARKER.findall(text_of(tree.body)))
    for xpath in xpaths.CONTENT:
        found = tree.first_element(xpath)
        if found is not None and len(MARKER.findall(text_of(found))) == total:
            return found
    return tree.body


class _PlainPageWalker(PageWalker):
    skipped_classes = xpaths.PAGE_SKIPPED
    caption_classes = frozenset(["caption", "caption-text", "wp-caption-text"])

    def read_special(self, element: Element, tag: str, classes: frozenset[str]) -> bool:
        is_code = tag in ("pre", "textarea") and not MARKER.search(text_of(element))
        if is_code or element.get("role") in xpaths.PAGE_ROLES or (tag == "a" and _is_note_mark(element)):
            return True
        if tag == "table":
            if self.role == "table" or element.find("caption") is not None or not self.equations(element):
                self.table(element)
        elif tag in xpaths.NOTE_TAGS:
            self.deferred.append(element)
        elif tag in ("dfn", "b", "strong") and self.role != "table":
            return self.term(element)
        elif tag not in ("div", "section", "article", "blockquote", "li"):
            return False
        elif self.role == "text" and classes & (xpaths.EXERCISES | xpaths.EXAMPLES):
            self.role = "exercise" if classes & xpaths.EXERCISES else "example"
            self.read_element(element)
            self.role = "text"
        elif _STATEMENTS.search(" ".join(classes)):
            self.statement(element)
        else:
            return False
        return True

    def add_marked_formula(self, tag: MathTag) -> None:
        """What is displayed may be rows, and MathML may carry TeX with the macros of the page."""
        tex = self.tree.macros.expand(tag.tex)
        display = tag.display or self.display
        rows = tag.rows or tuple(equations(tex, display=display))
        super().add_marked_formula(replace(tag, rows=rows, display=display))

    def equations(self, table: Element) -> bool:
        """Read a table that only lays out equations, each in one cell or cut at its relation, and return True."""
        rows = [[_EQUATION_CELL.fullmatch(text_of(cell)) for cell in row if cell.tag != "th"] for row in rows_of(table)]
        if not all(cell for row in rows for cell in row):
            return False
        marked = [[cell for cell in row if cell and cell[1]] for row in rows]
        cells = [[AlignedCell(self.tree.math_tag(int(cell[1])).tex + cell[2]) for cell in row] for row in marked]
        if not any(cells) or not all(len(row) < 2 or any(is_relation(cell.tex) for cell in row) for row in cells):
            return False
        self.draft.paragraph()
        before, self.display = self.display, True
        if any(len(row) > 1 for row in cells):
            for tex in formulas_of_rows(cells):
                self.add_formula(tex)
        else:
            for cell in chain.from_iterable(marked):
                tag = self.tree.math_tag(int(cell[1]))
                *others, last = tag.rows or (tag.tex,)
                self.add_marked_formula(replace(tag, tex=tag.tex + cell[2], rows=(*others, last + cell[2])))
        self.display = before
        self.draft.paragraph()
        return True

    def block(self, element: Element) -> None:
        """Read a paragraph; one of formulas only displays them."""
        self.draft.paragraph()
        text = short_text(element) if element.tag in ("p", "div", "center") else ""
        if any(self.tree.math_tag(int(number)).inline for number in MARKER.findall(text)):
            self.read_content(element)
        else:
            self.line_content(element)
        self.draft.paragraph()

    def term(self, element: Element) -> bool:
        """A bold word in a sentence is a term that the sentence defines; a word before a colon or a stop only opens a paragraph."""
        text = one_line_text(element)
        if MARKER.search(text) or text.endswith((":", ".", "!", "?")) or any(sign.isdigit() for sign in text):
            return False
        if not may_be_term(text):
            return False
        self.draft.term("defined_term", text)
        return True

    def statement(self, element: Element) -> None:
        """The name of a theorem or definition is the title of the formulas in it."""
        before = self.hints
        title = next((each for each in element.iter() if _is_title(each)), None)
        if title is not None and (name := self._statement_name(title)):
            self.hints = (NameHint("equation_title", name),)
        self.block(element)
        self.hints = before

    def _statement_name(self, title: Element) -> str:
        """Return the name in a title: in brackets at its end, or in an element of its own beside word and number (PreTeXt)."""
        own = next((each for each in title.iter("span") if "title" in (each.get("class") or "").split()), None)
        if own is not None and own is not title and (name := _OWN_NAME.fullmatch(self.tree.plain_text(own))):
            return name[1]
        return name_at_end(_PERMALINK.sub("", self.tree.plain_text(title)))


def _is_note_mark(link: Element) -> bool:
    """Tell whether a link is the raised mark of a note: an exponent is no link."""
    around = link.getparent()
    raised = link.find("sup") is not None or (around is not None and around.tag == "sup")
    return (raised or link.get("role") == "doc-noteref") and bool(_NOTE_MARK.fullmatch(text_of(link)))


def _is_title(element: Element) -> bool:
    if not isinstance(element.tag, str):
        return False
    names = (element.get("class") or "").lower()
    return element.tag in (*xpaths.HEADING_TAGS, "strong", "b", "dt") or "title" in names or "heading" in names
