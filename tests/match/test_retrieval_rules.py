"""Numbers of retrieval to the digit: what a context says of an item, what a pair of formula and context shows, likeness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from bot.match.knowledge import Knowledge
from bot.match.retrieval import contextual
from bot.match.retrieval.context import Context, ItemNames, normal_words, read_context, stem
from bot.match.retrieval.contextual import (
    CONTEXT_CALIBRATION,
    ContextualIndex,
    calibration_features_in_document,
    given_symbol,
)
from bot.match.retrieval.quantities import left_symbol, same_quantity, usual_symbols
from bot.match.retrieval.ranking_features import item_prior
from bot.result_cache import ResultCache

ITEMS: list[dict[str, Any]] = [
    {"qid": "Q1", "label": "torque"},
    {"qid": "Q2", "label": "angular momentum"},
    {"qid": "Q3", "label": "momentum", "aliases": ["linear momentum"]},
    {"qid": "Q4", "label": "Hooke's law"},
    {"qid": "Q6", "label": "force"},
]
TORQUE, ANGULAR, MOMENTUM, HOOKE, FORCE = range(5)
NAMES = ItemNames(ITEMS)


def said(context: str, tex: str = r"\tau=rF") -> Context:
    return read_context(NAMES, context, tex)


# -- contexts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "near", "before"),
    [
        ("So the torque $\\tau=rF$ is, as we know.", 1.0, 1.0),
        ("So the torque of it $\\tau=rF$ is, as we know.", math.exp(-2 / 8), math.exp(-2 / 8)),
        ("So as we know, $\\tau=rF$ is the torque.", math.exp(-2 / 8), None),
        ("So the torque $x=y$ is $\\tau=rF$, as we know.", 0.6 * math.exp(-1 / 8), 0.6 * math.exp(-1 / 8)),
        ("So the torque $x=y$ is $u=v$ and $\\tau=rF$, as we know.", 0.36 * math.exp(-2 / 8), 0.36 * math.exp(-2 / 8)),
        ("So the torque, or, the torque $\\tau=rF$ is, as we know.", 1.0, 1.0),
        ("So the torque is as we know.", None, None),
    ],
)
def test_a_name_is_worth_less_by_the_words_and_formulas_between(
    text: str, near: float | None, before: float | None
) -> None:
    found = said(text)
    assert found.near.get(TORQUE) == (None if near is None else pytest.approx(near))
    assert found.before.get(TORQUE) == (None if before is None else pytest.approx(before))


def test_an_alias_and_the_end_of_a_longer_name_count_less_and_each_mention_counts() -> None:
    found = said("So here the linear momentum is kept, and momentum is kept, and the angular momentum too.")
    assert found.times == {MOMENTUM: pytest.approx(0.9 + 1.0 + 0.4), ANGULAR: 1.0}
    assert found.length == {MOMENTUM: 2, ANGULAR: 2}
    assert found.named(MOMENTUM) == 1.0
    assert found.named(TORQUE) == 0.0
    assert found.names_any


def test_the_first_line_is_a_title_where_it_is_the_name_and_other_lines_are_headings() -> None:
    found = said("Torque\nForce\nSome other thing here.")
    assert (found.title, found.heading) == ({TORQUE: 1.0}, {FORCE: 0.5})
    assert said("Torque of a force\nIt is so, as we know.").heading == {TORQUE: 0.5, FORCE: 0.5}
    assert said("Linear momentum\nIt is so, as we know.").title == {MOMENTUM: 0.9}
    fourth = said("One\nTwo\nThree\nTorque\nIt is so.")
    assert (fourth.heading, fourth.times) == ({}, {TORQUE: 1.0})


@pytest.mark.parametrize(
    ("line", "titled"),
    [
        ("Torque in seven other words than these others", True),
        ("Torque in seven other words than these others are", True),
        ("Torque in seven other words than these others are now", False),
        ("Torque.", False),
        ("Torque:", False),
        ("Torque = x", False),
        ("Torque ⟦3⟧", False),
    ],
)
def test_a_title_is_short_and_no_sentence(line: str, titled: bool) -> None:
    assert bool(said(f"{line}\nAnd so it goes on, as we know.").heading) is titled


def test_the_sign_of_a_title_before_a_sentence_is_a_name_and_a_mark() -> None:
    for mark in (".", ":", " |", " —", " -"):
        assert said(f"Torque{mark} It is a vector and turns a body about an axis, as we know.").title == {TORQUE: 1.0}
    assert said("Torques and more. It is a vector and turns a body, as we know.").title == {}


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("So here the torque T is as we know.", {TORQUE: {"T"}}),
        ("So here the torque (T) is as we know.", {TORQUE: {"T"}}),
        ("So here the torque, $T$, is as we know.", {TORQUE: {"T"}}),
        ("So here the torque $T=x$ is as we know.", {}),
        ("So here the torque $Tx$ is as we know.", {}),
        ("So here the torque A body feels, as we know.", {}),
        ("So here the torque I feel, as we know.", {}),
        ("So here the angular momentum L is, as we know.", {ANGULAR: {"L"}}),
        ("So it is $a=b$, where $F$ is the force of it, as we know.", {FORCE: {"F"}}),
    ],
)
def test_the_letter_behind_a_name_stands_for_it(text: str, letters: dict[int, set[str]]) -> None:
    assert said(text).letters == letters


def test_other_formulas_are_counted_and_the_one_asked_for_is_not() -> None:
    assert said("It is $\\tau=rF$ and $a=b$ and $c=d$, as we know.").formulas == 2
    assert said("It is $a=b$ and $c=d$, as we know.").formulas == 2
    assert said("It is ⟦3⟧ and $c=d$, as we know.").formulas == 1
    assert (bool(said("And so it is.")), bool(said("And so $a=b$ is."))) == (False, True)


def test_names_have_nine_words_at_most_and_one_word_has_three_letters() -> None:
    rows = [
        {"qid": "Q1", "label": " ".join(["alpha"] * 9)},
        {"qid": "Q2", "label": " ".join(["beta"] * 10)},
        {"qid": "Q3", "label": "pH"},
        {"qid": "Q4", "label": "ohm"},
        {"qid": "Q5", "label": "1234"},
        {"qid": "Q6", "label": ""},
        {"qid": "Q4", "label": "second"},
    ]
    names = ItemNames(rows)
    assert [bool(names.items_named(row["label"])) for row in rows] == [True, False, False, True, False, False, True]
    assert names.by_qid("of Q4, Q3 and Q77") == [3, 2]


def test_normal_words_have_no_case_number_possessive_or_marks() -> None:
    assert normal_words("Hooke’s Laws, of springs") == ("hooke", "law", "of", "spring")
    assert normal_words("Stress–strain ⟦3⟧") == ("stress", "strain", "⟦3⟧")
    assert stem("conservation") == stem("conserved") == "conser"


def test_the_words_of_a_context_are_stems_of_three_letters_and_more() -> None:
    assert said("Torque\nIt is so as conserved.").words == {"torque", "conser"}


# -- formula and context --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hit:
    qid: str
    score: float
    probability: float


PLACE = {name: n for n, name in enumerate(contextual.CONTEXT_FEATURE_NAMES)}
SITUATION = ContextualIndex(ITEMS, {"Q6": ("F=ma", "F=kx", "p=F/A"), "Q4": ("F=kx",), "Q2": ("L=rp",)}, {"Q1": "mechanics", "Q6": "mechanics", "Q2": "other"})  # fmt: skip


def numbers(tex: str, item: int, context: str = "", *hits: Hit) -> dict[str, float]:
    row = SITUATION.features(tex, hits, SITUATION.read(context, tex), [item])[0]
    return {name: float(row[n]) for name, n in PLACE.items()}


def test_the_share_of_an_item_is_a_logarithm_from_a_ten_thousandth_on() -> None:
    none, some = numbers("F=ma", FORCE), numbers("F=ma", FORCE, "", Hit("Q6", math.log(0.5), 0.4))
    assert (none["share"], none["probability"]) == (0.0, 0.0)
    assert some["share"] == pytest.approx(math.log(5000) / 3)
    assert some["probability"] == pytest.approx(0.4)


def test_a_whole_title_counts_more_the_less_the_formula_is_sure() -> None:
    found = numbers("F=ma", FORCE, "Force\nSo it is, as we know.", Hit("Q4", -1.0, 0.3))
    assert (found["title"], found["title_doubt"], found["heading"]) == (1.0, pytest.approx(0.7), 0.0)
    part = numbers("F=ma", FORCE, "Force of nature\nSo it is, as we know.")
    assert (part["title"], part["heading"]) == (0.0, 0.5)


def test_mentions_count_by_logarithm_and_long_names_tell_more() -> None:
    found = numbers("L=rp", ANGULAR, "So the angular momentum is the angular momentum, as we know.")
    assert found["times"] == pytest.approx(math.log(3))
    assert found["telling"] == 0.5
    assert numbers("F=ma", FORCE, "So the force is, as we know.")["telling"] == 0.0


@pytest.mark.parametrize(
    ("tex", "item", "usual", "own", "unusual"),
    [
        ("F=ma", FORCE, 1.0, 2 / 3, 0.0),
        ("p=F/A", FORCE, 0.0, 1 / 3, 0.0),
        ("q=xy", FORCE, 0.0, 0.0, 1.0),
        ("F=kx", HOOKE, 0.0, 1.0, 0.0),
        ("q=kx", HOOKE, 0.0, 0.0, 0.0),
        ("a+b=c+d", FORCE, 0.0, 0.0, 0.0),
    ],
)
def test_the_left_side_is_usual_the_items_own_or_unusual(
    tex: str, item: int, usual: float, own: float, unusual: float
) -> None:
    found = numbers(tex, item)
    assert (found["usual"], found["unusual"]) == (usual, unusual)
    assert found["own"] == pytest.approx(own)


def test_what_the_text_says_of_letters_counts_by_their_side() -> None:
    left_, right = (numbers(tex, FORCE, "So here the force $F$ is, as we know.") for tex in ("F=ma", "a=F/m"))
    assert (left_["left_is"], left_["right_is"]) == (1.0, 0.0)
    assert (right["left_is"], right["right_is"]) == (0.0, 1.0)


def test_a_script_is_an_initial_of_all_words_but_the_last_and_a_side_may_be_spelt() -> None:
    assert numbers("p_a=x", ANGULAR)["label"] == 1.0
    assert numbers("p_m=x", ANGULAR)["label"] == 0.0
    assert numbers(r"\text{angular momentum}=x", ANGULAR)["spelt"] == 1.0
    assert numbers(r"x=\text{angular momentum}", ANGULAR)["spelt"] == 0.0


def test_a_law_that_the_formula_does_not_bring_is_unlike_where_it_has_formulas() -> None:
    assert (numbers("q=xy", HOOKE)["statement"], numbers("q=xy", HOOKE)["unlike"]) == (1.0, 1.0)
    assert numbers("F=kx", HOOKE, "", Hit("Q4", -1.0, 0.3))["unlike"] == 0.0
    assert (numbers("q=xy", TORQUE)["statement"], numbers("q=xy", TORQUE)["unlike"]) == (0.0, 0.0)


def test_the_field_is_the_share_of_what_is_named() -> None:
    assert numbers("q=xy", FORCE, "Torque\nThe angular momentum too, as we know.")["field"] == pytest.approx(2 / 4)
    assert numbers("q=xy", ANGULAR, "Torque\nThe angular momentum too, as we know.")["field"] == pytest.approx(1 / 4)
    assert numbers("q=xy", MOMENTUM, "Torque\nSo it is, as we know.")["field"] == 0.0


def test_a_special_kind_that_is_not_named_lends_its_share_to_the_general_one() -> None:
    hits = [Hit("Q2", math.log(0.3), 0.3), Hit("Q3", math.log(0.1), 0.1)]
    row = SITUATION.features("L=rp", hits, SITUATION.read("", "L=rp"), [MOMENTUM, ANGULAR])
    assert row[0][PLACE["kinds"]] == pytest.approx(math.log(4) / 3)
    assert row[1][PLACE["kinds"]] == 0.0
    named = SITUATION.features(
        "L=rp", hits, SITUATION.read("The angular momentum is so, as we know.", "L=rp"), [MOMENTUM, ANGULAR]
    )
    assert named[0][PLACE["kinds"]] == 0.0


def test_candidates_are_brought_named_or_have_the_symbol() -> None:
    context = SITUATION.read("So the torque is, as we know.", "F=ma")
    found = SITUATION.candidates("F=ma", [Hit("Q4", -1.0, 0.3)], context)
    assert found[:2] == [HOOKE, TORQUE]
    assert FORCE in found[2:]
    assert SITUATION.candidates("3+4=7", [Hit("Q4", -1.0, 0.3)], context) == [HOOKE]


def test_evidence_for_believing_is_odds_and_what_was_said() -> None:
    rows = np.zeros((2, len(contextual.CONTEXT_FEATURE_NAMES)))
    rows[0, PLACE["probability"]], rows[0, PLACE["heading"]], rows[0, PLACE["share"]] = 0.5, 0.2, 0.1
    rows[1, PLACE["probability"]], rows[1, PLACE["usual"]], rows[1, PLACE["times"]] = 1.0, 1.0, 0.1
    found = {
        name: calibration_features_in_document(rows, np.array([0.5, 0.0]))[:, n].tolist()
        for n, name in enumerate(CONTEXT_CALIBRATION)
    }
    assert found["odds"] == pytest.approx([0.0, math.log(1e-4 / (1 - 1e-4)) / 3])
    assert found["base"] == pytest.approx([0.0, math.log(0.998 / 0.002) / 3])
    assert (found["named"], found["usual"], found["unseen"]) == ([1.0, 0.0], [0.0, 1.0], [0.0, 1.0])


@pytest.mark.parametrize(
    ("tex", "symbol"),
    [
        ("F=ma", "F"), ("ma=F", "F"), ("v^2=u", "v"), (r"\Delta p=x", "p"), ("x(t)=y", "x"), ("a+b=c+d", ""), ("F", ""),
        (r"\textbf{F}=ma", "F"), (r"F\stackrel{\text{def}}{=}ma", "F"),
    ],
)  # fmt: skip
def test_the_symbol_that_a_formula_gives_stands_alone_on_a_side(tex: str, symbol: str) -> None:
    assert given_symbol(tex) == symbol
    if tex == "ma=F":
        assert given_symbol(tex, alone=True) == ""


# -- quantities, priors, knowledge ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "symbol"),
    [
        ("F=ma", "F"), ("=ma", ""), ("ma", ""), ("F_s=kx", "F"), ("a+b=c", ""), ("a/b=c", ""), (r"\frac{a}{b}=c", ""), ("F:=ma", "F"),
        (r"F\equiv ma=x", "F"), (r"\nabla F=x", ""), ("-F=x", ""),
    ],
)  # fmt: skip
def test_one_symbol_alone_on_the_left(tex: str, symbol: str) -> None:
    assert left_symbol(tex) == symbol


def test_a_quantity_has_the_symbols_of_the_longest_end_of_its_name() -> None:
    assert "F" in usual_symbols("force")
    assert usual_symbols("strange force") == usual_symbols("force")
    assert usual_symbols("force of strangeness unknown to all") == ()
    assert usual_symbols("") == ()
    assert same_quantity("A", "S")
    assert same_quantity("S", "A")
    assert not same_quantity("F", "V")
    assert (Knowledge().are_usual_letters("A", "S"), Knowledge().are_usual_letters("F", "V")) == (True, False)


@pytest.mark.parametrize(
    ("qid", "label", "aliases", "known", "wanted"),
    [
        ("Q100", "force", 0, False, (0.0, -1.0, 0.0, 0.0, 0.0)),
        ("Q100", "Hooke's law", 2, True, (math.log(3) / 2, -1.0, 1.0, 1.0, 1.0)),
        ("Q10000", "Law", 0, False, (0.0, -2.0, 1.0, 0.0, 0.0)),
        ("Q100", "wave equation", 0, False, (0.0, -1.0, 1.0, 0.0, 0.0)),
        ("Q100", "Albert Einstein", 0, False, (0.0, -1.0, 0.0, 0.0, 0.0)),
        ("Q100", "", 0, False, (0.0, -1.0, 0.0, 0.0, 0.0)),
    ],
)
def test_how_likely_an_item_is_meant_at_all(
    qid: str, label: str, aliases: int, known: bool, wanted: tuple[float, ...]
) -> None:
    assert item_prior(qid, label, aliases, known) == pytest.approx(wanted)


def test_two_formulas_of_one_built_in_concept_meet_and_others_do_not() -> None:
    asked = Knowledge().shared_concept_probability
    assert asked("F=ma", r"\vec F=m\vec a") > 0.1
    assert asked("F=ma", r"x_{17}+q=\zeta_{3}") == 0.0


def test_names_of_a_formula_say_whether_the_list_writes_it_so() -> None:
    (found,) = Knowledge().names([r"E=mc^{2}"], ResultCache())
    assert all(0.5 <= name.probability <= 1.0 for name in found)
    assert len(found) <= 3
    assert "Q35875" in str(found[0].reason)
    assert "much like" not in str(found[0].reason)
