"""The k nearest rows of length one, by their products; what was found before is found again."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from bot.discover.tf_idf import Rows

_ROWS, _CELLS = 512, 2**17  # of a product at a time, at most: 1 MB, and as much for each step of its encoding
_CLOSE = 10**9  # cosines are told apart to so many parts


class Nearest:
    """Rows of length one (sparse or dense); `neighbours` gives the k others with the highest cosine, best first."""

    def __init__(self, k: int = 10) -> None:
        self.k = k

    def fit(self, rows: Rows) -> Self:
        self.rows_ = rows.tocsr() if hasattr(rows, "tocsr") else np.asarray(rows)
        transposed = self.rows_.T
        self._columns = transposed.tocsr() if hasattr(transposed, "tocsr") else transposed  # once, not for each product
        return self

    def neighbours(self, of: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return (rows, cosines) of the nearest, a line for each of `of`; ties go to the earlier row."""
        queries = np.asarray(of, dtype=np.int64)
        k = min(self.k, max(self.rows_.shape[0] - 1, 0))
        found = np.zeros((len(queries), k), dtype=np.int64)
        cosines = np.zeros((len(queries), k))
        rows = max(1, min(_ROWS, _CELLS // max(self.rows_.shape[0], 1)))
        for start in range(0, len(queries), rows):
            some = queries[start : start + rows]
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


class NeighbourTable(NamedTuple):
    """The nearest of each row as they were found, a number for each (see `_numbers`): the best first, -1 for what is not known."""

    names: Sequence[bytes]
    nearest: NDArray[np.int64]


def update_neighbours(rows: csr_matrix, names: Sequence[bytes], k: int, before: NeighbourTable) -> NeighbourTable:
    """Return the k nearest or more of all rows, of equal ones the first: as they were found before where nothing nearer has come.

    Rows of one name are equal, and each has its own; rows that were there before are in the same order.
    """
    total, columns = len(names), rows.T.tocsr()
    most = min(2 * k, max(total - 1, 0))  # more than are asked for, as some will be gone
    row_of = {name: n for n, name in enumerate(before.names)}
    nearest = before.nearest if len(before.names) else np.full((1, 0), -1)  # a new row takes any of them
    old = np.array([row_of.get(name, -1) for name in names], dtype=np.int64)
    new = np.full(len(before.names) + 1, -1)
    new[old] = np.where(old < 0, -1, np.arange(total))
    fresh = np.flatnonzero(old < 0)
    found = np.full((total, most), -1)
    fresh_columns = columns[:, fresh] if len(fresh) < total else columns
    step = max(1, min(_ROWS, _CELLS // max(total, 1)))
    for start in range(0, total, step):
        some = np.arange(start, min(start + step, total))
        # Of those that were known the first ones are still the nearest, as many as are still there.
        was, cosines = _decode(nearest[old[some]], len(before.names))
        known_rows = np.where(old[some, None] < 0, -1, new[was])
        number_known = (known_rows >= 0).sum(axis=1)
        recomputed, few = some[number_known >= min(k, most)], some[number_known < min(k, most)]
        if len(few):
            near = _encode((rows[few] @ columns).toarray(), np.arange(total), total)
            near[np.arange(len(few)), few] = -1
            found[few] = _best(near, most)
        if len(recomputed):
            near = _encode((rows[recomputed] @ fresh_columns).toarray(), fresh, total)
            of, left = number_known >= min(k, most), number_known[number_known >= min(k, most), None]
            found[recomputed] = _best(np.hstack([_encode(cosines[of], known_rows[of], total), near]), most)
            found[recomputed] = np.where(np.arange(most) < left, found[recomputed], -1)
    return NeighbourTable(names, found)


def nearest_rows(found: NeighbourTable, k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return (rows, cosines) of the k nearest of each row."""
    return _decode(found.nearest[:, :k], len(found.names))


def _encode(cosines: NDArray[np.float64], rows: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return numbers that are in order of the cosines and, of equal ones, of the first rows."""
    found: NDArray[np.int64] = np.rint(cosines * _CLOSE).astype(np.int64) * total + (total - 1 - rows)
    return np.where(rows < 0, -1, found)


def _decode(numbers: NDArray[np.int64], total: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return np.where(numbers < 0, -1, total - 1 - numbers % total), numbers // total / _CLOSE


def _best(numbers: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    if 0 < most < numbers.shape[1]:
        numbers = np.partition(numbers, -most, axis=1)[:, -most:]
    return -np.sort(-numbers, axis=1)[:, :most]
