"""Answers of `recognise` for a person: what is beside what, and why."""

from __future__ import annotations

from typing import Any

import pytest

from bot.cli_formulas import answer_rows

LABELS = {"Q35875": "mass–energy equivalence", "Q41591": "Ohm's law", "Q2": ""}


def hit(qid: str, score: float, probability: float, level: str, formula: str, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "score": score, "probability": probability, "level": level, "formula": formula, **more}


@pytest.mark.parametrize(
    ("answer", "rows"),
    [
        (
            {
                "tex": "E=mc^2",
                "accepted": True,
                "hits": [hit("Q35875", -0.1, 0.98, "K1", "E = mc^2"), hit("Q2", -3.0, 0.1, "", "E = m")],
            },
            [
                ("E=mc^2", "mass–energy equivalence (Q35875)", "E = mc^2", "the same formula, set differently", "0.980", "accepted: the same formula, set differently"),
                ("", "Q2", "E = m", "partly alike", "0.100", ""),
            ],
        ),
        (
            {"tex": "V=I+R", "accepted": False, "hits": [hit("Q41591", -0.1, 0.1, "", "V=IR", differs="differs from V=IR by an operation")]},
            [("V=I+R", "Ohm's law (Q41591)", "V=IR", "partly alike", "0.100", "not accepted: differs from V=IR by an operation")],
        ),
        (
            {"tex": "a", "accepted": False, "hits": [hit("Q2", -0.8, 0.4, "K5", "b"), hit("Q41591", -0.9, 0.4, "K5", "c")]},
            [
                ("a", "Q2", "b", "the same with other letters", "0.400", "not accepted: Ohm's law (Q41591) is nearly as likely"),
                ("", "Ohm's law (Q41591)", "c", "the same with other letters", "0.400", ""),
            ],
        ),
        (
            {"tex": "a", "accepted": False, "hits": [hit("Q2", -0.1, 0.4, "K4", "b")]},
            [("a", "Q2", "b", "the same up to constants, numbers and signs", "0.400", "not accepted: its probability is below 0.80")],
        ),
        (
            {"tex": "a", "accepted": True, "hits": [hit("Q41591", -0.1, 0.9, "", "")]},
            [("a", "Ohm's law (Q41591)", "", "named next to the formula", "0.900", "accepted: named next to the formula")],
        ),
        ({"tex": "?", "accepted": False, "hits": []}, [("?", "", "", "", "", "not accepted: no similar formula is known")]),
    ],
)  # fmt: skip
def test_a_person_reads_what_meets_and_why_it_is_accepted_or_not(answer: Any, rows: Any) -> None:
    assert list(answer_rows([answer], LABELS, 0.8)) == rows


@pytest.mark.parametrize(
    ("second", "together", "why"),
    [
        (-1.0, (), "not accepted: Ohm's law (Q41591) is nearly as likely"),
        (-1.69, (), "not accepted: Ohm's law (Q41591) is nearly as likely"),
        (-1.7, (), "not accepted: its probability is below 0.87"),  # half as likely
        (-1.0, ("Q41591",), "not accepted: its probability is below 0.87"),  # one concept of two items
        (-1.0, ("Q1",), "not accepted: Ohm's law (Q41591) is nearly as likely"),
    ],
)
def test_the_second_item_is_a_rival_from_half_the_odds_on(second: float, together: tuple[str, ...], why: str) -> None:
    hits = [hit("Q2", -1.0, 0.4, "K4", "b", together=together), hit("Q41591", second, 0.3, "K4", "c")]
    (first, _) = answer_rows([{"tex": "a", "accepted": False, "hits": hits}], LABELS, 0.872)
    assert first[-1] == why


def test_three_items_of_each_formula_are_shown() -> None:
    hits = [hit(f"Q{n}", -n, 0.1, "K4", "b") for n in range(5, 10)]
    answer = {"tex": "a", "accepted": True, "hits": hits}
    assert [row[:2] for row in answer_rows([answer, answer], {}, 0.8)] == [("a", "Q5"), ("", "Q6"), ("", "Q7")] * 2
