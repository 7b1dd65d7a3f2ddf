"""What readers of documents take for what: conditionals and definitions of LaTeX, settings of pages, letters set as text, bounds."""

from __future__ import annotations

from typing import Any

import pytest
from test_cnxml import math
from test_cnxml import read as read_module
from test_html_page import read as read_page
from test_jats import read as read_article
from test_latex import read_text, tex_of

from bot.corpus.draft import Draft, NoArticle, _definitions_in, _within_paragraph
from bot.corpus.html.tex_delimiters import PageSettings, _balanced_literal, page_settings
from bot.corpus.latex import expansion
from bot.corpus.latex.displays import is_term
from bot.corpus.latex.macros import MacroTable, default_macros
from bot.corpus.latex.stream import TokenStream
from bot.corpus.markdown.front_matter import is_statement
from bot.corpus.mathml.text_variables import text_variable_counts, with_variables
from bot.corpus.tex_macros import TexMacros
from bot.corpus.wikimarkup import _fraction, _superscript_over_subscript, _value
from bot.errors import DocumentError
from bot.records import Definition, NameHint, Role


def body(text: str, before: str = "") -> str:
    return rf"{before}\begin{{document}}{text}\end{{document}}"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (r"\ifx\a\b", True), (r"\ifx\a\c", False), (r"\ifx\a\undefined", False), (r"\ifx\nosuch\undefined", True), (r"\ifx\nosuch\other", False), (r"\if aa", True), (r"\if ab", False),
        (r"\ifdefined\a", True), (r"\ifdefined\nosuch", False), (r"\ifcsname a\endcsname", True), (r"\ifcsname zz\endcsname", False), (r"\ifnum 3>2 ", True), (r"\ifnum 2>3 ", False),
        (r"\ifnum 2<3 ", True), (r"\ifnum 2=2 ", True), (r"\ifnum -2=2 ", False), (r"\iffalse", False), (r"\iftrue", True), (r"\ifdraft", True), (r"\iffinal", False), (r"\ifmmode", False),
        (r"\ifx\empty\@empty", True), (r"\ifx\@empty\empty", True), (r"\ifx\empty\a", False), (r"\ifx\@undefined\nosuch", True),
    ],
)  # fmt: skip
def test_a_conditional_shows_one_branch(condition: str, holds: bool) -> None:
    before = r"\def\a{x}\def\b{x}\def\c{y}\newif\ifdraft\drafttrue\newif\iffinal\finaltrue\finalfalse"
    assert tex_of(body(rf"{condition} $a=1$\else $a=2$\fi $b=3$", before)) == ["a=1" if holds else "a=2", "b=3"]
    assert tex_of(body(rf"{condition} $a=1$\fi $b=3$", before)) == ["a=1", "b=3"][not holds :]


@pytest.mark.parametrize(
    "lengths", [r"3pt<2pt ", r"\hsize>\textwidth", r"\wd0 = 0.5\linewidth ", "-1.5 em>2 em\n", r"\x<.5pt"]
)
def test_of_two_lengths_which_are_not_known_the_second_branch_is_shown(lengths: str) -> None:
    assert tex_of(body(rf"\ifdim{lengths}$a=1$\else $a=2$\fi $b=3$")) == ["a=2", "b=3"]
    assert tex_of(body(rf"\ifdim{lengths}$a=1$\fi $b=3$")) == ["b=3"]


def test_in_a_formula_mathematics_is_on() -> None:
    assert tex_of(body(r"$\ifmmode c=1\else c=2\fi$")) == ["c=1"]


def test_what_was_given_to_a_command_of_xparse_chooses_its_branch() -> None:
    command = r"\NewDocumentCommand{\f}{s o m}{\IfBooleanTF{#1}{S}{P}\IfNoValueTF{#2}{N}{#2}\IfValueT{#2}{V}\IfNoValueF{#2}{W}\IfValueF{#2}{X}_{#3}}"
    found = tex_of(body(r"$\f{x}=1$ $\f*{x}=1$ $\f[q]{x}=1$ $\f*[q]{x}=1$", command))
    assert found == ["PNX_{x}=1", "SNX_{x}=1", "PqVW_{x}=1", "SqVW_{x}=1"]


