"""LaTeXML's own XML and TEI: the TeX of each formula once, what names and numbers it apart."""

from __future__ import annotations

import pytest

from bot.corpus import formats
from bot.corpus.latexml_xml import read_latexml_xml
from bot.corpus.tei import read_tei
from bot.errors import DocumentError
from bot.records import Document, NameHint, Occurrence


def latexml(body: str) -> tuple[Document, tuple[Occurrence, ...]]:
    page = f'<?xml version="1.0"?><?latexml class="article"?><document xmlns="http://dlmf.nist.gov/LaTeXML" xml:lang="de"><title><tag>1</tag>Of <Math tex="x"/></title>{body}</document>'
    assert formats.recognise("a.xml", page.encode()) == "latexml_xml"
    return next(read_latexml_xml(page.encode(), path="c/1901.00001.xml"))


def math(tex: str, mode: str = "inline") -> str:
    return f'<Math mode="{mode}" tex="{tex}"><XMath><XMTok>E</XMTok></XMath></Math>'


SHOWN = math(r"\displaystyle F=ma", "display")


def test_a_document_of_latexml_is_read_by_its_tex() -> None:
    document, found = latexml(
        f"<section><tags><tag>1</tag></tags><title><tag>1 </tag>Energy</title><para><p>So {math('E=mc^2')} holds<note role='footnote'>Or {math('m')}.</note>.</p>"
        f"<equation><tags><tag>(1)</tag></tags>{SHOWN}</equation></para></section>"
    )
    assert (document.title, document.language, document.url) == ("Of x", "de", "https://arxiv.org/abs/1901.00001")
    assert [(o.tex, o.display, o.heading) for o in found] == [
        ("E=mc^2", False, "Energy"),
        ("m", False, "Energy"),
        ("F=ma", True, "Energy"),
    ]
    assert found[0].window == "So ⟦0⟧ holds (Or ⟦1⟧.) . ⟦2⟧"


def test_rows_of_a_group_are_joined_and_theorems_name_their_displays() -> None:
    fork = "<equation><MathFork>{}<MathBranch><td>{}</td></MathBranch></MathFork></equation>"
    rows = "".join(fork.format(math(tex), math("z")) for tex in ("a=b", r"\displaystyle=c", "d=e"))
    _, found = latexml(
        f"<theorem class='ltx_theorem_thm'><title>Theorem 1 (Noether)</title><para><equationgroup>{rows}</equationgroup></para></theorem>"
    )
    assert [(o.tex, o.display) for o in found] == [("a=b", True), ("a=c", True), ("d=e", True)]
    assert {o.hints for o in found} == {(NameHint("equation_title", "Noether"),)}


def test_columns_of_a_row_are_equations_of_their_own_and_words_belong_to_the_one_before() -> None:
    def row(*texs: str) -> str:
        forks = (f"<MathFork>{math(tex)}<MathBranch><td>{math('z')}</td></MathBranch></MathFork>" for tex in texs)
        return f"<equation>{''.join(forks)}</equation>"

    rows = row(r"\displaystyle a=b", r"\displaystyle c=d") + row("e=f", r"\displaystyle\text{if }x")
    _, found = latexml(f"<para><equationgroup>{rows}</equationgroup></para>")
    assert [o.tex for o in found] == ["a=b", "c=d", r"e=f\text{if }x"]


def tei(body: str, header: str = "") -> list[tuple[Document, tuple[Occurrence, ...]]]:
    page = f'<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="en"><teiHeader>{header}</teiHeader><text><body>{body}</body></text></TEI>'
    assert formats.recognise("a.xml", page.encode()) == "tei"
    return list(read_tei(page.encode(), path="c/a.xml"))


def test_tei_is_read_where_its_formulas_are_tex_or_mathml() -> None:
    header = (
        "<fileDesc><titleStmt><title>On Ohm</title></titleStmt><publicationStmt><availability><licence target='http://creativecommons.org/licenses/by/4.0/'/></availability>"
        "<idno type='DOI'>10.1/x</idno></publicationStmt></fileDesc>"
    )
    ((document, found),) = tei(
        "<div><head>Law</head><p>So <formula notation='TeX'>$V=IR$</formula> and <formula notation='mathml'><math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi></math></formula>.</p>"
        r"<formula notation='LaTeX'>\begin{align} a &amp;= b \\ c &amp;= d \end{align}</formula></div>",
        header,
    )
    assert (document.title, document.licence, document.url) == (
        "On Ohm",
        "http://creativecommons.org/licenses/by/4.0/",
        "https://doi.org/10.1/x",
    )
    assert [(o.tex, o.display) for o in found] == [("V=IR", False), ("x", False), ("a= b", True), ("c= d", True)]
    assert (found[0].window, found[0].heading) == ("So ⟦0⟧ and ⟦1⟧. ⟦2⟧ ⟦3⟧", "Law")


def test_characters_in_a_row_are_no_formula() -> None:
    with pytest.raises(DocumentError, match="shows its formulas as runs of characters; none of 1 could be read"):
        tei("<p><formula>E = mc 2 (1)</formula></p>")


def test_formulas_of_tei_are_tex_by_their_rendition_or_delimiters_and_displayed_by_these() -> None:
    ((_, found),) = tei(
        "<p>Of <formula rend='LaTeX'>a</formula>, <formula>$b$</formula>, <formula>\\[ c=d \\]</formula> and "
        "<formula notation='TeX'>$$e=f$$</formula>, not <formula>$5 and $6</formula></p>"
    )
    assert [(o.tex, o.display) for o in found] == [("a", False), ("b", False), ("c=d", True), ("e=f", True)]


def test_rows_in_the_tex_of_one_display_are_formulas() -> None:
    split = math(r"\begin{split}a&amp;=b\\ &amp;{}+c\end{split}", "display")
    group = f"<equationgroup><equation>{split}</equation><equation>{math('d=e')}</equation></equationgroup>"
    _, found = latexml(f"<para><equation>{split}</equation>{group}</para>")
    assert [o.tex for o in found] == ["a=b +c", "a=b +c", "d=e"]


def test_mathml_of_tei_that_cannot_be_read_is_counted() -> None:
    unknown = (
        '<formula><math xmlns="http://www.w3.org/1998/Math/MathML"><apply><unknown/><ci>x</ci></apply></math></formula>'
    )
    ((document, found),) = tei(f'<p>So <formula notation="TeX">a=b</formula> is {unknown}.</p>')
    assert ([o.tex for o in found], str(document.unread)) == (["a=b"], "1 of 2 formulas are unreadable MathML only")
