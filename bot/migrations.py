"""The workspace's database, brought from one schema to the next by numbered steps; docs/operating.md, CONTRIBUTING.md.

Each step runs once for a workspace, in a transaction that one process at a time can hold. A new workspace is made from
the tables of `bot.store` and sees no step. MariaDB commits each change of a table by itself, so a step may be run again:
it changes only what is not there yet.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.errors import WorkspaceError

PATIENCE = 60  # seconds that a second process waits for the first one's step


@dataclass(frozen=True, slots=True)
class Change:
    """What a step changes: the database in its transaction, the tables of `bot.store`, and the workspace's folder."""

    db: sa.Connection
    tables: sa.MetaData
    folder: Path

    def create(self, *names: str) -> None:
        """Create these tables of `bot.store`, in the form that they have there today."""
        self.tables.create_all(self.db, tables=[self.tables.tables[name] for name in names])

    def columns(self, table: str) -> set[str]:
        """Return the names of the columns that a table has now."""
        return {str(column["name"]) for column in sa.inspect(self.db).get_columns(table)}

    def add(self, table: str, column: sa.Column[Any], fill: object = None) -> None:
        """Add a column with its index; rows that were there before get `fill`."""
        stated = sa.Table(table, sa.MetaData(), column)
        if column.name not in self.columns(table):
            name = self.db.dialect.identifier_preparer.format_table(stated)
            definition = sa.schema.CreateColumn(column).compile(dialect=self.db.dialect)
            self.db.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN {definition}")
        if fill is not None:
            self.db.execute(stated.update().where(column.is_(sa.null())).values({column.name: fill}))
        for index in stated.indexes:
            index.create(self.db, checkfirst=True)


FIRST = 22  # the schema of the first release
STEPS: tuple[Callable[[Change], None], ...] = ()  # the first one leads to schema 23; append only
VERSION = FIRST + len(STEPS)


def upgrade(engine: sa.Engine, tables: sa.MetaData, folder: Path) -> None:
    """Bring the database to VERSION; where it is there already, nothing is locked or written.

    Raises WorkspaceError for a database of a newer version, of before the first release, and for a number that cannot be read.
    """
    with engine.connect() as db:
        found = _version(db, tables, folder)
    while found < VERSION:
        with _alone(engine, folder) as db:
            found = _version(db, tables, folder)
            if found < VERSION:
                found = _next(Change(db, tables, folder), found)
    if found > VERSION:
        raise WorkspaceError("newer_version", where=str(folder), todo="update")


def _next(change: Change, found: int) -> int:
    """Apply one step, or make all tables of a new database, and keep the number that it leads to."""
    if found == 0:
        old = set(sa.inspect(change.db).get_table_names()) & set(change.tables.tables)
        change.tables.create_all(change.db, checkfirst=bool(old))  # else two questions for each table
        reached = FIRST if old else VERSION  # the making of an older one may have been cut off
    else:
        STEPS[found - FIRST](change)
        reached = found + 1
    meta = change.tables.tables["meta"]
    change.db.execute(meta.delete().where(meta.c.key == "schema"))
    change.db.execute(meta.insert().values(key="schema", value=reached))
    return reached


def _version(db: sa.Connection, tables: sa.MetaData, folder: Path) -> int:
    """Return the schema's number, 0 for a database without one."""
    if not sa.inspect(db).has_table("meta"):
        return 0
    meta = tables.tables["meta"]
    text = db.execute(sa.select(sa.cast(meta.c.value, sa.Text)).where(meta.c.key == "schema")).scalar()
    if text is None:
        return 0
    if not str(text).isascii() or not str(text).isdecimal():
        raise WorkspaceError("schema_number", given=repr(text), where=str(folder), todo="put_copy")
    if int(text) < FIRST:
        raise WorkspaceError("unreleased_version", where=str(folder), todo="fill_anew")
    return int(text)


@contextmanager
def _alone(engine: sa.Engine, folder: Path) -> Iterator[sa.Connection]:
    """Yield a connection in a transaction that one process at a time can hold; another one waits for it."""
    locks = {"sqlite": _sqlite, "mysql": _mysql, "mariadb": _mysql, "postgresql": _postgresql}
    with engine.connect() as db, locks.get(engine.dialect.name, _transaction)(db, folder):
        yield db


@contextmanager
def _sqlite(db: sa.Connection, folder: Path) -> Iterator[None]:
    db.execution_options(isolation_level="AUTOCOMMIT")  # sqlite3 would begin only at the first changed row
    db.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.exec_driver_sql("ROLLBACK")
        raise
    db.exec_driver_sql("COMMIT")


@contextmanager
def _mysql(db: sa.Connection, folder: Path) -> Iterator[None]:
    # The name is the server's, not the database's.
    name = "formula-bot " + sha256(str(db.engine.url.database).encode()).hexdigest()[:32]
    if db.execute(sa.select(sa.func.get_lock(name, PATIENCE))).scalar() != 1:
        raise WorkspaceError("tables_changing", where=str(folder), todo="wait")
    try:
        with _transaction(db, folder):
            yield
    finally:
        db.execute(sa.select(sa.func.release_lock(name)))


@contextmanager
def _postgresql(db: sa.Connection, folder: Path) -> Iterator[None]:
    with _transaction(db, folder):
        db.execute(sa.select(sa.func.pg_advisory_xact_lock(0x666F726D)))  # held until the transaction ends
        yield


@contextmanager
def _transaction(db: sa.Connection, folder: Path) -> Iterator[None]:
    db.rollback()  # a look at the database has begun one
    with db.begin():
        yield
