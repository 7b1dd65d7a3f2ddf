"""Sentences that end where a reader ends them, windows of whole sentences, and local definitions."""

from __future__ import annotations

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.corpus import _without_garbage_collection
from bot.corpus.draft import MASK, WINDOW_CHARACTERS, Draft, find_definitions, sentence_spans, squeeze, window_spans
from bot.records import Definition


def definitions(text: str, formulas: dict[int, str]) -> tuple[Definition, ...]:
    found: dict[str, str] = {}
    for _, symbol, meaning in sorted(find_definitions(text, formulas)):
        found.setdefault(symbol, meaning)
    return tuple(Definition(symbol, meaning) for symbol, meaning in found.items())


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def windows(text: str) -> dict[int, str]:
    return {
        n: squeeze(text[start:end])
        for n, (start, end) in window_spans(text, sentence_spans(text), WINDOW_CHARACTERS)[0].items()
    }


@pytest.mark.parametrize(
    "text",
    [
        "By Eq. 3 of the first part we know it.",
        "As Fig. 2 and Figs. 3 show, it falls.",
        "Other fields, e.g. Electric ones, add up.",
        "It was shown by Smith et al. Later work agrees.",
        "A. Einstein and N. H. Bohr met.",
        "The laws (eq. 3) and [Fig. 2] hold.",
        "It is vitamin C. It is needed.",
        "Dr. Smith saw No. 5 and pp. 3 to 4.",
        "The value of 3.14 is known.",
        "Is said to be 1.5 T. with care",
        "The energy is ⟦0⟧. where ⟦1⟧ is the mass.",
    ],
)
def test_a_sentence_is_not_broken_inside(text: str) -> None:
    assert split(text) == [text]


def test_no_word_of_a_meaning_loses_its_last_letter() -> None:
    formulas = {0: "A", 1: "m"}
    assert [d.meaning for d in definitions("where ⟦0⟧ is area of discs.\n⟦1⟧: Masa ciała", formulas)] == [
        "area of discs",
        "Masa ciała",
    ]


def test_sentences_end_at_stops_marks_and_paragraphs() -> None:
    text = "It is so. Is it? “Yes!” she said. ⟦1⟧ is small.\n\nno capital here"
    assert split(text) == ["It is so.", "Is it?", "“Yes!” she said.", "⟦1⟧ is small.", "no capital here"]


def test_a_stop_behind_a_number_an_abbreviated_word_in_letters_or_a_quote_ends_a_sentence() -> None:
    text = "See Fig. 2a. It has (U/I). Volts are V1. “He left.” Next. End.) Then (Start."
    assert split(text) == [
        "See Fig. 2a.",
        "It has (U/I).",
        "Volts are V1.",
        "“He left.”",
        "Next.",
        "End.)",
        "Then (Start.",
    ]


def test_a_window_is_whole_sentences_around_the_mask() -> None:
    text = (
        " ".join(f"Sentence {i} stands here." for i in range(60))
        + " We find ⟦7⟧ in this one. "
        + "Then more follows. " * 60
    )
    found = windows(text)[7]
    assert found.startswith("Sentence ")
    assert found.endswith("follows.")
    assert "We find ⟦7⟧ in this one." in found
    assert 700 < len(found) < 1100


def test_other_formulas_stay_masked_and_a_missing_mask_has_no_window() -> None:
    assert windows("If ⟦1⟧ then ⟦2⟧.") == {1: "If ⟦1⟧ then ⟦2⟧.", 2: "If ⟦1⟧ then ⟦2⟧."}


def test_a_sentence_without_end_is_cut_between_words() -> None:
    found = windows("word " * 5000 + "⟦0⟧ " + "word " * 5000)[0]
    assert len(found) < 2500
    assert set(found.replace("⟦0⟧", "word").split()) == {"word"}


