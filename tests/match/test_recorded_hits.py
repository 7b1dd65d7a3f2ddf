"""Hits, ranks, levels, likenesses, contexts and names are as they were recorded; `recorded_hits.py` records anew."""

from __future__ import annotations

import json

from recorded_hits import DATA, crowd, made, rows

RECORDED = [json.loads(line) for line in (DATA / "recorded.jsonl").read_text(encoding="utf-8").splitlines()]


def test_what_retrieval_says() -> None:
    for row in RECORDED:
        assert made(row["what"], row["of"]) == row["made"], (row["what"], row["of"])


def test_all_texts_are_recorded() -> None:
    assert [(row["what"], row["of"]) for row in RECORDED] == list(rows())


def test_a_key_of_more_than_forty_items_says_too_little() -> None:
    assert crowd() == [[[40, 40], 40], [[3, 0], 3]]
