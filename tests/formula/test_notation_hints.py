"""What a formula says about its notation: the values that the keys of derivatives rest on."""

from __future__ import annotations

import pytest

from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE, NotationHints, notation_hints_of
from bot.formula.normal.stages import normal_forms


@pytest.mark.parametrize(
    ("tex", "hints"),
    [
        (r"\nabla f+u_t=0", NotationHints(coordinate_subscripts={"u": {"t"}}, partial=True, functions=frozenset("u"))),
        (r"\Box f=u_t", NotationHints(coordinate_subscripts={"u": {"t"}}, partial=True, functions=frozenset("u"))),
        (r"\frac{\partial f}{\partial x}=u_t", NotationHints("x", {"u": {"t"}}, True, functions=frozenset("u"))),
        (r"\nabla\phi=\phi_t+a_t", NotationHints(coordinate_subscripts={"ϕ": {"t"}, "a": {"t"}}, partial=True, functions=frozenset("ϕ"))),
        (r"\frac{df}{dx}=u_t", NotationHints("x", {"u": {"t"}})),
        ("f'(x)=y", NotationHints("x")),
        ("f'(x)=g'(y)", NotationHints(UNKNOWN_VARIABLE)),
        (r"f'=\frac{dg}{dt}", NotationHints("t")),
        ("u_t=u_{xx}", NotationHints(coordinate_subscripts={"u": {"t", "xx"}}, functions=frozenset("u"))),
        ("u_{xx}+v_x=0", NotationHints(coordinate_subscripts={"u": {"xx"}, "v": {"x"}}, functions=frozenset("uv"))),
        ("A_{xx}=u_t+u_x", NotationHints(coordinate_subscripts={"A": {"xx"}, "u": {"t", "x"}}, functions=frozenset("u"))),
        ("u_x+u_y=v_x+v_y", NotationHints(coordinate_subscripts={"u": {"x", "y"}, "v": {"x", "y"}}, functions=frozenset("uv"))),
        ("a_x+a_y=b_x+b_y", NotationHints(coordinate_subscripts={"a": {"x", "y"}, "b": {"x", "y"}})),
        ("T_{xy}=u_i+v_{x1}", NotationHints(coordinate_subscripts={"T": {"xy"}, "u": {"?"}, "v": {"?"}})),
        (r"a\equiv b\pmod n", NotationHints(congruence=True)),
    ],
)  # fmt: skip
def test_a_formula_says_how_it_writes_derivatives(tex: str, hints: NotationHints) -> None:
    assert notation_hints_of(normal_forms(tex).canonical[0]) == hints
