"""FormulaRank: how often a formula stands, times how central it is among the formulas near it (the paper's future work, after PageRank)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags

from bot.discover.grouping.neighbours import Nearest, encoded
from bot.discover.tf_idf import Rows, Words

_STEPS = 100
_CLOSE = 1e-9


class FormulaRank:
    """Fit on distinct formulas with their document frequencies; learned: graph_, centrality_ (1 on average), score_ and order_.

    Edges lead to the k nearest formulas by what they are made of, weighted by the cosine. Centrality is the share of a random walk
    that follows edges with the probability `damping` and starts anew otherwise.
    """

    def __init__(self, k: int = 10, damping: float = 0.85) -> None:
        self.k = k
        self.damping = damping

    def fit(self, tex: Sequence[Words], documents: Sequence[int]) -> FormulaRank:
        several = len(tex) > 1
        self.graph_ = _graph(encoded("math tf-idf", tex, ()), self.k) if several else csr_matrix((len(tex), len(tex)))
        self.centrality_ = _walk(self.graph_, self.damping)
        self.score_ = np.round(np.asarray(documents, dtype=np.float64) * self.centrality_, 9)
        self.order_ = np.argsort(-self.score_, kind="stable")
        return self


def _graph(rows: Rows, k: int) -> csr_matrix:
    near, cosines = Nearest(k).fit(rows).neighbours()
    sources = np.repeat(np.arange(len(near)), near.shape[1])
    return csr_matrix((np.maximum(cosines, 0).ravel(), (sources, near.ravel())), shape=(len(near), len(near)))


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
