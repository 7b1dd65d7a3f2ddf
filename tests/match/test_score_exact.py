"""From evidence to matches, to the digit: shares, rivals, runners-up, candidates, and the bounds of each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

import pytest
from match_pairs import evidence_for, item, pair, place, with_rivals

from bot.lookup import Client
from bot.match import candidates, score
from bot.match.article_lookup import likely_items
from bot.match.features.candidate_pair import CandidatePair, ConceptOccurrence, ConceptView, equation_ranks
from bot.match.item_labels import fold
from bot.match.item_selection import choose_matches
from bot.match.model import Calibration, EvidenceModel, measured, scores_by_name, sigmoid
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.match.retrieval.recognise import Hit
from bot.messages import uncoded_message
from bot.records import Evidence, FormulaConcept, Item, ItemMatch, NameCandidate, Statement
from bot.settings import Encyclopaedia


def _row(
    tex: str,
    qid: str,
    probability: float = 0.0,
    *,
    key: str = "",
    named: float = 0.0,
    documents: int = 1,
    name: str = "x",
    **more: float,
) -> score.Scored:
    concept = FormulaConcept(key or tex, tex, 1, documents)
    scores = {"name_score": named, **more}
    evidence = tuple(Evidence(each, value, uncoded_message("named")) for each, value in scores.items() if value)
    view = ConceptView(concept, (), builtin_concepts())
    return score.Scored(CandidatePair(view, item(name, qid=qid)), evidence, probability)


def _with(rows: list[score.Scored], *probabilities: float) -> list[score.Scored]:
    return [replace(row, probability=each) for row, each in zip(rows, probabilities, strict=True)]


def _added(rows: list[score.Scored]) -> list[dict[str, float]]:
    return [{e.name: e.score for e in row.evidence if e.name != "name_score"} for row in with_rivals(rows)]


# -- probability ----------------------------------------------------------------------------------------------------------


def test_a_model_adds_bias_and_weights_and_unknown_evidence_counts_nothing() -> None:
    model = EvidenceModel(-1.0, {"a": 2.0, "b": -3.0})
    assert model.logit({"a": 0.5, "b": 0.25, "c": 9.0}) == -0.75
    assert model.probability({"a": 0.5}) == 0.5
    assert [sigmoid(x) for x in (0.0, -math.log(3), math.log(3))] == pytest.approx([0.5, 0.25, 0.75])
    assert sigmoid(-1000.0) == 0.0


def test_rows_get_the_probability_of_their_evidence() -> None:
    rows = [_row("a=b+c", "Q1", named=0.5)]
    found = score.with_probabilities(rows, EvidenceModel(1.0, {"name_score": 4.0}, Calibration(0.5, fourth=0.25)))
    assert [row.probability for row in found] == pytest.approx([sigmoid(0.5 + 2.0 + 0.25)])


# -- rivals ---------------------------------------------------------------------------------------------------------------


def test_what_agrees_with_a_formula_lends_it_what_its_author_and_its_text_call_it() -> None:
    rows = [
        _row("p=F/A", "Q1", named=0.2),
        _row(r"p=\frac{F}{A}", "Q1", named=0.5, key_equation=0.8, called=0.3),
        _row(r"p={F\over A}", "Q1", named=0.5, defined_term=1.0),
        _row("a=b+c", "Q1", named=0.9, key_equation=1.0),
        _row("p=F / A", "Q2", named=0.9),
    ]
    found = [{name: each[name] for name in ("twin_given", "twin_called") if name in each} for each in _added(rows)]
    assert found == [{"twin_given": 1.0, "twin_called": 0.3}, {"twin_given": 1.0}, {"twin_given": 0.8, "twin_called": 0.3}, {}, {}]  # fmt: skip


def test_among_many_only_the_twelve_best_named_are_compared() -> None:
    others = [_row(f"a=b^{{{n}}}+c^{{{n + 2}}}", "Q1", named=0.9) for n in range(3, 14)]
    twins = [_row(tex, "Q1", named=0.5, key=tex, called=0.5) for tex in ("p=F/A", r"p=\frac{F}{A}")]
    assert all("twin_called" in each for each in _added([*others[:10], *twins])[-2:])
    assert ["twin_called" in each for each in _added([*others, *twins])[-2:]] != [True, True]


def test_a_name_that_many_unlike_formulas_have_says_little_of_each() -> None:
    shared = [_row(f"a=b^{{{n}}}+c^{{{n + 2}}}", "Q1", named=0.5) for n in range(3, 6)]
    rows = [*shared, _row("p=F/A", "Q1", named=0.2), _row("q=r/s", "Q1", named=0.1), _row("p=F/A", "Q2", named=0.9)]
    # Each of the three meets two others; what is hardly named meets three, and what is not named is not asked.
    assert [each.get("many_formulas") for each in _added(rows)] == [None, None, None, 1.0, None, None]
    twin = _row(r"p=\frac{F}{A}", "Q1", named=0.5)
    found = with_rivals([*rows, twin])
    assert [str(e.detail) for row in found for e in row.evidence if e.name == "many_formulas"] == [
        "3 other, different formulas have the same name here"
    ] * 5


# -- matches --------------------------------------------------------------------------------------------------------------


def test_the_best_five_stay_and_of_the_others_none_below_the_least() -> None:
    rows = [_row("a=b+c", f"Q{n}", key="k") for n in range(1, 8)]
    kept = score.matches(_with(rows, 0.1, 0.7, 0.004, 0.005, 0.0049, 0.2, 0.3))
    assert [(m.qid, m.probability) for m in kept] == [("Q2", 0.7), ("Q7", 0.3), ("Q6", 0.2), ("Q1", 0.1), ("Q4", 0.005)]
    kept = score.matches(_with(rows, 0.5, 0.004, 0.0049, 0.005, 0.0, 0.0, 0.0))
    assert [m.qid for m in kept] == ["Q1", "Q4"]
    assert [m.qid for m in score.matches(_with(rows[:2], 0.001, 0.001))] == ["Q1"]


def test_matches_stand_by_concept_with_their_formula_and_rounded_probability() -> None:
    rows = [_row("z=b+c", "Q2", key="z"), _row("a=b+c", "Q1", key="a")]
    found = score.matches(_with(rows, 0.123456, 0.6))
    assert [(m.concept, m.tex, m.qid, m.probability) for m in found] == [
        ("a", "a=b+c", "Q1", 0.6),
        ("z", "z=b+c", "Q2", 0.1235),
    ]


def test_evidence_of_the_list_weighs_by_how_it_is_met() -> None:
    model = EvidenceModel(0.0, {"handbook": 2.0, "handbook.K3": -0.5, "title": 1.0, "title.nth": 9.0})
    renamed, same = Evidence.of("handbook.K3", 0.5, tex="a=b"), Evidence.of("handbook.same", 0.5)
    titled = Evidence.of("title.nth", 1.0, n=1, title="t")
    assert scores_by_name([renamed, titled]) == {"handbook": 0.5, "handbook.K3": 0.5, "title": 1.0}
    assert model.logit(scores_by_name([renamed])) == 0.75
    assert model.logit(scores_by_name([same, titled])) == 2.0
    stored = score.contributions([renamed, same, titled], model)
    assert [each.score for each in stored] == [round(math.tanh(x), 4) for x in (0.75, 1.0, 1.0)]
    assert scores_by_name(measured([*stored, Evidence.of("eponym.named", 1.0, name="x")])) == {
        "handbook": 0.5, "handbook.K3": 0.5, "handbook.same": 0.5, "title": 1.0,
    }  # fmt: skip


def test_contributions_are_weight_times_value_squashed() -> None:
    model = EvidenceModel(0.0, {"a": 2.0, "b": -1.0})
    found = score.contributions(
        [
            Evidence("a", 0.5, uncoded_message("x")),
            Evidence("b", 3.0, uncoded_message("y")),
            Evidence("c", 1.0, uncoded_message("z")),
        ],
        model,
    )
    assert [(e.name, e.score, str(e.detail)) for e in found] == [
        ("a", round(math.tanh(1), 4), "x"),
        ("b", round(math.tanh(-3), 4), "y"),
        ("c", 0.0, "z"),
    ]


def test_a_formula_without_a_tree_has_no_evidence() -> None:
    assert evidence_for(pair(r"\sum " * 50, item("force"), place(title="Force"))) == ()


# -- what is queued ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("least", "kept"), [(0.5, ["a", "b"]), (0.6, ["a"]), (0.61, [])])
def test_what_reaches_the_threshold_is_queued(least: float, kept: list[str]) -> None:
    rows = [ItemMatch("b", "d=e^{2}", "Q1", 0.5), ItemMatch("a", "a=b+c", "Q1", 0.6)]
    assert [m.concept for m in choose_matches(rows, least)] == kept


def test_equal_matches_stand_by_number_of_the_item_then_concept() -> None:
    rows = [
        ItemMatch(c, t, q, 0.9) for c, t, q in (("b", "a=b+c", "Q10"), ("a", "a=b+c", "Q9"), ("a", "d=e^{2}", "X1"))
    ]
    assert [m.qid for m in choose_matches(rows, 0.5)] == ["X1", "Q9", "Q10"]


def test_three_formulas_for_an_item_and_no_more() -> None:
    rows = [ItemMatch(str(n), f"a=b^{{{n}}}+c", "Q1", 0.9 - n / 100) for n in range(2, 7)]
    assert [m.concept for m in choose_matches(rows, 0.5)] == ["2", "3", "4"]


# -- candidates -------------------------------------------------------------------------------------------------------------


def _view(
    names: Iterable[str] = (), *places: ConceptOccurrence, tex: str = "F=ma", hits: Iterable[Hit] = ()
) -> ConceptView:
    said = tuple(NameCandidate(name, 0.9 - n / 100) for n, name in enumerate(names))
    return ConceptView(FormulaConcept("k", tex, 1, 1, names=said), places, builtin_concepts(), tuple(hits))


def test_the_first_six_names_are_asked_with_their_variants() -> None:
    found = candidates.names_of(_view([f"name {n}" for n in range(8)]))
    assert [found[f"name {n}"] for n in range(8)] == [True] * 6 + [False] * 2


@pytest.mark.parametrize(("rank", "asked"), [(0, True), (11, True), (12, False)])
def test_a_title_is_asked_for_the_first_twelve_equations(rank: int, asked: bool) -> None:
    found = candidates.names_of(_view((), place(title="Mechanics", rank=rank, heading="Motion")))
    assert ("Mechanics" in found, found["Motion"]) == (asked, True)


def test_hints_but_no_qids_and_meanings_of_the_left_side_are_asked() -> None:
    where = place(hints=[("infobox", "pull"), ("qid", "Q7")], definitions=[("F", "net force"), ("m", "mass")])
    found = candidates.names_of(_view((), where))
    assert {name for name, wide in found.items() if wide} == {"pull", "net force"}
    assert list(candidates.tied_qids(_view((), where))) == ["Q7"]


@pytest.mark.parametrize(("probability", "asked"), [(0.5, True), (0.49, False)])
def test_what_the_built_in_list_recognises_is_asked_as_it_stands(probability: float, asked: bool) -> None:
    hit = Hit("Q11402", 0.0, probability, "K2", "F=ma", cast(Any, ()))
    assert candidates.names_of(_view(hits=[hit])) == ({"force": False} if asked else {})


@pytest.mark.parametrize(
    ("name", "asked"), [("x", False), ("xy", True), ("the x", False), ("y" * 100, True), ("y" * 101, False)]
)
def test_single_letters_and_long_texts_are_not_asked(name: str, asked: bool) -> None:
    assert (name in candidates.names_of(_view([name]))) is asked


class _Wiki:
    def __init__(self, *items: Item, holders: Iterable[Item] = ()) -> None:
        self.items, self.asked, self.names = {each.qid: each for each in items}, list[str](), list[str]()
        self.holders = {each.qid: each for each in holders}

    def items_with_formulas(self) -> dict[str, Item]:
        return self.holders

    def items_by_label(self, names: Iterable[str]) -> dict[str, list[str]]:
        self.names = list(names)
        return {
            n: [q for q, i in self.items.items() if fold(n) in {fold(i.label), *map(fold, i.aliases)}]
            for n in self.names
        }

    def entities(self, qids: Iterable[str]) -> dict[str, Item]:
        self.asked = list(qids)
        return {qid: self.items[qid] for qid in self.asked if qid in self.items}


def test_candidates_are_met_by_name_by_hint_and_by_formula_in_the_order_of_their_numbers() -> None:
    wiki = _Wiki(
        item("force", qid="Q10"),
        item("net force", qid="Q9", aliases=("force",)),
        item("force", qid="Q2", redirect="Q10"),
        item("force", qid="Q3", missing=True),
        item("hinted", qid="Q77"),
        item("work", qid="Q4"),
        holders=[item("old", qid="Q5", formulas=["F=m a"])],
    )
    view = _view(["force"], place(hints=[("qid", "Q77"), ("qid", "Q78")], title=""))
    asked = candidates.CandidateQuery.of(view)
    client = cast(Client, wiki)
    found = candidates.fetch_candidates(candidates.items_by_name([asked], client), client)
    like = candidates.similar_items(view.concept.tex, candidates.claims_index(found.holders.values(), "P1"))
    assert found.of(asked, like) == ("Q5", "Q9", "Q10", "Q77", "Q78")
    assert wiki.asked == ["Q2", "Q3", "Q9", "Q10", "Q77", "Q78"]
    assert set(found.items) == {"Q5", "Q9", "Q10", "Q77"}
    spellings = [
        candidates.spelling_digests(each) for each in (asked, candidates.CandidateQuery({"works": True}, frozenset()))
    ]
    assert candidates.spellings_among([*spellings, b""], ["net force", "work"]).tolist() == [False, True, False]
    assert candidates.spellings_among(spellings, ["force"]).tolist() == [True, False]
    assert sorted(found.items_by_label["force"]) == ["Q10", "Q9"]
    assert found.items_by_label["net force"] == ["Q9"]
    assert wiki.names == sorted(wiki.names)


def test_formulas_alike_bring_an_item_from_half_or_by_a_key() -> None:
    index = FormulaIndex([IndexedFormula("Q1", "a=b+c"), IndexedFormula("Q2", "x=yz")])
    assert candidates.similar_items("a=c+b", index) == {"Q1"}
    assert candidates.similar_items(r"\sum " * 50, index) == set()
    near = {tex: index.search(tex, 1)[0].jaccard for tex in ("a=b+c^2+d", "a=b+c+d+e+f")}
    assert 0.55 > near["a=b+c^2+d"] > 0.5 > near["a=b+c+d+e+f"]
    assert [candidates.similar_items(tex, index) for tex in near] == [{"Q1"}, set()]


def test_deprecated_and_empty_statements_are_not_indexed() -> None:
    about = item("x", formulas=["a=b", ""])
    other = Statement("s", "P2", "e=f")
    old = replace(about.statements[0], value="c=d", rank="deprecated")
    index = candidates.claims_index([replace(about, statements=(*about.statements, other, old))], "P1")
    assert [(e.qid, e.tex) for e in index.entries] == [("Q1", "a=b")]


# -- articles and places ------------------------------------------------------------------------------------------------------


def test_articles_are_read_of_items_likely_enough_the_likeliest_first() -> None:
    best = {"Q3": 0.5, "Q1": 0.7, "Q2": 0.7, "Q4": 0.05}
    assert likely_items(best, Encyclopaedia(least=0.5, most_items=9)) == ["Q1", "Q2", "Q3"]
    assert likely_items(best, Encyclopaedia(least=0.5, most_items=2)) == ["Q1", "Q2"]
    assert likely_items(best, Encyclopaedia(least=0.51, most_items=9)) == ["Q1", "Q2"]
    assert "Q4" in likely_items(best, Encyclopaedia(least=0.03, most_items=9))


def test_a_place_of_two_concepts_counts_once() -> None:
    places = [("d", 9), ("e", 1), ("d", 2), ("d", 9), ("d", 12)]
    assert equation_ranks(places) == {("d", 2): 0, ("d", 9): 1, ("d", 12): 2, ("e", 1): 0}
