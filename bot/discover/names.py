"""Name cues pooled over all places of a concept, scored: which name a concept probably has, and the reasons a reviewer reads.

Every kind of cue has a weight, the chance that a name with this cue alone is right (measured on the development
textbook and articles). Cues in one document and the documents are taken as independent; nearness alone weighs little
and being frequent in the corpus is no fault (names are frequent phrases).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.discover.phrases import fold, is_quantity
from bot.discover.word_lists import LEAD
from bot.messages import Message
from bot.records import NameCandidate

# kind: (weight, what a reviewer reads: the message `cue.<this>`)
KINDS: dict[str, tuple[float, str]] = {
    "constituent": (0.0, "constituent"),
    "qid": (0.97, "qid"),
    "key_equations": (0.93, "key_equations"),
    "left_text": (0.80, "left_text"),
    "title_symbol": (0.80, "title_symbol"),
    "infobox": (0.75, "infobox"),
    "equation_title": (0.75, "equation_title"),
    "defined_term": (0.60, "defined_term"),
    "called": (0.70, "called"),
    "title_first": (0.60, "title_first"),
    "this_is": (0.60, "this_is"),
    "states": (0.50, "states"),
    "apposition": (0.50, "apposition"),
    "symbol": (0.50, "symbol"),
    "defined": (0.50, "defined"),
    "adjacent_law": (0.50, "adjacent_law"),
    "is_the": (0.50, "is_the"),
    "equals": (0.42, "equals"),
    "called_before": (0.40, "called_before"),
    "parenthesis": (0.40, "parenthesis"),
    "bold_title": (0.40, "bold_title"),
    "symbol_far": (0.32, "symbol_far"),
    "heading_first": (0.30, "heading_first"),
    "row": (0.40, "row"),
    "heading_law": (0.30, "heading_law"),
    "is_for": (0.30, "is_for"),
    "adjacent": (0.30, "adjacent"),
    "this_is_quantity": (0.30, "this_is"),
    "subject_before": (0.25, "subject_before"),
    "is_the_part": (0.22, "is_the_part"),
    "apposition_part": (0.22, "apposition"),
    "subject_first": (0.20, "subject_first"),
    "defined_part": (0.25, "defined_part"),
    "symbol_part": (0.25, "symbol_part"),
    "equals_part": (0.20, "equals_part"),
    "row_part": (0.20, "row_part"),
    "is_for_part": (0.12, "is_for_part"),
    "adjacent_comma": (0.12, "adjacent_comma"),
    "phrase_law": (0.22, "phrase"),
    "label": (0.10, "label"),
    "symbol_far_part": (0.15, "symbol_far_part"),
    "bold_near": (0.12, "bold_near"),
    "heading": (0.12, "heading"),
    "window_law": (0.10, "window"),
    "chapter": (0.08, "chapter"),
    "phrase_quantity": (0.08, "phrase"),
    "title": (0.06, "title"),
    "subject_before_part": (0.10, "subject_before"),
    "subject_first_part": (0.08, "subject_first"),
    "close_law": (0.24, "close"),
    "close_quantity": (0.20, "close"),
    "close_quantity_long": (0.15, "close"),
    "close_pair": (0.14, "close"),
    "close": (0.10, "close"),
    "close_pair_long": (0.07, "close"),
    "near_law": (0.15, "near"),
    "near_quantity": (0.10, "near"),
    "near_quantity_long": (0.06, "near"),
    "near_pair": (0.05, "near"),
    "near": (0.03, "near"),
    "near_pair_long": (0.02, "near"),
    "phrase": (0.05, "phrase"),
}
_TITLED = frozenset(  # what a reviewer reads of these names the document
    "key_equations title_symbol infobox equation_title title_first bold_title symbol_far symbol_far_part bold_near title".split()
)
BARE = "words"  # the family of what a window says that does not show where its formula stands
# Cues of one family say the same thing twice: what the left side means, what the sentence is about, where it stands.
FAMILY = {
    kind: family
    for family, kinds in {
        "left side": "symbol symbol_far apposition symbol_part symbol_far_part apposition_part title_symbol",
        "sentence": "defined equals is_the subject_first subject_before adjacent adjacent_comma defined_part equals_part is_the_part"
        " subject_first_part subject_before_part is_for is_for_part row row_part phrase phrase_quantity phrase_law window_law label",
        "place": "heading heading_first heading_law chapter title title_first",
        "naming": "called called_before this_is this_is_quantity parenthesis states",
        BARE: "close_law close_quantity close_quantity_long close_pair close close_pair_long near_law near_quantity near_quantity_long near_pair near near_pair_long",
    }.items()
    for kind in kinds.split()
}
# Kinds that alone make an equation worth keeping where it occurs in one document only.
NAMING = frozenset(kind for kind, (weight, _) in KINDS.items() if weight >= 0.25)
# Kinds that are enough where a book displays the equation.
TELLING = frozenset(kind for kind, (weight, _) in KINDS.items() if weight >= 0.08)
STRUCTURAL = frozenset(
    (
        "qid",
        "key_equations",
        "left_text",
        "title_symbol",
        "infobox",
        "equation_title",
        "title_first",
        "bold_title",
        "defined_term",
    )
)
KNOWN = 0.4  # how far a label in the item dictionary moves a middling score up
_ONE_WORD = 0.5  # what prose counts for one word that heads no quantity: often an adjective or a thing
_CONSTITUENT = 0.4  # what prose counts for the name of another symbol of the formula (“mass” of F = ma)
# What a cue counts in an example or exercise, where numbers and special cases live, and from a formula with other scripts.
_ROLES = {"example": 0.5, "exercise": 0.5, "equivalent": 0.35}
_MOST = 0.995
_MOST_PROSE = 0.93  # what prose alone can reach, however often it repeats itself
_CHANCE = 0.9  # what words of bare windows count that stand together nowhere else
_FULLER = 4  # words of a fuller name at most
_OWN = 0.8  # share of the shorter name's score that the fuller one needs by itself


@dataclass(frozen=True, slots=True)
class NameMention:
    """A name cue at a place."""

    name: str
    kind: str
    document: str
    position: int
    role: str = "text"


@dataclass(slots=True)
class _Pool:
    surfaces: Counter[str] = field(default_factory=Counter)
    cues: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))  # document → kind → weight
    places: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)  # kind → first document


def candidates(
    mentions: Iterable[NameMention],
    *,
    most: int,
    titles: Mapping[str, str] = {},
    known: Mapping[str, str] = {},
    spread: Mapping[str, int] = {},
) -> tuple[NameCandidate, ...]:
    """Return the best names, best first.

    `known` maps folded labels to QIDs, `titles` documents to their titles, `spread` folded names to the documents of the corpus that
    have them in a bare window: words that stand together nowhere else may have met by chance.
    """
    pools: dict[str, _Pool] = defaultdict(_Pool)
    for mention in mentions:
        pool = pools[fold(mention.name)]
        weight = KINDS.get(mention.kind, (0.05, ""))[0] * _ROLES.get(mention.role, 1.0)
        # Headings and titles capitalise; running text shows how the name is written.
        pool.surfaces[mention.name] += {
            "constituent": 0,
            "label": 0,
            "heading": 1,
            "heading_first": 1,
            "chapter": 1,
        }.get(mention.kind, 3)
        kinds = pool.cues[mention.document]
        kinds[mention.kind] = max(kinds.get(mention.kind, 0.0), weight)
        pool.places[mention.kind] += 1
        pool.first.setdefault(mention.kind, mention.document)
    plain = {key: _score(key, pool, key in known) * _met(key, pool, spread) for key, pool in pools.items()}
    documents = {key: len(pool.cues) for key, pool in pools.items()}
    scored = [(score, key) for key, score in _specific(plain, documents).items()]
    best = sorted(scored, key=lambda pair: (-round(pair[0], 6), -len(pools[pair[1]].cues), pair[1]))[:most]
    return tuple(
        NameCandidate(
            _surface(pools[key]),
            round(score, 4),
            _reasons(pools[key], titles, known.get(key, "")),
            len(pools[key].cues),
        )
        for score, key in best
        if score > 0
    )


def spread_of(places: Iterable[Iterable[NameMention]]) -> dict[str, int]:
    """Return in how many documents each run of words stands, of those that bare windows hold."""
    found: dict[str, set[str]] = defaultdict(set)
    for mentions in places:
        for mention in mentions:
            if FAMILY.get(mention.kind) == BARE:
                found[fold(mention.name)].add(mention.document)
    return {name: len(documents) for name, documents in found.items()}


def _met(key: str, pool: _Pool, spread: Mapping[str, int]) -> float:
    alone = 0 < spread.get(key, 0) <= len(pool.cues)
    return _CHANCE if alone and " " in key else 1.0


def _specific(scores: Mapping[str, float], documents: Mapping[str, int]) -> dict[str, float]:
    """Let a fuller name (“peak speed”) stand above the one it ends with (“speed”) where it has cues of its own.

    Where it is fuller by a word that only praises (“significant running”), what more documents say stands above it.
    """
    raised = dict(scores)
    for key, score in scores.items():
        words = key.split()
        shorter = (scores.get(" ".join(words[i:]), 0.0) for i in range(1, len(words)))
        best = max(shorter, default=0.0)
        if " of " not in f" {key} " and len(words) <= _FULLER and score >= _OWN * best:
            raised[key] = max(score, min(best * 1.02, _MOST))
        rest = " ".join(words[1:])
        if words[0] in LEAD and documents.get(rest, 0) > documents[key]:
            raised[key] = min(raised[key], scores[rest] * 0.98)
    return raised


def _score(key: str, pool: _Pool, known: bool) -> float:
    """Noisy-or over the families of cues in each document, then over documents; in a family the strongest cue counts."""
    other = any("constituent" in kinds for kinds in pool.cues.values())
    vague = " " not in key and not is_quantity(key) and not known
    prose, structure = 1.0, 1.0
    for kinds in pool.cues.values():
        families: dict[str, float] = {}
        for kind, weight in kinds.items():
            if kind in STRUCTURAL:
                structure *= 1.0 - weight
                continue
            weight *= (_CONSTITUENT if other else 1.0) * (_ONE_WORD if vague else 1.0)
            family = FAMILY.get(kind, kind)
            families[family] = max(families.get(family, 0.0), weight)
        for weight in families.values():
            prose *= 1.0 - weight
    doubt = structure * max(prose, 1.0 - _MOST_PROSE)
    score = 1.0 - doubt
    return min(score + (KNOWN * score * doubt if known else 0.0), _MOST)


def _surface(pool: _Pool) -> str:
    """The spelling most seen; among equals the one with fewer capitals, as in running text."""
    best = min(pool.surfaces.items(), key=lambda pair: (-pair[1], sum(c.isupper() for c in pair[0]), pair[0]))[0]
    lower = best[:1].lower() + best[1:]
    return lower if lower in pool.surfaces else best


def _reasons(pool: _Pool, titles: Mapping[str, str], qid: str) -> tuple[Message, ...]:
    found = []
    for kind in sorted(pool.places, key=lambda k: (-KINDS.get(k, (0.0, ""))[0], k)):
        documents = sum(kind in kinds for kinds in pool.cues.values())
        title = {"title": titles.get(pool.first[kind], pool.first[kind])} if kind in _TITLED else {}
        cue = Message(f"cue.{KINDS.get(kind, (0.05, kind))[1]}", **title)
        found.append(_counted(cue, pool.places[kind], documents))
    if len(pool.cues) > 1:
        found.insert(0, Message("cue.together", n=len(pool.cues)))
    if qid:
        found.append(Message("cue.item", qid=qid))
    return tuple(found)


def _counted(cue: Message, places: int, documents: int) -> Message:
    if places < 2:
        return cue
    if documents < 2:
        return Message("cue.places", cue=cue, n=places)
    return Message("cue.places_documents", cue=cue, n=places, m=documents)
