"""What Special:MathWikibase (MathWikibaseConnector of the extension Math, as of August 2026) shows readers of an item.

It shows the first formula statement with a value, whatever its rank, and its parts from “has part” with a symbol; only an item
without any “has part” shows its “in defining formula” statements with what they represent.
"""

from dataclasses import dataclass

from bot.formula.quantities.formula_symbols import symbol_of
from bot.records import Item, Statement
from bot.settings import Properties


@dataclass(frozen=True, slots=True)
class ReaderPage:
    """What Special:MathWikibase shows of an item: a formula, and (symbol, item) of its parts."""

    formula: Statement | None
    parts: tuple[tuple[str, str], ...]


def reader_page(item: Item, ids: Properties) -> ReaderPage:
    """Return what readers see of an item."""
    displayed = next((s for s in item.statements if s.property == ids.defining_formula and s.value), None)
    parts = [s for s in item.statements if s.property == ids.has_part]
    elements = parts or [s for s in item.statements if s.property == ids.in_defining_formula]
    return ReaderPage(displayed, tuple(pair for s in elements if (pair := element(s, ids)) is not None))


def stated_symbols(item: Item, ids: Properties) -> dict[str, tuple[str, str]]:
    """Return key -> (symbol, item) of what an item itself says of the symbols of its formulas; what it deprecates is left out."""
    about = (ids.in_defining_formula, ids.has_part)
    pairs = (element(s, ids) for s in item.statements if s.property in about and s.rank != "deprecated")
    found: dict[str, tuple[str, str]] = {}
    for pair in filter(None, pairs):
        symbol = symbol_of(pair[0])
        for key in symbol.keys if symbol else ():
            found.setdefault(key, pair)
    return found


def element(statement: Statement, ids: Properties) -> tuple[str, str] | None:
    """Return the symbol and the item that a statement about a part of the formula names, None where it lacks one."""
    snaks = [(statement.property, statement.value), *statement.qualifiers]
    symbols = (ids.quantity_symbol_string, ids.defining_formula, ids.in_defining_formula)
    symbol = next((value for prop, value in reversed(snaks) if prop in symbols and value), "")
    of = next((value for prop, value in reversed(snaks) if prop in (ids.has_part, ids.symbol_represents) and value), "")
    return (symbol, of) if symbol and of else None
