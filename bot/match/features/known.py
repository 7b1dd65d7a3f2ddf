"""What the handbook says of a formula and an item: textbooks write the item's formula so, or they write another's so."""

from __future__ import annotations

from collections.abc import Callable

from bot.match.features.candidate_pair import CandidatePair
from bot.match.features.canonical_definition import is_first
from bot.match.features.existing_claims import same_formula
from bot.match.retrieval.known_concepts import concepts
from bot.records import Evidence

FAINT = 0.1  # probability below which what the handbook recognises says nothing
SURE = 0.7  # probability from which what it recognises speaks against other items
# How the handbook's formula meets the one at hand, by the strictest key that both share; the formula itself follows where they differ.
_SAME = "the handbook writes it the same way"
_HOW = {
    "K0": _SAME,
    "K1": _SAME,
    "K2": _SAME,
    "K3": "the handbook writes it so, with other scripts, arguments or vector marks",
    "K4": "the handbook writes it rearranged, or in other units",
    "K5": "the handbook writes it with other symbols",
    "K6": "the handbook writes a formula of the same shape",
    "": "the handbook writes one much like it",
}


def handbook(pair: CandidatePair) -> Evidence | None:
    """Textbooks write the item's formula so: what the handbook recognises, by its probability."""
    hit = next((hit for hit in pair.view.recognised if pair.is_of_handbook(hit.qid)), None)
    if hit is None or hit.probability < FAINT:
        return None
    how = _HOW[hit.level]
    return Evidence("handbook", round(hit.probability, 4), how if how == _SAME else f"{how}: {hit.formula}")


def handbook_other(pair: CandidatePair) -> Evidence | None:
    """Textbooks write another concept so, and not this one."""
    first = next(iter(pair.view.recognised), None)
    if first is None or first.probability < SURE:
        return None
    near = {hit.qid for hit in pair.view.recognised if hit.probability >= FAINT}
    if (
        same_formula(pair)
        or is_first(pair)
        or any(pair.is_of_handbook(qid) for qid in near | concepts().related.get(first.qid, frozenset()))
    ):
        return None
    label = concepts().label(first.qid)
    return Evidence("handbook_other", round(first.probability, 4), f"the handbook knows it as {label} ({first.qid})")


KNOWN: tuple[Callable[[CandidatePair], Evidence | None], ...] = (handbook, handbook_other)
