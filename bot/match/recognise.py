"""Recognition: which items a single formula is an instance of, best first, and whether to believe it at all."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from bot.errors import ItemsError
from bot.formula import clean
from bot.match.channels import ChannelIndex, Floats, Shortlist
from bot.match.index import Entry
from bot.match.labels import fold
from bot.match.likeness import NAMES, likeness, standing
from bot.match.model import Model

CONTEXT = 2.0  # what an item's name in the words beside the formula adds, set by hand


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights of the numbers in NAMES, the model of belief, and the probability from which a hit is accepted."""

    weights: Floats
    belief: Model
    accept: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One item for one query: `score` ranks, `features` say whether to believe it."""

    qid: str
    score: float
    level: str
    formula: str
    features: Mapping[str, float]


class Recogniser:
    """Items once, queries often. Items are rows {"qid", "label", "aliases", "formulas"}."""

    def __init__(self, items: Iterable[Mapping[str, Any]], ranker: Ranker | None = None) -> None:
        entries, self._labels = [], dict[str, tuple[str, ...]]()
        known: dict[str, tuple[float, ...]] = {}
        for row in items:
            formulas = [tex for tex in row.get("formulas") or () if isinstance(tex, str) and tex.strip()]
            entries += [Entry(row["qid"], tex) for tex in formulas]
            if formulas:
                known[row["qid"]] = standing(row["qid"], row.get("label") or "", len(row.get("aliases") or ()))
                self._labels[row["qid"]] = tuple(
                    fold(name) for name in (row.get("label", ""), *row.get("aliases", ())) if name
                )
        self.index = ChannelIndex(entries)
        number = {qid: n for n, qid in enumerate(known)}
        self._items = np.array([number[entry.qid] for entry in self.index.entries], dtype=np.int32)
        self._standings = np.array([known[entry.qid] for entry in self.index.entries])
        self.ranker = ranker or shipped_ranker()

    def hits(self, tex: str, top: int = 10, context: str = "") -> list[Hit]:
        """Return the best items, each once; an unreadable formula has none."""
        near = self.index.shortlist(clean(tex))
        if near is None:
            return []
        numbers = self.numbers(near)
        scores = numbers @ self.ranker.weights
        if context:
            scores = scores + CONTEXT * self._named(near, fold(context))
        best = self._best(near, scores)
        shares = _shares([float(scores[place]) for place in best])
        return [
            self._hit(near, place, numbers[place], float(scores[place]), share)
            for place, share in zip(best[:top], shares, strict=False)
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
                "probability": round(self.ranker.belief.probability(hit.features), 4),
                "level": hit.level,
                "formula": hit.formula,
            }
            for hit in hits
        ]
        return {**row, "accepted": bool(shown) and shown[0]["probability"] >= self.ranker.accept, "hits": shown}

    def _named(self, near: Shortlist, words: str) -> Floats:
        entries = self.index.entries
        return np.array([any(name and name in words for name in self._labels.get(entries[row].qid, ())) for row in near.rows], dtype=np.float64)  # fmt: skip

    def _best(self, near: Shortlist, scores: Floats) -> list[int]:
        """Return the places of the best formula of each item, best first."""
        order = np.argsort(-np.round(scores, 9), kind="stable")
        _, first = np.unique(self._items[near.rows[order]], return_index=True)
        return [int(place) for place in order[np.sort(first)]]

    def _hit(self, near: Shortlist, place: int, numbers: Floats, score: float, share: float) -> Hit:
        row = int(near.rows[place])
        entry = self.index.entries[row]
        return Hit(entry.qid, score, near.levels.get(row, ""), entry.tex, belief_features(numbers, share))


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


_PLACE = {name: n for n, name in enumerate(NAMES)}
_BELIEVED = ("grams_mass", "placed_mass")


def belief_features(numbers: Floats, share: float) -> dict[str, float]:
    """Return what speaks for believing a hit: its odds against all other items, and how much the formulas share.

    Few on purpose: more of them fit the development data better and other data worse.
    """
    odds = min(max(share, 1e-4), 1 - 1e-4)
    return {**{name: float(numbers[_PLACE[name]]) for name in _BELIEVED}, "odds": math.log(odds / (1 - odds)) / 3}


def _shares(scores: Sequence[float]) -> list[float]:
    """Return each item's share of the whole, as the ranker was fitted to give."""
    powers = np.exp(np.array(scores) - max(scores))
    return [float(share) for share in powers / powers.sum()]


@cache
def shipped_ranker() -> Ranker:
    """Return what recognition.json ships; names that it does not hold weigh nothing."""
    data = json.loads(files("bot.match").joinpath("recognition.json").read_text(encoding="utf-8"))
    weights = np.array([data["rank"].get(name, 0.0) for name in NAMES])
    return Ranker(weights, Model(data["belief"]["bias"], data["belief"]["weights"]), data["accept"])