def test_environments_theorems_and_delimiters_of_the_author() -> None:
    environment = r"\NewDocumentEnvironment{eq}{o m}{\begin{equation}#2=}{\end{equation}}"
    [formula] = read_text(body(r"So \begin{eq}{E} mc^2\end{eq} holds.", environment))[1]
    assert (formula.tex, formula.display, formula.window) == ("E= mc^2", True, "So ⟦0⟧ holds.")
    declared = r"\declaretheorem[name=Satz]{satz}\declaretheorem{lem,fact}"
    _, joule = read_text(body(r"\begin{satz} $U=RI$.\end{satz}\begin{fact}[of Joule]$Q=Pt$\end{fact}", declared))[1]
    assert (joule.tex, joule.hints) == ("Q=Pt", (NameHint("equation_title", "of Joule"),))
    paired = r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}"
    assert tex_of(body(r"$\abs{x}=1$ $\abs*{y}=1$ $\abs[\big]{z}=1$", paired)) == [
        rf"\left\lvert {letter}\right\rvert=1" for letter in "xyz"
    ]


@pytest.mark.parametrize(
    ("source", "window"),
    [
        (r"One line\\[2pt] and $x=1$\\* next\\$y=2$.", "One line and ⟦0⟧ next ⟦1⟧."),
        (r"A\ B\,C\;D\:E\>F\-G\/H\@I~J $x$", "A B C D E FGHI J ⟦0⟧"), (r"K \& 5\% \$3 \#1 a\_b \{c\} $x$", "K & 5% $3 #1 a_b {c} ⟦0⟧"),
        (r"\'e \`a \^o \~n \c{c} \'{\i} \v{s} \=a \.z \u{g} \H{o} \r{a} \k{a} $x$", "é à ô ñ ç í š ā ż ğ ő å ą ⟦0⟧"),
        (r"\begin{tabular}{ll} a & b \\ c & $d$ \end{tabular} e & $f$", "a | b\n\nc | ⟦0⟧ e ⟦1⟧"),
        (r"The \textbf{Hooke's law, } is $x$.", "The Hooke's law, is ⟦0⟧."), (r"{\bf Hooke's law.} It is $x$.", "Hooke's law. It is ⟦0⟧."),
    ],
)  # fmt: skip
def test_text_of_latex_is_shown_as_tex_sets_it(source: str, window: str) -> None:
    assert read_text(body(source))[1][0].window == window


@pytest.mark.parametrize(("limit", "number"), [("_MAX_FILES", 2), ("_MAX_INCLUDED", 10)])
def test_so_many_files_and_characters_are_taken_in(monkeypatch: pytest.MonkeyPatch, limit: str, number: int) -> None:
    source = body(r"\input{a}\input{b}")
    monkeypatch.setattr(expansion, limit, number)
    assert tex_of(source, a_tex="$a=1$", b_tex="$b=2$") == ["a=1", "b=2"]
    monkeypatch.setattr(expansion, limit, number - 1)
    with pytest.raises(DocumentError, match="takes in more than"):
        tex_of(source, a_tex="$a=1$", b_tex="$b=2$")


def test_macros_are_expanded_into_five_million_characters() -> None:
    macros = TexMacros()
    macros.add({"RR": r"\mathbb{R}"})
    macros._made = 5_000_000
    assert [macros.expand(r"\RR") for _ in range(2)] == [r"\mathbb{R}", r"\RR"]


def test_a_run_in_title_stands_in_the_text_and_par_ends_a_paragraph() -> None:
    found = read_text(body(r"\paragraph*{On $k$ springs} A spring has $F=-kx$.\par Then $x=0$."))[1]
    assert [o.tex for o in found] == ["k", "F=-kx", "x=0"]
    assert found[0].window == "On ⟦0⟧ springs: A spring has ⟦1⟧.\n\nThen ⟦2⟧."


