"""What speaks for each meaning that a symbol of a formula may have: its document, other documents, usage; one group for each quantity."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import chain, islice
from typing import NamedTuple, Self, TypeAlias

from bot.corpus.draft import MASK
from bot.discover.cues.cue_language import CueLanguage
from bot.discover.document_counts import round_coarsely
from bot.discover.label_automaton import Labels
from bot.discover.left_sides import sides
from bot.discover.names import CUE_KINDS
from bot.discover.phrases import fold, split_at_joint
from bot.discover.symbols.quantity_names import Quantity, by_symbol, quantities, quantity_of
from bot.discover.symbols.symbol_mentions import SymbolMention, sentence_texts, symbol_mentions
from bot.formula.quantities.formula_symbols import FormulaSymbol, formula_symbols, without_running_index
from bot.records import Occurrence
from bot.result_cache import cache_key

MAX_READINGS = 5  # of one symbol that are tried together with those of the others
MIN_SHARE = 0.1  # of other documents: chosen, so that a document more touches few formulas; what is rarer is not chosen without other evidence
NEARNESS_RANGE = 15.0  # formulas on, a sentence counts for a third
# Of a symbol's key and a reading's: the meaning in words, and a sentence that says so
DocumentMeanings: TypeAlias = dict[tuple[str, str], tuple[str, str]]


@dataclass(slots=True)
class SymbolReading:
    """One meaning that a symbol may have, with its features; `sentence` is the best that says so, "" where none does."""

    key: str  # a quantity's, or the folded phrase
    quantity: Quantity | None
    meaning: str = ""
    sentence: str = ""
    best: float = 0.0
    features: dict[str, float] = field(default_factory=partial(defaultdict, float))

    def note_sentence(self, meaning: str, sentence: str, weight: float) -> None:
        if weight > self.best or not self.meaning:
            self.meaning, self.sentence, self.best = meaning, sentence, weight


# The keys of a symbol in order, each with the readings that its own document gives, which do not count as another's.
ReadingsByKey: TypeAlias = tuple[tuple[str, frozenset[str]], ...]
# What counts a mention, the mention, its reading, and what it is evidence of where it names a formula: "" where it does not.
_About: TypeAlias = tuple[float, SymbolMention, str, "Quantity | None", str, float]


def _named(kind: str) -> tuple[str, float]:
    cue = kind.removeprefix("name_")
    if cue == kind:
        return "", 0.0
    return (
        ("constituent", 1.0) if cue == "constituent" else ("called", CUE_KINDS[cue].weight if cue in CUE_KINDS else 0.0)
    )


class DocumentSymbols:
    """The meanings of symbols in one document."""

    def __init__(self, occurrences: Sequence[Occurrence], language: CueLanguage) -> None:
        self.occurrences = occurrences
        self.formulas = {each.position: each.tex for each in occurrences}
        self.mentions: dict[str, list[SymbolMention]] = defaultdict(list)
        self._given: dict[tuple[str, str], frozenset[str]] = {}
        self._rendered: dict[str, str] = {}
        self._about: dict[tuple[tuple[str, ...], tuple[str, ...], str], list[_About]] = {}
        for each in symbol_mentions(occurrences, language):
            for key in each.symbol.keys:
                self.mentions[key].append(each)

    def render(self, sentence: str) -> str:
        """Return a sentence of this document with its formulas as $TeX$."""
        if (rendered := self._rendered.get(sentence)) is None:
            rendered = MASK.sub(lambda mask: f"${self.formulas.get(int(mask[1]), '')}$", sentence)
            self._rendered[sentence] = rendered
        return rendered

    def render_all(self, of: Mapping[str, str]) -> dict[str, str]:
        return {key: self.render(sentence) for key, sentence in of.items()}

    def mentions_of(self, symbol: FormulaSymbol, weak: tuple[str, ...]) -> list[_About]:
        """Return the mentions of a symbol, and of symbols that it may be a form of."""
        of = symbol.keys, weak, symbol.letter
        if (mentions := self._about.get(of)) is None:
            mentions = self._about[of] = [
                (level, mention, *reading, *_named(mention.kind))
                for level, group in ((1.0, symbol.keys), (0.5, weak))
                for mention in {id(m): m for key in group for m in self.mentions.get(key, ())}.values()
                if (reading := reading_key(mention.meaning, symbol.letter))[0]
            ]
        return mentions

    def explicit_readings(self, key: str, letter: str) -> frozenset[str]:
        """Return the readings that this document gives to a key."""
        if (reading_keys := self._given.get((key, letter))) is None:
            explicit = (each for each in self.mentions.get(key, ()) if each.kind in EXPLICIT_KINDS)
            reading_keys = self._given[key, letter] = frozenset(
                reading_key(each.meaning, letter)[0] for each in explicit
            )
        return reading_keys

    def explicit_meanings(self) -> DocumentMeanings:
        """Return the meanings of symbols in this document."""
        last = {}
        for each in {id(each): each for mentions in self.mentions.values() for each in mentions}.values():
            if each.kind in EXPLICIT_KINDS:
                for key in each.symbol.keys:
                    last[key, reading_key(each.meaning, each.symbol.letter)[0]] = each
        return {pair: (each.meaning, self.render(each.sentence)) for pair, each in last.items()}


@lru_cache(maxsize=50_000)
def reading_key(meaning: str, letter: str = "") -> tuple[str, Quantity | None]:
    """Return under which key meanings are one: that of a quantity, or the phrase up to “of”. A frequency ω is an angular one."""
    quantity, _ = quantity_of(meaning)
    if quantity and quantity.key == "frequency" and letter in _ANGULAR:
        quantity = quantities()["angular frequency"]
    return (quantity.key, quantity) if quantity else (fold(split_at_joint(meaning)[0]), None)


class ReadingsElsewhere(NamedTuple):
    """The readings that other documents of a source give to a symbol, the most frequent first, without those that too few give to say something."""

    key: str  # of the symbol
    documents: Mapping[str, int]  # that give each reading, rounded
    total: int  # of documents, rounded

    @property
    def best(self) -> tuple[str, ...]:
        return tuple(islice(self.documents, MAX_READINGS))

    def share(self, reading: str) -> float:
        return self.documents.get(reading, 0) / self.total


class SymbolUsage:
    """How often the documents of a source give each meaning to a symbol, by source and key. To be asked once all documents are there."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.shown: dict[tuple[str, str, str], tuple[str, str]] = {}
        self._known: dict[tuple[str, ReadingsByKey], tuple[ReadingsElsewhere, bytes]] = {}
        self._orders: dict[tuple[str, str], tuple[Counter[str], list[str], int]] = {}

    def add(self, source: str, meanings: DocumentMeanings) -> None:
        for (symbol, key), sentence in meanings.items():
            self.counts[source, symbol][key] += 1
            self.shown.setdefault((source, symbol, key), sentence)

    def readings_elsewhere(self, source: str, own: ReadingsByKey) -> tuple[ReadingsElsewhere, bytes]:
        """Return the readings of a symbol in other documents, and a digest of all that is to be known of them."""
        if (cached := self._known.get((source, own))) is None:
            found = self._elsewhere(source, own)
            shown_readings = [(each, n, self.shown[source, found.key, each]) for each, n in found.documents.items()]
            digest = cache_key(found.key, found.total, shown_readings) if shown_readings else b""
            cached = self._known[source, own] = found, digest
        return cached

    def of_document(self, source: str, symbols: Iterable[ReadingsByKey]) -> Self:
        """Return what `readings` asks for these symbols of a document."""
        found = self.__class__()
        for own in symbols:
            elsewhere, _ = found._known[source, own] = self.readings_elsewhere(source, own)
            shown = ((source, elsewhere.key, each) for each in elsewhere.documents)
            found.shown |= {each: self.shown[each] for each in shown}
        return found

    def _elsewhere(self, source: str, own: ReadingsByKey) -> ReadingsElsewhere:
        for key, given in own:
            counts, order, every = self._ordered(source, key)
            given = given & counts.keys()
            if total := every - len(given):
                least, left = MIN_SHARE * total, {}
                for each in order:
                    if (n := counts[each]) < least:
                        break
                    if (n := n - (each in given)) >= least:
                        left[each] = round_coarsely(n)
                best = sorted(left.items(), key=lambda each: (-each[1], each[0]))
                return ReadingsElsewhere(key, dict(best), round_coarsely(total))
        return ReadingsElsewhere("", {}, 0)

    def _ordered(self, source: str, key: str) -> tuple[Counter[str], list[str], int]:
        """Return the readings of a symbol, those that most documents give first, and how often documents give it one."""
        if (cached := self._orders.get((source, key))) is None:
            counts = self.counts[source, key]
            cached = self._orders[source, key] = (
                counts,
                sorted(counts, key=counts.__getitem__, reverse=True),
                counts.total(),
            )
        return cached


