"""From judged pairs to weights: a logistic model near a prior, whose weights keep their sign, and a calibration on held-out items.

Agreement with the formula that an item holds is a noisy label of the same thing: it enters through the two rates at which judged
pairs of either kind agree (Natarajan et al. 2013, learning with noisy labels).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bot.match.model import Calibration, EvidenceModel, logit_segments
from bot.match.training.quality import curve

Floats: TypeAlias = NDArray[np.float64]
FOLDS = 10
BIAS_HOLD = 0.01  # of the strength of the prior: the base rate is the data's own
MIN_SLOPE = 0.05  # chosen: of a calibration, so that no two logits become one probability
RATE_PRIOR = 1.0  # pseudo-counts of the rates of agreement


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A formula and an item that somebody judged; `scores` is the evidence, `weight` how many pairs it stands for."""

    item: str
    scores: Mapping[str, float]
    accepted: bool
    weight: float = 1.0
    agrees: bool | None = None  # with a formula that the item holds; None where it holds none
    calibrates: bool = (
        True  # False for pairs of works that the evidence was made with, as those of others are less like it
    )


@dataclass(frozen=True, slots=True)
class Rediscovered:
    """A pair that nobody judged, of an item that holds formulas: whether one of them agrees."""

    item: str
    scores: Mapping[str, float]
    agrees: bool


@dataclass(frozen=True, slots=True)
class FittedModel:
    """Calibrated weights, and the held-out probability of each judged pair in order."""

    model: EvidenceModel
    held_out: tuple[float, ...]


def train(
    judged: Sequence[JudgedPair],
    prior: EvidenceModel,
    *,
    rediscovered: Sequence[Rediscovered] = (),
    fixed: Collection[str] = (),
    strength: float = 1.0,
    noisy: float = 0.5,
    caution: float = 0.0,
) -> FittedModel:
    """Fit and calibrate. `strength` holds each weight to the prior's (its precision), `fixed` are not moved at all, a rediscovered
    pair counts `noisy` of a judged one. By `caution` all logits are lower than the calibration would have them."""

    def fit(pairs: Sequence[JudgedPair], others: Sequence[Rediscovered]) -> EvidenceModel:
        return _fit(pairs, others, prior, frozenset(fixed), strength, noisy)

    logits = _held_out_logits(judged, rediscovered, fit)
    return _calibrated(fit(judged, rediscovered), judged, logits, prior.calibration, caution)


def _calibrated(
    model: EvidenceModel, judged: Sequence[JudgedPair], logits: Floats, prior: Calibration, caution: float
) -> FittedModel:
    """Return the model calibrated to logits of the judged pairs, and their probabilities by calibrations that had not seen their items."""
    accepted = np.array([pair.accepted for pair in judged], dtype=float)
    weights = np.array([pair.weight for pair in judged])
    calibrates = np.array([pair.calibrates for pair in judged]) | (not any(pair.calibrates for pair in judged))
    fold = _folds(judged)
    unseen = np.zeros(len(judged))

    def fit(some: NDArray[np.bool_]) -> Calibration:
        some = some & calibrates
        fitted = _calibration(logits[some], accepted[some], weights[some], prior)
        return replace(fitted, shift=fitted.shift - caution)

    for n in range(FOLDS):
        found = fit(fold != n)
        unseen[fold == n] = [found.of(logit) for logit in logits[fold == n]]
    calibration = fit(fold >= 0)
    shown = replace(model, calibration=calibration, reliability=curve(unseen, accepted, weights))
    return FittedModel(shown, tuple(unseen.tolist()))


def held_out(judged: Sequence[JudgedPair], model: EvidenceModel) -> tuple[float, ...]:
    """Return the probability of each pair by weights that were not fitted to it."""
    return tuple(model.probability(pair.scores) for pair in judged)


