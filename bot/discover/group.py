"""Rows of one key to a group; groups of one concept joined where a weaker key and the names agree."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from bot.discover.count import CountedRow
from bot.discover.label_automaton import Labels
from bot.discover.names import KINDS, STRUCTURAL, NameMention, candidates
from bot.discover.phrases import fold
from bot.discover.shards import unpack
from bot.formula import clean, identifiers
from bot.formula.alignment.equations import Equation, statements
from bot.formula.alignment.equivalence_evidence import evidence, shipped
from bot.formula.alignment.templates import Templates
from bot.formula.alignment.tree_alignment import aligned
from bot.records import Definition, NameCandidate

# Set by hand; propagation over scripts brought 9 first names of the 25 judged samples (benchmarks/names.py), grouping is held by benchmarks/grouping.py.
_PROPAGATION_LEAVES = 3  # below this, formulas equal but for their scripts have nothing in common
_MOST_PROPAGATED = 400  # mentions, a bound for time alone
STRONG = 0.5  # a name of this score counts as the group's own when groups are joined
_LABEL_NEAR = 200  # characters on each side of the formula: about its sentence
_RENAMED_LEAVES = 8  # below this, equality after renaming means nothing (docs/formula-keys.md)
_SCRIPTED = re.compile(r"(?:\\[a-zA-Z]+|[a-zA-Z])\s*_\s*(?:\{[^{}]*\}|\\?\w+)|\\[a-zA-Z]+|[a-zA-Z]")


@dataclass(slots=True)
class Group:
    """All places of one K2 key, and of the groups joined with it."""

    key: str
    weaker: dict[str, str]
    leaves: int
    d: int
    documents: set[str]
    more_documents: int  # beyond those looked at
    spellings: Counter[str] = field(default_factory=Counter)
    spread: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    structural: Counter[str] = field(default_factory=Counter)
    first: dict[str, tuple[str, int]] = field(default_factory=dict)
    mentions: list[NameMention] = field(default_factory=list)
    meanings: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    levels: dict[str, str] = field(default_factory=dict)  # spelling → level, for spellings of joined groups
    telling: dict[tuple[str, int], float] = field(default_factory=dict)
    names: tuple[NameCandidate, ...] = ()
    propagated: list[NameMention] = field(default_factory=list)

    @property
    def D(self) -> int:
        """Documents, by the paper's letter."""
        return len(self.documents) + self.more_documents

    def strong(self) -> set[str]:
        return {fold(n.name) for n in self.names if n.score >= STRONG}


def groups(rows: Iterable[CountedRow], labels: Labels) -> Iterator[Group]:
    """Yield a group for each run of rows with one K2 key."""
    for key, run in groupby(rows, key=lambda row: row["K2"]):
        first, *others = run
        weaker = {"K3": first["K3"], "K4": first["K4"], "K5": first["K5"]}
        group = Group(key, weaker, first["leaves"], first["times"], set(), 0)
        for row in (first, *others):
            _add(group, row, labels)
        group.more_documents = max(0, first["spread"] - len(group.documents))
        yield group


def _add(group: Group, row: CountedRow, labels: Labels) -> None:
    tex, place = " ".join(clean(row["tex"]).split()), (row["document"], row["position"])
    group.documents.add(row["document"])
    group.spellings[tex] += 1
    group.spread[tex].add(row["document"])
    group.first.setdefault(tex, place)
    mentions = [NameMention(name, kind, *place, row["role"]) for name, kind in unpack(row["signs"])]
    mentions += [NameMention(name, "label", *place, row["role"]) for name in _labels_near(row, labels)]
    group.mentions += mentions
    group.structural[tex] += any(s.kind in STRUCTURAL for s in mentions)
    group.telling[place] = max((KINDS[s.kind].weight for s in mentions if s.kind in KINDS), default=0.0)
    for symbol, meaning in unpack(row["definitions"]):
        group.meanings[symbol][meaning] += 1


def _labels_near(row: CountedRow, labels: Labels) -> Iterator[str]:
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
            mates[group.weaker["K3"]].append(group)
    for same in mates.values():
        for group in same:
            others = [m for mate in same if mate is not group for m in mate.mentions if m.kind not in STRUCTURAL]
            group.propagated = [replace(m, role="equivalent") for m in others[:_MOST_PROPAGATED]]
    return found


def named(group: Group, most: int, titles: Mapping[str, str], labels: Labels) -> Group:
    """Fill in the group's name candidates."""
    group.names = candidates([*group.mentions, *group.propagated], most=most, titles=titles, known=labels.known)
    return group


