from __future__ import annotations

from match_pairs import item, pair, place

from bot.match import classes
from bot.match.features import existing_claims as standing
from bot.match.features import left_side
from bot.match.features import negative as doubts

ENERGY = item("kinetic energy")


def test_measured_numbers_are_an_instance() -> None:
    assert doubts.numbers(pair(r"v=3.0\times 10^{8}", item("speed"))) is not None
    assert doubts.numbers(pair(r"E=\frac{1}{2}mv^{2}", ENERGY)) is None


def test_a_formula_only_met_in_exercises_is_doubted() -> None:
    assert doubts.made_up(pair("K=x", ENERGY, place(role="exercise"))) is not None
    assert doubts.made_up(pair("K=x", ENERGY, place(role="exercise"), place(role="text"))) is None


def test_the_words_before_a_step_are_heard() -> None:
    assert doubts.derived(pair("K=x", ENERGY, place("Substituting this, we obtain ⟦3⟧."))) is not None
    assert doubts.derived(pair("K=x", ENERGY, place("We obtain it. The kinetic energy is ⟦3⟧."))) is None


def test_a_label_of_many_items_is_doubted() -> None:
    found = [doubts.shared_label(pair("K=x", ENERGY, shared=n)) for n in (1, 2, 8)]
    assert found[0] is None
    assert found[1] is not None
    assert found[2] is not None
    assert found[1].score < found[2].score


def test_an_expression_is_no_defining_equation() -> None:
    assert doubts.no_equation(pair(r"\frac{1}{2}mv^{2}", ENERGY)) is not None
    assert doubts.no_equation(pair(r"K=\frac{1}{2}mv^{2}", ENERGY)) is None


def test_what_the_text_says_of_the_left_symbol_is_heard_both_ways() -> None:
    says = place(definitions=[("K", "kinetic energy")])
    other = place(definitions=[("W", "work done")])
    assert left_side.left_means_it(pair(r"K=\frac{1}{2}mv^{2}", ENERGY, says)) is not None
    assert left_side.left_means_other(pair(r"W=\frac{1}{2}mv^{2}", ENERGY, other)) is not None
    assert left_side.left_means_other(pair(r"K=\frac{1}{2}mv^{2}", ENERGY, says)) is None


def test_a_usual_symbol_speaks_for_it_and_another_one_against() -> None:
    assert left_side.left_usual(pair("K=mv", ENERGY)) is not None
    assert left_side.left_unusual(pair("R=mv", ENERGY)) is not None
    assert left_side.left_unusual(pair("R=mv", item("cosmic froth"))) is None


def test_standing_formulas_agree_or_contradict() -> None:
    newton = r"\mathbf{F}=m\frac{d^{2}\mathbf{x}}{dt^{2}}"
    same = pair(newton, item("force", formulas=[r"\mathbf{F} = m \frac{d^2\mathbf{x}}{dt^2}"]))
    other = pair(newton, item("force", formulas=[r"S=k_{B}\ln \Omega"]))
    assert standing.same_formula(same) is not None
    assert standing.other_formula(same) is None
    assert standing.same_formula(other) is None
    assert standing.other_formula(other) is not None
    assert standing.other_formula(pair(newton, item("force"))) is None


def test_a_short_formula_says_less_than_a_long_one() -> None:
    assert standing.telling("x=y") < standing.telling("F=ma") < standing.telling(r"E^{2}=p^{2}c^{2}+m^{2}c^{4}")


def test_a_film_is_implausible_and_a_law_is_plausible() -> None:
    film = item("Gravity", classes=("Q9",), description="2013 film")
    law = item("Hooke's law", description="physical law")
    assert classes.implausible_class(pair("F=x", film), {"Q9": "film"}) is not None
    assert classes.plausible_class(pair("F=x", film), {"Q9": "film"}) is None
    assert classes.plausible_class(pair("F=kx", law), {}) is not None
    assert classes.implausible_class(pair("F=kx", item("force")), {}) is None
