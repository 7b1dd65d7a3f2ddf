"""What the built-in list says of a formula and an item: it has the formula for the item, or surely for another one."""

from __future__ import annotations

from collections.abc import Callable

from bot.match.features.candidate_pair import FAINT, CandidatePair
from bot.match.features.canonical_definition import is_any
from bot.match.features.existing_claims import same_formula
from bot.records import Evidence

SURE = 0.7  # probability from which what it recognises speaks against other items: of 42 judged pairs that it spoke against, 2 were accepted
# Codes of how the formula of the built-in list meets the one at hand, by the strictest key that both share.
_HOW = {**dict.fromkeys(("K0", "K1", "K2"), "same"), "": "like"}


def handbook(pair: CandidatePair) -> Evidence | None:
    """The built-in list has such a formula for the item: what it recognises, by its probability."""
    hit = pair.recognition
    if hit is None:
        return None
    if pair.view.known.is_own(hit.qid, hit.formula):
        return Evidence.of("handbook.own", round(hit.probability, 4), tex=hit.formula)
    how = _HOW.get(hit.level, hit.level)
    values = {} if how == "same" else {"tex": hit.formula}
    return Evidence.of(f"handbook.{how}", round(hit.probability, 4), **values)


def handbook_other(pair: CandidatePair) -> Evidence | None:
    """The built-in list has this formula for another concept, and none like it for this one."""
    first = next(iter(pair.view.recognised), None)
    if first is None or first.probability < SURE:
        return None
    near = {hit.qid for hit in pair.view.recognised if hit.probability >= FAINT}
    if (
        same_formula(pair)
        or is_any(pair)
        or any(pair.is_builtin(qid) for qid in near | pair.view.known.related.get(first.qid, frozenset()))
    ):
        return None
    label = pair.view.known.label(first.qid)
    how = "own" if pair.view.known.is_own(first.qid, first.formula) else "known"
    return Evidence.of(f"handbook_other.{how}", round(first.probability, 4), label=label, qid=first.qid)


KNOWN: tuple[Callable[[CandidatePair], Evidence | None], ...] = (handbook, handbook_other)