_ANGULAR = frozenset(("ω", "Ω"))
EXPLICIT_KINDS = frozenset(
    ["defined", "several", "denoted", "bracketed", "apposed", "apposed_letter", "apposed_equation", "behind"]
)


@cache
def _names() -> Labels:
    names: dict[str, str] = {}
    for each in quantities().values():
        for name in (*each.names, *each.german):
            names.setdefault(fold(name), name)
    return Labels(("Q1", name) for name in names.values())


def named_quantities(text: str) -> dict[str, str]:
    """Return the quantities that a text names, each with the first sentence that does."""
    found: dict[str, str] = {}
    for sentence in sentence_texts(text):
        for key in _named_in(sentence):
            found.setdefault(key, sentence)
    return found


@lru_cache(maxsize=4096)  # neighbouring formulas share their sentences
def _named_in(sentence: str) -> tuple[str, ...]:
    quantities_named = (quantity_of(name)[0] for name in _names().find(sentence))
    return tuple(each.key for each in quantities_named if each)


FormulaReadings: TypeAlias = list[tuple[FormulaSymbol, list[SymbolReading]]]


class DocumentReadings(NamedTuple):
    """The readings of one symbol of a formula by its document alone; `own` are those that the document gives to each of its keys."""

    symbol: FormulaSymbol
    found: dict[str, SymbolReading]
    weak: tuple[str, ...]  # keys of what it may be a form of: without its running index, or before its change
    own: ReadingsByKey


