"""What is about to be written, recomputed: no column is relied on alone.

The plan's id is the digest of its content, a proposal's hash that of its record, and each payload is built again from what the
decision stored. Every difference names its row; one is enough to stop a run before it sends anything.
"""

from collections.abc import Iterable, Iterator, Mapping

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import WriteRefused
from bot.hashchain import Discrepancy
from bot.messages import Message
from bot.propose.build import recomputed_hash
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, Proposal, digest
from bot.review.decide import approved_references
from bot.review.proposal_state import decision_of, is_rehearsal_only
from bot.settings import Settings, Wiki
from bot.store import Row, Workspace
from bot.write import payload
from bot.write.entry import Plan, PlanEntry
from bot.write.plans import plan_from_record

_SUMMARY_VERBS = {"new_claim": "add formula with its source", "symbol": "add what symbols of the formula represent"}
_MAX_ROWS_NAMED = 5  # chosen: rows that the one line of a refusal names


def plan_id(wiki: str, group: str, entries: object, refused: object) -> str:
    """Return the id of a plan: the digest of all that it would do."""
    return digest(wiki, group, entries, refused, length=16)


def refuse_if_any(found: Iterable[Discrepancy]) -> None:
    """Raise WriteRefused naming the rows where there are any."""
    rows = list(found)
    if not rows:
        return
    messages = tuple(one.message for one in rows[:_MAX_ROWS_NAMED])
    omitted = Message("discrepancy.more", n=len(rows) - _MAX_ROWS_NAMED) if len(rows) > _MAX_ROWS_NAMED else ""
    raise WriteRefused(Message("refused.discrepancies", told=messages, more=omitted), todo="copy_of_database")


def workspace_discrepancies(workspace: Workspace) -> Iterator[Discrepancy]:
    """Yield what in decisions, people, rules and ledger is not what the chain says."""
    for n, problem in hashchain.edit_discrepancies(workspace):
        yield Discrepancy("edits", str(n), problem) if n else Discrepancy("chain", "", problem)
    yield from hashchain.decision_discrepancies(workspace)


def approval_discrepancies(workspace: Workspace, numbers: Iterable[int]) -> Iterator[Discrepancy]:
    """Yield what does not fit in these approvals, and in the proposals that they are about."""
    rows = decision_rows(workspace, numbers)
    with workspace.engine.connect() as db:
        bound = hashchain.newest_decision_link(db)
    for n, row in rows.items():
        if not bound:
            yield Discrepancy("decisions", str(n), Message("discrepancy.no_decision_linked"))
        yield from (Discrepancy("decisions", str(n), problem) for problem in decision_problems(row))
        if row["verdict"] != "approve":
            yield Discrepancy("decisions", str(n), Message("discrepancy.verdict", verdict=row["verdict"]))
    yield from proposal_discrepancies(workspace, store.proposals.c.id.in_({row["proposal"] for row in rows.values()}))


def approved_proposal_discrepancies(workspace: Workspace) -> Iterator[Discrepancy]:
    """Yield what does not fit in the rows of proposals that somebody approved, whether that counts now or not."""
    decisions = store.decisions.c
    approved = sa.select(decisions.proposal).where(decisions.verdict == "approve")
    return proposal_discrepancies(workspace, store.proposals.c.id.in_(approved))


def proposal_discrepancies(workspace: Workspace, *conditions: sa.ColumnElement[bool]) -> Iterator[Discrepancy]:
    """Yield what does not fit in the rows of proposals."""
    for row in workspace.rows(sa.select(store.proposals).where(*conditions)):
        yield from (Discrepancy("proposals", row["id"], problem) for problem in proposal_problems(row))


def decision_problems(row: Row) -> Iterator[Message]:
    """Yield how a decision contradicts the proposal that it stored."""
    record = row["record"]
    if not record:
        yield Message("discrepancy.nothing_stored")
        return
    proposal, verdicts = proposal_from_record(record, f"decisions {row['n']}"), decision_of(row).references
    if row["proposal"] != proposal.id or row["hash"] != recomputed_hash(proposal):
        yield Message("discrepancy.other_proposal")
    if row["verdict"] == "approve" and (len(verdicts) != len(proposal.references) or "approve" not in verdicts):
        yield Message("discrepancy.reference_verdicts")


