"""Wikitext: what a reader sees, with formulas in place and the names that markup gives."""

from __future__ import annotations

import pytest
from time_limit import at_most

from bot.corpus.draft import NoArticle
from bot.corpus.wikimath import to_tex
from bot.corpus.wikitext import read_wikitext
from bot.records import Definition, Document, NameHint, Occurrence


def read(text: str, path: str = "wiki/Some_law.txt") -> tuple[Document, tuple[Occurrence, ...]]:
    ((document, occurrences),) = read_wikitext(text.encode(), path=path)
    return document, occurrences


def one(text: str) -> Occurrence:
    (only,) = read(text)[1]
    return only


@pytest.mark.parametrize(
    ("markup", "tex"),
    [
        ("''E'' = ''mc''<sup>2</sup>", "E = mc^2"),
        ("''F<sub>s</sub>'' = −''kx''", "F_s = -kx"),
        ("'''F''' = ''m'''''a'''", r"\mathbf{F} = m\mathbf{a}"),
        ("sin ''θ'' ≈ ''θ''", r"\sin\theta\approx\theta"),
        ("''x''² ≤ 2π", r"x^2 \leq2\pi"),
        ("''g''<sub>μν</sub>", r"g_{\mu\nu}"),
        ("''v''<sub>max</sub>&nbsp;&gt;&nbsp;0", r"v_{\max} > 0"),
        ("{''a''}", r"\{a\}"),
    ],
)
def test_markup_becomes_simple_tex(markup: str, tex: str) -> None:
    assert to_tex(markup) == tex


def test_title_comes_from_the_name_of_the_file() -> None:
    document, _ = read("'''It''' is.", "wiki/Hooke's_law.txt")
    assert (document.title, document.kind) == ("Hooke's law", "encyclopaedia")


def test_math_templates_are_formulas_and_attributes_are_read() -> None:
    _, found = read(
        "Then {{math|1=''F{{sub|s}}'' = ''kx''}} and <math display=\"block\" qid=Q170282>F = kx.</math> where {{mvar|k}} is the stiffness."
    )
    assert [(o.tex, o.display) for o in found] == [("F_s = kx", False), ("F = kx", True), ("k", False)]
    assert found[1].hints == (NameHint("qid", "Q170282"),)
    assert found[1].window == "Then ⟦0⟧ and ⟦1⟧. where ⟦2⟧ is the stiffness."
    assert Definition("k", "stiffness") in found[1].definitions


def test_fractions_and_roots_in_templates_are_tex() -> None:
    assert one("{{math|1=''x'' = {{sfrac|1|2}}{{sqrt|''a''}}}}").tex == r"x = \frac{1}{2}\sqrt{a}"


def test_what_is_no_prose_is_left_out() -> None:
    text = (
        "{{short description|No}}<!-- {{math|no}} -->'''Law'''<ref name=a>{{cite|x=<math>no</math>}}</ref> says "
        "[[Target page|the label]] of [[thing]]s <nowiki>[[raw]]</nowiki> [http://x.org a site] <math>a=b</math>.<ref name=a />\n"
        "[[Category:Laws]] [[File:x.png|thumb|A picture]] <chem>H2O</chem> {{chem|H|2|O}}"
    )
    assert one(text).window.startswith("Law says the label of things [[raw]] a site ⟦0⟧.")


def test_an_indented_formula_is_displayed_in_the_sentence_before() -> None:
    energy, mass = read(
        "The energy is\n\n:<math>E = mc^2,</math>\n\nwhere <math>m</math> is the mass.\n\nNew paragraph."
    )[1]
    assert (energy.display, mass.display) == (True, False)
    assert energy.window == "The energy is ⟦0⟧, where ⟦1⟧ is the mass.\n\nNew paragraph."


def test_a_list_of_symbols_defines_them() -> None:
    found = read(":<math>F=ma</math>\nwhere\n* <math>F</math> is the force,\n* <math>a</math> is the acceleration.")[1]
    assert found[0].display
    assert not found[1].display
    assert found[0].definitions == (Definition("F", "force"), Definition("a", "acceleration"))


