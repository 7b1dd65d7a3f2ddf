"""From two formulas to the probability that they are one concept written differently: the features by name, and their weights."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.formula.alignment.equations import Equation, stated_equations
from bot.formula.alignment.templates import Hole, Templates, holes
from bot.formula.alignment.tree_alignment import Alignment, best_alignment

Floats = NDArray[np.float64]
FEATURE_NAMES = (
    "others", "free", "usual", "near", "share", "kept", "short", "unlabelled", "turned", "constants", "parts", "primed", "known", "words",
)  # fmt: skip
MIN_FREE_LETTERS = 3  # a place where a corpus writes at least so many other letters is free
MAX_SUPPORTED_COST = 2.2  # alignments of a higher cost are never accepted


class PriorKnowledge(Protocol):
    """Knowledge beyond the corpus: letters usual for one quantity, and concepts that two formulas may share."""

    def are_usual_letters(self, one: str, other: str) -> bool: ...

    def shared_concept_probability(self, a: str, b: str) -> float:
        """Return the probability that both formulas state one well-known concept, 0 where none is similar to both."""
        ...


class NoPriorKnowledge:
    """No knowledge beyond the corpus."""

    def are_usual_letters(self, one: str, other: str) -> bool:
        return False

    def shared_concept_probability(self, a: str, b: str) -> float:
        return 0.0


@dataclass(frozen=True, slots=True)
class Weights:
    """A linear model of FEATURE_NAMES, and the probability from which two formulas are grouped."""

    weights: Floats
    bias: float
    threshold: float

    def probability(self, row: Floats) -> float:
        return 1 / (1 + math.exp(-float(row @ self.weights + self.bias)))


def nearest_alignment(
    a: str, b: str, knowledge: PriorKnowledge, most: float = math.inf
) -> tuple[Alignment, Sequence[Hole]] | None:
    """Return the best alignment of what two formulas state, with the holes of the first formula's equation; None where no shapes agree.

    None, too, where every way costs more than `most`.
    """
    best: tuple[Alignment, Equation] | None = None
    for one in stated_equations(a):
        for other in stated_equations(b):
            found = best_alignment(one, other, knowledge.are_usual_letters, most)
            if found and (best is None or found.cost < best[0].cost):
                best = found, one
    return best and (best[0], holes(best[1]))


def feature_values(
    found: Alignment, own: Sequence[Hole], templates: Templates, known_probability: float, word_similarity: float
) -> Floats:
    """Return the features in the order of FEATURE_NAMES; `own` are the holes of the first statement, `known_probability` is a probability,
    `word_similarity` the cosine of what stands around both."""
    documents, letters = templates.support(own, found)
    free = letters >= MIN_FREE_LETTERS
    logit = math.log(max(known_probability, 1e-3) / max(1 - known_probability, 1e-3)) if known_probability else 0.0
    agreeing = found.unchanged + found.case_variants + found.matching_marks
    changed = len(found.unexplained_pairs) + len(found.usual_pairs)
    return np.array(
        [
            len(found.unexplained_pairs) - free,
            free * min(math.log1p(documents), 3.0),
            len(found.usual_pairs),
            found.case_variants,
            agreeing / (agreeing + changed),
            math.log1p(agreeing),
            found.is_short * (changed + found.case_variants + found.constants_differ),
            found.one_sided_labels,
            found.sign_differs,
            found.constants_differ,
            1 - found.whole_formulas,
            found.prime_differs,
            min(max(logit, 0.0), 4.0) * bool(changed),
            word_similarity,
        ],
        dtype=np.float64,
    )


@cache
def shipped_weights() -> Weights:
    """Return the weights of equivalence.json."""
    data = json.loads(files("bot.formula.alignment").joinpath("equivalence.json").read_text(encoding="utf-8"))
    return Weights(
        np.array([data["weights"].get(name, 0.0) for name in FEATURE_NAMES]), data["bias"], data["threshold"]
    )
