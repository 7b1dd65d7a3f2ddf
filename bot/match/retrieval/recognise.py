"""Recognition: which items a single formula is an instance of, best first, and whether it is sure enough to be accepted.

Words from beside the formula, or its document's title, are a second sign: what the formula alone brings, and what they name, is then
ranked by both (see context.py and contextual.py).
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from itertools import islice, pairwise
from typing import Any

import numpy as np

from bot.errors import FormulaError, ItemsError
from bot.formula import clean, identifiers, keys
from bot.formula.alignment.compare import compare, first_contradiction, may_be_same
from bot.formula.alignment.differences import first_difference, label_difference
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED
from bot.formula.equivalence.unscripted import has_other_index_range
from bot.formula.features.sides import sides, statements
from bot.items_file import ItemRow
from bot.match.builtin import Concept, builtin_formulas
from bot.match.builtin import entry_for_item as from_book
from bot.match.retrieval.contextual import (
    CONTEXT_CALIBRATION,
    CONTEXT_FEATURE_NAMES,
    ContextualIndex,
    calibration_features_in_document,
)
from bot.match.retrieval.feature_groups import ChannelIndex, Floats, Shortlist
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.index.sparse_matrix import Rows, Whole
from bot.match.retrieval.index.stored_readings import stored_index
from bot.match.retrieval.inverted_index import IndexedFormula
from bot.match.retrieval.quantities import same_quantity
from bot.match.retrieval.ranking_features import RANK, RANKING_FEATURES, item_prior, ranking_features
from bot.messages import Message

# Representations from which an item stands beside those of the built-in list, as one that grew by decisions does
WELL_KNOWN = 3
TITLE_FIELDS = ("title", "document", "doc", "heading")  # fields of a query that are read before its context
RERANKED = 40  # items that the formula alone brings where words count as well
DIFFERENCE_FROM = 0.5  # probability from which a first hit is looked at for differences
COMPARED = 4  # of an item's formulas, the most alike first
RIVALS = 5  # hits that a formula may be, too
# Of the doubt about a first hit that is one of the item's formulas rearranged: of 11 such ones of the two development sets between .5 and .75, 10 were right.
CONFIRMED = 0.5
_STYLED = re.compile(r"\\[a-zA-Z]+|[{}\s.]")
NEAR_MISS = 0.1  # probability of an item whose formulas the query differs from as a near miss does
CHUNK = 128  # queries worked on at once: more gain nothing, and their numbers no longer fit into the processor's cache

_LEVELS = ("K2", "K3", "K4", "K5")
_NONE = 9  # rank of no shared key
_CALIBRATED = (
    "grams_both", "grams_mass", "named_both", "named_mass", "placed_both", "placed_mass", "terms_both", "bound_both",
)  # fmt: skip
_CALIBRATION_COLUMNS = [RANKING_FEATURES.index(name) for name in _CALIBRATED]
CALIBRATION = (*_CALIBRATED, "odds", "size", *_LEVELS, *[f"{level}_size" for level in _LEVELS], "rival")


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights of RANKING_FEATURES, the model of calibration, and the probability from which a hit is accepted.

    `contextual` are the same for formulas in a document: weights of CONTEXT_FEATURE_NAMES, then of CONTEXT_CALIBRATION with the bias.
    """

    weights: Floats
    calibration: Floats  # one weight for each of CALIBRATION, then the bias
    accept: float
    contextual: tuple[Floats, Floats] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One item for one query: `score` ranks; `evidence` (in the order of CALIBRATION) says how likely it is right.

    `together` are other hits that it is a part of or that are parts of it (P361, P527): one formula, several right answers.
    """

    qid: str
    score: float
    probability: float
    level: str
    formula: str
    evidence: Floats
    together: tuple[str, ...] = ()
    differs: Message | None = None  # by what the query differs from every formula of the item that has its letters


class Recogniser:
    """Items once, queries often. Items are rows {"qid", "label", "aliases", "formulas"}, and "part_of" where that is known.

    What the built-in list writes for an item of the file is a representation of it too; `book={}` leaves it out.
    """

    def __init__(
        self,
        items: Iterable[ItemRow],
        ranker: Ranker | None = None,
        book: Mapping[str, Concept] | None = None,
    ) -> None:
        book = builtin_formulas() if book is None else book
        items = list(items)
        entries = []
        priors: dict[str, tuple[float, ...]] = {}
        self._entry_of_item: dict[str, str] = {}
        for row in items:
            qid = row["qid"]
            own = [tex for tex in row.get("formulas") or () if isinstance(tex, str) and tex.strip()]
            formulas = dict.fromkeys(own)
            names = [row.get("label") or "", *(row.get("aliases") or ())]
            if concept := from_book(qid, names, book):
                formulas |= dict.fromkeys(concept.formulas)
                self._entry_of_item[qid] = concept.qid
            entries += [IndexedFormula(qid, tex) for tex in formulas]
            if formulas:
                priors[qid] = item_prior(
                    qid, names[0], len(names) - 1, concept is not None or len(formulas) >= WELL_KNOWN
                )
        self.index = ChannelIndex(entries, stored_index(entries))
        self._parts = _neighbours_by_part(items, book)
        self._rows, self._book = items, book
        self._not_here = book.keys() - self._entry_of_item.values() - priors.keys()
        self._known = len(priors)
        number = {qid: n for n, qid in enumerate(priors)}
        self._items = np.array([number[entry.qid] for entry in self.index.entries], dtype=np.int32)
        self._standings = np.array(list(priors.values()))[self._items] if priors else np.zeros((0, 5))
        self.ranker = ranker or shipped_ranker()

    def hits(self, tex: str, top: int = 10, context: str = "") -> list[Hit]:
        """Return the best items, each once; an unreadable or empty formula has none."""
        return self.all_hits([tex], top, [context])[0]

    def all_hits(self, texts: Sequence[str], top: int = 10, contexts: Sequence[str] = ()) -> list[list[Hit]]:
        """Like `hits`, of many formulas at once."""
        readings = ((n, read_formula(clean(tex))) for n, tex in enumerate(texts))
        own = {n: one for n, one in readings if one and any(one.channels)}
        shortlists = self.index.search_many(list(own.values()))
        found: list[list[Hit]] = [[] for _ in texts]
        near = {n: each for n, each in zip(own, shortlists, strict=True) if each is not None}
        placed = {n for n in own if contexts and contexts[n]}
        for group, most in (
            ([n for n in near if n not in placed], top),
            ([n for n in near if n in placed], max(top, RERANKED)),
        ):
            for n, hits in zip(group, self.all_ranked([near[n] for n in group], most), strict=True):
                found[n] = self._compared(texts[n], near[n], hits)
        for n in sorted(placed):
            found[n] = self._in_document(texts[n], contexts[n], found[n])[:top]
        return found

    def _compared(self, tex: str, near: Shortlist, hits: list[Hit]) -> list[Hit]:
        """Correct the probability of the first hit where comparison says more: a near miss of the item's formulas, or one of them rearranged.

        Rearranged, it must not equal a formula of the next hits, too: f = 1/T is of frequency and of period.
        """
        first = hits[0]
        if first.probability < DIFFERENCE_FROM:
            return hits
        if differs := self._difference(tex, near, first.qid, first.formula):
            refused = replace(first, probability=min(first.probability, NEAR_MISS), differs=differs)
            equal = next((n for n, hit in enumerate(hits[:RIVALS]) if n and self._is_equal(tex, near, hit)), 0)
            return (
                [*hits[equal : equal + 1], refused, *hits[1:equal], *hits[equal + 1 :]]
                if equal
                else [refused, *hits[1:]]
            )
        if first.probability < self.ranker.accept and self._is_rearranged_of_first(tex, near, hits[:RIVALS]):
            raised = first.probability + (1 - first.probability) * CONFIRMED
            return [replace(first, probability=raised), *hits[1:]]
        if first.probability < self.ranker.accept:
            return hits
        if _vanishes(tex, first.formula) or self._stands_beside(tex, near, first):
            return [replace(first, probability=NEAR_MISS), *hits[1:]]
        if not (first.level and first.level <= "K3"):
            probability = min(first.probability, self._probability_by_list(tex, first.qid))
            return [replace(first, probability=probability), *hits[1:]]
        return hits

    def _is_equal(self, tex: str, near: Shortlist, hit: Hit) -> bool:
        """Tell whether a hit is equal but for scripts, or in its names alone and long, and differs in nothing."""
        equal = bool(hit.level) and (hit.level <= "K3" or (hit.level == "K5" and near.leaves >= MIN_LEAVES_RENAMED))
        return equal and self._difference(tex, near, hit.qid, hit.formula) is None

    def _probability_by_list(self, tex: str, qid: str) -> float:
        """Return how likely an item is meant where the whole built-in list knows the formula better as a concept that is not among the items."""
        if not self._not_here or self._book is not builtin_formulas():
            return 1.0
        found = list_recogniser().hits(tex, RIVALS)
        if not found or found[0].qid not in self._not_here:
            return 1.0
        entry = self._entry_of_item.get(qid)
        return next((hit.probability for hit in found if hit.qid == entry), 1 - found[0].probability)

    def _stands_beside(self, tex: str, near: Shortlist, hit: Hit) -> bool:
        """Tell whether a hit has what stands beside the formula, a condition or a definition, and not the formula itself."""
        first, *later = map(_k3, _without_values(statements(tex)))
        if not later or _k3(hit.formula) not in later:
            return False
        return first not in map(_k3, self._forms(near, self._indices_of_item(near, hit.qid)))

    def _is_rearranged_of_first(self, tex: str, near: Shortlist, hits: Sequence[Hit]) -> bool:
        def relations(hit: Hit) -> list[str]:
            forms = self._forms(near, self._indices_of_item(near, hit.qid)[:COMPARED])
            found = [compare(tex, form) for form in dict.fromkeys([hit.formula, *forms]) if may_be_same(tex, form)]
            return [each.relation for each in found if each.same_concept and not each.loose]

        first, *others = hits
        return not {"rearranged", "notation"}.isdisjoint(relations(first)) and not any(
            set(relations(hit)) - {"renamed"} for hit in others
        )

    def difference(self, tex: str, qid: str) -> Message | None:
        """Return how a formula differs from those of an item; None if it is one of them or too different to compare."""
        near = self.index.search_tex(clean(tex))
        return self._difference(tex, near, qid) if near else None

    def _difference(self, tex: str, near: Shortlist, qid: str, best: str = "") -> Message | None:
        own = self._indices_of_item(near, qid)
        levels = [near.levels.get(row, "K9") for row in near.rows[own].tolist()]
        forms = self._forms(near, own)
        strictest = min(levels, default="K0")
        if strictest < "K3":
            return None
        if strictest == "K3":
            placed = [_difference_of_scripts(tex, form) for form, at in zip(forms, levels, strict=True) if at == "K3"]
            return None if None in placed else placed[0]
        nearest = [form for form, at in zip(forms, levels, strict=True) if at == "K4"]
        forms = forms[:COMPARED]
        if nearest:
            return first_contradiction(tex, nearest[:COMPARED], same_quantity, forms)  # up to factors and signs
        return first_contradiction(tex, dict.fromkeys([best, *forms] if best else forms), same_quantity)

    def _indices_of_item(self, near: Shortlist, qid: str) -> list[int]:
        """Return the indices of an item's formulas in the shortlist, the most alike first.

        Before these comes what is the query but for its letters: it may equal another form than the most alike one.
        """
        own = [n for n, row in enumerate(near.rows.tolist()) if self.index.entries[row].qid == qid]
        shared = near.shared_sums[0][own]
        similarity = shared / (near.entry_sums[0][own] + near.query_sums[0] - shared + 1e-9)
        levels = [near.levels.get(row) for row in near.rows[own].tolist()]
        order = sorted(range(len(own)), key=lambda n: (levels[n] not in ("K4", "K5"), -similarity[n]))
        return [own[n] for n in order]

    def _forms(self, near: Shortlist, indices: Sequence[int]) -> list[str]:
        return [self.index.entries[row].tex for row in near.rows[list(indices)].tolist()]

    def all_ranked(self, found: Sequence[Shortlist], top: int = 10) -> list[list[Hit]]:
        """Return the hits of each shortlist, best first, each item once."""
        if not found:
            return []
        counts = [len(near.rows) for near in found]
        starts = np.cumsum([0, *counts])[:-1]
        rows = np.concatenate([near.rows for near in found])
        query = np.repeat(np.arange(len(found)), counts)
        numbers = self._numbers(found, rows)
        scores = numbers @ self.ranker.weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[query])
        # An item's share counts all of its formulas, as the ranker was fitted; what it is shown by is its best.
        order = np.lexsort((-np.round(scores, 9), query))
        items = query[order] * self._known + self._items[rows[order]]
        item, first, item_of_row = np.unique(items, return_index=True, return_inverse=True)
        of = item // self._known
        every = np.bincount(item_of_row, powers[order]) / np.add.reduceat(powers, starts)[of]
        final_order = np.lexsort((first, -np.round(every, 9), of))
        begin = np.searchsorted(of, np.arange(len(found)))
        final_order = final_order[np.arange(len(final_order)) - begin[of] < top]
        best_rows, of = order[first[final_order]], of[final_order]
        return self._hits_of_rows(found, numbers[best_rows], rows[best_rows].tolist(), every[final_order], of)

    # -- in a document ---------------------------------------------------------------------------------------------------
    @cached_property
    def contextual_index(self) -> ContextualIndex:
        """Return the index of item names for contexts. It is built for the first query with a context, in a third of a second."""
        formulas: dict[str, list[str]] = defaultdict(list)
        for entry in self.index.entries:
            formulas[entry.qid].append(entry.tex)
        fields = {}
        for row in self._rows:
            concept = from_book(row["qid"], [row.get("label") or "", *(row.get("aliases") or ())], self._book)
            if concept:
                fields[row["qid"]] = concept.field
        return ContextualIndex(self._rows, formulas, fields)

    def _in_document(self, tex: str, words: str, alone: list[Hit]) -> list[Hit]:
        """Return all items found by the formula or the words, ranked by both; `alone` if the words give nothing."""
        weights, calibration = self.ranker.contextual or shipped_contextual_weights()
        context = self.contextual_index.read(words, tex)
        hits = alone[:RERANKED]
        items = self.contextual_index.candidates(tex, hits, context) if context else []
        if not items:
            return alone
        numbers = self.contextual_index.features(tex, hits, context, items)
        scores = numbers @ weights
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        features = calibration_features_in_document(numbers, shares)
        probabilities = 1 / (1 + np.exp(-(features @ calibration[:-1] + calibration[-1])))
        by_qid = {hit.qid: hit for hit in hits}
        found: list[Hit] = []
        for n in np.argsort(-np.round(shares, 9), kind="stable").tolist():
            qid = self.contextual_index.qid(items[n])
            hit = by_qid.get(qid) or Hit(qid, 0.0, 0.0, "", "", np.zeros(len(CALIBRATION)))
            probability = float(probabilities[n])
            if not found and alone and alone[0].qid == qid:
                if context.named(items[n]):
                    probability = combined_probability(probability, hit.probability)
                elif not context.names_any:
                    probability = max(probability, hit.probability)  # nothing speaks against it
            if not found:
                hit = self._lowered_if_differing(tex, hit, probability)
                probability = min(probability, NEAR_MISS) if hit.differs else probability
            found.append(replace(hit, score=math.log(shares[n] + 1e-12), probability=probability))
        return found

    def _lowered_if_differing(self, tex: str, hit: Hit, probability: float) -> Hit:
        """Words carry a formula that differs from the item's as little as likeness does."""
        if hit.differs or not hit.formula or probability < DIFFERENCE_FROM or (hit.level and hit.level <= "K3"):
            return hit
        return replace(hit, differs=first_contradiction(tex, [hit.formula], same_quantity))

    def _hits_of_rows(
        self, found: Sequence[Shortlist], numbers: Floats, rows: list[int], shares: Floats, of: Whole
    ) -> list[list[Hit]]:
        """Return the hits of each shortlist: row, share, numbers and number of the shortlist are given for each hit."""
        entries = [self.index.entries[row] for row in rows]
        levels = [found[n].levels.get(row, "") for row, n in zip(rows, of.tolist(), strict=True)]
        bounds = np.searchsorted(of, np.arange(len(found) + 1)).tolist()
        related_qids: list[tuple[str, ...]] = [()] * len(rows)
        whole = shares.copy()
        lead = np.ones(len(rows))  # of what parts and wholes count together, each has its share of the best
        for n, one in enumerate(entries):
            if others := self._parts.get(one.qid):
                row_hits = range(bounds[of[n]], bounds[of[n] + 1])
                also = [other for other in row_hits if entries[other].qid in others]
                related_qids[n] = tuple([entries[other].qid for other in also])
                whole[n] = shares[n] + sum([float(shares[other]) for other in also])
                lead[n] = shares[n] / max([float(shares[other]) for other in (n, *also)])
        features = calibration_features(numbers, whole, levels, np.array([near.leaves for near in found])[of], bounds)
        probabilities = lead / (1 + np.exp(-(features @ self.ranker.calibration[:-1] + self.ranker.calibration[-1])))
        scores = np.log(shares + 1e-12).tolist()
        hits = [
            Hit(entry.qid, score, p, level, entry.tex, why, also)
            for entry, score, p, level, why, also in zip(
                entries, scores, probabilities.tolist(), levels, features, related_qids, strict=True
            )
        ]
        return [hits[start:end] for start, end in pairwise(bounds)]

    def features(self, near: Shortlist) -> Floats:
        """Return the ranking features, a row for each entry of the shortlist."""
        return self._numbers([near], near.rows)

    def _numbers(self, found: Sequence[Shortlist], rows: Rows) -> Floats:
        return ranking_features(found, self.index.leaves[rows], self._standings[rows])

    def answer(self, row: Mapping[str, object], top: int = 10) -> dict[str, object]:
        """Return the row with `accepted` and `hits` added; its other fields stay as they are."""
        return self._answer(row, self.hits(str(row["tex"]), top, context_of(row)))

    def answers(self, rows: Iterable[Mapping[str, object]], top: int = 10) -> Iterator[dict[str, object]]:
        """Yield the answer of each row, in order; `CHUNK` rows are worked on at once."""
        waiting = iter(rows)
        while chunk := list(islice(waiting, CHUNK)):
            found = self.all_hits([str(row["tex"]) for row in chunk], top, [context_of(row) for row in chunk])
            for row, hits in zip(chunk, found, strict=True):
                yield self._answer(row, hits)

    def _answer(self, row: Mapping[str, object], hits: Sequence[Hit]) -> dict[str, object]:
        hit_rows = [
            {
                "qid": hit.qid,
                "score": round(hit.score, 4),
                "probability": round(hit.probability, 4),
                "level": hit.level,
                "formula": hit.formula,
                **({"together": list(hit.together)} if hit.together else {}),
                **({"differs": str(hit.differs)} if hit.differs else {}),
            }
            for hit in hits
        ]
        return {**row, "accepted": bool(hits) and round(hits[0].probability, 4) >= self.ranker.accept, "hits": hit_rows}


