"""Scores of single reasons, and the bounds at which rules of recognition begin to hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from match_pairs import item, pair, place

from bot.match.builtin import Concept
from bot.match.features import existing_claims, negative, ranking_evidence
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.match.retrieval.known_concepts import _both_known, _forms_of, _likely
from bot.match.retrieval.recognise import Hit, Recogniser, _weights, context_of
from bot.match.search_by_name import find_entry
from bot.match.training.quality import quality
from bot.messages import Message
from bot.records import Evidence, Item

HIT = Hit("Q1", 0.0, 0.9, "", "F=ma", np.zeros(0))


def score(found: Evidence | None) -> float | None:
    return found.score if found else None


def test_reasons_that_hold_or_do_not_count_one() -> None:
    assert score(ranking_evidence.eponym(pair("x=y", item("Hooke's law")))) == 1.0
    assert score(ranking_evidence.eponym(pair("x=y", item("wave equation")))) is None
    assert score(negative.distributed(pair(r"X \sim N(\mu,\sigma^2)", item("normal distribution")))) == 1.0
    assert score(negative.distributed(pair("X=N", item("normal distribution")))) is None
    assert score(negative.thing(pair("x=y", item("harmonic oscillator model")))) == 1.0
    assert score(negative.no_equality(pair("x<y", item("speed")))) == 1.0
    assert score(negative.no_equality(pair("x<y", item("Markov inequality")))) is None


def test_words_of_the_label_count_by_their_share_of_all_places() -> None:
    spring = item("spring constant of steel")
    beside = [place("The spring is long: ⟦3⟧."), place("The steel spring: ⟦3⟧."), place("It holds that ⟦3⟧.")]
    found = ranking_evidence.words_beside(pair("F=kx", spring, *beside))
    assert found is not None
    assert (found.score, found.detail.values["percent"]) == (0.3333, "33%")
    assert ranking_evidence.words_beside(pair("F=kx", spring, beside[2])) is None


def test_a_looser_variant_of_a_formula_that_the_item_holds_says_nothing() -> None:
    of_mean, of_sample = (rf"\sigma=\sqrt{{\frac{{1}}{{{n}}}\sum(x-\mu)^2}}" for n in ("n", "n-1"))
    variant = existing_claims.variant_formula(pair(of_mean, item("standard deviation", formulas=(of_sample,))))
    assert score(variant) == existing_claims.informativeness(of_sample) == pytest.approx(0.783, abs=0.001)
    assert existing_claims.variant_formula(pair("F=-kx", item("force", formulas=("F=kx",)))) is None
    assert score(existing_claims.other_formula(pair("F=-kx", item("force", formulas=("F=kx",))))) == 1.0
    assert existing_claims.other_formula(pair("F=kx", item("force", formulas=("F=ma", "F=kx")))) is None
    assert existing_claims.other_formula(pair("F=kx", item("force"))) is None


def test_what_is_likely_and_what_is_known_begins_at_its_bound() -> None:
    hits = [replace(HIT, qid=f"Q{n}", probability=p) for n, p in enumerate((0.31, 0.3, 0.29))]
    assert _likely(hits) == {"Q0", "Q1"}
    levels = [replace(HIT, qid=level or "Q", level=level) for level in ("", "K0", "K3", "K4")]
    assert _forms_of(levels) == {"K0", "K3"}
    assert _forms_of(levels, "K2") == {"K0"}
    known, unknown = [levels[2]], [levels[3], levels[1]]
    assert _both_known(known, known)
    assert not _both_known(known, unknown)
    assert not _both_known([], known)


@pytest.mark.parametrize(
    ("hit", "probability", "differs"),
    [
        ({}, 0.5, True),
        ({}, 0.49, False),
        ({"formula": ""}, 0.9, False),
        ({"level": "K3"}, 0.9, False),
        ({"level": "K4"}, 0.9, True),
        ({"formula": "E=mc^{2}"}, 0.9, False),
    ],
)
def test_a_likely_hit_is_looked_at_for_what_contradicts_it(
    hit: dict[str, Any], probability: float, differs: bool
) -> None:
    of = replace(HIT, **({"formula": "E=mc^{3}"} | hit))
    found = Recogniser._lowered_if_differing(cast("Recogniser", None), "E=mc^2", of, probability)
    assert (found.differs is not None) is differs
    assert replace(found, differs=None) == of
    said = replace(of, differs=Message("differs.value"))
    assert Recogniser._lowered_if_differing(cast("Recogniser", None), "E=mc^2", said, 0.9) is said


def test_a_difference_is_from_the_formulas_of_the_item_asked_for() -> None:
    rows = [
        {"qid": "Q1", "label": "energy", "formulas": ["E=mc^{2}"]},
        {"qid": "Q2", "label": "another", "formulas": ["E=mc^{3}"]},
    ]
    recogniser = Recogniser(rows, book={})  # type: ignore[arg-type]
    assert recogniser.difference("E=mc^2", "Q1") is None
    assert recogniser.difference("E=mc^2", "Q2") is not None
    assert recogniser.difference("E=mc^3", "Q1") is not None


def test_titles_stand_on_lines_of_their_own_before_the_words() -> None:
    row = {"context": ["The work", "is done."], "heading": " Energy ", "title": "Mechanics", "doc": "", "document": 7}
    assert context_of(row) == "Mechanics\nEnergy\nThe work is done."
    assert context_of({"context": "So it is."}) == "So it is."
    assert context_of({}) == ""


def test_a_name_without_a_weight_weighs_nothing() -> None:
    data = {"rank": {"one": 2.0}, "calibration": {"weights": {"why": 3.0}, "bias": -1.0}}
    rank, calibration = _weights(data, ["other", "one"], ["why", "else"])
    assert (rank.tolist(), calibration.tolist()) == ([0.0, 2.0], [3.0, 0.0, -1.0])


def test_entries_come_by_their_level_then_by_likeness_then_by_their_number() -> None:
    index = FormulaIndex(
        IndexedFormula(qid, tex) for qid, tex in (("Q3", "a=bc"), ("Q1", "a=bc"), ("Q4", "a=bd+c"), ("Q2", "x=yz"))
    )
    found = index.search("a=bc", 4)
    assert [(near.entry.qid, near.level) for near in found[:2]] == [("Q1", "K0"), ("Q3", "K0")]
    assert [near.jaccard for near in found[:2]] == [1.0, 1.0]
    assert (found[2].entry.qid, found[2].level) == ("Q2", "K5")
    assert [near.entry.qid for near in found[3:]] == ["Q4"]
    assert 0 < found[3].jaccard < 1
    assert index.search("q", 4) == []
    assert FormulaIndex([]).search("a=bc", 4) == []


def test_the_entry_of_a_name_is_its_item_s_or_that_of_its_qid_or_of_its_label() -> None:
    book = {
        qid: Concept(qid, label, "", ("x=y",), (), ()) for qid, label in (("Q1", "Force"), ("Q2", "Work"), ("Q3", ""))
    }
    assert find_entry("anything", Item("Q2", "Force"), book) is book["Q2"]
    assert find_entry("Q1", None, book) is book["Q1"]
    assert find_entry("work", None, book) is book["Q2"]
    assert find_entry("name", Item("Q9", "nothing", ("force",)), book) is book["Q1"]
    assert find_entry("", None, book) is None
    assert find_entry("power", None, book) is None


def test_quality_is_weighted_but_for_what_is_counted() -> None:
    found = quality([0.95, 0.85, 0.75, 0.2], [1, 0, 1, 0], [1, 2, 1, 1])
    assert (found.judged, found.accepted) == (4, 2)
    assert found.calibration_error == round((0.05 + 2 * 0.85 + 0.25 + 0.2) / 5, 4)
    assert found.log_loss == round(-(np.log(0.95) + 2 * np.log(0.15) + np.log(0.75) + np.log(0.8)) / 5, 4)
    assert found.accepted_from == ((0.9, 1, 1), (0.8, 1, 2), (0.7, 2, 3))
    assert [found.share(at) for at in (0.9, 0.8)] == [1.0, 0.5]
    # Whatever happens to a half is half away; what is certain is not away by chance.
    assert quality([0.5], [1]).calibration_noise == 0.5
    assert quality([1.0, 0.0], [1, 0]).calibration_noise == 0.0
    assert quality([1.0, 0.0], [1, 0]).log_loss == 0.0
    assert quality([1.0], [0]).log_loss == round(-np.log(1e-6), 4)
    nothing = quality([], [])
    assert (nothing.judged, nothing.share(0.9), nothing.accepted_from) == (
        0,
        None,
        ((0.9, 0, 0), (0.8, 0, 0), (0.7, 0, 0)),
    )


@pytest.mark.parametrize(
    ("row", "fields"),
    [
        ({"qid": "Q1", "label": "Force"}, {"Q1": "mechanics"}),
        ({"qid": "Q1", "label": "other", "aliases": ["force"]}, {"Q1": "mechanics"}),
        ({"qid": "Q1", "label": "other"}, {}),  # the list means something else by the QID
        ({"qid": "Q7", "label": "Force"}, {}),
    ],
)
def test_an_item_has_the_field_of_the_entry_with_its_qid_and_one_of_its_names(
    row: dict[str, Any], fields: dict[str, str]
) -> None:
    book = {"Q1": Concept("Q1", "Force", "mechanics", ("F=ma",), (), ())}
    assert Recogniser([row | {"formulas": ["x=y"]}], book=book).contextual_index._fields == fields  # type: ignore[list-item]
