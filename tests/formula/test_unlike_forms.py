"""Unlike forms of one equation that mathematics joins with certainty, and what it leaves alone; kind by kind over pairs of our own."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from bot.formula import compare
from bot.formula.alignment.compare import compare_as_same, compare_as_variant, may_be_same
from bot.formula.alignment.forms.written_sums import match_written_sums
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "quality" / "unlike_forms.jsonl").read_text(encoding="utf-8").splitlines()
]
# Of so many pairs of one concept so many are told to be; the others need the list of concepts, or a person.
SAME = {
    "differential equation and solution": (6, 6),
    "natural units": (7, 8),
    "coordinates": (3, 6),
    "indices": (9, 9),
    "differential and integral form": (7, 7),
    "written out sum": (7, 8),
    "inverse functions": (4, 4),
    "exponential and logarithm": (6, 6),
    "complex and trigonometric": (1, 4),
    "rate and difference": (2, 5),
    "letters of another field": (0, 3),
    "brackets and operators": (0, 3),
    "equation and solution": (2, 3),
    "other coordinates": (0, 2),
    "index and vector form": (0, 2),
    "integral and differential form": (0, 2),
    "complex and real form": (0, 2),
    "vector and component": (0, 3),
    "sum and integral": (0, 2),
    "solved by an inverse function": (2, 2),
    "logarithm taken": (1, 2),
    "reciprocal quantity": (0, 2),
}


def test_unlike_forms_of_one_equation_are_told_by_kind() -> None:
    found: dict[str, list[bool]] = defaultdict(list)
    for row in PAIRS:
        if row["label"] == "same":
            compared = compare(row["a"], row["b"])
            assert compare_as_same(row["a"], row["b"]) == (compared if compared.same_concept else None), row
            assert compare_as_variant(row["a"], row["b"]) == (compared if compared.relation == "variant" else None), row
            found[row["kind"]].append(compared.same_concept)
            assert may_be_same(row["a"], row["b"]) or not found[row["kind"]][-1], row
    assert {kind: (sum(told), len(told)) for kind, told in found.items()} == SAME


def test_what_only_looks_like_another_form_is_not_joined() -> None:
    different = [(row["a"], row["b"]) for row in PAIRS if row["label"] == "different"]
    assert [pair for pair in different if compare(*pair).same_concept or compare(*pair[::-1]).same_concept] == []


@pytest.mark.parametrize(
    ("a", "b", "may"),
    [
        (r"a = b", r"\; a=b.", True),  # the same text
        (r"\frac{", r"\frac{", True),  # without a tree, too
        (r"\frac{", "E=mc^2", False),
        ("E=mc^2", r"E=\gamma mc^2", False),
        ("F=ma", "V=IR", False),  # only the shape
        ("E=mc^2", "E=m", True),  # units
        ("E=mc^2", "E=p", False),
        (r"F_i=ma_i", r"\mathbf F=m\mathbf a", True),
        (r"\frac{dN}{dt}=-\lambda N", r"N=Ce^{-\lambda t}", True),  # what it is solved for
        (r"\frac{dN}{dt}=-\lambda N", r"M=Ce^{-\lambda t}", False),
        (r"S=1+x+x^2+\cdots+x^n", r"S=\sum_{k=0}^{n}x^k", True),
        (r"S=1+x+x^2+\cdots+x^n", r"T=\frac{1-y^{n+1}}{1-y}", False),
        (r"\Box\phi=\rho", r"y=2x", True),  # its form is made for the other formula
        (r"F=k\frac{Qq}{r^2}", r"F=\frac{1}{4\pi\varepsilon_0}\frac{Qq}{r^2}", True),
    ],
)
def test_formulas_without_a_place_in_common_are_never_compared(a: str, b: str, may: bool) -> None:
    assert may_be_same(a, b) == may_be_same(b, a) == may
    assert may or not compare(a, b).same_concept


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        (
            r"\nabla\cdot\mathbf{D}=\rho",
            r"\oiint_{\partial V}\mathbf{D}\cdot\hat{\mathbf{n}}\,dS=\iiint_V\rho\,dV",
            "the same by the theorems of Gauss and Stokes, or with components written as vectors",
        ),
        (
            r"\Phi_B=\iint_S\mathbf{B}\cdot d\mathbf{S}",
            r"\Phi=\int_A\mathbf{B}\cdot\hat{\mathbf{n}}\,dA",
            "the same by the theorems of Gauss and Stokes, or with components written as vectors",
        ),
        (
            r"\mathbf{g}=-\nabla\phi",
            r"\phi(Q)-\phi(P)=-\int_P^Q\mathbf{g}\cdot d\mathbf{r}",
            "the same by the theorems of Gauss and Stokes, or with components written as vectors",
        ),
        (
            r"F=-\frac{dU}{dx}",
            r"\Delta U=-\int F\,dx",
            "the same by the theorems of Gauss and Stokes, or with components written as vectors",
        ),
        (r"L_i=\varepsilon_{ijk}r_jp_k", r"\vec L=\vec r\times\vec p", "the same with indices written as vectors"),
        (r"m_1+m_2+\dots+m_n=M", r"\sum_{j=1}^nm_j=M", "the same with the sum written out"),
        (r"E=\sqrt{p^2+m^2}", r"E=\sqrt{p^2c^2+m^2c^4}", "the same in units in which constants are 1"),
        (r"\dot{V}=-\frac{V}{\tau}", r"V=V_0e^{-t/\tau}", "one is the general solution of the other"),
    ],
)
def test_the_note_says_what_joins_them(a: str, b: str, note: str) -> None:
    for left, right in ((a, b), (b, a)):
        found = compare(left, right)
        assert (found.relation, found.same_concept, found.note) == ("rearranged", True, note)


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        (r"\dot{V}=-\frac{V}{\tau}", r"V=V_0e^{t/\tau}", "differs.solution"),
        (r"L_i=\varepsilon_{ijk}r_jp_k", r"\vec L=-\vec r\times\vec p", "differs.sign"),
        (r"\nabla\cdot\mathbf{B}=0", r"\oint_C\mathbf{B}\cdot d\mathbf{l}=0", "differs.operation"),
        (r"a=\frac{dv}{dt}", r"a=\frac{\Delta t}{\Delta v}", "differs.operation"),
        (r"E=\sqrt{p^2-m^2}", r"E=\sqrt{p^2c^2+m^2c^4}", "differs.sign"),
    ],
)
def test_what_differs_in_one_form_differs_decisively(a: str, b: str, code: str) -> None:
    found = compare(a, b)
    assert found.differs is not None
    assert (found.same_concept, found.differs.code) == (False, code)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # from here to there is no domain of its own
        (r"F=f", r"\int_a^bF\,dV=\int_a^bf\,dV"),
        # a charge is not an integral of a density until somebody says so
        (r"\nabla\cdot\mathbf{D}=\rho", r"\oint_S\mathbf{D}\cdot d\mathbf{A}=Q"),
        # one of many solutions says less, and other constants say nothing
        (r"\ddot{x}=-\omega^2x", r"x=\cos\omega t"),
        (r"\dot{N}=-\lambda N", r"N=N_0e^{-t/\tau}"),
        # a difference of two functions is a change of neither, and a flux out of a closed surface not one through any
        (r"\mathbf{g}=-\nabla\phi", r"\phi_2-\psi_1=-\int_1^2\mathbf{g}\cdot d\mathbf{r}"),
        (r"\Phi=\int_S\mathbf{B}\cdot d\mathbf{S}", r"\Phi=\oint_S\mathbf{B}\cdot\mathbf{n}\,dS"),
        # the particles of a sum are not components
        (r"p=\sum_{i=1}^Nm_iv_i", "p=mv"),
        # a mean is not a rate
        (r"a=\frac{dv}{dt}", r"a=\frac{\Delta v}{\Delta t}"),
        # one function has many series
        (r"S=1+\frac12+\frac14+\cdots", r"S=\sum_{n=1}^\infty\frac1{n^2}"),
        # two units at once, each set to one in another formula
        (r"E=\sqrt{p^2c^2+m^2}", r"E=\sqrt{p^2+m^2\hbar^2}"),
    ],
)
def test_what_is_not_certain_is_left_open(a: str, b: str) -> None:
    found = compare(a, b)
    assert not found.same_concept
    assert found.differs is None


@pytest.mark.parametrize(
    ("written", "series", "one"),
    [
        (r"S=x+x^2+\cdots", r"S=\sum_{n=1}^\infty x^n", True),
        (r"S=1+x+x^2+\cdots", r"S=\sum_{n=0}^\infty x^n", True),
        (r"S=x+x^2+\cdots+x^n", r"S=\sum_{k=1}^nx^k", True),
        (r"S=2!+3!+\cdots", r"S=\sum_{n=2}^\infty n!", True),
        (r"S=1+x+x^2+\cdots", r"S=\sum_{n=1}^\infty x^n", False),
        (r"S=x+\cdots", r"S=\sum_{n=1}^\infty x^n", False),
        (r"S=x+x^2+\cdots", r"S=\sum_{n=1}^mx^n", False),
        (r"S=x+x^2+\cdots+x^n", r"S=\sum_{k=1}^\infty x^k", False),
        (r"S=x+x^2+\cdots+x^n+y", r"S=\sum_{k=1}^nx^k", False),
        (r"S=x+x^2+\cdots", r"S=\sum_{n=a}^\infty x^n", False),
        ("S=x+x^2", r"S=\sum_{n=1}^2x^n", False),
        (r"S=x+x^2-\cdots", r"S=\sum_{n=1}^\infty x^n", False),
        (r"S=x-x^2+\cdots", r"S=\sum_{n=1}^\infty(-1)^{n+1}x^n", True),
        (r"S=x-x^2-\cdots", r"S=\sum_{n=1}^\infty(-1)^{n+1}x^n", False),
    ],
)
def test_a_sum_with_dots_is_the_series_whose_terms_it_writes(written: str, series: str, one: bool) -> None:
    left, right = normal_forms(written).normal[0][0], normal_forms(series).normal[0][0]
    whole = nodes.Relation(("=",), ("S", "%series"))
    assert match_written_sums(left, right) == match_written_sums(right, left) == ((whole, whole) if one else None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (r"S=\sum_{i=1}^n a_i b_i", r"S=\sum_i a_i b_i", True),
        (r"S=\sum_{i=1}^n a_i b_i", r"S=\sum_{i=0}^n a_i b_i", False),
        (r"I=\int r^2\,dm", r"I=\int_M r^2\,dm", True),
        (r"\mu=\frac1n\sum x", r"\mu=\frac{\sum_{i=1}^n x_i}{n}", True),
        (r"H=-\sum_i p_i\ln p_i", r"H=-\sum_{x\in X}p(x)\ln p(x)", True),
        (r"E=\sum_{i\ne j}a_i a_j", r"E=\sum_i a_i a_j", False),
        (r"E=\sum_{i>2}a_i b_i", r"E=\sum_i a_i b_i", False),
        (
            r"B(T)=\frac{a}{\lambda^5(e^{b/\lambda T}-1)}",
            r"B(\lambda,T)=\frac{a}{\lambda^5(e^{\frac{b}{\lambda T}}-1)}",
            True,
        ),
        (r"N(t)=N_0e^{-\lambda t}", r"\frac{N}{N_0}=e^{-\lambda t}", True),
        (r"y_{n+1}=y_n+hf(y_n)", r"y_{n+1}=y_n+hf(y_{n+1})", False),
        (r"c=\int_a^b(f+g)\,dx", r"c=\int_a^bf\,dx+\int_a^bg\,dx", True),
        (r"E=\int k\frac{\rho}{r}\,dV", r"E=k\int\frac{\rho}{r}\,dV", True),
    ],
)
def test_sums_and_integrals_of_which_less_is_said_are_the_same(one: str, other: str, same: bool) -> None:
    assert compare(one, other).same_concept is same
    assert compare(other, one).same_concept is same
