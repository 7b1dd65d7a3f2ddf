"""Existing formulas that are surely another concept's, for the Mismatch Finder.

Another formula on an item is seldom a wrong one: it has other letters, is a chain, a special case, another form of the concept. So a value counts
only where the built-in formula list knows it, as a formula of another concept, and nothing ties it to this item.
"""

import re
from collections.abc import Iterator

from bot.errors import FormulaError
from bot.formula import keys
from bot.formula.features.canonical_tokens import identifiers
from bot.match.builtin import Concept, builtin_formulas, entry_for_item
from bot.match.features.agreement import equivalent
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.records import Item, Proposal, Statement

KNOWN_AS = 0.9  # probability from which the list knows what a formula is
LEVEL = "K2"  # the loosest key at which it must hold that formula itself: scripts tell concepts apart
TOKEN_ELEMENTS = 6  # shorter formulas coincide: G = 1/R is a conductance and also a part of what defines the admittance
MAX_OTHER_PROBABILITY = 0.02  # probability below which a concept does not come into question
_WORD = re.compile(r"\\(?:math(?:rm|it|sf|bf)|operatorname\*?|text\w*)\s*\{\s*([^{}]*?)\s*\}")


def mismatches(proposal: Proposal, item: Item, property_id: str) -> Iterator[Statement]:
    """Yield the item's live statements whose formula is surely another concept's, where the proposed one is surely the item's."""
    concept = entry_for_item(item.qid, (item.label, *item.aliases), builtin_formulas())
    if concept is None or not any(equivalent(proposal.tex, tex) for tex in concept.defining):
        return
    for statement in item.live_statements(property_id):
        if another_concepts(statement.value, concept, proposal.tex):
            yield statement


def another_concepts(value: str, concept: Concept, source: str) -> bool:
    """Say whether a formula is surely not this concept's.

    All of these hold: the list holds the formula itself (K0 to K2, six leaves or more) for another concept, with probability .9; this concept does
    not come into question for it, nor shares a formula with the other one; and the formula agrees with none of the concept's formulas, has no key in
    common with any, and no letter either: what is about other quantities altogether cannot be a special case or a step towards them.
    """
    own = (*concept.formulas, source)
    try:
        if keys(value).leaves < TOKEN_ELEMENTS or _letters(value) & set().union(*map(_letters, own)):
            return False
    except FormulaError:
        return False
    return _is_of_another(value, concept) and not any(equivalent(value, tex) for tex in own)


def _is_of_another(value: str, concept: Concept) -> bool:
    hits = builtin_concepts().recogniser.hits(value)
    if not hits or not hits[0].level or hits[0].level > LEVEL or hits[0].probability < KNOWN_AS:
        return False
    near = {hit.qid for hit in hits if hit.probability >= MAX_OTHER_PROBABILITY} | builtin_concepts().related.get(
        hits[0].qid, frozenset()
    )
    return concept.qid not in near


def _letters(tex: str) -> frozenset[str]:
    """Return a formula's letters, those of its words too: MSE is written as a word here and as M S E there."""
    return frozenset(identifiers(tex)).union(*(word for word in _WORD.findall(tex)))
