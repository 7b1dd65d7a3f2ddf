"""The workspace: one folder with `bot.db` (SQLAlchemy Core), `occurrences/*.parquet`, `reports/` and `models/`.

Decisions and edits live in the database and are only ever appended; occurrences never go through it.
The same tables serve SQLite, MariaDB and PostgreSQL: JSON columns, string times (ISO 8601, UTC), no vendor SQL.
"""

import fcntl
import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

import msgspec
import sqlalchemy as sa

from bot import file_permissions
from bot.database_errors import DatabaseFault, fault_kind
from bot.errors import WorkspaceError
from bot.messages import Message, from_json, has_message, uncoded_message
from bot.migrations import upgrade
from bot.records import EditOutcome, UndoState
from bot.sequences import batched

R = TypeVar("R")
Row: TypeAlias = dict[str, Any]  # of a table, or a stored record, by name
tables = sa.MetaData()
_STAMP = "%Y-%m-%dT%H:%M:%SZ"
_VALUES_PER_QUERY = 400  # values in one statement: databases bind no more than some thousand

_key = sa.String(64)
_name = sa.String(255)
_time = sa.String(32)
_message = sa.JSON(none_as_null=True)  # a code with values; NULL in rows of before there were codes


def _table(name: str, *columns: sa.Column[Any] | sa.Index) -> sa.Table:
    return sa.Table(name, tables, *columns)


meta = _table("meta", sa.Column("key", _name, primary_key=True), sa.Column("value", sa.JSON))

sources = _table(
    "sources",
    sa.Column("path", sa.String(700), primary_key=True),  # file, or archive!member
    sa.Column("digest", _key),
    sa.Column("status", sa.String(16)),  # read, skipped
    # What was skipped or ignored in it: rows of path, code and values; `count` of what was ignored, and is not a failure.
    sa.Column("notes", sa.JSON, default=list),
    sa.Column("documents", sa.Integer, default=0),
    sa.Column("formulas", sa.Integer, default=0),
    sa.Column("part", _name, default=""),  # its file under occurrences/
)

documents = _table(
    "documents",
    sa.Column("id", sa.String(500), primary_key=True),
    sa.Column("title", sa.Text),
    sa.Column("language", sa.String(16)),
    sa.Column("licence", sa.Text),
    sa.Column("url", sa.Text),
    sa.Column("source", sa.Text),
    sa.Column("format", sa.String(32)),
    sa.Column("kind", sa.String(32)),
    sa.Column("identifiers", sa.JSON),
    sa.Column("path", sa.String(700), index=True),  # the row of `sources` it came with
)

retrievals = _table(  # kept for good: a document that comes back has its first day
    "retrievals",
    sa.Column("document", sa.String(500), primary_key=True),
    sa.Column("day", sa.String(10), default=""),  # ISO date of the run that first read it; "" where it is not known
)

concepts = _table(
    "concepts",
    sa.Column("key", _key, primary_key=True),
    sa.Column("tex", sa.Text),
    sa.Column("occurrences", sa.Integer),
    sa.Column("documents", sa.Integer),
    sa.Column("representations", sa.JSON),
    sa.Column("names", sa.JSON),
    sa.Column("places", sa.JSON),
    sa.Column("definitions", sa.JSON),
    sa.Column("formularank", sa.Float),  # documents times centrality; NULL where the concept is not ranked
)

# The Formula Concept Database: kept for good, never emptied by a new run.
representations = _table(
    "representations",
    sa.Column("id", _key, primary_key=True),  # digest of (concept, tex, origin)
    sa.Column("concept", _key, index=True),
    sa.Column("qid", sa.String(32), default="", index=True),
    sa.Column("tex", sa.Text),
    sa.Column("level", sa.String(4)),
    sa.Column("document", sa.String(500), default=""),
    sa.Column("position", sa.Integer, default=0),
    sa.Column("reviewer", _name, default=""),
    sa.Column("added", _time),
)

matches = _table(
    "matches",
    sa.Column("concept", _key, primary_key=True),
    sa.Column("qid", sa.String(32), primary_key=True),
    sa.Column("tex", sa.Text),
    sa.Column("probability", sa.Float),
    sa.Column("evidence", sa.JSON),
)

