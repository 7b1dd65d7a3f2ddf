"""The groups of a corpus by families, those whose formulas differ in scripts only (K3): they have each other's mentions at a discount.

A family is made of the rows of its formulas once, and kept by a digest of their places; counts are those of this run. In memory stay the outlines of the groups, by which they are grouped;
their places and mentions are read again for the concepts that are made.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter

from bot.discover.count import (
    CountedRow,
    Place,
    RowQuery,
    count_formulas,
    key_digests,
    place_of,
    places_of_keys,
    rows_of_keys,
)
from bot.discover.group import Group, PlaceFacts, group_places, keep_shown_places, name_group, place_facts, propagate
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage, FormulaUsage
from bot.discover.names import formula_usage
from bot.pickled_values import from_pickle, to_pickle
from bot.result_cache import ResultCache, cache_key
from bot.settings import Discovery

_KEYS_PER_QUERY = 8000  # keys in one statement: their rows are sorted in memory

_Packed = tuple[bytes, bytes]  # outlines with the usage of each formula, and `_Places`
_Places = tuple[
    list[tuple[str, PlaceFacts]], list[tuple[tuple[str, float], ...]]
]  # each with its shard; the names of the groups


class Families:
    """Read from a corpus: `outlines` of all groups, `usage` of names, and figures; `groups` reads groups again.

    `labels` are looked for in the text, and of it `words` are kept for each group.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[RowQuery]],
        settings: Discovery,
        labels: Labels,
        words: int,
        results: ResultCache,
    ) -> None:
        self._opened, self.settings, self.labels, self._words, self._kept = opened, settings, labels, words, results
        version = cache_key(
            words, settings.names_per_concept, sorted(labels.shown.items()), sorted(labels.known.items())
        )
        with opened() as rows:
            rows.gather("counted")
            self.formulas, self.distinct = count_formulas(rows)
            self._names, self._keys, self.digests = list[str](), list[list[str]](), list[bytes]()
            self._counts: dict[str, tuple[int, int]] = {}  # occurrences and documents of each key
            for name, family in groupby(key_digests(rows, settings), key=itemgetter("family")):
                found = list(family)
                self._names.append(str(name))
                self._keys.append([str(row["key"]) for row in found])
                self._counts |= {str(row["key"]): (int(row.pop("times")), int(row.pop("spread"))) for row in found}
                self.digests.append(cache_key(version, *map(tuple, map(dict.values, found))))
            self._last: dict[str, bytes] = results.load_last("digests of families", version)
            packed = results.map_lazily(
                "family", range(len(self._keys)), self.digests.__getitem__, self._group_maker(rows)
            )
            self.outlines: list[Group] = []
            self.family: dict[str, int] = {}  # of each key
            self.usage = CorpusUsage.of(self._read(packed))
        if (digests := dict(zip(self._names, self.digests, strict=True))) != self._last:
            results.store_last("digests of families", version, digests)

    def _read(self, packed: Iterable[_Packed]) -> Iterator[FormulaUsage]:
        for number, (outlines, _) in enumerate(packed):
            for outline, usage in from_pickle(outlines):
                outline.documents = set(map(sys.intern, outline.documents))
                outline.count(*self._counts[outline.key])
                self.family[outline.key] = number
                self.outlines.append(outline)
                yield usage

    def _group_maker(self, rows: RowQuery) -> Callable[[list[int]], Iterator[_Packed]]:
        def make(numbers: list[int]) -> Iterator[_Packed]:
            left = deque(numbers)
            if sum(len(self._keys[number]) for number in left) > _KEYS_PER_QUERY:
                rows.gather("occurrences")
            while left:
                block, keys = list[int](), list[str]()
                while left and len(keys) < _KEYS_PER_QUERY:
                    block.append(left.popleft())
                    keys += self._keys[block[-1]]
                places = self._places(rows, block, keys)
                for number, (_, run) in zip(block, groupby(places, key=itemgetter(0)), strict=True):
                    own = [(part, facts) for _, part, facts in run]
                    most = self.settings.names_per_concept
                    found = [name_group(group, most, self.labels) for group in self._grouped(facts for _, facts in own)]
                    assert [group.key for group in found] == self._keys[number]
                    outlines = [
                        (group.outline(), formula_usage(group.representative, group.mentions)) for group in found
                    ]
                    yield to_pickle(outlines), to_pickle((own, [group.names for group in found]))

        return make

    def _grouped(self, places: Iterable[PlaceFacts]) -> list[Group]:
        """Return the groups of a family, with what they have of each other."""
        return propagate([keep_shown_places(group) for group in group_places(places, self._words)])

    def _facts(self, row: CountedRow) -> PlaceFacts:
        return place_facts(row, self.labels, self._words)

    def _places(
        self, rows: RowQuery, families: Sequence[int], keys: Sequence[str]
    ) -> Iterator[tuple[str, str, PlaceFacts]]:
        """Yield the family, the shard and the facts of each place; shards are opened only for those that the families did not have in the last run."""
        if not (known := self._last_places(families)):
            for row in rows_of_keys(rows, self.settings, keys):
                yield row["family"], row["part"], self._facts(row)
            return
        places = list(places_of_keys(rows, self.settings, keys))
        if parts := {place[0] for _, place in places if place not in known}:
            found = rows_of_keys(rows, self.settings, keys, rows.narrowed(parts))
            known |= {place_of(row): self._facts(row) for row in found}
        yield from ((family, place[0], known[place]) for family, place in places)

    def _last_places(self, families: Sequence[int]) -> dict[Place, PlaceFacts]:
        digests = [self._last[name] for name in map(self._names.__getitem__, families) if name in self._last]
        stored: dict[bytes, _Packed] = self._kept.load("family", digests)
        read: Iterator[_Places] = (from_pickle(places) for _, places in stored.values())
        return {(part, facts.document, facts.position): facts for places, _ in read for part, facts in places}

    def groups(self, families: Sequence[int]) -> dict[str, Group]:
        """Return all groups of these families by key, with what they have of each other."""

        def make(numbers: list[int]) -> list[_Packed]:
            with self._opened() as rows:
                return list(self._group_maker(rows)(numbers))

        found: list[_Packed] = self._kept.map_batch("family", sorted(set(families)), self.digests.__getitem__, make)
        groups: dict[str, Group] = {}
        for _, packed in found:
            read: _Places = from_pickle(packed)
            places, names = read
            for group, own in zip(self._grouped(facts for _, facts in places), names, strict=True):
                group.names = own
                group.count(*self._counts[group.key])
                groups[group.key] = group
        return groups
