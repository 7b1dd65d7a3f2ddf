"""What speaks for each meaning that a symbol of a formula may have: its document, other documents, usage; one group for each quantity."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from bot.corpus.windows import MASK, sentences
from bot.discover.cues.cue_language import CueLanguage
from bot.discover.label_automaton import Labels
from bot.discover.names import KINDS
from bot.discover.phrases import divided, fold
from bot.discover.symbols.quantity_names import Quantity, by_symbol, quantities, quantity_of
from bot.discover.symbols.symbol_mentions import SymbolMention, symbol_mentions
from bot.formula.quantities.formula_symbols import FormulaSymbol, formula_symbols, without_running_index
from bot.records import Occurrence

NEAR = 15.0  # formulas on, a sentence counts for a third


@dataclass(slots=True)
class Reading:
    """One meaning that a symbol may have, with its features; `sentence` is the best that says so, "" where none does."""

    key: str  # a quantity's, or the folded phrase
    quantity: Quantity | None
    meaning: str = ""
    sentence: str = ""
    best: float = 0.0
    features: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def said(self, meaning: str, sentence: str, weight: float) -> None:
        if weight > self.best or not self.meaning:
            self.meaning, self.sentence, self.best = meaning, sentence, weight


class DocumentSymbols:
    """What one document says of its symbols."""

    def __init__(self, occurrences: Sequence[Occurrence], language: CueLanguage) -> None:
        self.occurrences = occurrences
        self.formulas = {each.position: each.tex for each in occurrences}
        self.mentions: dict[str, list[SymbolMention]] = defaultdict(list)
        for each in symbol_mentions(occurrences, language):
            for key in each.symbol.keys:
                self.mentions[key].append(each)

    def rendered(self, sentence: str) -> str:
        """Return a sentence of this document with its formulas as $TeX$."""
        return MASK.sub(lambda mask: f"${self.formulas.get(int(mask[1]), '')}$", sentence)

    def all(self) -> Iterable[SymbolMention]:
        return {id(each): each for mentions in self.mentions.values() for each in mentions}.values()


def reading_key(meaning: str, letter: str = "") -> tuple[str, Quantity | None]:
    """Return under which key meanings are one: that of a quantity, or the phrase up to “of”. A frequency ω is an angular one."""
    quantity, _ = quantity_of(meaning)
    if quantity and quantity.key == "frequency" and letter in _ANGULAR:
        quantity = quantities()["angular frequency"]
    return (quantity.key, quantity) if quantity else (fold(divided(meaning)[0]), None)


class Usage:
    """How often the documents of a source give each meaning to a symbol, by source and key."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.shown: dict[tuple[str, str, str], tuple[str, str]] = {}

    def add(self, source: str, document: DocumentSymbols) -> None:
        told = {}
        for each in document.all():
            if each.kind in TELLING:
                for key in each.symbol.keys:
                    told[key, reading_key(each.meaning, each.symbol.letter)[0]] = each
        for (symbol, key), each in told.items():
            self.counts[source, symbol][key] += 1
            self.shown.setdefault((source, symbol, key), (each.meaning, document.rendered(each.sentence)))

    def share(
        self, source: str, keys: Iterable[str], own: Mapping[str, set[str]]
    ) -> dict[str, tuple[float, float, str, str]]:
        """Return for each reading of a symbol its share, its number of other documents, and one sentence."""
        for key in keys:
            counts = self.counts.get((source, key))
            if counts:
                left = {k: n - (k in own.get(key, ())) for k, n in counts.items()}
                total = sum(left.values())
                if total:
                    return {k: (n / total, float(n), *self.shown[source, key, k]) for k, n in left.items() if n}
        return {}


_ANGULAR = frozenset(("ω", "Ω"))
TELLING = frozenset(
    ["defined", "several", "denoted", "bracketed", "apposed", "apposed_letter", "apposed_equation", "behind"]
)


@cache
def _names() -> Labels:
    seen: dict[str, str] = {}
    for each in quantities().values():
        for name in (*each.names, *each.german):
            seen.setdefault(fold(name), name)
    return Labels(("Q1", name) for name in seen.values())


