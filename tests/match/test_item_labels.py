from __future__ import annotations

import pytest

from bot.discover.cues.cue_language import article_language
from bot.discover.label_scope import name_scope
from bot.match.item_labels import fold, head_word, is_statement, labels_to_ask, plural, singular, variants


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ampère’s law", "ampère's law"),
        ("The  Klein–Gordon equation", "Klein-Gordon Equation"),
        ("“Mach number”", "mach number"),
        ("L´Hôpital's rule", "L'Hôpital’s rule"),
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
    ("name", "spellings"),
    [
        ("a", {}),
        ("force", {"force": 1.0}),
        ("Ohm’s law", {"ohm's law": 1.0, "ohm's laws": 0.95, "ohm law": 0.95, "ohm's equation": 0.7, "ohm's formula": 0.7, "ohm's relation": 0.7}),
        ("Darcy equation", {"darcy equation": 1.0, "darcy equations": 0.95, "darcy's equation": 0.95, "darcy": 0.7, "darcy law": 0.7, "darcy formula": 0.7, "darcy relation": 0.7}),
        ("moment of inertia (rigid body)", {"moment of inertia (rigid body)": 1.0, "moment of inertia": 0.9, "inertia moment": 0.72}),
        (
            "Newton’s second law, vector form",
            {
                "newton's second law, vector form": 1.0, "newton second law, vector form": 0.95, "newton's second law": 0.75,
                "newton's second laws": 0.7125, "newton second law": 0.7125, "newton's second equation": 0.525,
                "newton's second formula": 0.525, "newton's second relation": 0.525,
            },
        ),
        ("law of sines", {"law of sines": 1.0, "law of sine": 0.95, "sines": 0.8, "sine": 0.75}),
        ("Ratio of heat capacities", {"ratio of heat capacities": 1.0, "ratio of heat capacity": 0.95, "heat capacity ratio": 0.8}),
        ("Reynolds number", {"reynolds number": 1.0, "reynolds's number": 0.95, "reynold's number": 0.95}),
        ("Stokes' law", {"stokes' law": 1.0, "stokes' laws": 0.95, "stokes law": 0.95, "stokes's law": 0.95, "stokes' equation": 0.7, "stokes' formula": 0.7, "stokes' relation": 0.7}),
        ("Gauss's law", {"gauss's law": 1.0, "gauss's laws": 0.95, "gauss law": 0.95, "gauss' law": 0.95, "gauss's equation": 0.7, "gauss's formula": 0.7, "gauss's relation": 0.7}),
        ("time-of-flight masses", {"time-of-flight masses": 1.0, "time-of-flight mass": 0.95, "time of flight masses": 0.95}),
    ],
)  # fmt: skip
def test_each_spelling_of_a_name_has_its_weight_and_the_nearest_come_first(
    name: str, spellings: dict[str, float]
) -> None:
    assert list[object](variants(name)) == [(one, pytest.approx(weight)) for one, weight in spellings.items()]


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("Force", ["Force"]),
        ("  An  Ohm’s law. ", ["Ohm's law", "Ohm's laws", "ohm law", "Ohm's equation", "Ohm's formula", "Ohm's relation"]),
        ("Ratio of Heat capacities", ["Ratio of Heat capacities", "Ratio of Heat capacity", "Heat capacity Ratio"]),
    ],
)  # fmt: skip
def test_labels_asked_for_are_the_name_and_its_variants_in_order(name: str, asked: list[str]) -> None:
    assert list(labels_to_ask(name)) == asked
    assert list(labels_to_ask(name, variants_too=False)) == asked[:1]


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("The “Mach number” *", "“mach number"),
        ("An apple", "apple"),
        ("theory", "theory"),
        ("a‒b—c−d", "a-b-c-d"),
        ("L′Hôpital’s", "l'hôpital's"),
        ("ﬁeld", "field"),
        ("A", "a"),
        ("the the x", "the x"),
    ],
)
def test_folding_takes_case_dashes_one_article_and_what_stands_outside(name: str, folded: str) -> None:
    assert fold(name) == folded


@pytest.mark.parametrize(
    ("words", "ones"),
    [
        ("law laws pens", "law law pen"),
        ("gas bus axis mass optics is abc s James's", "gas bus axis mass optics is abc s James's"),
        ("flies velocities", "fly velocity"),
        ("lashes coaches boxes masses", "lash coach box mass"),
    ],
)
def test_singular_leaves_what_only_looks_like_a_plural(words: str, ones: str) -> None:
    assert [singular(word) for word in words.split()] == ones.split()


def test_plural_follows_the_ending() -> None:
    words = "law velocity flux forces day sky arch dash x ab toy"
    assert " ".join(map(plural, words.split())) == "laws velocities fluxes forces days skies arches dashes x ab toys"


@pytest.mark.parametrize(
    ("label", "head", "statement"),
    [
        ("moment of inertia", "moment", False),
        ("angular velocity", "velocity", False),
        ("range (statistics)", "range", False),
        ("net force on the body", "force", False),
        ("laws of motion", "laws", True),
        ("principle of least action", "principle", True),
        ("mass–energy equivalence", "equivalence", True),
        ("definition", "definition", False),
        ("", "", False),
    ],
)
def test_head_word_is_what_a_label_is_about_and_says_whether_it_is_a_statement(
    label: str, head: str, statement: bool
) -> None:
    assert (head_word(label), is_statement(label)) == (head, statement)


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
    assert name_scope(name, label, article_language(code)) == said
