"""Workspaces of every released schema: opened, brought forward once, used and audited."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import schema_dumps
import sqlalchemy as sa
from cli_runner import ITEMS, call
from mariadb_server import mariadb

from bot import migrations, store
from bot.audit.known_findings import finding_id, mute, store_known, stored_findings
from bot.database_errors import DatabaseFault, fault_kind
from bot.errors import WorkspaceError
from bot.messages import Message, to_json
from bot.migrations import STEPS, VERSION
from bot.records import Finding
from bot.sandbox import open_wiki
from bot.settings import load
from bot.store import Workspace

FIRST = "schema-1-first"  # as schema 1 was first made: columns and tables were added while the number stayed
RELEASED = tuple(name for name in schema_dumps.DUMPS if name != FIRST)


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
    call("review", "approve", "04cdccd9a7", "--reviewer", "Ada", "-w", w).well()
    with Workspace.open(w) as opened:
        edit = opened.rows(sa.select(store.edits))[0]
        assert edit["decision"] == 1
        assert len(opened.rows(sa.select(store.decisions))) == 5


@pytest.mark.parametrize("name", RELEASED)
def test_the_ledger_of_a_released_schema_is_whole(name: str, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w")
    with Workspace.open(w) as opened, open_wiki(opened, load(), ITEMS):
        pass  # the rehearsal wiki is a file beside the database
    said = call("audit", "ledger", "-w", w)
    assert "1 edit and 3 decisions checked" in said.out, (said.out, said.err)
    assert said.code == 0


def test_what_went_wrong_comes_over_as_codes(tmp_path: Path) -> None:
    w = schema_dumps.load("schema-7", tmp_path / "w")
    lines = "a.wiki\tis empty\na.zip\tis a picture or a recording\t3\nb.wiki\tthe document d was read from /x y/a.wiki already"
    with closing(sqlite3.connect(w / "bot.db")) as db:
        db.execute("DELETE FROM sources")
        db.execute("INSERT INTO sources (path, digest, status, reason) VALUES ('a', 'x', 'read', ?)", (lines,))
        db.execute(
            "CREATE TABLE runs (id VARCHAR(64) PRIMARY KEY, started VARCHAR(32), ended VARCHAR(32), exit_code INTEGER, error TEXT, figures JSON)"
        )
        for id_, error in enumerate(("", "ended without a word: killed, or the machine stopped", "w: is not a folder")):
            db.execute("INSERT INTO runs VALUES (?, '2026-01-01T00:00:00Z', '', 2, ?, '{}')", (str(id_), error))
        db.commit()
    with Workspace.open(w) as opened:
        (source,) = opened.rows(sa.select(store.sources))
        said = [row["message"] for row in opened.rows(sa.select(store.runs).order_by(store.runs.c.id))]
    assert [(note["path"], note["code"], note.get("count")) for note in source["notes"]] == [
        ("a.wiki", "recorded", None),
        ("a.zip", "recorded", 3),
        ("b.wiki", "unread.read_from", None),
    ]
    assert source["notes"][2]["values"] == {"document": "d", "path": "/x y/a.wiki"}
    assert said == [
        None,
        {"code": "run.killed", "values": {}},
        {"code": "recorded", "values": {"text": "w: is not a folder"}},
    ]


def test_accepted_findings_stay_accepted_when_they_become_known_by_their_codes(tmp_path: Path) -> None:
    found = Finding("invalid", "Q1", "error", "", "", "", ("x",), message=to_json(Message("finding.invalid.gone", n=1)))
    by_sentence = replace(found, what="the value is refused", message=None)
    with Workspace.open(tmp_path / "w") as opened:
        store_known(opened, ["invalid"], [by_sentence], "2026-01-01T00:00:00Z")
        mute(opened, finding_id(by_sentence), "discussed", "Ada")
        row = {
            name: getattr(found, name)
            for name in ("audit", "item", "severity", "evidence", "label", "formulas", "message")
        }
        with opened.engine.begin() as db:
            db.execute(store.findings.insert().values(**row, what=by_sentence.what, time="2026-01-01T00:00:00Z"))
        opened.put("schema", VERSION - 1)
    with Workspace.open(tmp_path / "w") as opened:
        (known,) = stored_findings(opened)
        (again,) = store_known(opened, ["invalid"], [replace(found, what="worded better")], "2026-01-02T00:00:00Z")
    assert (known["id"], known["muted"]) == (finding_id(found), "discussed")
    assert (again.first_seen, again.new, again.muted) == ("2026-01-01T00:00:00Z", False, "discussed")


@pytest.mark.parametrize(
    ("item", "evidence", "is_moved"), [("Q1", "e", True), ("Q1", "", True), ("", "", True), ("", "age 7 d", False)]
)
def test_findings_of_items_and_of_whole_audits_become_known_by_their_codes(
    workspace: Workspace, item: str, evidence: str, is_moved: bool
) -> None:
    found = Finding("invalid", item, "error", "a sentence", evidence, "", ("x",))
    coded = replace(found, what="", message=to_json(Message("finding.invalid.gone", n=1)))
    row = {"audit": "invalid", "item": item, "severity": "error", "evidence": evidence, "label": "", "formulas": ["x"]}
    with workspace.engine.begin() as db:
        db.execute(store.findings.insert().values(**row, what="a sentence", message=coded.message, time="t"))
        db.execute(store.findings.insert().values(**row, what="of before", message=None, time="t"))
        db.execute(store.known_findings.insert().values(id=finding_id(found), first_seen="t"))
        for _ in range(2):
            migrations._findings_by_code(migrations.Change(db, store.tables, workspace.path))
    wanted = coded if is_moved else found
    assert [known["id"] for known in workspace.rows(sa.select(store.known_findings))] == [finding_id(wanted)]


@pytest.mark.parametrize("name", schema_dumps.DUMPS)
def test_each_step_can_be_run_again(name: str, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w")
    Workspace.open(w).close()
    before = schema_dumps.dump(w)
    for number in range(
        1, VERSION
    ):  # as after a crash between a step and its number, where tables are not a transaction
        with Workspace.open(w) as opened:
            opened.put("schema", number)
        Workspace.open(w).close()
    assert sorted(schema_dumps.dump(w).splitlines()) == sorted(before.splitlines())


def test_a_step_that_fails_leaves_nothing_of_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = schema_dumps.load("schema-1", tmp_path / "w")
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


@pytest.mark.parametrize("name", [None, FIRST])
def test_processes_that_open_at_once_all_find_it_ready(name: str | None, tmp_path: Path) -> None:
    w = schema_dumps.load(name, tmp_path / "w") if name else tmp_path / "w"
    context = multiprocessing.get_context("fork")
    answer: multiprocessing.Queue[str] = context.Queue()
    processes = [context.Process(target=_open, args=(str(w), answer)) for _ in range(6)]
    for process in processes:
        process.start()
    said = [answer.get(timeout=60) for _ in processes]
    for process in processes:
        process.join()
    assert said == [str(VERSION)] * 6


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
    ],
)
def test_a_wrong_schema_is_one_line_that_speaks_of_no_disk(
    statement: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    w = schema_dumps.load("schema-1", tmp_path / "w")
    Workspace.open(w).close()
    _spoil(w, statement)
    said = call("export", "decisions", "-w", w).refused(*words)
    assert "room" not in said.err
    assert "disk" not in said.err


def test_the_dumps_of_the_releases_are_there() -> None:
    """The last one may be older than the newest step: a dump is added at each release."""
    numbers = sorted({int(name.split("-")[1]) for name in RELEASED})
    assert numbers[0] == 1
    assert numbers[-1] <= VERSION


def _into(database: str, name: str, folder: Path) -> None:
    """Make the tables and rows of a dump in another database, as the version of that day did."""
    with Workspace.open(schema_dumps.load("schema-1", folder / "types")) as typed:  # SQLite says JSON of what is JSON
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
                    opened.put("schema", 1)
                    Workspace.open(folder / "w", database=database).close()  # every step once more
                    assert _shape(opened.engine) == shapes[-1]
                with pytest.raises(sa.exc.DBAPIError) as unknown, opened.engine.connect() as db:
                    db.exec_driver_sql("SELECT nothing FROM edits")
                assert fault_kind(unknown.value) is DatabaseFault.SCHEMA
                store.tables.drop_all(opened.engine)
        assert all(shape == shapes[-1] for shape in shapes)
