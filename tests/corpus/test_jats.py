"""JATS, BITS and NLM: each formula once whatever forms it has, equations of a display apart, pictures counted."""

from __future__ import annotations

import pytest

from bot.corpus.jats import read_jats
from bot.errors import DocumentError
from bot.records import Document, NameHint, Occurrence

FRONT = (
    "<front><journal-meta><journal-title-group><journal-title>Annals of Ohm</journal-title></journal-title-group></journal-meta><article-meta>"
    '<article-id pub-id-type="doi">10.1/ohm</article-id><article-id pub-id-type="pmid">77</article-id>'
    '<title-group><article-title>On <italic>Ohm</italic><xref ref-type="fn">*</xref></article-title></title-group>'
    '<permissions><license xlink:href="http://creativecommons.org/licenses/by/4.0/"><license-p>Free.</license-p></license></permissions>'
    "<abstract><p>We measure <inline-formula><tex-math>V</tex-math></inline-formula>.</p></abstract></article-meta></front>"
)
MATH = "<mml:math><mml:mi>{}</mml:mi><mml:mo>=</mml:mo><mml:mi>{}</mml:mi></mml:math>"


def read_all(body: str, front: str = "", root: str = "article") -> list[tuple[Document, tuple[Occurrence, ...]]]:
    page = (
        '<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.2//EN" "http://example.org/never-fetched.dtd">'
        f'<{root} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" xml:lang="pt-BR">{front}<body>{body}</body>'
        f"<back><ref-list><ref><tex-math>r</tex-math></ref></ref-list></back></{root}>"
    )
    return list(read_jats(page.encode(), path="ohm/a.xml"))


def read(body: str, front: str = "") -> tuple[Document, tuple[Occurrence, ...]]:
    return read_all(body, front)[0]


def formulas(body: str) -> list[tuple[str, bool]]:
    return [(o.tex, o.display) for o in read(body)[1]]


def test_the_article_says_what_it_is() -> None:
    document, (abstract,) = read("<sec><title>I</title><p>None.</p></sec>", FRONT)
    assert (document.title, document.language, document.kind) == ("On Ohm", "pt", "paper")
    assert (document.licence, document.url) == (
        "http://creativecommons.org/licenses/by/4.0/",
        "https://doi.org/10.1/ohm",
    )
    assert document.identifiers == (("doi", "10.1/ohm"), ("pmid", "77"), ("journal", "Annals of Ohm"))
    assert (abstract.tex, abstract.window) == ("V", "We measure ⟦0⟧.")


def test_a_formula_with_several_forms_counts_once() -> None:
    picture = '<graphic xlink:href="e1"/>'
    both = f"<alternatives>{picture}<tex-math>V=IR</tex-math>{MATH.format('a', 'b')}</alternatives>"
    assert formulas(f"<p><disp-formula>{both}<label>(1)</label></disp-formula></p>") == [("V=IR", True)]
    assert formulas(f"<p>So <inline-formula>{MATH.format('a', 'b')}<tex-math>V</tex-math></inline-formula></p>") == [
        ("V", False)
    ]
    styled = f"<styled-content>{both}<tex-math>P=UI</tex-math></styled-content><label><tex-math>n</tex-math></label>"
    assert formulas(f"<p>So <inline-formula>{styled}</inline-formula></p>") == [("V=IR", False), ("P=UI", False)]
    broken = f"<alternatives><tex-math>\\frac{{a</tex-math>{MATH.format('a', 'b')}</alternatives>"
    assert formulas(f"<p>So <inline-formula>{broken}</inline-formula></p>") == [("a=b", False)]


def test_a_script_of_the_text_is_no_formula() -> None:
    two, minus = "<mml:mn>2</mml:mn>", "<mml:mrow><mml:mo>-</mml:mo><mml:mn>3</mml:mn></mml:mrow>"
    script = "<inline-formula><mml:math><mml:{0}><mml:mi/>{1}</mml:{0}></mml:math></inline-formula>"
    carbon = f"CO{script.format('msub', two)} in g m{script.format('msup', minus)}"
    nuclide = (
        f"<inline-formula><mml:math><mml:msup><mml:mi/>{two}</mml:msup><mml:mi>H</mml:mi></mml:math></inline-formula>"
    )
    _, (one,) = read(f"<p>{carbon} and {nuclide}.</p>")
    assert (one.tex, one.window) == ("{}^{2}H", "CO_2 in g m^-3 and ⟦0⟧.")


