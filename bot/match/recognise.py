"""Recognition: which items a single formula is an instance of, best first, and whether to believe it at all."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from bot.errors import ItemsError
from bot.formula import clean
from bot.match.channels import ChannelIndex, Floats, Known, Shortlist
from bot.match.handbook import Concept, handbook
from bot.match.handbook.readings import readings
from bot.match.index import Entry
from bot.match.labels import fold
from bot.match.likeness import NAMES, likeness, standing

CONTEXT = 2.0  # what an item's name in the words beside the formula adds, set by hand

_LEVELS = ("K2", "K3", "K4", "K5")
_BELIEVED = (
    "grams_both", "grams_mass", "named_both", "named_mass", "placed_both", "placed_mass", "terms_both", "bound_both",
)  # fmt: skip
_LOOKED = [NAMES.index(name) for name in _BELIEVED]
BELIEF = (*_BELIEVED, "odds", "size", *_LEVELS, *[f"{level}_size" for level in _LEVELS], "rival")


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights of the numbers in NAMES, the model of belief, and the probability from which a hit is accepted."""

    weights: Floats
    belief: Floats  # one weight for each of BELIEF, then the bias
    accept: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One item for one query: `score` ranks; `evidence` (in the order of BELIEF) says whether to believe it.

    `together` are other hits that it is a part of or that are parts of it (P361, P527): one formula, several right answers.
    """

    qid: str
    score: float
    probability: float
    level: str
    formula: str
    evidence: Floats
    together: tuple[str, ...] = ()


class Recogniser:
    """Items once, queries often. Items are rows {"qid", "label", "aliases", "formulas"}, and "part_of" where that is known.

    What the handbook writes for an item of the file is a representation of it too; `book={}` leaves it out.
    `read_before` are readings of formulas that were made before; without them those of the shipped handbook.
    """

    def __init__(
        self,
        items: Iterable[Mapping[str, Any]],
        ranker: Ranker | None = None,
        book: Mapping[str, Concept] | None = None,
        read_before: Known | None = None,
    ) -> None:
        book = handbook() if book is None else book
        items = list(items)
        entries, self._labels = [], dict[str, tuple[str, ...]]()
        known: dict[str, tuple[float, ...]] = {}
        for row in items:
            qid = row["qid"]
            own = [tex for tex in row.get("formulas") or () if isinstance(tex, str) and tex.strip()]
            formulas = dict.fromkeys(own)
            if qid in book:
                formulas |= dict.fromkeys(book[qid].formulas)
            entries += [Entry(qid, tex) for tex in formulas]
            if formulas:
                known[qid] = standing(qid, row.get("label") or "", len(row.get("aliases") or ()), qid in book)
                self._labels[qid] = tuple(
                    fold(name) for name in (row.get("label", ""), *row.get("aliases", ())) if name
                )
        self.index = ChannelIndex(entries, readings(book) if read_before is None and book is handbook() else read_before)
        self._parts = _parts(items, book)
        number = {qid: n for n, qid in enumerate(known)}
        self._items = np.array([number[entry.qid] for entry in self.index.entries], dtype=np.int32)
        self._standings = np.array([known[entry.qid] for entry in self.index.entries])
        self.ranker = ranker or shipped_ranker()

    def hits(self, tex: str, top: int = 10, context: str = "") -> list[Hit]:
        """Return the best items, each once; an unreadable formula has none."""
        near = self.index.shortlist(clean(tex))
        return [] if near is None else self.ranked(near, top, context)

    def ranked(self, near: Shortlist, top: int = 10, context: str = "") -> list[Hit]:
        """Return the items of a shortlist, best first, each with the formula of its that is nearest."""
        numbers = self.numbers(near)
        scores = numbers @ self.ranker.weights
        if context:
            scores = scores + CONTEXT * self._named(near, fold(context))
        items = self._items[near.rows]
        powers = np.exp(scores - scores.max())
        # An item's share counts all of its formulas, as the ranker was fitted; what it is shown by is its best.
        order = np.argsort(-np.round(scores, 9), kind="stable")
        _, first, which = np.unique(items[order], return_index=True, return_inverse=True)
        every = np.bincount(which, powers[order]) / powers.sum()
        again = np.lexsort((first, -np.round(every, 9)))[:top]
        places, shares = order[first[again]], every[again]
        rows = [int(row) for row in near.rows[places]]
        levels = [near.levels.get(row, "") for row in rows]
        entries = [self.index.entries[row] for row in rows]
        kin = [tuple(e.qid for e in entries if e.qid in self._parts.get(one.qid, ())) for one in entries]
        weight = {entry.qid: float(share) for entry, share in zip(entries, shares, strict=True)}
        whole = np.array([share + sum(weight[qid] for qid in also) for share, also in zip(shares, kin, strict=True)])
        seen = believed(numbers[places], whole, levels, near.leaves)
        said = 1 / (1 + np.exp(-(seen @ self.ranker.belief[:-1] + self.ranker.belief[-1])))
        return [
            Hit(entry.qid, math.log(share + 1e-12), float(p), level, entry.tex, why, also)
            for entry, share, p, level, why, also in zip(entries, shares, said, levels, seen, kin, strict=True)
        ]

    def numbers(self, near: Shortlist) -> Floats:
        """Return what the ranker looks at, a row for each entry of the shortlist."""
        return likeness(near, self.index.leaves[near.rows], self._standings[near.rows])

    def answer(self, row: Mapping[str, Any], top: int = 10) -> dict[str, Any]:
        """Return the row with `accepted` and `hits` added; its other fields stay as they are."""
        hits = self.hits(row["tex"], top, str(row.get("context") or ""))
        shown: list[dict[str, Any]] = [
            {
                "qid": hit.qid,
                "score": round(hit.score, 4),
                "probability": round(hit.probability, 4),
                "level": hit.level,
                "formula": hit.formula,
                **({"together": list(hit.together)} if hit.together else {}),
            }
            for hit in hits
        ]
        return {**row, "accepted": bool(shown) and shown[0]["probability"] >= self.ranker.accept, "hits": shown}

    def _named(self, near: Shortlist, words: str) -> Floats:
        entries = self.index.entries
        return np.array([any(name and name in words for name in self._labels.get(entries[row].qid, ())) for row in near.rows], dtype=np.float64)  # fmt: skip


def _parts(items: Sequence[Mapping[str, Any]], book: Mapping[str, Concept]) -> dict[str, frozenset[str]]:
    """Return QID -> items one step of part-of away, in both directions."""
    found: dict[str, set[str]] = defaultdict(set)
    pairs = [(row["qid"], whole) for row in items for whole in row.get("part_of") or ()]
    pairs += [(concept.qid, whole) for concept in book.values() for whole in concept.part_of]
    for part, whole in pairs:
        found[part].add(whole)
        found[whole].add(part)
    return {qid: frozenset(others) for qid, others in found.items()}


def recognise(
    items: Iterable[Mapping[str, Any]], queries: Iterable[Mapping[str, Any]], top: int = 10
) -> Iterator[dict[str, Any]]:
    """Yield each query row with `accepted` and `hits` (best first, each item once), in order.

    Raises ItemsError for a query without a TeX string.
    """
    recogniser = Recogniser(items)
    for row in queries:
        if not isinstance(row.get("tex"), str):
            raise ItemsError('needs "tex" (str)', where=f"query {row.get('id', '?')}", todo="mend or remove that line")
        yield recogniser.answer(row, top)


def believed(numbers: Floats, shares: Floats, levels: Sequence[str], leaves: int) -> Floats:
    """Return what speaks for believing each hit, best first (hits × BELIEF): odds against all other items, what the formulas share.

    A shared key counts with the length of the formula: short ones coincide by chance.
    """
    found = np.zeros((len(shares), len(BELIEF)))
    found[:, : len(_LOOKED)] = numbers[:, _LOOKED]
    odds = np.clip(shares, 1e-4, 1 - 1e-4)
    size = min(math.log2(max(leaves, 1)) / 4, 1.5)
    column = len(_LOOKED)
    found[:, column] = np.log(odds / (1 - odds)) / 3
    found[:, column + 1] = size
    for n, level in enumerate(levels):
        if level:
            strict = max(_LEVELS.index(level) if level in _LEVELS else 0, 0)
            found[n, column + 2 + strict : column + 2 + len(_LEVELS)] = 1.0
            found[n, column + 2 + len(_LEVELS) + strict : column + 2 + 2 * len(_LEVELS)] = size
    for n, level in enumerate(levels):
        others = [each for k, each in enumerate(levels[:4]) if k != n and each and each <= "K4"]
        found[n, -1] = float(bool(others) and min(others) <= (level or "K9"))
    return found


@cache
def shipped_ranker() -> Ranker:
    """Return what recognition.json ships; names that it does not hold weigh nothing."""
    data = json.loads(files("bot.match").joinpath("recognition.json").read_text(encoding="utf-8"))
    weights = np.array([data["rank"].get(name, 0.0) for name in NAMES])
    belief = [data["belief"]["weights"].get(name, 0.0) for name in BELIEF]
    return Ranker(weights, np.array([*belief, data["belief"]["bias"]]), data["accept"])


@cache
def shipped_same() -> Floats:
    """Return the weights by which two formulas are held to be of one concept (see concepts.SAME), then the bias."""
    data = json.loads(files("bot.match").joinpath("recognition.json").read_text(encoding="utf-8"))
    return np.array(data["same"])
