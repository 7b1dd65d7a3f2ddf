"""Evidence of people: answers of reviewers about formulas without item, and removals of claims from the same documents by other editors."""

from bot.claim_outcomes import wilson_interval
from bot.match.features.candidate_pair import CandidatePair, Features
from bot.records import Evidence


def decided(pair: CandidatePair) -> Evidence | None:
    """A person named this item, which outweighs all other evidence (1); or refused it (-1)."""
    answer = pair.view.answer
    if answer is None:
        return None
    if answer.answer == "item":
        return Evidence.of("decided.item", 1.0, day=answer.day) if answer.qid == pair.item.qid else None
    if answer.answer == "no_concept" or pair.item.qid in answer.offered:
        return Evidence.of(f"decided.{answer.answer}", -1.0, day=answer.day)
    return None


def removed_source(pair: CandidatePair) -> Evidence | None:
    """Others removed or corrected what rested on these documents: the least share that their number makes likely.

    It is the lower end of Wilson's interval of 95 % (.21 for 1 of 1, .44 for 3 of 3), times the share of the formula's
    documents that this is said of.
    """
    documents = {one.document.id for one in pair.view.occurrences}
    found = [pair.view.removed[each] for each in documents & pair.view.removed.keys()]
    removed, written = sum(k for k, _ in found), sum(n for _, n in found)
    if not removed:
        return None
    share = sum(k > 0 for k, _ in found) / len(documents)
    value = round(wilson_interval(removed, written)[0] * share, 4)
    return Evidence.of("removed_source.n", value, removed=removed, written=written)


DECISION_FEATURES: Features = (decided, removed_source)
