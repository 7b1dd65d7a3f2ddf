"""Occurrence shards: one Parquet file for each source file, written under another name and then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bot.discover.left_sides import stripped
from bot.discover.name_cues import NameCue
from bot.errors import WorkspaceError
from bot.records import Definition, NameHint, Occurrence

LEVELS = ("K1", "K2", "K3", "K4", "K5")
_ROWS = 2000  # rows held in memory before they are written
SCHEMA = pa.schema(
    [
        ("path", pa.string()),
        ("document", pa.string()),
        ("position", pa.int32()),
        ("tex", pa.string()),
        ("display", pa.bool_()),
        ("window", pa.string()),
        ("heading", pa.string()),
        ("role", pa.string()),
        ("definitions", pa.string()),
        ("hints", pa.string()),
        ("signs", pa.string()),  # the name cues; shards of earlier versions call them so
        *((level, pa.string()) for level in LEVELS),
        ("leaves", pa.int32()),
        ("length", pa.int32()),
        ("kind", pa.string()),
        ("candidate", pa.bool_()),  # passes the filters that look at the formula alone
        ("named", pa.bool_()),  # its document's structure or a naming pattern names it
    ]
)


@dataclass(frozen=True, slots=True)
class OccurrenceRow:
    """One occurrence with all that is known of it without the rest of the corpus."""

    occurrence: Occurrence
    cues: tuple[NameCue, ...]
    keys: tuple[str, ...]  # at LEVELS
    leaves: int
    kind: str
    candidate: bool
    named: bool


class ShardWriter:
    """Write rows to a shard; nothing stands under its final name before `close`."""

    def __init__(self, target: Path, path: str) -> None:
        self.target, self.path = target, path
        self.temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        self._writer = pq.ParquetWriter(self.temporary, SCHEMA, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def write(self, rows: Iterable[OccurrenceRow]) -> None:
        self._rows.extend(flat(row, self.path) for row in rows)
        if len(self._rows) >= _ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()
        os.replace(self.temporary, self.target)

    def abandon(self) -> None:
        self._writer.close()
        self.temporary.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA))
            self._rows.clear()


def flat(row: OccurrenceRow, path: str) -> dict[str, Any]:
    """Return a row as the columns of a shard."""
    o = row.occurrence
    flat = {
        "path": path,
        "document": o.document,
        "position": o.position,
        "tex": o.tex,
        "display": o.display,
        "window": o.window,
        "heading": o.heading,
        "role": o.role,
        "definitions": _pack((d.symbol, d.meaning) for d in o.definitions),
        "hints": _pack((h.kind, h.name) for h in o.hints),
        "signs": _pack((s.name, s.kind) for s in row.cues),
        "leaves": row.leaves,
        "length": len(stripped(o.tex)),
        "kind": row.kind,
        "candidate": row.candidate,
        "named": row.named,
    }
    return {key: _sound(value) if isinstance(value, str) else value for key, value in flat.items()} | dict(
        zip(LEVELS, row.keys, strict=True)
    )


def _sound(text: str) -> str:
    """Arrow stores UTF-8 only: a lone surrogate from a broken escape becomes the replacement character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _pack(pairs: Iterable[tuple[str, str]]) -> str:
    found = list(pairs)
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")) if found else ""


def unpack(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a packed column."""
    return [(a, b) for a, b in json.loads(text)] if text else []


def occurrence(row: dict[str, Any]) -> Occurrence:
    """Return the record of a row of a shard."""
    return Occurrence(
        document=row["document"],
        position=row["position"],
        tex=row["tex"],
        display=row["display"],
        window=row["window"],
        heading=row["heading"],
        role=row["role"],
        definitions=tuple(Definition(*pair) for pair in unpack(row["definitions"])),
        hints=tuple(NameHint(*pair) for pair in unpack(row["hints"])),
    )


def engine(folder: Path, shards: Sequence[str]) -> Any:
    """Return a DuckDB connection with a view `occurrences` over the shards; close it after use.

    Raises WorkspaceError where a shard is gone or damaged.
    """
    import duckdb

    db = duckdb.connect(config={"threads": 2, "memory_limit": "600MB", "temp_directory": str(folder / ".spill")})
    # DuckDB takes names for patterns: a folder may be called "w [2]".
    files = [str(folder / shard).replace("[", "[[]") for shard in sorted(set(shards))]
    if files:
        try:
            db.from_parquet(files).create_view("occurrences")
        except duckdb.Error as error:
            db.close()
            todo = "remove what is damaged there and run `formula-bot discover` on the same sources again"
            raise WorkspaceError(f"a shard cannot be read ({error})", where=str(folder), todo=todo) from None
    else:
        db.register("occurrences", SCHEMA.empty_table())
    return db
