"""Names that the sentences around a formula have: where, how far away, and how surely they are the formula's."""

from __future__ import annotations

import pytest

from bot.discover.cues.mentions import EXPLICIT_CUES, PROSE_CUES, Mention, mentions, nearness
from bot.discover.cues.prose import prose_cues
from bot.records import NameHint, Occurrence


def of(window: str, *cues: tuple[str, str]) -> list[Mention]:
    found = cues or tuple((kind, name) for name, kind in prose_cues(window, 1, "", {}))
    return list(mentions(Occurrence("d", 1, "", True, window, cues=tuple(NameHint(*cue) for cue in found))))


def test_a_mention_has_its_sentence_and_its_distance() -> None:
    window = "Work is done ⟦0⟧. The force\n of nature on ⟦2⟧ it is ⟦1⟧. All is well."
    assert of(window, ("phrase", "force of nature"), ("window_quantity", "Work")) == [
        Mention("force of nature", "phrase", "The force\n of nature on ⟦2⟧ it is ⟦1⟧.", 3, 1),
        Mention("Work", "window_quantity", "Work is done ⟦0⟧.", 9, 2),
    ]


def test_the_nearest_place_of_a_name_counts() -> None:
    assert [
        (one.words, one.formulas) for one in of("A force is a force is ⟦1⟧ of ⟦2⟧ force.", ("phrase", "force"))
    ] == [(1, 0)]
    assert [(one.words, one.formulas) for one in of("⟦1⟧ is it, the force", ("phrase", "force"))] == [(3, 0)]


@pytest.mark.parametrize("window", ["Forces, net-force_s and a force⟦1⟧.", "Forces,  net-force_s and a\nforce⟦1⟧."])
def test_a_name_stands_between_other_words(window: str) -> None:
    assert [one.words for one in of(window, ("phrase", "force"))] == [0]
    assert [one.words for one in of(window, ("phrase", "a force"), ("phrase", "net"))] == [0, 4]
    assert of(window, ("phrase", "net-force"), ("phrase", "Force")) == []


def test_what_is_no_prose_or_not_in_the_window_is_no_mention() -> None:
    window = "The force ⟦1⟧"
    assert of(window, ("infobox", "force"), ("heading", "force"), ("symbol", "force"), ("phrase", "forces")) == []
    assert of("The force ⟦2⟧", ("phrase", "force")) == []


@pytest.mark.parametrize(
    ("window", "says"), [("⟦1⟧ is called the force", 0.7), ("The force is given by ⟦1⟧", 0.5), ("⟦1⟧ and a force", 0.0)]
)
def test_a_mention_says_as_much_as_its_kind_of_cue(window: str, says: float) -> None:
    assert max(one.confidence for one in of(window) if one.name == "force") == says


def test_kinds_that_say_are_of_prose() -> None:
    assert EXPLICIT_CUES < PROSE_CUES
    assert {"called", "defined", "adjacent_law"} <= EXPLICIT_CUES
    assert PROSE_CUES.isdisjoint({"qid", "title_first", "heading", "symbol", "constituent"})


def test_nearness_falls_with_words_and_formulas() -> None:
    assert (nearness(0, 0), nearness(0, 2)) == (1.0, pytest.approx(0.36))
    assert nearness(8, 0) == pytest.approx(0.3679, abs=1e-4)
