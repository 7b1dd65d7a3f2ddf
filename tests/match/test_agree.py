from __future__ import annotations

import pytest

from bot.match.agree import agree, links, plainer


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"p=\frac{F}{A}", r"p={\frac {F}{S}}"),
        (r"V=IR", r"R={\frac {V}{I}}"),
        (
            r"\omega=\lim_{\Delta t\to 0}\frac{\Delta\theta}{\Delta t}=\frac{d\theta}{dt}",
            r"\omega={\frac {d\theta }{dt}}",
        ),
        (r"E_{\text{k}}=\tfrac{1}{2}mv^{2}", r"{\frac {1}{2}}\ mv^{2}"),
        (r"I=\int r^{2}dm", r"I=\int \limits _{M}r^{2}\mathrm {d} m"),
        (r"v=d/t", "v = s / t"),
    ],
)
def test_formulas_of_one_name_agree(a: str, b: str) -> None:
    assert agree(a, b) is not None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"v=r\omega", r"v=s/t"),
        ("P=IV", r"P=\frac{E}{t}"),
        ("F=ma", "V=IR"),
        (r"U=mgh", r"U=\frac{1}{2}kx^{2}"),
        (r"\frac{", "a=b"),
    ],
)
def test_other_formulas_of_one_name_do_not(a: str, b: str) -> None:
    assert agree(a, b) is None


def test_a_chain_is_read_from_its_first_side() -> None:
    assert links("a=b=c") == ("a=b", "a=c")
    assert links("a+b") == ()
    assert links(r"\sum_{i=1}^{n}a_{i}=s") == (r"\sum_{i=1}^{n}a_{i}=s",)


def test_plainer_drops_bounds_unit_vectors_and_the_sign() -> None:
    assert plainer(r"\Phi=\oint_{S} B \cdot \hat{\mathbf{n}} dA").split() == r"\Phi=\int B \cdot dA".split()
    assert plainer("F=-kx") == "F=kx"