@pytest.mark.parametrize(
    ("told", "language"),
    [(r"\usepackage[english,main=ngerman]{babel}", "de"), (r"\usepackage[french]{babel}", "fr"), (r"\setdefaultlanguage{french}", "fr"), (r"\setmainlanguage[variant=x]{german}", "de"), ("", "en")],
)  # fmt: skip
def test_the_language_of_a_source_is_that_of_its_packages(told: str, language: str) -> None:
    assert read_text(body("$a=b$", told))[0].language == language


@pytest.mark.parametrize(
    "definition",
    [
        r"\spnewtheorem{a}{A}{\bfseries}{\itshape}", r"\spnewtheorem*{a}[b]{A}[c]{\bfseries}{\itshape}", r"\newtheorem{a}[b]{A}[c]", r"\newtheorem*{a}{A}", r"\newenvironment*{a}[1][o]{#1}{e}",
        r"\NewDocumentEnvironment{a}{m}{b}{c}", r"\newif\ifa", r"\DeclareMathOperator*{\a}{b}", r"\def\a#1#2{b}", r"\let\a=\b", r"\newcommand*\a[2][o]{b}", r"\declaretheorem[name=A]{a}[b=c]", r"\DeclarePairedDelimiter{\a}{(}{)}",
    ],
)  # fmt: skip
def test_a_definition_ends_with_its_last_argument(definition: str) -> None:
    stream = TokenStream(f"{definition}+x")
    assert MacroTable().read_definition(stream.command(), stream)
    assert stream.top.text[stream.top.position :] == "+x"


@pytest.mark.parametrize(("size", "known"), [(200_000, True), (200_001, False)])
def test_an_environment_has_so_many_characters_at_both_ends(size: int, known: bool) -> None:
    table, stream = MacroTable(), TokenStream(rf"\newenvironment{{a}}{{{'x' * (size - 5)}}}{{12345}}")
    table.read_definition(stream.command(), stream)
    assert ("a" in table.environments) is known


@pytest.mark.parametrize(
    ("fields", "statement"),
    [
        ({"type": "theorem", "title": "T"}, True), ({"layout": "Definition", "title": "T"}, True), ({"type": "theorem"}, False), ({"type": "theorem", "title": ""}, False), ({"type": "page", "title": "T"}, False), ({"title": "T"}, False),
    ],
)  # fmt: skip
def test_a_file_is_one_statement_where_its_kind_and_title_say_so(fields: dict[str, object], statement: bool) -> None:
    assert is_statement(fields) is statement


def test_dollars_of_a_preamble_open_no_formula() -> None:
    assert tex_of(r"\documentclass{article} costs $ or $$ \begin{document}Of $a=1$ and $b=2$\end{document}") == [
        "a=1",
        "b=2",
    ]


def test_some_macros_are_known_without_their_package() -> None:
    known = default_macros()
    assert {r"\bra", r"\ket", r"\angstrom"} <= known.keys()
    assert tex_of(body(r"$\bra{a}=1$")) == [r"\left\langle a\right|=1"]


def test_lists_breaks_and_raised_signs_of_an_article() -> None:
    items = (
        "<def-list><def-item><term><tex-math>R</tex-math></term><def><p>the resistance</p></def></def-item></def-list>"
    )
    line = "<p>A<break/>B x<sup>2</sup> y<sup><xref>1</xref></sup> <inline-formula><tex-math>U=RI</tex-math></inline-formula>.</p>"
    found = read_article(items + line)[1]
    assert [o.tex for o in found] == ["R", "U=RI"]
    assert found[0].window == "⟦0⟧: the resistance\n\nA B x^2 y ⟦1⟧."


def test_a_name_of_a_key_equation_has_a_hundred_and_sixty_characters() -> None:
    for n in (160, 161):
        row = f"<row><entry>{'a' * n}</entry><entry>{math('F', '=', 'm', 'a')}</entry></row>"
        [formula] = read_module(
            f'<section class="key-equations"><title>Key Equations</title><table><tgroup><tbody>{row}</tbody></tgroup></table></section>'
        )[1]
        assert formula.hints == ((NameHint("key_equation", "a" * n),) if n == 160 else ())


