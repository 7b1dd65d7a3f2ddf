"""What a formula alone tells of its notation: quantifiers in their order, sides of limits, plain TeX, units, chemistry, logic."""

import pytest

from bot.formula import keys

SAME = [
    # quantifiers and negation
    (r"\forall u\,\forall v\; R(u,v)", r"\forall v\,\forall u\; R(u,v)"),
    (r"\forall_u \exists_v R(u,v)", r"\forall u\,\exists v\; R(u,v)"),
    (r"\exists! u\; Q(u)", r"\exists_1 u\; Q(u)"),
    (r"\exists! u\; Q(u)", r"\exists^1 u\; Q(u)"),
    # from which side
    (r"\lim_{h\to0^+} g(h) = b", r"\lim_{h\downarrow 0} g(h) = b"),
    (r"\lim_{h\to0^+} g(h) = b", r"\lim_{h\searrow 0} g(h) = b"),
    (r"\lim_{h\to0^+} g(h) = b", r"\lim_{h\to0+} g(h) = b"),
    (r"\lim_{x\to c^-} g(x) = b", r"\lim_{x\uparrow c} g(x) = b"),
    (r"\lim_{x\to c^-} g(x) = b", r"\lim_{x\to c-0} g(x) = b"),
    (r"B = \varprojlim_k B_k", r"B = \lim_{\longleftarrow\,k} B_k"),
    (r"B = \varprojlim B_k", r"B = \underleftarrow{\lim} B_k"),
    (r"B = \varinjlim B_k", r"B = \lim_{\longrightarrow} B_k"),
    (r"\forall u\,\exists v\; R(u,v)", r"(\forall u)(\exists v)\, R(u,v)"),
    (r"\neg\forall u\; Q(u)", r"\neg(\forall u)\, Q(u)"),
    (r"\forall r > 0\ \exists M:\ |g_M| < r", r"(\forall r > 0)(\exists M):\ |g_M| < r"),
    (r"\exists t\in T:\ g(t) = 0", r"(\exists t\in T)\ g(t) = 0"),
    # signs of logic
    (r"\neg(a \lor b) \leftrightarrow \neg a \land \neg b", r"\sim(a \lor b) \leftrightarrow \sim a \land \sim b"),
    (r"a \land (b \lor c)", r"a\,\&\,(b \lor c)"),
    # plain TeX and Unicode
    (r"\sqrt[3]{x+y} = z", r"\root 3 \of {x+y} = z"),
    (r"g(x) = \begin{cases}1 & x > 0\\0 & x \le 0\end{cases}", r"g(x) = \cases{1&$x > 0$\cr 0&$x \le 0$\cr}"),
    (
        r"g(x) = \begin{cases}1 & \text{if } x > 0\\0 & \text{otherwise}\end{cases}",
        r"g(x) = \cases{1&if $x > 0$\cr 0&\text{otherwise}\cr}",
    ),
    (r"B = \begin{pmatrix}1 & c\\0 & 1\end{pmatrix}", r"B = \pmatrix{1&c\cr 0&1\cr}"),
    (r"B = \begin{pmatrix}1 & c\\0 & 1\end{pmatrix}", r"B = \left(\matrix{1&c\cr 0&1}\right)"),
    (r"T = \frac12 m v^2 + \frac14 c", r"T = ½ m v^2 + ¼ c"),
    (r"t = \frac{-p \pm \sqrt{p^2 - 4q}}{2}", "t = (-p ± √(p^2 - 4q))/2"),
    (r"d = a\sqrt{2}", "d = a√2"),
    (
        r"{m\brace j} = {a\brack b} + \binom{c}{d}",
        r"\left\{{m\atop j}\right\} = \left[{a\atop b}\right] + \left({c\atop d}\right)",
    ),
    (r"\binom{a}{b} = {c\brack d}", r"\genfrac{(}{)}{0pt}{}{a}{b} = \genfrac{[}{]}{0pt}{}{c}{d}"),
    (r"y = \sin(x) + \log(x)", "y = sin(x) + log(x)"),
    (r"\operatorname{Cov}(X, Y) = c", "Cov(X, Y) = c"),
    (r"\theta = t\,{}^{\circ}\mathrm{C}", r"\theta = t\,\text{℃}"),
    # packages
    (r"\left(a + b\right)^2 = [c + d]", r"\qty(a + b)^2 = \bqty{c + d}"),
    (r"{}^{40}_{19}\mathrm{K} = a", r"\prescript{40}{19}{\mathrm{K}} = a"),
    # left scripts, stars and slashes
    (r"B^T B = C", r"{}^t\!B\,B = C"),
    (r"C B^T = D", r"C\,{}^{\mathrm t}B = D"),
    (r"(BC)^T = C^T B^T", r"{}^T(BC) = {}^TC\,{}^TB"),
    (r"\star F = G", r"{*F} = G"),
    (r"F \wedge {\star G} = a", r"F \wedge *G = a"),
    (r"\slashed{q} - m = 0", r"\not q - m = 0"),
    (r"\slashed{q} - m = 0", r"\not{q} - m = 0"),
    # numbers with units
    (r"a = 1.602 \times 10^{-19}", r"a = 1{,}602 \times 10^{-19}"),
    (r"a = 1.602 \times 10^{-19}", r"a = 1.602\mathrm{e}{-19}"),
    (r"a = 1.602 \times 10^{-19}", "a = 1.602E-19"),
    (r"a = 0.5 + 1.234", r"a = 0{,}5 + 1{,}234"),
    (r"v = 5\ \mathrm{m\,s^{-1}}", r"v = 5\,\mathrm{m/s}"),
    (r"v = 5\ \mathrm{m\,s^{-1}}", r"v = \SI{5}{\metre\per\second}"),
    (r"c = 4.18\,\mathrm{J/(g\,K)}", r"c = 4.18\ \mathrm{J\,g^{-1}\,K^{-1}}"),
    (r"c = 4.18\,\mathrm{kJ/(kg\cdot K)}", r"c = \qty{4.18}{\kilo\joule\per\kilogram\per\kelvin}"),
    (r"g = \SI{9.8}{m/s^2}", r"g = \qty{9.8}{\metre\per\second\squared}"),
    (r"b = \num{2.9e-3}", r"b = 2.9\times10^{-3}"),
    # chemistry
    (r"\ce{2CO + O2 -> 2CO2}", r"2\mathrm{CO} + \mathrm{O_2} \rightarrow 2\mathrm{CO_2}"),
    (r"\ce{Zn -> Zn^2+ + 2e-}", r"\mathrm{Zn} \to \mathrm{Zn^{2+}} + 2e^-"),
    (r"\ce{Zn -> Zn^2+ + 2e-}", r"\mathrm{Zn} \to \mathrm{Zn^{++}} + 2e^-"),
    (r"\ce{Ag+ + Cl- <=> AgCl}", r"\mathrm{Ag^+ + Cl^- \rightleftharpoons AgCl}"),
    (r"v = k\ce{[NO]^2[O2]}", r"v = k[\mathrm{NO}]^2[\mathrm{O_2}]"),
    # functions and their arguments
    (r"\mathcal{L}\{g\} = G", r"\mathcal{L}[g] = G"),
    (r"P(X > c) = a", r"\Pr\{X > c\} = a"),
    (r"E[X Y] = a", r"E\{X Y\} = a"),
    (r"c = \max(a, b)", r"c = \max\{a, b\}"),
    (r"|G| = |\mathrm{GF}(q)^n|", r"|G| = |\mathbb{F}_q^n|"),
    (r"m = \operatorname{Tr}(\rho B)", r"m = \operatorname{Sp}(\rho B)"),
    (r"{}_2F_1(a,b;c;x) = y", "F(a,b;c;x) = y"),
    (r"|B \cup C| \le |B| + |C|", r"\#(B \cup C) \le \#B + \#C"),
    (r"\mathbf{v} = (a, b, c)", r"\mathbf{v} = \langle a, b, c\rangle"),
    # sums and intervals
    (r"s = \sum_{i,j} b_{ij}", r"s = \sum_i \sum_j b_{ij}"),
    (r"s = \sum_{i,j} b_{ij}", r"s = \sum_{ij} b_{ij}"),
    (r"s = \sum_{i,j=1}^m b_i c_j", r"s = \sum_{i=1}^m \sum_{j=1}^m b_i c_j"),
    (r"x \in (a, b)", r"x \in {]a, b[}"),
    (r"x \in (a, b] \cup [c, d)", r"x \in \left]a, b\right] \cup [c, d["),
    # congruences, lines, conditions
    (r"b \equiv c \pmod m", r"b \equiv_m c"),
    (r"b \equiv c \pmod m", r"b \equiv c\ (m)"),
    (r"r = b \bmod m", r"r = b\,\%\,m"),
    (r"AB \parallel CD", r"AB /\!/ CD"),
    (r"\min_x g(x)\quad\text{subject to}\quad h(x) \le 0", r"\min_x g(x)\quad\text{s.t.}\quad h(x) \le 0"),
    (r"Y_i \overset{\text{iid}}{\sim} G", r"Y_i \sim \text{i.i.d.}\ G"),
    (r"Y_n \xrightarrow{p} c", r"Y_n \overset{\mathbb P}{\to} c"),
]
OTHER = [  # what looks like one of these and is not, at K3
    (r"\forall u\,\exists v\; R(u,v)", r"\exists v\,\forall u\; R(u,v)"),
    (r"\forall u\,\exists v\; u < v", r"\exists v\,\forall u\; u < v"),
    (r"\forall_u \exists_v R(u,v)", r"\exists_v \forall_u R(u,v)"),
    (r"\neg\exists u\; Q(u)", r"\exists u\; \neg Q(u)"),
    (r"\neg p q", r"p \neg q"),
    (r"\exists! u\; Q(u)", r"\exists u\; Q(u)"),
    (r"Y_n \xrightarrow{d} Y", r"Y_n \xrightarrow{P} Y"),
    (r"Y_n \overset{d}{\to} Y", r"Y_n \to Y"),
    (r"Y \overset{d}{=} Z", "Y = Z"),
    (r"\lim_{h\to0^+} g(h) = b", r"\lim_{h\to0^-} g(h) = b"),
    (r"\lim_{h\to0^+} g(h) = b", r"\lim_{h\to0} g(h) = b"),
    (r"g(0^+) - g(0^-) = b", r"g(0^-) - g(0^+) = b"),
    (r"B = \varprojlim B_k", r"B = \lim_{\longrightarrow} B_k"),
    (r"(\forall u\; Q(u)) \Rightarrow r", r"\forall u\; (Q(u) \Rightarrow r)"),
    (r"\mathbb{P}(\exists k \ge m) \le a", r"\mathbb{P} \exists k \ge m \le a"),
    (r"(\forall^\infty n)\, P(n)", r"(\forall n)\, P(n)"),
    (r"a \sim b \land b \sim c", r"a \neg b \land b \neg c"),
    (r"Y \sim 5 \to Z", r"Y \neg 5 \to Z"),
    (r"x^t B = c", r"B^T x = c"),
    (r"z^{\underline{n}} = a", "z^n = a"),
    (r"z^{\underline{n}} = a", r"z^{\overline{n}} = a"),
    ("(z)_n = a", "z_n = a"),
    (r"e^{\overline{n}} = a", "(e)_n = a"),
    (r"{m\brace j} = a", r"{m\brack j} = a"),
    (r"N(1{,}602, 3.5) = a", "N(1.602, 3.5) = a"),
    (r"a = 1{,}602", "a = 1.602"),
    (r"2e - 3 = a", r"2\times10^{-3} = a"),
    (r"v = 5\,\mathrm{m/s}", r"v = 5\,\mathrm{m\,s}"),
    (r"x = \mathrm{S/N}", r"x = \mathrm{S\,N^{-1}}"),  # a ratio by its name
    (r"\ce{Zn^2+ -> Zn}", r"\ce{Zn+ -> Zn}"),
    (r"\ce{CO + H2 -> C}", r"\ce{Co + H2 -> C}"),
    (r"\inf\{g(t) : t > 0\} = a", r"\inf(g(t) : t > 0) = a"),
    (r"m = \operatorname{Sp}(2n)", r"m = \operatorname{Tr}(2n)"),
    (r"m = \operatorname{Sp}(V)", r"m = \operatorname{Tr}(V)"),
    (r"{}_1F_2(a;b,c;x) = y", r"{}_2F_1(a,b;c;x) + z = y"),
    (r"\#a + b", "|a| + b"),
    (r"\langle\mathbf u, \mathbf v\rangle = a", r"(\mathbf u, \mathbf v) = a"),
    (r"\langle u, v\rangle = a", r"(u, v) = a"),
    (r"s = \sum_{i=1}^m \sum_{j=1}^n b_{ij}", r"s = \sum_{i,j=1}^m b_{ij}"),
    (r"s = \sum_i \sum_{j<i} b_{ij}", r"s = \sum_{i,j} b_{ij}"),
    ("a = [X,[Y,Z]]", "a = [X,Y),Z]]"),
    (r"x \in [a, b[", "x \\in [a, b]"),
    (r"p\% q = a", r"p \bmod q = a"),
    (r"X /\!/ G = Y", r"X \parallel G = Y"),  # a quotient
    (r"f(x\mid y) = c", "f(x) = c"),
    (r"f(x,\theta) = f(x\mid\theta) g(\theta)", r"f(x,\theta) = f(x) g(\theta)"),
]
SAME_WITHOUT_ARGUMENTS = [
    (r"g(x; \mu, \sigma^2) = \prod_i h_i", r"g(x\mid\mu, \sigma^2) = \prod_i h_i"),
    (r"L(\theta; x) = \prod_i f(x_i; \theta)", r"L(\theta\mid x) = \prod_i f(x_i\mid\theta)"),
]


