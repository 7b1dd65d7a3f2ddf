"""What the weights of names look at, feature by feature; and the forms of an English verb."""

from __future__ import annotations

import math

import pytest

from bot.discover import name_ranking
from bot.discover.cues.cue_language import _forms
from bot.discover.name_ranking import CorpusUsage, NameMention, features, symbols_of


def shape(tex: str, *names: str) -> set[str]:
    found = name_ranking._shape_features(
        names[0], [NameMention(name, "phrase", "a", 0) for name in names], symbols_of(tex)
    )
    assert set(found.values()) <= {0.0, 1.0}
    return {feature for feature, holds in found.items() if holds}


@pytest.mark.parametrize(
    ("tex", "name", "has"),
    [
        ("F=kx", "force", "one_word quantity quantity_of_symbol initial"),
        ("F=kx", "spring force", "two_words quantity quantity_of_symbol initial"),
        ("F=kx", "net force of a spring", "more_words quantity quantity_of_symbol initial has_of"),
        ("F=kx", "constant force law", "three_words law law_of_symbol inner_initial"),
        ("a+b=c+d", "constant force law", "three_words law"),
        ("a+b=c+d", "force", "one_word quantity"),
        (r"\mu=xy", "magnetic moment", "two_words quantity quantity_of_symbol"),
        ("p=mv", "state of pressure", "three_words inner_initial has_of"),
        ("T=xy", "three small boats sail", "more_words inner_initial"),
        ("T=xy", "a b c d e f", "more_words"),
    ],
)
def test_the_shape_of_a_name(tex: str, name: str, has: str) -> None:
    assert shape(tex, name) == {*has.split()}


def test_a_name_has_capitals_where_each_mention_has() -> None:
    assert "capitals" in shape("T=xy", "Net force", "Force")
    assert "capitals" not in shape("T=xy", "Net force", "force")


@pytest.mark.parametrize(
    ("symbol", "name", "feature"),
    [
        ("F_net", "net force", "script_word"),
        ("F_net", "network force", "script_word"),
        ("F_net", "force", "unlike_script_word"),
        ("F_sev", "se force", "unlike_script_word"),  # of a word that is longer than two letters
        ("F_seven", "sev force", "script_word"),
        ("F_mtf", "mean total force", "script_word"),
        ("F_mtg", "mean total force", "unlike_script_word"),
        ("F_S", "spring force", "script_letter"),
        ("F_s", "force of it", "unlike_script_letter"),
        ("F_i", "initial force", ""),
        ("F_n", "normal force", ""),
        ("F_1", "first force", ""),
        ("F", "force", ""),
    ],
)
def test_the_index_of_a_symbol_may_be_a_word_of_the_name(symbol: str, name: str, feature: str) -> None:
    found = name_ranking._index_features(name.split(), (symbol, "F"))
    assert found == ({feature: 1.0} if feature else {})


def test_without_a_symbol_a_name_has_no_index() -> None:
    assert name_ranking._index_features(["force"], ()) == {}


@pytest.mark.parametrize(
    ("tex", "symbols", "left", "right"),
    [
        ("F=kx", ("F", "F"), {"F"}, {"k", "x"}),
        ("F=Fx", ("F", "F"), {"F"}, {"x"}),
        ("a+b=c", ("c", "c"), set(), {"c"}),
        (r"\vec{F}_s=2", ("F_s", "F"), {"F_s"}, set()),
        ("f(x)=xy", ("f", "f"), {"f"}, {"y"}),
        (r"\Delta U=Q", (r"\Delta U", "Δ"), {"ΔU"}, {"Q"}),
        ("xy", (), set(), {"x", "y"}),
        ("=", (), set(), set()),
    ],
)
def test_the_symbol_on_the_left_and_the_letters_on_the_right(
    tex: str, symbols: tuple[str, ...], left: set[str], right: set[str]
) -> None:
    assert symbols_of(tex) == symbols
    assert tuple(map(set, name_ranking._letters(tex))) == (left, right)


