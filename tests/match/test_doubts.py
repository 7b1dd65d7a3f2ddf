from __future__ import annotations

import pytest
from match_pairs import item, pair, place

from bot.match import classes
from bot.match.features import existing_claims as standing
from bot.match.features import left_side
from bot.match.features import negative as doubts
from bot.records import Evidence

ENERGY = item("kinetic energy")


def score(found: Evidence | None) -> float | None:
    return found.score if found else None


def test_measured_numbers_are_an_instance() -> None:
    assert score(doubts.numbers(pair(r"v=3.0\times 10^{8}", item("speed")))) == 1.0
    assert doubts.numbers(pair(r"E=\frac{1}{2}mv^{2}", ENERGY)) is None


def test_a_formula_only_met_in_exercises_is_doubted() -> None:
    assert score(doubts.made_up(pair("K=x", ENERGY, place(role="exercise")))) == 1.0
    assert doubts.made_up(pair("K=x", ENERGY, place(role="exercise"), place(role="text"))) is None


@pytest.mark.parametrize(
    ("headings", "found"),
    [
        (["Applications"], 1.0),
        (["Example: a spring"], 1.0),
        (["Degenerate case"], 1.0),
        (["Extension for moving systems"], 1.0),
        (["Applications", "Definition"], None),
        (["Non-degenerate case"], None),
        (["Special relativity"], None),
        (["Field extension"], None),
    ],
)
def test_a_formula_only_met_under_headings_of_cases_is_doubted(headings: list[str], found: float | None) -> None:
    doubt = doubts.made_up(pair("K=x", ENERGY, *(place(heading=each) for each in headings)))
    assert (doubt and doubt.score) == found
    if doubt:
        assert str(doubt.detail) == f"it occurs only in sections such as “{headings[0]}”"
    assert score(doubts.made_up(pair("K=x", ENERGY, place(heading="Applications"), place(role="table")))) == 0.5


def test_an_expression_is_no_defining_equation() -> None:
    assert score(doubts.no_equation(pair(r"\frac{1}{2}mv^{2}", ENERGY))) == 1.0
    assert doubts.no_equation(pair(r"K=\frac{1}{2}mv^{2}", ENERGY)) is None


def test_a_usual_symbol_speaks_for_it() -> None:
    assert score(left_side.left_usual(pair("K=mv", ENERGY))) == 1.0
    assert left_side.left_usual(pair("R=mv", ENERGY)) is None


def test_standing_formulas_agree_or_contradict() -> None:
    newton = r"\mathbf{F}=m\frac{d^{2}\mathbf{x}}{dt^{2}}"
    same = pair(newton, item("force", formulas=[r"\mathbf{F} = m \frac{d^2\mathbf{x}}{dt^2}"]))
    other = pair(newton, item("force", formulas=[r"S=k_{B}\ln \Omega"]))
    assert score(standing.same_formula(same)) == standing.informativeness(newton) == pytest.approx(0.8368, abs=1e-4)
    assert standing.other_formula(same) is None
    assert standing.same_formula(other) is None
    assert score(standing.other_formula(other)) == 1.0
    assert standing.other_formula(pair(newton, item("force"))) is None


def test_a_short_formula_says_less_than_a_long_one() -> None:
    assert (
        standing.informativeness("x=y")
        < standing.informativeness("F=ma")
        < standing.informativeness(r"E^{2}=p^{2}c^{2}+m^{2}c^{4}")
    )


def test_a_film_is_implausible_and_a_law_is_plausible() -> None:
    film = item("Gravity", classes=("Q9",), description="2013 film")
    law = item("Hooke's law", description="physical law")
    assert score(classes.implausible_class(pair("F=x", film), {"Q9": "film"})) == 1.0
    assert classes.plausible_class(pair("F=x", film), {"Q9": "film"}) is None
    assert score(classes.plausible_class(pair("F=kx", law), {})) == 1.0
    assert classes.implausible_class(pair("F=kx", item("force")), {}) is None
