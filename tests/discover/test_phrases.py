"""Noun phrases and the form under which spellings of a name meet."""

import pytest

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


def found(text: str) -> list[str]:
    return [phrase.text for phrase in noun_phrases(text)]


def test_phrases_end_at_function_words_verbs_and_formulas() -> None:
    assert found("The Klein–Gordon equation ⟦3⟧ is a relativistic wave equation") == [
        "Klein–Gordon equation",
        "relativistic wave equation",
    ]


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


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("is obtained from the Klein–Gordon equation: ", "Klein–Gordon equation"),
        ("according to Hooke's law, ", "Hooke's law"),
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
    assert is_usable_name("first-order differential equation", bare=True)
    assert not is_usable_name("first-order differential equation")
    assert not is_usable_name("differential equation", bare=True)