def _difference_of_scripts(tex: str, known_tex: str) -> Message | None:
    """Return how a formula differs from one that it equals without scripts: by the places of labels or of indices, or by a constant's label."""
    if differs := label_difference(tex, known_tex):
        return differs
    found = compare(tex, known_tex)
    if differs := next(filter(_is_of_places, (found.differs, first_difference(tex, [known_tex]))), None):
        return differs
    other_range = not found.same_concept and has_other_index_range(analyse_formula(tex), analyse_formula(known_tex))
    return Message("differs.place", tex=known_tex) if other_range else None


def _without_values(parts: Sequence[str]) -> Sequence[str]:
    """Return the statements of a formula from the first one on that is not the value of a letter: C_0 = 1 is where a recurrence starts."""
    start = next((n for n, part in enumerate(parts) if len(identifiers(part)) > 1), 0)
    return parts[start:]


def _vanishes(tex: str, known_tex: str) -> bool:
    """Tell whether a chain ends in zero, which a known formula does not say: ω = ∇ × u = 0 is no definition of ω."""
    ends = sides(statements(tex)[0])
    return len(ends) > 2 and _is_zero(ends[-1]) and not any(map(_is_zero, sides(known_tex)))


def _is_zero(side: str) -> bool:
    return _STYLED.sub("", side) == "0"


