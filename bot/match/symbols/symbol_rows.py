"""What a symbol of a formula means, as it is exported, and what is kept of it for each concept."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby, islice
from typing import TypedDict

import sqlalchemy as sa

from bot import store
from bot.formula.quantities.formula_symbols import FormulaSymbol, formula_symbols, symbol_of
from bot.store import Workspace

_AT_ONCE = 1000  # rows stored in one statement


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
    wanted = list(filter(None, dict.fromkeys(concepts)))
    for start in range(0, len(wanted), 400):
        query = sa.select(table).where(table.c.concept.in_(wanted[start : start + 400])).order_by(table.c.n)
        for row in workspace.rows(query):
            found[row["concept"]].append(SymbolRow(tex="", **{name: row[name] for name in _OF_CONCEPT}))  # type: ignore[typeddict-item]
    return dict(found)


def symbols_in(tex: str, rows: Iterable[SymbolRow]) -> Iterator[tuple[FormulaSymbol, SymbolRow]]:
    """Yield the symbols of a formula of which something is known, in the order in which they stand there."""
    known = [(each.keys, row) for row in rows if (each := symbol_of(row["symbol"]))]
    for symbol in formula_symbols(tex):
        row = next((row for keys, row in known if not set(keys).isdisjoint(symbol.keys)), None)
        if row is not None:
            yield symbol, {**row, "tex": tex}


def store_of_concepts(workspace: Workspace, rows: Callable[[], Iterable[SymbolRow]]) -> None:
    """Replace what is kept: for each concept the place where most symbols have an item, then most a meaning; of equals the first.

    `rows` are walked twice, those of a place follow each other: in memory is where each concept is best shown, not what is said there.
    """
    query = sa.select(store.concepts.c.key, store.concepts.c.places)
    homes = {tuple(place): (row["key"], n) for row in workspace.rows(query) for n, place in enumerate(row["places"])}
    best: dict[str, tuple[int, int, int]] = {}
    for place, group in groupby(rows(), _place):
        if place in homes:
            concept, n = homes[place]
            found = [bool(row["qid"]) for row in group]
            best[concept] = max(best.get(concept, (0, 0, 0)), (sum(found), len(found), -n))
    made = (
        {"concept": concept, "n": at, **{name: row[name] for name in _OF_CONCEPT}}  # type: ignore[literal-required]
        for place, group in groupby(rows(), _place)
        for concept, n in [homes.get(place, ("", 0))]
        if concept and best[concept][2] == -n
        for at, row in enumerate(group)
    )
    with workspace.engine.begin() as db:
        db.execute(store.symbols.delete())
        while block := list(islice(made, _AT_ONCE)):
            db.execute(store.symbols.insert(), block)


def _place(row: SymbolRow) -> tuple[str, int]:
    return row["document"], row["position"]
