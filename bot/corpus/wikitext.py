"""Wikitext of one article to a document: rendered text with its formulas in place, bold terms, infobox, headings."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.corpus import wikimarkup
from bot.corpus.decode import decode
from bot.corpus.draft import DocumentFormulas, Draft, NoArticle, may_be_term
from bot.corpus.html import xpaths
from bot.corpus.html.mathtags import MARKER
from bot.records import Document, Role

# In whatever language: a number sign, one word, a link.
_REDIRECT = re.compile(
    r"\s*#(?:\s*(?:redirect|weiterleitung|redirection|redirección|rinvia)\b|[^\W\d_]+\s*:?\s*\[\[)", re.I
)
# Namespaces whose pages are articles: of ProofWiki and of Wikibooks.
CONTENT_NAMESPACES = frozenset(["definition", "axiom", "wikijunior"])
_NAMESPACE = re.compile(rf"(?:{'|'.join(sorted(CONTENT_NAMESPACES))})\s*:\s*(?=\S)", re.I)
_HEADING = re.compile(r"^(={1,6})[ \t]*(.+?)[ \t]*\1[ \t]*$")
_MAX_HEADING_LENGTH = 500
_INDENT = re.compile(r"^[:*#;]+[ \t]*")
_ONLY_FORMULAS = re.compile(rf"(?:\s|[.,;:()\[\]]|\d|'|(?:and|or|where|with|&nbsp;)|{MARKER.pattern})+")
_CELL = re.compile(r"\|\||!!")
_BOLD = re.compile(r"'''+(.+?)'''+", re.S)


def read_wikitext(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the one article of a file; its title is the file's name. Raises NoArticle for a redirect."""
    title = PurePosixPath(path).name
    title = re.sub(r"\.(?:txt|wiki|wikitext|mediawiki|mw|text)$", "", title, flags=re.I).replace("_", " ")
    yield article(decode(data, path), Document(path, without_namespace(title), kind="encyclopaedia"))


def without_namespace(title: str) -> str:
    """Return the title of an article without the namespace in front of it: "Definition:Group" defines a group."""
    return _NAMESPACE.sub("", title, count=1) if _NAMESPACE.match(title) else title


def article(text: str, document: Document) -> DocumentFormulas:
    """Return an article's document with its formulas. Raises NoArticle for a redirect."""
    if _REDIRECT.match(text[:200]):
        raise NoArticle("redirect", where=document.id)
    formulas: list[wikimarkup.WikiFormula] = []
    draft = Draft(document.id)
    _LineReader(draft, formulas).read(wikimarkup.flatten(text, formulas))
    occurrences = draft.occurrences()
    return replace(document, opening=draft.opening), occurrences


class _LineReader:
    """Goes through flat wikitext line by line."""

    def __init__(self, draft: Draft, formulas: list[wikimarkup.WikiFormula]) -> None:
        self.draft, self.formulas = draft, formulas
        self.lead = True
        self.closed = 0  # level of the closing section we are in, 0 outside
        self.tables = 0

    def read(self, text: str) -> None:
        text = text.replace(wikimarkup.BLOCK, "\n\n").replace(wikimarkup.BLOCK_END, "\n\n")
        text = text.replace(wikimarkup.TABLE_END, f"\n{wikimarkup.TABLE_END}\n").replace(
            wikimarkup.TABLE, f"\n{wikimarkup.TABLE}"
        )
        for line in text.split("\n"):
            if line.startswith("=") and len(line) < _MAX_HEADING_LENGTH and (heading := _HEADING.match(line.strip())):
                self.heading(len(heading[1]), heading[2])
            elif not self.closed:
                self.line(line)

    def heading(self, level: int, title: str) -> None:
        self.tables, self.lead = 0, False
        name = wikimarkup.plain_wikitext(title, self.formulas)
        if self.closed and level > self.closed:
            return
        self.closed = level if name.lower() in xpaths.CLOSING_SECTIONS else 0
        if not self.closed:
            self.draft.heading(name)
            if MARKER.search(title):
                self.text(title)
                self.draft.paragraph()

    def line(self, line: str) -> None:
        if line.startswith(wikimarkup.CAPTION):
            self.draft.paragraph()
            self.text(line[1:])
            self.draft.paragraph()
        elif wikimarkup.TABLE in line:
            self.tables += 1
            self.draft.paragraph()
        elif wikimarkup.TABLE_END in line:
            self.tables = max(0, self.tables - 1)
            self.draft.paragraph()
        elif self.tables:
            self.table_line(line.strip())
        elif not line.strip():
            self.draft.paragraph()
        else:
            self.prose(line)

    def prose(self, line: str) -> None:
        """Read a line of text, a list item, or a line of formulas only, which displays them."""
        indent = _INDENT.match(line)
        body = line[indent.end() :] if indent else line.strip()
        without_tags = wikimarkup.TAG.sub("", body)
        alone = bool(MARKER.search(body)) and bool(_ONLY_FORMULAS.fullmatch(without_tags))
        first = MARKER.match(body.lstrip("' "))
        if alone or (indent and indent[0].strip(" \t*#;") and first and self._is_display(without_tags)):
            self.text(body, display=True)
        elif indent:
            self.draft.line()
            self.text(body)
            self.draft.line()
        else:
            self.text(body)
            self.draft.text(" ")

    @staticmethod
    def _is_display(body: str) -> bool:
        """An indented line that opens with a formula and has only a remark behind it: "⟦1⟧ for x > 0"."""
        first = MARKER.match(body.lstrip("' "))
        rest = body.lstrip("' ")[first.end() :] if first else body
        return len(rest.split()) <= 4 and not re.match(r"\s*(?:is|are|=|denotes|represents|:)", rest)

    def table_line(self, line: str) -> None:
        if line.startswith("|-"):
            self.draft.paragraph()
            return
        if line.startswith(("|+", "|", "!")):
            self.draft.line() if line.startswith("|+") else self.draft.text(" | ")
            line = line[2:] if line.startswith("|+") else line[1:]
        for number, cell in enumerate(_CELL.split(line)):
            if number:
                self.draft.text(" | ")
            # `style="…" | text`: what stands before a single bar are attributes.
            self.text(cell.rpartition("|")[2] if "|" in cell and "=" in cell.partition("|")[0] else cell, role="table")

    def text(self, text: str, *, display: bool = False, role: Role = "text") -> None:
        """Pour in inline wikitext."""
        at = 0
        for bold in _BOLD.finditer(text):
            name = wikimarkup.shown_text(bold[1])
            if MARKER.search(bold[1]) or not may_be_term(name):
                continue
            self.text_with_formulas(text[at : bold.start()], display, role)
            self.draft.term("bold_title" if self.lead else "defined_term", name)
            at = bold.end()
        self.text_with_formulas(text[at:], display, role)

    def text_with_formulas(self, text: str, display: bool, role: Role) -> None:
        for n, piece in enumerate(MARKER.split(text)):
            if not n % 2:
                self.draft.text(wikimarkup.shown_text(piece))
            elif (number := int(piece)) < len(self.formulas):
                found = self.formulas[number]
                its_role = role if found.role == "text" else found.role
                self.draft.formula(found.tex, display=display or found.display, role=its_role, hints=found.hints)