def named_quantities(text: str) -> dict[str, str]:
    """Return the quantities that a text names, each with the first sentence that does."""
    found: dict[str, str] = {}
    for start, end in sentences(text):
        for name in _names().find(text[start:end]):
            known, _ = quantity_of(name)
            if known:
                found.setdefault(known.key, text[start:end])
    return found


FormulaReadings: TypeAlias = list[tuple[FormulaSymbol, list[Reading]]]


def readings(
    occurrence: Occurrence,
    document: DocumentSymbols,
    usage: Usage,
    source: str,
    named: Mapping[str, str],
    around: Mapping[str, str],
) -> FormulaReadings:
    """Return for each symbol of a formula all meanings that anything speaks for.

    `named` are the quantities that the occurrence's own sentences name, `around` those of its document.
    """
    result = []
    for symbol in formula_symbols(occurrence.tex):
        found: dict[str, Reading] = {}
        keys = list(symbol.keys)
        weak = [bare for key in keys if (bare := without_running_index(key))] or (
            [k.removeprefix("Δ") for k in keys] if symbol.changed else []
        )
        for level, group in ((1.0, keys), (0.5, weak)):
            seen: set[int] = set()
            for mention in (m for key in group for m in document.mentions.get(key, ())):
                if id(mention) in seen:
                    continue
                seen.add(id(mention))
                key, quantity = reading_key(mention.meaning, symbol.letter)
                if not key:
                    continue
                reading = found.setdefault(key, Reading(key, quantity))
                distance = mention.position - occurrence.position
                same = mention.kind.startswith("name_") and distance == 0
                if mention.kind.startswith("name_") and not same:
                    continue
                near = math.exp(-abs(distance) / NEAR) * level
                inside = mention.sentence in occurrence.window
                if mention.kind.startswith("name_"):
                    kind = mention.kind.removeprefix("name_")
                    reading.said(mention.meaning, mention.sentence, near)
                    name, value = (
                        ("constituent", 1.0)
                        if kind == "constituent"
                        else ("called", KINDS[kind].weight if kind in KINDS else 0.0)
                    )
                    reading.features[name] = max(reading.features[name], value * level)
                    reading.features["called_often"] += value * level
                else:
                    reading.said(mention.meaning, mention.sentence, near + inside + 2.0)
                    reading.features[mention.kind] = max(reading.features[mention.kind], near)
                    reading.features["inside"] = max(reading.features["inside"], float(inside))
                    reading.features["count"] += level
            for reading in found.values():
                reading.features["count"] = min(reading.features["count"], 3.0)
                reading.features["called_often"] = min(reading.features["called_often"], 3.0)
        own = {
            key: {reading_key(m.meaning, symbol.letter)[0] for m in document.mentions.get(key, ()) if m.kind in TELLING}
            for key in (*keys, *weak)
        }
        for key, (share, number, meaning, sentence) in usage.share(source, (*keys, *weak), own).items():
            reading = found.setdefault(key, Reading(key, quantities().get(key)))
            reading.said(meaning, sentence, 0.1 * share)
            reading.features["usage_share"] = share
            reading.features["usage_number"] = math.log1p(number)
        for strict, group in ((True, keys), (False, [symbol.letter] if symbol.index else weak)):
            for key in group:
                for quantity in by_symbol().get(key, ()):
                    reading = found.setdefault(quantity.key, Reading(quantity.key, quantity))
                    first = 1.0 / (1 + quantity.symbols.index(key))
                    name = "usual" if strict else "usual_letter"
                    reading.features[name] = max(reading.features[name], first)
                    reading.features[f"{name}_alone"] = float(len(by_symbol()[key]) == 1)
        for reading in found.values():
            if reading.quantity is not None:
                if reading.key in named:
                    reading.features["named"] = 1.0
                    reading.said(reading.quantity.names[0], named[reading.key], 0.05)
                elif reading.key in around:
                    reading.features["around"] = 1.0
                    reading.said(reading.quantity.names[0], around[reading.key], 0.02)
                reading.said(reading.quantity.names[0], "", 0.0)
        result.append((symbol, [each for each in found.values() if each.features]))
    return result
