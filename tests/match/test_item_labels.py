from __future__ import annotations

import pytest

from bot.discover.cues.cue_language import article_language
from bot.discover.label_scope import scope
from bot.match.item_labels import fold, head_word, labels_to_ask, plural, singular, variants


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ampère’s law", "ampère's law"),
        ("The  Klein–Gordon equation", "Klein-Gordon Equation"),
        ("“Mach number”", "mach number"),
    ],
)
def test_spellings_of_one_name_fold_together(a: str, b: str) -> None:
    assert fold(a) == fold(b)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Common expression of Ohm’s law", "Ohm's law"),
        ("Newton’s second law, vector form", "Newton's second law"),
        ("Darcy equation", "Darcy's equation"),
        ("Darcy's law", "Darcy equation"),
        ("Maxwell equation", "Maxwell equations"),
        ("moment of inertia (rigid body)", "moment of inertia"),
        ("Reynolds numbers", "Reynolds number"),
        ("Coulomb constant", "Coulomb's constant"),
        ("Newtons law of universal gravitation", "Newton's law of universal gravitation"),
        ("Newtons second law", "Newton's second law"),
        ("Hookes law", "Hooke's law"),
        ("Energy of a photon", "photon energy"),
        ("Ratio of heat capacities", "heat capacity ratio"),
    ],
)
def test_a_label_is_met_under_a_variant_of_the_name(name: str, label: str) -> None:
    own, wanted = dict(variants(name)), dict(variants(label))
    assert own.keys() & wanted.keys()


def test_a_changed_name_is_worth_less_than_the_name() -> None:
    worth = dict(variants("Definition of momentum"))
    assert worth["definition of momentum"] == 1.0 > worth["momentum"]


def test_a_name_of_a_thing_is_no_part_of_a_longer_one() -> None:
    assert "sound speed" not in dict(variants("speed of sound in dry air"))
    assert dict(variants("energy of a photon"))["photon energy"] == 0.8
    assert "kinetic's energy" not in dict(variants("kinetic energy"))


def test_a_law_is_not_turned_into_a_theorem() -> None:
    assert fold("Stokes' theorem") not in dict(variants("Stokes’ law"))


def test_proper_names_keep_their_capitals_when_labels_are_asked_for() -> None:
    assert "Schwarzschild radius" in labels_to_ask("The Schwarzschild radius")
    assert "van der Waals equation" in labels_to_ask("van der Waals equations")


@pytest.mark.parametrize(
    ("word", "one"),
    [("laws", "law"), ("mass", "mass"), ("velocities", "velocity"), ("gas", "gas"), ("optics", "optics")],
)
def test_singular_leaves_what_only_looks_like_a_plural(word: str, one: str) -> None:
    assert singular(word) == one


def test_plural_follows_the_ending() -> None:
    assert [plural(w) for w in ("law", "velocity", "flux", "forces")] == ["laws", "velocities", "fluxes", "forces"]


@pytest.mark.parametrize(
    ("label", "head"),
    [("moment of inertia", "moment"), ("angular velocity", "velocity"), ("range (statistics)", "range")],
)
def test_head_word_is_what_a_label_is_about(label: str, head: str) -> None:
    assert head_word(label) == head


def test_odd_names_neither_crash_nor_give_variants() -> None:
    assert variants("") == () == variants(" , ")
    assert labels_to_ask("") == ()


@pytest.mark.parametrize(
    ("name", "label", "said"),
    [
        ("torque", "torque", "same"),
        ("torque vector", "torque", "general"),
        ("density of a substance", "density", "general"),
        ("internal energy of the system", "internal energy", "general"),
        ("ideal gas law in terms of moles", "ideal gas law", "general"),
        ("definition of resistance", "resistance", "general"),
        ("newton's second law, vector form", "newton's second law", "general"),
        ("average velocity", "velocity", "narrow"),
        ("period of a simple pendulum", "period", "narrow"),
        ("electric potential v of a point charge", "electric potential", "narrow"),
        ("angular frequency in lc circuits", "angular frequency", "narrow"),
        ("energy density", "energy", ""),
        ("body's kinetic energy", "kinetic energy", ""),
        ("relation between frequency and period", "period", ""),
        ("hall potential in terms of drift velocity", "drift velocity", ""),
        ("de: mittlere geschwindigkeit", "geschwindigkeit", "narrow"),
        ("de: momentane geschwindigkeit", "geschwindigkeit", "general"),
        ("de: energie eines teilchens", "energie", "general"),
        ("de: schwingungsdauer des fadenpendels", "schwingungsdauer", "narrow"),
        ("de: erhaltung der energie", "energie", ""),
        ("fr: énergie cinétique", "énergie", "narrow"),
        ("fr: énergie totale d'un système", "énergie", "general"),
        ("fr: période du pendule simple", "période", "narrow"),
        ("fr: conservation de l'énergie", "énergie", ""),
        ("es: energía cinética", "energía", "narrow"),
        ("es: energía total del sistema", "energía", "general"),
        ("es: definición de la fuerza", "fuerza", "general"),
        ("es: conservación de la energía", "energía", ""),
        ("it: energia totale", "energia", ""),  # no words for it
        ("it: energia", "energia", "same"),
    ],
)
def test_a_name_is_as_wide_as_the_label_that_it_contains_or_narrower(name: str, label: str, said: str) -> None:
    code, _, name = name.rpartition(": ")
    assert scope(name, label, article_language(code)) == said
