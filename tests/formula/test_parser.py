"""The parser is total, linear and says where it stops; systems and conditions come apart."""

from __future__ import annotations

import contextlib
import html
import json
import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from time_limit import at_most

from bot.formula import FormulaError, clean, identifiers, keys, mathml, parse, statement_kind, tokens
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms


def formulas(path: Path, field: str) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line)[field] for line in lines]


@pytest.mark.parametrize(
    ("tex", "tree"),
    [
        ("a+b", ("+", ("a", "b"))),
        ("a-b", ("+", ("a", ("-", "b")))),
        ("-a", ("-", "a")),
        ("ab", ("factors", ("a", "b"))),
        ("x_i^2", ("s", "x", "i", "#2")),
        ("x^2_i", ("s", "x", "i", "#2")),
        (r"\frac12", ("frac", "#1", "#2")),
        (r"a\over b", ("frac", "a", "b")),
        (r"{a+1 \over b}", ("frac", ("+", ("a", "#1")), "b")),
        (r"n\choose k", ("binom", "n", "k")),
        (r"\sqrt[3]{x}", ("root", "x", "#3")),
        ("f'", ("'", "f", 1)),
        ("f''", ("'", "f", 2)),
        (r"f^{\prime}", ("'", "f", 1)),
        ("a=b", ("rel", ("=",), ("a", "b"))),
        ("a=b<c", ("rel", ("=", "<"), ("a", "b", "c"))),
        ("|x|", ("()", "|", "|", "x")),
        (r"\left|x\right|", ("()", "|", "|", "x")),
        (r"\|x\|", ("()", "‖", "‖", "x")),
        (r"|\psi\rangle", ("()", "|", "⟩", "ψ")),
        (r"f(x)", ("fcall", "f", ("()", "(", ")", "x"))),
        (r"\sin x", ("app", "%sin", "x")),
        (r"\mathbf{F}", "b.F"),
        (r"{\bf F}", "b.F"),
        (r"\mathrm{Re}", "%Re"),
        (r"{\rm const}", "%const"),
        (r"\operatorname{Re}", "%Re"),
        (r"\text{const}", '"const'),
        ("n!", ("!", "n")),
        ("3.14", "#3.14"),
        (r"\infty", "~∞"),
        ("T_{,t}", ("s", "T", (",", (",",), ("", "t")), "")),
        ("T_{a,}", ("s", "T", (",", (",",), ("a", "")), "")),
        ("T_{a,,b}", ("s", "T", (",", (",", ","), ("a", "", "b")), "")),
        ("T_{a,;b}", ("s", "T", (",", (";",), ("a", "b")), "")),
        ("T_{a;,b}", ("s", "T", (",", (",",), ("a", "b")), "")),
        (r"\textcolor{red}{x}", "x"),
        (r"\color{red}x", "x"),
        (r"\rule{1cm}{2pt}x", "x"),
        (r"\left(a\middle|b\right)", ("()", "(", ")", ("rel", ("|",), ("a", "b")))),
        (r"\sideset{^a}{_b}{x}", ("pre", ("s", "", "", "a"), ("s", "", "b", ""), "x")),
        (r"\not=", None),
    ],
)
def test_a_small_formula_has_the_tree_a_person_reads(tex: str, tree: object) -> None:
    if tree is not None:
        assert parse(tex).tree == tree


def test_where_a_continued_fraction_sets_its_numerator_is_no_part_of_it() -> None:
    assert keys(r"x=\cfrac[l]{a}{b}").K2 == keys(r"x=\frac{a}{b}").K2


def test_bars_are_read_as_values_and_as_conditions() -> None:
    assert parse("P(A|B)").tree == ("fcall", "P", ("()", "(", ")", ("rel", ("|",), ("A", "B"))))
    assert parse("2|x|").tree == ("factors", ("#2", ("()", "|", "|", "x")))
    assert parse(r"\langle x|y\rangle").tree == ("()", "⟨", "⟩", ("rel", ("|",), ("x", "y")))
    assert parse("|a||b|").tree == ("factors", (("()", "|", "|", "a"), ("()", "|", "|", "b")))