def test_the_bold_title_near_a_formula_is_a_name_and_a_bold_term_is_defined() -> None:
    lead, later = read(
        "'''Ohm's law''' says <math>V=IR</math>.\n== More ==\nThe '''drop rule''' is <math>R=V/I</math>. '''F''' is bold."
    )[1]
    assert lead.hints == (NameHint("bold_title", "Ohm's law"),)
    assert later.hints == (NameHint("defined_term", "drop rule"),)
    assert later.heading == "More"


def test_infobox_fields_name_their_formulas() -> None:
    found = one(
        "{{Infobox physical quantity\n| name = [[Torque]]\n| unit = N m\n| derivations = <math>\\tau = r F</math>\n}}\n'''Torque''' turns."
    )
    assert found.role == "infobox"
    assert found.hints[:2] == (NameHint("infobox", "Torque"), NameHint("infobox", "derivations"))


def test_a_titled_box_names_its_equation() -> None:
    found = one(
        "{{Equation box 1|title='''Time-dependent equation'''|indent=:|equation=<math>a=b</math>|cellpadding=6}}"
    )
    assert (found.tex, found.display, found.hints) == (
        "a=b",
        True,
        (NameHint("equation_title", "Time-dependent equation"),),
    )


def test_table_rows_are_parted_and_their_formulas_told() -> None:
    first, second = read(
        '{| class="wikitable"\n! Name !! Law\n|-\n| style="x" | [[Hooke]] || <math>F=kx</math>\n|-\n| Ohm || <math>V=IR</math>\n|}\nAfter.'
    )[1]
    assert first.role == second.role == "table"
    assert "Hooke | ⟦0⟧" in first.window


def test_a_caption_is_a_text_of_its_own() -> None:
    caption, text = sorted(
        read("Text <math>a=b</math>.\n[[File:x.svg|thumb|upright=1.2|The [[line]] <math>y=x</math>.]]")[1],
        key=lambda o: o.role,
    )
    assert (caption.role, text.role) == ("caption", "text")
    assert "The line ⟦1⟧." in caption.window


def test_closing_sections_end_the_article_but_not_what_comes_after() -> None:
    text = "<math>a=b</math>\n==See also==\n* <math>no</math>\n===Sub===\n<math>no</math>\n==Proof==\n<math>c=d</math>\n== References ==\n<math>no</math>"
    assert [o.tex for o in read(text)[1]] == ["a=b", "c=d"]


def test_a_redirect_is_no_article() -> None:
    with pytest.raises(NoArticle, match="redirect"):
        read("#REDIRECT [[Elsewhere]]")


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 3000,
        "[[" * 3000 + "]]" * 3000,
        "{{a|" * 500 + "}}" * 500,
        "<math>x=1",
        "''" * 5001,
        "{|\n" * 300,
        "<!-- <math>x</math>",
        "{{math|" + "(" * 4000 + "}}",
    ],
)
def test_damaged_markup_ends_quickly_and_quietly(text: str) -> None:
    read(text + " end.")


@pytest.mark.parametrize(
    "text",
    [
        "<math>" * 9000,
        "<ref>" * 9000,
        "'" * 9000,
        ":" + "1" * 9000 + "x <math>a</math>",
        "=" + " " * 9000 + "x",
        "<math>a" + "," * 9000 + "b</math>",
        "[[File:x|" * 9000,
    ],
)
def test_reading_stays_linear(text: str) -> None:
    with at_most(2):
        read(text + " end.")


def test_a_link_in_a_formula_is_its_label() -> None:
    assert one("{{math|1=[[Force|'''F''']] = ''m'' '''a'''}}").tex == r"\mathbf{F} = m \mathbf{a}"


def test_braces_of_sets_inside_templates_do_not_hide_them() -> None:
    assert (
        one("{{nowrap|The set {1, 2} has {{math|''n'' > 1}} elements}}.").window == "The set {1, 2} has ⟦0⟧ elements."
    )


