"""Are two formulas of one well-known concept? Both are recognised in the handbook, and what is said of the one is laid beside the other.

This is how a person sees that ∇·E = ρ/ε₀ and ∂ᵢEᵢ = 4πρ are one law, and that V = IR and F = ma are two: by knowing them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from bot.match.channels import Floats
from bot.match.handbook import handbook
from bot.match.recognise import Hit, Recogniser, shipped_same

SAME = ("both", "least", "most", "known", "first")


@dataclass(frozen=True, slots=True)
class Meeting:
    """The concept that both formulas are most likely of, if they are of one, and how likely that is."""

    qid: str
    label: str
    probability: float


class Concepts:
    """The handbook as an index. Build once (seconds), ask often."""

    def __init__(self) -> None:
        rows = [{"qid": concept.qid, "label": concept.label, "formulas": []} for concept in handbook().values()]
        self.recogniser = Recogniser(rows)

    def meeting(self, a: str, b: str) -> Meeting | None:
        """Return where two formulas may meet; None where no concept is near both."""
        return meeting(self.recogniser.hits(a), self.recogniser.hits(b))

    def apart(self, a: str, b: str, sure: float = 0.9) -> bool:
        """Tell two formulas that are surely of two concepts: each is well known, and nowhere near the other's."""
        left, right = self.recogniser.hits(a), self.recogniser.hits(b)
        if not left or not right or min(left[0].probability, right[0].probability) < sure:
            return False
        return not {hit.qid for hit in left if hit.probability > 0.3} & {
            hit.qid for hit in right if hit.probability > 0.3
        }


def meeting(left: Sequence[Hit], right: Sequence[Hit]) -> Meeting | None:
    """Return the concept that the hits of both share most, with the fitted probability."""
    qid = closest(left, right)
    if not qid:
        return None
    weights = shipped_same()
    said = float(evidence(left, right, qid) @ weights[:-1] + weights[-1])
    return Meeting(qid, handbook()[qid].label, 1 / (1 + math.exp(-said)))


def closest(left: Sequence[Hit], right: Sequence[Hit]) -> str:
    """Return the item that has most of both; "" where no item has some of both."""
    scores = {hit.qid: hit.score for hit in right}
    return max(((hit.score + scores[hit.qid], hit.qid) for hit in left if hit.qid in scores), default=(0.0, ""))[1]


def evidence(left: Sequence[Hit], right: Sequence[Hit], qid: str) -> Floats:
    """Return what speaks for one concept, in the order of SAME: the overlap of all shares, the concept's own shares and beliefs."""
    shares = [{hit.qid: math.exp(hit.score) for hit in hits} for hits in (left, right)]
    overlap = sum(share * shares[1].get(other, 0.0) for other, share in shares[0].items())
    own = sorted([shares[0][qid], shares[1][qid]])
    beliefs = [next(hit.probability for hit in hits if hit.qid == qid) for hits in (left, right)]
    first = float(left[0].qid == qid) + float(right[0].qid == qid)
    return np.array([_logit(overlap), _logit(own[0]), _logit(own[1]), _logit(beliefs[0] * beliefs[1]), first])


def _logit(share: float) -> float:
    inside = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside)) / 3


@cache
def concepts() -> Concepts:
    """Return the shared index."""
    return Concepts()
