"""What a person has said of a formula without item: which item it is, that none of those offered is it, or that it is no concept."""

from __future__ import annotations

from collections.abc import Callable

from bot.match.features.candidate_pair import CandidatePair
from bot.records import Evidence


def decided(pair: CandidatePair) -> Evidence | None:
    """A person named this item, which outweighs all other evidence (1); or refused it (-1)."""
    said = pair.view.answer
    if said is None:
        return None
    if said.answer == "item":
        return Evidence.of("decided.item", 1.0, day=said.day) if said.qid == pair.item.qid else None
    if said.answer == "no_concept" or pair.item.qid in said.offered:
        return Evidence.of(f"decided.{said.answer}", -1.0, day=said.day)
    return None


DECIDED: tuple[Callable[[CandidatePair], Evidence | None], ...] = (decided,)
