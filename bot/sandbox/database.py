"""The rehearsal wiki's database: pages, revisions, recent changes, log, terms, blocks and protections in one SQLite file.

One connection behind one lock serves all threads; writers take the file's write lock, so that two processes that
opened the same file never number a revision twice. A write is on the disk when it returns.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.sandbox.accounts import Editor

_NAMES = ("User", "Project", "File", "MediaWiki", "Template", "Help", "Category")  # 2, 4, …; their talk pages 3, 5, …
_COMMON = {"Media": -2, "Special": -1, "Talk": 1}
for _number, _name in enumerate(_NAMES, 1):
    _COMMON |= {_name: 2 * _number, f"{_name} talk": 2 * _number + 1}
Clock = Callable[[], datetime]
Row = sqlite3.Row
TermRow = tuple[str, str, int, str]  # language, kind, position, text
SCHEMA = """
CREATE TABLE IF NOT EXISTS pages(
  id INTEGER PRIMARY KEY, ns INTEGER, title TEXT UNIQUE, entity TEXT, latest INTEGER, redirect TEXT DEFAULT '');
CREATE INDEX IF NOT EXISTS pages_entity ON pages(entity);
CREATE TABLE IF NOT EXISTS revisions(
  id INTEGER PRIMARY KEY, page INTEGER, parent INTEGER, user TEXT, userid INTEGER, time TEXT, comment TEXT, bot INTEGER,
  text TEXT, sha1 TEXT, tags TEXT DEFAULT '');
CREATE INDEX IF NOT EXISTS revisions_page ON revisions(page, id);
CREATE INDEX IF NOT EXISTS revisions_user ON revisions(user, id);
CREATE TABLE IF NOT EXISTS changes(
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, title TEXT, ns INTEGER, page INTEGER, entity TEXT, revision INTEGER,
  old_revision INTEGER, user TEXT, bot INTEGER, comment TEXT, time TEXT);
CREATE TABLE IF NOT EXISTS log(
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT, action TEXT, title TEXT, ns INTEGER, page INTEGER, user TEXT,
  comment TEXT, time TEXT);
