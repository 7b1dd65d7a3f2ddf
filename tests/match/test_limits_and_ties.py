"""Where a rule of matching begins and ends to hold, which of equals comes first, and what is said of nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from match_pairs import PROPERTY, evidence_for, item, pair, place, with_rivals

from bot.discover.label_scope import GENERAL, NARROW, SAME
from bot.formula import Comparison
from bot.formula.keys.algebra import equation
from bot.match import candidates, score
from bot.match.builtin import Concept
from bot.match.features import agreement, existing_claims, negative, ranking_evidence, special_case, weak_equivalence
from bot.match.features.candidate_pair import CandidatePair, ConceptView, labels_of
from bot.match.features.canonical_definition import handbook_unlike, shared_symbols
from bot.match.features.reviewer_decisions import removed_source
from bot.match.item_selection import choose_matches
from bot.match.knowledge import Knowledge
from bot.match.model import Calibration, EvidenceModel, logit_segments
from bot.match.retrieval import known_concepts
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.match.retrieval.known_concepts import ConceptIndex, SharedConcept, builtin_concepts, refine_comparison
from bot.match.retrieval.recognise import Hit, Recogniser, combined_probability
from bot.match.training.quality import curve, quality
from bot.messages import Message, uncoded_message
from bot.records import Evidence, FormulaConcept, ItemMatch
from bot.result_cache import ResultCache


def named(tex: str, name_score: float, qid: str = "Q1", **more: float) -> score.Scored:
    """A formula that is called as an item, how surely and by whom."""
    view = ConceptView(FormulaConcept(tex, tex, 1, 1), (), builtin_concepts())
    scores = {"name_score": name_score, **more}
    evidence = tuple(Evidence(name, value, uncoded_message("named")) for name, value in scores.items())
    return score.Scored(CandidatePair(view, item("x", qid=qid)), evidence)


def added(rows: Sequence[score.Scored]) -> list[dict[str, tuple[float, str]]]:
    """What the other formulas of an item say of each row: score and the formula named."""
    found = []
    for before, row in zip(rows, with_rivals(rows), strict=True):
        new = row.evidence[len(before.evidence) :]
        found.append({e.name: (e.score, str(e.detail.values.get("tex", ""))) for e in new})
    return found


# -- formulas of one name ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("of_twin", "twin"), [(0.3, True), (0.29, False)])
def test_a_formula_is_a_twin_of_others_from_so_sure_a_name_on(of_twin: float, twin: bool) -> None:
    found = added([named("p=F/A", 0.9), named(r"p=\frac{F}{A}", of_twin, called=0.5)])
    assert found[0] == ({"twin_called": (0.5, r"p=\frac{F}{A}")} if twin else {})


@pytest.mark.parametrize(("own", "asked"), [(0.15, True), (0.149, False)])
def test_a_formula_with_half_of_that_asks_for_its_twins_and_for_more_general_ones(own: float, asked: bool) -> None:
    rows = [named("W=Fs", own), named("W=F s", 0.9, called=0.5), named(r"W=\int F\,ds", 0.8)]
    assert added(rows)[0].keys() == ({"twin_called", "special_case"} if asked else set())


def test_the_surest_twin_counts_and_of_equals_the_last_by_its_formula() -> None:
    rows = [
        named("p=F/A", 0.9),
        named(r"p=\frac{F}{A}", 0.9, called=0.5, key_equation=0.2, defined_term=0.7),
        named(r"p={F\over A}", 0.9, called=0.5, equation_title=0.3),
        named("p=F / A", 0.9, called=0.4),
    ]
    assert added(rows)[0] == {
        "twin_given": (0.7, r"p=\frac{F}{A}"),
        "twin_called": (0.5, r"p={F\over A}"),
    }


def rivals_of(*rows: score.Scored) -> tuple[object, ...]:
    rivals = score.CompetingFormulas()
    for row in rows:
        rivals.add(row.pair, score.naming_strength(row.evidence))
    assert rivals.inputs("Q2") == ()
    return rivals.inputs("Q1")


def test_the_formulas_of_an_item_are_kept_the_surest_first() -> None:
    found = rivals_of(named("b=c", 0.5), named("a=b+c", 0.5), named("d=e", 0.9), named("x=y", 0.2))
    assert [one[1] for one in found] == ["d=e", "a=b+c", "b=c"]  # type: ignore[index]


def test_concepts_are_judged_again_for_another_order_of_names_and_not_for_another_score() -> None:
    surer = rivals_of(named("a=b", 0.8), named("b=c", 0.5))
    assert surer == rivals_of(named("a=b", 0.9), named("b=c", 0.4))
    assert surer != rivals_of(named("a=b", 0.5), named("b=c", 0.8))
    assert surer != rivals_of(named("a=b", 0.8, called=0.5), named("b=c", 0.5))
    assert surer != rivals_of(named("a=b", 0.8, key_equation=0.5), named("b=c", 0.5))


@pytest.mark.parametrize(("name", "compared"), [(0.15, True), (0.149, False), (0.0, False), (1.0, True)])
def test_formulas_are_compared_from_half_of_the_least_score_of_a_name_on(name: float, compared: bool) -> None:
    assert score.is_compared(name) is compared


def test_how_surely_a_name_is_given_is_said_by_three_kinds_of_evidence() -> None:
    def strength(**scores: float) -> score.NamingStrength:
        return score.naming_strength(Evidence(name, value, uncoded_message("x")) for name, value in scores.items())

    assert strength() == (0.0, 0.0, 0.0)
    assert strength(name_score=0.4, called=0.3, mentioned=0.9) == (0.4, 0.0, 0.3)
    for name in ("key_equation", "equation_title", "defined_term"):
        assert strength(**{name: 0.6}).given == 0.6
    assert strength(key_equation=0.1, defined_term=0.6, equation_title=0.2).given == 0.6


def test_concepts_without_candidates_keep_their_place() -> None:
    one = pair("F=ma", item("force"), place("the force is ⟦3⟧"))
    judge = score.Judge({})
    assert judge.evidence([[], []]) == [[], []]
    assert judge.evidence([]) == []
    assert judge.evidence([[], [one], []]) == [[], [evidence_for(one)], []]
    assert list(judge.special_cases([])) == []


def test_the_digest_of_an_item_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(score, "cache_key", lambda *values: asked.append(values) or b"key")
    judge = score.Judge({})
    force, energy = item("force", qid="Q1"), item("energy", qid="Q2")
    assert [judge._item(each) for each in (force, energy, force)] == [b"key"] * 3
    assert asked == [(force,), (energy,)]


def test_of_items_equally_likely_the_first_by_name_is_kept_first() -> None:
    rows = [replace(named("a=b+c", 0.5, qid), probability=0.5) for qid in ("Q3", "Q20", "Q1")]
    assert [m.qid for m in score.matches(rows, EvidenceModel(0.0, {}))] == ["Q1", "Q20", "Q3"]


# -- names -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("label", "aliases", "name", "how"),
    [
        (
            "Hooke",
            (),
            "Hooke law, great",
            SAME,
        ),  # .75 for what stands before a comma times .7 for the head, of the label
        ("spring", ("Hooke",), "Hooke law, great", ""),  # .9 of that, of an alias
        ("velocity", (), "average velocity", NARROW),
        ("torque", (), "torque vector", GENERAL),
        ("torque", ("vector",), "torque vector", GENERAL),  # what is general goes before what is narrower
        ("torque", (), "density", ""),
    ],
)
def test_a_name_is_the_item_s_or_wider_or_narrower(label: str, aliases: tuple[str, ...], name: str, how: str) -> None:
    about = pair("x=y", item(label, aliases=aliases), place())
    assert about._scope(name, about.view.occurrences[0].language) == how


def test_who_tells_a_name_is_kept_with_the_first_name_of_its_width() -> None:
    told = place(
        heading="Average velocity",
        hints=[
            ("symbol", "mean velocity"),
            ("symbol_far", "average velocity"),
            ("qid", "velocity"),
            ("label", "velocity"),
        ],
    )
    (found,) = pair("v=x", item("velocity"), told).scopes
    assert found == {
        "left side": {NARROW: "mean velocity"},
        "sentence": {SAME: "velocity"},
        "section": {NARROW: "Average velocity"},
    }


def test_labels_are_worth_what_they_are_and_empty_ones_nothing() -> None:
    assert labels_of(item("", aliases=("the", "Force", "force"))) == {"the": 0.9, "force": 0.9}
    assert labels_of(item("Force", aliases=("force",))) == {"force": 1.0}


def test_the_shares_of_places_are_of_those_that_show_the_formula() -> None:
    shown, hidden = place("For example, ⟦3⟧."), place("For example, ⟦4⟧.")
    assert pair("x=y", item("x"), shown, hidden, place("So ⟦3⟧.")).view.share_introduced_as("example") == 0.5
    assert pair("x=y", item("x"), hidden).view.share_introduced_as("example") == 0.0
    assert pair("x=y", item("x")).view.share_with_symbols_explained == 0.0


# -- evidence ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "value"), [(0, None), (1, 0.1667), (5, 0.8333), (6, 1.0), (7, 1.0)])
def test_indices_count_up_to_six(n: int, value: float | None) -> None:
    found = negative.indices(pair("x=" + "+".join(["a_{ij}", r"b_\mu", "c_1"] * 3)[: 6 * n] if n else "x=y", item("x")))
    made = negative.indices(pair("x=y" + "".join(f"+a_{k}" for k in range(n)), item("x")))
    assert (made and made.score) == value
    assert (made and made.detail.values["n"]) == (n or None)
    assert (found is None) is (n == 0)


@pytest.mark.parametrize(
    ("label", "doubted"), [("area", True), ("The Area", True), ("surface area", False), ("the surface area", False)]
)
def test_one_word_is_of_many_things(label: str, doubted: bool) -> None:
    found = negative.one_word(pair("x=y", item(label)))
    assert (found and (found.score, found.detail.values["label"])) == ((1.0, label) if doubted else None)


@pytest.mark.parametrize(
    ("windows", "share"),
    [
        (["In a vacuum, ⟦3⟧ holds."], 1.0),
        (["In a vacuum, ⟦3⟧ holds.", "It is ⟦3⟧."], 0.5),
        (["In a vacuum, ⟦3⟧ holds.", "It is ⟦3⟧.", "So ⟦3⟧."], None),
        (["In a vacuum, ⟦3⟧ holds.", "It is ⟦4⟧."], 1.0),
        ([], None),
    ],
)
def test_a_condition_counts_from_half_of_the_places_on(windows: list[str], share: float | None) -> None:
    found = special_case.condition_said(pair("B=x", item("field"), *map(place, windows)))
    assert (found and (found.score, found.detail.values["case"])) == (share and (share, "in a vacuum"))


@pytest.mark.parametrize(
    ("of", "value"),
    [
        ({"d": (1, 2)}, 0.0945),
        ({"d": (1, 2), "e": (0, 2)}, 0.0228),  # 1 of 4, in one of two documents
        ({"d": (1, 2), "e": (1, 2)}, 0.15),  # 2 of 4, in both
        ({"d": (1, 2), "elsewhere": (9, 9)}, 0.0473),  # of the formula's own documents alone
        ({"elsewhere": (9, 9)}, None),
    ],
)
def test_removals_count_by_the_share_of_the_formula_s_documents(of: dict[str, tuple[int, int]], value: float) -> None:
    ids = ["d", "e"] if "e" in of or "elsewhere" in of else ["d"]
    about = pair("x=y", item("x"), *(place(document=each) for each in ids))
    found = removed_source(replace(about, view=replace(about.view, removed=of)))
    assert (found and found.score) == value


@pytest.mark.parametrize(
    ("tex", "share"),
    [("p=mv", 1.0), ("P=mV", 1.0), ("p=mq", 0.5), ("p=m", 0.6667), ("a=b", None), ("17=16+1", None)],
)
def test_symbols_are_shared_with_the_first_form_of_the_list(tex: str, share: float | None) -> None:
    found = shared_symbols(pair(tex, item("momentum", qid="Q41273")))
    assert (found and (found.score, found.detail.values)) == (
        share and (share, {"percent": f"{share:.0%}", "tex": "p = m v"})
    )


def test_half_of_the_letters_of_a_form_are_enough_not_to_deny_it() -> None:
    about = item("momentum", qid="Q41273")
    assert handbook_unlike(pair(r"p+m=\frac{\zeta}{\xi^3}", about)) is None  # two of four
    assert handbook_unlike(pair(r"p=\frac{\zeta}{\xi^3}+\chi", about)) is not None  # one of four


def test_the_surest_of_all_claims_that_agree_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    relations: dict[str, Any] = {"a": "renamed", "b": "rearranged", "c": "notation", "d": "none"}
    monkeypatch.setattr(
        existing_claims,
        "equivalent",
        lambda tex, other: Comparison(relations[other], "", True, Message("note.map")) if other in relations else None,
    )
    tex = "y=abcdefghijklmn"

    def told(*held: str) -> tuple[float, str] | None:
        found = existing_claims.same_formula(pair(tex, item("x", formulas=held)))
        return (found.score, str(found.detail.values["relation"])) if found else None

    assert told("a", "b", "c") == told("c", "a", "x") == (0.95, str(Message("relation.notation")))
    assert told("b", "a") == (0.8, str(Message("relation.rearranged")))
    assert told("a") == (0.6, str(Message("relation.renamed")))
    assert told("d") is told("x") is told() is None


def test_formulas_without_a_tree_are_compared_as_strings_alone() -> None:
    deep = "{" * 300 + "a" + "}" * 300
    assert agreement.compare_formulas(deep, "c=d").same_concept is False
    assert agreement.variant(deep, "c=d") is agreement.equivalent(deep, "c=d") is None
    assert weak_equivalence.compared_formula(r"\sum " * 50).leaves == 0


def test_an_equation_of_the_article_is_the_better_the_earlier_and_equals_go_by_title() -> None:
    force = item("force", aliases=("push",))
    late, early = place(title="Force", rank=1), place(title="Push", rank=1)
    found = ranking_evidence.title(pair("F=ma", force, early, late))
    assert found is not None
    assert found.score == pytest.approx(2 / 3)
    assert found.detail.values == {"n": 2, "title": "Force"}


# -- models --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("logit", "parts"),
    [
        (-3.0, (-3.0, 0.0, 0.0, 0.0)),
        (-1.0, (-1.0, 0.0, 0.0, 0.0)),
        (0.0, (-1.0, 1.0, 0.0, 0.0)),
        (0.5, (-1.0, 1.5, 0.0, 0.0)),
        (1.0, (-1.0, 1.5, 0.5, 0.0)),
        (2.0, (-1.0, 1.5, 1.5, 0.0)),
        (5.0, (-1.0, 1.5, 1.5, 3.0)),
    ],
)
def test_a_logit_is_the_sum_of_its_stretches(logit: float, parts: tuple[float, ...]) -> None:
    assert logit_segments(logit) == parts
    assert sum(parts) == logit
    assert Calibration(0.25).of(logit) == pytest.approx(1 / (1 + math.exp(-logit - 0.25)))


def test_a_model_without_a_calibration_leaves_the_logit_as_it_is() -> None:
    model = EvidenceModel.from_json({"bias": -1, "weights": {"a": 2}})
    assert model == EvidenceModel(-1, {"a": 2}, Calibration(), "", ())
    assert model.probability({"a": 1.0}) == pytest.approx(1 / (1 + math.exp(-1)))


def test_errors_are_of_ten_bands_of_equal_width() -> None:
    assert quality([0.12, 0.19], [1, 0]).calibration_error == round(abs(0.12 + 0.19 - 1) / 2, 4)  # one band
    assert quality([0.19, 0.2], [1, 0]).calibration_error == round((0.81 + 0.2) / 2, 4)  # two
    found = quality([0.3, 0.3, 0.8, 0.8, 0.8], [0, 1, 1, 1, 0])
    assert (found.calibration_error, found.calibration_noise, found.log_loss) == (0.16, 0.236, 0.7233)
    assert quality([0.3, 0.8], [0, 1], seed=8).calibration_noise != quality([0.3, 0.8], [0, 1]).calibration_noise
    assert curve([0.09, 0.1, 0.2], [0, 1, 1]) == ((0.09, 0.0, 1), (0.1, 1.0, 1), (0.2, 1.0, 1))


@pytest.mark.parametrize(("one", "other", "both"), [(0.5, 0.4, 0.6), (0.4, 0.5, 0.6), (1.0, 0.3, 1.0), (0.2, 0.0, 0.2)])
def test_two_signs_together_say_the_surer_one_and_half_of_the_other(one: float, other: float, both: float) -> None:
    assert combined_probability(one, other) == pytest.approx(both)


# -- what is known ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "items", "related"), [("a=bcde", 2, True), ("a=bcd", 2, False), ("a=bcde", 6, True), ("a=bcde", 7, False)]
)
def test_items_are_related_by_a_formula_of_five_leaves_that_few_share(tex: str, items: int, related: bool) -> None:
    entries = [IndexedFormula(f"Q{n}", tex) for n in range(items)]
    assert {len(others) for others in known_concepts.related_items(ChannelIndex(entries)).values()} == (
        {items} if related else set()
    )


@pytest.mark.parametrize(("probability", "confirmed"), [(0.5, True), (0.499, False)])
def test_a_shared_concept_is_confirmed_from_one_half_on(
    probability: float, confirmed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ConceptIndex({})
    known.__dict__.update(hits=lambda _: [], recogniser=SimpleNamespace(difference=lambda *_: None))
    met = SharedConcept("Q1", "Force", probability)
    monkeypatch.setattr(ConceptIndex, "shared_concept", lambda *_: met)
    assert known.confirmed_shared_concept("a", "b") == (met if confirmed else None)


def refined(
    found: Comparison, monkeypatch: pytest.MonkeyPatch, *, met: SharedConcept | None = None, both: bool = False,
    part: tuple[str, str] | None = None, two: tuple[str, str] | None = None,
) -> tuple[str, bool, str, Any]:  # fmt: skip
    """What the list makes of a comparison: relation, one concept or not, the code of the note, the values that it adds."""
    stub = SimpleNamespace(
        confirmed_shared_concept=lambda *_: met, has_both=lambda *_: both, part_of=lambda *_: part, different_concepts=lambda *_: two
    )  # fmt: skip
    monkeypatch.setattr(known_concepts, "builtin_concepts", lambda: stub)
    made = refine_comparison(found, "a", "b")
    values = {name: value for name, value in made.message.values.items() if name != "note"}
    return made.relation, made.same_concept, made.message.code, values


DIFFERENT = Comparison("different", "", False, Message("note.map"))
MET = SharedConcept("Q1", "Force", 0.876)


def test_unlike_formulas_of_one_concept_are_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ("variant", True, "note.one_concept", {"label": "Force", "qid": "Q1", "probability": "0.88"})
    assert refined(DIFFERENT, monkeypatch, met=MET) == one
    assert refined(DIFFERENT, monkeypatch) == ("different", False, "note.map", {})
    letter, value = (replace(DIFFERENT, differs=Message(code)) for code in ("differs.letter", "differs.value"))
    assert refined(letter, monkeypatch, met=MET, both=True) == one
    assert refined(letter, monkeypatch, met=MET)[:2] == ("different", False)
    assert refined(value, monkeypatch, met=MET, both=True)[:2] == ("different", False)


def test_a_part_and_its_whole_are_variants_of_two_concepts(monkeypatch: pytest.MonkeyPatch) -> None:
    told = ("variant", False, "note.part_of_concept", {"part": "Law", "whole": "Laws"})
    assert refined(DIFFERENT, monkeypatch, part=("Law", "Laws")) == told
    variant = replace(DIFFERENT, relation="variant")
    assert refined(variant, monkeypatch, part=("Law", "Laws"))[2] == "note.map"  # mathematics says more
    for code in ("note.spacetime_part", "note.four_vector"):
        by_mathematics = replace(variant, message=Message(code))
        assert refined(by_mathematics, monkeypatch, part=("Law", "Laws"), met=MET) == told


def test_look_alikes_are_taken_back_and_what_algebra_is_sure_of_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    two = ("Force", "Work")
    renamed, turned = (Comparison(relation, "", True, Message("note.map")) for relation in ("renamed", "rearranged"))
    told = ("different", False, "note.two_concepts", {"one": "Force", "other": "Work"})
    assert refined(renamed, monkeypatch, two=two) == told
    assert refined(turned, monkeypatch, two=two) == ("rearranged", True, "note.map", {})
    assert refined(renamed, monkeypatch) == ("renamed", True, "note.map", {})


def test_the_first_item_is_confirmed_by_its_formula_rearranged_or_in_another_notation() -> None:
    stub = cast(Recogniser, SimpleNamespace(_forms=lambda near, own: [], _indices_of_item=lambda near, qid: []))

    def confirmed(*formulas: str) -> bool:
        hits = [Hit(f"Q{n}", 0.0, 0.6, "", tex, np.zeros(1)) for n, tex in enumerate(formulas)]
        return Recogniser._is_rearranged_of_first(stub, r"\binom{n}{k}=\binom{n}{n-k}", cast(Any, None), hits)

    assert confirmed("C_n^k=C_n^{n-k}")
    assert confirmed(r"\binom{n}{k}-\binom{n}{n-k}=0")
    assert not confirmed("C_n^k=C_n^{n-k}", r"\binom{n}{k}=\binom{n}{n-k}")  # the next item's, too
    assert not confirmed("C_n^k=C_n^{k-1}")


def test_the_likeliest_three_concepts_name_a_formula() -> None:
    hits = [
        SimpleNamespace(qid=f"Q{n}", probability=p, level="K0", formula="") for n, p in enumerate((0.9, 0.5, 0.49, 0.9))
    ]
    stub = SimpleNamespace(
        recogniser=SimpleNamespace(all_hits=lambda texts: [hits for _ in texts]),
        label=lambda qid: "" if qid == "Q0" else f"label of {qid}",
        is_own=lambda qid, tex: qid == "Q1",
    )
    (found,) = Knowledge(lambda: cast(ConceptIndex, stub)).names(["a=b"], ResultCache())
    assert [(name.name, name.probability, name.reason.code) for name in found] == [
        ("label of Q1", 0.5, "cue.own_formula")
    ]


# -- candidates and what is queued -----------------------------------------------------------------------------------------------


def test_eight_entries_alike_are_looked_at() -> None:
    index = FormulaIndex([IndexedFormula(f"Q{n}", f"a=b+c+d^2+e+f+g+{n}") for n in range(2, 12)])
    found = candidates.similar_items("a=b+c+d^2+e+f+g+x", index)
    assert len(found) == 8


def test_what_a_formula_is_tied_to_is_asked_for() -> None:
    hits = [Hit(qid, 0.0, p, "", "x=y", np.zeros(0)) for qid, p in (("Q1", 0.5), ("Q2", 0.49), ("Q3", 0.9))]
    own = {qid: Concept(qid, "", "", ("x=y",), (), ()) for qid in ("Q1", "Q2")}
    view = ConceptView(FormulaConcept("k", "x=y", 1, 1), (), ConceptIndex({"Q3": own["Q1"]}, own), hits)
    assert set(candidates.tied_qids(view)) == {"Q1"}


def test_what_is_queued_is_in_order_of_likelihood_then_number_then_concept_then_formula() -> None:
    rows = [ItemMatch(concept, tex, qid, p) for concept, tex, qid, p in (
        ("b", "z=b+c^{5}", "Q2", 0.9), ("a", "z=b+c^{4}", "Q2", 0.9), ("a", "z=b+c^{3}", "Q2", 0.9), ("c", "z=b", "Q1", 0.5), ("d", "y=x^{7}", "Q10", 0.9),
    )]  # fmt: skip
    assert [(m.qid, m.tex) for m in choose_matches(rows, 0.5)] == [
        ("Q2", "z=b+c^{3}"), ("Q2", "z=b+c^{4}"), ("Q2", "z=b+c^{5}"), ("Q10", "y=x^{7}"), ("Q1", "z=b"),
    ]  # fmt: skip
    assert choose_matches([], 0.5) == []


def test_the_property_of_the_claims_is_that_of_the_pair() -> None:
    about = pair("F=ma", item("force", formulas=["F=ma"]))
    assert existing_claims.formulas_of(about) == ("F=ma",)
    assert existing_claims.formulas_of(replace(about, formula_property=f"{PROPERTY}0")) == ()


# -- how many ----------------------------------------------------------------------------------------------------------------------


def test_ten_hits_are_shown_of_a_hundred_and_twenty_entries_and_with_a_context_of_forty_items() -> None:
    """Scripts and letters aside all formulas are one, so that no key tells them apart."""
    rows: list[Any] = [{"qid": f"Q{n}", "label": f"law {n}", "formulas": [f"x_{{{n}}}=a+b"]} for n in range(1, 141)]
    recogniser = Recogniser(rows, book={})
    near = recogniser.index.search_tex("x=a+b")
    assert near is not None
    assert len(near.rows) == 120
    assert len(recogniser.hits("x=a+b")) == len(next(recogniser.answers([{"tex": "x=a+b"}]))["hits"]) == 10  # type: ignore[arg-type]
    assert [len(recogniser.hits("x=a+b", top)) for top in (3, 200)] == [3, 120]
    assert len(recogniser.hits("x=a+b", 200, "Law 77\nSo it is, as we know.")) == 41  # forty, and the one that is named


def test_an_item_is_well_known_that_the_list_has_or_that_has_three_formulas() -> None:
    book = {"Q1": Concept("Q1", "Force", "mechanics", ("F=ma",), (), ())}
    rows: list[Any] = [
        {"qid": "Q1", "label": "Force", "formulas": []},
        {"qid": "Q2", "label": "three", "formulas": ["a=b", "a=c", "a=d"]},
        {"qid": "Q3", "label": "two", "formulas": ["a=b", "a=c", "a=c", " "]},
    ]
    recogniser = Recogniser(rows, book=book)
    known = {e.qid: row[-1] for e, row in zip(recogniser.index.entries, recogniser._standings.tolist(), strict=True)}
    assert known == {"Q1": 1.0, "Q2": 1.0, "Q3": 0.0}
    assert [e.tex for e in recogniser.index.entries] == ["F=ma", "a=b", "a=c", "a=d", "a=b", "a=c"]


# -- weak equivalence ---------------------------------------------------------------------------------------------------------------


def bare(tex: str) -> weak_equivalence.BareEquation:
    equations = weak_equivalence.compared_formula(tex).equations
    assert equations is not None
    single = equations[0]
    assert single is not None
    return single[0]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [  # with one sign free and the same numbers, with one sign free, with the same numbers, with neither
        ("a+b+c+d=0", "a-b+c+d=0", "yes yes no no"),
        ("a+b+c+d=0", "a-b-c+d=0", "no no no no"),
        ("a+b=0", "a-b=0", "yes yes no no"),
        ("2a+b+c=0", "a+b+c=0", "no yes no yes"),
        ("2a+b+c=0", "a-b+c=0", "no yes no no"),
        ("a+b+c=0", "-a-b-c=0", "yes yes yes yes"),  # all signs turned are none
        ("a+b+c=0", "-a-b+c=0", "yes yes no no"),
        ("a+b+c=0", "a+b+d=0", "no no no no"),
        ("a+b+c=0", "a+b=0", "no no no no"),
    ],
)
def test_two_polynomials_are_as_good_but_for_one_sign(one: str, other: str, same: str) -> None:
    left, right = (equation(bare(tex).tree) for tex in (one, other))
    assert left is not None
    assert right is not None
    found = [
        weak_equivalence._equal_up_to_one_sign(left[1], right[1], signs=signs, numbers=numbers)
        for signs in (True, False)
        for numbers in (True, False)
    ]
    assert found == [word == "yes" for word in same.split()]


@pytest.mark.parametrize(
    ("one", "other", "relation", "code"),
    [
        ("a=b+c", "a=b-c", "notation", "note.dressing_sign"),
        ("E=mc^2+q", "E=mc^2-q", "notation", "note.dressing_sign"),
        ("v=at", "u=at", "renamed", "note.dressing_sign_names"),
        ("v=a-t", "u=a+t", None, ""),  # a sign and a letter
        (r"A=\pi r^2", "A=r^2", None, ""),
        (r"f: A\to B", r"f A\to B", "notation", "note.map"),
        (r"f: A\to B", r"f: B\to A", None, ""),
    ],
)
def test_how_two_equations_are_one(one: str, other: str, relation: str | None, code: str) -> None:
    found = weak_equivalence.same_equation(bare(one), bare(other))
    assert (found and (found.relation, found.message.code)) == (relation and (relation, code))


def test_letters_that_stand_for_others_are_listed_as_a_reviewer_reads_them() -> None:
    assert str(weak_equivalence._mapping_message([("a", "b")])) == "b for a"
    assert (
        str(weak_equivalence._mapping_message([("a", "b.v"), ("c_", '"d'), ("#e", "f")])) == "v for a, d for c, f for e"
    )
    mapped = [bare(tex).mapped for tex in (r"f: A\to B", r"x\mapsto y", "a=b")]
    assert mapped == [("f", "A", "B", "→"), ("x", "y", "↦"), ()]
