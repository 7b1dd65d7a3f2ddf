"""The state of a proposal: one enum and one function, for the page, the API, the commands, packets and the plan.

Rows of `decisions` and `edits` + the rules and people as they are now -> State and the decision that counts. The page's table
keeps a copy of what is worked out here; the day of expiry is asked when it is read.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa

from bot import store
from bot.propose.earlier_rows import spent_decisions
from bot.propose.stored_proposals import is_for_content
from bot.records import Decision, digest
from bot.review.people import SCRIPTED_ROLE, reviewers
from bot.review.queue_rules import Rules, load_rules
from bot.store import Row, Workspace, now, to_record

REHEARSAL = "rehearsal"  # what a decision keeps of its wiki


class State(StrEnum):
    """The state of a proposal: what it waits for, or how it ended."""

    OPEN = "open"
    FLAGGED = "flagged"
    UNSURE = "unsure"
    APPROVED = "approved"
    REJECTED = "rejected"
    CLOSED = "closed"  # nothing is to be written: changed by hand, or left as it is
    SECOND = "second"  # one person approved, and the rules want two
    DISPUTED = "disputed"  # two people disagree, without a decision by an operator
    WRITTEN = "written"
    EXPIRED = "expired"


UNDECIDED = (State.OPEN, State.SECOND, State.DISPUTED)  # these wait for a decision until they expire
_OF_VERDICT = {"approve": State.APPROVED, "reject": State.REJECTED, "close": State.CLOSED, "unsure": State.UNSURE}


@dataclass(frozen=True, slots=True)
class Terms:
    """The rules, and the present people and roles, by which a decision counts."""

    rules: Rules
    operators: frozenset[str]
    approvers: frozenset[str]  # whose approval counts
    rehearsal: bool  # the workspace is one of the rehearsal wiki

    def counts(self, decision: Row) -> bool:
        """Say whether a decision still counts.

        An approval does only while its reviewer is known, and one of a script or of a rehearsal only in a rehearsal.
        """
        if decision["verdict"] != "approve":
            return True
        bound = is_rehearsal_only(decision)
        return decision["reviewer"] in self.approvers and (self.rehearsal or not bound)


@dataclass(frozen=True, slots=True)
class Status:
    """The state of one proposal, apart from expiry, and its basis."""

    state: State
    decision: Row | None  # the decision that counts
    reopened: bool  # decided once, and that decision does not count any more
    reviewer: str  # of the last decision that counts or waits for another
    first_decider: str  # who decided first, where a second decision is wanted
    number: int  # of decisions, skips aside

    @property
    def needs_review(self) -> bool:
        """Tell whether a first or second decision is needed."""
        return self.state in UNDECIDED or bool(self.first_decider)


def terms(workspace: Workspace) -> Terms:
    """Return the rules and people that say now which decision counts."""
    people = reviewers(workspace)
    rehearsal = bool(workspace.get("world"))
    roles = ("reviewer", "operator", SCRIPTED_ROLE) if rehearsal else ("reviewer", "operator")
    return Terms(
        rules=load_rules(workspace),
        operators=frozenset(name for name, role in people.items() if role == "operator"),
        approvers=frozenset(name for name, role in people.items() if role in roles),
        rehearsal=rehearsal,
    )


def is_rehearsal_only(decision: Mapping[str, object]) -> bool:
    """Say whether a decision may never reach another wiki than the rehearsal wiki: a script made it, or it was made there."""
    return bool(decision["role"] == SCRIPTED_ROLE or decision["wiki"] == REHEARSAL)


def status_of(proposal: Row, decisions: Sequence[Row], written: bool, spent: Collection[int], terms: Terms) -> Status:
    """Return the status of a proposal (id, hash, kind) from all decisions on it, oldest first.

    `spent` are numbers of decisions whose edit was refused or undone: they and all before them count no more.
    """
    decided = [row for row in decisions if row["verdict"] != "skip"]
    from_ = max((n for n, row in enumerate(decided, 1) if row["n"] in spent), default=0)
    live = [row for row in decided[from_:] if terms.counts(row)]
    bound, state = _counting_decision(proposal, live, terms)
    if written:
        state = State.WRITTEN
    elif state is State.OPEN and proposal["kind"] == "flag":
        state = State.FLAGGED
    settled = bound is not None or state in UNDECIDED[1:]
    return Status(
        state=state,
        decision=bound,
        reopened=bound is None and bool(decided[from_:]) and decided[-1]["verdict"] != "withdraw" and not settled,
        reviewer=live[-1]["reviewer"] if live and settled else "",
        first_decider=_first_decider(proposal, live, state, terms.rules),
        number=len(decided),
    )


def state_on_day(state: State, expires: str, today: str) -> State:
    """Return a state as it is on a day: what waits for a decision expires."""
    return State.EXPIRED if state in UNDECIDED and expires < today else state


def statuses(workspace: Workspace, ids: Sequence[str] | None = None) -> dict[str, Status]:
    """Return the status of some proposals, or of all."""
    proposals, decisions = store.proposals.c, store.decisions.c
    columns = [decisions[name] for name in ("n", "role", "wiki", *(f.name for f in dataclasses.fields(Decision)))]
    proposal_query = sa.select(proposals.id, proposals.hash, proposals.kind)
    decision_query = sa.select(*columns).order_by(decisions.n)
    done = sa.select(store.edits.c.proposal).distinct().where(store.is_on_item())
    if ids is not None:
        proposal_query = proposal_query.where(proposals.id.in_(ids))
        decision_query = decision_query.where(decisions.proposal.in_(ids))
        done = done.where(store.edits.c.proposal.in_(ids))
    decisions_of: dict[str, list[Row]] = defaultdict(list)
    for row in workspace.rows(decision_query):
        decisions_of[row["proposal"]].append(row)
    on_item = {row["proposal"] for row in workspace.rows(done)}
    spent, now_ = spent_decisions(workspace, ids), terms(workspace)
    return {
        row["id"]: status_of(row, decisions_of.get(row["id"], ()), row["id"] in on_item, spent, now_)
        for row in workspace.rows(proposal_query)
    }


def decision_of(row: Mapping[str, object]) -> Decision:
    """Return a row of `decisions` as a record."""
    verdicts = row["references"]
    return to_record(Decision, {**row, "references": verdicts if isinstance(verdicts, list) else ()})


def in_sample(proposal: str, share: float) -> bool:
    """Say whether a proposal belongs to the sample of this share; the same everywhere and always."""
    return share > 0 and int(digest("blind", proposal, length=8), 16) / 2**32 < share


def today() -> str:
    """Return the day by which proposals expire, ISO 8601, UTC."""
    return now()[:10]


def _counting_decision(proposal: Row, live: Sequence[Row], terms: Terms) -> tuple[Row | None, State]:
    """Return the decision that counts with its state, or None with what the proposal waits for."""
    bound, waits = _binding_decision(live, terms)
    if bound is not None:
        is_bound = is_for_content(bound, proposal["hash"])
        return (bound, _OF_VERDICT[bound["verdict"]]) if is_bound else (None, State.OPEN)
    is_current = bool(live) and live[-1]["hash"] == proposal["hash"]
    return None, waits if is_current else State.OPEN


def _binding_decision(live: Sequence[Row], terms: Terms) -> tuple[Row | None, State]:
    """Return the decision that counts among all on one proposal, oldest first; where none does yet, what is waited for.

    Alone, the last decision counts, whoever makes it. With two persons an approval counts when another person approved the
    same content. With blind second decisions a disagreement binds nobody until a majority or an operator settles it.
    """
    if not live:
        return None, State.OPEN
    last = live[-1]
    if not terms.rules.more_than_one or last["verdict"] not in ("approve", "reject"):
        return last, State.OPEN
    votes = {row["reviewer"]: row for row in live if row["hash"] == last["hash"]}
    votes = {name: row for name, row in votes.items() if row["verdict"] in ("approve", "reject")}
    other = [row for row in votes.values() if row["verdict"] != last["verdict"]]
    same = [row for row in votes.values() if row["verdict"] == last["verdict"]]
    if terms.rules.blind and last["reviewer"] not in terms.operators and other:
        if len(other) == len(same):
            return None, State.DISPUTED
        last = max(other if len(other) > len(same) else same, key=lambda row: int(row["n"]))
    if terms.rules.two_persons and last["verdict"] == "approve":
        content = _decision_content(last)
        if len({row["reviewer"] for row in votes.values() if _decision_content(row) == content}) < 2:
            return None, State.SECOND
    return last, State.OPEN


def _decision_content(row: Row) -> tuple[object, ...]:
    return row["verdict"], row["tex"] or "", tuple(row["references"] or ())


def _first_decider(proposal: Row, live: Sequence[Row], state: State, rules: Rules) -> str:
    """Return whose decision waits for that of a second person, by the rules; else an empty string."""
    current = [r for r in live if r["hash"] == proposal["hash"] and r["verdict"] in ("approve", "reject")]
    alone = len({row["reviewer"] for row in current}) == 1
    sampled = state in (State.APPROVED, State.REJECTED) and alone and in_sample(proposal["id"], rules.blind)
    return str(current[-1]["reviewer"]) if current and (state is State.SECOND or sampled) else ""