# What the symbols of each concept mean at the place that says most; all others are beside the occurrences.
symbols = _table(
    "symbols",
    sa.Column("concept", _key, primary_key=True),
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("document", sa.String(500)),
    sa.Column("position", sa.Integer),
    sa.Column("symbol", sa.Text),
    sa.Column("meaning", sa.Text),
    sa.Column("qid", sa.String(32)),
    sa.Column("label", sa.Text),
    sa.Column("quantity", _name),
    sa.Column("probability", sa.Float),
    sa.Column("sentence", sa.Text),
    sa.Column("agrees", sa.Boolean),
)

items = _table(
    "items",
    sa.Column("qid", sa.String(32), primary_key=True),
    sa.Column("revision", sa.Integer),
    sa.Column("record", sa.JSON),
    sa.Column("fetched", _time),
)

proposals = _table(
    "proposals",
    sa.Column("id", _key, primary_key=True),
    sa.Column("kind", sa.String(16)),
    sa.Column("qid", sa.String(32), index=True),
    sa.Column("probability", sa.Float, index=True),
    sa.Column("hash", _key),
    sa.Column("expires", _time),
    sa.Column("record", sa.JSON),  # the whole Proposal
    sa.Column("created", _time),
    sa.Column("seen", _time),  # last run that found it again
)

reviewers = _table(
    "reviewers",
    sa.Column("name", _name, primary_key=True),
    sa.Column("role", sa.String(16)),
    sa.Column("added", _time),
)

decisions = _table(
    "decisions",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("proposal", _key, index=True),
    sa.Column("hash", _key),
    sa.Column("verdict", sa.String(16)),
    sa.Column("references", sa.JSON),
    sa.Column("reason", sa.Text, default=""),
    sa.Column("reviewer", _name),
    sa.Column("time", _time),
    sa.Column("tex", sa.Text, default=""),
    sa.Column("edit_confirmed", sa.Boolean, default=False),
    sa.Column("about", sa.Text, default=""),
    sa.Column("record", sa.JSON),  # the Proposal as it stood when it was decided
    sa.Column("role", sa.String(16), default=""),  # of the reviewer at that time; "" in decisions of older versions
    sa.Column("wiki", sa.String(16), default=""),  # "rehearsal" where it was made on the rehearsal wiki
)

plans = _table(
    "plans",
    sa.Column("id", _key, primary_key=True),
    sa.Column("created", _time),
    sa.Column("wiki", _name),
    sa.Column("group", _name),
    sa.Column("record", sa.JSON),
)

edits = _table(
    "edits",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("proposal", _key, index=True),
    sa.Column("hash", _key),
    sa.Column("plan", _key),
    sa.Column("group", _name, index=True),
    sa.Column("qid", sa.String(32), index=True),
    sa.Column("guid", _name),
    sa.Column("payload", sa.JSON),
    sa.Column("decision", sa.Integer, index=True),  # the n of the decision it carries out
    sa.Column("reviewer", _name),
    sa.Column("revision_before", sa.Integer, default=0),
    sa.Column("revision", sa.Integer, default=0),
    sa.Column("outcome", sa.String(16)),
    sa.Column("reason", sa.Text, default=""),  # in English, for exports
    sa.Column("message", _message),  # the reason
    sa.Column("time", _time),
    sa.Column("undo", sa.Text, default=""),  # what became of its undo, in English, for exports
    sa.Column("undo_message", _message),
    sa.Column("undo_state", sa.String(16), default=""),  # an UndoState
    sa.Column("undo_revision", sa.Integer, default=0),
)

chain = _table(  # under the ledger, appended only; see bot.hashchain
    "chain",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("edit", sa.Integer, index=True),
    sa.Column("event", sa.String(16)),  # begin, end, undoing, undo
    sa.Column("record", sa.JSON),
    sa.Column("time", _time),
    sa.Column("previous", _key, unique=True),  # no two links follow the same one
    sa.Column("hash", _key),
)

