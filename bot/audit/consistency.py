"""The workspace against itself: every edit has its approval, no attempt is left open, nothing was written twice,
and the hash chain holds from the source sentence to the revision.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from bot import hashchain, store
from bot.audit.coverage import shrunk
from bot.audit.survey import WikiSurvey, count, in_all
from bot.hashchain import Discrepancy
from bot.records import EditOutcome, Finding, Severity, UndoState, digest
from bot.store import Row
from bot.write import chain, verify


def ledger(survey: WikiSurvey) -> Iterator[Finding]:
    """Say what in decisions and edits does not fit together."""
    edits = survey.workspace.rows(sa.select(store.edits).order_by(store.edits.c.n))
    decisions = {row["n"]: row for row in survey.workspace.rows(sa.select(store.decisions))}
    people = {row["name"] for row in survey.workspace.rows(sa.select(store.reviewers))}
    seen: dict[str, int] = {}
    for edit in edits:
        if edit["outcome"] == EditOutcome.PENDING:
            yield _about(
                edit, "warning", "was begun and never closed: run `formula-bot write` again, which looks first"
            )
        if edit["outcome"] != EditOutcome.WRITTEN:
            continue
        if why := _unfounded(edit, decisions.get(edit["decision"])):
            yield _about(edit, "error", f"was written {why}")
        if edit["undo_state"] == UndoState.UNDONE:
            continue  # approved anew, it may be said again
        content = digest(edit["guid"], edit["payload"])
        if content in seen:
            yield _about(edit, "error", f"says the same as edit {seen[content]}, which was written too")
        seen[content] = edit["n"]
    for decision in decisions.values():
        if decision["reviewer"] not in people and not decision["role"]:  # with a role they were known at that time
            what = f"decision {decision['n']} is by {decision['reviewer'] or 'nobody'}, no reviewer of this workspace"
            yield Finding("ledger", "", "error", what)
    yield from _chain(survey)
    yield from _recomputed(survey, edits, decisions)
    yield from _kept_head(survey)
    counts = {"edits": len(edits), "decisions": len(decisions), "links": chain.length(survey.workspace)[0]}
    if fewer := shrunk(survey.workspace, accept_drop=survey.accept_drop, **counts):
        what = f"could not tell: rows are missing since the last audit ({fewer}); put the newer database back"
        yield Finding("ledger", "", "unknown", f"{what}, or accept this one with --accept-drop")
    what = f"{count(len(edits), 'edit')} and {count(len(decisions), 'decision')} looked at"
    length, head = chain.length(survey.workspace)
    yield in_all("ledger", f"{what}; {count(length, 'link')} of the hash chain, head {head}" if length else what)


def _chain(survey: WikiSurvey) -> Iterator[Finding]:
    """Say where a row, a decision or a link is not what it was when it was written."""
    rows = {row["n"]: row for row in survey.workspace.rows(sa.select(store.edits))}
    for n, what in chain.broken(survey.workspace):
        if n in rows:
            yield _about(rows[n], "error", what)
        else:
            yield Finding("ledger", "", "error", f"edit {n} {what}" if n else what)


def _recomputed(survey: WikiSurvey, edits: list[Row], decisions: dict[int, Row]) -> Iterator[Finding]:
    """Say which row of proposals, decisions, plans, people or rules is not what it is worked out to be again."""
    workspace = survey.workspace
    yield from (Finding("ledger", "", "error", one.line()) for one in hashchain.discrepancies(workspace))
    found: list[Discrepancy] = []
    for row in decisions.values():
        if row["record"]:
            found += [Discrepancy("decisions", str(row["n"]), what) for what in verify.of_decision(row)]
    for row in workspace.rows(sa.select(store.proposals)):
        found += [Discrepancy("proposals", row["id"], what) for what in verify.of_proposal(row)]
    for row in workspace.rows(sa.select(store.plans).where(~store.plans.c.id.startswith("undo-"))):
        found += verify.of_plan_row(row, decisions)
    for one in found:
        yield Finding("ledger", "", "error", one.line())
    for edit in edits:
        yield from (_about(edit, "error", what) for what in verify.of_edit(edit, decisions.get(edit["decision"])))


def _kept_head(survey: WikiSurvey) -> Iterator[Finding]:
    """Say whether the chain goes on from the head that somebody kept: if not, its newest links were cut off or made anew."""
    if not survey.head:
        return
    place, (length, _) = chain.place(survey.workspace, survey.head), chain.length(survey.workspace)
    if place < 0:
        what = f"no link has the head {survey.head} that was kept: links were cut off at the end, or made anew"
        yield Finding("ledger", "", "error", what)
    else:
        yield in_all("ledger", f"the kept head is link {place} of {length}: nothing before it was cut off or made anew")


def _unfounded(edit: Row, decision: Row | None) -> str:
    if decision is None:
        return "without a decision"
    if decision["proposal"] != edit["proposal"] or decision["hash"] != edit["hash"]:
        return f"on decision {decision['n']}, which is about other content"
    if decision["verdict"] != "approve":
        return f"on decision {decision['n']}, which says {decision['verdict']}"
    return ""


def _about(edit: Row, severity: Severity, what: str) -> Finding:
    return Finding("ledger", edit["qid"], severity, f"edit {edit['n']} {what}", f"statement {edit['guid']}")
