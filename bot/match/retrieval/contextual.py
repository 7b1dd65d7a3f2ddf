"""Contextual re-ranking: features of candidate items from a formula and from the words around it.

Items that are only named are among them: the concept may have a name on the wiki and no formula yet.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from bot.formula import clean, identifiers
from bot.formula.features.sides import sides
from bot.items_file import ItemRow
from bot.match.item_labels import HEADS, fold, is_statement
from bot.match.retrieval.context import Context, ItemNames, read_context, stem
from bot.match.retrieval.feature_groups import Floats
from bot.match.retrieval.quantities import left_symbol, usual_symbols

MIN_SHARE = 1e-4  # share of an item that the formula alone does not bring
NAMED_FROM = 0.5  # from which on an item counts as named
WHOLE_TITLE = 0.7  # a title that is a name, not one that only ends in it

CONTEXT_FEATURE_NAMES = (
    "share",  # of the item by the formula alone, as a logarithm
    "probability",  # by the formula alone
    "title",  # the title is the item's name
    "title_doubt",  # the same, the less the formula alone is sure of any item
    "heading",
    "near",
    "before",
    "times",
    "telling",  # the name has several words
    "usual",  # the left side is a usual symbol of the item
    "own",  # share of the item's own formulas that begin with this symbol
    "unusual",  # the item has symbols, and the left side is none of them
    "left_is",  # the text says that the left side is the item
    "right_is",  # the text says so of a letter on the right
    "label",  # a script of the left side is an initial of the name: kinetic, E_k
    "spelt",  # the left side is the item's name in words
    "statement",  # the name is a law, an equation, a theorem
    "field",  # share of what is named that is of the item's field
    "words",  # share of the name's words that the context uses
    "unlike",  # a law, an equation, a theorem has formulas, and the formula alone does not bring it; a quantity has many more than are known
    "kinds",  # what special kinds of the item that are not named would have had
)
_PLACE = {name: n for n, name in enumerate(CONTEXT_FEATURE_NAMES)}
CONTEXT_CALIBRATION = (
    "odds", "base", "title", "near", "named", "usual", "own", "left_is", "right_is", "unusual", "statement",
    "field", "unseen", "unlike",
)  # fmt: skip

_SCRIPT = re.compile(r"_\s*\{?(?:\\(?:text|mathrm|rm|mathit)\s*\{?)?\s*([A-Za-z])")
_STACKED = re.compile(r"\\(?:stackrel|overset)\s*\{.*?\}\s*\}?\s*\{\s*=\s*\}")
_TEXT_FONT = re.compile(r"\\text(?:bf|it|rm|sf)\s*\{(\w)\}")
_POWER_OR_ARGUMENT = re.compile(r"\s*\{?(.{1,30}?)(?:\^\s*\{?2\}?)?\s*\}?\s*(?:\(\s*\w+\s*\))?\s*")
_CHANGE = re.compile(r"\s*\\Delta\s*(.+)")
_IN_WORDS = re.compile(r"\\(?:text|mathrm|mbox|operatorname|textit|textrm)\s*\{([^{}]*)\}")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset(("the", "and", "for", "with", "number", "function", *HEADS))


class RetrievedHit(Protocol):
    """An item that the formula alone finds (recognise.Hit)."""

    @property
    def qid(self) -> str: ...
    @property
    def score(self) -> float: ...
    @property
    def probability(self) -> float: ...


class ContextualIndex:
    """The names, symbols and fields of items, searched by the context of a formula. `formulas` and `fields` are by QID."""

    def __init__(
        self, rows: Sequence[ItemRow], formulas: Mapping[str, Sequence[str]], fields: Mapping[str, str]
    ) -> None:
        self.rows = rows
        self.names = ItemNames(rows)
        self._number = {row["qid"]: n for n, row in reversed(list(enumerate(rows)))}
        self._formulas, self._fields = formulas, fields
        self._labels = [fold(row.get("label") or "") for row in rows]
        self._states = [is_statement(label) for label in self._labels]
        self._words = [tuple(dict.fromkeys(map(stem, distinctive_words(label)))) for label in self._labels]
        counts = Counter(word for words in self._words for word in words)
        self._rare = {word: math.log(1 + len(rows) / count) for word, count in counts.items()}
        self._by_symbol: dict[str, list[int]] = defaultdict(list)
        for item, label in enumerate(self._labels):
            for symbol in _symbols_of_its_own(label):
                self._by_symbol[symbol].append(item)
        self._symbols: dict[int, tuple[frozenset[str], Mapping[str, float]]] = {}

    def read(self, text: str, tex: str) -> Context:
        """Read the words around a formula."""
        return read_context(self.names, text, tex)

    def qid(self, item: int) -> str:
        return str(self.rows[item]["qid"])

    def candidates(self, tex: str, hits: Sequence[RetrievedHit], context: Context) -> list[int]:
        """Return the items that the formula may be of: those it brings, those named, and quantities that its left side is usual for."""
        found = dict.fromkeys(self._number[hit.qid] for hit in hits)
        if not identifiers(clean(tex)):
            return list(found)  # numbers and words: no name makes a formula of them
        for part in (context.title, context.heading, context.times):
            found |= dict.fromkeys(part)
        return list(found | dict.fromkeys(self._by_symbol.get(given_symbol(tex), ())))

    def features(self, tex: str, hits: Sequence[RetrievedHit], context: Context, items: Sequence[int]) -> Floats:
        """Return a row in the order of CONTEXT_FEATURE_NAMES for each of the items."""
        by_item = {self._number[hit.qid]: hit for hit in hits}
        doubt = 1 - max((hit.probability for hit in hits), default=0.0)
        symbol, letters = given_symbol(tex), frozenset(identifiers(clean(tex)))
        side = tex.partition("=")[0]
        scripts = {letter.lower() for letter in _SCRIPT.findall(side)}
        spelled = fold(" ".join(_IN_WORDS.findall(side)))
        fields = self._topic(context)
        kinds = self._kinds(items, by_item, context)
        found = np.zeros((len(items), len(CONTEXT_FEATURE_NAMES)))
        for row, item in zip(found, items, strict=True):
            hit = by_item.get(item)
            share = math.exp(hit.score) if hit else 0.0
            is_statement = self._states[item]
            usual, own = self._symbols_of(item)
            fits = bool(symbol) and symbol in usual and not is_statement
            begins = own.get(symbol, 0.0) if symbol else 0.0
            letters_of_item = context.letters.get(item, frozenset())
            title = context.title.get(item, 0.0)
            whole = title if title >= WHOLE_TITLE else 0.0
            initials = re.findall(r"\b[a-z]", self._labels[item])[:-1]
            row[:] = (
                math.log(max(share, MIN_SHARE) / MIN_SHARE) / 3,
                hit.probability if hit else 0.0,
                whole,
                whole * doubt,
                max(context.heading.get(item, 0.0), title - whole),
                context.near.get(item, 0.0),
                context.before.get(item, 0.0),
                math.log1p(context.times.get(item, 0.0)),
                (context.named(item) > NAMED_FROM) * min(context.length.get(item, 0) - 1, 2) / 2,
                fits,
                begins,
                bool(usual or own) and bool(symbol) and not fits and not begins and not is_statement,
                bool(symbol) and symbol in letters_of_item,
                symbol not in letters_of_item and bool(letters_of_item & letters),
                bool(scripts.intersection(initials)),
                bool(spelled) and spelled == self._labels[item],
                is_statement,
                fields.get(self._fields.get(self.qid(item), ""), 0.0),
                self._used(item, context),
                is_statement and hit is None and bool(self._formulas.get(self.qid(item))),
                math.log(max(share + kinds.get(item, 0.0), MIN_SHARE) / max(share, MIN_SHARE)) / 3,
            )
        return found

    def _topic(self, context: Context) -> dict[str, float]:
        """Return the share of each field in what the context names."""
        found: dict[str, float] = defaultdict(float)
        for part, weight in ((context.title, 2.0), (context.heading, 1.0), (context.times, 1.0)):
            for item, sure in part.items():
                found[self._fields.get(self.qid(item), "")] += weight * min(sure, 2.0)
        found.pop("", None)
        total = sum(found.values()) + 1
        return {name: each / total for name, each in found.items()}

    def _kinds(self, items: Sequence[int], by_item: Mapping[int, RetrievedHit], context: Context) -> dict[int, float]:
        """Return for general items the share of special ones that are not named: tangential velocity is a velocity."""
        item_of_label = {self._labels[item]: item for item in reversed(items)}
        found: dict[int, float] = defaultdict(float)
        for item, hit in by_item.items():
            words = self._labels[item].split()
            ends = (" ".join(words[n:]) for n in range(1, len(words)))
            general = next((item_of_label[end] for end in ends if end in item_of_label), None)
            if general is not None and context.named(item) < NAMED_FROM:
                found[general] += math.exp(hit.score)
        return found

    def _used(self, item: int, context: Context) -> float:
        words = self._words[item]
        total = sum([self._rare[word] for word in words])
        return sum([self._rare[word] for word in words if word in context.words]) / total if total else 0.0

    def _symbols_of(self, item: int) -> tuple[frozenset[str], Mapping[str, float]]:
        """Return the usual symbols of an item, and those that its own formulas begin with, with their share."""
        if item not in self._symbols:
            texts = self._formulas.get(self.qid(item), ())
            counts = Counter(symbol for tex in texts if (symbol := given_symbol(tex, alone=True)))
            self._symbols[item] = (
                frozenset(usual_symbols(self._labels[item])),
                {symbol: count / len(texts) for symbol, count in counts.items()},
            )
        return self._symbols[item]


def calibration_features_in_document(numbers: Floats, shares: Floats) -> Floats:
    """Return what speaks for each item (items × CONTEXT_CALIBRATION); `shares` are by formula and context together."""

    def of(name: str) -> Floats:
        column: Floats = numbers[:, _PLACE[name]]
        return column

    odds = np.clip(shares, 1e-4, 1 - 1e-4)
    base = np.clip(of("probability"), 0.002, 0.998)
    named = (of("title") + of("heading") + of("times") > 0.1).astype(np.float64)
    return np.column_stack(
        [
            np.log(odds / (1 - odds)) / 3,
            np.log(base / (1 - base)) / 3,
            of("title"),
            of("near"),
            named,
            *[of(name) for name in ("usual", "own", "left_is", "right_is", "unusual", "statement", "field")],
            (of("share") == 0).astype(np.float64),
            of("unlike"),
        ]
    )


@lru_cache(maxsize=50_000)
def given_symbol(tex: str, alone: bool = False) -> str:
    """Return the symbol that a formula gives: alone on its first side, else on a later one unless `alone`; "" for none.

    A power, a change and a shown argument are of the symbol: v^2, Δp and x(t) give v, p and x.
    """
    text = _TEXT_FONT.sub(r"\\mathbf{\1}", _STACKED.sub("=", tex))
    first, *others = sides(clean(text))
    if not others:
        return ""
    return next(filter(None, map(_symbol, (first,) if alone else (first, *others))), "")


@lru_cache(maxsize=50_000)
def _symbol(side: str) -> str:
    """Return the one symbol of a side."""
    tried: tuple[Callable[[str], re.Match[str] | None], ...] = (_POWER_OR_ARGUMENT.fullmatch, _CHANGE.fullmatch)
    found = left_symbol(f"{side}=0")
    for shape in tried:
        inner = shape(side)
        if not found and inner and inner[1] != side:
            found = left_symbol(f"{inner[1]}=0")
    return found


def _symbols_of_its_own(label: str) -> tuple[str, ...]:
    """Return the usual symbols of a quantity; () where they are those of a more general one: a tidal force has those of force."""
    found = usual_symbols(label)
    return () if found == usual_symbols(label.partition(" ")[2]) else found


def distinctive_words(label: str) -> list[str]:
    """Return the words of a folded label that few labels share."""
    return [word for word in _LETTERS.findall(label) if word not in _COMMON]