def proposal_problems(row: Row) -> Iterator[Message]:
    """Yield how a row of `proposals` differs from its own record."""
    record, proposal = row["record"], proposal_from_record(row["record"], f"proposals {row['id']}")
    columns = ("id", "hash", "kind", "qid")
    yield from (Message("discrepancy.column", code_name=name) for name in columns if row[name] != record[name])
    if recomputed_hash(proposal) != row["hash"]:
        yield Message("discrepancy.record")


def plan_discrepancies(workspace: Workspace, plan: Plan) -> Iterator[Discrepancy]:
    """Yield what in a stored plan is not what was planned, or not what decisions say."""
    rows = workspace.rows(sa.select(store.plans).where(store.plans.c.id == plan.id))
    if not rows:
        yield Discrepancy("plans", plan.id, Message("discrepancy.plan_not_stored"))
        return
    decisions = decision_rows(workspace, {entry.decision for entry in plan.entries})
    yield from plan_row_discrepancies(rows[0], decisions)
    if plan_from_record(rows[0]["record"], plan.id).entries != plan.entries:
        yield Discrepancy("plans", plan.id, Message("discrepancy.plan_changed"))


def plan_row_discrepancies(row: Row, decisions: Mapping[int, Row]) -> Iterator[Discrepancy]:
    """Yield what in a row of `plans` contradicts its id, its columns, or the decisions."""
    plan, record = plan_from_record(row["record"], row["id"]), row["record"]
    if any(row[name] != record[name] for name in ("id", "wiki", "group", "created")):
        yield Discrepancy("plans", row["id"], Message("discrepancy.plan_columns"))
    if row["id"] != plan_id(plan.wiki, plan.group, record["entries"], record["refused"]):
        yield Discrepancy("plans", row["id"], Message("discrepancy.plan_content"))
    for entry in plan.entries:
        for problem in entry_problems(entry, decisions.get(entry.decision), plan):
            of = Message("discrepancy.entry", qid=entry.qid, code_proposal=entry.proposal[:10], what=problem)
            yield Discrepancy("plans", row["id"], of)


def entry_problems(entry: PlanEntry, decision: Row | None, plan: Plan) -> Iterator[Message]:
    """Yield how an entry differs from what its decision allows."""
    if decision is None:
        yield Message("discrepancy.no_decision", decision=entry.decision)
        return
    approved, proposal = decision_of(decision), _proposal_of_decision(decision)
    for name in ("proposal", "hash", "reviewer"):
        if getattr(entry, name) != getattr(approved, name):
            yield Message("discrepancy.entry_field", code_name=name, decision=entry.decision)
    if approved.verdict != "approve":
        yield Message("discrepancy.entry_verdict", decision=entry.decision, verdict=approved.verdict)
    if entry.qid != proposal.qid:
        yield Message("discrepancy.entry_item")
    if not _is_allowed(entry, approved, proposal, plan.wiki):
        yield Message("discrepancy.entry_payload")


def check_summaries(plan: Plan, settings: Settings) -> None:
    """Raise WriteRefused where the edit summaries are not those of these settings, which may name another task by now."""
    if any((e.summary, e.otherwise_summary) != edit_summaries(e, plan.group, settings) for e in plan.entries):
        raise WriteRefused(Message("refused.summaries"), where=f"plan {plan.id}", todo="new_plan")


def edit_problems(edit: Row, decision: Row | None) -> Iterator[Message]:
    """Yield how the payload of a row of the ledger differs from what its decision allows."""
    if decision is None or not decision["record"] or not edit["payload"]:
        return
    approved, proposal = decision_of(decision), _proposal_of_decision(decision)
    allowed = approved_payloads(approved, proposal)
    sent = edit["payload"]
    if isinstance(sent, dict) and "mainsnak" in sent:
        if sent != approved_claim(edit["guid"], approved, proposal):
            yield Message("discrepancy.edit_payload")
    elif sent not in allowed:
        yield Message("discrepancy.edit_reference")


