"""Symbols of a whole workspace: what each symbol of its formulas means, its sentence and its item, kept beside the occurrences."""

import os
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TypeAlias, cast

import duckdb
import sqlalchemy as sa

from bot import store
from bot.discover import all_occurrences
from bot.discover.cues.cue_language import article_language
from bot.discover.stored_occurrences import fetch, fill_table, path_pattern
from bot.freed_memory import return_freed_memory
from bot.lookup import Client
from bot.match.symbols.symbol_choice import ChosenReading, choose_readings, shipped_weights
from bot.match.symbols.symbol_evidence import (
    DocumentReading,
    DocumentSymbols,
    FormulaReadings,
    FormulaSymbolReadings,
    SymbolUsage,
    UsageInputs,
    read_document,
    readings,
)
from bot.match.symbols.symbol_items import SymbolItems
from bot.match.symbols.symbol_rows import SymbolRow, store_of_concepts
from bot.pickled_values import from_pickle, to_pickle
from bot.records import Occurrence
from bot.result_cache import ResultCache, cache_key, temporary_result_cache
from bot.sequences import batched, one_ahead
from bot.settings import Settings
from bot.store import Workspace

# Fitted on the development formulas: from there on nine of ten meanings, and 19 of 20 items, are right.
MEANING_FROM = 0.7
ITEM_FROM = 0.9
_FILE = "symbols.parquet"
_BLOCK = 16  # documents read at once
_GROUP = 4_096  # rows of a row group, which DuckDB has in memory before it writes them

# Its DocumentMeanings, its UsageInputs and its formulas: each is read by itself.
_PackedDocument: TypeAlias = tuple[bytes, bytes, bytes]
_Row: TypeAlias = tuple[object, ...]  # the columns in order; of what is cached, without the document
_COLUMNS = {"document": "VARCHAR", "position": "INTEGER", "tex": "VARCHAR", "symbol": "VARCHAR", "meaning": "VARCHAR",
            "qid": "VARCHAR", "quantity": "VARCHAR", "label": "VARCHAR", "probability": "DOUBLE", "sentence": "VARCHAR", "agrees": "BOOLEAN"}  # fmt: skip


def read_symbols(workspace: Workspace) -> Iterator[SymbolRow]:
    """Yield the meaning of each symbol of the workspace's formulas; without items if `match` has not been run."""
    path = workspace.path / _FILE
    if path.exists():
        with duckdb.connect(config={"threads": 1}) as db:
            rows = fetch(db, "SELECT * FROM read_parquet($path)", {"path": path_pattern(path)})
            yield from cast(Iterator[SymbolRow], rows)
    else:
        with temporary_result_cache() as results:
            for row in _WorkspaceSymbols(workspace, results).new_rows({}, {}):
                yield cast(SymbolRow, dict(zip(_COLUMNS, row, strict=True)))


def store_symbols(workspace: Workspace, client: Client, settings: Settings, results: ResultCache) -> None:
    """Read the symbols of all formulas, ask the wiki for their items, and replace what is stored. Raises LookupFailed."""
    path = workspace.path / _FILE
    named = path.with_name(f".{_FILE}.{os.getpid()}.tmp")
    symbols = _WorkspaceSymbols(workspace, results)
    of_file: dict[str, dict[str, bytes]] = results.load_last("symbols stored", b"")
    stored, now = of_file.get(_stamp(path), {}), dict[str, bytes]()
    spill = str(workspace.occurrences / ".spill")
    try:
        with duckdb.connect(config={"threads": 1, "memory_limit": "64MB", "temp_directory": spill}) as db:
            fill_table(db, "symbols", _COLUMNS, symbols.new_rows(stored, now))
            del symbols  # what documents call them has served
            return_freed_memory()
            if unchanged := [id_ for id_, digest in now.items() if stored.get(id_) == digest]:
                _add_stored(db, path, unchanged)
            _add_items(
                db, client, {*settings.proposing.implausible_classes, settings.wiki.properties.disambiguation_class}
            )
            db.table("symbols").write_parquet(str(named), compression="zstd", row_group_size=_GROUP)
            store_of_concepts(workspace, db)
        os.replace(named, path)
        results.store_last("symbols stored", b"", {_stamp(path): now})
    finally:
        named.unlink(missing_ok=True)


def _stamp(path: Path) -> str:
    """Return what tells a file from another of this name; "" where there is none."""
    return f"{path.stat().st_size} {path.stat().st_mtime_ns}" if path.exists() else ""


