"""The plan: exactly what would be sent, what the item says before and after, and what is refused already.

Decision + fresh entity JSON -> Entry. A plan is stored under the digest of its entries; only a stored plan is applied.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable

from bot.errors import WriteRefused
from bot.lookup import Client
from bot.lookup.entities import snak_value, statement_from, to_item
from bot.messages import Message
from bot.propose import own_claims
from bot.propose.diff import difference, existing_claims
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, EditOutcome, Item, Proposal, Reference, Statement, as_json, digest
from bot.review import State, queue
from bot.review.decide import approved_references
from bot.review.proposal_state import decision_of
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.wikibase import Json
from bot.write import concurrent_edit, item_state, ledger, payload, plans, verify
from bot.write.entry import Plan, PlanEntry

Approval = tuple[Proposal, Decision, int]  # with the number of the decision


def estimated_duration(edits: int, wiki: Wiki, settings: Settings) -> Message:
    """Return how long so many edits take at the pace of the settings."""
    gap = 0.2 if wiki.sandbox else max(settings.writing.seconds_between_edits, 0.2)
    seconds, cap = edits * gap, settings.writing.edits_a_day
    if not wiki.sandbox and edits > cap > 0:
        return Message("takes.days", n=-(-edits // cap), cap=cap)
    for size, unit in ((3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return Message(f"takes.{unit}", n=round(seconds / size))
    return Message("takes.seconds", n=max(1, round(seconds))) if edits else Message("takes.nothing")


def make_plan(workspace: Workspace, client: Client, wiki: Wiki, settings: Settings) -> Plan:
    """Plan every approved proposal that is not written yet, on the items as they are now; store and return the plan.

    It is built from what the decisions stored. Nothing is sent. The same decisions on the same items give the same plan.
    Raises LookupFailed where the wiki gives no trustworthy answer, WriteRefused where the database was changed past the commands.
    """
    verify.refuse_if_any(verify.workspace_discrepancies(workspace))
    verify.refuse_if_any(verify.approved_proposal_discrepancies(workspace))
    ledger.close_sent_attempts(workspace, client.raw_entities)
    approved = _approvals(workspace)
    verify.refuse_if_any(verify.approval_discrepancies(workspace, (n for _, _, n in approved)))
    rows = verify.decision_rows(workspace, (n for _, _, n in approved))
    entities = client.raw_entities(sorted({p.qid for p, _, _ in approved})) if approved else {}
    entries: list[PlanEntry] = []
    refused: list[tuple[str, Message]] = []
    own_claims_of_workspace = own_claims.written_claims(workspace)
    for proposal, decision, number in sorted(approved, key=lambda one: one[0].kind == "symbol"):
        try:
            verify.check_rehearsal_only(rows[number], wiki)
            entries += _entries(
                (proposal, decision, number), entities.get(proposal.qid), wiki, own_claims_of_workspace, entries
            )
        except WriteRefused as error:
            refused.append((proposal.id, error.message))
    entries = _symbols_after_formulas(entries)
    group = plans.group_of_unfinished_run(workspace, wiki, entries)
    group = group or digest(wiki.name, [e.statement for e in entries], length=12)
    summarised = tuple(_with_summaries(entry, group, settings) for entry in entries)
    id_ = verify.plan_id(wiki.name, group, summarised, refused)
    created = plans.next_moment(workspace)
    plan = Plan(id_, wiki.name, group, summarised, tuple(refused), created)
    plans.store_record(workspace, plan.id, plan.wiki, plan.group, plan.created, as_json(plan))
    return plan


def _with_summaries(entry: PlanEntry, group: str, settings: Settings) -> PlanEntry:
    summary, otherwise = verify.edit_summaries(entry, group, settings)
    return dataclasses.replace(entry, summary=summary, otherwise_summary=otherwise)


def _approvals(workspace: Workspace) -> list[Approval]:
    """Return what is approved and not written, the likeliest first, then what a killed run left half done."""
    found = [row for row in queue(workspace, "approved") if row.decision]
    found += [row for row in queue(workspace, "written") if row.decision and row.decision.verdict == "approve"]
    rows = verify.decision_rows(workspace, (row.number for row in found))
    approvals: list[Approval] = []
    for row in found:
        record = rows[row.number]["record"] or as_json(row.proposal)
        approval = (proposal_from_record(record, f"decisions {row.number}"), decision_of(rows[row.number]), row.number)
        if row.state is State.APPROVED or _is_partly_sent(workspace, *approval):
            approvals.append(approval)
    return approvals


def _is_partly_sent(workspace: Workspace, proposal: Proposal, decision: Decision, number: int) -> bool:
    """Say whether some references were sent and others not, since the run was killed between them."""
    rows = ledger.ledger_rows(workspace, decision=number)
    done = [a.payload for a in rows if a.payload and a.outcome != EditOutcome.FAILED]
    if not done or any("mainsnak" in payload_ for payload_ in done):
        return False
    return any(one not in done for one in verify.approved_payloads(decision, proposal))


def _entries(
    approval: Approval, entity: Json | None, wiki: Wiki, own_values: dict[str, str], planned: list[PlanEntry]
) -> list[PlanEntry]:
    proposal, decision, number = approval
    if not entity or (item := to_item(proposal.qid, entity, wiki.properties, (wiki.language,))).missing:
        raise WriteRefused(Message("refused.missing", qid=proposal.qid))
    if item.redirect:
        raise WriteRefused(Message("refused.merged", qid=proposal.qid, target=item.redirect))
    ids = wiki.properties
    if ids.disambiguation_class in item.classes:  # it was none when it was proposed
        raise WriteRefused(Message("check.item.disambiguation"))
    verify.check_property(proposal, wiki)
    tex = decision.tex or proposal.tex
    references = approved_references(decision, proposal)
    then = _item_after(item, planned)
    if proposal.kind == "symbol":
        return _symbol_entries(approval, entity, then, wiki, references)
    values = own_values | {e.statement: snak_value(e.payload["mainsnak"]) for e in planned if e.kind == "new_claim"}
    kind, statement, references = _planned_edit(
        proposal, tex, references, then, wiki, own_claims.own_claims_on(then, values)
    )
    edited_from = proposal.tex if decision.tex and decision.tex != proposal.tex else ""
    about = next((s.value for s in then.statements if s.guid == statement), "")
    plain = _plain_entry(approval, entity, item, item.statements)
    base = dataclasses.replace(plain, kind=kind, statement=statement, edited_from=edited_from, about=about)
    if kind == "new_claim":
        guid = payload.guid(proposal.qid, wiki.name, proposal.id, decision.hash, number)
        claim = payload.claim(guid, proposal.property, tex, references)
        # If somebody else adds the same formula before this is carried out, the sources alone are sent.
        return [dataclasses.replace(base, statement=guid, payload=claim, otherwise=tuple(claim["references"]))]
    if kind == "already_there":
        return [base]
    return [dataclasses.replace(base, payload=payload.reference(r)) for r in references]


def _symbol_entries(
    approval: Approval, entity: Json, item: Item, wiki: Wiki, references: tuple[Reference, ...]
) -> list[PlanEntry]:
    """Plan what a symbol represents; nothing while its formula is neither on the item nor planned: the approval waits.

    Raises WriteRefused where the item says since the review what this symbol, or another one for the same, represents.
    """
    ids, (proposal, decision, number) = wiki.properties, approval
    formulas = item.live_statements(ids.defining_formula)
    if not any(own_claims.is_same_value(s.value, proposal.formula) for s in formulas):
        return []
    live = item.live_statements(proposal.property)
    represented = tuple((property_id, value) for property_id, _, value in proposal.qualifiers)
    stated = [s for s in live if s.value == proposal.tex or set(represented) & set(s.qualifiers)]
    existing = next((s for s in stated if s.value == proposal.tex and set(represented) <= set(s.qualifiers)), None)
    if stated and existing is None:
        raise WriteRefused(Message("refused.symbol_told", tex=stated[0].value))
    guid = payload.guid(proposal.qid, wiki.name, proposal.id, decision.hash, number)
    plain = _plain_entry(approval, entity, item, live)
    if existing:
        return [dataclasses.replace(plain, statement=existing.guid, about=proposal.formula)]
    claim = payload.claim(guid, proposal.property, proposal.tex, references, proposal.qualifiers)
    return [dataclasses.replace(plain, kind="symbol", statement=guid, payload=claim, about=proposal.formula)]


def _plain_entry(approval: Approval, entity: Json, item: Item, live: Iterable[Statement]) -> PlanEntry:
    """Return the entry of a decision with nothing to send; `live` are the statements that are shown as there already."""
    proposal, decision, number = approval
    return PlanEntry(
        proposal=proposal.id,
        hash=decision.hash,
        decision=number,
        reviewer=decision.reviewer,
        qid=proposal.qid,
        kind="already_there",
        statement="",
        payload={},
        revision=item.revision,
        before=item_state.fingerprint(entity),
        standing=tuple(f"{s.value} ({s.rank})" for s in live if s.property == proposal.property),
        summary="",
        label=item.label,
    )


def _symbols_after_formulas(entries: list[PlanEntry]) -> list[PlanEntry]:
    """Return the entries with each symbol behind its formula, or behind the other symbols of it: they are one edit."""
    symbols: dict[tuple[str, str], list[PlanEntry]] = defaultdict(list)
    for entry in entries:
        if entry.kind == "symbol":
            symbols[entry.qid, entry.formula].append(entry)
    found: list[PlanEntry] = []
    for entry in entries:
        if entry.kind != "symbol":
            found.append(entry)
            found += symbols.pop((entry.qid, entry.formula), ()) if entry.kind == "new_claim" else ()
    return found + [entry for rest in symbols.values() for entry in rest]


def _item_after(item: Item, planned: list[PlanEntry]) -> Item:
    """Return the item as it will be once the claims that are planned for it are written."""
    claims = tuple(statement_from(e.payload) for e in planned if e.adds_claim and e.qid == item.qid)
    return dataclasses.replace(item, statements=item.statements + claims)


def _planned_edit(
    proposal: Proposal, tex: str, references: tuple[Reference, ...], item: Item, wiki: Wiki, own_guids: frozenset[str]
) -> tuple[str, str, tuple[Reference, ...]]:
    """Compare once more with what stands now: (kind, statement's GUID, references left to say).

    Raises WriteRefused where the item has moved on since the review.
    """
    found = difference(item, existing_claims(item, tex, wiki.properties), references, wiki.properties, own_guids)
    guid = found.statement.guid if found.statement else ""
    unseen = not set(found.beside) <= set(proposal.beside)  # the item has a formula that the reviewer did not see
    if found.kind == "flag" or unseen:
        raise WriteRefused(Message("refused.item_differs", why=found.why))
    if proposal.kind == "add_reference" and guid != proposal.statement:
        raise WriteRefused(Message("refused.statement_gone"))
    if found.kind == "nothing":
        return "already_there", guid, ()
    if proposal.kind == "new_claim" and found.statement:
        origin = concurrent_edit.APPROVED_BEFORE if guid in own_guids else concurrent_edit.ADDED_BY_ANOTHER
        _check_same_statement(found.statement, tex, origin)
    return found.kind, guid, found.references


def _check_same_statement(standing_: Statement, tex: str, origin: Message) -> None:
    """The claim exists already, and only the sources are left to say: on what was approved, not on what is like it."""
    if not own_claims.is_same_value(standing_.value, tex):
        raise WriteRefused(Message("refused.other_marks", how=origin, tex=standing_.value))
    if standing_.qualifiers:
        raise WriteRefused(Message("refused.qualifiers", how=origin))
