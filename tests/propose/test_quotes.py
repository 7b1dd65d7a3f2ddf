"""A source supports a proposal where it names the item beside the formula; the quote shows both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE

from bot.propose.quotes import LONGEST, names_of, parts, quotes, supports
from bot.records import NameHint


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("This is Hubble's law.", "Hubble's law"),
        ("This is HUBBLE’S  LAW.", "HUBBLE’S  LAW"),
        ("the Hubble-Lemaître law", "Hubble-Lemaître law"),
        ("Hubble's lawyer", ""),
        ("", ""),
    ],
)
def test_names_are_found_whatever_their_case_dash_and_apostrophe(text: str, written: str) -> None:
    assert names_of(HUBBLE).near(text, 0) == written


def test_abbreviations_count_in_their_own_case_only() -> None:
    names = names_of(replace(HUBBLE, aliases=("LAW",)))
    assert names.near("a law of nature", 0) == ""
    assert names.near("a LAW of nature", 0) == "LAW"


def test_one_letter_names_nothing() -> None:
    assert names_of(replace(HUBBLE, label="H", aliases=("v",))).patterns == ()


def test_row_of_a_table_goes_before_sentence_before_heading_before_title() -> None:
    silent = replace(PLACE, window="We have ⟦4⟧.")
    hinted = replace(silent, hints=(NameHint("key_equation", "Hubble's law"),))
    names = names_of(HUBBLE)
    assert supports(PLACE, DOCUMENT, names) == ("sentence", "Hubble’s law")
    assert supports(hinted, DOCUMENT, names) == ("key_equation", "Hubble's law")
    assert supports(replace(PLACE, hints=hinted.hints), DOCUMENT, names)[0] == "key_equation"
    assert supports(replace(silent, heading="Hubble's law"), DOCUMENT, names)[0] == "heading"
    assert supports(silent, replace(DOCUMENT, title="Hubble's law"), names)[0] == "title"
    assert supports(silent, DOCUMENT, names) == ("", "")


def test_row_that_only_mentions_the_item_does_not_name_it() -> None:
    mentions = replace(PLACE, window="⟦4⟧", hints=(NameHint("key_equation", "Limits of Hubble's law (near us)"),))
    assert supports(mentions, DOCUMENT, names_of(HUBBLE)) == ("", "")
    means = replace(mentions, hints=(NameHint("key_equation", "Equation for Hubble's law"),))
    assert supports(means, DOCUMENT, names_of(HUBBLE))[0] == "key_equation"


def test_authors_own_markup_ties_formula_and_item() -> None:
    marked = replace(PLACE, window="⟦4⟧", hints=(NameHint("qid", HUBBLE.qid),))
    assert supports(marked, DOCUMENT, names_of(HUBBLE))[0] == "qid"


def test_quote_has_one_place_a_document_and_the_tex_of_its_masks() -> None:
    again = replace(PLACE, position=9, window="⟦9⟧")
    (quote,) = quotes([again, PLACE], {DOCUMENT.id: DOCUMENT}, HUBBLE, {(DOCUMENT.id, 5): "d"})
    assert (quote.position, quote.name, quote.where) == (4, "Hubble’s law", "sentence")
    assert "".join(p.text for p in parts(quote)) == "Galaxies obey Hubble’s law, v = H_0 d, where d is the distance."
    assert [p.kind for p in parts(quote)] == ["text", "name", "text", "subject", "text", "formula", "text"]


def test_only_the_name_nearest_to_the_formula_is_marked() -> None:
    often = replace(
        PLACE, window="Hubble's law, they say. Hubble's law reads ⟦4⟧. Hubble's law is old, and they say so at length."
    )
    (quote,) = quotes([often], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    pieces = list(parts(quote))
    assert [p.kind for p in pieces].count("name") == 1
    assert "".join(p.text for p in pieces) == often.window.replace("⟦4⟧", PLACE.tex)


def test_very_long_window_is_cut_around_formula_and_name_without_breaking_a_mask() -> None:
    filler = "so it goes ⟦7⟧ on " * 400
    long = replace(PLACE, window=f"{filler}Hubble's law says ⟦4⟧. {filler}")
    (quote,) = quotes([long], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    assert len(quote.window) <= LONGEST + 4
    assert "Hubble's law says ⟦4⟧" in quote.window
    assert quote.window.count("⟦") == quote.window.count("⟧")


def test_document_that_is_gone_is_no_source() -> None:
    assert quotes([PLACE], {}, HUBBLE, {}) == ()
