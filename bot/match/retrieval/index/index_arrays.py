"""Lays out an index of formulas on items as arrays: features of each entry, entries of each feature, rows by key."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.match.retrieval.index.sparse_matrix import CHANNEL_COUNT, Digests, Rows, SparseReadings, Whole, ranges
from bot.match.retrieval.inverted_index import IndexedFormula

_AT_ONCE = 2000  # entries laid out at once
_ARRAY_BLOCK = 1 << 18  # elements of the largest arrays that are worked on at once


def index_arrays(entries: Sequence[IndexedFormula], readings: SparseReadings) -> dict[str, NDArray[Any]]:
    """Return the arrays of a `ChannelIndex` of the entries that have a tree; `readings` has all of them.

    `entries` are their places. Rows are numbers of these: row r has the features `flat[ptr[r] : ptr[r + 1]]` and sums of idf by channel in
    `sums[r]`; feature f has the idf `idf[f]` and is in the rows `lists[list_ptr[f] : list_ptr[f + 1]]`. `keys` and
    `links` are ascending digests, with the row of each.
    """
    rows = readings.rows_of([entry.tex for entry in entries])
    places = np.flatnonzero(readings.leaves[rows] >= 0) if len(rows) else rows
    found = readings.subset(rows[places])
    number = {qid: n for n, qid in enumerate(dict.fromkeys(entries[n].qid for n in places.tolist()))}
    items = np.array([number[entries[n].qid] for n in places.tolist()], dtype=np.int32)
    link_rows = np.repeat(np.arange(len(places)), np.diff(found.link_ptr))
    keys = [_in_order(column, np.arange(len(places))) for column in found.keys.T]
    links = _in_order(found.links, link_rows)
    return {
        "entries": places,
        "items": items,
        "leaves": found.leaves.astype(np.float64),
        "vocabulary": found.vocabulary,
        "channel": found.channels(),
        "flat": found.flat,
        "ptr": found.ptr[::CHANNEL_COUNT],
        **_lay_out(found, items, len(number)),
        "keys": np.array([digests for digests, _ in keys]),
        "key_rows": np.array([own for _, own in keys]),
        "links": links[0],
        "link_rows": links[1],
    }


def _in_order(digests: Digests, rows: Whole) -> tuple[Digests, Rows]:
    order = np.argsort(digests, kind="stable")
    return digests[order], rows[order].astype(np.int32)


def _lay_out(readings: SparseReadings, items: Rows, item_count: int) -> dict[str, NDArray[Any]]:
    from scipy.sparse import csr_matrix  # .14 s, which an index from a file does not need

    flat, cell_ptr, total = readings.flat, readings.ptr, len(items)
    ptr = cell_ptr[::CHANNEL_COUNT]
    # Sorted by feature, entries of one item beside each other.
    by_item = np.argsort(items, kind="stable").astype(np.int32)
    lengths = np.diff(ptr)[by_item]
    own, sides = flat[ranges(ptr[by_item], lengths)], np.append(0, np.cumsum(lengths))
    ones = np.ones(len(own), dtype=bool)
    transposed = csr_matrix((ones, own, sides), shape=(total, len(readings.vocabulary))).tocsc()
    del own, ones
    lists, list_ptr = by_item[transposed.indices], transposed.indptr.astype(np.int64)
    del transposed
    # A trait that one item shows in ten representations is as telling as one that it shows in one.
    is_new = np.ones(len(lists), dtype=bool)
    for start in range(1, len(lists), _ARRAY_BLOCK):
        some = items[lists[start - 1 : start + _ARRAY_BLOCK]]
        is_new[start : start + _ARRAY_BLOCK] = some[1:] != some[:-1]
    is_new[list_ptr[:-1]] = True
    holders = np.add.reduceat(is_new, list_ptr[:-1], dtype=np.int32) if len(lists) else np.zeros(0)
    idf = np.log(1 + item_count / holders)
    sums = np.zeros((total, CHANNEL_COUNT))
    for start in range(0, total, _AT_ONCE):
        bounds = cell_ptr[start * CHANNEL_COUNT : (start + _AT_ONCE) * CHANNEL_COUNT + 1]
        cell, part = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)), slice(bounds[0], bounds[-1])
        own_sums = np.bincount(cell, idf[flat[part]], len(bounds) - 1)
        sums[start : start + _AT_ONCE] = own_sums.reshape(-1, CHANNEL_COUNT)
    return {"idf": idf, "sums": sums, "lists": lists, "list_ptr": list_ptr}
