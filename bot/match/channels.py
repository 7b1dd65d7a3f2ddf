"""The index behind recognition: inverted lists over all channels of traits for a shortlist, exact keys beside them, likeness by channel.

Two stages. The first adds up, for every entry that shares a trait, how much the two formulas have in common; it looks at rare traits only
where there are enough of them. The second weighs what the best entries share with the query, channel by channel.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bot.formula import Keys
from bot.match.index import Entry
from bot.match.reading import Read, read
from bot.match.traits import CHANNELS

KEY_LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5")
LINK_LEVEL = "K3"  # at which the equalities of chains are compared
# A key shared by formulas of more items than this says too little to be worth the comparisons.
CROWD = 40
SHORTLIST = 120
# What more than this share of all entries hold (and more than this many) is not looked at in the first stage: rare traits find more.
COMMON, FEW = 1 / 50, 200
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
Whole = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Rows of entries near a query, in order; `shared`, `mine` and `theirs` are idf sums by channel."""

    rows: Rows
    shared: Floats  # channels × rows
    mine: Floats  # channels
    theirs: Floats  # channels × rows
    levels: dict[int, str]  # by row: the strictest key that both share
    links: dict[int, int]  # by row: leaves of the longest equality that one of them is and the other holds in a chain
    leaves: int


class Known(Protocol):
    """Readings that were made before."""

    def get(self, tex: str) -> Read | None: ...


