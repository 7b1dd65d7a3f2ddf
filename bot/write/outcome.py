"""The outcome of a plan by the ledger: planned = written + already there + refused + failed. As text, JSON and HTML.

It is available at any time, also for a run that was stopped or killed: entries not reached count as failed.
"""

import json
from collections import Counter

from bot import hashchain as chain
from bot.console import localised, table, write_json
from bot.messages import Message, from_json, joined_message, to_json
from bot.records import Edit, EditOutcome, as_json
from bot.store import Row, Workspace
from bot.write import ledger
from bot.write.entry import Plan, PlanEntry, outcome_of
from bot.write.plan_report import addition_line, load_template
from bot.write.plans import rows_by_decision


def outcome_rows(workspace: Workspace, plan: Plan) -> list[Row]:
    """Return a row for each entry: proposal, item with its label, GUID, outcome, reason, edit, revision, attempts."""
    rows = rows_by_decision(workspace)
    return [_outcome_row(entry, rows.get(entry.decision, [])) for entry in plan.entries]


def outcome_counts(workspace: Workspace, plan: Plan, rows: list[Row]) -> Row:
    """Return the counts, and the head of the hash chain; kept elsewhere, it can prove later that no link was cut off."""
    counts = Counter(one["outcome"] for one in rows)
    with workspace.engine.connect() as db:
        head = chain.head(db)
    columns = {"plan": plan.id, "group": plan.group, "planned": len(rows)}
    source_only, refused = sum(one["kind"] == "source_only" for one in rows), len(plan.refused)
    outcomes: Row = {name: counts[name] for name in ledger.OUTCOMES}
    return {**columns, **outcomes, "source_only": source_only, "back_to_review": refused, "chain": head}


HEADINGS = ("item", "outcome", "formula_or_reference", "reason")


def save_outcome(
    workspace: Workspace, plan: Plan, stopped: Message | None = None, language: str = "en"
) -> tuple[list[Row], Row]:
    """Save the outcome as reports/write-outcome.{txt,json,html}, the page in a language; return its rows and counts.

    `stopped` says why a run ended early. A plan of nothing leaves the saved outcome of the run before as it is.
    """
    rows, stop_reason = outcome_rows(workspace, plan), str(stopped or "")
    counts = outcome_counts(workspace, plan, rows)
    if not plan.entries and not plan.refused:
        return rows, counts
    path = workspace.reports / "write-outcome.html"
    rows_ = [(entry, one, outcome_remark(entry, one)) for entry, one in zip(plan.entries, rows, strict=True)]
    page = load_template("outcome.html", language, plan=plan, counts=counts, rows=rows_, stopped=stopped)
    path.write_text(page, encoding="utf-8")
    whole = as_json({**counts, "stopped": stop_reason, "edits": rows})
    path.with_suffix(".json").write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    with path.with_suffix(".txt").open("w", encoding="utf-8") as file:
        table("write", HEADINGS, _table_rows(rows), file=file, language=language)
        file.write(f"{_line(counts)}\n{stop_reason}\n" if stopped else f"{_line(counts)}\n")
    return rows, counts


def print_outcome(
    workspace: Workspace, plan: Plan, as_json_: bool, stopped: Message | None = None, language: str = "en"
) -> None:
    """Save the outcome and print it.

    A run that was stopped before it tried anything prints nothing: its one line says all.
    """
    rows, counts = save_outcome(workspace, plan, stopped, language)
    whole = {**counts, "stopped": str(stopped or ""), "edits": rows}
    if not plan.entries and not plan.refused:
        write_json(whole) if as_json_ else print(f"{localised(Message('told.nothing_approved'))}: {_line(counts)}")
        return
    if stopped and not any(one["attempts"] for one in rows):
        return
    if as_json_:
        write_json(whole)
        return
    table("write", HEADINGS, _table_rows(rows))
    print(_line(counts))


def _table_rows(rows: list[Row]) -> list[tuple[str, ...]]:
    remarks = ("; ".join(filter(None, (one["edited"], one["reason"]))) for one in rows)
    items = (f"{one['qid']} {one['label']}".rstrip() for one in rows)
    return [(item, one["outcome"], one["adds"], remark) for item, one, remark in zip(items, rows, remarks, strict=True)]


def _line(counts: Row) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items())


def outcome_remark(entry: PlanEntry, one: Row) -> Message:
    """Return the remark on an outcome: that the formula was edited, and the reason."""
    return joined_message(*filter(None, (entry.edit_note, from_json(one["message"]) if one["reason"] else None)))


def _outcome_row(entry: PlanEntry, rows: list[Edit]) -> Row:
    found = outcome_of(entry, rows)
    values: Row = {"proposal": entry.proposal, "qid": entry.qid, "guid": entry.statement, "kind": entry.kind}
    values |= {"label": entry.label, "adds": str(addition_line(entry)), "attempts": found.attempts}
    values |= {"edited": str(entry.edit_note or ""), "edited_from": entry.edited_from}
    if found.row is None:
        values |= _reason_columns(Message("ended.not_reached"))
        return {**values, "outcome": EditOutcome.FAILED, "edit": 0, "revision": 0}
    if found.source_only:
        values |= {"guid": found.row.guid, "kind": "source_only"}
    open_ = found.row.outcome == EditOutcome.PENDING
    values |= _reason_columns(Message("ended.begun") if open_ else found.reason)
    outcome = found.outcome or EditOutcome.FAILED
    return {**values, "outcome": outcome, "edit": found.row.n, "revision": found.row.revision}


def _reason_columns(reason: Message) -> Row:
    return {"reason": str(reason), "message": to_json(reason)}
