from __future__ import annotations

import pytest
from propose_records import TODAY, entry, settings, world

from bot.formula import check
from bot.propose.build import build
from bot.propose.trimming import members, trimmed
from bot.records import Evidence


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"v=\frac{s}{t}\quad\text{or}\quad s=vt", r"v=\frac{s}{t}"),
        (r"v=s/t,\text{so}\,ds=v\,dt", "v=s/t"),
        (r"v^2=2as\;(\text{constant}\,a)", "v^2=2as"),
        (r"\displaystyle v=\displaystyle\frac{s}{t_{}}", r"v=\frac{s}{t}"),
        (r"P(\text{head})=p", r"P(\text{head})=p"),  # no remark behind the formula
        (r"f=\begin{cases}a & \text{or}\\ b\end{cases}", r"f=\begin{cases}a & \text{or}\\ b\end{cases}"),
        (r"v=s/t\quad\text{for }t>0", r"v=s/t\quad\text{for }t>0"),  # a condition
        (r"x'=x-vt\quad\text{and}\quad t'=t", r"x'=x-vt\quad\text{and}\quad t'=t"),  # a second equation
        (r"J\equiv mu\;\text{or}\;mu=J", r"J\equiv mu"),
        (r"a\;\text{or}\;b=c", r"a\;\text{or}\;b=c"),  # nothing is stated before
        (r"P\propto T\,\text{or}\,P=kT", r"P\propto T"),
        (r"s=vt+a(t-u)(\text{constant}\,a)", "s=vt+a(t-u)"),
        (r"s=at^{2}(\text{starting at rest})", "s=at^{2}"),
        (r"E=\frac{hc}{\lambda}\text{(energy of a photon)}", r"E=\frac{hc}{\lambda}"),
        (r"A=(a+b)(\text{height})", r"A=(a+b)(\text{height})"),
        (r"I=\frac{U}{R}=\frac{\text{12 V}}{\text{4.0 V}}=3.0\,\mu\text{A}", r"I=\frac{U}{R}"),
        (r"U/I=\text{constant}\qquad(T\text{ fixed})", r"U/I=\text{constant}"),
        (r"v=gt\quad\text{(from rest at } h)", "v=gt"),
        (r"b_k=\frac{4}{k}\quad(k\text{ odd})", r"b_k=\frac{4}{k}\quad(k\text{ odd})"),  # a condition of a number
        (r"v=gt\quad(2.7a)", "v=gt"),  # the equation's number
        (r"a\equiv b\quad(7)", r"a\equiv b\quad(7)"),  # a modulus
        (r"q=CU\implies U=\frac{q}{C}", "q=CU"),
        (r"2\pi rB=\mu I\quad\Longrightarrow\quad B=\frac{\mu I}{2\pi r}", r"B=\frac{\mu I}{2\pi r}"),
        (r"u+w=v+w\Rightarrow u=v", r"u+w=v+w\Rightarrow u=v"),  # the implication is what is said
        (
            r"\omega^2=gk\Rightarrow c=\sqrt{g/k}",
            r"\omega^2=gk\Rightarrow c=\sqrt{g/k}",
        ),  # nor does one follow by moving terms
        (r"\rho=\frac{\text{mass of it}}{\text{volume}}=\frac{m}{V}", r"\rho=\frac{m}{V}"),
        (
            r"\rho=\frac{\text{mass}}{\text{volume}}=\text{constant}",
            r"\rho=\frac{\text{mass}}{\text{volume}}=\text{constant}",
        ),
        (r"q=\frac{\text{height}}{2}=\frac{h}{2}", r"q=\frac{\text{height}}{2}=\frac{h}{2}"),  # a single word says more
        (r"R=\frac{2GM}{c^2}\approx 2.95\,\frac{M}{M_\odot}\,\mathrm{km}", r"R=\frac{2GM}{c^2}"),
        (r"PV=k_1\quad\text{at const.}\;T", "PV=k"),
        (r"V\propto n\text{ at constant }T\text{ and }P", r"V\propto n"),
        (r"\gamma(t)=\sigma(t,v)\text{ for fixed }v", r"\gamma(t)=\sigma(t,v)\text{ for fixed }v"),
        (r"u\ge w\iff x=y;\blacksquare", r"u\ge w\iff x=y"),
        (r"a=b\quad\square", "a=b"),
        (r"D=\,\square", r"D=\,\square"),  # the operator
        (r"\Delta f=0\qquad {\mbox{or}}\qquad f=\nabla g", r"\Delta f=0"),
        (r"\sum c\ {\text{ converges }}=r", r"\sum c\ {\text{ converges }}=r"),
        (r"a=0\quad\text{if}\quad i<j\quad\text{or}\quad i>k", r"a=0\quad\text{if}\quad i<j\quad\text{or}\quad i>k"),
        (r"\dot c=F\text{, where }\theta=-u", r"\dot c=F"),
        (r"P=Q\ \text{or}\ P\neq Q", r"P=Q\ \text{or}\ P\neq Q"),
        (r"F(t)=P(X)\,\text{i.e}.,\,\text{any}", "F(t)=P(X)"),
        (r"\Delta U=Q-W\,\,\mathrm {(sign\,convention\,of\,Clausius)}", r"\Delta U=Q-W"),
        (r"\text{Complement}:A'=\{x|x\notin A\}", r"A'=\{x|x\notin A\}"),
        (r"\text{Area}:=\pi r^2", r"\text{Area}:=\pi r^2"),
        (r"\text{(average lifetime)}=1.4t", r"\text{(average lifetime)}=1.4t"),
        (r"\text{Spec}:A\to B,x\mapsto y=x", r"\text{Spec}:A\to B,x\mapsto y=x"),
        (r"r(x,y)=\frac{a}{b},\;|r(x,y)|\leq 1", r"r(x,y)=\frac{a}{b}"),
        (r"p=\frac{k}{n},\ 0\le p\le 1", r"p=\frac{k}{n}"),
        (r"r=\frac{a}{b},\,|r|\leq 1", r"r=\frac{a}{b}"),
        (r"r=\frac{ar}{b},|r|\leq 1", r"r=\frac{ar}{b},|r|\leq 1"),
        (r"x=\sin y,|y|\leq 1", r"x=\sin y,|y|\leq 1"),  # what it is defined for
        (r"S=k\ln W,S\ge 0", r"S=k\ln W,S\ge 0"),
        (r"\begin{aligned}&f(k)\\&=\int g\,dx\end{aligned}", r"f(k) =\int g\,dx"),
        (r"\begin{array}{l}\theta=\frac{s}{r} \\ \Rightarrow s=\theta r\end{array}", r"\theta=\frac{s}{r}"),
        (r"\begin{array}{rcl}E & = & mc^{2} \\ E & = & 2\,\text{kg}\times 3.0\,\text{m}\end{array}", "E=  mc^{2}"),
        (
            r"\begin{array}{l}y=A\sin x \\ y=A\cos x\end{array}",
            r"\begin{array}{l}y=A\sin x \\ y=A\cos x\end{array}",
        ),  # two formulas
        (r"d=x-y=2.\text{0 m}-6.\text{0 m}=-4.\text{0 m}", "d=x-y"),
    ],
)
def test_what_an_editor_would_store_is_kept(tex: str, value: str) -> None:
    assert trimmed(tex) == value
    assert trimmed(value) == value


