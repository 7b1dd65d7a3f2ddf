"""What can be reconciled: the items with their names, classes and formulas, and the candidates for a formula, a name or both."""

import re
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from rapidfuzz import fuzz, process

from bot.discover.formula_search import is_formula
from bot.items_file import ItemRow
from bot.match.builtin import Concept, builtin_formulas, entry_for_item
from bot.match.item_labels import fold
from bot.match.retrieval.context import ItemNames
from bot.match.retrieval.recognise import Hit, Recogniser
from bot.wikibase import ITEM_ID

ANY_TYPE = "item"  # the id of the type that every item has
_ENTITY = re.compile(rf"(?:https?://\S+/)?({ITEM_ID})")  # an id, or the address of an item
_SAME = ("K0", "K1", "K2")  # levels at which two formulas say the same in the same letters
_FEWEST = 10  # hits asked for: whether a rival is near is seen among these
_NEAR = 80.0  # chosen: least likeness in per cent of a name spelled otherwise; “Hook law” has 84 of “Hooke's law”
_WORD = re.compile(r"(?<=[\s(-])\b")  # where a further word of a name starts
Strictness = Literal["any", "should", "all"]


@dataclass(frozen=True, slots=True)
class ReconciliationRequest:
    """One query: a text that is a formula or a name, further formulas in TeX, further names, classes."""

    text: str = ""
    formulas: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    strict: Strictness = "any"
    limit: int = 10


@dataclass(frozen=True, slots=True)
class ReconciliationCandidate:
    """An item that may be meant; `probability` from 0 to 1, `sure` where recognition accepts it."""

    qid: str
    probability: float
    sure: bool
    features: Mapping[str, bool | float]


