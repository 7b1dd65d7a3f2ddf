"""Who changed an entity's page: its revisions, their content, and its deletion, from the Action API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.errors import LookupFailed
from bot.lookup.entity_api import Api
from bot.wikibase import Json

MOST_REVISIONS = 5000  # chosen: an item that was edited more often since then is not searched


@dataclass(frozen=True, slots=True)
class PageRevision:
    """One edit of a page; `revision` is 0 for a deletion."""

    revision: int
    user: str
    time: str
    comment: str = ""


def revisions(api: Api, title: str, after: int) -> list[PageRevision]:
    """Return the revisions of a page after one of them, oldest first; none where there is no such page. Raises LookupFailed."""
    asked = {
        "action": "query",
        "titles": title,
        "prop": "revisions",
        "rvprop": "ids|user|timestamp|comment",
        "rvdir": "newer",
    }
    asked |= {"rvstartid": str(after), "rvlimit": "500", "formatversion": "2"}
    found: list[PageRevision] = []
    more: dict[str, str] = {}
    while len(found) < MOST_REVISIONS:
        answer = api.ask(expect="query", **asked, **more)
        found += (_revision(row) for page in _pages(answer) for row in page.get("revisions", ()))
        if "continue" not in answer:
            return [each for each in found if each.revision > after]
        more = {name: str(value) for name, value in answer["continue"].items()}
    raise LookupFailed(f"{title} has more than {MOST_REVISIONS:,} later revisions, which are not searched")


def content(api: Api, revision: int) -> Json:
    """Return the JSON of an entity as of a revision; of a redirect `{"entity", "redirect"}`. Raises LookupFailed."""
    asked = {"revids": str(revision), "prop": "revisions", "rvprop": "ids|content", "rvslots": "main"}
    answer = api.ask(expect="query", action="query", formatversion="2", **asked)
    for page in _pages(answer):
        for row in page.get("revisions", ()):
            try:
                found = json.loads(row["slots"]["main"]["content"])
            except (KeyError, TypeError, ValueError):
                break  # hidden by an administrator, or no entity
            if isinstance(found, dict):
                return found
    raise LookupFailed(f"does not show revision {revision}")


def deletion(api: Api, title: str) -> PageRevision | None:
    """Return who deleted a page last, None where the log does not say. Raises LookupFailed."""
    asked = {"action": "query", "list": "logevents", "letype": "delete", "letitle": title, "formatversion": "2"}
    for row in api.ask(expect="query", **asked)["query"].get("logevents", ()):
        if row.get("action") == "delete":
            return PageRevision(0, str(row.get("user", "")), str(row.get("timestamp", "")), str(row.get("comment", "")))
    return None


def _pages(answer: Json) -> Iterator[Json]:
    yield from answer["query"].get("pages", ())


def _revision(row: Json) -> PageRevision:
    return PageRevision(
        int(row["revid"]), str(row.get("user", "")), str(row.get("timestamp", "")), str(row.get("comment", ""))
    )