@pytest.mark.parametrize(
    ("name", "head"), [("force of a spring", "force"), ("net force", "force"), ("of x", "x"), ("", "")]
)
def test_the_head_of_a_name_is_the_last_word_before_of(name: str, head: str) -> None:
    assert name_ranking._head(name) == head


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ((0, 0, 1, 0), (0.0, 0.0, 0.0, 0.0)),
        ((0, 0, 2, 0), (0.0, 0.0, 1.0, 0.0)),
        ((3, 1, 2, 1), (math.log(4), 1 / 3, 0.0, math.log(2))),
    ],
)
def test_the_usage_of_a_name_as_features(counts: tuple[int, int, int, int], found: tuple[float, ...]) -> None:
    assert name_ranking._features_of_counts(*counts) == {
        feature: pytest.approx(value)
        for feature, value in zip(
            ("head_of_left", "head_of_letter", "head_unknown", "name_of_letter"), found, strict=True
        )
    }


@pytest.mark.parametrize(("told", "odds"), [(0.14, 0.1), (0.16, 0.2), (-0.14, -0.1), (1.0, 1.0)])
def test_what_usage_adds_is_rounded_to_tenths_and_is_of_usage_alone(told: float, odds: float) -> None:
    weights = {"head_of_left": 1.0, "documents": 1.0}
    assert name_ranking._usage_odds({"head_of_left": told, "documents": 9.0, "head_unknown": 9.0}, weights) == odds


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Drag Force", "drag force"),
        ("Drag", "Drag"),  # one word
        ("Work of Drag", "work of drag"),
        ("Work force", "Work force"),  # a long word is small already
        ("Drag Drop", "drag Drop"),
    ],
)
def test_a_heading_loses_the_capitals_of_words_that_the_corpus_has_small(name: str, written: str) -> None:
    assert CorpusUsage(lower_case_words=frozenset({"drag", "work", "force", "of"})).sentence_case(name) == written


def test_a_phrase_is_limited_to_the_documents_that_hold_it_and_one_of_none_is_not() -> None:
    usage = CorpusUsage(phrase_documents={"net force": 2})
    assert [usage.is_limited_to("net force", n) for n in (0, 1, 2, 3)] == [False, False, True, True]
    assert not usage.is_limited_to("thin wire", 3)


def test_places_and_documents_of_a_name_count_against_those_of_all_names() -> None:
    pools = {
        "force": [NameMention("force", "called", "a", 0), NameMention("force", "phrase", "b", 0)],
        "push": [
            NameMention("push", "phrase", "a", 0),
            NameMention("push", "phrase", "a", 1),
            NameMention("push", "phrase", "c", 1, "equivalent"),
        ],
    }
    found = features("F=kx", pools, CorpusUsage())
    assert {name: [each[f] for f in name_ranking.PLACE_FEATURES] for name, each in found.items()} == {
        "force": [math.log(2), 1.0, pytest.approx(2 / 3), math.log(2)],
        "push": [math.log(2), 0.5, pytest.approx(2 / 3), 0.0],
    }
    assert found["force"]["cue:called"] == found["force"]["cue:phrase"] == 1.0
    assert found["push"]["cue:phrase"] == pytest.approx(math.log2(2.35))  # a place with other scripts counts 0.35


@pytest.mark.parametrize(("role", "weight"), [("text", 1.0), ("example", 0.5), ("exercise", 0.5), ("equivalent", 0.35)])
def test_a_cue_counts_by_the_role_of_its_place(role: str, weight: float) -> None:
    found = name_ranking._cue_features([NameMention("force", "called", "a", n, role) for n in range(2)])
    assert found == {"cue:called": pytest.approx(math.log2(1 + weight))}


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("call", "call calls called calling"),
        ("define", "define defines defined defining"),
        ("carry", "carry carries carried carrying"),
        ("play", "play plays played playing"),
        ("pass", "pass passes passed passing"),
        ("fix", "fix fixes fixed fixing"),
        ("attach", "attach attaches attached attaching"),
        ("push", "push pushes pushed pushing"),
        ("buzz", "buzz buzzes buzzed buzzing"),
    ],
)
def test_an_english_verb_has_four_forms(verb: str, forms: str) -> None:
    assert _forms([verb]) == {*forms.split()}
    assert _forms([]) == frozenset()
