"""One run, one file, one closing line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.operate.run_history import RunLog


def lines(log: RunLog) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.path.read_text(encoding="utf-8").splitlines()]


def test_a_run_is_told_from_start_to_end(tmp_path: Path) -> None:
    with RunLog(tmp_path, "run") as log:
        log.event("discover", formulas=3)
    told = lines(log)
    assert [line["event"] for line in told] == ["start", "discover", "end"]
    assert told[1]["formulas"] == 3
    assert told[2]["outcome"] == "ok"
    assert {line["run"] for line in told} == {log.id}


def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "run")
    with pytest.raises(ValueError, match="no"), log:
        raise ValueError("no")
    assert lines(log)[-1]["outcome"] == "ValueError"
