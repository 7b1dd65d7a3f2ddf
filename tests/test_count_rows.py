"""The benchmark of counting makes rows whose sums are known, and counts them through the query of `discover`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import count_rows

from bot.discover.count import duplicates
from bot.discover.engines import OneMachine
from bot.settings import Discovery
from bot.store import Workspace


def test_every_third_row_is_counted_and_the_most_spread_formula_comes_first(tmp_path: Path) -> None:
    count_rows.fill(tmp_path / "w", 30_000, 3)
    found = count_rows.count(tmp_path / "w")
    assert found["documents"] == 300
    assert 0 < found["duplicates"] < found["counted"] <= 10_000
    with Workspace.open(tmp_path / "w") as workspace, OneMachine().occurrences(workspace) as rows:
        counted = [(int(row["spread"]), int(row["times"])) for row in duplicates(rows, Discovery())]
        seen = list(rows("SELECT count(*) AS n, count(DISTINCT document) AS d FROM occurrences WHERE candidate", {}))
    assert counted == sorted(counted, key=lambda pair: (-pair[0], -pair[1]))
    assert counted[0][0] == found["most_documents"]
    assert min(spread for spread, _ in counted) == Discovery().min_documents
    assert seen == [{"n": 10_000, "d": 300}]
