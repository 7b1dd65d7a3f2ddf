"""One article as a MediaWiki HTML page (skin or Parsoid) to a document."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft, NoArticle, may_be_term
from bot.corpus.formats import has_mathematics
from bot.corpus.html import xpaths
from bot.corpus.html.mathtags import MARKER
from bot.corpus.html.page_formulas import formula_markup
from bot.corpus.html.page_tree import PageTree, PageWalker, first_text, rows_of
from bot.corpus.wikimath import to_tex
from bot.corpus.xml_parsing import Element, text_of
from bot.errors import DocumentError
from bot.records import Document, NameHint
from bot.wikibase import ITEM_ID

_SETTING = {
    "title": re.compile(r'"wgTitle":"((?:[^"\\]|\\.)*)"'),
    "language": re.compile(r'"wgPageContentLanguage":"([\w-]+)"'),
    "namespace": re.compile(r'(?:"wgNamespaceNumber":|property="mw:pageNamespace" content=")(-?\d+)'),
    "redirect": re.compile(r'("wgIsRedirect":true|rel="mw:PageProp/redirect")'),
    "qid": re.compile(rf'"wgWikibaseItemId":"({ITEM_ID})"'),
}
_SITE = re.compile(r"\s+[-–—|]\s+[^-–—|]*(?:wiki|pedia)[^-–—|]*$", re.I)


def read_mediawiki_html(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the article. Raises NoArticle for redirects and pages outside the article namespace."""
    yield html_article(decode(data, path), path)


def html_article(page: str, path: str, title: str = "") -> DocumentFormulas:
    """Return an article and its formulas; `title` is its title where that is known from elsewhere."""
    settings = {name: found[1] for name, pattern in _SETTING.items() if (found := pattern.search(page))}
    if settings.get("redirect") or settings.get("namespace", "0") != "0":
        raise NoArticle("no_article", where=path)
    tree = PageTree(page, path)
    content = next(filter(lambda e: e is not None, map(tree.first_element, xpaths.MEDIAWIKI_CONTENT)), None)
    if content is None:
        raise DocumentError("no_article_in_it", where=path)
    language = settings.get("language") or tree.language
    document = Document(
        id=path,
        title=title or _title(tree, path),
        language=language_code(language) or "en",
        licence=tree.xpath_text(*xpaths.LICENCE),
        url=_address(tree),
        kind="encyclopaedia",
        identifiers=(("qid", settings["qid"]),) if "qid" in settings else (),
    )
    draft = Draft(document.id, tree.unreadable)
    walker = _ArticleWalker(tree, draft, document.title)
    walker.read_content(content)
    walker.read_deferred()
    document, occurrences = draft.result(document)
    # Formulas of notes and navigation are left out; where the page has none at all, they could not be read.
    if not occurrences and not tree.math and has_mathematics(page.encode()):
        raise DocumentError("mathematics_unread", where=path, format="mediawiki_html")
    return document, occurrences


def _title(tree: PageTree, path: str) -> str:
    title = first_text(tree, xpaths.MEDIAWIKI_TITLES, frozenset())
    return _SITE.sub("", title) or PurePosixPath(path).stem.replace("_", " ")


def _address(tree: PageTree) -> str:
    """Return the article's address; Parsoid says which page it is a version of."""
    address = tree.xpath_text(xpaths.CANONICAL, xpaths.VERSION_OF)
    return f"https:{address}" if address.startswith("//") else address


class _ArticleWalker(PageWalker):
    skipped_classes = xpaths.MEDIAWIKI_SKIPPED
    caption_classes = xpaths.MEDIAWIKI_CAPTION
    table_classes = frozenset(["wikitable"])

    def __init__(self, tree: PageTree, draft: Draft, title: str) -> None:
        super().__init__(tree, draft)
        self.title, self.lead, self.closed = title, True, 0

    def read_element(self, element: Element) -> None:
        """Skip what follows a heading such as "References" up to the next of its level."""
        if not self.closed or next(element.iter(*xpaths.HEADING_TAGS), None) is not None:
            super().read_element(element)

    def add_text(self, text: str) -> None:
        if not self.closed:
            super().add_text(text)

    def read_special(self, element: Element, tag: str, classes: frozenset[str]) -> bool:
        if "texhtml" in classes:
            self.add_formula(to_tex(formula_markup(element)))
        elif "infobox" in classes and tag == "table":
            self.infobox(element)
        elif element.get("id") not in xpaths.MEDIAWIKI_SKIPPED_IDS:
            return tag in ("b", "strong", "dfn") and self.bold(element)
        return True

    def block(self, element: Element) -> None:
        """Read a separate paragraph; one of formulas only displays them, as an indented line does."""
        self.draft.paragraph()
        (self.line_content if element.tag == "p" else self.read_content)(element)
        self.draft.paragraph()

    def heading(self, element: Element) -> None:
        if self.closed and int(element.tag[1]) > self.closed:
            return
        name = self.tree.plain_text(element, self.skipped_classes)
        if name == self.title and element.tag == "h1":
            return
        self.closed = 0
        self.lead = False
        if name.lower() in xpaths.CLOSING_SECTIONS:
            self.read_deferred()
            self.closed = int(element.tag[1])
            return
        super().heading(element)

    def bold(self, element: Element) -> bool:
        text = text_of(element)
        if MARKER.search(text) or not may_be_term(text):
            return False
        self.draft.term("bold_title" if self.lead else "defined_term", " ".join(text.split()))
        return True

    def infobox(self, element: Element) -> None:
        """Each row is a line; its header cell names the formula, as does the box's title."""
        title = self.title
        before = self.role, self.hints
        self.role = "infobox"
        for row in rows_of(element):
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            label = self.tree.plain_text(cells[0], self.skipped_classes) if len(cells) > 1 else ""
            self.hints = tuple(NameHint("infobox", name) for name in (title, label) if name)
            self.draft.paragraph()
            for number, cell in enumerate(cells):
                if number:
                    self.draft.text(": ")
                self.read_content(cell)
        self.draft.paragraph()
        self.role, self.hints = before
