"""The thirteen challenges of formula concepts: what must meet at which level, and what must not."""

from __future__ import annotations

import pytest

from bot.formula import compare, keys
from bot.formula.equivalence.renamed import containment
from bot.formula.keys.shapes import shapes
from bot.formula.normal.stages import normal_forms

KGE1 = r"\frac{1}{c^2}\frac{\partial^2\psi}{\partial t^2}-\nabla^2\psi+\left(\frac{m_0c}{\hbar}\right)^2\psi=0"
KGE6 = r"-\hbar^2\frac{\partial^2\Psi}{\partial t^2}+c^2\hbar^2\nabla^2\Psi=m_0^2c^4\Psi"
KGE8 = r"u_{tt}-\Delta u+m^2u+G'(u)=0"
EFE1 = r"G_{\mu\nu}+\Lambda g_{\mu\nu}=\kappa T_{\mu\nu}"
EFE2 = r"G_{\mu\nu}+\Lambda g_{\mu\nu}=8\pi T_{\mu\nu}~(G=c=1)"


def first(a: str, b: str) -> str:
    """The strictest level at which two formulas meet."""
    return keys(a).shared_level(keys(b))


def meet(spellings: list[str], level: str) -> None:
    found = {keys(tex).at(level): tex for tex in spellings}
    assert len(found) == 1, f"{level} differs: {sorted(found.values())}"


def differ(a: str, b: str, level: str) -> None:
    assert keys(a).at(level) != keys(b).at(level), f"{a} and {b} are equal at {level}"


# -- 1 symbols ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"\sigma=E\varepsilon+\eta\dot\varepsilon", r"\tau=G\gamma+\mu\dot\gamma"),
        (r"F=G\frac{m_1m_2}{r^2}", r"F=k\frac{q_1q_2}{r^2}"),
        (r"\frac{dN}{dt}=rN\left(1-\frac{N}{K}\right)", r"\frac{dP}{dt}=aP\left(1-\frac{P}{M}\right)"),
        (r"R=\frac{abc}{\sqrt{(a+b+c)(-a+b+c)(a-b+c)(a+b-c)}}", r"S=\frac{uvw}{\sqrt{(u+v+w)(w-u+v)(u-v+w)(u+v-w)}}"),
        (r"x_{n+1}=rx_n(1-x_n)", r"y_{k+1}=ay_k(1-y_k)"),
    ],
)
def test_renamed_variables_meet_at_k5_and_not_before(a: str, b: str) -> None:
    assert first(a, b) == "K5"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"y=ax+b", r"y=ax+a"),
        (r"F=ma", r"F=m+a"),
        (r"a=bc", r"a=bb"),
        (r"x^2+y^2=z^2", r"x^2+y^2=z^3"),
        (r"\sin a=b", r"\cos a=b"),
    ],
)
def test_renaming_keeps_what_is_equal_and_what_is_not(a: str, b: str) -> None:
    differ(a, b, "K5")


# -- 2 substitutions ------------------------------------------------------------------------------------------------------
def test_a_substituted_constant_is_not_seen_through_without_its_rule() -> None:
    differ(
        r"G_{\mu\nu}=-\Lambda g_{\mu\nu}+\kappa T_{\mu\nu}", r"G_{\mu\nu}=-\Lambda g_{\mu\nu}+aT_{\mu\nu}/\phi^4", "K4"
    )


# -- 3 scripts ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "label",
    ["_{eff}", "_{i}", "^{tot}", r"_{\rm max}", r"_{\mathrm{eff}}", r"^{\text{ext}}", "_0", "_{ij}", "^{(1)}", "_c"],
)
def test_labels_and_indices_go_at_k3(label: str) -> None:
    plain, labelled = "p=wR", f"p{label}=wR"
    assert first(plain, labelled) == "K3"


@pytest.mark.parametrize("power", ["^2", "^n", "^{-1}", "^{1/2}", "^{x+1}"])
def test_powers_never_go(power: str) -> None:
    for level in ("K1", "K2", "K3"):
        differ("p=wR", f"p{power}=wR", level)


