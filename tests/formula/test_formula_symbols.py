"""Symbols of a formula as they stand in its TeX, and the check of physical dimensions."""

from __future__ import annotations

import pytest

from bot.errors import InputError
from bot.formula.quantities.dimensions import balance_of_row, has_balanced_dimensions, parse_dimension
from bot.formula.quantities.formula_symbols import formula_symbols, symbol_of, without_running_index


@pytest.mark.parametrize(
    ("tex", "symbols"),
    [
        (r"a_{\text{c}}=\frac{v_{\text{t}}^{2}}{r}", [r"a_{\text{c}}", r"v_{\text{t}}", "r"]),
        (r"\vec{\mathbf{F}}=Q\vec{\mathbf{E}}", [r"\vec{\mathbf{F}}", "Q", r"\vec{\mathbf{E}}"]),
        (r"v(t)=\lim_{\Delta t\to0}\frac{x(t+\Delta t)-x(t)}{\Delta t}", ["v", "t", r"\Delta t", "x"]),
        (r"\varepsilon=-N\frac{d\Phi_{\text{m}}}{dt}", [r"\varepsilon", "N", r"\Phi_{\text{m}}", "t"]),
        (r"dU=TdS", ["U", "T", "S"]),
        (r"d\sin\theta=m\lambda", ["d", r"\theta", "m", r"\lambda"]),
        (r"C_{V}=\frac{d}{2}R", ["C_{V}", "d", "R"]),
        (r"E^{*}_{0}=E'+p^{2}", ["E^{*}_{0}", "E'", "p"]),
        (r"q(t)=C\left(1-e^{-t/\tau}\right)", ["q", "t", "C", r"\tau"]),
        (r"F=\frac{e^2}{4\pi\varepsilon_0 r^2}", ["F", "e", r"\varepsilon_0", "r"]),
        (r"S=\sum_{i=1}^{N} q_i", ["S", "N", "q_i"]),
        (r"W=\int_{\theta_1}^{\theta_2}\tau\,\mathrm{d}\theta", ["W", r"\theta_1", r"\theta_2", r"\tau", r"\theta"]),
        (
            r"M_{\rm GMC}=\frac{\sigma^{4}}{G^{2}\Sigma_{\rm tot}}",
            [r"M_{\rm GMC}", r"\sigma", "G", r"\Sigma_{\rm tot}"],
        ),
        (r"\mathrm{Re}=\frac{\rho v L}{\mu}", [r"\rho", "v", "L", r"\mu"]),
        (r"v = 3 \text{ m/s}", ["v"]),
        (r"\undefined{", []),
    ],
)
def test_symbols_are_cut_out_with_their_indices_and_accents(tex: str, symbols: list[str]) -> None:
    assert [each.tex for each in formula_symbols(tex)] == symbols


@pytest.mark.parametrize(
    ("one", "other"), [(r"\vec{\mathbf{F}}", "F"), (r"v_{\text{t}}", "v_t"), ("c(A)", "c"), (r"\Delta t", r"\Delta{t}"), ("R'", r"R^{\prime}")]
)  # fmt: skip
def test_spellings_of_one_symbol_share_a_key(one: str, other: str) -> None:
    first, second = symbol_of(one), symbol_of(other)
    assert first is not None
    assert second is not None
    assert set(first.keys) & set(second.keys)


@pytest.mark.parametrize(
    ("one", "other"), [(r"\mathcal{E}", "E"), (r"\dot M", "M"), ("v_0", "v"), (r"\hat r", "r"), (r"\Delta t", "t")]
)
def test_other_symbols_do_not(one: str, other: str) -> None:
    first, second = symbol_of(one), symbol_of(other)
    assert first is not None
    assert second is not None
    assert not set(first.keys) & set(second.keys)


@pytest.mark.parametrize("tex", ["F=ma", "x^2", r"\frac{a}{b}", "3", r"\pi", r"\nabla", "", r"\text{for}"])
def test_what_is_no_symbol(tex: str) -> None:
    assert symbol_of(tex) is None


