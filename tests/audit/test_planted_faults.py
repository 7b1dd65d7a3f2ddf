"""A fault of each kind among right statements of the rehearsal wiki: all are found, and nothing else is reported."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import planted_faults

from bot.audit import AUDITS


def test_each_kind_is_found_and_right_statements_are_left_alone(tmp_path: Path) -> None:
    found = planted_faults.measure(300, 2 * len(planted_faults.KINDS), 3, tmp_path)
    assert found["could_not_tell"] == []
    assert found["missed"] == []
    assert found["false"] == []
    assert found["found"] == found["planted"] == 48


def test_faults_of_every_audit_of_the_wiki_are_planted() -> None:
    world = planted_faults.build(400, 2 * len(planted_faults.KINDS), 3)
    asked = {name for name, audit in AUDITS.items() if not audit.on_request}
    assert asked - {audit for audit, _ in world.expected} == {"survival", "ledger", "wrong"}
