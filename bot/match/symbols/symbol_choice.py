"""The meaning of each symbol of one formula: the likeliest readings whose dimensions agree across the formula."""

import heapq
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import TypeAlias

from bot.discover.name_ranking import logistic
from bot.formula.quantities.dimensions import Dimension, DimensionBalance, balance, packed_dimension, parse_dimension
from bot.formula.quantities.formula_symbols import FormulaSymbol
from bot.match.symbols.symbol_evidence import EXPLICIT_KINDS, MAX_READINGS, SymbolReading

# Evidence that some text gives this meaning to this symbol
EXPLICIT_FEATURES = frozenset([*EXPLICIT_KINDS, "called", "usage_share"])
LONG_FORMULA = 200  # characters from which on other readings are looked for only where the likeliest disagree
MAX_TRIED = 40  # choices of readings that are tried for one formula, the likeliest first


_ODD = packed_dimension(parse_dimension("J^7") or ())  # what no quantity differs by
Ranked: TypeAlias = Sequence[tuple[FormulaSymbol, Sequence[tuple[float, SymbolReading]]]]
# Of each symbol's readings, the packed dimension by key
KnownDimensions: TypeAlias = Sequence[Sequence[Mapping[str, int]]]


@dataclass(frozen=True, slots=True)
class SymbolWeights:
    """`first` weighs a reading by itself, `second` what is chosen: its log-odds and whether the formula's dimensions agree."""

    reading_weights: Mapping[str, float]
    choice_weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChosenReading:
    symbol: FormulaSymbol
    reading: SymbolReading
    probability: float
    agreed: bool | None  # whether the formula's dimensions agree with all that was chosen
    features: Mapping[str, float]


@cache
def shipped_weights() -> SymbolWeights:
    data = json.loads(files("bot.match.symbols").joinpath("symbol_weights.json").read_text("utf-8"))
    return SymbolWeights(data["first"], data["second"])


def log_odds(reading: SymbolReading, weights: SymbolWeights) -> float:
    total = 0.0
    for name, value in reading.features.items():
        total += weights.reading_weights.get(name, 0.0) * value
    return weights.reading_weights["bias"] + total


def choose_readings(
    tex: str, found: Sequence[tuple[FormulaSymbol, Sequence[SymbolReading]]], weights: SymbolWeights
) -> list[ChosenReading]:
    """Return one reading of each symbol that has any, with the probability that it is right."""
    ranked = [
        (
            symbol,
            sorted(((log_odds(each, weights), each) for each in each_found), key=lambda pair: (-pair[0], pair[1].key))[
                :MAX_READINGS
            ],
        )
        for symbol, each_found in found
        if each_found
    ]
    if not ranked:
        return []
    known_dimensions = [[_dimensions_by_key(symbol, reading) for _, reading in options] for symbol, options in ranked]
    formula = balance(tex)
    picks, agreed = _balanced(
        formula, ranked, known_dimensions, weights.choice_weights["balance"], len(tex) > LONG_FORMULA
    )
    needed = _needed_for_balance(formula, ranked, known_dimensions, picks) if agreed else frozenset()
    chosen = []
    for (symbol, options), pick in zip(ranked, picks, strict=True):
        score, reading = options[pick]
        rival = max(
            (other for i, (other, each) in enumerate(options) if i != pick and _dimension(each) == _dimension(reading)),
            default=-9.0,
        )
        values = chosen_features(score, rival, reading, agreed, reading.key in needed)
        total = sum(weights.choice_weights.get(name, 0.0) * value for name, value in values.items())
        chosen.append(ChosenReading(symbol, reading, logistic(total), agreed, values))
    return chosen


def chosen_features(
    score: float, rival: float, reading: SymbolReading, agreed: bool | None, is_needed: bool
) -> dict[str, float]:
    return {
        "bias": 1.0,
        "score": score,
        "lead": max(-4.0, min(4.0, score - rival)),
        "agrees": float(is_needed),
        "free": float(agreed is True and not is_needed),
        "disagrees": float(agreed is False),
        "phrase": float(reading.quantity is None),
        "unsaid": float(not EXPLICIT_FEATURES.intersection(name for name, value in reading.features.items() if value)),
    }


def _dimension(reading: SymbolReading) -> Dimension | None:
    return reading.quantity.dimension if reading.quantity else None


def _dimensions_by_key(symbol: FormulaSymbol, reading: SymbolReading) -> dict[str, int]:
    dimension = _dimension(reading)
    return {} if dimension is None else dict.fromkeys(symbol.keys, packed_dimension(dimension))


def _balanced(
    formula: DimensionBalance, ranked: Ranked, known_dimensions: KnownDimensions, bonus: float, long: bool
) -> tuple[list[int], bool | None]:
    """Return the place of each symbol's reading, and whether the dimensions agree.

    The likeliest readings are taken unless others that agree cost less than `bonus` in log-odds.
    """
    start = (0,) * len(ranked)
    # What the reading after each costs; None after the last.
    steps = [[*(max(0.0, one - other) for (one, _), (other, _) in pairwise(options)), None] for _, options in ranked]
    heap: list[tuple[float, tuple[int, ...]]] = [(0.0, start)]
    seen = {start}
    first: bool | None = None
    for tried in range(MAX_TRIED):
        if not heap or heap[0][0] > bonus:
            break
        cost, picks = heapq.heappop(heap)
        verdict = formula.agrees(_merged_dimensions(known_dimensions, picks))
        if tried == 0:
            first = verdict
            number_known = sum(bool(options[0]) for options in known_dimensions)
            if verdict is None and (number_known == len(ranked) or not number_known or long):
                break  # what cannot be said of these cannot be said of others
        if verdict is True or (first is False and verdict is None and cost <= bonus / 2):
            return list(picks), verdict
        for i, pick in enumerate(picks):
            if (step := steps[i][pick]) is not None and cost + step <= bonus:
                following = (*picks[:i], pick + 1, *picks[i + 1 :])
                if following not in seen:
                    seen.add(following)
                    heapq.heappush(heap, (cost + step, following))
    return list(start), first


def _needed_for_balance(
    formula: DimensionBalance, ranked: Ranked, known_dimensions: KnownDimensions, picks: Sequence[int]
) -> frozenset[str]:
    """Return the readings without whose dimensions those of the formula would disagree: those of N_1/N_2 may be any."""
    names = [options[pick][1].key for (_, options), pick in zip(ranked, picks, strict=True)]
    chosen = [each[pick] for each, pick in zip(known_dimensions, picks, strict=True)]
    names_with_dimension = {name for name, each in zip(names, chosen, strict=True) if each}

    def other(key: str) -> dict[str, int]:
        changed = [
            {k: d + _ODD for k, d in each.items()} if name == key else each
            for name, each in zip(names, chosen, strict=True)
        ]
        return _merged_dimensions([[each] for each in changed], [0] * len(changed))

    return frozenset(key for key in names_with_dimension if formula.agrees(other(key)) is False)


def _merged_dimensions(known_dimensions: KnownDimensions, picks: Sequence[int]) -> dict[str, int]:
    """Return the packed dimension of each key; the first symbol that has a key counts."""
    found: dict[str, int] = {}
    for options, pick in zip(reversed(known_dimensions), reversed(picks), strict=True):
        found.update(options[pick])
    return found
