"""Tables in LaTeX: cells of a column of mathematics are formulas; a formula that is cut at its relation is one."""

from __future__ import annotations

import pytest
from test_latex import read_text, tex_of


def table(spec: str, rows: str) -> str:
    return rf"\begin{{tabular}}{{{spec}}}{rows}\end{{tabular}} and $after$ & x"


@pytest.mark.parametrize(
    ("spec", "rows", "formulas"),
    [
        (">{$}l<{$}l", r"E & energy \\ \hline p % a & b" "\n" r"& momentum", ["E", "p"]),
        ("|l|>{\\centering$\\displaystyle}p{3cm}<{$}|", r"Ohm & U = RI \\[2pt] Coulomb & F", ["U = RI", "F"]),
        ("*{2}{>{\\(}l<{\\)}}l", r"a & b & c\\", ["a", "b"]),
        ("@{x}!{y}w{c}{1cm}>{$}c<{$}", r"a & b\\", ["b"]),
        (">{$}r<{$}>{$}l<{$}", r"f(x) & = x^2 \\ a & b \\", ["f(x) = x^2", "a", "b"]),
        (">{$}r<{$}l", r"F: & the force\\", ["F"]),
        (">{$}r<{$}l", r"\text{Sign} & of\\ \multicolumn{2}{l}{Both words}\\ $in words$ x & y\\", ["x"]),
        (">{$}c<{$}", r"\begin{matrix}a & b\\ c & d\end{matrix}\\", [r"\begin{matrix}a & b\\ c & d\end{matrix}"]),
        ("l>{$}l<{$}", r"\begin{itemize}\item one\\ two \end{itemize} & a\\", ["a"]),
    ],
)
def test_the_cells_of_a_column_of_mathematics_are_formulas(spec: str, rows: str, formulas: list[str]) -> None:
    assert tex_of(table(spec, rows)) == [*formulas, "after"]


def test_a_column_has_the_letter_that_an_author_gives_it() -> None:
    source = r"\newcolumntype{L}{>{$}l<{$}}\newcolumntype{P}[1]{>{$}p{#1}<{$}}" + table("lLP{2cm}", r"Area & A & ab\\")
    _, found = read_text(source)
    assert [o.tex for o in found] == ["A", "ab", "after"]
    assert "Area | ⟦0⟧ | ⟦1⟧" in found[0].window


@pytest.mark.parametrize(
    ("row", "formulas"),
    [
        ("$a$ & $=$ & $b+c$", ["a = b+c"]),
        ("Power & $P$ & $= UI$ in W", ["P = UI"]),
        ("$2x$ & $-$ & $y$ & & $=$ & $3$", ["2x - y = 3"]),
        ("$f'$ & $+$ & $-$", ["f'", "+", "-"]),  # a table of signs
        ("$p$ & $<0.1$ & $<0.2$", ["p", "<0.1", "<0.2"]),  # of values
        ("$<$ & $=$ & $>$", ["<", "=", ">"]),
        ("$a$ & is & $= b$", ["a", "= b"]),
    ],
)
def test_a_formula_that_a_table_cuts_at_the_relation_is_one(row: str, formulas: list[str]) -> None:
    assert tex_of(table("llllll", row + r"\\")) == [*formulas, "after"]


def test_a_box_that_is_drawn_around_text_is_read_under_its_title() -> None:
    box = r"""\begin{tikzpicture}
    \node [mybox] (box){% a box
        \begin{minipage}{0.3\textwidth} The mean is $m$. \begin{minipage}{3cm} And $v$. \end{minipage} \end{minipage}
    };
    \node[fancytitle, right=10pt] at (box.north west) {Moments};
    \end{tikzpicture} After $z$."""
    _, found = read_text(box)
    assert [(o.tex, o.heading) for o in found] == [("m", "Moments"), ("v", "Moments"), ("z", "Moments")]


def test_a_drawing_with_lines_is_no_text() -> None:
    label = r"\begin{minipage}{1cm}$x_1$\end{minipage}"
    assert tex_of(rf"\begin{{tikzpicture}}\draw (0,0) -- (1,1); \node {{{label}}};\end{{tikzpicture}} $z$") == ["z"]


@pytest.mark.parametrize("rows", [r"f: & the frequency\\ m: & the mass\\", r"\(f\): & the frequency\\ m & the mass\\"])
def test_a_table_of_symbols_defines_them(rows: str) -> None:
    _, found = read_text(table(">{$}l<{$}l" if "f: " in rows[:3] else "ll", rows))
    assert [(d.symbol, d.meaning) for d in found[0].definitions][:1] == [("f", "frequency")]