def test_tex_that_is_a_whole_document_is_its_formula() -> None:
    document = r"\documentclass{article} \usepackage{amsmath} \begin{document} $$V = IR \label{a}$$ \end{document}"
    assert formulas(f"<p><disp-formula><tex-math>{document}</tex-math></disp-formula></p>") == [("V = IR", True)]
    half = r"\documentclass{article} \begin{document} \(${{L}_{1}}=0 \) \end{document}"
    assert formulas(f"<p>So <inline-formula><tex-math>{half}</tex-math></inline-formula></p>") == [
        ("{{L}_{1}}=0", False)
    ]


def test_rows_of_a_display_are_equations() -> None:
    row = "<mml:mtr><mml:mtd>{}</mml:mtd></mml:mtr>"
    inner = [MATH.format(*pair).removeprefix("<mml:math>").removesuffix("</mml:math>") for pair in ("ab", "cd")]
    table = f"<mml:mtable>{''.join(map(row.format, inner))}</mml:mtable>"
    assert formulas(f"<p><disp-formula><mml:math display='block'>{table}</mml:math></disp-formula></p>") == [
        ("a=b", True),
        ("c=d", True),
    ]
    # A table without relations is one formula: a matrix, a list.
    bare = "<mml:mtable>" + row.format("<mml:mi>a</mml:mi>") * 2 + "</mml:mtable>"
    (found,) = formulas(f"<p><disp-formula><mml:math>{bare}</mml:math></disp-formula></p>")
    assert found == (r"\begin{array}{c}a \\ a\end{array}", True)


def test_pictures_are_counted_and_leave_a_gap() -> None:
    picture = '<inline-formula><inline-graphic xlink:href="e1"/></inline-formula>'
    document, (found,) = read(f"<p>Here {picture} and <inline-formula><tex-math>x</tex-math></inline-formula>.</p>")
    assert str(document.unread) == "1 of 2 formulas are pictures only"
    assert found.window == "Here … and ⟦0⟧."
    with pytest.raises(DocumentError, match="shows its formulas as pictures; none of 1 could be read"):
        read(f"<p>{picture}</p>")


def test_a_formula_typed_as_text_is_read() -> None:
    assert formulas(
        "<p><disp-formula><italic>E</italic> = <italic>mc</italic><sup>2</sup><label>(1)</label></disp-formula></p>"
    ) == [("E = mc^2", True)]


def test_windows_are_what_a_reader_sees() -> None:
    _, (found, _) = read(
        '<sec><title>Law</title><p>As in [<xref ref-type="bibr">1</xref>], <bold>Ohm</bold>’s law is<disp-formula><label>(1)</label>'
        f"{MATH.format('V', 'R')}</disp-formula>where <italic>k</italic><sub>B</sub> is the constant (see <xref/>).</p>"
        f"<fig><label>Fig 1</label><caption><title>The law</title><p>Of {MATH.format('a', 'b')}.</p></caption><graphic/></fig></sec>"
    )
    assert found.window == "As in [1], Ohm’s law is ⟦0⟧ where k_B is the constant (see …).\n\nThe law.\n\nOf ⟦1⟧."
    assert found.heading == "Law"


def test_boxes_and_statements_name_what_is_displayed_in_them() -> None:
    shown = f"<p><disp-formula>{MATH.format('a', 'b')}</disp-formula></p>"
    body = (
        f"<boxed-text><label>Box 1</label><caption><title>Ohm’s law</title></caption>{shown}</boxed-text><statement><title>Theorem 2</title>{shown}</statement>"
        f"<statement><label>Theorem 3 (Noether)</label>{shown}</statement>"
    )
    assert [o.hints for o in read(body)[1]] == [
        (NameHint("equation_title", "Ohm’s law"),), (), (NameHint("equation_title", "Noether"),),
    ]  # fmt: skip


def test_tables_that_are_pictures_too_are_read_in_place() -> None:
    table = f"<table><tr><td>Name</td><td>{MATH.format('a', 'b')}</td></tr></table>"
    (found,) = read(f"<table-wrap><alternatives><graphic/>{table}</alternatives></table-wrap>")[1]
    assert (found.tex, found.role, found.display) == ("a=b", "table", False)


def test_parts_of_a_book_are_documents() -> None:
    part = '<book-part id="c{n}"><book-part-meta><title-group><title>Chapter {n}</title></title-group></book-part-meta><body><p>{f}</p></body></book-part>'
    body = part.format(n=1, f=MATH.format("a", "b")) + part.format(n=2, f=MATH.format("c", "d"))
    found = read_all("", root="book-part-wrapper")
    assert [document.id for document, _ in found] == ["ohm/a.xml"]
    book = f'<book xmlns:mml="http://www.w3.org/1998/Math/MathML"><book-meta><book-title-group><book-title>B</book-title></book-title-group></book-meta><book-body>{body}</book-body></book>'
    parts = list(read_jats(book.encode(), path="b.xml"))
    assert [(d.id, d.title, d.kind, [x.tex for x in o]) for d, o in parts] == [
        ("b.xml#1", "B", "textbook", []),
        ("b.xml#c1", "Chapter 1", "textbook", ["a=b"]),
        ("b.xml#c2", "Chapter 2", "textbook", ["c=d"]),
    ]


