from __future__ import annotations

from typing import Any

import pytest

from bot.errors import ItemsError
from bot.formula import keys
from bot.match import Recogniser, recognise
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula

ITEMS: list[dict[str, Any]] = [
    {"qid": "Q1", "label": "mass–energy equivalence", "aliases": [], "formulas": ["E=mc^{2}", "E_{0}=m_{0}c^{2}"]},
    {"qid": "Q2", "label": "Newton's law of gravitation", "aliases": [], "formulas": [r"F=G\frac{m_1 m_2}{r^2}"]},
    {
        "qid": "Q3",
        "label": "heat equation",
        "aliases": [],
        "formulas": [r"\frac{\partial u}{\partial t}=\alpha\nabla^{2}u"],
    },
    {"qid": "Q4", "label": "no formula", "aliases": [], "formulas": []},
]


def test_the_item_of_a_formula_comes_first_and_once() -> None:
    answer = next(iter(recognise(ITEMS, [{"id": 7, "tex": "E = m c^2"}])))
    qids = [hit["qid"] for hit in answer["hits"]]
    assert qids[0] == "Q1"
    assert len(qids) == len(set(qids))
    assert answer["id"] == 7
    assert answer["hits"][0]["level"] in ("K0", "K1")


def test_other_fields_of_a_query_come_back_untouched() -> None:
    answer = next(iter(recognise(ITEMS, [{"id": "a", "tex": "x", "note": {"deep": [1]}}])))
    assert answer["note"] == {"deep": [1]}


def test_what_is_like_nothing_is_not_accepted() -> None:
    answers = list(recognise(ITEMS, [{"tex": r"\zeta=\zeta_{inf}+\zeta_{\sigma}"}, {"tex": r"\frac{"}, {"tex": ""}]))
    assert [answer["accepted"] for answer in answers] == [False, False, False]


def test_probabilities_fall_with_the_rank_of_the_score() -> None:
    hits = next(iter(recognise(ITEMS, [{"tex": r"F=G\frac{mM}{r^2}"}])))["hits"]
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert all(0 <= hit["probability"] <= 1 for hit in hits)


def test_top_limits_the_hits() -> None:
    assert len(next(iter(recognise(ITEMS, [{"tex": "E=mc^2"}], top=1)))["hits"]) == 1


def test_no_items_give_no_hits() -> None:
    assert next(iter(recognise([], [{"tex": "E=mc^2"}])))["hits"] == []


def test_words_beside_the_formula_help() -> None:
    plain, helped = recognise(ITEMS, [{"tex": "E=m"}, {"tex": "E=m", "context": "the mass-energy equivalence"}])
    assert helped["hits"][0]["probability"] > plain["hits"][0]["probability"]


def test_a_query_without_tex_is_named() -> None:
    with pytest.raises(ItemsError, match="needs"):
        list(recognise(ITEMS, [{"id": 3}]))


def test_the_index_finds_a_shared_key_beyond_likeness() -> None:
    index = FormulaIndex(
        [IndexedFormula("Q1", "E=mc^2"), *(IndexedFormula(f"Q{n}", f"x_{{{n}}}=y") for n in range(2, 9))]
    )
    near = index.search("m c^{2} = E", 1)
    assert near[0].entry.qid == "Q1"
    assert near[0].level


def test_formulas_without_a_tree_stay_out_of_the_index() -> None:
    assert [
        found.entry.qid
        for found in FormulaIndex([IndexedFormula("Q1", r"\frac{"), IndexedFormula("Q2", "a=b")]).search("a=b", 5)
    ] == ["Q2"]


def test_an_equality_inside_of_a_chain_is_evidence() -> None:
    items = [{"qid": "Q1", "label": "electric power", "formulas": [r"P=\frac{U^{2}}{R}=UI=I^{2}R"]}, ITEMS[0], ITEMS[2]]
    index = Recogniser(items, book={}).index
    near = index.search_tex("P=UI")
    assert near is not None
    assert near.links == {0: 3}
    assert index.search_tex("P=UJ").links == {}  # type: ignore[union-attr]


def test_a_part_and_its_whole_are_answered_together() -> None:
    whole = {"qid": "Q51501", "label": "Maxwell's equations", "formulas": [r"\nabla\cdot\mathbf{E}=\rho/\varepsilon_0"]}
    part = {**whole, "qid": "Q173356", "label": "Gauss's law", "part_of": ["Q51501"]}
    query = {"tex": r"\nabla\cdot\vec{E}=\frac{\rho}{\varepsilon_0}"}
    together = Recogniser([whole, part], book={}).answer(query)["hits"]
    assert {hit["qid"]: hit.get("together") for hit in together} == {"Q51501": ["Q173356"], "Q173356": ["Q51501"]}
    alone = Recogniser([whole, {**part, "part_of": []}], book={}).answer(query)["hits"]
    assert all("together" not in hit for hit in alone)
    assert together[0]["probability"] > alone[0]["probability"]


def test_a_whole_is_not_believed_for_a_formula_of_its_part_alone() -> None:
    whole = {"qid": "Q51501", "label": "Maxwell's equations", "formulas": [r"d\star F=J,\quad dF=0"]}
    part = {
        "qid": "Q173356",
        "label": "Gauss's law",
        "formulas": [r"\nabla\cdot\mathbf{E}=\rho/\varepsilon_0"],
        "part_of": ["Q51501"],
    }
    hits = Recogniser([whole, part], book={}).hits(r"\nabla\cdot\vec{E}=\frac{\rho}{\varepsilon_0}")
    assert hits[0].qid == "Q173356"
    assert all(hit.probability < 0.2 for hit in hits[1:])


def test_the_built_in_list_knows_forms_that_the_item_does_not() -> None:
    item = {"qid": "Q181465", "label": "Faraday's law of induction", "formulas": [r"\mathcal{E}=-\frac{d\Phi}{dt}"]}
    query = r"\nabla\times\vec{E}=-\partial_t\vec{B}"
    assert Recogniser([item, *ITEMS]).hits(query)[0].level != ""
    assert all(hit.level == "" for hit in Recogniser([item, *ITEMS], book={}).hits(query))


def test_a_formula_that_equals_the_items_without_arguments_alone_differs_from_it() -> None:
    smoothed = {"qid": "Q9", "label": "mollifier", "aliases": [], "formulas": [r"g(x)=\int\varphi(x-y)f(y)\,dy"]}
    recogniser = Recogniser([*ITEMS, smoothed])
    right, wrong = (recogniser.difference(rf"g(x)=\int\varphi(x-y)f({letter})\,dy", "Q9") for letter in "yx")
    assert right is None
    assert wrong is not None
    assert wrong.code == "differs.place"


def test_an_approximate_value_behind_an_equation_is_no_part_of_its_keys() -> None:
    assert [found.K1 for found in read_formula(r"V=5\sqrt3a^3\approx8.66a^3").links] == [keys(r"V=5\sqrt3a^3").K1]
    assert read_formula(r"V=5\sqrt3a^3").links == ()
    assert read_formula(r"V\approx8.66a^3").links == ()
