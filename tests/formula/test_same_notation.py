"""One formula as different authors typeset it has one key: brackets, primes, signs of definitions, words, bars, operators."""

import re
from collections.abc import Callable

import pytest

from bot.formula import compare, keys
from bot.formula.features.sides import sides
from bot.match.builtin import builtin_formulas

SAME = [
    # brackets only group
    (r"\sum_k [b_k - c] = d", r"\sum_k (b_k - c) = d"),
    (r"\prod_k \{1 - a_k\} = d", r"\prod_k (1 - a_k) = d"),
    (r"\int [f(x) - g(x)]^2 dx = d", r"\int (f(x) - g(x))^2 dx = d"),
    (r"\left[\frac{a}{b}\right]^2 = c", r"\left(\frac{a}{b}\right)^2 = c"),
    (r"\left[\sum_i F_i\right]^2 = c", r"\left(\sum_i F_i\right)^2 = c"),
    (r"-[a - b] = c", r"-(a - b) = c"),
    (r"[-1]^n = c", r"(-1)^n = c"),
    (r"d + [a - b] = c", r"d + (a - b) = c"),
    (r"c = [a - b]", r"c = a - b"),
    # primes
    (r"v_1' = a", r"v_1^{\prime} = a"),
    (r"v_1' = a", r"v'_1 = a"),
    (r"v_1' = a", r"{v'}_1 = a"),
    (r"v_1'^2 = a", r"{v'_1}^2 = a"),
    (r"v_1'^2 = a", r"v'^2_1 = a"),
    (r"f''_n(x) = a", r"f_n^{\prime\prime}(x) = a"),
    (r"f'^2(z) = a", r"(f'(z))^2 = a"),
    # signs
    (r"a \stackrel{\text{def}}{=} b", "a = b"),
    (r"a \overset{\mathrm{def}}{=} b", "a = b"),
    (r"a \stackrel{\Delta}{=} b", "a = b"),
    (r"a \mathrel{:=} b", "a = b"),
    (r"a {=} b", "a = b"),
    (r"X_n \stackrel{d}{\to} X", r"X_n \xrightarrow{d} X"),
    (r"X_n \overset{d}{\longrightarrow} X", r"X_n \xrightarrow{d} X"),
    # a function below a slash, and mathematics in a box of text
    (r"dt/a(t) = b", r"\frac{dt}{a(t)} = b"),
    (r"\dot a(t)/a(t) = b", r"\frac{\dot a(t)}{a(t)} = b"),
    (r"k/x_1(t) = b", r"\frac{k}{x_1(t)} = b"),
    (r"c/f(x)^2 = b", r"\frac{c}{f(x)^2} = b"),
    (r"c/E[X] = b", r"\frac{c}{E[X]} = b"),
    (r"c/(f\circ g)(x) = b", r"\frac{c}{(f\circ g)(x)} = b"),
    (r"k = |\mbox{\boldmath$v$}|", r"k = |\boldsymbol{v}|"),
    (r"{\boldmath $v$} = a", r"\boldsymbol{v} = a"),
    (r"k = \mbox{$|\bf v|$}", r"k = |\boldsymbol{v}|"),
    (r"x = a \quad\mbox{if $y_{1}>0$}", r"x = a \quad\text{if } y_1 > 0"),
    # dimensionless numbers
    (r"Re = \frac{\rho v L}{\mu}", r"\mathrm{Re} = \frac{\rho v L}{\mu}"),
    (r"N_{Re} = \frac{a}{b}", r"\mathrm{Re} = \frac{a}{b}"),
    (r"a = N_{\rm Re} b", r"a = \mathrm{Re} b"),
    (r"a = N_\mathrm{Nu} b", r"a = \mathrm{Nu} b"),
    # environments
    (r"\begin{equation}a = b\end{equation}", "a = b"),
    (r"\begin{equation*}\begin{split}a &= b\end{split}\end{equation*}", "a = b"),
    # calls
    (r"\text{Var}(X) = a", r"\operatorname{Var}(X) = a"),
    (r"\text{E}[X + Y] = a", r"\operatorname{E}(X + Y) = a"),
    (r"\mathbb{E}[X + Y] = a", r"\operatorname{E}(X + Y) = a"),
    (r"\text{Pr}(A) = a", "P(A) = a"),
    (r"\operatorname{Q}[X + Y] = a", r"\operatorname{Q}(X + Y) = a"),
    (r"a = k[x]", r"a = k(x)"),
    (r"P[A \cap B] = a", r"P(A \cap B) = a"),
    (r"P_l(\cos\theta) = a", r"P_l(\cos(\theta)) = a"),
    (r"\inf\{t > 0 \mid X_t = a\}", r"\inf\{t > 0 : X_t = a\}"),
    (r"\frac{d[\mathrm{A}]}{dt} = a", r"\frac{\mathrm d[\mathrm A]}{\mathrm dt} = a"),
    # where a value is taken, and what is constant
    (r"\left.\frac{dy}{dx}\right|_{x=0} = a", r"\frac{dy}{dx}\bigg|_{x=0} = a"),
    (r"\left.f(x)\right|_{x=0} = a", r"f(x)|_{x=0} = a"),
    (r"C = T\left(\frac{\partial S}{\partial T}\right)_V", r"C = T\frac{\partial S}{\partial T}\Big|_V"),
    # operators
    (r"\vec{\nabla} \cdot \vec{E} = a", r"\nabla \cdot \mathbf{E} = a"),
    (r"\boldsymbol{\nabla} \times \mathbf{E} = a", r"\nabla \times \mathbf{E} = a"),
    (r"\det\begin{pmatrix}a & b\\c & d\end{pmatrix} = D", r"\begin{vmatrix}a & b\\c & d\end{vmatrix} = D"),
    (r"a \equiv b\ (\mathrm{mod}\ n)", r"a \equiv b \pmod n"),
    (r"\sum_{n \ge 1} a_n = b", r"\sum_{n=1}^\infty a_n = b"),
    (r"\int_{\mathbb R} f dx = a", r"\int_{-\infty}^{\infty} f dx = a"),
    # differentials in italics
    (r"dU = T\,dS - p\,dV", r"\mathrm{d}U = T\,\mathrm{d}S - p\,\mathrm{d}V"),
    (r"dU = T\,dS - p\,dV", r"\mathrm dU = T\,\mathrm dS - p\,{\rm d}V"),
    (
        r"ds^2 = -dt^2 + \frac{dr^2}{1 - b/r} + r^2 d\Omega^2",
        r"\mathrm{d}s^2 = -\mathrm{d}t^2 + \frac{\mathrm{d}r^2}{1 - b/r} + r^2 \mathrm{d}\Omega^2",
    ),
    (r"ds^2 = g_{\mu\nu} dx^\mu dx^\nu", r"\mathrm{d}s^2 = g_{\mu\nu}\,\mathrm{d}x^\mu\,\mathrm{d}x^\nu"),
    (r"(ds)^2 = (dx)^2 + (dy)^2", r"\mathrm{d}s^2 = \mathrm{d}x^2 + \mathrm{d}y^2"),
    (r"\delta Q = T\,dS", r"\delta Q = T\,\mathrm{d}S"),
    (r"\delta Q = T\,dS", r"{\mathchar'26\mkern-12mu d}Q = T\,dS"),
    (r"dH = d(U + pV) = T\,dS", r"\mathrm{d}H = \mathrm{d}(U + pV) = T\,\mathrm{d}S"),
    (r"v_{\text{d}}\,dt = dx", r"v_{\text{d}}\,\mathrm{d}t = \mathrm{d}x"),
    # ranges of quantifiers
    (r"f(gh) = f(g)f(h)\quad\text{for all } g, h \in G", r"\forall g, h \in G:\ f(gh) = f(g)f(h)"),
    (r"f(gh) = f(g)f(h)\quad\forall g, h \in G", r"\forall g, h \in G,\ f(gh) = f(g)f(h)"),
    (r"f(x) = y\quad\forall x \in X, y > 0", r"\forall x \in X,\ \forall y > 0: f(x) = y"),
    (r"a_n = b\quad\text{for } n \ge 1", r"\forall n \ge 1\quad a_n = b"),
    # macros of packages, and names of wikis
    (r"\ket{a} = \abs{x}\norm{y}", r"|a\rangle = |x| \|y\|"),
    (r"\abs*{a} = \norm*{\vb*{x}}", r"|a| = \|\mathbf{x}\|"),
    (r"\braket{a|b} = \braket{a}{b}", r"\langle a|b\rangle = \langle a|b\rangle"),
    (r"\dv[2]{f}{x} = \pdv{f}{t} + \dv{x} g", r"\frac{d^2f}{dx^2} = \frac{\partial f}{\partial t} + \frac{d}{dx} g"),
    (r"\vb{a} = \set{x} + \mel{a}{H}{b}", r"\mathbf{a} = \{x\} + \langle a|H|b\rangle"),
    (r"\exist x \isin \reals \and \infin \sdot a", r"\exists x \in \mathbb{R} \land \infty \cdot a"),
    (r"E = mc² + 10⁻³a", r"E = mc^2 + 10^{-3}a"),
    (r"a^\dag a \rarr N", r"a^\dagger a \to N"),
    (r"N \lhd G", r"N \vartriangleleft G"),
    # operators
    (r"x = \arg\max_t f(t)", r"x = \operatorname*{arg\,max}_t f(t)"),
    (r"x = \arg\max_t f(t)", r"x = \underset{t}{\operatorname{argmax}}\, f(t)"),
    (r"x = \arg\min_t f(t)", r"x = \mathop{\mathrm{arg\,min}}_t f(t)"),
    (r"\limsup_{n \to \infty} a_n = b", r"\overline{\lim}_{n \to \infty} a_n = b"),
    (r"\liminf_{n \to \infty} a_n = b", r"\varliminf_{n \to \infty} a_n = b"),
    (r"\Re z = a", r"\operatorname{Re}(z) = a"),
    (r"\tan^{-1}\frac{y}{x} = a", r"\arctan\left(\frac{y}{x}\right) = a"),
    (r"\sinh^{-1} x = a", r"\operatorname{arsinh} x = a"),
    (r"\operatorname{Ker} f = a", r"\ker f = a"),
    (r"\operatorname{rk} A = \operatorname{sign} x", r"\operatorname{rank} A = \operatorname{sgn} x"),
    (r"\operatorname{var}(X) = a", r"\operatorname{Var}(X) = a"),
    (r"\left.F(x)\right|_a^b = c", r"[F(x)]_{x=a}^{x=b} = c"),
    (r"\int_{x=a}^{x=b} f(x)\,dx = c", r"\int_a^b f(x)\,dx = c"),
    (r"(\mathbf{u} \cdot \nabla)\mathbf{v} = a", r"\vec u \cdot \nabla\vec v = a"),
    (r"u_t = a \Delta u", r"\frac{\partial u}{\partial t} = a \nabla^2 u"),
    (r"|A - \lambda I| = 0", r"\det(A - \lambda I) = 0"),
    # letters and signs
    (r"\underline{F} = q\underline{E}", r"\vec F = q\vec E"),
    (r"f: \mathbf{R}^n \to \mathbf{R}", r"f: \mathbb{R}^n \to \mathbb{R}"),
    (r"\hat\imath = a", r"\hat i = a"),
    (r"\dot\rho = \frac{1}{i\hbar}[H, \rho]", r"\dot\rho = -\frac{i}{\hbar}[H, \rho]"),
    (r"S = k \sum_i p_i \ln\frac{1}{p_i}", r"S = -k \sum_i p_i \ln p_i"),
    (r"H = \log_2(1/p)", r"H = -\log_2 p"),
    (r"x > 0 \iff y > 0", r"x > 0 \text{ if and only if } y > 0"),
]
OTHER = [  # what looks like one of these and is not
    (r"a/b(x+1) = c", r"\frac{a}{b(x+1)} = c"),
    (r"1/2(a) = c", r"\frac{1}{2a} = c"),
    (r"Pr = 1 - P", r"\mathrm{Pr} = 1 - P"),  # a letter that is elsewhere, too
    (r"Ma = F", r"\mathrm{Ma} = F"),
    (r"N_{R} e = a", r"\mathrm{Re} = a"),
    (r"[\mathrm{A}]^2 = c", r"\mathrm{A}^2 = c"),  # of a concentration
    (r"\frac{[AB]^2}{[A]} = c", r"\frac{(AB)^2}{[A]} = c"),
    (r"[a, b]^2 = c", r"(a, b)^2 = c"),
    (r"f[a, b] = c", r"f(a, b) = c"),
    (r"|\frac{dy}{dx}|_{x=0} = a", r"\frac{dy}{dx}|_{x=0} = a"),
    (r"\hat{\nabla} f = a", r"\nabla f = a"),
    (r"v_1' = a", r"v_1 = a"),
    (r"X_n \stackrel{d}{\to} X", r"X_n \stackrel{p}{\to} X"),
    (r"S \stackrel{*}{\Rightarrow} w", r"S \Rightarrow w"),
    (r"P \stackrel{?}{=} Q", "P = Q"),
    (r"a(b + c) = d", r"a \equiv b \pmod c"),
    (r"\sum_{n \ge 2} a_n = b", r"\sum_{n=1}^\infty a_n = b"),
    (r"\int_{\mathbb C} f dx = a", r"\int_{-\infty}^{\infty} f dx = a"),
    (r"(a + bi)(c + di) = x", r"(a + bi)(c + \mathrm{d}i) = x"),
    (r"W = d F + m d", r"W = \mathrm{d}F + m d"),
    (r"\sum_{d = 1}^n d x + d y = z", r"\sum_{d = 1}^n \mathrm{d}x + \mathrm{d}y = z"),
    (r"\forall x\, \exists y: x < y", r"\exists y: x < y\quad\forall x"),
    (r"\sin^{-2} x = a", r"\arcsin x = a"),
    (r"\mathbf{R} = \mathbf{r}_1 + \mathbf{r}_2", r"\mathbb{R} = \mathbf{r}_1 + \mathbf{r}_2"),
    (r"\int_a^b f(x)\,dx = c", r"\int_b^a f(x)\,dx = c"),
    (r"\ln\frac{2}{p} = a", r"-\ln p = a"),
    (r"(\mathbf{u} \cdot \nabla)\mathbf{v} = a", r"(\mathbf{v} \cdot \nabla)\mathbf{u} = a"),
    (r"|x - \lambda| = 0", r"\det(x - \lambda) = 0"),
    (r"\sin hx = a", r"\sinh x = a"),
    (r"S = \frac{a}{in}", r"S = -\frac{ia}{n}"),
    (r"(\mathbf{u} \times \nabla)\mathbf{v} = a", r"(\mathbf{u} \cdot \nabla)\mathbf{v} = a"),
    (r"\bar z = a", r"\underline{z} = a"),
]


