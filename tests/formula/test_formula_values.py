"""Values at the boundaries of single rules of formulas: bounds met and passed by one, trees of sums, expressions, dimensions, errors."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from bot.errors import FormulaError
from bot.formula import compare
from bot.formula.alignment.differences import _counts_of_tex, _lacks_term
from bot.formula.alignment.extensions import further_terms
from bot.formula.alignment.forms.unlike_forms import MAX_LEAVES, compare_in_common_form
from bot.formula.alignment.forms.vector_forms import _with_dot_products
from bot.formula.alignment.forms.written_sums import follows_convention, with_convention
from bot.formula.alignment.tree_alignment import _USUAL_COST, _can_keep_letters
from bot.formula.equivalence.units import _parities
from bot.formula.features.equation_terms import term_words
from bot.formula.generation import tex_pieces
from bot.formula.generation.written_forms import equivalent_forms, near_misses
from bot.formula.keys import expanded
from bot.formula.keys.polynomial import Polynomial
from bot.formula.keys.solving import _clear_denominators
from bot.formula.normal.arithmetic import minus, plus
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.expressions import MAX_EXPONENT, MAX_NODES, ExpressionReader, NotComputable
from bot.formula.numeric.expressions import Addition as Add
from bot.formula.numeric.expressions import FunctionValue as Of
from bot.formula.numeric.expressions import Multiplication as Times
from bot.formula.numeric.expressions import Number as N
from bot.formula.numeric.expressions import Power as Pow
from bot.formula.numeric.expressions import Variable as V
from bot.formula.numeric.sampling import _Sampler
from bot.formula.quantities.dimensions import DIMENSIONLESS, has_balanced_dimensions, parse_dimension
from bot.formula.tex.nodes import Signed, Sum
from bot.formula.tex.tokenizer import pair_bars, tokenize
from bot.formula.tex.tree import is_whole

SUMS = {  # a sum -> what the summation convention makes of it, "" where the sign stays, and whether an index stands twice
    r"\sum_i a_i b_i": ("(a_i^;·b_i^;)", True),
    r"\sum_{i=1}^n a_i b_i": ("(a_i^;·b_i^;)", True),
    r"\sum_{i=0}^3 a_i b_i": ("(a_i^;·b_i^;)", True),
    r"\sum_{i=2}^n a_i b_i": ("", True),
    r"\sum_{i=1}^\infty a_i b_i": ("", True),
    r"\sum_i a_i": ("", False),
    r"\sum_i i a_i b_i": ("", True),
    r"\sum_i a_i b_i c_i": ("", False),
    r"\sum_i a_i b_i \frac{\partial u}{\partial x_j}": ("(D(j1|u)·a_i^;·b_i^;)", True),
    r"\sum_i a_i \frac{\partial u}{\partial x_i}": ("(D(i1|u)·a_i^;)", True),
    r"\sum_i \frac{\partial^2 u}{\partial x_i^2}": ("∇²@(u)", False),
    r"\sum_i \frac{\partial u_i}{\partial x_i}": ("div@(u)", True),
}


@pytest.mark.parametrize("tex", SUMS)
def test_a_sum_by_the_summation_convention(tex: str) -> None:
    (node,) = normal_forms(f"y={tex}").normal_with_names
    found, twice = with_convention(node), SUMS[tex][1]
    left = next(side for side in found.sides if side != "y")
    assert ("" if found == node else render(left), follows_convention([node])) == (SUMS[tex][0], twice)


@pytest.mark.parametrize(
    ("written", "tex", "same"),
    [
        (r"1+x+\cdots+x^n", r"\sum_{k=0}^n x^k", True),
        (r"1+\cdots+x^n", r"\sum_{k=0}^n x^k", False),
        (r"1+x+x^2+\cdots+x^n", r"\sum_{k=1}^n x^k", False),
        (r"1+x+x^2+\cdots+x^n", r"\sum_{k=0}^\infty x^k", False),
        (r"1+x+x^2+\cdots", r"\sum_{k=0}^\infty x^k", True),
        (r"1-x+x^2-\cdots", r"\sum_{k=0}^\infty (-1)^k x^k", True),
        (r"1-x+x^2+\cdots", r"\sum_{k=0}^\infty (-1)^k x^k", False),
    ],
)
def test_a_sum_that_is_written_out(written: str, tex: str, same: bool) -> None:
    note = "the same with the sum written out" if same else "no key in common"
    for one, other in ((written, tex), (tex, written)):
        found = compare(f"y={one}", f"y={other}")
        assert (found.same_concept, found.note) == (same, note)


def test_pieces_of_tex() -> None:
    assert (tex_pieces.group("a{b{c}d}e", 1), tex_pieces.group("a{bc", 1)) == (("b{c}d", 8), ("bc", 4))
    assert list(tex_pieces.fractions(r"\frac{a}{b} + \frac {c} {d}")) == [("a", "b", 0, 11), ("c", "d", 14, 27)]
    assert list(tex_pieces.fractions(r"\frac{\frac{a}{b}}{c}")) == [(r"\frac{a}{b}", "c", 0, 21), ("a", "b", 6, 17)]
    assert list(tex_pieces.fractions(r"\frac{a}")) == []
    assert (tex_pieces.has_top_level("a+{b-c}", ("-",)), tex_pieces.has_top_level("a+{b-c}", ("+",))) == (False, True)


def test_a_formula_without_a_tree_has_neither_forms_nor_near_misses() -> None:
    for made in (equivalent_forms, near_misses):
        with pytest.raises(FormulaError):
            made("(" * 50)


def test_a_minus_before_a_sum_goes_to_its_terms() -> None:
    assert plus(["c", Signed("-", Sum(("a", Signed("-", "b"))))]) == Sum(("c", Signed("-", "a"), "b"))
    assert plus([Sum(("a", "b")), Signed("±", Sum(("c", "d")))]) == Sum(("a", "b", Signed("±", Sum(("c", "d")))))
    assert (plus(["a"]), minus(Signed("±", "a")), minus(Signed("∓", "a"))) == ("a", Signed("∓", "a"), Signed("±", "a"))


READ = {  # a side -> its expression, "" where it cannot be computed, and what marks it
    "|x|": (Of("abs", (V(0),)), "abs"),
    r"|\psi|": (V(0), ""),
    r"|\frac{dx}{dt}|": (V(0), ""),
    "|A|": (V(0), ""),
    f"x^{{{MAX_EXPONENT}}}": (Pow(V(0), MAX_EXPONENT), ""),
    f"x^{{{MAX_EXPONENT + 1}}}": ("", ""),
    r"\sqrt[61]{x}": ("", ""),
    "A^T": ("", ""),
    r"\sin^{-1}x": (Of("arcsin", (V(0),)), "arc"),
    r"\sin^2x": (Pow(Of("sin", (V(0),)), 2), ""),
    r"\ln^{-1}x": ("", ""),
    r"\cot x": (Times((N(1),), (Of("tan", (V(0),)),)), ""),
    r"\log x": (Of("ln", (V(0),)), "ln"),
    r"20\log x": (Times((N(20), Times((Of("ln", (V(0),)),), (V(1),))), ()), ""),
    r"\log_2x": (Of("log", (V(0), N(2))), ""),
    r"\lg x": (Of("log", (V(0), N(10))), ""),
    "10^x": (Of("pow", (N(10), V(0))), "ten"),
    r"\binom{n}{k+1}": (Of("binom", (V(0), Add((V(1), N(1))))), ""),
    r"\mp x": (Times((V(0), N(-1), V(1))), ""),
}


@pytest.mark.parametrize("tex", READ)
def test_a_side_as_an_expression(tex: str) -> None:
    (node,) = normal_forms(f"q={tex}").unscripted
    reader = ExpressionReader({})
    side = next(each for each in node.sides if each != "q")
    wanted, mark = READ[tex]
    if wanted == "":
        with pytest.raises(NotComputable):
            reader.read(side)
    else:
        assert (reader.read(side), reader.marks) == (wanted, {mark} - {""})


def test_an_expression_has_so_many_nodes_at_most() -> None:
    letters = tuple(f"a{n}" for n in range(MAX_NODES))
    assert ExpressionReader({}).read(Sum(letters[1:])) == Add(tuple(map(V, range(MAX_NODES - 1))))
    with pytest.raises(NotComputable):
        ExpressionReader({}).read(Sum(letters))


def test_long_formulas_are_not_laid_in_one_form() -> None:
    for leaves, joined in ((MAX_LEAVES, True), (MAX_LEAVES + 1, False)):
        rest = "+".join(f"a_{{{n}}}" for n in range((leaves - 6) // 2))
        tail = rest + "+z" * ((leaves - 6) % 2)
        one, other = rf"y=\sum_i u_i v_i+{tail}", f"y=u_iv_i+{tail}"
        assert (compare_in_common_form(one, other) is not None) is joined, normal_forms(one).leaves


def test_the_longest_whole_number() -> None:
    texts = ["1" * 29, "1" * 30, "7", "1.5", "", "x"]
    assert [is_whole(text) for text in texts] == [True, False, True, False, False, False]


@pytest.mark.parametrize(
    ("tex", "even"),
    [
        ("x^2=y^2", [True]),
        ("x^2=y^4", [True]),
        ("x^2=y", [False]),
        ("x^2=y^2=z^2", []),
        ("x^2=y^2+z^2", []),
        ("x^2", []),
    ],
)
def test_an_equation_of_two_terms_whose_powers_are_all_even(tex: str, even: list[bool]) -> None:
    assert _parities(list(normal_forms(tex).unscripted)) == even


@pytest.mark.parametrize(
    ("tex", "most", "written"),
    [
        (r"\sum_{i=1}^{4} a_i b_i", 16, True), (r"\sum_{i=1}^{4} a_i b_i", 15, False), (r"\prod_{i=3}^{4} a_i b_i", 8, True), (r"\prod_{i=3}^{4} a_i b_i", 7, False),
        (r"\sum_{i=2}^{13} a_i", 120, True), (r"\sum_{i=2}^{14} a_i", 120, False), (r"\sum_{i=2}^{2} a_i", 120, True), (r"\sum_{i=2}^{1} a_i", 120, False), (r"\sum_{i=1}^{n} a_i", 120, False),
    ],
)  # fmt: skip
def test_a_short_sum_between_numbers_is_written_out(
    monkeypatch: pytest.MonkeyPatch, tex: str, most: int, written: bool
) -> None:
    monkeypatch.setattr(expanded, "MAX_LEAVES", most)
    node = normal_forms(tex).normal[0][0]
    assert (expanded._sums(node) != node) is written


@pytest.mark.parametrize(
    ("beyond", "held"), [(2.0, True), (1.0, False), (2.5, False), (1e4, None), (math.inf, None), (math.nan, None)]
)
def test_an_equation_holds_where_moving_the_point_would_break_it(beyond: float, held: bool | None) -> None:
    """The gap between its sides is all but 0 at the point, or 1, and `beyond` where that is moved."""
    here = 1e-12 if beyond == 2 else 1.0
    sides = (lambda point: here if point[0] == 1 else beyond, lambda _: 0.0)
    sampler = SimpleNamespace(
        fixed=set(), pair=SimpleNamespace(whole_numbers=set()), noise=[1.5], systems=[[sides]],
        residual=lambda of, point: of[0](point) - of[1](point),
    )  # fmt: skip
    assert _Sampler.holds(sampler, 0, [1.0]) is held  # type: ignore[arg-type]


def test_few_letters_may_change_where_the_others_stay() -> None:
    """Letters of each side, those that stand in both places, and what the change of a letter may cost at most."""

    def may(one: str, other: str, standing: str, most: float) -> bool:
        a, b = (SimpleNamespace(letters=set(each), places_by_letter=set(standing)) for each in (one, other))
        return _can_keep_letters(a, b, most)  # type: ignore[arg-type]

    assert may("xya", "xyb", "xy", _USUAL_COST)
    assert not may("xya", "xyb", "xy", _USUAL_COST - 0.01)
    assert not may("xya", "xyb", "x", _USUAL_COST), "y stands elsewhere"
    assert not may("xya", "xyab", "xya", 9 * _USUAL_COST)
    assert may("xyA", "xya", "xy", 0), "only its case"
    assert may("xab", "xcd", "x", 2 * _USUAL_COST)
    assert not may("xab", "xcd", "x", _USUAL_COST)


DIMENSIONS = {
    name: parse_dimension(text)
    for name, text in {
        "v": "L T^-1", "x": "L", "t": "T", "m": "M", "E": "M L^2 T^-2", "F": "M L T^-2", "a": "L T^-2",
    }.items()
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "formulas"),
    [
        (True, [
            "v=x/t", r"v=\frac{dx}{dt}", r"F=m\ddot x", r"F=m\dot v", "v>x/t", "E=mv^2/2", r"v=\sqrt{ax}", r"v=\int a\,dt", "x=xe^{t/t}",
            r"E\approx Fx", r"F=-\nabla E", r"E=\sum_i m_iv_i^2", "v^2-v^2=2ax", r"a=\frac{d^2x}{dt^2}",
        ]),
        (False, ["v=xt", r"F=m\dot x", "v>x", "E=Fx+m", r"v=\sqrt a", "x=e^t", r"x=\sin(v)", r"v\equiv x"]),
        (None, [r"v\to x", r"x\propto v", "x=q", r"E\in x", r"m=\log(m)", "v=0", r"\frac{"]),
    ],
)  # fmt: skip
def test_sides_and_terms_of_one_dimension(said: bool | None, formulas: list[str]) -> None:
    given = {name: each for name, each in DIMENSIONS.items() if each is not None}
    assert {tex: has_balanced_dimensions(tex, given) for tex in formulas} == dict.fromkeys(formulas, said)


def test_written_dimensions() -> None:
    assert parse_dimension(r"\mathsf{L} \mathsf{T}^{-1}") == parse_dimension("L T^−1") == (2520, 0, -2520, 0, 0, 0, 0)
    assert parse_dimension("M L^{1/2}") == (1260, 2520, 0, 0, 0, 0, 0)
    assert (parse_dimension("1"), parse_dimension(""), parse_dimension("L x")) == (DIMENSIONLESS, None, None)


def test_operators_are_told_apart_six_deep() -> None:
    def innermost(deep: int) -> str:
        said = term_words(normal_forms(r"\partial_t u = " + r"\sin(" * deep + r"\partial_x u" + ")" * deep).normal[0])
        return next(word for word in said if word.startswith("%sin") and word.endswith("×0")).rpartition("%sin")[2]

    assert [innermost(deep).rstrip(")×0") for deep in (5, 6, 7)] == ["(D1(u", "(D1(…", "(…"]


@pytest.mark.parametrize(("most", "cleared"), [(4, [{"b": 1}, {"a": 1}]), (3, [{"a": -1}, {"b": -1}])])
def test_denominators_are_cleared_up_to_a_bound(
    most: int, cleared: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_clear_denominators.__globals__, "MAX_CLEARED", most)  # two denominators of two terms
    found = Polynomial([(1, {"a": -1}), (1, {"b": -1})])
    _clear_denominators(found)
    assert [powers for _, powers in found.terms] == cleared


def test_a_further_term_of_three_characters_has_a_name_and_one_of_two_has_none() -> None:
    assert further_terms("E=mc^2", "E=mc^2+abc") == "abc"
    assert further_terms("E=mc^2", "E=mc^2+ab") == ""
    assert further_terms("mgh+kx^2=E", "kx^2=E") == "mgh"  # the first one too


def test_bars_pair_over_a_comma_and_not_over_cells_and_rows() -> None:
    paired = {tex: pair_bars(tokenize(tex))[0] for tex in ("|a,b|", "|a & b|", r"|a \\ b|")}
    assert paired == {"|a,b|": True, "|a & b|": False, r"|a \\ b|": False}


@pytest.mark.parametrize(
    ("tex", "contracted"),
    [
        (r"\sum_i a_i b_i", True),
        (r"\sum_i \frac{a_i b_i}{c}", True),
        (r"\sum_i \frac{a_i b_i}{c_i}", False),
        (r"\sum_i a_i b_i c_i", False),
        (r"\sum_i a_i b_j", False),
    ],
)
def test_a_sum_over_one_index_of_two_factors_is_a_product_of_vectors(tex: str, contracted: bool) -> None:
    (node,) = normal_forms(tex).normal[0]
    assert (_with_dot_products(node) != node) is contracted


@pytest.mark.parametrize(
    ("mine", "theirs", "lacks"),
    [
        ("x+y=a+b", "y+x=a+b+c", True),  # whatever the order of the side that both have
        ("x+y=a+b", "y+z=a+b+c", False),
        ("x+y=a+b+c", "y+x=a+b", False),
        ("x+y=a+d", "y+x=a+b+c", False),
    ],
)
def test_an_equation_lacks_a_term_where_the_other_side_is_the_same(mine: str, theirs: str, lacks: bool) -> None:
    assert _lacks_term(_counts_of_tex(mine), _counts_of_tex(theirs)) is lacks
