"""What speaks for pairs of formula and item is as it was recorded; `recorded_evidence.py` records anew."""

from __future__ import annotations

import json

from recorded_evidence import DATA, recorded


def test_what_is_said_of_pairs_and_what_is_chosen() -> None:
    known = [json.loads(line) for line in (DATA / "recorded_evidence.jsonl").read_text(encoding="utf-8").splitlines()]
    for now, then in zip(recorded(), known, strict=True):
        assert now == then
