from __future__ import annotations

import math
import pickle
from dataclasses import replace
from functools import partial

import pytest
from match_pairs import PROPERTY, evidence_for, item, pair, place

from bot.match import score
from bot.match.blocks.cached_recognition import recognise_all
from bot.match.builtin import Concept
from bot.match.features.candidate_pair import ConceptView
from bot.match.model import Calibration, EvidenceModel
from bot.match.retrieval.known_concepts import ConceptIndex, builtin_concepts
from bot.match.retrieval.quantities import left_symbol
from bot.match.score import AskedConcept, judge_pairs, judge_special_cases
from bot.messages import uncoded_message
from bot.records import Evidence, Item


def _row(tex: str, about: Item, probability: float, key: str = "") -> score.Scored:
    base = pair(tex, about)
    view = ConceptView(replace(base.view.concept, key=key or tex), (), base.view.known)
    return score.Scored(replace(base, view=view), (Evidence("name_score", 0.5, uncoded_message("named")),), probability)


def test_an_item_s_formulas_do_not_take_from_one_another() -> None:
    model = EvidenceModel(0.0, {"name_score": 2.0})
    alone = score.with_probabilities([_row("a=b+c", item("x"), 0.0)], model)[0].probability
    both = score.with_probabilities([_row("a=b+c", item("x"), 0.0), _row("a=b^{2}", item("x"), 0.0)], model)
    assert [row.probability for row in both] == [alone, alone]


def test_matches_keep_runners_up_and_are_in_order() -> None:
    rows = [_row("a=b+c", item("x", qid=f"Q{n}"), 0.9 - n / 10, key="k") for n in range(1, 9)]
    found = score.matches(rows)
    assert [m.qid for m in found] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert found[0].probability > found[1].probability


def test_calibration_keeps_the_order_and_the_identity() -> None:
    calibration = Calibration(0.3, 0.5, 0.8, 1.2, 0.25)
    found = [calibration.of(logit) for logit in (-40.0, -3.0, 0.0, 3.0, 40.0)]
    assert found == sorted(found)
    assert 0 < found[0] < 1e-8
    # -1 by the first slope, .5 and 1.5 by the second and third, 1 by the last.
    assert calibration.of(3.0) == pytest.approx(1 / (1 + math.exp(-(0.3 - 0.5 + 1.5 * 0.8 + 1.5 * 1.2 + 0.25))))
    assert calibration.of(-3.0) == pytest.approx(1 / (1 + math.exp(-(0.3 - 3 * 0.5))))
    assert [Calibration().of(logit) for logit in (-1.0, 0.0, 2.0)] == pytest.approx([0.268941, 0.5, 0.880797], abs=1e-6)


def test_a_match_s_evidence_says_which_way_and_how_much_it_weighed() -> None:
    row = _row("a=b+c", item("x"), 1.0)
    raw = (
        Evidence("title", 0.5, uncoded_message("title")),
        Evidence("numbers", 1.0, uncoded_message("numbers")),
        Evidence("same_formula", 1.0, uncoded_message("stands")),
    )
    found = score.matches([replace(row, evidence=raw)])[0].evidence
    by_name = {each.name: each.score for each in found}
    assert 0 < by_name["title"] < by_name["same_formula"] <= 1
    assert -1 <= by_name["numbers"] < 0
    assert [each.detail for each in found] == [each.detail for each in raw]
    assert [each.value for each in found] == [0.5, 1.0, 1.0]


def test_every_reason_has_a_sentence() -> None:
    where = place(
        "The force is given by ⟦3⟧.", title="Force", hints=[("key_equation", "Force")], definitions=[("F", "force")]
    )
    found = evidence_for(pair("F=ma", item("force"), where, names=["force"]))
    assert {"key_equation", "called", "title", "left_usual"} <= {each.name for each in found}
    assert all(each.detail for each in found)


@pytest.mark.parametrize(
    ("tex", "left"),
    [
        (r"\vec{F}=ma", "F"),
        (r"F_{\text{net}}=ma", "F"),
        ("a+b=c", ""),
        (r"\frac{a}{b}=c", ""),
        ("a", ""),
        (r"v\equiv x", "v"),
    ],
)
def test_left_symbol_is_what_stands_alone(tex: str, left: str) -> None:
    assert left_symbol(tex) == left


def test_what_is_judged_elsewhere_is_judged_as_here() -> None:
    force = item("force", formulas=["F=ma"])
    asked = pair("F=m a", force, place("the force is ⟦3⟧", title="Force"), names=["force"])
    work = pair("F=ma", item("exertion", qid="Q5000", formulas=[r"W=\int F\,ds"]), place("⟦3⟧"))
    known = ConceptIndex({"Q1": Concept("Q1", "force", "mechanics", ("F=ma",), (), ())})
    for work_of, given in (
        (
            partial(judge_pairs, builtin_concepts(), PROPERTY, {}),
            [AskedConcept.of([asked]), AskedConcept.of([work], [None])],
        ),
        (
            partial(judge_special_cases, builtin_concepts(), PROPERTY),
            [("W=Fs", work.item, (r"W=\int F\,ds",)), ("F=ma", force, (r"F=\frac{dp}{dt}",))],
        ),
        (partial(recognise_all, known), ["F=m a", r"\frac{"]),
    ):
        here = work_of(given)  # type: ignore[operator]
        there = pickle.loads(pickle.dumps(work_of))(pickle.loads(pickle.dumps(given)))
        assert repr(there) == repr(here)  # arrays are not truth values
        assert len(here) == 2
        assert any(here)
