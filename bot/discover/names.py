"""Name cues pooled over all places of a concept, scored: which name a concept probably has, and the reasons a reviewer reads.

Every kind of cue has a weight, the chance that a name with this cue alone is right (measured on the development
textbook and articles). Cues in one document and the documents are taken as independent; nearness alone weighs little
and being frequent in the corpus is not fault (names are frequent phrases).
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bot.discover.name_ranking import (
    HEADING_CUES,
    ROLE_WEIGHTS,
    SYMBOL_CUES,
    CorpusUsage,
    FormulaUsage,
    NameMention,
    fitted_kinds,
    symbols_of,
    weighed_scores,
)
from bot.discover.phrases import EN, fold, is_quantity
from bot.messages import Message
from bot.records import NameCandidate


class CueKind(NamedTuple):
    """A line of name_cues.csv. Cues of one family say the same thing twice: what the left side means, what the sentence is about."""

    weight: float
    message: str  # what a reviewer reads is the message `cue.<this>`
    family: str
    structural: bool  # given by the document's structure, not by its prose
    titled: bool  # the message names the document


def _read_cue_kinds() -> dict[str, CueKind]:
    with Path(__file__).with_name("name_cues.csv").open(encoding="utf-8", newline="") as lines:
        return {
            kind: CueKind(float(weight), message, family or kind, "structural" in note, "titled" in note)
            for kind, weight, message, family, note in list(csv.reader(lines))[1:]
        }


CUE_KINDS = _read_cue_kinds()
_UNKNOWN = CueKind(0.05, "", "", False, False)
BARE_FAMILY = "words"  # the family of what a window says that does not show where its formula stands
# Kinds that alone make an equation worth keeping where it occurs in one document only.
NAMING_CUES = frozenset(kind for kind, cue in CUE_KINDS.items() if cue.weight >= 0.25)
# Kinds that are enough where a book displays the equation, and in a sentence of a book: titles and headings are of all its formulas.
DISPLAYED_CUES = frozenset(kind for kind, cue in CUE_KINDS.items() if cue.weight >= 0.08)
SENTENCE_CUES = NAMING_CUES | {kind for kind in DISPLAYED_CUES if CUE_KINDS[kind].family != "place"}
# Kinds of cue by which an author ties a name to this very formula.
AUTHOR_CUES = frozenset(("qid", "key_equations"))
_FAMILIES = {kind: cue.family for kind, cue in CUE_KINDS.items()}
STRUCTURAL_CUES = frozenset(kind for kind, cue in CUE_KINDS.items() if cue.structural)
LABEL_GAIN = 0.4  # how far a label in the item dictionary moves a middling score up
_ONE_WORD = 0.5  # what prose counts for one word that heads no quantity: often an adjective or a thing
_CONSTITUENT = 0.4  # what prose counts for the name of another symbol of the formula (“mass” of F = ma)
# Headings and titles capitalise; running text shows how the name is written.
_SPELLING_WEIGHTS = {"constituent": 0, "label": 0, "heading": 1, "heading_first": 1, "chapter": 1}
_MAX_SCORE = 0.995
_MAX_PROSE = 0.93  # what prose alone can reach, however often it repeats itself
_CHANCE = 0.9  # what words of bare windows count that stand together nowhere else
_MAX_FULLER_WORDS = 4  # words of a fuller name at most
_OWN_SHARE = 0.8  # share of the shorter name's score that the fuller one needs by itself


@dataclass(slots=True)
class _Pool:
    surfaces: dict[str, int] = field(default_factory=dict)
    cues: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))  # document → kind → weight
    places: dict[str, int] = field(default_factory=dict)
    first: dict[str, str] = field(default_factory=dict)  # kind → first document
    mentions: list[NameMention] = field(default_factory=list)


def name_candidates(
    mentions: Iterable[NameMention],
    *,
    most: int,
    titles: Mapping[str, str] = {},
    qids_by_label: Mapping[str, str] = {},
    formula: str = "",
    usage: CorpusUsage | None = None,
) -> tuple[NameCandidate, ...]:
    """Return the best names, best first; with `formula` and what the corpus calls symbols, by the learnt weights too.

    `qids_by_label` maps folded labels to QIDs, `titles` documents to their titles. Words of bare windows that stand together nowhere else
    in the corpus may have met by chance.
    """
    pools = _pools(mentions)
    best = _best(pools, most, qids_by_label, formula, usage)
    return tuple(
        NameCandidate(
            _best_spelling(pools[key], usage),
            round(score, 4),
            _reasons(pools[key], titles, qids_by_label.get(key, "")),
            len(pools[key].cues),
        )
        for score, key in best
    )


def scored_names(
    mentions: Iterable[NameMention], *, most: int, qids_by_label: Mapping[str, str] = {}
) -> tuple[tuple[str, float], ...]:
    """Return the best names as `name_candidates` does, folded and with their score only."""
    return tuple((key, round(score, 4)) for score, key in _best(_pools(mentions), most, qids_by_label))


def _pools(mentions: Iterable[NameMention]) -> dict[str, _Pool]:
    """Return what each folded name has at all its places."""
    pools: dict[str, _Pool] = defaultdict(_Pool)
    for mention in mentions:
        name, kind, document, _, role = mention
        pool = pools[fold(name)]
        weight = _weight(kind, role)
        pool.surfaces[name] = pool.surfaces.get(name, 0) + _SPELLING_WEIGHTS.get(kind, 3)
        kinds = pool.cues[document]
        if weight > kinds.get(kind, -1.0):
            kinds[kind] = weight
        pool.places[kind] = pool.places.get(kind, 0) + 1
        pool.mentions.append(mention)
        pool.first.setdefault(kind, document)
    return pools


@cache
def _weight(kind: str, role: str) -> float:
    return CUE_KINDS.get(kind, _UNKNOWN).weight * ROLE_WEIGHTS.get(role, 1.0)


def _best(
    pools: Mapping[str, _Pool],
    most: int,
    qids_by_label: Mapping[str, str],
    formula: str = "",
    usage: CorpusUsage | None = None,
) -> list[tuple[float, str]]:
    """Return (score, folded name) of the best names above 0, the best first."""
    plain = {
        key: _score(key, pool, key in qids_by_label) * _chance_factor(key, pool, usage) for key, pool in pools.items()
    }
    documents = {key: len(pool.cues) for key, pool in pools.items()}
    scores = _prefer_fuller_names(plain, documents)
    if usage is not None:
        scores = _reranked(scores, formula, pools, usage, qids_by_label)
    scored = [(score, key) for key, score in scores.items()]
    best = sorted(scored, key=lambda pair: (-round(pair[0], 6), -len(pools[pair[1]].cues), pair[1]))[:most]
    return [pair for pair in best if pair[0] > 0]


def _reranked(
    scores: Mapping[str, float],
    formula: str,
    pools: Mapping[str, _Pool],
    usage: CorpusUsage,
    qids_by_label: Mapping[str, str],
) -> dict[str, float]:
    """Return the scores with the learnt weights applied. Bare windows have no kinds of cue, and what an author gives stays above prose.

    A name with a cue of a kind that the weights were not fitted on (an article's title, an infobox) has at least the score of such cues.
    """
    if any(is_bare(kind) for pool in pools.values() for kind in pool.places):
        return dict(scores)
    positive_scores = {key: score for key, score in scores.items() if score > 0}
    found = weighed_scores(
        positive_scores, formula, {key: pools[key].mentions for key in positive_scores}, usage, labels=qids_by_label
    )
    limit = (
        min([_MAX_PROSE, *(scores[key] for key in positive_scores if AUTHOR_CUES & pools[key].places.keys())]) - 0.01
    )
    return {
        key: max(min(score, limit), min(_score_of_unfitted_cues(key, pools[key]), scores[key]))
        for key, score in found.items()
    }


def _score_of_unfitted_cues(key: str, pool: _Pool) -> float:
    """Return the score of a name by its cues of those kinds alone that the weights were not fitted on; 0 without any."""
    fitted = fitted_kinds()
    if pool.places.keys() <= fitted:
        return 0.0
    others = {d: {kind: w for kind, w in kinds.items() if kind not in fitted} for d, kinds in pool.cues.items()}
    return _score(key, _Pool(cues=others), False) if any(others.values()) else 0.0


def is_bare(kind: str) -> bool:
    """Say whether a kind of cue is of a window that does not show where its formula stands."""
    return kind in CUE_KINDS and CUE_KINDS[kind].family == BARE_FAMILY


def formula_usage(tex: str, mentions: Iterable[NameMention]) -> FormulaUsage:
    """Return what the name mentions at one formula contribute to the usage of the corpus."""
    called, bare_names, lower = set[tuple[str, str]](), set[tuple[str, str]](), set[str]()
    for name, kind, document in {(m.name, m.kind, m.document) for m in mentions}:
        if kind not in HEADING_CUES:
            lower.update([word for word in name.split() if word.islower()])
        if kind in SYMBOL_CUES:
            called.add((fold(name), document))
        if is_bare(kind):
            bare_names.add((fold(name), document))
    symbols = tuple(dict.fromkeys(symbols_of(tex))) if called else ()
    return FormulaUsage(symbols, tuple(sorted(called)) if symbols else (), tuple(sorted(bare_names)), frozenset(lower))


def _chance_factor(key: str, pool: _Pool, usage: CorpusUsage | None) -> float:
    if usage is None or " " not in key or not usage.phrase_documents:
        return 1.0
    return _CHANCE if usage.is_limited_to(key, len(pool.cues)) else 1.0


def _prefer_fuller_names(scores: Mapping[str, float], documents: Mapping[str, int]) -> dict[str, float]:
    """Raise a fuller name (“peak speed”) above the one it ends with (“speed”) where it has cues of its own.

    Where the additional word only praises (“significant running”), the name in more documents stays above it.
    """
    raised = dict(scores)
    for key, score in scores.items():
        words = key.split()
        best = max([scores.get(" ".join(words[i:]), 0.0) for i in range(1, len(words))], default=0.0)
        if " of " not in f" {key} " and len(words) <= _MAX_FULLER_WORDS and score >= _OWN_SHARE * best:
            raised[key] = max(score, min(best * 1.02, _MAX_SCORE))
        rest = " ".join(words[1:])
        if words[0] in EN.words("lead") and documents.get(rest, 0) > documents[key]:
            raised[key] = min(raised[key], scores[rest] * 0.98)
    return raised


def _score(key: str, pool: _Pool, is_label: bool) -> float:
    """Noisy-or over the families of cues in each document, then over documents; in a family the strongest cue counts."""
    other = any("constituent" in kinds for kinds in pool.cues.values())
    vague = " " not in key and not is_quantity(key) and not is_label
    factor = (_CONSTITUENT if other else 1.0) * (_ONE_WORD if vague else 1.0)
    prose, structure = 1.0, 1.0
    for kinds in pool.cues.values():
        families: dict[str, float] = {}
        for kind, weight in kinds.items():
            if kind in STRUCTURAL_CUES:
                structure *= 1.0 - weight
                continue
            weight *= factor
            family = _FAMILIES.get(kind, kind)
            if weight > families.get(family, 0.0):
                families[family] = weight
        for weight in families.values():
            prose *= 1.0 - weight
    doubt = structure * max(prose, 1.0 - _MAX_PROSE)
    score = 1.0 - doubt
    return min(score + (LABEL_GAIN * score * doubt if is_label else 0.0), _MAX_SCORE)


def _best_spelling(pool: _Pool, usage: CorpusUsage | None) -> str:
    """The spelling most seen; among equals the one with fewer capitals, as in running text."""
    best = min(pool.surfaces.items(), key=lambda pair: (-pair[1], sum(c.isupper() for c in pair[0]), pair[0]))[0]
    lower = best[:1].lower() + best[1:]
    if usage is not None and pool.places.keys() <= HEADING_CUES:
        return usage.sentence_case(best)
    return lower if lower in pool.surfaces else best


def _reasons(pool: _Pool, titles: Mapping[str, str], qid: str) -> tuple[Message, ...]:
    found = []
    for kind in sorted(pool.places, key=lambda k: (-CUE_KINDS[k].weight if k in CUE_KINDS else 0.0, k)):
        documents = sum(kind in kinds for kinds in pool.cues.values())
        its = CUE_KINDS.get(kind, _UNKNOWN)
        title = {"title": titles.get(pool.first[kind], pool.first[kind])} if its.titled else {}
        cue = Message(f"cue.{its.message or kind}", **title)
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
