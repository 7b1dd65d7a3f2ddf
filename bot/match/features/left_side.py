"""What the symbols say: whether the left side is the item's own symbol, by the text, by convention or by its initial."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.match.features.candidate_pair import CandidatePair
from bot.match.features.ranking_evidence import name_rank, name_score
from bot.match.item_labels import clause_head, fold, states
from bot.match.retrieval.quantities import usual_symbols
from bot.messages import Message
from bot.records import Evidence

FIRST = (
    0.85  # of name_rank: the first name, as label or alias; of judged pairs .57 were accepted from there on, .40 below
)


def left_means_it(pair: CandidatePair) -> Evidence | None:
    """The text says that the symbol on the left is the item."""
    left = pair.view.left
    said = [meaning for meaning in sorted(pair.view.meanings.get(left, ())) if _same_thing(meaning, pair)]
    if not said:
        return None
    return Evidence.of("left_means_it.said", 1.0, symbol=left, meaning=said[0])


def left_means_other(pair: CandidatePair) -> Evidence | None:
    """The text says that the symbol on the left is something else."""
    left = pair.view.left
    meanings = sorted(pair.view.meanings.get(left, ()))
    if not meanings or states(pair.item.label) or any(_same_thing(meaning, pair) for meaning in meanings):
        return None
    return Evidence.of("left_means_other.said", 1.0, symbol=left, meaning=meanings[0])


def left_usual(pair: CandidatePair) -> Evidence | None:
    """The symbol on the left is usual for such a quantity."""
    usual = () if states(pair.item.label) else usual_symbols(_name(pair))
    if not pair.view.left or pair.view.left not in usual:
        return None
    return Evidence.of("left_usual.symbol", 1.0, symbol=pair.view.left)


def left_unusual(pair: CandidatePair) -> Evidence | None:
    """The quantity has usual symbols, and what stands on the left is none of them."""
    usual = () if states(pair.item.label) else usual_symbols(_name(pair))
    if not usual or pair.view.left in usual:
        return None
    if not pair.view.left:
        return Evidence.of("left_unusual.none", 1.0, usual=_either(usual[:3]))
    return Evidence.of("left_unusual.symbol", 1.0, symbol=pair.view.left, usual=_either(usual[:3]))


def initial(pair: CandidatePair) -> Evidence | None:
    """The symbol on the left is an initial of the label."""
    letter = re.sub(r"[^a-z]", "", pair.view.left.lower()) if "\\" not in pair.view.left else ""
    words = re.findall(r"\b[a-z]", fold(pair.item.label))
    if len(letter) != 1 or letter not in words:
        return None
    return Evidence.of("initial.letter", 1.0, symbol=pair.view.left, label=pair.item.label)


def left_alone(pair: CandidatePair) -> Evidence | None:
    """A quantity is defined by `symbol = …`."""
    if states(pair.item.label) or not pair.view.left:
        return None
    return Evidence.of("left_alone.form", 1.0, symbol=pair.view.left)


def statement(pair: CandidatePair) -> Evidence | None:
    """The label names a law, an equation, a theorem: something that has one formula."""
    if not states(pair.item.label):
        return None
    return Evidence.of("statement.label", 1.0, label=pair.item.label)


def law_named(pair: CandidatePair) -> Evidence | None:
    """A law, an equation, a theorem has one formula: where that is its first name, this formula is meant."""
    return _first_name(pair, "law_named.label") if states(pair.item.label) else None


def quantity_named(pair: CandidatePair) -> Evidence | None:
    """A quantity has many formulas: the one that begins with its symbol is meant."""
    if states(pair.item.label) or not (left_usual(pair) or left_means_it(pair)):
        return None
    return _first_name(pair, "quantity_named.label", symbol=pair.view.left)


def _first_name(pair: CandidatePair, code: str, **values: str) -> Evidence | None:
    found, rank = name_score(pair), name_rank(pair)
    if found is None or rank is None or rank.score < FIRST:
        return None
    return Evidence.of(code, found.score, label=pair.item.label, **values)


def loose_noun(pair: CandidatePair) -> Evidence | None:
    """The label is neither a statement nor the quantity on the left: a thing that is only talked about."""
    if states(pair.item.label) or left_usual(pair) or left_means_it(pair) or initial(pair):
        return None
    return Evidence.of("loose_noun.label", 1.0, label=pair.item.label)


def special_left(pair: CandidatePair) -> Evidence | None:
    """The left side carries a mark of its own: a mean, a change, a component, a label that the item's name does not have."""
    if states(pair.item.label) or not pair.view.left:
        return None
    side = pair.view.concept.tex.partition("=")[0]
    words = re.findall(r"\b[a-z]", fold(pair.item.label))
    labels = [first for first in re.findall(r"_\s*\{?(?:\\(?:text|mathrm|rm|mathit)\s*\{?)?\s*([A-Za-z0-9])", side)]
    marks = re.findall(r"\\(?:bar|overline|langle|Delta|delta|dot|ddot|hat|tilde)\b|(?<![a-z])d(?=[A-Za-z\\])", side)
    if not marks and all(label.lower() in words for label in labels):
        return None
    return Evidence.of("special_left.side", 1.0, tex=side.strip())


SYMBOLS: tuple[Callable[[CandidatePair], Evidence | None], ...] = (
    left_means_it,
    left_means_other,
    left_usual,
    left_unusual,
    initial,
    left_alone,
    statement,
    law_named,
    quantity_named,
    loose_noun,
    special_left,
)


def _name(pair: CandidatePair) -> str:
    return fold(pair.item.label)


def _either(words: Sequence[str]) -> str | Message:
    """Return words of which each will do: N, n or ν."""
    first, *more = words
    return Message("or.more", one=first, more=_either(more)) if more else first


def _same_thing(meaning: str, pair: CandidatePair) -> bool:
    """A definition may say less (“the force”) or more (“the net force on the body”) than the label."""
    if pair.closeness(meaning) > 0.5:
        return True
    return any(_ends_with(meaning, label) or _ends_with(label, meaning) for label in pair.labels if len(label) > 3)


def _ends_with(text: str, end: str) -> bool:
    first = clause_head(text)
    return first == end or first.endswith(" " + end)
