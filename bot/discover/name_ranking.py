"""Learned weights: how likely a name of a concept is right, from all its cues together.

Added to the log-odds of a name's pooled cues (bot.discover.names): how often each kind of cue gives it, its shape, how many places
have it, whether the corpus calls the formula's left side by such a noun, and whether it names a quantity with usual symbols, of which
one stands on the left or on the right. The weights (name_weights.json) are fitted by benchmarks/train_names.py: a conditional logit
over the names of each formula.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple, Self

from bot.discover.document_counts import DocumentCounts, round_coarsely
from bot.discover.left_sides import left_side, sides
from bot.discover.phrases import EN, is_law, is_quantity
from bot.discover.symbols.quantity_names import quantity_of
from bot.formula import identifiers
from bot.formula.quantities.formula_symbols import symbol_of

# Kinds of cue that say what the symbol on the left is called.
SYMBOL_CUES = frozenset("symbol symbol_far symbol_called apposition is_the defined equals".split())
# Kinds whose names are written as headings are.
HEADING_CUES = frozenset(
    "heading heading_first heading_law heading_part chapter chapter_part equation_title label".split()
)
SHAPE_FEATURES = (
    "one_word", "two_words", "three_words", "more_words", "law", "quantity", "law_of_symbol", "quantity_of_symbol", "initial",
    "inner_initial", "has_of", "fuller", "inner", "capitals", "script_letter", "unlike_script_letter", "script_word",
    "unlike_script_word",
)  # fmt: skip
USAGE_FEATURES = ("head_of_left", "head_unknown", "name_of_letter", "head_of_letter")
_NO_NAMES: Counter[str] = Counter()
_INDEX = re.compile(r"_([A-Za-z]+)")  # in a symbol without styling, braces and blanks
_COUNTERS = frozenset("ijkmn")
_MAX_SYMBOL_LENGTH = 60  # characters of an equation's left side that may be a symbol with its arguments
QUANTITY_FEATURES = (
    "quantity_known", "quantity_alone", "usual_left", "unusual_left", "usual_right", "eponym", "label", "label_law",
    "quantity_unsymbolled", "law_unsymbolled", "of_change",
)  # fmt: skip
_NO_SYMBOLS: frozenset[str] = frozenset()
PLACE_FEATURES = ("documents", "share_of_documents", "share_of_places", "kinds")


# A method of CorpusUsage, the name, and the number of documents or the symbols.
UsageQuery = tuple[str, str, int | tuple[str, ...]]


class NameMention(NamedTuple):
    """A name cue at a place."""

    name: str
    kind: str
    document: str
    position: int
    role: str = "text"


class FormulaUsage(NamedTuple):
    """What the name mentions at one formula contribute to CorpusUsage."""

    symbols: tuple[str, ...]  # of the formula's left side
    symbol_names: tuple[tuple[str, str], ...]  # (folded name, document) of cues that name the symbol on the left
    # (folded name, document) of windows that do not show where their formula stands
    bare_phrases: tuple[tuple[str, str], ...]
    lower_case_words: frozenset[str]  # words that are not a heading's, in lower case


@dataclass(slots=True)
class CorpusUsage:
    """In how many documents of the corpus a symbol (as written, or its letter) has a noun or a name; and the words in lower case.

    Numbers are coarse, so that cached results of a concept stay valid while a few documents are added; `totals` are of all nouns of a symbol.
    `phrase_documents` is the number of documents of each phrase of bare windows.
    """

    heads: Mapping[str, Counter[str]] = field(default_factory=dict)
    names: Mapping[str, Counter[str]] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    lower_case_words: frozenset[str] = frozenset()
    phrase_documents: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[FormulaUsage]) -> Self:
        heads, names = DocumentCounts[tuple[str, str]](), DocumentCounts[tuple[str, str]]()
        spread, lower = DocumentCounts[str](), set[str]()
        for usage in found:
            lower |= usage.lower_case_words
            for name, document in usage.symbol_names:
                for symbol in usage.symbols:
                    heads.note((symbol, _head(name)), document)
                    names.note((symbol, name), document)
            for name, document in usage.bare_phrases:
                spread.note(name, document)
        exact = _by_symbol(heads)
        totals = {symbol: round_coarsely(nouns.total()) for symbol, nouns in exact.items()}
        return cls(_coarse(exact), _coarse(_by_symbol(names)), totals, frozenset(lower), spread.counted())

    def name_counts(self, symbols: Sequence[str], name: str) -> tuple[int, int, int, int]:
        """Return four numbers of documents: that call the left side by the head noun of the name; its letter by that noun; its letter by any noun; its letter by the name."""
        left, letter = symbols
        head = _head(name)
        return (
            self.heads.get(left, _NO_NAMES).get(head, 0),
            self.heads.get(letter, _NO_NAMES).get(head, 0),
            self.totals.get(letter, 0),
            self.names.get(letter, _NO_NAMES).get(name, 0),
        )

    def is_limited_to(self, name: str, documents: int) -> bool:
        """Say whether bare windows of at most so many documents of the corpus hold these words."""
        return 0 < self.phrase_documents.get(name, 0) <= documents

    def sentence_case(self, name: str) -> str:
        """Return a heading as running text writes it: words that the corpus has in lower case lose their capital."""
        words = name.split()
        if len(words) < 2 or any(word[:1].islower() for word in words if len(word) > 4):
            return name
        return " ".join(word.lower() if self._is_usual_in_lower_case(word) else word for word in words)

    def _is_usual_in_lower_case(self, word: str) -> bool:
        return word.lower() in self.lower_case_words or (
            len(word) > 2 and word.istitle() and word.lower() in EN.words("function")
        )

    def answer(self, question: UsageQuery) -> object:
        """Answer a recorded query."""
        kind, name, argument = question
        if kind == "name_counts":
            return _odds_of_counts(*self.name_counts(argument, name))  # type: ignore[arg-type]
        return self.is_limited_to(name, argument) if kind == "is_limited_to" else self.sentence_case(name)  # type: ignore[arg-type]


@dataclass(slots=True)
class RecordingUsage(CorpusUsage):
    """Usage that records its queries: all that the names of one concept depend on in the rest of the corpus."""

    queries: set[UsageQuery] = field(default_factory=set)

    @classmethod
    def recording(cls, usage: CorpusUsage) -> Self:
        return cls(usage.heads, usage.names, usage.totals, usage.lower_case_words, usage.phrase_documents)

    def name_counts(self, symbols: Sequence[str], name: str) -> tuple[int, int, int, int]:
        self.queries.add(("name_counts", name, tuple(symbols)))
        return CorpusUsage.name_counts(self, symbols, name)

    def is_limited_to(self, name: str, documents: int) -> bool:
        self.queries.add(("is_limited_to", name, documents))
        return CorpusUsage.is_limited_to(self, name, documents)

    def sentence_case(self, name: str) -> str:
        self.queries.add(("sentence_case", name, 0))
        return CorpusUsage.sentence_case(self, name)


def _by_symbol(found: DocumentCounts[tuple[str, str]]) -> dict[str, Counter[str]]:
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for (symbol, name), documents in found.counted().items():
        counted[symbol][name] = documents
    return dict(counted)


def _coarse(found: Mapping[str, Counter[str]]) -> dict[str, Counter[str]]:
    return {symbol: Counter({name: round_coarsely(n) for name, n in each.items()}) for symbol, each in found.items()}


def symbols_of(tex: str) -> tuple[str, ...]:
    """Return the left side as written, and its letter; () where no symbol stands alone."""
    left = left_side(tex)
    return (left, *(identifiers(left)[:1] or (left,))) if left else ()


@lru_cache(maxsize=100_000)
def _head(name: str) -> str:
    words = name.partition(" of ")[0].split()
    return words[-1] if words else ""


def features(
    tex: str, pools: Mapping[str, Sequence[NameMention]], usage: CorpusUsage, labels: Container[str] = ()
) -> dict[str, dict[str, float]]:
    """Return the features of each folded name.

    `pools` are the mentions of each name at one concept, `labels` the folded labels of items.
    """
    symbols = symbols_of(tex)
    letters = _letters(tex)
    own = {
        name: {(m.document, m.position) for m in mentions if m.role != "equivalent"} for name, mentions in pools.items()
    }
    every = set().union(*own.values())
    documents, places = len({document for document, _ in every}) or 1, len(every) or 1
    found = {}
    for name, mentions in pools.items():
        found[name] = {
            **_cue_features(mentions),
            **_shape_features(name, mentions, symbols),
            **_usage_features(name, symbols, usage),
            **_quantity_features(name, mentions, symbols, letters, labels),
            "documents": math.log(len({m.document for m in mentions})),
            "share_of_documents": len({document for document, _ in own[name]}) / documents,
            "share_of_places": len(own[name]) / places,
            "kinds": math.log(len({m.kind for m in mentions})),
        }
    for name in found:
        words = name.split()
        for start, end in combinations(range(len(words) + 1), 2) if len(words) > 1 else ():
            inner = " ".join(words[start:end])
            if inner != name and inner in found:
                found[name]["fuller"] = found[inner]["inner"] = 1.0
    return found


def _cue_features(mentions: Sequence[NameMention]) -> dict[str, float]:
    """Return log2(1 + n) for each kind of cue, n counting documents, by the role of its best place."""
    counted: dict[str, dict[str, float]] = defaultdict(dict)
    for _, kind_, document, _, role in mentions:
        kind, weight = counted[kind_], ROLE_WEIGHTS.get(role, 1.0)
        if weight > kind.get(document, 0.0):
            kind[document] = weight
    return {f"cue:{kind}": math.log2(1 + sum(by.values())) for kind, by in counted.items()}


# What a cue counts in an example or exercise, where numbers and special cases live, and from a formula with other scripts.
ROLE_WEIGHTS = {"example": 0.5, "exercise": 0.5, "equivalent": 0.35}


def _shape_features(name: str, mentions: Sequence[NameMention], symbols: Sequence[str]) -> dict[str, float]:
    words, law, quantity = name.split(), is_law(name), is_quantity(name)
    letter = symbols[-1].lstrip("\\")[:1].lower() if symbols else ""
    initial = bool(letter) and letter == _head(name)[:1]
    return {
        SHAPE_FEATURES[min(len(words), 4) - 1]: 1.0,
        "law": float(law),
        "quantity": float(quantity),
        "law_of_symbol": float(law and bool(symbols)),
        "quantity_of_symbol": float(quantity and bool(symbols)),
        "initial": float(initial),
        "inner_initial": float(bool(letter) and not initial and letter in {word[:1] for word in words}),
        "has_of": float(" of " in name),
        "capitals": float(all(m.name[:1].isupper() for m in mentions)),
        **({} if law else _index_features(words, symbols)),
    }


def _index_features(words: Sequence[str], symbols: Sequence[str]) -> dict[str, float]:
    """Return the feature of whether a name has the index of the left side: `F_{net}` is a net force, `f_s` a static friction; counters say nothing."""
    found = _INDEX.search(symbols[0]) if symbols else None
    index = found[1].lower() if found else ""
    if not index or index in _COUNTERS:
        return {}
    long = len(index) > 1
    like = any(w.startswith(index) or (len(w) > 2 and index.startswith(w)) for w in words)
    like = like or (long and index in "".join(w[0] for w in words))
    return {f"{'' if like else 'unlike_'}script_{'word' if long else 'letter'}": 1.0}


def _usage_features(name: str, symbols: Sequence[str], usage: CorpusUsage) -> Mapping[str, float]:
    if not symbols or is_law(name):
        return {}
    return _features_of_counts(*usage.name_counts(symbols, name))


@cache  # numbers are coarse
def _features_of_counts(of_left: int, of_letter: int, all_of_letter: int, name_of_letter: int) -> Mapping[str, float]:
    return {
        "head_of_left": math.log1p(of_left),
        "head_of_letter": of_letter / (1 + all_of_letter),
        "head_unknown": float(all_of_letter > 1 and not of_letter),
        "name_of_letter": math.log1p(name_of_letter),
    }


def _letters(tex: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of the symbol that stands alone on the left, and those of the letters on the right only."""
    left, right = sides(tex)
    alone = symbol_of(left) if right and len(left) <= _MAX_SYMBOL_LENGTH else None
    inner = (symbol_of(letter) for letter in _identifiers(right or tex) - _identifiers(left if right else ""))
    return frozenset(alone.keys) if alone else _NO_SYMBOLS, frozenset(
        key for each in inner if each for key in each.keys
    )