@pytest.mark.parametrize(("tex", "other"), SAME)
def test_one_formula_in_two_notations(tex: str, other: str) -> None:
    assert keys(tex).K2 == keys(other).K2


@pytest.mark.parametrize(("tex", "other"), OTHER)
def test_what_notation_tells_apart(tex: str, other: str) -> None:
    assert keys(tex).K2 != keys(other).K2


@pytest.mark.parametrize(
    ("tex", "other", "same"),
    [
        (r"S = k \log W", r"S = k \ln W", True),
        (r"a = \log^2 x", r"a = (\ln x)^2", True),
        (r"L = 10 \log\frac{P}{Q}", r"L = 10 \ln\frac{P}{Q}", False),
        (r"\mathrm{pH} = -\log a", r"\mathrm{pH} = -\ln a", False),
        (r"a = -\log[\mathrm{H}^+]", r"a = -\ln[\mathrm{H}^+]", False),
        (r"a = \log_3 x", r"a = \ln x", False),
    ],
)
def test_a_log_without_a_base_is_natural_unless_something_tells_ten(tex: str, other: str, same: bool) -> None:
    assert (keys(tex).K3 == keys(other).K3) == same
    assert compare(tex, other).same_concept == same


@pytest.mark.parametrize(
    "tex",
    [r"a \stackrel{\text{def}}{=} b", r"a \overset{!}{=} b", "a {=} b", r"a \mathrel{:=} b", r"a\ {\overset {\underset {\mathrm {def} }{}}{=}}\ b"],
)  # fmt: skip
def test_signs_in_braces_have_two_sides(tex: str) -> None:
    assert [side.strip("\\ ") for side in sides(tex)] == ["a", "b"]


