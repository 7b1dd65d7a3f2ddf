"""The equivalents of each formula of a corpus: canonical keys first, then neighbours by four encodings, re-ranked by laying formulas over each other."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np
from scipy.sparse import csr_matrix

from bot.discover.candidate_filters import keys_of
from bot.discover.grouping.encoding_names import ENCODINGS, Encoding
from bot.discover.grouping.encodings import encode_formulas
from bot.discover.grouping.formula_facts import CachedFacts
from bot.discover.grouping.neighbours import Nearest
from bot.formula.alignment.equivalence_evidence import (
    FEATURE_NAMES,
    MAX_SUPPORTED_COST,
    Floats,
    NoPriorKnowledge,
    PriorKnowledge,
    feature_values,
    nearest_alignment,
    shipped_weights,
)
from bot.formula.alignment.templates import Templates
from bot.formula.alignment.tree_alignment import Alignment

# Set by hand below the probabilities that the fitted model gives (equivalence.json); the floors of benchmarks/equivalents.py hold them.
_KEY = 0.98  # equal at K3 without a statement to look at
_PROVED = 0.9  # held for one concept by the comparison of formulas
_UNRELATED = 0.001
LONG_FORMULA = 10  # leaves from which formulas of other shapes are compared
MIN_SHARED_LETTERS = 0.7  # of the letters, for that
_AT_ONCE = 256  # rows whose neighbours are looked for together
MAX_ALIGNMENT_COST = 1.3  # alignments that cost more are not worth a look into the built-in list


@dataclass(frozen=True, slots=True)
class FormulaInContext:
    """One formula with its position."""

    tex: str
    document: str
    words: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()  # K1 to K5 where they are known
    leaves: int = 0  # with `keys`


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
        facts: CachedFacts | None = None,
    ) -> None:
        self.k = k
        self.encodings = encodings
        self.knowledge = knowledge
        self.facts = facts or CachedFacts()

    def fit(
        self, formulas: Iterable[FormulaInContext], spread: Iterable[tuple[str, Collection[str]]] | None = None
    ) -> Self:
        """Learn from formulas; templates from `spread`, formulas with all of their documents, where it is given."""
        self.formulas_ = list(formulas)
        self.facts_ = list(self.facts.of([formula.tex for formula in self.formulas_]))
        self.keys_, self.leaves_ = [], []
        self._same: dict[str | bytes, list[int]] = defaultdict(list)  # by key or shape
        for row, (formula, facts) in enumerate(zip(self.formulas_, self.facts_, strict=True)):
            levels, leaves = _keys(formula)
            both: set[str | bytes] = {*levels[2:]}
            both.update(facts.shapes)
            for shared in both:
                self._same[shared].append(row)
            self.keys_.append(levels)
            self.leaves_.append(leaves)
        documents_by_tex = list(spread) if spread is not None else [(f.tex, (f.document,)) for f in self.formulas_]
        every = zip(self.facts.of([tex for tex, _ in documents_by_tex]), documents_by_tex, strict=True)
        self.templates_ = Templates().fit_holes(
            (chain.from_iterable(facts.holes), documents) for facts, (_, documents) in every
        )
        self.laid_: dict[tuple[int, int], Alignment] | None = None
        self._asked: tuple[int, Floats] = -1, np.zeros(0)
        self._ahead: dict[int, dict[int, float]] = {}
        self._comparable = self._comparable_rows()
        tex, words = [f.tex for f in self.formulas_], [f.words for f in self.formulas_]
        made_of = list(self.facts.words(tex)) if "math tf-idf" in self.encodings else []
        learnt = self.encodings if len(tex) > 1 else ()
        self.encodings_ = {
            kind: encode_formulas(kind, made_of if kind == "math tf-idf" else tex, words) for kind in learnt
        }
        self.nearest_ = {kind: Nearest(self.k).fit(rows) for kind, rows in self.encodings_.items()}
        return self

    def align_all(self) -> None:
        """Work out how single equations can be laid over each other, each over those before it, and keep it.

        From then on only that is asked for: whether a row and a later one state the same.
        """
        shapes: dict[bytes, list[int]] = defaultdict(list)
        for row, facts in enumerate(self.facts_):
            (shape,) = facts.shapes
            shapes[shape].append(row)
        several = [(shape, rows) for shape, rows in shapes.items() if len(rows) > 1]
        members = ((shape, [(self.formulas_[row].tex, 0) for row in rows]) for shape, rows in several)
        laid = self.facts.alignments("later", members, int.__lt__)
        self.laid_ = {
            (rows[i], rows[j]): alignment
            for (_, rows), found in zip(several, laid, strict=True)
            for (i, j), alignment in found.items()
        }

    def candidates(self, row: int) -> dict[int, float]:
        """Return the rows that may be equivalent with their highest cosine: same key, same shape, or near in an encoding."""
        found = dict.fromkeys(self._rows_with_same_key_or_shape(row), 0.0) | self._nearest_rows([row])[row]
        found.pop(row, None)
        return found

    def _nearest_rows(self, rows: Sequence[int]) -> dict[int, dict[int, float]]:
        """Return for each of these rows those near it in an encoding, with their highest cosine."""
        found: dict[int, dict[int, float]] = {row: {} for row in rows}
        for nearest_ in self.nearest_.values():
            for row, near, cosines in zip(rows, *map(np.ndarray.tolist, nearest_.neighbours(rows)), strict=True):
                for other, cosine in zip(near, cosines, strict=True):
                    found[row][other] = max(found[row].get(other, 0.0), cosine)
        return found

    def _rows_with_same_key_or_shape(self, row: int) -> set[int]:
        """Return the rows that share a key or a shape, this one among them."""
        shared: set[str | bytes] = {*self.keys_[row][2:]}
        shared.update(self.facts_[row].shapes)
        return {other for key in shared for other in self._same[key]}

    def neighbours(self, row: int, without: Container[int] = ()) -> list[Neighbour]:
        """Return all candidates but those `without`, the likeliest first; equal ones by cosine and place in the corpus."""
        return self._ranked(row, {n: cosine for n, cosine in self.candidates(row).items() if n not in without}, 0.0)

    def likely_neighbours(self, row: int, without: Container[int] = ()) -> list[Neighbour]:
        """Return what of `neighbours` reaches the threshold. Cosines are asked for only where they decide, and 0 elsewhere."""
        least = shipped_weights().threshold
        similar = dict.fromkeys(
            [
                n
                for n in self._rows_with_same_key_or_shape(row)
                if n != row and n not in without and self._may_be_one(row, n)
            ],
            0.0,
        )
        if row in self._comparable:
            if row not in self._ahead:  # many at once, as products of single rows take longer
                start = self._comparable[row]
                self._ahead = self._nearest_rows(list(self._comparable)[start : start + _AT_ONCE])
            near = self._ahead[row]
        else:
            found = self._ranked(row, similar, least)
            if len({(n.probability, n.level) for n in found}) == len(found):
                return found
            near = self._nearest_rows([row])[row]
        return self._ranked(row, similar | {n: cosine for n, cosine in near.items() if n not in without}, least)

    def _may_be_one(self, row: int, other: int) -> bool:
        """Say whether two formulas can reach the threshold; most of one shape are short and have no alignment."""
        if self.laid_ is None or (row, other) in self.laid_ or self.keys_[row][2] == self.keys_[other][2]:
            return True
        both_read = self.facts_[row].shapes and self.facts_[other].shapes
        return not both_read or min(self.leaves_[row], self.leaves_[other]) >= LONG_FORMULA

    def _comparable_rows(self) -> dict[int, int]:
        """Return the rows that `_compared` may hold to be one with another one, each with its place among them."""
        rows = [n for n, leaves in enumerate(self.leaves_) if leaves >= LONG_FORMULA and self.facts_[n].shapes]
        letters = [set(self.facts_[n].letters) for n in rows]
        column = {letter: n for n, letter in enumerate(sorted(set().union(*letters)))}
        sizes = np.array(list(map(len, letters)))
        columns = [column[letter] for each in letters for letter in each]
        incidence = csr_matrix((np.ones(len(columns)), columns, np.cumsum([0, *sizes])), shape=(len(rows), len(column)))
        found: list[int] = []
        for start in range(0, len(rows), _AT_ONCE):
            both = np.asarray((incidence[start : start + _AT_ONCE] @ incidence.T).todense())
            enough = both >= MIN_SHARED_LETTERS * (sizes[start : start + _AT_ONCE, None] + sizes - both)
            found += [rows[start + n] for n in np.flatnonzero(enough.sum(axis=1) > 1).tolist()]
        return {row: n for n, row in enumerate(found)}

    def _ranked(self, row: int, candidates: Mapping[int, float], least: float) -> list[Neighbour]:
        every = [
            Neighbour(other, probability, self.level(row, other), cosine)
            for other, cosine in candidates.items()
            if (probability := round(self.probability(row, other), 6)) >= least
        ]
        return sorted(every, key=lambda n: (-n.probability, n.level or "K9", -round(n.cosine, 6), n.row))

    def group(self, row: int) -> list[int]:
        """Return the rows that are the same concept as this one, itself among them."""
        return sorted([row, *[n.row for n in self.likely_neighbours(row)]])

    def level(self, row: int, other: int) -> str:
        """Return the strictest key that two formulas share, "" for none up to K5."""
        for n, (a, b) in enumerate(zip(self.keys_[row], self.keys_[other], strict=True)):
            if a == b:
                return f"K{n}"
        return ""

    def probability(self, row: int, other: int) -> float:
        """Return how likely two formulas are of one concept."""
        found = self.evidence(row, other)
        if found is not None:
            return shipped_weights().probability(found)
        level = self.level(row, other)
        return _KEY if level and level <= "K2" else self._probability_by_comparison(row, other, level)

    def _probability_by_comparison(self, row: int, other: int, level: str) -> float:
        """Of what cannot be laid over each other: K3 decides where one states nothing that algebra reads, comparison where both are long."""
        a, b = self.formulas_[row].tex, self.formulas_[other].tex
        if not self.facts_[row].shapes or not self.facts_[other].shapes:
            return _KEY if level == "K3" else _UNRELATED
        if min(self.leaves_[row], self.leaves_[other]) < LONG_FORMULA:
            return _UNRELATED
        left, right = set(self.facts_[row].letters), set(self.facts_[other].letters)
        if len(left & right) < MIN_SHARED_LETTERS * len(left | right):
            return _UNRELATED
        return _PROVED if self.facts.is_one_concept(a, b) else _UNRELATED

    def evidence(self, row: int, other: int) -> Floats | None:
        """Return what speaks for and against in the order of NAMES; None where the formulas cannot be laid over each other."""
        knowledge = self.knowledge or NoPriorKnowledge()
        a, b = self.formulas_[row], self.formulas_[other]
        if self.laid_ is None:
            found = nearest_alignment(a.tex, b.tex, knowledge, MAX_SUPPORTED_COST)
        else:
            alignment = self.laid_.get((row, other))
            found = None if alignment is None else (alignment, self.facts_[row].holes[0])
        if found is None:
            return None
        is_asked = (found[0].unexplained_pairs or found[0].usual_pairs) and found[0].cost <= MAX_ALIGNMENT_COST
        probability = knowledge.shared_concept_probability(a.tex, b.tex) if is_asked else 0.0
        return feature_values(*found, self.templates_, probability, self._words(row)[other])

    def difference(self, row: int, other: int) -> Mapping[str, float]:
        """Return what differs between two formulas by the NAMES of the evidence; empty where they cannot be aligned."""
        found = self.evidence(row, other)
        return {} if found is None else dict(zip(FEATURE_NAMES, found.tolist(), strict=True))

    def _words(self, row: int) -> Floats:
        """Return the cosines of the words around a formula with those around each; the last row asked for is kept."""
        if self._asked[0] != row:
            rows = self.encodings_.get("semantics tf-idf")
            empty = np.zeros(len(self.formulas_))
            self._asked = row, empty if rows is None else np.asarray((rows @ rows[row].T).todense()).ravel()
        return self._asked[1]


def _keys(formula: FormulaInContext) -> tuple[tuple[str, ...], int]:
    """K0 to K5 and the number of leaves; for what has no tree its text and none."""
    text = f"tex {' '.join(formula.tex.split())}"
    if formula.keys:
        return (text, *formula.keys), formula.leaves  # equal texts have equal tokens
    found = keys_of(formula.tex)
    return (tuple(found.at(f"K{n}") for n in range(6)), found.leaves) if found else ((text,) * 6, 0)
