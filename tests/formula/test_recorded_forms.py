"""Everything that is made of some 950 formulas and 300 pairs is as it was recorded; `recorded_forms.py` says how to record anew."""

from __future__ import annotations

import json

from recorded_forms import DATA, formulas, pairs, recorded, recorded_pair


def _rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_what_is_made_of_a_formula() -> None:
    for row in _rows("recorded_forms.jsonl"):
        assert recorded(row["tex"]) == row


def test_how_two_formulas_are_related() -> None:
    for row in _rows("recorded_pairs.jsonl"):
        assert recorded_pair(row["a"], row["b"]) == row


def test_all_formulas_and_pairs_are_recorded() -> None:
    assert [row["tex"] for row in _rows("recorded_forms.jsonl")] == formulas()
    assert [(row["a"], row["b"]) for row in _rows("recorded_pairs.jsonl")] == pairs()
