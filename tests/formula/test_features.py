"""Features: what is said about a formula does not depend on how it is spelled, and never fails."""

from __future__ import annotations

import pytest

from bot.formula.features.feature_words import features


@pytest.mark.parametrize(
    "tex",
    [
        r"\nabla^4\varphi=0",
        r"\nabla^2\nabla^2\varphi=0",
        r"\Delta^2\varphi=0",
        r"\Delta\Delta u(x,y)=0",
        r"\frac{\partial^4 u}{\partial x^2\partial y^2}=0",
        r"\phi_{rrrr}+\frac{2}{r}\phi_{rrr}=0",
    ],
)
def test_six_spellings_of_a_fourth_derivative_have_one_order(tex: str) -> None:
    assert {"order of space 4", "highest order 4"} <= set(features(tex).facets)


@pytest.mark.parametrize(
    "tex", [r"u_{tt}=c^2 u_{xx}", r"\ddot u=\nabla^2u", r"\frac{\partial^2 u}{\partial t^2}=\Delta u"]
)
def test_orders_of_time_and_of_space_are_told_apart(tex: str) -> None:
    assert "order of time 2" in features(tex).facets


def test_terms_do_not_add_their_orders() -> None:
    facets = features(r"\nabla^2u+\nabla^2v=0").facets
    assert "highest order 2" in facets
    assert "highest order 4" not in facets


@pytest.mark.parametrize("tex", ["T_{ii}=T_{ij}", r"\Delta_r H=\Delta_f H", r"\Delta^1 H=Q"])
def test_indices_of_a_tensor_and_differences_are_no_derivatives(tex: str) -> None:
    assert "highest order 0" in features(tex).facets


def test_symbols_have_no_style_and_numbers_are_none() -> None:
    assert set(features(r"\mathbf{F}=2m\vec{a}").symbols) == {"F", "m", "a"}


def test_pairs_are_of_symbols_in_one_equation() -> None:
    assert "F m" in features("F=ma").pairs
    assert "a b" not in features(r"\begin{cases}a=1\\b=2\end{cases}").pairs


def test_a_relation_and_an_empty_right_side_are_facets() -> None:
    assert {"relation ≥", "side 0"} <= set(features(r"dS\ge 0").facets)


@pytest.mark.parametrize("tex", ["", "{", "}" * 50, r"\frac", "\\", "=" * 40, "{" * 3000])
def test_a_formula_without_a_tree_has_tokens_at_most(tex: str) -> None:
    found = features(tex)
    assert all(isinstance(block, tuple) for block in found)
