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


@pytest.mark.parametrize(
    "tex",
    [
        r"H_{0}:\mu=5",
        r"H_{\text{a}}:\mu_{1}<\mu_{2}",
        r"\Delta H=-\Delta H_{1}=?",
        r"A\cap B=\{3,5\}",
        "|x|=-x>0",
        r"f(x)=\frac{1}{8}",
        r"\text{N}_{2}(g)+3\text{H}_{2}(g)\longrightarrow2\text{NH}_{3}(g)\qquad\Delta H=x",
        r"\Delta G=\text{102.0 kJ/mol}",
        r"P(A\cap B)=0.225",
        "x^{2}+0.0211x-0.0211=0",
    ],
)
def test_what_is_of_one_example_is_no_concept(tex: str) -> None:
    assert not candidate(tex, "equation", given=True)


@pytest.mark.parametrize(
    "tex", [r"H_{0}=\frac{\dot a}{a}", r"1\,\Omega=\text{1 V/A}", r"P(\Omega)=1", r"\Delta S=\Delta S_{1}+\Delta S_{2}>0"]
)  # fmt: skip
def test_what_looks_like_an_example_and_is_none(tex: str) -> None:
    assert candidate(tex, "equation")


def test_an_author_who_names_a_formula_is_believed() -> None:
    assert candidate("F_{AB} = -F_{BA}", "assignment", given=True)
    assert not candidate("x", "expression", given=True)