def test_numbers_below_stay_where_they_tell_variables_apart() -> None:
    differ("v=v_0+at", "v_0=v+at", "K3")
    differ("x_1=ax_2", "x_1=ax_1", "K3")


def test_tensor_indices_keep_their_order() -> None:
    differ("R_{ab}=T_{ba}", "R_{ab}=T_{ab}", "K1")


# -- 4 shown arguments ----------------------------------------------------------------------------------------------------
def test_shown_arguments_go_at_k3() -> None:
    assert first(r"H(t)=\frac{\dot a(t)}{a(t)}", r"H=\frac{\dot a}{a}") == "K3"
    assert (
        first(r"R_{\mu\nu}-\frac12Rg_{\mu\nu}=\kappa(T)T_{\mu\nu}", r"R_{\mu\nu}-\frac12Rg_{\mu\nu}=\kappa T_{\mu\nu}")
        == "K3"
    )


def test_a_product_with_a_sum_stays_a_product() -> None:
    meet(["F=m(a+b)", "F=(a+b)m", "F=(b+a)m"], "K1")
    differ("F=m(a+b)", "F=m", "K3")
    differ("f(0)=1", "f=1", "K3")


# -- 5 constants elsewhere ------------------------------------------------------------------------------------------------
def test_klein_gordon_with_its_constants_in_other_places_meets_at_k4() -> None:
    assert first(KGE1, KGE6) == "K4"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("F=ma", r"a=\frac{F}{m}"),
        (r"\frac1f=\frac1u+\frac1v", r"f=\frac{uv}{u+v}"),
        (r"\left(P+\frac{a}{V^2}\right)(V-b)=RT", r"P=\frac{RT}{V-b}-\frac{a}{V^2}"),
        (r"T=2\pi\sqrt{\frac lg}", r"g=\frac{4\pi^2l}{T^2}"),
        ("v=\\sqrt{2gh}", "v^2=2gh"),
        ("a-b=c", "a=b+c"),
    ],
)
def test_rearranged_equations_meet_at_k4(a: str, b: str) -> None:
    assert keys(a).K4 == keys(b).K4
    differ(a, b, "K1")
    differ(a, b, "K3")


def test_k4_does_not_join_a_sum_with_a_product() -> None:
    differ("a=bc", "a=b+c", "K4")
    differ("a=b/d", "a=bd", "K4")


# -- 6 extra terms --------------------------------------------------------------------------------------------------------
def test_klein_gordon_with_a_damping_function_contains_the_core() -> None:
    assert containment(*(shapes(normal_forms(tex).normal[0]) for tex in (KGE8, KGE1)))[0] >= 0.75
    found = compare(KGE8, KGE1)
    assert found.relation == "variant"
    assert not found.same_concept


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (KGE1, r"F=G\frac{m_1m_2}{r^2}"),
        (KGE1, r"\sin^2x+\cos^2x=1"),
        (EFE1, r"\frac{dN}{dt}=-\lambda N"),
        (r"e^{i\pi}+1=0", KGE8),
    ],
)
def test_unlike_formulas_share_few_terms(a: str, b: str) -> None:
    assert containment(*(shapes(normal_forms(tex).normal[0]) for tex in (a, b)))[0] < 0.3


# -- 7 signs --------------------------------------------------------------------------------------------------------------
def test_a_sign_is_kept_up_to_k3_and_ignored_at_k4() -> None:
    a, b = r"\mathbf E=-\nabla\phi", r"\mathbf E=\nabla\phi"
    assert first(a, b) == "K4"
    assert not compare(a, b).same_concept


def test_the_overall_sign_does_not_matter_when_everything_is_on_one_side() -> None:
    assert keys("a-b=0").K4 == keys("b-a=0").K4
    assert compare("a-b+c=0", "b-a-c=0").same_concept


