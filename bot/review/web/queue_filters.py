"""The part of the queue that a reviewer sees, and its order: read from an address, written into one."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import parse_qsl, urlencode

import msgspec
import sqlalchemy as sa
from msgspec.structs import astuple, fields, replace

from bot import store
from bot.errors import InputError
from bot.messages import Message
from bot.records import Kind, is_text
from bot.review.proposal_state import UNDECIDED, State
from bot.review.queue import StateFilter
from bot.review.web.queue_index import WORD_TAG, words_of
from bot.wikibase import is_item_id

# name -> (column, descending)
Order = Literal["probability", "frequency", "item", "learn"]
ORDERS: dict[Order, tuple[sa.Column[float], bool]] = {
    "probability": (store.queue.c.probability, True),
    "frequency": (store.queue.c.frequency, True),
    "item": (store.queue.c.number, False),
    "learn": (store.queue.c.learn, True),
}
KINDS = get_args(Kind)
Condition = sa.ColumnElement[bool]
Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Filter(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One view of the queue; every field has a default that says “no matter”. The API's schema is this class."""

    state: StateFilter = "open"
    order: Order = "probability"
    kind: Kind | Literal[""] = ""
    corpus: str = ""
    cls: str = ""
    field: str = ""  # what the items are part of, studied by or a facet of, or the arXiv class of a document
    check: str = ""
    reviewer: str = ""
    low: Percent = 0
    high: Percent = 100
    green: Literal["", "1"] = ""  # "1": only where all checks are green
    q: str = ""  # part of a label, or a QID
    topic: str = ""  # id of a topic whose items are asked for

    def __post_init__(self) -> None:
        if not is_text(*(value for value in astuple(self) if isinstance(value, str))):
            raise ValueError(Message("error.no_text"))

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Self:
        """Return the filter of an address; what cannot be read becomes the default."""
        found = cls()
        for field in fields(cls):
            if field.name in values:
                try:
                    value = {field.name: values[field.name][:190]}
                    found = replace(found, **msgspec.to_builtins(msgspec.convert(value, cls, strict=False)))
                except msgspec.ValidationError:
                    continue
        return found

    def query(self, **changes: str | int | None) -> str:
        """Return the address's query for this filter, without what is default anyway."""
        stated = {name: value for name, value in changes.items() if value not in ("", None)}
        return urlencode({**msgspec.to_builtins(self), **stated})

    def in_state(self, state: StateFilter) -> Self:
        """Return the same filter in another state."""
        return replace(self, state=state)

    @property
    def narrowed(self) -> bool:
        """Say whether more than state and order are chosen."""
        return replace(self, state="open", order="probability") != Filter()

    @property
    def column(self) -> sa.Column[float]:
        return ORDERS[self.order][0]

    @property
    def descending(self) -> bool:
        return ORDERS[self.order][1]

    @property
    def words(self) -> list[str]:
        """Return the words that a label must have, the longest first; none where an item's id is asked for."""
        text = "" if self.qid else self.q
        return sorted(set(words_of(text)), key=lambda word: (-len(word), word))

    @property
    def qid(self) -> str:
        """Return the item's id that is asked for, or an empty string."""
        text = self.q.strip().upper()
        return text if is_item_id(text) else ""

    def conditions(self, me: str, today: str, items: sa.Select[tuple[str]] | None = None) -> list[Condition]:
        """Return what a row must fulfil to be shown to `me`.

        `items` selects those that have the words asked for; without it each row is asked for its words.
        """
        row = store.queue.c
        if items is None:
            return [*self._state(me, today, row.needs_review, row.state), *self._narrow(me, row)]
        # Few items: their rows are fetched by item. Hidden columns keep a database from walking through the order instead.
        state = self._state(me, today, sa.func.coalesce(row.needs_review, 0), sa.func.coalesce(row.state, ""))
        return [row.qid.in_(items), *state, *self._narrow(me, row, with_text=False)]

    def _state(
        self, me: str, today: str, needs_review: Condition | sa.ColumnElement[int], state: sa.ColumnElement[str]
    ) -> list[Condition]:
        row = store.queue.c
        if self.state == "open":  # what waits for this person, for a first or a second decision
            first = [row.first_decider != me] if me else []  # who is not signed in decides nothing
            return [needs_review == 1, row.expires >= today, *first]
        if self.state == "expired":
            return [state.in_(UNDECIDED), row.expires < today]
        if self.state == "all":
            return []
        if self.state in UNDECIDED:
            return [state == self.state, row.expires >= today]
        # Who is to make a second decision without seeing the first must not find that one in a list.
        return [state == self.state, *([_not_blind(me)] if self.state in (State.APPROVED, State.REJECTED) else [])]

    def _narrow(self, me: str, row: Any, *, with_text: bool = True) -> list[Condition]:
        found: list[Condition] = []
        if self.kind:
            found.append(row.kind == self.kind)
        if self.reviewer:
            found += [row.reviewer == self.reviewer, _not_blind(me)]
        if self.low > 0:
            found.append(row.probability >= self.low / 100)
        if self.high < 100:
            found.append(row.probability < self.high / 100)
        if self.green:
            found.append(row.green == 1)
        if self.qid:
            found.append(row.qid == self.qid)
        elif with_text and self.q.strip():
            tags = store.queue_tags.c
            found += [
                sa.exists().where(tags.proposal == row.qid, beginning(tags.tag, word)) for word in self.words
            ] or [sa.false()]
        for name, value in (("corpus", self.corpus), ("field", self.field), ("class", self.cls), ("check", self.check)):
            if value:
                tags = store.queue_tags.c
                found.append(row.id.in_(sa.select(tags.proposal).where(tags.tag == f"{name}:{value}"[:190])))
        return found


def filter_of(query: str) -> Filter:
    """Return the filter of an address's query; what cannot be read becomes the default."""
    return Filter.read(dict(parse_qsl(query[:2000])))


def stated_filter(query: str) -> Filter:
    """Return the filter that a query of an address says, all of it. Raises InputError for what cannot be read."""
    try:
        return msgspec.convert(dict(parse_qsl(query, strict_parsing=bool(query))), Filter, strict=False)
    except ValueError as error:
        raise InputError("no_filter", why=str(error), where=query[:200]) from None


def _not_blind(me: str) -> Condition:
    first = store.queue.c.first_decider
    return sa.or_(first == "", first == me)


def beginning(tag: sa.ColumnElement[str], word: str) -> Condition:
    """Return what a tag is of which the word begins so: a range of the index, where LIKE would read all rows."""
    return sa.and_(tag >= f"{WORD_TAG}{word}", tag < f"{WORD_TAG}{word}\U0010ffff")


def whole_number(text: str, default: int) -> int:
    """Return a whole number of a form or an address, or the default for what is none of up to eight digits."""
    return int(text) if re.fullmatch("[0-9]{1,8}", text) else default
