"""The figures over decisions: kappa against the textbook, precision with its interval, agreement on equal content."""

from __future__ import annotations

from typing import Any

import pytest

from bot.review.statistics import kappa, of_rows, wilson


def row(n: int, proposal: str, verdict: str, reviewer: str, **values: Any) -> dict[str, Any]:
    return {
        "n": n, "proposal": proposal, "hash": "h", "verdict": verdict, "reason": "", "reviewer": reviewer, "time": "2026-11-20T10:00:00Z",
        "tex": "", "probability": 0.95, **values,
    }  # fmt: skip


def test_kappa_of_a_known_table() -> None:
    """Cohen's own kind of example: 20 both yes, 15 both no, 5 and 10 apart: kappa 0.4."""
    pairs = [("a", "a")] * 20 + [("a", "r")] * 5 + [("r", "a")] * 10 + [("r", "r")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("a", "a")] * 3) is None
    assert kappa([]) is None
    assert kappa([("a", "r"), ("r", "a")]) == pytest.approx(-1)


def test_agreement_counts_two_people_on_the_same_content_only() -> None:
    rows = [
        row(1, "p", "approve", "Ada"), row(2, "p", "reject", "Ben"), row(3, "q", "approve", "Ada"), row(4, "q", "approve", "Ada"),
        row(5, "r", "approve", "Ada"), row(6, "r", "approve", "Ben", hash="other"), row(7, "s", "approve", "Ada"), row(8, "s", "approve", "Ben"),
        row(9, "s", "skip", "Cleo"),
    ]  # fmt: skip
    found = of_rows(rows).agreement
    assert (found.pairs, found.same) == (2, 1)


def test_bands_count_the_word_that_stands() -> None:
    rows = [
        row(1, "p", "approve", "Ada"),
        row(2, "p", "withdraw", "Ada"),
        row(3, "q", "approve", "Ada", probability=0.9, tex="x"),
        row(4, "r", "reject", "Ada", probability=1.0),
    ]
    band = of_rows(rows).bands[9]
    assert (band.approved, band.rejected, band.edited, band.precision) == (1, 1, 1, 0.5)
    assert of_rows(rows).words == 2  # one was taken back
    assert of_rows([]).bands[0].precision is None


def test_wilson() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 2), round(high, 2)) == (0.49, 0.94)
    assert wilson(0, 0) == (0.0, 1.0)


def test_attention() -> None:
    seen = [{"reviewer": "Ada", "verdict": v} for v in ("reject", "approve", "unsure", "skip")]
    assert of_rows([], seen).attention == (("Ada", 2, 3),)
