"""The paper's encodings as scikit-learn estimators: `fit` on documents, `transform` to rows of length one.

A document is the TeX of a formula (content) or the list of its constituents' names or items (words).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize

from bot.discover.grouping.encodings import EPOCHS, trained_doc2vec, words_of
from bot.discover.tf_idf import TfIdfBlocks, Words

Matrix = NDArray[np.float64]
KINDS = ("TF-IDF", "Doc2Vec")


class TfIdf(TransformerMixin, BaseEstimator):
    """`bot.discover.tf_idf` as an estimator."""

    def fit(self, documents: Iterable[Words], y: object = None) -> Self:
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Iterable[Words], y: object = None, **fit_params: object) -> csr_matrix:
        self.fitted_ = TfIdfBlocks()
        return self.fitted_.fit_transform(documents)

    def transform(self, documents: Iterable[Words]) -> csr_matrix:
        return self.fitted_.transform(documents)


class WordVectors(TransformerMixin, BaseEstimator):
    """Doc2Vec over sequences of words."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, documents: Iterable[Words], y: object = None) -> Self:
        self.model_ = trained_doc2vec(documents, self.seed)
        return self

    def transform(self, documents: Iterable[Words]) -> Matrix:
        rows = np.vstack([self._vector(words_of(row)) for row in documents])
        return np.asarray(normalize(rows), dtype=np.float64)

    def _vector(self, words: list[str]) -> Matrix:
        # gensim draws its negative samples from one stream: started anew, a vector does not depend on those before it.
        self.model_.random.seed(self.seed)
        return np.asarray(self.model_.infer_vector(words, epochs=EPOCHS), dtype=np.float64)


def encoding(kind: str, *, of: str = "content", seed: int = 0) -> TfIdf | WordVectors:
    """Return an unfitted encoding: kind "TF-IDF" or "Doc2Vec"; of "content" (documents are TeX) or "words" (lists of words)."""
    if kind not in KINDS or of not in ("content", "words"):
        raise ValueError(f"no encoding {kind!r} of {of!r}")
    return WordVectors(seed=seed) if kind == "Doc2Vec" else TfIdf()