def test_mathml_between_the_tags_of_a_formula_becomes_tex() -> None:
    annotation = '<annotation encoding="application/x-tex">\\hat{H}</annotation>'
    stated = one(
        f"So <math alttext=''><semantics><mover><mi>H</mi><mo>^</mo></mover>{annotation}</semantics></math> is."
    )
    converted = one("So <math><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math> is.")
    assert (stated.tex, converted.tex) == (r"\hat{H}", "x^{2}")


def test_brackets_in_the_caption_of_a_picture_do_not_end_it() -> None:
    caption = one("[[File:A.png|thumb|256px|It is <math>f</math> on [a,b] of [[Curve|curves]].]]\nText.")
    assert (caption.role, caption.window) == ("caption", "It is ⟦0⟧ on [a,b] of curves.\n\nText.")


MATHJAX = r"""Let $\R$ be the [[Definition:Real Number|real numbers]].
:$\ds \forall x: \paren {x + y}^2 = \map f x$
{{begin-eqn}}
{{eqn | l = \paren {x + y}^2
      | r = x^2 + z
      | c = by $z$
}}
{{eqn | o = \le
      | r = y^2
}}
{{end-eqn}}
$$ e \circ a = a. $$
\begin{equation}\label{eq} a = b \end{equation}"""


def test_a_wiki_that_leaves_formulas_to_mathjax_types_them_between_dollars() -> None:
    document, found = read(MATHJAX, "wiki/Definition:Square.wiki")
    assert document.title == "Square"
    assert [(o.tex, o.display) for o in found] == [
        (r"\R", False),
        (r"\forall x: \left(x + y\right)^2 = f\left(x\right)", True),
        (r"\left(x + y\right)^2 = x^2 + z \le y^2", True),
        ("z", False),
        (r"e \circ a = a", True),
        ("a = b", True),
    ]
    assert found[0].window.startswith("Let ⟦0⟧ be the real numbers.")


@pytest.mark.parametrize(
    "text",
    ["It costs $5 or $10, and C:\\path.", r"One $\alpha$ and $3.", r"<math>x</math> costs $\alpha$ and $\beta$."],
)
def test_other_dollars_are_money(text: str) -> None:
    assert [o.tex for o in read(text)[1]] == (["x"] if "<math>" in text else [])


def test_other_tags_of_formulas() -> None:
    inline, display = read(r"Сумма <tex>x+y</tex> и <cmath>\sum a</cmath>.")[1]
    assert (inline.tex, inline.display, display.tex, display.display) == ("x+y", False, r"\sum a", True)


@pytest.mark.parametrize("text", ["#ПЕРЕНАПРАВЛЕНИЕ [[A]]", "#重定向 [[A]]", "#PATRZ: [[A]]"])
def test_a_redirect_in_any_language_is_no_article(text: str) -> None:
    with pytest.raises(NoArticle):
        read(text)


def test_pictures_and_categories_of_other_languages_are_no_text() -> None:
    text = "Vale <math>F=ma</math>.\n[[Immagine:x.png|thumb|Una figura]]\n[[Категория:Физика]] [[zh-min-nan:X]]"
    assert one(text).window == "Vale ⟦0⟧."


AXIOMS = r"""Let $\struct {G, +}$ and $\abs a$ be subject to:
{{begin-axiom}}
{{axiom | n = 1
        | lc= Distributivity
        | q = \forall a \in R
        | ml= a \paren {x + y}
        | mo= =
        | mr= a x + a y
}}
{{axiom | m = x + y = y + x
        | rc= which commutes
}}
{{end-axiom}}
{{begin-eqn}}
{{eqn | l = a | r = b | ro= \le | rr= c }}
{{end-eqn}}"""


def test_tables_of_axioms_of_proofwiki_are_formulas() -> None:
    _, found = read(AXIOMS)
    assert [(o.tex, o.display) for o in found] == [
        (r"\left(G, +\right)", False),
        (r"\left|a\right|", False),
        (r"\forall a \in R", False),
        (r"a \left(x + y\right) = a x + a y", True),
        ("x + y = y + x", True),
        (r"a = b \le c", True),
    ]
    assert "Distributivity ⟦2⟧ ⟦3⟧ ⟦4⟧ which commutes" in found[2].window
