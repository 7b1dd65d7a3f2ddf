"""Decisions as judged pairs: what people said of a formula and an item, for the weights of matching."""

from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import AGAINST_CLAIM, claim_outcomes
from bot.match.training import JudgedPair
from bot.propose.stored_proposals import proposal_from_record
from bot.review.people import SCRIPTED
from bot.review.statistics import JUDGED, standing
from bot.store import Workspace

# Of the reasons for a rejection those that speak about formula and item; the others are about source, TeX or timing.
ABOUT_THE_PAIR = ("wrong_item", "not_defining", "wrong_formula", "special_case")


@dataclass(frozen=True, slots=True)
class Judgements:
    """The pairs, and how many decisions say nothing of a pair or are without the values of their evidence."""

    pairs: tuple[JudgedPair, ...]
    rejections: int  # among the pairs
    undone: int  # approvals that count as rejections: the edit was taken back by us, or not left as it was by others
    left_out: int
    removed: int = 0  # of `undone`, those that other editors removed, deprecated or corrected
    stood: int = 0  # approvals that an audit found on the item 30 days later


def judgements(workspace: Workspace) -> Judgements:
    """Return the last decision on each proposed claim as a judged pair; scripted reviewers and further sources do not count."""
    decisions, people = store.decisions, store.reviewers.c
    scripts = sa.select(people.name).where(people.role == SCRIPTED)
    rows = workspace.rows(sa.select(decisions).where(decisions.c.reviewer.not_in(scripts)).order_by(decisions.c.n))
    current = sorted((made[-1] for made in standing(rows).values()), key=lambda row: int(row["n"]))
    last = {row["proposal"]: row for row in current if row["verdict"] in JUDGED}
    edits = sa.select(store.edits.c.proposal).where(store.is_undone())
    taken_back = {row["proposal"] for row in workspace.rows(edits)}
    verdicts = {each.proposal: each.verdict for each in claim_outcomes(workspace)}
    pairs, undone, left_out, removed, stood = [], 0, 0, 0, 0
    for row in last.values():
        proposal = proposal_from_record(row["record"], f"decisions {row['n']}")
        approved = row["verdict"] == "approve"
        values = {e.name: e.value for e in reversed(proposal.evidence) if e.value is not None}
        silent = not approved and row["reason"] not in ABOUT_THE_PAIR
        if silent or not values or proposal.claim or proposal.kind == "add_reference":
            left_out += 1
            continue
        became = verdicts.get(row["proposal"], "") if approved else ""
        back = approved and (row["proposal"] in taken_back or became in AGAINST_CLAIM)
        undone += back
        removed += became in AGAINST_CLAIM
        stood += became == "stood"
        pairs.append(JudgedPair(proposal.qid, values, approved and not back))
    return Judgements(tuple(pairs), sum(not pair.accepted for pair in pairs), undone, left_out, removed, stood)
