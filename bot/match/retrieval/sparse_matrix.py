"""Readings of many formulas as a sparse matrix of feature numbers: the input of an index, stored between runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.formula import Keys
from bot.formula.features.structural import FEATURE_GROUPS
from bot.match.retrieval.formula_reading import FormulaReading

Rows = NDArray[np.int32]
Whole = NDArray[np.int64]
KeyRow = tuple[Any, ...]  # the fields of Keys

CHANNEL_COUNT = len(FEATURE_GROUPS)
_key_row: Callable[[Keys], KeyRow] = attrgetter(*(field.name for field in fields(Keys)))


class SparseReadings:
    """Readings of formulas by TeX. Features are numbers; no two features of any channels share one.

    `row_of` is None for a formula without a tree. The features of row r in channel c are `flat[ptr[r * CHANNEL_COUNT + c] : ptr[r * CHANNEL_COUNT + c + 1]]`.
    """

    def __init__(
        self,
        row_of: dict[str, int | None] | None = None,
        words: Sequence[Mapping[str, int]] | None = None,
        flat: Rows | None = None,
        ptr: Whole | None = None,
        keys: Iterable[KeyRow] = (),
        links: Iterable[Sequence[KeyRow]] = (),
    ) -> None:
        self.row_of = {} if row_of is None else row_of
        self.words = [dict(each) for each in words or [{}] * CHANNEL_COUNT]
        self.flat = np.zeros(0, dtype=np.int32) if flat is None else flat
        self.ptr = np.zeros(1, dtype=np.int64) if ptr is None else ptr
        self.keys = list(keys)
        self.links = list(links)

    def add(self, readings: Mapping[str, FormulaReading | None]) -> None:
        """Add readings of new formulas; None for a formula without a tree."""
        following = count(sum(map(len, self.words)))
        words = [defaultdict(following.__next__, each) for each in self.words]
        flat: list[int] = []
        lengths: list[int] = []
        for tex, one in readings.items():
            self.row_of[tex] = None if one is None else len(self.keys)
            if one is None:
                continue
            for numbers, part in zip(words, one.channels, strict=True):
                # In one order, so that numbers and sums are the same in every process.
                flat += [numbers[word] for word in sorted(part)]
                lengths.append(len(part))
            self.keys.append(_key_row(one.keys))
            self.links.append([_key_row(link) for link in one.links])
        self.words = [dict(each) for each in words]
        self.flat = np.concatenate([self.flat, np.array(flat, dtype=np.int32)])
        self.ptr = np.concatenate([self.ptr, self.ptr[-1] + np.cumsum(lengths, dtype=np.int64)])

    def get(self, tex: str) -> FormulaReading | None:
        """Return a formula's reading; None if it has none or is unknown."""
        row = self.row_of.get(tex)
        if row is None:
            return None
        cells = self.ptr[row * CHANNEL_COUNT : (row + 1) * CHANNEL_COUNT + 1]
        names = [dict(zip(each.values(), each, strict=True)) for each in self.words]
        parts = [self.flat[cells[n] : cells[n + 1]].tolist() for n in range(CHANNEL_COUNT)]
        channels = tuple(frozenset([name[n] for n in part]) for name, part in zip(names, parts, strict=True))
        return FormulaReading(channels, Keys(*self.keys[row]), tuple([Keys(*link) for link in self.links[row]]))

    def subset(self, texts: Iterable[str]) -> SparseReadings:
        """Return the readings of these formulas alone, with only the features that one of them has."""
        row_of = {tex: self.row_of[tex] for tex in texts if tex in self.row_of}
        rows = np.array([row for row in row_of.values() if row is not None], dtype=np.int64)
        flat, ptr = self.features(rows)
        used = np.zeros(sum(map(len, self.words)), dtype=bool)
        used[flat] = True
        number = np.cumsum(used) - 1
        new = iter(range(len(rows)))
        return SparseReadings(
            {tex: None if row is None else next(new) for tex, row in row_of.items()},
            [{word: int(number[n]) for word, n in each.items() if used[n]} for each in self.words],
            number[flat].astype(np.int32),
            ptr,
            [self.keys[row] for row in rows.tolist()],
            [self.links[row] for row in rows.tolist()],
        )

    def features(self, rows: Whole) -> tuple[Rows, Whole]:
        """Return `flat` and `ptr` of these rows alone."""
        cells = self.ptr[rows[:, None] * CHANNEL_COUNT + np.arange(CHANNEL_COUNT + 1)]
        flat = self.flat[ranges(cells[:, 0], cells[:, -1] - cells[:, 0])]
        lengths = np.diff(cells, axis=1).ravel()
        return flat, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    def channels(self) -> Rows:
        """Return the channel of each feature, by its number."""
        found = np.zeros(sum(map(len, self.words)), dtype=np.int32)
        for n, each in enumerate(self.words):
            found[np.fromiter(each.values(), dtype=np.int64, count=len(each))] = n
        return found


def ranges(starts: Whole, lengths: Whole, kind: type[np.signedinteger[Any]] = np.int64) -> Whole:
    """Return the concatenation of range(start, start + length) over all pairs, as numbers of this kind."""
    ends = np.cumsum(lengths)
    found = np.repeat((starts - ends + lengths).astype(kind), lengths)
    found += np.arange(len(found), dtype=kind)
    return found