@given(st.lists(st.sampled_from(["Word", "a", "Eq.", ".", "⟦1⟧", "⟦2⟧", "\n\n", "3.5", "?", "(", "é"]), max_size=60))
def test_every_mask_has_a_window_that_shows_it(parts: list[str]) -> None:
    text = " ".join(parts)
    found = windows(text)
    assert set(found) == {int(m[1]) for m in MASK.finditer(text)}
    assert all(f"⟦{n}⟧" in shown for n, shown in found.items())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("where ⟦0⟧ is the mass and ⟦1⟧ is the speed of light.", [("m", "mass"), ("c", "speed of light")]),
        ("with ⟦1⟧ the speed of light in vacuum.", [("c", "speed of light in vacuum")]),
        ("Here ⟦2⟧ denotes the density of the fluid, ⟦0⟧ its mass.", [(r"\rho", "density of the fluid")]),
        ("Let ⟦0⟧ be the mass of the body.", [("m", "mass of the body")]),
        (
            "where ⟦0⟧ is the mass, ⟦1⟧ the speed, and ⟦2⟧ the density",
            [("m", "mass"), ("c", "speed"), (r"\rho", "density")],
        ),
        (
            "where m is the mass of the particle and r is its distance",
            [("m", "mass of the particle"), ("r", "distance")],
        ),
        ("where τ is torque", [(r"\tau", "torque")]),
        ("Here ⟦0⟧ is total area of a disk.", [("m", "total area of a disk")]),
        ("⟦0⟧ = mass\n⟦1⟧: speed of light", [("m", "mass"), ("c", "speed of light")]),
        ("⟦0⟧: data matrix\n⟦1⟧: la somma di tutto", [("m", "data matrix"), ("c", "la somma di tutto")]),
        (
            "where ⟦0⟧ is the mass of a body and ⟦1⟧ is speed of the light.",
            [("m", "mass of a body"), ("c", "speed of the light")],
        ),
        (
            "where ⟦0⟧ is the applied force and ⟦1⟧ is a constant of motion.",
            [("m", "applied force"), ("c", "constant of motion")],
        ),
        ("⟦0⟧ is the charge per unit area.", [("m", "charge per unit area")]),
        ("⟦0⟧ and ⟦1⟧ are our first and last state respectively.", [("c", "first and last state")]),
        ("where ⟦0⟧ is something called a quantum number.", [("m", "quantum number")]),
        ("where ⟦0⟧ is damping coefficient.", [("m", "damping coefficient")]),
    ],
)
def test_local_definitions_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    found = definitions(text, {0: "m", 1: "c", 2: r"\rho"})
    assert set(found) >= {Definition(symbol, meaning) for symbol, meaning in expected}


@pytest.mark.parametrize(
    "text",
    [
        "⟦0⟧ is small.",
        "⟦0⟧ is not the mass.",
        "⟦1⟧ is the energy.",
        "⟦0⟧ is given by ⟦1⟧.",
        "This is the end.",
        "Assuming ⟦0⟧ is stabilizing, it holds.",
        "⟦0⟧ is prime, and it is non-negative.",
        "⟦0⟧ is a positive constant.",
        "⟦0⟧ is uniform on the shell, and ⟦1⟧ is the canonical one.",
        "with ⟦0⟧ a constant positive-definite matrix.",
        "As ⟦2⟧ the energy falls, ⟦3⟧ is the temperature.",
    ],
)
def test_what_defines_nothing_is_left_out(text: str) -> None:
    assert definitions(text, {0: "m", 1: "E = mc^2", 2: r"T \rightarrow 0", 3: r"A,\Delta T"}) == ()


def test_a_term_names_the_formula_of_its_own_sentence_however_many_stand_before() -> None:
    draft = Draft("d")
    for name, tex in (("mass", "m"), ("force", "F"), ("work", "W")):
        draft.text("Here the ")
        draft.term("defined_term", name)
        draft.text(" is ")
        draft.formula(tex)
        draft.text(". ")
    assert [[hint.name for hint in found.hints] for found in draft.occurrences()] == [["mass"], ["force"], ["work"]]


def test_a_term_right_before_an_equation_is_the_name_of_no_other() -> None:
    draft = Draft("d")
    for name, tex in (("pressure ratio", "r=p/q"), ("cutoff ratio", "c=v/w")):
        draft.text("a ")
        draft.term("defined_term", name)
        draft.text(": ")
        draft.formula(tex)
        draft.text(", ")
    draft.text("of the ")
    draft.term("defined_term", "cycle")
    draft.text(" here.")
    names = [[hint.name for hint in found.hints] for found in draft.occurrences()]
    assert names == [["pressure ratio", "cycle"], ["cutoff ratio", "cycle"]]


