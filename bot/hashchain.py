"""The hash chain over decisions, people, rules and edits, from the source sentence to the revision: links are only ever appended.

Each link is made in the transaction of the change that it tells of and holds the hash of the one before. Who changes, adds or
removes a row past the commands breaks the chain there; `decision_discrepancies` names the row. See docs/write.md for what that proves.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.messages import Message
from bot.records import EditOutcome, UndoState, digest
from bot.store import Row, Workspace, now

links = store.chain
GENESIS = "0" * 64
# Events beside those of the ledger; their links are of edit 0.
DECISION, AUTHORITY = "decision", "authority"
RULES = ("review_rules", "review_settings")  # keys of `meta`
_DECISION_COLUMNS = tuple("n proposal hash verdict references reason reviewer time tex edit_confirmed".split())
# An edit holds its decision as it was made, without what was confirmed later
_EDIT_DECISION_COLUMNS = _DECISION_COLUMNS[:-1]
EDIT_COLUMNS = ("proposal", "hash", "plan", "group", "qid", "guid", "decision", "reviewer", "revision_before", "time")
_NOT_ENDED: Row = {"outcome": EditOutcome.PENDING, "revision": 0, "reason": "", "message": None}
_NOT_UNDONE: Row = {"undo": "", "undo_message": None, "undo_state": UndoState.NONE, "undo_revision": 0}
_LOCK = "chain"


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A row of the database that is not what the commands made of it."""

    table: str
    row: str
    what: Message

    @property
    def message(self) -> Message:
        """Return it with its place."""
        return Message("discrepancy", place=f"{self.table} {self.row}".rstrip(), what=self.what)


def lock(db: sa.Connection) -> None:
    """Keep others from appending until the transaction ends; call it before anything else in the transaction.

    What is read afterwards, through any connection, stays true until then. Where rows can be locked (MariaDB, PostgreSQL)
    one row of `meta` is; SQLite, which else locks at the first change only, has one writer at a time.
    """
    if db.dialect.name == "sqlite":
        db.exec_driver_sql("BEGIN IMMEDIATE")
        return
    meta = store.meta
    if db.execute(sa.select(meta.c.key).where(meta.c.key == _LOCK).with_for_update()).first() is None:
        db.execute(meta.insert().values(key=_LOCK, value=True))


def append(db: sa.Connection, edit: int, event: str, record: Row, time: str) -> None:
    """Add a link inside the transaction that changes the row."""
    values = {"edit": edit, "event": event, "record": record, "time": time, "previous": head(db)}
    db.execute(links.insert().values(**values, hash=_hash(values)))


def head(db: sa.Connection) -> str:
    """Return the hash of the newest link."""
    row = db.execute(sa.select(links.c.hash).order_by(links.c.n.desc()).limit(1)).first()
    return row[0] if row else GENESIS


def length_and_head(workspace: Workspace) -> tuple[int, str]:
    """Return the number of links and the hash of the newest."""
    with workspace.engine.connect() as db:
        return int(db.execute(sa.select(sa.func.count()).select_from(links)).scalar_one()), head(db)


def link_number(workspace: Workspace, prefix: str) -> int:
    """Return the number of the link whose hash begins with `prefix`, or -1 if there is none."""
    if GENESIS.startswith(prefix):
        return 0
    found = workspace.rows(sa.select(links.c.n).where(links.c.hash.startswith(prefix, autoescape=True)))
    return int(found[0]["n"]) if found else -1


def note_decision(db: sa.Connection, n: int) -> None:
    """Bind decision `n`, as the database has it."""
    row = db.execute(sa.select(store.decisions).where(store.decisions.c.n == n)).mappings().one()
    append(db, 0, DECISION, {"n": n, "digest": decision_digest(dict(row))}, row["time"] or now())


def decision_digest(row: Row) -> str:
    """Return the digest of all that a decision says, with the proposal and the authority that it was made with."""
    values = {name: row[name] for name in _DECISION_COLUMNS} | {"edit_confirmed": bool(row["edit_confirmed"])}
    values |= {"about": row["about"]} if row["about"] else {}
    return digest(values, row["record"], row["role"] or "", row["wiki"] or "")


def note_authority(db: sa.Connection) -> None:
    """Bind who may decide and by which rules, where that is not what the chain says already."""
    record = _authority(db)
    if record != _last_authority(db):
        append(db, 0, AUTHORITY, record, now())


def newest_decision_link(db: sa.Connection) -> int:
    """Return the number of the newest link about decisions, people or rules."""
    return int(db.execute(sa.select(sa.func.max(links.c.n)).where(links.c.edit == 0)).scalar() or 0)


def broken_links(workspace: Workspace) -> Iterator[tuple[Row, Message]]:
    """Yield each link that was changed, or that does not follow the one before it, with what is wrong."""
    previous = GENESIS
    for link in workspace.rows(sa.select(links).order_by(links.c.n)):
        if link["previous"] != previous:
            yield link, Message("discrepancy.link_order", link=link["n"])
        elif link["hash"] != _hash(link):
            yield link, Message("discrepancy.link_changed", link=link["n"])
        previous = link["hash"]


