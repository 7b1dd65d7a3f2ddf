"""Symbols of a whole workspace: what each symbol of its formulas means, its sentence and its item, kept beside the occurrences."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from bot import store
from bot.discover import all_occurrences, load_concepts
from bot.discover.cues.cue_language import article_language
from bot.discover.left_sides import sides
from bot.formula.quantities.formula_symbols import formula_symbols
from bot.lookup import Client
from bot.match.symbols.symbol_choice import ChosenReading, choose_readings, shipped_weights
from bot.match.symbols.symbol_evidence import DocumentSymbols, FormulaReadings, Usage, named_quantities, readings
from bot.match.symbols.symbol_items import SymbolItems
from bot.match.symbols.symbol_rows import SymbolRow, store_of_concepts
from bot.records import Occurrence
from bot.settings import Settings
from bot.store import Workspace

# Fitted on the development formulas: from there on nine of ten meanings, and 19 of 20 items, are right.
MEANING_FROM = 0.7
ITEM_FROM = 0.9
_FILE = "symbols.parquet"


_SCHEMA = pa.schema([("document", pa.string()), ("position", pa.int32()), ("tex", pa.string()), ("symbol", pa.string()), ("meaning", pa.string()),
                     ("qid", pa.string()), ("quantity", pa.string()), ("label", pa.string()), ("probability", pa.float64()), ("sentence", pa.string()), ("agrees", pa.bool_())])  # fmt: skip


def read_symbols(workspace: Workspace) -> Iterator[SymbolRow]:
    """Yield what each symbol of the workspace's formulas means; without items where `match` has not been run."""
    path = workspace.path / _FILE
    yield from _stored(path) if path.exists() else _rows(workspace)


def store_symbols(workspace: Workspace, client: Client, settings: Settings) -> None:
    """Read the symbols of all formulas, ask the wiki for their items, and replace what is stored. Raises LookupFailed."""
    homes = {place: concept.key for concept in load_concepts(workspace) for place in concept.places}
    path = workspace.path / _FILE
    read, named = (path.with_name(f".{_FILE}.{os.getpid()}.{part}.tmp") for part in ("read", "named"))
    try:
        _write(read, _rows(workspace))
        meanings = {(row["meaning"], row["quantity"]) for row in _stored(read) if _is_sure(row)}
        never = {*settings.proposing.implausible_classes, settings.wiki.properties.disambiguation_class}
        items = SymbolItems.asked(meanings, client, never)
        of_places: dict[tuple[str, int], list[SymbolRow]] = {}

        def finished() -> Iterator[SymbolRow]:
            for row in _stored(read):
                made = _with_item(row, items)
                if (place := (row["document"], row["position"])) in homes:
                    of_places.setdefault(place, []).append(made)
                yield made

        _write(named, finished())
        store_of_concepts(workspace, homes, of_places)
        os.replace(named, path)
    finally:
        read.unlink(missing_ok=True)
        named.unlink(missing_ok=True)


def _is_sure(row: SymbolRow) -> bool:
    return row["probability"] >= ITEM_FROM and row["agrees"] is not False


def _with_item(row: SymbolRow, items: SymbolItems) -> SymbolRow:
    qid = items.item_of(row["meaning"], row["quantity"]) if _is_sure(row) else ""
    return {**row, "qid": qid, "label": items.label.get(qid, "")}


def _stored(path: Path) -> Iterator[SymbolRow]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(2000):
            yield from batch.to_pylist()


def _write(path: Path, rows: Iterable[SymbolRow]) -> None:
    left = iter(rows)
    with pq.ParquetWriter(path, _SCHEMA, compression="zstd") as writer:
        while batch := list(islice(left, 2000)):
            writer.write_table(pa.Table.from_pylist(batch, schema=_SCHEMA))


def read_formulas(workspace: Workspace) -> Iterator[tuple[DocumentSymbols, Occurrence, FormulaReadings]]:
    """Yield what may be meant by the symbols of each formula that has two or more.

    Walks the documents twice: what other documents of a source call a symbol counts for each of them.
    """
    columns = store.documents.c
    about = {row["id"]: row for row in workspace.rows(sa.select(columns.id, columns.language, columns.source))}
    usage = Usage()
    for document, symbols in _documents(workspace, about):
        usage.add(about[document]["source"], symbols)
    for document, symbols in _documents(workspace, about):
        around = named_quantities("\n\n".join(dict.fromkeys(each.window for each in symbols.occurrences)))
        for occurrence in symbols.occurrences:
            if sides(occurrence.tex)[1] and len(formula_symbols(occurrence.tex)) > 1:
                named = named_quantities(occurrence.window)
                yield (
                    symbols,
                    occurrence,
                    readings(occurrence, symbols, usage, about[document]["source"], named, around),
                )


def _rows(workspace: Workspace) -> Iterator[SymbolRow]:
    for document, occurrence, found in read_formulas(workspace):
        for chosen in choose_readings(occurrence.tex, found, shipped_weights()):
            if chosen.probability >= MEANING_FROM:
                yield _row(occurrence, chosen, document)


def _documents(workspace: Workspace, about: Any) -> Iterator[tuple[str, DocumentSymbols]]:
    for document, occurrences in groupby(all_occurrences(workspace), attrgetter("document")):
        yield document, DocumentSymbols(list(occurrences), article_language(about[document]["language"]))


def _row(occurrence: Occurrence, chosen: ChosenReading, document: DocumentSymbols) -> SymbolRow:
    return SymbolRow(
        document=occurrence.document, position=occurrence.position, tex=occurrence.tex, symbol=chosen.symbol.tex, meaning=chosen.reading.meaning,
        qid="", label="", quantity=chosen.reading.quantity.key if chosen.reading.quantity else "", probability=round(chosen.probability, 4), sentence=document.rendered(chosen.reading.sentence), agrees=chosen.agreed,
    )  # fmt: skip
