"""What the forms of the built-in list say of a pair: the defining formula, surely none of them, or nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from match_pairs import item, pair, place

from bot.match.features.builtin_list import handbook_other
from bot.match.features.canonical_definition import (
    defining_part,
    handbook_first,
    handbook_unlike,
    listed_exact,
)
from bot.match.features.negative import rewritten_unnamed


@pytest.mark.parametrize("tex", [r"\mathbf{p} = m\mathbf{v}", r"\vec{p}=m\vec{v}", "p = m v"])
def test_the_defining_formula_speaks_for_the_item(tex: str) -> None:
    found = handbook_first(pair(tex, item("momentum", qid="Q41273")))
    assert found is not None
    assert (found.name, found.score) == ("handbook_first", 1.0)
    assert handbook_unlike(pair(tex, item("momentum", qid="Q41273"))) is None


@pytest.mark.parametrize(
    ("tex", "form", "part"),
    [
        (r"P=IV=I^{2}R=\frac{V^{2}}{R}", "P = U I", "P=IV"),
        (
            r"\mathbf{L}=I\omega=\mathbf{r}\times\mathbf{p}",
            r"\mathbf{L}=\mathbf{r}\times\mathbf{p}",
            r"\mathbf{L}=\mathbf{r}\times\mathbf{p}",
        ),
        (r"Q=\frac{dV}{dt}=Av", r"Q=\dot{V}=\frac{dV}{dt}", r"Q=\frac{dV}{dt}"),
        (r"E=h\nu=\hbar\omega", r"E=h\nu", ""),  # all agree
        (r"a=b=c=2d", "a=b=c", ""),  # two of three are what the chain of the list says
        (r"\Phi=\oint E\,dA=\frac{q}{\varepsilon_0}", r"\oint E\,dA=\frac{q}{\varepsilon_0}", ""),  # none alone
        ("p=mv", "p=mv", ""),
        ("G=c=1", "G=c=1", ""),  # the chain itself
        (
            r"U^\dagger U = U U^\dagger = I, \qquad\text{so}\qquad U^{-1} = U^\dagger",
            "U^* U = U U^* = I",
            "",
        ),  # with what follows
    ],
)
def test_of_a_chain_the_equality_that_defines_is_told(tex: str, form: str, part: str) -> None:
    assert defining_part(tex, form) == part


def test_the_part_that_defines_is_said() -> None:
    found = handbook_first(pair(r"p=mv=\hbar k", item("momentum", qid="Q41273")))
    assert found is not None
    assert found.score == 1.0
    assert (
        str(found.detail)
        == "a part of this chain is the item's formula in the built-in list or was accepted here: p=mv"
    )


def test_another_true_formula_of_the_item_is_not_the_defining_one_and_not_denied() -> None:
    about = pair(r"p = \hbar k", item("momentum", qid="Q41273"))
    assert handbook_first(about) is None
    assert handbook_unlike(about) is None


@pytest.mark.parametrize(
    ("tex", "label", "qid"),
    [
        (r"v = H_{0}d", "Hubble's law", "Q179916"),
        (r"w = H_{0}\ell", "Hubble's law", "Q179916"),
        (r"N_{0}e^{-\lambda t}", "exponential decay", "Q574576"),
        ("a = b c", "momentum", "Q41273"),
        (r"p = \frac{\partial m}{\partial q}", "momentum", "Q41273"),
        ("17 = 16 + 1", "momentum", "Q41273"),
    ],
)
def test_where_letters_scripts_or_order_differ_or_nothing_can_be_told_nothing_is_denied(
    tex: str, label: str, qid: str
) -> None:
    assert handbook_unlike(pair(tex, item(label, qid=qid))) is None


def test_another_statement_about_other_quantities_is_denied_with_the_form_of_the_list() -> None:
    about = pair(r"\frac{\partial \psi}{\partial x} + \frac{\chi}{\xi^3} = \zeta", item("momentum", qid="Q41273"))
    found = handbook_unlike(about)
    assert found is not None
    assert (found.name, found.score) == ("handbook_unlike", 1.0)
    assert str(found.detail) == r"the built-in list has another formula for the item: p = m v"


def test_a_later_form_of_the_item_is_no_other_concept_s() -> None:
    about = pair(r"\gamma = \frac{1}{\sqrt{1 - \beta^2}}", item("Lorentz factor", qid="Q599404"))
    others = [replace(hit, qid="Q11402", probability=0.9) for hit in about.view.recognised[:1]]
    taken = replace(about, view=replace(about.view, recognised=others))
    assert taken.recognition is None
    assert handbook_other(taken) is None
    assert handbook_other(replace(taken, item=item("cosmic froth", qid="Q5"))) is not None


def test_on_another_wiki_the_label_says_which_entry_is_meant() -> None:
    found = handbook_first(pair("p = m v", item("momentum", qid="Q7")))
    assert found is not None
    assert found.score == 1.0
    assert handbook_first(pair("p = m v", item("a town", qid="Q41273"))) is None


def test_an_item_that_the_list_does_not_know_is_neither() -> None:
    about = item("formula of a village", qid="Q99999999")
    assert handbook_first(pair("p = m v", about)) is None
    assert handbook_unlike(pair("p = m v", about)) is None


def test_a_formula_of_two_items_is_not_held_against_the_second() -> None:
    found = pair(r"\hat H \psi = E \psi", item("time-independent Schrödinger equation", qid="Q25829357"))
    first = handbook_first(found)
    assert first is not None
    assert first.score == 1.0
    assert handbook_other(found) is None


@pytest.mark.parametrize(
    ("tex", "exact"),
    [
        ("p = m v", True),
        ("p = v m", True),
        (r"\mathbf{p} = m\mathbf{v}", False),
        ("P = m v", False),
        ("p_1 = m_1 v_1", False),
        ("m = p / v", False),
        (r"p = \hbar k", False),  # another form of the entry
    ],
)
def test_what_is_written_as_the_first_form_is_told_from_what_only_states_it(tex: str, exact: bool) -> None:
    about = pair(tex, item("momentum", qid="Q41273"))
    assert (listed_exact(about) is not None) is exact
    unnamed = rewritten_unnamed(about)
    assert (unnamed is not None) is (handbook_first(about) is not None and not exact)


def test_the_first_line_that_defines_counts_and_not_one_about_the_item_before_it() -> None:
    waves, triangle = item("wave equation", qid="Q193846"), item("equilateral triangle", qid="Q157002")
    assert handbook_first(pair(r"\frac{\partial^2 p}{\partial t^2} = v^2 \nabla^2 p", waves)) is not None
    assert handbook_first(pair(r"S = \frac{\sqrt{3}}{4} b^2", triangle)) is None


def test_one_of_two_equations_that_define_the_item_together_is_not_the_first_form() -> None:
    both = r"\frac{\partial u}{\partial x} = \frac{\partial v}{\partial y}, \quad \frac{\partial u}{\partial y} = - \frac{\partial v}{\partial x}"
    about = item("Cauchy–Riemann equations", qid="Q622741")
    assert handbook_first(pair(both, about)) is not None
    assert handbook_first(pair(both.split(",")[0], about)) is None


@pytest.mark.parametrize(
    ("windows", "missing"),
    [
        (["⟦3⟧"], 1.0),
        (["the angular momentum is ⟦3⟧"], None),
        (["the momentum is ⟦3⟧"], 0.5),
        (["the momentum is ⟦3⟧", "⟦3⟧"], 0.75),
    ],
)
def test_a_rewritten_first_form_counts_less_the_more_words_of_the_name_are_missing(
    windows: list[str], missing: float | None
) -> None:
    about = item("angular momentum", qid="Q161254")
    found = rewritten_unnamed(pair(r"J = r \times p", about, *map(place, windows)))
    assert (found and found.score) == missing
    assert rewritten_unnamed(pair(r"\vec{r}\times\vec{p}=\vec{L}", about, *map(place, windows))) is None
