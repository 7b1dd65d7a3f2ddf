"""What a symbol of a formula means, as it is exported, and what is kept of it for each concept."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, TypedDict

import sqlalchemy as sa

from bot import store
from bot.discover.stored_occurrences import fetch, fill_table
from bot.formula.quantities.formula_symbols import FormulaSymbol, formula_symbols, symbol_of
from bot.sequences import batched
from bot.store import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 1000  # rows stored in one statement
_BEST_PLACES = """
WITH ranked AS (
    SELECT h.concept, document, position, row_number() OVER (
        PARTITION BY h.concept ORDER BY count(*) FILTER (WHERE s.qid <> '') DESC, count(*) DESC, h.place
    ) AS rank
    FROM symbols s JOIN homes h USING (document, position) GROUP BY h.concept, document, position, h.place
)
SELECT r.concept, row_number() OVER (PARTITION BY r.concept ORDER BY s.rowid) - 1 AS n, {columns}
FROM symbols s JOIN ranked r USING (document, position) WHERE r.rank = 1
"""


class SymbolRow(TypedDict):
    """A row of `export symbols`; `agrees` says whether the dimensions of the formula agree, `quantity` is the one that it is in quantities.tsv, "" for others; `label` is the item's."""

    document: str
    position: int
    tex: str
    symbol: str
    meaning: str
    qid: str
    label: str
    quantity: str
    probability: float
    sentence: str
    agrees: bool | None


_OF_CONCEPT = SymbolRow.__annotations__.keys() - {"tex"}


def symbols_of_concepts(workspace: Workspace, concepts: Collection[str]) -> dict[str, list[SymbolRow]]:
    """Return what the symbols of concepts mean at the place that says most."""
    table, found = store.symbols, defaultdict[str, list[SymbolRow]](list)
    for row in workspace.rows_with(sa.select(table).order_by(table.c.n), table.c.concept, filter(None, concepts)):
        found[row["concept"]].append(SymbolRow(tex="", **{name: row[name] for name in _OF_CONCEPT}))  # type: ignore[typeddict-item]
    return dict(found)


def symbols_in(tex: str, rows: Iterable[SymbolRow]) -> Iterator[tuple[FormulaSymbol, SymbolRow]]:
    """Yield the symbols of a formula of which something is known, in the order in which they stand there."""
    keys_of_rows = [(each.keys, row) for row in rows if (each := symbol_of(row["symbol"]))]
    for symbol in formula_symbols(tex):
        row = next((row for keys, row in keys_of_rows if not set(keys).isdisjoint(symbol.keys)), None)
        if row is not None:
            yield symbol, {**row, "tex": tex}


def store_of_concepts(workspace: Workspace, symbols: "DuckDBPyConnection") -> None:
    """Replace what is kept: for each concept the place where most symbols have an item, then most a meaning; of equals the first.

    `symbols` has all rows in the table of this name, in order.
    """
    query = sa.select(store.concepts.c.key, store.concepts.c.places)
    columns = {"document": "VARCHAR", "position": "INTEGER", "concept": "VARCHAR", "place": "INTEGER"}
    with workspace.engine.connect() as db:
        stored = db.execute(query.execution_options(yield_per=_AT_ONCE))
        fill_table(
            symbols, "homes", columns, ((*place, key, n) for key, all_ in stored for n, place in enumerate(all_))
        )
    found = fetch(symbols, _BEST_PLACES.format(columns=", ".join(f"s.{name}" for name in sorted(_OF_CONCEPT))))
    with workspace.engine.begin() as db:
        db.execute(store.symbols.delete())
        for block in batched(found, _AT_ONCE):
            db.execute(store.symbols.insert(), block)
