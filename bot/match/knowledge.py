"""What is known beyond a corpus, for discover: letters usual for one quantity, concepts that two formulas may both be of, and names.

Discover comes before match and cannot import it: who puts the stages together hands this to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from bot.discover.builtin_names import BuiltinFormulas, KnownName
from bot.match.builtin import shown_id
from bot.match.builtin.workspace_formulas import knowledge_version
from bot.match.item_labels import fold
from bot.match.retrieval.quantities import left_symbol, same_quantity, usual_symbols
from bot.messages import Message
from bot.result_cache import ResultCache
from bot.settings import Settings
from bot.store import Workspace

if TYPE_CHECKING:
    from bot.match.retrieval.known_concepts import ConceptIndex
    from bot.match.retrieval.recognise import Hit

LIKELY = 0.5  # probability from which what is recognised is a name
NAMING_HITS = 3  # hits looked at: parts and wholes share their probability


def _builtin() -> ConceptIndex:
    from bot.match.retrieval.known_concepts import builtin_concepts

    return builtin_concepts()


class Knowledge(BuiltinFormulas):
    """The table of symbols and the known concepts; these are read, and the libraries of their index loaded, when they are first asked."""

    def __init__(
        self, load_index: Callable[[], ConceptIndex] = _builtin, version: Callable[[], str] | None = None
    ) -> None:
        self._known, self._version = cache(load_index), version
        self._likelihood = lru_cache(maxsize=8192)(self._shared_concept_probability)

    @classmethod
    def of(cls, workspace: Workspace, settings: Settings) -> Knowledge:
        """Return what a workspace knows under its settings."""

        def load_index() -> ConceptIndex:
            from bot.match.retrieval.known_concepts import known_concepts

            return known_concepts(workspace, settings)

        return cls(load_index, lambda: knowledge_version(workspace, settings))

    def version(self) -> str | None:
        return self._version() if self._version else None

    def are_usual_letters(self, one: str, other: str) -> bool:
        return same_quantity(one, other)

    def is_name_unusual(self, name: str, formula: str) -> bool:
        left, symbols = left_symbol(formula), usual_symbols(fold(name))
        return bool(left and symbols) and left not in symbols

    def shared_concept_probability(self, a: str, b: str) -> float:
        return self._likelihood(a, b)

    def begin_names(self, formulas: Sequence[str], results: ResultCache) -> None:
        """Have other processes recognise formulas whose `names` are asked for next."""
        from bot.match.blocks.cached_recognition import begin_recognition

        begin_recognition(formulas, self._known(), self.version() or "", results)

    def names(self, formulas: Sequence[str], results: ResultCache) -> list[list[KnownName]]:
        """Return for each formula the labels of the known concepts recognised in it, the likeliest first."""
        from bot.match.blocks.cached_recognition import recognise_cached

        index = self._known()
        return [
            [_name(hit, index) for hit in hits[:NAMING_HITS] if hit.probability >= LIKELY and index.label(hit.qid)]
            for hits in recognise_cached(formulas, index, self.version() or "", results)
        ]

    def _shared_concept_probability(self, a: str, b: str) -> float:
        found = self._known().shared_concept(a, b)
        return found.probability if found else 0.0


def _name(hit: Hit, index: ConceptIndex) -> KnownName:
    if index.is_own(hit.qid, hit.formula):
        return KnownName(index.label(hit.qid), hit.probability, Message("cue.own_formula", qid=hit.qid))
    code = "same" if hit.level and hit.level <= "K4" else "like"
    return KnownName(index.label(hit.qid), hit.probability, Message(f"cue.builtin_{code}", qid=shown_id(hit.qid)))
