"""Plans that were stored: kept under their digest, found again, and what of them is still to be sent."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import msgspec
import sqlalchemy as sa

from bot import store
from bot.errors import WorkspaceError
from bot.records import Edit, as_json
from bot.settings import Wiki
from bot.store import Row, Workspace, to_message
from bot.write import ledger
from bot.write.entry import Plan, PlanEntry, outcome_of

_MAX_PLANS = 20  # plans among which a run that was begun is looked for


def load_plan(workspace: Workspace, plan_id: str = "") -> Plan | None:
    """Return a stored plan by id, or the newest; None where there is none."""
    table = store.plans
    query = sa.select(table).where(~table.c.id.startswith("undo-"))
    query = query.where(table.c.id == plan_id) if plan_id else query
    rows = workspace.rows(query.order_by(table.c.created.desc()).limit(1))
    return plan_from_record(rows[0]["record"], rows[0]["id"]) if rows else None


def unfinished_plan(workspace: Workspace, wiki: Wiki) -> Plan | None:
    """Return the newest plan for this wiki if something of it is still to be sent."""
    plan = load_plan(workspace)
    return plan if plan and plan.wiki == wiki.name and unfinished_entries(workspace, plan) else None


def unfinished_entries(workspace: Workspace, plan: Plan) -> list[PlanEntry]:
    """Return the entries that have no final outcome yet: not reached, or failed."""
    rows = rows_by_decision(workspace)
    return [entry for entry in plan.entries if not outcome_of(entry, rows.get(entry.decision, ())).outcome]


def rows_by_decision(workspace: Workspace) -> dict[int, list[Edit]]:
    """Return decision number -> its ledger rows in order."""
    found: dict[int, list[Edit]] = defaultdict(list)
    for row in ledger.ledger_rows(workspace):
        found[row.decision].append(row)
    return found


def group_of_unfinished_run(workspace: Workspace, wiki: Wiki, entries: Sequence[PlanEntry]) -> str:
    """Return the edit group of a run that ended half-way and that these entries go on with, "" where there is none.

    However often a plan was made in between, what one run began ends in its group.
    """
    wanted = {entry.decision for entry in entries}
    started = {row.group for rows in rows_by_decision(workspace).values() for row in rows}
    table = store.plans
    query = sa.select(table).where(table.c.wiki == wiki.name, ~table.c.id.startswith("undo-"))
    for stored in workspace.rows(query.order_by(table.c.created.desc()).limit(_MAX_PLANS)):
        if stored["group"] not in started:
            continue
        try:
            plan = plan_from_record(stored["record"], stored["id"])
        except WorkspaceError:  # of another version: what it left is planned anew
            continue
        if wanted & {entry.decision for entry in unfinished_entries(workspace, plan)}:
            return plan.group
    return ""


def next_moment(workspace: Workspace) -> str:
    """Return the time of a new plan: now, and after every earlier plan, also where the clock was wrong then and set back since."""
    table, moment = store.plans, datetime.now(UTC)
    with workspace.engine.connect() as db:
        newest = db.scalar(sa.select(sa.func.max(table.c.created)).where(~table.c.id.startswith("undo-")))
    if newest:
        moment = max(moment, datetime.fromisoformat(newest).replace(tzinfo=UTC) + timedelta(microseconds=1))
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def store_record(workspace: Workspace, id_: str, wiki: str, group: str, created: str, record: object) -> None:
    """Store a plan under its digest; made again, it is the newest."""
    table = store.plans
    workspace.change(
        table.delete().where(table.c.id == id_),
        table.insert().values(id=id_, created=created, wiki=wiki, group=group, record=as_json(record)),
    )


def plan_from_record(record: Row, id_: str) -> Plan:
    """Return the Plan that `as_json` turned into plain values. Raises WorkspaceError for what is none."""
    try:
        if any(entry.keys() - PlanEntry.__slots__ for entry in record["entries"]):
            raise ValueError
        entries = [{name: value for name, value in entry.items() if name != "because"} for entry in record["entries"]]
        return msgspec.convert({**record, "entries": entries}, Plan, dec_hook=to_message)
    except (msgspec.ValidationError, TypeError, ValueError, KeyError, AttributeError):
        raise WorkspaceError("no_plan_record", where=f"plans {id_}", todo="new_plan") from None
