"""A source supports a proposal where it names the item beside the formula; the quote shows both."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, entry

from bot.propose.proposal_context import _quotes_of_entries
from bot.propose.quotes import _shortened, name_location, quote_parts, quotes, spellings_of
from bot.records import NameHint, Quote
from bot.result_cache import ResultCache
from bot.store import Workspace


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
    assert spellings_of(HUBBLE).find_near(text, 0) == written


@pytest.mark.parametrize(("label", "text"), [("kelvin scale", "\u212aELV\u0130N \n Scale"), ("mass rate", "Ma\u017fs  Rate"), ("tilt", "T\u0131lt")])  # fmt: skip
def test_letters_that_have_several_capitals_are_the_same(label: str, text: str) -> None:
    assert spellings_of(replace(HUBBLE, label=label, aliases=())).find_near(f"the {text}, then", 0) == text


def test_abbreviations_count_in_their_own_case_only() -> None:
    names = spellings_of(replace(HUBBLE, aliases=("LAW",)))
    assert names.find_near("a law of nature", 0) == ""
    assert names.find_near("a LAW of nature", 0) == "LAW"


def test_one_letter_names_nothing() -> None:
    assert spellings_of(replace(HUBBLE, label="H", aliases=("v",))).sought == ()


def test_row_of_a_table_goes_before_sentence_before_heading_before_title() -> None:
    silent = replace(PLACE, window="We have ⟦4⟧.")
    hinted = replace(silent, hints=(NameHint("key_equation", "Hubble's law"),))
    names = spellings_of(HUBBLE)
    assert name_location(PLACE, DOCUMENT, names) == ("sentence", "Hubble’s law")
    assert name_location(hinted, DOCUMENT, names) == ("key_equation", "Hubble's law")
    assert name_location(replace(PLACE, hints=hinted.hints), DOCUMENT, names)[0] == "key_equation"
    assert name_location(replace(silent, heading="Hubble's law"), DOCUMENT, names)[0] == "heading"
    assert name_location(silent, replace(DOCUMENT, title="Hubble's law"), names)[0] == "title"
    assert name_location(silent, DOCUMENT, names) == ("", "")


def test_row_that_only_mentions_the_item_does_not_name_it() -> None:
    mentions = replace(PLACE, window="⟦4⟧", hints=(NameHint("key_equation", "Limits of Hubble's law (near us)"),))
    assert name_location(mentions, DOCUMENT, spellings_of(HUBBLE)) == ("", "")
    means = replace(mentions, hints=(NameHint("key_equation", "Equation for Hubble's law"),))
    assert name_location(means, DOCUMENT, spellings_of(HUBBLE))[0] == "key_equation"


def test_authors_own_markup_ties_formula_and_item() -> None:
    marked = replace(PLACE, window="⟦4⟧", hints=(NameHint("qid", HUBBLE.qid),))
    assert name_location(marked, DOCUMENT, spellings_of(HUBBLE))[0] == "qid"


def test_quote_has_one_place_a_document_and_the_tex_of_its_masks() -> None:
    again = replace(PLACE, position=9, window="⟦9⟧")
    (quote,) = quotes([again, PLACE], {DOCUMENT.id: DOCUMENT}, HUBBLE, {(DOCUMENT.id, 5): "d"})
    assert (quote.position, quote.name, quote.where) == (4, "Hubble’s law", "sentence")
    assert (
        "".join(p.text for p in quote_parts(quote)) == "Galaxies obey Hubble’s law, v = H_0 d, where d is the distance."
    )
    assert [p.kind for p in quote_parts(quote)] == ["text", "name", "text", "subject", "text", "formula", "text"]


def test_only_the_name_nearest_to_the_formula_is_marked() -> None:
    often = replace(
        PLACE, window="Hubble's law, they say. Hubble's law reads ⟦4⟧. Hubble's law is old, and they say so at length."
    )
    (quote,) = quotes([often], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    pieces = list(quote_parts(quote))
    assert [p.kind for p in pieces].count("name") == 1
    assert "".join(p.text for p in pieces) == often.window.replace("⟦4⟧", PLACE.tex)


@pytest.mark.parametrize(
    ("window", "before"),
    [
        ("Hubble's law: Hubble's law reads ⟦4⟧, and far from there is Hubble's law.", "Hubble's law: "),
        ("Hubble's law, so far away, says ⟦4⟧: Hubble's law.", "Hubble's law, so far away, says v = H_0 d: "),
        ("Hubble's law ⟦4⟧, which is not far from Hubble's law.", ""),
    ],
)
def test_the_name_that_begins_nearest_to_the_formula_is_marked(window: str, before: str) -> None:
    (quote,) = quotes([replace(PLACE, window=window)], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    pieces = list(quote_parts(quote))
    at = [p.kind for p in pieces].index("name")
    assert "".join(p.text for p in pieces[:at]) == before


def test_very_long_window_is_cut_around_formula_and_name_without_breaking_a_mask() -> None:
    filler = "so it goes ⟦7⟧ on " * 400
    long = replace(PLACE, window=f"{filler}Hubble's law says ⟦4⟧. {filler}")
    (quote,) = quotes([long], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    assert len(quote.window) <= 804
    assert "Hubble's law says ⟦4⟧" in quote.window
    assert quote.window.count("⟦") == quote.window.count("⟧")


def test_document_that_is_gone_is_no_source() -> None:
    assert quotes([PLACE], {}, HUBBLE, {}) == ()


def test_the_longest_name_nearest_to_the_formula_counts() -> None:
    names = spellings_of(replace(HUBBLE, label="expansion law", aliases=("law of expansion law",)))
    text = "expansion law, and far from it the law of expansion law"
    assert names.find_near(text, 0) == "expansion law"
    assert names.find_near(text, len(text)) == "law of expansion law"


@pytest.mark.parametrize(
    ("label", "text", "named"),
    [
        ("ABCDEF", "the abcdef", ""),  # six capitals are an abbreviation, seven are a name
        ("ABCDEF", "the ABCDEF", "ABCDEF"),
        ("ABCDEFG", "the abcdefg", "abcdefg"),
        ("AB", "an AB", "AB"),
        ("A", "an A", ""),
    ],
)
def test_short_capitals_are_an_abbreviation(label: str, text: str, named: str) -> None:
    assert spellings_of(replace(HUBBLE, label=label, aliases=())).find_near(text, 0) == named


def test_surest_place_of_all_names_the_item() -> None:
    order = (
        "qid",
        "key_equation",
        "equation_title",
        "sentence",
        "defined_term",
        "bold_title",
        "infobox",
        "heading",
        "title",
    )
    hints = tuple(
        NameHint(kind, HUBBLE.qid if kind == "qid" else "Hubble's law")
        for kind in order
        if kind not in ("sentence", "heading", "title")
    )
    place, document = replace(PLACE, heading="Hubble's law", hints=hints), replace(DOCUMENT, title="Hubble's law")
    names, found = spellings_of(HUBBLE), []
    for where in order:
        found.append(name_location(place, document, names)[0])
        place = replace(place, hints=tuple(h for h in place.hints if h.kind != where))
        place = replace(place, window="⟦4⟧") if where == "sentence" else place
        place = replace(place, heading="") if where == "heading" else place
    assert tuple(found) == order


def test_sentence_counts_only_where_the_formula_stands_in_it() -> None:
    astray = replace(PLACE, window="Galaxies obey Hubble's law.", heading="Hubble's law")
    assert name_location(astray, DOCUMENT, spellings_of(HUBBLE))[0] == "heading"
    first = replace(PLACE, window="⟦4⟧ is Hubble's law.")
    assert name_location(first, DOCUMENT, spellings_of(HUBBLE))[0] == "sentence"


def test_quotes_come_the_surest_first_and_those_that_support_nothing_not_at_all() -> None:
    documents = {name: replace(DOCUMENT, id=name) for name in "abc"}
    heading = replace(PLACE, document="a", window="⟦4⟧", heading="Hubble's law")
    sentence, silent = replace(PLACE, document="b"), replace(PLACE, document="c", window="⟦4⟧")
    found = quotes([silent, heading, sentence], documents, HUBBLE, {})
    assert [(q.document, q.where) for q in found] == [("b", "sentence"), ("a", "heading")]
    (only,) = quotes([silent, replace(silent, document="a")], documents, HUBBLE, {})
    assert (only.document, only.where, only.name) == ("c", "", "")


def test_quote_carries_the_document_and_the_known_formulas_in_order() -> None:
    tex_at = {(DOCUMENT.id, 5): "d", (DOCUMENT.id, 4): "other", (DOCUMENT.id, 3): "far"}
    (quote,) = quotes([PLACE], {DOCUMENT.id: DOCUMENT}, HUBBLE, tex_at)
    assert quote.formulas == ((4, PLACE.tex), (5, "d"))
    assert (quote.title, quote.url, quote.heading) == (DOCUMENT.title, DOCUMENT.url, "Galaxies")


def shown(window: str, **more: object) -> str:
    (quote,) = quotes([replace(PLACE, window=window, **more)], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})  # type: ignore[arg-type]
    return quote.window


def test_window_of_800_characters_is_whole_and_a_longer_one_is_cut() -> None:
    start = "Hubble's law says ⟦4⟧ "
    whole = start + "a " * ((800 - len(start)) // 2)
    assert len(whole) == 800
    assert shown(whole) == whole
    cut = shown(whole + "a")
    assert cut.startswith("Hubble's law")
    assert cut.endswith("a …")
    assert len(cut) <= 804


def test_row_of_a_table_needs_fewer_characters() -> None:
    hints = (NameHint("key_equation", "Hubble's law"),)
    start = "We have ⟦4⟧ "
    whole = start + "a " * ((320 - len(start)) // 2)
    assert len(whole) == 320
    assert shown(whole, hints=hints) == whole
    assert len(shown(whole + "a", hints=hints)) <= 324
    assert shown(whole + "a") == whole + "a"


def test_cut_lies_between_name_and_formula_where_both_fit_and_at_the_formula_where_not() -> None:
    fill = "word " * 400
    both = shown(f"{fill}Hubble's law {'x ' * 250}⟦4⟧ {fill}")
    assert "Hubble's law" in both
    assert "⟦4⟧" in both
    before, after = both.index("Hubble's law"), len(both) - both.index("⟦4⟧")
    assert abs(before - after) < 30
    apart = shown(f"{fill}Hubble's law {'x ' * 600}⟦4⟧ {fill}")
    assert "Hubble's law" not in apart
    assert abs(apart.index("⟦4⟧") - 400) < 30
    assert apart.startswith("… ")
    assert apart.endswith(" …")


def test_end_of_a_long_window_is_kept_whole() -> None:
    found = shown(f"{'word ' * 400}Hubble's law says ⟦4⟧ at last.")
    assert found.endswith("⟦4⟧ at last.")
    assert found.startswith("… word")


def test_parts_of_a_quote_without_its_name_are_text_and_formulas() -> None:
    (quote,) = quotes([PLACE], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
    pieces = list(quote_parts(replace(quote, name="")))
    assert [p.kind for p in pieces] == ["text", "subject", "text", "formula", "text"]
    assert pieces[3].text == "…"
    absent = [p.kind for p in quote_parts(replace(quote, name="Ohm's law"))]
    assert absent == ["text", "subject", "text", "formula", "text"]


def test_name_at_the_very_beginning_and_end_is_marked() -> None:
    first = replace(PLACE, window="Hubble's law: ⟦4⟧")
    last = replace(PLACE, window="⟦4⟧ Hubble's law")
    for place, kinds in ((first, ["name", "text", "subject"]), (last, ["subject", "text", "name"])):
        (quote,) = quotes([place], {DOCUMENT.id: DOCUMENT}, HUBBLE, {})
        assert [p.kind for p in quote_parts(quote)] == kinds


SENTENCE = "aaaa bbbb cccc dddd ⟦4⟧ eeee ffff gggg hhhh Name iiii jjjj"


@pytest.mark.parametrize(
    ("window", "longest", "cut"),
    [
        (SENTENCE, len(SENTENCE), SENTENCE),
        (SENTENCE, len(SENTENCE) - 1, "aaaa bbbb cccc dddd ⟦4⟧ eeee ffff gggg hhhh Name iiii …"),
        (SENTENCE, 20, "… dddd ⟦4⟧ eeee …"),
        (SENTENCE, 12, "… dddd ⟦4⟧ …"),
        (f"⟦4⟧ {SENTENCE}", 10, "⟦4⟧ aaaa …"),
        (SENTENCE.replace("⟦4⟧", "⟦9⟧"), 20, "aaaa bbbb cccc dddd …"),  # without the formula its beginning
        (f"{'力' * 200}⟦4⟧{'能' * 200}", 23, f"… {'力' * 11}⟦4⟧{'能' * 9} …"),  # a text without blanks
        (f"力⟦31⟧{'力' * 9}⟦4⟧{'能' * 7}⟦52⟧{'能' * 7}", 24, f"… {'力' * 9}⟦4⟧{'能' * 7} …"),  # and no mask is broken
    ],
)
def test_a_window_is_cut_at_blanks_around_its_formula(window: str, longest: int, cut: str) -> None:
    assert _shortened(window, 4, "", longest) == cut


@pytest.mark.parametrize(("longest", "words"), [(145, (13, 34)), (146, (25, 23))])
def test_the_middle_lies_between_name_and_formula_that_are_a_hundred_characters_nearer_than_the_longest(
    longest: int, words: tuple[int, int]
) -> None:
    window = f"{'x ' * 80}Name {'y ' * 20}⟦4⟧ {'z ' * 80}"
    cut = _shortened(window, 4, "Name", longest)
    assert (cut.count("x"), cut.count("y"), cut.count("z")) == (words[0], 20, words[1])


def test_an_entry_whose_concept_is_gone_has_no_quotes(workspace: Workspace) -> None:
    gone = entry(concepts=("gone",))
    found = _quotes_of_entries(workspace, [gone], {}, {}, {HUBBLE.qid: HUBBLE}, ResultCache())
    assert found == {(HUBBLE.qid, ("gone",)): ()}


def test_a_quote_without_its_formula_marks_the_first_name() -> None:
    quote = Quote(DOCUMENT.id, 7, "a law, and a law, and ⟦4⟧", "", "law", "", "", ((4, "a"),), "sentence")
    marked = [(part.kind, part.text) for part in quote_parts(quote)][:3]
    assert marked == [("text", "a "), ("name", "law"), ("text", ", and a law, and ")]
