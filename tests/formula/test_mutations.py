"""Every formula of the items, written differently: how many keep their key. The floors are what the project promises."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from mutating import commuted, fractions, renamed, restyled, scripted, swapped

from bot.formula import FormulaError, keys

MUTATIONS: dict[str, tuple[str, float, Callable[[str, int], str | None]]] = {
    "over": ("K1", 0.995, lambda tex, _: fractions(tex, "over")),
    "slash": ("K1", 0.99, lambda tex, _: fractions(tex, "slash")),  # f^* \sup ((1)/(N)) \sum and the like are ambiguous
    "grouped slash": ("K1", 0.995, lambda tex, _: fractions(tex, "grouped_slash")),
    "plain slash": ("K1", 0.995, lambda tex, _: fractions(tex, "plain_slash")),
    "dfrac": ("K1", 0.995, lambda tex, _: fractions(tex, "dfrac")),
    "tfrac": ("K1", 0.995, lambda tex, _: fractions(tex, "tfrac")),
    "swapped sides": ("K1", 0.99, lambda tex, _: swapped(tex)),
    "commuted terms": ("K1", 0.995, lambda tex, _: commuted(tex)),
    "styling": ("K1", 1.0, restyled),
    "renaming": ("K5", 0.995, renamed),
    "label below": ("K3", 0.995, lambda tex, seed: scripted(tex, "_{eff}", seed)),
    "index below": ("K3", 0.995, lambda tex, seed: scripted(tex, "_{i}", seed)),
    "label above": ("K3", 0.995, lambda tex, seed: scripted(tex, "^{tot}", seed)),
    "upright label": ("K3", 0.995, lambda tex, seed: scripted(tex, r"_{\mathrm{max}}", seed)),
}


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
