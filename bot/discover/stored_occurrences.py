"""Occurrences as they were mined, read from the shards of a workspace through DuckDB."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import sqlalchemy as sa

from bot import store
from bot.corpus.draft import MASK, squeeze
from bot.discover.shards import ShardRow, unpack
from bot.errors import WorkspaceError
from bot.records import Definition, NameHint, Occurrence
from bot.sequences import batched
from bot.store import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AT_ONCE = 2_000  # rows handed to DuckDB in one statement
_PLACES = 8_000  # brought into an order at once, some 16 MB: DuckDB fails to spill several times its memory
_SORTED_IN = "150MB"  # memory of DuckDB while occurrences are brought into an order
# A document may have been read from two files: it counts as read from its owner.
_OWNERS = {"id": "VARCHAR", "path": "VARCHAR", "part": "VARCHAR"}
OWN = "FROM occurrences o JOIN owners w ON o.path = w.path AND o.document = w.id"
# What is counted: the few columns of the formulas that count by which they are chosen and put in order.
COUNTED_COLUMNS = ", ".join(
    f"o.{name}" for name in "path document position K1 K2 K3 length candidate named role".split()
)
COUNTED = f"SELECT {COUNTED_COLUMNS}, w.part {OWN}"

# What makes an occurrence.
_MADE_OF = ", ".join(
    f"o.{name}" for name in "document position tex display window heading role definitions hints signs".split()
)


def connect_to_shards(workspace: Workspace, shards: Iterable[str] | None = None) -> DuckDBPyConnection:
    """Return a connection with the view `occurrences` over these shards, to be closed after use.

    Without `shards` it is all of them, with the table `owners` (id, path, part): the documents that count, the file each was read from, and its shard.
    Raises WorkspaceError where a shard is gone or damaged.
    """
    import duckdb

    folder = workspace.occurrences
    db = duckdb.connect(config={"threads": 2, "memory_limit": "600MB", "temp_directory": str(folder / ".spill")})
    if shards is None:
        shards = shard_names(workspace)
        fill_table(db, "owners", _OWNERS, owner_rows(workspace))
    files = [path_pattern(folder / shard) for shard in sorted(set(shards))]
    if not files:
        from bot.discover.shard_files import SCHEMA  # its library takes memory that is spared where it is not needed

        db.register("occurrences", SCHEMA.empty_table())
        return db
    try:
        db.from_parquet(files).create_view("occurrences")
    except duckdb.Error as error:
        db.close()
        raise WorkspaceError("shard", why=str(error), where=str(folder), todo="discover_again") from None
    return db


def path_pattern(path: Path) -> str:
    """Return a path as DuckDB takes it, which takes names for patterns: a folder may be called "w [2]"."""
    return str(path).replace("[", "[[]")


def shard_names(workspace: Workspace) -> set[str]:
    """Return the shards of all files that have a formula."""
    return {row["part"] for row in workspace.rows(sa.select(store.sources.c.part)) if row["part"]}


def owner_rows(workspace: Workspace, documents: Collection[str] | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield (id, path, shard) of the documents that count, or of these."""
    owned, files = store.documents.c, store.sources.c
    query = sa.select(owned.id, owned.path, files.part).join(store.sources, files.path == owned.path)
    rows = workspace.rows(query) if documents is None else workspace.rows_with(query, owned.id, documents)
    return ((row["id"], row["path"], row["part"]) for row in rows)


def fill_table(db: DuckDBPyConnection, name: str, columns: Mapping[str, str], rows: Iterable[Sequence[object]]) -> None:
    """Put rows into a new temporary table of this connection, a block of them in memory."""
    db.execute(f"CREATE TEMP TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in columns.items())})")
    lists = ", ".join(f"unnest(${n}::{kind}[])" for n, kind in enumerate(columns.values(), 1))
    for block in batched(rows, _AT_ONCE):
        db.execute(f"INSERT INTO {name} SELECT {lists}", [list(c) for c in zip(*block, strict=True)])


def fetch(db: DuckDBPyConnection, query: str, parameters: Mapping[str, int | str] | None = None) -> Iterator[ShardRow]:
    """Yield the rows of a query over `occurrences`, with whatever columns it adds."""
    cursor = db.execute(query, dict(parameters or {}))
    columns = [column[0] for column in cursor.description or ()]
    while batch := cursor.fetchmany(500):  # some megabytes
        for row in batch:
            yield cast(ShardRow, dict(zip(columns, row, strict=True)))


def all_occurrences(workspace: Workspace, documents: Collection[str] | None = None) -> Iterator[Occurrence]:
    """Yield every occurrence, or those of these documents, by document and position; what was read from two files counts once."""
    owners = list(owner_rows(workspace, documents))
    with connect_to_shards(workspace, {part for *_, part in owners if part}) as db:
        db.execute(f"SET memory_limit = '{_SORTED_IN}'")
        fill_table(db, "owners", _OWNERS, owners)
        yield from map(_occurrence, fetch(db, f"SELECT {_MADE_OF} {OWN} ORDER BY o.document, o.position, o.path"))


def occurrences_of(workspace: Workspace, places: Iterable[tuple[str, int]]) -> list[Occurrence]:
    """Return the occurrences at these (document, position) places, in their order, without those that no longer exist."""
    places_wanted = list(places)
    found = {
        (o.document, o.position): o
        for o in map(_occurrence, _matching_occurrences(workspace, _place_condition(places_wanted), "o.position = w.p"))
    }
    return [found[place] for place in places_wanted if place in found]


