"""Recording a decision of the page or the API: once, on exactly what was shown, and only while nobody else has decided."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.records import Decision
from bot.review.decide import decide, same_earlier_decision
from bot.review.proposal_state import State, statuses
from bot.review.web.queue_index import SYMBOL, QueueIndex
from bot.store import Workspace, now

_row = store.queue.c


def record_decision(workspace: Workspace, index: QueueIndex, decision: Decision, expected_count: int) -> Decision:
    """Record a decision on a proposal that was shown with `expected_count` earlier ones (an optimistic lock).

    Raises ReviewError where another decision came in between, where somebody else is looking at it, where this person
    has decided the same already, and as `decide` does.
    """
    status = statuses(workspace, [decision.proposal]).get(decision.proposal)
    current = status is not None and status.number == expected_count and status.state is not State.WRITTEN
    if current and (before := same_earlier_decision(workspace, decision)) is not None:
        raise ReviewError("exists", moment=before.time, where=decision.proposal)
    row = workspace.rows(sa.select(store.proposals.c.kind).where(store.proposals.c.id == decision.proposal))
    listed = not row or row[0]["kind"] != SYMBOL
    stored = decide(workspace, decision, _guard(decision, expected_count, listed=listed))
    index.update([decision.proposal])
    return stored


def withdraw(workspace: Workspace, index: QueueIndex, proposal: str, who: str) -> Decision:
    """Withdraw a person's own last decision. Raises ReviewError as `decide` does."""
    decisions = store.decisions.c
    query = sa.select(store.decisions).where(decisions.proposal == proposal, decisions.verdict != "skip")
    history = workspace.rows(query.order_by(decisions.n))
    row = workspace.rows(sa.select(store.proposals.c.hash).where(store.proposals.c.id == proposal))
    if not row:
        raise ReviewError("gone", where=proposal)
    withdrawal = record_decision(
        workspace, index, Decision(proposal, row[0]["hash"], "withdraw", reviewer=who), len(history)
    )
    if history[-1]["about"]:
        index.refresh(now=True)
    return withdrawal


def reference_verdicts(accepted: Sequence[str], count: int) -> tuple[str, ...]:
    """Return a verdict for each reference from the numbers of those that were accepted."""
    return tuple("approve" if str(n) in accepted else "reject" for n in range(count))


def _guard(decision: Decision, expected_count: int, *, listed: bool) -> Callable[[sa.Connection], None]:
    """Return what refuses a decision inside its transaction where the proposal is not as it was shown.

    A symbol is not `listed` in the queue.
    """
    who, id_ = decision.reviewer, decision.proposal
    decisions = store.decisions.c
    count = sa.select(sa.func.count()).where(decisions.proposal == id_, decisions.verdict != "skip")
    free = sa.or_(_row.lease == "", _row.lease == who, _row.until < now())
    change = store.queue.update().where(_row.id == id_, _row.decided == expected_count, free).values(lease="", until="")
    if decision.verdict != "skip":
        change = change.values(decided=expected_count + 1, needs_review=0)

    def guard(db: sa.Connection) -> None:
        if listed and not db.execute(change).rowcount:
            queue_row = db.execute(sa.select(_row.lease, _row.decided).where(_row.id == id_)).first()
            if queue_row is not None and queue_row.decided == expected_count:
                raise ReviewError(Message("error.looking", name=queue_row.lease), where=id_, todo="another")
            raise _stale_error(db, decision)
        if db.scalar(count) != expected_count:
            raise _stale_error(db, decision)

    return guard


def _stale_error(db: sa.Connection, decision: Decision) -> ReviewError:
    """Return why a decision is too late: another person decided, or it was recorded before although its answer was lost."""
    decisions = store.decisions.c
    query = sa.select(decisions.reviewer).where(decisions.proposal == decision.proposal, decisions.verdict != "skip")
    own = db.scalar(query.order_by(decisions.n.desc())) == decision.reviewer
    return ReviewError("own_before" if own else "decided", where=decision.proposal, todo="again")
