"""The paper's four encodings: TF-IDF and Doc2Vec of what a formula is made of, and of the words around it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.discover.grouping.encoding_names import Encoding
from bot.discover.tf_idf import Rows, TfIdfBlocks, Words
from bot.formula import tokens

SIZE, EPOCHS = 40, 60


def encode_formulas(kind: Encoding, tex: Sequence[Words], words: Sequence[Sequence[str]], seed: int = 0) -> Rows:
    """Return the rows of all formulas in one of the paper's encodings.

    math: of the formula itself; semantics: of the words around it; 2vec: Doc2Vec over sequences of words, seeded.
    """
    documents: Sequence[Words] = tex if kind.startswith("math") else words
    if kind == "semantics tf-idf":
        # A word around one formula only brings it near no other: it would make what is shared count for less.
        document_counts = Counter(word for row in words for word in set(row))
        documents = [[word for word in row if document_counts[word] > 1] for row in words]
        return TfIdfBlocks(counted=True).fit_transform(documents)
    if kind.endswith("tf-idf"):
        return TfIdfBlocks().fit_transform(documents)
    # A formula without tokens, a window without words: Doc2Vec wants at least one word.
    return doc2vec_rows([words_of(row) or ["…"] for row in documents], seed)


def words_of(document: Words) -> list[str]:
    """Return words in their order: of a formula its canonical tokens."""
    return list(tokens(document) if isinstance(document, str) else map(str, document))


def trained_doc2vec(documents: Iterable[Words], seed: int) -> Any:
    """Return a model of Doc2Vec (distributed bag of words), the same in every run with the same seed."""
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    texts = [TaggedDocument(words_of(row), [n]) for n, row in enumerate(documents)]
    fixed = {"dm": 0, "min_count": 1, "sample": 0, "alpha": 0.05, "workers": 1}  # one worker: the same in every run
    model = Doc2Vec(vector_size=SIZE, epochs=EPOCHS, seed=seed, **fixed)
    model.build_vocab(texts)
    model.train(texts, total_examples=len(texts), epochs=EPOCHS)
    return model


def doc2vec_rows(documents: Iterable[Words], seed: int) -> NDArray[np.float64]:
    """Return the rows of documents as training left them, of length one: nothing is inferred anew."""
    from sklearn.preprocessing import normalize

    return np.asarray(normalize(trained_doc2vec(documents, seed).dv.vectors), dtype=np.float64)
