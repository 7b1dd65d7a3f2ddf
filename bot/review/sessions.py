"""Sessions of the review page and tokens of the API: kept in the workspace under a digest, listed, and ended there.

A cookie holds nothing but the session's secret. Once its row is gone it opens nothing, wherever a copy of it lies.
"""

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.store import Workspace, stamp

MAX_SESSION_FACTOR = 10  # times the hours of a session: then it ends, however busy
_NOTED = 60  # seconds after which a further request of a session is noted
_DIGEST_DIGITS = 10  # digits of a digest by which a command names it


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session or a token as it is listed: `until` is the end of a token, or the last request of a session."""

    id: str
    reviewer: str
    created: str
    until: str


def secret_digest(text: str) -> str:
    """Return the digest under which a secret is kept."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def begin_session(workspace: Workspace, name: str, hours: float) -> str:
    """Begin a session and return its secret. `name` is empty while the page of a local server still asks for it."""
    table, secret, moment = store.sessions, secrets.token_urlsafe(24), _now()
    with workspace.engine.begin() as db:
        db.execute(table.delete().where(table.c.created < stamp(moment - timedelta(hours=MAX_SESSION_FACTOR * hours))))
        row = {"digest": secret_digest(secret), "reviewer": name, "created": stamp(moment), "seen": stamp(moment)}
        db.execute(table.insert().values(row))
    return secret


def session_reviewer(workspace: Workspace, secret: str, hours: float) -> str | None:
    """Return the reviewer of a session and record its use; None where it has ended."""
    table, moment = store.sessions, _now()
    where = table.c.digest == secret_digest(secret)
    rows = workspace.rows(sa.select(table).where(where))
    if not rows:
        return None
    idle, all_ = (moment - datetime.fromisoformat(rows[0][name]) for name in ("seen", "created"))
    if idle > timedelta(hours=hours) or all_ > timedelta(hours=MAX_SESSION_FACTOR * hours):
        end_session(workspace, secret)
        return None
    if idle.total_seconds() > _NOTED:
        with suppress(sa.exc.OperationalError), workspace.engine.begin() as db:  # a busy database ends no session
            db.execute(table.update().where(where).values(seen=stamp(moment)))
    return str(rows[0]["reviewer"])


def end_session(workspace: Workspace, secret: str) -> None:
    """End a session."""
    workspace.change(store.sessions.delete().where(store.sessions.c.digest == secret_digest(secret)))


def end_all_sessions(db: sa.Connection, name: str) -> None:
    """End every session and token of a person, inside the transaction that takes the person off the list."""
    for table in (store.sessions, store.api_tokens):
        db.execute(table.delete().where(table.c.reviewer == name))


def list_open(
    workspace: Workspace, table: sa.Table, names: Collection[str] = (), reviewer: str = ""
) -> list[OpenSession]:
    """Return sessions (`store.sessions`) or tokens (`store.api_tokens`), the oldest first.

    `names` are beginnings of their ids, `reviewer` whose they are; empty ones choose all.
    Raises ReviewError for a name that fits none, or several.
    """
    until = table.c.seen if table is store.sessions else table.c.expires
    query = sa.select(table.c.digest, table.c.reviewer, table.c.created, until.label("until"))
    query = query.where(table.c.reviewer == reviewer) if reviewer else query
    rows = workspace.rows(query.order_by(table.c.created, table.c.reviewer, table.c.digest))
    named = {_named(rows, name) for name in names}
    chosen = [row for row in rows if not names or row["digest"] in named]
    return [
        OpenSession(row["digest"][:_DIGEST_DIGITS], row["reviewer"], row["created"], row["until"]) for row in chosen
    ]


def end_listed(workspace: Workspace, table: sa.Table, chosen: Collection[OpenSession]) -> None:
    """End sessions or tokens as they were listed."""
    with workspace.engine.begin() as db:
        for each in chosen:
            db.execute(table.delete().where(table.c.digest.startswith(each.id, autoescape=True)))


def _named(rows: Collection[dict[str, str]], name: str) -> str:
    found = [row["digest"] for row in rows if name and row["digest"].startswith(name)]
    if len(found) != 1:
        raise ReviewError("fits_none" if not found else "fits_several", where=name, todo="listed_id")
    return found[0]


def _now() -> datetime:
    return datetime.now(UTC)
