"""Reasons to doubt: the formula is a special case, a step, a number; the item is of another kind or says otherwise.

Like the reasons to believe; the score is how strong the doubt is (its weight in the model is negative).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from bot.discover.phrases import EN
from bot.formula import keys
from bot.formula.features.chains import links
from bot.match.features.candidate_pair import CandidatePair
from bot.match.item_labels import fold, head_word
from bot.messages import Message
from bot.records import Evidence

_NUMBER = re.compile(r"\d+\.\d+|\d{3,}|\\%|10\s*\^\s*\{?\s*-?\d")
_INDEX = re.compile(r"_\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)")
_SCRIPT = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)")
_NUMERAL = re.compile(r"(?<![\d.])(?:[3-9]|\d\d+)(?![\d.])")
MANY = (
    6  # indices from which their number says no more: .4 of judged pairs are accepted from 3 on as from 5 on, .5 below
)
_MADE_UP = {"example": 1.0, "exercise": 1.0, "table": 0.5, "caption": 0.5}


def shared_label(pair: CandidatePair) -> Evidence | None:
    """Other items carry the same label: between two of them, the name alone is a coin's toss."""
    if pair.shared < 2:
        return None
    return Evidence.of("shared_label.n", round(2 - 2 / pair.shared, 4), n=pair.shared)


def alias_only(pair: CandidatePair) -> Evidence | None:
    """The name is no label of the item as it stands: an alias, or a changed spelling."""
    best = max(
        (worth * pair.view.names[name][1] for name, worth in pair.labels.items() if name in pair.view.names),
        default=0.0,
    )
    if best >= 1.0 or best == 0.0:
        return None
    return Evidence.of("alias_only.said", 1.0 - best)


def numbers(pair: CandidatePair) -> Evidence | None:
    """Measured numbers make an instance, not a concept."""
    found = _NUMBER.findall(pair.view.concept.tex)
    return Evidence.of("numbers.found", 1.0, number=found[0]) if found else None


def no_equation(pair: CandidatePair) -> Evidence | None:
    """Wikidata's defining formulas are equations nearly always."""
    if keys(pair.view.concept.tex).equation:
        return None
    return Evidence.of("no_equation.kind", 1.0, kind=Message(f"kind.{pair.view.kind}"))


def trivial(pair: CandidatePair) -> Evidence | None:
    """Two or three symbols are too little to define anything."""
    leaves = keys(pair.view.concept.tex).leaves
    if leaves >= 5 and pair.view.kind not in {"assignment", "dependence", "stub"}:
        return None
    if leaves < 5:
        return Evidence.of("trivial.n", 1.0, n=leaves)
    return Evidence.of("trivial.kind", 1.0, kind=Message(f"kind.{pair.view.kind}"))


def long(pair: CandidatePair) -> Evidence | None:
    leaves = keys(pair.view.concept.tex).leaves
    if leaves < 16:
        return None
    return Evidence.of("long.n", min(1.0, math.log2(leaves / 8) / 3), n=leaves)


def chain(pair: CandidatePair) -> Evidence | None:
    """Three sides and more are mostly a calculation."""
    sides = len(links(pair.view.concept.tex))
    if sides < 2:
        return None
    return Evidence.of("chain.n", min(1.0, (sides - 1) / 2), n=sides)


def zero(pair: CandidatePair) -> Evidence | None:
    """A plain number on one side of a chain, or a measured one, comes from a case."""
    sides = [link.rpartition("=")[2].strip() for link in links(pair.view.concept.tex)]
    if len(sides) < 2 or not any(re.fullmatch(r"-?[\d.]+", side) for side in sides):
        return None
    return Evidence.of("zero.side", 1.0)


def example_said(pair: CandidatePair) -> Evidence | None:
    """The words before it announce an example or an assumption. That it follows from something, or holds under a condition, is no doubt: laws do."""
    share = pair.view.share_led_in("example")
    return Evidence.of("example_said.so", share) if share else None


def made_up(pair: CandidatePair) -> Evidence | None:
    """It stands in examples and exercises only."""
    scores = [_MADE_UP.get(place.occurrence.role, 0.0) for place in pair.view.places]
    if not scores or not min(scores):
        return None
    return Evidence.of("made_up.role", min(scores), role=Message(f"role.{pair.view.places[0].occurrence.role}"))


def inline(pair: CandidatePair) -> Evidence | None:
    """A defining formula is nearly always displayed somewhere."""
    if not pair.view.places or any(place.occurrence.display for place in pair.view.places):
        return None
    return Evidence.of("inline.said", 1.0)


def indices(pair: CandidatePair) -> Evidence | None:
    """Indices tell one thing of a context from another."""
    n = len(_INDEX.findall(pair.view.concept.tex))
    return Evidence.of("indices.n", round(min(1.0, n / MANY), 4), n=n) if n else None


def numeral(pair: CandidatePair) -> Evidence | None:
    """A number beyond 2 that is no index and no power is often one of a special case: 3/2 kT, 5 modes."""
    found = _NUMERAL.findall(_SCRIPT.sub("", pair.view.concept.tex))
    return Evidence.of("numeral.found", 1.0, number=found[0]) if found else None


def one_word(pair: CandidatePair) -> Evidence | None:
    """Area, field, period: a word that many texts use for many things."""
    if " " in fold(pair.item.label):
        return None
    return Evidence.of("one_word.label", 1.0, label=pair.item.label)


def thing(pair: CandidatePair) -> Evidence | None:
    """A field of study, a system, a model: what has formulas, and is not defined by one."""
    head = head_word(pair.item.label)
    if not EN.pattern("thing").search(head) or EN.pattern("quantity").search(head):
        return None
    return Evidence.of("thing.label", 1.0, label=pair.item.label)


def no_equality(pair: CandidatePair) -> Evidence | None:
    """An inequality or the like: a definition says what something is."""
    return Evidence.of("no_equality.form", 1.0) if pair.view.kind == "relation" else None


DOUBTS: tuple[Callable[[CandidatePair], Evidence | None], ...] = (
    shared_label,
    alias_only,
    numbers,
    no_equation,
    trivial,
    long,
    chain,
    zero,
    example_said,
    made_up,
    inline,
    indices,
    numeral,
    one_word,
    thing,
    no_equality,
)
