"""Which matches are put before a person: one for each item and canonical formula, evidence merged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import FormulaError
from bot.formula import clean, keys
from bot.match import choose_matches
from bot.match.item_selection import ranking_key
from bot.propose.trimming import trimmed
from bot.records import Evidence, ItemMatch, digest
from bot.result_cache import CachedFunction

MAX_RUNNERS_UP = 5  # chosen: runners-up and other formulas shown beside a proposal


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing to say about one item; `key` is the canonical formula, `concepts` the likeliest first."""

    qid: str
    key: str
    tex: str
    probability: float
    evidence: tuple[Evidence, ...]
    concepts: tuple[str, ...]
    runners_up: tuple[tuple[str, float], ...] = ()  # other items for this formula
    other_formulas: tuple[tuple[str, float], ...] = ()  # other formulas for this item
    chosen: bool = False  # a reviewer named the item

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the equalities of chains by which the item is known to be defined."""
        return _parts(self.evidence)


@CachedFunction
def canonical_key(tex: str) -> str:
    """Return the key under which formulas are one entry of the queue; a formula without a tree is its own."""
    try:
        return keys(tex).K2
    except FormulaError:
        return digest(clean(tex))


@CachedFunction
def value_key(tex: str, *parts: str) -> str:
    """Return the key of the written value: a remark beside a formula does not make another entry. `parts`: see `trimmed`."""
    return canonical_key(trimmed(clean(tex), *parts))


def suggestions(matches: Sequence[ItemMatch], propose_from: float) -> list[Suggestion]:
    """Return what is to be queued, the likeliest first; which matches those are, `bot.match.item_selection` says."""
    groups: dict[tuple[str, str], list[ItemMatch]] = defaultdict(list)
    for match in choose_matches(matches, propose_from):
        groups[match.qid, _value_key(match)].append(match)
    of_concept, of_item = _grouped_by(matches, lambda m: m.concept), _grouped_by(matches, lambda m: m.qid)
    return [_suggestion(group, of_concept, of_item) for group in groups.values()]


def _suggestion(
    group: Sequence[ItemMatch], of_concept: Mapping[str, list[ItemMatch]], of_item: Mapping[str, list[ItemMatch]]
) -> Suggestion:
    first = group[0]
    key = _value_key(first)
    rivals: dict[str, float] = {}
    for member in group:
        for rival in of_concept[member.concept]:
            if rival.qid != first.qid:
                rivals.setdefault(rival.qid, rival.probability)
    others: dict[str, ItemMatch] = {}
    for other in of_item[first.qid]:
        if len(others) == MAX_RUNNERS_UP:
            break
        if _value_key(other) != key:
            others.setdefault(_value_key(other), other)
    return Suggestion(
        qid=first.qid,
        key=key,
        tex=first.tex,
        probability=first.probability,
        evidence=_merged(group),
        concepts=tuple(dict.fromkeys(member.concept for member in group)),
        runners_up=tuple(rivals.items())[:MAX_RUNNERS_UP],
        other_formulas=tuple((other.tex, other.probability) for other in others.values()),
    )


def _value_key(match: ItemMatch) -> str:
    return value_key(match.tex, *_parts(match.evidence))


def _parts(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    found = (each.detail for each in evidence if each.name == "handbook_first")
    return tuple(str(detail.values["tex"]) for detail in found if detail.code == "evidence.handbook_first.part")


def _merged(group: Sequence[ItemMatch]) -> tuple[Evidence, ...]:
    """Return the evidence of all matches, each sentence once, the strongest first."""
    found = dict.fromkeys(evidence for match in group for evidence in match.evidence)
    return tuple(sorted(found, key=lambda e: (-e.score, e.name, str(e.detail))))


def _grouped_by(matches: Iterable[ItemMatch], of: Callable[[ItemMatch], str]) -> dict[str, list[ItemMatch]]:
    grouped: dict[str, list[ItemMatch]] = defaultdict(list)
    for match in sorted(matches, key=ranking_key):
        grouped[of(match)].append(match)
    return grouped
