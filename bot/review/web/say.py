"""A person's word from the page: recorded once, on exactly what was shown, and only while nobody else has spoken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.records import Decision
from bot.review.decide import decide, existing
from bot.review.proposal_state import State, statuses
from bot.review.web.queue_index import Index
from bot.store import Workspace, now

_row = store.queue.c
_TODO = "look at it again"


def say(workspace: Workspace, index: Index, decision: Decision, words: int) -> Decision:
    """Record a word on a proposal that showed `words` earlier ones.

    Raises ReviewError where another word came in between, where somebody else is looking at it, where this person has said the same
    already, and as `decide` does.
    """
    status = statuses(workspace, [decision.proposal]).get(decision.proposal)
    seen = status is not None and status.number == words and status.state is not State.WRITTEN
    if seen and (before := existing(workspace, decision)) is not None:
        raise ReviewError(f"this decision exists already, of {before.time}", where=decision.proposal)
    made = decide(workspace, decision, _guard(decision, words))
    index.update([decision.proposal])
    return made


def take_back(workspace: Workspace, index: Index, proposal: str, who: str) -> Decision:
    """Withdraw a person's own last word. Raises ReviewError where it is no longer the last, or is written."""
    decisions = store.decisions
    query = (
        sa.select(decisions)
        .where(decisions.c.proposal == proposal, decisions.c.verdict != "skip")
        .order_by(decisions.c.n)
    )
    said = workspace.rows(query)
    if not said or said[-1]["reviewer"] != who or said[-1]["verdict"] == "withdraw":
        raise ReviewError("your word is not the last one on it any more", where=proposal, todo=_TODO)
    row = workspace.rows(sa.select(store.proposals.c.hash).where(store.proposals.c.id == proposal))
    if not row:
        raise ReviewError("is no longer in the queue", where=proposal)
    return say(workspace, index, Decision(proposal, row[0]["hash"], "withdraw", reviewer=who), len(said))


def verdicts(given: Sequence[str], count: int) -> tuple[str, ...]:
    """Return a verdict for each reference from the numbers of those that were accepted."""
    accepted = set(given)
    return tuple("approve" if str(n) in accepted else "reject" for n in range(count))


def _guard(decision: Decision, words: int) -> Callable[[sa.Connection], None]:
    who, id_, quiet = decision.reviewer, decision.proposal, decision.verdict == "skip"
    said = sa.select(sa.func.count()).select_from(store.decisions)
    said = said.where(store.decisions.c.proposal == id_, store.decisions.c.verdict != "skip")

    def guard(db: sa.Connection) -> None:
        mine = sa.or_(_row.lease == "", _row.lease == who, _row.until < now())
        values: dict[str, Any] = (
            {"lease": "", "until": ""} if quiet else {"lease": "", "until": "", "words": words + 1, "turn": 0}
        )
        # This update comes first: it holds the row until the word is in.
        if not db.execute(
            store.queue.update().where(_row.id == id_, _row.words == words, mine).values(**values)
        ).rowcount:
            taken = db.execute(sa.select(_row.lease, _row.words).where(_row.id == id_)).first()
            if taken is not None and taken.words == words:
                raise ReviewError(f"{taken.lease} is looking at it", where=id_, todo="take another one")
            raise _spoken(db, decision)
        if db.scalar(said) != words:
            raise _spoken(db, decision)

    return guard


def _spoken(db: sa.Connection, decision: Decision) -> ReviewError:
    """Return why a decision comes too late: somebody else decided, or it arrived before, though its answer did not."""
    decisions = store.decisions.c
    query = sa.select(store.decisions).where(decisions.proposal == decision.proposal, decisions.verdict != "skip")
    last = db.execute(query.order_by(decisions.n.desc()).limit(1)).mappings().first()
    if last is not None and last["reviewer"] == decision.reviewer:
        return ReviewError("you have decided on it already", where=decision.proposal, todo=_TODO)
    return ReviewError("somebody else has said a word on it", where=decision.proposal, todo=_TODO)
