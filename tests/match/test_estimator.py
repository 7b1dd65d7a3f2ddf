"""The recogniser as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import bot

FORMULAS = [
    "F=ma",
    "ma=F",
    r"\vec F=m\vec a",
    "a=F/m",
    "E=mc^2",
    "E=m_0c^2",
    "m=E/c^2",
    "E/c^2=m",
    "V=IR",
    "I=V/R",
    "U=RI",
    "R=V/I",
]
LABELS = ["force"] * 4 + ["energy"] * 4 + ["resistance"] * 4


def test_the_recogniser_is_an_estimator() -> None:
    model = bot.FormulaRecogniser(abstain="unknown")
    assert clone(model).get_params() == {"abstain": "unknown", "builtin": False}
    with pytest.raises(NotFittedError):
        model.predict(["F=ma"])
    with pytest.raises(NotFittedError):
        model.predict_proba(["F=ma"])
    model.fit(FORMULAS, LABELS)
    assert model.classes_.tolist() == ["energy", "force", "resistance", "unknown"]
    assert model.predict(["F=am", r"\nabla^2u=0", "{"]).tolist() == ["force", "unknown", "unknown"]
    likely = model.predict_proba(["F=am", r"\nabla^2u=0", "{"])
    assert np.allclose(likely.sum(axis=1), 1)
    assert likely.argmax(axis=1).tolist()[::2] == [1, 3]
    assert likely[0, 1] > 0.9 > likely[1].max()
    with pytest.raises(ValueError, match="1 formulas and 2 labels"):
        model.fit(["F=ma"], ["a", "b"])


def test_without_abstention_every_formula_gets_a_class() -> None:
    model = bot.FormulaRecogniser().fit([*FORMULAS, "F=dp/dt"], [*LABELS, "force"])
    assert model.predict(["E=m", "{"]).tolist() == ["energy", "force"]
    assert model.predict_proba(["{"]).tolist() == [[pytest.approx(1 / 3)] * 3]


@pytest.mark.parametrize(
    ("abstain", "probabilities", "classes"),
    [
        ("unknown", (0.61, 0.6, 0.59, None), ["a", "a", "unknown", "unknown"]),
        ("", (0.61, 0.6, 0.0, None), ["a", "a", "a", "b"]),
    ],
)
def test_what_is_likely_enough_is_answered(
    abstain: str, probabilities: Sequence[float | None], classes: list[str]
) -> None:
    found = [[SimpleNamespace(qid="a", probability=p)] if p is not None else [] for p in probabilities]
    asked: list[tuple[list[str], int]] = []
    model: Any = bot.FormulaRecogniser(abstain)
    model._commonest, model.classes_ = "b", np.array(["a", "b", "unknown"])
    model.recogniser_ = SimpleNamespace(
        ranker=SimpleNamespace(accept=0.6), all_hits=lambda formulas, top: asked.append((formulas, top)) or found
    )
    assert model.predict(["F", "G"]).tolist() == classes
    assert asked == [(["F", "G"], 1)]


def test_it_takes_part_in_cross_validation() -> None:
    assert cross_val_score(bot.FormulaRecogniser(), FORMULAS, LABELS, cv=4).mean() == 1.0


def test_labels_may_be_numbers() -> None:
    numbers = [sorted(set(LABELS)).index(label) for label in LABELS]
    model = bot.FormulaRecogniser().fit(FORMULAS, numbers)
    assert model.predict(["F=am", "I=V/R"]).tolist() == [1, 2]
    assert model.score(FORMULAS, numbers) == 1.0


def test_one_text_for_a_list_is_refused() -> None:
    model = bot.FormulaRecogniser().fit(FORMULAS, LABELS)
    for function in (model.predict, model.predict_proba, lambda text: model.fit(text, "abcd")):
        with pytest.raises(TypeError, match="give a list of formulas"):
            function("F=ma")
