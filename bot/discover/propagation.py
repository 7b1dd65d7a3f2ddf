"""The mentions of a formula's equivalents: one author names it, ten others only write it with letters of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.discover.group import ConceptGroup, Group
from bot.discover.names import STRUCTURAL, NameMention, is_bare
from bot.formula.alignment.equations import Equation, statements
from bot.formula.alignment.equivalence_evidence import WORTH, evidence, shipped
from bot.formula.alignment.templates import Templates
from bot.formula.alignment.tree_alignment import aligned, nothing_usual

# Bounds for time, not for quality.
_ASKED = 200  # formulas of one shape that each is laid over, those in most documents first
_PLACES = 60  # places whose mentions one concept gets, the likeliest equivalents first


def mentions_of_equivalents(
    found: Sequence[ConceptGroup], usual: Callable[[str, str], bool] = nothing_usual
) -> list[list[NameMention]]:
    """Return for each concept the mentions of the other concepts that state the same, at a discount.

    `p = wρ` and `w_X = p_X/ρ_X` stay two concepts where no name joins them, and both are the equation of state. Where a letter
    differs only words of bare windows count: a sentence that points to its formula is about its letters. `usual` tells
    whether two letters are usual for one quantity.
    """
    mates = _mates([min(head.spellings) for head, _ in found], [head for head, _ in found], usual)
    own = [[mention for group in (head, *members) for mention in group.mentions] for head, members in found]
    return [_signs([(own[other], letters) for other, letters in mates[n].items()]) for n in range(len(found))]


def _signs(others: Sequence[tuple[Sequence[NameMention], bool]]) -> list[NameMention]:
    propagated: list[NameMention] = []
    places: set[tuple[str, int]] = set()
    for mentions, same_letters in others:
        for mention in mentions:
            place = mention.document, mention.position
            fits = is_bare(mention.kind) or (same_letters and mention.kind not in STRUCTURAL)
            if fits and (place in places or len(places) < _PLACES):
                places.add(place)
                propagated.append(replace(mention, role="equivalent"))
    return propagated


def _mates(
    formulas: Sequence[str], groups: Sequence[Group], usual: Callable[[str, str], bool]
) -> list[dict[int, bool]]:
    """Return for each formula those of one concept with it, the likeliest first, and whether they have the same letters."""
    spread = ((tex, document) for tex, group in zip(formulas, groups, strict=True) for document in group.documents)
    templates = Templates().fit(spread)
    by_shape: dict[str, list[tuple[int, Equation]]] = defaultdict(list)
    for number in sorted(range(len(groups)), key=lambda n: (-groups[n].D, -groups[n].d, groups[n].key)):
        for statement in statements(formulas[number]):
            by_shape[statement.shape].append((number, statement))
    weights = shipped()
    likely: list[dict[int, tuple[float, bool]]] = [{} for _ in groups]
    for same in by_shape.values():
        for number, one in same:
            for other, its in same[:_ASKED]:
                if other == number or (laid := aligned(one, its, usual, WORTH)) is None:
                    continue
                probability = round(weights.probability(evidence(laid, one, templates, 0.0, 0.0)), 6)
                if probability >= weights.threshold:
                    judged = probability, not laid.others
                    likely[number][other] = max(judged, likely[number].get(other, judged))
    return [
        {other: found[other][1] for other in sorted(found, key=lambda n: (-found[n][0], groups[n].key))}
        for found in likely
    ]
