"""One entry for each item and canonical formula; its rivals beside it."""

from __future__ import annotations

from itertools import permutations

from propose_records import TEX

from bot.propose.select import canonical, entries
from bot.records import Evidence, ItemMatch

NAME = Evidence("name", 1.0, "named")


def test_the_rest_of_a_formulas_items_and_an_items_formulas_are_kept_as_rivals() -> None:
    matches = [
        ItemMatch("k1", TEX, "Q1", 0.9, (NAME,)),
        ItemMatch("k1", TEX, "Q2", 0.45),
        ItemMatch("k2", r"E = m c^2", "Q1", 0.4),
    ]
    (entry,) = entries(matches, 0.5)
    assert (entry.qid, entry.concepts, entry.evidence) == ("Q1", ("k1",), (NAME,))
    assert entry.runners_up == (("Q2", 0.45),)
    assert entry.other_formulas == ((r"E = m c^2", 0.4),)


def test_nothing_below_the_threshold_is_queued() -> None:
    assert entries([ItemMatch("k1", TEX, "Q1", 0.49)], 0.5) == []


def test_order_of_the_matches_changes_nothing() -> None:
    matches = [ItemMatch(f"k{n}", f"a_{n} = b^2", f"Q{1 + n % 2}", 0.8) for n in range(4)]
    assert len({tuple(entries(list(order), 0.5)) for order in permutations(matches)}) == 1


def test_spellings_of_one_formula_have_one_key_and_a_formula_without_a_tree_its_own() -> None:
    assert canonical(r"\frac{a}{b}") == canonical(r"{a} \over {b}")
    assert canonical(r"\frac{a") == canonical(r" \frac{a ")
    assert canonical(r"\frac{a") != canonical(r"\frac{b")
