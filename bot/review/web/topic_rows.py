"""The rows of the queue in a person's topic, for whoever is not on the page."""

from urllib.parse import parse_qsl

import msgspec
from msgspec.structs import replace

from bot.errors import InputError, ReviewError
from bot.messages import Message
from bot.review.people import reviewer
from bot.review.topics import of_person
from bot.review.web import pick
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import Index
from bot.store import Workspace


def in_topic(workspace: Workspace, name: str, who: str = "") -> list[str]:
    """Return the ids of the proposals in a topic, in its order. Raises ReviewError for somebody or a topic unknown."""
    person = reviewer(workspace, who)
    found = next((each for each in of_person(workspace, person) if each.name == name), None)
    if found is None:
        raise ReviewError(Message("error.no_topic"), where=name[:100])
    index = Index(workspace)
    index.refresh(now=True)
    chosen = replace(Filter.read(dict(parse_qsl(found.query))), topic=found.id)
    return [row.id for row in pick.rows(workspace, chosen, person, limit=-1)]


def stated_filter(query: str) -> Filter:
    """Return the filter that a query of an address says, all of it. Raises InputError for what cannot be read."""
    try:
        return msgspec.convert(dict(parse_qsl(query, strict_parsing=bool(query))), Filter, strict=False)
    except ValueError as error:
        raise InputError("no_filter", why=str(error), where=query[:200]) from None
