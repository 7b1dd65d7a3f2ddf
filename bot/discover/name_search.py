"""Search by name (Method 1 of the paper): the formulas of the corpus that are likely representations of a concept."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from bot.discover.candidate_filters import keys_of
from bot.discover.phrases import fold
from bot.discover.stored_concepts import load_concepts
from bot.discover.stored_occurrences import ShownPlace, shown_places
from bot.formula import compare, identifiers
from bot.formula.alignment.equivalence_evidence import (
    NoPriorKnowledge,
    PriorKnowledge,
    feature_values,
    nearest_alignment,
    shipped_weights,
)
from bot.formula.alignment.templates import Templates
from bot.records import FormulaConcept, Item
from bot.settings import Settings
from bot.store import Workspace

MAX_RESULTS = 50
# The scores only order what a search shows; set by hand, with “ideal gas law” over textbook and encyclopaedia as the example.
_FORMULA = 0.6  # how far an equal formula of the item closes the gap to certainty, at its strictest level
_LEVELS = {"K0": 1.0, "K1": 1.0, "K2": 0.95, "K3": 0.8, "K4": 0.6, "K5": 0.5, "K6": 0.1}
_PART = 0.5  # a name that only holds the wanted one, or is held by it
_STRICT = ("K0", "K1", "K2", "K3", "K4")
_RECOGNISED = 0.5  # how far being recognised as the concept, with certainty, closes the gap
_RENAMED_LEAVES = 8  # below this, equality after renaming means nothing
_MIN_SCORE = 0.05  # a score above which a formula is shown
_LETTERS = 0.5  # of a known formula's letters, to be compared with it


@dataclass(frozen=True, slots=True)
class KnownConcept:
    """What is known of the wanted concept beyond its name: more names, formulas, and how likely a formula is recognised as it."""

    names: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    recognised: Callable[[str], float] | None = None
    knowledge: PriorKnowledge | None = None


class FoundFormula(TypedDict):
    """A formula of the corpus as `find_by_name` shows it, with the sentence and the document of its first place."""

    tex: str
    key: str
    level: str  # at which it equals a formula of the concept, "" where it equals none
    score: float
    sentence: str
    document: str
    title: str
    url: str


def find_by_name(
    workspace: Workspace, name: str, item: Item | None, settings: Settings, concept_known: KnownConcept | None = None
) -> list[FoundFormula]:
    """Return formulas that are likely representations of the concept, best first."""
    known = concept_known or KnownConcept()
    names = (name, *((item.label, *item.aliases) if item else ()), *known.names)
    folded_names = {fold(each) for each in names} - {""}
    own = [s.value for s in item.statements if s.property == settings.wiki.properties.defining_formula] if item else []
    yardstick = _ConceptFormulas(
        [tex for tex in dict.fromkeys([*own, *known.formulas]) if tex], known.knowledge or NoPriorKnowledge()
    )
    scored = []
    for concept in load_concepts(workspace):
        level = yardstick.level(concept)
        score = _score(concept, folded_names, level)
        if known.recognised and (score or yardstick.near(concept.tex)):
            score = round(score + (1 - score) * _RECOGNISED * known.recognised(concept.tex), 4)
        if score > _MIN_SCORE:
            scored.append((score, concept, level))
    scored.sort(key=lambda row: (-row[0], row[1].key))
    return list(_rows(workspace, scored[:MAX_RESULTS]))


def _rows(workspace: Workspace, best: Sequence[tuple[float, FormulaConcept, str]]) -> Iterator[FoundFormula]:
    shown = shown_places(workspace, [concept.places[0] for _, concept, _ in best if concept.places])
    for score, concept, level in best:
        place = shown.get(next(iter(concept.places), ("", 0)), ShownPlace())
        yield FoundFormula(
            tex=concept.tex,
            key=concept.key,
            level=level,
            score=score,
            sentence=place.sentence,
            document=place.document,
            title=place.title,
            url=place.url,
        )


def _score(concept: FormulaConcept, folded_names: set[str], level: str) -> float:
    score = 0.0
    for candidate in concept.names:
        key = fold(candidate.name)
        if key in folded_names:
            score = max(score, candidate.score)
        elif any(f" {key} " in f" {w} " or f" {w} " in f" {key} " for w in folded_names):
            score = max(score, candidate.score * _PART)
    if level:
        score = score + (1 - score) * _FORMULA * _LEVELS[level]
    return round(score, 4)


class _ConceptFormulas:
    """The concept's formulas, by which those of the corpus are measured: by key, by what they state, by comparison where letters agree."""

    def __init__(self, formulas: Sequence[str], knowledge: PriorKnowledge) -> None:
        self.formulas = formulas
        self.knowledge = knowledge
        self.letters = [set(identifiers(tex)) for tex in formulas]
        self.keys = {tex: found for tex in formulas if (found := keys_of(tex))}
        self.templates = Templates().fit(())

    def level(self, concept: FormulaConcept) -> str:
        """Return the strictest level at which any spelling equals a formula; "" if none does."""
        if not self.formulas:
            return ""
        spellings = [concept.tex, *[r.tex for r in concept.representations if r.level > "K2"]]
        return min(filter(None, map(self._level, dict.fromkeys(spellings))), default="")

    def _level(self, tex: str) -> str:
        own = keys_of(tex)
        if own is None:
            return ""
        for level in _STRICT:
            if any(own.at(level) == other_keys.at(level) for other_keys in self.keys.values()):
                return level
        near = self.near(tex)
        long = own.leaves >= _RENAMED_LEAVES
        renamed = long and any(other in self.keys and own.K5 == self.keys[other].K5 for other in near)
        if renamed or any(self._states(tex, other) for other in near):
            return "K5"
        found = [c.level for c in (compare(tex, other) for other in near) if c.level and c.same_concept]
        return min(found, default="")

    def near(self, tex: str) -> list[str]:
        """Return the concept's formulas of which a formula has letters enough."""
        own = set(identifiers(tex))
        pairs = zip(self.formulas, self.letters, strict=True)
        return [
            other
            for other, other_letters in pairs
            if other_letters and len(own & other_letters) >= _LETTERS * len(own | other_letters)
        ]

    def _states(self, tex: str, other: str) -> bool:
        found = nearest_alignment(tex, other, self.knowledge)
        if found is None or found[0].sign_differs or found[0].constants_differ or found[0].conflicting_labels:
            return False
        weights = shipped_weights()
        return weights.probability(feature_values(*found, self.templates, 0.0, 0.0)) >= weights.threshold