CHAINS = [
    # numbers of an example
    (r"p=\frac{F}{A}=\frac{12\,\text{N}}{3.0\,\text{m}^2}=4.0\,\text{Pa}", r"p=\frac{F}{A}"),
    (r"n=\frac{N}{V}=\frac{60}{8}=7.5", r"n=\frac{N}{V}"),
    (r"Z_0=\sqrt{\mu_0/\varepsilon_0}\approx 377\ \Omega", r"Z_0=\sqrt{\mu_0/\varepsilon_0}"),
    (r"m_P=\sqrt{\hbar c/G}\approx 2\times 10^{-8}\,\mathrm{kg}", r"m_P=\sqrt{\hbar c/G}"),
    (r"F=ma=m\frac{dv}{dt}=3\,\mathrm{N}", r"F=ma=m\frac{dv}{dt}"),
    # members that only work out the first
    (r"q=(u+w)^2=u^2+2uw+w^2", r"q=(u+w)^2"),
    (r"T_n\equiv\frac{n(n+1)}{2}=\sum_{k=1}^{n}k,\quad n\ge 1", r"T_n\equiv\frac{n(n+1)}{2},\quad n\ge 1"),
    (r"f(x)=\ln\frac{x}{1-x}\ =\ \ln x-\ln(1-x)", r"f(x)=\ln\frac{x}{1-x}"),
    # what stands there already
    (r"V(X)=V(X)=U-W=0", "V(X)=U-W=0"),
    (r"t=\frac{s}{v}=\frac{s}{v}=u", r"t=\frac{s}{v}=u"),
    # not to be told
    (r"q=u^2+2uw+w^2=(u+w)^2", None),  # the shorter one may be the result
    (r"S=S_1+S_2=S_2+S_1", None),  # the quantity itself stands on both sides
    (r"d=2.5t=1.5\,\mathrm{m}", None),  # an example throughout
    (r"y=\frac{a}{b}=\frac{2a}{2b}\leq 1", None),  # a bound is not a remark
    (r"W=Fs=\frac{1}{2}mv^2", None),  # another quantity
    (r"s=vt=3.0t\,\text{m}", None),  # half worked out
    (r"E=hf=1.5kT", None),
    (r"\beta=\frac{x-a}{a}=\frac{\Delta x}{a}", None),  # a difference is another quantity
    (r"E=\frac{1}{2}mv_1^2=\frac{1}{2}mv_2^2", None),
    (r"i^2=j^2=k^2=-1", None),
    (r"pV=NkT=\text{constant}", None),
    (r"\hbar=c=1", None),
    (r"1\,\mathrm{N}=1\,\mathrm{kg\,m/s^2}=10^5\,\mathrm{dyn}", None),
    (r"A_{ij}=-A_{ji}=A_{ji}^{*}", None),
    (r"y=\exp(\mathrm{i}\omega t)=\exp(\mathrm{i}2\pi ft)", None),
    (r"z=\operatorname{foo}x=x^2+3x+1", None),  # what the word stands for is said by the second
]


