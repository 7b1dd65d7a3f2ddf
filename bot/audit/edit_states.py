"""What became of each edit, in the workspace: its state on the wiki, who made it so, and how many stood for how long.

The audit `seeded` looks and keeps it here; `survival` reads it without asking the wiki.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from bot import store
from bot.lookup import Client
from bot.lookup.page_history import PageRevision
from bot.records import Edit, EditOutcome
from bot.store import Workspace
from bot.wikibase import Json

AGES = (1, 7, 30)  # days
SURVIVED = ("present", "amended", "merged")
_ZULU = "%Y-%m-%dT%H:%M:%SZ"
_NOBODY = PageRevision(0, "", "")
_states = store.edit_states


@dataclass(frozen=True, slots=True)
class SurvivalAtAge:
    """Of the edits that are at least so many days old, those that we took back ourselves left out."""

    days: int
    written: int
    standing: int

    @property
    def removed(self) -> int:
        """Return how many others have removed, changed, deprecated or deleted."""
        return self.written - self.standing


@dataclass(frozen=True, slots=True)
class RemovedEdit:
    """An edit that does not stand any more; `user` is "" and `revision` 0 where the wiki does not show who did it."""

    edit: int
    proposal: str
    qid: str
    state: str
    written: str
    user: str
    revision: int
    removed: str  # when, "" where it is not known


@dataclass(frozen=True, slots=True)
class Survival:
    """`looked`: when an audit last looked at the edits, "" where none has."""

    ages: tuple[SurvivalAtAge, ...]
    removals: tuple[RemovedEdit, ...]  # oldest edit first
    looked: str


def survival(workspace: Workspace, today: datetime) -> Survival:
    """Return how much of what we wrote stands after 1, 7 and 30 days and who removed what, as the last audit found it.

    Asks no wiki. Edits that no audit has looked at yet are not counted.
    """
    edits = store.edits.c
    columns = (edits.n, edits.proposal, edits.qid, edits.time)
    kept = (_states.c.state, _states.c.revision, _states.c.user, _states.c.changed, _states.c.seen)
    query = (
        sa.select(*columns, *kept)
        .join(_states, _states.c.edit == edits.n)
        .where(edits.outcome == EditOutcome.WRITTEN, ~store.is_undone())
        .order_by(edits.n)
    )
    rows = workspace.rows(query)
    ages = []
    for days in AGES:
        old = [row["state"] in SURVIVED for row in rows if days_between(row["time"], today) >= days]
        ages.append(SurvivalAtAge(days, len(old), sum(old)))
    removals = (
        RemovedEdit(*(row[name] for name in ("n", "proposal", "qid", "state", "time", "user", "revision", "changed")))
        for row in rows
        if row["state"] not in SURVIVED
    )
    return Survival(tuple(ages), tuple(removals), max((row["seen"] for row in rows), default=""))


def days_between(time: str, today: datetime) -> float:
    """Return how long before `today` a ledger time was, in days."""
    return (today - datetime.strptime(time, _ZULU).replace(tzinfo=UTC)).total_seconds() / 86400


def kept_states(workspace: Workspace) -> dict[int, store.Row]:
    """Return what earlier audits found, by the number of the edit."""
    return {row["edit"]: row for row in workspace.rows(sa.select(_states))}


def keep(workspace: Workspace, found: Iterable[tuple[int, str, PageRevision, str]], time: str) -> None:
    """Keep (edit, state, who made it so, the value instead) of every edit that is on the wiki or was; earlier rows are replaced."""
    rows = [
        {"edit": n, "state": state, "revision": by.revision, "user": by.user, "changed": by.time, "seen": time}
        | {"comment": by.comment, "instead": instead}
        for n, state, by, instead in found
    ]
    with workspace.engine.begin() as db:
        db.execute(_states.delete())
        if rows:
            db.execute(_states.insert(), rows)


def made_so_by(
    client: Client, edit: Edit, state: str, entity: Json, state_of: Callable[[Edit, Json], str]
) -> PageRevision:
    """Return the revision since which an edit is in a state other than “present”, empty where the wiki does not show it.

    `entity` is what its item id leads to now. Whether it was so already is asked of half of what is left each time.
    Raises LookupFailed.
    """
    later = client.history(edit.qid, edit.revision)
    if not later or not later[0].revision:  # nothing since: it was never as we say; or the page was deleted
        return later[0] if later else _NOBODY

    def is_so(each: PageRevision) -> bool:
        then = client.entity_at(each.revision)
        return state_of(edit, entity if "redirect" in then else then) == state

    return _first(later, is_so)


def _first(later: Sequence[PageRevision], is_so: Callable[[PageRevision], bool]) -> PageRevision:
    place = bisect_left(later, True, key=is_so)
    return later[place] if place < len(later) else _NOBODY


def unchanged(row: Mapping[str, object] | None, state: str) -> PageRevision | None:
    """Return who made it so by an earlier audit, None where that audit found another state or nobody."""
    if row is None or row["state"] != state or not (row["user"] or row["revision"]):
        return None
    return PageRevision(int(str(row["revision"])), str(row["user"]), str(row["changed"]), str(row["comment"] or ""))
