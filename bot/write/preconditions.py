"""What must hold before an edit: its approval still counts, the item is as planned on, and nobody took the edit back.

Everything here reads; WriteRefused says why an entry goes back to review.
"""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import WriteRefused, WriteStopped
from bot.lookup.entities import snak_value
from bot.messages import Message
from bot.propose import own_claims
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Edit, EditOutcome
from bot.review.proposal_state import Status, statuses
from bot.settings import Wiki
from bot.store import Row, Workspace
from bot.write import concurrent_edit, item_state, ledger, proof, verify
from bot.write.entry import Plan, PlanEntry, is_attempt_of, is_source_attempt_of
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, Revision, WikiRefusal, WikiSession

T = TypeVar("T")
_OUTCOMES_ON_ITEM = (EditOutcome.WRITTEN, EditOutcome.PENDING)
_MAX_REVISIONS = 200  # chosen: of one item between review and writing; more than that wants a new review


class _Decisions:
    """The valid decision on each proposal, read again after any new decision or change of people or rules."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._newest: tuple[int, int] | None = None  # decision, and link about decisions, people or rules
        self._known: dict[str, Status] = {}

    def get(self, proposal: str) -> Row | None:
        with self._workspace.engine.connect() as db:
            last = db.execute(sa.select(sa.func.max(store.decisions.c.n))).scalar_one() or 0
            newest = (int(last), hashchain.newest_decision_link(db))
        if newest != self._newest:
            self._known, self._newest = statuses(self._workspace), newest
        found = self._known.get(proposal)
        return dict(found.decision) if found and found.decision else None


def _has_addition(entity: Entity, entry: PlanEntry, undone: list[Edit]) -> bool:
    """Say whether an item has what an entry adds, in whatever statement if that is a claim, and not from an edit that was undone."""
    if not entry.adds_claim:
        ours = any(is_attempt_of(row, entry) for row in undone)
        return not ours and item_state.contains(entity, entry.statement, entry.payload)
    snak = entry.payload["mainsnak"]
    found = concurrent_edit.claims_with(entity, snak["property"], snak_value(snak))
    return bool({one["id"] for one in found} - {row.guid for row in undone})


class Preconditions:
    """The ledger, the decisions and the wiki as one plan sees them."""

    def __init__(self, workspace: Workspace, plan: Plan, session: WikiSession, policy: WikiPolicy, wiki: Wiki) -> None:
        self.workspace, self.plan, self.session, self.policy = workspace, plan, session, policy
        self.wiki, self.properties, self.decisions = wiki, wiki.properties, _Decisions(workspace)
        rows = verify.decision_rows(workspace, (entry.decision for entry in plan.entries))
        self.decision_digests = {n: hashchain.decision_digest(row) for n, row in rows.items()}
        self.shown_revisions = {n: int(row["record"].get("base_revision", 0)) for n, row in rows.items()}

    def read(self, entry: PlanEntry) -> Entity:
        """Read the item. Raises WriteRefused where it is deleted or merged, WikiRefusal where the wiki does not answer."""
        found = self._ask(partial(self.session.entity, entry.qid))
        if "redirects" in found or found.get("id") != entry.qid:
            raise WriteRefused(Message("refused.redirect", qid=entry.qid))
        return found

    def _ask(self, read: Callable[[], T]) -> T:
        """Read from the wiki. Raises WriteRefused for what cannot be read of this item, else WikiRefusal."""
        try:
            return self.policy.read_with_retries(read, self.session)
        except WikiRefusal as refusal:
            if refusal.kind == "item":
                raise WriteRefused(refusal.message) from None
            raise

    def check_decision(self, entry: PlanEntry) -> None:
        """Raise WriteRefused unless this approval is the decision that counts, and the proposal still has the content approved."""
        columns = store.proposals.c
        decision = self.decisions.get(entry.proposal)
        approved = decision is not None and decision["verdict"] == "approve" and decision["hash"] == entry.hash
        if not approved or decision is None or decision["n"] != entry.decision:
            raise WriteRefused(Message("refused.not_approved"))
        self._check_unchanged(entry)
        rows = self.workspace.rows(sa.select(columns.hash).where(columns.id == entry.proposal))
        if [row["hash"] for row in rows] != [entry.hash]:
            raise WriteRefused(Message("refused.proposal_changed"))

    def _check_unchanged(self, entry: PlanEntry) -> None:
        """Raises WriteStopped where the decision or the entry was changed while the plan is carried out."""
        row = verify.decision_rows(self.workspace, [entry.decision]).get(entry.decision)
        changed = row is None or hashchain.decision_digest(row) != self.decision_digests.get(entry.decision)
        if changed or row is None:
            raise WriteStopped(Message("stopped.decision_changed", decision=entry.decision), where=entry.qid)
        verify.check_rehearsal_only(row, self.wiki)
        verify.check_property(proposal_from_record(row["record"], f"decisions {entry.decision}"), self.wiki)

    def check_item(self, entry: PlanEntry, before: Entity, ignored: str = "") -> None:
        """Compare with the state that was planned on, leaving out `ignored` and what was written from approvals since.

        An approval of another plan that was carried out in between is not a change by somebody else.
        """
        if changed := item_state.changed_since_plan(entry.before, before, ()) - {ignored}:
            rows = [r for r in ledger.ledger_rows(self.workspace, item=entry.qid) if r.outcome in _OUTCOMES_ON_ITEM]
            changed = item_state.changed_since_plan(entry.before, before, [(r.guid, r.payload) for r in rows]) - {
                ignored
            }
        if changed:
            raise WriteRefused(Message("refused.item_changed", n=len(changed)))

    def check_symbol(self, entry: PlanEntry, before: Entity, first: PlanEntry) -> None:
        """Raise WriteRefused where the formula of a symbol neither stands on the item nor is in the edit that begins with `first`.

        Where somebody else has added the formula since the plan, the item may have changed by that statement alone.
        """
        formulas = concurrent_edit.statements_with_formula(before, entry)
        if not formulas and (first.kind != "new_claim" or not own_claims.is_same_value(first.formula, entry.formula)):
            raise WriteRefused(Message("refused.no_formula"))
        self._check_not_removed(entry, before)
        foreign_claim = next((guid for guid in formulas if guid not in entry.before), "")
        self.check_item(entry, before, ignored=foreign_claim)

    def remaining_sources(self, entry: PlanEntry, before: Entity) -> list[PlanEntry] | None:
        """Return the sources that are left where somebody else made the planned claim since the plan; None where nobody did.

        Raises WriteRefused where it was made and taken back, where it is not quite what was approved, or where more of the
        item has changed than that.
        """
        if entry.kind == "add_reference":
            self._check_not_removed(entry, before)
        if entry.kind != "new_claim":
            return None
        foreign_claim = concurrent_edit.same_claim(before, entry)
        if foreign_claim is None:
            self._check_not_removed(entry, before)
            return None
        self.check_item(entry, before, ignored=foreign_claim["id"])
        # it may be a claim of our own from another approval
        written_value = own_claims.written_claims(self.workspace).get(foreign_claim["id"])
        is_own = written_value is not None and own_claims.is_same_value(
            written_value, snak_value(foreign_claim["mainsnak"])
        )
        why = concurrent_edit.APPROVED_BEFORE if is_own else concurrent_edit.ADDED_BY_ANOTHER
        return concurrent_edit.remaining_sources(entry, before, foreign_claim, self.properties, why)

    def _check_not_removed(self, entry: PlanEntry, before: Entity) -> None:
        """Raise WriteRefused where what an entry adds was there since the item was read for review, and removed: people do not want it.

        A copy of the workspace from before its own edit finds that edit here. What the ledger says was undone does not count.
        """
        if any(is_source_attempt_of(row, entry) for row in self.attempts(entry)):
            raise WriteRefused(Message("refused.our_source_gone"))
        since = self.shown_revisions.get(entry.decision) or entry.revision
        if before["lastrevid"] <= since:
            return
        lines = self._ask(partial(self.session.history, entry.qid, since))
        if len(lines) > _MAX_REVISIONS:
            raise WriteRefused(Message("refused.edited_often", n=len(lines)))
        undone = [row for row in ledger.ledger_rows(self.workspace, item=entry.qid) if row.undone]
        if any(_has_addition(self._ask(partial(self.session.entity_at, line.id)), entry, undone) for line in lines):
            raise WriteRefused(Message("refused.taken_back"))

    def is_saved_meanwhile(self, entry: PlanEntry, rows: list[Edit]) -> bool:
        """Say whether an earlier attempt, found in the history, is on the item now though it was not when it was read.

        Raises WriteRefused where the history has it and the item has not: a person took it back.
        """
        if self._own_revision(entry, rows) is None:
            return False
        if self.is_on_item(self.read(entry), entry):
            return True
        raise WriteRefused(Message("refused.removed"))

    def revision_of(self, entry: PlanEntry, rows: list[Edit], before: Entity) -> int:
        """Return the revision that an earlier attempt made, or where nothing is known, the one it was seen in."""
        own = self._own_revision(entry, rows)
        return own.id if own else int(before["lastrevid"])

    def _own_revision(self, entry: PlanEntry, rows: list[Edit]) -> Revision | None:
        """Return the revision that an earlier attempt made, None where there was none or the history shows none."""
        if not rows:
            return None
        groups = (self.plan.group, *(row.group for row in rows))
        since = min(int(row.revision_before) for row in rows)
        return self.policy.read_with_retries(
            lambda: proof.find_own_revision(self.session, entry, since, groups), self.session
        )

    @staticmethod
    def is_on_item(entity: Entity, entry: PlanEntry) -> bool:
        return item_state.contains(entity, entry.statement, {} if entry.kind == "already_there" else entry.payload)

    def attempts(self, entry: PlanEntry) -> list[Edit]:
        return ledger.ledger_rows(self.workspace, decision=entry.decision)

    def rows(self, entry: PlanEntry) -> list[Edit]:
        return [row for row in self.attempts(entry) if is_attempt_of(row, entry)]

    def pending(self, entry: PlanEntry) -> Edit | None:
        """Return the open row of an entry, or of a source of it alone."""
        found = (row for row in self.attempts(entry) if is_attempt_of(row, entry) or is_source_attempt_of(row, entry))
        return next((row for row in found if row.outcome == EditOutcome.PENDING), None)
