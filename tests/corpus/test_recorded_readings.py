"""What is read of documents of every format is as it was recorded; `recorded_readings.py` says how to record anew."""

from __future__ import annotations

import json
from itertools import zip_longest

from recorded_readings import DATA, FRAGMENT_DATA, recorded, recorded_fragments


def test_what_is_read_of_a_document_of_each_format() -> None:
    known = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded(), known):
        assert now == then


def test_what_is_read_of_each_form_between_two_sentences() -> None:
    known = [json.loads(line) for line in FRAGMENT_DATA.read_text(encoding="utf-8").splitlines()]
    for now, then in zip_longest(recorded_fragments(), known):
        assert now == then
