"""What is found in lectures and articles beside a list of known names is as it was recorded; `recorded_searches.py` records anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_searches import DATA, recorded


def test_what_is_found_beside_known_names() -> None:
    known = [json.loads(line) for line in (DATA / "recorded_searches.jsonl").read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded(), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, (now.get("what"), now.get("of"))
