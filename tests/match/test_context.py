"""What the words beside a formula say."""

from __future__ import annotations

from typing import Any

import pytest

from bot.match.retrieval.context import Context, ItemNames, read_context

ITEMS: list[dict[str, Any]] = [
    {"qid": "Q1", "label": "torque"},
    {"qid": "Q2", "label": "angular momentum"},
    {"qid": "Q3", "label": "momentum", "aliases": ["linear momentum"]},
    {"qid": "Q4", "label": "Hooke's law"},
    {"qid": "Q5", "label": "stress–strain curve"},
    {"qid": "Q6", "label": "force"},
]
TORQUE, ANGULAR, MOMENTUM, HOOKE, CURVE, FORCE = range(6)
NAMES = ItemNames(ITEMS)


def said(context: str, tex: str = r"\tau=rF") -> Context:
    return read_context(NAMES, context, tex)


@pytest.mark.parametrize(
    "title", ["Torque", "torque", "Torques", "Torque\nDefinition", "Torque\nThe $\\tau=rF$ is meant."]
)
def test_a_short_line_before_any_sentence_is_a_title(title: str) -> None:
    assert said(title).title == {TORQUE: 1.0}


@pytest.mark.parametrize("title", ["Stress–strain_curve", "Stress-strain curve", "stress strain curves"])
def test_a_title_is_a_name_however_it_is_spelt(title: str) -> None:
    assert said(title).title == {CURVE: 1.0}


def test_a_name_in_front_of_the_first_sentence_is_a_title() -> None:
    assert said("Torque. It is a vector and turns a body about some axis that is given.").title == {TORQUE: 1.0}


def test_what_stands_beyond_the_longest_context_is_not_read() -> None:
    context = f"{'word ' * (9_994 // 5)}".ljust(9_994) + "torque"
    assert said(context).times == {TORQUE: 1.0}
    assert said(f" {context}").times == {}


def test_names_are_whole_words_and_the_longest_counts() -> None:
    found = said("The angular momenta are conserved, and the angular momentum of a reinforced rod is constant.")
    assert FORCE not in found.times
    assert found.times[ANGULAR] == 1.0
    assert found.named(MOMENTUM) < 0.5


def test_law_names_lose_their_possessive_but_not_their_law() -> None:
    assert HOOKE in said("By Hooke’s law we have the following.").times
    assert HOOKE not in said("By a hook we have the following.").times


def test_the_nearer_name_is_nearer() -> None:
    found = said("By the force on the lever, and much later in this sentence, the torque is $\\tau = rF$, and so on.")
    assert found.near[TORQUE] > found.near[FORCE] > 0
    assert found.before[TORQUE] == found.near[TORQUE]


def test_the_formula_is_found_without_any_sign_around_it() -> None:
    assert said("The torque is \\tau=rF in this case, as everybody knows.").near[TORQUE] > 0.5


def test_a_single_mask_is_the_formula_and_one_of_many_is_not() -> None:
    assert said("The torque is ⟦3⟧ in this case.").near
    assert not said("The torque is ⟦3⟧ in this case and ⟦4⟧ in that.").near


def test_letters_are_what_the_text_says_they_are() -> None:
    found = said(
        "The torque $\\tau$ is $\\tau=rF$, where $F$ is the net force on the body and L is the angular momentum."
    )
    assert found.letters == {TORQUE: {"τ"}, FORCE: {"F"}, ANGULAR: {"L"}}


def test_wikitext_is_read_as_a_reader_sees_it() -> None:
    found = said(
        "The '''[[moment of force|torque]]'''<ref>A force of nature</ref> is <math>\\tau=rF</math> {{cite|force}}."
    )
    assert set(found.times) == {TORQUE}
    assert found.near[TORQUE] > 0.5


def test_other_formulas_are_counted_and_name_nothing() -> None:
    found = said("\\vec{F} = m\\vec{a}\n\\tau = rF\n\\text{force} = m a")
    assert found.formulas == 2
    assert not found.names_any


def test_an_identifier_is_no_title() -> None:
    assert not said("astro-ph0611750.tei")
    assert said("Equations of motion")


def test_an_item_may_be_named_by_its_qid() -> None:
    assert set(said("It is about Q2 and Q77.").times) == {ANGULAR}


@pytest.mark.parametrize(
    "context", ["", "   \n ", "$", "$$ $$", "⟦", "[[", "{{{{", "\\(", "a" * 30_000, "\u0130\u0130 torque"]
)
def test_no_context_is_too_odd(context: str) -> None:
    assert isinstance(said(context), Context)
    assert isinstance(said(context, ""), Context)


@pytest.mark.parametrize(
    "start", ["<math>", "\\(", "<ref ", "<!--", "[[", "{{", "$x", "where x is ", "'", " ", "=", "(x", "⟦1⟧", "torque "]
)
def test_what_is_never_closed_takes_no_time(start: str) -> None:
    assert isinstance(said(start * (10_000 // len(start))), Context)