# -- 8 summation convention -----------------------------------------------------------------------------------------------
def test_five_spellings_of_the_wave_operator_meet_at_k2() -> None:
    meet(
        [
            r"\Box\varphi=0", r"\square\varphi=0", r"\partial_\mu\partial^\mu\varphi=0", r"\partial^\mu\partial_\mu\varphi=0", r"\partial^\nu\partial_\nu\varphi=0",
            r"\eta^{\mu\nu}\partial_\mu\partial_\nu\varphi=0", r"\nabla^a\nabla_a\varphi=0", r"\nabla_\mu\nabla^\mu\varphi=0",
            r"\eta^{\alpha\beta}\frac{\partial}{\partial x^\alpha}\frac{\partial}{\partial x^\beta}\varphi=0", r"g^{\mu\nu}\nabla_\mu\nabla_\nu\varphi=0", r"\partial^2\varphi=0",
        ],
        "K2",
    )  # fmt: skip


def test_dummy_indices_are_renamed_and_free_ones_are_not() -> None:
    meet([r"\partial_\mu F^{\mu\nu}=J^\nu", r"\partial_\alpha F^{\alpha\nu}=J^\nu"], "K2")
    meet([r"ds^2=g_{\mu\nu}dx^\mu dx^\nu", r"ds^2=g_{\alpha\beta}dx^\alpha dx^\beta"], "K2")
    differ(r"A_\mu B^\mu=0", r"A_\mu B^\nu=0", "K2")
    differ(r"\partial_\mu F^{\mu\nu}=J^\nu", r"\partial_\mu F^{\mu\nu}=J^\mu", "K2")


def test_bound_names_are_numbered() -> None:
    meet([r"S=\sum_{i=1}^nx_i^2", r"S=\sum_{k=1}^nx_k^2"], "K2")
    meet([r"F(s)=\int_0^\infty f(t)e^{-st}dt", r"F(s)=\int_0^\infty f(x)e^{-sx}\,\mathrm{d}x"], "K2")
    meet([r"\sum_{i,j}a_{ij}x_iy_j=0", r"\sum_{m,n}a_{mn}x_my_n=0"], "K2")
    meet([r"e=\lim_{n\to\infty}\left(1+\frac1n\right)^n", r"e=\lim_{m\to\infty}\left(1+\frac1m\right)^m"], "K2")
    differ(r"S=\sum_{i=1}^nx_i", r"S=\sum_{i=1}^nx_n", "K2")
    differ(r"S=\sum_{i=1}^nx_i", r"S=\sum_{i=1}^nx_j", "K2")


# -- 9 derivatives --------------------------------------------------------------------------------------------------------
FIRST = [
    r"\frac{du}{dt}=ku", r"\frac{\mathrm du}{\mathrm dt}=ku", r"\frac{d}{dt}u=ku", r"{du\over dt}=ku", r"du/dt=ku", r"\dot u=ku", r"\frac{\partial u}{\partial t}=ku",
    r"\frac{\partial}{\partial t}u=ku", r"\partial_tu=ku", r"\partial u/\partial t=ku", r"{\rm d}u/{\rm d}t=ku", r"\dfrac{du}{dt}=ku", r"u_{,t}=ku", r"\partial_{t}{u}=ku",
]  # fmt: skip
SECOND = [
    r"\frac{d^2u}{dt^2}=ku", r"\frac{\mathrm d^2u}{\mathrm dt^2}=ku", r"\frac{d^2}{dt^2}u=ku", r"{d^2u\over dt^2}=ku", r"d^2u/dt^2=ku", r"\ddot u=ku",
    r"\frac{\partial^2u}{\partial t^2}=ku", r"\frac{\partial^2}{\partial t^2}u=ku", r"\partial_t^2u=ku", r"\partial^2_tu=ku", r"\partial_t\partial_tu=ku", r"u_{tt}=ku",
    r"\partial_{tt}u=ku", r"\frac{d}{dt}\frac{du}{dt}=ku", r"\ddot{u}=ku",
]  # fmt: skip


