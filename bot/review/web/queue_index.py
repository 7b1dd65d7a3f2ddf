"""The queue as a table that can be sorted and filtered quickly: made from proposals, decisions and edits, and followed.

Nothing here is the truth: a decision is checked against the proposal and the decisions themselves when it is recorded.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import threading
import time
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec.structs import replace

from bot import store
from bot.records import Kind, digest
from bot.review.proposal_state import State, Status, statuses, terms
from bot.sequences import batched
from bot.store import Row, Workspace

IDS_PER_STATEMENT = 400
PROPOSALS_PER_TRANSACTION = 2000
DECISIONS_READ_AGAIN = 100  # one with a lower number may be committed after one with a higher
MAX_UPDATED_AT_ONCE = 2000  # proposals; more are updated in the background
SECONDS_BETWEEN_REFRESHES = 15.0  # for what another run has changed, or more where a look takes long
WORD_TAG = "word:"  # tags of items, not of proposals: what an item is found by
COLUMNS_VERSION = 3  # a queue of another version is rebuilt
SYMBOL = "symbol"  # a kind that is decided on in the card of its formula
_FOLLOWED = "review_followed"  # the last decision that is in the queue, and under which terms
T = TypeVar("T")
Advance = Callable[[float, str], object]


class QueueIndex:
    """Follows the workspace. `refresh` is cheap while nothing has happened."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._under = ""  # the terms under which decisions are in the queue
        self._last = -1  # the highest number of a decision that is in the queue
        self._kept, self._kept_under = 0, ""  # both, as the workspace remembers them
        self._known: set[int] = set()  # numbers of late decisions that are in the queue
        self._edit = 0  # the highest number of an edit that is in the queue
        self._next = -math.inf
        self.changes = 0  # how often the queue was changed: what was counted before that counts no more

    def refresh(self, *, now: bool = False, advance: Advance | None = None) -> None:
        """Bring the queue up to date with what was decided and written; what was proposed follows in the background.

        `now` waits for it; `advance` is told of every batch of proposals that is in.
        """
        if now:
            self._refresh_now(advance)
        elif time.monotonic() > self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN_REFRESHES
            threading.Thread(target=self._refresh_now, daemon=True).start()
        with self._lock:
            self._follow_decisions()
            self._follow_new_edits()

    def _refresh_now(self, advance: Advance | None = None) -> None:
        with self._looking:
            began = time.monotonic()
            with contextlib.suppress(sa.exc.OperationalError):  # busy or missing: the next refresh finds it
                self._follow_proposals(advance)
                self._follow_edits()
            self._next = time.monotonic() + max(SECONDS_BETWEEN_REFRESHES, 50 * (time.monotonic() - began))

    def update(self, ids: Collection[str]) -> None:
        """Work out the state of these proposals again."""
        for part in batched(sorted(ids), IDS_PER_STATEMENT):
            self._update(part)

    # -- decisions and edits ------------------------------------------------------------------------------------------
    def _follow_decisions(self) -> None:
        decisions, terms = store.decisions.c, self._terms()
        if terms != self._under:
            # Under other terms every decision may count for something else
            followed = self.workspace.get(_FOLLOWED, {})
            self._last = int(followed["last"]) if followed.get("terms") == terms else 0
            self._known.clear()
        with self.workspace.engine.connect() as db:
            recent = sa.select(decisions.n, decisions.proposal).where(decisions.n > self._last - DECISIONS_READ_AGAIN)
            found = {row.n: row.proposal for row in db.execute(recent)}
        new = {proposal for n, proposal in found.items() if n not in self._known}
        self._last = max([self._last, *found])
        self._known = {n for n in found if n > self._last - DECISIONS_READ_AGAIN}
        if len(new) > MAX_UPDATED_AT_ONCE and self._under:  # a rule was changed while people work
            threading.Thread(target=self._catch_up, args=(new, terms, self._last), daemon=True).start()
        else:
            self._catch_up(new, terms, self._last)
        self._under = terms

    def _catch_up(self, proposals: Collection[str], terms: str, last: int) -> None:
        """Update proposals, then let the workspace remember the last decision that is in the queue."""
        if proposals:
            self.update(proposals)
        if terms != self._kept_under or last >= self._kept + DECISIONS_READ_AGAIN:
            self.workspace.put(_FOLLOWED, {"last": last, "terms": terms})
            self._kept, self._kept_under = last, terms

    def _terms(self) -> str:
        """Return a digest of what says which decision counts."""
        found = terms(self.workspace)
        operators = found.operators if found.rules.blind else ()
        return digest(
            found.rules.two_persons, found.rules.blind, sorted(operators), sorted(found.approvers), found.rehearsal
        )

    def _follow_new_edits(self) -> None:
        edits = store.edits.c
        with self.workspace.engine.connect() as db:
            if not self._edit:  # older ones have been followed by a look
                self._edit = int(db.scalar(sa.select(sa.func.max(edits.n))) or 0) or -1
                return
            new = db.execute(sa.select(edits.n, edits.proposal).where(edits.n > self._edit)).all()
        if new:
            self.update({row.proposal for row in new})
            self._edit = max(row.n for row in new)

    def _follow_edits(self) -> None:
        """Find where the queue says otherwise than the edits, whose outcome changes: pending, written, undone."""
        edits, row = store.edits.c, store.queue.c
        joined = store.edits.join(store.queue, edits.proposal == row.id)
        on_item = sa.select(edits.proposal).where(store.is_on_item())
        missed = sa.select(row.id).select_from(joined).where(store.is_on_item(), row.state != "written")
        undone = sa.select(row.id).where(row.state == "written", row.id.not_in(on_item))
        spent = sa.select(row.id).select_from(joined).where(row.state == "approved", edits.outcome != "pending")
        with self.workspace.engine.connect() as db:
            changed = {id_ for query in (missed, undone, spent) for id_ in db.scalars(query)}
        if changed:
            self.update(changed)

    def _update(self, ids: Sequence[str]) -> None:
        row = store.queue.c
        indexed = {each["id"] for each in self.workspace.rows(sa.select(row.id).where(row.id.in_(ids)))}
        found = statuses(self.workspace, ids)
        rows = [{"b_id": id_, **columns_of(status)} for id_, status in found.items() if id_ in indexed]
        if rows:
            # A decision that came between leaves its own number, and the next look finds it.
            change = store.queue.update().where(
                row.id == sa.bindparam("b_id"), row.decided <= sa.bindparam("b_decided")
            )
            with self.workspace.engine.begin() as db:
                db.execute(change, [{**each, "b_decided": each["decided"]} for each in rows])
            self.changes += 1

    # -- proposals ----------------------------------------------------------------------------------------------------
    def _follow_proposals(self, advance: Advance | None) -> None:
        self._clear_other_version()
        proposals, indexed = store.proposals.c, store.queue.c
        joined = store.proposals.outerjoin(store.queue, proposals.id == indexed.id)
        differs = sa.or_(
            indexed.id.is_(None),
            indexed.hash != proposals.hash,
            indexed.expires != proposals.expires,
            sa.func.abs(indexed.probability - proposals.probability) > 1e-9,
        )
        removed_query = sa.select(indexed.id).select_from(
            store.queue.outerjoin(store.proposals, proposals.id == indexed.id)
        )
        with self.workspace.engine.connect() as db:
            wanted = sa.select(proposals.id, indexed.id).select_from(joined).where(differs, proposals.kind != SYMBOL)
            found = db.execute(wanted).all()
            removed = list(db.scalars(removed_query.where(proposals.id.is_(None))))
        for part in batched([*removed, *(id_ for _, id_ in found if id_)], IDS_PER_STATEMENT):
            with self.workspace.engine.begin() as db:
                store.delete_rows(db, store.queue.c.id, part)
                store.delete_rows(db, store.queue_tags.c.proposal, part)
        self.changes += bool(removed)
        if found:
            self._add_missing(len(found), advance)
            self.changes += 1
            if decided := self._decided().intersection(id_ for id_, _ in found):
                self.update(decided)

    def _add_missing(self, number: int, advance: Advance | None) -> None:
        """Put in what the queue lacks, batch by batch. Records are large: each goes before the next one comes."""
        proposals, items, queue = store.proposals.c, store.items.c, store.queue.c
        joined = store.proposals.outerjoin(store.queue, proposals.id == queue.id)
        joined = joined.outerjoin(store.items, proposals.qid == items.qid)
        query = sa.select(
            proposals.record, items.record["label"].as_string(), items.record["classes"], items.record["fields"]
        )
        query = query.select_from(joined).where(queue.id.is_(None), proposals.kind != SYMBOL)
        query = query.execution_options(yield_per=100)
        with self.workspace.engine.connect() as db:
            named = None if db.scalar(sa.select(store.queue_tags.c.tag).limit(1)) is None else set[str]()
            new = named is None  # then nothing is to be replaced
            rows = (indexed(*row[:2], row[2] or (), row[3] or ()) for row in db.execute(query))
            while batch := list(itertools.islice(rows, PROPOSALS_PER_TRANSACTION)):
                named = self._add(batch, named or set(), new=new)
                if advance is not None:
                    advance(len(batch), f"of {number}")

    def _clear_other_version(self) -> None:
        if self.workspace.get("review_queue") == COLUMNS_VERSION:
            return
        self.workspace.change(store.queue.delete(), store.queue_tags.delete())
        self.workspace.put("review_queue", COLUMNS_VERSION)

    def _add(self, found: Sequence[IndexedProposal], named: set[str], *, new: bool) -> set[str]:
        """Put proposals into the queue, and the words of their items that are not in `named` yet; return all that now are."""
        occurrences = self._column(store.concepts.c.key, store.concepts.c.occurrences, {each.concept for each in found})
        documents = {document for each in found for document in each.documents}
        corpora = self._column(store.documents.c.id, store.documents.c.source, documents)
        identifiers = self._column(store.documents.c.id, store.documents.c.identifiers, documents)
        subjects = {id_: subject for id_, pairs in identifiers.items() if (subject := arxiv_class(pairs or ()))}
        rows = [msgspec.to_builtins(with_frequency(each.entry, occurrences.get(each.concept, 0))) for each in found]
        tags = [(tag, each.entry.id) for each in found for tag in tags_of(each, corpora, subjects)]
        fresh = {each.entry.qid: each.entry.label for each in found if each.entry.qid not in named}
        tags += [(tag, qid) for qid, label in fresh.items() for tag in words_tags(label)]
        with self.workspace.engine.begin() as db:
            if db.dialect.name == "sqlite":  # its usual 2 MB would be written out and read in again for each index
                db.exec_driver_sql("PRAGMA cache_size = -64000")
            store.delete_rows(db, store.queue_tags.c.proposal, () if new else list(fresh))
            db.execute(store.queue.insert(), rows)
            _insert_tags(db, sorted(tags))
        return named | fresh.keys()

    def _decided(self) -> set[str]:
        with self.workspace.engine.connect() as db:
            queries = (sa.select(table.c.proposal).distinct() for table in (store.decisions, store.edits))
            return {id_ for query in queries for id_ in db.scalars(query)}

    def _column(self, key: sa.Column[str], value: sa.Column[T], keys: Collection[str]) -> dict[str, T]:
        columns: tuple[sa.Column[Any], ...] = (key, value)
        rows = self.workspace.rows_with(sa.select(*columns), key, keys)
        return {row[key.name]: row[value.name] for row in rows}


