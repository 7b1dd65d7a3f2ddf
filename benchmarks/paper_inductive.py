"""The paper's first experiment without what it asks for: a ranker for each class, fitted to no query and no formula of the class's items."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import train_recognition as training
from recognition import gold

from bot.formula import clean
from bot.match import Recogniser
from bot.match.retrieval.recognise import CALIBRATION, Ranker

Row = Mapping[str, Any]
EVERY = 6  # of the built-in list's formulas: half of what the shipped weights are fitted to, for the time
RIDGE = 3.0  # as in training


def held_out(
    items: Sequence[Row], queries: Sequence[Row], others: Sequence[Path], negatives: Path
) -> dict[str, list[list[str]]]:
    """Return for each world the items of each query, best first: with the built-in list, and with the items' own formulas alone.

    Fitted to the built-in list asked of itself, formulas in other spellings, and the queries of the files; `others` are files like the queries' own.
    """
    recogniser = Recogniser(items)
    known = {entry.qid for entry in recogniser.index.entries}
    formulas = {row["qid"]: row.get("formulas") or () for row in items}
    files = argparse.Namespace(queries=[*others], more=[], negatives=[negatives], others=None)
    rows = [
        *training.from_files(files, recogniser, known, formulas),
        *training.from_list(recogniser, known, EVERY),
        *training.from_spellings(recogniser, 3 * EVERY, 1, False),
    ]
    asked = [training.Query(*row[:5], 0, row[5]) for row in rows]
    data = training.examples(recogniser, asked)
    worlds = {"recognise": recogniser, "recognise, without the built-in list": Recogniser(items, book={})}
    of = [gold(row) for row in queries]
    classes = classes_of(of)
    found: dict[str, list[list[str]]] = {name: [[] for _ in queries] for name in worlds}
    for own, members in classes:
        seen = [each for each, query in zip(data, asked, strict=True) if each and not query.gold & own]
        ranker = Ranker(training.fit(seen, RIDGE), np.zeros(len(CALIBRATION) + 1), 1.0)
        for name, world in worlds.items():
            world.ranker = ranker
            for n, hits in zip(members, world.all_hits([clean(queries[n]["tex"]) for n in members]), strict=True):
                found[name][n] = [hit.qid for hit in hits]
    return found


def classes_of(golds: Sequence[set[str]]) -> list[tuple[set[str], list[int]]]:
    """Return the items of each class with its queries: queries that share a right item are of one class."""
    found: list[tuple[set[str], list[int]]] = []
    for n, wanted in enumerate(golds):
        same = [each for each in found if each[0] & wanted]
        found = [each for each in found if not each[0] & wanted]
        found.append((wanted.union(*(own for own, _ in same)), sorted([n, *(m for _, part in same for m in part)])))
    return found