def test_spellings_of_the_first_derivative_meet_at_k2() -> None:
    meet(FIRST, "K2")


def test_spellings_of_the_second_derivative_meet_at_k2() -> None:
    meet(SECOND, "K2")
    differ(FIRST[0], SECOND[0], "K3")


def test_primes_differentiate_by_the_argument_that_is_shown() -> None:
    meet([r"y''(x)=ky(x)", r"\frac{d^2y(x)}{dx^2}=ky(x)", r"\frac{d^2}{dx^2}y(x)=ky(x)"], "K2")
    meet([r"y''+y=0", r"\frac{d^2y}{dx^2}+y=0"], "K2")
    meet(
        [
            r"u_t=au_{xx}",
            r"\frac{\partial u}{\partial t}=a\frac{\partial^2u}{\partial x^2}",
            r"\partial_tu=a\partial_x^2u",
        ],
        "K2",
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("T_{ij}=0", r"\frac{\partial^2T}{\partial i\partial j}=0"),
        ("v_x=a", r"\frac{\partial v}{\partial x}=a"),
        ("R_{xx}=a", r"\frac{d^2R}{dx^2}=a"),
        ("u_t=a", "u_x=a"),
    ],
)
def test_letters_below_are_not_always_derivatives(a: str, b: str) -> None:
    differ(a, b, "K2")


def test_the_laplacian_has_one_form() -> None:
    meet(
        [
            r"\nabla^2\phi=0",
            r"\Delta\phi=0",
            r"\nabla\cdot\nabla\phi=0",
            r"\partial_i\partial_i\phi=0",
            r"\nabla^{2}\varphi=0",
        ],
        "K2",
    )
    meet(
        [
            r"\nabla\cdot\mathbf B=0",
            r"\operatorname{div}\mathbf B=0",
            r"\text{div}\,\vec B=0",
            r"{\rm div}\,\mathbf{B}=0",
        ],
        "K2",
    )
    meet([r"\nabla\times\mathbf E=0", r"\operatorname{rot}\mathbf E=0", r"\operatorname{curl}\vec E=0"], "K2")
    differ(r"\Delta x=v\Delta t", r"\nabla^2x=v\nabla^2t", "K2")
    differ(r"\nabla^4\varphi=0", r"\nabla^2\varphi=0", "K4")


def test_operators_in_parentheses_take_what_follows() -> None:
    meet([r"\left(\partial_t-\kappa\nabla^2\right)T=0", r"\partial_tT-\kappa\nabla^2T=0"], "K2")


# -- 10 differential and integral forms -----------------------------------------------------------------------------------
def test_integral_forms_are_not_claimed_equal() -> None:
    differ(r"\nabla\cdot\mathbf E=\rho/\varepsilon_0", r"\oint_S\mathbf E\cdot d\mathbf A=Q/\varepsilon_0", "K4")


# -- 12 tensors -----------------------------------------------------------------------------------------------------------
def test_a_tensor_is_not_its_letter() -> None:
    differ(r"G_{\mu\nu}=\kappa T_{\mu\nu}", r"G=\kappa T", "K2")


# -- 13 units -------------------------------------------------------------------------------------------------------------
def test_natural_units_meet_at_k4_with_a_note() -> None:
    assert first(EFE1, EFE2) == "K4"
    assert compare(EFE1, EFE2).same_concept
    assert "κ" in keys(EFE1).constants


def test_what_is_left_of_a_constant_is_flagged() -> None:
    assert keys("E=mc^2").K4 == keys("E=m").K4
    assert keys("E=mc^2").constants == ("c",)
    assert not compare("E=mc^2", "E=m").same_concept


