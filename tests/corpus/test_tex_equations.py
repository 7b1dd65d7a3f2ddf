"""TeX of a display to its equations."""

from __future__ import annotations

import pytest

from bot.corpus.tex_equations import display_equations, readable_tex, without_delimiters


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"E = mc^2 \label{a}", ["E = mc^2"]),
        (r"\begin{equation} a = b \tag{1} \end{equation}", ["a = b"]),
        (r"\begin{align} a &= b \\ &= c \\ d &= e \nonumber \end{align}", ["a= b", "a= c", "d= e"]),
        (r"\begin{align} a &= b & c &= d \end{align}", ["a= b", "c= d"]),
        (r"\begin{align} a &= b & \text{for } c &> 0 \end{align}", [r"a= b\text{for } c> 0"]),
        (r"\begin{aligned} \text{if }\ & 2 x = 1 \end{aligned}", [r"\text{if }\ 2 x = 1"]),  # a blank behind a backslash
        (r"\begin{eqnarray*} a &=& b \\[2pt] c &=& d \end{eqnarray*}", ["a=b", "c=d"]),
        (r"\begin{align} a &= b + \\ & \quad c \\ d_+ &= e_+ \\ & f \end{align}", [r"a= b + \quad c", "d_+= e_+", "f"]),
        (r"\begin{align} a &= b \\ & \iff a - b = 0 \\ \Rightarrow -x, \end{align}", ["a= b", "a - b = 0", "-x,"]),
        (r"\begin{align*} a = b & \implies & a^2 &= b^2 \\ & \Downarrow \\ c &= d \end{align*}", ["a = b", "a^2= b^2", "c= d"]),
        (r"\begin{eqnarray} f &: A \to B \\ \therefore g & \iff & h \end{eqnarray}", [r"f: A \to B", r"g\iff h"]),
        (r"{a} = b \\ c = d", ["{a} = b", "c = d"]),
        (r"a = b \\ c = d + \\[2pt] e \\ \leq f", ["a = b", "c = d + e", r"c \leq f"]),
        (r"\begin{equation}\begin{array}{l@{}cr} a &=& b \\ c &<& d \\ \end{array}\end{equation}", ["a=b", "c<d"]),
        (r"\begin{array}{ll} a = b & c = d \\ e = f & g = h \end{array}", [r"\begin{array}{ll} a = b & c = d \\ e = f & g = h \end{array}"]),
        (r"\begin{array}{c} a \\ b \end{array}", [r"\begin{array}{c} a \\ b \end{array}"]),
        (r"\begin{array}{rcl} a & = & b,\\ c & = & d, \end{array}", ["a=b,", "c=d,"]),
        (r"\begin{eqnarray}\begin{array}{rcl} a & = & b \\ c & = & d \end{array}\end{eqnarray}", ["a=b", "c=d"]),
        (r"\begin{array}{l} P(X = a, \\ Y = b) \end{array}", [r"\begin{array}{l} P(X = a, \\ Y = b) \end{array}"]),
        # one equation on several lines
        (r"\begin{array}{l} a = b \\ + c \end{array}", ["a = b + c"]),
        (r"\begin{array}{cc} a = 1 & b \\ + c & d \end{array}", [r"\begin{array}{cc} a = 1 & b \\ + c & d \end{array}"]),
        # a left side on a row of its own, and the empty groups of a publisher
        (r"\begin{align} E[a \mid b] & + c \\ &= d \\ &= e \end{align}", [r"E[a \mid b]+ c = d", r"E[a \mid b]+ c = e"]),
        (r"\begin{aligned}{} & {} a\nonumber \\{} & {} \quad \le b\\ {} & {} c{}& =d \end{aligned}", [r"a \le b", "c{} =d"]),
        (r"\begin{aligned} a & {}_1 = b \end{aligned}", [r"a{}_1 = b"]),
        (r"x \\ y", [r"x \\ y"]),
        (r"a = \substack{b \\ c}", [r"a = \substack{b \\ c}"]),
        (r"\begin{aligned}[t] [a, b] &= c \\ d &= e \end{aligned}", ["[a, b]= c", "d= e"]),
        (r"\begin{split} [a, b] \cap c \end{split}", [r"[a, b] \cap c"]),
        (r"\begin{dmath}[label={a}] a = b \end{dmath}", ["a = b"]),
        (r"\begin{alignat}{2} a &= b \\ c &= d \end{alignat}", ["a= b", "c= d"]),
        (r"\begin{multline} a \\ = b \end{multline}", ["a = b"]),
        (r"\begin{split}\begin{align*} a &= b \\ c &= d \end{align*}\end{split}", ["a= b", "c= d"]),
        (r"\begin{split} a &= \begin{cases} 1 \\ 2 \end{cases} \end{split}", [r"a= \begin{cases} 1 \\ 2 \end{cases}"]),
        (r"\begin{aligned} a \end{aligned} = \begin{aligned} b \end{aligned}", [r"\begin{aligned} a \end{aligned} = \begin{aligned} b \end{aligned}"]),
        (r"a &= b \\ &= c \\ d &= e", ["a= b", "a= c", "d= e"]),
        (r"a = b \\ c \leq d", ["a = b", r"c \leq d"]),
        (r"a = b \\ c", [r"a = b \\ c"]),
        (r"a = b + \\ c = d", [r"a = b + \\ c = d"]),
        (r"a = b \newline c = d", ["a = b", "c = d"]),
        (r"\begin{align} a &= b \newline c &= d \end{align}", ["a= b", "c= d"]),
        (r"a = b = \\ = c = \\ d", ["a = b", "a = c = d"]),
        (r"a = b, \\ c = d(1, 2),", ["a = b,", "c = d(1, 2),"]),
        (r"a = f(b, \\ c = d)", [r"a = f(b, \\ c = d)"]),
        (r"{f(x) = a} \\ {g(y) = \sqrt{b}}", ["f(x) = a", r"g(y) = \sqrt{b}"]),
        (r"\left< a \right> = b \\ = c", [r"\left< a \right> = b", r"\left< a \right> = c"]),
        (r"a = \left( b \\ = c \right)", [r"a = \left( b \\ = c \right)"]),
        (r"\begin{pmatrix} a & b \end{pmatrix}", [r"\begin{pmatrix} a & b \end{pmatrix}"]),
        (" ", []),
        (
            r"\begin{aligned} a &= b \\ &= c \shortintertext{so, as $x = \text{odd}$,} &= d \\ \intertext{and} e &= f \end{aligned}",
            ["a= b", "a= c", "a= d", "e= f"],
        ),
    ],
)  # fmt: skip
def test_equations_of_a_display(tex: str, found: list[str]) -> None:
    assert display_equations(tex) == found


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"$$x$$", "x"),
        (r"\(x\)", "x"),
        (r"$x", "x"),
        (r"\$5", r"\$5"),
        ("a % a remark\n+ b", "a + b"),
        ("a\n  b", "a b"),
        (r"a\ ", r"a\ "),
        (r"{\color{red} \vec a}\alpha\color{#3d81f6}b", r"{\vec a}\alpha b"),
        (r"\textcolor[HTML]{3d81f6}{x}+\color[rgb]{1,.5,0}y", "{x}+y"),
        (r"H^{-\kern-6pt{\ominus}\kern-6pt-}=-\kern1pt\circ", r"H^{\ominus}=-\kern1pt\circ"),
        (r"\documentclass{a} \begin{document} $x$ \end{document}", "x"),
    ],
)
def test_a_bare_formula(tex: str, found: str) -> None:
    assert without_delimiters(tex) == found


