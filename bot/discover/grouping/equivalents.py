"""The equivalents of each formula of a corpus: canonical keys first, then neighbours by four encodings, re-ranked by laying formulas over each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bot.discover.candidate_filters import keys_of
from bot.discover.grouping.encoding_names import ENCODINGS, Encoding
from bot.discover.grouping.neighbours import Nearest, encoded
from bot.formula import compare, identifiers
from bot.formula.alignment.equations import statements
from bot.formula.alignment.equivalence_evidence import (
    NAMES,
    WORTH,
    Floats,
    Ignorance,
    PriorKnowledge,
    Weights,
    evidence,
    nearest,
    shipped,
)
from bot.formula.alignment.templates import Templates
from bot.formula.features.feature_words import features

# Set by hand below the probabilities that the fitted model gives (equivalence.json); the floors of benchmarks/equivalents.py hold them.
_KEY = 0.98  # equal at K3 without a statement to look at
_PROVED = 0.9  # held for one concept by the comparison of formulas
_UNRELATED = 0.001
LONG = 10  # leaves from which formulas of other shapes are compared
SHARED = 0.7  # of the letters, for that
ASKED = 1.3  # alignments that cost more are not worth a look into the built-in list


@dataclass(frozen=True, slots=True)
class FormulaInContext:
    """One formula where it stands."""

    tex: str
    document: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another formula of the corpus, and how likely it is of the same concept."""

    row: int
    probability: float
    level: str  # of the keys, "" where none is equal
    cosine: float  # the highest in any encoding


class Equivalents:
    """Fit on the formulas of a corpus; learned: keys_, templates_, encodings_ and, for each encoding, nearest_."""

    def __init__(
        self,
        k: int = 50,
        encodings: Sequence[Encoding] = ENCODINGS,
        knowledge: PriorKnowledge | None = None,
        weights: Weights | None = None,
        seed: int = 0,
    ) -> None:
        self.k = k
        self.encodings = encodings
        self.knowledge = knowledge
        self.weights = weights
        self.seed = seed

    def fit(self, formulas: Iterable[FormulaInContext], spread: Iterable[tuple[str, str]] | None = None) -> Equivalents:
        """Learn from formulas; templates from `spread`, (formula, document) of all places, where it is given."""
        self.formulas_ = list(formulas)
        looked = features if "math tf-idf" in self.encodings else statements
        # Formula by formula: its trees are made once for all that looks at them.
        read = [(*_keys(f.tex), statements(f.tex), looked(f.tex))[:2] for f in self.formulas_]
        self.keys_, self.leaves_ = [levels for levels, _ in read], [leaves for _, leaves in read]
        self.templates_ = Templates().fit(spread or ((f.tex, f.document) for f in self.formulas_))
        self._same: dict[str, list[int]] = defaultdict(list)  # by key or shape
        for row, (formula, levels) in enumerate(zip(self.formulas_, self.keys_, strict=True)):
            for shared in {*levels[2:], *[found.shape for found in statements(formula.tex)]}:
                self._same[shared].append(row)
        self._asked: tuple[int, Floats] = -1, np.zeros(0)
        tex, words = [f.tex for f in self.formulas_], [f.words for f in self.formulas_]
        self.encodings_ = {kind: encoded(kind, tex, words, self.seed) for kind in self.encodings}
        self.nearest_ = {kind: Nearest(self.k).fit(rows) for kind, rows in self.encodings_.items()}
        return self

    def candidates(self, row: int) -> dict[int, float]:
        """Return the rows that may be equivalent with their highest cosine: same key, same shape, or near in an encoding."""
        found: dict[int, float] = {}
        shared = {*self.keys_[row][2:], *[s.shape for s in statements(self.formulas_[row].tex)]}
        for key in shared:
            found |= dict.fromkeys(self._same[key], 0.0)
        for nearest_ in self.nearest_.values():
            near, cosines = nearest_.neighbours([row])
            for other, cosine in zip(near[0].tolist(), cosines[0].tolist(), strict=True):
                found[other] = max(found.get(other, 0.0), cosine)
        found.pop(row, None)
        return found

    def neighbours(self, row: int, without: Container[int] = ()) -> list[Neighbour]:
        """Return all candidates but those `without`, the likeliest first; equal ones by cosine and place in the corpus."""
        every = [
            Neighbour(other, round(self.probability(row, other), 6), self.level(row, other), cosine)
            for other, cosine in self.candidates(row).items()
            if other not in without
        ]
        return sorted(every, key=lambda n: (-n.probability, n.level or "K9", -round(n.cosine, 6), n.row))

    def group(self, row: int) -> list[int]:
        """Return the rows that are the same concept as this one, itself among them."""
        least = (self.weights or shipped()).threshold
        return sorted([row, *[n.row for n in self.neighbours(row) if n.probability >= least]])

    def level(self, row: int, other: int) -> str:
        """Return the strictest key that two formulas share, "" for none up to K5."""
        return next(
            (f"K{n}" for n, (a, b) in enumerate(zip(self.keys_[row], self.keys_[other], strict=True)) if a == b), ""
        )

    def probability(self, row: int, other: int) -> float:
        """Return how likely two formulas are of one concept."""
        found = self.evidence(row, other)
        if found is not None:
            return (self.weights or shipped()).probability(found)
        level = self.level(row, other)
        return _KEY if level and level <= "K2" else self._compared(row, other, level)

    def _compared(self, row: int, other: int, level: str) -> float:
        """Of what cannot be laid over each other: K3 decides where one states nothing that algebra reads, comparison where both are long."""
        a, b = self.formulas_[row].tex, self.formulas_[other].tex
        if not statements(a) or not statements(b):
            return _KEY if level == "K3" else _UNRELATED
        if min(self.leaves_[row], self.leaves_[other]) < LONG:
            return _UNRELATED
        mine, yours = set(identifiers(a)), set(identifiers(b))
        if len(mine & yours) < SHARED * len(mine | yours):
            return _UNRELATED
        return _PROVED if compare(a, b).same_concept else _UNRELATED

    def evidence(self, row: int, other: int) -> Floats | None:
        """Return what speaks for and against in the order of NAMES; None where the formulas cannot be laid over each other."""
        knowledge = self.knowledge or Ignorance()
        a, b = self.formulas_[row], self.formulas_[other]
        found = nearest(a.tex, b.tex, knowledge, WORTH)
        if found is None:
            return None
        asked = (found[0].others or found[0].usual) and found[0].cost <= ASKED
        known = knowledge.meeting(a.tex, b.tex) if asked else 0.0
        return evidence(*found, self.templates_, known, self._words(row)[other])

    def difference(self, row: int, other: int) -> Mapping[str, float]:
        """Return what differs between two formulas by the NAMES of the evidence; empty where they cannot be aligned."""
        found = self.evidence(row, other)
        return {} if found is None else dict(zip(NAMES, found.tolist(), strict=True))

    def _words(self, row: int) -> Floats:
        """Return the cosines of the words around a formula with those around each; the last row asked for is kept."""
        if self._asked[0] != row:
            rows = self.encodings_.get("semantics tf-idf")
            empty = np.zeros(len(self.formulas_))
            self._asked = row, empty if rows is None else np.asarray((rows @ rows[row].T).todense()).ravel()
        return self._asked[1]


def _keys(tex: str) -> tuple[tuple[str, ...], int]:
    """K0 to K5 and the number of leaves; for what has no tree its text and none."""
    found = keys_of(tex)
    if found is None:
        return (f"tex {' '.join(tex.split())}",) * 6, 0
    return tuple(found.at(f"K{n}") for n in range(6)), found.leaves
