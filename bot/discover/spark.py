"""Reading and counting on a Spark cluster (`discover --engine spark`): the reader and the query of one machine, run on many.

A task reads one source file into its shard, as a worker process does, and the driver records it. Sources and workspace
lie on storage that every machine has under the same path, and each has this package installed. A task that is lost with
its machine is run again by Spark; a shard stands under its final name only when it is whole, so nothing counts twice.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import pyarrow as pa

from bot import store
from bot.corpus import SourceFile
from bot.discover.count import RowQuery
from bot.discover.mine import MinedFile, fingerprint, mine_file
from bot.discover.shard_files import SCHEMA
from bot.discover.shards import ShardRow
from bot.discover.stored_occurrences import COUNTED, owner_rows, shard_names
from bot.errors import WorkspaceError, short_text
from bot.messages import to_json
from bot.sequences import batched
from bot.store import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TASKS_EACH = 16  # files a core reads before what was read is recorded: what a killed driver loses
_OURS = {"spark.ui.showConsoleProgress": "false"}  # progress is drawn by the command
_TASK = "folder string, file string, digest string"
_RESULT = "mined string"
_MINED = pa.schema([("mined", pa.string())])
# How the lines of Spark's errors begin or go on.
_CALL, _TRACEBACK, _LOST = (
    "An error occurred while calling",
    "Traceback (most recent call last):",
    "most recent failure: ",
)


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """A running Spark session as the place where files are read and occurrences counted."""

    session: SparkSession

    def read(self, tasks: Sequence[tuple[SourceFile, str]], folder: Path) -> Iterator[MinedFile]:
        """Yield a result for each task in order. Raises WorkspaceError where Spark gives a task up."""
        at_once = _TASKS_EACH * self.session.sparkContext.defaultParallelism
        for batch in batched(tasks, at_once):
            rows = [
                (str(folder.resolve()), msgspec.json.encode(_absolute(file), enc_hook=to_json).decode(), digest)
                for file, digest in batch
            ]
            # One partition a file: the unit that is read again when a machine is lost.
            slices = self.session.sparkContext.parallelize(rows, len(rows))
            with _named("spark_source", todo="read_here"):
                found = self.session.createDataFrame(slices, _TASK).mapInArrow(_read_files, _RESULT).collect()
            yield from (msgspec.json.decode(row.mined, type=MinedFile, dec_hook=store.to_message) for row in found)

    @contextmanager
    def occurrences(self, workspace: Workspace) -> Iterator[RowQuery]:
        """Make the views `occurrences` and `counted` of a workspace, and remove them in the end."""
        shards = sorted(shard_names(workspace))
        owners = list(owner_rows(workspace))
        files = [_literal(workspace.occurrences.resolve() / shard) for shard in shards]
        from pyspark.sql.pandas.types import from_arrow_schema

        columns = from_arrow_schema(SCHEMA)
        with _named("spark_shards"):
            reader = self.session.read.schema(columns)
            table = reader.parquet(*files) if files else self.session.createDataFrame([], columns)
            table.createOrReplaceTempView("occurrences")
            self.session.createDataFrame(owners, "id string, path string, part string").createOrReplaceTempView(
                "owners"
            )
            self.session.sql(COUNTED).createOrReplaceTempView("counted")
        try:
            yield _SparkRows(self.session)
        finally:
            with suppress(WorkspaceError), _named("spark_shards"):
                for view in ("counted", "occurrences", "owners"):
                    self.session.catalog.dropTempView(view)


@dataclass(frozen=True, slots=True)
class _SparkRows:
    """Rows of shards through Spark, which keeps them once they are gathered."""

    session: SparkSession

    def __call__(self, query: str, parameters: Mapping[str, int | bool], /) -> Iterator[ShardRow]:
        # DuckDB writes a parameter as $name, Spark as :name; nothing else differs.
        with _named("spark_count"):
            rows = self.session.sql(query.replace("$", ":"), dict(parameters))
            for row in rows.toLocalIterator(prefetchPartitions=True):
                yield cast(ShardRow, row.asDict())

    def narrowed(self, parts: Collection[str]) -> str:
        return "occurrences"

    def gather(self, view: str) -> None:
        """Have what is read of the shards stay in memory, or on the disks of the cluster."""
        with _named("spark_count"):
            self.session.catalog.cacheTable(view)


@contextmanager
def spark_engine(settings: Mapping[str, str]) -> Iterator[SparkEngine]:
    """Start or join a Spark session, and end it; `settings` are Spark's own (`spark.master` and the like).

    Raises WorkspaceError where pyspark or Java is missing or no session comes up.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise WorkspaceError("no_spark", todo="install_spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("formula-bot")
    for name, value in (_OURS | dict(settings)).items():
        builder = builder.config(name, value)
    interrupted = signal.getsignal(signal.SIGINT)
    with _named("spark_session", todo="spark_settings"):
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
    if signal.getsignal(signal.SIGINT) is not interrupted:  # Spark's would ask Java while another answer is being read
        signal.signal(signal.SIGINT, interrupted)
    logging.getLogger("py4j").setLevel(logging.CRITICAL)  # tracebacks of what is raised here, too
    logging.getLogger().addFilter(_is_not_py4j)
    try:
        yield SparkEngine(session)
    finally:
        with suppress(WorkspaceError), _named("spark_session"):  # its Java process may have died
            session.stop()


def _is_not_py4j(record: logging.LogRecord) -> bool:
    """Tell what others log from what Spark's bridge to Java does, which has no logger of its own in some places."""
    return "py4j" not in record.pathname


def _read_files(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Read the source files that a task is given; runs on a machine of the cluster."""
    for batch in batches:
        for row in batch.to_pylist():
            file = msgspec.json.decode(row["file"], type=SourceFile, dec_hook=store.to_message)
            if fingerprint(file) != row["digest"]:
                raise WorkspaceError("other_on_machine", where=file.path)
            mined = mine_file(file, row["digest"], Path(row["folder"]))
            yield pa.RecordBatch.from_pylist([{"mined": msgspec.json.encode(mined, enc_hook=to_json).decode()}], _MINED)


def _absolute(file: SourceFile) -> SourceFile:
    """Return a file by a path that holds in any folder, as a process of the cluster works in one of its own."""
    return replace(file, path=os.path.join(os.getcwd(), file.path))


def _literal(path: Path) -> str:
    """Return a path as Spark takes it: on this machine's file systems, and not as a pattern."""
    return "file://" + "".join(f"\\{c}" if c in "[]{}*?\\" else c for c in str(path))


@contextmanager
def _named(code: str, todo: str = "spark_log") -> Iterator[None]:
    """Turn what Spark raises into one line of ours, and Ctrl-C into what it is; what was recorded stays."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, OSError, EOFError) as error:
        before = error.__context__
        while before is not None:
            if isinstance(before, KeyboardInterrupt):  # Spark fell over it while it unwound
                raise before from None
            before = before.__context__
        raise WorkspaceError(code, why=_cause(str(error) or short_text(error))[:300], todo=todo) from None


def _cause(text: str) -> str:
    """Return the line that says what happened, of Spark's text about an error: a lost task, the end of a worker's traceback, or the first other line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith((" ", "\t"))]
    if lost := next((line for line in lines if _LOST in line), ""):
        return lost.partition(_LOST)[2]
    if _TRACEBACK in lines[:-1]:
        return lines[len(lines) - lines[::-1].index(_TRACEBACK)]
    return next((line for line in lines if not line.startswith(_CALL)), " ".join(text.split())).removeprefix(": ")
