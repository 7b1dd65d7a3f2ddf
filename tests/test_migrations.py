"""Workspaces of every released schema: opened, brought forward once, used and audited."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import schema_dumps
import sqlalchemy as sa
from cli_runner import ITEMS, call
from mariadb_server import mariadb

from bot import migrations, store
from bot.database_errors import DatabaseFault, fault_kind
from bot.errors import WorkspaceError
from bot.migrations import FIRST, STEPS, VERSION
from bot.sandbox import open_wiki
from bot.settings import load
from bot.store import Workspace


def _shape(engine: sa.Engine) -> dict[str, Any]:
    """Return all that a database knows of its tables, without the order of columns and indexes."""
    look = sa.inspect(engine)
    return {
        table: (
            {c["name"]: (str(c["type"]), c["nullable"]) for c in look.get_columns(table)},
            look.get_pk_constraint(table)["constrained_columns"],
            sorted((i["name"] or "", tuple(i["column_names"]), bool(i["unique"])) for i in look.get_indexes(table)),
            sorted(tuple(c["column_names"]) for c in look.get_unique_constraints(table)),
        )
        for table in look.get_table_names()
    }


def _new(tmp_path: Path) -> dict[str, Any]:
    with Workspace.open(tmp_path / "new") as made:
        return _shape(made.engine)


@pytest.mark.parametrize("name", schema_dumps.DUMPS)
def test_the_steps_build_the_tables_of_the_store(name: str, tmp_path: Path) -> None:
    with Workspace.open(schema_dumps.load(name, tmp_path / "w")) as opened:
        built = _shape(opened.engine)
        assert opened.get("schema") == VERSION
    expected = _new(tmp_path)
    assert built == expected, "a table of bot/store.py has changed: append a step to bot/migrations.py that makes it so"


@pytest.mark.parametrize("name", schema_dumps.DUMPS)
def test_an_old_workspace_is_used_and_audited(name: str, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w")
    assert "E=mc^{2}" in call("review", "list", "--state", "written", "-w", w).well().out
    assert len(call("export", "decisions", "-w", w).well().rows) == 3
    assert len(call("export", "edits", "-w", w).well().rows) == 1
    call("export", "findings", "-w", w).well()
    call("review", "withdraw", "04cdccd9a7", "--reviewer", "Ada", "-w", w).well()
    call("review", "reject", "04cdccd9a7", "--reviewer", "Ada", "--reason", "not_defining", "-w", w).well()
    with Workspace.open(w) as opened:
        edit = opened.rows(sa.select(store.edits))[0]
        assert edit["decision"] == 1
        assert len(opened.rows(sa.select(store.decisions))) == 5


@pytest.mark.parametrize("name", schema_dumps.DUMPS)
def test_the_ledger_of_a_released_schema_is_whole(name: str, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w")
    with Workspace.open(w) as opened, open_wiki(opened, load(), ITEMS):
        pass  # the rehearsal wiki is a file beside the database
    said = call("audit", "ledger", "-w", w)
    assert "1 edit and 3 decisions checked" in said.out, (said.out, said.err)
    assert said.code == 0


@pytest.mark.parametrize("name", schema_dumps.DUMPS)
def test_each_step_can_be_run_again(name: str, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w")
    Workspace.open(w).close()
    before = schema_dumps.dump(w)
    for number in range(
        FIRST, VERSION + 1
    ):  # as after a crash between a step and its number, where tables are not a transaction
        with Workspace.open(w) as opened:
            opened.put("schema", number)
        Workspace.open(w).close()
    assert sorted(schema_dumps.dump(w).splitlines()) == sorted(before.splitlines())


def test_a_step_that_fails_leaves_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    Workspace.open(w).close()

    def half(change: migrations.Change) -> None:
        change.add("plans", sa.Column("half", sa.Integer), fill=1)
        raise sa.exc.OperationalError("x", {}, Exception("the power went"))

    monkeypatch.setattr(migrations, "STEPS", (*STEPS, half))
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)
    with pytest.raises(WorkspaceError, match="the power went"):
        Workspace.open(w)
    monkeypatch.undo()
    with Workspace.open(w) as opened:
        assert opened.get("schema") == VERSION
        assert "half" not in {c["name"] for c in sa.inspect(opened.engine).get_columns("plans")}


def _open(path: str, answer: multiprocessing.Queue[str]) -> None:
    try:
        with Workspace.open(path) as opened:
            answer.put(str(opened.get("schema")))
    except Exception as error:
        answer.put(repr(error))


def _step(change: migrations.Change) -> None:
    change.add("plans", sa.Column("further", sa.Integer), fill=1)


@pytest.mark.parametrize("name", [None, *schema_dumps.DUMPS])
def test_processes_that_open_at_once_all_find_it_ready(
    name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = schema_dumps.load(name, tmp_path / "w") if name else tmp_path / "w"
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, *[_step] * 3))
    monkeypatch.setattr(migrations, "VERSION", VERSION + 3)
    context = multiprocessing.get_context("fork")
    answer: multiprocessing.Queue[str] = context.Queue()
    processes = [context.Process(target=_open, args=(str(w), answer)) for _ in range(6)]
    for process in processes:
        process.start()
    said = [answer.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert said == [str(VERSION + 3)] * 6


def test_a_workspace_that_is_up_to_date_is_not_locked_by_opening(tmp_path: Path) -> None:
    Workspace.open(tmp_path / "w").close()
    with closing(sqlite3.connect(tmp_path / "w" / "bot.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        Workspace.open(tmp_path / "w").close()


def _spoil(w: Path, statement: str) -> None:
    with closing(sqlite3.connect(w / "bot.db")) as db:
        db.execute(statement)
        db.commit()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("ALTER TABLE decisions DROP COLUMN reason", ("no such column", "its tables are not those")),
        ("DROP TABLE decisions", ("no such table", "its tables are not those")),
        ("UPDATE meta SET value = '99' WHERE key = 'schema'", ("newer version", "update")),
        ("UPDATE meta SET value = '\"one\"' WHERE key = 'schema'", ("schema number", "cannot be read")),
        ("UPDATE meta SET value = '-1' WHERE key = 'schema'", ("schema number", "cannot be read")),
        ("UPDATE meta SET value = '21' WHERE key = 'schema'", ("before the first release", "discover")),
    ],
)
def test_a_wrong_schema_is_one_line_that_speaks_of_no_disk(
    statement: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    Workspace.open(w).close()
    _spoil(w, statement)
    said = call("export", "decisions", "-w", w).refused(*words)
    assert "room" not in said.err
    assert "disk" not in said.err


def test_the_dumps_of_the_releases_are_there() -> None:
    """The last one may be older than the newest step: a dump is added at each release."""
    numbers = [int(name.split("-")[1]) for name in schema_dumps.DUMPS]
    assert numbers[0] == FIRST
    assert numbers[-1] <= VERSION


def test_a_step_changes_a_workspace_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    monkeypatch.setattr(migrations, "STEPS", (*STEPS, _step))
    monkeypatch.setattr(migrations, "VERSION", VERSION + 1)
    for _ in range(2):
        with Workspace.open(w) as opened, opened.engine.connect() as db:
            assert opened.get("schema") == VERSION + 1
            assert set(db.execute(sa.text("SELECT further FROM plans")).scalars()) == {1}


def _into(database: str, name: str, folder: Path) -> None:
    """Make the tables and rows of a dump in another database, as the version of that day did."""
    with Workspace.open(schema_dumps.load("schema-22", folder / "types")) as typed:  # SQLite says JSON of what is JSON
        types = {t.name: {c.name: c.type for c in t.columns} for t in store.tables.sorted_tables}
        del typed
    engine = sa.create_engine(f"sqlite:///{schema_dumps.load(name, folder / 'old') / 'bot.db'}")
    old = sa.MetaData()
    old.reflect(engine)
    for table in old.tables.values():
        for column in table.columns:
            column.type = types[table.name].get(column.name, column.type)
    other = sa.create_engine(database)
    old.create_all(other)
    with engine.connect() as source, other.begin() as target:
        for table in old.sorted_tables:
            rows = [dict(row) for row in source.execute(sa.select(table)).mappings()]
            if rows:
                target.execute(table.insert(), rows)
    engine.dispose()
    other.dispose()


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="starts a database server; FORMULA_BOT_LONG=1")
def test_old_workspaces_are_brought_forward_on_mariadb(tmp_path: Path) -> None:
    with mariadb() as database:
        shapes = []
        for name in (*schema_dumps.DUMPS, ""):
            folder = tmp_path / (name or "new")
            folder.mkdir()
            if name:
                _into(database, name, folder)
            with Workspace.open(folder / "w", database=database) as opened:
                assert opened.get("schema") == VERSION
                shapes.append(_shape(opened.engine))
                assert len(opened.rows(sa.select(store.edits))) == bool(name)
                if name:
                    assert opened.rows(sa.select(store.edits.c.decision)) == [{"decision": 1}]
                    opened.put("schema", FIRST)
                    Workspace.open(folder / "w", database=database).close()  # every step once more
                    assert _shape(opened.engine) == shapes[-1]
                with pytest.raises(sa.exc.DBAPIError) as unknown, opened.engine.connect() as db:
                    db.exec_driver_sql("SELECT nothing FROM edits")
                assert fault_kind(unknown.value) is DatabaseFault.SCHEMA
                store.tables.drop_all(opened.engine)
        assert all(shape == shapes[-1] for shape in shapes)
