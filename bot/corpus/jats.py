"""Articles and books in JATS, BITS and the NLM formats before them: MathML or TeX of each formula once, titles as names."""

import html
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft
from bot.corpus.mathml.mathml_to_tex import lost_formula, mathml_equations
from bot.corpus.named_statements import name_at_end
from bot.corpus.tex_equations import equations, readable_tex
from bot.corpus.wikimath import to_tex
from bot.corpus.xml_parsing import XML_LANG, Element, element_name, one_line_text, parse_xml, text_of
from bot.corpus.xml_walker import XmlWalker, skip_element
from bot.errors import DocumentError
from bot.records import Document, NameHint, Role

_ROOTS = frozenset("article book book-part book-part-wrapper".split())
# Where a unit's own metadata are, not those of an article or part inside it
_META = ("front/{*}article-meta", "book-part-meta", "book-meta", "sec-meta", "front-stub")
_SKIPPED = frozenset(
    "journal-meta contrib-group aff author-notes pub-date permissions history self-uri related-article kwd-group funding-group counts custom-meta-group "
    "processing-meta article-categories title-group book-title-group label object-id graphic media inline-graphic inline-media supplementary-material "
    "inline-supplementary-material alt-text long-desc attrib ref-list ref ack bio trans-abstract code preformat chem-struct toc index "
    "issue-copyright-statement article-id book-id book-part-id volume issue fpage lpage page-range elocation-id product subj-group conference".split()
)  # fmt: skip
_BLOCKS = frozenset(
    "sec abstract app fig fig-group table-wrap list disp-quote def-list verse-group speech boxed-text statement disp-formula-group glossary notes question answer".split()
)
_LINES = frozenset("list-item def-item verse-line".split())
_SECTIONS = frozenset("sec app abstract ack notes glossary front-matter-part".split())
_NOT_IN_TITLES = frozenset("xref fn graphic inline-graphic".split())
_ROLES: dict[str, Role] = {"caption": "caption", "question": "exercise", "answer": "exercise"}  # fmt: skip
_NOTE_LISTS = frozenset("fn-group table-wrap-foot author-notes".split())
# References that a mark stands for: of notes always, of the bibliography where it is raised.
_NOTE_TYPES = frozenset("fn table-fn".split())
_MARK = re.compile(r"\W*\w{0,3}\W*")
_ITALICS = {"italic": "i", "bold": "b", "sub": "sub", "sup": "sup"}  # the elements of a formula typed as text
_IDENTIFIERS = {"doi": "doi", "arxiv": "arxiv", "pmid": "pmid", "pmc": "pmc", "pmcid": "pmc"}
_FORMULAS = frozenset("math tex-math inline-formula disp-formula".split())
_HREF = "{http://www.w3.org/1999/xlink}href"
_LICENCE_ADDRESS = re.compile(r"https?://creativecommons\.org/[\w./-]+[\w/]")
# "Theorem 2", "Box 1": a kind of box with its number, and no name of what is in it.
_NUMBERED = re.compile(
    r"(?:theorem|lemma|proposition|corollary|definition|remark|example|proof|claim|conjecture|axiom|box|assumption|algorithm)s?\b[\s\d.:A-Z]{0,8}$",
    re.I,
)
_CDATA = re.compile(r"<\?CDATA\s(.*?)\?>", re.S)  # what a physics publisher encloses its TeX in
# A script of the text before it that is marked up as a formula: CO<msub><mi/><mn>2</mn></msub>.
_SCRIPT_ALONE = re.compile(r"(?:\{\})?([_^])\{?(?:\\(?:text|mathrm)\{)?([-+*,\w]+)\}{0,2}")


