"""A formula that differs from an item's as a near miss does is not accepted for it, whatever stands beside it."""

import pytest

from bot.match.retrieval.recognise import Recogniser

ITEMS = [
    {"qid": "Q35875", "label": "mass–energy equivalence", "aliases": ["E=mc²"], "formulas": ["E=mc^2"]},
    {"qid": "Q41591", "label": "Ohm's law", "aliases": [], "formulas": ["V = I R"]},
    {"qid": "Q2039117", "label": "Pythagorean identity", "aliases": [], "formulas": [r"\sin^2\theta+\cos^2\theta=1"]},
]


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(ITEMS, book={})


@pytest.mark.parametrize(
    ("tex", "qid", "why"),
    [
        ("E = mc^3", "Q35875", "differs from E=mc^2 by an exponent"),
        (r"\sin^2\theta - \cos^2\theta = 1", "Q2039117", r"differs from \sin^2\theta+\cos^2\theta=1 by a sign"),
        ("V = I + R", "Q41591", "differs from V = I R by an operation"),
    ],
)
def test_a_near_miss_is_found_and_not_accepted(recogniser, tex, qid, why):
    found = recogniser.answer({"tex": tex})
    first = found["hits"][0]
    assert (found["accepted"], first["qid"], first["differs"]) == (False, qid, why)
    assert first["probability"] <= 0.1


def test_what_is_rearranged_stays_accepted(recogniser):
    found = recogniser.answer({"tex": r"\frac{E}{m} = c^2"})
    assert "differs" not in found["hits"][0]
    assert found["hits"][0]["qid"] == "Q35875"


def test_words_do_not_carry_a_near_miss(recogniser):
    found = recogniser.answer({"tex": "V = I + R", "title": "Ohm's law"})
    assert (found["hits"][0]["qid"], found["accepted"]) == ("Q41591", False)
    assert recogniser.answer({"tex": "V = I R", "title": "Ohm's law"})["accepted"]
