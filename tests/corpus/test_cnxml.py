"""CNXML modules: formulas in their sentences, and the names that the book itself gives them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.corpus import cnxml
from bot.corpus.cnxml import read_cnxml
from bot.errors import DocumentError
from bot.records import Document, NameHint, Occurrence

HEAD = '<document xmlns="http://cnx.rice.edu/cnxml" xmlns:m="http://www.w3.org/1998/Math/MathML"><title>Motion</title>'
META = (
    '<metadata xmlns:md="http://cnx.rice.edu/mdml"><md:content-id>m12345</md:content-id><md:title>Motion and force</md:title>'
    '<md:license url="http://creativecommons.org/licenses/by/4.0/"/></metadata>'
)


def math(*letters: str) -> str:
    return (
        "<m:math>" + "".join(f"<m:mi>{x}</m:mi>" if x.isalpha() else f"<m:mo>{x}</m:mo>" for x in letters) + "</m:math>"
    )


def read(content: str, meta: str = META) -> tuple[Document, tuple[Occurrence, ...]]:
    data = f"{HEAD}{meta}<content>{content}</content></document>".encode()
    return next(read_cnxml(data, path="book/m12345/index.cnxml"))


def test_the_document_says_only_what_the_file_says() -> None:
    document, _ = read("")
    assert (document.id, document.title) == ("book/m12345/index.cnxml", "Motion and force")
    assert (document.kind, document.language) == ("textbook", "en")
    assert document.licence == "http://creativecommons.org/licenses/by/4.0/"
    assert document.url == "https://cnx.org/content/m12345/latest/"
    bare, _ = read("", "")
    assert (bare.title, bare.licence, bare.url) == ("Motion", "", "")


def test_the_window_is_rendered_text_with_masks_and_the_stop_leaves_the_formula() -> None:
    _, (first, second) = read(
        f"<section><title>Force</title><para>One sentence. Here <emphasis>force</emphasis> is</para><equation>{math('F', '=', 'm', 'a', '.')}</equation><para>Then {math('m')} is mass.</para></section>"
    )
    assert (first.tex, first.display, first.heading, first.position) == ("F=ma", True, "Force", 0)
    assert first.window.startswith("One sentence. Here force is ⟦0⟧.")
    assert not second.display
    assert "<" not in first.window


def test_rows_of_key_equations_carry_their_names() -> None:
    _, found = read(
        '<section class="key-equations"><title>Key Equations</title><table><tgroup cols="2"><thead><row><entry>Name</entry><entry>Equation</entry></row></thead><tbody>'
        f"<row><entry>Newton’s second<newline/>law</entry><entry>{math('F', '=', 'm', 'a')}</entry></row>"
        f'<row><entry morerows="1">Ohm’s law</entry><entry>{math("V", "=", "I", "R")}</entry></row><row><entry>{math("I", "=", "V", "/", "R")}</entry></row>'
        f"<row><entry>{math('x')}</entry><entry>{math('x', '=', 'v', 't')}</entry></row></tbody></tgroup></table></section>"
    )
    named = [(o.tex, o.role, o.hints) for o in found]
    assert named[0] == ("F=ma", "key_equations", (NameHint("key_equation", "Newton’s second law"),))
    assert named[1][2] == named[2][2] == (NameHint("key_equation", "Ohm’s law"),)
    assert named[3][1:] == ("table", ())
    assert named[4] == ("x=vt", "key_equations", ())


def test_a_term_without_words_loses_nothing() -> None:
    assert [o.tex for o in read(f"<para>A <term/> and <term><m:math/></term> {math('F', '=', 'a')}</para>")[1]] == [
        "F=a"
    ]


def test_no_row_of_key_equations_goes_on_in_the_next_one() -> None:
    rows = "".join(
        f"<row><entry>{name}</entry><entry>{math(*tex)}</entry></row>"
        for name, tex in (("force", "F=a"), ("work", "W=F"))
    )
    section = f'<section class="key-equations"><title>Key Equations</title><table><tgroup><tbody>{rows}</tbody></tgroup></table></section>'
    assert [o.window for o in read(section)[1]] == ["force: ⟦0⟧", "work: ⟦1⟧"]


def test_an_entry_of_the_glossary_names_its_first_equation() -> None:
    entry = f"<term>rest energy</term><meaning>of a body with {math('m')}: {math('E', '=', 'm', 'c')} as {math('p', '=', '0')}</meaning>"
    data = f"{HEAD}{META}<content><section><title>Force</title></section></content><glossary><definition>{entry}</definition></glossary></document>"
    _, found = next(read_cnxml(data.encode(), path="a.cnxml"))
    hint = NameHint("glossary", "rest energy")
    assert [(o.tex, hint in o.hints, o.heading) for o in found] == [
        ("m", False, "Glossary"), ("E=mc", True, "Glossary"), ("p=0", False, "Glossary")
    ]  # fmt: skip


def test_lists_of_key_equations_carry_names_too() -> None:
    _, (one,) = read(
        f'<section class="key-equations"><title>Key Equations</title><list><item>Period: {math("T", "=", "s")}</item></list></section>'
    )
    assert one.hints == (NameHint("key_equation", "Period"),)


@pytest.mark.parametrize(
    ("before", "after", "role"),
    [
        ('<section class="key-concepts"><title>Summary</title><para>', "</para></section>", "summary"),
        ('<section class="review-problems"><title>X</title><para>', "</para></section>", "exercise"),
        ("<section><title>Problems</title><para>", "</para></section>", "exercise"),
        ("<section><title>Practice Test 2 Solutions</title><para>", "</para></section>", "exercise"),
        ("<section><title>The Alternating Series Test</title><para>", "</para></section>", "text"),
        ("<section><title>Initial-Value Problems</title><para>", "</para></section>", "text"),
        ("<section><title>Solving Collision Problems</title><para>", "</para></section>", "text"),
        ("<section><title>A</title><example><para>", "</para></example></section>", "example"),
        ("<exercise><problem><para>", "</para></problem></exercise>", "exercise"),
        ("<figure><caption>", "</caption></figure>", "caption"),
        ("<table><tgroup><tbody><row><entry>", "</entry></row></tbody></tgroup></table>", "table"),
        ("<para>", "</para>", "text"),
    ],
)
def test_places_have_roles(before: str, after: str, role: str) -> None:
    _, (one,) = read(f"{before}see {math('x', '=', 'y')}{after}")
    assert one.role == role


def test_defined_terms_name_formulas_of_their_sentence() -> None:
    _, (one, other) = read(
        f"<para>The <term>momentum</term> is {math('p', '=', 'm', 'v')}. Then {math('v', '=', 's')} follows.</para>"
    )
    assert one.hints == (NameHint("defined_term", "momentum"),)
    assert other.hints == ()


def test_titled_boxes_name_what_is_displayed_in_them() -> None:
    _, (inline, shown) = read(
        f"<note><title>Hooke’s Law</title><para>With {math('k')}:</para><equation>{math('F', '=', 'k', 'x')}</equation></note>"
    )
    assert shown.hints == (NameHint("equation_title", "Hooke’s Law"),)
    assert inline.hints == ()


def test_formulas_of_titles_are_formulas_of_the_text_and_plain_characters_of_names() -> None:
    noted = "<m:math><m:semantics><m:mi>g</m:mi><m:annotation encoding='StarMath 5.0'>size 12{g}</m:annotation></m:semantics></m:math>"
    _, (titled, shown) = read(
        f"<note><title>On {noted}</title><equation>{math('g', '=', 'x')}</equation></note><section><title>Of {noted}</title></section>"
    )
    assert (titled.tex, titled.window) == ("g", "On ⟦0⟧. ⟦1⟧")
    assert shown.hints == (NameHint("equation_title", "On g"),)


def test_rows_of_a_table_that_is_no_chain_are_equations_of_their_own() -> None:
    def table(*rows: tuple[str, ...]) -> str:
        cells = ("".join(f"<m:mtd>{cell}</m:mtd>" for cell in row) for row in rows)
        return f"<equation><m:math><m:mtable>{''.join(f'<m:mtr>{row}</m:mtr>' for row in cells)}</m:mtable></m:math></equation>"

    a, b, c = (f"<m:mi>{letter}</m:mi>" for letter in "abc")
    equals, remark, number = "<m:mo>=</m:mo>", "<m:mtext>Square both.</m:mtext>", "<m:mtext>ii.</m:mtext>"
    _, found = read(
        table((a, equals, b), (b, equals, c)) + table((a, equals + b, remark), (number, "", ""), (b, equals + c, ""))
    )
    assert [(o.tex, o.display) for o in found] == [("a=b", True), ("b=c", True)] * 2
    _, (chain,) = read(table((a, equals + b), ("", equals + c)))
    assert chain.tex == "a=b=c"


@pytest.mark.parametrize(
    "data",
    [
        b"<document",
        b"<a/>",
        b"\x00\x01",
        HEAD.encode() + b"</document>",
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><d>&x;</d>',
    ],
)
def test_what_is_no_module_is_one_error_with_its_place(data: bytes) -> None:
    with pytest.raises(DocumentError, match=r"^some/where"):
        list(read_cnxml(data, path="some/where.cnxml"))


def test_every_module_of_the_textbook_is_read(shared_data: Path) -> None:
    folder = shared_data / "corpora/openstax_university_physics_v1_v2"
    read_all = [
        pair for path in sorted(folder.rglob("*.cnxml"))[:60] for pair in read_cnxml(path.read_bytes(), path=str(path))
    ]
    assert len(read_all) == 60
    named = [o for _, found in read_all for o in found if any(h.kind == "key_equation" for h in o.hints)]
    assert len(named) >= 100


def test_variables_set_as_text_are_read_as_variables_that_the_document_uses() -> None:
    def text(words: str) -> str:
        return f"<m:mtext>{words}</m:mtext>"

    used = "".join(f"<para>{math(letter)}</para>" for letter in "KEmvrtgh")
    formulas = {
        "<m:mi>K</m:mi><m:mo>=</m:mo><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac>" + f"<m:msup>{text('mv')}<m:mn>2</m:mn></m:msup>": r"K=\frac{1}{2}mv^{2}",
        f"<m:mi>v</m:mi><m:mo>=</m:mo>{text('r')}<m:mi>ω</m:mi>": r"v=r\omega",
        f"<m:mi>E</m:mi><m:mo>=</m:mo>{text('hf')}": r"E=\text{hf}",  # f is not a variable here
        f"<m:msub><m:mi>m</m:mi>{text('tg')}</m:msub><m:mo>=</m:mo>{text('mt')}": r"m_{\text{tg}}=mt",
        f"{text('KE')}<m:mo>=</m:mo><m:mi>E</m:mi>": r"\text{KE}=E",  # capitals may be an abbreviation
        f"<m:mi>m</m:mi><m:mo>=</m:mo><m:mn>5</m:mn>{text('g')}": r"m=5\text{g}",
        f"<m:mi>r</m:mi><m:mo>=</m:mo><m:mi>h</m:mi>{text('m')}<m:mo>/</m:mo>{text('s')}": r"r=h\text{m}/\text{s}",
        f"{text('gh')}": r"\text{gh}",
    }  # fmt: skip
    _, found = read(used + "".join(f"<equation><m:math>{formula}</m:math></equation>" for formula in formulas))
    assert [one.tex for one in found[-len(formulas) :]] == list(formulas.values())


def test_a_row_of_a_table_stands_for_itself() -> None:
    rows = "".join(f"<row><entry>{name}</entry><entry>{math(*tex)}</entry><entry>{unit}</entry></row>" for name, tex, unit in (("power", "W=J", "watt"), ("pressure", "P=N", "pascal")))  # fmt: skip
    table = f'<table><tgroup cols="3"><tbody>{rows}</tbody></tgroup></table>'
    _, (_, second) = read(f"<section>{table}</section>")
    assert second.window == "power ⟦0⟧ watt | pressure ⟦1⟧ pascal |"
    _, key = read(f"<section><title>Key Equations</title>{table}</section>")
    assert [one.window for one in key] == ["power: ⟦0⟧ watt", "pressure: ⟦1⟧ pascal"]


def test_a_title_names_what_a_theorem_states_and_not_what_it_supposes() -> None:
    shown = "<equation>{}</equation>".format
    _, (first, second, third, fourth) = read(
        f"<note><title>Squeeze theorem</title><para>Known facts. If</para>{shown(math('f', '=', 'g'))}<para>for all <emphasis>x</emphasis> and {shown(math('f', '=', 'L'))} then</para>"
        f"{shown(math('g', '=', 'L'))}<para>It is even if {shown(math('h', '=', 'k'))}.</para></note>"
    )
    assert [bool(one.hints) for one in (first, second, third, fourth)] == [False, False, True, True]


def test_formulas_cut_out_before_parsing_are_read_as_those_of_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    xmlns = 'xmlns="http://www.w3.org/1998/Math/MathML"'
    p, q, row = math("p", "=", "m"), math("q"), "<row><entry>{}</entry><entry>{}</entry></row>".format
    body = (
        f"<para>So {p}{q}, {math('∇')} and <emphasis>{q} of</emphasis> {p}: <term>force {q}</term>, <link>{q}</link>, <!-- {p} --> <math {xmlns}><mi>z</mi></math>.</para>"
        f"<equation>lost {p} kept<label/>{q}.<title>Of {q}</title>{p}</equation><m:math display='block'><m:mi>v</m:mi></m:math>"
        f'<m:math display="block"><m:mi>u</m:mi></m:math><m:math><m:mi>a&#xe0;</m:mi></m:math><m:math/><m:math mathvariant="bold"><m:mi>w</m:mi></m:math>'
        f"<section><title>Key equations of {q}</title><table><tgroup cols='2'><tbody>{row(f'Rate of {q}', p + q + f' or <emphasis/>{p}')}{row(p, f'{q} {p}')}</tbody></tgroup></table>"
        f"<list><item>Work {p}, {q}</item><item>{q} rate {p}</item></list></section>"
    )
    glossary = (
        f"<glossary><definition><term>rate of {q}</term><meaning>as in {p} or {p}</meaning></definition></glossary>"
    )
    pages = [f"{HEAD}{META}<content>{body}</content>{glossary}</document>".encode()]
    pages += [
        page.read_bytes() for page in sorted((Path(__file__).parents[2] / "examples/corpus/cnxml").rglob("*.cnxml"))
    ]
    monkeypatch.setattr(cnxml, "text_variable_counts", lambda texs: Counter[str]())
    quick = [next(read_cnxml(page, path="a.cnxml")) for page in pages]
    monkeypatch.setattr(cnxml, "cut_plain_math", lambda text: (text, []))
    assert quick == [next(read_cnxml(page, path="a.cnxml")) for page in pages]
    found = quick[0][1]
    assert Counter(one.tex for one in found) == {
        "p=m": 12, "q": 11, r"\nabla": 1, "z": 1, "v": 1, "u": 1, r"\text{aà}": 1, r"\mathbf{w}": 1
    }  # fmt: skip
    assert [one.display for one in found[:13]] == [False] * 8 + [True] * 5
    assert found[0].window.startswith("So ⟦0⟧⟦1⟧, ⟦2⟧ and ⟦3⟧ of ⟦4⟧: force ⟦5⟧, ⟦6⟧, ⟦7⟧.")
    assert {one.hints for one in found} == {
        (NameHint("equation_title", "Of q"),), (), (NameHint("key_equation", "Rate of q"),), (NameHint("key_equation", "Work"),), (NameHint("glossary", "rate of q"),)
    }  # fmt: skip


@pytest.mark.parametrize(
    "odd", ["<![CDATA[<m:math><m:mi>x</m:mi></m:math>]]>", "\ue0000\ue001", "\ue001", "&#xE000;0", "&#57345;"]
)
def test_what_would_be_taken_for_a_formula_that_was_cut_out_is_text(odd: str) -> None:
    _, (one,) = read(f"<para>Not {odd} but {math('x', '=', 'y')}.</para>")
    assert one.tex == "x=y"
    assert one.window.startswith("Not ")
    assert one.window.endswith(" but ⟦0⟧.")


def test_an_empty_term_is_no_name() -> None:
    _, found = read(f"<para>The <term/> {math('x', '=', 'y')} of <term> </term>.</para>")
    assert [o.hints for o in found] == [()]
    _, found = read(
        f"<glossary><definition><term/><meaning>So {math('x', '=', 'y')}.</meaning></definition></glossary>"
    )
    assert [o.hints for o in found] == [()]


def test_mathml_that_cannot_be_read_is_counted() -> None:
    unknown = "<m:math><m:apply><m:unknown/><m:ci>x</m:ci></m:apply></m:math>"
    document, found = read(f"<para>So {math('a', '=', 'b')} is {unknown} and <m:math><m:mspace/></m:math>.</para>")
    assert ([o.tex for o in found], str(document.unread)) == (["a=b"], "1 of 2 formulas are unreadable MathML only")
