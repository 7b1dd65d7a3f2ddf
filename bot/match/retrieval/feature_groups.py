"""The index behind recognition: inverted lists over all channels of traits for a shortlist, exact keys beside them, likeness by channel.

Two stages. The first adds up, for every entry that shares a trait, how much the two formulas have in common; it looks at rare traits only
where there are enough of them. The second weighs what the best entries share with the query, channel by channel.
"""

import math
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.formula import Keys
from bot.formula.features.structural import FEATURE_GROUPS
from bot.match.retrieval.formula_reading import FormulaReading, read_formula
from bot.match.retrieval.index.index_arrays import index_arrays
from bot.match.retrieval.index.mapped_arrays import Arrays
from bot.match.retrieval.index.sparse_matrix import (
    CHANNEL_COUNT,
    LINK_LEVEL,
    NO_READINGS,
    Digests,
    Rows,
    Whole,
    feature_digests,
    find_sorted,
    ranges,
    text_digests,
)
from bot.match.retrieval.inverted_index import KEY_LEVELS, MAX_SHARING, IndexedFormula

SHORTLIST_SIZE = 120
# What more than this share of all entries hold (and more than this many) is not looked at in the first stage: rare traits find more.
COMMON_SHARE, SMALL_INDEX = 1 / 50, 200
# How much each channel says when the shortlist is drawn.
CHANNEL_WEIGHTS = {
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

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Rows of entries near a query, in order; `shared_sums`, `query_sums` and `entry_sums` are idf sums by channel."""

    rows: Rows
    shared_sums: Floats  # channels × rows
    query_sums: Floats  # channels
    entry_sums: Floats  # channels × rows
    levels: dict[int, str]  # by row: the strictest key that both share
    links: dict[int, int]  # by row: leaves of the longest equality that one of them is and the other holds in a chain
    leaves: int


class ChannelIndex:
    """Formulas of items, searchable in all channels. Its arrays may be mapped from a file, of which a query reads what it needs."""

    def __init__(self, entries: Iterable[IndexedFormula], arrays: Arrays | None = None) -> None:
        """`arrays` are those of `index_arrays` for the entries; without them the formulas are read now."""
        listed = list(entries)
        if arrays is None:
            arrays = index_arrays(listed, NO_READINGS.added({entry.tex: read_formula(entry.tex) for entry in listed}))
        self.entries = tuple([listed[n] for n in arrays["entries"].tolist()])
        self.leaves: Floats = arrays["leaves"]
        self._items: Rows = arrays["items"]
        self._vocabulary, self._channel, self._idf = arrays["vocabulary"], arrays["channel"], arrays["idf"]
        self._flat, self._ptr, self._sums = arrays["flat"], arrays["ptr"], arrays["sums"]
        self._lists, self._list_ptr = arrays["lists"], arrays["list_ptr"]
        self._scales = (1 / np.sqrt(self._sums.T + 1e-9)).astype(np.float32).ravel()  # channels × rows
        self._unseen = math.log(1 + max(len(np.unique(self._items)), 1))
        self._keys = dict(zip(KEY_LEVELS, zip(arrays["keys"], arrays["key_rows"], strict=True), strict=True))
        self._by_link = arrays["links"], arrays["link_rows"]
        self._kept = threading.local()

    def search_tex(self, tex: str, limit: int = SHORTLIST_SIZE) -> Shortlist | None:
        """Return the most similar entries and all with a shared key; None if the formula has no tree or nothing is similar."""
        own = read_formula(tex) if self.entries else None
        return None if own is None else self.search(own, limit)

    def search(self, own: FormulaReading, limit: int = SHORTLIST_SIZE) -> Shortlist | None:
        """Like `search_tex`, for a formula that was read."""
        return self.search_many([own], limit)[0]

    def search_many(self, own: Sequence[FormulaReading], limit: int = SHORTLIST_SIZE) -> list[Shortlist | None]:
        """Like `search`, for many formulas at once."""
        total = len(self.entries)
        if not total or not own:
            return [None] * len(own)
        ids, cells, query_sums = self._ids_of(own)
        levels = [self._levels(each.keys) for each in own]
        links = [self._links(each) for each in own]
        similar = self._most_similar(ids, cells, query_sums, len(own), limit)
        keyed = [query * total + row for query in range(len(own)) for row in {**levels[query], **links[query]}]
        drawn = np.sort(np.concatenate([similar, np.array(keyed, dtype=np.int64)]))
        drawn = drawn[np.diff(drawn, prepend=-1) > 0]
        rows = (drawn % total).astype(np.int32)
        ends = np.searchsorted(drawn, np.arange(len(own) + 1) * total).tolist()
        bounds = np.searchsorted(cells, np.arange(len(own) + 1) * CHANNEL_COUNT).tolist()
        entry_sums: Floats = self._sums[rows].T
        found: list[Shortlist | None] = []
        for n, each in enumerate(own):
            start, end = ends[n], ends[n + 1]
            if start == end:
                found.append(None)
                continue
            shared = self._shared_idf_sums(ids[bounds[n] : bounds[n + 1]], rows[start:end])
            part = rows[start:end], shared, query_sums[n], entry_sums[:, start:end]
            found.append(Shortlist(*part, levels[n], links[n], each.keys.leaves))
        return found

    def related_rows(self, level: str) -> list[list[int]]:
        """Return the rows of entries that share a key, one list for each key that several have."""
        digests, rows = self._keys[level]
        ends = np.append(np.flatnonzero(digests[1:] != digests[:-1]) + 1, len(digests))
        starts = np.append(0, ends[:-1])
        shared = ends - starts > 1
        return [rows[start:end].tolist() for start, end in zip(starts[shared], ends[shared], strict=True)]

    # -- numbers instead of strings --------------------------------------------------------------------------------------
    def _ids_of(self, own: Sequence[FormulaReading]) -> tuple[Whole, Whole, Floats]:
        """Return the numbers of the traits that some entry has, the cell of each (query, channel) in order, and idf sums by query and channel."""
        digests, cells = feature_digests([each.channels for each in own])
        ids = find_sorted(self._vocabulary, digests)
        # In one order, so that sums are the same in every process.
        wide = len(self._vocabulary) + 1
        order = cells * wide + ids + 1
        order.sort()
        cells, ids = order // wide, order % wide - 1
        is_indexed = ids >= 0
        idf = np.full(len(ids), self._unseen)
        idf[is_indexed] = self._idf[ids[is_indexed]]
        query_sums = _sums(cells, idf, len(own) * CHANNEL_COUNT).reshape(len(own), CHANNEL_COUNT)
        return ids[is_indexed], cells[is_indexed], query_sums

    def _most_similar(self, ids: Whole, cells: Whole, query_sums: Floats, queries: int, limit: int) -> Whole:
        """Return the best entries of each query by a sum of cosine-like overlaps, as query × entries + row."""
        total = len(self.entries)
        query = cells // CHANNEL_COUNT
        starts = self._list_ptr[ids]
        lengths = self._list_ptr[ids + 1] - starts
        rare = lengths <= max(COMMON_SHARE * total, SMALL_INDEX)
        is_used = rare | (np.bincount(query[rare], minlength=queries) < 8)[query]
        ids, cells, query, starts, lengths = (each[is_used] for each in (ids, cells, query, starts, lengths))
        channel = cells % CHANNEL_COUNT
        weight = self._idf[ids] ** 2 * _ROUGH[channel] / np.sqrt(query_sums.ravel()[cells] + 1e-9)
        bounds = np.searchsorted(query, np.arange(queries + 1)).tolist()
        found: list[Whole] = []
        for n, own in enumerate(map(slice, bounds, bounds[1:])):
            rows = self._lists.take(ranges(starts[own], lengths[own]))
            scales = self._scales.take(np.repeat(channel[own] * total, lengths[own]) + rows)
            sums = _sums(rows, np.repeat(weight[own], lengths[own]) * scales, total)
            rows = np.flatnonzero(sums > 0).astype(np.int32)
            found.append(_best(np.round(sums[rows], 9), rows, limit) + n * total)
        return np.concatenate(found)

    def _shared_idf_sums(self, ids: Whole, rows: Rows) -> Floats:
        """Return the idf sums of what query and entry both have, channels × rows."""
        is_asked = self._scratch()
        is_asked[ids] = True
        starts = self._ptr[rows]
        lengths = self._ptr[rows + 1] - starts
        features = self._flat.take(ranges(starts, lengths))  # take: a quarter faster than brackets
        both = np.flatnonzero(is_asked.take(features))
        is_asked[ids] = False
        features = features.take(both)
        cells = np.repeat(np.arange(len(rows)), lengths).take(both) + self._channel.take(features) * len(rows)
        return np.round(_sums(cells, self._idf.take(features), CHANNEL_COUNT * len(rows)), 9).reshape(
            CHANNEL_COUNT, len(rows)
        )

    def _scratch(self) -> NDArray[np.bool_]:
        """Return a False for every trait, kept between queries: making them anew costs more than a query's own work. One for each thread."""
        if not hasattr(self._kept, "none"):
            self._kept.none = np.zeros(len(self._vocabulary), dtype=bool)
        none: NDArray[np.bool_] = self._kept.none
        return none

    def _levels(self, own: Keys) -> dict[int, str]:
        found: dict[int, str] = {}
        for level, digest in zip(KEY_LEVELS, text_digests(map(own.at, KEY_LEVELS)), strict=True):
            rows = _rows_at(digest, *self._keys[level])
            if len(rows) <= MAX_SHARING or len(set(self._items[rows].tolist())) <= MAX_SHARING:
                for row in rows.tolist():
                    found.setdefault(row, level)
        return found

    def _links(self, own: FormulaReading) -> dict[int, int]:
        found: dict[int, int] = {}
        pairs = [(link, self._keys[LINK_LEVEL]) for link in own.links]
        for link, lists in [*pairs, *[(each, self._by_link) for each in (own.keys, *own.links)]]:
            rows = _rows_at(text_digests([link.at(LINK_LEVEL)])[0], *lists)
            if len(rows) <= MAX_SHARING:
                for row in rows.tolist():
                    found[row] = max(found.get(row, 0), link.leaves)
        return found


def _rows_at(digest: np.uint64, digests: Digests, rows: Rows) -> Rows:
    """Return the rows that have the digest."""
    return rows[digests.searchsorted(digest) : digests.searchsorted(digest, "right")]


_ROUGH = np.array([CHANNEL_WEIGHTS[name] for name in FEATURE_GROUPS])


def _sums(cells: Whole | Rows, values: Floats, size: int) -> Floats:
    """Return the sum of the values for each place."""
    return np.bincount(cells, values, size).astype(np.float64, copy=False)  # of nothing it counts in whole numbers


def _best(values: Floats, rows: Rows, limit: int) -> Whole:
    """Return the rows of the largest values; of equal ones the first rows."""
    if len(rows) > limit:
        bar = np.partition(values, len(values) - limit)[len(values) - limit]
        better = rows[values > bar]
        rows = np.concatenate([better, np.sort(rows[values == bar])[: limit - len(better)]])
    return rows.astype(np.int64)
