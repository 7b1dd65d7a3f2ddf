"""Letters set as formulas that are part of a name."""

from __future__ import annotations

import pytest

from bot.discover.cues.cue_language import cue_language, english
from bot.discover.cues.letters import spell_letters, spell_title_letters, spoken_letter
from bot.discover.cues.mentions import mentions
from bot.discover.cues.prose import prose_cues
from bot.discover.phrases import fold, is_usable_name
from bot.records import NameHint, Occurrence

FORMULAS = {1: "x=y", 2: r"\chi^2", 3: r"\Gamma", 4: "n", 5: r"\tau", 6: "t", 7: "F", 8: r"\frac{a}{b}", 9: r"L^{p}"}


@pytest.mark.parametrize(
    ("tex", "word"),
    [
        (r"\chi^2", "chi-squared"),
        (r"\Gamma", "gamma"),
        (r"\lambda", "lambda"),
        (r"\varphi", "phi"),
        ("ϵ", "epsilon"),
        ("t", "t"),
        ("R^{2}", "R-squared"),
        ("L^p", "Lp"),
        (r"C^{\ast}", "C*"),
        (r"\partial", ""),
        ("x+y", ""),
        ("F_n", ""),
        (r"\frac{a}{b}", ""),
    ],
)
def test_how_a_letter_is_spoken(tex: str, word: str) -> None:
    assert spoken_letter(tex, "squared") == word


@pytest.mark.parametrize(
    ("window", "read"),
    [
        ("The ⟦2⟧-distribution is ⟦1⟧", "The chi-squared-distribution is ⟦1⟧"),
        ("The ⟦3⟧ function is ⟦1⟧", "The gamma function is ⟦1⟧"),
        ("The ⟦4⟧-th harmonic number is ⟦1⟧", "The nth harmonic number is ⟦1⟧"),
        ("Kendall's ⟦5⟧ is ⟦1⟧", "Kendall's tau is ⟦1⟧"),
        ("The ⟦6⟧-statistic is ⟦1⟧", "The t-statistic is ⟦1⟧"),
        ("The ⟦9⟧ norm function", "The ⟦9⟧ norm function"),  # what it heads is not known
        ("The force ⟦7⟧ law", "The force ⟦7⟧ law"),  # no article right before it
        ("the ⟦7⟧ acts", "the ⟦7⟧ acts"),
        ("the ⟦8⟧ function", "the ⟦8⟧ function"),
        ("the body's ⟦7⟧", "the body's ⟦7⟧"),
        ("The ⟦1⟧ function", "The ⟦1⟧ function"),
    ],
)
def test_letters_inside_names_are_words(window: str, read: str) -> None:
    assert spell_letters(window, "⟦1⟧", FORMULAS, english()) == read


def test_letters_in_german_names() -> None:
    german = cue_language("de")
    assert german
    assert spell_letters("Die ⟦2⟧-Verteilung ist ⟦1⟧", "⟦1⟧", FORMULAS, german) == "Die chi-Quadrat-Verteilung ist ⟦1⟧"
    assert ("t-Verteilung", "subject_first") in set(prose_cues("Die ⟦6⟧-Verteilung ist ⟦1⟧.", 1, "", FORMULAS, german))


def test_what_a_sentence_calls_it_holds_the_letter() -> None:
    assert ("gamma function", "defined") in set(prose_cues("The ⟦3⟧ function is defined as ⟦1⟧", 1, "", FORMULAS))
    assert ("Kendall's tau", "defined") in set(prose_cues("Kendall's ⟦5⟧ is defined as ⟦1⟧", 1, "", FORMULAS))


def test_titles_show_no_tex() -> None:
    assert spell_title_letters(r"The \chi^2 distribution, \alpha-decay and x^2", english()) == (
        "The chi-squared distribution, alpha-decay and x-squared"
    )
    assert spell_title_letters(r"Of \frac{a}{b}", english()) == r"Of \frac{a}{b}"


def test_a_possessor_alone_and_words_in_other_letters_are_no_names() -> None:
    assert [
        is_usable_name(name)
        for name in ("Kendall’s", "Kepler's", "Kepler's law", "t-statistic", "动量守恒定律", "Γ function")
    ] == [
        False,
        False,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("window", "name", "words"),
    [
        ("The ⟦3⟧ function is defined as ⟦1⟧.", "gamma function", 3),
        ("The ⟦2⟧-distribution is ⟦1⟧.", "chi-squared-distribution", 1),
        ("Kendall's ⟦5⟧: ⟦1⟧.", "Kendall's tau", 1),
        ("The chi-squared test ⟦1⟧.", "chi-squared test", 0),
    ],
)
def test_a_mention_is_found_where_its_letter_is_a_formula(window: str, name: str, words: int) -> None:
    found = mentions(Occurrence("d", 1, "x=y", True, window, "", cues=(NameHint("defined", name),)))
    assert [(m.name, m.words, m.formulas) for m in found] == [(name, words, 0)]


def test_a_greek_letter_in_print_is_the_word_for_it() -> None:
    assert fold("The Γ function") == fold("gamma functions") == "gamma function"
    assert fold("Kendall’s τ") == fold("Kendall's tau")
    assert fold("Φ-mesons") == fold("phi meson")
