"""Formulas as vectors: TF-IDF and Doc2Vec of what a formula is made of (its content) or of what its parts mean (semantics).

Every encoding is a scikit-learn estimator: `fit` on documents, `transform` to rows of length one. A document is the TeX of a formula
(content) or the list of its constituents' names or items (words).
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize

from bot.discover import tf_idf
from bot.discover.tf_idf import Words
from bot.formula import tokens

Matrix = NDArray[np.float64]
KINDS = ("TF-IDF", "Doc2Vec")


class TfIdf(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """`bot.discover.tf_idf` as an estimator."""

    def fit(self, documents: Iterable[Words], y: object = None) -> Self:
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Iterable[Words], y: object = None, **fit_params: object) -> csr_matrix:
        self.fitted_ = tf_idf.TfIdfBlocks()
        return self.fitted_.fit_transform(documents)

    def transform(self, documents: Iterable[Words]) -> csr_matrix:
        return self.fitted_.transform(documents)


def words_of(document: Words) -> list[str]:
    """Return words in their order: of a formula its canonical tokens."""
    return list(tokens(document) if isinstance(document, str) else map(str, document))


class WordVectors(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Doc2Vec (distributed bag of words) over sequences of words, the same numbers in every run with the same seed."""

    def __init__(self, size: int = 40, epochs: int = 60, seed: int = 0) -> None:
        self.size = size
        self.epochs = epochs
        self.seed = seed

    def fit(self, documents: Iterable[Words], y: object = None) -> Self:
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument

        texts = [TaggedDocument(words_of(row), [n]) for n, row in enumerate(documents)]
        fixed = {"dm": 0, "min_count": 1, "sample": 0, "alpha": 0.05, "workers": 1}  # one worker: the same in every run
        self.model_ = Doc2Vec(vector_size=self.size, epochs=self.epochs, seed=self.seed, **fixed)
        self.model_.build_vocab(texts)
        self.model_.train(texts, total_examples=len(texts), epochs=self.epochs)
        return self

    def learned(self) -> Matrix:
        """Return the rows of the documents it was fitted on, as training left them: nothing is inferred anew."""
        return np.asarray(normalize(self.model_.dv.vectors), dtype=np.float64)

    def transform(self, documents: Iterable[Words]) -> Matrix:
        rows = np.vstack([self._vector(words_of(row)) for row in documents])
        return np.asarray(normalize(rows), dtype=np.float64)

    def _vector(self, words: list[str]) -> Matrix:
        # gensim draws its negative samples from one stream: started anew, a vector does not depend on those before it.
        self.model_.random.seed(self.seed)
        return np.asarray(self.model_.infer_vector(words, epochs=self.epochs), dtype=np.float64)


def encoding(kind: str, *, of: str = "content", seed: int = 0) -> TfIdf | WordVectors:
    """Return an unfitted encoding: kind "TF-IDF" or "Doc2Vec"; of "content" (documents are TeX) or "words" (lists of words)."""
    if kind not in KINDS or of not in ("content", "words"):
        raise ValueError(f"no encoding {kind!r} of {of!r}")
    if kind == "Doc2Vec":
        return WordVectors(seed=seed)
    return TfIdf()
