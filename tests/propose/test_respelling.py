from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import TODAY, entry, settings, world

from bot.formula import check
from bot.propose.build import build
from bot.propose.earlier_rows import EarlierRow
from bot.propose.respelling import respelled
from bot.propose.select import canonical_key, value_key
from bot.propose.source_formulas import formulas_of_quotes
from bot.records import Quote

FUNCTIONS = [
    ("e^{ix}=cos(x)+isin(x)", r"e^{ix}=\cos(x)+i\sin(x)"),
    (r"c^2=a^2+b^2-2abcos\gamma", r"c^2=a^2+b^2-2ab\cos\gamma"),
    ("F=-kT log(Z)", r"F=-kT \log(Z)"),
    (r"\theta=sin^{-1}\left(n\right)", r"\theta=\sin^{-1}\left(n\right)"),
    (r"v=\mathop{max}_{x}u", r"v=\max_{x}u"),
    ("x=cos t", r"x=\cos t"),
    ("A=arctan(r)", r"A=\arctan(r)"),
    ("Var[aX]=a^2Var[X]", r"\operatorname{Var}[aX]=a^2\operatorname{Var}[X]"),
    (r"\lambda_{max}T=b", None),  # a name at an index
    (r"\mathrm{Var}(X)=\text{cos}(x)", None),
    (r"\begin{array}{c}a\end{array}=basin(x)", None),
    ("y=asin(x)", None),  # the sine of x times a, or its inverse
    ("C=cost", None),
    ("V=l n(x)", None),
]
SIGNS = [
    (r"f=\sum_{n=1}^{\inf}a_n", r"f=\sum_{n=1}^{\infty}a_n"),
    (r"f=\int_{-\inf}^\inf a", r"f=\int_{-\infty}^\infty a"),
    (r"f=\lim_{x\to\inf}a", r"f=\lim_{x\to\infty}a"),
    (r"f=\sup_x\inf_y a", None),
    (r"T_{\inf}=3", None),
    (r"\mathbf{v}=\frac{\mathbb{d}\mathbf{r}}{\mathbb{d}t}", r"\mathbf{v}=\frac{d\mathbf{r}}{dt}"),
    (r"a=\frac{\text{đ}^{2}s}{\text{đ}t^{2}}", r"a=\frac{d^{2}s}{dt^{2}}"),
    (r"g=\int f\mathbb{d}x\mathbb{d}y", r"g=\int f\,dx\,dy"),
    (r"dU=\text{đ}Q", None),  # not exact
    (r"\oint\frac{\text{đ}Q}{T}\le 0", None),
    (r"v=\frac{\text{d}s}{\text{d}t}", None),
    (r"W=\mathbf{F}.\mathbf{r}", r"W=\mathbf{F}\cdot \mathbf{r}"),
    (r"\mathbf{L}=\mathbf{r}x\mathbf{p}", r"\mathbf{L}=\mathbf{r}\times \mathbf{p}"),
    (r"\mathbf{F}=-kx\mathbf{i}", None),
    (r"\mathbf{F}=\mathbf{a}x\mathbf{b}+x", None),  # a quantity
    (r"P(A\text{ or }B)=c-P(A\text{ and }B)", r"P(A\cup B)=c-P(A\cap B)"),
    (r"P(x\text{ and }y)=F(A\text{ and }B)", None),
    (r"\Delta U=\underbrace{Q}_{=0}+W", r"\Delta U=Q+W"),
    (r"\Delta U=\underbrace{Q}_{=0}+W=W", None),  # what it leads to holds here only
    (r"E=\underbrace{mc^2}_{\text{energy at rest}}+K", "E=mc^2+K"),
    (r"na=\underbrace{a+\cdots+a}_{n\text{ times}}", None),
    (r"H=\underbrace{a}_{H_0}+\underbrace{b}_{\text{interaction}}", None),  # one names a term
]


@pytest.mark.parametrize(("tex", "meant"), [*FUNCTIONS, *SIGNS])
def test_signs_are_written_as_they_are_meant_where_that_is_certain(tex: str, meant: str | None) -> None:
    assert respelled(tex) == (meant or tex)
    assert respelled(meant or tex) == (meant or tex)
    assert check(respelled(tex)).valid or not check(tex).valid


def test_a_person_sees_what_the_source_has() -> None:
    found = build(entry("v = H_0 cos(d)"), world(), settings(), TODAY).proposal
    assert found
    assert found.tex == r"v = H_0 \cos(d)"
    assert [(c.state, str(c)) for c in found.checks if c.name == "value"] == [
        ("warn", "value: the source writes it with other signs, which mean this formula: v = H_0 cos(d)")
    ]


def test_a_source_with_other_signs_writes_the_formula() -> None:
    quote = Quote(document="a.html", position=1, window="", formulas=((1, "F=-kT log(Z)"),))
    (found,) = formulas_of_quotes([quote], (), r"F=-kT\log(Z)")
    assert not found.differs
    assert found.tex == "F=-kT log(Z)"


def test_a_decision_on_the_signs_of_the_source_is_found_again() -> None:
    earlier = r"v = \sum_{n=1}^{\inf} H_n"
    wanted = entry(earlier)
    wanted = replace(wanted, key=value_key(earlier))
    assert wanted.key != canonical_key(earlier)
    proposal = build(entry(), world(), settings(), TODAY).proposal
    assert proposal is not None
    row = EarlierRow(replace(proposal, id="earlier", tex=earlier), "2026-01-01", "2026-12-01", is_rejected=True)
    found = build(wanted, replace(world(), rows={"earlier": row}), settings(), TODAY)
    assert found.row == row