def _replaced(pattern: str, by: str) -> Callable[[str], str]:
    return lambda tex: re.sub(pattern, by, tex)


@pytest.mark.parametrize(
    ("suits", "respelled", "least"),
    [
        (r"^[^,]*\\left\([^,]*$", lambda tex: tex.replace(r"\left(", r"\left[").replace(r"\right)", r"\right]"), 0.98),
        (r"\\left\(", lambda tex: tex.replace(r"\left(", "(").replace(r"\right)", ")"), 0.99),
        (r"^[^=:]*=[^=]*$", _replaced("=", r"\\mathrel{:=}"), 0.99),
        (r"^[^=:]*=[^=_]*$", _replaced("=", r"\\stackrel{\\text{def}}{=}"), 0.99),
        (r"'", _replaced("(?<!')'(?!['^])", r"^{\\prime}"), 0.98),
        (r"\\operatorname\{[A-Z][a-z]+\}\(", _replaced(r"\\operatorname\{([A-Z][a-z]+)\}(?=\()", r"\\text{\1}"), 0.95),
        (r"\\nabla", _replaced(r"\\nabla", r"\\vec{\\nabla}"), 0.98),
        (r".", lambda tex: rf"\begin{{equation}}{tex}\end{{equation}}", 1.0),
    ],
)  # fmt: skip
def test_formulas_of_the_list_in_other_notations(suits: str, respelled: Callable[[str], str], least: float) -> None:
    every = sorted(
        {tex for concept in builtin_formulas().values() for tex in concept.formulas if re.search(suits, tex)}
    )
    sample = every[:: max(1, len(every) // 150)]
    kept = [keys(tex).K2 == keys(respelled(tex)).K2 for tex in sample]
    assert len(sample) > 50
    assert sum(kept) >= least * len(kept)