findings = _table(
    "findings",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("audit", _name, index=True),
    sa.Column("item", sa.String(32)),
    sa.Column("severity", sa.String(16)),
    sa.Column("what", sa.Text),
    sa.Column("evidence", sa.Text),
    sa.Column("label", sa.Text),
    sa.Column("formulas", sa.JSON),
    sa.Column("time", _time),
    sa.Column("message", _message),  # `what`
    sa.Column("step", _message),  # what to do next
)
# What audits found and have not found gone since, and what a person accepts as it is.
known_findings = _table(
    "known_findings",
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("audit", _name, index=True),
    sa.Column("first_seen", _time),
    sa.Column("audits", sa.Integer),  # that have found it, one after another: 1 is new
    sa.Column("muted", sa.Text),  # the reason; empty: not accepted
    sa.Column("muted_by", _name),
    sa.Column("muted_at", _time),
)
# What each question of an audit got for an answer: how it was asked, where, how long that took and how old the answer was.
audit_answers = _table(
    "audit_answers",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("audit", _name, index=True),
    sa.Column("time", _time, index=True),
    sa.Column("query", _name),
    sa.Column("text", sa.Text),
    sa.Column("endpoint", sa.Text),
    sa.Column("seconds", sa.Float),
    sa.Column("lag", sa.Float),  # seconds that the query service was behind the wiki; NULL where it does not say
    sa.Column("revision", sa.BigInteger),  # the wiki's newest one when it was asked; NULL where it does not say
    sa.Column("rows", sa.Integer),
    sa.Column("message", _message),  # why it could not tell
    sa.Column("figures", sa.JSON),  # what was counted, to be compared over time
)
# What has become of each written edit on the wiki, and which revision made it so: by the last audit that could tell.
edit_states = _table(
    "edit_states",
    sa.Column("edit", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("state", sa.String(16)),  # present, amended, merged, deprecated, changed, removed or deleted
    sa.Column("revision", sa.Integer),  # that made it so; 0: ours, or not known
    sa.Column("user", _name),
    sa.Column("changed", _time),
    sa.Column("seen", _time),  # when an audit last looked
    sa.Column("comment", sa.Text, default=""),  # the summary of that revision
    sa.Column("instead", sa.Text, default=""),  # the value that stands now, where another formula was put in its place
)
# One row for each scheduled run; `figures` of the stages as in its log, without lists.
runs = _table(
    "runs",
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("started", _time, index=True),
    sa.Column("ended", _time),
    sa.Column("exit_code", sa.Integer),
    sa.Column("message", _message),  # why it came to no good end
    sa.Column("figures", sa.JSON),
)

# What people are told of scheduled runs: on its way while `sent` is empty.
notifications = _table(
    "notifications",
    sa.Column("id", _key, primary_key=True),  # digest of (cause, receiver)
    sa.Column("cause", sa.String(190)),
    sa.Column("receiver", _name),  # an e-mail address, or "webhook"
    sa.Column("subject", sa.Text),
    sa.Column("body", sa.Text),
    sa.Column("created", _time),
    sa.Column("sent", _time, index=True),
    sa.Column("tries", sa.Integer),
    sa.Column("message", _message),  # why the last try failed
)

# -- the review page: what it keeps beside the decisions. `queue` and `queue_tags` are made from the other tables again.
queue = _table(
    "queue",
    sa.Column("id", _key, primary_key=True),  # of the proposal
    sa.Column("hash", _key),
    sa.Column("kind", sa.String(16)),
    sa.Column("qid", sa.String(32), index=True),
    sa.Column("number", sa.BigInteger),  # of the item, to sort by
    sa.Column("label", _name),
    sa.Column("tex", sa.Text),
    sa.Column("probability", sa.Float),
    sa.Column("frequency", sa.Integer),  # occurrences of the concept in the corpus
    sa.Column("learn", sa.Float),  # how much a decision on it would tell
    sa.Column("expires", _time),
    sa.Column("green", sa.Integer),  # 1: no check has anything to say
    sa.Column("state", sa.String(16)),
    sa.Column("needs_review", sa.Integer),  # 1: it waits for a first or a second decision
    sa.Column("first_decider", _name, default=""),  # who decided first, where a second decision is wanted
    sa.Column("reviewer", _name, default=""),  # who decided last
    sa.Column("decided", sa.Integer, default=0),  # number of decisions on it, skips aside: an optimistic lock
    sa.Column("lease", _name, default=""),  # who is looking at it
    sa.Column("until", _time, default=""),
    *(sa.Index(f"ix_queue_{by}", "needs_review", by, "id") for by in ("probability", "frequency", "number", "learn")),
    sa.Index("ix_queue_state", "state", "probability", "id"),
)

queue_tags = _table(
    "queue_tags",
    # corpus:…, class:…, check:…; of word:… an item stands beside it
    sa.Column("tag", sa.String(190), primary_key=True),
    sa.Column("proposal", _key, primary_key=True, index=True),
)

# Proposals that are wrong on purpose, to measure attention. They are in no table that is ever written from.
control_questions = _table("seeded", sa.Column("id", _key, primary_key=True), sa.Column("record", sa.JSON))

attention = _table(
    "attention",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("seeded", _key, key="question", index=True),
    sa.Column("reviewer", _name),
    sa.Column("verdict", sa.String(16)),
    sa.Column("time", _time),
)

# Answers on formulas without a likely item: item, none, no_concept or withdraw; appended.
topics = _table(
    "topics",
    sa.Column("id", _key, primary_key=True),
    sa.Column("reviewer", _name, index=True),
    sa.Column("name", _name),
    sa.Column("query", sa.Text),  # a filter of the queue, as an address has it
    sa.Column("items", sa.JSON),  # QIDs; empty for all items
    sa.Column("created", _time),
    sa.Column("sparql", sa.Text, default=""),  # the query that the items are from
    sa.Column("asked", _time, default=""),  # when it was answered last
)
answers = _table(
    "answers",
    sa.Column("n", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("concept", _key, index=True),
    sa.Column("answer", sa.String(16)),
    sa.Column("qid", sa.String(32), default=""),
    sa.Column("reviewer", _name),
    sa.Column("time", _time),
    sa.Column("hash", _key, default=""),  # of the record; "" in answers of older versions
    sa.Column("record", sa.JSON),  # what the person saw: key, formula, spellings, items offered
)

sessions = _table(  # of people on the review page; a row that is gone is a session that has ended
    "sessions",
    sa.Column("digest", _key, primary_key=True),
    sa.Column("reviewer", _name, index=True),
    sa.Column("created", _time),
    sa.Column("seen", _time),
)

api_tokens = _table(
    "api_tokens",
    sa.Column("digest", _key, primary_key=True),
    sa.Column("reviewer", _name),
    sa.Column("created", _time),
    sa.Column("expires", _time),
)


def current_answers() -> sa.Select[Any]:
    """Return the query for the last answer on each concept, where it was not taken back."""
    last = sa.select(sa.func.max(answers.c.n)).group_by(answers.c.concept)
    return sa.select(answers).where(answers.c.n.in_(last), answers.c.answer != "withdraw")


def is_undone() -> sa.ColumnElement[bool]:
    """Return the condition that an edit was taken back."""
    return edits.c.undo_state.is_not_distinct_from(UndoState.UNDONE)


def is_on_item() -> sa.ColumnElement[bool]:
    """Return the condition that what an edit says is on the item by the ledger."""
    return edits.c.outcome.in_((EditOutcome.WRITTEN, EditOutcome.ALREADY_THERE)) & ~is_undone()


def put(db: sa.Connection, key: str, value: object) -> None:
    """Store a JSON value in the `meta` table, inside the caller's transaction."""
    db.execute(meta.delete().where(meta.c.key == key))
    db.execute(meta.insert().values(key=key, value=value))


def rows_with(
    db: sa.Connection, query: sa.Select[Any], column: sa.Column[Any], values: Sequence[Any]
) -> Iterator[sa.Row[Any]]:
    """Yield the rows of a query whose column has one of these values, inside the caller's transaction."""
    for part in batched(values, _VALUES_PER_QUERY):
        yield from db.execute(query.where(column.in_(part)))


def delete_rows(db: sa.Connection, column: sa.Column[Any], values: Sequence[Any]) -> None:
    """Delete the rows of a column's table that have one of these values, inside the caller's transaction."""
    for part in batched(values, _VALUES_PER_QUERY):
        db.execute(sa.delete(column.table).where(column.in_(part)))


class Workspace:
    """One folder and its database. Open with `Workspace.open(path)`; close it or use it in a `with`."""

    def __init__(self, path: Path, engine: sa.Engine, mended: file_permissions.RepairedPermissions) -> None:
        self.path, self.engine = path, engine
        self.occurrences, self.reports, self.models = path / "occurrences", path / "reports", path / "models"
        self.ranking = self.reports / "formularank.jsonl"  # the report of the concepts by FormulaRank
        self.mended = mended  # what other accounts could use
        self._held = ""  # the stage that holds the lock through this object
        self._closed = False

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True, database: str = "") -> Self:
        """Open or create the workspace; `database` is an SQLAlchemy address for a shared queue.

        Raises WorkspaceError where the folder cannot be used, is missing (create=False) or is newer than the code.
        """
        folder = Path(path)
        if not database and _has_lost_database(folder):
            raise WorkspaceError("database_empty", where=str(folder), todo=DatabaseFault.DAMAGED.value)
        if not create and not ((folder / "bot.db").exists() or (database and folder.is_dir())):
            raise WorkspaceError("no_workspace", where=str(folder), todo="discover_first")
        engine = _engine(database, folder)
        file_permissions.restrict_umask()
        try:
            mended = _folders(folder)
            _upgrade(engine, folder, database)
        except BaseException:
            engine.dispose()
            file_permissions.restore_umask()
            raise
        return cls(folder, engine, mended)

    def close(self) -> None:
        self.engine.dispose()
        if not self._closed:
            self._closed = True
            file_permissions.restore_umask()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def get(self, key: str, default: object = None) -> Any:
        """Return a value of the `meta` table."""
        with self.engine.connect() as db:
            row = db.execute(sa.select(meta.c.value).where(meta.c.key == key)).first()
        return default if row is None else row[0]

    def put(self, key: str, value: object) -> None:
        """Store a JSON value in the `meta` table."""
        with self.engine.begin() as db:
            put(db, key, value)

    def change(self, *statements: sa.Executable) -> None:
        """Carry out statements in one transaction."""
        with self.engine.begin() as db:
            for statement in statements:
                db.execute(statement)

    def rows(self, query: sa.Select[Any]) -> list[Row]:
        """Return the rows of a query as plain dicts."""
        with self.engine.connect() as db:
            found = db.execute(query)
            # Once: mappings() looks for each name in each row, which takes twice to six times as long
            names = tuple(found.keys())
            return [dict(zip(names, row, strict=True)) for row in found]

    def count(self, rows: sa.Table | sa.Select[Any]) -> int:
        """Return how many rows a table or a query has."""
        counted = sa.select(sa.func.count()).select_from(rows if isinstance(rows, sa.Table) else rows.subquery())
        with self.engine.connect() as db:
            return int(db.scalar(counted) or 0)

    def rows_with(self, query: sa.Select[Any], column: sa.Column[Any], values: Iterable[Any]) -> Iterator[Row]:
        """Yield the rows of a query whose column has one of these values, which are sent some hundred at a time."""
        for part in batched(sorted(set(values)), _VALUES_PER_QUERY):
            yield from self.rows(query.where(column.in_(part)))

    def in_use(self) -> bool:
        """Say whether another process holds the lock at this moment."""
        try:
            with self.lock("a look"):
                return False
        except WorkspaceError:
            return True

    @contextmanager
    def lock(self, stage: str) -> Iterator[None]:
        """Hold the workspace for one writing process.

        The kernel frees the lock when the process dies, so that what the file says after a crash or a restart binds nobody.
        A stage inside a longer run shares the run's lock. Raises WorkspaceError naming the holder when another
        process has it.
        """
        if self._held:
            yield
            return
        file = file_permissions.open_lock(self.path / "lock")
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.pread(file, 200, 0).decode(errors="replace").strip()
                raise WorkspaceError(
                    "in_use" if holder else "in_use_by_another", holder=holder, where=str(self.path), todo="wait"
                ) from None
            os.ftruncate(file, 0)
            # Read by people and by other versions of the bot; the line is in no language but that of the commands.
            os.pwrite(file, f"{stage} (process {os.getpid()} on {socket.gethostname()}, since {now()})\n".encode(), 0)
            self._held = stage
            yield
        finally:
            self._held = ""
            os.close(file)


def _has_lost_database(folder: Path) -> bool:
    """Say whether bot.db is gone or lost what it held: a killed first start leaves it without a byte too, but nothing beside it."""
    file = folder / "bot.db"
    patterns = ("*.db", "occurrences/*.parquet", "reports/*")
    return not (file.exists() and file.stat().st_size) and any(
        f != file for each in patterns for f in folder.glob(each)
    )


def _folders(folder: Path) -> file_permissions.RepairedPermissions:
    """Make the folders, and take the rights of other accounts from what is there."""
    try:
        for name in ("occurrences", "reports", "models"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        return file_permissions.repair_permissions(folder)
    except OSError as error:
        raise WorkspaceError(
            "unmakable", reason=str(error.strerror), where=str(folder), todo="writable_folder"
        ) from None


def _upgrade(engine: sa.Engine, folder: Path, database: str) -> None:
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _sqlite_pragmas)
    try:
        upgrade(engine, tables, folder)
    except sa.exc.DBAPIError as error:
        fault = fault_kind(error)
        todo = fault.value if fault else "" if database else DatabaseFault.DAMAGED.value
        code = "shared_database_unusable" if database else "database_unusable"
        raise WorkspaceError(code, answer=str(error.orig), where=str(folder), todo=todo) from None


def _engine(database: str, folder: Path) -> sa.Engine:
    try:
        return _engine_naming_bad_cells(database or sa.URL.create("sqlite", database=str(folder / "bot.db")), folder)
    except (sa.exc.ArgumentError, ImportError) as error:  # the address may hold a password and is not repeated
        kind = type(error).__name__  # no PyMySQL for MariaDB, perhaps
        raise WorkspaceError("database_setting", kind=kind, where=str(folder), todo="database_url") from None


def _engine_naming_bad_cells(address: str | sa.URL, folder: Path) -> sa.Engine:
    """Return an engine that names table and row of a cell whose JSON cannot be read."""

    def read(text: str) -> object:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            todo = DatabaseFault.DAMAGED.value
            raise WorkspaceError(_locate_cell(engine, text), where=str(folder), todo=todo) from None

    engine = sa.create_engine(address, json_deserializer=read)
    return engine


def _locate_cell(engine: sa.Engine, text: str) -> Message:
    """Say which cell of the database holds this text, which is not JSON."""
    with engine.connect() as db:
        for table in tables.sorted_tables:
            for column in (column for column in table.columns if isinstance(column.type, sa.JSON)):
                condition = sa.type_coerce(column, sa.Text) == text
                if row := db.execute(sa.select(*table.primary_key.columns).where(condition)).first():
                    cell = f"{table.name} {' '.join(map(str, row))}"
                    return Message("error.cell", cell=cell, column=column.name)
    return Message("error.some_cell")


def to_record(kind: type[R], values: Mapping[str, object], where: str = "") -> R:
    """Return the record that a row of a table or the JSON of `as_json` holds; NULL and what is absent are the defaults.

    Raises WorkspaceError naming `where`, the table and row, for what is no such record.
    """
    try:
        # Names are made plain: those of a row can be SQLAlchemy's `quoted_name`.
        stored = {str(name): _with_messages(value) for name, value in values.items() if value is not None}
        return msgspec.convert(stored, kind, dec_hook=to_message)
    except (msgspec.ValidationError, AttributeError):  # an AttributeError: no mapping at all
        place, todo = where or Message("at.stored_record"), DatabaseFault.DAMAGED.value
        raise WorkspaceError("no_record", kind=kind.__name__.lower(), where=place, todo=todo) from None


def _with_messages(value: object) -> object:
    """Return the rows of a record with their messages where `as_json` put the sentences."""
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        return value
    return [
        {**row, "detail": row} if "code" in row else {**row, "reasons": row["messages"]} if "messages" in row else row
        for row in value
    ]


def to_message(kind: type, value: Any) -> Message:
    """Return a stored message; a sentence without a code, or with one that is no longer used, is kept as it was recorded."""
    if kind is not Message:
        raise NotImplementedError(f"a stored {kind.__name__}")
    if isinstance(value, str):
        return uncoded_message(value)
    found = from_json(value)
    return found if has_message(found.code) or not value.get("detail") else uncoded_message(str(value["detail"]))


def now() -> str:
    """Return the time as every table writes it: ISO 8601, UTC, to the second."""
    return stamp(datetime.now(UTC))


def stamp(moment: datetime) -> str:
    """Return a moment of UTC as every table writes it."""
    return moment.strftime(_STAMP)


def moment_of(time: str) -> datetime:
    """Return the moment of a time of a table."""
    return datetime.strptime(time, _STAMP).replace(tzinfo=UTC)


def _sqlite_pragmas(connection: sqlite3.Connection, _: object) -> None:
    # FULL: with NORMAL a power cut takes back the newest commits, such as the ledger row of an edit that was sent.
    for pragma in ("busy_timeout=10000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
