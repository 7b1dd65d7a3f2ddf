"""The figures over decisions: kappa against the textbook, precision with its interval, agreement on equal content."""

from __future__ import annotations

from typing import Any

import pytest

from bot.review.statistics import Agreement, decisions_in_force, kappa, statistics_of_decisions, wilson_interval


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
    found = statistics_of_decisions(rows).agreement
    assert (found.pairs, found.same) == (2, 1)


def test_bands_count_the_word_that_stands() -> None:
    rows = [
        row(1, "p", "approve", "Ada"),
        row(2, "p", "withdraw", "Ada"),
        row(3, "q", "approve", "Ada", probability=0.9, tex="x"),
        row(4, "r", "reject", "Ada", probability=1.0),
    ]
    band = statistics_of_decisions(rows).bands[9]
    assert (band.approved, band.rejected, band.edited, band.precision) == (1, 1, 1, 0.5)
    assert statistics_of_decisions(rows).words == 2  # one was taken back
    assert statistics_of_decisions([]).bands[0].precision is None


def test_wilson() -> None:
    low, high = wilson_interval(8, 10)
    assert (round(low, 2), round(high, 2)) == (0.49, 0.94)
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_attention() -> None:
    seen = [{"reviewer": "Ada", "verdict": v} for v in ("reject", "approve", "unsure", "skip")]
    assert statistics_of_decisions([], seen).attention == (("Ada", 2, 3),)


def counted(*rows: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [(b.approved, b.rejected, b.edited) for b in statistics_of_decisions(rows).bands]


@pytest.mark.parametrize(
    ("probability", "band"),
    [
        (None, 0),
        (-0.5, 0),
        (0.0, 0),
        (0.0999, 0),
        (0.1, 1),
        (0.3, 3),
        (0.7, 7),
        (0.8999, 8),
        (0.9, 9),
        (1.0, 9),
        (1.2, 9),
    ],
)
def test_band_of_a_probability(probability: float | None, band: int) -> None:
    found = counted(row(1, "p", "approve", "Ada", probability=probability))
    assert [n for n, (approved, _, _) in enumerate(found) if approved] == [band]


def test_bands_reach_from_0_to_1_and_an_edited_rejection_is_no_edit() -> None:
    found = statistics_of_decisions(
        [row(1, "p", "reject", "Ada", tex="x"), row(2, "q", "approve", "Ada", tex="x"), row(3, "r", "approve", "Ada")]
    )
    assert [(b.low, b.high) for b in found.bands] == [(n / 10, (n + 1) / 10) for n in range(10)]
    last = found.bands[9]
    assert (last.approved, last.rejected, last.edited, last.judged) == (2, 1, 1, 3)
    assert last.precision == pytest.approx(2 / 3)
    assert last.interval == wilson_interval(2, 3)


def test_days_people_and_reasons() -> None:
    rows = [
        row(1, "p", "approve", "Ben", time="2026-11-21T10:00:00Z"),
        row(2, "q", "reject", "Ada", reason="bad_tex"),
        row(3, "r", "reject", "Ada", reason="duplicate"),
        row(4, "s", "reject", "Ben", reason="duplicate"),
        row(5, "t", "unsure", "Ada"),
        row(6, "u", "skip", "Ada"),
        row(7, "p", "reject", "Ada", reason="bad_tex"),
        row(8, "v", "approve", "Ada"),
    ]
    found = statistics_of_decisions(rows)
    assert (found.words, found.proposals) == (6, 5)
    assert found.days == (("2026-11-20", 1, 4), ("2026-11-21", 1, 0))
    assert found.people == (("Ada", 1, 3), ("Ben", 1, 1))
    assert found.reasons == (("bad_tex", 2), ("duplicate", 2))
    assert found.agreement == Agreement(1, 0, pytest.approx(0.0))


def left(*words: str) -> list[str]:
    """Return what is left of "Ada approve" …, oldest first."""
    rows = [row(n, "p", word.split()[1], word.split()[0]) for n, word in enumerate(words, 1)]
    return sorted(f"{each['n']} {name}" for (_, _, name), said in decisions_in_force(rows).items() for each in said)


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        (("Ada approve", "Ada skip"), ["1 Ada"]),
        (("Ada approve", "Ada reject"), ["1 Ada", "2 Ada"]),
        (("Ada approve", "Ada reject", "Ada withdraw"), []),
        (("Ada approve", "Ben reject", "Ada withdraw"), ["2 Ben"]),
        (("Ada approve", "Ben reject", "Cleo withdraw"), ["1 Ada"]),
        (("Cleo withdraw", "Ada approve"), ["2 Ada"]),
        (("Ada approve", "Ada withdraw", "Ada reject"), ["3 Ada"]),
    ],
)
def test_what_is_taken_back_leaves_no_trace(words: tuple[str, ...], rest: list[str]) -> None:
    assert left(*words) == rest


def test_what_is_taken_back_on_one_proposal_stays_on_another() -> None:
    rows = [row(1, "p", "approve", "Ada"), row(2, "q", "approve", "Ada"), row(3, "p", "withdraw", "Ada")]
    assert list(decisions_in_force(rows)) == [("q", "h", "Ada")]


def test_agreement_goes_by_the_first_words_of_the_first_two_people() -> None:
    rows = [
        row(1, "p", "approve", "Ada"), row(2, "p", "approve", "Ben"), row(3, "p", "reject", "Ben"), row(4, "p", "reject", "Cleo"),
        row(5, "q", "unsure", "Ada"), row(6, "q", "approve", "Ben"),
        row(7, "r", "reject", "Ada"), row(8, "r", "approve", "Ben"), row(9, "r", "approve", "Cleo"),
    ]  # fmt: skip
    found = statistics_of_decisions(rows).agreement
    assert (found.pairs, found.same) == (2, 1)


@pytest.mark.parametrize(
    ("good", "all_", "interval"),
    [
        (8, 10, (0.4901625, 0.9433178)),
        (0, 10, (0.0, 0.2775402)),
        (10, 10, (0.7224598, 1.0)),
        (1, 2, (0.0945312, 0.9054688)),
        (50, 100, (0.4038298, 0.5961702)),
    ],
)
def test_wilsons_interval(good: int, all_: int, interval: tuple[float, float]) -> None:
    """Wilson 1927 with z = 1.96; 8 of 10 is the textbook's example."""
    assert wilson_interval(good, all_) == pytest.approx(interval, abs=1e-5)


def test_attention_is_of_each_person_by_name() -> None:
    seen = [{"reviewer": name, "verdict": v} for name, v in (("Ben", "approve"), ("Ada", "unsure"), ("Ben", "reject"))]
    assert statistics_of_decisions([], seen).attention == (("Ada", 1, 1), ("Ben", 1, 2))
