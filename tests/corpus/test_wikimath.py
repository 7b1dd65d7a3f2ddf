"""Formulas in wiki or HTML text become simple TeX: scripts, fonts, functions, signs."""

import pytest

from bot.corpus.wikimath import to_tex


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("E = ''mc''<sup>2</sup>", "E = mc^2"), ("'''v''' = 3", r"\mathbf{v} = 3"), ("'''''v''''' ''x''", r"\mathbf{v} x"), ("sin θ", r"\sin\theta"), ("sinx", r"\mathrm{sinx}"), ("ab", "ab"),
        ("abc", r"\mathrm{abc}"), ("''abc''", "abc"), ("<var>abc</var>d", "abcd"), ("αβγ", r"\alpha\beta\gamma"), ("x² + y₁", "x^2 + y_1"), ("x⁻¹", "x^{-1}"), ("x<sup>10</sup>", "x^{10}"),
        ("a<sub>''i''</sub><sup>2</sup>", "a_i^2"), ("a<sub>b", "a_b"), ("a</sub>b", "ab"), ("<sup> </sup>x", "x"), ("≤ ≥ ≠ × · −", r"\leq\geq\neq\times\cdot-"),
        ("<b>F</b> = <em>m</em><i>a</i>", r"\mathbf{F} = ma"), ("<strong>a</strong>b", r"\mathbf{a}b"), ("2π''r''", r"2\pi r"), ("&amp;alpha;", r"\alpha"), ("''x''′ + y″", "x' + y''"),
        ("( a )", "(a)"), ("exp(''x'')", r"\exp(x)"), ("log<sub>2</sub> ''n''", r"\log_2 n"), ("max ''x''", r"\max x"), ("T<sub>max</sub>", r"T_{\max}"), ("{a}", r"\{a\}"), ("5 %", r"5 \%"),
        ("√2", r"\surd2"), ("'''αβ'''", r"\mathbf{\alpha\beta}"), ("<br/>a<span>b</span>", "ab"),
    ],
)  # fmt: skip
def test_a_formula_in_text_becomes_tex(text: str, tex: str) -> None:
    assert to_tex(text) == tex
