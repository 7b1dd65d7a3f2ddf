"""A formula in its document: both signs count."""

from __future__ import annotations

from typing import Any

import pytest

from bot.match import Recogniser
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.contextual import CONTEXT_CALIBRATION, CONTEXT_FEATURE_NAMES, given_symbol
from bot.match.retrieval.recognise import context_of, shipped_contextual_weights

# A field of the built-in list, and items that have a name only.
ITEMS: list[dict[str, Any]] = [
    *[
        {"qid": concept.qid, "label": concept.label}
        for concept in builtin_formulas().values()
        if concept.field == "mechanics"
    ],
    {"qid": "Q900001", "label": "photograph"},
    {"qid": "Q900002", "label": "twist moment", "aliases": ["moment of twist"]},
]
TORQUE, FORCE, ANGULAR, KINETIC = "Q48103", "Q11402", "Q161254", "Q46276"


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(ITEMS)


def first(recogniser: Recogniser, tex: str, context: str) -> tuple[str, float]:
    hit = recogniser.hits(tex, 3, context)[0]
    return hit.qid, hit.probability


def test_an_item_without_a_formula_is_found_by_its_name(recogniser: Recogniser) -> None:
    tex = r"\Xi = \beta q^{3} + \eta"
    assert all(hit.qid != "Q900002" for hit in recogniser.hits(tex, 40))
    hit = recogniser.hits(tex, 1, f"Twist moment\nThe twist moment $\\Xi$ is given by ${tex}$ for small rods.")[0]
    assert (hit.qid, hit.level, hit.formula) == ("Q900002", "", "")


def test_agreement_raises_the_probability(recogniser: Recogniser) -> None:
    tex = r"\boldsymbol\tau = \mathbf{r}\times\mathbf{F}"
    alone, told = (first(recogniser, tex, words) for words in ("", "This is the torque."))
    assert alone[0] == told[0] == TORQUE
    assert alone[1] < told[1] < 1


def test_words_tell_apart_what_the_formula_alone_does_not(recogniser: Recogniser) -> None:
    tex = r"\frac{d\mathbf{L}}{dt} = \mathbf{r}\times\mathbf{F} + \mathbf{v}\times\mathbf{p}"
    assert first(recogniser, tex, f"Torque\nThe torque on a particle is ${tex}$ .")[0] == TORQUE
    assert first(recogniser, tex, f"Angular momentum\nThe angular momentum changes by ${tex}$ .")[0] == ANGULAR


def test_a_law_whose_formulas_are_quite_other_ones_is_not_meant(recogniser: Recogniser) -> None:
    tex = r"T = \frac{1}{2} m v^2"
    assert first(recogniser, tex, "It has little to do with Hooke's law.")[0] == KINETIC


def test_a_thing_that_is_only_talked_about_is_not_meant(recogniser: Recogniser) -> None:
    hits = recogniser.hits(r"T = \frac{1}{2} m v^2", 400, "A photograph shows $T = \\frac{1}{2} m v^2$ on a wall.")
    assert hits[0].qid == KINETIC
    assert next(hit.probability for hit in hits if hit.qid == "Q900001") < 0.3


def test_a_number_is_no_instance_of_what_is_named(recogniser: Recogniser) -> None:
    assert recogniser.hits("7919", 10, "Torque") == recogniser.hits("7919")


def test_words_that_name_nothing_change_no_answer(recogniser: Recogniser) -> None:
    rows = [{"tex": "v=at", "context": words} for words in ("", "as everybody can see, it holds.", "$v=at$")]
    answers = [recogniser.answer(row)["hits"] for row in rows]
    assert answers[0] == answers[1] == answers[2]


def test_the_fields_of_a_row_are_read_before_its_context() -> None:
    row = {"tex": "x", "doc": "Torque", "heading": "Units", "context": ["some", "words"]}
    assert context_of(row) == "Torque\nUnits\nsome words"
    assert context_of({"tex": "x", "doc": 7, "context": None}) == ""


def test_rows_with_and_without_a_context_go_together(recogniser: Recogniser) -> None:
    rows = [
        {"tex": tex, "context": words} for tex in ("v=at", "", "E=mc^2", r"\tau=1", "7") for words in ("", "Torque")
    ]
    assert list(recogniser.answers(rows)) == [recogniser.answer(row) for row in rows]


@pytest.mark.parametrize(
    ("tex", "symbol"),
    [
        ("v=at", "v"),
        (r"\mathbf{v}\ \stackrel{\mathrm{def}}{ = }\ \frac{d\mathbf{r}}{dt}", "v"),
        (r"\frac{d\mathbf{L}}{dt} = \mathbf{r}\times\mathbf{F} = \boldsymbol{\tau}", "τ"),
        (r"\Delta p = F\Delta t", "p"),
        ("{v^2}(t) = v_0^2 + 2as", "v"),
        (r"x(t) = A\cos\omega t", "x"),
        ("a+b=c+d", ""),
        ("v", ""),
        (r"\frac{", ""),
    ],
)
def test_the_symbol_that_a_formula_gives(tex: str, symbol: str) -> None:
    assert given_symbol(tex) == symbol


def test_no_weight_lets_agreement_speak_against_an_item() -> None:
    rank = dict(zip(CONTEXT_FEATURE_NAMES, shipped_contextual_weights()[0], strict=True))
    assert all(rank[name] >= 0 for name in ("share", "title", "near", "times", "usual", "own", "left_is"))
    assert all(rank[name] <= 0 for name in ("unusual", "right_is", "unlike"))
    assert len(shipped_contextual_weights()[1]) == len(CONTEXT_CALIBRATION) + 1
