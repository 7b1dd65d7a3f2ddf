"""Documents as TF-IDF, without a learning library: loading one takes 60 MB.

A document is the TeX of a formula, whose words are those of its features in four blocks, each once (how often a sign is repeated says
little), or words themselves, one block; where they are counted, a word that is there n times weighs 1 + ln n. Each block has length one beside the others.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, repeat
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, vstack

from bot.formula.features.feature_words import features

_TOGETHER = 512  # documents whose rows are made together: what they are made from is several times as large
Rows: TypeAlias = NDArray[np.float64] | csr_matrix  # of length one


class FormulaWords(NamedTuple):
    """The words of a formula's features, where they are known."""

    blocks: Sequence[Sequence[str]]


Words: TypeAlias = str | FormulaWords | Sequence[str]  # a formula, by its TeX or its words, or words of a text


class TfIdfBlocks:
    """Fit on documents; learned: blocks_, (number, weighed words) of each block that has any word."""

    def __init__(self, *, counted: bool = False) -> None:
        self.counted = counted

    def fit_transform(self, documents: Iterable[Words]) -> csr_matrix:
        """Fit, and return the rows of the same documents; they are read once."""
        read = [_blocks(each) for each in documents]
        every = [(n, [each[n] for each in read]) for n in range(max(map(len, read), default=0))]
        # A block may have no word at all in any document: then it says nothing.
        self.blocks_ = [(n, WeighedWords(self.counted).fit(words)) for n, words in every if any(words)]
        return self._rows(read)

    def transform(self, documents: Iterable[Words]) -> csr_matrix:
        """Return the rows of other documents."""
        return self._rows([_blocks(each) for each in documents])

    def _rows(self, read: Sequence[Sequence[Sequence[str]]]) -> csr_matrix:
        if not self.blocks_:
            return csr_matrix((len(read), 1))
        parts = [read[start : start + _TOGETHER] for start in range(0, max(len(read), 1), _TOGETHER)]
        found = (hstack([words.rows([each[n] for each in part]) for n, words in self.blocks_]) for part in parts)
        return csr_matrix(vstack([unit_rows(csr_matrix(rows)) for rows in found]))


def words_of_formulas(formulas: Sequence[str]) -> list[FormulaWords]:
    """Return what each formula is made of."""
    return [FormulaWords(features(tex)) for tex in formulas]


def _blocks(document: Words) -> Sequence[Sequence[str]]:
    if isinstance(document, str):
        (document,) = words_of_formulas([document])
    return document.blocks if isinstance(document, FormulaWords) else (document,)


class WeighedWords:
    """Fit on the words of documents, each once or counted; learned: columns_ (of each word, in the order of the alphabet) and idf_."""

    def __init__(self, counted: bool) -> None:
        self.counted = counted

    def fit(self, documents: Sequence[Collection[str]]) -> Self:
        counts = Counter(chain.from_iterable(map(set, documents)))
        self.columns_ = {word: column for column, word in enumerate(sorted(counts))}
        document_counts = np.array([len(documents), *[counts[word] for word in self.columns_]], dtype=np.float64)
        # As if one more document had every word
        self.idf_ = np.log((1 + document_counts[0]) / (1 + document_counts[1:])) + 1
        return self

    def rows(self, documents: Sequence[Collection[str]]) -> csr_matrix:
        """Return a row for each document; words that were not met in fitting are left out."""
        wide, lengths = len(self.columns_), np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
        columns_found = map(self.columns_.get, chain.from_iterable(documents), repeat(-1))
        columns_met = np.fromiter(columns_found, dtype=np.int64, count=int(lengths.sum()))
        cells = (np.repeat(np.arange(len(documents)), lengths) * wide + columns_met)[columns_met >= 0]
        cells, times = np.unique(cells, return_counts=True)
        columns = cells % max(wide, 1)
        weights = self.idf_[columns]
        if self.counted:
            weights = weights * (1 + np.log(times))
        ends = np.searchsorted(cells, np.arange(len(documents) + 1) * wide)
        return unit_rows(csr_matrix((weights, columns, ends), shape=(len(documents), wide)))


def unit_rows(rows: csr_matrix) -> csr_matrix:
    """Return the rows at length one; an empty one stays."""
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale: NDArray[np.float64] = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    found = rows.tocsr(copy=True)
    found.data *= np.repeat(scale, np.diff(found.indptr))
    return found
