"""Decisions as judged pairs of a formula and an item, and the weights of matching fitted to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import NEGATIVE_VERDICTS, claim_outcomes
from bot.match.model import EvidenceModel, measured, scores_by_name, shipped_model
from bot.match.training import JudgedPair, Quality, held_out, quality, train
from bot.messages import Message
from bot.propose.stored_proposals import proposal_from_record
from bot.review.people import SCRIPTED_ROLE
from bot.review.statistics import JUDGED, decisions_in_force
from bot.store import Workspace

# Of the reasons for a rejection those that speak about formula and item; the others are about source, TeX or timing.
PAIR_REASONS = ("wrong_item", "not_defining", "wrong_formula", "special_case")
# How hard the shipped weights hold: that many decisions move one of them about halfway where they contradict it. They stand
# for about a thousand judged pairs, and a workspace's decisions are only of what was queued.
PRIOR_STRENGTH = 10.0


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
    scripts = sa.select(people.name).where(people.role == SCRIPTED_ROLE)
    rows = workspace.rows(sa.select(decisions).where(decisions.c.reviewer.not_in(scripts)).order_by(decisions.c.n))
    current = sorted((history[-1] for history in decisions_in_force(rows).values()), key=lambda row: int(row["n"]))
    last = {row["proposal"]: row for row in current if row["verdict"] in JUDGED}
    edits = sa.select(store.edits.c.proposal).where(store.is_undone())
    taken_back = {row["proposal"] for row in workspace.rows(edits)}
    verdicts = {each.proposal: each.verdict for each in claim_outcomes(workspace)}
    pairs, undone, left_out, removed, survived = [], 0, 0, 0, 0
    for row in last.values():
        proposal = proposal_from_record(row["record"], f"decisions {row['n']}")
        approved = row["verdict"] == "approve"
        values = scores_by_name(measured(reversed(proposal.evidence)))
        silent = not approved and row["reason"] not in PAIR_REASONS
        if silent or not values or proposal.claim or proposal.kind == "add_reference":
            left_out += 1
            continue
        later_verdict = verdicts.get(row["proposal"], "") if approved else ""
        reverted = approved and (row["proposal"] in taken_back or later_verdict in NEGATIVE_VERDICTS)
        undone += reverted
        removed += later_verdict in NEGATIVE_VERDICTS
        survived += later_verdict == "stood"
        pairs.append(JudgedPair(proposal.qid, values, approved and not reverted))
    return Judgements(tuple(pairs), sum(not pair.accepted for pair in pairs), undone, left_out, removed, survived)


@dataclass(frozen=True, slots=True)
class RetrainedModels:
    """The new models by name, and the quality of the weights in use and of the new ones on the same decisions."""

    models: Mapping[str, EvidenceModel]
    before: Quality
    after: Quality


def retrain(found: Judgements, in_use: EvidenceModel, builtin: bool) -> RetrainedModels:
    """Fit both sets, each near its shipped weights; figures are of the set that is `in_use`, those after in folds by item."""
    accepted = [pair.accepted for pair in found.pairs]
    note = str(Message("told.weights_fitted", n=len(found.pairs), accepted=sum(accepted)))
    models, after = {}, None
    for name, uses_list in (("matching", True), ("matching_without_list", False)):
        trained = train(found.pairs, shipped_model(name), strength=PRIOR_STRENGTH)
        models[name] = replace(trained.model, note=note)
        if uses_list is builtin:
            after = quality(trained.held_out, accepted)
    assert after is not None
    return RetrainedModels(models, quality(held_out(found.pairs, in_use), accepted), after)
