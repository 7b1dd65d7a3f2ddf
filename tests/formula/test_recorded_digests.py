"""What is made of some 600 formulas of many fields, and of 490 pairs, is as it was recorded; `recorded_digests.py` says how to record anew."""

from __future__ import annotations

from recorded_digests import digest, kept, kinds


def _is_as_recorded(kind: str) -> None:
    rows = [row for row in kept() if kind in kinds(row)]
    assert len(rows) > 300
    for row in rows:
        assert digest(row, kind) == row[kind], row


def test_trees_keys_and_features_of_formulas() -> None:
    _is_as_recorded("forms")


def test_what_formulas_state_and_how_they_are_drawn() -> None:
    _is_as_recorded("stated")


def test_how_two_formulas_are_related() -> None:
    _is_as_recorded("related")


def test_how_two_formulas_lie_on_each_other() -> None:
    _is_as_recorded("laid")
