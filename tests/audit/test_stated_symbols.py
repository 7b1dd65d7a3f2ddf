"""What an item says about symbols and sources."""

from __future__ import annotations

from typing import Any

import pytest

from bot.audit.formula_sources import _weak
from bot.audit.formulas import _validity_error, equations
from bot.audit.stated_symbols import _occurs_in
from bot.records import Reference
from bot.settings import Properties

IDS = Properties()


@pytest.mark.parametrize(
    ("symbol", "formula", "there"),
    [
        ("m", "E=mc^2", True),
        (r"\boldsymbol{v}", r"\vec{v}=\dot{x}", True),
        ("m_i", r"M=\sum_i m_i", True),
        (r"\Delta l", r"F=k\,\Delta l", True),
        ("q", "E=mc^2", False),
        ("p", r"E=\frac{1}{2}mv^2", False),
        ("d", r"F=k\,dx", True),  # as it is written, though it is not a letter there
        ("l_1", "l=x_1", True),  # its letter
        (r"\text{max}", r"x=x_{\text{max}}", True),
        (r"\text{min}", r"x=x_{\text{max}}", False),
        ("12", "E=12m", True),
        ("12", "E=13m", False),
        (r"\sum " * 50, "E=mc^2", True),  # of what has no tree nothing is said
        ("q", r"\sum " * 50, True),
    ],
)
def test_a_symbol_stands_in_a_formula_or_not(symbol: str, formula: str, there: bool) -> None:
    assert _occurs_in(symbol, formula) is there


def test_what_is_weak_is_a_wiki_alone() -> None:
    def of(*snaks: tuple[str, str]) -> Reference:
        return Reference(tuple((prop, "", value) for prop, value in snaks))

    weak = [
        (("P143", "Q328"),),
        (("P4656", "https://en.wikipedia.org/w/x"), ("P813", "+2026")),
        (("P854", "https://de.wikipedia.org/wiki/X"),),
    ]
    good = [
        (("P248", "Q5"),),
        (("P854", "https://book.example/1"),),
        (("P143", "Q328"), ("P356", "10.1/2")),
        (("P813", "+2026"),),
    ]
    assert [_weak(of(*snaks), IDS) for snaks in weak] == [True] * 3
    assert [_weak(of(*snaks), IDS) for snaks in good] == [False] * 4


@pytest.mark.parametrize(
    ("tex", "n"),
    [
        (r"\omega=-\log_{10}p-1,{\rm{\ at\ }}T_r=0.7", 1),
        (r"P=\operatorname{Proj}K[x]\quad(\deg x_i=a_i)", 1),
        (r"N=N_0e^{-\lambda t}\quad\text{where }\lambda=\frac{\ln 2}{T}", 1),
        (r"a=b\quad\text{und}\quad c=d", 2),
        (r"x=\cos t,\quad y=\sin t", 2),
        (r"a\approx b,\quad c\propto d", 2),
        (r"E=mc^2,\quad v\le c", 1),
        (r"a\le b,\quad c<d", 0),
    ],
)
def test_what_an_equation_holds_under_is_no_second_one(tex: str, n: int) -> None:
    assert equations(tex) == n


@pytest.mark.parametrize(
    ("tex", "code"),
    [
        ("a &lt; b", "escaped"),
        ("x<sup>2</sup>", "escaped"),
        (r"{\displaystyle E=mc^{2}}", "wrapped"),
        ("x" + "+x" * 200, "long"),
        (r"\frac{a}{", "grammar"),
        ("<x>=y", ""),  # an average
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", ""),
        (r"E={\displaystyle mc^2}", ""),
    ],
)
def test_what_was_copied_from_a_page_is_told_from_signs(tex: str, code: str) -> None:
    found: Any = _validity_error(tex)
    assert (found.code if found else "") == (f"finding.invalid.{code}" if code else "")