def _k3(tex: str) -> str:
    try:
        return keys(clean(tex)).K3
    except FormulaError:
        return tex


def _is_of_places(differs: Message | None) -> bool:
    return differs is not None and differs.code == "differs.place"


@cache
def list_recogniser() -> Recogniser:
    """Return the recogniser of the concepts of the built-in list, one for the process."""
    book = builtin_formulas()
    return Recogniser([{"qid": qid, "label": concept.label, "formulas": ()} for qid, concept in book.items()])


def context_of(row: Mapping[str, object]) -> str:
    """Return the context of a query: title and heading on separate lines, then the words; "" if there is none."""
    found = [title for title in map(row.get, TITLE_FIELDS) if isinstance(title, str)]
    context = row.get("context")
    if isinstance(context, list | tuple):
        context = " ".join(map(str, context))
    found += [context] if isinstance(context, str) else []
    return "\n".join(part.strip() for part in found if part.strip())


def _neighbours_by_part(items: Sequence[ItemRow], book: Mapping[str, Concept]) -> dict[str, frozenset[str]]:
    """Return QID -> items one step of part-of away, in both directions."""
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [(row["qid"], whole) for row in items for whole in row.get("part_of") or ()]
    pairs += [(concept.qid, whole) for concept in book.values() for whole in concept.part_of]
    for part, whole in pairs:
        found[part].add(whole)
        found[whole].add(part)
    return {qid: frozenset(others) for qid, others in found.items()}


