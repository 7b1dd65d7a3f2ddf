"""Formulas of the items, written differently: how many keep their key. The floors are what the project promises."""

from __future__ import annotations

import json
import math
import os
import random
from functools import cache
from pathlib import Path

import pytest
from mutating import MUTATIONS

from bot.formula import FormulaError, Keys, keys
from bot.formula.generation.tex_pieces import without_needless_blanks

TRIED = 200 if os.environ.get("FORMULA_BOT_LONG") else 40  # formulas that a mutation changes


@pytest.mark.parametrize("name", MUTATIONS)
def test_keys_see_through(name: str, shared_data: Path) -> None:
    level, floor, mutate = MUTATIONS[name]
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        formulas = sorted({tex for line in lines for tex in json.loads(line)["formulas"]})
    random.Random(1).shuffle(formulas)
    tried, lost = 0, []
    for seed, tex in enumerate(formulas):
        other = mutate(tex, seed)
        if other is None or other == without_needless_blanks(tex):
            continue
        tried += 1
        if not _equal(_keys(tex), other, level):
            lost.append((tex, other))
        if tried == TRIED:
            break
    assert tried >= 40
    assert len(lost) <= math.ceil(round((1 - floor) * tried, 6)), (len(lost), tried, lost[:10])


@cache
def _keys(tex: str) -> Keys | None:
    try:
        return keys(tex)
    except FormulaError:
        return None


def _equal(known: Keys | None, other: str, level: str) -> bool:
    try:
        return known is not None and known.at(level) == keys(other).at(level)
    except FormulaError:
        return False
