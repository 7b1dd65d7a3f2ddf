"""Formulas as vectors: TF-IDF and Doc2Vec of what a formula is made of (its content) or of what its parts mean (semantics).

Every encoding is a scikit-learn estimator: `fit` on documents, `transform` to rows of length one. A document is the TeX of a formula
(content) or the list of its constituents' names or items (words).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from bot.formula import tokens
from bot.formula.features.feature_words import BLOCKS, features

Matrix = NDArray[np.float64]
Rows: TypeAlias = Matrix | csr_matrix  # of length one
Words: TypeAlias = str | Sequence[str]  # a formula's TeX, or words
KINDS = ("TF-IDF", "Doc2Vec")


class DocumentWords:
    """The words of a document: a formula's canonical tokens, one block of its features, or the document itself."""

    def __init__(self, block: str = "") -> None:
        self.block = block

    def __call__(self, document: Words) -> list[str]:
        if not isinstance(document, str):
            return list(document)
        return list(features(document).block(self.block) if self.block else tokens(document))


class TfIdf(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """TF-IDF of sets of words (how often a sign is repeated says little), block by block, each block of length one beside the others."""

    def __init__(self, blocks: Sequence[str] = ("",)) -> None:
        self.blocks = blocks

    def fit(self, documents: Iterable[Words], y: object = None) -> TfIdf:
        self.fit_transform(documents)
        return self

    def fit_transform(self, documents: Iterable[Words], y: object = None, **fit_params: object) -> csr_matrix:
        """Fit, and return the rows of the same documents; they are read once."""
        rows = list(documents)
        self.vectorizers_ = [TfidfVectorizer(analyzer=DocumentWords(block), binary=True) for block in self.blocks]
        # A block may have no word at all in any document: then it says nothing.
        self.vectorizers_ = [each for each in self.vectorizers_ if any(each.analyzer(row) for row in rows)]
        if not self.vectorizers_:
            return csr_matrix((len(rows), 1))
        return csr_matrix(normalize(hstack([each.fit_transform(rows) for each in self.vectorizers_])))

    def transform(self, documents: Iterable[Words]) -> csr_matrix:
        rows = list(documents)
        if not self.vectorizers_:
            return csr_matrix((len(rows), 1))
        return csr_matrix(normalize(hstack([each.transform(rows) for each in self.vectorizers_])))


class WordVectors(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Doc2Vec (distributed bag of words) over sequences of words, the same numbers in every run with the same seed."""

    def __init__(self, size: int = 40, epochs: int = 60, seed: int = 0) -> None:
        self.size = size
        self.epochs = epochs
        self.seed = seed

    def fit(self, documents: Iterable[Words], y: object = None) -> WordVectors:
        from gensim.models.doc2vec import Doc2Vec, TaggedDocument

        texts = [TaggedDocument(DocumentWords()(row), [n]) for n, row in enumerate(documents)]
        fixed = {"dm": 0, "min_count": 1, "sample": 0, "alpha": 0.05, "workers": 1}  # one worker: the same in every run
        self.model_ = Doc2Vec(vector_size=self.size, epochs=self.epochs, seed=self.seed, **fixed)
        self.model_.build_vocab(texts)
        self.model_.train(texts, total_examples=len(texts), epochs=self.epochs)
        return self

    def learned(self) -> Matrix:
        """Return the rows of the documents it was fitted on, as training left them: nothing is inferred anew."""
        return np.asarray(normalize(self.model_.dv.vectors), dtype=np.float64)

    def transform(self, documents: Iterable[Words]) -> Matrix:
        rows = np.vstack([self._vector(DocumentWords()(row)) for row in documents])
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
    return TfIdf(BLOCKS if of == "content" else ("",))
