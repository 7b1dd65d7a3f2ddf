"""The index behind recognition: inverted lists for every channel of traits, exact keys beside them, likeness of a query to all entries at once."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bot.errors import FormulaError
from bot.formula import keys
from bot.match.index import Entry
from bot.match.traits import CHANNELS, traits

KEY_LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5")
# A key shared by more formulas than this says too little to be worth the comparisons.
CROWD = 40
SHORTLIST = 300
# How much each channel says when the shortlist is drawn.
ROUGH = {
    "grams": 1.0,
    "named": 1.0,
    "placed": 1.0,
    "letters": 0.3,
    "folded": 0.3,
    "operators": 0.7,
    "bound": 0.7,
    "together": 0.7,
    "heads": 0.1,
    "terms": 0.6,
}

Floats = np.ndarray[Any, np.dtype[np.float64]]
Rows = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Rows of entries near a query, best first by rough likeness; `shared`, `mine` and `theirs` are idf sums by channel."""

    rows: Rows
    shared: Floats  # channels × rows
    mine: Floats  # channels
    theirs: Floats  # channels × rows
    levels: dict[int, str]  # by row: the strictest key that both share
    leaves: int


class ChannelIndex:
    """Formulas of items, searchable in all channels. Build once, ask often."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        readable, found = [], []
        for entry in entries:
            try:
                found.append((traits(entry.tex).channels, keys(entry.tex)))
            except FormulaError:
                continue
            readable.append(entry)
        self.entries = tuple(readable)
        self.leaves = np.array([each[1].leaves for each in found], dtype=np.float64)
        self._channels = [_Channel([each[0][n] for each in found]) for n in range(len(CHANNELS))]
        self._rough = np.array([ROUGH[name] for name in CHANNELS])
        self._theirs = np.array([channel.sums for channel in self._channels])
        self._by_key: dict[str, dict[str, list[int]]] = {level: defaultdict(list) for level in KEY_LEVELS}
        for row, (_, own) in enumerate(found):
            for level in KEY_LEVELS:
                self._by_key[level][own.at(level)].append(row)

    def shortlist(self, tex: str, limit: int = SHORTLIST) -> Shortlist | None:
        """Return the most alike entries and all with a shared key; None where the formula has no tree or nothing is alike."""
        if not self.entries:
            return None
        try:
            own, parts = keys(tex), traits(tex).channels
        except FormulaError:
            return None
        mine = np.array([channel.sum_of(part) for channel, part in zip(self._channels, parts, strict=True)])
        shared = np.array([channel.shared(part) for channel, part in zip(self._channels, parts, strict=True)])
        rough = self._rough @ (shared / (self._theirs + mine[:, None] - shared + 1e-9))
        if limit < len(rough):
            best = np.argpartition(-rough, limit)[:limit]
        else:
            best = np.arange(len(rough))
        levels = self._levels(own)
        rows = np.union1d(best[rough[best] > 0], np.array(list(levels), dtype=np.int64)).astype(np.int32)
        if not len(rows):
            return None
        return Shortlist(rows, shared[:, rows], mine, self._theirs[:, rows], levels, own.leaves)

    def _levels(self, own: Any) -> dict[int, str]:
        found: dict[int, str] = {}
        for level in KEY_LEVELS:
            rows = self._by_key[level].get(own.at(level), [])
            if len(rows) <= CROWD:
                for row in rows:
                    found.setdefault(row, level)
        return found


class _Channel:
    """Inverted lists of one channel."""

    def __init__(self, texts: list[frozenset[str]]) -> None:
        frequency = Counter(part for text in texts for part in text)
        self.total = len(texts)
        self._idf = {part: math.log(1 + self.total / n) for part, n in frequency.items()}
        self._unseen = math.log(1 + max(self.total, 1))
        lists: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(texts):
            for part in text:
                lists[part].append(row)
        self._lists = {part: np.array(rows, dtype=np.int32) for part, rows in lists.items()}
        self.sums = np.array([self.sum_of(text) for text in texts], dtype=np.float64)

    def sum_of(self, text: frozenset[str]) -> float:
        return math.fsum([self._idf.get(part, self._unseen) for part in text])

    def shared(self, text: frozenset[str]) -> Floats:
        parts = sorted([part for part in text if part in self._idf])  # one order of summation in every process
        if not parts:
            return np.zeros(self.total)
        lists = [self._lists[part] for part in parts]
        weights = np.repeat([self._idf[part] for part in parts], [len(rows) for rows in lists])
        return np.bincount(np.concatenate(lists), weights, self.total).astype(np.float64, copy=False)
