"""The groups of a corpus by families, those whose formulas differ in scripts only (K3): they have each other's mentions at a discount.

A family is made of the rows of its formulas once, and kept by a digest of their places; counts are those of this run. In memory stay the outlines of the groups, by which they are grouped;
their places and mentions are read again for the concepts that are made.
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from bot.discover.count import CountedRow, RowQuery, count_formulas, key_digests, rows_of_keys
from bot.discover.group import Group, group_rows, keep_shown_places, name_group, propagate
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage, FormulaUsage
from bot.discover.names import formula_usage
from bot.pickled_values import from_pickle, to_pickle
from bot.result_cache import ResultCache, cache_key
from bot.settings import Discovery

_KEYS_PER_QUERY = 8000  # keys in one statement: their rows are sorted in memory

_Packed = tuple[bytes, bytes]  # outlines with what is said of each, and the groups


@dataclass(frozen=True, slots=True)
class GroupReading:
    """How rows become groups: the labels looked for in the text, the words kept of each group, and how many names."""

    labels: Labels
    words: int
    most: int

    def families(self, rows: Iterable[CountedRow]) -> Iterator[tuple[str, list[Group]]]:
        """Yield (K3, its groups) from rows of families that follow each other."""
        for key, run in groupby(rows, key=itemgetter("family")):
            found = propagate([keep_shown_places(group) for group in group_rows(run, self.labels, self.words)])
            yield key, [name_group(group, self.most, self.labels) for group in found]


class Families:
    """Read from a corpus: `outlines` of all groups, `usage` of names, and figures; `groups` reads groups again."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[RowQuery]],
        settings: Discovery,
        reading: GroupReading,
        results: ResultCache,
    ) -> None:
        version = cache_key(
            reading.words, reading.most, sorted(reading.labels.shown.items()), sorted(reading.labels.known.items())
        )
        self._opened, self._settings, self._reading, self._kept = opened, settings, reading, results
        with opened() as rows:
            rows.gather("counted")
            self.formulas, self.distinct = count_formulas(rows)
            self._keys, self.digests = [], list[bytes]()
            self._counts: dict[str, tuple[int, int]] = {}  # occurrences and documents of each key
            for _, family in groupby(key_digests(rows, settings), key=itemgetter("family")):
                found = list(family)
                self._keys.append([str(row["key"]) for row in found])
                self._counts |= {str(row["key"]): (int(row.pop("times")), int(row.pop("spread"))) for row in found}
                self.digests.append(cache_key(version, *map(tuple, map(dict.values, found))))
            self._walk = results.map_lazily(
                "family", range(len(self._keys)), self.digests.__getitem__, self._group_maker(rows)
            )
            self.outlines: list[Group] = []
            self.family: dict[str, int] = {}  # of each key
            self.usage = CorpusUsage.of(self._read())

    def _read(self) -> Iterator[FormulaUsage]:
        for number, (outlines, _) in enumerate(self._walk):
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
                found = self._reading.families(rows_of_keys(rows, self._settings, keys))
                for number, (_, each) in zip(block, found, strict=True):
                    assert [group.key for group in each] == self._keys[number]
                    outlines = [
                        (group.outline(), formula_usage(group.representative, group.mentions)) for group in each
                    ]
                    for group in each:
                        group.propagated = []  # of the others here
                    yield to_pickle(outlines), to_pickle(each)

        return make

    def groups(self, families: Sequence[int]) -> dict[str, Group]:
        """Return all groups of these families by key, with what they have of each other."""

        def make(numbers: list[int]) -> list[_Packed]:
            with self._opened() as rows:
                return list(self._group_maker(rows)(numbers))

        found: list[_Packed] = self._kept.map_batch("family", sorted(set(families)), self.digests.__getitem__, make)
        groups = {group.key: group for _, each in found for group in propagate(from_pickle(each))}
        for group in groups.values():
            group.count(*self._counts[group.key])
        return groups