def test_a_slash_divides_by_the_letters_beside_it() -> None:
    assert parse("E/RT").tree == ("frac", "E", ("factors", ("R", "T")))
    assert parse("1/2mv").tree == ("factors", (("frac", "#1", "#2"), "m", "v"))
    assert parse("{a}/{b}c").tree == ("factors", (("frac", "a", "b"), "c"))


@pytest.mark.parametrize(
    ("tex", "equations", "conditions"),
    [
        (r"a=b,\quad c=d", "<a=b> ; <c=d>", ""),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "<a=b=c>", ""),
        (r"\begin{aligned}a&=b\\c&=d\\e&=f\end{aligned}", "<a=b> ; <c=d> ; <e=f>", ""),
        (r"\begin{cases}a=b\\c=d\end{cases}", "<a=b> ; <c=d>", ""),
        (r"|x|=\begin{cases}x&x\ge0\\-x&x<0\end{cases}", r"<matcases(x&<#0≤x>\\-x&<#0>x>)=|(x)|>", ""),
        (r"a=b\\c=d", "<a=b> ; <c=d>", ""),
        (r"a=b\\[1ex]c=d", "<a=b> ; <c=d>", ""),
        (r"{a=b\\*[-.5\baselineskip]c=d}", "<a=b> ; <c=d>", ""),
        (r"\begin{array}{l}a=b\\[1ex]c=d\\[1,x]=e\end{array}", "<a=b> ; <c=d> ; <[((,#1,x))]=e>", ""),
        (r"a&=b\\&+c", "<[b+c]=a>", ""),
        (r"a&=b\\&{}+c\\&{}-d", "<[-d+b+c]=a>", ""),
        (r"\begin{aligned}a&=b\\&\quad+c\\+d\end{aligned}", "<[b+c+d]=a>", ""),
        (r"a&=-b+\\&c-\\&-d", "<[-b+-d+c]=a>", ""),
        (r"a&=x\times\\&y", "<a={x×y}>", ""),
        (r"a&=-x\\&\times y", "<-{x×y}=a>", ""),
        (r"a&=x\times y\\&\times zw", "<a={{x×y}×(w·z)}>", ""),
        (r"\begin{array}{rcrcr}x&+&2y&=&3\\-x&&&=&+1\end{array}", "<#3=[(#2·y)+x]> ; <#1=-x>", ""),
        ("+x=y", "<x=y>", ""),
        ("a=b,+c=d", "<a=b> ; <c=d>", ""),
        (r"A=\begin{pmatrix}+1&-1\end{pmatrix}", "<A=matp(#1&-#1)>", ""),
        ("a&=b,&c&=d", "<a=b> ; <c=d>", ""),
        ("a&=b&-c&=d", "<[-c+b]=a=d>", ""),
        ("a&=b&c", "<(b·c)=a>", ""),
        ("a&=b&(2)", "<a=b>", ""),
        (r"y=x\quad(2.3a)", "<x=y>", ""),
        (r"y=x\eqno(2\text{-}3)", "<x=y>", ""),
        (r"y=x\hspace{1cm}({\rm iv})", "<x=y>", ""),
        (r"y=x\hspace{1pt}(2)", "<x@()#2=y>", ""),
        (r"y=x\quad(a-b+c)", "<x=y>", "[-b+a+c]"),
        (r"x=1\,234.5", "<#1234.5=x>", ""),
        (r"x=1{,}234", "<#1234=x>", ""),
        (r"x=12,\!345\ 678", "<#12345678=x>", ""),
        (r"x=6.674\,30(15)", "<#6.67430=x>", ""),
        ("x=8.314(75)(33)", "<#8.314=x>", ""),
        ("x=2.5(4)", "<(#2.5·#4)=x>", ""),
        (r"\exists! z\,(z=x)", "{(!(~∃)·z)⋅((<x=z>))}", ""),
        (r"\forall t\in T\,\exists s\in S(s\le t)", "<(((<s≤t>))·S)∋{T⋅(s·~∃)}∋(t·~∀)>", ""),
        (r"\forall c\colon E[X<c]", "<(c·~∀):E@()<X<c>>", ""),
        (r"x=1.602\,10^3", "<(#1.602·#10^#3;)=x>", ""),
        (r"x=23{,}46", "<#23.46=x>", ""),
        (r"x=0{,}123", "<#0.123=x>", ""),
        (r"x=2\,2", "<(#2·#2)=x>", ""),
        ("x=0,100", "<(,#0,#100)=x>", ""),
        (r"x^1{,}234", "(#234·x^#1;)", ""),
        (r"P(X=x\mid\theta)", "P@()<X=x|θ>", ""),
        ("u(t=0)=v", "<u@()<#0=t>=v>", ""),
        ("u(=v)", "(((<=v>))·u)", ""),
        (r"f(x)=x^2,\ x>0", "<f@()x=x^#2;>", "<#0<x>"),
        (r"f(x)=x^2\quad\text{for all }x\in\mathbb R", "<f@()x=x^#2;>", "<bb.R∋x>"),
        (r"f(x)=x^2\text{ if }x>0", "<f@()x=x^#2;>", "<#0<x>"),
        (r"a_n=2^n,\quad n=0,1,2,\ldots", "<#2^n;=a_n^;>", "<(,#0,#1,#2,~…)=n>"),
        ("i,j=1,2", "<(,#1,#2)=(,i,j)>", ""),
        (r"G_{\mu\nu}=8\pi T_{\mu\nu}~(G=c=1)", "<(#8·T_‹μ ν›^;·π)=G_‹μ ν›^;>", "<#1=G=c>"),
        (r"a=b\qquad(1)", "<a=b>", ""),
        ("x=(a,b)", "<(((,a,b)))=x>", ""),
        (r"\left\{\begin{array}{l}a=b\\c=d\end{array}\right.", "<a=b> ; <c=d>", ""),
        ("E=T(k=1)", "<E=T@()<#1=k>>", ""),
        (r"E=mT\,(k=mv)", "<(T@()<(m·v)=k>·m)=E>", ""),
        (r"E=mT\,(k+1=1)", "<(T@()<#1=[#1+k]>·m)=E>", ""),
        (r"E=mc\,(c_1=v'=1)", "<(c·m)=E>", "<#1=c_#1^;=v′>"),
        (r"E=mc\,(c,v=1)", "<(c@()(,c,<#1=v>)·m)=E>", ""),
        (r"E=mc\,(v<1)", "<(c@()<#1>v>·m)=E>", ""),
        ("E=(k=1)", "<((<#1=k>))=E>", ""),
        ("y=x,i,j=1,2", "<(,x,i)=y>", "<(,#1,#2)=j>"),
        ("y=x,a,b>0", "<x=y>", "<#0<(,a,b)>"),
        ("y=x,ab,c=1", "<(,x,(a·b))=y>", "<#1=c>"),
        ("n,y=x", "<(,n,y)=x>", ""),
        ("1,y=x", "#1 ; <x=y>", ""),
        ("y=ax,x=1", "<(a·x)=y>", "<#1=x>"),
        ("y=ax,y=1", "<(a·x)=y> ; <#1=y>", ""),
        ("y=ax,x=b", "<(a·x)=y> ; <b=x>", ""),
        ("y=ax,x=1,2", "<(a·x)=y>", "<(,#1,#2)=x>"),
        ("y=ax,x+1=2", "<(a·x)=y> ; <#2=[#1+x]>", ""),
        ("y=ax,x_1=2", "<(a·x)=y> ; <#2=x_#1^;>", ""),
        ("y>ax,x>0", "<(a·x)<y> ; <#0<x>", ""),
        (r"a\to b,x>0", "<a→b>", "<#0<x>"),
        (r"a\in b,x>0", "<a∈b>", "<#0<x>"),
        (r"y=x,\forall x=S", "<x=y>", "<S=x>"),
        (r"y=x,\exists x>S", "<x=y>", "<(x·~∃)>S>"),
        (r"y=x\quad(\mathrm{ii})", "<x=y>", ""),
        (r"y=x\quad(\mathrm{long})", "<x=y>", "%long"),
        ("y=x,(a)", "<(,x,a)=y>", ""),
        ("y=x,[1]", "<(,x,[(#1)])=y>", ""),
        ("y=x,(*)", "<x=y>", ""),
        (r"y=x\quad(a)", "<x=y>", ""),
        ("y=x;z;w", "<(,x,z,w)=y>", ""),
        ("y=x;z,w>0", "<x=y>", "<#0<(,z,w)>"),
        (r"y=x\text{ for }x>0,n", "<x=y>", "<(,#0,n)<x>"),
        (r"y=x\text{ (for }x>0", "<x=y>", "<#0<x>"),
        (r"y=x\text{ and }z=w", "<x=y> ; <w=z>", ""),
        (r"y=x\text{ and for }z=w", "<x=y> ; <w=z>", ""),
        (r"y=x\text{ hence }z=w", "<x=y> ; <w=z>", ""),
        (r"y=x\text{ for }x>0\\z=w", "<x=y> ; <w=z>", "<#0<x>"),
        (r"y=x\text{ for }x>0,z=w", "<x=y>", "<#0<x> ; <w=z>"),
        (r"y=x\quad(x=z)", "<x=y> ; <x=z>", ""),
        (r"\begin{aligned}a=b\\-c\end{aligned}", "<[-c+b]=a>", ""),
        (r"\begin{aligned}a=b\\-c+d\end{aligned}", "<[-c+b+d]=a>", ""),
        (r"\begin{aligned}a=b\\\pm c\end{aligned}", "<[b+±c]=a>", ""),
        (r"\begin{aligned}a=\\c\end{aligned}", "<a=c>", ""),
        (r"\begin{aligned}a&=b&&c=d\\e&=f&&g=h\end{aligned}", "<a=b> ; <c=d> ; <e=f> ; <g=h>", ""),
        (r"\begin{aligned}a=&&c=d\end{aligned}", "<a=c=d>", ""),
        (r"\begin{aligned}a&b\\c&d\end{aligned}", "(a·b) ; (c·d)", ""),
        (r"\begin{aligned}a+b&c+d\end{aligned}", "[(b·c)+a+d]", ""),
        (r"\begin{aligned}a&=b+c&d\end{aligned}", "<[(c·d)+b]=a>", ""),
        (r"\begin{aligned}a&=b&-d\end{aligned}", "<[-d+b]=a>", ""),
        (r"\begin{aligned}a&b=d\end{aligned}", "<(a·b)=d>", ""),
        (r"\begin{aligned}a&=b\\c&=d,x=3\end{aligned}", "<a=b> ; <c=d>", "<#3=x>"),
        (r"\begin{aligned}-a&=b\\-c&=d\end{aligned}", "<-a=b> ; <-c=d>", ""),
        (r"\begin{cases}a=b\\c\end{cases}", r"matcases(<a=b>\\c)", ""),
        (r"\begin{cases}a&=b\\c&=d\end{cases}", "<a=b> ; <c=d>", ""),
        (r"\begin{cases}a&x>0\\c&x<0\end{cases}", r"matcases(a&<#0<x>\\c&<#0>x>)", ""),
        (r"\begin{cases}a=b,x>0\\c=d,x<0\end{cases}", "<a=b> ; <c=d>", "<#0<x> ; <#0>x>"),
        (r"\begin{array}{l}a,b=1\\c=d\end{array}", "<#1=(,a,b)> ; <c=d>", ""),
        (r"\begin{array}{l}a,b\\c=d\end{array}", "(,a,b) ; <c=d>", ""),
        (r"\begin{matrix}a=b\\c=d\end{matrix}", r"matmatrix(<a=b>\\<c=d>)", ""),
        (r"\begin{matrix}a&=b\\c&=d\end{matrix}", r"matmatrix(a&<=b>\\c&<=d>)", ""),
        (r"\begin{gathered}a\\b\end{gathered}", "a ; b", ""),
        (r"\left[\begin{array}{l}a=b\\c=d\end{array}\right.", r"[(matarray(<a=b>\\<c=d>))", ""),
        (r"\left\{\begin{array}{l}a=b\\c=d\end{array}\right\}", r"matB(<a=b>\\<c=d>)", ""),
        (r"a=b\quad=c", "<a=b=c>", ""),
        (r"a=b\quad c", "<a=b>", "c"),
        ("a=b,=c", "<a=b> ; <=c>", ""),
        ("f(x)=x,=3", "<f@()x=x> ; <=#3>", ""),
    ],
)
def test_systems_and_conditions_come_apart(tex: str, equations: str, conditions: str) -> None:
    assert [" ; ".join(map(render, part)) for part in normal_forms(tex).canonical] == [equations, conditions]


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("E=mc^2", "equation"), ("H=\\dot a/a", "equation"), ("x=x(t)", "dependence"), (r"\theta=\theta(\sigma)", "dependence"), ("x=3", "assignment"),
        ("x=y", "assignment"), (r"\phi=\phi_c", "assignment"), (r"\tau=\infty", "assignment"), ("E=", "stub"), ("=a+b", "stub"), ("a+b", "expression"),
        (r"a=b+1,\quad c=d+2", "system"), ("x>0", "relation"), (r"f_B={\rm const}", "assignment"), (r"f\colon A\to B", "relation"),
        ("x=-y", "assignment"), ("-x=y", "assignment"), ("x=-y^2", "equation"), ("x=-(y)", "equation"), ("x=2y", "equation"), ("x=2+3", "assignment"), ("2=3", "assignment"),
        ("x^2=y", "equation"), ("x^T=y", "assignment"), (r"\bar x=y'", "assignment"), (r"\bar{xy}=z", "equation"), ("x=y=z", "equation"), (r"x\ne3", "relation"),
        ("x(t)=x", "dependence"), ("f(x)=x", "equation"), (r"x\simeq x(t)", "dependence"), (r"x\cong y", "equation"), (r"a<b=c", "equation"), ("a=b;c+d", "equation"), ("a+b=c;d=e", "system"),
    ],
)  # fmt: skip
def test_kinds(tex: str, wanted: str) -> None:
    assert statement_kind(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"{\displaystyle a=b}", "a=b"), (r"$a=b$", "a=b"), (r"\(a=b\)", "a=b"), (r"a&lt;b", "a<b"), (r"a=b\,.", "a=b"), (r"a=b\ ,", "a=b"), ("  a = b ", "a = b"),
        (r"\displaystyle{a}=b", "{a}=b"), (r"{a}+{b}", "{a}+{b}"), (r"a=b\!", "a=b"), (r"\;a=b\;\;,", "a=b"), (r"a=b\quad", "a=b"), ("$$a$$", "a"),
        (r"{\displaystyle a}+{b}", r"{\displaystyle a}+{b}"), ("a%\n=b", "a=b"), (r"\frac{1}{2}", r"\frac{1}{2}"), (r"\left(a\right.", r"\left(a\right."),
        ("a\\%\n+b", "a\\%\n+b"), ("a\\\\%\n+b", "a\\\\+b"), (r"a\\quad", r"a\\quad"), (r"a\~", r"a\~"), ("n!", "n!"), ("a\\\\ ,", "a"),
        (r"\begin{array}{l}a=\frac{b}{2}\end{array}", r"a=\frac{b}{2}"), (r"\begin{aligned}[t] a&=b, \\ \end{aligned}", "a=b"), (r"\begin{align*}R\&D&=b.\end{align*}", r"R\&D=b"),
        (r"\begin{array}{cc}a&b\end{array}", r"\begin{array}{cc}a&b\end{array}"), (r"\begin{split}a&=b\\&=c\end{split}", r"\begin{split}a&=b\\&=c\end{split}"),
        (r"\begin{array}{@{}l}a\end{array}", r"\begin{array}{@{}l}a\end{array}"), (r"\begin{aligned}{l}&=b\end{aligned}", "{l}=b"), (r"\begin{array}{l}a\hline\end{array}", r"\begin{array}{l}a\hline\end{array}"),
        (r"\begin{gathered}a\end{gathered}+\begin{gathered}b\end{gathered}", r"\begin{gathered}a\end{gathered}+\begin{gathered}b\end{gathered}"),
    ],
)  # fmt: skip
def test_clean_unwraps_and_trims(tex: str, wanted: str) -> None:
    assert clean(tex) == wanted
    assert clean(clean(tex)) == clean(tex)