def _add_stored(db: duckdb.DuckDBPyConnection, path: Path, documents: Sequence[str]) -> None:
    """Add the rows of documents as they are stored but for their items, in the order of documents."""
    fill_table(db, "unchanged", {"document": "VARCHAR"}, ((id_,) for id_ in documents))
    db.execute("ALTER TABLE symbols RENAME TO new_symbols")
    db.execute(
        f"""CREATE TEMP TABLE symbols AS SELECT {", ".join(_COLUMNS)} FROM (
            SELECT * REPLACE ('' AS qid, '' AS label), file_row_number AS n FROM read_parquet($1, file_row_number = true)
            SEMI JOIN unchanged USING (document) UNION ALL BY NAME SELECT *, rowid AS n FROM new_symbols
        ) ORDER BY document, n""",
        [path_pattern(path)],
    )


def _add_items(db: duckdb.DuckDBPyConnection, client: Client, never: Collection[str]) -> None:
    """Fill in the item of each meaning that is sure and has one."""
    sure = f"probability >= {ITEM_FROM} AND agrees IS DISTINCT FROM false"
    query = f"SELECT DISTINCT meaning, quantity, symbol FROM symbols WHERE {sure}"
    meanings: list[tuple[str, str, str]] = db.execute(query).fetchall()
    items = SymbolItems.fetch({(meaning, quantity) for meaning, quantity, _ in meanings}, client, never)
    found = [(*each, qid, items.label[qid]) for each in meanings if (qid := items.item_of(*each))]
    fill_table(db, "items", dict.fromkeys(("meaning", "quantity", "symbol", "qid", "label"), "VARCHAR"), found)
    db.execute(
        f"UPDATE symbols s SET qid = i.qid, label = i.label FROM items i WHERE {sure} AND s.meaning = i.meaning AND s.quantity = i.quantity AND s.symbol = i.symbol"
    )


@dataclass(frozen=True, slots=True)
class _MinedDocument:
    """A document of the workspace; `digest` is of its occurrences, as shards are named by what is in them."""

    id: str
    language: str
    source: str
    digest: bytes


# With what it needs of others, the keys of its formulas, and its data
_ChangedDocument: TypeAlias = tuple[_MinedDocument, UsageInputs, list[bytes], bytes]
_AskedDocument: TypeAlias = tuple[str, SymbolUsage, list[int], bytes]  # its source, and the numbers of formulas


class _WorkspaceSymbols:
    """What the documents of a workspace say of symbols, each read once for as long as neither it nor the code changes."""

    def __init__(self, workspace: Workspace, results: ResultCache) -> None:
        self._workspace, self._results = workspace, results
        table, files = store.documents.c, store.sources.c
        query = (
            sa.select(table.id, table.language, table.source, files.part)
            .join(store.sources, table.path == files.path)
            .where(files.part != "")
        )
        rows = sorted(workspace.rows(query), key=itemgetter("id"))
        self.documents = [
            _MinedDocument(row["id"], row["language"], row["source"], cache_key(*row.values())) for row in rows
        ]
        self.usage = SymbolUsage()
        read = partial(_read_documents, workspace, results)  # nothing of this object: it would not be freed
        self._read = results.map_lazily("symbols read", self.documents, attrgetter("digest"), read, _BLOCK)
        for document, (meanings, _, _) in zip(self.documents, self._read, strict=True):
            self.usage.add(document.source, from_pickle(meanings))

    def formulas(self) -> Iterator[tuple[_MinedDocument, FormulaSymbolReadings, FormulaReadings]]:
        """Yield what may be meant by the symbols of each formula that has two or more."""
        for document, (_, _, document_data) in zip(self.documents, self._read, strict=True):
            around, formulas = _unpacked(document_data)
            for formula in map(_formula, formulas):
                yield document, formula, readings(formula, self.usage, document.source, around)

    def new_rows(self, stored: Mapping[str, bytes], now: dict[str, bytes]) -> Iterator[_Row]:
        """Yield the likely meanings of the documents whose rows are not `stored`, by the digests of what they are made from; fill in those of `now`."""
        for rows in one_ahead(map(self._start_rows, batched(self._changed(stored, now), _BLOCK))):
            yield from rows

    def _changed(self, stored: Mapping[str, bytes], now: dict[str, bytes]) -> Iterator[_ChangedDocument]:
        """Yield the documents whose rows are not `stored`."""
        for document, (_, packed_needs, document_data) in zip(self.documents, self._read, strict=True):
            needs: UsageInputs = from_pickle(packed_needs)
            grounds = [self.usage.readings_elsewhere(document.source, own)[1] for own in needs.symbols]
            now[document.id] = cache_key(document.digest, grounds)
            if stored.get(document.id) != now[document.id]:
                keys = [cache_key(n, [grounds[each] for each in numbers]) for n, numbers in enumerate(needs.formulas)]
                yield document, needs, keys, document_data

    def _start_rows(self, documents: Sequence[_ChangedDocument]) -> Callable[[], Iterator[_Row]]:
        """Return what returns the rows of documents; only of those formulas are meanings chosen anew of whose symbols other documents say something else than in the last run."""
        found: list[dict[bytes, list[_Row]]] = []
        asked: list[_AskedDocument] = []
        for document, needs, keys, document_data in documents:
            last: dict[bytes, list[_Row]] = self._results.load_last("symbols chosen", document.digest)
            found.append({key: last.get(key, []) for key in keys})
            missing = [n for n, key in enumerate(keys) if key not in last]
            usage = self.usage.of_document(document.source, needs.symbols if missing else ())
            asked.append((document.source, usage, missing, document_data if missing else b""))
        started = self._results.processes.start(_chosen_rows, asked)

        def results() -> Iterator[_Row]:
            for (document, _, keys, _), (_, _, missing, _), of_formulas, rows in zip(
                documents, asked, found, started(), strict=True
            ):
                of_formulas |= {keys[n]: each for n, each in zip(missing, rows, strict=True)}
                if missing:
                    self._results.store_last("symbols chosen", document.digest, of_formulas)
                yield from ((document.id, *row) for each in of_formulas.values() for row in each)

        return results


