"""Readings of many formulas as a sparse matrix of feature numbers: the input of an index, stored between runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.formula.features.structural import FEATURE_GROUPS
from bot.match.retrieval.formula_reading import FormulaReading
from bot.match.retrieval.inverted_index import KEY_LEVELS

Rows = NDArray[np.int32]
Whole = NDArray[np.int64]
Digests = NDArray[np.uint64]

CHANNEL_COUNT = len(FEATURE_GROUPS)
LINK_LEVEL = "K3"  # at which the equalities of chains are compared
NO_TREE = -1  # leaves of a formula without a tree
# The same word is another feature in another channel
_CHANNEL_DIGESTS = np.arange(CHANNEL_COUNT, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class SparseReadings:
    """Readings of formulas, a row for each; strings are digests of 64 bits, of which no two of a million are alike by chance.

    The features of row r in channel c are `flat[ptr[r * CHANNEL_COUNT + c] : ptr[r * CHANNEL_COUNT + c + 1]]`, ascending numbers of places in
    `vocabulary`. The links of row r are `links[link_ptr[r] : link_ptr[r + 1]]`.
    """

    texts: Digests
    leaves: Rows
    keys: Digests  # rows × KEY_LEVELS
    links: Digests
    link_ptr: Whole
    vocabulary: Digests
    flat: Rows
    ptr: Whole

    def __post_init__(self) -> None:
        lengths = (len(self.leaves), len(self.keys), len(self.link_ptr) - 1, (len(self.ptr) - 1) / CHANNEL_COUNT)
        if {*lengths} != {len(self.texts)} or self.ptr[-1] != len(self.flat) or self.link_ptr[-1] != len(self.links):
            raise ValueError("its rows do not agree with its formulas")

    def rows_of(self, texts: Sequence[str]) -> Whole:
        """Return the row of each formula; -1 for one that is unknown."""
        order = np.argsort(self.texts)
        places = find_sorted(self.texts[order], text_digests(texts))
        return np.where(places < 0, -1, np.append(order, -1)[places])

    def added(self, readings: Mapping[str, FormulaReading | None]) -> SparseReadings:
        """Return these with readings of new formulas; None is of a formula without a tree."""
        own = list(readings.values())
        features, cells = feature_digests([one.channels if one else ((),) * CHANNEL_COUNT for one in own])
        vocabulary = np.union1d(self.vocabulary, features)
        flat = np.searchsorted(vocabulary, features)
        flat = flat[np.lexsort((flat, cells))]
        lengths = np.bincount(cells, minlength=len(own) * CHANNEL_COUNT)
        keys = [one.keys.at(level) if one else "" for one in own for level in KEY_LEVELS]
        links = [[link.at(LINK_LEVEL) for link in one.links] if one else [] for one in own]
        return SparseReadings(
            np.concatenate([self.texts, text_digests(list(readings))]),
            np.append(self.leaves, [one.keys.leaves if one else NO_TREE for one in own]).astype(np.int32),
            np.concatenate([self.keys, text_digests(keys).reshape(-1, len(KEY_LEVELS))]),
            np.concatenate([self.links, text_digests(list(chain.from_iterable(links)))]),
            np.append(self.link_ptr, self.link_ptr[-1] + np.cumsum(list(map(len, links)), dtype=np.int64)),
            vocabulary,
            np.append(np.searchsorted(vocabulary, self.vocabulary)[self.flat], flat).astype(np.int32),
            np.append(self.ptr, self.ptr[-1] + np.cumsum(lengths)),
        )

    def subset(self, rows: Whole) -> SparseReadings:
        """Return the readings of these rows alone, with only the features that one of them has."""
        cells = self.ptr[rows[:, None] * CHANNEL_COUNT + np.arange(CHANNEL_COUNT + 1)]
        flat = self.flat[ranges(cells[:, 0], cells[:, -1] - cells[:, 0])]
        is_used = np.zeros(len(self.vocabulary), dtype=bool)
        is_used[flat] = True
        starts, ends = self.link_ptr[rows], self.link_ptr[rows + 1]
        return SparseReadings(
            self.texts[rows],
            self.leaves[rows],
            self.keys[rows],
            self.links[ranges(starts, ends - starts)],
            np.append(0, np.cumsum(ends - starts)),
            self.vocabulary[is_used],
            (np.cumsum(is_used, dtype=np.int32) - 1)[flat],
            np.append(0, np.cumsum(np.diff(cells, axis=1))),
        )

    def channels(self) -> Rows:
        """Return the channel of each feature, by its number."""
        found = np.zeros(len(self.vocabulary), dtype=np.int32)
        found[self.flat] = np.repeat(np.arange(len(self.ptr) - 1) % CHANNEL_COUNT, np.diff(self.ptr))
        return found


NO_READINGS = SparseReadings(
    np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros((0, len(KEY_LEVELS)), np.uint64), np.zeros(0, np.uint64), np.zeros(1, np.int64),
    np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(1, np.int64),
)  # fmt: skip


def text_digests(texts: Iterable[str]) -> Digests:
    """Return a digest of each text, the same in every process."""
    return np.fromiter(map(_text_digest, texts), dtype=np.uint64)


@lru_cache(maxsize=1 << 14)  # most features are those of many formulas
def _text_digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def feature_digests(channels: Sequence[Sequence[Iterable[str]]]) -> tuple[Digests, Whole]:
    """Return the features of formulas, given by formula and channel, and of each its cell: formula × CHANNEL_COUNT + channel."""
    parts = [list(part) for one in channels for part in one]
    cells = np.repeat(np.arange(len(parts)), list(map(len, parts)))
    return text_digests(chain.from_iterable(parts)) + _CHANNEL_DIGESTS[cells % CHANNEL_COUNT], cells


def find_sorted(ascending: NDArray[Any], wanted: NDArray[Any]) -> Whole:
    """Return the place of each number among ascending ones; -1 for one that is not among them."""
    places = np.searchsorted(ascending, wanted)
    is_found = places < len(ascending)
    is_found[is_found] = ascending[places[is_found]] == wanted[is_found]
    return np.where(is_found, places, -1)


def ranges(starts: Whole, lengths: Whole, kind: type[np.signedinteger[Any]] = np.int64) -> Whole:
    """Return the concatenation of range(start, start + length) over all pairs, as numbers of this kind."""
    ends = np.cumsum(lengths)
    found = np.repeat((starts - ends + lengths).astype(kind), lengths)
    found += np.arange(len(found), dtype=kind)
    return found
