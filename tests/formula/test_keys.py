"""Keys: stable digests, levels that only loosen, and what they say about themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from bot.formula import LEVELS, FormulaError, keys
from bot.formula.normal.stages import normal_forms, recent_normal_forms


def test_there_are_seven_levels_of_hex_digests() -> None:
    found = keys("E=mc^2")
    assert LEVELS == ("K0", "K1", "K2", "K3", "K4", "K5", "K6")
    assert all(len(found.at(level)) == 32 and int(found.at(level), 16) >= 0 for level in LEVELS)
    assert len({found.at(level) for level in LEVELS}) == 7


def test_leaves_are_counted_and_equations_known() -> None:
    assert (keys("E=mc^2").leaves, keys("E=mc^2").equation) == (4, True)
    assert (keys("a+b").leaves, keys("a+b").equation) == (2, False)
    assert not keys("a=").equation


def test_keys_are_the_same_in_another_process() -> None:
    """Nothing in a key may hang on the hash seed."""
    tex = r"\sum_{i,j}a_{ij}x_ix_j=\frac{a+b+c}{\partial_t u}"
    code = f"from bot.formula import keys; print([keys({tex!r}).at(f'K{{n}}') for n in range(7)])"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": str(seed), "PATH": ""},
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in (1, 2)
    }
    assert len(runs) == 1


def test_no_tree_no_keys() -> None:
    with pytest.raises(FormulaError):
        keys("a\x00b")


def test_empty_input_has_keys() -> None:
    assert keys("").leaves == 0


def test_keys_name_what_the_looser_levels_leave_out() -> None:
    found = keys(r"\frac{1}{c^2}\partial_t^2u-\nabla^2u=0,\ x>0")
    assert (found.constants, found.signs, found.conditions) == (("c",), False, True)
    assert keys("a-b=c").signs


def test_equal_at_k1_is_equal_at_every_looser_level(shared_data: Path) -> None:
    """Levels up to K3 only loosen, and K4, K5 and K6 follow from K1."""
    groups: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            for tex in json.loads(line)["formulas"]:
                found = keys(tex)
                groups[found.K1].add((found.K2, found.K3, found.K4, found.K5, found.K6))
    assert all(len(group) == 1 for group in groups.values())


def test_k1_merges_no_unlike_formulas_of_the_items(shared_data: Path) -> None:
    """Read by eye: every group of formulas of different items that are not the same string is one formula in two settings."""
    groups: dict[str, set[str]] = defaultdict(set)
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            for tex in row["formulas"]:
                groups[keys(tex).K1].add("".join(tex.split()))
    unlike = [group for group in groups.values() if len(group) > 1]
    assert 10 <= len(unlike) <= 20, unlike


def same(one: str, other: str, level: str) -> bool:
    return keys(one).at(level) == keys(other).at(level)


def test_a_letter_under_an_inverse_keeps_its_index() -> None:
    assert not same("a_1^{-1}b=c", "a_2^{-1}b=c", "K2")
    assert not same("t=aH_0^{-1}", r"t=\frac{a}{H}", "K2")
    assert same("t=aH_0^{-1}", r"t=\frac{a}{H_0}", "K1")


def test_the_inverse_of_a_product_is_a_fraction_unless_it_is_one_of_matrices() -> None:
    assert same("x=a(bc)^{-1}", r"x=\frac{a}{bc}", "K1")
    assert not same(r"x=\mathbf{A}(\mathbf{B}\mathbf{C})^{-1}", r"x=(\mathbf{B}\mathbf{C})^{-1}\mathbf{A}", "K1")
    assert not same("x=(A^TA)^{-1}A^Tb", "x=A^Tb(A^TA)^{-1}", "K1")


def test_empty_scripts_are_none() -> None:
    assert same("x^{}+y_{}=z", "x+y=z", "K1")


def test_a_comma_below_is_a_derivative_whatever_letters_stand_elsewhere() -> None:
    assert not same(r"b_{,\sigma}=0", "b=0", "K3")
    assert same(r"b_{,\sigma}=0", r"\partial_\sigma b=0", "K2")


def test_a_name_in_a_group_is_the_operator() -> None:
    assert same(r"B={\rm curl}\,A", r"B=\operatorname{curl}A", "K2")


def test_commuting_variables_may_be_named_in_any_order() -> None:
    assert same("F=ma", "y=bx", "K5")
    assert same("F=ma+na", "y=bx+bz", "K5")
    assert not same("F=ma+na", "y=bx+cz", "K5")


def test_a_convolution_with_one_is_no_product() -> None:
    assert not same(r"\varepsilon*1=1", r"\varepsilon=1", "K2")
    assert same("3*x=y", "3x=y", "K1")


def test_an_arrow_keeps_the_alphabet_of_its_letter() -> None:
    assert not same(r"\vec{\mathcal{J}}=\sigma\vec{E}", r"\vec{J}=\sigma\vec{E}", "K2")
    assert same(r"\vec{J}=\sigma\vec{E}", r"\mathbf{J}=\sigma\mathbf{E}", "K2")


def test_mod_in_braces_is_mod() -> None:
    assert same(r"a=b{\bmod {7}}", r"a=b\bmod 7", "K1")
    assert not same(r"a_{\bmod 7}=b", r"a\bmod 7=b", "K1")
    assert not same(r"x=\{\bmod 2\}", r"x=\bmod 2", "K1")


@pytest.mark.parametrize(
    ("one", "other"),
    [("y=e^{ikx}", "y=e^{ixk}"), (r"y=\exp(ikx)", "y=e^{ikx}"), ("y=2^{nk}", "y=2^{kn}")],
)
def test_letters_above_e_or_a_number_are_a_product_and_no_indices(one: str, other: str) -> None:
    assert keys(one).K2 == keys(other).K2
    assert keys("y=T^{ij}").K2 != keys("y=T^{ji}").K2


@pytest.mark.parametrize(
    ("bare", "bracketed"),
    [
        # a derivative
        (r"y=\sin\theta\frac{\partial u}{\partial\theta}", r"y=\sin(\theta)\frac{\partial u}{\partial\theta}"),
        (r"y=\cos\theta\dfrac{d}{dt}f", r"y=\cos(\theta)\frac{d}{dt}f"),
        (r"y=\ln x\frac{d^2f}{dx^2}", r"y=\ln(x)\frac{d^2f}{dx^2}"),
        # an operator
        (r"y=\cosh u\partial_uf", r"y=\cosh(u)\partial_uf"),
        (r"y=\sin\theta\nabla f", r"y=\sin(\theta)\nabla f"),
        # a differential
        (r"A=\int\sin\theta\,d\theta\,d\phi", r"A=\int\sin(\theta)d\theta d\phi"),
        (r"y=\int\ln\frac{p}{q}\,d\mathbf{x}", r"y=\int\ln\left(\frac{p}{q}\right)d\mathbf{x}"),
        (r"ds^2=\sin^2\theta d\varphi^2", r"ds^2=\sin^2(\theta)d\varphi^2"),
        (r"y=\int\det A\,d^3x", r"y=\int\det(A)d^3x"),
        # a rate
        (r"v=r\cos\theta\,\dot\theta", r"v=r\cos(\theta)\dot\theta"),
        (r"v=r\sin\theta\,\ddot\theta", r"v=r\sin(\theta)\ddot\theta"),
        # a vector
        (r"y=\sin\omega t\,\mathbf{j}", r"y=\sin(\omega t)\mathbf{j}"),
        (r"y=\cos\theta\mathbf{E}_i", r"y=\cos(\theta)\mathbf{E}_i"),
        (r"y=\sin\theta\hat{\mathbf e}_\phi", r"y=\sin(\theta)\hat{\mathbf e}_\phi"),
        (r"y=\cos\theta\vec k", r"y=\cos(\theta)\vec k"),
        # a power of e
        (r"y=\sin\omega te^{-\gamma t}", r"y=\sin(\omega t)e^{-\gamma t}"),
        # a sum, an integral, a limit
        (r"H=\ln\lambda\sum_xp_x", r"H=\ln(\lambda)\sum_xp_x"),
        (r"y=\ln b\lim_{x\to0}b^x", r"y=\ln(b)\lim_{x\to0}b^x"),
    ],
)
def test_an_argument_without_parentheses_ends_where_no_writer_goes_on(bare: str, bracketed: str) -> None:
    assert keys(bare).K1 == keys(bracketed).K1


@pytest.mark.parametrize(
    ("bare", "bracketed"),
    [
        (r"y=\ln\frac{dy}{dx}", r"y=\ln\left(\frac{dy}{dx}\right)"),  # what stands next to it is argument
        (r"y=\ln\sin\frac{dy}{dx}", r"y=\ln\left(\sin\left(\frac{dy}{dx}\right)\right)"),
        (r"y=\sin\dot\theta", r"y=\sin(\dot\theta)"),
        (r"y=\sin kd", r"y=\sin(kd)"),  # a distance
        (r"y=\sin kd\,\sin\theta", r"y=\sin(kd)\sin(\theta)"),
        (r"y=\cos\pi\frac{d}{a}", r"y=\cos\left(\pi\frac{d}{a}\right)"),
        (r"y=\cos2\hat\theta", r"y=\cos(2\hat\theta)"),
        (r"y=\sin2e^x", r"y=\sin(2e^x)"),
        (r"y=\sin ae", r"y=\sin(ae)"),
        (r"y=\sin k\bar x", r"y=\sin(k\bar x)"),
        (r"N=\ln Ae^{kt}", r"N=\ln(Ae^{kt})"),
        (r"y=\operatorname{div}\rho\nabla\phi", r"y=\operatorname{div}(\rho\nabla\phi)"),
        (r"y=\operatorname{Tr}\rho\hat H", r"y=\operatorname{Tr}(\rho\hat H)"),
        (r"y=\ln\frac1n\sum_xx", r"y=\ln\left(\frac1n\sum_xx\right)"),
    ],
)
def test_an_argument_without_parentheses_goes_on_where_one_may_mean_it(bare: str, bracketed: str) -> None:
    assert keys(bare).K1 == keys(bracketed).K1


def test_keys_of_many_formulas_keep_few_trees_alive() -> None:
    normal_forms.cache_clear()
    for number in range(20):
        keys.__wrapped__(f"x_{{{number}}}=y")
    assert normal_forms.cache_info().currsize == 0
    assert recent_normal_forms.cache_info().currsize == 8
    assert normal_forms("x=y") is normal_forms("x=y") is recent_normal_forms("x=y")


@pytest.mark.parametrize("letter", ["x", "X", "r", "R", r"\xi"])
def test_a_derivative_by_a_coordinate_is_one_by_its_index(letter: str) -> None:
    assert keys(rf"\frac{{\partial f}}{{\partial {letter}_i}}").at("K2") == keys(r"\partial_i f").at("K2")


def test_an_accent_over_a_power_is_not_a_power_of_an_accented_letter() -> None:
    assert keys(r"\overline{x^2}=a").at("K2") != keys(r"\bar x^2=a").at("K2")
    assert keys(r"S=\sum_{k=1}^{j=n}a_k").at("K2") != keys(r"S=\sum_{k=1}^na_k").at("K2")


def test_a_derivative_by_another_letter_with_an_index_keeps_the_letter() -> None:
    by_place, by_momentum = (keys(rf"\frac{{\partial H}}{{\partial {letter}_i}}") for letter in "qp")
    assert by_place.at("K2") != by_momentum.at("K2")
    assert by_place.at("K2") != keys(r"\partial_i H").at("K2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"a={}_nC_k", r"a=\binom nk"),
        (r"a={}^nC_k", r"a=\binom nk"),
        (r"a=\operatorname{tg}x", r"a=\tan x"),
        (r"a=\lg^2x", r"a=\log_{10}^2x"),
        (r"a=\operatorname{Tr}A", r"a=\operatorname{tr}A"),
        (r"A=\{x:x>0\}", r"A=\{x\mid x>0\}"),
        *[
            (rf"y=A^{mark} x", "y=A^Tx")
            for mark in (r"\top", r"\intercal", r"\mathsf T", r"{\text{T}}", r"{\mathrm T}")
        ],
        (r"\Phi=\oint_S\mathbf E\cdot\hat{\mathbf n}\,dS", r"\Phi=\oint_S(\mathbf E\cdot\hat{\mathbf n})\,dS"),
        (r"P=\vec F\cdot\vec v\,\frac ab", r"P=(\vec F\cdot\vec v)\frac ab"),
        (r"S=\sum_{k=1}^{k=n}a_k", r"S=\sum_{k=1}^na_k"),
        (r"\hat{y_i}=a", r"\hat y_i=a"),
        (r"\overline{x_{i+1}}^2=a", r"\bar x_{i+1}^2=a"),
    ],
)
def test_what_is_written_in_several_ways_is_one_in_k2(one: str, other: str) -> None:
    assert keys(one).K2 == keys(other).K2


def test_an_isotope_is_no_binomial() -> None:
    assert keys(r"a={}^4C_2").K2 != keys(r"a=\binom42").K2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"I=\sum_i m r_i^2", r"I=m\sum_i r_i^2"),
        (r"\bar x=\sum_{i=1}^n \frac{x_i}{n}", r"\bar x=\frac1n\sum_{i=1}^n x_i"),
        (r"F=\sum_k -a_k", r"F=-\sum_k a_k"),
        (r"V=\pi\int_a^b f(x)^2\,dx", r"V=\int_a^b\pi f(x)^2\,dx"),
        (r"\phi=\frac{1}{4\pi\epsilon_0}\int\frac{\rho\,dV}{r}", r"\phi=\int\frac{\rho\,dV}{4\pi\epsilon_0 r}"),
        (r"f'=\lim_{h\to0}\frac{f(x+h)-f(x)}{h}", r"f'=\lim_{h\to0}\frac1h\left(f(x+h)-f(x)\right)"),
        (r"y=\lim_{n\to\infty}a x_n", r"y=a\lim_{n\to\infty}x_n"),
        (r"M=\iiint_V\rho\,dV", r"M=\int_V\rho\,dV"),
        (r"A=\int\int_D f\,dx\,dy", r"A=\iint_D f\,dx\,dy"),
        (r"\Phi=\int_{\partial V}E\,dS", r"\Phi=\oint_{\partial V}E\,dS"),
        (r"W=\oint_C P\,dx+Q\,dy", r"W=\oint_C(P\,dx+Q\,dy)"),
        (r"y=\int_a^b -f\,dx", r"y=-\int_a^b f\,dx"),
        (r"\Phi=\int_V\nabla\cdot F\,dV", r"\Phi=\int_V(\nabla\cdot F)\,dV"),
        (r"a=v\cdot\nabla v", r"a=(v\cdot\nabla)v"),
        (r"\operatorname{cl} S=A", r"\operatorname{cl}(S)=A"),
        (r"S=\sum_{1\le i\le n}a_i", r"S=\sum_{i=1}^n a_i"),
        (r"\zeta=\sum_n n^{-s}", r"\zeta=\sum_n\frac1{n^s}"),
        (r"(\sin x)^2=y", r"\sin^2x=y"),
        (r"t=\sin(x)/\cos(x)", r"t=\frac{\sin x}{\cos x}"),
        (r"d=||x-y||", r"d=\|x-y\|"),
        (r"a\equiv1\pmod p", r"a\equiv1\mod p"),
        (r"A=\{x\in X\mid f(x)=0\}", r"A=\{x\in X:f(x)=0\}"),
        (
            r"y=\begin{cases}x&x\ge0\\-x&x<0\end{cases}",
            r"y=\begin{cases}x,&\text{if }x\ge0\\-x,&\text{if }x<0\end{cases}",
        ),
        (r"\ell=2", "l=2"),
        (r"\Pr(A\mid B)=x", r"\mathbb{P}(A|B)=x"),
        (r"S=k\log_e W", r"S=k\ln W"),
    ],
)
def test_sums_integrals_and_operators_have_one_notation(one: str, other: str) -> None:
    assert keys(one).K2 == keys(other).K2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"W=p\int dV", r"W=\int p\,dV"),  # p may depend on V
        (r"y=\sum_i a_i b_i", r"y=a_i\sum_i b_i"),
        (r"y=\prod_i 2a_i", r"y=2\prod_i a_i"),
        (r"y=\sum_i x^T A_i x", r"y=x^Tx\sum_i A_i"),
        (r"y=\sum_i\mathbf{a}\mathbf{b}_i\mathbf{c}", r"y=\mathbf{a}\mathbf{c}\sum_i\mathbf{b}_i"),
        (r"y=\sum_i x_i^TA", r"y=A\sum_i x_i^T"),  # beside a transposed matrix all may be matrices
        (r"y=\sum a b", r"y=a\sum b"),  # over what is not said
        (r"y=\int_V f\,dx", r"y=\oint_V f\,dx"),
        (r"y=\mathrm{BHN} D", r"y=\mathrm{BHN}(D)"),
        (r"y=\int f\,dx+g", r"y=\int (f\,dx+g)"),
        (r"|x||y|=c", r"\|xy\|=c"),
        ("a^{-T}=b", r"\frac{1}{a^T}=b"),
        ("e^{-x}A=b", r"\frac{1}{A^x}=b"),
    ],
)
def test_what_may_depend_on_a_bound_name_stays_under_its_sign(one: str, other: str) -> None:
    assert keys(one).K2 != keys(other).K2


def test_operators_keep_their_names_where_variables_are_renamed() -> None:
    assert keys(r"P=\operatorname{Spec} R").K5 != keys(r"P=\operatorname{Proj} R").K5
    assert keys(r"P=\operatorname{Spec} R").K5 == keys(r"Q=\operatorname{Spec}(S)").K5
