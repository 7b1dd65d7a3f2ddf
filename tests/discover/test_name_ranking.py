"""The learnt weights of the cues: what they look at, what they add, and what they leave alone."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from bot.discover.name_ranking import (
    QUANTITY_FEATURES,
    CorpusUsage,
    NameMention,
    RecordingUsage,
    features,
    log_odds,
    shipped_name_weights,
    weighed_scores,
)
from bot.discover.names import formula_usage, name_candidates
from bot.discover.phrases import fold


def said(name: str, kind: str, document: str = "a", position: int = 0, role: str = "text") -> NameMention:
    return NameMention(name, kind, document, position, role)


def told(tex: str, mentions: list[NameMention], usage: CorpusUsage) -> dict[str, dict[str, float]]:
    names = {fold(m.name) for m in mentions}
    return features(tex, {name: [m for m in mentions if fold(m.name) == name] for name in sorted(names)}, usage)


USAGE = CorpusUsage.of(
    formula_usage(tex, mentions)
    for tex, mentions in [
        (r"\vec{F} = m a", [said("net force", "symbol"), said("force", "defined", "b"), said("wire", "phrase")]),
        (r"F = q E", [said("electric force", "is_the", "c")]),
        (r"a + b = c d", [said("Magnetic field", "heading"), said("thin wire", "phrase")]),
    ]
)


def test_a_corpus_calls_a_symbol_by_nouns_and_names_in_so_many_documents() -> None:
    assert USAGE.heads == {"F": {"force": 3}}
    assert USAGE.names == {"F": {"net force": 1, "force": 1, "electric force": 1}}
    assert USAGE.lower_case_words == {"net", "force", "wire", "electric", "thin"}


def test_numbers_of_documents_are_coarse_so_that_one_more_seldom_changes_them() -> None:
    def usage(documents: int) -> CorpusUsage:
        mentions = [said("net force", "symbol", f"d{n}") for n in range(documents)] + [said("push", "symbol", "x")]
        return CorpusUsage.of([formula_usage("F = m a", mentions)])

    assert [usage(n).name_counts(("F", "F"), "net force") for n in (3, 5, 6, 7, 9)] == [
        (3, 3, 4, 3), (4, 4, 6, 4), (6, 6, 6, 6), (6, 6, 8, 6), (8, 8, 8, 8),
    ]  # fmt: skip


def test_what_was_asked_of_the_corpus_is_asked_again() -> None:
    usage = RecordingUsage.recording(
        CorpusUsage({"F": Counter(force=3)}, {}, {"F": 4}, frozenset(["net"]), {"big net": 1})
    )
    usage.name_counts(("F", "F"), "net force")
    usage.is_limited_to("big net", 1)
    usage.sentence_case("Net Force")
    assert [usage.answer(question) for question in sorted(usage.queries)] == [True, 0.3, "net Force"]
    assert [CorpusUsage().answer(question) for question in sorted(usage.queries)] == [False, 0.0, "Net Force"]


def test_a_few_new_documents_do_not_change_what_usage_says_of_a_name() -> None:
    def answer(documents: int) -> object:
        usage = CorpusUsage({"F": Counter(force=documents)}, {"F": Counter({"net force": 2})}, {"F": 96})
        return usage.answer(("name_counts", "net force", ("F", "F")))

    assert answer(24) == answer(26) == answer(28)
    assert answer(96) != answer(24)


def test_a_name_whose_noun_the_left_side_has_elsewhere_is_told_from_one_that_it_never_has() -> None:
    found = told("F = k x", [said("spring force", "phrase"), said("straight line", "phrase")], USAGE)
    assert found["spring force"]["head_of_left"] == pytest.approx(math.log(4))
    assert found["spring force"]["head_of_letter"] == pytest.approx(3 / 4)
    assert found["spring force"]["head_unknown"] == 0.0
    assert found["straight line"]["head_unknown"] == 1.0
    assert "head_unknown" not in told("F = k x", [said("Hooke's law", "called")], USAGE)["hooke law"]
    assert "head_unknown" not in told("x + y = z w", [said("straight line", "phrase")], USAGE)["straight line"]


def test_cues_count_documents_by_the_role_of_their_best_place() -> None:
    mentions = [said("force", "called"), said("force", "called", "b", role="exercise"), said("force", "called", "b", 1)]
    found = told("F = k x", mentions, USAGE)["force"]
    assert found["cue:called"] == pytest.approx(math.log2(3))
    assert (found["share_of_documents"], found["share_of_places"]) == (1.0, 1.0)
    assert (found["one_word"], found["quantity"], found["quantity_of_symbol"], found["initial"]) == (1.0, 1.0, 1.0, 1.0)


def test_fuller_and_inner_names_know_each_other() -> None:
    found = told("F = k x", [said("spring force", "phrase"), said("force", "phrase"), said("line", "phrase")], USAGE)
    assert {name: (f.get("fuller"), f.get("inner")) for name, f in found.items()} == {
        "spring force": (1.0, None),
        "force": (None, 1.0),
        "line": (None, None),
    }


def known(tex: str, name: str, kind: str = "phrase", labels: tuple[str, ...] = ()) -> set[str]:
    found = features(tex, {fold(name): [said(name, kind)]}, USAGE, labels)[fold(name)]
    return {feature for feature in QUANTITY_FEATURES if found.get(feature)}


def test_a_quantity_is_held_against_the_symbols_that_are_usual_for_it() -> None:
    assert known("p = m v", "momentum") == {"quantity_known", "quantity_alone", "usual_left"}
    assert known("p = m v", "initial velocity") == {"quantity_known", "unusual_left", "usual_right"}
    unsymbolled = {"quantity_known", "quantity_alone", "quantity_unsymbolled"}
    assert known("p V = n R T", "temperature") == unsymbolled | {"usual_right"}
    assert known("p V = n R T", "pressure") == unsymbolled
    assert known("p = m v", "straight line") == set()


def test_names_of_persons_labels_of_items_and_laws_without_a_symbol_are_told() -> None:
    assert known("p V = n R T", "Boyle's law", labels=("boyle law",)) == {
        "eponym", "label", "label_law", "law_unsymbolled",
    }  # fmt: skip
    assert known("F = k x", "Hooke's law") == {"eponym"}
    assert known("a + b = c", "thin wire", labels=("thin wire",)) == {"label"}
    assert known(r"\Delta U = Q + W", "internal energy") >= {"quantity_known", "of_change"}
    assert "of_change" not in known("U = Q + W", "internal energy")


def test_headings_are_shown_as_running_text_writes_them() -> None:
    usage = CorpusUsage(lower_case_words=frozenset(("magnetic", "field", "of", "a", "wire", "law")))
    assert usage.sentence_case("Magnetic Field of a Wire") == "magnetic field of a wire"
    assert usage.sentence_case("Faraday’s Law") == "Faraday’s law"
    assert usage.sentence_case("Magnetic field lines") == "Magnetic field lines"
    (found,) = name_candidates([said("Magnetic Field", "heading")], most=1, formula="B = c", usage=usage)
    assert found.name == "magnetic field"
    (found,) = name_candidates([said("Magnetic Field", "called")], most=1, formula="B = c", usage=usage)
    assert found.name == "Magnetic Field"


def test_weights_are_added_to_the_odds() -> None:
    pools = {"force": [said("force", "called")], "line": [said("line", "phrase")]}
    found = weighed_scores({"force": 0.5, "line": 0.2}, "F = k x", pools, USAGE, {"bias": 0.0, "cue:called": 1.0})
    assert found["force"] == pytest.approx(1 / (1 + math.exp(-1)))
    assert found["line"] == pytest.approx(0.2)


def test_the_learnt_weights_put_the_left_sides_noun_first_and_leave_what_an_author_gives() -> None:
    mentions = [said("straight line", "adjacent"), said("spring force", "adjacent")]
    assert name_candidates(mentions, most=5, formula="F = k x", usage=USAGE)[0].name == "spring force"
    table = [*mentions, said("Hooke’s law", "key_equations")]
    assert name_candidates(table, most=5, formula="F = k x", usage=USAGE)[0].name == "Hooke’s law"
    assert name_candidates(table, most=5, formula="F = k x", usage=USAGE)[0].score >= 0.93


def test_a_kind_of_cue_that_was_not_fitted_keeps_its_score() -> None:
    alone = name_candidates([said("straight line", "infobox")], most=1)[0].score
    assert name_candidates([said("straight line", "infobox")], most=1, formula="F = k x", usage=USAGE)[0].score >= alone
    prose = name_candidates([said("straight line", "equals")], most=1)[0].score
    assert name_candidates([said("straight line", "equals")], most=1, formula="F = k x", usage=USAGE)[0].score < prose


def test_a_score_of_none_or_all_has_odds_and_comes_back_within_bounds() -> None:
    assert [log_odds(score) for score in (0.0, 0.5, 1.0)] == [
        pytest.approx(math.log(0.001)),
        0.0,
        pytest.approx(math.log(1 / 0.0001)),
    ]
    pools = {"force": [said("force", "called")]}
    for bias, score in ((1e6, 1 - math.exp(-30)), (-1e6, math.exp(-30))):
        found = weighed_scores({"force": 0.5}, "F = k x", pools, USAGE, {"bias": bias})
        assert found["force"] == pytest.approx(score, rel=1e-9, abs=1e-15)


def test_windows_that_do_not_show_their_formula_are_not_weighed() -> None:
    bare = [said("hubble law", "near_law"), said("dark energy", "near_quantity")]
    alone = name_candidates(bare, most=5)
    assert [(n.name, n.score) for n in name_candidates(bare, most=5, formula="v = H d", usage=USAGE)] == [
        (n.name, n.score) for n in alone
    ]


def test_every_shipped_weight_is_of_a_feature() -> None:
    mentions = [said("spring force of a body", "phrase"), said("force", "phrase"), said("Spring Law", "called")]
    written = ("F = k x", r"F_{\text{spring}} = k x", r"F_{\text{net}} = k x", r"F_s = k x", "F_n = k x")
    known = {f for tex in written for each in told(tex, mentions, USAGE).values() for f in each}
    shapes = {"two_words", "three_words", "fuller", "inner", "law_of_symbol"}
    assert {f for f in shipped_name_weights() if not f.startswith("cue:")} - {"bias"} <= known | shapes | {
        *QUANTITY_FEATURES
    }


@pytest.mark.parametrize(
    ("tex", "name", "feature"),
    [
        (r"F_{\text{net}}=ma", "net force", "script_word"),
        (r"F_{\text{net}}=ma", "force", "unlike_script_word"),
        (r"R_{\text{eq}}=R+r", "equivalent resistance", "script_word"),
        (r"a_{\text{c}}=v^2/r", "centripetal acceleration", "script_letter"),
        (r"a_{\text{c}}=v^2/r", "acceleration", "unlike_script_letter"),
        (r"v_i=at", "initial velocity", ""),
        (r"F_{\text{net}}=ma", "Newton's law", ""),
        ("F=ma", "net force", ""),
    ],
)
def test_a_name_may_have_the_index_of_the_left_side(tex: str, name: str, feature: str) -> None:
    found = told(tex, [said(name, "phrase")], CorpusUsage())[fold(name)]
    assert [each for each, holds in found.items() if "script" in each and holds] == ([feature] if feature else [])
