"""What commands print is as it was recorded; `recorded_commands.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

import pytest
from recorded_commands import DATA, SEQUENCES, recorded


@pytest.mark.parametrize("name", SEQUENCES)
def test_what_commands_print_one_after_the_other(name: str) -> None:
    known = (row for row in map(json.loads, DATA.read_text(encoding="utf-8").splitlines()) if row["sequence"] == name)
    for now, then in zip_longest(recorded(name), known):
        assert now == then
