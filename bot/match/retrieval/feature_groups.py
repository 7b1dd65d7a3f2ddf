"""The index behind recognition: inverted lists over all channels of traits for a shortlist, exact keys beside them, likeness by channel.

Two stages. The first adds up, for every entry that shares a trait, how much the two formulas have in common; it looks at rare traits only
where there are enough of them. The second weighs what the best entries share with the query, channel by channel.
"""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise, repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.formula import Keys
from bot.formula.features.structural import FEATURE_GROUPS
from bot.match.retrieval.formula_reading import FormulaReading, read_formula
from bot.match.retrieval.inverted_index import KEY_LEVELS, MAX_SHARING, IndexedFormula
from bot.match.retrieval.sparse_matrix import CHANNEL_COUNT, Rows, SparseReadings, Whole, ranges

LINK_LEVEL = "K3"  # at which the equalities of chains are compared
SHORTLIST_SIZE = 120
_AT_ONCE = 2000  # entries laid out at once
_ARRAY_BLOCK = 1 << 18  # elements of the largest arrays that are worked on at once
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


class KnownReadings(Protocol):
    """Readings that were made before."""

    def get(self, tex: str) -> FormulaReading | None: ...


class ChannelIndex:
    """Formulas of items, searchable in all channels. Build once, ask often."""

    def __init__(self, entries: Iterable[IndexedFormula], readings: KnownReadings | None = None) -> None:
        """Read the entries; `readings` spares the reading of formulas that were read before."""
        listed = list(entries)
        packed = readings if isinstance(readings, SparseReadings) else SparseReadings()
        missing = dict.fromkeys(entry.tex for entry in listed if entry.tex not in packed.row_of)
        if missing:
            packed = packed.subset(packed.row_of)
            packed.add({tex: (readings.get(tex) if readings else None) or read_formula(tex) for tex in missing})
        found = [(entry, row) for entry in listed if (row := packed.row_of[entry.tex]) is not None]
        self.entries = tuple([entry for entry, _ in found])
        rows = [row for _, row in found]
        fields = list(Keys.__dataclass_fields__)
        column = fields.index("leaves")
        self.leaves = np.array([packed.keys[row][column] for row in rows], dtype=np.float64)
        self._words = packed.words
        self._lay_out(packed, np.array(rows, dtype=np.int64))
        number = {qid: n for n, qid in enumerate(dict.fromkeys(entry.qid for entry in self.entries))}
        items = [number[entry.qid] for entry in self.entries]
        self._by_key = {}
        for level in KEY_LEVELS:
            column = fields.index(level)
            self._by_key[level] = _RowsByKey([packed.keys[row][column] for row in rows], range(len(rows)), items)
        column = fields.index(LINK_LEVEL)
        links = [(link[column], n) for n, row in enumerate(rows) for link in packed.links[row]]
        self._by_link = _RowsByKey([key for key, _ in links], [n for _, n in links], items)

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

    def by_key(self, level: str) -> Iterator[list[int]]:
        """Yield the rows of entries that share a key, one list for each key."""
        return self._by_key[level].lists()

    # -- numbers instead of strings --------------------------------------------------------------------------------------
    def _lay_out(self, packed: SparseReadings, rows: Whole) -> None:
        """Lay out both directions: features of each entry, entries of each feature."""
        from scipy.sparse import csr_matrix  # .14 s, which proposing does not need

        # Whole arrays over all features of all entries are the larger part of an index: they are small numbers, and gone when they have served.
        self._flat, ptr = packed.features(rows)
        self._starts, self._lengths = ptr[:-1:CHANNEL_COUNT], np.diff(ptr[::CHANNEL_COUNT])
        self._channel = packed.channels()
        features, total = len(self._channel), len(rows)
        # Sorted by feature, entries of one item beside each other.
        number = {qid: n for n, qid in enumerate(dict.fromkeys(entry.qid for entry in self.entries))}
        item = np.array([number[entry.qid] for entry in self.entries], dtype=np.int32)
        by_item = np.argsort(item, kind="stable").astype(np.int32)
        positions = ranges(self._starts[by_item], self._lengths[by_item], np.int32)
        sides = np.concatenate([[0], np.cumsum(self._lengths[by_item])])
        transposed = csr_matrix((positions, self._flat[positions], sides), shape=(total, features)).tocsc()
        del positions
        holder, many, places = by_item[transposed.indices], transposed.indptr.astype(np.int64), transposed.data
        del transposed
        # A trait that one item shows in ten representations is as telling as one that it shows in one.
        new = np.ones(len(holder), dtype=bool)
        for start in range(1, len(holder), _ARRAY_BLOCK):
            items = item[holder[start - 1 : start + _ARRAY_BLOCK]]
            new[start : start + _ARRAY_BLOCK] = items[1:] != items[:-1]
        has_holder = np.diff(many) > 0
        new[many[:-1][has_holder]] = True
        holders = np.zeros(features, dtype=np.int32)
        if len(holder):
            holders[has_holder] = np.add.reduceat(new, many[:-1][has_holder], dtype=np.int32)
        del new
        idf = np.log(1 + max(len(number), 1) / np.maximum(holders, 1))
        # What no entry has comes last, where -1 finds it.
        self._idf = np.append(idf, np.log(1 + max(len(number), 1)))
        self._held = np.append(holders > 0, False)
        self._sums = np.zeros((total, CHANNEL_COUNT))
        weight = np.zeros(len(self._flat), dtype=np.float32)
        for start in range(0, total, _AT_ONCE):
            rows_slice = slice(start, start + _AT_ONCE)
            bounds = ptr[start * CHANNEL_COUNT : (start + _AT_ONCE) * CHANNEL_COUNT + 1]
            cell, part = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), slice(bounds[0], bounds[-1])
            sums = _sums(cell, self._idf[self._flat[part]], len(bounds) - 1)
            self._sums[rows_slice] = sums.reshape(-1, CHANNEL_COUNT)
            weight[part] = 1 / np.sqrt(sums[cell] + 1e-9)
        self._list_ptr = many
        weights = np.empty(len(holder))
        for start in range(0, len(holder), _ARRAY_BLOCK):
            weights[start : start + _ARRAY_BLOCK] = weight[places[start : start + _ARRAY_BLOCK]]
        self._lists = csr_matrix((weights, holder, many.astype(np.int32)), shape=(features, total))
        self._kept = threading.local()

    def _ids_of(self, own: Sequence[FormulaReading]) -> tuple[Whole, Whole, Floats]:
        """Return the numbers of the traits that some entry has, the cell of each (query, channel) in order, and idf sums by query and channel."""
        channels = [each.channels for each in own]
        looked_up = chain.from_iterable(
            [
                map(ids_by_feature.get, part, repeat(-1))
                for parts in channels
                for ids_by_feature, part in zip(self._words, parts, strict=True)
            ]
        )
        lengths = [len(part) for parts in channels for part in parts]
        ids = np.fromiter(looked_up, dtype=np.int64, count=sum(lengths))
        cells = np.repeat(np.arange(len(lengths)), lengths)
        # In one order, so that sums are the same in every process.
        wide = len(self._idf)
        order = cells * wide + ids + 1
        order.sort()
        cells, ids = order // wide, order % wide - 1
        query_sums = _sums(cells, self._idf[ids], len(lengths)).reshape(len(own), CHANNEL_COUNT)
        is_indexed = self._held[ids]
        return ids[is_indexed], cells[is_indexed], query_sums

    def _most_similar(self, ids: Whole, cells: Whole, query_sums: Floats, queries: int, limit: int) -> Whole:
        """Return the best entries of each query by a sum of cosine-like overlaps, as query × entries + row."""
        from scipy.sparse import csr_matrix

        total = len(self.entries)
        query = cells // CHANNEL_COUNT
        rare = self._list_ptr[ids + 1] - self._list_ptr[ids] <= max(COMMON_SHARE * total, SMALL_INDEX)
        is_used = rare | (np.bincount(query[rare], minlength=queries) < 8)[query]
        ids, cells, query = ids[is_used], cells[is_used], query[is_used]
        weight = self._idf[ids] ** 2 * _ROUGH[cells % CHANNEL_COUNT] / np.sqrt(query_sums.ravel()[cells] + 1e-9)
        ptr = np.searchsorted(query, np.arange(queries + 1)).astype(np.int32)
        query_matrix = csr_matrix((weight, ids.astype(np.int32), ptr), shape=(queries, len(self._channel)))
        rough = query_matrix @ self._lists
        values, rows, ends = np.round(rough.data, 9), rough.indices, rough.indptr.tolist()
        found: list[Whole] = []
        for n, (start, end) in enumerate(pairwise(ends)):
            found.append(_best(values[start:end], rows[start:end], limit) + n * total)
        return np.concatenate(found)

    def _shared_idf_sums(self, ids: Whole, rows: Rows) -> Floats:
        """Return the idf sums of what query and entry both have, channels × rows."""
        is_asked = self._scratch()
        is_asked[ids] = True
        lengths = self._lengths[rows]
        features = self._flat.take(ranges(self._starts[rows], lengths))  # take: a quarter faster than brackets
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
            self._kept.none = np.zeros(len(self._channel), dtype=bool)
        none: NDArray[np.bool_] = self._kept.none
        return none

    def _levels(self, own: Keys) -> dict[int, str]:
        found: dict[int, str] = {}
        for level in KEY_LEVELS:
            for row in self._by_key[level].selective_rows(own.at(level)):
                found.setdefault(row, level)
        return found

    def _links(self, own: FormulaReading) -> dict[int, int]:
        found: dict[int, int] = {}
        pairs = [(link, self._by_key[LINK_LEVEL]) for link in own.links]
        for link, lists in [*pairs, *[(each, self._by_link) for each in (own.keys, *own.links)]]:
            rows = lists.rows(link.at(LINK_LEVEL))
            if len(rows) <= MAX_SHARING:
                for row in rows:
                    found[row] = max(found.get(row, 0), link.leaves)
        return found