def tex_of(workspace: Workspace, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return the formulas that stand at these places; nothing else is read of them."""
    rows = _matching_occurrences(
        workspace, _place_condition(places), "o.position = w.p", "o.document, o.position, o.tex"
    )
    return {(row["document"], row["position"]): row["tex"] for row in rows}


class ShownPlace(NamedTuple):
    """A place as a search shows it: the section that it is in, its sentence, the title and the address of its document."""

    document: str = ""
    section: str = ""
    sentence: str = ""
    title: str = ""
    url: str = ""


def shown_places(workspace: Workspace, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], ShownPlace]:
    """Return what is shown of each of these (document, position) places, without those that no longer exist."""
    occurrences, table = occurrences_of(workspace, places), store.documents.c
    query = sa.select(table.id, table.title, table.url)
    rows = workspace.rows_with(query, table.id, {o.document for o in occurrences})
    documents, sentences = (
        {row["id"]: (row["title"], row["url"]) for row in rows},
        _sentences_of(workspace, occurrences),
    )
    return {
        (o.document, o.position): ShownPlace(o.document, o.heading, text, *documents[o.document])
        for o, text in zip(occurrences, sentences, strict=True)
    }


def _sentences_of(workspace: Workspace, occurrences: Collection[Occurrence]) -> list[str]:
    """Return the text around each of these as one line to read: its formulas are TeX in dollars."""
    tex_at = tex_of(workspace, {(o.document, int(n)) for o in occurrences for n in MASK.findall(o.window)})

    def plain(each: Occurrence) -> str:
        def formula(mask: re.Match[str]) -> str:
            tex = tex_at.get((each.document, int(mask[1])))
            return mask[0] if tex is None else f"${tex}$"

        return MASK.sub(formula, squeeze(each.window))

    return list(map(plain, occurrences))


def occurrences_in_order(
    workspace: Workspace, places_wanted: Sequence[tuple[int, tuple[str, int]]]
) -> Iterator[tuple[int, Occurrence]]:
    """Yield (number, occurrence) for these (number, (document, position)) pairs, which come by their numbers; what is no longer there is left out.

    DuckDB sorts some of them at a time, all places of a number together; nothing but a few rows is in memory here.
    """
    start = 0
    while start < len(places_wanted):
        end = min(start + _PLACES, len(places_wanted))
        while end < len(places_wanted) and places_wanted[end][0] == places_wanted[end - 1][0]:
            end += 1
        yield from _in_order(workspace, places_wanted[start:end])
        start = end


def _in_order(
    workspace: Workspace, places_wanted: Sequence[tuple[int, tuple[str, int]]]
) -> Iterator[tuple[int, Occurrence]]:
    shards = _shards_of(workspace, {document for _, (document, _) in places_wanted})
    with connect_to_shards(workspace, shards) as db:
        db.execute(f"SET memory_limit = '{_SORTED_IN}'")
        db.execute("SET threads = 1")  # each thread holds the columns of a file
        fill_table(
            db, "wanted", {"n": "INTEGER", "d": "VARCHAR", "p": "INTEGER"}, [(n, *place) for n, place in places_wanted]
        )
        rows = fetch(
            db, f"SELECT w.n, {_MADE_OF} FROM occurrences o JOIN wanted w ON o.document = w.d AND o.position = w.p ORDER BY w.n, o.path DESC"
        )  # fmt: skip
        yield from (
            (cast(int, row.pop("n")), _occurrence(cast(ShardRow, row)))
            for row in cast(Iterator[dict[str, object]], rows)
        )


def find_occurrences_again(workspace: Workspace, places_wanted: Iterable[tuple[str, int, str]]) -> list[Occurrence]:
    """Return what a document holds at a (document, position, key K2), or under that key anywhere else."""
    found = _matching_occurrences(workspace, list(places_wanted), "(o.position = w.p OR o.K2 = w.k)")
    return sorted(map(_occurrence, found), key=lambda o: (o.document, o.position))


def _place_condition(places: Iterable[tuple[str, int]]) -> list[tuple[str, int, str]]:
    return [(document, position, "") for document, position in places]


def _matching_occurrences(
    workspace: Workspace, places_wanted: Sequence[tuple[str, int, str]], condition: str, columns: str = _MADE_OF
) -> list[ShardRow]:
    if not places_wanted:
        return []
    with connect_to_shards(workspace, _shards_of(workspace, {document for document, *_ in places_wanted})) as db:
        fill_table(db, "wanted", {"d": "VARCHAR", "p": "INTEGER", "k": "VARCHAR"}, places_wanted)
        semi_join = f"SEMI JOIN wanted w ON o.document = w.d AND {condition}"
        return list(fetch(db, f"SELECT {columns} FROM occurrences o {semi_join} ORDER BY o.path DESC"))


def _shards_of(workspace: Workspace, documents: Iterable[str]) -> set[str]:
    return {part for *_, part in owner_rows(workspace, set(documents)) if part}


def _occurrence(row: ShardRow) -> Occurrence:
    return Occurrence(
        row["document"], row["position"], row["tex"], row["display"], row["window"], row["heading"], row["role"],
        definitions=tuple(Definition(*pair) for pair in unpack(row["definitions"])),
        hints=tuple(NameHint(*pair) for pair in unpack(row["hints"])),
        cues=tuple(NameHint(kind, name) for name, kind in unpack(row["signs"])),
    )  # fmt: skip
