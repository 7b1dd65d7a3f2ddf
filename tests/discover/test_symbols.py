"""The left side of a formula."""

import pytest

from bot.discover.left_sides import left_side, left_text, plain, sides, stripped, symbol


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
    ],
)
def test_left_side_is_the_symbol_that_a_formula_defines(tex: str, left: str) -> None:
    assert left_side(tex) == left


def test_words_on_the_left_side_are_a_name() -> None:
    assert left_text(r"\text{Percent uncertainty}=\frac{\delta A}{A}\times 100") == "Percent uncertainty"
    assert left_text(r"\mathrm{Re} = \frac{vL}{\nu}") == ""


def test_styling_does_not_part_symbols() -> None:
    assert plain(r"\vec{\mathbf{F}}") == plain("F") == "F"
    assert symbol(r"\mathbf{p}") == "p"
    assert symbol("mv") == ""
    assert stripped(r"\vec{\mathbf{F}} = m\,a") == "F=ma"


def test_the_first_relation_outside_braces_parts_the_sides() -> None:
    assert sides(r"\sum_{i=0} a_i = b = c") == (r"\sum_{i=0} a_i", "b = c")
    assert sides("a") == ("a", "")
