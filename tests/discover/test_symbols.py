"""The left side of a formula."""

import pytest

from bot.discover.left_sides import left_side, left_text, plain_symbol, sides, single_symbol, strip_styling, text_after


@pytest.mark.parametrize(
    ("tex", "left"),
    [
        (r"\vec{F} = m \vec{a}", "F"),
        (r"v_{\text{max}}=A\omega", "v_max"),
        (r"H(t)=\dot{a}/a", "H"),
        (r"\frac{V_0}{I_0} = \omega L = X_L", "X_L"),
        (r"E^2 = p^2c^2 + m^2c^4", ""),
        (r"\frac{d p}{d t} = F", "F"),
        (r"a + b = c", "c"),
        (r"a + b = c + d", ""),
        (r"x", ""),
        (r"\sum_{i=1}^n i = n(n+1)/2", ""),
        (r"\Delta x \geq 0", ""),
        ("E(x,t)=0", "E"),
        ("E(x,t)", ""),
        ("x^2=y+1", ""),
        ("x^{-1}=y+1", ""),
        ("x_2=y+1", "x_2"),
        ("x^T=y+1", "x^T"),
        ("a+1=b+1=c", "c"),
        ("a+1=b+1=", ""),
        ("a=", ""),
        ("=b", "b"),
        (r"\dot x=v+1", ""),
        (r"\bar{v}=a+b", r"\bar v"),
        (r"\overline{ab}=c+d", ""),
        (r"\Delta x=b+c", r"\Delta x"),
        (r"\Delta\vec{S}_{\text{u}}=b+c", r"\Delta S_u"),
        (r"\Delta x\Delta p=b+c", ""),
        (r"\delta x=b+c", ""),
        (r"\bm{B}( \vec r )=c+1", "B"),
        (r"\mathbf{x}_0\equiv a+b", "x_0"),
        (r"a\equivalent b", ""),
        ("a:=b+1", "a"),
        ("a<=b+1", ""),
        (r"x_{\text{" + "a" * 49 + "}}=1+y", "x_" + "a" * 49),  # sixty characters
        (r"x_{\text{" + "a" * 50 + "}}=1+y", ""),
    ],
)
def test_left_side_is_the_symbol_that_a_formula_defines(tex: str, left: str) -> None:
    assert left_side(tex) == left


def test_words_on_the_left_side_are_a_name() -> None:
    assert left_text(r"\text{Percent uncertainty}=\frac{\delta A}{A}\times 100") == "Percent uncertainty"
    assert left_text(r"\mathrm{Re} = \frac{vL}{\nu}") == ""
    assert left_text(r"\text{net}~\text{force}=ma") == "net force"
    assert left_text(r"\displaystyle\left.\text{Wärme}\right.=Q") == ""
    assert left_text(r"\displaystyle\text{Wärme}=Q") == "Wärme"
    assert left_text(r"\text{rate}\,x=y") == left_text(r"\text{rate of change}") == ""
    assert left_text(r"\text{ab cd}=\text{long name}") == ""


def test_words_behind_a_formula() -> None:
    assert text_after(r"\oint E=0\qquad(\text{Gauss’s  law})") == "Gauss’s law"
    assert text_after(r"a=b\quad\text{(work-energy theorem)}.") == "work-energy theorem"
    assert text_after(r"a=b\text{ (work-energy theorem)}") == text_after(r"a\quad\text{law}=b") == ""


def test_styling_does_not_part_symbols() -> None:
    assert plain_symbol(r"\vec{\mathbf{F}}") == plain_symbol("F") == "F"
    assert single_symbol(r"\mathbf{p}") == "p"
    assert single_symbol("mv") == ""
    assert strip_styling(r"\vec{\mathbf{F}} = m\,a") == "F=ma"


def test_the_first_relation_outside_braces_parts_the_sides() -> None:
    assert sides(r"\sum_{i=0} a_i = b = c") == (r"\sum_{i=0} a_i", "b = c")
    assert sides("a") == ("a", "")
    assert sides("a)=b") == ("a)=b", "")
    assert sides("(a=b)=c") == ("(a=b)", "c")