CREATE TABLE IF NOT EXISTS terms(entity TEXT, language TEXT, kind TEXT, position INTEGER, text TEXT, folded TEXT);
CREATE INDEX IF NOT EXISTS terms_folded ON terms(folded, entity);
CREATE INDEX IF NOT EXISTS terms_entity ON terms(entity);
CREATE TABLE IF NOT EXISTS blocks(id INTEGER PRIMARY KEY, user TEXT UNIQUE, by TEXT, reason TEXT, time TEXT);
CREATE TABLE IF NOT EXISTS protections(title TEXT PRIMARY KEY, level TEXT);
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT);
"""
_NEWEST = (
    "SELECT revisions.*, pages.id AS page_id, pages.title, pages.ns, pages.entity, pages.redirect"
    " FROM pages JOIN revisions ON revisions.id = pages.latest"
)


@dataclass(frozen=True, slots=True)
class Namespaces:
    """`items` is the name of the namespace of items, empty for the main one."""

    items: str = ""

    @property
    def numbers(self) -> dict[str, int]:
        """Return every namespace but the main one by its canonical name."""
        if not self.items:
            return {**_COMMON, "Property": 120, "Property talk": 121}
        return {**_COMMON, self.items: 120, f"{self.items} talk": 121, "Property": 122, "Property talk": 123}

    @property
    def item_number(self) -> int:
        return 120 if self.items else 0

    def number(self, title: str) -> int:
        """Return the number of the namespace that a title names."""
        prefix, colon, _ = title.partition(":")
        return self.numbers.get(prefix, 0) if colon else 0

    def title(self, entity: str) -> str:
        """Return the title of the page that holds an entity."""
        prefix = "Property" if entity.startswith("P") else self.items
        return f"{prefix}:{entity}" if prefix else entity


def utc_now() -> datetime:
    return datetime.now(UTC)


class Database:
    """All rows of one wiki. Methods that write must be called inside `with database.writing():`."""

    def __init__(self, path: Path | None = None, clock: Clock = utc_now, item_namespace: str = "") -> None:
        self.path, self.clock = path, clock
        self.lock = threading.RLock()
        self._depth = 0
        name = str(path) if path else ":memory:"
        self._db = sqlite3.connect(name, check_same_thread=False, isolation_level=None, timeout=30)
        self._db.row_factory = sqlite3.Row
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000"):
            self._db.execute(f"PRAGMA {pragma}")
        if not self.rows("SELECT 1 FROM sqlite_master WHERE name = 'meta'"):
            self._db.executescript(SCHEMA)
            self.set_meta("item namespace", item_namespace)
        self.namespaces = Namespaces(self.get_meta("item namespace"))

    def close(self) -> None:
        with self.lock:
            self._db.close()

    def now(self) -> str:
        """Return the wiki's time as MediaWiki writes it."""
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def rows(self, sql: str, *values: object) -> list[Row]:
        with self.lock:
            return self._db.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> Row | None:
        return next(iter(self.rows(sql, *values)), None)

    def number(self, sql: str, *values: object) -> int:
        """Return the one number that a query asks for, 0 where there is none."""
        row = self.row(sql, *values)
        return int(row[0] or 0) if row else 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the wiki for one write; all of it is committed, or none."""
        with self.lock:
            self._depth += 1
            if self._depth == 1:
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._depth == 1:
                    self._db.execute("ROLLBACK")
                raise
            else:
                if self._depth == 1:
                    self._db.execute("COMMIT")
            finally:
                self._depth -= 1

    def execute(self, sql: str, *values: object) -> None:
        with self.lock:
            self._db.execute(sql, values)

    def execute_many(self, sql: str, rows: Iterable[tuple[object, ...]]) -> None:
        with self.lock:
            self._db.executemany(sql, rows)

    def insert(self, table: str, **columns: object) -> None:
        marks = ", ".join("?" * len(columns))
        self.execute(f"INSERT INTO {table}({', '.join(columns)}) VALUES({marks})", *columns.values())

    def page(self, title: str) -> Row | None:
        return self.row("SELECT * FROM pages WHERE title = ?", title)

    def revision(self, number: int) -> Row | None:
        return self.row("SELECT * FROM revisions WHERE id = ?", number)

    def latest(self, title: str) -> Row | None:
        """Return a page's newest revision joined with the page (`page_id`, `title`, `redirect`)."""
        return self.row(f"{_NEWEST} WHERE pages.title = ?", title)

    def entities(self) -> list[Row]:
        """Return the newest revision of every entity, as `latest` does."""
        return self.rows(f"{_NEWEST} WHERE pages.entity <> ''")

    def history(self, title: str) -> list[Row]:
        """Return a page's revisions, oldest first."""
        sql = "SELECT r.* FROM revisions r JOIN pages ON r.page = pages.id WHERE title = ? ORDER BY r.id"
        return self.rows(sql, title)

    def save(self, title: str, text: str, editor: Editor, comment: str, *, entity: str = "", redirect: str = "") -> int:
        """Append a revision, making the page where there is none; return the revision's number."""
        page = self.page(title)
        page_id = page["id"] if page else self.next_free_number("page")
        parent = page["latest"] if page else 0
        if page is None:
            space = self.namespaces.number(title)
            self.insert("pages", id=page_id, ns=space, title=title, entity=entity, latest=0)
        number = self.next_free_number("revision")
        self.insert(
            "revisions",
            id=number,
            page=page_id,
            parent=parent,
            user=editor.user.name,
            userid=editor.user.id,
            time=self.now(),
            comment=comment,
            bot=editor.bot,
            text=text,
            sha1=hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest(),
        )
        self.execute("UPDATE pages SET latest = ?, redirect = ? WHERE id = ?", number, redirect, page_id)
        ids = {"page": page_id, "entity": entity, "revision": number, "old_revision": parent}
        self._insert_event("changes", title, editor, comment, type="edit" if page else "new", bot=editor.bot, **ids)
        return number

    def delete(self, title: str, editor: Editor, comment: str) -> None:
        """Delete a page with its revisions."""
        page = self.page(title)
        if page is None:
            return
        self.execute("DELETE FROM revisions WHERE page = ?", page["id"])
        self.execute("DELETE FROM pages WHERE id = ?", page["id"])
        self.execute("DELETE FROM terms WHERE entity = ?", page["entity"] or "-")
        self.log("delete", "delete", title, editor, comment)
        ids = {"page": 0, "entity": page["entity"], "revision": 0, "old_revision": 0}
        self._insert_event("changes", title, editor, comment, type="log", bot=editor.bot, **ids)

    def log(self, kind: str, action: str, title: str, editor: Editor, comment: str) -> None:
        """Write one line of the public log."""
        page = self.page(title)
        self._insert_event("log", title, editor, comment, type=kind, action=action, page=page["id"] if page else 0)

    def set_terms(self, entity: str, terms: Iterable[TermRow]) -> None:
        """Index an entity's labels and aliases for search."""
        self.execute("DELETE FROM terms WHERE entity = ?", entity)
        self.execute_many(
            "INSERT INTO terms VALUES(?,?,?,?,?,?)", [(entity, *term, term[3].casefold()) for term in terms]
        )

    def get_meta(self, key: str, default: str = "") -> str:
        row = self.row("SELECT value FROM meta WHERE key = ?", key)
        return row["value"] if row else default

    def set_meta(self, key: str, value: str) -> None:
        self.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", key, value)

    def next_free_number(self, table: str) -> int:
        """Return the next free number for a page or revision; numbers of deleted ones are not given again."""
        number = max(self.number(f"SELECT max(id) FROM {table}s"), int(self.get_meta(f"last {table}", "0"))) + 1
        self.set_meta(f"last {table}", str(number))
        return number

    def _insert_event(self, table: str, title: str, editor: Editor, comment: str, **columns: object) -> None:
        common = {"title": title, "ns": self.namespaces.number(title), "user": editor.user.name, "comment": comment}
        self.insert(table, **common, time=self.now(), **columns)
