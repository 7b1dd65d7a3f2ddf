"""Proposals in the workspace: read, written in one transaction so that a decision is never lost, and taken away once what they rest on is gone.

A row that a person has decided on keeps its content as long as its hash is the same. New content has a new hash, on
which no decision stands. What the last run of the stage found stays too: it knows its documents and items.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

import sqlalchemy as sa

from bot import store
from bot.lookup import Client
from bot.records import Proposal, Reference, as_json
from bot.store import Row, Workspace, to_record

# A rejection for one of these is of one content only: another source or spelling may come back.
CONTENT_REASONS = frozenset({"bad_source", "bad_tex"})


@dataclass(frozen=True, slots=True)
class SavedProposals:
    """Numbers of rows of the queue by what was done."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    not_found_again: int = 0  # of earlier runs, waiting until they expire
    withdrawn: int = 0  # taken out: considered again without a proposal
    expired: int = 0  # taken out without a decision


def proposal_from_record(record: Row, where: str = "a stored proposal") -> Proposal:
    """Return the Proposal that `as_json` turned into plain values; fields of newer versions may be absent.

    Raises WorkspaceError naming `where`, the table and row, for what is not a record of a proposal.
    """
    return to_record(Proposal, record, where)


def references_of_record(record: Row | None) -> tuple[Reference, ...]:
    """Return the references of a stored proposal; none where none was stored."""
    return tuple(to_record(Reference, row) for row in (record or {}).get("references") or ())


def queue_fingerprint(workspace: Workspace) -> list[list[object]]:
    """Return what tells the queue, and what people and the ledger say of it, from itself at another time."""
    rows, edits, states = store.proposals.c, store.edits.c, store.edit_states.c
    queries = (
        sa.select(rows.id, rows.hash, rows.expires).order_by(rows.id),
        sa.select(sa.func.max(store.decisions.c.n), sa.func.count()).select_from(store.decisions),
        sa.select(edits.n, edits.outcome, edits.undo_state).order_by(edits.n),
        sa.select(store.retrievals).order_by(store.retrievals.c.document),
        sa.select(states.edit, states.state, states.user, states.instead).order_by(states.edit),
    )
    with workspace.engine.connect() as db:
        return [[list(row) for row in db.execute(query)] for query in queries]


def mark_seen(workspace: Workspace, before: str, today: date) -> None:
    """Note that what the run of the day `before` found is found today."""
    table = store.proposals
    if before != today.isoformat():
        workspace.change(table.update().where(table.c.seen == before).values(seen=today.isoformat()))


def decided_verdicts(workspace: Workspace, proposals: Iterable[Proposal]) -> dict[str, str]:
    """Return proposal id -> verdict where a person's approval or rejection stands.

    An approval is of exactly this content; a rejection is of the claim, unless only its source or spelling was bad.
    """
    table = store.decisions
    rows = workspace.rows(sa.select(table).where(table.c.verdict != "skip").order_by(table.c.n))
    latest = {row["proposal"]: row for row in rows}
    last = [(p, latest[p.id]) for p in proposals if p.id in latest and latest[p.id]["verdict"] in ("approve", "reject")]
    return {p.id: row["verdict"] for p, row in last if is_for_content(row, p.hash)}


def is_for_content(decision: Row, current_hash: str) -> bool:
    """Say whether a decision still holds for a proposal whose hash is `current_hash`.

    An approval holds for its content only. A rejection holds for the item and formula, unless its reason was the source
    or the spelling: then it too holds for its content only.
    """
    if decision["verdict"] == "withdraw":
        return False
    if decision["verdict"] == "reject" and decision["reason"] not in CONTENT_REASONS:
        return True
    return bool(decision["hash"] == current_hash)


