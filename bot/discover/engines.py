"""Where source files are read and occurrences counted: on this machine, or on a Spark cluster."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bot.discover.mine import ReadFiles, read_locally
from bot.errors import SettingsError
from bot.processes import CORES
from bot.store import Workspace

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from bot.discover.count import RowQuery
    from bot.discover.shards import ShardRow

COUNTED_FILE = "counted.parquet"  # of a workspace: what is counted, of all shards
_COUNTED_IN = "300MB"  # memory of DuckDB; what does not fit is on disk
_ROWS_TOGETHER = 10_000  # rows in memory before they are written, some 15 MB


class Engine(Protocol):
    """Where source files are read and occurrences counted."""

    @property
    def read(self) -> ReadFiles: ...

    def occurrences(self, workspace: Workspace) -> AbstractContextManager[RowQuery]:
        """Open the views `occurrences` and `counted` of a workspace for queries."""


@dataclass(frozen=True, slots=True)
class OneMachine:
    """Reading in processes of this machine, counting with DuckDB."""

    workers: int = CORES

    @property
    def read(self) -> ReadFiles:
        return partial(read_locally, workers=self.workers)

    @contextmanager
    def occurrences(self, workspace: Workspace) -> Iterator[RowQuery]:
        from bot.discover.stored_occurrences import COUNTED, connect_to_shards

        with connect_to_shards(workspace) as db:
            db.execute(f"SET memory_limit = '{_COUNTED_IN}'; SET preserve_insertion_order = false")
            db.execute(f"CREATE TEMP VIEW counted AS {COUNTED}")
            folder = workspace.occurrences / ".spill"
            try:
                yield _StoredRows(db, folder, workspace)
            finally:
                for gathered in folder.glob("*.parquet"):
                    gathered.unlink()
                with suppress(OSError):  # DuckDB has something there
                    folder.rmdir()


@dataclass(frozen=True, slots=True)
class _StoredRows:
    """Rows of shards through DuckDB, or of one file for each view once they are gathered in it."""

    _db: DuckDBPyConnection
    _folder: Path
    _workspace: Workspace

    def __call__(self, query: str, parameters: Mapping[str, int | bool], /) -> Iterator[ShardRow]:
        from bot.discover.stored_occurrences import fetch

        return fetch(self._db, query, parameters)

    def narrowed(self, parts: Collection[str]) -> str:
        """Return the name of a view of these shards alone."""
        self._db.execute(f"CREATE OR REPLACE TEMP VIEW narrowed AS SELECT * FROM read_parquet({self._files(parts)})")
        return "narrowed"

    def _files(self, parts: Collection[str]) -> str:
        return f"[{', '.join(_literal(self._workspace.occurrences / part) for part in sorted(parts))}]"

    def gather(self, view: str) -> None:
        """Write the candidates of `occurrences`, or what is counted of all shards, into one file, from which they are read from then on."""
        if view == "counted":
            self._read_counted_from_one_file()
            return
        self._folder.mkdir(exist_ok=True)
        file = self._folder / f"{view}.parquet"
        self._db.sql(f"SELECT * FROM {view} WHERE candidate").write_parquet(str(file), row_group_size=_ROWS_TOGETHER)
        self._db.execute(f"CREATE OR REPLACE TEMP VIEW {view} AS SELECT * FROM read_parquet({_literal(file)})")

    def _read_counted_from_one_file(self) -> None:
        """Read what is counted from the file that the workspace keeps of it, after adding new shards and removing those that are gone.

        To open a thousand shards takes a second.
        """
        import duckdb

        from bot.discover.stored_occurrences import COUNTED_COLUMNS, fill_table, shard_names

        file = self._workspace.path / COUNTED_FILE
        parts = shard_names(self._workspace)
        fill_table(self._db, "parts", {"part": "VARCHAR"}, [(part,) for part in sorted(parts)])

        def write(new: Collection[str], stored_query: str) -> None:
            columns = f"SELECT {COUNTED_COLUMNS}, parse_filename(o.filename) AS part"
            read = f"{columns} FROM read_parquet({self._files(new)}, filename=true) o" if new else ""
            temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
            try:
                rows = self._db.sql(" UNION ALL ".join(filter(None, (stored_query, read))))
                rows.write_parquet(str(temporary), row_group_size=_ROWS_TOGETHER)
                os.replace(temporary, file)
            finally:
                temporary.unlink(missing_ok=True)

        before = f"FROM read_parquet({_literal(file)})"
        try:
            stored_parts = {part for (part,) in self._db.execute(f"SELECT DISTINCT part {before}").fetchall()}
            if stored_parts != parts:
                write(parts - stored_parts, f"SELECT * {before} SEMI JOIN parts USING (part)")
        except duckdb.Error:  # there is none yet, or it is damaged
            if not parts:
                return
            write(parts, "")
        owned = "JOIN owners w ON o.path = w.path AND o.document = w.id AND o.part = w.part"
        self._db.execute(f"CREATE OR REPLACE TEMP VIEW counted AS SELECT o.* {before} o {owned}")


def _literal(path: Path) -> str:
    """Return a path as DuckDB takes it in a statement."""
    from bot.discover.stored_occurrences import path_pattern

    return "'" + path_pattern(path).replace("'", "''") + "'"


@contextmanager
def opened_engine(name: str, spark_conf: Sequence[str]) -> Iterator[Engine]:
    """Open the engine called "local" or "spark"; `spark_conf` are settings of Spark as KEY=VALUE.

    Raises SettingsError for a setting that cannot be read or is given without Spark, WorkspaceError where no session comes up.
    """
    pairs = dict(setting.partition("=")[::2] for setting in spark_conf)
    if bad := next((key for key, value in pairs.items() if not key.startswith("spark.") or not value), None):
        raise SettingsError("no_spark_setting", where=f"--spark-conf {bad}", todo="spark_conf")
    if name == "local":
        if pairs:
            raise SettingsError("spark_only", where="--spark-conf")
        yield OneMachine()
        return
    from bot.discover.spark import spark_engine

    with spark_engine(pairs) as engine:
        yield engine
