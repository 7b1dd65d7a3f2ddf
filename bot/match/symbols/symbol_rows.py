"""What a symbol of a formula means, as it is exported, and what is kept of it for each concept."""

from __future__ import annotations

from collections.abc import Mapping
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


def store_of_concepts(
    workspace: Workspace, homes: Mapping[tuple[str, int], str], found: Mapping[tuple[str, int], list[SymbolRow]]
) -> None:
    """Replace what is kept: for each concept the place where most symbols have an item, then most a meaning; of equals the first."""
    best: dict[str, tuple[tuple[int, int], list[SymbolRow]]] = {}
    for place, concept in homes.items():
        rows = found.get(place, [])
        score = sum(bool(row["qid"]) for row in rows), len(rows)
        if rows and (concept not in best or score > best[concept][0]):
            best[concept] = score, rows
    made = [
        {"concept": concept, "n": n, **{name: row[name] for name in _OF_CONCEPT}}  # type: ignore[literal-required]
        for concept, (_, rows) in best.items()
        for n, row in enumerate(rows)
    ]
    with workspace.engine.begin() as db:
        db.execute(store.symbols.delete())
        if made:
            db.execute(store.symbols.insert(), made)
