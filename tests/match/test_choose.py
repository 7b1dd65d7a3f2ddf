from __future__ import annotations

import random

from bot.match.choose import choose
from bot.records import ItemMatch


def _match(concept: str, qid: str, probability: float) -> ItemMatch:
    return ItemMatch(concept, f"{concept}=x", qid, probability)


def test_an_item_gets_its_likeliest_formula_only() -> None:
    found = choose([_match("a", "Q1", 0.7), _match("b", "Q1", 0.9), _match("c", "Q2", 0.6)], 0.5)
    assert [(m.concept, m.qid) for m in found] == [("b", "Q1"), ("c", "Q2")]


def test_a_formula_may_go_to_two_items() -> None:
    found = choose([_match("a", "Q1", 0.9), _match("a", "Q2", 0.8)], 0.5)
    assert [m.qid for m in found] == ["Q1", "Q2"]


def test_below_the_threshold_nothing_is_queued() -> None:
    assert choose([_match("a", "Q1", 0.49)], 0.5) == []


def test_the_order_of_the_input_does_not_matter() -> None:
    rows = [
        _match(c, f"Q{n}", p)
        for c, n, p in (("a", 1, 0.9), ("a", 2, 0.9), ("b", 2, 0.9), ("c", 10, 0.9), ("c", 9, 0.9))
    ]
    wanted = choose(rows, 0.5)
    for seed in range(5):
        assert choose(random.Random(seed).sample(rows, len(rows)), 0.5) == wanted
