"""A person's answer on a formula without item is evidence: for the item that was named, against those that were refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from match_pairs import item, pair, place, scored

from bot.match.features.candidate_pair import CandidatePair, ReviewerAnswer
from bot.match.features.reviewer_decisions import decided, removed_source
from bot.match.score import matches
from bot.records import Evidence

DAY = "2026-11-20"


def answered(about: str, said: ReviewerAnswer | None) -> CandidatePair:
    made = pair("P = I^2 R", item("power" if about == "Q2" else "heat", qid=about))
    return replace(made, view=replace(made.view, answer=said))


@pytest.mark.parametrize(("said", "score"), [("item", 1.0), ("none", -1.0), ("no_concept", -1.0)])
def test_an_answer_speaks_for_the_item_named_and_against_those_refused(said: str, score: float) -> None:
    answer = ReviewerAnswer(said, "Q2" if said == "item" else "", DAY, ("Q2",))
    assert decided(answered("Q2", answer)) == Evidence.of(f"decided.{said}", score, day=DAY)
    other = Evidence.of("decided.no_concept", -1.0, day=DAY) if said == "no_concept" else None
    assert decided(answered("Q3", answer)) == other
    assert decided(answered("Q2", None)) is None


def test_what_a_person_named_is_likely_whatever_else_is_said_of_the_item() -> None:
    named = answered("Q2", ReviewerAnswer("item", "Q2", DAY))
    rival = pair("P = U I", item("power", qid="Q2", formulas=["P = U I"]))
    rival = replace(rival, view=replace(rival.view, concept=replace(rival.view.concept, key="other")))
    made = replace(named, item=rival.item)
    found = {each.concept: each.probability for each in matches(scored(made, rival))}
    assert found["key"] > 0.9
    without = {each.concept: each.probability for each in matches(scored(answered("Q2", None), rival))}
    assert without.get("key", 0.0) < 0.1
    refused = matches(scored(answered("Q2", ReviewerAnswer("none", "", DAY, ("Q2",)))))
    assert all(each.probability < 0.001 for each in refused)


@pytest.mark.parametrize(
    ("removed", "value"),
    [({}, None), ({"d": (0, 9)}, None), ({"d": (1, 1)}, 0.2065), ({"d": (3, 3)}, 0.4385), ({"d": (1, 10)}, 0.0179)],
)
def test_documents_whose_claims_were_removed_are_doubted_by_how_often(
    removed: dict[str, tuple[int, int]], value: float | None
) -> None:
    made = pair("P = I^2 R", item("power"), place(document="d"))
    found = removed_source(replace(made, view=replace(made.view, removed=removed)))
    assert (found and found.score) == value