def test_entities_of_a_document_are_never_expanded() -> None:
    bomb = '<!DOCTYPE article [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><article><front/><body><p>Of &b; <tex-math>x</tex-math> &alpha;.</p></body></article>'
    ((_, (found,)),) = read_jats(bomb.encode(), path="a.xml")
    assert found.window == "Of ⟦0⟧ α."


def test_other_xml_is_no_article() -> None:
    with pytest.raises(DocumentError, match="is XML but no JATS article or book"):
        list(read_jats(b"<article><p/></article>", path="a.xml"))


def test_tex_in_an_instruction_of_a_publisher_is_read() -> None:
    ((_, (one,)),) = read_all(
        "<p>So <inline-formula><tex-math>\n<?CDATA $a<b_1$?>\n</tex-math><!-- <mml:math/> --></inline-formula>.</p>"
    )
    assert (one.tex, one.window) == ("a<b_1", "So ⟦0⟧.")


def test_a_language_of_three_letters_has_a_code_of_two() -> None:
    page = '<article xml:lang="ger"><body><p>Es gilt <inline-formula><tex-math>a</tex-math></inline-formula>.</p></body></article>'
    ((document, _),) = read_jats(page.encode(), path="a.xml")
    assert document.language == "de"


def test_a_prefix_that_is_not_declared_is_what_it_usually_is() -> None:
    page = f'<?xml version="1.0"?><!-- <x --><article><body><p xlink:href="a">So {MATH.format("a", "b")}, <q:x/></p></body></article>'
    ((_, found),) = read_jats(page.encode(), path="a.xml")
    assert [o.tex for o in found] == ["a=b"]
    for broken in (page.replace("</p>", ""), page.replace("<q:x/>", '<q:x xlink:a="" xlink:a=""/>')):
        with pytest.raises(DocumentError, match="broken XML"):
            list(read_jats(broken.encode(), path="a.xml"))


def test_marks_of_notes_and_references_are_no_text_and_a_note_follows_its_paragraph() -> None:
    raised = '<sup><xref ref-type="bibr">9</xref>, <xref ref-type="bibr">10</xref></sup>'
    mark = '<xref ref-type="fn" rid="n"><sup>a</sup></xref><xref ref-type="table-fn">*</xref>'
    note = "<fn><label>1</label><p>Not for <tex-math>x=0</tex-math>.</p></fn>"
    _, (law, noted) = read(
        f"<p>By Ohm{raised} the{mark} law <tex-math>U=RI</tex-math>{note} holds for x<sup>2</sup>.</p>"
    )
    assert (law.tex, noted.tex) == ("U=RI", "x=0")
    assert law.window == "By Ohm the law ⟦0⟧ holds for x^2.\n\nNot for ⟦1⟧."


def test_a_row_of_a_table_is_a_line_with_bars_between_its_cells() -> None:
    cells = "<td><p>Law of Ohm</p></td><td><p><tex-math>U=RI</tex-math></p></td>"
    _, (found,) = read(
        f"<table-wrap><table><tbody><tr>{cells}</tr><tr><td>Law of Hooke</td></tr></tbody></table></table-wrap>"
    )
    assert (found.role, found.window) == ("table", "Law of Ohm | ⟦0⟧\n\nLaw of Hooke")


def test_formulas_in_titles_are_readable_text() -> None:
    half = "<mml:math><mml:mfrac>\n<mml:mn>1</mml:mn>\n<mml:mn>2</mml:mn></mml:mfrac></mml:math>"
    title = f"<title>The spin-<inline-formula>{half}</inline-formula> chain <inline-formula><tex-math>H_{{\\alpha}}</tex-math></inline-formula></title>"
    _, found = read(f"<sec>{title}<p>So <tex-math>a=b</tex-math>.</p></sec>")
    assert found[-1].heading == "The spin-1/2 chain H_α"


def test_mathml_that_cannot_be_read_is_counted() -> None:
    unknown = "<mml:math><mml:apply><mml:unknown/><mml:ci>x</mml:ci></mml:apply></mml:math>"
    document, (found,) = read(f"<p>So <tex-math>a</tex-math> is <inline-formula>{unknown}</inline-formula>.</p>")
    assert (str(document.unread), found.window) == ("1 of 2 formulas are unreadable MathML only", "So ⟦0⟧ is ….")