@pytest.mark.parametrize(
    ("after", "window"),
    [
        (("Then it rests.",), "The force is ⟦0⟧\n\nThen it rests."),  # a displayed formula without a full stop
        (("where m is the mass.", "It rests."), "The force is ⟦0⟧ where m is the mass.\n\nIt rests."),
        (("A word", "It rests."), "The force is ⟦0⟧\n\nA word\n\nIt rests."),
    ],
)
def test_a_window_keeps_the_ends_of_paragraphs(after: tuple[str, ...], window: str) -> None:
    draft = Draft("d")
    draft.text("The force is")
    draft.formula("F=ma", display=True)
    for paragraph in after:
        draft.paragraph()
        draft.text(paragraph)
    assert draft.occurrences()[0].window == window
    assert [window[start:end] for start, end in sentence_spans(window)] == window.split("\n\n")


def test_a_formula_alone_in_its_paragraph_goes_on_with_the_sentence_before() -> None:
    draft = Draft("d")
    draft.text("The bound is")
    draft.paragraph()
    draft.formula("E=zs")
    draft.paragraph()
    draft.text("Next.")
    assert draft.occurrences()[0].window == "The bound is ⟦0⟧\n\nNext."


@pytest.mark.parametrize(
    ("formulas", "found", "window"),
    [
        (("a=", "b."), ["a= b"], "So ⟦0⟧."),
        (("a=b=", "=c=", "d"), ["a=b", "a=c= d"], "So ⟦0⟧ ⟦1⟧"),
        ((r"f(x)\leq", "g"), [r"f(x)\leq g"], "So ⟦0⟧"),
        (("a", "=b", "=c"), ["a =b", "a =c"], "So ⟦0⟧ ⟦1⟧"),
        (("a=", "=b"), ["a =b"], "So ⟦0⟧"),
        (("a=", "b=c"), ["a=", "b=c"], "So ⟦0⟧ ⟦1⟧"),  # another equation
        (("a=b", r"\rightarrow c=d"), ["a=b", r"\rightarrow c=d"], "So ⟦0⟧ ⟦1⟧"),
        (("a=b=", "c=d"), ["a=b", "c=d"], "So ⟦0⟧ ⟦1⟧"),
        (("a", r"\overset{n}{b}"), ["a", r"\overset{n}{b}"], "So ⟦0⟧ ⟦1⟧"),
        (("=", "b"), ["=", "b"], "So ⟦0⟧ ⟦1⟧"),
        (("a=b,", "=c"), ["a=b", "=c"], "So ⟦0⟧, ⟦1⟧"),
        (("|a>", "b"), ["|a>", "b"], "So ⟦0⟧ ⟦1⟧"),
    ],
)
def test_a_formula_that_stops_at_a_relation_goes_on_in_the_next(
    formulas: tuple[str, ...], found: list[str], window: str
) -> None:
    for display in (False, True):
        draft = Draft("d")
        draft.text("So ")
        for tex in formulas:
            draft.formula(tex, display=display)
            draft.paragraph() if display else draft.text(" ")
        occurrences = draft.occurrences()
        assert [each.tex for each in occurrences] == found
        assert occurrences[0].window == window


def test_formulas_with_words_a_cell_or_a_paragraph_between_do_not_go_on() -> None:
    draft = Draft("d")
    for between in (lambda: draft.text(" or "), lambda: draft.text(" | "), draft.paragraph, draft.line):
        draft.formula("a=")
        between()
        draft.formula("b")
        draft.text(". ")
    assert [each.tex for each in draft.occurrences()] == ["a=", "b"] * 4


def test_reading_leaves_the_search_for_cycles_as_it_was() -> None:
    before = gc.isenabled()
    try:
        for switch, state in ((gc.enable, True), (gc.disable, False)):
            switch()
            with _without_garbage_collection():
                assert not gc.isenabled()
            assert gc.isenabled() is state
    finally:
        (gc.enable if before else gc.disable)()
