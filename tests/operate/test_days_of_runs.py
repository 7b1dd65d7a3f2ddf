"""Five days of the month that benchmarks/thirty_days.py simulates: a kill, an outage, other editors, and nobody who mends anything."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from forked import run_anew

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import thirty_days


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="five days of runs; FORMULA_BOT_LONG=1")
def test_the_bot_goes_on_by_itself_and_says_what_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thirty_days, "subprocess", SimpleNamespace(run=run_anew))
    found = thirty_days.simulated(tmp_path, thirty_days.SHORT)
    assert found["codes"].split()[:2] == ["1", "-9"]  # killed while it wrote
    assert found["codes"].split()[2] in "01"
    assert found["codes"].split()[3:] == ["2", "1"]  # the wiki is away, and back
    assert (found["lost"], found["doubled"], found["pending"], found["approved_not_settled"]) == ([], [], 0, 0)
    assert found["written"] > 8
    assert found["changes_by_others"] == 9
    assert (found["unreported"], found["late"], found["reported_twice"]) == ([], [], [])
    assert "killed" in dict(found["told"])[3]
    assert dict(found["told"])[4] == ["failure"]
    assert set(dict(found["told"])[5]) == {"pause", "findings"}
    assert (found["paused_on"], found["written_while_paused"], found["ledger_audit"]) == ([5], [], 0)
