"""What is made of some 600 formulas of many fields, and of 490 pairs, is as it was recorded; `recorded_digests.py` says how to record anew."""

from __future__ import annotations

from recorded_digests import digested, kept


def test_what_is_made_of_formulas_of_many_fields_and_of_pairs() -> None:
    for row in kept():
        assert digested(row) == row
