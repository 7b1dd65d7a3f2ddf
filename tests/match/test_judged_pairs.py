"""The pairs that we judged, as the benchmarks read them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from acceptance import JUDGED, Seen, material, verdicts

ROWS = [json.loads(line) for line in JUDGED.read_text(encoding="utf-8").splitlines()]


def test_every_pair_is_judged_once_and_an_edit_says_what_to_write() -> None:
    assert max(Counter((row["qid"], row["tex"]) for row in ROWS).values()) == 1
    assert {row["verdict"] for row in ROWS} == {"accept", "edit", "special", "related", "wrong", "unsure"}
    assert {row["verdict"] for row in ROWS if "better" in row} == {"edit"}
    assert all(row["better"] for row in ROWS if row["verdict"] == "edit")
    assert len(ROWS) == 8067
    assert all(row["book"] and row["label"] for row in ROWS)


def test_the_verdict_of_the_file_given_counts_before_ours(tmp_path: Path) -> None:
    ours = next(row for row in ROWS if row["verdict"] == "accept")
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps({"qid": ours["qid"], "tex": ours["tex"], "verdict": "wrong"}) + "\n", encoding="utf-8")
    seen = [Seen(ours["qid"], ours["tex"], {"called": 1.0})]
    found = material(seen, {}, [row for row in verdicts(str(path)) if row["qid"] == ours["qid"]])
    assert [pair.accepted for pair in found.judged] == [False]
    assert [pair.accepted for pair in material(seen, {}, [ours]).judged] == [True]
