"""Evidence of the built-in list: it has the formula for the item, or certainly for another item."""

import math

from bot.match.builtin import shown_id
from bot.match.features.candidate_pair import MIN_RECOGNITION, CandidatePair, Features
from bot.match.features.canonical_definition import is_any, is_defining, is_first
from bot.match.features.existing_claims import same_formula
from bot.match.retrieval.contextual import MIN_SHARE
from bot.records import Evidence

SURE = 0.7  # probability from which what it recognises speaks against other items: of 42 judged pairs that it spoke against, 2 were accepted
# Forms of an entry after which a later one says no more: of judged pairs with the second or third form .60 were accepted, with the fourth or fifth .32, with later ones .27.
LATE_FORM = 5
# Codes of how the formula of the built-in list meets the one at hand, by the strictest key that both share.
_HOW = {**dict.fromkeys(("K0", "K1", "K2"), "same"), "": "like"}


def handbook(pair: CandidatePair) -> Evidence | None:
    """The built-in list has such a formula for the item: what it recognises, by its probability."""
    hit = pair.recognition
    if hit is None:
        return None
    if pair.view.known.is_own(hit.qid, hit.formula):
        return Evidence.of("handbook.own", round(hit.probability, 4), tex=hit.formula)
    code = _HOW.get(hit.level, hit.level)
    values = {} if code == "same" else {"tex": hit.formula}
    return Evidence.of(f"handbook.{code}", round(hit.probability, 4), **values)


def listed_share(pair: CandidatePair) -> Evidence | None:
    """Of all concepts that the built-in list may have for it, this is the one: on a logarithmic scale, since the surest are much alike."""
    hit = next((hit for hit in pair.view.recognised if pair.is_builtin(hit.qid)), None)
    score = 1 - hit.score / math.log(MIN_SHARE) if hit else 0.0
    if hit is None or score <= 0:
        return None
    return Evidence.of("listed_share.percent", round(score, 4), percent=f"{math.exp(hit.score):.0%}")


def listed_later(pair: CandidatePair) -> Evidence | None:
    """It is a later form of the built-in list's entry: derived, or of a case, the more so the later."""
    hit = pair.recognition
    if hit is None or pair.view.known.is_own(hit.qid, hit.formula) or is_first(pair):
        return None
    rank = pair.view.known.formulas(hit.qid).index(hit.formula)
    score = hit.probability * min(1.0, rank / LATE_FORM)
    return Evidence.of("listed_later.nth", round(score, 4), n=rank + 1) if score else None


def listed_about(pair: CandidatePair) -> Evidence | None:
    """The built-in list has it as a formula about the item that does not define it, or may not, and it agrees with none that does."""
    hit = pair.recognition
    if hit is None or hit.formula in pair.view.known.defining_formulas(hit.qid) or is_defining(pair):
        return None
    code = "doubtful" if pair.view.known.is_doubtful(hit.qid, hit.formula) else "not_defining"
    return Evidence.of(f"listed_about.{code}", round(hit.probability, 4), tex=hit.formula)


def handbook_other(pair: CandidatePair) -> Evidence | None:
    """The built-in list has this formula for another concept, and none like it for this one."""
    first = next(iter(pair.view.recognised), None)
    if first is None or first.probability < SURE:
        return None
    near = {hit.qid for hit in pair.view.recognised if hit.probability >= MIN_RECOGNITION}
    if (  # the names first: comparing takes longer
        any(pair.is_builtin(qid) for qid in near | pair.view.known.related.get(first.qid, frozenset()))
        or same_formula(pair)
        or is_any(pair)
    ):
        return None
    label = pair.view.known.label(first.qid)
    code = "own" if pair.view.known.is_own(first.qid, first.formula) else "known"
    return Evidence.of(f"handbook_other.{code}", round(first.probability, 4), label=label, qid=shown_id(first.qid))


BUILTIN_LIST_FEATURES: Features = (handbook, listed_share, listed_later, listed_about, handbook_other)
