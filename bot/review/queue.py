"""What waits for a person: proposals with the state that decisions and edits give them."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.propose import proposal_from_record
from bot.records import Decision, Proposal
from bot.review.decide import holds, latest, proposal_row
from bot.store import Workspace, now

STATES = ("open", "approved", "rejected", "unsure", "written", "flagged", "expired", "all")


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A proposal, its state, and the decision that stands (None where there is none or it no longer holds)."""

    proposal: Proposal
    state: str
    decision: Decision | None
    reopened: bool  # decided once, and changed since


def queue(workspace: Workspace, state: str = "open") -> list[QueueRow]:
    """Return the proposals in one state, the likeliest first; `all` for everything."""
    if state not in STATES:
        raise ReviewError(f"unknown state {state!r}", todo=f"known: {', '.join(STATES)}")
    decisions, written = latest(workspace), _written(workspace)
    table = store.proposals
    rows = workspace.rows(sa.select(table.c.record).order_by(table.c.probability.desc(), table.c.id))
    proposals = (proposal_from_record(row["record"]) for row in rows)
    found = (_row(proposal, decisions.get(proposal.id), proposal.id in written) for proposal in proposals)
    return [row for row in found if state in ("all", row.state)]


def show(workspace: Workspace, proposal: str) -> QueueRow:
    """Return one proposal with its state. Raises ReviewError."""
    found = find(workspace, proposal)
    return _row(found, latest(workspace).get(found.id), found.id in _written(workspace))


def find(workspace: Workspace, proposal: str) -> Proposal:
    """Return a proposal by its id or an unambiguous beginning of it. Raises ReviewError."""
    return proposal_from_record(proposal_row(workspace, proposal)["record"])


def _row(proposal: Proposal, decision: Decision | None, written: bool) -> QueueRow:
    held = decision if decision and holds(decision, proposal.hash) else None
    return QueueRow(proposal, _state(proposal, held, written), held, decision is not None and held is None)


def _state(proposal: Proposal, decision: Decision | None, written: bool) -> str:
    if written:
        return "written"
    if decision and decision.verdict in ("approve", "reject", "unsure"):
        return {"approve": "approved", "reject": "rejected", "unsure": "unsure"}[decision.verdict]
    if proposal.kind == "flag":
        return "flagged"
    return "expired" if proposal.expires < now()[:10] else "open"


def _written(workspace: Workspace) -> frozenset[str]:
    edits = store.edits
    query = sa.select(edits.c.proposal).where(edits.c.outcome.in_(("written", "already_there"))).distinct()
    query = query.where(~edits.c.undo.startswith("undone"))
    return frozenset(row["proposal"] for row in workspace.rows(query))