def _chosen_rows(documents: Sequence[_AskedDocument]) -> list[list[list[_Row]]]:
    """Return for each document the rows of the formulas that are asked for, each row without its document."""
    found = []
    for source, usage, numbers, document_data in documents:
        around, formulas = _unpacked(document_data) if numbers else ({}, [])
        asked = map(_formula, map(formulas.__getitem__, numbers))
        found.append([_rows(formula, readings(formula, usage, source, around)) for formula in asked])
    return found


def _rows(formula: FormulaSymbolReadings, found: FormulaReadings) -> list[_Row]:
    chosen = choose_readings(formula.tex, found, shipped_weights())
    return [_row(formula, each) for each in chosen if each.probability >= MEANING_FROM]


def _read_documents(
    workspace: Workspace, results: ResultCache, documents: Sequence[_MinedDocument]
) -> Iterator[_PackedDocument]:
    def start(some: Sequence[_MinedDocument]) -> Callable[[], list[_PackedDocument]]:
        occurrences: dict[str, list[Occurrence]] = {each.id: [] for each in some}
        for row in all_occurrences(workspace, set(occurrences)):
            occurrences[row.document].append(row)
        return results.processes.start(_symbols_of, [(occurrences[each.id], each.language) for each in some])

    for found in one_ahead(map(start, batched(documents, _BLOCK))):
        yield from found


def _symbols_of(documents: Sequence[tuple[list[Occurrence], str]]) -> list[_PackedDocument]:
    """Read documents, each with its occurrences and its language."""
    found = []
    for occurrences, language in documents:
        symbols = DocumentSymbols(occurrences, article_language(language))
        read = read_document(symbols)
        found.append((to_pickle(symbols.explicit_meanings()), to_pickle(UsageInputs.of(read)), _document_data(read)))
    return found


def _document_data(read: DocumentReading) -> bytes:
    """Return what was read of a document as bytes, in which each formula is bytes of its own: few of them are looked at again."""
    return zlib.compress(to_pickle((read.around, [to_pickle(tuple(each)) for each in read.formulas])), 1)


def _unpacked(data: bytes) -> tuple[dict[str, str], list[bytes]]:
    found: tuple[dict[str, str], list[bytes]] = from_pickle(zlib.decompress(data))
    return found


def _formula(data: bytes) -> FormulaSymbolReadings:
    return FormulaSymbolReadings(*from_pickle(data))


def read_formulas(workspace: Workspace) -> Iterator[tuple[str, FormulaSymbolReadings, FormulaReadings]]:
    """Yield the document of each formula that has two symbols or more, the formula, and what may be meant by its symbols."""
    with temporary_result_cache() as results:
        for document, formula, found in _WorkspaceSymbols(workspace, results).formulas():
            yield document.id, formula, found


def _row(formula: FormulaSymbolReadings, chosen: ChosenReading) -> _Row:
    reading = chosen.reading
    quantity = reading.quantity.key if reading.quantity else ""
    return (
        formula.position, formula.tex, chosen.symbol.tex, reading.meaning, "", quantity, "", round(chosen.probability, 4), reading.sentence, chosen.agreed,
    )  # fmt: skip
