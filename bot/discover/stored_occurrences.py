"""Occurrences as they were mined, read from the shards of a workspace through DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import sqlalchemy as sa

from bot import store
from bot.discover.shard_files import SCHEMA
from bot.discover.shards import ShardRow, unpack
from bot.errors import WorkspaceError
from bot.records import Definition, NameHint, Occurrence
from bot.store import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# A document may have been read from two files: it counts as read from its owner.
OWN = "FROM occurrences o JOIN owners w ON o.path = w.path AND o.document = w.id"


def connect(workspace: Workspace, shards: Iterable[str] | None = None) -> DuckDBPyConnection:
    """Return a connection with the view `occurrences` over these shards, to be closed after use.

    Without `shards` it is all of them, with the table `owners` (id, path): the documents that count, and the file each was read from.
    Raises WorkspaceError where a shard is gone or damaged.
    """
    import duckdb

    folder = workspace.occurrences
    db = duckdb.connect(config={"threads": 2, "memory_limit": "600MB", "temp_directory": str(folder / ".spill")})
    if shards is None:
        shards = [row["part"] for row in workspace.rows(sa.select(store.sources.c.part)) if row["part"]]
        documents = workspace.rows(sa.select(store.documents.c.id, store.documents.c.path))
        db.register("owners", pa.Table.from_pylist(documents, pa.schema([("id", pa.string()), ("path", pa.string())])))
    # DuckDB takes names for patterns: a folder may be called "w [2]".
    files = [str(folder / shard).replace("[", "[[]") for shard in sorted(set(shards))]
    if not files:
        db.register("occurrences", SCHEMA.empty_table())
        return db
    try:
        db.from_parquet(files).create_view("occurrences")
    except duckdb.Error as error:
        db.close()
        todo = "remove what is damaged there and run `formula-bot discover` on the same sources again"
        raise WorkspaceError(f"a shard cannot be read ({error})", where=str(folder), todo=todo) from None
    return db


def fetch(db: DuckDBPyConnection, query: str, parameters: Mapping[str, int | bool] | None = None) -> Iterator[ShardRow]:
    """Yield the rows of a query over `occurrences`, with whatever columns it adds."""
    cursor = db.execute(query, dict(parameters or {}))
    columns = [column[0] for column in cursor.description or ()]
    while batch := cursor.fetchmany(2000):
        for row in batch:
            yield cast(ShardRow, dict(zip(columns, row, strict=True)))


def all_occurrences(workspace: Workspace) -> Iterator[Occurrence]:
    """Yield every occurrence by document and position; what was read from two files counts once."""
    with connect(workspace) as db:
        yield from map(_occurrence, fetch(db, f"SELECT o.* {OWN} ORDER BY o.document, o.position, o.path"))


def occurrences_of(workspace: Workspace, places: Iterable[tuple[str, int]]) -> list[Occurrence]:
    """Return the occurrences at these (document, position) places, in their order; what is no longer there is left out."""
    wanted = list(places)
    rows = _looked_up(workspace, [(d, p, "") for d, p in wanted], "o.position = w.p")
    found = {(o.document, o.position): o for o in rows}
    return [found[place] for place in wanted if place in found]


def occurrences_again(workspace: Workspace, wanted: Iterable[tuple[str, int, str]]) -> list[Occurrence]:
    """Return what a document holds at a (document, position, key K2), or under that key anywhere else."""
    found = _looked_up(workspace, list(wanted), "(o.position = w.p OR o.K2 = w.k)")
    return sorted(found, key=lambda o: (o.document, o.position))


def _looked_up(workspace: Workspace, wanted: Sequence[tuple[str, int, str]], condition: str) -> list[Occurrence]:
    if not wanted:
        return []
    query = sa.select(store.sources.c.part).join(store.documents, store.documents.c.path == store.sources.c.path)
    shards: set[str] = set()
    names = list({document for document, *_ in wanted})
    for start in range(0, len(names), 500):
        rows = workspace.rows(query.where(store.documents.c.id.in_(names[start : start + 500])))
        shards |= {row["part"] for row in rows if row["part"]}
    with connect(workspace, shards) as db:
        columns = zip("dpk", (pa.string(), pa.int32(), pa.string()), zip(*wanted, strict=True), strict=True)
        db.register("wanted", pa.table({name: pa.array(values, kind) for name, kind, values in columns}))
        semi_join = f"SEMI JOIN wanted w ON o.document = w.d AND {condition}"
        return list(map(_occurrence, fetch(db, f"SELECT o.* FROM occurrences o {semi_join} ORDER BY o.path DESC")))


def _occurrence(row: ShardRow) -> Occurrence:
    return Occurrence(
        row["document"], row["position"], row["tex"], row["display"], row["window"], row["heading"], row["role"],
        definitions=tuple(Definition(*pair) for pair in unpack(row["definitions"])),
        hints=tuple(NameHint(*pair) for pair in unpack(row["hints"])),
        cues=tuple(NameHint(kind, name) for name, kind in unpack(row["signs"])),
    )  # fmt: skip
