"""What earlier runs and the decisions on them bind: a row of the queue with the decision that holds on it.

What a person approved stays as it was shown while the corpus supports it; a source that was rejected is not proposed again.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import claim_outcomes
from bot.propose.checks import ProposalCase
from bot.propose.references import missing_references
from bot.propose.select import Suggestion
from bot.propose.stored_proposals import CONTENT_REASONS, proposal_from_record, references_of_record
from bot.records import EditOutcome, Proposal, Reference
from bot.settings import Properties
from bot.store import Row, Workspace

_SOURCE_REASONS = CONTENT_REASONS | {"duplicate"}  # on a proposal of one more source these say nothing of the claim


@dataclass(frozen=True, slots=True)
class EarlierRow:
    """A row of an earlier run, as far as it binds this one."""

    proposal: Proposal  # as it was shown
    first_day: str  # the day of first making, for documents of which no day is known
    expires: str
    written: bool = False  # what a person approved of it is on the item, or may be after an interrupted run
    approved: bool = False  # the last decision on it is an approval
    verdict: str = ""  # approve or reject where such a decision holds on exactly this content
    reason: str = ""
    accepted_references: tuple[Reference, ...] = ()  # the references that were approved
    rejected_references: tuple[Reference, ...] = ()  # the references that were rejected, also of further sources
    is_rejected: bool = False  # formula and item were rejected, independent of the source

    @property
    def is_unwritten_approval(self) -> bool:
        """Say whether it is approved and not written."""
        return self.verdict == "approve" and not self.written


@dataclass(slots=True)
class _DecisionHistory:
    """What the decisions on one row add up to, oldest first."""

    last: Row | None = None
    votes: dict[str, Row] = field(default_factory=dict)  # reviewer -> last decision
    refused: dict[Reference, None] = field(default_factory=dict)

    def add(self, row: Row, references: Sequence[Reference]) -> None:
        self.last = self.votes[row["reviewer"]] = row
        if row["verdict"] == "reject" and row["reason"] in _SOURCE_REASONS:
            self.refused |= dict.fromkeys(references)
        elif row["verdict"] == "withdraw":
            self.refused.clear()
        elif row["verdict"] == "approve":
            for reference, verdict in zip(references, row["references"] or (), strict=False):
                self.refused.pop(reference, None)
                self.refused |= {reference: None} if verdict == "reject" else {}


def read_earlier_rows(workspace: Workspace, qids: Collection[str]) -> dict[str, EarlierRow]:
    """Return the rows about these items, and all that somebody has decided on, by id, the oldest first."""
    table = store.proposals.c
    columns = (table.id, table.qid, table.hash, table.created, table.expires, table.record)
    histories, spent = _decision_histories(workspace), spent_decisions(workspace)
    written = _proposals_on_item(workspace)
    unsourced = {each.proposal for each in claim_outcomes(workspace) if each.verdict == "unsourced"}
    query = sa.select(*columns).where(table.kind != "symbol")  # what a symbol represents says nothing of its formula
    rows = workspace.rows(query.order_by(table.created, table.id))
    rows = [row for row in rows if row["qid"] in qids or row["id"] in histories]
    found = {row["id"]: _earlier_row(row, histories.get(row["id"]), spent, row["id"] in written) for row in rows}
    return _with_source_decisions(
        {id_: _without_sources(row) if id_ in unsourced else row for id_, row in found.items()}
    )


def _without_sources(row: EarlierRow) -> EarlierRow:
    """Count the references of a row as rejected: another editor has removed one of them."""
    return replace(row, rejected_references=(*row.rejected_references, *row.proposal.references))


def _earlier_row(row: Row, history: _DecisionHistory | None, spent: Collection[int], written: bool) -> EarlierRow:
    proposal = proposal_from_record(row["record"], f"proposals {row['id']}")
    plain = EarlierRow(proposal, row["created"], row["expires"], written)
    if history is None or history.last is None:
        return plain
    holding = None if history.last["n"] in spent else _valid_decision(history, row["hash"])
    reasons = _SOURCE_REASONS if proposal.claim else CONTENT_REASONS
    return replace(
        plain,
        approved=history.last["verdict"] == "approve",
        verdict=holding["verdict"] if holding else "",
        reason=holding["reason"] or "" if holding else "",
        accepted_references=_approved_references(holding, proposal) if holding else (),
        rejected_references=tuple(history.refused),
        is_rejected=history.last["verdict"] == "reject" and history.last["reason"] not in reasons,
    )


def _valid_decision(history: _DecisionHistory, current_hash: str) -> Row | None:
    """Return the decision that holds on this content. An approval that another person contests is kept for a third one."""
    last = history.last
    if last is None or last["hash"] != current_hash or last["verdict"] not in ("approve", "reject"):
        return None
    votes = (row for row in history.votes.values() if row["hash"] == current_hash and row["verdict"] == "approve")
    return last if last["verdict"] == "approve" else next(votes, last)


def _approved_references(row: Row, proposal: Proposal) -> tuple[Reference, ...]:
    if row["verdict"] != "approve":
        return ()
    verdicts = row["references"] or ("approve",) * len(proposal.references)
    return tuple(r for r, verdict in zip(proposal.references, verdicts, strict=False) if verdict == "approve")


def _with_source_decisions(found: Mapping[str, EarlierRow]) -> dict[str, EarlierRow]:
    """Apply the decisions on further sources to the row of their claim."""
    further: dict[str, list[EarlierRow]] = defaultdict(list)
    for row in found.values():
        further[row.proposal.claim].append(row)
    return {
        id_: replace(
            row,
            rejected_references=row.rejected_references
            + tuple(r for source_row in further.get(id_, ()) for r in source_row.rejected_references),
            is_rejected=row.is_rejected or any(source_row.is_rejected for source_row in further.get(id_, ())),
        )
        for id_, row in found.items()
    }


def _decision_histories(workspace: Workspace) -> dict[str, _DecisionHistory]:
    table = store.decisions.c
    found: dict[str, _DecisionHistory] = defaultdict(_DecisionHistory)
    columns = (table.n, table.proposal, table.hash, table.verdict, table.reason, table.references, table.reviewer)
    for row in workspace.rows(sa.select(*columns, table.record).where(table.verdict != "skip").order_by(table.n)):
        found[row["proposal"]].add(row, references_of_record(row["record"]))
    return dict(found)


def spent_decisions(workspace: Workspace, proposals: Sequence[str] | None = None) -> frozenset[int]:
    """Return the decisions whose edit was refused or undone, on some proposals or on all: those are open again."""
    edits = store.edits.c
    query = sa.select(edits.decision).where(sa.or_(edits.outcome == EditOutcome.REFUSED, store.is_undone()))
    query = query if proposals is None else query.where(edits.proposal.in_(proposals))
    return frozenset(row["decision"] for row in workspace.rows(query))


def _proposals_on_item(workspace: Workspace) -> frozenset[str]:
    pending = (
        store.edits.c.outcome == EditOutcome.PENDING
    )  # an interrupted run may have sent it; writing finds that out
    query = sa.select(store.edits.c.proposal).where(store.is_on_item() | pending).distinct()
    return frozenset(row["proposal"] for row in workspace.rows(query))


def unwritten_approvals(rows: Iterable[EarlierRow]) -> list[EarlierRow]:
    """Return the rows that are approved and not written."""
    return [row for row in rows if row.is_unwritten_approval]


def with_approved_spelling(entry: Suggestion, row: EarlierRow | None, spellings: Collection[str]) -> Suggestion:
    """Return the entry in the approved spelling, where the corpus still has it, even if another one is more frequent."""
    if row is None or not row.is_unwritten_approval or row.proposal.kind != "new_claim":
        return entry
    return replace(entry, tex=row.proposal.tex) if row.proposal.tex in spellings else entry


def decision_still_holds(row: EarlierRow, proposal: Proposal, case: ProposalCase, properties: Properties) -> bool:
    """Say whether the decision on a row holds for what this run would propose, so that the row stays as it was shown.

    An approval holds for the same claim while each approved source supports it, whatever sources come in beside them.
    A rejection of a source holds until another one is found, a rejection of a spelling until there is another one.
    """
    earlier = row.proposal
    if row.verdict == "approve":
        same = _claim_content(earlier) == _claim_content(proposal)
        cited = [*(c.reference for quote, c in case.cited if c.reference and quote.where), *case.reviewer_sources]
        return same and not missing_references(row.accepted_references, cited, properties)
    if row.reason == "bad_source":
        return not proposal.references
    return row.reason == "bad_tex" and earlier.tex == proposal.tex


def _claim_content(proposal: Proposal) -> tuple[object, ...]:
    return proposal.kind, proposal.statement, proposal.tex, proposal.beside
