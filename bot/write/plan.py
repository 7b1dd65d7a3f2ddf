"""The plan: exactly what would be sent, what the item says before and after, and what is refused already.

Decision + fresh entity JSON -> Entry. A plan is stored under the digest of its entries; only a stored plan is applied.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import WriteRefused
from bot.lookup import Client
from bot.lookup.entities import to_item
from bot.propose.diff import difference, standing
from bot.records import Decision, Item, Proposal, Reference, as_json, digest
from bot.review import approved_references, queue
from bot.settings import Settings, Wiki
from bot.store import Workspace, now
from bot.write import ledger, payload, state


@dataclass(frozen=True, slots=True)
class Entry:
    """One edit of a plan. `payload` is a whole claim, or one reference for the standing `statement`."""

    proposal: str
    hash: str
    decision: int
    reviewer: str
    qid: str
    kind: str  # new_claim, add_reference, or already_there: nothing is left to send
    statement: str  # GUID, made here for a new claim
    payload: dict[str, Any]
    revision: int
    before: dict[str, str]  # fingerprint of every statement of the item
    standing: tuple[str, ...]  # the TeX that stands there already, with ranks, for a person to read
    summary: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    id: str
    wiki: str
    group: str
    entries: tuple[Entry, ...]
    refused: tuple[tuple[str, str], ...]  # (proposal, why): back to review
    created: str = ""


def make_plan(workspace: Workspace, client: Client, wiki: Wiki, settings: Settings) -> Plan:
    """Plan every approved proposal that is not written yet, on the items as they are now; store and return the plan.

    Nothing is sent. The same decisions on the same items give the same plan.
    Raises LookupFailed where the wiki gives no trustworthy answer.
    """
    _settle(workspace, client)
    numbers = _numbers(workspace)
    approved = [(row.proposal, row.decision) for row in queue(workspace, "approved") if row.decision]
    approved += _half_done(workspace, numbers)
    entities = client.raw_entities(sorted({p.qid for p, _ in approved}), fresh=True) if approved else {}
    entries: list[Entry] = []
    refused: list[tuple[str, str]] = []
    for proposal, decision in approved:
        try:
            entries += _entries(proposal, decision, numbers[proposal.id], entities.get(proposal.qid), wiki)
        except WriteRefused as error:
            refused.append((proposal.id, error.what))
    group = digest(wiki.name, [e.statement for e in entries], length=12)
    summarised = tuple(dataclasses.replace(e, summary=summary(e, group, settings)) for e in entries)
    plan = Plan(digest(wiki.name, summarised, length=16), wiki.name, group, summarised, tuple(refused), now())
    _store(workspace, plan)
    return plan


def load_plan(workspace: Workspace, plan_id: str = "") -> Plan | None:
    """Return a stored plan by id, or the newest; None where there is none."""
    table = store.plans
    query = sa.select(table.c.record)
    query = query.where(table.c.id == plan_id) if plan_id else query
    rows = workspace.rows(query.order_by(table.c.created.desc()).limit(1))
    return _plan(rows[0]["record"]) if rows else None


def summary(entry: Entry, group: str, settings: Settings) -> str:
    """Return the edit summary: what, why, the task page, and the edit group at the end (convention of EditGroups)."""
    task = f"[[{settings.writing.task}]]" if settings.writing.task else "rehearsal"
    what = "add formula with its source" if entry.kind == "new_claim" else "add a source to the formula"
    return f"{what}, approved by {entry.reviewer}, {task} ([[:toolforge:editgroups/b/CB/{group}|details]])"


def _settle(workspace: Workspace, client: Client) -> None:
    """Close the attempts of a run that was killed after sending: what they name is on the item."""
    rows = ledger.attempts(workspace, outcome=ledger.OPEN)
    entities = client.raw_entities(sorted({row["qid"] for row in rows}), fresh=True) if rows else {}
    for row in rows:
        entity = entities.get(row["qid"]) or {}
        if state.holds(entity, row["guid"], row["payload"] or {}):
            ledger.close(workspace, row["n"], "written", revision=entity["lastrevid"], reason="found on the item")


def _half_done(workspace: Workspace, numbers: dict[str, int]) -> list[tuple[Proposal, Decision]]:
    """Return the proposals of which some references were sent and others not, since the run was killed between them."""
    found = []
    for row in queue(workspace, "written"):
        if row.decision is None or row.decision.verdict != "approve":
            continue
        done = [a["payload"] for a in ledger.attempts(workspace, decision=numbers[row.proposal.id]) if a["payload"]]
        if not done or any("mainsnak" in payload_ for payload_ in done):
            continue
        wanted = [row.proposal.references[i] for i in approved_references(row.decision, row.proposal)]
        if any(payload.reference(r) not in done for r in wanted):
            found.append((row.proposal, row.decision))
    return found


def _entries(proposal: Proposal, decision: Decision, number: int, entity: Any, wiki: Wiki) -> list[Entry]:
    item = to_item(proposal.qid, entity, wiki.properties, (wiki.language,)) if entity else None
    if item is None or item.missing:
        raise WriteRefused(f"{proposal.qid} does not exist any more")
    if item.redirect:
        raise WriteRefused(f"{proposal.qid} was merged into {item.redirect}; its statements have other GUIDs there")
    tex = decision.tex or proposal.tex
    references = tuple(proposal.references[i] for i in approved_references(decision, proposal))
    kind, statement, references = _what_to_do(proposal, tex, references, item, wiki)
    base = Entry(
        proposal=proposal.id,
        hash=decision.hash,
        decision=number,
        reviewer=decision.reviewer,
        qid=proposal.qid,
        kind=kind,
        statement=statement,
        payload={},
        revision=item.revision,
        before=state.fingerprint(entity),
        standing=tuple(f"{s.value} ({s.rank})" for s in item.statements if s.property == proposal.property),
        summary="",
        label=item.label,
    )
    if kind == "new_claim":
        guid = payload.guid(proposal.qid, wiki.name, proposal.id, decision.hash, number)
        claim = payload.claim(guid, proposal.property, tex, references)
        return [dataclasses.replace(base, statement=guid, payload=claim)]
    if kind == "already_there":
        return [base]
    return [dataclasses.replace(base, payload=payload.reference(r)) for r in references]


def _what_to_do(
    proposal: Proposal, tex: str, references: tuple[Reference, ...], item: Item, wiki: Wiki
) -> tuple[str, str, tuple[Reference, ...]]:
    """Compare once more with what stands now: (kind, statement's GUID, references left to say).

    Raises WriteRefused where the item has moved on since the review.
    """
    found = difference(item, standing(item, tex, wiki.properties), references, wiki.properties)
    guid = found.statement.guid if found.statement else ""
    if found.kind == "flag":
        raise WriteRefused(f"the item has changed: {found.why}")
    if proposal.kind == "add_reference" and guid != proposal.statement:
        raise WriteRefused("the statement that was to get the source is gone or says something else")
    if found.kind == "nothing":
        return "already_there", guid, ()
    return found.kind, guid, found.references  # another hand was faster: only the sources are left to say


def _numbers(workspace: Workspace) -> dict[str, int]:
    query = sa.select(store.decisions.c.proposal, sa.func.max(store.decisions.c.n)).where(
        store.decisions.c.verdict == "approve"
    )
    with workspace.engine.connect() as db:
        return {row[0]: row[1] for row in db.execute(query.group_by(store.decisions.c.proposal))}


def _store(workspace: Workspace, plan: Plan) -> None:
    table = store.plans
    record = as_json(plan)
    with workspace.engine.begin() as db:
        db.execute(table.delete().where(table.c.id == plan.id))
        db.execute(
            table.insert().values(id=plan.id, created=plan.created, wiki=plan.wiki, group=plan.group, record=record)
        )


def _plan(record: dict[str, Any]) -> Plan:
    entries = tuple(Entry(**{**e, "standing": tuple(e["standing"])}) for e in record["entries"])
    refused = tuple((p, why) for p, why in record["refused"])
    return Plan(record["id"], record["wiki"], record["group"], entries, refused, record["created"])