class QueueEntry(msgspec.Struct, frozen=True):
    """A row of the queue's table: a proposal as it is listed, filtered and leased."""

    id: str
    hash: str
    kind: Kind
    qid: str
    number: int  # of the item, to sort by
    label: str
    tex: str
    probability: float
    expires: str
    green: int
    state: State
    needs_review: int
    frequency: int = 0
    learn: float = 0.0
    first_decider: str = ""
    reviewer: str = ""
    decided: int = 0
    lease: str = ""
    until: str = ""


def columns_of(status: Status) -> dict[str, str | int]:
    """Return what the queue keeps of a proposal's status."""
    return {
        "state": status.state.value,
        "first_decider": status.first_decider,
        "needs_review": int(status.needs_review),
        "reviewer": status.reviewer,
        "decided": status.number,
    }


@dataclass(frozen=True, slots=True)
class IndexedProposal:
    """What the queue keeps of a proposal's record: its entry, and what its tags are made from."""

    entry: QueueEntry
    concept: str
    documents: tuple[str, ...]
    classes: tuple[str, ...]
    fields: tuple[str, ...]
    checks: tuple[str, ...]  # that have something to say


def indexed(record: Row, label: str | None, classes: Sequence[str] = (), fields: Sequence[str] = ()) -> IndexedProposal:
    """Return what the queue stores of an undecided proposal."""
    flag = record["kind"] == "flag"
    entry = QueueEntry(
        id=record["id"],
        hash=record["hash"],
        kind=record["kind"],
        qid=record["qid"],
        number=int(record["qid"][1:]),
        label=(label or "")[:250],
        tex=record["tex"],
        probability=float(record["probability"]),
        expires=record["expires"],
        green=int(not flag and all(c["state"] == "ok" for c in record["checks"])),
        state=State.FLAGGED if flag else State.OPEN,
        needs_review=int(not flag),
    )
    documents = tuple({q["document"] for q in record["quotes"]})
    checks = tuple(c["name"] for c in record["checks"] if c["state"] in ("warn", "fail"))
    return IndexedProposal(entry, record["concept"], documents, tuple(classes), tuple(fields), checks)


