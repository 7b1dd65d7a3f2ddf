from __future__ import annotations

from dataclasses import replace

import pytest
from match_pairs import item, pair, place

from bot.match import score
from bot.match.features.candidate_pair import View
from bot.match.model import Belief, sigmoid
from bot.match.retrieval.quantities import left_symbol
from bot.messages import recorded
from bot.records import Evidence, FormulaConcept, Item


def _row(tex: str, about: Item, logit: float, key: str = "") -> score.Scored:
    base = pair(tex, about)
    view = View(replace(base.view.concept, key=key or tex), (), base.view.known)
    return score.Scored(replace(base, view=view), (Evidence("name_score", 0.5, recorded("named")),), logit)


def test_an_item_s_formulas_and_none_share_one_unit_of_probability() -> None:
    rows = [_row("a=b+c", item("x"), 1.0), _row("a=b^{2}", item("x"), 0.0)]
    found = score.probabilities(rows)
    assert found[0] > found[1]
    assert sum(found) < 1


def test_a_formula_alone_has_the_probability_of_its_logit() -> None:
    assert score.probabilities([_row("a=b+c", item("x"), 0.7)]) == [pytest.approx(sigmoid(0.7))]


def test_formulas_that_agree_do_not_take_from_one_another() -> None:
    alone = score.probabilities([_row("p=F/A", item("x"), 1.0)])[0]
    both = score.probabilities([_row("p=F/A", item("x"), 1.0), _row(r"p=\frac{F}{S}", item("x"), 1.0)])
    assert both[0] > alone


def test_the_best_evidenced_way_of_writing_goes_first() -> None:
    found = score.probabilities([_row("p=F/A", item("x"), 2.0), _row(r"p=\frac{F}{S}", item("x"), -2.0)])
    assert found[0] > found[1]


def test_matches_keep_runners_up_and_are_in_order() -> None:
    rows = [_row("a=b+c", item("x", qid=f"Q{n}"), 2.0 - n, key="k") for n in range(1, 9)]
    found = score.matches(rows)
    assert [m.qid for m in found] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    assert found[0].probability > found[1].probability


def test_no_evidence_reaches_certainty() -> None:
    rows = [_row("a=b+c", item("x"), 30.0)]
    assert score.believed(rows, Belief(most=0.9)) == pytest.approx([0.9])
    stands = [replace(rows[0], evidence=(Evidence("same_formula", 1.0, recorded("stands")),))]
    assert score.believed(stands, Belief(most=0.9)) == pytest.approx([1.0])


def test_belief_is_a_share_seen_soberly_and_keeps_the_order() -> None:
    belief = Belief(slope=0.8, shift=0.5, most=0.85)
    found = [belief.of(share) for share in (0.0, 0.01, 0.3, 0.9, 0.999, 1.0)]
    assert found == sorted(found)
    assert found[0] < 1e-3
    assert found[2] > 0.3
    assert found[-1] <= 0.85


def test_a_match_s_evidence_says_which_way_and_how_much_it_weighed() -> None:
    row = _row("a=b+c", item("x"), 1.0)
    raw = (
        Evidence("title", 0.5, recorded("title")),
        Evidence("numbers", 1.0, recorded("numbers")),
        Evidence("same_formula", 1.0, recorded("stands")),
    )
    found = score.matches([replace(row, evidence=raw)])[0].evidence
    by_name = {each.name: each.score for each in found}
    assert 0 < by_name["title"] < by_name["same_formula"] <= 1
    assert -1 <= by_name["numbers"] < 0
    assert [each.detail for each in found] == [each.detail for each in raw]


def test_a_better_name_elsewhere_is_a_doubt() -> None:
    force, work = item("force", qid="Q1"), item("work", qid="Q2")
    rows = [
        score.Scored(pair("F=ma", about, names=["force", "work"]), (Evidence("name_score", worth, recorded("")),))
        for about, worth in ((force, 0.9), (work, 0.4))
    ]
    with_rivals = score.with_rivals(rows)
    assert "better_named" not in score.as_scores(with_rivals[0].evidence)
    assert score.as_scores(with_rivals[1].evidence)["better_named"] == pytest.approx(0.5)


def test_every_reason_has_a_sentence() -> None:
    where = place(
        "The force is given by ⟦3⟧.", title="Force", hints=[("key_equation", "Force")], definitions=[("F", "force")]
    )
    found = score.evidence_for(pair("F=ma", item("force"), where, names=["force"]), {})
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


def test_views_rank_equations_within_their_document() -> None:
    from bot.match.features.candidate_pair import equation_ranks

    concepts = [
        FormulaConcept("a", "a=b", 1, 1, places=(("d", 9),)),
        FormulaConcept("b", "b=c", 1, 1, places=(("d", 2),)),
    ]
    assert equation_ranks(concepts) == {("d", 2): 0, ("d", 9): 1}
