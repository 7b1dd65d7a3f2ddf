"""Recording decisions: appended, never updated, bound to the hash of what was shown."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.formula import check
from bot.propose.rows import CONTENT_REASONS
from bot.records import Decision, Proposal, as_json
from bot.review import fcdb
from bot.review.people import reviewer, reviewers
from bot.review.rules import Rules, load_rules
from bot.store import Workspace, now

VERDICTS = ("approve", "reject", "skip", "unsure", "withdraw")
REASONS = {
    "wrong_item": "the formula belongs to another item",
    "not_defining": "a true formula about the item, but not what defines it",
    "wrong_formula": "the formula is wrong",
    "special_case": "holds in a special case only",
    "duplicate": "the item says this already",
    "bad_source": "the source does not support it, or is not acceptable",
    "bad_tex": "the TeX needs repair",
    "needs_modelling": "the item has to be changed first",
}


def decide(workspace: Workspace, decision: Decision, guard: Callable[[sa.Connection], None] | None = None) -> Decision:
    """Append a person's decision and return it with its time.

    `guard` runs first inside the transaction and may refuse by raising ReviewError.

    Raises ReviewError for an unknown reviewer, proposal, verdict or reason, a hash that is no longer the proposal's,
    an approval that leaves no reference, an edit that the wiki would refuse, or a proposal that is already written.
    """
    name = reviewer(workspace, decision.reviewer)
    row = proposal_row(workspace, decision.proposal)
    proposal = row["record"]
    references = checked(decision, row, len(proposal["references"]))
    if _written(workspace, decision.proposal):
        raise ReviewError("is already written", where=decision.proposal, todo="use `formula-bot undo` to take it back")
    made = dataclasses.replace(decision, reviewer=name, references=references, time=now())
    with workspace.engine.begin() as db:
        if guard is not None:
            guard(db)
        db.execute(store.decisions.insert().values(**as_json(made), record=proposal))
        fcdb.record(db, proposal, made)
    return made


def latest(workspace: Workspace) -> dict[str, Decision]:
    """Return the latest decision on each proposal, whatever its hash; a skip leaves the earlier word standing.

    A decision whose edit was refused (the item had changed, say) or undone is spent: the proposal is open again.
    """
    rows = workspace.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
    spent, rules = refusals(workspace), load_rules(workspace)
    said: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        said[row["proposal"]].append(row)
    operators = people_in_role(workspace, "operator") if rules.more_than_one else frozenset()
    found = {proposal: binding(each, rules, operators) for proposal, each in said.items()}
    return {proposal: decision_of(row) for proposal, row in found.items() if row and row["n"] not in spent}


def binding(rows: Sequence[Mapping[str, Any]], rules: Rules, operators: frozenset[str]) -> Mapping[str, Any] | None:
    """Return the word that counts among all words on one proposal, oldest first, or None where none does yet.

    Alone, the last word counts, whoever says it. With two persons an approval counts when another person said the same on
    the same content. With blind second words a disagreement binds nobody until a majority or an operator settles it.
    """
    words = [row for row in rows if row["verdict"] != "skip"]
    if not words or not rules.more_than_one:
        return words[-1] if words else None
    last = words[-1]
    votes = {row["reviewer"]: row for row in words if row["hash"] == last["hash"]}
    votes = {name: row for name, row in votes.items() if row["verdict"] in ("approve", "reject")}
    if last["verdict"] not in ("approve", "reject"):
        return last
    other = [row for row in votes.values() if row["verdict"] != last["verdict"]]
    same = [row for row in votes.values() if row["verdict"] == last["verdict"]]
    if rules.blind and last["reviewer"] not in operators and len(other) > 0:
        if len(other) == len(same):
            return None
        last = max(other if len(other) > len(same) else same, key=lambda row: int(row["n"]))
    if rules.two_persons and last["verdict"] == "approve":
        content = _content(last)
        agreeing = {row["reviewer"] for row in votes.values() if _content(row) == content}
        return last if len(agreeing) > 1 else None
    return last


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["verdict"], row["tex"] or "", tuple(row["references"] or ())


def people_in_role(workspace: Workspace, role: str) -> frozenset[str]:
    """Return the names of the people in a role."""
    return frozenset(name for name, found in reviewers(workspace).items() if found == role)


def refusals(workspace: Workspace, proposals: Sequence[str] | None = None) -> dict[int, str]:
    """Return decision number -> why it is spent: its edit was refused, or written and undone; of some proposals or of all."""
    edits = store.edits
    query = sa.select(edits.c.decision, edits.c.reason, edits.c.undo).where(
        sa.or_(edits.c.outcome == "refused", edits.c.undo.startswith("undone"))
    )
    query = query if proposals is None else query.where(edits.c.proposal.in_(proposals))
    return {row["decision"]: row["undo"] or row["reason"] for row in workspace.rows(query)}


def standing(workspace: Workspace) -> dict[str, Decision]:
    """Return the decisions that hold for the proposals as they are now.

    An approval holds for its hash only. A rejection holds for the item and formula, unless its reason was the source
    or the spelling: then it too holds for its hash only.
    """
    hashes = {row["id"]: row["hash"] for row in workspace.rows(sa.select(store.proposals.c.id, store.proposals.c.hash))}
    return {
        proposal: decision
        for proposal, decision in latest(workspace).items()
        if proposal in hashes and holds(decision, hashes[proposal])
    }


def holds(decision: Decision, current_hash: str) -> bool:
    """Say whether a decision still holds for a proposal whose hash is `current_hash`."""
    if decision.verdict == "withdraw":
        return False
    if decision.verdict == "reject" and decision.reason not in CONTENT_REASONS:
        return True
    return decision.hash == current_hash


def approved_references(decision: Decision, proposal: Proposal) -> tuple[int, ...]:
    """Return the indexes of the references that the person accepted."""
    return tuple(i for i in range(len(proposal.references)) if decision.references[i] == "approve")


def proposal_row(workspace: Workspace, proposal: str) -> dict[str, Any]:
    """Return a proposal's row by its id or an unambiguous beginning of it. Raises ReviewError."""
    if len(proposal) < 4:
        raise ReviewError("give at least four characters of the id", where=proposal)
    table = store.proposals
    found = workspace.rows(sa.select(table).where(table.c.id == proposal))  # whole ids come by the index
    found = found or workspace.rows(sa.select(table).where(table.c.id.startswith(proposal, autoescape=True)).limit(2))
    if not found:
        raise ReviewError("no such proposal", where=proposal, todo="see `formula-bot review list`")
    if len(found) > 1:
        raise ReviewError("several proposals begin so", where=proposal, todo="give more of the id")
    return found[0]


