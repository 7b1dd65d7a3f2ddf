"""Decisions as judged pairs: what people said of a formula and an item, for the weights of matching."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.match.training import JudgedPair
from bot.propose import proposal_from_record
from bot.review.people import SCRIPTED
from bot.review.statistics import JUDGED, standing
from bot.store import Workspace

# Of the reasons for a rejection those that speak about formula and item; the others are about source, TeX or timing.
ABOUT_THE_PAIR = ("wrong_item", "not_defining", "wrong_formula", "special_case")
TAKEN_BACK = ("removed", "deprecated")  # states of an edit in the audit `seeded`


@dataclass(frozen=True, slots=True)
class Judgements:
    """The pairs, and how many decisions say nothing of a pair or are without the values of their evidence."""

    pairs: tuple[JudgedPair, ...]
    rejections: int  # among the pairs
    undone: int  # approvals that count as rejections: the edit was taken back or removed
    left_out: int


def judgements(workspace: Workspace) -> Judgements:
    """Return the last decision on each proposed claim as a judged pair; scripted reviewers and further sources do not count."""
    decisions, people = store.decisions, store.reviewers.c
    scripts = sa.select(people.name).where(people.role == SCRIPTED)
    rows = workspace.rows(sa.select(decisions).where(decisions.c.reviewer.not_in(scripts)).order_by(decisions.c.n))
    current = sorted((made[-1] for made in standing(rows).values()), key=lambda row: int(row["n"]))
    last = {row["proposal"]: row for row in current if row["verdict"] in JUDGED}
    gone = _taken_back(workspace)
    pairs, undone, left_out = [], 0, 0
    for row in last.values():
        proposal = proposal_from_record(row["record"], f"decisions {row['n']}")
        approved = row["verdict"] == "approve"
        values = {e.name: e.value for e in reversed(proposal.evidence) if e.value is not None}
        silent = not approved and row["reason"] not in ABOUT_THE_PAIR
        if silent or not values or proposal.claim or proposal.kind == "add_reference":
            left_out += 1
            continue
        back = approved and (row["proposal"] in gone or (proposal.qid, row["tex"] or proposal.tex) in gone)
        undone += back
        pairs.append(JudgedPair(proposal.qid, values, approved and not back))
    return Judgements(tuple(pairs), sum(not pair.accepted for pair in pairs), undone, left_out)


def _taken_back(workspace: Workspace) -> set[object]:
    """Return proposals whose edit we took back, and (item, TeX) of claims that the last audit found removed or deprecated."""
    edits, findings = store.edits.c, store.findings.c
    found: set[object] = {row["proposal"] for row in workspace.rows(sa.select(edits.proposal).where(store.is_undone()))}
    seeded = sa.select(findings.item, findings.what, findings.formulas).where(findings.audit == "seeded")
    for row in workspace.rows(seeded):
        if row["what"].partition(":")[0] in TAKEN_BACK:
            found |= {(row["item"], tex) for tex in row["formulas"] or ()}
    return found