def _identifiers(side: str) -> set[str]:
    return set(identifiers(side)) if side else set()


def _quantity_features(
    name: str,
    mentions: Sequence[NameMention],
    symbols: Sequence[str],
    letters: tuple[frozenset[str], frozenset[str]],
    labels: Container[str],
) -> dict[str, float]:
    """Return the features of a name that come from the table of quantities: whether it names one, and which symbols are usual for it."""
    (left, right), (quantity, alone), law = letters, quantity_of(name), is_law(name)
    usual = frozenset(quantity.symbols) if quantity else _NO_SYMBOLS
    features_held = {
        "quantity_known": quantity is not None,
        "quantity_alone": alone,
        "usual_left": bool(usual & left),
        "unusual_left": bool(usual and left and not usual & left),
        "usual_right": bool(usual & right),
        "eponym": any(map(EN.pattern("eponym").search, {m.name for m in mentions})),
        "label": name in labels,
        "label_law": law and name in labels,
        "quantity_unsymbolled": not symbols and is_quantity(name),
        "law_unsymbolled": law and not symbols,
        "of_change": bool(symbols) and symbols[0].startswith("\\Delta") and is_quantity(name),
    }
    return {feature: 1.0 for feature, holds in features_held.items() if holds}


@cache
def shipped_name_weights() -> Mapping[str, float]:
    """Return the fitted weights: what a feature adds to the log-odds of a name; "bias" is added to all."""
    data = json.loads(Path(__file__).with_name("name_weights.json").read_text(encoding="utf-8"))
    weights: Mapping[str, float] = data["weights"]
    return weights


