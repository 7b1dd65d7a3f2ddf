"""Rows of the queue: a page of them, the next one for a reviewer, counts; and leases, so that two do not do one work."""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from msgspec.structs import replace

from bot import store
from bot.errors import ReviewError
from bot.records import Proposal, as_json
from bot.review.answers import labels_of
from bot.review.people import known_reviewer
from bot.review.proposal_state import UNDECIDED, State, statuses, today
from bot.review.topics import items_of_topic, topics_of_person
from bot.review.web.queue_filters import Filter, beginning, filter_of
from bot.review.web.queue_index import QueueEntry, QueueIndex, columns_of, indexed
from bot.store import Workspace, now, stamp, to_record

PAGE = 50
RARE_WORD = 2000  # items: a word of at most so many is looked up, a more frequent one is tested on each row
MAX_COUNTED = 500  # rows of a search that are counted
TRIES, ROUNDS = 20, 50  # rows that are offered at once, and how often, where others are quicker
T = TypeVar("T")
_row = store.queue.c


def rows(workspace: Workspace, view: Filter, me: str, after: str = "", limit: int = PAGE) -> list[QueueEntry]:
    """Return a page of rows in the filter's order, from behind the proposal `after`."""
    query = _ordered_query(view, forward=True).where(*_conditions(workspace, view, me))
    if after and (boundary := _after_row(workspace, view, after, forward=True)) is not None:
        query = query.where(boundary)
    return [to_record(QueueEntry, row) for row in workspace.rows(query.limit(limit))]


def proposals_in_topic(workspace: Workspace, name: str, who: str = "") -> list[str]:
    """Return the ids of the proposals in a topic, in its order. Raises ReviewError for somebody or a topic unknown."""
    person = known_reviewer(workspace, who)
    found = next((each for each in topics_of_person(workspace, person) if each.name == name), None)
    if found is None:
        raise ReviewError("no_topic", where=name[:100])
    QueueIndex(workspace).refresh(now=True)
    view = replace(filter_of(found.query), topic=found.id)
    return [row.id for row in rows(workspace, view, person, limit=-1)]


def next_for(
    workspace: Workspace, view: Filter, me: str, after: str = "", *, back: bool = False, minutes: float = 10
) -> str:
    """Return the id of the next row for a reviewer and lease it, or an empty string; rows leased to others are skipped."""
    moment, wanted = now(), _conditions(workspace, view, me)
    query = _ordered_query(view, forward=not back).where(*wanted)
    query = query.where(sa.or_(_row.lease == "", _row.lease == me, _row.until < moment))
    if after:
        boundary = _after_row(workspace, view, after, forward=not back)
        query = query.where(boundary if boundary is not None else _row.id != after)
    for _ in range(ROUNDS):
        found = workspace.rows(query.with_only_columns(_row.id).limit(TRIES))
        for row in found:
            if lease(workspace, row["id"], me, minutes, *wanted):
                return str(row["id"])
        if not found:
            break
    return ""


def lease(workspace: Workspace, proposal: str, me: str, minutes: float, *still: sa.ColumnElement[bool]) -> bool:
    """Take a proposal for some minutes; false where somebody else has it, or where what must `still` hold does not."""
    until = stamp(datetime.now(UTC) + timedelta(minutes=minutes))
    free = sa.or_(_row.lease == "", _row.lease == me, _row.until < now())
    update = store.queue.update().where(_row.id == proposal, free, *still).values(lease=me, until=until)
    with workspace.engine.begin() as db:
        return bool(db.execute(update).rowcount)


def take_over(workspace: Workspace, proposal: str, me: str, minutes: float) -> None:
    """Take over a lease from another person, whose decision is then refused unless they take it over again."""
    workspace.change(store.queue.update().where(_row.id == proposal).values(lease="", until=""))
    lease(workspace, proposal, me, minutes)


def release(workspace: Workspace, proposal: str, me: str) -> None:
    """Give a proposal back."""
    workspace.change(store.queue.update().where(_row.id == proposal, _row.lease == me).values(lease="", until=""))


def row_of(workspace: Workspace, proposal: str) -> QueueEntry | None:
    """Return the queue's row of a proposal."""
    found = workspace.rows(sa.select(store.queue).where(_row.id == proposal))
    return to_record(QueueEntry, found[0]) if found else None


def row_of_symbol(workspace: Workspace, proposal: Proposal) -> QueueEntry | None:
    """Return a row as the queue would have it for a symbol, which is decided on with its formula and in no queue itself."""
    if proposal.kind != "symbol":
        return None
    status = statuses(workspace, [proposal.id])[proposal.id]
    changed = {**columns_of(status), "state": status.state, "needs_review": 0}
    return replace(indexed(as_json(proposal), labels_of(workspace, [proposal.qid]).get(proposal.qid)).entry, **changed)


def count(workspace: Workspace, view: Filter, me: str) -> int:
    """Return how many rows a filter lets through; of a search for words no more than COUNTED + 1."""
    query = sa.select(_row.id).where(*_conditions(workspace, view, me))
    return workspace.count(query.limit(MAX_COUNTED + 1) if view.words else query)


def items_with_words(workspace: Workspace, words: Sequence[str]) -> sa.Select[tuple[str]] | None:
    """Return what selects the items whose label has words that begin so, or None where each word is one of very many.

    A rare word is looked up, the others are asked of what it finds. Where all are frequent, the first rows of the queue
    soon hold enough of them.
    """
    tags, others = store.queue_tags.c, store.queue_tags.alias().c
    for word in words:
        found = sa.select(tags.proposal).where(beginning(tags.tag, word))
        if workspace.count(found.limit(RARE_WORD + 1)) <= RARE_WORD:
            rest = [other for other in words if other != word]
            has = (sa.exists().where(others.proposal == tags.proposal, beginning(others.tag, w)) for w in rest)
            return found.where(*has)
    return None


