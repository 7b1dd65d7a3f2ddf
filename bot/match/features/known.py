"""What the built-in list says of a formula and an item: textbooks write the item's formula so, or they write another's so."""

from __future__ import annotations

from collections.abc import Callable

from bot.match.features.candidate_pair import CandidatePair
from bot.match.features.canonical_definition import is_first
from bot.match.features.existing_claims import same_formula
from bot.records import Evidence

FAINT = 0.1  # probability below which what the built-in list recognises says nothing
SURE = 0.7  # probability from which what it recognises speaks against other items
# Codes of how the formula of the built-in list meets the one at hand, by the strictest key that both share.
_HOW = {**dict.fromkeys(("K0", "K1", "K2"), "same"), "": "like"}


def handbook(pair: CandidatePair) -> Evidence | None:
    """Textbooks write the item's formula so: what the built-in list recognises, by its probability."""
    hit = next((hit for hit in pair.view.recognised if pair.is_builtin(hit.qid)), None)
    if hit is None or hit.probability < FAINT:
        return None
    how = _HOW.get(hit.level, hit.level)
    values = {} if how == "same" else {"tex": hit.formula}
    return Evidence.of(f"handbook.{how}", round(hit.probability, 4), **values)


def handbook_other(pair: CandidatePair) -> Evidence | None:
    """Textbooks write another concept so, and not this one."""
    first = next(iter(pair.view.recognised), None)
    if first is None or first.probability < SURE:
        return None
    near = {hit.qid for hit in pair.view.recognised if hit.probability >= FAINT}
    if (
        same_formula(pair)
        or is_first(pair)
        or any(pair.is_builtin(qid) for qid in near | pair.view.known.related.get(first.qid, frozenset()))
    ):
        return None
    label = pair.view.known.label(first.qid)
    return Evidence.of("handbook_other.known", round(first.probability, 4), label=label, qid=first.qid)


KNOWN: tuple[Callable[[CandidatePair], Evidence | None], ...] = (handbook, handbook_other)
