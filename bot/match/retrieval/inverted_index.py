"""An index of formulas that stand on items: inverted lists of idf-weighted token n-grams, and exact keys beside them."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bot.formula import Keys, keys
from bot.formula.features.structural import token_ngrams

KEY_LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5")
# A key shared by more formulas than this says too little to be worth the comparisons.
MAX_SHARING = 40


@dataclass(frozen=True, slots=True)
class IndexedFormula:
    """One formula of one item."""

    qid: str
    tex: str


@dataclass(frozen=True, slots=True)
class SimilarFormula:
    """An entry near a query: idf-weighted Jaccard of the n-grams, and the strictest key that both share ("" if none)."""

    entry: IndexedFormula
    jaccard: float
    level: str


def all_keys(formulas: Sequence[str]) -> list[Keys]:
    """Return the keys of each formula."""
    return list(map(keys, formulas))


class FormulaIndex:
    """Formulas of items, searchable by likeness and by key. Build once, ask often."""

    def __init__(
        self, entries: Iterable[IndexedFormula], all_keys: Callable[[Sequence[str]], Iterable[Keys]] = all_keys
    ) -> None:
        """`all_keys` returns the keys of many formulas, perhaps with the help of other processes."""
        self.entries = tuple(entries)
        texts = [token_ngrams(entry.tex) for entry in self.entries]
        frequency = Counter(gram for text in texts for gram in text)
        total = max(len(texts), 1)
        self._idf = {gram: math.log(1 + total / n) for gram, n in frequency.items()}
        self._unseen = math.log(1 + total)
        lists: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(texts):
            for gram in sorted(text):
                lists[gram].append(row)
        self._lists = {gram: np.array(rows, dtype=np.int32) for gram, rows in lists.items()}
        self._weight = np.array([self._sum(text) for text in texts], dtype=np.float64)
        self._by_key: dict[str, dict[str, list[int]]] = {level: defaultdict(list) for level in KEY_LEVELS}
        for row, found in enumerate(all_keys([entry.tex for entry in self.entries])):
            for level in KEY_LEVELS:
                self._by_key[level][found.at(level)].append(row)

    def search(self, tex: str, limit: int) -> list[SimilarFormula]:
        """Return the `limit` most alike entries and every entry with a shared key, most alike first."""
        if not self.entries:
            return []
        similarity = self._jaccard(token_ngrams(tex))
        levels = self._levels(tex)
        top = np.argpartition(-similarity, min(limit, len(similarity)) - 1)[:limit]
        rows = {int(row) for row in top if similarity[row] > 0} | set(levels)
        found = [SimilarFormula(self.entries[row], float(similarity[row]), levels.get(row, "")) for row in sorted(rows)]
        return sorted(found, key=lambda near: (near.level or "K9", -near.jaccard, near.entry.qid))

    def _sum(self, text: frozenset[str]) -> float:
        return sum(self._idf.get(gram, self._unseen) for gram in sorted(text))

    def _jaccard(self, text: frozenset[str]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        shared = np.zeros(len(self.entries))
        for gram in sorted(text):  # one order of summation in every process
            rows = self._lists.get(gram)
            if rows is not None:
                shared[rows] += self._idf[gram]
        union = self._weight + self._sum(text) - shared
        return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)

    def _levels(self, tex: str) -> dict[int, str]:
        """Return for each entry with a shared key the strictest level."""
        found: dict[int, str] = {}
        own = keys(tex)
        for level in KEY_LEVELS:
            rows = self._by_key[level].get(own.at(level), [])
            if len(rows) <= MAX_SHARING:
                for row in rows:
                    found.setdefault(row, level)
        return found
