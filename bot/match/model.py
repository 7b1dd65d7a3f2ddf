"""Evidence to probability: a logistic model whose few weights are shipped in weights.json and readable there.

`benchmarks/train_match.py` fits them; nothing here needs a learning library.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Belief:
    """From an item's share of probability to what may be believed: slope and shift of its logit, and the most that evidence can reach.

    However good the evidence, an item may hold another formula that is as true.
    """

    slope: float = 1.0
    shift: float = 0.0
    most: float = 1.0

    def of(self, share: float) -> float:
        share = min(max(share, 1e-9), 1 - 1e-9)
        return self.most * sigmoid(self.slope * math.log(share / (1 - share)) + self.shift)


@dataclass(frozen=True, slots=True)
class EvidenceModel:
    """A bias and one weight for each name of evidence; evidence without a weight counts nothing."""

    bias: float
    weights: Mapping[str, float]
    belief: Belief = Belief()
    note: str = ""
    reliability: tuple[
        tuple[float, float, int], ...
    ] = ()  # held out, by band: mean probability, share of right ones, how many

    def logit(self, scores: Mapping[str, float]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) * score for name, score in sorted(scores.items()))

    def probability(self, scores: Mapping[str, float]) -> float:
        return sigmoid(self.logit(scores))


def sigmoid(x: float) -> float:
    """Return 1/(1+e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


@cache
def shipped(name: str) -> EvidenceModel:
    """Return a model of weights.json: `matching`, `recognition`, or `hand` where fitting starts."""
    data = json.loads(files("bot.match").joinpath("weights.json").read_text(encoding="utf-8"))[name]
    bands = tuple((said, right, judged) for said, right, judged in data.get("reliability", ()))
    belief = Belief(**data["belief"]) if "belief" in data else Belief()
    return EvidenceModel(data["bias"], data["weights"], belief, data.get("note", ""), bands)
