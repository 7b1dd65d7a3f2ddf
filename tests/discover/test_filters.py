"""Which formulas can be concepts."""

import pytest

from bot.discover.candidate_filters import candidate, numeric


@pytest.mark.parametrize(
    "tex", ["v = 3", r"F = (2.0)(9.8) = 19.6", r"T = 2.725\,\text{K}", r"x = 12.5 \times 10^{3}", r"W = 3.2 t + 17.5"]
)
def test_numbers_put_in_for_symbols(tex: str) -> None:
    assert numeric(tex)


@pytest.mark.parametrize(
    "tex",
    [
        r"K = \frac{1}{2}mv^2",
        r"V = \frac{4}{3}\pi r^3",
        r"\sum V = 0",
        r"\nabla\cdot B = 0",
        r"E=mc^2",
        r"M = 3.1 \sigma_0 a b",
    ],
)
def test_numbers_that_belong_to_a_law(tex: str) -> None:
    assert not numeric(tex)


def test_equations_pass_and_others_do_not() -> None:
    assert candidate("F = ma", "equation")
    assert candidate(r"\Delta x \Delta p \geq \hbar/2", "relation")
    assert not candidate(r"x \in A", "relation")
    for kind in ("stub", "expression", "dependence", "assignment", "unreadable"):
        assert not candidate("x = y", kind)
    assert not candidate("a = " + "b + " * 200 + "c", "equation")


def test_an_author_who_names_a_formula_is_believed() -> None:
    assert candidate("F_{AB} = -F_{BA}", "assignment", given=True)
    assert not candidate("x", "expression", given=True)