TAILS = [
    "x" + " " * 90_000 + "x", "x" + ". " * 45_000, "x" + "\\quad" * 18_000 + "x", "x" + "\\" * 90_000 + ",", "x" + "\\, " * 30_000 + "x", "%" + " " * 90_000,
    "x" + "\\\\ " * 30_000, "x\\right" + " " * 90_000 + ".", "{\\displaystyle" + "\\displaystyle " * 6000 + "}", "~" * 90_000 + "x",
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(TAILS)))
def test_long_edges_cost_their_length_only(number: int) -> None:
    with at_most(0.5):
        clean(TAILS[number])


def test_identifiers_stand_in_order_without_their_scripts() -> None:
    assert identifiers(r"F=G\frac{m_1m_2}{r^2}") == ("F", "G", "m", "r")
    assert identifiers(r"\rho_{\rm crit}=\frac{3H_0^2}{8\pi G}") == ("ρ", "H", "π", "G")


def test_tokens_have_one_name_for_each_sign() -> None:
    assert tokens(r"a \leq b") == tokens(r"a\le b") == ("a", "≤", "b")
    assert tokens(r"\left(a\right)") == tokens("(a)")


HOSTILE = [
    "{" * 10_000_000, "{" * 5000, "}" * 10_000, "\\" * 10_000, "(" * 20_000, "[" * 20_000, "x^" * 20_000, "x^x" * 20_000, "x_a" * 20_000, "\\hat" * 9000, "-" * 50_000,
    "a/" * 40_000, "\x00\x01\x02", "\\left(" * 9000, "\\begin{matrix}" * 3000, "|" * 50_000, "\\sqrt[" * 5000, "\\frac" * 10_000, "'" * 50_000, "\\sin" * 10_000,
    "=<" * 20_000, "\\sum" * 10_000, "x!" * 30_000, "a^{" * 30 + "}" * 30, "\\frac{" * 39 + "}" * 39, "(-\\sqrt{" * 19 + "x" + "})" * 19, "&" * 50_000, "," * 50_000,
    "\\text{" * 5000, "\\quad" * 9000, "\\not" * 9000, "\\mathrm" * 9000, "\\over" * 9000, "a" * 99_000, "x'^2" * 9000, "\\partial" * 9000, "\\nabla" * 9000,
    "(a+b)" * 2000, "(a+b+c)^9" * 30, "a_{i}b_{i}" * 2000, "\\int" * 30 + "dx" * 300, "\\middle" * 5000, "\u202e\U0001f600" * 5000,
    "y=" + "+".join(f"\\frac{{a_{{{n}}}}}{{b_{{{n}}}}}" for n in range(1800)), "+".join(f"a_{{{n}}}b_{{{n}}}" for n in range(2800)),
    "f=" + "+".join(f"{n}x_{n % 10}y^{n % 7}" for n in range(4000)), "+".join("abcdefghijklmnopqrstuvwxyz"[n % 26] + "bxz"[n % 3] for n in range(13_000)),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_input_is_answered_at_once(number: int) -> None:
    tex = HOSTILE[number]
    with at_most(1.5, tex[:20]), contextlib.suppress(FormulaError):
        keys(tex)


def test_an_error_names_what_and_where() -> None:
    with pytest.raises(FormulaError, match=r"control character U\+0001 at position 2"):
        parse("a+\x01")
    with pytest.raises(FormulaError, match="nested more than"):
        parse("{" * 500)
    with pytest.raises(FormulaError, match="longer than"):
        parse("a+" * 200_000)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "x",
                "2",
                "+",
                "-",
                "=",
                "{",
                "}",
                "(",
                ")",
                "^",
                "_",
                r"\frac",
                r"\sum",
                r"\left",
                r"\right",
                "|",
                ",",
                r"\\",
                "&",
                r"\begin{cases}",
                r"\end{cases}",
                r"\sqrt",
                "'",
                r"\partial",
                r"\nabla",
                "d",
                "/",
                r"\over",
                r"\text{if}",
                r"\sin",
                "[",
                "]",
                r"\rangle",
                r"\langle",
                r"\cdot",
                "!",
                r"\dot",
                r"\mathbf",
                r"\quad",
                "u_{tt}",
                r"\Delta",
                r"\lim",
            ]
        ),
        max_size=25,
    )
)
def test_any_sequence_of_tokens_gives_a_tree_and_keys(parts: list[str]) -> None:
    keys(" ".join(parts))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_keys_or_one_error(tex: str) -> None:
    with contextlib.suppress(FormulaError):
        keys(tex)