def read_jats(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the articles of a file; of a book each part is a document. Raises DocumentError where there is none."""
    root = parse_xml(_CDATA.sub(r"<![CDATA[\1]]>", decode(data, path)), path)
    found = [root, *root.iter("{*}article", "{*}book", "{*}book-part")]
    units = [each for each in dict.fromkeys(found) if element_name(each) in _ROOTS and _has_text(each)]
    if not units:
        raise DocumentError("no_jats", where=path)
    for number, unit in enumerate(units):
        id = path if len(units) == 1 else f"{path}#{unit.get('id') or number + 1}"
        document = _document(unit, id)
        draft = Draft(id)
        _JatsWalker(draft, unit).read()
        yield draft.result(document)


def _has_text(unit: Element) -> bool:
    return any(unit.find(f"{{*}}{part}") is not None for part in ("body", "front", "book-body", "back", "floats-group"))


def _document(unit: Element, id: str) -> Document:
    meta = next((found for path in _META if (found := unit.find(f"{{*}}{path}")) is not None), unit)
    whole = next((each for each in (unit, *unit.iterancestors()) if element_name(each) in ("article", "book")), unit)
    identifiers = dict(_identifiers(meta)) or dict(_identifiers(whole))
    titles = (_title_text(meta.find(f".//{{*}}{kind}")) for kind in ("article-title", "book-title", "title"))
    journal = one_line_text(unit.find(".//{*}journal-meta//{*}journal-title"))
    return Document(
        id=id,
        title=next(filter(None, titles), "") or PurePosixPath(id).stem,
        language=language_code(unit.get(XML_LANG) or whole.get(XML_LANG) or "en"),
        licence=_licence(meta) or _licence(whole),
        url=f"https://doi.org/{identifiers['doi']}" if "doi" in identifiers else "",
        kind="paper" if element_name(whole) == "article" else "textbook",
        identifiers=(*identifiers.items(), *([("journal", journal)] if journal else [])),
    )


def _identifiers(meta: Element) -> Iterator[tuple[str, str]]:
    for each in meta.iterfind("{*}article-id"):
        scheme = _IDENTIFIERS.get(str(each.get("pub-id-type")), "")
        if scheme and one_line_text(each):
            yield scheme, one_line_text(each)
    for each in (*meta.iterfind("{*}book-id"), *meta.iterfind("{*}book-part-id")):
        if "doi" in (each.get(f"{kind}-id-type") for kind in ("book", "book-part", "pub")):
            yield "doi", one_line_text(each)


def _licence(meta: Element) -> str:
    """Return the licence's address where it is stated, also within its sentence; else the sentence."""
    for found in meta.iterfind(".//{*}license"):
        for each in found.iter():
            address = each.get(_HREF, "") or (one_line_text(each) if element_name(each) == "license_ref" else "")
            if _LICENCE_ADDRESS.match(address):
                return str(address)
        text = one_line_text(found)
        stated = _LICENCE_ADDRESS.search(text)
        return stated[0] if stated else str(found.get(_HREF) or text)
    return one_line_text(meta.find(".//{*}license_ref"))


def _title_text(element: Element | None) -> str:
    """Return a title as shown: without notes and references, formulas as readable text."""
    if element is None:
        return ""
    if element_name(element) in _FORMULAS:
        forms = [element] if element_name(element) in ("math", "tex-math") else _formulas(element)
        return " ".join(readable_tex(tex) for form in forms for tex in _equations(form, display=False))
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and element_name(child) not in _NOT_IN_TITLES:
            parts.append(_title_text(child))
        parts.append(child.tail or "")
    return " ".join("".join(parts).split())


class _JatsWalker(XmlWalker):
    skipped, blocks, lines, roles = _SKIPPED, _BLOCKS, _LINES, _ROLES

    def __init__(self, draft: Draft, unit: Element) -> None:
        super().__init__(draft)
        self.unit = unit

    def read(self) -> None:
        for part in self.unit:
            if isinstance(part.tag, str):
                self.read_element(part)
                self.draft.paragraph()
                self.read_notes()

    _article = _book = _book_part = skip_element  # a document of its own

    def _sub_article(self, element: Element) -> None:
        if element.get("article-type") != "translation":
            self.read_content(element)

    def _title(self, element: Element) -> None:
        title = _title_text(element)
        if element_name(element.getparent()) in _SECTIONS:
            self.draft.heading(title)
            if _formulas(element):
                self.read_content(element)
                self.draft.paragraph()
        else:
            self.draft.paragraph()
            self.read_content(element)
            self.draft.text("" if title.endswith((".", "?", "!", ":")) else ".")
            self.draft.paragraph()

    def _statement(self, element: Element) -> None:
        self.read_box(element, _name_hints(element))

    _boxed_text = _statement

    def _def_item(self, element: Element) -> None:
        self.draft.line()
        for child in element:
            if isinstance(child.tag, str):
                self.read_element(child)
                self.draft.text(": " if element_name(child) == "term" else " ")
        self.draft.line()

    _p = XmlWalker.paragraph
    _tr = XmlWalker.row

    def _fn(self, element: Element) -> None:
        if element_name(element.getparent()) in _NOTE_LISTS:
            self.block(element)
        else:
            self.defer_note(element)

    def _xref(self, element: Element) -> None:
        text = one_line_text(element)
        raised = text and text == one_line_text(element.find("{*}sup"))
        if not raised and not (element.get("ref-type") in _NOTE_TYPES and _MARK.fullmatch(text)):
            self.draft.text(text or "…")

    def _sub(self, element: Element) -> None:
        self.draft.text("_")
        self.read_content(element)

    def _sup(self, element: Element) -> None:
        marks = [text_of(child) for child in element if element_name(child) == "xref"]
        others = text_of(element)
        for mark in marks:
            others = others.replace(mark, "", 1)
        if marks and not any(character.isalnum() for character in others):
            return  # marks of notes and references
        self.draft.text("" if marks else "^")
        self.read_content(element)

    # Formulas. One of several forms of it is read: TeX, MathML, text; a picture is none.

    def _math(self, element: Element) -> None:
        self.add_formulas([element], display=element.get("display") == "block")

    def _tex_math(self, element: Element) -> None:
        self.add_formulas([element], display=False)

    def _alternatives(self, element: Element) -> None:
        """Read a table that is there as a picture too; a formula is found by the element that it is in, or stands alone."""
        if element.find("{*}math") is not None or element.find("{*}tex-math") is not None:
            self.add_formulas(_formulas(element)[:1], display=False)
        else:
            self.read_content(element)

    def _inline_formula(self, element: Element) -> None:
        self.add_formulas(_formulas(element) or [element], display=False)

    def _disp_formula(self, element: Element) -> None:
        self.add_formulas(_formulas(element) or [element], display=True)

    def add_formulas(self, forms: list[Element], *, display: bool) -> None:
        """Add the formulas of consecutive elements."""
        for form in forms:
            found = _equations(form, display=display)
            if element_name(form) == "math":
                if lost_formula(form, found):
                    self.draft.add_unreadable("mathml")
            elif not any(found) and next(form.iter("{*}graphic", "{*}inline-graphic"), None) is not None:
                self.draft.add_unreadable("pictures")
            for tex in found:
                script = None if display else _SCRIPT_ALONE.fullmatch(tex)
                if script:
                    self.draft.text(f"{script[1]}{script[2]}")
                else:
                    self.add_tex(tex, display=display)


def _equations(form: Element, *, display: bool) -> list[str]:
    """Return the equations of MathML, TeX or a formula typed as text."""
    tag = element_name(form)
    if tag == "math":
        return mathml_equations(form, display=display)
    return equations(text_of(form), display=display) if tag == "tex-math" else [to_tex(_text_formula_markup(form))]


def _formulas(element: Element) -> list[Element]:
    """Return the elements that write what is in it: one of each `alternatives`, of other siblings those with TeX or else all."""
    found: list[Element] = []
    for child in element:
        tag = element_name(child) if isinstance(child.tag, str) else ""
        if tag == "alternatives":
            found += _formulas(child)[:1]
        elif tag in ("math", "tex-math"):
            found.append(child)
        elif tag not in ("", "label"):
            found += _formulas(child)
    sound = [each for each in found if element_name(each) == "tex-math" and _is_complete_tex(text_of(each))]
    return sound or [each for each in found if element_name(each) == "math"] or found


def _is_complete_tex(tex: str) -> bool:
    """Tell whether TeX is not empty and its braces balance."""
    text = re.sub(r"\\.", "", tex, flags=re.S)
    return bool(text.strip()) and text.count("{") == text.count("}")


def _text_formula_markup(element: Element) -> str:
    """Return the markup of a formula that is typed as text; "" if the element has no text of its own."""
    inner = html.escape(element.text or "", quote=False)
    for child in element:
        if isinstance(child.tag, str) and element_name(child) not in _SKIPPED:
            inner += _text_formula_markup(child)
        inner += html.escape(child.tail or "", quote=False)
    tag = _ITALICS.get(element_name(element), "")
    return f"<{tag}>{inner}</{tag}>" if tag else inner


def _name_hints(element: Element) -> tuple[NameHint, ...]:
    """Return the name of a statement or box; "Theorem 2" alone is not a name."""
    title = next(
        (_title_text(found) for kind in ("title", "caption") if (found := element.find(f"{{*}}{kind}")) is not None), ""
    )
    title = name_at_end(title) or name_at_end(one_line_text(element.find("{*}label"))) or title
    return (NameHint("equation_title", title),) if title and not _NUMBERED.match(title) else ()