@pytest.mark.parametrize(
    ("name", "before", "role", "introduced"),
    [
        ("wave", "", "text", True), ("wave", "is called ", "caption", True), ("wave", "we see ", "text", False), ("wave", "", "table", False), ("law", "", "text", False), ("1234", "", "text", False),
        ("a" * 80, "", "text", True), ("a" * 81, "", "text", False), ("the law of a b wave", "", "text", True), ("the law of a b c wave", "", "text", False),
        ("only waves", "", "text", False), ("Proof.", "", "text", False), ("proof", "is called ", "text", False), ("Short proof", "", "text", False), ("Short proof", "called ", "text", True),
    ],
)  # fmt: skip
def test_emphasised_words_are_a_term_where_they_are_introduced(
    name: str, before: str, role: Role, introduced: bool
) -> None:
    assert is_term(name, before, role) == introduced


def test_a_bold_term_has_eighty_characters() -> None:
    for n in (80, 81):
        [formula] = read_page(rf"<p>A <b>{'a' * n}</b> \(x=1\).</p>")[1]
        assert formula.hints == ((NameHint("defined_term", "a" * n),) if n == 80 else ())


def test_a_list_of_delimiters_has_six_hundred_characters() -> None:
    for n in (600, 601):
        made = f"[{'x' * (n - 2)}]"
        assert _balanced_literal(f"__{made} more", 2) == (made if n == 600 else "")
    assert _balanced_literal("""[["]", '['], {a: [1]}] ]""", 0) == """[["]", '['], {a: [1]}]"""
    assert _balanced_literal("[[", 0) == ""


USUAL = [(r"\(", r"\)", False), (r"\[", r"\]", True)]


@pytest.mark.parametrize(
    ("page", "lowered", "found"),
    [
        ("", "none", PageSettings(USUAL)), ("", "katex", PageSettings([*USUAL, ("$$", "$$", True)], engine=True)),
        (
            r"""MathJax = {tex: {inlineMath: [['$','$'],["\\(", "\\)"]], displayMath: [['@@','@@']], macros: {RR: "{\\bf R}", "bold": ["{\\bf #1}", 1], 'q': ['#1/#2', 2, 'z']}}}""", "mathjax",
            PageSettings([*USUAL, ("$$", "$$", True), ("@@", "@@", True), ("$", "$", False)], macros={"RR": [r"{\bf R}"], "bold": [r"{\bf #1}", 1], "q": ["#1/#2", 2, "z"]}, engine=True, configured=True),
        ),
        (
            """renderMathInElement(document.body,{delimiters:[{left:"$$$",right:"$$$",display:true},{left:'%',right:'%',display:false}]})""", "katex",
            PageSettings([("$$$", "$$$", True), *USUAL, ("$$", "$$", True), ("%", "%", False)], engine=True, configured=True),
        ),
    ],
)  # fmt: skip
def test_what_a_page_says_of_its_delimiters_and_macros(page: str, lowered: str, found: PageSettings) -> None:
    assert page_settings(page, lowered) == found


KNOWN = text_variable_counts(["m=1", "v=1", "r", "m^2 v", *"EEEKKK", r"\text{q}=\alpha_{w}+e^x"])


@pytest.mark.parametrize(
    ("tex", "read"),
    [
        (r"\text{mv}=p", "mv=p"), (r"\mathrm{mv}=p", "mv=p"), (r"\text{m}=p", "m=p"), (r"\mathrm{m}=p", None), (r"p=2\text{mv}", None), (r"\text{KE}=p", "KE=p"), (r"x=\sin\text{r}", r"x=\sin r"),
        (r"a_{\text{mv}}=\text{mv}", r"a_{\text{mv}}=mv"), (r"x=\text{r}\omega", r"x=r\omega"), (r"p=\,\text{mv}", None), (r"p=\text{mv}\ q", None), (r"\text{mv}", None), (r"\text{mq}=p", None),
        (r"\text{mv}\text{kg}=p", None), (r"p=\text{EKEK}", None), (r"p=\text{rrrr}", None), (r"p=10^2\text{r}", None), ("p=r", None), (r"\text{w}=1", None),
    ],
)  # fmt: skip
def test_letters_set_as_text_are_variables_where_the_document_uses_them(tex: str, read: str | None) -> None:
    assert with_variables(tex, KNOWN) == (read or tex)


