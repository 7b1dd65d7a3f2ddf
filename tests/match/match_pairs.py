"""Small pairs to judge: one concept in one place, one item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.discover.cues.prose import prose_cues
from bot.match.features.candidate_pair import CandidatePair, ConceptOccurrence, ConceptView
from bot.match.model import shipped_model
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.match.score import CompetingFormulas, Judge, Scored, naming_strength, with_probabilities
from bot.records import (
    Definition,
    Document,
    Evidence,
    FormulaConcept,
    Item,
    NameCandidate,
    NameHint,
    Occurrence,
    Statement,
)

PROPERTY = "P1"


def item(label: str, *, qid: str = "Q1", formulas: Sequence[str] = (), **more: Any) -> Item:
    standing = tuple(Statement(f"{qid}${n}", PROPERTY, tex) for n, tex in enumerate(formulas))
    return Item(qid, label, statements=standing, **more)


def pair(
    tex: str, about: Item, *places: ConceptOccurrence, names: Sequence[str] = (), documents: int = 1
) -> CandidatePair:
    found = tuple(NameCandidate(name, 0.9 / (1 + n)) for n, name in enumerate(names))
    concept = FormulaConcept("key", tex, max(1, len(places)), documents, names=found)
    return CandidatePair(
        ConceptView(concept, places, builtin_concepts(), builtin_concepts().recogniser.hits(tex)), about, PROPERTY
    )


def place(
    window: str = "⟦3⟧",
    *,
    title: str = "",
    kind: str = "encyclopaedia",
    rank: int = 0,
    hints: Sequence[tuple[str, str]] = (),
    definitions: Sequence[tuple[str, str]] = (),
    **more: Any,
) -> ConceptOccurrence:
    """Put a formula, number 3 of its document, into a window; the prose around it is read as mining reads it."""
    document = more.pop("document", title or "document")
    found = [(kind, name) for name, kind in prose_cues(window, 3, "", {})]
    occurrence = Occurrence(
        document,
        3,
        "",
        more.pop("display", True),
        window,
        hints=tuple(NameHint(*hint) for hint in hints),
        definitions=tuple(Definition(*each) for each in definitions),
        cues=tuple(NameHint(kind, name) for kind, name in (*hints, *found)),
        **more,
    )
    return ConceptOccurrence(occurrence, Document(document, title, kind=kind), rank)


def evidence_for(judged: CandidatePair) -> tuple[Evidence, ...]:
    """Return everything there is to say about one pair by itself."""
    ((found,),) = Judge({}).evidence([[judged]])
    return found


def with_rivals(rows: Sequence[Scored]) -> list[Scored]:
    """Add what other names of the concept and other formulas of the item say."""
    rivals = CompetingFormulas()
    for row in rows:
        rivals.add(row.pair, naming_strength(row.evidence))
    return rivals.with_competitors(rows, Judge({}))


def scored(*pairs: CandidatePair) -> list[Scored]:
    """Judge pairs, each by itself and then in the light of the others."""
    rows = [Scored(each, found) for each in pairs if (found := evidence_for(each))]
    return with_probabilities(with_rivals(rows), shipped_model("matching"))