def test_the_time_grows_with_the_length_only() -> None:
    def seconds(times: int) -> float:
        tex = "+".join([r"\frac{a_i}{b}x^{2}"] * times)
        best = 1.0
        for run in range(3):
            start = time.process_time()
            parse(tex + " " * (run + 1))
            best = min(best, time.process_time() - start)
        return best

    assert seconds(2000) < 40 * seconds(200)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("discovery/astro_3495.jsonl", "tex"),
        ("corpora/ntcir12_arxiv_astroph_formula_catalog_a/formulas.jsonl", "formula"),
        ("corpora/ntcir12_wikipedia_formula_catalog_a/formulas.jsonl", "formula"),
    ],
)
def test_every_formula_of_the_corpora_has_a_tree(shared_data: Path, path: str, field: str) -> None:
    for tex in formulas(shared_data / path, field):
        parse(tex)


def test_every_formula_of_the_items_has_keys(shared_data: Path) -> None:
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            for tex in json.loads(line)["formulas"]:
                keys(tex)


def characters(words: list[str]) -> Counter[str]:
    """Letters and digits of leaves, whatever font they are in."""
    return Counter(
        sign
        for word in words
        for sign in re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", word))
        if sign not in "∂∇∞"
    )


def test_leaves_agree_with_mathml(shared_data: Path) -> None:
    """What differs is read otherwise on purpose or is not a leaf there: names of functions behind &, \\varprojlim, words that part nothing.

    What stands above a sign is part of the sign.
    """
    agree = total = 0
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        for tex in sorted({tex for line in lines for tex in json.loads(line)["formulas"]}):
            markup = mathml(tex)
            if "<math" not in markup or "stackrel" in tex or "overset" in tex:
                continue
            theirs = [
                html.unescape(re.sub("<.*?>", "", text)).replace("ℜ", "Re").replace("ℑ", "Im")
                for _, text in re.findall(r"<(mi|mn|mtext)\b[^>]*>(.*?)</\1>", markup, re.S)
            ]
            ours = [leaf[1:] if leaf[0] in '#"%' else leaf.rpartition(".")[2] for leaf in parse(tex).leaves()]
            total += 1
            agree += characters(theirs) == characters(ours)
    assert total > 3400
    assert agree / total >= 0.995


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        (r"\omega=\frac{\textrm{d}\theta}{\textrm{d}t}", r"\omega=\frac{d\theta}{dt}"),
        (r"\text{d}U=T\,\text{d}S", "dU=T dS"),
        (r"\int f\,\text{d}x=a", r"\int f\,dx=a"),
        (r"\nabla.\mathbf{E}=\rho", r"\nabla\cdot\mathbf{E}=\rho"),
        (r"\mathbf{v}.\nabla f=g", r"\mathbf{v}\cdot\nabla f=g"),
    ],
)
def test_an_upright_d_is_a_differential_and_a_point_beside_nabla_a_product(written: str, usual: str) -> None:
    assert keys(written).K2 == keys(usual).K2


def test_a_full_stop_behind_nabla_and_an_empty_delimiter_are_no_product() -> None:
    assert tokens(r"p=\nabla.") == tokens(r"p=\nabla")
    assert tokens(r"\left.\nabla f\right|_0") == (".", "∇", "f", "|", "_", "#0")
