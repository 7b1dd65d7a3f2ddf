"""Evidence to probability: a logistic model whose few weights are shipped in weights.json and readable there.

`benchmarks/train_match.py` fits them to judged pairs, `formula-bot train` to a workspace's decisions.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Self

from bot.errors import WorkspaceError
from bot.records import Evidence
from bot.wikibase import Json

# By band: mean probability, share of accepted ones, how many were judged
ReliabilityCurve = tuple[tuple[float, float, int], ...]


# Logits at which the slope of a calibration may change, of probabilities .27, .62 and .88: held out by item, the error of 1,247 judged pairs is .031 with
# them, .072 with a beta calibration, and .045, .041 and .042 with knots at (-1, 1), (0, 1.5) and (-2, 0, 1, 2).
KNOTS = (-1.0, 0.5, 2.0)
# Evidence that has a weight for each of its codes besides that of its name: how the built-in list's formula meets the one at hand, and whether that formula
# does not define the item or may not. Of 3,652 judged pairs .96 were accepted of those that are its first form, .78 of those that are so after letters are
# renamed; .11 of those that are like a form marked `about`, .32 of those marked `doubtful`.
BY_CODE = frozenset(["handbook", "listed_about"])


@dataclass(frozen=True, slots=True)
class Calibration:
    """Piecewise linear calibration of a logit x: logit p = shift + x by the slope of each stretch between `KNOTS`, counted from 0.

    Slopes are above 0, so the order stays; as it is without values, p is the sigmoid of x.
    """

    shift: float = 0.0
    first: float = 1.0
    second: float = 1.0
    third: float = 1.0
    fourth: float = 1.0

    def of(self, logit: float) -> float:
        """Return the calibrated probability of a logit."""
        slopes = (self.first, self.second, self.third, self.fourth)
        return sigmoid(
            self.shift + sum(slope * part for slope, part in zip(slopes, logit_segments(logit), strict=True))
        )

    @classmethod
    def of_beta(cls, above: float, below: float, shift: float) -> Self:
        """Return the chords of a beta calibration (Kull, Silva Filho and Flach 2017), as weights of a workspace may still have one."""
        ends = (KNOTS[0] - 3, *KNOTS, KNOTS[-1] + 3)
        values = [shift - above * _softplus(-x) + below * _softplus(x) for x in ends]
        slopes = [(v - u) / (y - x) for (x, y), (u, v) in zip(pairwise(ends), pairwise(values), strict=True)]
        return cls(values[1] - slopes[0] * ends[1], *slopes)


def logit_segments(logit: float) -> tuple[float, ...]:
    """Return how much of a logit lies below the first knot, between each two, and above the last; their sum is the logit."""
    inside = [min(max(logit, low), high) - low for low, high in pairwise(KNOTS)]
    return (min(logit, KNOTS[0]), *inside, max(logit - KNOTS[-1], 0.0))


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """A bias and one weight for each name of evidence, and for each code of evidence in `BY_CODE`; evidence without a weight counts nothing."""

    bias: float
    weights: Mapping[str, float]
    calibration: Calibration = Calibration()
    note: str = ""
    reliability: ReliabilityCurve = ()  # held out

    def logit(self, scores: Mapping[str, float]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) * score for name, score in sorted(scores.items()))

    def weight(self, evidence: Evidence) -> float:
        """Return what one unit of an evidence counts."""
        return sum(self.weights.get(name, 0.0) for name in _names(evidence))

    def probability(self, scores: Mapping[str, float]) -> float:
        """Return the probability that a careful editor accepts the formula for the item."""
        return self.calibration.of(self.logit(scores))

    @classmethod
    def from_json(cls, data: Json) -> Self:
        bands = tuple((predicted, right, judged) for predicted, right, judged in data.get("reliability", ()))
        values = data.get("calibration", {})
        calibration = Calibration.of_beta(**values) if "above" in values else Calibration(**values)
        return cls(data["bias"], data["weights"], calibration, data.get("note", ""), bands)

    def as_json(self) -> Json:
        """Return rounded values that `from_json` reads."""
        return {
            "note": self.note,
            "bias": round(self.bias, 3),
            "calibration": {name: round(value, 3) for name, value in asdict(self.calibration).items()},
            "reliability": [
                [round(predicted, 3), round(right, 3), judged] for predicted, right, judged in self.reliability
            ],
            "weights": {name: round(value, 3) for name, value in sorted(self.weights.items())},
        }


def _names(evidence: Evidence) -> tuple[str, ...]:
    """Return the names under which an evidence may have a weight: its own, and the part of its code that says in which way it is met."""
    if evidence.name not in BY_CODE:
        return (evidence.name,)
    return (evidence.name, evidence.detail.code.partition(".")[2])


def scores_by_name(evidence: Iterable[Evidence]) -> dict[str, float]:
    """Return what was measured under each name that may have a weight."""
    return {name: each.score for each in evidence for name in _names(each)}


def measured(evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return the evidence of a stored match with what was measured as its score again; older records have none."""
    return [replace(each, score=each.value) for each in evidence if each.value is not None]


def sigmoid(x: float) -> float:
    """Return 1/(1+e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _softplus(x: float) -> float:
    """Return ln(1+e^x) without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


MODELS_FILE = "matching.json"  # in the models/ of a workspace


def load_models(folder: Path) -> dict[str, EvidenceModel]:
    """Return the models that `keep` stored in a folder, by name; empty if there are none.

    Raises WorkspaceError for a damaged file: silently going back to the shipped weights would change every probability.
    """
    path = folder / MODELS_FILE
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {name: EvidenceModel.from_json(each) for name, each in data.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WorkspaceError("no_weights", why=str(error), where=str(path), todo="train_reset") from None


def save_models(folder: Path, models: Mapping[str, EvidenceModel]) -> Path:
    """Write models into a folder, as one file and at once."""
    path = folder / MODELS_FILE
    part = path.with_suffix(".part")
    part.write_text(json.dumps({n: m.as_json() for n, m in models.items()}, indent=2) + "\n", encoding="utf-8")
    part.replace(path)
    return path


@cache
def shipped_model(name: str) -> EvidenceModel:
    """Return a model of weights.json: `matching`, `matching_without_list`, or `hand` where fitting starts."""
    data = json.loads(files("bot.match").joinpath("weights.json").read_text(encoding="utf-8"))[name]
    return EvidenceModel.from_json(data)
