"""Solutions of differential equations, statements laid on each other, and generated forms: what each rule lets through, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from bot.formula import compare, describe
from bot.formula.alignment.equations import stated_equations
from bot.formula.alignment.forms.function_solutions import solves
from bot.formula.alignment.tree_alignment import best_alignment
from bot.formula.generation import transformations, written_forms
from bot.formula.generation.written_forms import equivalent_forms, near_misses
from bot.formula.keys.polynomial import _DIGITS, MAX_NUMBER, TooLarge, bounded, number_of
from bot.formula.normal.stages import normal_forms
from bot.formula.quantities.formula_symbols import symbol_of

DECAY = r"\dot N=-kN"


@pytest.mark.parametrize(
    ("equation", "solution", "said"),
    [
        (DECAY, r"N=Ce^{-kt}", True),
        (DECAY, r"Ce^{-kt}=N", True),
        (DECAY, r"N(t)=Ce^{-kt}", True),
        ("y'=y", r"y=Ce^x", True),
        (r"\ddot x=-x", r"x=A\sin t+B\cos t", True),
        (r"\dot v=g-kv", r"v=\frac gk+Ce^{-kt}", True),
        (DECAY, r"N=Ce^{kt}", False),
        (r"\ddot x=-x", r"x=A\sin t+1", False),
        (r"\dot N+\dot N^2=kN", r"N=Ce^{-kt}", False),
        (DECAY, r"N=Ce^{-ikt}", False),
        # one of many solutions says less
        (DECAY, r"N=e^{-kt}", None),
        (r"\ddot x=-x", r"x=A\sin t", None),
        (r"\dot v=g-kv", r"v=\frac gk", None),
        # other letters than those of the equation, or not its variable
        (DECAY, r"N=Ce^{-qt}", None),
        (DECAY, r"N(x)=Ce^{-kt}", None),
        (DECAY, "N=C", None),
        # no value, or one with the function or with calculus in it
        (DECAY, r"N<Ce^{-kt}", None),
        (DECAY, r"N=Ce^{-kt}=M", None),
        (DECAY, r"N=NCe^{-kt}", None),
        (DECAY, r"N=\int Ce^{-kt}dt", None),
        # what cannot be computed
        (DECAY, r"N=\mathbf A\times\mathbf Be^{-kt}", None),
        (r"\dot N=\ln(-t)", "N=Ct", None),
        # no equation of one function of one variable
        (r"\dot N+kN<0", r"N=Ce^{-kt}", None),
        (r"\dot N+kN=0=q", r"N=Ce^{-kt}", None),
        ("y'+z'=y", r"y=Ce^x", None),
        (r"\frac{\partial^2y}{\partial x\partial t}=y", r"y=Ce^x", None),
        (r"\frac{\partial y}{\partial x}+\frac{\partial y}{\partial t}=0", "y=Cx", None),
        (r"\frac{d^nN}{dt^n}=N", r"N=Ce^t", None),
        (r"\frac{dN_a}{dt}=N_a", r"N_a=Ce^t", None),
        (r"\dddot x=-x", r"x=A\sin t+B+C", None),
        ("F=ma", "F=2t", None),
    ],
)
def test_the_general_solution_of_a_differential_equation(equation: str, solution: str, said: bool | None) -> None:
    assert (
        solves(normal_forms(equation).normal_with_names[0], normal_forms(solution).normal_with_names[0], general=True)
        is said
    )


NINE = "a=b+c+d+e+f+g+h+k"


@pytest.mark.parametrize(
    ("one", "other", "most", "cost"),
    [
        ("F=ma", "F=am", 0, 0.0),
        ("F=ma", "F=Ma", 0.5, 0.2),
        ("F=ma", "F=mb", 9, 1.0),
        ("F=ma", "F=mb", 0.5, None),
        ("F=m-a", "F=a-m", 9, 0.2),
        ("x>y-z", "x>z-y", 9, 3.2),
        ("F=ma+b", "F=mb+a", 9, 5.0),  # letters crossed
        ("F=ma+b", "F=mb+a", 0.5, None),
        ("p=q", "r=s", 9, None),  # nothing stays
        ("F=ma", "F=m+a", 9, None),
        (NINE, NINE, 9, 0.0),  # in more ways than are tried
        (NINE, NINE.replace("k", "q"), 9, None),
    ],
)
def test_what_it_costs_to_write_a_statement_as_another(one: str, other: str, most: float, cost: float | None) -> None:
    found = best_alignment(stated_equations(one)[0], stated_equations(other)[0], most=most)
    assert (found and found.cost) == (cost if cost is None else pytest.approx(cost))


def test_usual_letters_cost_less_than_others() -> None:
    one, other = stated_equations("v=at")[0], stated_equations("u=at")[0]
    usual = best_alignment(one, other, lambda a, b: (a, b) == ("v", "u"))
    assert usual
    assert (usual.usual_pairs, usual.unexplained_pairs, usual.cost) == ((("v", "u"),), (), pytest.approx(0.6))
    plain = best_alignment(one, other)
    assert plain
    assert (plain.usual_pairs, plain.unexplained_pairs, plain.cost) == ((), (("v", "u"),), 1.0)


def test_a_near_miss_can_be_read_and_says_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def ways(tex: str) -> Iterator[str]:
        yield from ("{" * 300, "c^2m=E", tex, "E=mc^3")

    monkeypatch.setattr(written_forms, "CHANGES", {"exponent": ways, "none": lambda tex: iter([tex])})
    for seed in range(4):
        found = near_misses("E=mc^2", seed=seed)
        assert [(each.tex, each.transformations, each.same_concept) for each in found] == [
            ("E=mc^3", ("exponent",), False)
        ]


def test_a_form_can_be_read_differs_and_stands_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"turned": "c^2m=E", "again": "c^2m=E", "same": "E=mc^2", "broken": "{" * 300, "none": None}
    ways = {name: lambda tex, rng, form=form: form for name, form in made.items()}
    for module in (transformations, written_forms):
        monkeypatch.setattr(module, "TRANSFORMATIONS", ways)
    found = equivalent_forms("E=mc^2")
    assert [(each.tex, each.transformations, each.same_concept) for each in found] == [("c^2m=E", ("turned",), True)]


def test_a_description_says_why_there_is_no_tree_where_the_grammar_says_nothing() -> None:
    deep = describe("(" * 60)
    assert (deep["valid"], deep["keys"]) == (True, {})
    assert deep["why"] == "nested more than 40 deep at position 40"
    assert set(describe("a=b")["keys"]) == {f"K{n}" for n in range(7)}
    assert describe("a=b")["why"] == ""


def test_a_symbol_is_short_and_stands_alone() -> None:
    label = "m" * (80 - len(r"x_{}\,"))
    assert symbol_of(rf"x_{{{label}}}\,") is not None
    assert symbol_of(rf"x_{{{label}m}}\,") is None
    assert [symbol_of(tex) for tex in ("{" * 60, "x, y", "x=1", r"x\ \text{if}\ y", "xy", "xyz")] == [None] * 6
    known = {tex: symbol_of(tex) for tex in (" $x$. ", "f(t)", r"\Delta x", r"\delta x", r"\Delta", "R'_{12}")}
    assert {tex: (found.letter, found.index, found.is_difference) for tex, found in known.items() if found} == {
        " $x$. ": ("x", "", False), "f(t)": ("f", "", False), r"\Delta x": ("x", "", True), r"\delta x": ("x", "", True), r"\Delta": ("Δ", "", False),
        "R'_{12}": ("R", "12", False),
    }  # fmt: skip


@pytest.mark.parametrize(("power", "relation"), [(2, "variant"), (3, "rearranged"), (12, "variant"), (13, "rearranged"), (20, "variant")])  # fmt: skip
def test_equal_even_powers_say_less_than_equal_quantities(power: int, relation: str) -> None:
    assert compare(f"x^{{{power}}}=y^{{{power}}}", "x=y").relation == relation


@pytest.mark.parametrize(
    ("number", "held"),
    [
        (MAX_NUMBER - 1, True), (1 - MAX_NUMBER, True), (MAX_NUMBER, False), (-MAX_NUMBER, False),
        (Fraction(1, MAX_NUMBER - 2), True), (Fraction(1, MAX_NUMBER + 1), False), (Fraction(MAX_NUMBER - 2, 7), True),
        (Fraction(7 * MAX_NUMBER + 1, 7), False), (Fraction(-7 * MAX_NUMBER - 1, 7), False),
    ],
)  # fmt: skip
def test_numbers_of_terms_are_bounded_above_and_below_the_bar(number: int | Fraction, held: bool) -> None:
    if held:
        assert bounded(number) == number
    else:
        with pytest.raises(TooLarge):
            bounded(number)


def test_numbers_are_whole_or_fractions_and_not_too_long() -> None:
    assert (number_of("#12"), number_of("#0.25"), number_of("#007")) == (12, Fraction(1, 4), 7)
    assert (number_of("#1/0"), number_of("#x"), number_of("#" + "1" * _DIGITS), number_of("#" + "1" * (_DIGITS + 1))) == (
        None, None, int("1" * _DIGITS), None
    )  # fmt: skip