class FormulaSymbolReadings(NamedTuple):
    """A formula as its document alone reads it; `named` are the quantities that its own sentences name."""

    position: int
    tex: str
    symbols: tuple[DocumentReadings, ...]
    named: dict[str, str]


class DocumentReading(NamedTuple):
    """Formulas with a relation and several symbols as their document alone reads them; `around` are the quantities that it names."""

    formulas: tuple[FormulaSymbolReadings, ...]
    around: dict[str, str]


class UsageInputs(NamedTuple):
    """What the readings of a document's formulas are made from beyond the document: its symbols, and the numbers of those in each formula."""

    symbols: tuple[ReadingsByKey, ...]
    formulas: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, document: DocumentReading) -> Self:
        number: dict[ReadingsByKey, int] = {}
        formulas = tuple(
            tuple(number.setdefault(each.own, len(number)) for each in formula.symbols) for formula in document.formulas
        )
        return cls(tuple(number), formulas)


def read_document(document: DocumentSymbols) -> DocumentReading:
    """Return the meanings of symbols in a document; sentences have their formulas as $TeX$."""
    named: dict[str, dict[str, str]] = {}  # by window
    around: dict[str, str] = {}
    for window in dict.fromkeys(each.window for each in document.occurrences):
        named[window] = document.render_all(named_quantities(window))
        around = named[window] | around
    formulas = []
    for each in document.occurrences:
        if sides(each.tex)[1] and len(symbols := formula_symbols(each.tex)) > 1:
            read = tuple(_readings_by_document(symbol, each, document) for symbol in symbols)
            formulas.append(FormulaSymbolReadings(each.position, each.tex, read, named[each.window]))
    return DocumentReading(tuple(formulas), around)


