"""The workspace against itself: every edit has its approval, no attempt is left open, nothing was written twice,
and the hash chain holds from the source sentence to the revision.
"""

from collections.abc import Iterator

import sqlalchemy as sa

from bot import hashchain, store
from bot.audit.coverage import tables_with_fewer_rows
from bot.audit.survey import WikiSurvey, closing_finding, make_finding
from bot.hashchain import Discrepancy
from bot.messages import Message, Value
from bot.records import EditOutcome, Finding, Item, Severity, UndoState, digest
from bot.store import Row
from bot.write import verify


def ledger(survey: WikiSurvey) -> Iterator[Finding]:
    """Say what in decisions and edits does not fit together."""
    edits = survey.workspace.rows(sa.select(store.edits).order_by(store.edits.c.n))
    decisions = {row["n"]: row for row in survey.workspace.rows(sa.select(store.decisions))}
    people = {row["name"] for row in survey.workspace.rows(sa.select(store.reviewers))}
    edit_of: dict[str, int] = {}
    for edit in edits:
        if edit["outcome"] == EditOutcome.PENDING:
            yield _about(edit, "warning", Message("ledger.open"))
        if edit["outcome"] != EditOutcome.WRITTEN:
            continue
        if why := _missing_decision(edit, decisions.get(edit["decision"])):
            yield _about(edit, "error", why)
        if edit["undo_state"] == UndoState.UNDONE:
            continue  # approved again, it may be a finding again
        content = digest(edit["guid"], edit["payload"])
        if content in edit_of:
            yield _about(edit, "error", Message("ledger.twice", other=edit_of[content]))
        edit_of[content] = edit["n"]
    for decision in decisions.values():
        if decision["reviewer"] not in people and not decision["role"]:  # with a role they were known at that time
            by = decision["reviewer"] or Message("ledger.nobody")
            yield make_finding(
                "ledger", "error", Message("finding.ledger.reviewer", decision=decision["n"], reviewer=by)
            )
    yield from _chain(survey, {edit["n"]: edit for edit in edits})
    yield from _decision_findings(survey, edits, decisions)
    yield from _head_finding(survey)
    length, head = hashchain.length_and_head(survey.workspace)
    counts = {"edits": len(edits), "decisions": len(decisions), "links": length}
    if fewer := tables_with_fewer_rows(survey.workspace, accept_drop=survey.accept_drop, **counts):
        yield make_finding("ledger", "unknown", Message("finding.ledger.shrunk", fewer=fewer))
    checked: dict[str, Value] = {name: Message(f"count.{name}", n=n) for name, n in counts.items()}
    yield closing_finding(
        "ledger", Message("closing.ledger_chain" if length else "closing.ledger", **checked, code_head=head)
    )


def _chain(survey: WikiSurvey, rows: dict[int, Row]) -> Iterator[Finding]:
    """Say where a row, a decision or a link is not what it was when it was written."""
    for n, problem in hashchain.edit_discrepancies(survey.workspace):
        if n in rows:
            yield _about(rows[n], "error", problem)
        else:
            yield make_finding(
                "ledger", "error", Message("finding.ledger.edit", edit=n, what=problem) if n else problem
            )


def _decision_findings(survey: WikiSurvey, edits: list[Row], decisions: dict[int, Row]) -> Iterator[Finding]:
    """Say which row of proposals, decisions, plans, people or rules is not what it is worked out to be again."""
    workspace = survey.workspace
    found = list(hashchain.decision_discrepancies(workspace))
    for row in decisions.values():
        if row["record"]:
            found += [Discrepancy("decisions", str(row["n"]), problem) for problem in verify.decision_problems(row)]
    found += verify.proposal_discrepancies(workspace)
    for row in workspace.rows(sa.select(store.plans).where(~store.plans.c.id.startswith("undo-"))):
        found += verify.plan_row_discrepancies(row, decisions)
    for one in found:
        yield make_finding("ledger", "error", one.message)
    for edit in edits:
        yield from (
            _about(edit, "error", problem) for problem in verify.edit_problems(edit, decisions.get(edit["decision"]))
        )


def _head_finding(survey: WikiSurvey) -> Iterator[Finding]:
    """Check that the chain continues from a head kept elsewhere; if not, its newest links were cut off or replaced."""
    if not survey.head:
        return
    link, (length, _) = (
        hashchain.link_number(survey.workspace, survey.head),
        hashchain.length_and_head(survey.workspace),
    )
    if link < 0:
        yield make_finding("ledger", "error", Message("finding.ledger.no_head", code_head=survey.head))
    else:
        yield closing_finding("ledger", Message("finding.ledger.head", link=link, length=length))


def _missing_decision(edit: Row, decision: Row | None) -> Message | None:
    if decision is None:
        return Message("ledger.no_decision")
    if decision["proposal"] != edit["proposal"] or decision["hash"] != edit["hash"]:
        return Message("ledger.other_content", decision=decision["n"])
    if decision["verdict"] != "approve":
        return Message("ledger.verdict", decision=decision["n"], verdict=decision["verdict"])
    return None


def _about(edit: Row, severity: Severity, problem: Message) -> Finding:
    message = Message("finding.ledger.edit", edit=edit["n"], what=problem)
    return make_finding("ledger", severity, message, Item(edit["qid"], ""), f"statement {edit['guid']}")
