"""All that a sentence says of its formula's name, cue by cue: nothing is missing and nothing is added."""

from __future__ import annotations

import pytest

from bot.discover.cues.prose import prose_cues

CUES: list[tuple[str, str, dict[str, str]]] = [
    ("The wave law states that ⟦0⟧.", "", {"wave law": "phrase_law states subject_first"}),
    ("The wave law ⟦0⟧ holds.", "", {"wave law": "adjacent_law phrase_law"}),
    ("Here ⟦0⟧ is called the wave law.", "", {"wave law": "called phrase_law"}),
    (
        "Here ⟦0⟧, where the constant ⟦1⟧ is called the wave number.",
        "",
        {"constant": "phrase_quantity subject_first", "wave number": "phrase_quantity"},
    ),
    (
        "It moves. So ⟦0⟧ holds. This equation is known as the wave law. It is called the heat law.",
        "",
        {"heat law": "called window_law", "wave law": "called window_law"},
    ),
    ("So ⟦0⟧ holds. Nothing is said. It is called the heat law.", "", {"heat law": "window_law"}),
    ("So ⟦0⟧. This is the wave law.", "", {"wave law": "this_is window_law"}),
    ("So ⟦0⟧. This is the wave energy.", "", {"wave energy": "this_is_quantity window_quantity"}),
    (
        "So ⟦0⟧ is the total energy of a body.",
        "",
        {
            "body": "phrase",
            "energy": "is_the_part",
            "total energy": "is_the_part phrase_quantity",
            "total energy of a body": "is_the phrase_quantity",
        },
    ),
    ("So ⟦0⟧ for the total energy.", "", {"energy": "is_for_part", "total energy": "is_for phrase_quantity"}),
    (
        "The total energy is defined as ⟦0⟧.",
        "",
        {"energy": "defined_part subject_first_part", "total energy": "defined phrase_quantity subject_first"},
    ),
    (
        "The total energy is ⟦0⟧.",
        "",
        {"energy": "equals_part subject_first_part", "total energy": "equals phrase_quantity subject_first"},
    ),
    (
        "We define the total energy as ⟦0⟧.",
        "",
        {"energy": "defined_part subject_first_part", "total energy": "defined phrase_quantity subject_first"},
    ),
    (
        "Bright fringes occur at angles that satisfy ⟦0⟧.",
        "",
        {"angles": "phrase", "Bright fringes": "happens phrase subject_first", "fringes": "subject_first_part"},
    ),
    (
        "For bright fringes, the paths differ: ⟦0⟧.",
        "",
        {
            "bright fringes": "phrase purpose subject_first",
            "fringes": "purpose_part subject_first_part",
            "paths": "phrase",
        },
    ),
    ("So ⟦0⟧ for total energy.", "", {"energy": "is_for_part", "total energy": "is_for phrase_quantity"}),
    ("So ⟦0⟧ for all bodies.", "", {"bodies": "phrase"}),
    (
        "The mean speed, vm, is the path by the time. ⟦0⟧",
        "v_m",
        {
            "mean speed": "apposition subject_before window_quantity",
            "speed": "apposition_part subject_before_part",
            "time": "window_quantity",
        },
    ),
    (
        "The total energy is obtained as follows. ⟦0⟧",
        "",
        {
            "energy": "defined_part subject_before_part",
            "total energy": "defined subject_before window_quantity",
        },
    ),
    (
        "The equation for the total energy is ⟦0⟧.",
        "",
        {
            "energy": "defined_part",
            "equation": "equals phrase subject_first",
            "total energy": "defined phrase_quantity",
        },
    ),
    ("So ⟦0⟧ (wave law) holds.", "", {"wave law": "parenthesis phrase_law"}),
    ("By the wave law (⟦0⟧) it holds.", "", {"wave law": "adjacent_law parenthesis phrase_law"}),
    (
        "The wave speed is known. It is given by ⟦0⟧.",
        "",
        {"speed": "subject_before_part", "wave speed": "subject_before window_quantity"},
    ),
    ("This is called the wave law. It is given by ⟦0⟧.", "", {"wave law": "called_before subject_before window_law"}),
    (
        "We see that the total energy is given by ⟦0⟧.",
        "",
        {"energy": "defined_part subject_first_part", "total energy": "defined phrase_quantity subject_first"},
    ),
    (
        "The total energy ⟦1⟧ is ⟦0⟧.",
        "E",
        {
            "energy": "apposition_part equals_part subject_first_part",
            "total energy": "apposition equals phrase_quantity subject_first",
        },
    ),
    (
        "The total energy E is ⟦0⟧.",
        "E",
        {
            "energy": "apposition_part equals_part subject_first_part",
            "total energy": "apposition equals phrase_quantity subject_first",
        },
    ),
    ("The total energy, ⟦0⟧, is kept.", "", {"energy": "phrase", "total energy": "adjacent_comma phrase_quantity"}),
    ("The wave law states that ⟦1⟧ and so ⟦0⟧.", "", {"wave law": "phrase_law subject_first"}),
    ("The wave law is known. So ⟦0⟧. The heat law follows.", "", {"heat law": "window_law", "wave law": "window_law"}),
    ("So ⟦0⟧ where the wave is called the soliton.", "", {"soliton": "phrase", "wave": "phrase subject_first"}),
    ("So ⟦0⟧, also known as the wave law.", "", {"wave law": "called phrase_law"}),
    (
        "The soliton, called the wave law, ⟦0⟧",
        "",
        {"soliton": "phrase subject_first", "wave law": "adjacent_law called_before phrase_law"},
    ),
]


@pytest.mark.parametrize(("window", "symbol", "cues"), CUES)
def test_a_sentence_gives_these_cues_and_no_others(window: str, symbol: str, cues: dict[str, str]) -> None:
    found: dict[str, set[str]] = {}
    for name, kind in prose_cues(window, 0, symbol, {1: "E"}):
        if name:
            found.setdefault(name, set()).add(kind)
    assert found == {name: set(kinds.split()) for name, kinds in cues.items()}


@pytest.mark.parametrize(("characters", "called"), [(58, True), (59, False), (62, False)])
def test_what_is_called_so_stands_near_the_formula(characters: int, called: bool) -> None:
    lead = " is in some way or other".ljust(characters, "x")
    cues = set(prose_cues(f"So ⟦0⟧{lead} called the wave law.", 0, "", {}))
    assert (("wave law", "called") in cues) is called


def test_plain_phrases_are_kept_the_nearest_first() -> None:
    words = [f"{chr(97 + n)}{chr(98 + n)}xo thing" for n in range(20)]
    window = " and ".join([*words, "⟦0⟧."])
    plain = [name for name, kind in prose_cues(window, 0, "", {}) if kind == "phrase" and name in words]
    assert words[-1] in plain
    assert words[0] not in plain
    assert len(set(plain)) == 14


@pytest.mark.parametrize(("lead", "both"), [("We see that the total energy", True), ("The total energy", False)])
def test_a_sentence_with_several_clauses_is_also_about_its_first_name(lead: str, both: bool) -> None:
    cues = set(prose_cues(f"{lead} is given by ⟦0⟧ here and there.", 0, "", {}))
    assert ("total energy", "defined") in cues
    assert (("total energy", "subject_first") in cues) is both
