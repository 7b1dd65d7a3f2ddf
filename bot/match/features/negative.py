"""Reasons to doubt: the formula is a special case, a step, a number; the item is of another kind or says otherwise.

Like the reasons to believe; the score is how strong the doubt is (its weight in the model is negative).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from bot.formula import keys
from bot.formula.features.chains import links
from bot.match.features.candidate_pair import CandidatePair
from bot.records import Evidence

_NUMBER = re.compile(r"\d+\.\d+|\d{3,}|\\%|10\s*\^\s*\{?\s*-?\d")
_STEP = re.compile(
    r"\b(?:thus|therefore|hence|substitut\w+|solving|combining|rearrang\w+|inserting|plugging|integrating|differentiating|using|from equation|"
    r"it follows|we (?:get|obtain|find|have)|reduces? to|becomes|simplif\w+|in this case|for example|for instance|suppose|if)\b[^.;]*$"
)
_MADE_UP = {"example": 1.0, "exercise": 1.0, "table": 0.5, "caption": 0.5}


def shared_label(pair: CandidatePair) -> Evidence | None:
    """Other items carry the same label: between two of them, the name alone is a coin's toss."""
    if pair.shared < 2:
        return None
    return Evidence("shared_label", round(2 - 2 / pair.shared, 4), f"{pair.shared} items carry this label")


def alias_only(pair: CandidatePair) -> Evidence | None:
    """The name is no label of the item as it stands: an alias, or a changed spelling."""
    best = max(
        (worth * pair.view.names[name][1] for name, worth in pair.labels.items() if name in pair.view.names),
        default=0.0,
    )
    if best >= 1.0 or best == 0.0:
        return None
    return Evidence("alias_only", 1.0 - best, "the name found is an alias or another spelling of the item's label")


def numbers(pair: CandidatePair) -> Evidence | None:
    """Measured numbers make an instance, not a concept."""
    found = _NUMBER.findall(pair.view.concept.tex)
    return Evidence("numbers", 1.0, f"it holds numbers ({found[0]})") if found else None


def no_equation(pair: CandidatePair) -> Evidence | None:
    """Wikidata's defining formulas are equations nearly always."""
    if keys(pair.view.concept.tex).equation:
        return None
    return Evidence("no_equation", 1.0, f"it is no equation ({pair.view.kind})")


def trivial(pair: CandidatePair) -> Evidence | None:
    """Two or three symbols are too little to define anything."""
    leaves = keys(pair.view.concept.tex).leaves
    if leaves >= 5 and pair.view.kind not in {"assignment", "dependence", "stub"}:
        return None
    what = f"has {leaves} symbols" if leaves < 5 else f"is only a {pair.view.kind}"
    return Evidence("trivial", 1.0, f"the formula {what}")


def long(pair: CandidatePair) -> Evidence | None:
    leaves = keys(pair.view.concept.tex).leaves
    if leaves < 16:
        return None
    return Evidence("long", min(1.0, math.log2(leaves / 8) / 3), f"the formula is long ({leaves} symbols)")


def chain(pair: CandidatePair) -> Evidence | None:
    """Three sides and more are mostly a calculation."""
    sides = len(links(pair.view.concept.tex))
    if sides < 2:
        return None
    return Evidence("chain", min(1.0, (sides - 1) / 2), f"it is a chain of {sides} equalities")


def zero(pair: CandidatePair) -> Evidence | None:
    """A plain number on one side of a chain, or a measured one, comes from a case."""
    sides = [link.rpartition("=")[2].strip() for link in links(pair.view.concept.tex)]
    if len(sides) < 2 or not any(re.fullmatch(r"-?[\d.]+", side) for side in sides):
        return None
    return Evidence("zero", 1.0, "one side of the chain is a number")


def derived(pair: CandidatePair) -> Evidence | None:
    """Everywhere the words before it say that it is a step or a case."""
    places = [place for place in pair.view.places if place.mask in place.text]
    steps = [place for place in places if _STEP.search(place.text[: place.text.find(place.mask)])]
    if not steps:
        return None
    return Evidence("derived", len(steps) / len(places), "the words before it announce a step or a special case")


def made_up(pair: CandidatePair) -> Evidence | None:
    """It stands in examples and exercises only."""
    scores = [_MADE_UP.get(place.occurrence.role, 0.0) for place in pair.view.places]
    if not scores or not min(scores):
        return None
    return Evidence("made_up", min(scores), f"it stands only in an {pair.view.places[0].occurrence.role}")


def inline(pair: CandidatePair) -> Evidence | None:
    """A defining formula is nearly always displayed somewhere."""
    if not pair.view.places or any(place.occurrence.display for place in pair.view.places):
        return None
    return Evidence("inline", 1.0, "it never stands on a line of its own")


DOUBTS: tuple[Callable[[CandidatePair], Evidence | None], ...] = (
    shared_label,
    alias_only,
    numbers,
    no_equation,
    trivial,
    long,
    chain,
    zero,
    derived,
    made_up,
    inline,
)
