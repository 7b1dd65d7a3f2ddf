r"""AMS-TeX is read as LaTeX: its `\align … \endalign`, the matter before the text, theorems and headings."""

from __future__ import annotations

import pytest
from test_latex import read_text, tex_of
from time_limit import at_most

PAPER = r"""\input amstex \documentstyle{amsppt} % $no$
\define\R{\Bbb R} \pagewidth{5in}
\topmatter \title On $x$ rays \endtitle \author A. Author \endauthor \email a@b.c \endemail \endtopmatter
\document \head 1. First \endhead
We have $$\align a&=b \tag 1.1\\ &=c \tag"(2)" \endalign$$ here.
\proclaim{Theorem 2 (Gauss)} Let $z\in\R$. \endproclaim
\demo{Proof} So $w$. \enddemo
\subhead Second \endsubhead
\roster \item"(i)" one $s$ \endroster
\Refs \ref \paper On $q$ \endref \endRefs
\enddocument $after$
"""


def test_a_paper_has_its_title_headings_and_theorems() -> None:
    paper, found = read_text(PAPER)
    assert paper.title == "On x rays"
    assert [(o.tex, o.heading, [hint.name for hint in o.hints]) for o in found] == [
        ("a=b", "1. First", []),
        ("a=c", "1. First", []),
        (r"z\in\mathbb R", "1. First", ["Gauss"]),
        ("w", "1. First", []),
        ("s", "Second", []),
    ]
    assert found[0].window == "We have ⟦0⟧ ⟦1⟧ here.\n\nGauss. Let ⟦2⟧.\n\nProof. So ⟦3⟧."
    assert found[4].window == "(i) one ⟦4⟧"


@pytest.mark.parametrize(
    ("display", "found"),
    [
        (r"\gather a=b\\ c=d \endgather", ["a=b", "c=d"]),
        (r"\multline a=b\\ +c \endmultline", ["a=b +c"]),
        (r"f=\cases a & \text{if $x$}\\ b\endcases \tag{1}", [r"f=\begin{cases} a & \text{if }x\\ b\end{cases}"]),
        (r"\left[\matrix a\\b\endmatrix\right]", [r"\left[\begin{matrix} a\\ b\end{matrix}\right]"]),
        (r"\sum\Sb i\\j\endSb \Cal L \overset a\to\sim", [r"\sum_{\substack{ i\\ j}} \mathcal L \overset{a}\sim"]),
    ],
)
def test_displays_are_those_of_latex(display: str, found: list[str]) -> None:
    assert tex_of(rf"\input amstex $${display}$$") == found


def test_a_latex_paper_is_left_as_it_is() -> None:
    assert tex_of(r"$\align$ $\Cal$") == [r"\align", r"\Cal"]


@pytest.mark.parametrize(
    "opening", [r"\author ", r"\title ", r"\proclaim{", r"\align ", r"\tag", r"\overset{", r"\Sb "]
)
def test_thousands_of_openings_are_read_in_linear_time(opening: str) -> None:
    with at_most(2):
        read_text(r"\input amstex So $x$. " + opening * 5_000)
