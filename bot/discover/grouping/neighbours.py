"""The k nearest formulas in each of the paper's four encodings, by products of rows of length one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bot.discover.grouping.encoding_names import Encoding
from bot.discover.tf_idf import Rows, TfIdfBlocks, Words

_ROWS, _CELLS = 512, 2**19  # of a product at a time, at most: 4 MB


class Nearest:
    """Rows of length one (sparse or dense); `neighbours` gives the k others with the highest cosine, best first."""

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, rows: Rows) -> Nearest:
        self.rows_ = rows.tocsr() if hasattr(rows, "tocsr") else np.asarray(rows)
        turned = self.rows_.T
        self._columns = turned.tocsr() if hasattr(turned, "tocsr") else turned  # once, not for each product
        self._every: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None
        return self

    def neighbours(self, of: Sequence[int] | None = None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return (rows, cosines) of the nearest, a line for each of `of` (all rows without it, which is kept); ties go to the earlier row."""
        if of is None:
            self._every = self._every or self._found(None)
            return self._every
        return (self._every[0][of], self._every[1][of]) if self._every else self._found(of)

    def _found(self, of: Sequence[int] | None) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        wanted = np.arange(self.rows_.shape[0]) if of is None else np.asarray(of, dtype=np.int64)
        k = min(self.k, max(self.rows_.shape[0] - 1, 0))
        found = np.zeros((len(wanted), k), dtype=np.int64)
        cosines = np.zeros((len(wanted), k))
        rows = max(1, min(_ROWS, _CELLS // max(self.rows_.shape[0], 1)))
        for start in range(0, len(wanted), rows):
            some = wanted[start : start + rows]
            product = self.rows_[some] @ self._columns
            dense = np.asarray(product.todense()) if hasattr(product, "todense") else product
            dense[np.arange(len(some)), some] = -2
            near = np.argpartition(-dense, k - 1, axis=1)[:, :k] if k else np.zeros((len(some), 0), dtype=np.int64)
            near.sort(axis=1)
            value = np.round(np.take_along_axis(dense, near, axis=1), 9)
            order = np.argsort(-value, axis=1, kind="stable")
            found[start : start + rows] = np.take_along_axis(near, order, axis=1)
            cosines[start : start + rows] = np.take_along_axis(value, order, axis=1)
        return found, cosines


def encoded(kind: Encoding, tex: Sequence[Words], words: Sequence[Sequence[str]], seed: int = 0) -> Rows:
    """Return the rows of all formulas in one of the paper's encodings.

    math: of the formula itself; semantics: of the words around it; 2vec: Doc2Vec over sequences of words, seeded.
    """
    documents: Sequence[Words] = tex if kind.startswith("math") else words
    if kind == "semantics tf-idf":
        # A word around one formula only brings it near no other: it would make what is shared count for less.
        held = Counter(word for row in words for word in set(row))
        documents = [[word for word in row if held[word] > 1] for row in words]
        return TfIdfBlocks(counted=True).fit_transform(documents)
    if kind.endswith("tf-idf"):
        return TfIdfBlocks().fit_transform(documents)
    from bot.discover.encodings import WordVectors, words_of  # they bring the learning libraries

    # A formula without tokens, a window without words: Doc2Vec wants at least one word.
    return WordVectors(seed=seed).fit([words_of(row) or ["…"] for row in documents]).learned()
