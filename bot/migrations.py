"""The workspace's database, brought from one schema to the next by numbered steps; docs/operating.md, CONTRIBUTING.md.

Each step runs once for a workspace, in a transaction that one process at a time can hold. A new workspace is made from
the tables of `bot.store` and sees no step. MariaDB commits each change of a table by itself and schema 1 had different
columns at different times, so a step may be run again: it changes only what is not there yet.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.errors import WorkspaceError
from bot.messages import Message, to_json, uncoded_message
from bot.records import UndoState

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

    def drop(self, table: str, column: str) -> None:
        """Drop a column that another has taken the place of, where it is still there."""
        if column in self.columns(table):
            name = self.db.dialect.identifier_preparer.quote(table)
            self.db.exec_driver_sql(f"ALTER TABLE {name} DROP COLUMN {column}")

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


def _new_tables(*names: str) -> Callable[[Change], None]:
    """Return the step that creates these tables."""
    return lambda change: change.create(*names)


def _new_columns(*columns: tuple[str, str, Any, object]) -> Callable[[Change], None]:
    """Return the step that adds columns: table, name, type, and what the rows that are there get in it; None leaves it empty."""

    def step(change: Change) -> None:
        for table, name, kind, fill in columns:
            change.add(table, sa.Column(name, kind), fill)

    return step


_ABOUT = _new_columns(("decisions", "about", sa.Text, ""))
_UNDO_TEXT = re.compile(r"(undone|kept|failed)\b(?:.* in revision (\d+)$)?", re.DOTALL)
_DECISION_OF_AN_EDIT = """
UPDATE edits SET decision = COALESCE((
    SELECT MAX(d.n) FROM decisions d WHERE d.proposal = edits.proposal AND d.hash = edits.hash
    AND d.verdict = 'approve' AND d.time <= edits.time), 0)
WHERE decision IS NULL
"""


def _review_page(change: Change) -> None:
    """Bring every workspace that calls itself schema 1 to one form: columns and tables were added under that number."""
    change.create("queue", "queue_tags", "seeded", "attention", "answers", "api_tokens", "chain")
    change.add("edits", sa.Column("decision", sa.Integer, index=True))
    change.db.execute(sa.text(_DECISION_OF_AN_EDIT))
    change.add("findings", sa.Column("label", sa.Text), fill="")
    change.add("findings", sa.Column("formulas", sa.JSON), fill=[])


_DOCUMENTS_WITHOUT_A_DAY = """
INSERT INTO retrievals (document, day)
SELECT d.id, '' FROM documents d WHERE NOT EXISTS (SELECT 1 FROM retrievals r WHERE r.document = d.id)
"""


def _day_of_each_document(change: Change) -> None:
    """Keep the day on which each document was first read; of those that are there already it is not known."""
    change.create("retrievals")
    change.db.execute(sa.text(_DOCUMENTS_WITHOUT_A_DAY))


_ROLE_OF_A_DECISION = """
UPDATE decisions SET role = COALESCE((SELECT r.role FROM reviewers r WHERE r.name = decisions.reviewer), '')
WHERE role IS NULL
"""


def _authority(change: Change) -> None:
    """Keep with each decision the reviewer's role, whether it was a rehearsal, and whether an edit was confirmed."""
    meta = change.tables.tables["meta"]
    change.add("decisions", sa.Column("edit_confirmed", sa.Boolean), fill=False)
    change.add("decisions", sa.Column("role", sa.String(16)))
    change.db.execute(sa.text(_ROLE_OF_A_DECISION))
    world = change.db.execute(sa.select(meta.c.value).where(meta.c.key == "world")).first()
    change.add("decisions", sa.Column("wiki", sa.String(16)), fill="rehearsal" if world else "")


def _session_key(change: Change) -> None:
    """Forget the key that signs sessions: it is a file now, made anew, since copies of the database hold the old one."""
    meta = change.tables.tables["meta"]
    change.db.execute(meta.delete().where(meta.c.key == "review_secret"))


def _chain_of_authority(change: Change) -> None:
    """Bind the decisions, people and rules that are there; from here on the chain knows of each that is put in by hand."""
    from bot import hashchain

    _ABOUT(change)  # the whole row is read
    decisions, links = change.tables.tables["decisions"], change.tables.tables["chain"]
    if change.db.execute(sa.select(links.c.n).where(links.c.edit == 0).limit(1)).first():
        return
    for (n,) in change.db.execute(sa.select(decisions.c.n).order_by(decisions.c.n)).all():
        hashchain.note_decision(change.db, n)
    hashchain.note_authority(change.db)
    hashchain.note_earlier_edits(change.db)


def undo_of_text(text: str) -> dict[str, object]:
    """Return the state and revision of an undo that was kept as text alone, as links did before they held codes."""
    found = _UNDO_TEXT.match(text)
    return {
        "undo_state": UndoState(found[1]) if found else UndoState.NONE,
        "undo_revision": int(found[2] or 0) if found else 0,
    }


def _state_of_an_undo(change: Change) -> None:
    """Keep what became of an undo as codes beside its text; the links of the chain go on to bind the text of these rows."""
    change.add("edits", sa.Column("undo_state", sa.String(16)))
    change.add("edits", sa.Column("undo_revision", sa.Integer))
    edits = change.tables.tables["edits"]
    for n, text in change.db.execute(sa.select(edits.c.n, edits.c.undo).where(edits.c.undo_state.is_(None))).all():
        change.db.execute(edits.update().where(edits.c.n == n).values(**undo_of_text(text or "")))


