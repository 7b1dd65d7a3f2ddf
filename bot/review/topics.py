"""A person's topics: parts of the queue under a name, by a filter and, where there are any, by a list of items or a query for them."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.records import as_json, digest, is_text
from bot.review.people import known_reviewer
from bot.review.queue_rules import load_rules
from bot.store import Workspace, now, to_record
from bot.wikibase import ITEM_ID

MAX_TOPICS = 40  # topics of a person
MAX_ITEMS = 5000  # of a topic: databases bind no more values in one statement than some ten thousand
_QID = re.compile(rf"(?<![A-Za-z0-9]){ITEM_ID}(?![A-Za-z0-9])")


AskItems = Callable[[str], list[str]]  # the items of a SPARQL query; raises BotError


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the queue; `query` is a filter as an address has it, `items` the items it is about, none for all."""

    id: str
    reviewer: str
    name: str
    query: str
    items: tuple[str, ...]
    sparql: str = ""  # the query that the items are from
    asked: str = ""  # when it was answered last


def items_in(text: str) -> list[str]:
    """Return the items that a text names, each once: a list of QIDs, or the result of a query in any form."""
    return list(dict.fromkeys(_QID.findall(text)))


def save_topic(
    workspace: Workspace, who: str, name: str, query: str, text: str, sparql: str = "", ask: AskItems | None = None
) -> Topic:
    """Keep a topic, in the place of one of the same name; its items are named by `text`, or by what `ask` finds by `sparql`.

    Raises ReviewError for none that can be kept and BotError where the query fails; then nothing changes.
    """
    name, sparql = name.strip(), sparql.strip()
    if not name or not is_text(name, sparql) or len(name) > 100:
        raise ReviewError("topic_name")
    if text.strip() and sparql:
        raise ReviewError("topic_both")
    topic = Topic(digest("topic", who, name, length=16), known_reviewer(workspace, who), name, query[:2000], ())
    if len([each for each in topics_of_person(workspace, who) if each.id != topic.id]) >= MAX_TOPICS:
        raise ReviewError("topics", most=MAX_TOPICS)
    items = _query_items(workspace, sparql, ask) if sparql else items_in(text)
    if (text.strip() or sparql) and not items:  # without items a topic would be the whole queue
        raise ReviewError("topic_no_answer" if sparql else "topic_items")
    if len(items) > MAX_ITEMS:
        raise ReviewError("topic_long", most=MAX_ITEMS)
    topic = replace(topic, items=tuple(items), sparql=sparql, asked=now() if sparql else "")
    table = store.topics
    workspace.change(
        table.delete().where(table.c.id == topic.id), table.insert().values(**as_json(topic), created=now())
    )
    return topic


def ask_again(workspace: Workspace, who: str, id_: str, ask: AskItems) -> Topic:
    """Ask the query of one of a person's topics again. Raises as `save_topic`; its items then stay as they are."""
    found = next(
        (each for each in topics_of_person(workspace, who) if id_ in (each.id, each.name) and each.sparql), None
    )
    if found is None:
        raise ReviewError("no_topic", where=id_[:100])
    return save_topic(workspace, who, found.name, found.query, "", found.sparql, ask)


def _query_items(workspace: Workspace, sparql: str, ask: AskItems | None) -> list[str]:
    if ask is None or not load_rules(workspace).sparql_topics:
        raise ReviewError("query_off")
    return ask(sparql)


def remove_topic(workspace: Workspace, who: str, id_: str) -> None:
    """Forget one of a person's topics, by its id or its name."""
    table = store.topics
    workspace.change(table.delete().where(sa.or_(table.c.id == id_, table.c.name == id_), table.c.reviewer == who))


def topics_of_person(workspace: Workspace, who: str) -> list[Topic]:
    """Return a person's topics by name."""
    table = store.topics
    rows = workspace.rows(sa.select(table).where(table.c.reviewer == who).order_by(table.c.name))
    return [to_record(Topic, {**row, "items": tuple(row["items"])}) for row in rows]


def items_of_topic(workspace: Workspace, id_: str) -> tuple[str, ...] | None:
    """Return the items of a topic, an empty tuple where it names none; None for a topic that is not known any more."""
    rows = workspace.rows(sa.select(store.topics.c["items"]).where(store.topics.c.id == id_))
    return tuple(rows[0]["items"]) if rows else None
