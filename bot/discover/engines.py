"""Where source files are read and occurrences counted: on this machine, or on a Spark cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
                yield _StoredRows(db, folder)
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

    def __call__(self, query: str, parameters: Mapping[str, int | bool], /) -> Iterator[ShardRow]:
        from bot.discover.stored_occurrences import fetch

        return fetch(self._db, query, parameters)

    def gather(self, view: str) -> None:
        """Write the rows of a view, candidates alone of `occurrences`, into one file, from which they are read from then on."""
        self._folder.mkdir(exist_ok=True)
        file = str(self._folder / f"{view}.parquet")
        only = "WHERE candidate" if view == "occurrences" else ""
        self._db.sql(f"SELECT * FROM {view} {only}").write_parquet(file, row_group_size=_ROWS_TOGETHER)
        self._db.execute(f"DROP VIEW {view}")
        self._db.from_parquet(file.replace("[", "[[]")).create_view(view)


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
