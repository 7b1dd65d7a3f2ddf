"""Groups are merged where they are one concept written differently, and nothing else is."""

from __future__ import annotations

import dataclasses
import random

import pytest

from bot.discover.candidate_filters import keys_of
from bot.discover.group import ConceptGroup, Group
from bot.discover.grouping.formula_facts import CachedFacts
from bot.discover.grouping.merge import merge_equivalents
from bot.discover.name_ranking import NameMention
from bot.discover.phrases import fold
from bot.errors import SettingsError
from bot.formula.alignment.equations import stated_equations
from bot.result_cache import open_result_cache
from bot.settings import Settings
from bot.store import Workspace


def group(tex: str, *documents: str, name: str = "", kind: str = "near_law") -> Group:
    keys = keys_of(tex)
    assert keys
    made = Group(keys.K2, {"K3": keys.K3, "K4": keys.K4, "K5": keys.K5}, keys.leaves, len(documents), set(documents), 0)
    made.strict_keys[tex] = keys.K1
    made.spellings[tex] = len(documents)
    if name:
        made.names = ((fold(name), 0.7),)
        made.mentions = [NameMention(name, kind, document, 0) for document in documents]
    return made


def merged(*groups: Group, encodings: tuple[str, ...] = ()) -> list[list[str]]:
    found: list[ConceptGroup] = [(each, []) for each in groups]
    return [[g.representative for g in (head, *more)] for head, more in merge_equivalents(found, encodings)]  # type: ignore[arg-type]


FREE = [
    group(rf"p = {letter} \rho", f"{n}", f"{n}b")
    for n, letter in enumerate((r"\omega", r"\gamma", r"\alpha", r"\kappa", r"\sigma", r"\eta"))
]


def test_letters_that_a_corpus_chooses_freely_make_no_new_concept() -> None:
    head = group(r"p = w \rho", "x", "y", "z")
    [found] = merged(head, *FREE)
    assert found[0] == head.representative
    assert set(found[1:]) == {g.representative for g in FREE}


def test_another_arrangement_is_merged_and_another_law_is_not() -> None:
    assert merged(group(r"v = \lambda f", "a", "b"), group(r"f = \frac{v}{\lambda}", "c"), group("F = m a", "d")) == [
        [r"v = \lambda f", r"f = \frac{v}{\lambda}"],
        ["F = m a"],
    ]


def test_the_group_in_most_documents_is_the_head_wherever_it_stands() -> None:
    rare, frequent = group(r"f = \frac{v}{\lambda}", "c"), group(r"v = \lambda f", "a", "b")
    assert merged(rare, frequent) == [[r"v = \lambda f", r"f = \frac{v}{\lambda}"]]


def test_a_chain_states_more_than_one_thing() -> None:
    plain, chain = group("C = Q/V", "a", "b"), group(r"C = Q/V = \epsilon_0 \frac{A}{d}", "c")
    assert merged(plain, chain) == [[plain.representative], [chain.representative]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"\lambda = \frac{V}{4 \pi r^2 N}", r"\lambda = \frac{V}{4 \sqrt{2} \pi r^2 N}"),
        (r"\epsilon = L \frac{dI}{dt}", r"\epsilon = -L \frac{dI}{dt}"),
        (r"B = \frac{\mu_0 I}{2 \pi r}", r"B = \frac{\mu_0 I}{2 r}"),
    ],
)
def test_another_factor_or_sign_is_another_statement(one: str, other: str) -> None:
    assert len(merged(group(one, "a", "b"), group(other, "c"))) == 2


def test_names_that_documents_plainly_say_keep_groups_apart_and_words_nearby_do_not() -> None:
    def both(kind: str) -> int:
        named = [group(r"v = \lambda f", "a", "b", name="wave equation", kind=kind)]
        named += [group(r"f = \frac{v}{\lambda}", "c", "d", name="frequency", kind=kind)]
        return len(merged(*named))

    assert both("key_equations") == 2
    assert both("called") == 2  # in two documents each
    assert both("near_law") == 1
    assert both("label") == 1


