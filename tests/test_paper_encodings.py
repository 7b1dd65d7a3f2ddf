"""Encodings: one interface for four, rows of length one, the same numbers each time."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from paper_encodings import KINDS, encoding

from bot.discover.grouping.encodings import doc2vec_rows, encode_formulas

FORMULAS = [
    r"F=ma",
    r"\vec F=m\vec a",
    r"\nabla^2u+k^2u=0",
    r"\nabla^2A=-k^2A",
    r"\sigma_x\sigma_p\ge\frac{\hbar}{2}",
    r"E=mc^2",
]
WORDS = [["F", "m", "a"], ["F", "m", "a"], ["u", "k"], ["A", "k"], ["σ", "ħ"], ["E", "m", "c"]]


def _dense(rows: object) -> np.ndarray:
    return np.asarray(rows.todense() if hasattr(rows, "todense") else rows)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("of", ["content", "words"])
def test_rows_have_length_one_and_are_the_same_each_time(kind: str, of: str) -> None:
    documents = FORMULAS if of == "content" else WORDS
    first, second = (_dense(encoding(kind, of=of, seed=3).fit_transform(documents)) for _ in range(2))
    assert first.shape[0] == len(documents)
    assert np.allclose(np.linalg.norm(first, axis=1), 1)
    assert np.array_equal(first, second)


@pytest.mark.parametrize("kind", KINDS)
def test_a_vector_does_not_depend_on_its_neighbours(kind: str) -> None:
    fitted = encoding(kind).fit(FORMULAS)
    assert np.array_equal(_dense(fitted.transform(FORMULAS))[2:3], _dense(fitted.transform(FORMULAS[2:3])))


def test_what_was_not_fitted_is_not_known() -> None:
    fitted = encoding("TF-IDF", of="words").fit(WORDS[:2])
    assert _dense(fitted.transform([["never", "seen"]])).sum() == 0


def test_other_spellings_of_one_formula_are_nearer_than_other_formulas() -> None:
    rows = _dense(encoding("TF-IDF").fit_transform(FORMULAS))
    near = rows @ rows.T
    assert near[2, 3] > max(near[2, 0], near[2, 4])


def test_a_word_that_is_around_a_formula_twice_weighs_more_and_a_constituent_does_not() -> None:
    words = [["F", "m", "F"], ["F", "m"], ["a"]]
    counted = sorted(_dense(encode_formulas("semantics tf-idf", ["x"] * 3, words))[0])
    assert counted[-1] / counted[-2] == pytest.approx(1 + np.log(2))
    once = sorted(_dense(encoding("TF-IDF", of="words").fit_transform(words))[0])
    assert once[-1] == pytest.approx(once[-2])


def test_a_word_around_one_formula_only_brings_no_formula_nearer_or_farther() -> None:
    words = [["velocity"], ["velocity", "here"], ["mass", "velocity"], ["mass"]]
    near = encode_formulas("semantics tf-idf", ["a"] * 4, words)
    cosines = (near @ near.T).todense()
    assert cosines[0, 1] == pytest.approx(1)
    assert cosines[0, 2] < 1


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoding_can_be_cloned_by_a_pipeline(kind: str) -> None:
    assert clone(encoding(kind, seed=5)).get_params() == encoding(kind, seed=5).get_params()


def test_formulas_without_words_still_have_rows() -> None:
    assert encoding("TF-IDF").fit_transform(["", "{"]).shape[0] == 2


def test_training_brings_equal_documents_together_and_others_apart() -> None:
    rows = doc2vec_rows([["a", "b", "c"]] * 3 + [["x", "y", "z"]] * 3, 0)
    near = rows @ rows.T
    assert near[:3, :3].min() > 0.99
    assert near[:3, 3:].max() < 0.6


@pytest.mark.parametrize(("kind", "of"), [("word2vec", "content"), ("tf-idf", "content"), ("TF-IDF", "formula")])
def test_an_unknown_encoding_is_refused(kind: str, of: str) -> None:
    with pytest.raises(ValueError, match="no encoding"):
        encoding(kind, of=of)


def test_documents_without_any_word_are_rows_of_zeros() -> None:
    for made in (
        encoding("TF-IDF", of="words").fit_transform([[], []]),
        encoding("TF-IDF", of="words").fit([[]]).transform([["x"], []]),
    ):
        assert made.shape == (2, 1)
        assert made.sum() == 0
