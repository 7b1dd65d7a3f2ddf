"""FormulaRank: how often a formula stands, times how central it is among the formulas near it (the paper's future work, after PageRank)."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from bot.discover.grouping.neighbours import NeighbourTable, nearest_rows, update_neighbours
from bot.discover.tf_idf import TfIdfBlocks, Words
from bot.result_cache import ResultCache

_STEPS = 100
_CLOSE = 1e-9
_NONE = NeighbourTable([], np.zeros((1, 0), dtype=np.int64))


class FormulaRank:
    """Fit on distinct formulas with their document frequencies; learned: graph_, centrality_ (1 on average), score_ and order_.

    Edges lead to the k nearest formulas by what they are made of, weighted by the cosine. Centrality is the share of a random walk
    that follows edges with the probability `damping` and starts anew otherwise. What was nearest is kept by the vectors of formulas.
    """

    def __init__(self, k: int = 10, damping: float = 0.85, kept: ResultCache = ResultCache()) -> None:  # noqa: B008  # keeps nothing
        self.k = k
        self.damping = damping
        self._kept = kept

    def fit(self, tex: Sequence[str], documents: Sequence[int], words: Sequence[Words] | None = None) -> Self:
        """Learn from formulas; `words` are what each is made of, where that is known."""
        order = np.array(sorted(range(len(tex)), key=tex.__getitem__), dtype=np.int64)  # whatever is frequent
        made_of = tex if words is None else words
        place = np.argsort(order)
        self.graph_ = self._graph([tex[n] for n in order], [made_of[n] for n in order])[place][:, place]
        self.centrality_ = _walk(self.graph_, self.damping)
        self.score_ = np.round(np.asarray(documents, dtype=np.float64) * self.centrality_, 9)
        self.order_ = np.argsort(-self.score_, kind="stable")
        return self

    def _graph(self, tex: Sequence[str], words: Sequence[Words]) -> csr_matrix:
        rows = TfIdfBlocks(coarse=True).fit_transform(words)
        before: dict[bytes, NeighbourTable] = self._kept.load("nearest", [b""])
        found = update_neighbours(rows, _names(tex, rows), self.k, before.get(b"", _NONE))
        self._kept.store("nearest", {b"": found})
        near, cosines = nearest_rows(found, self.k)
        sources = np.repeat(np.arange(len(tex)), near.shape[1])
        return csr_matrix((cosines.ravel(), (sources, near.ravel())), shape=(len(tex), len(tex)))


def _names(tex: Sequence[str], rows: csr_matrix) -> list[bytes]:
    """Return what tells the vector of a formula from all others, and from the one that it was with other words in other formulas."""
    told = Counter[bytes]()
    found = []
    for one, (start, end) in zip(tex, pairwise(rows.indptr.tolist()), strict=True):
        digest = blake2b(one.encode("utf-8", "surrogatepass"), digest_size=16)
        digest.update(rows.data[start:end].tobytes())
        name = digest.digest()
        found.append(name + told[name].to_bytes(4, "big"))
        told[name] += 1
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
