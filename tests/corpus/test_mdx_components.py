"""Formulas in components of MDX, and equations that stand in them as words."""

from __future__ import annotations

import pytest
from test_markdown import page
from time_limit import at_most

from bot.corpus.draft import NoArticle

COMPONENTS = [
    ('So <InlineMath math="E=mc^2" /> holds.', [("E=mc^2", False)]),
    (r'So <TeX>{"\\frac{a}{b}"}</TeX> holds.', [(r"\frac{a}{b}", False)]),
    (r'<BlockMath math={"\\int_0^1 x"} />', [(r"\int_0^1 x", True)]),
    ("<TeX>{String.raw`\\alpha^2`}</TeX>", [(r"\alpha^2", True)]),
    ("<Formula>F = ma</Formula>", [("F = ma", True)]),
    (r"<Equation tex={String.raw`\bar x`} note='a = b' />", [(r"\bar x", True)]),
    ("<Latex>$x=y$</Latex> and <Callout value='a^2'>$z$</Callout>", [("x=y", False), ("z", False)]),
    ("<TextTip content='a^2'>b</TextTip> $z$", [("z", False)]),
    ("<MathProvider>\n\n$x$\n\n</MathProvider>", [("x", False)]),
]


@pytest.mark.parametrize(("source", "formulas"), COMPONENTS)
def test_components_that_show_formulas(source: str, formulas: list[tuple[str, bool]]) -> None:
    assert [(o.tex, o.display) for o in page(source)[1]] == formulas


def test_the_title_of_a_component_names_its_formula() -> None:
    (found,) = page('<EquationBlock title="Ohm\'s law" equation="U = RI" />')[1]
    assert [(hint.kind, hint.name) for hint in found.hints] == [("equation_title", "Ohm's law")]


def test_equations_in_words_are_said_to_be_none() -> None:
    with pytest.raises(NoArticle, match="writes equations as words in <EquationBlock>"):
        page('<EquationBlock equation="L = r x p" />')
    assert [o.tex for o in page('<EquationBlock equation="force = mass times acceleration" /> $x$')[1]] == ["x"]


def test_many_open_components_take_no_long_time() -> None:
    for repeated in ("<Math ", "<Math a={`", "<TeX>{", "<Math a='x' ", "{/*"):
        with at_most(2, repeated):
            page(repeated * 5000 + "$x$", "book/notes.mdx")


PAGE = """\
<Quiz.Question title={<b>x</b>}>
    How long for $N$?
    {/* $hidden$ */}
    <Quiz.Answer correct>
        $1$

        {" "}
        **Right**, as `a` is <Bold>$b$</Bold>.
    </Quiz.Answer>
</Quiz.Question>
"""


def test_components_of_mdx_are_indented_and_no_text() -> None:
    _, found = page(PAGE, "book/notes.mdx")
    assert [o.tex for o in found] == ["N", "1", "b"]
    assert found[-1].window == "How long for ⟦0⟧? ⟦1⟧\n\nRight, as a is ⟦2⟧ ."
