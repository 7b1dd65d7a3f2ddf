"""Doc2Vec of formulas, by what a formula is made of or by the words around it."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.discover.tf_idf import Words
from bot.formula import tokens

SIZE, EPOCHS = 40, 60


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
