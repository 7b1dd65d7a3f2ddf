"""What the audits find and show is as it was recorded; `recorded_audits.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_audits import DATA, SHOWN, recorded, shown


def test_what_every_audit_says_of_a_fault_of_each_kind() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(json.loads(json.dumps(recorded())), known):
        assert now == then


def test_how_findings_are_shown() -> None:
    for now, then in zip_longest(shown().splitlines(), SHOWN.read_text(encoding="utf-8").splitlines()):
        assert now == then