def save_proposals(
    workspace: Workspace, proposals: Sequence[Proposal], today: date, withdrawn: Collection[str] = frozenset()
) -> SavedProposals:
    """Put this run's proposals into the queue, in one transaction; the same run again changes nothing.

    `withdrawn` are ids that this run considered without a proposal: they leave the queue.
    """
    table, day = store.proposals, today.isoformat()
    with workspace.engine.begin() as db:
        old = {row["id"]: dict(row) for row in db.execute(sa.select(table)).mappings()}
        touched = set(db.scalars(sa.select(store.decisions.c.proposal).distinct()))
        counts = {"new": 0, "changed": 0, "unchanged": 0}
        for proposal in proposals:
            row = old.get(proposal.id)
            values = _values(proposal, day)
            if row is None:
                db.execute(table.insert().values(**values, created=day))
                counts["new"] += 1
                continue
            same = row["hash"] == proposal.hash
            counts["unchanged" if same else "changed"] += 1
            # What a person decided on stays as it was shown; only its expiry may be renewed.
            if same and proposal.id in touched:
                renewed = replace(
                    proposal_from_record(row["record"], f"proposals {row['id']}"), expires=proposal.expires
                )
                values = _values(renewed, day)
            if any(row[name] != value for name, value in values.items()):
                db.execute(table.update().where(table.c.id == proposal.id).values(**values))
        absent = old.keys() - {proposal.id for proposal in proposals}
        open_ = absent - touched
        withdrawn_now = open_ & set(withdrawn)
        expired = {id_ for id_ in open_ - withdrawn_now if old[id_]["expires"] < day}
        for id_ in sorted(withdrawn_now | expired):
            db.execute(table.delete().where(table.c.id == id_))
    left = len(absent) - len(withdrawn_now) - len(expired)
    return SavedProposals(**counts, not_found_again=left, withdrawn=len(withdrawn_now), expired=len(expired))


def save_proposal(workspace: Workspace, proposal: Proposal, today: date) -> None:
    """Put one more proposal into the queue, unless it is there."""
    table, day = store.proposals, today.isoformat()
    with workspace.engine.begin() as db:
        if db.scalar(sa.select(table.c.id).where(table.c.id == proposal.id)) is None:
            db.execute(table.insert().values(**_values(proposal, day), created=day))


def _values(proposal: Proposal, day: str) -> Row:
    columns = ("id", "kind", "qid", "probability", "hash", "expires")
    return {**{name: getattr(proposal, name) for name in columns}, "record": as_json(proposal), "seen": day}


@dataclass(frozen=True, slots=True)
class ExpireSummary:
    """Numbers of proposals taken out of the queue."""

    expired: int = 0  # no decision in time
    source_gone: int = 0  # none of their documents is in the corpus any more
    item_gone: int = 0  # the item was deleted, or merged into another

    @property
    def all(self) -> int:
        return self.expired + self.source_gone + self.item_gone


def expire(workspace: Workspace, client: Client, *, today: date) -> ExpireSummary:
    """Take out proposals that were not found again, nobody has decided on, and that expired or lost source or item.

    Raises LookupFailed where the wiki does not answer; then nothing changes.
    """
    table, day = store.proposals, today.isoformat()
    decided = sa.select(store.decisions.c.proposal)
    rows = workspace.rows(sa.select(table).where(table.c.seen < day, table.c.id.not_in(decided)))
    if not rows:
        return ExpireSummary()
    documents = {row["id"] for row in workspace.rows(sa.select(store.documents.c.id))}
    expired, orphans, left = set(), set(), {}
    for row in rows:
        quoted = {quote.document for quote in proposal_from_record(row["record"], f"proposals {row['id']}").quotes}
        if row["expires"] < day:
            expired.add(row["id"])
        elif quoted and not quoted & documents:
            orphans.add(row["id"])
        else:
            left[row["id"]] = row["qid"]
    entities = client.raw_entities(sorted(set(left.values())))
    removed = {id_ for id_, qid in left.items() if "missing" in entities[qid] or entities[qid]["id"] != qid}
    with workspace.engine.begin() as db:
        for id_ in expired | orphans | removed:
            db.execute(table.delete().where(table.c.id == id_))
    return ExpireSummary(len(expired), len(orphans), len(removed))