def _columns_of_the_queue(change: Change) -> None:
    """Drop the review page's copy of the queue where its columns have other names: it is made anew from the other tables."""
    if "turn" in change.columns("queue"):
        for name in ("queue_tags", "queue"):
            change.db.execute(sa.schema.DropTable(change.tables.tables[name]))
    change.create("queue", "queue_tags")


def _answers_of_audits(change: Change) -> None:
    """Keep how audits asked and what became of each edit; findings as codes with a next step."""
    change.create("audit_answers", "edit_states")
    change.add("findings", sa.Column("message", sa.JSON))
    change.add("findings", sa.Column("step", sa.JSON))


def _codes_of_what_went_wrong(change: Change) -> None:
    """Keep what went wrong with a run, a notification, an audit's question or a source file as codes, not as sentences."""
    for table, key, sentence in (
        ("runs", "id", "error"),
        ("notifications", "id", "problem"),
        ("audit_answers", "n", "problem"),
    ):
        change.add(table, sa.Column("message", sa.JSON(none_as_null=True)))
        _recode(change, table, key, sentence, "message", lambda text: _message_of_text(text) if text else None)
    change.add("sources", sa.Column("notes", sa.JSON))
    _recode(change, "sources", "path", "reason", "notes", lambda text: list(map(_note, (text or "").splitlines())))


def _recode(change: Change, table: str, key: str, old: str, new: str, coded: Callable[[str | None], object]) -> None:
    if old not in change.columns(table):
        return
    target = change.tables.tables[table]
    rows = change.db.execute(sa.select(target.c[key], sa.column(old)).select_from(target)).all()
    for row in rows:
        change.db.execute(target.update().where(target.c[key] == row[0]).values({new: coded(row[1])}))
    change.drop(table, old)


def _message_of_text(text: str) -> dict[str, object]:
    """Return the message for a stored sentence: with its code if it is one of the bot's own, else uncoded."""
    coded = {
        "ended without a word: killed, or the machine stopped": "run.killed",
        "interrupted": "run.interrupted",
    }
    return to_json(Message(coded[text]) if text in coded else uncoded_message(text))


def _note(line: str) -> dict[str, object]:
    """Return what a line "path, reason, number of files ignored for it" says, parted by tabs; without a number it was skipped."""
    path, *parts = line.split("\t")
    count = {"count": int(parts.pop())} if len(parts) == 2 and parts[-1].isdecimal() else {}
    reason = " ".join(parts)
    found = re.fullmatch(r"the document (.*) was read from (.*) already", reason)
    why = Message("unread.read_from", document=found[1], path=found[2]) if found else uncoded_message(reason)
    return {"path": path, **to_json(why), **count}


def _findings_by_code(change: Change) -> None:
    """Know findings by their codes; they were known by their English sentences, so that better wording made them new."""
    findings, known_findings = change.tables.tables["findings"], change.tables.tables["known_findings"]
    for row in change.db.execute(sa.select(findings).where(findings.c.message.is_not(None))).mappings().all():
        if row["item"] or not row["evidence"]:
            old, new = (_finding(row, message) for message in (row["what"], row["message"]))
            if not change.db.execute(sa.select(known_findings.c.id).where(known_findings.c.id == new)).first():
                change.db.execute(known_findings.update().where(known_findings.c.id == old).values(id=new))


def _finding(row: sa.RowMapping, message: object) -> str:
    parts = (row["audit"], row["item"], row["severity"], message, row["evidence"], *row["formulas"])
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


STEPS: tuple[Callable[[Change], None], ...] = (  # the first one leads to schema 2; append only
    _review_page,
    _day_of_each_document,
    _authority,
    _session_key,
    _new_tables("sessions"),  # keep sessions of the review page where they can be ended
    _chain_of_authority,
    _state_of_an_undo,
    _columns_of_the_queue,
    _new_columns(  # FormulaRank of each concept, which the next discover gives old ones; what a person saw with each answer
        ("concepts", "formularank", sa.Float, None),
        ("answers", "hash", sa.String(64), ""),
        ("answers", "record", sa.JSON, None),
    ),
    # Why an edit ended as a code with values; rows that are there keep their sentence alone, which the chain binds.
    _new_columns(("edits", "message", sa.JSON, None)),
    _new_tables("runs", "known_findings"),  # the scheduled runs; since when a finding is known, and which are accepted
    _answers_of_audits,
    _new_columns(("edits", "undo_message", sa.JSON, None)),  # what became of an undo, likewise
    _ABOUT,  # which item it is instead, which statement is wrong, or which revision was checked
    _new_tables("notifications"),  # keep what people are told of scheduled runs until it is sent, and that it was
    _new_tables("topics"),  # keep the parts of the queue that a person works on
    _new_tables("symbols"),  # keep what the symbols of concepts mean; the next match reads them
    _new_columns(  # what an editor said of a removal, and the formula that stands instead
        ("edit_states", "comment", sa.Text, ""),
        ("edit_states", "instead", sa.Text, ""),
    ),
    _new_columns(  # the query that a topic's items are from, and when it was answered
        ("topics", "sparql", sa.Text, ""),
        ("topics", "asked", sa.String(20), ""),
    ),
    _codes_of_what_went_wrong,
    _findings_by_code,
)
VERSION = len(STEPS) + 1


def upgrade(engine: sa.Engine, tables: sa.MetaData, folder: Path) -> None:
    """Bring the database to VERSION; where it is there already, nothing is locked or written.

    Raises WorkspaceError for a database of a newer version and for a number that cannot be read.
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
        reached = 1 if old else VERSION  # the making of an older one may have been cut off
    else:
        STEPS[found - 1](change)
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