def recognise(
    items: Iterable[ItemRow], queries: Iterable[Mapping[str, object]], top: int = 10, *, builtin: bool = True
) -> Iterator[dict[str, object]]:
    """Yield each query row with `accepted` and `hits` (best first, each item once), in order; with the built-in list or without.

    Raises ItemsError for a query without a TeX string.
    """
    recogniser = Recogniser(items, book=None if builtin else {})
    wrong: list[Mapping[str, object]] = []

    def counted_rows() -> Iterator[Mapping[str, object]]:
        for row in queries:
            if not isinstance(row.get("tex"), str):
                wrong.append(row)
                return  # what stands before it is answered first
            yield row

    yield from recogniser.answers(counted_rows(), top)
    for row in wrong:
        raise ItemsError("needs_tex", where=f"query {row.get('id', '?')}", todo="mend_line")


def combined_probability(one: float, other: float) -> float:
    """Return the probability of what two signs say: the surer one's, and half of what the other takes from its doubt."""
    high, low = max(one, other), min(one, other)
    return high + (1 - high) * low / 2


def calibration_features(
    numbers: Floats, shares: Floats, levels: Sequence[str], leaves: Whole, bounds: Sequence[int]
) -> Floats:
    """Return what speaks for each hit (hits × CALIBRATION): odds against all other items, what the formulas share.

    The hits of query n are those from bounds[n] to bounds[n + 1], best first; `leaves` are of the query, for each hit.
    A shared key counts with the length of the formula: short ones coincide by chance.
    """
    found = np.zeros((len(shares), len(CALIBRATION)))
    found[:, : len(_CALIBRATION_COLUMNS)] = numbers[:, _CALIBRATION_COLUMNS]
    odds = np.clip(shares, 1e-4, 1 - 1e-4)
    size = np.minimum(np.log2(np.maximum(leaves, 1)) / 4, 1.5)
    column, wide = len(_CALIBRATION_COLUMNS), len(_LEVELS)
    found[:, column] = np.log(odds / (1 - odds)) / 3
    found[:, column + 1] = size
    ranks = [max(RANK.get(level, _NONE), RANK["K2"]) for level in levels]  # a spelling does not matter
    rank = np.array(ranks)
    at_level = rank[:, None] <= [RANK[level] for level in _LEVELS]
    found[:, column + 2 : column + 2 + wide] = at_level
    found[:, column + 2 + wide : column + 2 + 2 * wide] = at_level * size[:, None]
    rivals = [0.0] * len(ranks)
    for start, end in pairwise(bounds):
        best = sorted([(ranks[n], n) for n in range(start, min(end, start + 4)) if ranks[n] <= RANK["K4"]])[:2]
        for n in range(start, end) if best else ():
            others = [level for level, other in best if other != n]
            rivals[n] = float(bool(others) and others[0] <= ranks[n])
    found[:, -1] = rivals
    return found


@cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("bot.match").joinpath("recognition.json").read_text(encoding="utf-8"))
    return found


def _weights(data: Mapping[str, Any], names: Sequence[str], reasons: Sequence[str]) -> tuple[Floats, Floats]:
    """Return the weights of ranking and of calibration, with the bias; a name that is not held weighs nothing."""
    calibration = [data["calibration"]["weights"].get(name, 0.0) for name in reasons]
    rank = np.array([data["rank"].get(name, 0.0) for name in names])
    return rank, np.array([*calibration, data["calibration"]["bias"]])


@cache
def shipped_ranker() -> Ranker:
    """Return what recognition.json ships."""
    return Ranker(*_weights(_shipped(), RANKING_FEATURES, CALIBRATION), _shipped()["accept"])


@cache
def shipped_contextual_weights() -> tuple[Floats, Floats]:
    """Return the weights of CONTEXT_FEATURE_NAMES, and of CONTEXT_CALIBRATION with the bias."""
    return _weights(_shipped()["in_document"], CONTEXT_FEATURE_NAMES, CONTEXT_CALIBRATION)


@cache
def shipped_same_concept_weights() -> Floats:
    """Return the weights by which two formulas are held to be of one concept (see SAME_CONCEPT_FEATURES), then the bias."""
    return np.array(_shipped()["same"])
