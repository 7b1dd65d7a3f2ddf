"""Statements: what a formula says, whatever it is dressed in."""

from __future__ import annotations

import pytest

from bot.formula.alignment.equations import stated_equations
from bot.formula.alignment.tree_alignment import best_alignment


def symbols(tex: str) -> set[tuple[str, str]]:
    return {(s.letter, s.label) for s in stated_equations(tex)[0].symbols}


def cost(a: str, b: str) -> float | None:
    found = best_alignment(stated_equations(a)[0], stated_equations(b)[0])
    return found.cost if found else None


@pytest.mark.parametrize(
    "tex",
    [
        r"p_{X}=w_{X}\rho_{X}",
        r"w=p/\rho",
        r"\bar p=w\bar\rho",
        r"w=\frac{\langle p\rangle}{\langle\rho\rangle}",
        r"w(z)=\frac{p(z)}{\rho(z)}",
        r"w(\tau)=p(\tau)/\rho(\tau)",
        r"p_i=w_{(i)}\rho_{(i)}",
    ],
)
def test_scripts_sides_means_and_arguments_are_dress(tex: str) -> None:
    assert cost(r"p=w\rho", tex) == 0


def test_labels_that_tell_quantities_apart_stay() -> None:
    assert symbols(r"\Omega_i=\rho_i/\rho_c") == {("Ω", ""), ("ρ", ""), ("ρ", "c")}
    assert cost(r"\Omega_i=\rho_i/\rho_c", r"\Omega=\rho/\rho_{\rm crit}") == 0
    assert (cost(r"\mu=m_p/m_e", r"\mu=m_p/m_\odot") or 9) > 2


def test_a_perturbation_is_another_quantity_and_does_not_cancel() -> None:
    assert symbols(r"\delta p=w\delta\rho") == {("δp", ""), ("δρ", ""), ("w", "")}
    assert symbols(r"dt=a\,d\eta") == {("dt", ""), ("dη", ""), ("a", "")}


def test_integral_and_differential_form_state_the_same() -> None:
    assert cost(r"dt=a(\eta)d\eta", r"t=\int a(\eta)d\eta") == 0
    assert cost(r"d\eta=dt/a(t)", r"dt=a(\eta)d\eta") == 0


def test_the_derivative_of_a_logarithm_is_the_quotient() -> None:
    assert cost(r"H=\dot a/a", r"H=d\ln a/dt") == 0


def test_a_chain_states_its_first_side_of_each_other() -> None:
    assert len(stated_equations(r"H=\dot a/a=n/t")) == 2
    assert not any(s.is_whole_formula for s in stated_equations(r"H=\dot a/a=n/t"))


def test_a_function_of_other_arguments_does_not_cancel() -> None:
    assert len(symbols(r"\psi(t,r)=\psi(r)\exp(-i\omega t)") & {("ψ", "(tr)"), ("ψ", "(r)")}) == 2


def test_the_sign_is_half_of_what_two_letters_say() -> None:
    assert (cost(r"p=\rho", r"p=-\rho") or 9) > 2
    assert (cost(r"r>R", r"r<R") or 9) > 2


def test_roots_of_numbers_and_constants_are_noticed() -> None:
    one, other = (
        stated_equations(t)[0] for t in (r"\lambda=\frac{V}{4\pi r^2N}", r"\lambda=\frac{V}{4\sqrt2\pi r^2N}")
    )
    found = best_alignment(one, other)
    assert found is not None
    assert found.constants_differ


@pytest.mark.parametrize("tex", ["", "x", r"\frac{", "a=b=", r"\begin{array}"])
def test_what_states_nothing_has_no_statements(tex: str) -> None:
    assert stated_equations(tex) == ()


def test_a_label_on_a_rate_is_the_label_of_what_changes() -> None:
    (found,) = stated_equations(r"L_z = \frac{\partial \mathcal{L}}{\partial \dot\theta_z}")
    assert found.shape
