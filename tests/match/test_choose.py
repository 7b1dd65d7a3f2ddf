from __future__ import annotations

import random

from bot.match.item_selection import choose_matches
from bot.records import ItemMatch


def _match(concept: str, qid: str, probability: float) -> ItemMatch:
    return ItemMatch(concept, f"{concept}=x^{{{ord(concept)}}}+y", qid, probability)


def test_an_item_s_likeliest_formulas_come_first_and_are_few() -> None:
    found = choose_matches([_match(c, "Q1", p) for c, p in (("a", 0.7), ("b", 0.9), ("c", 0.6), ("d", 0.8))], 0.5)
    assert [m.concept for m in found] == ["b", "d", "a"]
    assert [m.concept for m in choose_matches(found, 0.5, 1)] == ["b"]


def test_two_ways_of_setting_one_formula_are_one() -> None:
    rows = [ItemMatch("a", r"p=\frac{F}{A}", "Q1", 0.9), ItemMatch("b", r"p={F \over A}", "Q1", 0.8)]
    assert [m.concept for m in choose_matches(rows, 0.5)] == ["a"]


def test_formulas_that_agree_as_the_item_s_are_one() -> None:
    rows = [
        ItemMatch("a", "PV=nRT", "Q1", 0.9),
        ItemMatch("b", "pV=nRT", "Q1", 0.8),
        ItemMatch("c", r"\Delta U=Q-W", "Q1", 0.7),
        ItemMatch("d", r"dU=\delta Q-\delta W", "Q1", 0.6),
    ]
    assert [m.concept for m in choose_matches(rows, 0.5)] == ["a", "c"]


def test_a_formula_may_go_to_two_items() -> None:
    found = choose_matches([_match("a", "Q1", 0.9), _match("a", "Q2", 0.8)], 0.5)
    assert [m.qid for m in found] == ["Q1", "Q2"]


def test_below_the_threshold_nothing_is_queued() -> None:
    assert choose_matches([_match("a", "Q1", 0.49)], 0.5) == []


def test_the_order_of_the_input_does_not_matter() -> None:
    rows = [
        _match(c, f"Q{n}", p)
        for c, n, p in (("a", 1, 0.9), ("a", 2, 0.9), ("b", 2, 0.9), ("c", 10, 0.9), ("c", 9, 0.9))
    ]
    wanted = choose_matches(rows, 0.5)
    for seed in range(5):
        assert choose_matches(random.Random(seed).sample(rows, len(rows)), 0.5) == wanted