@cache
def fitted_kinds() -> frozenset[str]:
    """Return the kinds of cue that the weights were fitted on."""
    return frozenset(feature.removeprefix("cue:") for feature in shipped_name_weights())


def weighed_scores(
    scores: Mapping[str, float],
    tex: str,
    pools: Mapping[str, Sequence[NameMention]],
    usage: CorpusUsage,
    weights: Mapping[str, float] | None = None,
    labels: Container[str] = (),
) -> dict[str, float]:
    """Return the scores with what the learnt weights add to their log-odds."""
    weights = shipped_name_weights() if weights is None else weights
    feature_rows = features(tex, {name: pools[name] for name in scores}, usage, labels)
    return {
        name: logistic(
            log_odds(score)
            + weights["bias"]
            + sum(
                [
                    weights[f] * x
                    for f, x in sorted(feature_rows[name].items())
                    if x and f in weights and f not in USAGE_FEATURES
                ]
            )
            + _usage_odds(feature_rows[name], weights)
        )
        for name, score in scores.items()
    }


def _usage_odds(feature_values: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return what the usage of the corpus adds to the log-odds, in tenths: a few new documents change it for few names."""
    return (
        round(
            10 * sum([weights[f] * feature_values[f] for f in USAGE_FEATURES if f in feature_values and f in weights])
        )
        / 10
    )


@cache
def _odds_of_counts(*counts: int) -> float:
    return _usage_odds(_features_of_counts(*counts), shipped_name_weights())


def log_odds(score: float) -> float:
    return math.log(max(score, 0.001) / (1 - min(score, 0.9999)))


def logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