def test_letters_are_counted_once_a_formula_and_not_in_words_or_scripts() -> None:
    assert KNOWN == {"m": 2, "v": 2, "r": 1, "E": 3, "K": 3, "x": 1}


def test_templates_of_numbers_are_read_as_they_are_shown() -> None:
    assert _superscript_over_subscript(["p=2", "b=i"]) == "<sub>i</sub><sup>2</sup>"
    assert [_value(v) for v in (["9.8", "u=m/s"], ["3", "ul=kg"], ["3"], ["3", "x=1"])] == ["9.8 m/s", "3 kg", "3", "3"]
    assert _fraction(["3", "1", "2"]) == "3" + _fraction(["1", "2", ""])


def test_a_section_begins_anew_with_its_terms() -> None:
    draft = Draft("d")
    draft.text("Here " * 30)
    draft.term("defined_term", "first term")
    draft.formula("a=1")
    draft.heading("Second")
    draft.text("Then ")
    draft.term("defined_term", "second  term")
    draft.text(" is ")
    draft.formula("b=2")
    draft.text(". And ")
    draft.formula("c=3")
    found = draft.occurrences()
    assert [(o.tex, o.heading, [hint.name for hint in o.hints]) for o in found] == [
        ("a=1", "", ["first term"]), ("b=2", "Second", ["second term"]), ("c=3", "Second", [])
    ]  # fmt: skip
    assert found[1].window == "Then second term is ⟦1⟧. And ⟦2⟧"


def test_the_first_definition_of_a_symbol_in_a_window_and_a_little_behind_it_counts() -> None:
    told = [Definition("m", "mass"), Definition("m", "other mass"), Definition("v", "speed"), Definition("x", "late")]
    assert _definitions_in([0, 10, 299, 300], told, (0, 100)) == (told[0], told[2])
    assert _definitions_in([0, 10, 299, 300], told, (10, 101)) == (told[1], told[2], told[3])


@pytest.mark.parametrize(
    ("window", "part"), [((0, 30), (7, 20)), ((8, 18), (8, 18)), ((5, 20), (7, 20)), ((0, 20), (7, 20))]
)
def test_the_paragraph_of_a_formula(window: tuple[int, int], part: tuple[int, int]) -> None:
    text = "Begin\n\nthen ⟦1⟧ here\n\nand the end"
    assert text[7:20] == "then ⟦1⟧ here"
    assert _within_paragraph(text, window, "⟦1⟧") == part


def test_a_document_without_text_is_none() -> None:
    with pytest.raises(NoArticle):
        read_text(body(""))


def test_what_a_document_lost_is_told_of_it(tmp_path: Any) -> None:
    from bot.corpus import list_sources, read_file

    formulas = (
        "<inline-formula><tex-math>x=1</tex-math></inline-formula> and <inline-formula><graphic/></inline-formula>"
    )
    for told, text in ((0, formulas.partition(" and")[0]), (1, formulas)):
        (tmp_path / "a.xml").write_text(
            f'<article dtd-version="1.2"><front/><body><p>We have {text}.</p></body></article>'
        )
        [file] = list_sources([str(tmp_path)]).files
        skipped: list[Any] = []
        [found] = read_file(file, lambda path, why: skipped.append((path, why)))  # noqa: B023
        assert ([o.tex for o in found.occurrences], len(skipped)) == (["x=1"], told)
        assert [why for _, why in skipped] == [found.document.unread][:told]