def test_formulas_among_words_in_a_formula_are_formulas() -> None:
    assert without_delimiters(r"a \mbox{force on $i$ by $j_{k}$}") == r"a \mbox{force on }i\mbox{ by }j_{k}"
    assert without_delimiters(r"x^\text{$n$ times}") == r"x^{n\text{ times}}"
    assert without_delimiters(r"\text{cost \$5}") == r"\text{cost \$5}"


def test_a_title_shows_a_formula_without_its_fonts() -> None:
    assert readable_tex(r"\mathbb{R}^{n}") == "R^n"
    assert readable_tex(r"\operatorname{GL}_n(\mathbf Z)") == "GL_n(Z)"
    assert readable_tex(r"\{\pm1\}^{n}") == "{\\pm1}^n"


def test_a_title_keeps_the_braces_of_arguments_and_those_that_are_shown() -> None:
    assert readable_tex(r"\sqrt{1-\beta_{t}}") == r"\sqrt{1-β_t}"
    assert readable_tex(r"\overline{v}^{2} \geq \frac{a+b}{c}") == r"\overline{v}^2 \geq \frac{a+b}{c}"
    assert readable_tex(r"\{0, 1\}^{n}") == "{0, 1}^n"


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"\begin{align}2x&=4&&\mid:2\\x&=2\end{align}", ["2x=4", "x=2"]),
        (r"|x|=5\quad|+1", ["|x|=5"]),
        (r"4c=-4\mid\boxed{d=0}", ["4c=-4"]),
        (r"|a|=|b|-1", ["|a|=|b|-1"]),
        (r"p=P(A\mid-B)", [r"p=P(A\mid-B)"]),
        (r"a=\left|b\right|-1", [r"a=\left|b\right|-1"]),
        (r"M=\{x \mid -x>0\}", [r"M=\{x \mid -x>0\}"]),
        (r"f(x)|-1", ["f(x)|-1"]),
    ],
)
def test_what_is_done_to_an_equation_next_is_no_part_of_it(tex: str, found: list[str]) -> None:
    assert display_equations(tex) == found


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"\begin{align}a)&&P(X=1)&\approx b\\&&&=2\end{align}", [r"P(X=1)\approx b", "P(X=1)=2"]),
        (r"\begin{align}\text{(ii)}&&f&=3\\(a)&=5\end{align}", ["f=3", "(a)=5"]),
        (r"\displaystyle\Huge\begin{gather}a=1\\b=2\end{gather}", ["a=1", "b=2"]),
        (r"\displaystyle \large x", ["x"]),
        (r"\text{For $\sqrt{\big(\underbrace{x_1}_{\mathbf x}\big)^2}$}", [r"\text{For }\sqrt{\big(\underbrace{x_1}_{\mathbf x}\big)^2}"]),
    ],
)  # fmt: skip
def test_labels_of_rows_and_sizes_are_no_part_of_equations(tex: str, found: list[str]) -> None:
    assert display_equations(tex) == found


def test_blanks_set_as_text_are_blanks_and_colours_no_part_of_a_formula() -> None:
    assert without_delimiters(r"\Pr(A\text{ }\!|\mbox{~}B)") == r"\Pr(A\ \!|\ B)"
    assert without_delimiters(r"\definecolor{shade}{gray}{0.9} ") == ""


def test_a_fraction_in_a_title_is_set_in_a_line() -> None:
    assert readable_tex(r"\frac{1}{2}") == "1/2"
