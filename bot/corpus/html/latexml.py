"""LaTeXML pages (HTML5, XHTML, the NTCIR form, and other pages whose `<math>` carries TeX) to documents."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus import arxiv
from bot.corpus.decode import language_code
from bot.corpus.draft import DocumentFormulas, Draft
from bot.corpus.html import xpaths
from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows
from bot.corpus.html.mathtags import MARKER
from bot.corpus.html.page_tree import PageTree, PageWalker, first_text, rows_of
from bot.corpus.named_statements import title_in_brackets
from bot.corpus.tex_equations import equations_of_lines
from bot.corpus.xml_parsing import Element, text_of
from bot.records import Document

_EXAMPLES = frozenset(["theorem_example", "theorem_ex", "theorem_exmp", "theorem_eg"])
_EXERCISES = frozenset(["theorem_exercise", "theorem_problem", "theorem_question"])


def read_latexml(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the one document of a page. Raises DocumentError where there is no page in it."""
    tree = PageTree(data, path)
    canonical = tree.xpath_text(xpaths.CANONICAL)
    stated = tree.xpath_text(xpaths.ARXIV) or (canonical if "arxiv.org/" in canonical else "")
    number = arxiv.arxiv_id(stated) or arxiv.arxiv_id(PurePosixPath(path).name)
    identifiers = (("arxiv", number), ("doi", tree.xpath_text(xpaths.DOI).removeprefix("doi:")))
    title = first_text(tree, xpaths.LATEXML_TITLES, xpaths.LATEXML_SKIPPED)
    document = Document(
        id=path,
        title=title or PurePosixPath(path).stem,
        language=language_code(tree.language) or "en",
        licence=tree.xpath_text(*xpaths.LICENCE),
        url=canonical or arxiv.abstract_url(number),
        kind="paper" if all(tree.first_element(each) is None for each in xpaths.CHAPTERS) else "textbook",
        identifiers=tuple(pair for pair in identifiers if pair[1]),
    )
    draft = Draft(document.id, tree.unreadable)
    walker = _LatexmlPageWalker(tree, draft)
    walker.read_element(tree.body)
    walker.read_deferred()
    yield draft.result(document)


class _LatexmlPageWalker(PageWalker):
    skipped_classes = xpaths.LATEXML_SKIPPED
    caption_classes = xpaths.LATEXML_CAPTION
    table_classes = xpaths.LATEXML_TABLE
    class_prefix = "ltx_"

    @classmethod
    def may_be_special(cls, classes: frozenset[str]) -> bool:
        return bool(classes & (xpaths.LATEXML_EQUATION | xpaths.LATEXML_NOTE)) or any(
            name.startswith(("title", "theorem")) for name in classes
        )

    def read_special(self, element: Element, tag: str, classes: frozenset[str]) -> bool:
        if classes & xpaths.LATEXML_EQUATION and tag in ("table", "div", "span", "tbody"):
            self.equation(element)
        elif classes & xpaths.LATEXML_NOTE:
            self.deferred.append(element)
        elif "title" in classes and classes & {"title_theorem", "title_proof", "runin"}:
            self.read_content(element)
        elif "title" in classes:
            self.heading(element)
        elif any(name.startswith("theorem") for name in classes):
            self.theorem(element, classes)
        else:
            return False
        return True

    def add_formula(self, tex: str, display: bool = False) -> None:
        for one in equations_of_lines(tex) if display or self.display else (tex,):
            super().add_formula(one, display)

    def heading(self, element: Element) -> None:
        if "ltx_title_document" not in (element.get("class") or ""):
            super().heading(element)

    def theorem(self, element: Element, classes: frozenset[str]) -> None:
        """A theorem's name in brackets is the title of the formulas in it."""
        role, hints = self.role, self.hints
        if classes & (_EXAMPLES | _EXERCISES):
            self.role = "exercise" if classes & _EXERCISES else "example"
        title = next((c for c in element if "ltx_title" in (c.get("class") or "")), None)
        if title is not None:
            self.hints = title_in_brackets(self.tree.plain_text(title)) or hints
        self.block(element)
        self.role, self.hints = role, hints

    def equation(self, element: Element) -> None:
        """One formula for each row of a display; words between rows stay text."""
        lines = rows_of(element)
        if not lines:
            self.display, before = True, self.display
            self.read_content(element)
            self.display = before
            return
        waiting: list[list[AlignedCell]] = []
        for line in lines:
            cells = self.cells(line)
            if cells is not None:
                waiting.append(cells)
                continue
            self.add_rows(waiting)
            waiting = []
            self.read_content(line)
        self.add_rows(waiting)

    def cells(self, line: Element) -> list[AlignedCell] | None:
        """Return the row's cells, or None for a row of prose (intertext)."""
        found = []
        for cell in line:
            if cell.tag not in ("td", "th") or self.classes(cell) & self.skipped_classes:
                continue
            text = text_of(cell)
            numbers = MARKER.findall(text)
            if not numbers and len(text.split()) > 2:
                return None
            # Words beside a formula ("for x > 0") are not part of it.
            tex = " ".join([self.tree.math_tag(int(number)).tex for number in numbers])
            found.append(AlignedCell(tex, cell.get("class") or ""))
        return found

    def add_rows(self, waiting: list[list[AlignedCell]]) -> None:
        for tex in formulas_of_rows(waiting):
            self.add_formula(tex, display=True)