class KnownItems:
    """Items as an index, made once; asked from several threads. `builtin` is the list beside the items, empty for none."""

    def __init__(self, rows: Iterable[ItemRow], builtin: Mapping[str, Concept] | None = None) -> None:
        self.rows: dict[str, ItemRow] = {}
        for row in rows:
            if not row.get("redirect"):
                self.rows.setdefault(row["qid"], row)
        listed = list(self.rows.values())
        self._recogniser, self._lock = Recogniser(listed, book=builtin), threading.Lock()
        self._qids, self._names = list(self.rows), ItemNames(listed)
        self._builtin = builtin_formulas() if builtin is None else builtin
        self._spelled = [(fold(name), qid) for qid in self.rows for name in (self.name(qid), *self.aliases(qid))]
        starts = [(name, 0, qid) for name, qid in self._spelled]
        starts += [(name[at.start() :], at.start(), qid) for name, qid in self._spelled for at in _WORD.finditer(name)]
        self._starts = sorted(starts)
        self.classes = Counter(one for row in listed for one in dict.fromkeys(row.get("instance_of") or ()))

    def name(self, qid: str) -> str:
        """Return the label, or the id of what has none here, as classes often have not."""
        row = self.rows.get(qid)
        return (row.get("label") if row else "") or qid

    def aliases(self, qid: str) -> Sequence[str]:
        return self.rows[qid].get("aliases") or ()

    def formulas(self, qid: str) -> list[str]:
        """Return what the items file and the workspace hold; the built-in list is not a source and not among it."""
        return [tex for tex in self.rows[qid].get("formulas") or () if tex.strip()]

    def builtin_formulas_of(self, qid: str) -> Sequence[str]:
        """Return what the built-in list has of the item, by which it may have been recognised."""
        concept = entry_for_item(qid, (self.name(qid), *self.aliases(qid)), self._builtin)
        return concept.formulas if concept else ()

    def types(self, qid: str) -> Sequence[str]:
        return self.rows[qid].get("instance_of") or ()

    def starting(self, prefix: str) -> list[str]:
        """Return the items of which a name starts so, the shortest name first, then those with a further word that does.

        An id is its item; where no name starts so, the candidates of the text as a formula, or as a name spelled otherwise.
        """
        text = fold(prefix)
        found: dict[str, tuple[bool, int]] = dict.fromkeys(self._by_id(prefix), (False, 0))
        for name, at, qid in islice(self._starts, bisect_left(self._starts, (text,)), None):
            if not text or not name.startswith(text):
                break
            found[qid] = min((at > 0, at + len(name)), found.get(qid, (True, at + len(name))))
        if not found and text:
            return [one.qid for one in self.candidates([ReconciliationRequest(prefix)])[0]]
        return sorted(found, key=lambda qid: (found[qid], qid))

    def candidates(self, requests: Sequence[ReconciliationRequest]) -> list[list[ReconciliationCandidate]]:
        """Return the candidates of each query, best first; each query is answered alone."""
        formulas = [one.formulas or ((one.text,) if is_formula(one.text) else ()) for one in requests]
        texts = [
            "\n".join((*((one.text,) if one.text and one.text not in own else ()), *one.names))
            for one, own in zip(requests, formulas, strict=True)
        ]
        rows = [(n, tex) for n, own in enumerate(formulas) for tex in own]
        most = max(_FEWEST, *(one.limit for one in requests)) if requests else 0
        with self._lock:
            hits = self._recogniser.all_hits([tex for _, tex in rows], most, [texts[n] for n, _ in rows])
        recognised: list[list[list[Hit]]] = [[] for _ in requests]
        for (n, _), found in zip(rows, hits, strict=True):
            recognised[n].append(found)
        return [self._answer(one, found) for one, found in zip(requests, recognised, strict=True)]

    def _answer(
        self, request: ReconciliationRequest, recognised: Sequence[Sequence[Hit]]
    ) -> list[ReconciliationCandidate]:
        """A formula carries the answer and the name beside it was weighed with it; names alone answer where no formula does."""
        ids = self._by_id(request.text)
        found: dict[str, tuple[float, bool, dict[str, bool | float]]] = {qid: (1.0, True, {"id": True}) for qid in ids}
        named = self._named((request.text, *request.names))
        firsts = {hits[0].qid for hits in recognised if hits}
        for hits in recognised if not ids else ():
            least = 1.0
            for n, hit in enumerate(hits):
                least = min(least, hit.probability)  # the order is recognition's, and scores go down with it
                sure = n == 0 and len(firsts) == 1 and round(hit.probability, 4) >= self._recogniser.ranker.accept
                sure = sure and not (named and hit.qid not in named)
                features: dict[str, bool | float] = {"formula": round(least, 4), "same_formula": hit.level in _SAME}
                if hit.qid not in found or found[hit.qid][0] < least:
                    found[hit.qid] = (least, sure, features)
        if not found:
            named = named or self._similarly_named((request.text, *request.names))
            found = {qid: (score, False, {}) for qid, score in named.items()}
        elif not request.formulas:  # the text is a formula, and may be an item's name as well
            for qid, score in self._named((request.text,)).items():
                before = found.get(qid, (0.0, False, {}))
                found[qid] = (max(score, before[0]), before[1], before[2])
        candidates = []
        for qid, (probability, sure, features) in found.items():
            features = features | ({"name": round(named[qid], 4)} if qid in named else {})
            candidates.append(ReconciliationCandidate(qid, probability, sure, features))
        candidates = [
            one for one in map(lambda one: self._of_type(one, request.types, request.strict), candidates) if one
        ]
        return sorted(candidates, key=lambda one: (-one.probability, not one.sure))[: request.limit]

    def _by_id(self, text: str) -> list[str]:
        matched = _ENTITY.fullmatch(text.strip())
        return [matched[1]] if matched and matched[1] in self.rows else []

    def _named(self, names: Collection[str]) -> dict[str, float]:
        """Return the items with one of the names: how near the spelling is, shared among namesakes."""
        found: dict[str, float] = {}
        for name in filter(None, names):
            score_of = self._names.items_named(fold(name))
            for item, score in score_of.items():
                share = score / sum(other >= score for other in score_of.values())
                found[self._qids[item]] = max(share, found.get(self._qids[item], 0.0))
        return found

    def _similarly_named(self, names: Collection[str]) -> dict[str, float]:
        """Return the items with a name spelled nearly so, with how nearly, from 0 to 1."""
        found: dict[str, float] = {}
        spelled = [name for name, _ in self._spelled]
        for name in names:
            if not fold(name) or _ENTITY.fullmatch(name.strip()):
                continue
            for _, likeness, at in process.extract(
                fold(name), spelled, scorer=fuzz.ratio, limit=_FEWEST, score_cutoff=_NEAR
            ):
                qid = self._spelled[at][1]
                found[qid] = max(likeness / 100, found.get(qid, 0.0))
        return found

    def _of_type(
        self, one: ReconciliationCandidate, types: Collection[str], strict: Strictness
    ) -> ReconciliationCandidate | None:
        """Return a candidate with what its classes say; None where they are known and others than asked for."""
        required = set(types) - {ANY_TYPE}
        if not required:
            return one
        own = set(self.types(one.qid))
        fits = required <= own if strict == "all" else bool(required & own)
        if not fits and own and strict != "should":
            return None
        return ReconciliationCandidate(one.qid, one.probability, one.sure and fits, {**one.features, "type": fits})
