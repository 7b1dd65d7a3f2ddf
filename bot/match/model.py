"""Evidence to probability: a logistic model whose few weights are shipped in weights.json and readable there.

`benchmarks/train_match.py` fits them to judged pairs, `formula-bot train` to a workspace's decisions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from bot.errors import WorkspaceError
from bot.wikibase import Json

Curve = tuple[tuple[float, float, int], ...]  # by band: mean probability, share of accepted ones, how many were judged


@dataclass(frozen=True, slots=True)
class Calibration:
    """Beta calibration (Kull, Silva Filho and Flach 2017) of a probability s: logit p = above · ln s − below · ln(1 − s) + shift.

    Both slopes are 0 or more, so the order stays; with (1, 1, 0) p is s.
    """

    above: float = 1.0
    below: float = 1.0
    shift: float = 0.0

    def of(self, logit: float) -> float:
        """Return the calibrated probability of a logit."""
        return sigmoid(self.shift - self.above * _softplus(-logit) + self.below * _softplus(logit))


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """A bias and one weight for each name of evidence; evidence without a weight counts nothing."""

    bias: float
    weights: Mapping[str, float]
    calibration: Calibration = Calibration()
    note: str = ""
    reliability: Curve = ()  # held out

    def logit(self, scores: Mapping[str, float]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) * score for name, score in sorted(scores.items()))

    def probability(self, scores: Mapping[str, float]) -> float:
        """Return the probability that a careful editor accepts the formula for the item."""
        return self.calibration.of(self.logit(scores))

    @classmethod
    def from_json(cls, data: Json) -> EvidenceModel:
        bands = tuple((said, right, judged) for said, right, judged in data.get("reliability", ()))
        calibration = Calibration(**data.get("calibration", {}))
        return cls(data["bias"], data["weights"], calibration, data.get("note", ""), bands)

    def as_json(self) -> Json:
        """Return what `from_json` reads, rounded to what is worth keeping."""
        return {
            "note": self.note,
            "bias": round(self.bias, 3),
            "calibration": {name: round(value, 3) for name, value in asdict(self.calibration).items()},
            "reliability": [[round(said, 3), round(right, 3), judged] for said, right, judged in self.reliability],
            "weights": {name: round(value, 3) for name, value in sorted(self.weights.items())},
        }


def sigmoid(x: float) -> float:
    """Return 1/(1+e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _softplus(x: float) -> float:
    """Return ln(1+e^x) without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


KEPT = "matching.json"  # in the models/ of a workspace


def kept(folder: Path) -> dict[str, EvidenceModel]:
    """Return the models that `keep` put into a folder, by name; empty where there are none.

    Raises WorkspaceError for a damaged file: silently going back to the shipped weights would change every probability.
    """
    path = folder / KEPT
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {name: EvidenceModel.from_json(each) for name, each in data.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkspaceError(f"holds no weights ({error})", where=str(path), todo="train_reset") from None


def keep(folder: Path, models: Mapping[str, EvidenceModel]) -> Path:
    """Write models into a folder, as one file and at once."""
    path = folder / KEPT
    part = path.with_suffix(".part")
    part.write_text(json.dumps({n: m.as_json() for n, m in models.items()}, indent=2) + "\n", encoding="utf-8")
    part.replace(path)
    return path


@cache
def shipped(name: str) -> EvidenceModel:
    """Return a model of weights.json: `matching`, `matching_without_list`, or `hand` where fitting starts."""
    data = json.loads(files("bot.match").joinpath("weights.json").read_text(encoding="utf-8"))[name]
    return EvidenceModel.from_json(data)
