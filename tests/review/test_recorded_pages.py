"""What pages and API are given is as it was recorded; `recorded_pages.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_pages import DATA, recorded


def test_what_each_page_is_given() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded(), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, now.get("asked")