class ChannelIndex:
    """Formulas of items, searchable in all channels. Build once, ask often."""

    def __init__(self, entries: Iterable[Entry], known: Known | None = None) -> None:
        """Read the entries; `known` spares the reading of formulas that were read before."""
        kept: list[Entry] = []
        found: list[Read] = []
        for entry in entries:
            one = known.get(entry.tex) if known else None
            one = one or read(entry.tex)
            if one is not None:
                kept.append(entry)
                found.append(one)
        self.entries = tuple(kept)
        self.leaves = np.array([one.keys.leaves for one in found], dtype=np.float64)
        self._number([one.channels for one in found])
        self._by_key: dict[str, dict[str, list[int]]] = {level: defaultdict(list) for level in KEY_LEVELS}
        for row, one in enumerate(found):
            for level in KEY_LEVELS:
                self._by_key[level][one.keys.at(level)].append(row)

        self._by_link: dict[str, list[int]] = defaultdict(list)
        for row, one in enumerate(found):
            for link in one.links:
                self._by_link[link.at(LINK_LEVEL)].append(row)

    def shortlist(self, tex: str, limit: int = SHORTLIST) -> Shortlist | None:
        """Return the most alike entries and all with a shared key; None where the formula has no tree or nothing is alike."""
        own = read(tex) if self.entries else None
        return None if own is None else self.near(own, limit)

    def near(self, own: Read, limit: int = SHORTLIST) -> Shortlist | None:
        """Like `shortlist`, of a formula that was read."""
        ids, channel, mine = self._ids_of(own.channels)
        rough = self._rough(ids, channel, mine)
        best = np.argpartition(-rough, limit)[:limit] if limit < len(rough) else np.arange(len(rough))
        levels = self._levels(own.keys)
        links = self._links(own)
        rows = np.union1d(best[rough[best] > 0], np.fromiter({**levels, **links}, dtype=np.int64)).astype(np.int32)
        if not len(rows):
            return None
        theirs: Floats = self._sums[rows].T
        return Shortlist(rows, self._shared(ids, rows), mine, theirs, levels, links, own.keys.leaves)

    def by_key(self, level: str) -> Iterable[list[int]]:
        """Return the rows of entries that share a key, one list for each key."""
        return self._by_key[level].values()

    # -- numbers instead of strings --------------------------------------------------------------------------------------
    def _number(self, texts: Sequence[tuple[frozenset[str], ...]]) -> None:
        """Give every trait a number and lay out both directions: traits of each entry, entries of each trait."""
        total, wide = len(texts), len(CHANNELS)
        qids = [entry.qid for entry in self.entries]
        self._ids: list[dict[str, int]] = [{} for _ in CHANNELS]
        rows: list[list[int]] = []
        for parts in texts:
            for ids, part in zip(self._ids, parts, strict=True):
                rows.append([ids.setdefault(name, len(ids)) for name in sorted(part)])
        starts = np.cumsum([0, *[len(ids) for ids in self._ids]])
        self._starts = starts
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self._ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        flat = np.fromiter((n for row in rows for n in row), dtype=np.int64, count=int(lengths.sum()))
        of_row = np.repeat(np.arange(len(rows)), lengths)
        self._flat = (flat + starts[:-1][of_row % wide]).astype(np.int32)
        for ids, start in zip(self._ids, starts[:-1].tolist(), strict=True):
            ids.update({name: number + start for name, number in ids.items()})
        self._kept = threading.local()
        entry = (of_row // wide).astype(np.int32) if wide else of_row
        # A trait that one item shows in ten representations is as telling as one that it shows in one.
        number = {qid: n for n, qid in enumerate(dict.fromkeys(qids))}
        item = np.array([number[qid] for qid in qids], dtype=np.int64)
        pairs = np.unique(self._flat.astype(np.int64) * max(len(number), 1) + item[entry])
        holders = np.bincount(pairs // max(len(number), 1), minlength=int(starts[-1]))
        self._idf = np.log(1 + max(len(number), 1) / np.maximum(holders, 1))
        self._unseen = math.log(1 + max(len(number), 1))
        sums = np.bincount(of_row, self._idf[self._flat], len(rows))
        self._sums = sums.astype(np.float64, copy=False).reshape(total, wide)
        order = np.argsort(self._flat, kind="stable")
        counts = np.bincount(self._flat, minlength=int(starts[-1]))
        self._lists = entry[order]
        self._list_ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._list_weight = (1 / np.sqrt(self._sums[entry[order], (of_row % wide)[order]] + 1e-9)).astype(np.float32)

    def _ids_of(self, parts: tuple[frozenset[str], ...]) -> tuple[Whole, Whole, Floats]:
        """Return the numbers of the traits that some entry has, in order, the channel of each, and the query's idf sum by channel."""
        found: list[int] = []
        counts: list[int] = []
        for ids, part in zip(self._ids, parts, strict=True):
            own = sorted([number for name in part if (number := ids.get(name)) is not None])
            found += own
            counts.append(len(own))
        numbers = np.array(found, dtype=np.int64)
        channel = np.repeat(_CHANNELS, counts)
        missing = np.array([len(part) for part in parts]) - counts
        return numbers, channel, np.bincount(channel, self._idf[numbers], len(CHANNELS)) + self._unseen * missing

    def _rough(self, ids: Whole, channel: Whole, mine: Floats) -> Floats:
        """Return for every entry a sum of cosine-like overlaps by channel."""
        total = len(self.entries)
        starts = self._list_ptr[ids]
        lengths = self._list_ptr[ids + 1] - starts
        rare = lengths <= max(COMMON * total, FEW)
        if rare.sum() >= 8:
            ids, channel, starts, lengths = ids[rare], channel[rare], starts[rare], lengths[rare]
        if not len(ids):
            return np.zeros(total)
        weight = self._idf[ids] ** 2 * _ROUGH[channel] / np.sqrt(mine[channel] + 1e-9)
        places = _ranges(starts, lengths)
        found = np.bincount(self._lists[places], self._list_weight[places] * np.repeat(weight, lengths), total)
        return found.astype(np.float64, copy=False)

    def _shared(self, ids: Whole, rows: Rows) -> Floats:
        """Return the idf sums of what query and entry both have, channels × rows."""
        wide = len(CHANNELS)
        mine = self._scratch()
        mine[ids] = self._idf[ids]
        first = rows.astype(np.int64) * wide
        starts = self._ptr[first]
        lengths = self._ptr[first + wide] - starts
        values = mine[self._flat[_ranges(starts, lengths)]]
        mine[ids] = 0.0
        cells = self._ptr[first[:, None] + np.arange(wide + 1)]
        cells -= (starts - (np.cumsum(lengths) - lengths))[:, None]
        before = np.zeros(len(values) + 1)
        np.cumsum(values, out=before[1:])
        at = before[cells]
        shared: Floats = np.round(at[:, 1:] - at[:, :-1], 9).T
        return shared

    def _scratch(self) -> Floats:
        """Return zeros for every trait, kept between queries: making them anew costs more than a query's own work. One for each thread."""
        if not hasattr(self._kept, "zeros"):
            self._kept.zeros = np.zeros(int(self._starts[-1]))
        zeros: Floats = self._kept.zeros
        return zeros

    def _levels(self, own: Keys) -> dict[int, str]:
        found: dict[int, str] = {}
        for level in KEY_LEVELS:
            rows = self._by_key[level].get(own.at(level), [])
            if rows and (len(rows) <= CROWD or len({self.entries[row].qid for row in rows}) <= CROWD):
                for row in rows:
                    found.setdefault(row, level)
        return found

    def _links(self, own: Read) -> dict[int, int]:
        found: dict[int, int] = {}
        pairs = [(link, self._by_key[LINK_LEVEL]) for link in own.links]
        for link, lists in [*pairs, *[(each, self._by_link) for each in (own.keys, *own.links)]]:
            rows = lists.get(link.at(LINK_LEVEL), [])
            if len(rows) <= CROWD:
                for row in rows:
                    found[row] = max(found.get(row, 0), link.leaves)
        return found


_CHANNELS = np.arange(len(CHANNELS))
_ROUGH = np.array([ROUGH[name] for name in CHANNELS])


def _ranges(starts: Whole, lengths: Whole) -> Whole:
    """Return the concatenation of range(start, start + length) over all pairs."""
    ends = np.cumsum(lengths)
    return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
