"""Small rules of formulas at their edges: words in formulas, shipped substitutions, differentials, stars after commands."""

from __future__ import annotations

import copy
import pickle

import pytest

from bot.errors import FormulaError
from bot.formula import keys
from bot.formula.equivalence.order import products
from bot.formula.equivalence.rules import joining_rules
from bot.formula.normal.derivatives import _order, join_differentials
from bot.formula.normal.stages import normal_forms
from bot.formula.tex.nodes import Factorial, Relation, Scripts, Signed, Sum
from bot.formula.validity.repair_words import _outside, repair_characters, repair_text_groups
from bot.formula.validity.texvc import _closes
from bot.formula.validity.unicode_tex import symbol


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"\text{if}", r"\text{if}"),
        (r"\mbox{if}", r"\mbox{if}"),
        (r"\text{ä}", r"\text{ä}"),
        (r"\text a", r"\text{a}"),
        (r"\text ab", r"\text ab"),
        (r"\text{}", ""),
        (r"\text{if $x$}", r"{\text{if }x}"),
        (r"\text{a#b}", r"{\text{a}\#\text{b}}"),
        (r"\text{a@b}", r"{\text{a}\text{b}}"),
        (r"\mbox{\boldmath $x$}", r"\boldsymbol{x}"),
        (r"\text{\boldmath $x$}", r"\boldsymbol{x}"),
        (r"\mbox b+c", r"\mbox{b}+c"),
        (r"\hbox{}", ""),
        (r"\text{$$}", ""),
        (r"\mbox{a$b$c}", r"{\mbox{a}b\mbox{c}}"),
        (r"\mbox{$\alpha$ and $\beta$}", r"{\alpha\mbox{ and }\beta}"),
        (r"\mbox{a~b}", r"{\mbox{a b}}"),
        (r"\mbox{a\ b}", r"{\mbox{a b}}"),
        (r"\mbox{a_b}", r"{\mbox{a}\_\mbox{b}}"),
        (r"\mbox{{a}}", r"{\mbox{a}}"),
        (r"\mbox{é}", r"\mbox{é}"),
        (r"\mbox{é#}", r"{\mbox{é}\#}"),
        (r"\text{\$5}", r"{\$\text{5}}"),
        (r"\text{`a'}", r"\text{`a'}"),
    ],
)
def test_words_stay_and_what_is_no_word_comes_out(tex: str, wanted: str) -> None:
    assert repair_text_groups(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("x²³", "x^{23}"),
        ("x²y³", "x^{2}y^{3}"),
        ("x₁₂", "x_{12}"),
        ("x⁻¹", "x^{-1}"),
        ("αx", r"\alpha x"),
        ("é", r"\text{é}"),
        ("½x", r"\frac{1}{2}x"),
        (r"\text{α}β", r"\text{α}\beta "),
        ("x’", "x'"),
        ("a\x00b", "a b"),
    ],
)
def test_signs_of_other_alphabets_become_macros_or_text(tex: str, wanted: str) -> None:
    assert repair_characters(tex) == wanted


def test_a_styled_letter_keeps_its_style() -> None:
    assert [symbol(character) for character in "𝐀𝑨𝔤ℒℝ𝖠𝙰𝜶𝛂𝟏ℎ"] == [
        r"\mathbf{A}",
        r"\boldsymbol{A}",
        r"\mathfrak{g}",
        r"\mathcal{L}",
        r"\mathbb{R}",
        r"\mathsf{A}",
        r"\mathtt{A}",
        r"\boldsymbol{\alpha}",
        r"\boldsymbol{\alpha}",
        r"\mathbf{1}",
        "h",
    ]
    assert [symbol(character) for character in "𝔻ℛℌ"] == [r"\mathbb{D}", r"\mathcal{R}", r"\mathfrak{H}"]
    assert [symbol(character) for character in "ⅅⅆⅇⅈⅉ"] == ["D", "d", "e", "i", "j"]  # an operator and constants
    assert [symbol(character) for character in "éщ＋ⅷ"] == [None] * 4


@pytest.mark.parametrize(
    ("mine", "yours", "rules"),
    [
        ("ħω", "ν", [r"\omega=2\pi\nu"]),
        ("ħω", "νx", [r"\omega=2\pi\nu"]),
        ("ν", "ħω", [r"\omega=2\pi\nu"]),
        ("ħω", "f", [r"\omega=2\pi f"]),
        ("ω", "ν", []),
        ("xω", "xν", []),
        ("xyω", "xyν", [r"\omega=2\pi\nu"]),
        ("ħω", "x", []),
        ("ħων", "ν", []),
        ("ħω", "ων", []),
        ("ħ", "h", [r"\hbar=\frac{h}{2\pi}"]),
    ],
)
def test_a_substitution_joins_a_letter_of_one_formula_with_what_it_stands_for_in_the_other(
    mine: str, yours: str, rules: list[str]
) -> None:
    assert [rule.tex for rule in joining_rules(frozenset(mine), frozenset(yours))] == rules