# -- known false merges, and what must not be lost -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"a\star b=a\star c\implies b=c", r"b\star a=c\star a\implies b=c"),
        (r"0\times\infty", r"\infty\times0"),
        (r"(a,b)=\{x:a<x<b\}", r"[a,b]=\{x:a<x<b\}"),
        (r"[a,b)", r"(a,b]"),
        (r"F^{*}=G", r"F=G"),
        (r"f*g=h", r"fg=h"),
        (r"\mathbf T=a", r"T=a"),
        (r"\forall x(x\mathcal Ry\implies y\mathcal Rz)", r"\forall x(y\mathcal Rx\implies y\mathcal Rz)"),
        (r"aRb\Rightarrow\lnot(bRa)", r"aRb\Rightarrow\lnot(aRb)"),
        (r"AB=BA", r"AB=AB"),
        (r"[A,B]=AB-BA", r"[A,B]=AB-AB"),
        (r"<", r">"),
        (r"X_n\xrightarrow{p}X", r"X_n\xrightarrow{d}X"),
        (r"x\le y", r"y\le x"),
        (r"x\to y", r"y\to x"),
        (r"A\subset B", r"B\subset A"),
        (r"a-b=c", r"b-a=c"),
        (r"a/b=c", r"b/a=c"),
        (r"A^TA=I", r"AA^T=I"),
        (r"\mathbf A\mathbf B=\mathbf C", r"\mathbf B\mathbf A=\mathbf C"),
        (r"\mathbf a\times\mathbf b=\mathbf c", r"\mathbf b\times\mathbf a=\mathbf c"),
        (r"f\circ g=h", r"g\circ f=h"),
        (r"f^{(n)}=g", r"f^n=g"),
        (r"P(A|B)=c", r"P(B|A)=c"),
        (r"\sum_{i=1}^n a_i=0", r"\sum_{i=0}^n a_i=0"),
        (r"\sin^{-1}x=y", r"\frac{1}{\sin x}=y"),
        (r"a_{12}=b", r"a_{21}=b"),
        (r"n!=k", r"n=k"),
        (r"|x|=y", r"x=y"),
        (r"\lfloor x\rfloor=n", r"\lceil x\rceil=n"),
        (r"x=\pm y", r"x=y"),
        (r"\{a,b\}=c", r"(a,b)=c"),
        (r"\binom nk=a", r"\binom kn=a"),
        (r"\bar x=a", r"\hat x=a"),
    ],
)
def test_what_differs_in_mathematics_differs_at_k1_and_k2(a: str, b: str) -> None:
    differ(a, b, "K1")
    differ(a, b, "K2")


@pytest.mark.parametrize(
    "spellings",
    [
        [r"a=\frac bc", r"a={b\over c}", r"a=b/c", r"a=\dfrac{b}{c}", r"a=\tfrac bc", r"a=(b)/(c)", r"a={b}/{c}", r"\frac{b}{c}=a", r"a=bc^{-1}"],
        [r"E=\frac12mv^2", r"E=\frac{1}{2}m v^{2}", r"E=\frac{mv^2}{2}", r"E={1\over2}mv^2", r"E=mv^2/2", r"\tfrac12mv^2=E", r"E = \frac{m\,v^2}{2}\,."],
        [r"a+b=c", r"b+a=c", r"c=a+b", r"c = b + a\,,", r"{\displaystyle a+b=c}", r"\displaystyle c=\left(a+b\right)", r"$a+b=c$", r"a+b&=c"],
        [r"x\le y", r"y\ge x", r"x\leq y", r"x\leqslant y", r"y \geqslant x"],
        [r"x&lt;y", r"x<y", r"y>x", r"x \lt y"],
        [r"\mathrm{Var}(X)=E", r"\operatorname{Var}(X)=E", r"{\rm Var}(X)=E", r"\operatorname {Var}\left(X\right)=E"],
        [r"\sin(x)=y", r"\sin x=y", r"\mathrm{sin}\,x=y", r"\operatorname{sin}(x)=y", r"\sin\left(x\right)=y"],
        [r"a=b=c", r"c=b=a", r"b=a=c"],
        [r"m(a+b)=c", r"c=(b+a)m", r"m\cdot(a+b)=c", r"m\left[a+b\right]=c"],
        [r"a=\sqrt{b}", r"a=b^{1/2}", r"a=b^{\frac12}", r"a=\sqrt[2]{b}"],
        [r"A=\begin{pmatrix}a&b\\c&d\end{pmatrix}", r"A=\left(\begin{matrix}a&b\\c&d\end{matrix}\right)", r"A=\left(\begin{array}{cc}a&b\\c&d\end{array}\right)"],
        [r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"a=b,\quad c=d", r"c=d,\qquad a=b", r"\begin{cases}a=b\\c=d\end{cases}", r"\left\{\begin{array}{l}a=b\\c=d\end{array}\right."],
        [r"f(x)=x^2,\quad x>0", r"f(x)=x^2\text{ for }x>0", r"f(x)=x^2\qquad(x>0)", r"x^2=f(x),x>0", r"f(x)=x^2\mbox{ if }x>0"],
        [r"\mathbf F=q\mathbf E", r"\boldsymbol F=q\boldsymbol E", r"\bm{F}=q\bm{E}", r"{\bf F}=q{\bf E}", r"\boldsymbol{\mathbf{F}}=q\mathbf{E}"],
        [r"y'=f", r"y^{\prime}=f", r"y^\prime=f"],
    ],
)  # fmt: skip
def test_what_is_only_typography_meets_at_k1(spellings: list[str]) -> None:
    meet(spellings, "K1")


