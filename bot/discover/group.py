"""Rows of one key to a group; groups of one concept joined where a weaker key and the names agree."""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import NameMention
from bot.discover.names import CUE_KINDS, STRUCTURAL_CUES, is_bare, scored_names
from bot.discover.phrases import fold
from bot.discover.shards import ShardRow, unpack
from bot.formula import clean, identifiers
from bot.records import LIKELY_SCORE, Definition

# Set by hand; propagation over scripts brought 9 first names of the 25 judged samples (benchmarks/names.py), grouping is held by benchmarks/grouping.py.
_PROPAGATION_LEAVES = 3  # below this, formulas equal but for their scripts have nothing in common
_MAX_PROPAGATED = 400  # mentions, a bound for time alone
_LABEL_NEAR = 200  # characters on each side of the formula: about its sentence
_RENAMED_LEAVES = 8  # below this, equality after renaming means nothing (docs/formula-keys.md)
SHOWN_PLACES = 12  # that a concept shows
MAX_WORDS = 300  # of the windows of one group: what its words are compared by
_WORD = re.compile(r"[A-Za-z]{2,}")
_SCRIPTED = re.compile(r"(?:\\[a-zA-Z]+|[a-zA-Z])\s*_\s*(?:\{[^{}]*\}|\\?\w+)|\\[a-zA-Z]+|[a-zA-Z]")


@dataclass(slots=True)
class Group:
    """All places of one K2 key, and of the groups joined with it."""

    key: str
    weaker_keys: dict[str, str]
    leaves: int
    occurrence_count: int
    documents: set[str]
    more_documents: int  # beyond those looked at
    spellings: Counter[str] = field(default_factory=Counter)
    strict_keys: dict[str, str] = field(default_factory=dict)  # K1 of each spelling
    spelling_documents: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    structural_counts: Counter[str] = field(default_factory=Counter)
    first_places: dict[str, tuple[str, int]] = field(default_factory=dict)
    mentions: list[NameMention] = field(default_factory=list)
    meanings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    levels: dict[str, str] = field(default_factory=dict)  # spelling → level, for spellings of joined groups
    place_weights: dict[tuple[str, int], float] = field(default_factory=dict)
    names: tuple[tuple[str, float], ...] = ()  # folded, with their score, the best first
    propagated: list[NameMention] = field(default_factory=list)
    words: list[str] = field(default_factory=list)  # of the text around it, as many as WORDS

    @property
    def document_count(self) -> int:
        """Documents, by the paper's letter."""
        return len(self.documents) + self.more_documents

    @property
    def representative(self) -> str:
        """The spelling by which formulas of the group are compared with others."""
        return min(self.spellings)

    @property
    def order(self) -> tuple[int, int, str]:
        """What groups are sorted by: those in most documents first."""
        return -self.document_count, -self.occurrence_count, self.key

    def count(self, occurrences: int, documents: int) -> None:
        """Set how often the key occurs in all, and in how many documents."""
        self.occurrence_count, self.more_documents = occurrences, max(0, documents - len(self.documents))

    def likely_names(self) -> set[str]:
        return {name for name, score in self.names if score >= LIKELY_SCORE}

    def best_name(self) -> str:
        """Return the best name, folded, where it is likely enough to be the group's own."""
        return self.names[0][0] if self.names and self.names[0][1] >= LIKELY_SCORE else ""

    def explicit_name(self) -> str:
        """Return the best name where the corpus gives it explicitly: by structure, or in the sentences of two documents; else ""."""
        best = self.best_name()
        mentions = self._explicit_mentions(best)
        return (
            best if any(m.kind in STRUCTURAL_CUES for m in mentions) or len({m.document for m in mentions}) > 1 else ""
        )

    def outline(self) -> Group:
        """Return what grouping looks at: one spelling, no places, and the mentions that give its best name explicitly."""
        tex, best = self.representative, self.best_name()
        mentions = {m.kind in STRUCTURAL_CUES or m.document: m for m in self._explicit_mentions(best)}
        found = Group(
            self.key,
            self.weaker_keys,
            self.leaves,
            self.occurrence_count,
            self.documents,
            self.more_documents,
            Counter({tex: 1}),
        )
        found.strict_keys, found.words = {tex: self.strict_keys[tex]}, self.words
        found.mentions = list(mentions.values())[-2:]
        found.names = tuple(pair for pair in self.names if pair[1] >= LIKELY_SCORE)
        return found

    def _explicit_mentions(self, name: str) -> list[NameMention]:
        """Return the mentions that give the formula this name explicitly, those by structure last; none for an empty name."""
        if not name:
            return []
        mentions = [m for m in self.mentions if not is_bare(m.kind) and m.kind != "label" and fold(m.name) == name]
        return sorted(mentions, key=lambda m: m.kind in STRUCTURAL_CUES)

    def join(self, level: str) -> None:
        """Record that the group was joined to another one, with which it shares this level at best."""
        for tex in self.spellings:
            self.levels[tex] = max(level, self.levels.get(tex, level))


