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
]


@pytest.mark.parametrize(("tex", "other"), SAME)
def test_one_formula_as_two_authors_write_it(tex: str, other: str) -> None:
    assert keys(tex).K2 == keys(other).K2


@pytest.mark.parametrize(("tex", "other"), OTHER)
def test_what_only_looks_like_it(tex: str, other: str) -> None:
    assert keys(tex).K3 != keys(other).K3
