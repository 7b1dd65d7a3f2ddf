"""What becomes of suggestions of many kinds is as it was recorded; `recorded_proposals.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_proposals import DATA, REPORTS, recorded, reports


def test_what_becomes_of_suggestions_of_many_kinds() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded(), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, now.get("what")


def test_what_the_reports_of_a_dry_run_say() -> None:
    known = REPORTS.read_text(encoding="utf-8").splitlines()
    for now, then in zip_longest(reports().splitlines(), known):
        assert now == then
