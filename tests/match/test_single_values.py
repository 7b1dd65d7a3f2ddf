"""Values at the boundaries of single rules of matching: what is fitted is the likeliest, how long a chain may be, what one entry says."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from match_pairs import PROPERTY

from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.match import search_by_name
from bot.match.builtin import Concept
from bot.match.features import existing_claims, weak_equivalence
from bot.match.features.agreement import equivalent
from bot.match.features.candidate_pair import CandidatePair, ConceptView
from bot.match.features.special_case import _angles
from bot.match.knowledge import Knowledge
from bot.match.model import Calibration, EvidenceModel, sigmoid
from bot.match.retrieval.known_concepts import ConceptIndex, empty_concepts
from bot.match.score import naming_strength
from bot.match.symbols.symbol_items import stated_dimension
from bot.match.training import JudgedPair, Rediscovered
from bot.match.training.fitting import MIN_SLOPE, _calibration, _fit
from bot.messages import uncoded_message
from bot.records import Evidence, FormulaConcept, Item, Statement
from bot.settings import Settings


def alone(tex: str, about: Item) -> CandidatePair:
    """A formula without a place, to be judged by itself."""
    return CandidatePair(ConceptView(FormulaConcept("key", tex, 1, 1), (), empty_concepts()), about, PROPERTY)


def least(loss: Callable[[Sequence[float]], float], at: Sequence[float]) -> bool:
    """Tell whether a step to either side makes each of these numbers worse."""
    steps = [[x + (n == moved) * by for n, x in enumerate(at)] for moved in range(len(at)) for by in (-0.03, 0.03)]
    return all(loss(each) > loss(at) for each in steps)


def test_a_calibration_is_the_likeliest_near_the_prior() -> None:
    logits, accepted, weights = [-3, -1, -0.5, 0.2, 1, 2.5], [0, 0, 1, 0, 1, 1], [1, 2, 1, 1, 3, 1]
    told = (0.1, 1.2, 0.8, 1.1, 0.9)
    prior = Calibration(*told)
    found = _calibration(np.array(logits), np.array(accepted), np.array(weights), prior)

    def loss(w: Sequence[float]) -> float:
        chances = [Calibration(*w).of(logit) for logit in logits]
        right = sum(n * math.log(p if yes else 1 - p) for p, yes, n in zip(chances, accepted, weights, strict=True))
        return -right + sum((a - b) ** 2 for a, b in zip(w, told, strict=True)) / 2

    assert least(loss, astuple(found))
    turned = _calibration(np.array(logits), 1 - np.array(accepted), 99 * np.array(weights), prior)
    assert min(astuple(turned)[1:]) == MIN_SLOPE  # what the pairs say the other way round does not turn the order


def test_weights_are_the_likeliest_near_the_prior_and_pairs_that_nobody_judged_count_less() -> None:
    prior = EvidenceModel(0.3, {"a": 1.0, "b": -1.0, "set": 2.0})
    judged = [
        JudgedPair("Q1", {"a": 1.0, "set": 0.5}, True, 2.0, agrees=True),
        JudgedPair("Q2", {"a": 0.5, "b": 1.0}, False, 1.0, agrees=False),
        JudgedPair("Q3", {"b": 0.3, "set": 1.0}, True, 1.0, agrees=True),
    ]
    others = [Rediscovered("Q4", {"a": 0.7}, True), Rediscovered("Q5", {"b": 0.9, "a": 0.2}, False)]
    found = _fit(judged, others, prior, frozenset({"set"}), 0.5, 0.25)

    def loss(w: Sequence[float]) -> float:
        model = EvidenceModel(w[0], {"a": w[1], "b": w[2], "set": 2.0})
        chance = [sigmoid(model.logit(each.scores)) for each in judged]
        value = -sum(j.weight * math.log(p if j.accepted else 1 - p) for j, p in zip(judged, chance, strict=True))
        for each in others:  # 4 of 5 accepted pairs agree with a pseudo-count for each, 1 of 3 others
            agrees = 1 / 3 + (4 / 5 - 1 / 3) * sigmoid(model.logit(each.scores))
            value -= 0.25 * math.log(agrees if each.agrees else 1 - agrees)
        return value + 0.25 * (0.01 * (w[0] - 0.3) ** 2 + (w[1] - 1) ** 2 + (w[2] + 1) ** 2)

    assert found.weights["set"] == 2.0
    assert least(loss, (found.bias, found.weights["a"], found.weights["b"]))


@pytest.mark.parametrize(("letters", "relation"), [("a", "renamed"), ("a+b+c+d+e+f+g+h+k+l+p+q", "renamed"), ("a+b+c+d+e+f+g+h+k+l+p+q+r", None)])  # fmt: skip
def test_in_a_chain_of_more_than_four_times_the_leaves_other_letters_are_no_sign(
    letters: str, relation: str | None
) -> None:
    found = equivalent(f"E=mc^2={letters}", "U=mc^2")
    assert (found.relation if found else None) == relation


def test_a_formula_of_which_the_item_holds_a_variant_is_no_other_one() -> None:
    held = Item("Q1", "velocity", statements=(Statement("Q1$1", PROPERTY, "v=at"),))
    for tex, kind in (("v^2=a^2t^2", "variant_formula"), ("a=v/t", "same_formula"), ("A=xyz", "other_formula")):
        found = [rule.__name__ for rule in existing_claims.EXISTING_CLAIM_FEATURES if rule(alone(tex, held))]
        assert found == [kind], tex


def test_a_product_of_angles_alone_keeps_them() -> None:
    for tex, left in ((r"x=\sin\theta\cos\phi", None), (r"x=a\cos\theta", "a"), ("x=ab", None)):
        (node,) = normal_forms(tex).normal_with_names
        found = _angles(node)
        assert ("" if found == node else next(render(s) for s in found.sides if s != "x")) == (left or ""), tex


def test_what_is_known_has_a_version_where_one_is_given() -> None:
    assert (Knowledge().version(), Knowledge(version=lambda: "7").version()) == (None, "7")


def test_an_item_has_the_one_dimension_of_its_best_rank() -> None:
    properties = Settings().wiki.properties

    def of(*values: tuple[str, str]) -> object:
        stated = (Statement(f"Q1${n}", properties.dimension, text, rank) for n, (text, rank) in enumerate(values))
        found = stated_dimension(Item("Q1", "x", statements=tuple(stated)), properties)
        return found and found[0] // 2520

    assert of(("L", "normal")) == of(("L", "normal"), (r"\mathsf{L}", "normal")) == 1
    assert of(("L", "normal"), ("L^2", "preferred")) == of(("L", "deprecated"), ("L^2", "normal")) == 2
    assert of() is of(("L", "normal"), ("L^2", "normal")) is of(("L", "deprecated")) is None


def test_a_search_by_name_takes_what_is_recognised_with_one_half(monkeypatch: pytest.MonkeyPatch) -> None:
    hits = {"F=ma": [("Q2", 0.9), ("Q1", 0.5)], "E=mc^2": [("Q1", 0.49)], "x=y": [("Q2", 0.9)]}
    index = SimpleNamespace(
        hits=lambda tex, top: [SimpleNamespace(qid=qid, probability=p) for qid, p in hits[tex]][:top]
    )
    known = SimpleNamespace(entries={"Q1": Concept("Q1", "force", "", ("F=ma",), (), ())}, recogniser=index)
    told: list[Any] = []
    monkeypatch.setattr(search_by_name, "known_concepts", lambda *_: known)
    monkeypatch.setattr(search_by_name, "find_in_corpus", lambda *given: told.append(given))
    search_by_name.find_with_builtin(None, "Force", None, Settings())  # type: ignore[arg-type]
    ((_, name, _, _, concept),) = told
    assert (name, concept.names, concept.formulas) == ("Force", ("force",), ("F=ma",))
    assert [concept.recognised(tex) for tex in hits] == [0.5, 0.0, 0.0]
    search_by_name.find_with_builtin(None, "mass", None, Settings())  # type: ignore[arg-type]
    assert len(told[1]) == 4  # nothing is known of it


def test_the_property_of_a_pair_says_which_formulas_an_item_holds() -> None:
    stated = [("F=ma", PROPERTY, "normal"), ("F=-kx", "P2", "normal"), ("F=0", PROPERTY, "deprecated"), ("", PROPERTY, "normal")]  # fmt: skip
    about = Item("Q1", "force", statements=tuple(Statement(f"Q1${n}", p, tex, rank) for n, (tex, p, rank) in enumerate(stated)))  # fmt: skip
    assert existing_claims.formulas_of(alone("F=ma", about)) == ("F=ma",)


@pytest.mark.parametrize(
    ("mine", "yours", "ways"),
    [
        ("xyzabd", "xyzpqr", 6),  # three letters, in each order
        ("xyab", "xypq", 2),
        ("xyzuabdf", "xyzupqrs", 0),  # four
        ("xabd", "xpqr", 0),  # less than half stay
        ("xab", "xpq", 0),
        ("xyA", "xya", 1),  # the case of a letter is no other letter
        ("xAb", "xaq", 1),
        ("xyz", "xyz", 1),
        ("xyza", "xyzpq", 0),
        ("", "x", 0),
    ],
)
def test_so_many_letters_may_be_others(mine: str, yours: str, ways: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weak_equivalence, "same_quantity", lambda one, other: True)
    found = list(weak_equivalence._renamings(frozenset(mine), frozenset(yours)))
    assert len(found) == ways
    assert all(set(mine) - set(yours) == set(names) and set(names.values()) <= set(yours) for names in found)


@pytest.mark.parametrize(
    ("one", "other", "usual"),
    [("v", "u", True), ("v_1", "u_2", True), ("b.v", "v", True), ("v_1", "v_2", True), ("c", "v", False), ("v", "T", False)],
)  # fmt: skip
def test_letters_that_are_usual_for_one_quantity(one: str, other: str, usual: bool) -> None:
    assert weak_equivalence._are_usual_letters(one, other) is usual


def test_how_surely_a_concept_is_called_as_the_item_is_its_own_evidence() -> None:
    found = [Evidence("called", 0.9, uncoded_message("named")), Evidence("name_score", 0.4, uncoded_message("named"))]
    assert (naming_strength(found).named, naming_strength(found[:1]).named) == (0.4, 0.0)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (("Q2", 0.3), ("Q1", 0.9), ("law 2", "law 1")),
        (("Q1", 0.9), ("Q2", 0.3), ("law 2", "law 1")),
        (("Q2", 0.29), ("Q1", 0.9), None),
        (("Q2", 0.9), ("Q1", 0.29), None),
        (("Q2", 0.9), ("Q3", 0.9), None),
        (("Q2", 0.9), ("Q9", 0.9), None),  # of a whole that is not in the list
        (("Q9", 0.9), ("Q1", 0.9), None),
        (("", 0.0), ("Q1", 0.9), None),
    ],
)
def test_a_part_and_its_whole(left: tuple[str, float], right: tuple[str, float], said: tuple[str, str] | None) -> None:
    wholes = {"Q1": (), "Q2": ("Q1", "Q9"), "Q3": ()}
    book = {qid: Concept(qid, f"law {qid[1]}", "", (), (), of) for qid, of in wholes.items()}
    known = ConceptIndex(book)
    hits = {"a": left, "b": right}

    def answer(tex: str) -> list[object]:
        qid, probability = hits[tex]
        return (
            [SimpleNamespace(qid=qid, probability=probability), SimpleNamespace(qid="Q3", probability=0.0)]
            if qid
            else []
        )

    known.__dict__["recogniser"] = SimpleNamespace(hits=answer)
    assert known.part_of("a", "b") == said


def test_bound_names_are_numbered_deltas() -> None:
    assert [weak_equivalence._is_bound_name(leaf) for leaf in ("δ0", "δ12", "δ", "δx", "x1", "ε0")] == [
        True,
        True,
        *[False] * 4,
    ]