@pytest.mark.parametrize(("tex", "value"), CHAINS)
def test_a_chain_is_trimmed_to_what_defines_only_where_that_can_be_told(tex: str, value: str | None) -> None:
    assert trimmed(tex) == (value or tex)
    assert trimmed(value or tex) == (value or tex)
    assert check(tex).valid
    assert check(trimmed(tex)).valid
    if value is None:
        assert len(members(tex)) == tex.count("=") + 1


@pytest.mark.parametrize(
    ("tex", "parts", "value"),
    [
        (r"P = IV = I^2R", ["P=IV"], "P = IV"),
        (r"L = I\omega = r\times p", [r"L= r\times p"], r"L = r\times p"),
        (r"v=\sqrt{2GM/r}=\sqrt{2gr}\quad\text{for }r>R", [r"v=\sqrt{2GM/r}"], r"v=\sqrt{2GM/r} \quad\text{for }r>R"),
        (r"r\equiv 2GM=a+b", ["r=     2GM"], r"r\equiv 2GM"),
        ("a=b=c", ["d=e", "a=c"], "a=c"),  # parts of other writings
        ("a=b=c", ["a=d"], "a=b=c"),
        ("a=b", ["a=b"], "a=b"),
    ],
)
def test_the_part_of_a_chain_that_is_known_to_define_is_kept(tex: str, parts: list[str], value: str) -> None:
    assert trimmed(tex, *parts) == value
    assert trimmed(value, *parts) == value


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        ("Q_1= A_1 v_1", "Q= A v"),
        (r"h_2=\frac{p_2}{\rho g}+z_2", r"h=\frac{p}{\rho g}+z"),
        (r"\frac{P_{1}}{T_{1}}=k", r"\frac{P}{T}=k"),
        (r"\vec{F}_1=m_1\vec{a}_1", r"\vec{F}=m\vec{a}"),
        (r"a_i=\gamma_i x_i", None),  # a component
        ("R_1=1/T_1", None),  # names
        ("Q_1=c m_1(T-T_1)", None),  # the index tells them apart
        ("p_1V_1=p_2V_2", None),
        ("E_0=m_0c^2", None),
        (r"y_1=\log_2 x_1", None),
        (r"\rho_1=m_1/V_1", r"\rho=m/V"),
        ("F_1=ma_1", "F=ma"),
        ("F_1=aa_1", None),
        (r"u_1=\partial_1 f_1g", None),
        (r"v_1=k\mathrm{O}_1c", None),
        (r"f_1(x)=a_1x", None),
        (r"s_1=a_1+\dots+b_1c", None),
        (r"e^{i\alpha L_3}e^{i\beta J_3}\psi=\psi", None),
    ],
)
def test_a_number_that_every_quantity_with_an_index_has_is_left_out(tex: str, value: str | None) -> None:
    assert trimmed(tex) == (value or tex)
    assert trimmed(value or tex) == (value or tex)


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        ("P=k_3T", "P=kT"),
        ("PV=k_{1}", "PV=k"),
        (r"y=\frac{C_1}{x}", r"y=\frac{C}{x}"),
        ("k_1=Ae^{-x}", None),  # which is named
        ("y=k_1+k_2x", None),
        ("y=k_1x_2", None),
        ("y=k_1k", None),
        ("y=k_1(x)", None),  # a function
        ("y=K_1x", None),
    ],
)
def test_the_number_of_the_only_constant_is_left_out(tex: str, value: str | None) -> None:
    assert trimmed(tex) == (value or tex)
    assert trimmed(value or tex) == (value or tex)


