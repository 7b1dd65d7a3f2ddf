"""What waits for a person: proposals with the state that decisions and edits give them."""

from dataclasses import dataclass
from typing import Literal, get_args

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, Proposal
from bot.review.decide import proposal_row
from bot.review.proposal_state import State, Status, decision_of, state_on_day, statuses, today
from bot.store import Workspace

StateFilter = Literal[
    "open", "flagged", "unsure", "approved", "rejected", "closed", "second", "disputed", "written", "expired", "all"
]
STATES: tuple[StateFilter, ...] = get_args(StateFilter)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A proposal, its state, and the decision that counts (None where there is none or it no longer holds)."""

    proposal: Proposal
    state: State
    decision: Decision | None
    reopened: bool  # decided once, and changed since
    number: int = 0  # of the decision


def queue(workspace: Workspace, state: str = "open") -> list[QueueRow]:
    """Return the proposals in one state, the likeliest first; `all` for everything."""
    if state not in STATES:
        raise ReviewError(Message("error.state", given=repr(state)), todo="known", known=", ".join(STATES))
    found, day = statuses(workspace), today()
    table = store.proposals
    query = sa.select(table.c.id, table.c.record).order_by(table.c.probability.desc(), table.c.id)
    proposals = (proposal_from_record(r["record"], f"proposals {r['id']}") for r in workspace.rows(query))
    rows = (_row(proposal, found[proposal.id], day) for proposal in proposals if proposal.id in found)
    return [row for row in rows if state in ("all", row.state)]


def show(workspace: Workspace, proposal: str) -> QueueRow:
    """Return one proposal with its state. Raises ReviewError."""
    found = find(workspace, proposal)
    return _row(found, statuses(workspace, [found.id])[found.id], today())


def find(workspace: Workspace, proposal: str) -> Proposal:
    """Return a proposal by its id or an unambiguous beginning of it. Raises ReviewError."""
    row = proposal_row(workspace, proposal)
    return proposal_from_record(row["record"], f"proposals {row['id']}")


def _row(proposal: Proposal, status: Status, day: str) -> QueueRow:
    decision_row = status.decision
    decision = decision_of(decision_row) if decision_row else None
    state = state_on_day(status.state, proposal.expires, day)
    return QueueRow(proposal, state, decision, status.reopened, int(decision_row["n"]) if decision_row else 0)
