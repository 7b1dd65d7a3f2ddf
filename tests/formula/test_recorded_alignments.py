"""What formulas state and how they lie on each other is as it was recorded; `recorded_alignments.py` says how to record anew."""

from __future__ import annotations

import json
import os
from itertools import zip_longest

import pytest
from recorded_alignments import DATA, WORK

from bot.formula.alignment.equivalence_evidence import NoPriorKnowledge

STEP = 1 if os.environ.get("FORMULA_BOT_LONG") else 3  # every third row is computed anew in the ordinary run


@pytest.mark.parametrize("name", WORK)
def test_what_formulas_state_and_how_they_lie_on_each_other(name: str) -> None:
    known = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()[::STEP]]
    for now, then in zip_longest(WORK[name](STEP), known, fillvalue={}):
        assert json.loads(json.dumps(now)) == then, now.get("tex") or (now.get("a"), now.get("b"))


def test_who_knows_nothing_beyond_the_corpus_says_so() -> None:
    assert (
        NoPriorKnowledge().are_usual_letters("w", "γ"),
        NoPriorKnowledge().shared_concept_probability("E=mc^2", "E=mc^2"),
    ) == (
        False,
        0.0,
    )