def _conditions(workspace: Workspace, view: Filter, me: str) -> list[sa.ColumnElement[bool]]:
    items = items_with_words(workspace, view.words) if view.words else None
    of_topic = items_of_topic(workspace, view.topic) if view.topic else ()
    if of_topic is None:  # a topic that was forgotten holds nothing, and not the whole queue
        return [sa.false()]
    return [*view.conditions(me, now()[:10], items), *([_row.qid.in_(of_topic)] if of_topic else [])]


def counts_by_state(workspace: Workspace, *where: sa.ColumnElement[bool]) -> Counter[str]:
    """Return the number of proposals in each state, apart from expiry."""
    query = sa.select(_row.state, sa.func.count().label("number")).where(*where).group_by(_row.state)
    return Counter({row["state"]: row["number"] for row in workspace.rows(query)})


def other_formulas_of_item(workspace: Workspace, proposal: str, qid: str, me: str) -> list[tuple[State, str]]:
    """Return the other formulas of an item that are approved or written, with their state, as far as `me` may know of them."""
    visible = sa.or_(_row.first_decider == "", _row.first_decider == me)
    query = sa.select(_row.state, _row.tex).where(
        _row.qid == qid, _row.id != proposal, _row.kind == "new_claim", visible
    )
    rows = workspace.rows(query.where(_row.state.in_((State.APPROVED, State.WRITTEN))).order_by(_row.id))
    return [(State(row["state"]), row["tex"]) for row in rows]


def expired_by_state(workspace: Workspace) -> Counter[str]:
    """Return how many proposals of each state that waits for a decision have expired."""
    return counts_by_state(workspace, _row.state.in_(UNDECIDED), _row.expires < today())


def counts_in_other_states(workspace: Workspace, view: Filter, me: str) -> dict[str, int]:
    """Return state -> how many rows a filter finds in the states that it does not show."""
    every = view.in_state("all")
    state_column = visible_state(me)
    columns: tuple[sa.Label[Any], ...] = (state_column, sa.func.count().label("number"))
    query = sa.select(*columns).where(*_conditions(workspace, every, me)).group_by(state_column)
    if view.state == "open":  # it shows what waits for a second decision too
        query = query.where(sa.or_(_row.needs_review != 1, _row.expires < today(), _row.first_decider == me))
    found = {row["state"]: row["number"] for row in workspace.rows(query)}
    return {state: found[state] for state in State if state in found and state != view.state}


def visible_state(me: str) -> sa.Label[str]:
    """Return the state of a row as `me` may see it: a first decision stays hidden from who makes the second one unseen."""
    decided = _row.state.in_((State.APPROVED, State.REJECTED, State.SECOND))
    hidden = sa.and_(_row.first_decider != "", _row.first_decider != me, decided)
    expired = sa.and_(_row.state.in_(UNDECIDED), _row.expires < today())
    return sa.case((expired, State.EXPIRED.value), (hidden, State.OPEN.value), else_=_row.state).label("state")


class QueueCache:
    """Values recomputed when the queue has changed, and every few seconds: choices and counts of a long queue."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._kept: dict[Hashable, tuple[float, int, Any]] = {}

    def get(self, key: Hashable, make: Callable[[], T], change: int = 0) -> T:
        """Return the value of a key; one that was made before another `change` of the queue is made again."""
        entry = self._kept.get(key)
        if entry is None or entry[1] != change or time.monotonic() - entry[0] > self._seconds:
            if len(self._kept) > 500:
                self._kept.clear()
            entry = self._kept[key] = (time.monotonic(), change, make())
        value: T = entry[2]
        return value


def filter_choices(workspace: Workspace) -> dict[str, list[tuple[str, int]]]:
    """Return what can be filtered by, the most frequent first: corpus, field, class, check and reviewer with numbers."""
    tags = store.queue_tags.c
    found: dict[str, list[tuple[str, int]]] = {"corpus": [], "field": [], "class": [], "check": [], "reviewer": []}
    query = sa.select(tags.tag, sa.func.count().label("number")).where(tags.tag < "word:").group_by(tags.tag)
    for row in workspace.rows(query):
        name, _, value = row["tag"].partition(":")
        found[name].append((value, row["number"]))
    people = (
        sa.select(_row.reviewer, sa.func.count().label("number")).where(_row.reviewer != "").group_by(_row.reviewer)
    )
    found["reviewer"] = [(row["reviewer"], row["number"]) for row in workspace.rows(people)]
    return {name: sorted(values, key=lambda v: (-v[1], v[0]))[:200] for name, values in found.items()}


def _ordered_query(view: Filter, *, forward: bool) -> sa.Select[tuple[object, ...]]:
    down = view.descending == forward
    by = view.column.desc() if down else view.column.asc()
    # The id goes the same way as the value, so that one index serves both directions.
    return sa.select(store.queue).order_by(by, _row.id.desc() if down else _row.id.asc())


def _after_row(workspace: Workspace, view: Filter, after: str, *, forward: bool) -> sa.ColumnElement[bool] | None:
    found = row_of(workspace, after)
    if found is None:
        return None
    value, down = getattr(found, view.column.name), view.descending == forward
    beyond = view.column < value if down else view.column > value
    tie = _row.id < after if down else _row.id > after
    # The first condition lets an index seek; MariaDB and SQLite take a plain OR for a scan.
    edge = view.column <= value if down else view.column >= value
    return sa.and_(edge, sa.or_(beyond, tie))
