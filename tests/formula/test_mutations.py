"""Every formula of the items, written differently: how many keep their key. The floors are what the project promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mutating import MUTATIONS

from bot.formula import FormulaError, keys


@pytest.mark.parametrize("name", MUTATIONS)
def test_keys_see_through(name: str, shared_data: Path) -> None:
    level, floor, mutate = MUTATIONS[name]
    with (shared_data / "wikidata/items_2019.jsonl").open(encoding="utf-8") as lines:
        formulas = sorted({tex for line in lines for tex in json.loads(line)["formulas"]})
    tried, lost = 0, []
    for seed, tex in enumerate(formulas):
        other = mutate(tex, seed)
        if other is None or other == tex:
            continue
        tried += 1
        if not _equal(tex, other, level):
            lost.append((tex, other))
    assert tried > 400
    assert 1 - len(lost) / tried >= floor, (len(lost), tried, lost[:10])


def _equal(a: str, b: str, level: str) -> bool:
    try:
        return keys(a).at(level) == keys(b).at(level)
    except FormulaError:
        return False
