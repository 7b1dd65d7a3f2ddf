"""What formulas state and how they lie on each other is as it was recorded; `recorded_alignments.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

import pytest
from recorded_alignments import DATA, WORK


@pytest.mark.parametrize("name", WORK)
def test_what_formulas_state_and_how_they_lie_on_each_other(name: str) -> None:
    known = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(WORK[name](), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, now.get("tex") or (now.get("a"), now.get("b"))
