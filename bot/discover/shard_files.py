"""Occurrence shards: one Parquet file for each source file, written under another name and then renamed."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from bot.discover.shards import MinedRow, ShardRow

_ROWS = 2000  # rows held in memory before they are written

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

    def __enter__(self) -> Self:
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
