"""The growth benchmark asks every query once, of an index that never holds the query itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import growth

QUERIES: list[dict[str, Any]] = [
    {"id": f"{qid}{n}", "qid": qid, "tex": tex}
    for qid, texts in {
        "Q1": ["a = b c", "b c = a", "a = b c", r"\frac{a}{c} = b", "a / b = c"],
        "Q2": ["x = y^2", "y^2 = x", r"\sqrt{x} = y", "x - y^2 = 0"],
    }.items()
    for n, tex in enumerate(texts)
]
ALSO = [{"qid": "Q2", "tex": "y = x^{1/2}"}, {"qid": "Q7", "tex": "p = q"}]


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_query_is_asked_once_and_never_stands_in_its_index(k: int, seed: int) -> None:
    asked_all: list[str] = []
    for added, asked in growth.rounds(QUERIES, ALSO, k, seed):
        for row in asked:
            own = [one["tex"] for one in added if one["qid"] == row["qid"]]
            assert row["tex"] not in own
            assert len(own) == k
        asked_all += [row["id"] for row in asked]
    assert sorted(asked_all) == sorted(row["id"] for row in QUERIES)


def test_other_sources_help_their_own_concepts_only() -> None:
    added = [row["tex"] for rows, _ in growth.rounds(QUERIES, ALSO, 4, 0) for row in rows]
    assert "y = x^{1/2}" in added
    assert "p = q" not in added


def test_recognition_rises_with_representations_and_a_concept_may_be_new() -> None:
    items = [{"qid": "Q1", "formulas": ["a = b c"]}, {"qid": "Q3", "formulas": ["x = z^3"]}]
    found = growth.growth(items, QUERIES, [], seeds=2, steps=(0, 1, 3, 9))
    assert list(found) == [0, 1, 3]
    assert found[0]["top1"] < found[3]["top1"]
    assert (found[0]["seeds"], found[1]["seeds"]) == (1, 2)


def test_the_figure_has_both_measurements_and_names_its_axes() -> None:
    found = {0: {"top1": 0.4, "top10": 0.6}, 1: {"top1": 0.6, "top10": 0.8}}
    (axes,) = growth.figure(found, growth.ANCHORS["the paper's 100"]).axes
    lines = {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}
    assert (lines["top 10"], lines["top 10, earlier"]) == ([0.6, 0.8], [0.6, 0.82])
    assert axes.get_xlabel() == "further representations of each concept"
    assert axes.get_ylabel() == "share of queries (0 to 1)"
