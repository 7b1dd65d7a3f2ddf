"""A reviewer's answers to a proposal beyond yes and no: another item, or an end without an edit.

Each answer is a decision like any other. None of these leads to a write: the other item's proposal is decided on by itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.propose.build import BuildResult
from bot.propose.other_item_proposals import build_for_item, queued_proposal
from bot.propose.stored_proposals import save_proposal
from bot.records import Decision, Item, Proposal, Statement
from bot.settings import Properties, Settings
from bot.store import Workspace, to_record
from bot.wikibase import is_item_id

ReadItem = Callable[[str], Item]  # as the wiki has it now; raises LookupFailed


@dataclass(frozen=True, slots=True)
class OtherItem:
    """The formula of a proposal for another item: a proposal that waits already, or one that is to be put into the queue."""

    qid: str
    waiting: Proposal | None
    built: BuildResult | None = None

    def enqueue(self, workspace: Workspace) -> str:
        """Put the new proposal into the queue, and return the id of what is to be decided on now; "" for nothing."""
        if self.waiting is not None:
            return self.waiting.id
        proposal = self.built.proposal if self.built else None
        if proposal is not None:
            save_proposal(workspace, proposal, datetime.now(UTC).date())
        return proposal.id if proposal else ""

    @property
    def reason_for_nothing(self) -> Message | None:
        """Why there is nothing to decide on for the other item."""
        if self.waiting is not None or self.built is None:
            return None
        return self.built.refused.detail if self.built.refused else self.built.reason_for_nothing


def possible_answers(proposal: Proposal, item: Item, properties: Properties) -> tuple[str, ...]:
    """Return what can be answered on a proposal, the answers that lead to an edit or to an end first."""
    found = ["approve"] if proposal.kind != "flag" and proposal.references else []
    found += ["other_item"] if proposal.runners_up else []
    found += ["by_hand", "leave"]
    found += ["item_wrong"] if item.live_statements(properties.defining_formula) else []
    return (*found, "reject", "unsure", "skip")


def stored_item(workspace: Workspace, qid: str) -> Item:
    """Return an item as the workspace last read it; one that it never read has its id only."""
    rows = workspace.rows(sa.select(store.items.c.record).where(store.items.c.qid == qid))
    return to_record(Item, rows[0]["record"], f"items {qid}") if rows else Item(qid)


def other_item(workspace: Workspace, settings: Settings, proposal: Proposal, qid: str, read: ReadItem) -> OtherItem:
    """Return the formula of a proposal for another item. Raises ReviewError where that item is none, BotError where it cannot be read."""
    if (waiting := queued_proposal(workspace, qid, proposal.tex)) is not None:
        return OtherItem(qid, waiting)
    item = existing_item(workspace, qid, read, proposal.id)
    return OtherItem(qid, None, build_for_item(workspace, settings, proposal, item, datetime.now(UTC).date()))


def existing_item(workspace: Workspace, qid: str, read: ReadItem, where: str) -> Item:
    """Return an item that a person names, read where the workspace does not have it. Raises ReviewError where it is none."""
    item = stored_item(workspace, qid)
    item = item if item.revision else read(qid)
    if item.missing or item.redirect:
        raise ReviewError(Message("error.no_item", qid=qid), where=where)
    return item


def complete_decision(
    workspace: Workspace, settings: Settings, proposal: Proposal, decision: Decision, read: ReadItem
) -> tuple[Decision, OtherItem | None]:
    """Return a decision with what a person cannot say of it looked up on the wiki, and the other item that it names.

    Raises ReviewError where the item has not been changed by hand or has no such statement, and BotError where the wiki
    cannot be asked.
    """
    answer, about = (decision.verdict, decision.reason), decision.about
    if answer == ("close", "by_hand"):
        before, item = stored_item(workspace, proposal.qid), read(proposal.qid)
        revision = revision_of_manual_edit(proposal, before, item, settings.wiki.properties)
        return replace(decision, about=str(revision)), None
    if answer == ("close", "item_wrong"):
        return replace(decision, about=_formula_statement(workspace, settings, proposal, about)), None
    if answer != ("reject", "wrong_item") or not is_item_id(about) or about == proposal.qid:
        return decision, None
    return decision, other_item(workspace, settings, proposal, about, read)


def _formula_statement(workspace: Workspace, settings: Settings, proposal: Proposal, guid: str) -> str:
    """Return the GUID as the item has it, of its formula with this GUID in any case. Raises ReviewError where it has none."""
    item = stored_item(workspace, proposal.qid)
    known = [s.guid for s in item.live_statements(settings.wiki.properties.defining_formula)]
    if found := next((each for each in known if each.upper() == guid.upper()), ""):
        return found
    why = Message("error.no_statement", guid=guid[:80], qid=proposal.qid)
    raise ReviewError(why, where=proposal.id, todo="known" if known else "", known=", ".join(known))


def revision_of_manual_edit(proposal: Proposal, before: Item, item: Item, properties: Properties) -> int:
    """Return the item's revision where its formulas, their ranks or references are other ones than when it was proposed.

    Raises ReviewError where they are the same: nobody has changed them yet.
    """
    now, then = _statement_values(item, properties), _statement_values(before, properties)
    if item.revision <= proposal.base_revision or now == then:
        unchanged = Message("error.not_by_hand", revision=str(item.revision))
        raise ReviewError(unchanged, where=proposal.id, todo="edit_first")
    return item.revision


def _statement_values(item: Item, properties: Properties) -> set[Statement]:
    return {s for s in item.statements if s.property == properties.defining_formula}
