"""Noun phrases and the form under which spellings of a name meet."""

import pytest

from bot.discover.phrases import (
    display_form,
    first_full_name,
    fold,
    folded_clauses,
    is_law,
    is_quantity,
    is_usable_name,
    name_at_end,
    name_at_start,
    noun_phrases,
    shorter_names,
    split_at_joint,
)


def found(text: str) -> list[str]:
    return [phrase.text for phrase in noun_phrases(text)]


def test_phrases_end_at_function_words_verbs_and_formulas() -> None:
    assert found("The Klein–Gordon equation ⟦3⟧ is a relativistic wave equation") == [
        "Klein–Gordon equation",
        "relativistic wave equation",
    ]


def test_a_word_where_a_verb_must_stand_is_in_no_name() -> None:
    assert found("Let’s push a distribution that we mould, as it can flex") == ["distribution"]
    assert not is_usable_name("equations of motion read")


def test_a_word_joined_to_a_formula_is_the_rest_of_a_word() -> None:
    assert found("an ⟦1⟧-dimensional torus and the 1^st law") == ["torus", "law"]


def test_the_definition_of_a_quantity_is_that_quantity() -> None:
    assert name_at_end("This motivates the definition of pressure:") == "pressure"
    assert first_full_name("the definition of thermal efficiency is") == "thermal efficiency"


def test_what_is_per_unit_of_something_is_another_quantity() -> None:
    assert first_full_name("the charge per unit area of the plate") == ""
    assert first_full_name("the average energy per molecule") == "average energy"


def test_of_joins_two_phrases_once_and_the_whole_comes_first() -> None:
    assert found("the moment of inertia") == ["moment of inertia", "moment", "inertia"]
    assert "inertia of the body" not in found("the moment of inertia of the body")


def test_in_joins_a_change_with_what_changes() -> None:
    assert found("the change in entropy") == ["change in entropy", "change", "entropy"]
    assert found("the work in physics") == ["work", "physics"]
    assert first_full_name("the change in the internal energy of a gas") == "change in the internal energy"
    assert list(shorter_names("change in entropy")) == []


def test_a_stroke_joins_whole_words_only() -> None:
    assert found("the lens/mirror equation") == ["lens/mirror equation"]
    assert found("a speed in km/h") == ["speed", "km"]


def test_words_that_praise_are_not_part_of_the_name() -> None:
    assert found("the famous general Navier–Stokes equation")[0] == "Navier–Stokes equation"
    assert found("the term specific storage")[0] == "specific storage"
    assert found("the small angle approximation")[0] == "small angle approximation"
    assert found("the fundamental theorem of calculus")[0] == "fundamental theorem of calculus"


def test_a_name_is_not_cut_off_in_its_middle() -> None:
    assert found("the total mass inside this volume")[0] == "total mass"
    assert found("the delay due to the air goes on")[0] == "delay"
    assert found("is termed effective porosity")[0] == "effective porosity"
    assert found("Newton's 2nd law of motion")[0] == "Newton's 2nd law of motion"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("is obtained from the Klein–Gordon equation: ", "Klein–Gordon equation"),
        ("according to Hooke's law, ", "Hooke's law"),
        ("the standard presentation of the Navier–Stokes equation: ", "Navier–Stokes equation"),
        ("leads to the concept of redshift ", "redshift"),
        ("the force acts on ", ""),
        ("", ""),
    ],
)
def test_the_name_right_before_a_formula(text: str, name: str) -> None:
    assert name_at_end(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the Hubble parameter, which", "Hubble parameter"),
        ("“virial theorem”", "virial theorem"),
        ("of the gas", ""),
        ("", ""),
    ],
)
def test_the_name_right_after_a_verb(text: str, name: str) -> None:
    assert name_at_start(text) == name


def test_a_clause_about_the_magnitude_of_something_is_about_that_thing() -> None:
    assert first_full_name("the magnitude of the torque on the wheel") == "torque"
    assert first_full_name("the ratio of stress to strain") == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Klein–Gordon Equation", "klein-gordon equations"),
        ("Newton’s second law", "Newton's Second Laws"),
        ("Boltzmann's constant (vector form)", "Boltzmann constant"),
        ("Friedmann equations", "friedmann equation"),
        ("energies", "energy"),
        ("Newton's 2nd law", "Newton's second law"),
    ],
)
def test_spellings_of_one_name_fold_together(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("mass", "mas"), ("basis", "basi"), ("gas", "ga"), ("physics", "physic")])
def test_words_that_only_look_plural_stay(one: str, other: str) -> None:
    assert fold(one) == one != other


@pytest.mark.parametrize(
    "name",
    [
        "equation",
        "following expression",
        "Figure 3",
        "Problem 5",
        "Eq. 12",
        "x",
        "12",
        "",
        "the value",
        "⟦3⟧",
        "table",
        "enclosed",
        "massless",
        "scalar spectral",
        "differential equation",
        "integrating Equation",
        "preferred equation",
        "fundamental equation",
        "2nd law",
        "positive definite",
        "independent of frequency",
        "Hint",
    ],
)
def test_what_is_no_name_is_refused(name: str) -> None:
    assert not is_usable_name(display_form(name))


@pytest.mark.parametrize(
    "name",
    [
        "energy",
        "time constant",
        "equation of state",
        "Hubble's law",
        "speed",
        "Planck units",
        "superpotential",
        "induced metric",
    ],
)
def test_what_is_a_name_passes(name: str) -> None:
    assert is_usable_name(name)


def test_shorter_names_keep_their_head() -> None:
    assert list(shorter_names("time-dependent Schrödinger equation")) == ["Schrödinger equation"]
    assert list(shorter_names("net gravitational force")) == ["gravitational force", "force"]
    assert list(shorter_names("first law of thermodynamics")) == ["law of thermodynamics"]


