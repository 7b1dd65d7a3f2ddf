"""Special cases: seen by a more general formula of the item, by a narrower name, by a condition in the text."""

from __future__ import annotations

import pytest
from match_pairs import item, pair, place, with_rivals

from bot.match.features.special_case import (
    condition_said,
    general_name,
    narrower_given,
    narrower_name,
    special_case,
    special_case_reason,
)
from bot.match.score import Scored
from bot.records import Evidence

WORK = item("exertion", qid="Q5000")
SPEED_WAVES = r"\frac{1}{c^2}\frac{\partial^2u}{\partial t^2}"


@pytest.mark.parametrize(
    ("tex", "general", "how"),
    [
        ("W=Fs", r"W=\int F\,ds", "constant"),
        (r"v=\frac{s}{t}", r"v=\frac{ds}{dt}", "constant"),
        (r"\bar a=\frac{\Delta v}{\Delta t}", r"\vec a=\frac{d\vec v}{dt}", "mean"),
        ("W=Fs", r"W=\int F\cos\theta\,ds", "constant"),
        (r"\Phi=BA", r"\Phi=\oint B\,dA", "constant"),
        (r"P=\frac{W}{t}", r"P=\frac{dW}{dt}", "constant"),
        ("W=Fs", r"W=Fs\cos\theta", "direction"),
        ("x=vt", "x=x_0+vt", "term"),
        ("F=qvB", r"\vec F=q\vec v\times\vec B", "direction"),
        ("a^2+b^2=c^2", r"c^2=a^2+b^2-2ab\cos\gamma", "term"),
        (r"p_1+\rho gh_1=p_2+\rho gh_2", r"p_1+\frac12\rho v_1^2+\rho gh_1=p_2+\frac12\rho v_2^2+\rho gh_2", "term"),
        ("a=b+c+d+e+f", "a=b+c+d+e+f+g", "term"),
        (r"B=\mu_0 H", r"B=\mu H", "vacuum"),
        (rf"\frac{{\partial^2u}}{{\partial x^2}}={SPEED_WAVES}", rf"\nabla^2u={SPEED_WAVES}", "dimension"),
    ],
)
def test_a_formula_is_a_special_case_of_a_more_general_one(tex: str, general: str, how: str) -> None:
    found = special_case_reason(tex, general)
    assert found
    assert found.code == f"special.{how}"
    assert special_case_reason(general, tex) is None


@pytest.mark.parametrize(
    ("tex", "general"),
    [
        (r"\rho=\frac{m}{V}", r"\rho=\frac{dm}{dV}"),  # textbooks define densities so
        (r"\rho=\frac{m}{t}", r"\rho=\frac{dm}{dV}"),  # no rate in time
        (r"a=\frac{v}{x}", r"a=\frac{dv}{dx}"),
        (r"\frac{\partial^2u}{\partial x^2}=ku", r"\nabla\cdot u=ku"),
        ("u=k", r"\nabla u=k"),
        ("x=vt+s", "x=x_0+vt"),
        (r"y=2x", r"\frac{d^2y}{dx^2}=2"),
        (r"\vec F=m\vec a", "F=ma"),
        ("p=mv", "F=ma"),
        (r"\Delta U=q\Delta V", "U=qV"),  # differences, not means
        ("E=mc^2", "E=hf"),
        ("a=b+c+d+e+f+g", "a=b+c+d+e+f+g+h"),  # of seven terms none is left out
        (r"F=\frac{1}{r}", r"F=\frac{\cos\theta}{r}"),  # nothing but the angle is left above the bar
    ],
)
def test_other_notation_and_other_formulas_are_no_special_cases(tex: str, general: str) -> None:
    assert special_case_reason(tex, general) is None