def test_a_running_index_may_be_left_out_and_a_name_not() -> None:
    assert without_running_index("v_i") == "v"
    assert without_running_index("R_μν") == "R"
    assert without_running_index("v_0") == without_running_index("a_max") == without_running_index("v") == ""


SYMBOLS = {
    "E": "M L^2 T^-2", "m": "M", "c": "L T^-1", "v": "L T^-1", "x": "L", "t": "T", "a": "L T^-2", "k": "M T^-2", r"\omega": "T^-1", "q": "T I", "U": "M L^2 T^-3 I^-1",
    "R": "M L^2 T^-3 I^-2", "C": "M^-1 L^-2 T^4 I^2", "F": "M L T^-2", r"\theta": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("tex", "verdict"),
    [
        ("E=mc^2", True),
        ("E=mc", False),
        (r"E=\frac{1}{2}mv^2+\frac12 k x^2", True),
        (r"E=mv^2+x", False),
        (r"v=\frac{dx}{dt}", True),
        (r"a=\frac{d^2x}{dt^2}", True),
        (r"v=\frac{\Delta x}{\Delta t}", True),
        (r"\omega=\sqrt{\frac{k}{m}}", True),
        (r"\omega=\sqrt{\frac{m}{k}}", False),
        (r"q=CU\left(1-e^{-\frac{t}{RC}}\right)", True),
        (r"q=CU\left(1-e^{-t}\right)", False),
        (r"E=\int_0^x F\,dx", True),
        (r"E=\int_0^t F\,dx", False),
        (r"x(t)=x\cos(\omega t)", True),
        (r"x=\cos(\omega x)", False),
        (r"F=m a\sin\theta", True),
        (r"F=-\nabla E", True),
        (r"E=mc^2+y", None),
        (r"E=y", None),
        (r"x=0", None),
        (r"\ln x=t", None),
        ("E", None),
        (r"\frac{", None),
    ],
)
def test_dimensions_agree_disagree_or_cannot_be_said(tex: str, verdict: bool | None) -> None:
    row = {"tex": tex, "dimensions": SYMBOLS}
    assert balance_of_row(row, 1) == {"balanced": verdict}


def test_dimensions_of_items_are_tex() -> None:
    assert parse_dimension(r"\mathsf{L}\mathsf{T}^{-2}") == parse_dimension("L T^-2") == (2520, 0, -5040, 0, 0, 0, 0)
    assert parse_dimension(r"\mathsf{L}^{-3/2}") == (-3780, 0, 0, 0, 0, 0, 0)
    assert parse_dimension("1") == (0,) * 7
    assert parse_dimension("metre") is parse_dimension("") is None


def test_an_accent_or_an_index_is_part_of_what_has_a_dimension() -> None:
    length, time = parse_dimension("L"), parse_dimension("T")
    assert length is not None
    assert time is not None
    assert has_balanced_dimensions(r"x_1+x_2=\bar{x}", {"x_1": length, "x_2": length, "x^bar": length}) is True
    assert has_balanced_dimensions(r"x_1+x_2=\bar{x}", {"x_1": length, "x_2": length, "x^bar": time}) is False
    assert has_balanced_dimensions(r"\Delta x=x", {"Δx": time, "x": length}) is False


def test_a_dot_is_a_derivative_by_time_and_a_hat_may_be_a_unit_vector() -> None:
    length, speed, push = (parse_dimension(text) or () for text in ("L", "L T^-1", "L T^-2"))
    known = {"x": length, "v": speed, "a": push}
    assert [
        has_balanced_dimensions(tex, known) for tex in (r"v=\dot{x}", r"a=\ddot{x}", r"a=\dot{v}", r"v=\ddot{x}")
    ] == [
        True,
        True,
        True,
        False,
    ]
    assert has_balanced_dimensions(r"v=\hat{x}v", known) is None


def test_a_row_without_dimensions_is_left_alone_and_a_bad_one_named() -> None:
    assert balance_of_row({"tex": "E=mc^2"}, 1) == {}
    for bad in ({"E": "joule"}, {"E=m": "M"}, ["E"], {"E": 3}):
        with pytest.raises(InputError, match="row 7"):
            balance_of_row({"tex": "E=mc^2", "dimensions": bad}, 7)
