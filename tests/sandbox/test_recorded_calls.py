"""What the rehearsal wiki answers and shows is as it was recorded; `recorded_calls.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_calls import DATA, recorded


def test_what_the_rehearsal_wiki_answers_to_calls_of_every_action() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(json.loads(json.dumps(recorded())), known):
        assert now == then
