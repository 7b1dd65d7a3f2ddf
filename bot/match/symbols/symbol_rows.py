"""What a symbol of a formula means, as it is exported, and what is kept of it for each concept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypedDict

import sqlalchemy as sa

from bot import store
from bot.store import Workspace

_OF_CONCEPT = (
    "document",
    "position",
    "symbol",
    "meaning",
    "qid",
    "label",
    "quantity",
    "probability",
    "sentence",
    "agrees",
)


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


def symbols_of_concept(workspace: Workspace, concept: str) -> list[SymbolRow]:
    """Return what the symbols of a concept mean at the place that says most."""
    table = store.symbols
    rows = workspace.rows(sa.select(table).where(table.c.concept == concept).order_by(table.c.n))
    return [SymbolRow(tex="", **{name: row[name] for name in _OF_CONCEPT}) for row in rows]  # type: ignore[typeddict-item]


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
    with workspace.engine.begin() as db:
        db.execute(store.symbols.delete())
        for place, group in groupby(rows(), _place):
            concept, n = homes.get(place, ("", 0))
            if concept and best[concept][2] == -n:
                made = [
                    {"concept": concept, "n": at, **{name: row[name] for name in _OF_CONCEPT}}  # type: ignore[literal-required]
                    for at, row in enumerate(group)
                ]
                db.execute(store.symbols.insert(), made)


def _place(row: SymbolRow) -> tuple[str, int]:
    return row["document"], row["position"]
