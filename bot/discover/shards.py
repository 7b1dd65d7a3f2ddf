"""Occurrence shards: one Parquet file for each source file, written under another name and then renamed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypedDict, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from bot.discover.cues.name_cues import NameCue
from bot.discover.left_sides import stripped
from bot.records import Occurrence, Role

LEVELS = ("K1", "K2", "K3", "K4", "K5")
_ROWS = 2000  # rows held in memory before they are written


class MinedRow(TypedDict):
    """One occurrence with all that is known of it without the rest of the corpus."""

    document: str
    position: int
    tex: str
    display: bool
    window: str
    heading: str
    role: Role
    definitions: str  # pairs as JSON, as in the next two; "" for none
    hints: str
    signs: str  # the name cues; shards of earlier versions call them so
    K1: str
    K2: str
    K3: str
    K4: str
    K5: str
    leaves: int
    length: int
    kind: str
    candidate: bool  # passes the filters that look at the formula alone
    named: bool  # its document's structure or a naming pattern names it


class ShardRow(MinedRow):
    """A row of a shard: with the file that the occurrence was read from."""

    path: str


_ARROW = {int: pa.int32(), bool: pa.bool_()}
_COLUMNS = {"path": str} | get_type_hints(MinedRow)
SCHEMA = pa.schema([(column, _ARROW.get(kind, pa.string())) for column, kind in _COLUMNS.items()])


class ShardWriter:
    """Write rows to a shard, as a context; nothing is under its final name before its end, nor ever without rows."""

    def __init__(self, target: Path, path: str) -> None:
        self.target, self.path = target, path
        self.temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        self._writer = pq.ParquetWriter(self.temporary, SCHEMA, compression="zstd")
        self._rows: list[ShardRow] = []
        self.written = 0

    def __enter__(self) -> ShardWriter:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if self.written and not error:
            self.close()
        else:
            self._writer.close()
            self.temporary.unlink(missing_ok=True)

    def write(self, rows: Sequence[MinedRow]) -> None:
        self._rows += [ShardRow(**row, path=self.path) for row in rows]
        self.written += len(rows)
        if len(self._rows) >= _ROWS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()
        os.replace(self.temporary, self.target)

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA))
            self._rows.clear()


def mined_row(
    o: Occurrence, keys: Sequence[str], leaves: int, kind: str, candidate: bool, cues: Iterable[NameCue], named: bool
) -> MinedRow:
    """Return an occurrence as the columns of a shard; `keys` are at LEVELS."""
    k1, k2, k3, k4, k5 = map(_sound, keys)
    return MinedRow(
        document=_sound(o.document), position=o.position, tex=_sound(o.tex), display=o.display, window=_sound(o.window),
        heading=_sound(o.heading), role=o.role, definitions=_pack((d.symbol, d.meaning) for d in o.definitions),
        hints=_pack((h.kind, h.name) for h in o.hints), signs=_pack((cue.name, cue.kind) for cue in cues),
        K1=k1, K2=k2, K3=k3, K4=k4, K5=k5, leaves=leaves, length=len(stripped(o.tex)), kind=kind, candidate=candidate, named=named,
    )  # fmt: skip


def _sound(text: str) -> str:
    """Arrow stores UTF-8 only: a lone surrogate from a broken escape becomes the replacement character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _pack(pairs: Iterable[tuple[str, str]]) -> str:
    found = list(pairs)
    return _sound(json.dumps(found, ensure_ascii=False, separators=(",", ":"))) if found else ""


def unpack(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a packed column."""
    return [(a, b) for a, b in json.loads(text)] if text else []