def test_what_the_list_says_of_a_chain_is_proposed_and_shown() -> None:
    told = Evidence.of("handbook_first.part", 1.0, tex="v = H_0 d")
    found = build(entry("v = H_0 d = d/t", evidence=(told,)), world(), settings(), TODAY).proposal
    assert found
    assert found.tex == "v = H_0 d"
    assert [(c.state, "v = H_0 d = d/t" in str(c)) for c in found.checks if c.name == "value"] == [("warn", True)]


def test_words_in_parentheses_are_an_argument_unless_set_apart() -> None:
    assert trimmed(r"p=P(\text{head})") == r"p=P(\text{head})"
    assert trimmed(r"y=\exp(\mathrm{i}\omega t)") == r"y=\exp(\mathrm{i}\omega t)"
    assert trimmed(r"p=q\quad\text{(at rest)}") == "p=q"


def test_the_check_says_that_a_value_is_a_chain() -> None:
    found = build(entry("v = H_0 d = d/t"), world(), settings(), TODAY).proposal
    assert found
    assert [(c.state, str(c)) for c in found.checks if c.name == "value"] == [
        (
            "ok",
            "value: the whole formula of the source, a chain of 3 members; it is unclear which of them is the definition",
        )
    ]


def test_the_trimmed_value_is_proposed_and_what_was_left_out_is_shown() -> None:
    tex = r"v = H_0 d\quad\text{or}\quad d = v/H_0"
    whole, cut = (build(entry(each), world(), settings(), TODAY).proposal for each in ("v = H_0 d", tex))
    assert whole
    assert cut
    assert cut.tex == whole.tex == "v = H_0 d"
    assert [c.state for p in (whole, cut) for c in p.checks if c.name == "value"] == ["ok", "warn"]
    assert any(tex in str(check) for check in cut.checks)