def test_the_more_general_formula_stands_on_the_item_or_is_named_as_it() -> None:
    found = special_case(pair("W=Fs", WORK), [r"W=\int F\,ds"])
    assert found
    assert str(found.detail) == r"special case of W=\int F\,ds: a quantity that varies there is constant here"
    standing = item("exertion", qid="Q5000", formulas=[r"W=\int F\,ds"])
    assert special_case(pair("W=Fs", standing), []) == found
    assert special_case(pair("W=Fs", WORK), ["E=mc^2"]) is None


def test_what_the_builtin_list_has_first_defines_the_item_whatever_is_wider() -> None:
    law = item("law of cosines", qid="Q164321")  # the list begins with c² = a² + b² − 2ab cos γ
    assert special_case(pair(r"c^2=a^2+b^2-2ab\cos\gamma", law), [r"c^2=a^2+b^2-2ab\cos\gamma+d"]) is None
    assert special_case(pair("c^2=a^2+b^2", law), [])


def test_rivals_of_one_item_are_compared() -> None:
    named = (Evidence.of("name_score.alone", 0.9, name="exertion"),)
    rows = [Scored(pair(tex, WORK), named) for tex in ("W=Fs", r"W=\int F\,ds")]
    found = [{each.name for each in row.evidence} for row in with_rivals(rows)]
    assert ["special_case" in names for names in found] == [True, False]


def _called(label: str, *names: tuple[str, str]) -> tuple[float, float, float]:
    """Return how narrower by the author, how narrower, how general a formula of one place is called, by kinds and names of cues."""
    found = pair("v=x", item(label), place(hints=names))
    return tuple(
        each.score if each else 0.0 for each in (narrower_given(found), narrower_name(found), general_name(found))
    )  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("label", "names", "said"),
    [
        ("velocity", [("symbol", "average velocity")], (0, 1, 0)),
        ("velocity", [("symbol", "average velocity"), ("symbol_far", "velocity")], (0, 0, 0)),  # one source says both
        ("velocity", [("equals", "average velocity"), ("symbol", "velocity")], (0, 1, 0)),
        ("velocity", [("window_quantity", "average velocity")], (0, 0, 0)),  # it may be another formula's
        ("velocity", [("subject_first", "instantaneous velocity")], (0, 0, 1)),
        ("capacitance", [("key_equation", "Capacitance of a parallel-plate capacitor")], (1, 1, 0)),
        ("torque", [("key_equation", "Torque vector")], (0, 0, 1)),
    ],
)
def test_what_a_formula_is_called_may_be_narrower_than_the_item(
    label: str, names: list[tuple[str, str]], said: tuple[float, ...]
) -> None:
    assert _called(label, *names) == said


def test_a_narrower_name_counts_for_its_share_of_places() -> None:
    found = narrower_name(pair("v=x", item("velocity"), place(hints=[("symbol", "mean velocity")]), place(), place()))
    assert found
    assert found.score == pytest.approx(1 / 3)
    assert str(found.detail) == "the text gives it a narrower name: “mean velocity”"


def test_a_section_about_something_narrower_says_so_too() -> None:
    found = narrower_name(pair("f=x", item("normal distribution"), place(heading="Standard normal distribution")))
    assert found
    assert found.detail.code == "evidence.narrower_name.heading"


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("It is known. In a vacuum, ⟦3⟧ holds.", "in a vacuum"),
        ("For a homogeneous medium, the field is ⟦3⟧.", "for a homogeneous medium"),
        ("The field in a vacuum chamber was seen. It is ⟦3⟧.", None),
        ("It is ⟦3⟧, where c is the speed in vacuum.", None),
    ],
)
def test_a_condition_before_the_formula_is_read(text: str, case: str | None) -> None:
    found = condition_said(pair("B=x", item("field"), place(text)))
    assert (found.detail.values["case"] if found else None) == case


def test_a_condition_that_the_item_is_named_after_is_none() -> None:
    assert condition_said(pair("pV=nRT", item("ideal gas law"), place("For an ideal gas, ⟦3⟧."))) is None
