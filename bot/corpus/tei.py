"""TEI documents whose formulas are TeX or MathML (`<formula notation="TeX">`), as collections of papers have them."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.corpus import arxiv
from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, Draft
from bot.corpus.mathml.mathml_to_tex import lost_formula, mathml_equations
from bot.corpus.tex_equations import equations
from bot.corpus.xml_parsing import XML_LANG, Element, element_name, one_line_text, parse_xml, text_of
from bot.corpus.xml_walker import XmlWalker
from bot.errors import DocumentError
from bot.records import Document, Role

_SKIPPED = frozenset(
    "teiHeader listBibl bibl biblStruct graphic note ptr figDesc fw pb lb cb index divGen idno label".split()
)
_BLOCKS = frozenset("ab div list quote table figure lg floatingText argument".split())
_LINES = frozenset("item l".split())
_ROLES: dict[str, Role] = {"figDesc": "caption"}
_BLOCK_PARENTS = frozenset("body div back front figure text".split())
_DISPLAYED = re.compile(r"\s*(?:\$\$|\\\[|\\begin\s*\{(?:align|equation|gather|multline|eqnarray|displaymath))")
_DELIMITED = re.compile(
    r"\s*(?:\$[^$]+\$|\$\$[^$]+\$\$|\\\(.+\\\)|\\\[.+\\\]|\\begin\s*\{(\w+\*?)\}.+\\end\s*\{\1\})\s*", re.S
)


def read_tei(data: bytes, *, path: str) -> Iterator[DocumentFormulas]:
    """Yield the texts of a file; of a corpus each TEI element is a document. Raises DocumentError where there is none."""
    root = parse_xml(decode(data, path), path)
    texts = [each for each in root.iter("{*}TEI", "{*}TEI.2") if each.find("{*}text") is not None]
    if not texts:
        raise DocumentError("no_tei", where=path)
    for number, text in enumerate(texts, 1):
        id = path if len(texts) == 1 else f"{path}#{number}"
        draft = Draft(id)
        for part in text.iterfind("{*}text"):
            _TeiWalker(draft).read_content(part)
        yield draft.result(_document(text, id, path))


def _document(text: Element, id: str, path: str) -> Document:
    header = text.find("{*}teiHeader")
    header = text if header is None else header
    licence = header.find(".//{*}availability//{*}licence")
    target = "" if licence is None else str(licence.get("target") or one_line_text(licence))
    numbers = {str(each.get("type", "")).lower(): one_line_text(each) for each in header.iter("{*}idno")}
    number = arxiv.arxiv_id(numbers.get("arxiv", "") or PurePosixPath(path).name)
    pairs = (("doi", numbers.get("doi", "").removeprefix("https://doi.org/")), ("arxiv", number))
    identifiers = tuple((scheme, value) for scheme, value in pairs if value)
    body = text.find("{*}text")
    return Document(
        id=id,
        title=one_line_text(header.find(".//{*}titleStmt/{*}title")) or PurePosixPath(path).stem,
        language=language_code(str(text.get(XML_LANG) or ("" if body is None else body.get(XML_LANG)) or "en")),
        licence=target,
        url=f"https://doi.org/{pairs[0][1]}" if pairs[0][1] else arxiv.abstract_url(number),
        kind="paper",
        identifiers=identifiers,
    )


class _TeiWalker(XmlWalker):
    skipped, blocks, lines, roles = _SKIPPED, _BLOCKS, _LINES, _ROLES

    _p = XmlWalker.paragraph
    _row = XmlWalker.row

    def _head(self, element: Element) -> None:
        if element_name(element.getparent()) == "div":
            self.draft.heading(one_line_text(element))
        else:
            self.block(element)

    def _formula(self, element: Element) -> None:
        """Read a formula; one that is neither TeX nor MathML is only characters, whose scripts and fractions are lost."""
        notation = element.get("notation", "").lower()
        rendition = f"{element.get('rend', '')} {element.get('rendition', '')} {element.get('type', '')}".lower()
        display = "display" in rendition or "block" in rendition
        display = display or element_name(element.getparent()) in _BLOCK_PARENTS
        math, text = next(element.iter("{*}math"), None), text_of(element)
        if math is not None:
            display = display or math.get("display") == "block"
            found = mathml_equations(math, display=display)
            if lost_formula(math, found):
                self.draft.add_unreadable("mathml")
        elif "tex" in notation or {"tex", "latex"} & {*rendition.split()} or _DELIMITED.fullmatch(text):
            display = display or bool(_DISPLAYED.match(text))
            found = equations(text, display=display)
        else:
            found = []
            self.draft.add_unreadable("pictures" if element.find(".//{*}graphic") is not None else "characters")
        for tex in found:
            self.add_tex(tex, display=display)