def _readings_by_document(symbol: FormulaSymbol, occurrence: Occurrence, document: DocumentSymbols) -> DocumentReadings:
    found: dict[str, SymbolReading] = {}
    weak = tuple(key_without_index for key in symbol.keys if (key_without_index := without_running_index(key))) or (
        tuple(k.removeprefix("Δ") for k in symbol.keys) if symbol.is_difference else ()
    )
    position, window = occurrence.position, occurrence.window
    for level, mention, key, quantity, name, value in document.mentions_of(symbol, weak):
        distance = abs(mention.position - position)
        if name and distance:  # that a formula is called so elsewhere says nothing of this one
            continue
        reading = _reading(found, key, quantity)
        features = reading.features
        near = math.exp(-distance / NEARNESS_RANGE) * level
        if name:
            reading.note_sentence(mention.meaning, mention.sentence, near)
            features[name] = max(features[name], value * level)
            features["called_often"] += value * level
        else:
            inside = float(mention.sentence in window)
            reading.note_sentence(mention.meaning, mention.sentence, near + inside + 2.0)
            features[mention.kind] = max(features[mention.kind], near)
            features["inside"] = max(features["inside"], inside)
            features["count"] += level
    for reading in found.values():
        reading.features["count"] = min(reading.features["count"], 3.0)
        reading.features["called_often"] = min(reading.features["called_often"], 3.0)
    for reading in found.values():
        reading.sentence = document.render(reading.sentence)
    own = tuple((key, document.explicit_readings(key, symbol.letter)) for key in dict.fromkeys((*symbol.keys, *weak)))
    return DocumentReadings(symbol, found, weak, own)


def _reading(found: dict[str, SymbolReading], key: str, quantity: Quantity | None) -> SymbolReading:
    if (reading := found.get(key)) is None:
        reading = found[key] = SymbolReading(key, quantity)
    return reading


@lru_cache(maxsize=4096)
def _usual(keys: tuple[str, ...], weak: tuple[str, ...], letter: str, index: bool) -> list[tuple[str, Quantity, bool]]:
    """Return the quantities that a symbol is usual for, each with the key that says so, and whether that is the symbol's own."""
    return [
        (key, quantity, strict)
        for strict, group in ((True, keys), (False, (letter,) if index else weak))
        for key in group
        for quantity in by_symbol().get(key, ())
    ]


def readings(
    formula: FormulaSymbolReadings, usage: SymbolUsage, source: str, around: Mapping[str, str]
) -> FormulaReadings:
    """Return for each symbol of a formula the meanings that something speaks for: its document, others of the source, what is usual.

    Of meanings that only other documents give, the `READINGS` most frequent.
    """
    result = []
    for each in formula.symbols:
        symbol, found = each.symbol, each.found
        usual = _usual(symbol.keys, each.weak, symbol.letter, bool(symbol.index))
        others_usage, _ = usage.readings_elsewhere(source, each.own)
        others = others_usage.documents.keys() & chain(found, (q.key for _, q, _ in usual), formula.named, around)
        for key in {*others_usage.best, *others}:
            reading = _reading(found, key, quantities().get(key))
            share = others_usage.share(key)
            reading.note_sentence(*usage.shown[source, others_usage.key, key], 0.1 * share)
            reading.features["usage_share"] = share
            reading.features["usage_number"] = math.log1p(others_usage.documents[key])
        for key, quantity, strict in usual:
            reading = _reading(found, quantity.key, quantity)
            first = 1.0 / (1 + quantity.symbols.index(key))
            name = "usual" if strict else "usual_letter"
            reading.features[name] = max(reading.features[name], first)
            reading.features[f"{name}_alone"] = float(len(by_symbol()[key]) == 1)
        for reading in found.values():
            if reading.quantity is not None:
                if reading.key in formula.named:
                    reading.features["named"] = 1.0
                    reading.note_sentence(reading.quantity.names[0], formula.named[reading.key], 0.05)
                elif reading.key in around:
                    reading.features["around"] = 1.0
                    reading.note_sentence(reading.quantity.names[0], around[reading.key], 0.02)
                reading.note_sentence(reading.quantity.names[0], "", 0.0)
        result.append((symbol, [each for each in found.values() if each.features]))
    return result