ConceptGroup = tuple[Group, list[Group]]


def group_equivalents(found: list[Group]) -> list[ConceptGroup]:
    """Return the groups with those that are the same concept by a weaker key and by name, level by level, strict first.

    A joined group is a member of the one in more documents; what cannot be told apart by name stays apart.
    """
    order = sorted(found, key=lambda g: (-g.D, -g.d, g.key))
    members: dict[str, list[Group]] = {g.key: [] for g in order}  # of each group that is no member itself
    for level in ("K3", "K4", "K5"):
        seeds: dict[str, list[Group]] = defaultdict(list)
        for group in order:
            if group.key in members:
                same = seeds[group.weaker[level]]
                head = next((seed for seed in same if _agree(seed, group, level)), None)
                if head is None:
                    same.append(group)
                else:
                    _join(head, group, level, members)
    _group_by_equation([g for g in order if g.key in members], members)
    return [(g, members[g.key]) for g in order if g.key in members]


def _join(head: Group, group: Group, level: str, members: dict[str, list[Group]]) -> None:
    for member in (group, *members.pop(group.key)):
        members[head.key].append(member)
        for tex in member.spellings:
            member.levels[tex] = max(level, member.levels.get(tex, level))


def _group_by_equation(order: list[Group], members: dict[str, list[Group]]) -> None:
    """Join what states the same whatever scripts, bars and arguments it is written with, or with other letters under the same name."""
    templates = Templates().fit((min(g.spellings), document) for g in order for document in g.documents)
    seeds: list[tuple[Group, Equation]] = []
    index: dict[Hashable, list[int]] = defaultdict(list)  # what two that state the same share → seeds
    for group in order:
        stated = statements(min(group.spellings))
        if len(stated) != 1:
            continue  # a chain or a system states more than one thing
        shared = _shared(group, stated[0])
        near = sorted({n for each in shared for n in index.get(each, ())})
        levels = ((seeds[n][0], _states(*seeds[n], group, stated[0], templates)) for n in near)
        head, level = next((found for found in levels if found[1]), (None, ""))
        if head is not None:
            _join(head, group, level, members)
            continue
        for each in shared:
            index[each].append(len(seeds))
        seeds.append((group, stated[0]))


def _shared(group: Group, stated: Equation) -> list[Hashable]:
    """Return what a group that states the same must share one of: the letters in their places, or the best name."""
    shared: list[Hashable] = [(stated.shape, stated.placed)]
    if group.strong():
        shared.append((stated.shape, fold(group.names[0].name)))
    return shared


def _states(seed: Group, mine: Equation, group: Group, yours: Equation, templates: Templates) -> str:
    """Return the level at which two groups state the same, "" where they do not, or where their names do not say so."""
    found = aligned(mine, yours)
    if found is None or found.turned or found.constants or found.labels:
        return ""
    names, others = seed.strong(), group.strong()
    # Tangential acceleration is an acceleration, but not every acceleration is tangential: the best names must be the same.
    agreed = bool(names and others) and fold(group.names[0].name) == fold(seed.names[0].name)
    if found.cost == 0:
        same = _left(seed) == _left(group)
        return "K4" if (agreed or not (names and others)) and same else ""
    weights = shipped()
    return (
        "K5" if agreed and weights.probability(evidence(found, mine, templates, 0.0, 0.0)) >= weights.threshold else ""
    )


def _left(group: Group) -> tuple[bool, str, bool]:
    """Return the sign and the letter that the formula begins with, and whether it speaks of magnitudes."""
    tex = min(group.spellings)
    return tex.lstrip("{ ").startswith("-"), next(iter(identifiers(tex)), ""), "|" in tex


def _agree(seed: Group, group: Group, level: str) -> bool:
    if level == "K5" and min(seed.leaves, group.leaves) < _RENAMED_LEAVES:
        return False
    mine, yours = seed.strong(), group.strong()
    if yours and mine:
        # Both are forces, but only one is the centripetal force: the best name decides, not any that they share.
        return fold(group.names[0].name) in mine
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


def meanings(group: Group, tex: str) -> tuple[Definition, ...]:
    """Return what the symbols of `tex` mean: for each the meaning most places give."""
    wanted = set(identifiers(tex))
    pooled: dict[str, Counter[str]] = defaultdict(Counter)
    for symbol, found in group.meanings.items():
        if set(identifiers(symbol)[:1]) & wanted:
            pooled[symbol].update(found)
    return tuple(
        Definition(symbol, min(found.items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0]))[0])
        for symbol, found in sorted(pooled.items())
    )
