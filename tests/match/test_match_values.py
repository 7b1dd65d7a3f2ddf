"""Values of single rules: what a choice of readings is judged by, rates of agreement, a model as it is stored."""

from __future__ import annotations

from zlib import crc32

import pytest

from bot.match.model import Calibration, EvidenceModel
from bot.match.symbols.symbol_choice import chosen_features
from bot.match.symbols.symbol_evidence import SymbolReading
from bot.match.training import JudgedPair
from bot.match.training.fitting import _folds, _matrix, _rates


def test_rates_of_agreement_are_weighed_and_never_0_or_1() -> None:
    pairs = [
        JudgedPair("Q1", {}, True, 3.0, agrees=True),
        JudgedPair("Q2", {}, True, 1.0, agrees=False),
        JudgedPair("Q3", {}, True, 5.0, agrees=None),
        JudgedPair("Q4", {}, False, 2.0, agrees=False),
    ]
    assert _rates(pairs) == (4 / 6, 1 / 4)
    assert _rates([]) == (0.5, 0.5)


def test_the_fold_of_a_pair_is_one_of_ten_by_its_item() -> None:
    pairs = [JudgedPair(item, {}, True) for item in ("Q1", "Q2", "Q3", "Q1")]
    assert _folds(pairs).tolist() == [crc32(pair.item.encode()) % 10 for pair in pairs]


def test_evidence_becomes_a_row_with_its_bias_and_what_is_fixed_stands_aside() -> None:
    prior = EvidenceModel(0.0, {"a": 1.0, "b": 1.0, "set": 2.0})
    rows, rest = _matrix([JudgedPair("Q1", {"a": 0.5, "set": 0.25}, True)], ["a", "b"], prior, frozenset({"set"}))
    assert (rows.tolist(), rest.tolist()) == ([[1.0, 0.5, 0.0]], [0.5])
    assert _matrix([], ["a"], prior, frozenset())[0].shape == (0, 2)


def test_a_model_is_stored_to_three_places() -> None:
    calibration = Calibration(**dict.fromkeys(Calibration.__dataclass_fields__, 0.12345))
    model = EvidenceModel(1.23456, {"b": 0.11111, "a": -2.34567}, calibration, "note", ((0.12345, 0.56789, 7),))
    stored = model.as_json()
    assert stored == {
        "note": "note",
        "bias": 1.235,
        "calibration": dict.fromkeys(Calibration.__dataclass_fields__, 0.123),
        "reliability": [[0.123, 0.568, 7]],
        "weights": {"a": -2.346, "b": 0.111},
    }
    assert list(stored["weights"]) == ["a", "b"]
    assert EvidenceModel.from_json(stored).as_json() == stored


@pytest.mark.parametrize(
    ("lead", "agreed", "held", "features", "values"),
    [
        (0.5, True, True, {"defined": 0.3}, {"lead": 0.5, "agrees": 1.0}),
        (9.0, True, False, {"called": 1.0}, {"lead": 4.0, "free": 1.0}),
        (-9.0, False, False, {"usual": 1.0}, {"lead": -4.0, "disagrees": 1.0, "unsaid": 1.0}),
        (1.0, None, False, {"defined": 0.0}, {"lead": 1.0, "unsaid": 1.0}),
    ],
)
def test_what_a_chosen_reading_is_judged_by(
    lead: float, agreed: bool | None, held: bool, features: dict[str, float], values: dict[str, float]
) -> None:
    found = chosen_features(2.0, 2.0 - lead, SymbolReading("mass", None, features=features), agreed, held)
    wanted = {"bias": 1.0, "score": 2.0, "agrees": 0.0, "free": 0.0, "disagrees": 0.0, "phrase": 1.0, "unsaid": 0.0}
    assert found == wanted | values