def test_a_d_before_a_variable_is_a_differential_however_few_factors_there_are() -> None:
    (two,) = join_differentials(["d", "x"])
    assert (two.sign, two.order, two.variable) == ("d", "1", "x")
    assert join_differentials(["d", "x", "y"]) == [two, "y"]
    assert join_differentials(["y", "d", "x"]) == ["y", two]
    assert join_differentials(["x"]) == ["x"]
    assert join_differentials(["x", "d"]) == ["x", "d"]
    assert join_differentials([]) == []


@pytest.mark.parametrize("command", [r"\alpha", r"\infty", r"\hbar", r"\emptyset"])
def test_a_star_right_behind_a_letter_or_a_sign_is_a_product(command: str) -> None:
    assert keys(rf"{command}*x=y").K1 == keys(rf"{command} * x=y").K1 != keys(rf"{command} x=y").K1


def test_nodes_are_copied_and_sent_to_other_processes_as_they_are() -> None:
    for node in (Scripts("x", "1", "2"), Signed("-", Sum(("a", "b"))), Relation(("=",), ("a", Factorial("n")))):
        for same in (pickle.loads(pickle.dumps(node)), copy.deepcopy(node)):
            assert same == node
            assert type(same) is type(node)


def test_forty_marks_on_marks_are_read_and_more_are_refused() -> None:
    assert keys("y=x" + "!" * 41).K1 != keys("y=x" + "!" * 40).K1
    with pytest.raises(FormulaError, match="more than 40 scripts or marks on marks"):
        keys("y=x" + "!" * 42)


@pytest.mark.parametrize(
    ("tex", "product", "same"),
    [
        (r"x=2a\times b", "x=2ab", False),
        (r"x=a2\times b", "x=2ab", True),
        (r"x=3\times a", "x=3a", True),
        (r"x=a\times 2b", "x=2ab", True),
        (r"x=a\times b2", "x=2ab", False),
        ("x=a*3", "x=3a", True),
        ("x=a*b", "x=ab", False),
        ("x=1*f", "x=f", False),
        (r"x=a\cdot b", "x=ab", True),
        (r"x=\vec a\cdot\vec b", r"x=\vec a\vec b", False),
        (r"x=\nabla\cdot a", r"x=\nabla a", False),
        (r"x=a\div b", "x=a/b", True),
        (r"x=-a\times b", r"x=-(a\times b)", True),
    ],
)
def test_a_dot_or_a_cross_beside_a_number_is_a_product(tex: str, product: str, same: bool) -> None:
    assert (keys(tex).K2 == keys(product).K2) is same


@pytest.mark.parametrize(
    ("tex", "signs", "inner"),
    [
        (r"a=b\Rightarrow c", ("⇒",), [("=",), None]),
        (r"a\Rightarrow b=c", ("⇒",), [None, ("=",)]),
        (r"a=b\Rightarrow c=d", ("⇒",), [("=",), ("=",)]),
        ("a<b=c", ("<", "="), [None, None, None]),
    ],
)
def test_an_implication_relates_equations(
    tex: str, signs: tuple[str, ...], inner: list[tuple[str, ...] | None]
) -> None:
    (node,) = normal_forms(tex).canonical[0]
    assert isinstance(node, Relation)
    assert (node.signs, [getattr(side, "signs", None) for side in node.sides]) == (signs, inner)


@pytest.mark.parametrize(("node", "order"), [("#2", "2"), ("n", "n"), ("~∞", ""), ('"n', ""), ("%", "")])
def test_the_order_of_a_derivative_is_a_number_or_a_letter(node: str, order: str) -> None:
    assert _order(node) == order


@pytest.mark.parametrize(
    ("tex", "at", "closes"),
    [
        ("[a]", 0, True),
        ("[a[b]c]", 0, True),
        ("[a{]}b]", 0, True),
        ("[a{[}]", 0, True),
        (r"[\]]", 0, True),
        ("[a", 0, False),
        ("[[a]", 0, False),
        ("{[a}]", 1, False),
        (r"[a\]", 0, False),
    ],
)
def test_a_bracket_closes_inside_of_its_group(tex: str, at: int, closes: bool) -> None:
    assert _closes(tex, at) is closes


@pytest.mark.parametrize(
    ("tex", "written"), [("abx²", "abx^{2}"), ("abx²³", "abx^{23}"), ("a²b³", "a^{2}b^{3}"), ("a₁²", "a_{1}^{2}"), ("ab₁₂", "ab_{12}")]
)  # fmt: skip
def test_raised_characters_in_a_row_are_one_script(tex: str, written: str) -> None:
    assert _outside(tex) == written


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"\mathbf a\times x", {("×", "b.a", "x"): 1}),
        (r"x\times\mathbf a", {("×", "x", "b.a"): 1}),
        (r"\mathbf b\cdot\mathbf a", {("·", "b.a", "b.b"): 1}),
        (r"\mathbf B\mathbf Ax", {("*", "b.B", "b.A"): 1}),
        (r"\mathbf A\mathbf Ax", {}),
        (r"x\times y", {}),
    ],
)
def test_products_of_vectors_keep_their_order(tex: str, found: dict[tuple[str, ...], int]) -> None:
    assert products(normal_forms(tex).canonical[0]) == found