def test_heads_of_laws_and_of_quantities() -> None:
    assert is_law("Ohm's law")
    assert is_law("law of sines")
    assert not is_law("law")
    assert is_quantity("moment of inertia")
    assert not is_quantity("apple")


def test_in_a_bare_window_the_kind_of_a_law_is_better_than_nothing() -> None:
    assert is_usable_name("first-order differential equation", is_bare_cue=True)
    assert not is_usable_name("first-order differential equation")
    assert not is_usable_name("differential equation", is_bare_cue=True)


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("the x force", [("force", 6, 11)]),
        ("type 2 superconductor", [("type", 0, 4), ("superconductor", 7, 21)]),
        ("⟦3⟧ force ⟦4⟧ mass", [("force", 4, 9), ("mass", 14, 18)]),
        ("moment of the inertia of the body", [("moment of the inertia", 0, 21), ("moment", 0, 6), ("inertia", 14, 21), ("body", 29, 33)]),
        ("aa bb cc dd ee ff gg hh", [("bb cc dd ee ff gg hh", 3, 23)]),  # seven words
        ("", []),
    ],
)  # fmt: skip
def test_a_phrase_has_its_place_in_the_text(text: str, spans: list[tuple[str, int, int]]) -> None:
    assert [tuple(phrase) for phrase in noun_phrases(text)] == spans


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ("radii indices vertices formulae criteria", "radius index vertex formula criterion"),
        ("masses boxes arches dashes ties energies laws", "mass box arch dash tie energy law"),
        ("physics serious basis bus mass gas", "physics serious basis bus mass gas"),
        ("Ohm's Γ φ α", "ohm gamma phi alpha"),
        ("The force of a body (free)", "force of body"),
    ],
)
def test_a_word_is_folded_into_its_singular_and_a_greek_letter_into_its_name(names: str, folded: str) -> None:
    assert fold(names) == folded


def test_running_text_is_folded_with_the_signs_between_its_clauses() -> None:
    assert folded_clauses("The forces, of (a) body: ⟦3⟧!") == "force , of ( ) body : ⟦ 3 ⟧ !"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (" The force (of it) ⟦3⟧ here. ", "force here"),
        ("“Mach number”", "Mach number"),
        ("energy|=", "energy"),
        ("a mass", "mass"),
        ("Amass", "Amass"),
        ("AN apple", "apple"),
    ],
)
def test_a_name_is_shown_without_article_parenthesis_and_marks(name: str, shown: str) -> None:
    assert display_form(name) == shown


@pytest.mark.parametrize(
    ("words", "letters", "given", "usable"),
    [
        (10, 5, False, True),
        (11, 5, False, False),
        (20, 5, True, True),
        (21, 5, True, False),
        (1, 80, False, True),
        (1, 81, False, False),
        (1, 160, True, True),
        (1, 161, True, False),
        (1, 3, False, True),
        (1, 2, True, False),
    ],
)
def test_a_name_has_so_many_words_and_characters_at_most(words: int, letters: int, given: bool, usable: bool) -> None:
    assert is_usable_name(" ".join(["b" * letters] * words), from_source=given) is usable


@pytest.mark.parametrize(
    ("name", "usable", "bare", "given"),
    [
        ("figure 3", False, False, False),
        ("figure x", False, False, False),
        ("figure xy", True, True, True),
        ("step function", True, True, True),
        ("body's", False, False, True),
        ("bodies'", False, False, True),
        ("moved", False, False, True),
        ("ordered", True, True, True),
        ("t-statistic", True, True, True),
        ("force 3", False, False, True),
        ("see Equation", False, False, True),
        ("long form", False, False, True),
        ("law", False, False, True),
        ("second law", False, False, True),
        ("time constant", True, True, True),
        ("value", False, False, True),
        ("general value", False, False, True),
        ("3 energy", True, True, True),
    ],
)
def test_what_an_author_gives_is_a_name_where_it_is_no_figure(name: str, usable: bool, bare: bool, given: bool) -> None:
    assert (is_usable_name(name), is_usable_name(name, is_bare_cue=True), is_usable_name(name, from_source=True)) == (
        usable, bare, given,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("clause", "name"),
    [
        ("magnitude of the torque", "torque"),
        ("big magnitude of x", "big magnitude"),
        ("magnitude", "magnitude"),
        ("ratio of stress", ""),
        ("ratio", ""),
        ("net ratio", "net ratio"),
        ("", ""),
    ],
)
def test_the_name_of_a_clause_that_describes(clause: str, name: str) -> None:
    assert first_full_name(clause) == name


def test_names_at_the_start_and_at_the_end_stand_behind_marks_and_light_words_only() -> None:
    starts = ["the net Force", "also the force", "very force", "of force", "“force", "5 force", "(force"]
    assert list(map(name_at_start, starts)) == ["net Force", "force", "", "", "force", "", ""]
    ends = ["the force,", "the force (", "the force: *", "force.", "the force is", "⟦3⟧ and force", "force ⟦3⟧"]
    assert list(map(name_at_end, ends)) == ["force", "force", "force", "", "", "force", ""]
    assert name_at_end("moment of inertia") == "moment of inertia"


def test_names_are_taken_apart_at_their_joint() -> None:
    assert split_at_joint("force of the body of it") == ("force", " of the ", "body of it")
    assert split_at_joint("force") == ("force", "", "")
    names = ["big net force", "force", "Ohm's second law", "a law equation", "net force of body"]
    assert [list(shorter_names(name)) for name in names] == [
        ["net force", "force"], [], ["second law"], ["law equation"], ["force of body"],
    ]  # fmt: skip
