"""Rules of discovery at their edges: left sides, languages, filters, phrases, cues, a book's names, neighbours and centrality."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bot.discover.builtin_names import KnownName, merge_names
from bot.discover.candidate_filters import is_candidate, is_numeric
from bot.discover.cues.name_cues import DocumentContext, name_cues
from bot.discover.cues.prose import names_in_clause, prose_cues
from bot.discover.document_language import is_foreign
from bot.discover.group import _same_symbols
from bot.discover.grouping.encoding_names import FAST
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.discover.grouping.formularank import FormulaRank
from bot.discover.grouping.neighbours import Nearest, NeighbourTable, nearest_rows, update_neighbours
from bot.discover.label_automaton import Labels
from bot.discover.left_sides import left_side, left_text, plain_symbol, sides, single_symbol, strip_styling
from bot.discover.phrases import (
    display_form,
    first_full_name,
    fold,
    is_law,
    is_quantity,
    is_usable_name,
    name_at_end,
    name_at_start,
    noun_phrases,
    shorter_names,
)
from bot.discover.tf_idf import TfIdfBlocks, unit_rows, words_of_formulas
from bot.records import Definition, Document, NameCandidate, NameHint, Occurrence

# -- left sides -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("a = b", ("a", "b")),
        ("a = b = c", ("a", "b = c")),
        (r"a \equiv b", ("a", "b")),
        (r"a \equivalent b", (r"a \equivalent b", "")),
        (r"a \approx b = c", ("a", "b = c")),
        ("a := b", ("a", "b")),
        ("a <= b", ("a <= b", "")),
        ("a == b", ("a", "= b")),
        (r"\sum_{i=1} x = y", (r"\sum_{i=1} x", "y")),
        (r"P(x=1) = y", ("P(x=1)", "y")),
        (r"\{x = y", (r"\{x", "y")),
        (r"x\} = y", (r"x\}", "y")),
        ("x + y", ("x + y", "")),
    ],
)
def test_a_formula_is_parted_at_its_first_relation_outside_of_braces(tex: str, wanted: tuple[str, str]) -> None:
    assert sides(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"\mathbf{p}", "p"),
        (r"\vec{F}_{net}", "F_net"),
        (r"\rho_c", r"\rho_c"),
        (r"\rho c", r"\rho c"),
        ("f(x)", "f"),
        ("f(abcdefghijklm)", "f(abcdefghijklm)"),
        ("(x)", "(x)"),
        ("x.", "x"),
        ("$x$", "x"),
    ],
)
def test_the_plain_form_of_a_symbol_has_no_styles_no_blanks_and_no_arguments(tex: str, wanted: str) -> None:
    assert plain_symbol(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("F", "F"),
        ("F_{ab}", "F_ab"),
        ("F a", ""),
        ("F/a", ""),
        (r"\frac{a}{b}", ""),
        ("x^2", ""),
        ("x^{-1}", ""),
        ("x^i", "x^i"),
        (r"k_B T", ""),  # a product, whose first factor has an index
        (r"n_{\mathrm{in}}\sin\theta", ""),
        (r"\mu\,n", ""),
        (r"\vec{E}_{x_1}(\vec{r},t)", "E_x_1"),
        (r"{}_2F_1", ""),
        ("x" * 61, ""),
        ("{" * 30 + "x" + "}" * 29, "x"),
        ("{" * 30 + "x" + "}" * 30, ""),
        ("", ""),
    ],
)
def test_one_letter_with_scripts_is_a_symbol_and_a_power_is_none(tex: str, wanted: str) -> None:
    assert single_symbol(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [("F = ma", "F"), ("ma = F", "F"), ("a/b = c/d = E", "E"), ("a/b = E = c/d", ""), ("F", ""), ("a b = c d", "")],
)
def test_the_symbol_a_formula_defines_stands_left_or_at_its_end(tex: str, wanted: str) -> None:
    assert left_side(tex) == wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        (r"\text{kinetic energy} = \frac12 mv^2", "kinetic energy"),
        (r"\text{work}\,\text{done} = Fd", "work done"),
        (r"\text{net work} + x = Fd", ""),
        (r"\text{abc} = d", ""),
        (r"\text{abcd} = d", "abcd"),
        (r"\text{force}", ""),
        ("force = ma", ""),
    ],
)
def test_a_left_side_in_words_names_the_formula(tex: str, wanted: str) -> None:
    assert left_text(tex) == wanted


def test_length_is_counted_without_styles_and_blanks() -> None:
    assert strip_styling(r"\mathbf{F} = m \, \vec a") == "F=ma"


# -- filters --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "kind", "given", "wanted"),
    [
        ("a=b", "equation", False, True),
        ("=b", "equation", False, False),
        ("a=" + "b" * 398, "equation", False, True),
        ("a=" + "b" * 399, "equation", False, False),
        ("a=" + "b" * 398, "assignment", True, True),
        ("a=" + "b" * 399, "assignment", True, False),
        ("x = 3", "assignment", True, False),
        ("x = y", "assignment", False, False),
        (r"\dot x = y", "assignment", False, True),
        (r"x = \dot y", "assignment", False, False),
        ("x = x(t)", "dependence", True, True),
        ("x = x(t)", "dependence", False, False),
        ("a+c<b", "relation", False, True),
        (r"a \leq b + c", "relation", False, True),
        (r"a \left b", "relation", False, False),
        (r"a \to b", "relation", False, False),
        ("a<b", "expression", True, False),
        ("a=b;c=d", "system", False, True),
    ],
)
def test_what_may_define_something(tex: str, kind: str, given: bool, wanted: bool) -> None:
    assert is_candidate(tex, kind, given) is wanted


@pytest.mark.parametrize(
    ("tex", "wanted"),
    [
        ("3 + 4", False),
        ("v = 12", True),
        ("a b = 12", False),
        ("F = 0", False),
        ("a b = 0", False),
        ("v = 00", True),
        (r"v = 2\pi", False),
        (r"v = 2 \hbar", False),
        ("v = w", False),
        ("v = 2.5 w", True),
        ("v = 25 w", False),
        ("v = 250 w", False),
        ("v = 250 w + 300", True),
        ("v = 2.5 w x", False),
        ("v = 2.5 w + 3.5 x", True),
        ("v = w^{2.5}", False),
        ("v = w_{125} + x_{2.5}", False),
        (r"v = 3\,\text{km 12.5}", True),
    ],
)
def test_numbers_speak_against_a_formula_where_there_are_as_many_as_symbols(tex: str, wanted: bool) -> None:
    assert is_numeric(tex) is wanted


# -- languages ------------------------------------------------------------------------------------------------------------


def words(total: int, **some: int) -> str:
    """Return a text of so many words, none of which says anything but those counted."""
    known = [word for word, times in some.items() for _ in range(times)]
    return " ".join([*known, *(["kinetic"] * (total - len(known)))])


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (words(8, und=1), True),
        (words(7, und=1), False),
        (words(100, und=1), True),
        (words(101, und=1), False),
        (words(100, und=10, the=3), True),
        (words(100, und=10, the=4), False),
        (words(100, und=10, The=4), False),
        (words(100, größe=1), True),
        (words(100, Größe=1), False),
        (words(100), False),
        ("сила тела массыыы", False),
        ("сила тела массыыыы", True),
        ("сила тела массыыыы" + " abcdefghijklmno", True),
        ("сила тела массыыыы" + " abcdefghijklmnop", False),
    ],
)
def test_a_language_shows_in_a_twenty_fifth_and_a_hundredth_of_the_words(text: str, wanted: bool) -> None:
    assert is_foreign([text]) is wanted


def test_a_window_counts_once_and_fifteen_hundred_words_are_enough() -> None:
    assert not is_foreign([words(7, und=1)] * 3)
    assert is_foreign([words(1500, und=15), words(9000, the=9000)])
    assert not is_foreign([words(1499, und=15), words(9000, the=9000)])


# -- phrases --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("The Radii", "radius"),
        ("buses", "buse"),
        ("classes", "class"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("meshes", "mesh"),
        ("indices", "index"),
        ("vertices of the formulae", "vertex of formula"),
        ("criteria", "criterion"),
        ("gas", "gas"),
        ("laws", "law"),
        ("ties", "tie"),
        ("series", "series"),
        ("gases", "gas"),
        ("lenses", "lens"),
        ("matrices", "matrix"),
        ("densities", "density"),
        ("Ohm's", "ohm"),
        ("Stokes", "stoke"),
        ("dynamics", "dynamics"),
        ("analysis", "analysis"),
        ("nucleus", "nucleus"),
        ("Bose—Einstein (a) law", "bose einstein law"),
        ("a an the", ""),
    ],
)
def test_the_form_under_which_spellings_of_a_name_meet(name: str, wanted: str) -> None:
    assert fold(name) == wanted


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("wave law", False, True),
        ("", True, False),
        ("ab", True, False),
        ("abc", True, True),
        ("a12", True, False),
        ("force ⟦3⟧", True, False),
        (" ".join(["wave"] * 10), False, True),
        (" ".join(["wave"] * 11), False, False),
        (" ".join(["wave"] * 20), True, True),
        (" ".join(["wave"] * 21), True, False),
        ("w" * 80, False, True),
        ("w" * 81, False, False),
        ("w" * 160, True, True),
        ("w" * 161, True, False),
        ("Figure 3", True, False),
        ("Figure b", True, False),
        ("Figure caption", True, True),
        ("moved force", False, True),
        ("force moved", False, False),
        ("well-defined", False, False),
        ("ground speed", False, True),
        ("observable", False, True),
        ("force times", False, False),
        ("type 23", False, False),
        ("wave Equation", False, False),
        ("Wave Equation", False, True),
    ],
)
def test_what_may_be_a_name(name: str, given: bool, wanted: bool) -> None:
    assert is_usable_name(name, from_source=given) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("the moment of inertia about it", "moment of inertia"),
        ("", ""),
        ("the magnitude of the torque", "torque"),
        ("magnitude of an angular force", "angular force"),
        ("the sum of forces", ""),
        ("the sum", ""),
        ("large sum", "sum"),
    ],
)
def test_a_clause_opens_with_a_name(text: str, wanted: str) -> None:
    found = first_full_name(text)
    assert found == wanted or (text == "large sum" and found in ("", "large sum"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("is the wave equation", "wave equation"),
        ("also the “wave equation”", "wave equation"),
        ("2 wave equation", ""),
        ("", ""),
    ],
)
def test_a_name_right_behind(text: str, wanted: str) -> None:
    assert name_at_start(text.removeprefix("is ")) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("by the wave equation", "wave equation"),
        ("by the wave equation: ", "wave equation"),
        ("by the wave equation, (", "wave equation"),
        ("by the wave equation; ", ""),
        ("by the wave equation is", ""),
        ("with the equation of state", "equation of state"),
        ("", ""),
    ],
)
def test_a_name_right_before(text: str, wanted: str) -> None:
    assert name_at_end(text) == wanted


def test_a_phrase_has_its_span_its_head_and_seven_words_at_most() -> None:
    (found,) = noun_phrases("with kinetic energy")
    assert (found.text, found.start, found.end, found.head) == ("kinetic energy", 5, 19, "energy")
    joined = noun_phrases("moment of inertia")
    assert [(p.text, p.head) for p in joined] == [
        ("moment of inertia", "moment"),
        ("moment", "moment"),
        ("inertia", "inertia"),
    ]
    (long,) = noun_phrases("wave field force mass heat charge speed power light")
    assert long.text == "force mass heat charge speed power light"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("wave law", []),
        ("great wave law", ["wave law"]),
        ("great wave speed", ["wave speed", "speed"]),
        ("speed", []),
        ("great first law of motion", ["first law of motion", "law of motion"]),
    ],
)
def test_shorter_names_keep_a_law_two_words_long(name: str, wanted: list[str]) -> None:
    assert list(shorter_names(name)) == wanted


@pytest.mark.parametrize(
    ("name", "law", "quantity"),
    [
        ("law", False, False),
        ("wave law", True, False),
        ("law of motion", True, False),
        ("whale of law", True, False),
        ("energy", False, True),
        ("energy of motion", False, True),
        ("motion of energy", False, True),
        ("whale of energy", False, False),
        ("kinetic energy", False, True),
        ("", False, False),
        ("of energy", False, True),
    ],
)
def test_what_heads_a_phrase(name: str, law: bool, quantity: bool) -> None:
    assert (is_law(name), is_quantity(name)) == (law, quantity)


def test_a_name_is_shown_without_article_parenthesis_and_marks() -> None:
    assert display_form("  “The  wave (small) ⟦3⟧ law”, ") == "wave law"
    assert display_form("Theory of waves.") == "Theory of waves"


# -- what sentences say ---------------------------------------------------------------------------------------------------


def test_a_name_gives_its_stem_and_its_shorter_names_as_parts() -> None:
    assert list(names_in_clause("the total energy of a system", "is_the")) == [
        ("total energy of a system", "is_the"),
        ("total energy", "is_the_part"),
        ("energy", "is_the_part"),
    ]
    assert list(names_in_clause("the energy", "is_the")) == [("energy", "is_the")]


def test_words_of_a_bare_window_are_close_or_near_by_their_distance_from_its_end() -> None:
    found = dict(prose_cues("wave speed and it is not as so", 0, "", {}))
    assert found["wave speed"] == "near_quantity"
    assert found["wave"] == "near"
    assert dict(prose_cues("so wave speed and it is", 0, "", {}))["wave speed"] == "close_quantity"
    assert dict(prose_cues("so wave speed and it is not", 0, "", {}))["wave speed"] == "near_quantity"
    runs = dict(prose_cues("wave law", 0, "", {}))
    assert runs["wave law"] == "close_law"
    assert dict(prose_cues("grey blue whale", 0, "", {}))["grey blue whale"] == "close_pair_long"
    pairs = dict(prose_cues("grey useful whale", 0, "", {}))
    assert (pairs["grey useful"], pairs["useful whale"]) == ("close_pair", "close")  # what praises makes no name
    assert dict(prose_cues("blue wave speed", 0, "", {}))["blue wave speed"] == "close_quantity_long"
    assert not any(len(name.split()) > 3 for name, _ in prose_cues("grey blue whale herd", 0, "", {}))


def test_a_bare_window_gives_its_last_words_first_and_each_once() -> None:
    names = [name for name, _ in prose_cues("whale moves and whale sings", 0, "", {})]
    assert len(names) == len({fold(name) for name in names})
    assert (
        len(list(prose_cues(" and ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}x" for n in range(300)), 0, "", {})))
        == 140
    )


def document(**more: Any) -> Document:
    return Document("a", more.pop("title", "Wave"), **({"kind": "encyclopaedia"} | more))


def cues(about: Document, *occurrences: Occurrence, of: int = 0) -> set[tuple[str, str]]:
    around = DocumentContext.of(about, occurrences, [o.position for o in occurrences])
    return {(s.name, s.kind) for s in name_cues(occurrences[of], around)}


def formula(position: int = 0, tex: str = "F = m a", window: str = "", display: bool = True, **more: Any) -> Occurrence:
    return Occurrence("a", position, tex, display, window, **more)


def test_the_first_equation_is_displayed_or_in_the_infobox_and_in_the_text() -> None:
    inline, shown = formula(0, display=False), formula(1, "v = x y")
    assert ("Wave", "title") in cues(document(), inline, shown)
    assert ("Wave", "title_first") in cues(document(), inline, shown, of=1)
    box = formula(0, display=False, role="infobox")
    assert ("Wave", "title_first") in cues(document(), box, shown)
    example = formula(0, role="example")
    assert ("Wave", "title_first") in cues(document(), example, shown, of=1)


def test_a_title_names_by_the_kind_of_its_document() -> None:
    assert ("Wave", "chapter") in cues(document(kind="textbook"), formula())
    assert ("Wave", "title_first") in cues(document(title="1.2 Wave (physics)"), formula())
    assert cues(document(title=""), formula()) == set()


def test_a_heading_names_its_first_equation_first() -> None:
    first, second = formula(0, heading="Wave speed"), formula(1, "v = x y", heading="Wave speed")
    about = document(title="Water")
    assert ("Wave speed", "heading_first") in cues(about, first, second)
    assert ("Wave speed", "heading") in cues(about, first, second, of=1)
    assert not any(kind.startswith("heading") for _, kind in cues(document(title="Wave speed"), first))
    assert ("Waves and winds", "chapter") in cues(about, formula(heading="Waves and winds"))
    assert ("deep grey water wave speed", "heading_only") in cues(about, formula(heading="deep grey water wave speed"))
    assert ("deep grey cold water wave speed", "chapter") in cues(
        about, formula(heading="deep grey cold water wave speed")
    )


def test_bold_titles_name_the_first_equation_only() -> None:
    bold = (NameHint("bold_title", "Great wave"),)
    first, second = formula(0, hints=bold), formula(1, "v = x y", hints=bold)
    assert ("Great wave", "bold_title") in cues(document(), first, second)
    assert ("Great wave", "bold_near") in cues(document(), first, second, of=1)


def test_key_equations_of_every_kind_are_one_kind() -> None:
    assert ("Wave", "key_equations") in cues(document(), formula(hints=(NameHint("key_equation_row", "Wave"),)))


def test_steps_are_no_names_but_where_the_author_says_so() -> None:
    assert not any("Solving" in name for name, _ in cues(document(title="Solving waves"), formula()))
    given = formula(hints=(NameHint("key_equations", "Solving waves"),))
    assert ("Solving waves", "key_equations") in cues(document(title="Water"), given)


def test_sentences_of_other_languages_say_nothing() -> None:
    window = "The wave force is defined as ⟦0⟧."
    assert ("wave force", "defined") in cues(document(), formula(window=window))
    assert ("wave force", "defined") in cues(document(language=""), formula(window=window))
    assert not any(kind == "defined" for _, kind in cues(document(language="de"), formula(window=window)))


def test_what_a_symbol_means_near_counts_before_what_it_means_far() -> None:
    far = formula(1, "x = y z", definitions=(Definition("F", "net force"),))
    near = formula(0, definitions=(Definition("F", "thrust force"), Definition("m", "mass")))
    found = cues(document(), near, far)
    assert ("thrust force", "symbol") in found
    assert not any(kind == "symbol_far" for _, kind in found)
    assert ("net force", "symbol_far") in cues(document(), formula(0), far)
    assert ("mass", "constituent") in found
    assert not any((name, kind) == ("thrust force", "constituent") for name, kind in found)


# -- labels and books -----------------------------------------------------------------------------------------------------


def test_of_two_items_with_one_label_the_lower_number_has_it() -> None:
    for order in (1, -1):
        known = Labels([("Q20", "wave laws"), ("Q7", "Wave law"), ("Q100", "wave law")][::order])
        assert (known.known, known.shown) == ({"wave law": "Q7"}, {"wave law": "Wave law"})


def test_labels_that_overlap_are_all_found_and_one_inside_of_another_is_not() -> None:
    found = Labels([("Q1", "wave speed"), ("Q2", "speed limit"), ("Q3", "speed"), ("Q4", "wave")])
    assert list(found.find("the wave speed limit, wave speed")) == ["wave speed", "speed limit"]
    assert list(found.find("the wave, a speed, a wave")) == ["wave", "speed"]


@pytest.mark.parametrize(
    ("said_names", "known", "wanted"),
    [
        ([("wave law", 0.4, 1)], [("wave law", 1.0)], [("wave law", 0.7, 0.3)]),
        ([("wave law", 0.4, 1)], [("wave law", 0.5)], [("wave law", 0.55, 0.15)]),
        ([], [("wave law", 1.0)], [("wave law", 0.6, 0.6)]),
        ([("a b", 0.25, 1)], [("wave law", 0.8)], [("a b", 0.25, 0.0), ("wave law", 0.249, 0.249)]),
        ([("a b", 0.24, 1)], [("wave law", 0.8)], [("wave law", 0.48, 0.48), ("a b", 0.24, 0.0)]),
        ([("a b", 0.24, 1)], [("wave law", 0.79)], [("a b", 0.24, 0.0), ("wave law", 0.239, 0.239)]),
        ([("wave law", 0.99, 1)], [("wave law", 1.0)], [("wave law", 0.995, 0.005)]),
        ([("great wave law", 0.5, 1), ("wave law", 0.4, 1)], [("wave law", 1.0)], [("great wave law", 0.5, 0.0), ("wave law", 0.499, 0.099)]),
        ([("wave law of water", 0.5, 1), ("wave law", 0.4, 1)], [("wave law", 1.0)], [("wave law of water", 0.5, 0.0), ("wave law", 0.499, 0.099)]),
    ],
)  # fmt: skip
def test_what_a_book_adds_to_a_name(
    said_names: list[tuple[str, float, int]], known: list[tuple[str, float]], wanted: list[tuple[str, float, float]]
) -> None:
    names = [NameCandidate(name, score, (), documents) for name, score, documents in said_names]
    found = merge_names(names, [KnownName(name, p, "known") for name, p in known])
    assert [(n.name, n.score, n.known) for n in found] == wanted


# -- neighbours -----------------------------------------------------------------------------------------------------------

ROWS = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8]])


def test_rows_of_many_documents_are_those_of_each() -> None:
    documents = [[f"w{n % 7}", f"w{n % 11}", "w"] for n in range(1100)]
    model = TfIdfBlocks(counted=True)
    rows = model.fit_transform(documents)
    assert rows.shape == (1100, 12)
    for n in (0, 511, 512, 1023, 1024, 1099):
        assert (rows[n] != model.transform([documents[n]])).nnz == 0
    assert model.transform([]).shape == (0, 12)


def test_neighbours_are_the_nearest_others_best_first() -> None:
    for rows in (ROWS, csr_matrix(ROWS)):
        near, cosines = Nearest(2).fit(rows).neighbours([2, 0])
        assert near.tolist() == [[3, 1], [1, 3]]
        assert np.allclose(cosines, [[0.8, 0.6], [0.8, 0.6]])
    assert Nearest(9).fit(ROWS).neighbours(range(4))[0].shape == (4, 3)


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_after_rows_came_and_went_are_those_found_at_once(seed: int) -> None:
    chance = np.random.default_rng(seed)
    every = unit_rows(csr_matrix(chance.integers(1, 3, (90, 12)) * (chance.random((90, 12)) < 0.2) * 1.0))
    found = NeighbourTable([], np.zeros((1, 0), dtype=np.int64))
    there = chance.random(90) < 0.6
    for _ in range(4):
        rows = np.flatnonzero(there)
        names = [bytes([row]) for row in rows]
        found = update_neighbours(every[rows], names, 5, found)
        near, cosines = nearest_rows(found, 5)
        dense = np.round((every[rows] @ every[rows].T).toarray(), 9)
        for row in range(len(rows)):
            others = sorted((-cosine, n) for n, cosine in enumerate(dense[row].tolist()) if n != row)[:5]
            assert near[row].tolist() == [n for _, n in others]
            assert cosines[row].tolist() == [-cosine for cosine, _ in others]
        there ^= chance.random(90) < 0.15


@pytest.mark.parametrize("of", range(4))
def test_the_nearest_of_few_rows(of: int) -> None:
    found = update_neighbours(
        csr_matrix(ROWS[:of]), [bytes([n]) for n in range(of)], 9, NeighbourTable([], np.zeros((1, 0), dtype=np.int64))
    )
    near, _ = nearest_rows(found, 9)
    assert near.tolist() == [[], [[]], [[1], [0]], [[1, 2], [0, 2], [1, 0]]][of]


def test_rows_beyond_one_product_are_found_like_the_others() -> None:
    angle = np.arange(600) / 600
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    near, cosines = Nearest(1).fit(rows).neighbours(range(600))
    assert all(abs(int(found) - n) == 1 for n, (found,) in enumerate(near))
    assert np.allclose(cosines, math.cos(1 / 600))


def test_centrality_follows_edges_with_probability_damping() -> None:
    tex = ["p = w q", "p = v q", r"\nabla\times E=-\partial_tB"]
    vectors = [
        {
            (n, word): (len(set(block)) * sum(map(bool, each.blocks))) ** -0.5
            for n, block in enumerate(each.blocks)
            for word in block
        }
        for each in words_of_formulas(tex)
    ]
    weights = np.array([[sum(one[w] * other.get(w, 0.0) for w in one) for other in vectors] for one in vectors])
    np.fill_diagonal(weights, 0)
    keep = weights >= np.sort(weights, axis=1)[:, -2:-1]
    graph = np.where(keep, weights, 0)
    out = graph.sum(axis=1, keepdims=True)
    steps = np.divide(graph, out, out=np.full_like(graph, 1 / 3), where=out > 0)
    share = np.full(3, 1 / 3)
    for _ in range(500):
        share = 0.85 * steps.T @ share + 0.15 / 3
    found = FormulaRank(k=2).fit(tex, [2, 1, 5])
    assert np.allclose(found.centrality_, 3 * share, atol=1e-6)
    assert np.allclose(found.score_, np.array([2, 1, 5]) * 3 * share, atol=1e-5)
    assert found.order_.tolist() == np.argsort(-found.score_, kind="stable").tolist()


def test_a_formula_without_neighbours_leads_anywhere() -> None:
    found = FormulaRank(k=1).fit(["a = b", "", ""], [1, 1, 1])
    assert found.centrality_.sum() == pytest.approx(3, abs=1e-6)
    assert FormulaRank(k=2).fit(["", ""], [3, 4]).score_.tolist() == [3.0, 4.0]
    assert FormulaRank(k=2).fit(["", ""], [3, 4]).order_.tolist() == [1, 0]


def equivalents(*tex: str) -> Equivalents:
    return Equivalents(encodings=FAST).fit(FormulaInContext(t, f"d{n}", ("wave",)) for n, t in enumerate(tex))


@pytest.mark.parametrize(
    ("one", "other", "level", "probability"),
    [
        (r"\frac{", r"\frac{", "K0", 0.98),
        (r"\frac{", r" \frac{ ", "K0", 0.98),
        (r"\frac{", r"\sqrt{", "", 0.001),
        ("a+b", "a + b", "K0", 0.98),
        ("a+b", r"\nabla \times c", "", 0.001),
        ("E = m c^2", r"\frac{", "", 0.001),
    ],
)
def test_without_a_statement_only_keys_speak(one: str, other: str, level: str, probability: float) -> None:
    model = equivalents(one, other)
    assert model.level(0, 1) == level
    assert model.probability(0, 1) == probability
    assert model.group(0) == ([0, 1] if probability > 0.5 else [0])


def test_what_has_no_tree_has_as_many_keys_as_any_other() -> None:
    unreadable = r"\sum " * 50
    model = equivalents(unreadable, "E = m c^2")
    assert [len(keys) for keys in model.keys_] == [6, 6]
    assert set(model.keys_[0]) == {f"tex {unreadable.strip()}"}


def test_candidates_are_others_with_a_shared_key_or_near_by_an_encoding() -> None:
    model = equivalents("p = w q", "p=wq", "F = m a")
    found = model.candidates(0)
    assert set(found) == {1, 2}
    assert found[1] == pytest.approx(1.0)
    assert [n.row for n in model.neighbours(0)] == [1, 2]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (r"p_i=w_i\rho_i", r"p=w\rho", True),
        (r"p_1=wp_2", r"p=wp", False),  # without scripts two pressures would be one
        (r"p=wp", r"p_1=wp_2", False),
        (r"p_i=w_i\rho_i", r"p=w\sigma", False),
    ],
)
def test_scripts_may_be_dropped_where_no_two_symbols_become_one(one: str, other: str, same: bool) -> None:
    groups: Any = [SimpleNamespace(spellings={tex}) for tex in (one, other)]
    assert _same_symbols(*groups) is same