def test_one_document_says_a_name_plainly_only_by_its_structure() -> None:
    def both(kind: str) -> int:
        first = group(r"v = \lambda f", "a", name="wave equation", kind=kind)
        return len(merged(first, group(r"f = \frac{v}{\lambda}", "c", name="frequency", kind=kind)))

    assert (both("infobox"), both("called")) == (2, 1)


def test_where_a_letter_changes_any_likely_name_counts() -> None:
    def both(*names: str) -> int:
        groups = [
            group(rf"{letter} = \frac{{d v}}{{d t}}", letter, letter + "2", name=name)
            for letter, name in zip("ab", names, strict=True)
        ]
        return len(merged(*groups))

    assert both("tangential acceleration", "acceleration") == 2


def test_a_chain_of_small_changes_merges_nothing_beyond_the_head() -> None:
    found = [(each, []) for each in (group(r"p = w \rho", "x", "y", "z"), *FREE, group(r"q = \alpha \sigma", "r"))]
    assert [head.representative for head, _ in merge_equivalents(found, ())] == [r"p = w \rho", r"q = \alpha \sigma"]


def test_merged_spellings_carry_the_weakest_level() -> None:
    head, other = group(r"p = w \rho", "x", "y", "z"), group(r"p = \beta \rho", "u")
    other.levels = {other.representative: "K2"}
    merge_equivalents([(head, []), (other, []), *((g, []) for g in FREE)], ())
    assert other.levels == {other.representative: "K5"}


@pytest.mark.parametrize("encoding", ["math2vec", "math tf-idf", "semantics2vec", "semantics tf-idf"])
def test_every_encoding_of_the_paper_finds_candidates(encoding: str) -> None:
    one, other = group(r"v = \lambda f", "a", "b"), group(r"f = \frac{v}{\lambda}", "c")
    for each in (one, other):
        each.words = ["wave", "speed", "frequency"]
    assert merged(one, other, group("F = m a", "d"), encodings=(encoding,))[0] == [
        one.representative,
        other.representative,
    ]


@pytest.mark.parametrize("found", [[], ["F = m a"], ["a = b = c", "a = d = e"]])
def test_where_nothing_can_be_merged_no_encoding_is_learnt(found: list[str]) -> None:
    every = ("math2vec", "math tf-idf", "semantics2vec", "semantics tf-idf")
    assert merged(*(group(tex, "x") for tex in found), encodings=every) == [[tex] for tex in found]


def test_an_unknown_encoding_is_refused_before_anything_is_read(workspace: Workspace, tmp_path: object) -> None:
    from bot.discover import discover

    wrong = dataclasses.replace(Settings().discovery, encodings=("math tf-idf", "word2vec"))
    with pytest.raises(SettingsError, match="word2vec"):
        discover(workspace, ["/nowhere"], dataclasses.replace(Settings(), discovery=wrong), quiet=True)


def test_what_is_kept_of_a_shape_is_what_is_worked_out_anew(workspace: Workspace) -> None:
    letters = [
        r"p = w \rho",
        r"p = \beta \rho",
        r"P = w \rho",
        r"q = w \rho",
        r"p_i = w_i \rho_i",
        r"F = m a",
        r"p = w \sigma",
    ]
    chance = random.Random(3)
    with open_result_cache(workspace, "discover") as results:
        for step in range(6):
            members = [(tex, 0) for tex in chance.sample(letters, 3 + step % 4)]
            for wanted in (int.__lt__, lambda one, other: other < 3):
                of = f"{wanted is int.__lt__}"
                (kept,) = CachedFacts(results).alignments(of, [(b"shape", members)], wanted)
                (anew,) = CachedFacts().alignments(of, [(b"shape", members)], wanted)
                assert kept == anew
            assert step or any(pair.unexplained_pairs or pair.case_variants for pair in anew.values())
    with open_result_cache(workspace, "discover") as results:
        facts = CachedFacts(results)
        assert list(facts.of(letters)) == list(CachedFacts().of(letters))
        assert list(facts.words(letters)) == list(CachedFacts().words(letters))
        assert facts.equations(letters) == {tex: stated_equations(tex) for tex in letters}
