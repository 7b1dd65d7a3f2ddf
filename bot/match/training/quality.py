"""How right probabilities are: calibration error, and how many pairs of each threshold were accepted. All weighted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bot.match.model import ReliabilityCurve

THRESHOLDS = (0.9, 0.8, 0.7)
BANDS = 10  # of equal width, for the calibration error
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the curve


@dataclass(frozen=True, slots=True)
class Quality:
    """Figures of judged pairs: `accepted_from` has (threshold, accepted, judged) in numbers of pairs, unweighted."""

    judged: int
    accepted: int
    calibration_error: float  # expected, over ten bands of probability
    calibration_noise: float  # what it would be by chance alone, were every probability exact
    log_loss: float
    accepted_from: tuple[tuple[float, int, int], ...]

    def share(self, threshold: float) -> float | None:
        """Return the share of accepted ones from a threshold on; None where none was judged."""
        found = {low: (good, judged) for low, good, judged in self.accepted_from}[threshold]
        return found[0] / found[1] if found[1] else None


def quality(said: ArrayLike, accepted: ArrayLike, weights: ArrayLike | None = None, seed: int = 7) -> Quality:
    """Return the figures of probabilities and verdicts, in the order of both."""
    p, y = np.asarray(said, dtype=float), np.asarray(accepted, dtype=float)
    w = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=float)
    if not len(p):
        return Quality(0, 0, 0.0, 0.0, 0.0, tuple((low, 0, 0) for low in THRESHOLDS))
    sure = np.clip(p, 1e-6, 1 - 1e-6)
    drawn = np.random.default_rng(seed).random((500, len(p))) < p
    return Quality(
        len(p),
        int(y.sum()),
        round(_error(p, y, w), 4),
        round(float(np.mean([_error(p, draw.astype(float), w) for draw in drawn])), 4),
        round(float(-np.sum(w * np.where(y > 0, np.log(sure), np.log1p(-sure))) / w.sum()), 4),
        tuple((low, int(y[p >= low].sum()), int((p >= low).sum())) for low in THRESHOLDS),
    )


def _error(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """Return Σ |mean probability − share of accepted ones| over bands, weighted by how much is in each."""
    band = np.minimum((p * BANDS).astype(int), BANDS - 1)
    return float(np.abs(np.bincount(band, w * (p - y), BANDS)).sum() / w.sum())


def curve(said: ArrayLike, accepted: ArrayLike, weights: ArrayLike | None = None) -> ReliabilityCurve:
    """Return for each band that holds a pair: the mean probability, the share of accepted ones, and how many were judged."""
    p, y = np.asarray(said, dtype=float), np.asarray(accepted, dtype=float)
    w = np.ones(len(p)) if weights is None else np.asarray(weights, dtype=float)
    found = []
    for low, high in zip(EDGES, (*EDGES[1:-1], 1.01), strict=False):
        inside = (p >= low) & (p < high)
        if inside.any():
            total = w[inside].sum()
            shares = float((w * p)[inside].sum() / total), float((w * y)[inside].sum() / total)
            found.append((*shares, int(inside.sum())))
    return tuple(found)
