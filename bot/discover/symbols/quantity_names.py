"""Physical quantities: their names, usual symbols and dimensions, read from quantities.tsv (ISO 80000, SI Brochure, textbooks)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from bot.discover.phrases import fold
from bot.formula.quantities.dimensions import Dimension, parse_dimension
from bot.formula.quantities.formula_symbols import symbol_of

_JOINTS = frozenset(
    "of in inside on at for between from per to due with by along against about before after required through that which where and or von der des im".split()
)
# “magnitude of the force”, “change in the pressure”: what is measured stays.
_SAME = re.compile(
    r"^(?:(?:net|total|average|mean|final|initial|maximum|minimum|absolute|small|infinitesimal) )*"
    r"(?:magnitude|size|value|amount|component|[xyz]-?component|x|y|z|increase|decrease|change|direction|average|total|absolute value|strength|amplitude|measure) (?:of|in) (?=\w)"
)
# A word before a name that makes it another quantity, whatever the quantity is; and words that do so before fields, fluxes and coefficients.
_ALWAYS = frozenset(
    "specific molar relative angular areal unit inverse reciprocal squared square number per normalized normalised dimensionless logarithmic".split()
)
_OFTEN = frozenset(
    "linear surface volume volumetric charge mass energy heat current power momentum probability electric electrical magnetic gravitational chemical vector scalar reduced partial "
    "critical quantum optical four proper information wave dipole thermal osmotic group phase spectral photon radiation displacement gas coefficient column velocity temperature pressure".split()
)
_DERIVED = frozenset(
    "rate ratio density gradient derivative product sum fraction distribution function factor transform inverse reciprocal square cube logarithm".split()
)
# Quantities of which any other word says only whose they are.
_PLAIN = frozenset(
    "length|width|height|depth|thickness|distance|radius|diameter|position|displacement|area|volume|angle|time|duration|period|frequency|angular frequency|speed|velocity|acceleration|mass|force|energy"
    "|kinetic energy|potential energy|work|power|pressure|temperature|torque|angular momentum|angular velocity|electric charge|voltage|electrical resistance|number density|moment of inertia".split(
        "|"
    )
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`names` are in the order in which items are looked for; `dimension` is None where it differs from use to use."""

    key: str
    dimension: Dimension | None
    symbols: tuple[str, ...]  # strict keys of `FormulaSymbol`
    names: tuple[str, ...]
    german: tuple[str, ...]


@cache
def quantities() -> Mapping[str, Quantity]:
    """Return all quantities by their key."""
    found = {}
    for line in files("bot.discover.symbols").joinpath("quantities.tsv").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        key, dimension, symbols, names, german = line.split("\t")
        symbols_read = [symbol_of(each) for each in symbols.split()]
        found[key] = Quantity(
            key,
            parse_dimension(dimension) if dimension != "*" else None,
            tuple(dict.fromkeys(each.keys[0] for each in symbols_read if each)),
            tuple(names.split("; ")),
            tuple(german.split("; ")),
        )
    return found


@cache
def _by_name() -> Mapping[str, Quantity]:
    return {fold(name): each for each in quantities().values() for name in (*each.german, *each.names)}


@cache
def by_symbol() -> Mapping[str, tuple[Quantity, ...]]:
    """Return the quantities that a symbol is usual for."""
    found: dict[str, tuple[Quantity, ...]] = {}
    for each in quantities().values():
        for symbol in each.symbols:
            found[symbol] = (*found.get(symbol, ()), each)
    return found


@lru_cache(maxsize=100_000)
def quantity_of(phrase: str) -> tuple[Quantity | None, bool]:
    """Return the quantity that a phrase names, and whether it says no more: “the initial velocity of the ball” is a velocity, not the velocity.

    A word before the name that changes what is measured (“specific”, “molar”) makes it another quantity, that is none here.
    """
    text, table = fold(phrase), _by_name()
    shorter = _SAME.sub("", text)
    while shorter != text:
        text, shorter = shorter, _SAME.sub("", shorter)
    words = text.split()
    if (whole := table.get(text)) is not None:
        return whole, text == fold(phrase)
    first = next((i for i, word in enumerate(words) if word in _JOINTS), len(words))
    ends = [i for i in range(len(words), 0, -1) if i == len(words) or words[i] in _JOINTS]
    for start in range(first):  # the longest name first: “moment of inertia of the rod”
        for end in ends:
            quantity = table.get(" ".join(words[start:end])) if end > start else None
            if quantity is None:
                continue
            before = set(words[:start])
            changes = before & _ALWAYS or before & _DERIVED or (quantity.key not in _PLAIN and before & _OFTEN)
            divided = end < len(words) and words[end] == "per"
            return (None, False) if changes or divided else (quantity, not before and end == len(words))
    return None, False
