"""FormulaRank: how often a formula stands, times how central it is among the formulas near it (the paper's future work, after PageRank)."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from bot.discover.grouping.neighbours import NeighbourTable, nearest_rows, update_neighbours
from bot.discover.tf_idf import FormulaWords, words_of_formulas
from bot.result_cache import NO_CACHE, ResultCache

_STEPS = 100
_CLOSE = 1e-9


class _Vectors(NamedTuple):
    """Sparse vectors of formulas: the digests of their words, the weights of these, and where those of each formula end, behind a 0."""

    words: NDArray[np.uint64]
    weights: NDArray[np.float64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, formulas: Iterable[FormulaWords]) -> Self:
        """Each block of words has length one beside the others, each of its words the same weight."""
        words, weights, ends = array("Q"), array("d"), [0]  # lists of a million numbers take five times as much
        for formula in formulas:
            blocks = [(n, set(block)) for n, block in enumerate(formula.blocks) if block]
            for n, block in blocks:
                words.extend([_digest(n, word) for word in block])
                weights.extend([1 / (len(block) * len(blocks)) ** 0.5] * len(block))
            ends.append(len(words))
        _digest.cache_clear()  # half of what this takes
        return cls(np.frombuffer(words, dtype=np.uint64), np.frombuffer(weights, dtype=np.float64), np.array(ends))


_Kept = tuple[NeighbourTable, _Vectors]  # of the last run


class FormulaRank:
    """Fit on distinct formulas with their document frequencies; learned: graph_, centrality_ (1 on average), score_ and order_.

    Edges lead to the k nearest formulas by what they are made of, weighted by the cosine. Centrality is the share of a random walk
    that follows edges with the probability `damping` and starts anew otherwise. The vector of a formula does not depend on the others:
    words are not weighed by their frequency. So vectors and what was nearest are kept, and only new formulas are compared.
    """

    def __init__(self, k: int = 10, damping: float = 0.85, results: ResultCache = NO_CACHE) -> None:
        self.k = k
        self.damping = damping
        self._kept = results

    def fit(
        self,
        tex: Sequence[str],
        documents: Sequence[int],
        words: Callable[[Sequence[str]], Iterable[FormulaWords]] = words_of_formulas,
    ) -> Self:
        """Learn from formulas; `words` returns what each is made of."""
        order = np.array(sorted(range(len(tex)), key=tex.__getitem__), dtype=np.int64)  # whatever is frequent
        row_of = np.argsort(order)
        self.graph_ = self._graph([tex[n] for n in order], words)[row_of][:, row_of]
        self.centrality_ = _walk(self.graph_, self.damping)
        self.score_ = np.round(np.asarray(documents, dtype=np.float64) * self.centrality_, 9)
        self.order_ = np.argsort(-self.score_, kind="stable")
        return self

    def _graph(self, tex: Sequence[str], words: Callable[[Sequence[str]], Iterable[FormulaWords]]) -> csr_matrix:
        stored: dict[bytes, _Kept] = self._kept.load("nearest", [b""])
        before, vectors = stored.get(b"", (NeighbourTable([], np.zeros((0, 0), dtype=np.int64)), _Vectors.of([])))
        names = _names(tex)
        row_of = {name: n for n, name in enumerate(before.names)}
        new = [n for n, name in enumerate(names) if name not in row_of]
        row_of |= {names[n]: len(before.names) + at for at, n in enumerate(new)}
        rows, columns = _matrix(vectors, _Vectors.of(words([tex[n] for n in new])), [row_of[name] for name in names])
        found = update_neighbours(rows, names, self.k, before)
        self._kept.store("nearest", {b"": (found, _Vectors(columns[rows.indices], rows.data, rows.indptr))})
        near, cosines = nearest_rows(found, self.k)
        sources = np.repeat(np.arange(len(tex)), near.shape[1])
        return csr_matrix((cosines.ravel(), (sources, near.ravel())), shape=(len(tex), len(tex)))


def _matrix(before: _Vectors, added: _Vectors, order: Sequence[int]) -> tuple[csr_matrix, NDArray[np.uint64]]:
    """Return the vectors one after another in this order, and the digest of the word of each column."""
    ends = np.concatenate([before.ends, before.ends[-1] + added.ends[1:]])
    weights = np.concatenate([before.weights, added.weights])
    words = np.concatenate([before.words, added.words])
    columns = np.unique(words)
    of = np.searchsorted(columns, words)  # `return_inverse` of `unique` takes several times the memory
    rows = csr_matrix((weights, of, ends), shape=(len(ends) - 1, max(len(columns), 1)))[order]
    rows.sort_indices()  # sums are the same whatever was known before
    return rows, columns


@lru_cache(maxsize=200_000)
def _digest(block: int, word: str) -> int:
    """Return a number for a word, the same in every run."""
    return int.from_bytes(blake2b(f"{block} {word}".encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _names(tex: Sequence[str]) -> list[bytes]:
    """Return a unique key for each formula; equal formulas get different keys."""
    told = Counter[str]()
    found = []
    for one in tex:
        found.append(blake2b(repr((one, told[one])).encode("utf-8", "surrogatepass"), digest_size=16).digest())
        told[one] += 1
    return found


def _walk(graph: csr_matrix, damping: float) -> NDArray[np.float64]:
    """Return the stationary share of each node times the number of nodes; a node without edges leads anywhere."""
    total = graph.shape[0]
    if not total:
        return np.zeros(0)
    out = np.asarray(graph.sum(axis=1)).ravel()
    steps = (diags(np.divide(1.0, out, out=np.zeros_like(out), where=out > 0)) @ graph).T.tocsr()
    share = np.full(total, 1 / total)
    for _ in range(_STEPS):
        lost = share[out == 0].sum()
        moved = damping * (steps @ share + lost / total) + (1 - damping) / total
        if np.abs(moved - share).sum() < _CLOSE:
            return np.asarray(moved * total)
        share = moved
    return np.asarray(share * total)