ConceptGroup = tuple[Group, list[Group]]  # the one in most documents, and the others


def counts_of(every: Sequence[Group]) -> tuple[int, int]:
    """Return the occurrences and the documents of groups together."""
    documents = set[str]().union(*(group.documents for group in every))
    return sum(g.occurrence_count for g in every), len(documents) + sum(g.more_documents for g in every)


class PlaceFacts(NamedTuple):
    """What a group takes from one of its places. Texts that are the same in many places are one object."""

    document: str
    position: int
    tex: str
    keys: tuple[str, ...]  # K1 to K5
    leaves: int
    role: str
    cues: str  # pairs as JSON, as in a shard
    labels: tuple[str, ...]  # in the text right around the formula
    words: tuple[str, ...]  # of its window
    definitions: str  # as `cues`


def place_facts(row: ShardRow, labels: Labels, words: int = MAX_WORDS) -> PlaceFacts:
    """Return the facts of a row; of the words around it as many are kept."""
    tex = sys.intern(" ".join(clean(row["tex"]).split()))
    keys = tuple(map(sys.intern, (row["K1"], row["K2"], row["K3"], row["K4"], row["K5"])))
    found = map(sys.intern, _WORD.findall(row["window"].lower())[:words]) if words else ()
    return PlaceFacts(
        sys.intern(row["document"]), row["position"], tex, keys, row["leaves"], sys.intern(row["role"]),
        row["signs"], tuple(_labels_near(row, labels)), tuple(found), row["definitions"],
    )  # fmt: skip


def group_places(places: Iterable[PlaceFacts], words: int = MAX_WORDS) -> Iterator[Group]:
    """Yield a group, without counts, for each run of places with one K2 key."""
    for key, run in groupby(places, key=lambda place: place.keys[1]):
        first, *others = run
        weaker = dict(zip(("K3", "K4", "K5"), first.keys[2:], strict=True))
        group = Group(key, weaker, first.leaves, 0, set(), 0)
        for each in (first, *others):
            _add(group, each, words)
        yield group


def _add(group: Group, facts: PlaceFacts, words: int) -> None:
    document, position, tex, keys, _, role, cues, labels, near, definitions = facts
    place = document, position
    group.documents.add(document)
    group.spellings[tex] += 1
    group.strict_keys.setdefault(tex, keys[0])
    group.spelling_documents[tex].add(document)
    group.first_places.setdefault(tex, place)
    mentions = [NameMention(sys.intern(name), sys.intern(kind), *place, role) for name, kind in unpack(cues)]
    mentions += [NameMention(name, "label", *place, role) for name in labels]
    group.mentions += mentions
    group.structural_counts[tex] += any(s.kind in STRUCTURAL_CUES for s in mentions)
    group.place_weights[place] = max((CUE_KINDS[s.kind].weight for s in mentions if s.kind in CUE_KINDS), default=0.0)
    group.words += near[: words - len(group.words)]
    for symbol, meaning in unpack(definitions):
        group.meanings[symbol][meaning] += 1


def keep_shown_places(group: Group) -> Group:
    """Drop the weights of places that the group can never show, whatever groups it is joined with; return the group."""
    group.place_weights = {place: group.place_weights[place] for place in places_to_show([group])}
    return group


def places_to_show(every: Sequence[Group]) -> tuple[tuple[str, int], ...]:
    """Return the places to show: the one with the strongest cue of each document first, then the others."""
    ranked = sorted((-weight, place) for group in every for place, weight in group.place_weights.items())
    first: dict[str, tuple[str, int]] = {}
    for _, place in ranked:
        first.setdefault(place[0], place)
    rest = (place for _, place in ranked if first[place[0]] != place)
    return (*first.values(), *rest)[:SHOWN_PLACES]


