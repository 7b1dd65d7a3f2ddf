"""The outcomes of a person's decisions, and how far others agreed. No figure of speed is stored or shown."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.records import EditOutcome
from bot.review.answers import labels_of
from bot.review.statistics import JUDGED, decisions_in_force
from bot.store import Workspace

REMOVED_STATES = ("removed", "changed", "deprecated", "deleted")  # states in which an audit found our edit


@dataclass(frozen=True, slots=True)
class RemovedEditOutcome:
    """An edit that was removed or changed; `user` is "" where the wiki does not show who did it."""

    qid: str
    label: str
    state: str
    user: str
    revision: int


@dataclass(frozen=True, slots=True)
class PersonalOutcome:
    """One person's approvals: written and present, waiting, undone by us, removed by others; and agreement on the same content."""

    written: int
    waiting: int
    undone: int
    gone: tuple[RemovedEditOutcome, ...]
    shared: int  # contents that another person judged too
    same: int  # of these, judged alike by everybody


def personal_outcome(workspace: Workspace, who: str) -> PersonalOutcome:
    """Return the outcomes of one person's valid decisions."""
    decisions, edits, states = store.decisions.c, store.edits.c, store.edit_states.c
    own_proposals = sa.select(decisions.proposal).where(decisions.reviewer == who)
    columns = (decisions.n, decisions.proposal, decisions.hash, decisions.verdict, decisions.reviewer)
    rows = workspace.rows(sa.select(*columns).where(decisions.proposal.in_(own_proposals)).order_by(decisions.n))
    last = {key: history[-1] for key, history in decisions_in_force(rows).items() if history[-1]["verdict"] in JUDGED}
    own = {key[:2]: row for key, row in last.items() if key[2] == who}
    others: dict[tuple[str, str], set[str]] = {}
    for (proposal, hash_, name), row in last.items():
        if name != who and (proposal, hash_) in own:
            others.setdefault((proposal, hash_), set()).add(row["verdict"])
    approved = {row["proposal"] for row in own.values() if row["verdict"] == "approve"}
    joined = store.edits.outerjoin(store.edit_states, edits.n == states.edit)
    query = sa.select(edits.proposal, edits.qid, edits.undo_state, states.state, states.user, states.revision)
    query = query.select_from(joined).where(edits.outcome == EditOutcome.WRITTEN).order_by(edits.n)
    edit_of = {row["proposal"]: row for row in workspace.rows(query.where(edits.proposal.in_(own_proposals)))}
    sent = [row for proposal, row in edit_of.items() if proposal in approved]
    undone = [row for row in sent if row["undo_state"] == "undone"]
    removed = [row for row in sent if row["state"] in REMOVED_STATES and row not in undone]
    labels = labels_of(workspace, [row["qid"] for row in removed])
    return PersonalOutcome(
        written=len(sent) - len(undone) - len(removed),
        waiting=len(approved - edit_of.keys()),
        undone=len(undone),
        gone=tuple(
            RemovedEditOutcome(
                r["qid"], labels.get(r["qid"]) or r["qid"], r["state"], r["user"] or "", r["revision"] or 0
            )
            for r in removed
        ),
        shared=len(others),
        same=sum(verdicts == {own[key]["verdict"]} for key, verdicts in others.items()),
    )
