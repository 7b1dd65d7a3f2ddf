"""What each cue adds to a name, to the digit, and how groups share mentions, meet and stay apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import pytest

from bot.discover import name_ranking
from bot.discover.count import CountedRow
from bot.discover.formula_concepts import make_concept, mentions_of
from bot.discover.group import (
    Group,
    group_equivalents,
    group_places,
    name_group,
    place_facts,
    propagate,
    symbol_meanings,
)
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage, NameMention
from bot.discover.names import formula_usage, name_candidates
from bot.records import Definition

NONE = Labels(())


def group_rows(rows: Iterable[CountedRow], labels: Labels) -> Iterator[Group]:
    """Yield a group for each run of rows with one K2 key, as `discover` counts and groups them."""
    for _, run in groupby(rows, key=lambda row: row["K2"]):
        found = list(run)
        (group,) = group_places(place_facts(row, labels) for row in found)
        group.count(found[0]["times"], found[0]["spread"])
        yield group


def _said(*signs: str, name: str = "wave law") -> list[NameMention]:
    """Signs as `kind`, `kind@document`, `kind@document@role`."""
    found = []
    for n, sign in enumerate(signs):
        kind, document, role = (*sign.split("@"), "a", "text")[:3] if sign.count("@") < 2 else sign.split("@")
        found.append(
            NameMention(name, kind, document if "@" in sign else "a", n, role if sign.count("@") > 1 else "text")
        )
    return found


@pytest.mark.parametrize(
    ("signs", "score"),
    [
        (["called"], 0.7),
        (["called", "called"], 0.7),
        (["called", "states"], 0.7),
        (["called", "defined"], 0.85),
        (["called@a", "called@b"], 0.91),
        (["called@a@exercise"], 0.35),
        (["called@a@example"], 0.35),
        (["called@a@equivalent"], 0.245),
        (["called@a@exercise", "called@a"], 0.7),
        (["called@a", "called@b", "called@c", "called@d"], 0.93),
        (["qid"], 0.97),
        (["qid", "key_equations"], 0.995),
        (["infobox", "called"], 0.925),
        (["called", "constituent"], 0.28),
        (["defined", "constituent", "called"], 1 - 0.8 * 0.72),
        (["infobox", "constituent"], 0.75),
        (["unheard_of"], 0.05),
        (["phrase", "near_pair"], 1 - 0.95 * 0.95),
    ],
)
def test_signs_of_one_family_count_once_and_others_together(signs: list[str], score: float) -> None:
    (found,) = name_candidates(_said(*signs), most=5)
    assert found.score == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "known", "score"),
    [
        ("whale", {}, 0.35),
        ("energy", {}, 0.7),
        ("blue whale", {}, 0.7),
        ("whale", {"whale": "Q1"}, 0.7 + 0.4 * 0.7 * 0.3),
        ("blue whale", {"whale": "Q1"}, 0.7),
    ],
)
def test_one_vague_word_counts_half_and_a_label_takes_doubt_away(
    name: str, known: dict[str, str], score: float
) -> None:
    (found,) = name_candidates(_said("called", name=name), most=5, qids_by_label=known)
    assert found.score == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize(
    ("spread", "score"), [({}, 0.05), ({"blue whale": 1}, 0.045), ({"blue whale": 2}, 0.05), ({"whale": 1}, 0.05)]
)
def test_words_that_meet_only_here_count_nine_tenths(spread: dict[str, int], score: float) -> None:
    (found,) = name_candidates(
        _said("near_pair", name="blue whale"), most=5, usage=CorpusUsage(phrase_documents=spread)
    )
    assert found.score == pytest.approx(score)


def test_only_bare_windows_are_counted_for_the_spread_of_words() -> None:
    said = [_said("near@a", "near_pair@b", "near@b", "called@c"), _said("near@d", name="Wave laws")]
    assert CorpusUsage.of(formula_usage("", mentions) for mentions in said).phrase_documents == {"wave law": 3}


@pytest.mark.parametrize(
    ("full", "short", "scores"),
    [
        ("peak speed", "speed", [("peak speed", 0.714), ("speed", 0.7)]),
        ("speed of light", "light speed", [("light speed", 0.7), ("speed of light", 0.7)]),
    ],
)
def test_a_fuller_name_stands_just_above_the_one_it_ends_with(
    full: str, short: str, scores: list[tuple[str, float]]
) -> None:
    found = name_candidates([*_said("called", name=full), *_said("called", name=short)], most=5)
    assert [(n.name, n.score) for n in found] == scores


@pytest.mark.parametrize(("fuller", "first"), [("phrase_quantity", "speed"), ("called", "peak speed")])
def test_a_fuller_name_needs_four_fifths_by_itself(fuller: str, first: str) -> None:
    said = [*_said(fuller, name="peak speed"), *_said("called", name="speed")]
    assert name_candidates(said, most=5)[0].name == first


def test_praise_stands_below_what_more_documents_say() -> None:
    said = [*_said("called", name="important entropy"), *_said("states@b", "states@c", name="entropy")]
    found = name_candidates(said, most=5)
    assert [(n.name, n.score) for n in found] == [("entropy", 0.75), ("important entropy", 0.735)]
    one = name_candidates([*_said("called", name="important entropy"), *_said("states@b", name="entropy")], most=5)
    assert [n.name for n in one] == ["important entropy", "entropy"]


def test_reasons_come_strongest_first_with_places_and_documents() -> None:
    said = _said("called", "called", "infobox@b", "called@b")
    (found,) = name_candidates(said, most=5, titles={"a": "Waves", "b": "Water"}, qids_by_label={"wave law": "Q7"})
    assert tuple(map(str, found.reasons)) == (
        "formula and name occur together in 2 documents",
        "the infobox of “Water” gives it this name",
        "the text gives it this name (3 places in 2 documents)",
        "an item has this label (Q7)",
    )
    assert found.documents == 2
    (alone,) = name_candidates(_said("called", "called"), most=5)
    assert tuple(map(str, alone.reasons)) == ("the text gives it this name (2 places)",)


def test_no_more_names_than_asked_and_none_without_worth() -> None:
    said = [
        m
        for n, name in enumerate(("p law", "q law", "r law"))
        for m in _said(*["called", "defined"][: 2 - n % 2], name=name)
    ]
    assert [n.name for n in name_candidates(said, most=2)] == ["p law", "r law"]
    assert name_candidates(_said("constituent"), most=5) == ()


def test_a_name_is_spelt_as_running_text_mostly_does() -> None:
    said = [
        m
        for name, kinds in (("Wave Law", ["heading", "heading", "chapter"]), ("Wave law", ["called"]))
        for m in _said(*kinds, name=name)
    ]
    assert name_candidates(said, most=1)[0].name == "Wave law"
    assert name_candidates([*said, *_said("label", name="wave law")], most=1)[0].name == "wave law"


# -- groups ---------------------------------------------------------------------------------------------------------------


def _row(tex: str, document: str, position: int = 0, **more: Any) -> dict[str, Any]:
    row = {"K1": tex, "K2": "k", "K3": "k3", "K4": "k4", "K5": "k5", "leaves": 4, "times": 3, "spread": 3, "tex": tex}
    row |= {
        "document": document,
        "position": position,
        "role": "text",
        "window": "",
        "signs": "[]",
        "definitions": "[]",
    }
    return row | more


def test_a_group_counts_documents_beyond_those_looked_at() -> None:
    signs = '[["wave law", "infobox"]]'
    rows = [
        _row("a = b", "x", 1, signs=signs),
        _row("a  =  b", "x", 2),
        _row("a=b", "y", 5),
        _row("c=d", "y", 6, K2="l"),
    ]
    first, second = group_rows(rows, NONE)
    assert (first.key, first.occurrence_count, first.documents, first.more_documents, first.document_count) == (
        "k",
        3,
        {"x", "y"},
        1,
        3,
    )
    assert first.spellings == Counter({"a = b": 2, "a=b": 1})
    assert first.first_places == {"a = b": ("x", 1), "a=b": ("y", 5)}
    assert (first.structural_counts["a = b"], first.structural_counts["a=b"]) == (1, 0)
    assert first.place_weights == {("x", 1): 0.75, ("x", 2): 0.0, ("y", 5): 0.0}
    assert [(m.name, m.kind, m.document, m.position) for m in first.mentions] == [("wave law", "infobox", "x", 1)]
    assert (second.key, second.more_documents) == ("l", 2)


def test_labels_are_found_within_two_hundred_characters() -> None:
    labels = Labels([("Q1", "wave law")])
    windows = ["wave law" + " " * 192 + "⟦0⟧", "wave law" + " " * 193 + "⟦0⟧"]
    windows += ["⟦0⟧" + " " * 189 + "wave law", "⟦0⟧" + " " * 190 + "wave law"]
    found = [next(group_rows([_row("a=b", "x", window=window)], labels)).mentions for window in windows]
    assert [[m.name for m in mentions] for mentions in found] == [["wave law"], [], ["wave law"], []]


def _group(key: str, tex: str, *names: tuple[str, float], leaves: int = 9, documents: int = 1, **weaker: str) -> Group:
    levels = {"K3": f"3{key}", "K4": f"4{key}", "K5": f"5{key}"} | weaker
    group = Group(key, levels, leaves, documents, {f"{key}{n}" for n in range(documents)}, 0, Counter({tex: 1}))
    group.names, group.strict_keys = names, {tex: tex}
    return group


@pytest.mark.parametrize(
    ("level", "one", "other", "leaves", "met"),
    [
        ("K3", ("wave law", 0.5), ("wave law", 0.5), 9, True),
        ("K3", ("wave law", 0.5), ("heat law", 0.5), 9, False),
        ("K3", ("wave law", 0.5), ("heat law", 0.49), 9, True),
        ("K4", ("wave law", 0.5), ("wave law", 0.5), 9, True),
        ("K4", ("wave law", 0.5), ("wave law", 0.49), 9, False),
        ("K5", ("wave law", 0.5), ("wave law", 0.5), 8, True),
        ("K5", ("wave law", 0.5), ("wave law", 0.5), 7, False),
    ],
)
def test_groups_of_a_weaker_key_meet_by_name(
    level: str, one: tuple[str, float], other: tuple[str, float], leaves: int, met: bool
) -> None:
    tex = ("a=b^{2}+c", "a=b^{2}+c") if level == "K3" else ("a=b^{2}+c", "\\sin x=y^{3}")
    found = group_equivalents(
        [
            _group("p", tex[0], one, documents=2, **{level: "same"}),
            _group("q", tex[1], other, leaves=leaves, **{level: "same"}),
        ]
    )
    assert [(head.key, [m.key for m in members]) for head, members in found] == (
        [("p", ["q"])] if met else [("p", []), ("q", [])]
    ) or (level == "K3" and not met and len(found) == 2)
    if met:
        assert found[0][1][0].levels == {tex[1]: level}


@pytest.mark.parametrize(
    ("names", "met"), [((("wave law", 0.9), ("ray law", 0.6)), True), ((("ray law", 0.9), ("wave law", 0.6)), False)]
)
def test_the_best_name_of_a_group_decides_and_not_any_that_both_have(
    names: tuple[tuple[str, float], ...], met: bool
) -> None:
    one, other = _group("p", "a=b^{2}+c", ("wave law", 0.9), documents=2, K4="same"), _group("q", "x=y", *names, K4="same")  # fmt: skip
    assert len(group_equivalents([one, other])) == (1 if met else 2)


def test_the_group_in_more_documents_takes_the_others_in_whatever_order_they_come() -> None:
    def made() -> list[Group]:
        law = ("wave law", 0.5)
        found = [
            _group(key, f"a=b^{{2}}+{key}", law, documents=n, K4="same")
            for key, n in (("q", 2), ("p", 2), ("r", 3), ("s", 1))
        ]
        found[0].occurrence_count = 5
        return [*found, _group("z", "x=y", documents=2)]

    for order in ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 3, 0, 4, 2)):
        groups = made()
        found = group_equivalents([groups[n] for n in order])
        assert [(head.key, [m.key for m in members]) for head, members in found] == [("r", ["q", "p", "s"]), ("z", [])]


@pytest.mark.parametrize(("length", "keys"), [(8, {"f"}), (60, {"f"}), (61, set())])
def test_a_long_left_side_is_no_symbol(length: int, keys: set[str]) -> None:
    left = f"f({'x' * (length - 3)})"
    assert (len(left), name_ranking._letters(f"{left}=y")[0]) == (length, keys)


def test_lent_signs_come_from_groups_of_one_k3_and_no_structure() -> None:
    one, other, third = (_group(key, "a=b", leaves=n, K3="same") for key, n in (("p", 3), ("q", 3), ("r", 2)))
    one.mentions, other.mentions = _said("called", "infobox"), _said("defined", name="heat law")
    propagate([one, other, third])
    assert [(m.name, m.kind, m.role) for m in other.propagated] == [("wave law", "called", "equivalent")]
    assert [(m.name, m.kind, m.role) for m in one.propagated] == [("heat law", "defined", "equivalent")]
    assert third.propagated == []
    assert name_group(other, 5, NONE).names[1][1] == pytest.approx(0.245)


def test_a_groups_propagated_mentions_count_until_it_is_joined_with_another() -> None:
    one, other = _group("p", "a=b"), _group("q", "b=a")
    one.mentions, one.propagated, other.mentions = _said("called"), _said("defined", name="heat law"), _said("states")
    other.propagated = _said("defined", name="ray law")
    assert [m.kind for m in mentions_of(one, [])] == ["called", "defined"]
    assert [m.kind for m in mentions_of(one, [other])] == ["called", "states"]


def test_the_outline_of_a_group_has_what_it_is_grouped_by() -> None:
    def plain(*mentions: NameMention, score: float = 0.5) -> list[str]:
        whole = _group("p", "a=b", ("wave law", score), ("heat law", 0.1), documents=2)
        whole.spellings, whole.strict_keys = Counter({"b=a": 1, "a=b": 3}), {"a=b": "1", "b=a": "2"}
        whole.mentions = list(mentions)
        outline = whole.outline()
        assert (outline.representative, outline.strict_keys, outline.document_count, outline.place_weights) == (
            "a=b",
            {"a=b": "1"},
            2,
            {},
        )
        assert (outline.likely_names(), outline.best_name()) == (whole.likely_names(), whole.best_name())
        assert outline.explicit_name() == whole.explicit_name()
        assert len(outline.mentions) <= 2
        return [m.document for m in outline.mentions]

    said = _said("called@a", "called@a", "called@b", "states@c", "near@d", "label@e", name="wave laws")
    assert plain(*said) == ["b", "c"]
    assert plain(*said, *_said("infobox@f")) == ["c", "f"]
    assert plain(*said[:2], *said[4:]) == ["a"]
    assert plain(*said, score=0.49) == []


def test_a_symbol_means_what_most_places_say_and_the_shorter_of_equals() -> None:
    group = _group("p", "F=ma")
    group.meanings = {
        "F": Counter({"force": 2, "net force": 2, "x": 1}),
        "q": Counter({"charge": 9}),
        "m": Counter({"mass": 1, "bulk": 1}),
    }  # type: ignore[assignment]
    assert symbol_meanings(group, "F=ma") == (Definition("F", "force"), Definition("m", "bulk"))


def test_a_concept_counts_each_document_once_and_shows_the_most_frequent_spelling() -> None:
    one, other = _group("p", "a=b+c", documents=2), _group("q", "a=c+b")
    one.spellings, one.more_documents, other.documents = (
        Counter({"a=b+c": 2, "a=b+c.": 2, "a = b + c": 1}),
        3,
        {"p0", "q0"},
    )
    one.strict_keys = dict.fromkeys(one.spellings, "k")
    one.place_weights, other.place_weights = (
        {("p0", 4): 0.1, ("p0", 2): 0.1, ("p1", 9): 0.5},
        {("q0", 1): 0.3, ("p0", 7): 0.9},
    )
    found = make_concept(one, [other], 5, {}, NONE)
    assert (found.key, found.tex, found.occurrences, found.documents) == ("p", "a=b+c", 3, 6)
    assert found.places == (("p0", 7), ("p1", 9), ("q0", 1), ("p0", 2), ("p0", 4))
    levels = {r.tex: r.level for r in found.representations}
    assert levels == {"a=b+c": "K0", "a = b + c": "K0", "a=b+c.": "K0", "a=c+b": "K2"}


def test_the_spellings_of_a_concept_come_the_nearest_first_then_those_in_most_documents() -> None:
    group = _group("p", "a=b+c")
    spellings = {
        "a=b+c": (9, "xyz"),
        "a=c+b": (7, "x"),
        "a = c + b": (2, "xyz"),
        "b+c=a": (3, "x"),
        r"a=c+b\,": (7, "x"),
    }
    group.spellings = Counter({tex: n for tex, (n, _) in spellings.items()})
    group.spelling_documents = {tex: set(documents) for tex, (_, documents) in spellings.items()}
    group.strict_keys = dict.fromkeys(spellings, "other") | {"a=b+c": "k"}
    found = make_concept(group, [], 5, {}, NONE)
    assert [(r.tex, r.level, r.occurrences, r.documents) for r in found.representations] == [
        (tex, "K0" if tex == "a=b+c" else "K2", spellings[tex][0], len(spellings[tex][1]))
        for tex in ("a=b+c", "a = c + b", "a=c+b", r"a=c+b\,", "b+c=a")
    ]


def test_a_concept_shows_three_hundred_spellings_and_twelve_places() -> None:
    group = _group("p", "a=b")
    group.spellings = Counter({f"a_{{{n}}}=b": 1 for n in range(301)})
    group.strict_keys = dict.fromkeys(group.spellings, "k")
    group.place_weights = {("d", n): 0.0 for n in range(13)}
    found = make_concept(group, [], 5, {}, NONE)
    assert (len(found.representations), len(found.places)) == (300, 12)


def test_four_hundred_mentions_are_propagated_and_three_hundred_words_kept() -> None:
    one, other = _group("p", "a=b", K3="same"), _group("q", "a=b", K3="same")
    one.mentions = _said(*["called"] * 401)
    propagate([one, other])
    assert len(other.propagated) == 400
    window = " ".join(["word"] * 200)
    (found,) = group_rows([_row("a=b", "x", n, window=window) for n in range(2)], NONE)
    assert found.words == ["word"] * 300
