"""The plan: exactly what would be sent, what the item says before and after, and what is refused already.

Decision + fresh entity JSON -> Entry. A plan is stored under the digest of its entries; only a stored plan is applied.
"""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import WriteRefused
from bot.lookup import Client
from bot.lookup.entities import snak_value, statement_from, to_item
from bot.propose import own
from bot.propose.diff import difference, standing
from bot.records import Decision, Item, Proposal, Reference, Statement, as_json, digest
from bot.review import approved_references, queue
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.write import another, ledger, payload, plans, state
from bot.write.entry import Entry, Plan

_FIRST = "another approval of the same formula was first"


def estimate(edits: int, wiki: Wiki, settings: Settings) -> str:
    """Return in words how long so many edits take at the pace of the settings."""
    gap = 0.2 if wiki.sandbox else max(settings.writing.seconds_between_edits, 0.2)
    seconds, cap = edits * gap, settings.writing.edits_a_day
    if not wiki.sandbox and edits > cap > 0:
        return f"{-(-edits // cap)} days at {cap} edits a day"
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"about {seconds / size:.0f} {unit}"
    shown = max(1, round(seconds))
    return f"about {shown} second{'s' if shown > 1 else ''}" if edits else "no time"


def make_plan(workspace: Workspace, client: Client, wiki: Wiki, settings: Settings) -> Plan:
    """Plan every approved proposal that is not written yet, on the items as they are now; store and return the plan.

    Nothing is sent. The same decisions on the same items give the same plan.
    Raises LookupFailed where the wiki gives no trustworthy answer.
    """
    _settle(workspace, client)
    known = numbers(workspace)
    approved = [(row.proposal, row.decision) for row in queue(workspace, "approved") if row.decision]
    approved += _half_done(workspace, known)
    entities = client.raw_entities(sorted({p.qid for p, _ in approved}), fresh=True) if approved else {}
    entries: list[Entry] = []
    refused: list[tuple[str, str]] = []
    ours = own.written(workspace)
    for proposal, decision in approved:
        try:
            entity = entities.get(proposal.qid)
            entries += _entries(proposal, decision, known[proposal.id], entity, wiki, ours, entries)
        except WriteRefused as error:
            refused.append((proposal.id, error.what))
    group = plans.group_of_the_begun(workspace, wiki, entries)
    group = group or digest(wiki.name, [e.statement for e in entries], length=12)
    summarised = tuple(_summarised(e, group, settings) for e in entries)
    plan = Plan(digest(wiki.name, summarised, length=16), wiki.name, group, summarised, tuple(refused), _moment())
    plans.store_record(workspace, plan.id, plan.wiki, plan.group, plan.created, as_json(plan))
    return plan


def summary(kind: str, reviewer: str, group: str, settings: Settings) -> str:
    """Return the edit summary: what, why, the task page, and the edit group at the end (convention of EditGroups)."""
    task = f"[[{settings.writing.task}]]" if settings.writing.task else "rehearsal"
    what = "add formula with its source" if kind == "new_claim" else "add a source to the formula"
    return f"{what}, approved by {reviewer}, {task} ([[:toolforge:editgroups/b/CB/{group}|details]])"


def _summarised(entry: Entry, group: str, settings: Settings) -> Entry:
    second = summary("add_reference", entry.reviewer, group, settings) if entry.otherwise else ""
    first = summary(entry.kind, entry.reviewer, group, settings)
    return dataclasses.replace(entry, summary=first, otherwise_summary=second)


def _settle(workspace: Workspace, client: Client) -> None:
    """Close the attempts of a run that was killed after sending: what they name is on the item."""
    rows = ledger.attempts(workspace, outcome=ledger.OPEN)
    entities = client.raw_entities(sorted({row["qid"] for row in rows}), fresh=True) if rows else {}
    for row in rows:
        entity = entities.get(row["qid"]) or {}
        if state.holds(entity, row["guid"], row["payload"] or {}):
            ledger.close(workspace, row["n"], "written", revision=entity["lastrevid"], reason="found on the item")


