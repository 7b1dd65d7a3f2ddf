"""The page of the thirteen challenges says what the program answers."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import paper_challenges  # noqa: E402

from bot.console import read_lines  # noqa: E402

PAGE = (ROOT / "docs/challenges.md").read_text(encoding="utf-8")


def test_the_table_is_what_the_benchmark_answers_and_every_challenge_is_there() -> None:
    rows = paper_challenges.answered(read_lines(paper_challenges.PAIRS, paper_challenges.FIELDS))
    assert {row["challenge"] for row in rows} == set(range(1, 14))
    table = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
    assert table == paper_challenges.markdown(rows)
    assert paper_challenges.counted(rows, "judged") == {"right": 16, "related": 0, "not seen": 7}
    assert paper_challenges.counted(rows, "judged_with_list") == {"right": 20, "related": 3, "not seen": 0}
    assert "16 of the 23 pairs are right by mathematics alone, 20 with the list" in PAGE


def test_a_pair_that_is_seen_as_something_else_is_not_right() -> None:
    pairs = [
        {"wanted": "same", "a": "F=ma", "b": "F=ma^2", "challenge": 1, "what": "", "where": ""},
        {"wanted": "same", "a": "F=ma", "b": "ma=F", "challenge": 1, "what": "", "where": ""},
        {"wanted": "part", "a": "F=ma", "b": "ma=F", "challenge": 1, "what": "", "where": ""},
    ]
    rows = paper_challenges.answered(pairs, builtin=False)
    assert [row["judged"] for row in rows] == ["not seen", "right", "related"]
    assert re.search("exponent", rows[0]["note"])
