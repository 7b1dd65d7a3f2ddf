"""Names, phrases, clues, statements, concepts of small corpora are as they were recorded; `recorded_findings.py` records anew."""

from __future__ import annotations

import json

from recorded_findings import DATA, made, rows

RECORDED = [json.loads(line) for line in (DATA / "recorded.jsonl").read_text(encoding="utf-8").splitlines()]


def test_what_is_found() -> None:
    for row in RECORDED:
        assert made(row["what"], row["of"]) == row["made"], (row["what"], row["of"])


def test_all_texts_are_recorded() -> None:
    assert [(row["what"], row["of"]) for row in RECORDED] == list(rows())