def check_rehearsal_only(decision: Row, wiki: Wiki) -> None:
    """Raise WriteRefused where a script's approval, or one of a rehearsal, would reach another wiki."""
    if is_rehearsal_only(decision) and not wiki.sandbox:
        origin = Message("approved.by_script" if decision["role"] == "stand-in" else "approved.in_rehearsal")
        raise WriteRefused(Message("refused.rehearsal_only", how=origin))


def check_property(proposal: Proposal, wiki: Wiki) -> None:
    """Raise WriteRefused where an approval is for another property than that of the settings: under this one the item's claims were not compared."""
    ids = wiki.properties
    if proposal.property != (ids.in_defining_formula if proposal.kind == "symbol" else ids.defining_formula):
        raise WriteRefused(Message("refused.other_property", code_property=proposal.property))


def approved_claim(guid: str, decision: Decision, proposal: Proposal) -> Row:
    """Return the claim with this GUID that a decision approved."""
    references = approved_references(decision, proposal)
    return payload.claim(guid, proposal.property, decision.tex or proposal.tex, references, proposal.qualifiers)


def approved_payloads(decision: Decision, proposal: Proposal) -> list[Row]:
    """Return the payloads of the references that a decision approved."""
    return [payload.reference(one) for one in approved_references(decision, proposal)]


def edit_summary(kind: str, reviewer: str, group: str, settings: Settings) -> str:
    """Return the edit summary: what, why, the task page, and the edit group at the end (convention of EditGroups)."""
    task = f"[[{settings.writing.task}]]" if settings.writing.task else "rehearsal"
    return f"{_SUMMARY_VERBS.get(kind, 'add a source to the formula')}, approved by {reviewer}, {task} ([[:toolforge:editgroups/b/CB/{group}|details]])"


def edit_summaries(entry: PlanEntry, group: str, settings: Settings) -> tuple[str, str]:
    """Return the summary of an entry, and that of its sources where they may be sent alone."""
    sources = edit_summary("add_reference", entry.reviewer, group, settings) if entry.otherwise else ""
    return edit_summary(entry.kind, entry.reviewer, group, settings), sources


def joint_summary(first: str) -> str:
    """Return the summary of an edit that adds a formula and symbols of it, from that of the formula alone."""
    return first.replace(
        _SUMMARY_VERBS["new_claim"], f"{_SUMMARY_VERBS['new_claim']} and what its symbols represent", 1
    )


def _is_allowed(entry: PlanEntry, approved: Decision, proposal: Proposal, wiki: str) -> bool:
    allowed = approved_payloads(approved, proposal)
    if entry.kind == "already_there":
        return not entry.payload and not entry.otherwise
    if entry.kind == "add_reference":
        same_statement = proposal.kind != "add_reference" or entry.statement == proposal.statement
        return entry.payload in allowed and same_statement and not entry.otherwise
    if not entry.adds_claim or proposal.kind != entry.kind:
        return False
    guid = payload.guid(proposal.qid, wiki, proposal.id, approved.hash, entry.decision)
    if (entry.statement, entry.payload) != (guid, approved_claim(guid, approved, proposal)):
        return False
    if entry.kind == "symbol":
        return entry.about == proposal.formula and not entry.otherwise
    return list(entry.otherwise) == allowed


def _proposal_of_decision(decision: Row) -> Proposal:
    return proposal_from_record(decision["record"], f"decisions {decision['n']}")


def decision_rows(workspace: Workspace, numbers: Iterable[int]) -> dict[int, Row]:
    """Return rows of `decisions` by number."""
    table = store.decisions
    return {row["n"]: row for row in workspace.rows_with(sa.select(table), table.c.n, numbers)}
