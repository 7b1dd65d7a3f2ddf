"""The meaning of each symbol of one formula: the likeliest readings whose dimensions agree across the formula."""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import TypeAlias

from bot.formula.quantities.dimensions import Dimension, agrees, parse_dimension, times
from bot.formula.quantities.formula_symbols import FormulaSymbol
from bot.match.symbols.symbol_evidence import READINGS, TELLING, Reading

SAID = frozenset([*TELLING, "called", "usage_share"])  # evidence that some text gives this meaning to this symbol
LONG = 200  # characters from which on other readings are looked for only where the likeliest disagree
TRIED = 40  # choices of readings that are tried for one formula, the likeliest first


_ODD = parse_dimension("J^7") or ()  # what no quantity differs by
Ranked: TypeAlias = Sequence[tuple[FormulaSymbol, Sequence[tuple[float, Reading]]]]


@dataclass(frozen=True, slots=True)
class SymbolWeights:
    """`first` weighs a reading by itself, `second` what is chosen: its log-odds and whether the formula's dimensions agree."""

    first: Mapping[str, float]
    second: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChosenReading:
    symbol: FormulaSymbol
    reading: Reading
    probability: float
    agreed: bool | None  # whether the formula's dimensions agree with all that was chosen
    features: Mapping[str, float]


@cache
def shipped_weights() -> SymbolWeights:
    data = json.loads(files("bot.match.symbols").joinpath("symbol_weights.json").read_text("utf-8"))
    return SymbolWeights(data["first"], data["second"])


def log_odds(reading: Reading, weights: SymbolWeights) -> float:
    total = 0.0
    for name, value in reading.features.items():
        total += weights.first.get(name, 0.0) * value
    return weights.first["bias"] + total


def choose_readings(
    tex: str, found: Sequence[tuple[FormulaSymbol, Sequence[Reading]]], weights: SymbolWeights
) -> list[ChosenReading]:
    """Return one reading of each symbol that has any, with the probability that it is right."""
    ranked = [
        (
            symbol,
            sorted(((log_odds(each, weights), each) for each in each_found), key=lambda pair: (-pair[0], pair[1].key))[
                :READINGS
            ],
        )
        for symbol, each_found in found
        if each_found
    ]
    if not ranked:
        return []
    picks, agreed = _balanced(tex, ranked, weights.second["balance"])
    held = _held(tex, ranked, picks) if agreed else frozenset()
    chosen = []
    for (symbol, options), pick in zip(ranked, picks, strict=True):
        score, reading = options[pick]
        rival = max(
            (other for i, (other, each) in enumerate(options) if i != pick and _dimension(each) == _dimension(reading)),
            default=-9.0,
        )
        values = chosen_features(score, rival, reading, agreed, reading.key in held)
        total = sum(weights.second.get(name, 0.0) * value for name, value in values.items())
        chosen.append(ChosenReading(symbol, reading, 1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), agreed, values))
    return chosen


def chosen_features(score: float, rival: float, reading: Reading, agreed: bool | None, held: bool) -> dict[str, float]:
    return {
        "bias": 1.0,
        "score": score,
        "lead": max(-4.0, min(4.0, score - rival)),
        "agrees": float(held),
        "free": float(agreed is True and not held),
        "disagrees": float(agreed is False),
        "phrase": float(reading.quantity is None),
        "unsaid": float(not SAID.intersection(name for name, value in reading.features.items() if value)),
    }


def _dimension(reading: Reading) -> Dimension | None:
    return reading.quantity.dimension if reading.quantity else None


def _balanced(tex: str, ranked: Ranked, bonus: float) -> tuple[list[int], bool | None]:
    """Return the place of each symbol's reading, and whether the dimensions agree.

    The likeliest readings are taken unless others that agree cost less than `bonus` in log-odds.
    """
    start = (0,) * len(ranked)
    heap: list[tuple[float, tuple[int, ...]]] = [(0.0, start)]
    seen = {start}
    first: bool | None = None
    for tried in range(TRIED):
        if not heap or heap[0][0] > bonus:
            break
        cost, picks = heapq.heappop(heap)
        verdict = _agree(tex, _dimensions(ranked, picks))
        if tried == 0:
            first = verdict
            known = sum(_dimension(options[0][1]) is not None for _, options in ranked)
            if verdict is None and (known == len(ranked) or not known or len(tex) > LONG):
                break  # what cannot be said of these cannot be said of others
        if verdict is True or (first is False and verdict is None and cost <= bonus / 2):
            return list(picks), verdict
        for i, (_, options) in enumerate(ranked):
            if picks[i] + 1 < len(options):
                following = (*picks[:i], picks[i] + 1, *picks[i + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (cost + max(0.0, options[picks[i]][0] - options[picks[i] + 1][0]), following))
    return list(start), first


def _held(tex: str, ranked: Ranked, picks: Sequence[int]) -> frozenset[str]:
    """Return the readings without whose dimensions those of the formula would disagree: those of N_1/N_2 may be any."""
    known = {
        options[pick][1].key for (_, options), pick in zip(ranked, picks, strict=True) if _dimension(options[pick][1])
    }
    return frozenset(key for key in known if _agree(tex, _dimensions(ranked, picks, key)) is False)


@lru_cache(maxsize=8192)  # readings of one dimension agree alike, and formulas come back
def _agree(tex: str, dimensions: tuple[tuple[str, Dimension], ...]) -> bool | None:
    return agrees(tex, dict(dimensions))


def _dimensions(ranked: Ranked, picks: Sequence[int], changed: str = "") -> tuple[tuple[str, Dimension], ...]:
    """Return the dimension of each symbol; that of one reading is another where `changed` names it."""
    found: dict[str, Dimension] = {}
    for (symbol, options), pick in zip(ranked, picks, strict=True):
        dimension = _dimension(options[pick][1])
        if dimension is not None:
            dimension = times(dimension, _ODD) if options[pick][1].key == changed else dimension
            for key in symbol.keys:
                found.setdefault(key, dimension)
    return tuple(found.items())