@pytest.mark.parametrize(("tex", "other"), SAME)
def test_one_formula_as_two_authors_write_it(tex: str, other: str) -> None:
    assert keys(tex).K2 == keys(other).K2


@pytest.mark.parametrize(("tex", "other"), OTHER)
def test_what_only_looks_like_it(tex: str, other: str) -> None:
    assert keys(tex).K3 != keys(other).K3


@pytest.mark.parametrize(("tex", "other"), SAME_WITHOUT_ARGUMENTS)
def test_parameters_behind_a_bar_or_a_semicolon(tex: str, other: str) -> None:
    assert keys(tex).K3 == keys(other).K3


def test_a_coordinate_below_a_bracket_is_a_derivative_where_letters_have_them_too() -> None:
    same = keys(r"\partial_t\rho+\partial_x(\rho u)=0")
    assert keys(r"\rho_t+(\rho u)_x=0").K2 == same.K2
    assert keys(r"\rho_t+(\rho u)_y=0").K3 != same.K3
    assert keys(r"(w_t+ww_x)_x+w_{yy}=0").K3 != keys(r"(w_t+ww_x)_y+w_{yy}=0").K3
    # components of a vector product are no derivatives
    assert keys(r"(ab)_x=a_yb_z").K3 == keys(r"(ab)=ab").K3