def test_vectors_meet_scalars_at_k3() -> None:
    assert first(r"\vec F=m\vec a", r"\mathbf F=m\mathbf a") == "K2"
    assert first(r"\vec F=m\vec a", r"F=ma") == "K3"
    assert first(r"\mathbf F=m\mathbf a", r"F=ma") == "K3"


# -- what one states beyond the other, sum signs and the wave operator: the forms of challenges 6, 7, 8 and 11 --------------------------------
@pytest.mark.parametrize(
    ("a", "b", "terms"),
    [
        (KGE8, KGE1, "further terms: G'(u)"),
        (r"u_{tt}+2\gamma u_t=c^2\nabla^2u", r"\psi_{tt}=c^2\nabla^2\psi", r"further terms: 2\gamma u_t"),
        (
            r"i\hbar\partial_t\psi=-\frac{\hbar^2}{2m}\nabla^2\psi+V\psi+g|\psi|^2\psi",
            r"i\hbar\partial_t\phi=-\frac{\hbar^2}{2m}\nabla^2\phi+V\phi",
            r"further terms: g|\psi|^2\psi",
        ),
    ],
)
def test_a_variant_names_the_terms_that_it_has_beyond_the_other(a: str, b: str, terms: str) -> None:
    for one, other in ((a, b), (b, a)):
        found = compare(one, other)
        assert found.relation == "variant"
        assert found.note.endswith(terms)


def test_terms_in_the_place_of_others_are_not_named_as_further_ones() -> None:
    assert "further" not in compare(r"u_{tt}-\Delta u+mu+P'(u)=0", KGE8).note


@pytest.mark.parametrize(
    ("several", "one", "which"),
    [
        (r"\nabla\cdot\mathbf{E}=4\pi\rho,\quad\nabla\cdot\mathbf{B}=0", r"\nabla\cdot\mathbf{E}=4\pi\rho", "1"),
        (r"x=vt,\ y=\frac12gt^2", r"y=g\frac{t^2}{2}", "2"),
        (
            r"\dot x=\sigma(y-x),\ \dot y=x(\rho-z)-y,\ \dot z=xy-\beta z",
            r"\dot z=xy-\beta z,\ \dot x=\sigma(y-x)",
            "1 and 3",
        ),
    ],
)
def test_an_equation_among_those_of_a_system_is_a_part_of_it(several: str, one: str, which: str) -> None:
    number = several.count("=")
    for a, b in ((several, one), (one, several)):
        found = compare(a, b)
        assert (found.relation, found.same_concept) == ("variant", False)
        assert found.note == f"one is among the {number} equations that the other states: number {which}"


