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
class Model:
    """A bias and one weight for each name of evidence; evidence without a weight counts nothing."""

    bias: float
    weights: Mapping[str, float]
    certainty: float = 1.0  # the most that any evidence can reach
    note: str = ""

    def logit(self, scores: Mapping[str, float]) -> float:
        return self.bias + sum(self.weights.get(name, 0.0) * score for name, score in sorted(scores.items()))

    def probability(self, scores: Mapping[str, float]) -> float:
        return sigmoid(self.logit(scores))


def sigmoid(x: float) -> float:
    """Return 1/(1+e^-x) without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


@cache
def shipped(name: str) -> Model:
    """Return a model of weights.json: `matching`, `recognition`, or `hand` where fitting starts."""
    data = json.loads(files("bot.match").joinpath("weights.json").read_text(encoding="utf-8"))[name]
    return Model(data["bias"], data["weights"], data.get("certainty", 1.0), data.get("note", ""))