def _labels_near(row: ShardRow, labels: Labels) -> Iterator[str]:
    """Labels in the text right around the formula."""
    at = row["window"].find(f"⟦{row['position']}⟧")
    if at >= 0:
        yield from labels.find(row["window"][max(0, at - _LABEL_NEAR) : at + _LABEL_NEAR])


def propagate(found: list[Group]) -> list[Group]:
    """Give groups that differ in scripts only (K3) the mentions of each other, at a discount, and return all groups.

    `Ω_i = ρ_i/ρ_c` is seldom named where it stands, and `Ω_m = ρ_m/ρ_crit` beside it is.
    """
    mates: dict[str, list[Group]] = defaultdict(list)
    for group in found:
        if group.leaves >= _PROPAGATION_LEAVES:
            mates[group.weaker_keys["K3"]].append(group)
    for same in mates.values():
        for group in same:
            others = [m for mate in same if mate is not group for m in mate.mentions if m.kind not in STRUCTURAL_CUES]
            group.propagated = [m._replace(role="equivalent") for m in others[:_MAX_PROPAGATED]]
    return found


def name_group(group: Group, most: int, labels: Labels) -> Group:
    """Fill in the group's name candidates."""
    group.names = scored_names([*group.mentions, *group.propagated], most=most, qids_by_label=labels.known)
    return group


def group_equivalents(found: list[Group]) -> list[ConceptGroup]:
    """Return the groups with those that are the same concept by a weaker key and by name, level by level, strict first.

    A joined group is a member of the one in more documents; what cannot be told apart by name stays apart.
    """
    order = sorted(found, key=attrgetter("order"))
    members: dict[str, list[Group]] = {g.key: [] for g in order}  # of each group that is not a member itself
    for level in ("K3", "K4", "K5"):
        seeds: dict[str, list[Group]] = defaultdict(list)
        for group in order:
            if group.key in members:
                same = seeds[group.weaker_keys[level]]
                head = next((seed for seed in same if _is_same_concept(seed, group, level)), None)
                if head is None:
                    same.append(group)
                else:
                    _join(head, group, level, members)
    return [(g, members[g.key]) for g in order if g.key in members]


def _join(head: Group, group: Group, level: str, members: dict[str, list[Group]]) -> None:
    for member in (group, *members.pop(group.key)):
        members[head.key].append(member)
        member.join(level)


def _is_same_concept(seed: Group, group: Group, level: str) -> bool:
    if level == "K5" and min(seed.leaves, group.leaves) < _RENAMED_LEAVES:
        return False
    left, right = seed.likely_names(), group.likely_names()
    if right and left:
        # Both are forces, but only one is the centripetal force: the best name decides, not any that they share.
        return group.names[0][0] in left
    return level == "K3" and _same_symbols(seed, group)


def _same_symbols(seed: Group, group: Group) -> bool:
    """The same letters, and dropping scripts makes no two symbols one: `p_i = w_i ρ_i` may join `p = wρ`."""
    a, b = min(seed.spellings), min(group.spellings)
    return set(identifiers(a)) == set(identifiers(b)) and _injective(a) and _injective(b)


def _injective(tex: str) -> bool:
    scripted = {
        "".join(m.split())
        for m in _SCRIPTED.findall(re.sub(r"\\(?:frac|left|right|mathrm|mathbf|rm|text|vec|dot|,)", " ", tex))
    }
    bases = [re.split("_", s)[0] for s in scripted]
    return len(bases) == len(set(bases))


def symbol_meanings(group: Group, tex: str) -> tuple[Definition, ...]:
    """Return the meanings of the symbols of `tex`: for each the one that most places give."""
    letters = set(identifiers(tex))
    pooled: dict[str, Counter[str]] = defaultdict(Counter)
    for symbol, found in group.meanings.items():
        if set(identifiers(symbol)[:1]) & letters:
            pooled[symbol].update(found)
    return tuple(
        Definition(symbol, min(found.items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0]))[0])
        for symbol, found in sorted(pooled.items())
    )