class _RowsByKey:
    """The rows of each key. Arrays, since a list for each of many thousand keys is walked by every collection of garbage."""

    def __init__(self, keys: Sequence[str], rows: Sequence[int], items: Sequence[int]) -> None:
        """`keys` and `rows` are pairs; `items` gives the item of each row."""
        self._number = dict(zip(dict.fromkeys(keys), count(), strict=False))
        of = np.fromiter(map(self._number.__getitem__, keys), dtype=np.int64, count=len(keys))
        self._rows = np.array(rows, dtype=np.int32)[np.argsort(of, kind="stable")]
        counts = np.bincount(of, minlength=len(self._number))
        self._ptr = np.concatenate([[0], np.cumsum(counts)])
        long = np.flatnonzero(counts > MAX_SHARING).tolist()
        self._crowded = {n for n in long if len({items[row] for row in self._rows_of_number(n)}) > MAX_SHARING}

    def rows(self, key: str) -> list[int]:
        """Return the rows that have the key."""
        number = self._number.get(key)
        return [] if number is None else self._rows_of_number(number)

    def selective_rows(self, key: str) -> list[int]:
        """Return the rows with the key; none if too many items have it."""
        number = self._number.get(key)
        return [] if number is None or number in self._crowded else self._rows_of_number(number)

    def lists(self) -> Iterator[list[int]]:
        """Yield the rows of every key."""
        return map(self._rows_of_number, range(len(self._number)))

    def _rows_of_number(self, number: int) -> list[int]:
        rows: list[int] = self._rows[self._ptr[number] : self._ptr[number + 1]].tolist()
        return rows


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
