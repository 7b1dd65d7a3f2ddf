"""Weights fitted to judged pairs: signs, folds by item, noisy labels, calibration, and what is kept in a workspace."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import WorkspaceError
from bot.match.model import Calibration, EvidenceModel, load_models, save_models, sigmoid
from bot.match.training import JudgedPair, Rediscovered, curve, held_out, quality, train

PRIOR = EvidenceModel(0.0, {"good": 0.5, "bad": -0.5, "idle": 0.5, "set": 2.0})


def _judged(n: int = 400, seed: int = 1) -> list[JudgedPair]:
    """Pairs whose acceptance has logit 3·good − 4·bad − 0.5; idle says nothing."""
    draw = random.Random(seed)
    found = []
    for at in range(n):
        scores = {name: round(draw.random(), 3) for name in ("good", "bad", "idle")}
        chance = sigmoid(3 * scores["good"] - 4 * scores["bad"] - 0.5)
        found.append(JudgedPair(f"Q{at // 2}", scores, draw.random() < chance))
    return found


def test_weights_go_where_the_verdicts_pull_them_and_stay_where_they_say_nothing() -> None:
    model = train(_judged(), PRIOR, strength=0.1).model
    assert model.weights["good"] == pytest.approx(3, abs=0.8)
    assert model.weights["bad"] == pytest.approx(-4, abs=0.9)
    assert abs(model.weights["idle"]) < 0.6
    assert model.weights["set"] == 2.0


def test_a_weight_keeps_its_sign_whatever_the_verdicts_say() -> None:
    turned = [replace(pair, accepted=not pair.accepted) for pair in _judged()]
    model = train(turned, PRIOR, strength=0.1).model
    assert (model.weights["good"], model.weights["bad"]) == (0.0, 0.0)


def test_fixed_weights_count_and_are_not_moved() -> None:
    judged = [replace(pair, scores={**pair.scores, "set": 1.0}) for pair in _judged()]
    moved = train(judged, PRIOR, strength=0.1).model
    fixed = train(judged, PRIOR, strength=0.1, fixed=("set",)).model
    assert fixed.weights["set"] == 2.0
    assert moved.weights["set"] != 2.0
    assert fixed.bias == pytest.approx(moved.bias + moved.weights["set"] - 2.0, abs=0.2)


def test_held_out_probabilities_are_calibrated_and_better_than_the_prior_s() -> None:
    judged = _judged(600)
    accepted = [pair.accepted for pair in judged]
    made = train(judged, PRIOR, strength=0.5)
    before, after = quality(held_out(judged, PRIOR), accepted), quality(made.held_out, accepted)
    assert after.log_loss < before.log_loss - 0.05
    assert after.calibration_error < 0.06 < before.calibration_error
    assert made.model.reliability == curve(made.held_out, accepted)


def test_the_calibration_is_fitted_to_the_pairs_that_calibrate() -> None:
    judged = _judged(600)
    wrong = [replace(pair, accepted=False) for pair in _judged(600, seed=5)]

    def said(*pairs: JudgedPair) -> float:
        found = train(pairs, PRIOR, strength=1e6).held_out[: len(judged)]
        return sum(found) / len(found)

    assert said(*judged) == pytest.approx(sum(pair.accepted for pair in judged) / len(judged), abs=0.02)
    assert said(*judged, *(replace(pair, calibrates=False) for pair in wrong)) == pytest.approx(said(*judged), abs=0.02)
    assert said(*judged, *wrong) < said(*judged) - 0.1
    assert said(*(replace(pair, calibrates=False) for pair in judged)) == said(*judged)


def test_caution_lowers_every_logit_of_a_calibration() -> None:
    judged = _judged(600)
    sure, careful = train(judged, PRIOR), train(judged, PRIOR, caution=0.5)
    shift = sure.model.calibration.shift
    assert careful.model.calibration == replace(sure.model.calibration, shift=shift - 0.5)
    assert all(low < high for low, high in zip(careful.held_out, sure.held_out, strict=True))
    assert careful.model.weights == sure.model.weights


def test_no_pair_is_judged_by_a_fit_that_saw_its_item() -> None:
    judged = _judged(200)
    changed = [replace(pair, accepted=not pair.accepted) if pair.item == "Q7" else pair for pair in judged]
    one, other = train(judged, PRIOR).held_out, train(changed, PRIOR).held_out
    mine = [n for n, pair in enumerate(judged) if pair.item == "Q7"]
    assert [one[n] for n in mine] == pytest.approx([other[n] for n in mine], abs=0.02)
    assert one != other


def test_rediscovery_teaches_by_the_rates_at_which_judged_pairs_agree() -> None:
    """Labels that say nothing of acceptance move nothing; labels that follow it move the weights as verdicts do."""
    judged = _judged(300)
    others = [Rediscovered(f"P{n}", pair.scores, pair.accepted) for n, pair in enumerate(_judged(2000, seed=2))]
    telling = [replace(pair, agrees=pair.accepted) for pair in judged]
    draw = random.Random(3)
    idle = [replace(pair, agrees=draw.random() < 0.5) for pair in judged]
    prior = replace(PRIOR, weights={**PRIOR.weights, "good": 0.1})
    alone = train(judged, prior, strength=20.0).model.weights["good"]
    taught = train(telling, prior, strength=20.0, rediscovered=others, noisy=1.0).model.weights["good"]
    untaught = train(idle, prior, strength=20.0, rediscovered=others, noisy=1.0).model.weights["good"]
    assert taught > alone + 0.5
    assert untaught < alone + 0.3


def test_a_pair_s_weight_is_how_often_it_counts() -> None:
    judged = _judged(100)
    twice = train([*judged, *judged], PRIOR, strength=1.0).model
    weighed = train([replace(pair, weight=2.0) for pair in judged], PRIOR, strength=1.0).model
    assert weighed.bias == pytest.approx(twice.bias, abs=1e-3)
    assert weighed.calibration.shift == pytest.approx(twice.calibration.shift, abs=1e-2)


def test_quality_counts_from_each_threshold_and_weighs_the_error() -> None:
    found = quality([0.95, 0.92, 0.75, 0.05], [True, False, True, False], [1, 1, 1, 7])
    assert found.accepted_from == ((0.9, 1, 2), (0.8, 1, 2), (0.7, 2, 3))
    assert found.share(0.7) == pytest.approx(2 / 3)
    assert found.calibration_error == pytest.approx((abs(0.95 + 0.92 - 1) + 0.25 + 7 * 0.05) / 10, abs=1e-4)
    assert quality([], []).share(0.9) is None


def test_the_curve_has_mean_share_and_number_of_each_band() -> None:
    assert curve([0.1, 0.14, 1.0], [True, False, True]) == ((pytest.approx(0.12), 0.5, 2), (1.0, 1.0, 1))
    assert curve([0.11, 0.19], [True, False], [3, 1]) == ((pytest.approx(0.13), 0.75, 2),)


def test_what_is_kept_is_read_again_and_a_damaged_file_is_named(tmp_path: Path) -> None:
    assert load_models(tmp_path) == {}
    model = EvidenceModel(-1.25, {"good": 2.0}, Calibration(0.125, 0.5, 0.25, 1.5, 0.75), "note", ((0.5, 0.25, 8),))
    path = save_models(tmp_path, {"matching": model})
    assert load_models(tmp_path) == {"matching": model}
    assert not math.isclose(model.probability({"good": 1.0}), model.probability({}))
    beta = model.as_json() | {"calibration": {"above": 1.2, "below": 0.5, "shift": 0.125}}  # of an earlier version
    path.write_text(json.dumps({"matching": beta}), encoding="utf-8")
    of = load_models(tmp_path)["matching"].calibration.of
    for logit in (-4.0, -1.0, 0.5, 2.0, 5.0):
        exact = 0.125 - 1.2 * math.log1p(math.exp(-logit)) + 0.5 * math.log1p(math.exp(logit))
        assert of(logit) == pytest.approx(sigmoid(exact), abs=1e-9)
    for damaged in ("{", "[]", '{"matching": {}}', '{"matching": {"bias": 1, "weights": {}, "calibration": {"x": 1}}}'):
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(WorkspaceError, match="--reset"):
            load_models(tmp_path)
