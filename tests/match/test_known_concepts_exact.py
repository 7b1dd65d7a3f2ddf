"""Shares of two formulas in one concept, names by the built-in list, the index of formulas on items, kept readings: to the digit."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.match import knowledge
from bot.match.builtin import Concept
from bot.match.item_labels import fold, head_word, labels_to_ask, plural, singular, variants
from bot.match.retrieval import known_concepts
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.index.sparse_matrix import (
    CHANNEL_COUNT,
    NO_READINGS,
    SparseReadings,
    feature_digests,
    find_sorted,
    ranges,
)
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.match.retrieval.known_concepts import ConceptIndex, closest_item, same_concept_features
from bot.match.retrieval.recognise import Recogniser, shipped_ranker
from bot.records import Item
from bot.result_cache import ResultCache


def hit(qid: str, share: float, probability: float = 0.0, level: str = "", formula: str = "") -> Any:
    return SimpleNamespace(qid=qid, score=math.log(share), probability=probability, level=level, formula=formula)


def logit(share: float) -> float:
    return math.log(share / (1 - share)) / 3


LEFT = [hit("Q1", 0.6, 0.8), hit("Q2", 0.3, 0.2)]
RIGHT = [hit("Q2", 0.5, 0.7), hit("Q1", 0.2, 0.1)]


FORMULAS = ("E = m c^2", "E = m c^2 + p c")  # of 6 and 9 tokens, one of them twice
ALIKE = (6 + 5 + 4) / (8 + 8 + 7)  # tokens, pairs and triples


def test_what_speaks_for_one_concept() -> None:
    found = same_concept_features(FORMULAS, (LEFT, RIGHT), "Q1", {})
    overlap = 0.6 * 0.2 + 0.3 * 0.5
    assert found[:5] == pytest.approx([logit(overlap), logit(0.2), logit(0.6), -0.7, 0.0])
    same = same_concept_features(FORMULAS, (LEFT, LEFT), "Q1", {})
    assert same[3:5] == pytest.approx([0.8, 1.0])
    none = same_concept_features(FORMULAS, ([hit("Q1", 1.0)], [hit("Q3", 1.0)]), "Q1", {})
    assert none[:3] == pytest.approx([logit(1e-4), logit(1e-4), logit(1 - 1e-4)])


def test_formulas_that_share_strings_are_alike_and_short_ones_say_less() -> None:
    alike, size, ratio, likely = same_concept_features(FORMULAS, (LEFT, RIGHT), "Q1", {})[5:]
    assert (alike, size, ratio, likely) == pytest.approx((ALIKE, math.log(6), 6 / 9, 0.1))


def test_a_relation_has_half_of_the_share() -> None:
    kin = {"Q1": frozenset({"Q1", "Q2"}), "Q2": frozenset({"Q1", "Q2"})}
    found = same_concept_features(FORMULAS, (LEFT, RIGHT), "Q1", kin)
    overlap = 0.6 * (0.2 + 0.25) + 0.3 * (0.5 + 0.1)
    assert found[:5] == pytest.approx([logit(overlap), logit(0.45), logit(0.6), 0.7, 0.0])
    halves = [hit("Q1", 0.6)], [hit("Q2", 0.5)]
    assert same_concept_features(FORMULAS, halves, "Q1", kin)[1] == pytest.approx(logit(0.25))


def test_where_the_list_knows_both_formulas_relations_count_nothing() -> None:
    kin = {"Q1": frozenset({"Q2"}), "Q2": frozenset({"Q1"})}

    def shared(one: str, other: str) -> str:
        return closest_item([hit("Q1", 0.6, level=one)], [hit("Q2", 0.5, level=other)], kin)

    assert shared("K3", "K3") == shared("K0", "K3") == ""
    assert shared("K4", "K3") != ""
    assert shared("", "K3") != ""


def test_the_closest_item_has_most_of_both() -> None:
    assert closest_item(LEFT, RIGHT, {}) == "Q2"
    assert closest_item(LEFT, [hit("Q9", 1.0)], {}) == ""
    assert closest_item([], RIGHT, {}) == closest_item([], [], {}) == ""


@pytest.mark.parametrize(
    ("level", "probability", "how"),
    [("K0", 0.9, "has this formula"), ("K4", 0.5, "has this formula"), ("K5", 0.9, "has a similar formula"), ("", 0.9, "has a similar formula"), ("K0", 0.49, None)],
)  # fmt: skip
def test_a_known_name_says_how_surely_the_list_has_it(level: str, probability: float, how: str | None) -> None:
    asked: list[int] = []

    def all_hits(texts: list[str]) -> list[list[Any]]:
        asked.append(len(texts))
        return [[hit("Q1", 0.5, probability, level)] for _ in texts]

    stub: Any = SimpleNamespace(
        recogniser=SimpleNamespace(all_hits=all_hits),
        label=lambda qid: f"label of {qid}",
        is_own=lambda qid, tex: False,
    )
    found = knowledge.Knowledge(lambda: stub).names(["a=b"] * 129, ResultCache())
    assert asked == [128, 1]
    assert [(name.name, name.probability) for name in found[0]] == ([("label of Q1", probability)] if how else [])
    assert all(str(how) in str(name.reason) and "(Q1)" in str(name.reason) for names in found for name in names)


def test_items_that_share_a_formula_long_enough_are_related() -> None:
    rows = [("Q1", "a=b+c d e f g h"), ("Q2", "a=b+cdefgh"), ("Q3", "x=y"), ("Q4", "x=y")]
    entries = [IndexedFormula(*row) for row in rows]
    index = ChannelIndex(entries)
    found = known_concepts.related_items(index)
    assert found["Q1"] == found["Q2"] == {"Q1", "Q2"}
    assert "Q3" not in found
    labelled = known_concepts.related_items(index, [("Q1", "Q4"), ("Q3",)])
    assert (labelled["Q4"], labelled["Q2"]) == ({"Q1", "Q4"}, {"Q1", "Q2"})
    assert labelled["Q1"] == {"Q1", "Q2", "Q4"}
    assert "Q3" not in labelled


# -- the index of formulas on items ---------------------------------------------------------------------------------------


def test_entries_with_a_shared_key_come_first_and_by_its_strictness() -> None:
    entries = [IndexedFormula(*row) for row in (("Q1", "F=ma"), ("Q2", "F = a m"), ("Q3", r"\vec F=m\vec a"), ("Q4", "V=IR"), ("Q5", "F=m a"))]  # fmt: skip
    found = FormulaIndex(entries).search("F=ma", 5)
    assert [(near.entry.qid, near.level) for near in found[:2]] == [("Q1", "K0"), ("Q5", "K0")]
    assert [near.level for near in found] == sorted((near.level for near in found), key=lambda level: level or "K9")
    assert found[0].jaccard == pytest.approx(1.0)
    assert FormulaIndex([]).search("F=ma", 5) == []
    assert len(FormulaIndex(entries).search("F=ma", 1)) >= 4, "entries with a shared key are all there"


@pytest.mark.parametrize(("number", "levels"), [(40, True), (41, False)])
def test_a_key_that_too_many_share_says_nothing(number: int, levels: bool) -> None:
    entries = [IndexedFormula(f"Q{n}", "F=ma") for n in range(number)]
    found = FormulaIndex(entries).search("F=ma", 5)
    assert all(bool(near.level) is levels for near in found)
    assert len(found) == (number if levels else 5)


def test_scores_however_large_give_shares_of_one() -> None:
    items = [{"qid": "Q1", "formulas": ["F=ma"]}, {"qid": "Q2", "formulas": ["V=IR", "F=mg"]}]
    ranker = shipped_ranker()
    large = replace(ranker, weights=ranker.weights * 1000)
    with np.errstate(all="raise", under="ignore"):
        found = Recogniser(items, large, book={}).hits("F=ma")
    assert found[0].qid == Recogniser(items, ranker, book={}).hits("F=ma")[0].qid == "Q1"
    assert all(np.isfinite(each.probability) for each in found)


# -- readings as numbers --------------------------------------------------------------------------------------------------


def row(found: SparseReadings, tex: str) -> tuple[object, ...]:
    """Return what is kept of a formula: leaves, keys, features by channel, links."""
    n = int(found.rows_of([tex])[0])
    cells = found.ptr[n * CHANNEL_COUNT : (n + 1) * CHANNEL_COUNT + 1].tolist()
    channels = [found.vocabulary[found.flat[start:end]].tolist() for start, end in pairwise(cells)]
    links = found.links[found.link_ptr[n] : found.link_ptr[n + 1]].tolist()
    return int(found.leaves[n]), found.keys[n].tolist(), channels, links


def test_readings_are_the_same_however_many_are_read_together() -> None:
    texts = ["F=ma", "a=b=c", r"\frac{", "V=IR"]
    read = {tex: read_formula(tex) for tex in texts}
    found = NO_READINGS.added({tex: read[tex] for tex in texts[:2]}).added({tex: read[tex] for tex in texts[2:]})
    alone = {tex: row(NO_READINGS.added({tex: read[tex]}), tex) for tex in texts}
    assert {tex: row(found, tex) for tex in texts} == alone
    assert [alone[tex][0] for tex in texts] == [one.keys.leaves if one else -1 for one in read.values()]
    assert [len(alone[tex][3]) for tex in texts] == [0, 2, 0, 0]
    assert found.rows_of(["unknown", "V=IR"]).tolist() == [-1, 3]
    some = found.subset(np.array([3, 1]))
    assert {tex: row(some, tex) for tex in ("V=IR", "a=b=c")} == {tex: alone[tex] for tex in ("V=IR", "a=b=c")}
    assert len(some.vocabulary) == len(some.channels()) < len(found.vocabulary)


def test_a_word_is_another_feature_in_another_channel() -> None:
    digests, cells = feature_digests([[["a"], ["a", "b"], *[()] * 8], [["a"], *[()] * 9]])
    assert cells.tolist() == [0, 1, 1, 10]
    assert digests[0] == digests[3]
    assert len(set(digests.tolist())) == 3


def test_numbers_are_found_among_ascending_ones() -> None:
    assert find_sorted(np.array([2, 4, 9]), np.array([4, 3, 10, 2, 9])).tolist() == [1, -1, -1, 0, 2]
    assert find_sorted(np.array([], dtype=np.uint64), np.array([4])).tolist() == [-1]


def test_ranges_one_after_another() -> None:
    assert ranges(np.array([3, 10, 0]), np.array([2, 0, 3])).tolist() == [3, 4, 0, 1, 2]
    assert ranges(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []


# -- names of items -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "spelling", "weight"),
    [
        ("Wave Law", "wave law", 1.0),
        ("the wave", "wave", 1.0),
        ("wave (physics)", "wave", 0.9),
        ("wave, great", "wave", 0.75),
        ("waves", "wave", 0.95),
        ("waves (physics)", "wave", 0.855),
        ("Ohm's law", "ohm law", 0.95),
        ("Stokes's law", "stokes' law", 0.95),
        ("Stokes' law", "stokes law", 0.95),
        ("Stokes' law", "stokes's law", 0.95),
        ("Ohm law", "ohm's law", 0.95),
        ("wave-field", "wave field", 0.95),
        ("formula for the wave", "wave", 0.8),
        ("definition of waves", "wave", 0.75),
        ("Ohm law", "ohm", 0.7),
        ("Ohm law", "ohm equation", 0.7),
        ("Ohm theorem", "ohm", None),
        ("law of waves", "waves", 0.8),
        ("wave theorem", "wave law", None),
    ],
)
def test_a_spelling_is_worth_less_the_more_was_changed(name: str, spelling: str, weight: float | None) -> None:
    assert dict(variants(name)).get(spelling) == (None if weight is None else pytest.approx(weight))


@pytest.mark.parametrize(
    ("word", "one", "many"),
    [("gas", "gas", "gas"), ("laws", "law", "laws"), ("bus", "bus", "bus"), ("energies", "energy", "energies"), ("box", "box", "boxes"), ("boxes", "box", "boxes"),
     ("energy", "energy", "energies"), ("ray", "ray", "rays"), ("pH", "pH", "pH"), ("branch", "branch", "branches"), ("law", "law", "laws"), ("physics", "physics", "physics")],
)  # fmt: skip
def test_one_and_many(word: str, one: str, many: str) -> None:
    assert (singular(word), plural(word)) == (one, many)


def test_what_a_label_is_about_and_what_is_asked_for() -> None:
    assert [head_word(label) for label in ("moment of inertia", "angular velocity", "wave (physics)", "", "law for gases")] == ["moment", "velocity", "wave", "", "law"]  # fmt: skip
    assert labels_to_ask("the Ohm’s Law.", variants_too=False) == ("Ohm's Law",)
    assert labels_to_ask("the Ohm’s Law.")[0] == "Ohm's Law"
    assert "Ohm" in labels_to_ask("Ohm Law")
    assert fold(" The  Wave–Law. ") == "wave-law"


BOOK = {
    "Q1": Concept("Q1", "Ohm's law", "electromagnetism", ("V = I R", "J = \\sigma E"), (), ()),
    "~mach number": Concept("~mach number", "Mach number", "continuum", ("M = u/c",), (), ()),
    "Q3": Concept("Q3", "moment", "mechanics", ("M = F d",), (), ()),
    "Q4": Concept("Q4", "moment", "probability", ("\\mu_n = E[X^n]",), (), ()),
    "Q5": Concept("Q5", "disc", "geometry", ("A = \\pi r^2", "x^2+y^2<r^2"), (), (), ("A = \\pi r^2",)),
}


@pytest.mark.parametrize(
    ("title", "formulas"),
    [
        ("Ohm's law", BOOK["Q1"].formulas),
        ("Ohms law", BOOK["Q1"].formulas),
        ("Mach numbers", ("M = u/c",)),
        ("Mach number (aerodynamics)", ("M = u/c",)),
        ("Ohm's equation", ()),  # its head is another
        ("Moment", ()),  # which of the two is not known
        ("Thermistor", ()),
        ("Disc", ("x^2+y^2<r^2",)),  # its area does not define it
    ],
)
def test_the_listed_formulas_of_a_title(title: str, formulas: tuple[str, ...]) -> None:
    assert ConceptIndex(BOOK).definitions_called(title) == formulas
    assert ConceptIndex({}).definitions_called(title) is None  # no list: that it has nothing says nothing


def test_the_listed_formulas_of_an_item_are_those_of_its_entry_and_the_workspaces_first() -> None:
    own = {"Q2": Concept("Q2", "Mach number", "workspace", ("Ma = v/a",), (), ())}
    law = Item("Q9", "law of Ohm", aliases=("Ohm's law",))
    listed, decided = ConceptIndex(BOOK), ConceptIndex({}, own)
    assert [index.definitions_of_item(law) for index in (listed, decided)] == [BOOK["Q1"].formulas, None]
    assert listed.definitions_of_item(Item("Q8", "moment")) == ()
    assert decided.definitions_of_item(Item("Q2", "Machzahl")) == ("Ma = v/a",)


def test_what_was_accepted_for_an_item_in_the_workspace_defines_it() -> None:
    area = r"A = \pi r^2"
    assert ConceptIndex(BOOK).defining_formulas("Q5") == ("x^2+y^2<r^2",)
    own = {"Q5": Concept("Q5", "disc", "workspace", (area,), (), ())}
    assert ConceptIndex(BOOK, own).defining_formulas("Q5") == (area, "x^2+y^2<r^2")
    assert ConceptIndex(BOOK, own).formulas("Q5") == BOOK["Q5"].formulas
