"""Evidence of the item's existing claims: one of its formulas agrees with the concept, or none does."""

import math
from functools import lru_cache

from bot.discover.candidate_filters import keys_of
from bot.match.features.agreement import equivalent, variant
from bot.match.features.candidate_pair import CandidatePair, Features
from bot.messages import Message
from bot.records import Evidence

# How sure each relation of one concept is.
RELATION_WEIGHTS = {"identical": 1.0, "typographic": 1.0, "notation": 0.95, "rearranged": 0.8, "renamed": 0.6}


def same_formula(pair: CandidatePair) -> Evidence | None:
    """A formula that the item holds is this one, and long enough to tell."""
    tex = pair.view.concept.tex
    found = [comparison for other in formulas_of(pair) if (comparison := equivalent(tex, other))]
    best = max(
        found, key=lambda each: (RELATION_WEIGHTS.get(each.relation, 0.0), each.relation, each.note), default=None
    )
    score = RELATION_WEIGHTS.get(best.relation, 0.0) * informativeness(tex) if best else 0.0
    if not best or not score:
        return None
    return Evidence.of("same_formula.note", score, relation=Message(f"relation.{best.relation}"), note=best.message)


def variant_formula(pair: CandidatePair) -> Evidence | None:
    """A formula that the item holds is a special case or variant of this one."""
    for tex in formulas_of(pair):
        found = variant(pair.view.concept.tex, tex)
        if found and not found.loose:
            return Evidence.of("variant_formula.note", informativeness(tex), note=found.message)
    return None


def other_formula(pair: CandidatePair) -> Evidence | None:
    """The item has formulas, and this is none of them."""
    formulas = formulas_of(pair)
    if not formulas or same_formula(pair) or variant_formula(pair):
        return None
    return Evidence.of("other_formula.n", 1.0, n=len(formulas))


EXISTING_CLAIM_FEATURES: Features = (same_formula, variant_formula, other_formula)


def formulas_of(pair: CandidatePair) -> tuple[str, ...]:
    """Return the formulas that the item holds: values of the property that the view was made for, deprecated ones aside."""
    return tuple(statement.value for statement in pair.item.live_statements(pair.formula_property))


@lru_cache(maxsize=100_000)
def informativeness(tex: str) -> float:
    """Return how much an equality of this formula says: x = y next to nothing, twelve symbols all there is."""
    if (found := keys_of(tex)) is None:
        return 0.0
    return min(1.0, math.log2(found.leaves) / math.log2(12)) if found.leaves > 2 else 0.2
