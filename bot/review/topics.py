"""A person's topics: parts of the queue under a name, by a filter and, where there are any, by a list of items."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.records import digest, is_text
from bot.review.people import reviewer as known_reviewer
from bot.store import Workspace, now, record_of
from bot.wikibase import ITEM_ID

MOST = 40  # topics of a person
ITEMS = 5000  # of a topic: databases bind no more values in one statement than some ten thousand
_QID = re.compile(rf"(?<![A-Za-z0-9]){ITEM_ID}(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the queue; `query` is a filter as an address has it, `items` the items it is about, none for all."""

    id: str
    reviewer: str
    name: str
    query: str
    items: tuple[str, ...]


def items_in(text: str) -> list[str]:
    """Return the items that a text names, each once: a list of QIDs, or the result of a query in any form."""
    return list(dict.fromkeys(_QID.findall(text)))


def add(workspace: Workspace, who: str, name: str, query: str, text: str) -> Topic:
    """Keep a topic, in the place of one of the same name. Raises ReviewError for none that can be kept."""
    name, items = name.strip(), items_in(text)
    if not name or not is_text(name) or len(name) > 100:
        raise ReviewError(Message("error.topic_name"))
    if text.strip() and not items:
        raise ReviewError(Message("error.topic_items"))
    if len(items) > ITEMS:
        raise ReviewError(Message("error.topic_long", most=ITEMS))
    made = Topic(
        digest("topic", who, name, length=16), known_reviewer(workspace, who), name, query[:2000], tuple(items)
    )
    if len([each for each in of_person(workspace, who) if each.id != made.id]) >= MOST:
        raise ReviewError(Message("error.topics", most=MOST))
    table = store.topics
    values = {"id": made.id, "reviewer": who, "name": name, "query": made.query, "items": items, "created": now()}
    with workspace.engine.begin() as db:
        db.execute(table.delete().where(table.c.id == made.id))
        db.execute(table.insert().values(**values))
    return made


def remove(workspace: Workspace, who: str, id_: str) -> None:
    """Forget one of a person's topics."""
    table = store.topics
    with workspace.engine.begin() as db:
        db.execute(table.delete().where(table.c.id == id_, table.c.reviewer == who))


def of_person(workspace: Workspace, who: str) -> list[Topic]:
    """Return a person's topics by name."""
    table = store.topics
    rows = workspace.rows(sa.select(table).where(table.c.reviewer == who).order_by(table.c.name))
    return [record_of(Topic, {**row, "items": tuple(row["items"])}) for row in rows]


def items_of(workspace: Workspace, id_: str) -> tuple[str, ...]:
    """Return the items of a topic; none for one that names none, or is not known."""
    rows = workspace.rows(sa.select(store.topics.c["items"]).where(store.topics.c.id == id_))
    return tuple(rows[0]["items"]) if rows else ()