AMPERE = r"\nabla\times\mathbf{B}=\mu_0\mathbf{J}+\mu_0\varepsilon_0\frac{\partial\mathbf{E}}{\partial t}"
FIELD = "F made of the electric field E and the magnetic field B"
CURRENT = "j made of the charge density ρ and the current density j"


@pytest.mark.parametrize(
    ("whole", "part", "which", "constituents"),
    [
        (r"\partial_\alpha F^{\alpha\beta}=\frac{4\pi}{c}j^\beta", AMPERE, "space", f"{FIELD} and {CURRENT}"),
        (r"F^{\mu\nu}{}_{,\mu}=J^\nu", r"\nabla\cdot\mathbf{E}=4\pi\rho", "time", f"{FIELD} and {CURRENT}"),
        (
            r"\partial_\lambda F_{\mu\nu}+\partial_\mu F_{\nu\lambda}+\partial_\nu F_{\lambda\mu}=0",
            r"\nabla\times\mathbf{E}=-\frac1c\frac{\partial\mathbf{B}}{\partial t}",
            "space",
            FIELD,
        ),
        (r"\partial_\mu\tilde F^{\mu\nu}=0", r"\nabla\cdot\mathbf{B}=0", "time", FIELD),
        (
            r"\varepsilon^{\alpha\beta\gamma\delta}\partial_\beta F_{\gamma\delta}=0",
            r"\nabla\cdot\mathbf{B}=0",
            "time",
            FIELD,
        ),
        (
            r"\Box A^\mu=\mu_0J^\mu",
            r"\nabla^2\phi-\frac1{c^2}\frac{\partial^2\phi}{\partial t^2}=-\frac\rho{\varepsilon_0}",
            "time",
            f"A made of the scalar potential φ and the vector potential A and {CURRENT}",
        ),
        (
            r"p^\mu=-\hbar k^\mu",
            r"E=-\hbar\omega",
            "time",
            "p made of the energy E and the momentum p and k made of the angular frequency ω and the wave vector k",
        ),
    ],
)
def test_a_component_form_is_a_part_of_the_index_form(whole: str, part: str, which: str, constituents: str) -> None:
    place = {"time": "part of time (component 0)", "space": "part of space (components 1 to 3)"}[which]
    for a, b in ((whole, part), (part, whole)):
        found = compare(a, b)
        assert (found.relation, found.same_concept) == ("variant", False)
        assert found.note == f"one is the {place} of the other, with {constituents}"


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        (r"\nabla_\mu F^{\mu\nu}=\mu_0J^\nu", rf"{AMPERE},\quad\nabla\cdot\mathbf{{E}}=\rho/\varepsilon_0"),
        (r"\partial_\mu J^\mu=0", r"\frac{\partial\rho}{\partial t}+\nabla\cdot\mathbf{J}=0"),
        (r"p^\mu p_\mu=m^2c^2", "E^2=p^2c^2+m^2c^4"),
    ],
)
def test_all_parts_of_an_index_form_are_the_same_up_to_units(whole: str, parts: str) -> None:
    found = compare(whole, parts)
    assert (found.relation, found.same_concept, found.loose) == ("rearranged", True, True)
    assert found.note.startswith("the same in parts of time and space, with ")