def _half_done(workspace: Workspace, known: dict[str, int]) -> list[tuple[Proposal, Decision]]:
    """Return the proposals of which some references were sent and others not, since the run was killed between them."""
    found = []
    for row in queue(workspace, "written"):
        if row.decision is None or row.decision.verdict != "approve":
            continue
        rows = ledger.attempts(workspace, decision=known[row.proposal.id])
        done = [a["payload"] for a in rows if a["payload"] and a["outcome"] != "failed"]
        if not done or any("mainsnak" in payload_ for payload_ in done):
            continue
        wanted = [row.proposal.references[i] for i in approved_references(row.decision, row.proposal)]
        if any(payload.reference(r) not in done for r in wanted):
            found.append((row.proposal, row.decision))
    return found


def _entries(
    proposal: Proposal,
    decision: Decision,
    number: int,
    entity: Any,
    wiki: Wiki,
    ours: dict[str, str],
    planned: list[Entry],
) -> list[Entry]:
    item = to_item(proposal.qid, entity, wiki.properties, (wiki.language,)) if entity else None
    if item is None or item.missing:
        raise WriteRefused(f"{proposal.qid} does not exist any more")
    if item.redirect:
        raise WriteRefused(f"{proposal.qid} was merged into {item.redirect}; its statements have other GUIDs there")
    tex = decision.tex or proposal.tex
    references = tuple(proposal.references[i] for i in approved_references(decision, proposal))
    then = _after(item, planned)
    known = ours | {e.statement: snak_value(e.payload["mainsnak"]) for e in planned if e.kind == "new_claim"}
    kind, statement, references = _what_to_do(proposal, tex, references, then, wiki, own.on_item(then, known))
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
        about=next((s.value for s in then.statements if s.guid == statement), ""),
    )
    if kind == "new_claim":
        guid = payload.guid(proposal.qid, wiki.name, proposal.id, decision.hash, number)
        claim = payload.claim(guid, proposal.property, tex, references)
        # Should another hand set the same formula before this is carried out, the sources alone are left to say.
        return [dataclasses.replace(base, statement=guid, payload=claim, otherwise=tuple(claim["references"]))]
    if kind == "already_there":
        return [base]
    return [dataclasses.replace(base, payload=payload.reference(r)) for r in references]


def _after(item: Item, planned: list[Entry]) -> Item:
    """Return the item as it will be once the claims that are planned for it are written."""
    claims = tuple(statement_from(e.payload) for e in planned if e.kind == "new_claim" and e.qid == item.qid)
    return dataclasses.replace(item, statements=item.statements + claims)


def _what_to_do(
    proposal: Proposal, tex: str, references: tuple[Reference, ...], item: Item, wiki: Wiki, ours: frozenset[str]
) -> tuple[str, str, tuple[Reference, ...]]:
    """Compare once more with what stands now: (kind, statement's GUID, references left to say).

    Raises WriteRefused where the item has moved on since the review.
    """
    found = difference(item, standing(item, tex, wiki.properties), references, wiki.properties, ours)
    guid = found.statement.guid if found.statement else ""
    if found.kind == "flag":
        raise WriteRefused(f"the item has changed: {found.why}")
    if proposal.kind == "add_reference" and guid != proposal.statement:
        raise WriteRefused("the statement that was to get the source is gone or says something else")
    if found.kind == "nothing":
        return "already_there", guid, ()
    if proposal.kind == "new_claim" and found.statement:
        _is_the_approved(found.statement, tex, _FIRST if guid in ours else another.WHY)
    return found.kind, guid, found.references


def _is_the_approved(standing_: Statement, tex: str, why: str) -> None:
    """The claim exists already, and only the sources are left to say: on what was approved, not on what is like it."""
    if not own.same(standing_.value, tex):
        raise WriteRefused(f"{why} in other marks: {standing_.value}")
    if standing_.qualifiers:
        raise WriteRefused(f"{why} with qualifiers, which nobody has reviewed")


def numbers(workspace: Workspace) -> dict[str, int]:
    """Return proposal -> number of the newest approval."""
    query = sa.select(store.decisions.c.proposal, sa.func.max(store.decisions.c.n)).where(
        store.decisions.c.verdict == "approve"
    )
    with workspace.engine.connect() as db:
        return {row[0]: row[1] for row in db.execute(query.group_by(store.decisions.c.proposal))}


def _moment() -> str:
    """Return the time to the microsecond: two plans of one second have an order."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