def decision_discrepancies(workspace: Workspace) -> Iterator[Discrepancy]:
    """Yield every decision, person and rule that is not what the chain says of it.

    A workspace whose chain has no such link was filled by hand, and nothing can be said of it.
    """
    events = workspace.rows(sa.select(links.c.event, links.c.record).where(links.c.edit == 0).order_by(links.c.n))
    if not events:
        return
    decisions_made = (record_of_link(link) for link in events if link["event"] == DECISION)
    bound = {one["n"]: one.get("digest") for one in decisions_made if "n" in one}
    rows = {row["n"]: row for row in workspace.rows(sa.select(store.decisions))}
    for n, row in rows.items():
        if n not in bound:
            by_hand = Message("discrepancy.decision_by_hand", reviewer=row["reviewer"], verdict=row["verdict"])
            yield Discrepancy("decisions", str(n), by_hand)
        elif bound[n] != decision_digest(row):
            yield Discrepancy("decisions", str(n), Message("discrepancy.decision_changed"))
    removed = Message("discrepancy.decision_removed")
    yield from (Discrepancy("decisions", str(n), removed) for n in bound if n not in rows)
    yield from _authority_discrepancies(workspace)


def _authority_discrepancies(workspace: Workspace) -> Iterator[Discrepancy]:
    with workspace.engine.connect() as db:
        found = _authority(db)
        bound: Row = {"people": {}, "rules": {}} | (_last_authority(db) or {})
    people, before = found["people"], bound["people"]
    for name in sorted(people.keys() | before.keys()):
        if people.get(name) != before.get(name):
            unknown = Message("discrepancy.no_role")
            roles = {"before": before.get(name, unknown), "now": people.get(name, unknown)}
            yield Discrepancy("reviewers", name, Message("discrepancy.roles", **roles))
    for key in RULES:
        if found["rules"].get(key) != bound["rules"].get(key):
            yield Discrepancy("meta", key, Message("discrepancy.rules"))


def _authority(db: sa.Connection) -> Row:
    people, meta = store.reviewers.c, store.meta.c
    rules = {key: value for key, value in db.execute(sa.select(meta.key, meta.value).where(meta.key.in_(RULES)))}
    rules = {
        key: value.get("values", value) if isinstance(value, dict) else value for key, value in rules.items() if value
    }
    names_and_roles = db.execute(sa.select(people.name, people.role).order_by(people.name))
    return {"people": {name: role for name, role in names_and_roles}, "rules": rules}


def _last_authority(db: sa.Connection) -> Row | None:
    query = sa.select(links.c.record).where(links.c.edit == 0, links.c.event == AUTHORITY)
    last = db.execute(query.order_by(links.c.n.desc()).limit(1)).mappings().first()
    return None if last is None else record_of_link(dict(last))


def record_of_link(link: Row) -> Row:
    """Return what a link says; nothing where it was changed into what is not a record, which its hash tells of."""
    return link["record"] if isinstance(link["record"], dict) else {}


def _hash(link: Row) -> str:
    return digest(*(link[name] for name in ("previous", "edit", "event", "record", "time")), length=64)


def opening_record(db: sa.Connection, row: Row) -> Row:
    """Return what the first link of an attempt binds: the source sentences, the decision, the payload, the GUID."""
    query = sa.select(store.decisions).where(store.decisions.c.n == row.get("decision", 0))
    decision = db.execute(query).mappings().first()
    return _bound_values(row, dict(decision) if decision else None)


def edit_discrepancies(workspace: Workspace) -> Iterator[tuple[int, Message]]:
    """Yield (number of the edit, what does not fit) for all that differs from what the chain says."""
    rows = {row["n"]: row for row in workspace.rows(sa.select(store.edits))}
    decisions = {row["n"]: row for row in workspace.rows(sa.select(store.decisions))}
    events: dict[int, dict[str, Row]] = {}
    for link in workspace.rows(sa.select(links).where(links.c.edit != 0).order_by(links.c.n)):
        events.setdefault(link["edit"], {})[link["event"]] = record_of_link(link)
    chained = workspace.count(links) > 0  # without any link the workspace was filled by hand
    yield from ((link["edit"], problem) for link, problem in broken_links(workspace))
    for n, row in rows.items():
        if n in events:
            yield from ((n, problem) for problem in _row_discrepancies(row, events[n], decisions.get(row["decision"])))
        elif chained:
            yield n, Message("discrepancy.no_link")
    yield from ((n, Message("discrepancy.not_in_ledger")) for n in events if n not in rows)


def _row_discrepancies(row: Row, events: dict[str, Row], decision: Row | None) -> Iterator[Message]:
    began, now = events.get("begin", {}), _bound_values(row, decision)
    for name in ("sentence", "said", "payload"):
        if began.get(name) != now[name]:
            yield Message(f"discrepancy.changed.{name}")
    changed = [name for name in EDIT_COLUMNS if began.get(name) != now[name]]
    if changed:
        yield Message("discrepancy.changed_after_sending", code_names=", ".join(changed))
    ended = events.get("end", _NOT_ENDED)
    changed = [name for name in ended if ended[name] != row.get(name)]
    if changed:
        yield Message("discrepancy.changed_after_closing", code_names=", ".join(changed))
    undo = events.get("undo", _NOT_UNDONE)
    if any((row.get(name) or "") != (undo[name] or "") for name in undo):
        yield Message("discrepancy.undo_of_chain")


def _bound_values(row: Row, decision: Row | None) -> Row:
    of_decision = {name: decision[name] for name in _EDIT_DECISION_COLUMNS} if decision else {}
    record = (decision or {}).get("record") or {}
    quotes = record.get("quotes") if isinstance(record, dict) else []
    return {
        **{name: row.get(name) for name in EDIT_COLUMNS},
        "payload": digest(row.get("payload")),
        "said": digest(of_decision, record),
        "sentence": digest(quotes or []),
    }