def _fit(
    judged: Sequence[JudgedPair],
    rediscovered: Sequence[Rediscovered],
    prior: EvidenceModel,
    fixed: frozenset[str],
    strength: float,
    noisy: float,
) -> EvidenceModel:
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    names = sorted(set(prior.weights) - fixed)
    x, rest = _matrix(judged, names, prior, fixed)
    z, other_rest = _matrix(rediscovered, names, prior, fixed)
    y, weight = np.array([p.accepted for p in judged], dtype=float), np.array([p.weight for p in judged])
    agrees = np.array([p.agrees for p in rediscovered], dtype=float)
    among_accepted, among_others = _rates(judged)
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])
    hold = np.full(len(start), strength)
    hold[0] *= BIAS_HOLD

    def loss(w: Floats) -> tuple[float, Floats]:
        logit, pull = x @ w + rest, w - start
        value = -float(np.sum(weight * (y * log_expit(logit) + (1 - y) * log_expit(-logit))))
        slope = x.T @ (weight * (expit(logit) - y))
        if len(agrees):
            p = expit(z @ w + other_rest)
            q = among_others + (among_accepted - among_others) * p
            value -= noisy * float(np.sum(np.where(agrees, np.log(q), np.log1p(-q))))
            part = (among_accepted - among_others) * p * (1 - p)
            slope -= noisy * (z.T @ (part * np.where(agrees, 1 / q, -1 / (1 - q))))
        return value + 0.5 * float(np.sum(hold * pull**2)), slope + hold * pull

    # A reason never counts against, a doubt never for: what a reviewer reads keeps its sign.
    bounds = [
        (None, None),
        *((0 if prior.weights[n] > 0 else None, 0 if prior.weights[n] < 0 else None) for n in names),
    ]
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    found = dict(zip(names, map(float, best[1:]), strict=True))
    return replace(prior, bias=float(best[0]), weights=dict(prior.weights) | found)


def _matrix(
    pairs: Sequence[JudgedPair | Rediscovered], names: Sequence[str], prior: EvidenceModel, fixed: frozenset[str]
) -> tuple[Floats, Floats]:
    """Return (pairs × bias and names), and for each pair what its evidence with fixed weights adds."""
    rows = [[1.0, *(pair.scores.get(name, 0.0) for name in names)] for pair in pairs]
    rest = [sum(prior.weights.get(name, 0.0) * pair.scores.get(name, 0.0) for name in sorted(fixed)) for pair in pairs]
    return np.array(rows).reshape(len(pairs), len(names) + 1), np.array(rest)


def _rates(judged: Sequence[JudgedPair]) -> tuple[float, float]:
    """Return how often an accepted pair agrees with a formula that its item holds, and how often another one does."""
    found = []
    for accepted in (True, False):
        known = [pair for pair in judged if pair.agrees is not None and pair.accepted is accepted]
        agreeing = sum(pair.weight for pair in known if pair.agrees)
        found.append((agreeing + RATE_PRIOR) / (sum(pair.weight for pair in known) + 2 * RATE_PRIOR))
    return found[0], found[1]


def _folds(pairs: Sequence[JudgedPair | Rediscovered]) -> NDArray[np.int64]:
    """Return the fold of each pair: by a digest of its item, so that it is the same wherever the item is met."""
    from zlib import crc32

    return np.array([crc32(pair.item.encode()) % FOLDS for pair in pairs], dtype=np.int64)


def _held_out_logits(
    judged: Sequence[JudgedPair],
    rediscovered: Sequence[Rediscovered],
    fit: Callable[[Sequence[JudgedPair], Sequence[Rediscovered]], EvidenceModel],
) -> Floats:
    fold, other = _folds(judged), _folds(rediscovered)
    found = np.zeros(len(judged))
    for n in range(FOLDS):
        seen = [pair for pair, at in zip(judged, fold, strict=True) if at != n]
        model = fit(seen, [pair for pair, at in zip(rediscovered, other, strict=True) if at != n])
        for at in np.flatnonzero(fold == n):
            found[at] = model.logit(judged[int(at)].scores)
    return found


def _calibration(logits: Floats, accepted: Floats, weights: Floats, prior: Calibration) -> Calibration:
    """Return the calibration nearest to the prior under which the judged pairs are likely."""
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit

    x = np.array([(1.0, *logit_segments(logit)) for logit in logits]).reshape(len(logits), -1)
    start = np.array(astuple(prior))

    def loss(w: Floats) -> tuple[float, Floats]:
        z, pull = x @ w, w - start
        value = -float(np.sum(weights * (accepted * log_expit(z) + (1 - accepted) * log_expit(-z))))
        return value + 0.5 * float(pull @ pull), x.T @ (weights * (expit(z) - accepted)) + pull

    bounds = [(None, None), *((MIN_SLOPE, None) for _ in start[1:])]
    return Calibration(*map(float, minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x))
