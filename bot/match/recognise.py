"""Recognition: which items a single formula is an instance of, best first, and whether to believe it at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.errors import FormulaError, ItemsError
from bot.formula import clean
from bot.match.agree import compared
from bot.match.index import Entry, FormulaIndex, Near
from bot.match.labels import fold
from bot.match.model import Model, shipped
from bot.match.standing import telling

SHORTLIST = 12  # entries compared by tree for each query
ACCEPT = 0.9  # probability from which a hit is accepted
# Renamed formulas coincide by chance too often to lift a hit far above its likeness.
KEY_WORTH = {"K0": 1.0, "K1": 1.0, "K2": 0.95, "K3": 0.85, "K4": 0.7, "K5": 0.1}

SAME_WORTH = {"rearranged": 0.5, "renamed": 0.25}


@dataclass(frozen=True, slots=True)
class Hit:
    """One item for one query: `score` ranks, `probability` is for believing."""

    qid: str
    score: float
    level: str
    formula: str
    features: Mapping[str, float]


class Recogniser:
    """Items once, queries often. Items are rows {"qid", "label", "aliases", "formulas"}."""

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        entries, self._labels = [], dict[str, tuple[str, ...]]()
        for row in items:
            formulas = [tex for tex in row.get("formulas") or () if isinstance(tex, str) and tex.strip()]
            entries += [Entry(row["qid"], tex) for tex in formulas]
            if formulas:
                self._labels[row["qid"]] = tuple(
                    fold(name) for name in (row.get("label", ""), *row.get("aliases", ())) if name
                )
        self.index = FormulaIndex(entries)

    def hits(self, tex: str, top: int = 10, context: str = "") -> list[Hit]:
        """Return the best items, each once; an unreadable formula has none."""
        try:
            near = self.index.near(clean(tex), max(SHORTLIST, top * 2))
        except FormulaError:
            return []
        words = fold(context) if context else ""
        best: dict[str, Hit] = {}
        for rank, each in enumerate(near):
            hit = self._hit(tex, each, words, deep=rank < SHORTLIST)
            if hit.qid not in best or best[hit.qid].score < hit.score:
                best[hit.qid] = hit
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.qid))[:top]

    def answer(self, row: Mapping[str, Any], top: int = 10) -> dict[str, Any]:
        """Return the row with `accepted` and `hits` added; its other fields stay as they are."""
        hits = self.hits(row["tex"], max(top, 2), str(row.get("context") or ""))
        model = shipped("recognition")
        ahead = leads(hits)
        shown: list[dict[str, Any]] = [
            {
                "qid": hit.qid,
                "score": round(hit.score, 4),
                "probability": _probability(hit, ahead[n], model),
                "level": hit.level,
                "formula": hit.formula,
            }
            for n, hit in enumerate(hits[:top])
        ]
        return {**row, "accepted": bool(shown) and shown[0]["probability"] >= ACCEPT, "hits": shown}

    def _hit(self, tex: str, near: Near, words: str, *, deep: bool) -> Hit:
        features = {"jaccard": near.jaccard, "key": KEY_WORTH.get(near.level, 0.0) * telling(tex)}
        level = near.level
        if deep:
            found = compared(tex, near.entry.tex)
            if found and found.same_concept:
                features["same"] = SAME_WORTH.get(found.relation, 1.0) * telling(tex)
                level = level or found.level
            elif found and found.relation == "variant":
                features["variant"] = telling(near.entry.tex)
        if words and any(name and name in words for name in self._labels.get(near.entry.qid, ())):
            features["context"] = 1.0
        return Hit(near.entry.qid, _score(features), level, near.entry.tex, features)


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


def _score(features: Mapping[str, float]) -> float:
    """Rank by likeness first; equality of keys and trees lifts above likeness, more so the more it says."""
    equal = max(features.get("key", 0.0), features.get("same", 0.0))
    return features["jaccard"] + equal + 0.15 * features.get("variant", 0.0) + 0.3 * features.get("context", 0.0)


def _probability(hit: Hit, lead: float, model: Model) -> float:
    return round(model.probability({**hit.features, "lead": lead}), 4)


def leads(hits: Sequence[Hit]) -> list[float]:
    """Return how far each hit is ahead of the best other one: an item far ahead of all others is more likely meant."""
    scores = [hit.score for hit in hits] + [0.0, 0.0]
    return [score - (scores[1] if n == 0 else scores[0]) for n, score in enumerate(scores[:-2])]