def with_frequency(entry: QueueEntry, frequency: int) -> QueueEntry:
    """Return an entry with how often its formula is written, and with that how much a decision on it tells."""
    return replace(entry, frequency=frequency, learn=learning_value(entry.probability, frequency))


def learning_value(probability: float, frequency: int) -> float:
    """Return how much a decision on a proposal tells: the doubt in bits, more where the formula is written more often."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    doubt = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
    return doubt * (1 + math.log10(1 + frequency))


def tags_of(found: IndexedProposal, corpora: Mapping[str, str | None], subjects: Mapping[str, str]) -> list[str]:
    """Return what a proposal can be filtered by: corpora, fields and classes of its item, checks that have something to say.

    `subjects` are the classes of documents.
    """
    tags = [f"corpus:{source}" for document in found.documents if (source := corpora.get(document))]
    tags += [f"field:{value}" for value in (*found.fields, *(subjects[d] for d in found.documents if d in subjects))]
    tags += [f"class:{qid}" for qid in found.classes] + [f"check:{name}" for name in found.checks]
    return sorted({tag.casefold(): tag[:190] for tag in tags}.values())


def arxiv_class(identifiers: Iterable[Sequence[str]]) -> str:
    """Return a paper's class as the crawler was told it, or the archive of an identifier of before April 2007; else ""."""
    value_of = {scheme: value for scheme, value in identifiers}
    return value_of.get("arxiv_class") or "".join(re.findall(r"^([a-z-]+)/\d{7}", value_of.get("arxiv", "")))


def words_tags(label: str) -> list[str]:
    """Return the tags by which an item is found; they are kept once for an item, however many proposals it has."""
    return sorted({f"{WORD_TAG}{word}" for word in words_of(label)})


def words_of(label: str) -> list[str]:
    """Return the words of a label or of a question for one, without accents and capitals."""
    plain = label
    if not label.isascii():
        plain = "".join(c for c in unicodedata.normalize("NFKD", label) if not unicodedata.combining(c))
    return [word[:60] for word in re.findall(r"\w+", plain.casefold())][:20]


def _insert_tags(db: sa.Connection, tags: Sequence[tuple[str, str]]) -> None:
    rows = [{"tag": tag, "proposal": id_} for tag, id_ in tags]
    if not rows:
        return
    try:
        with db.begin_nested():
            db.execute(store.queue_tags.insert(), rows)
    except sa.exc.IntegrityError:  # words that are two for us and one for the database: either finds the item
        for row in rows:
            with contextlib.suppress(sa.exc.IntegrityError), db.begin_nested():
                db.execute(store.queue_tags.insert(), [row])