@pytest.mark.parametrize(
    ("whole", "other"),
    [
        (r"\partial_\alpha F^{\alpha\beta}=\mu_0j^\beta", AMPERE.replace("+", "-")),
        (r"\partial_\mu\tilde F^{\mu\nu}=0", r"\nabla\times\mathbf{E}=\frac{\partial\mathbf{B}}{\partial t}"),
        (r"\partial_\mu J^\mu=0", r"\frac{\partial\rho}{\partial t}+2\nabla\cdot\mathbf{J}=0"),
        (r"\partial_\mu T^{\mu\nu}=0", r"\nabla\cdot\mathbf{B}=0"),
        (r"\partial_\mu F^{\alpha\beta}=0", r"\nabla\cdot\mathbf{E}=0"),
        (r"\partial_\mu F_{\mu\nu}+\partial_\mu F_{\nu\mu}+\partial_\nu F_{\mu\mu}=0", r"\nabla\cdot\mathbf{B}=0"),
        (r"p^\mu k_\mu=m^2c^2", "E^2=p^2c^2+m^2c^4"),
        (r"p^\mu+A=k^\mu", r"\mathbf{p}=\mathbf{k}"),
    ],
)
def test_what_an_index_form_does_not_say_is_no_part_of_it(whole: str, other: str) -> None:
    assert "of the other, with" not in compare(whole, other).note
    assert "parts of time" not in compare(whole, other).note


def test_an_equation_that_is_not_among_those_of_a_system_is_no_part_of_it() -> None:
    assert "among" not in compare(r"x=vt,\ y=\frac12gt^2", "y=gt").note
    assert "among" not in compare(r"x=vt,\ y=\frac12gt^2", r"x=vt,\ y=gt^2").note


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"c=\sum_ia_ib_i", "c=a_ib_i"),
        (r"\sum_{i=1}^3\frac{\partial^2u}{\partial x_i^2}=f", r"\nabla^2u=f"),
        (r"y^i=\sum_jA^i_jx^j", r"y^i=A^i_jx^j"),
        (r"\sum_{k=1}^n\frac{\partial v_k}{\partial x_k}=0", r"\partial_kv_k=0"),
        (r"\left(\partial_t^2-\sum_i\partial_i\partial_i\right)\varphi=0", r"\left(\partial_t^2-\nabla^2\right)\varphi=0"),
    ],
)  # fmt: skip
def test_a_sum_over_an_index_that_stands_twice_is_left_out_by_convention(a: str, b: str) -> None:
    for one, other in ((a, b), (b, a)):
        found = compare(one, other)
        assert (found.relation, found.same_concept) == ("rearranged", True)
        assert found.note == "the same without the summation sign, by the summation convention"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"s=\sum_ix_i", "s=x_i"),  # stands once
        (r"s=\sum_ia_ib_ic_i", "s=a_ib_ic_i"),  # three times
        (r"s=\sum_iia_ib_i", "s=ia_ib_i"),  # a number of its own, too
        (r"f=\sum_{n=0}^\infty a_nb_n", "f=a_nb_n"),  # a series
        (r"s=\sum_{i=2}^na_ib_i", "s=a_ib_i"),  # not all of them
        (r"c=\sum_ia_ib_i", "c=a_i+b_i"),
    ],
)
def test_other_sums_keep_their_sign(a: str, b: str) -> None:
    assert not compare(a, b).same_concept


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"\Box\psi+m^2\psi=0", r"\frac{\partial^2\psi}{\partial t^2}-\nabla^2\psi+m^2\psi=0"),
        (r"\Box\psi-m^2\psi=0", r"\frac{\partial^2\psi}{\partial t^2}-\nabla^2\psi+m^2\psi=0"),
        (r"\partial_\mu\partial^\mu\phi=0", r"\frac{1}{c^2}\frac{\partial^2\phi}{\partial t^2}=\nabla^2\phi"),
    ],
)
def test_the_wave_operator_is_written_out_in_either_signature(a: str, b: str) -> None:
    found = compare(a, b)
    assert (found.relation, found.same_concept) == ("rearranged", True)
    assert found.note == "the same with □ written out, in one of its two signatures"


@pytest.mark.parametrize("other", [r"\frac{\partial^2\psi}{\partial t^2}+\nabla^2\psi+m^2\psi=0", r"\frac{\partial\psi}{\partial t}-\nabla^2\psi+m^2\psi=0"])  # fmt: skip
def test_the_wave_operator_has_no_other_sign_and_order(other: str) -> None:
    assert not compare(r"\Box\psi+m^2\psi=0", other).same_concept
