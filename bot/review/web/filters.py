"""What part of the queue a reviewer looks at, and in which order: read from an address, written into one."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa

from bot import store
from bot.review.web.index import words_of

STATES = ("open", "flagged", "unsure", "approved", "rejected", "second", "disputed", "written", "expired", "all")
# name -> (column, descending)
ORDERS = {
    "probability": (store.queue.c.probability, True),
    "frequency": (store.queue.c.frequency, True),
    "item": (store.queue.c.number, False),
    "learn": (store.queue.c.learn, True),
}
KINDS = ("new_claim", "add_reference", "flag")
Condition = sa.ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class Filter:
    """One view of the queue; every field has a default that says “no matter”."""

    state: str = "open"
    order: str = "probability"
    kind: str = ""
    corpus: str = ""
    cls: str = ""
    check: str = ""
    reviewer: str = ""
    low: int = 0  # percent
    high: int = 100
    green: str = ""  # "1": only where all checks are green
    q: str = ""  # part of a label, or a QID

    @classmethod
    def read(cls, values: Mapping[str, str]) -> Filter:
        """Return the filter of an address; what it cannot be becomes the default."""
        text = {name: (values.get(name) or "")[:190] for name in ("corpus", "cls", "check", "reviewer", "q")}
        return cls(
            state=_one_of(values.get("state"), STATES, "open"),
            order=_one_of(values.get("order"), ORDERS, "probability"),
            kind=_one_of(values.get("kind"), KINDS, ""),
            low=_percent(values.get("low"), 0),
            high=_percent(values.get("high"), 100),
            green="1" if values.get("green") == "1" else "",
            **text,
        )

    def query(self, **more: Any) -> str:
        """Return the address's query for this filter, without what is default anyway."""
        given = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}
        return urlencode({**given, **{k: v for k, v in more.items() if v not in ("", None)}})

    @property
    def narrowed(self) -> bool:
        """Say whether more than state and order are chosen."""
        return any(
            getattr(self, f.name) != f.default for f in dataclasses.fields(self) if f.name not in ("state", "order")
        )

    @property
    def column(self) -> sa.Column[Any]:
        return ORDERS[self.order][0]

    @property
    def descending(self) -> bool:
        return ORDERS[self.order][1]

    def conditions(self, me: str, today: str) -> list[Condition]:
        """Return what a row must fulfil to be shown to `me`."""
        row = store.queue.c
        return [*self._state(me, today), *self._narrow(row)]

    def _state(self, me: str, today: str) -> list[Condition]:
        row = store.queue.c
        if self.state == "open":
            return [row.turn == 1, row.expires >= today, row.first != me]
        if self.state == "expired":
            return [row.turn == 1, row.expires < today]
        return [] if self.state == "all" else [row.state == self.state]

    def _narrow(self, row: Any) -> list[Condition]:
        found: list[Condition] = []
        if self.kind:
            found.append(row.kind == self.kind)
        if self.reviewer:
            found.append(row.reviewer == self.reviewer)
        if self.low > 0:
            found.append(row.probability >= self.low / 100)
        if self.high < 100:
            found.append(row.probability < self.high / 100)
        if self.green:
            found.append(row.green == 1)
        if re.fullmatch(r"[Qq][1-9]\d{0,9}", self.q.strip()):
            found.append(row.qid == self.q.strip().upper())
        elif self.q.strip():
            # The longest word is likely the rarest: its proposals are fetched, the others are looked up for each of them.
            words = sorted(set(words_of(self.q)), key=len, reverse=True)
            found += [row.id.in_(_beginning(words[0]))] if words else [sa.false()]
            found += [sa.exists(_beginning(word).where(store.queue_tags.c.proposal == row.id)) for word in words[1:]]
        for name, value in (("corpus", self.corpus), ("class", self.cls), ("check", self.check)):
            if value:
                tags = store.queue_tags.c
                found.append(row.id.in_(sa.select(tags.proposal).where(tags.tag == f"{name}:{value}"[:190])))
        return found


def _beginning(word: str) -> sa.Select[Any]:
    """Select the proposals of which a word of the label begins so: a range of the index, where LIKE would read all rows."""
    tags = store.queue_tags.c
    return sa.select(tags.proposal).where(tags.tag >= f"word:{word}", tags.tag < f"word:{word}\U0010ffff")


def _one_of(value: str | None, known: Any, default: str) -> str:
    return value if value and value in known else default


def _percent(value: str | None, default: int) -> int:
    return int(value) if value and re.fullmatch(r"\d{1,3}", value) and int(value) <= 100 else default
