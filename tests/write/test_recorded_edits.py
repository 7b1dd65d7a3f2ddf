"""What the writer plans, sends, notes and takes back is as it was recorded; `recorded_edits.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_edits import DATA, recorded


def test_what_is_planned_sent_noted_and_taken_back() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded(), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, now.get("what")
