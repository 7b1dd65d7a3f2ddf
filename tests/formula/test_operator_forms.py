"""Means, commutators, sums of logarithms and recurrences in one form; values that contradict each other; operators that act on a product."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.formula import check, compare
from bot.formula.alignment.compare import may_be_same
from bot.formula.drawing.plain_text import plain_text
from bot.formula.quantities.formula_symbols import formula_symbols

ONE_FORM = "the same with means, commutators, vector operators, labels and sums of logarithms in one form"
SHIFTED = "the same with the index starting at another number"


@pytest.mark.parametrize(
    ("a", "b", "note"),
    [
        (r"H(X)=-\sum_ip_i\log_2(p_i/q_i)", r"H=\sum_ip_i\log_2\frac{q_i}{p_i}", ONE_FORM),
        (r"D=\sum_xP(x)\ln\frac{P(x)}{Q(x)}", r"D=-\sum_xP(x)\ln\frac{Q(x)}{P(x)}", ONE_FORM),
        (r"\sigma^2=E[X^2]-E[X]^2", r"\sigma^2=\langle X^2\rangle-\langle X\rangle^2", ONE_FORM),
        (
            r"\langle R_i\rangle=R_f+\beta_i(\langle R_m\rangle-R_f)",
            r"\mathbb E[R_i]-R_f=\beta_i(\mathbb E[R_m]-R_f)",
            ONE_FORM,
        ),
        (r"[\hat x,\hat p]=i\hbar", r"\hat x\hat p-\hat p\hat x=i\hbar", ONE_FORM),
        (
            r"\dot{\mathbf B}=\operatorname{rot}\mathbf A+\eta\Delta\mathbf B",
            r"\dot{\mathbf B}=\nabla\times\mathbf A+\eta\nabla^2\mathbf B",
            ONE_FORM,
        ),
        (r"\frac{d\mathbf M}{dt}=\gamma\mathbf M\times\mathbf B", r"\dot{\vec M}=-\gamma\vec B\times\vec M", ONE_FORM),
        (r"I=I_{\rm cm}+Md^2", r"I_{cm}=I-Md^2", ONE_FORM),
        (r"\Gamma(z+1)=z\Gamma(z)", r"\Gamma(z)=(z-1)\Gamma(z-1)", SHIFTED),
        (r"F_n=F_{n-1}+F_{n-2}", r"F_{n+2}=F_{n+1}+F_n", SHIFTED),
        (r"\binom nk=\binom{n-1}{k-1}+\binom{n-1}k", r"\binom{n+1}k=\binom nk+\binom n{k-1}", SHIFTED),
        (r"nP_n=(2n-1)xP_{n-1}-(n-1)P_{n-2}", r"(n+1)P_{n+1}=(2n+1)xP_n-nP_{n-1}", SHIFTED),
    ],
)
def test_what_is_written_in_one_form_is_the_same(a: str, b: str, note: str) -> None:
    for found in (compare(a, b), compare(b, a)):
        assert (found.relation, found.same_concept, found.note) == ("rearranged", True, note)


@pytest.mark.parametrize(
    ("a", "b", "relation", "note"),
    [
        (r"T=2\pi\sqrt{\frac{a^3}{\mu}}", r"n^2a^3=\mu,\quad n=\frac{2\pi}T", "rearranged", "n = 2π/T"),
        (r"u_C(t)=U(1-e^{-t/(RC)})", r"u_C=U-Ue^{-t/\tau},\quad\tau=RC", "rearranged", "τ = RC"),
        (r"r=\frac{a(1-e^2)}{1+e\cos\nu}", r"r=\frac{p}{1+e\cos\theta},\quad p=a(1-e^2)", "renamed", "p = a(1 - e²)"),
    ],
)
def test_what_a_formula_defines_beside_its_equation_is_put_in(a: str, b: str, relation: str, note: str) -> None:
    for found in (compare(a, b), compare(b, a)):
        assert (found.relation, found.same_concept) == (relation, True)
        assert found.note.startswith(f"equal after substituting {note}: ")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"u=U(1-e^{-t/(RC)})", r"u=U(1+e^{-t/\tau}),\quad\tau=RC"),
        (
            r"p_c=1-\frac1{R_0}",
            r"R_0=\frac\beta\gamma,\quad p_c=1-\frac1{R_0}",
        ),  # what is defined first stands in no equation before
        (r"t=\frac{\ln2}\lambda", r"T=\tau\ln2,\quad\tau=\frac1\lambda"),  # renamed, and too short for that
    ],
)
def test_what_is_defined_makes_no_other_equation_equal(a: str, b: str) -> None:
    for found in (compare(a, b), compare(b, a)):
        assert found.same_concept is False


@pytest.mark.parametrize(
    ("a", "b", "relation", "code"),
    [
        (r"H(X)=-\sum_ip_i\log_2p_i", r"H=-\sum_ip_i\log_2\frac{1}{p_i}", "variant", "differs.sign"),
        (r"F_n=F_{n-1}+F_{n-2}", r"F_{n+2}=F_{n+1}+2F_n", "different", "differs.factor"),
        (r"\{a,a^\dagger\}=1", r"[a,a^\dagger]=1", "different", "differs.operation"),
        (r"[\hat x,\hat p]=i\hbar", r"\hat p\hat x-\hat x\hat p=i\hbar", "different", None),
        (r"y=\frac{x}{x-1}", r"y=\frac{x+1}{x}", "different", "differs.sign"),  # no recurrence
        # the same letters and as many terms, but not equal
        (r"\chi^2=\sum_i\frac{(O_i-E_i)^2}{E_i}", r"\chi^2=\sum_i\frac{(O_i-E_i)^2}{O_i}", "variant", "differs.value"),
        (r"\int_a^bf(x)dx=F(b)-F(a)", r"\int_a^bf(x)dx=F(a)-F(b)", "variant", None),  # under an integral names run
        (r"g(x)=F(b)-F(a)", r"g(x)=F(a)-F(b)", "variant", "differs.place"),
        (r"dW=F\,dx", "W=Fx", "different", None),
        (r"P=\frac Wt", r"P=\frac{\Delta W}{\Delta t}", "variant", None),  # a mean is no other quantity
        (
            r"\dot{\mathbf M}=\gamma\mathbf M\times\mathbf B",
            r"\dot{\mathbf M}=\gamma\mathbf B\times\mathbf M",
            "variant",
            "differs.place",
        ),
        # a transform and its inverse
        (r"f(x)=\int F(k)e^{ikx}dk", r"F(k)=\int f(x)e^{-ikx}dx", "different", "differs.value"),
        (r"q=\int i\,dt", r"i=\frac{dq}{dr}", "different", None),
        # labels and arguments in other places
        (r"P(A|B)=\frac{P(B|A)P(A)}{P(B)}", r"P(A|B)=\frac{P(B|A)P(B)}{P(A)}", "variant", "differs.place"),
        (r"E(R_i)=R_f+\beta_i(E(R_m)-R_f)", r"E(R_i)=R_m+\beta_i(E(R_f)-R_m)", "variant", "differs.place"),
        (r"y_{n+1}=y_n+hf(y_n)", r"y_{n+1}=y_n+hf(y_{n+1})", "variant", "differs.value"),
        (r"C_{n+1}=\sum_{k=0}^nC_kC_{n-k}", r"C_n=\sum_{k=0}^nC_kC_{n-k}", "variant", "differs.value"),
        # another value by the same letters
        (r"f(x)=\lambda e^{-\lambda x}", r"F(x)=1-e^{-\lambda x}", "different", "differs.value"),
        (r"h=\int_0^1f\ln f\,dx", r"h=\int_0^\infty f\ln f\,dx", "different", "differs.value"),
        (r"T=2\pi\sqrt{\frac lg}", r"f=\frac1{2\pi}\sqrt{\frac gl}", "different", None),  # of the reciprocal
        (r"q=\sqrt{\frac km}", r"f=\frac1{2\pi}\sqrt{\frac km}", "different", None),  # by a number
        (r"v=\frac{dx}{dt}", r"v=xt", "different", None),  # what cannot be computed
        # a special case, and a term that one has alone
        (r"v=\frac{VS}{K+S}", r"v=\frac{VS^n}{K+S^n}", "different", "differs.special"),
        ("E=mc^2", r"E=\gamma mc^2", "different", "differs.special"),
        ("v=at+b", "v=at", "different", None),
    ],
)
def test_what_says_something_else_differs(a: str, b: str, relation: str, code: str | None) -> None:
    for found in (compare(a, b), compare(b, a)):
        assert (found.relation, found.same_concept) == (relation, False)
        assert (found.differs.code if found.differs else None) == code


@pytest.mark.parametrize(
    ("a", "b", "relation"),
    [
        (r"\frac{d}{d\theta}\sin\theta\frac{du}{d\theta}=0", r"\frac{d}{d\theta}\left(\sin\theta\frac{du}{d\theta}\right)=0", "typographic"),
        (r"\frac{d}{dt}mv=F", r"F=\frac{d(mv)}{dt}", "typographic"),
        (r"\int\frac{d}{dx}fg\,dx=2", r"\int\frac{d(fg)}{dx}dx=2", "typographic"),
        (r"\frac{d}{dr}r\frac{d}{dr}R+R=0", r"\frac{d}{dr}\left(r\frac{dR}{dr}\right)+R=0", "typographic"),
        (r"\frac{d}{dx}f+gh=1", r"\frac{df}{dx}+gh=1", "typographic"),
        (r"a\frac{d}{dx}\frac{d}{dx}f=0", "af''=0", "notation"),
        (r"\partial_tab=c", r"b\partial_ta=c", "typographic"),  # the operator of one letter acts on the next factor
        (r"\frac{d}{dx}fg=c", r"g\frac{df}{dx}=c", "different"),
        (r"x^2\frac{d^2y}{dx^2}+x\frac{dy}{dx}+(x^2-n^2)y=0", r"x^2y''+xy'+(x^2-\alpha^2)y=0", "renamed"),
    ],
)  # fmt: skip
def test_an_operator_acts_on_all_factors_behind_it(a: str, b: str, relation: str) -> None:
    assert compare(a, b).relation == compare(b, a).relation == relation


@pytest.mark.parametrize(
    ("equation", "solution", "same"),
    [
        ("y''=k^2y", "y=Ae^{kx}+Be^{-kx}", True),
        ("y''=k^2y", "y=Ae^{kx}+Be^{kx}", False),
        ("y''=k^2y", "y=ABe^{kx}", False),
        (r"\ddot x=-\omega^2x", r"x=A\cos(\omega t+\varphi)", True),
        (r"\ddot x=-\omega^2x", r"x=A\cos\omega t+B\cos\omega t", False),
        ("y'=ky", "y=ABe^{kx}", True),  # one constant is enough
        ("y'=1", "y=x+C-C", False),
    ],
)
def test_the_constants_of_a_general_solution_are_free_of_each_other(equation: str, solution: str, same: bool) -> None:
    assert compare(equation, solution).same_concept == compare(solution, equation).same_concept == same


@pytest.mark.parametrize(
    ("tex", "letters"),
    [
        (r"H=\frac{d\ln a}{dt}", "H a t"),
        (r"H=\frac{d^2\ln a}{dt^2}", "H a t"),
        ("A^T=B", "A B"),
        (r"A^{\mathsf T}A=B^{-T}", "A B"),
        ("P=Ae^T", "P A T"),
        ("P=(1+r)^T", "P r T"),
        (r"d=\frac{a}{b}", "d a b"),
    ],
)
def test_the_d_of_a_derivative_and_the_mark_of_a_matrix_are_no_symbols(tex: str, letters: str) -> None:
    assert [symbol.letter for symbol in formula_symbols(tex)] == letters.split()


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"s=\sum_ip_iw_i\log\frac{x_i}{p_iw_i}", r"t=-\sum_jq_jv_j\log(q_jv_j/y_j)"),
        (r"H(p)=-p\log\frac pa-(1-p)\log\frac{1-p}a", r"h(q)=q\log\frac bq+(1-q)\log\frac{b}{1-q}"),
    ],
)
def test_what_is_equal_in_one_form_up_to_its_letters_is_renamed(a: str, b: str) -> None:
    for found in (compare(a, b), compare(b, a)):
        assert (found.relation, found.note) == ("renamed", f"{ONE_FORM}; and with other symbols")
    assert may_be_same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"x_{k+1}=Ax_k+Bu_k", r"y_k=Cx_k+Du_k"),
        (
            r"r_s=\frac{n_1\cos\theta_i-n_2\cos\theta_t}{n_1\cos\theta_i+n_2\cos\theta_t}",
            r"r_p=\frac{n_2\cos\theta_i-n_1\cos\theta_t}{n_2\cos\theta_i+n_1\cos\theta_t}",
        ),
    ],
)
def test_a_letter_at_two_steps_keeps_its_name_and_the_same_letters_in_other_places_are_not_renamed(
    a: str, b: str
) -> None:
    assert not compare(a, b).same_concept
    assert not compare(b, a).same_concept


def test_formulas_of_one_shape_with_a_letter_elsewhere_differ_in_value() -> None:
    found = compare(r"\frac{TP}{TP+FP}", r"\frac{TP}{TP+FN}")
    assert (found.same_concept, found.differs and found.differs.code) == (False, "differs.value")
    assert compare("E=kT", r"p=\hbar k").differs is None


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (r"f_0=\frac{1}{2\pi\sqrt{LC}}", r"\omega_0=\frac{1}{\sqrt{LC}}", True),
        (r"\nu=\frac{1}{2\pi}\sqrt{\frac km}", r"\omega=\sqrt{\frac km}", True),
        (r"\omega=\frac{2\pi}{T}", r"f=\frac1T", False),
        (r"f=\sqrt{\frac km}", r"\omega=\sqrt{\frac km}", False),
    ],
)
def test_an_angular_frequency_is_two_pi_times_a_frequency(a: str, b: str, same: bool) -> None:
    found = compare(a, b)
    assert (found.same_concept, found.relation == "rearranged") == (same, same)


def test_over_pairs_of_many_fields_mathematics_alone_joins_nothing_falsely() -> None:
    rows = [
        json.loads(line)
        for line in (Path(__file__).parents[1] / "quality/fields.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    joined = [row["label"] for row in rows if compare(row["a"], row["b"]).same_concept]
    assert (joined.count("same"), joined.count("different")) == (79, 0)


@pytest.mark.parametrize(
    ("tex", "mended"),
    [
        (r"\ket0+\ket{1}", r"|0\rangle +|1\rangle "),
        (r"\textcolor{blue}{a}+b", "{a}+b"),
        (r"\pdv[2]{u}{x}=\dv{x}{t}", r"\frac{\partial^{2}u}{\partial x^{2}}=\frac{dx}{dt}"),
        (r"\vb{F}=m\vb{a}", r"\mathbf{F}=m\mathbf{a}"),
    ],
)
def test_macros_of_physics_and_colours_are_mended(tex: str, mended: str) -> None:
    assert check(tex).mended.strip() == mended.strip()


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"\xrightarrow[T]{n}", "→_Tⁿ"),
        (r"\overline{AB}=C", "A\u0305B\u0305 = C"),
        (r"\underbrace{x+y}_{n}=z", "x + yₙ = z"),
    ],
)
def test_lines_and_arrows_are_legible_as_text(tex: str, text: str) -> None:
    assert plain_text(tex) == text