def checked(decision: Decision, row: Mapping[str, Any], references: int) -> tuple[str, ...]:
    """Return the verdict on each reference of a decision that can hold for a proposal's row. Raises ReviewError."""
    _validate(decision, row)
    return _reference_verdicts(decision, references)


def _validate(decision: Decision, row: Mapping[str, Any]) -> None:
    where = decision.proposal
    if decision.verdict not in VERDICTS:
        raise ReviewError(f"unknown verdict {decision.verdict!r}", where=where, todo=f"known: {', '.join(VERDICTS)}")
    if decision.hash != row["hash"]:
        raise ReviewError("has changed since it was shown", where=where, todo="look at it again")
    if decision.verdict == "reject" and decision.reason not in REASONS:
        raise ReviewError(f"no such reason {decision.reason!r}", where=where, todo=f"known: {', '.join(REASONS)}")
    if decision.verdict != "approve":
        return
    if row["kind"] == "flag":
        raise ReviewError("is only flagged for a person and never written", where=where, todo="edit the item by hand")
    if row["expires"] < now()[:10]:
        raise ReviewError("has expired", where=where, todo="run `formula-bot propose` again")
    if decision.tex and not (verdict := check(decision.tex)).valid:
        raise ReviewError(f"the wiki would refuse the edited formula: {verdict.why}", where=where)
    if decision.tex and row["kind"] == "add_reference":
        raise ReviewError("the formula stands already and cannot be edited", where=where)


def _reference_verdicts(decision: Decision, count: int) -> tuple[str, ...]:
    given = decision.references or (decision.verdict if decision.verdict in ("approve", "reject") else "skip",) * count
    if len(given) != count or not set(given) <= {"approve", "reject", "skip"}:
        raise ReviewError(f"needs a verdict for each of its {count} references", where=decision.proposal)
    if decision.verdict == "approve" and "approve" not in given:
        raise ReviewError("no reference is left, and nothing is written without a source", where=decision.proposal)
    return tuple(given)


def _written(workspace: Workspace, proposal: str) -> bool:
    edits = store.edits
    query = sa.select(edits.c.n).where(edits.c.proposal == proposal, edits.c.outcome.in_(("written", "pending")))
    query = query.where(~edits.c.undo.startswith("undone"))
    return bool(workspace.rows(query.limit(1)))


def decision_of(row: Mapping[str, Any]) -> Decision:
    """Return a row of `decisions` as a record."""
    names = [f.name for f in dataclasses.fields(Decision)]
    values = {name: row[name] for name in names}
    return Decision(**{**values, "references": tuple(row["references"] or ())})
