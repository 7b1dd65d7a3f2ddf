"""Templates, links and tags of wikitext, one by one: the text that is left, and the formulas with what is said of them."""

from __future__ import annotations

import pytest

from bot.corpus.wikimarkup import WikiFormula, flatten, plain_wikitext, shown_text, split_arguments


def read(text: str) -> tuple[str, list[WikiFormula]]:
    formulas: list[WikiFormula] = []
    return plain_wikitext(flatten(text, formulas), formulas), formulas


@pytest.mark.parametrize(
    ("markup", "tex"),
    [
        ("{{math|{{sfrac|3|1|2}}}}", r"3\frac{1}{2}"),
        ("{{math|{{frac|1|2}}}}", r"\frac{1}{2}"),
        ("{{math|{{sfrac|2}}}}", r"\frac{1}{2}"),
        ("{{math|''x''{{su|b=1|p=2}}}}", "x_1^2"),
        ("{{math|{{abs|''x''}}}}", "|x|"),
        ("{{math|1={{abs|''x''}} = {{bra-ket|''a''|''b''}}}}", r"|x| = \langle a|b\rangle"),
        ("{{math|''e''{{sup|''i''{{pi}}}} + 1 {{=}} 0}}", r"e^{i\pi} + 1 = 0"),
        ("{{tmath|x{{=}}1}}", "x=1"),
        ("{{Template:Math|x}}", "x"),
        ("{{math|[[a|''b'']]}}", "b"),
        ("{{math|<math>y</math>}}", "y"),
        ("{{a|{{b|{{math|x}}}}}}", "x"),
        ("<math>a &lt; b</math>", "a < b"),
    ],
)
def test_a_formula_in_templates_is_tex(markup: str, tex: str) -> None:
    _, formulas = read(markup)
    assert [each.tex for each in formulas] == [tex]


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("{{val|9.8|u=m/s}}", "9.8 m/s"),
        ("{{val|9.8|ul=m}}", "9.8 m"),
        ("{{val|9.8|e=3}}", "9.8"),
        ("{{gaps|1|234|x=5}}", "1234"),
        ("{{chem|H|2|O}}", "H2O"),
        ("{{EquationRef|3|Eq. 3}}", "(Eq. 3)"),
        ("{{EquationNote|3}}", "(3)"),
        ("{{slink|A|B}}", "B"),
        ("{{section link|A}}", "A"),
        ("{{nowrap|a b}}", "a b"),
        ("{{lang|de|Wort}}", "Wort"),
        ("{{nowrap|{{abs|x}}}}", "|x|"),
        ("{{unknown|x}}", ""),
        ("{{math| }}", ""),
        ("<math> </math>", ""),
        ("[[Category:x]] a", "a"),
        ("[[:Category:x]]", "Category:x"),
        ("[[a_b]]", "a b"),
        ("[[a|]]", "a"),
        ("[[a|b]]", "b"),
        ("[[File:a.png|thumb|no formula]]", ""),
        ("[http://x y z]", "y z"),
        ("<!-- c -->a<!-- d", "a"),
        ("<nowiki>''a''</nowiki>", "''a''"),
        ("<math>x", "x"),
        ("<ref>a</ref>b<ref name=x/>c", "bc"),
        ("__TOC__a", "a"),
    ],
)
def test_what_a_reader_sees_of_markup_without_formulas(markup: str, shown: str) -> None:
    assert read(markup) == (shown, [])


def hints(formula: WikiFormula) -> list[tuple[str, str]]:
    return [(hint.kind, hint.name) for hint in formula.hints]


def test_a_field_of_an_infobox_names_its_formula() -> None:
    shown, (formula,) = read("{{Infobox law|name=''Hooke's law''|energy_form=<math>F=kx</math>|other=text}}")
    assert "Hooke's law, energy form: F=kx." in shown
    assert (formula.role, hints(formula)) == ("infobox", [("infobox", "Hooke's law"), ("infobox", "energy form")])
    # So is any template of four named fields and a name, but none of two.
    _, (formula,) = read("{{thing|name=N|a=1|b=2|c=<math>x</math>}}")
    assert (formula.role, hints(formula)) == ("infobox", [("infobox", "N"), ("infobox", "c")])
    _, (formula,) = read("{{thing|name=N|a=1|c=<math>x</math>}}")
    assert (formula.role, hints(formula)) == ("text", [])


@pytest.mark.parametrize(
    ("markup", "names"),
    [
        ("{{equation box 1|title=Wave equation|equation=<math>u=v</math>}}", ["Wave equation"]),
        ("{{equation box 1|title=abc|equation=<math>u=v</math>}}", []),
        ("{{equation box 1|title=<math>a</math>|equation=<math>u=v</math>}}", []),
        ("{{NumBlk|:|<math>u=v</math>|1}}", []),
    ],
)
def test_an_equation_box_displays_its_formula_under_its_title(markup: str, names: list[str]) -> None:
    *_, formula = read(markup)[1]
    assert (formula.tex, formula.display, formula.role) == ("u=v", True, "text")
    assert hints(formula) == [("equation_title", name) for name in names]


def test_captions_are_told_from_text() -> None:
    for markup in ("{{thing|caption1=A <math>x</math>|image=b}}", "[[File:a.png|thumb|A <math>x</math>]]"):
        shown, (formula,) = read(markup)
        assert (shown.strip("\ue019 "), formula.role) == ("A x", "caption")


def test_attributes_of_a_formula() -> None:
    _, (formula,) = read("<math display=block qid=q42>x</math>")
    assert (formula.display, hints(formula)) == (True, [("qid", "Q42")])
    _, (formula,) = read("<math>x</math>")
    assert (formula.display, hints(formula)) == (False, [])


def test_arguments_are_split_at_bars_outside_of_links_and_tags() -> None:
    assert split_arguments("a|[[b|c]]|d") == ["a", "[[b|c]]", "d"]
    assert split_arguments("a|<i x='|'>|d") == ["a", "<i x='|'>", "d"]
    assert split_arguments("a") == ["a"]


def test_inline_markup_is_shown_as_signs() -> None:
    shown = {"a<br>b": "a b", "<sup>2</sup>x": "^2x", "''a'' &amp; b": "a & b", "a&nbsp;b": "a b"}
    assert {text: shown_text(text) for text in shown} == shown


@pytest.mark.parametrize(
    ("markup", "tex", "display"),
    [
        (r"{{tmath|\alpha x^2}}", r"\alpha x^2", False),
        (r"{{tmath|1= {{!}}x{{!}} = 1}}", "|x| = 1", False),
        (r"{{math|term= x \in K |SZ=.}}", r"x \in K", False),
        (r"{{mathdisp|term= x^2 \geq 0 |SZ=.}}", r"x^2 \geq 0", True),
        ("{{math|1={{!}}''y''{{!}} = 2}}", "|y| = 2", False),
    ],
)
def test_templates_whose_argument_is_tex_are_not_read_as_wiki_markup(markup: str, tex: str, display: bool) -> None:
    _, (found,) = read(f"Then {markup} holds.")
    assert (found.tex, found.display) == (tex, display)
