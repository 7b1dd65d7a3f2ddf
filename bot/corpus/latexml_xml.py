"""LaTeXML's own XML, before it is made a page: the TeX of each `Math`, rows of a display joined, theorem titles as names."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus import arxiv
from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft
from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows
from bot.corpus.named_statements import title_in_brackets
from bot.corpus.tex_equations import equations, equations_of_lines, without_delimiters
from bot.corpus.xml_parsing import XML_LANG, Element, element_name, one_line_text, parse_xml
from bot.corpus.xml_walker import XmlWalker
from bot.errors import DocumentError
from bot.records import Document, Role

_SKIPPED = frozenset(
    "toctitle creator date bibliography index indexlist TOC tags tag ERROR resource rdf acknowledgements classification keywords navigation "
    "graphics picture svg rule pagination verbatim listing glossaryphrase indexmark bibref".split()
)
_BLOCKS = frozenset(
    "p para abstract itemize enumerate description quote tabular table figure float proof equationgroup block logical-block inline-block inline-para".split()
)
_LINES = frozenset(["item"])
_ROLES: dict[str, Role] = {"caption": "caption"}
_SECTIONS = frozenset("part chapter section subsection subsubsection paragraph subparagraph appendix slide".split())
_WORDS = re.compile(r"\s*(?:\\displaystyle|\\q?quad|\s)*\\(?:text\w*|mbox|hbox)\s*\{")
_PAIR = "ltx_align_right ltx_align_left"  # both sides of an equation in one cell
_DOI = re.compile(r"10\.\d{4,9}/\S+")


def read_latexml_xml(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the one document of a file. Raises DocumentError where there is none."""
    root = parse_xml(decode(data, path), path)
    if element_name(root) != "document":
        raise DocumentError("no_latexml", where=path)
    number = arxiv.arxiv_id(PurePosixPath(path).name)
    doi = next(
        (one_line_text(each) for each in root.iter("{*}classification") if _DOI.fullmatch(one_line_text(each))), ""
    )
    document = Document(
        id=path,
        title=_title(root) or PurePosixPath(path).stem,
        language=language_code(str(root.get(XML_LANG) or "en")),
        url=arxiv.abstract_url(number) or (f"https://doi.org/{doi}" if doi else ""),
        kind="textbook" if root.find(".//{*}chapter") is not None else "paper",
        identifiers=tuple((scheme, value) for scheme, value in (("arxiv", number), ("doi", doi)) if value),
    )
    draft = Draft(path)
    _LatexmlWalker(draft).read_content(root)
    yield draft.result(document)


def _title(root: Element) -> str:
    found = map(root.find, ("{*}title", "{*}chapter/{*}title", "{*}section/{*}title"))
    return _title_text(next((title for title in found if title is not None), None))


def _title_text(element: Element | None) -> str:
    """Return a title without its number, formulas as TeX."""
    if element is None or element_name(element) in ("tag", "tags", "note"):
        return ""
    if element_name(element) == "Math":
        return str(element.get("tex", ""))
    parts = [element.text or ""]
    for child in element:
        parts += [_title_text(child), child.tail or ""]
    return " ".join("".join(parts).split())


class _LatexmlWalker(XmlWalker):
    skipped, blocks, lines, roles = _SKIPPED, _BLOCKS, _LINES, _ROLES

    _tr = XmlWalker.row

    def _Math(self, element: Element) -> None:
        if tex := element.get("tex", ""):
            display = element.get("mode") == "display"
            for one in equations(tex, display=display):
                self.add_tex(one, display=display)
        elif len(element):
            self.draft.add_unreadable("trees")

    def _MathFork(self, element: Element) -> None:
        """Read a row: the whole formula is first, its cells follow."""
        whole = element.find("{*}Math")
        if whole is not None:
            self._Math(whole)

    def _equation(self, element: Element) -> None:
        before = element.find("{*}Math")
        for child in element:
            self.read_element(child)
            self.draft.text("" if before is not None else (child.tail or "").strip())

    def _equationgroup(self, element: Element) -> None:
        rows: list[list[AlignedCell]] = []
        for child in element:
            if element_name(child) in ("equation", "equationgroup"):
                found = [fork.find("{*}Math") for fork in child.iter("{*}MathFork")] or list(child.iter("{*}Math"))
                texs = [without_delimiters(each.get("tex", "")) for each in found if each is not None]
                if child.find("{*}MathFork") is None:
                    texs = [" ".join(texs)]
                rows.append([AlignedCell(tex, "" if _WORDS.match(tex) else _PAIR) for tex in texs])
            elif element_name(child) not in _SKIPPED:
                self.add_rows(rows)
                rows = []
                self.read_element(child)
        self.add_rows(rows)

    def add_rows(self, rows: list[list[AlignedCell]]) -> None:
        for tex in formulas_of_rows(rows):
            for one in equations_of_lines(tex):
                self.add_tex(one, display=True)

    def _title(self, element: Element) -> None:
        parent = element_name(element.getparent())
        if parent in _SECTIONS:
            self.draft.heading(_title_text(element))
        elif parent != "document":
            self.draft.text(f"{_title_text(element)} ")

    def _theorem(self, element: Element) -> None:
        """A theorem's name in brackets is the title of the formulas in it."""
        kind = f"{element.get('class', '')} {element.get('inlist', '')}"
        role: Role = (
            "exercise" if re.search("exercise|problem", kind) else "example" if "example" in kind else self.role
        )
        self.read_box(element, title_in_brackets(_title_text(element.find("{*}title"))), role)

    def _note(self, element: Element) -> None:
        if element.get("role") in ("footnote", "endnote", "margin"):
            self.draft.text(" (")
            self.read_content(element)
            self.draft.text(") ")

    def _ref(self, element: Element) -> None:
        self.draft.text(one_line_text(element) or "…")

    def _cite(self, element: Element) -> None:
        self.draft.text(f"[{one_line_text(element) or '…'}]")
