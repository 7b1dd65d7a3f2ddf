"""Carrying out a stored plan: each entry exactly once, each edit proved to have only added.

Order of one edit: turn -> decision still stands -> item read -> own GUID looked for -> item state as planned -> stop
page, exclusion, block, cap -> ledger row -> send, once -> item read again -> proof -> ledger row closed. Killed anywhere,
the next run finds the row and the GUID. A formula and its approved symbols are one edit with a row each. Where somebody else added the formula since the plan, its sources alone are sent.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import TypeAlias

import sqlalchemy as sa

from bot import store
from bot.errors import WriteRefused, WriteStopped
from bot.messages import Message, joined_message
from bot.records import Edit, EditOutcome, UndoState
from bot.review.proposal_state import statuses
from bot.settings import Settings, Wiki
from bot.store import Row, Workspace
from bot.write import concurrent_edit, ledger, proof, removal, verify
from bot.write.authorise import authorise
from bot.write.entry import Plan, PlanEntry, batches, outcome_of
from bot.write.pause import stop_if_paused
from bot.write.preconditions import Preconditions
from bot.write.rate_limit import WriteSlot, lock_account
from bot.write.session import account_folder, connect
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, WikiRefusal, WikiSession

AppliedEntry = tuple[PlanEntry, EditOutcome, str]  # entry, outcome, reason
EntryResult: TypeAlias = tuple[EditOutcome, Message]


def apply(
    workspace: Workspace,
    plan: Plan,
    wiki: Wiki,
    settings: Settings,
    *,
    session: WikiSession | None = None,
    policy: WikiPolicy | None = None,
    on_edit: Callable[[PlanEntry, EditOutcome], None] = lambda entry, outcome: None,
) -> list[AppliedEntry]:
    """Carry out `plan` and return each entry with its outcome; the caller holds the workspace's lock.

    What is done is not done again: applied a second time, a plan sends what failed or was not reached, and that alone.
    Raises WriteRefused where writing here is not allowed or paused, or the database was changed past the commands, and WriteStopped where the run must end: a stop page, a
    block, a cap, an unknown answer, repeated failures, another writer, or an item that did not only gain what was
    planned. What was done until then is in the ledger.
    """
    authorise(wiki, settings)
    stop_if_paused(workspace)
    if plan.wiki != wiki.name:
        raise WriteRefused(Message("refused.wiki", plan=plan.wiki, wiki=wiki.name), todo="new_plan")
    _verify(workspace, plan, settings)
    home = workspace.path / "pywikibot"
    folder = account_folder(wiki, settings, home)
    session = session or connect(wiki, settings, home)
    policy = policy or WikiPolicy(workspace, settings, wiki, folder)
    done: list[AppliedEntry] = []
    with lock_account(folder):
        checks = Preconditions(workspace, plan, session, policy, wiki)
        writer = _Writer(checks, settings.writing.stop_after_failures)
        writer.record_refused()
        for entry, outcome, reason in writer.run():
            done.append((entry, outcome, str(reason)))
            on_edit(entry, outcome)
    return done


def _verify(workspace: Workspace, plan: Plan, settings: Settings) -> None:
    """Raise WriteRefused where the database was changed past the commands since the approval or the plan."""
    verify.refuse_if_any(verify.workspace_discrepancies(workspace))
    verify.refuse_if_any(verify.plan_discrepancies(workspace, plan))
    verify.refuse_if_any(verify.approval_discrepancies(workspace, (entry.decision for entry in plan.entries)))
    verify.check_summaries(plan, settings)


class _Writer:
    def __init__(self, checks: Preconditions, max_failures: int) -> None:
        self.checks, self.workspace, self.plan = checks, checks.workspace, checks.plan
        self.session, self.policy = checks.session, checks.policy
        self.max_failures, self.failures = max_failures, 0

    def record_refused(self) -> None:
        """Note what the plan could not take, with the reason: those proposals are open again."""
        status_of = statuses(self.workspace, [proposal for proposal, _ in self.plan.refused])
        for proposal, why in self.plan.refused:
            decision = status_of[proposal].decision if proposal in status_of else None
            n = decision["n"] if decision else 0
            rows = self.workspace.rows(sa.select(store.decisions).where(store.decisions.c.n == n))
            if not rows or ledger.ledger_rows(self.workspace, decision=n):
                continue
            if rows[0]["time"] > f"{self.plan.created[:19]}Z":  # decided since, on what the item is by now
                continue
            values: Row = {name: rows[0][name] for name in ("proposal", "hash", "reviewer")}
            values |= {"plan": self.plan.id, "group": self.plan.group, "guid": "", "payload": {}, "revision_before": 0}
            values |= {"qid": (rows[0]["record"] or {}).get("qid", ""), "decision": n, "time": self.policy.timestamp()}
            ledger.add_closed_row(self.workspace, EditOutcome.REFUSED, reason=why, **values)

    def run(self) -> Iterator[tuple[PlanEntry, EditOutcome, Message]]:
        for entries in batches(self.plan.entries):
            yield from self.write_batch(entries)

    def write_batch(self, entries: Sequence[PlanEntry]) -> Iterator[tuple[PlanEntry, EditOutcome, Message]]:
        """Bring the entries of one edit to their end; those that could not go along with the first are an edit of their own."""
        entry, *rest = entries
        outcome, reason = self.write_entry(entry, rest)
        yield entry, outcome, reason
        self.failures = self.failures + 1 if outcome == EditOutcome.FAILED else 0
        if self.failures >= self.max_failures:
            raise WriteStopped(Message("stopped.failures", n=self.failures, reason=reason))
        left = []
        for one in rest:
            found = outcome_of(one, self.checks.attempts(one))
            if found.outcome or outcome == EditOutcome.FAILED:
                yield one, found.outcome or EditOutcome.FAILED, found.reason if found.outcome else reason
            else:
                left.append(one)
        if left:
            yield from self.write_batch(left)

    def write_entry(self, entry: PlanEntry, rest: Sequence[PlanEntry] = ()) -> EntryResult:
        """Bring one entry to its end, in one edit with those of `rest` that may go along; return (outcome, reason)."""
        before = outcome_of(entry, self.checks.attempts(entry))
        if before.outcome:
            return before.outcome, before.reason if str(before.reason) else Message("ended.earlier")
        tries = 0
        while True:
            try:
                with nullcontext() if entry.kind == "already_there" else self.policy.rate_limiter.slot() as slot:
                    found = self._attempt(entry, slot, rest)
                return self._write_sources(entry, found) if isinstance(found, list) else found
            except WriteRefused as error:
                self._close(self.checks.pending(entry), entry, EditOutcome.REFUSED, reason=error.message)
                return EditOutcome.REFUSED, error.message
            except WikiRefusal as refusal:
                if tries >= self.policy.max_resends(refusal):
                    return EditOutcome.FAILED, refusal.message
                self.policy.wait_before_retry(tries, refusal)
                if refusal.kind == "session":
                    self._log_in()
                tries += 1

    def _write_sources(self, entry: PlanEntry, parts: list[PlanEntry]) -> EntryResult:
        """Add the sources to a claim that somebody else made: each approved source is an edit with proofs of its own."""
        result = (EditOutcome.ALREADY_THERE, concurrent_edit.ADDED_BY_ANOTHER)
        for part in parts:
            outcome, reason = self.write_entry(part)
            if outcome in (EditOutcome.REFUSED, EditOutcome.FAILED):
                return outcome, reason
            if result[0] != EditOutcome.WRITTEN:
                result = outcome, reason
        if not parts:
            self._close(None, entry, EditOutcome.ALREADY_THERE, reason=concurrent_edit.ADDED_BY_ANOTHER)
        return result

    def _attempt(
        self, entry: PlanEntry, slot: WriteSlot | None, rest: Sequence[PlanEntry] = ()
    ) -> EntryResult | list[PlanEntry]:
        """Carry out one entry and return (outcome, reason), or the remaining sources where another editor made the claim."""
        rows = self.checks.rows(entry)
        pending = next((r for r in rows if r.outcome == EditOutcome.PENDING), None)
        if pending is None:  # what an interrupted run has sent is on the item whatever was decided since
            self.checks.check_decision(entry)
        before = self.checks.read(entry)
        if self.checks.is_on_item(before, entry):
            outcome = EditOutcome.ALREADY_THERE if entry.kind == "already_there" or not rows else EditOutcome.WRITTEN
            revision = self.checks.revision_of(entry, rows, before)
            reason = Message("ended.found") if rows or not entry.because else entry.because
            self._close(pending, entry, outcome, revision=revision, reason=reason)
            return outcome, reason
        self.checks.check_decision(entry)
        if entry.kind == "already_there" or slot is None:
            raise WriteRefused(Message("refused.there_no_more"))
        if self.checks.is_saved_meanwhile(entry, rows):
            raise WikiRefusal("editconflict", Message("wiki.saved_meanwhile"))
        if (parts := self.checks.remaining_sources(entry, before)) is not None:
            if pending:
                why = (parts[0].because if parts else None) or concurrent_edit.ADDED_BY_ANOTHER
                reason = Message("ended.not_sent", why=why)
                ledger.close_row(self.workspace, pending.n, EditOutcome.FAILED, reason=reason)
            return parts
        if entry.kind == "symbol":
            self.checks.check_symbol(entry, before, entry)
        else:
            self.checks.check_item(entry, before)
        if left_alone := self.policy.before_edit(self.session, entry.qid, slot):
            raise WriteRefused(left_alone)
        stop_if_paused(self.workspace, WriteStopped)  # a person may have paused it since the plan was begun
        joined = [one for one in rest if self._can_join(one, before, entry)]
        n = pending.n if pending else self._begin(entry, before)
        joined_rows = [(one, m) for one in joined if (m := self._open_joined(one, before))]
        try:
            with slot.sending():
                revision = self._send(entry, before, [one for one, _ in joined_rows])
        except WikiRefusal as refusal:
            # Which of them the wiki does not take is not known: each by itself
            if refusal.kind == "item" and joined_rows:
                for number in (n, *(m for _, m in joined_rows)):
                    ledger.close_row(self.workspace, number, EditOutcome.FAILED, reason=refusal.message)
                return self._attempt(entry, slot)
            try:
                self._after_refusal(entry, n, before, refusal)
            except (WikiRefusal, WriteRefused):
                for _, m in joined_rows:
                    ledger.close_row(self.workspace, m, EditOutcome.FAILED, reason=refusal.message)
                raise
            revision = 0  # it is there all the same; the history knows which revision
        return self._prove(entry, n, before, revision, slot, joined_rows)

    def _can_join(self, entry: PlanEntry, before: Entity, first: PlanEntry) -> bool:
        """Say whether a symbol may be in the edit of `first`; where not, it comes to its own end afterwards."""
        rows = self.checks.rows(entry)
        if outcome_of(entry, rows).outcome or self.checks.is_on_item(before, entry):
            return False
        try:
            self.checks.check_decision(entry)
            self.checks.check_symbol(entry, before, first)
            return not self.checks.is_saved_meanwhile(entry, rows)
        except WriteRefused:
            return False

    def _open_joined(self, entry: PlanEntry, before: Entity) -> int:
        """Return the number of the row of a symbol that goes along, 0 where its decision has changed in this moment."""
        pending = self.checks.pending(entry)
        with suppress(WriteRefused):
            return pending.n if pending else self._begin(entry, before)
        return 0

    def _send(self, entry: PlanEntry, before: Entity, joined: Sequence[PlanEntry]) -> int:
        if joined:
            payloads, summary = [entry.payload, *(one.payload for one in joined)], verify.joint_summary(entry.summary)
            return self.session.add_claims(entry.qid, payloads, summary, before["lastrevid"])
        if entry.adds_claim:
            return self.session.add_claim(entry.qid, entry.payload, entry.summary, before["lastrevid"])
        return self.session.add_reference(entry.qid, entry.statement, entry.payload, entry.summary)

    def _after_refusal(self, entry: PlanEntry, n: int, before: Entity, refusal: WikiRefusal) -> None:
        """Return if the edit is on the item in spite of the answer; else close the attempt and raise what follows."""
        if refusal.kind not in ("later", "session"):
            try:
                rows = [Edit(revision_before=before["lastrevid"], group=self.plan.group)]
                if self.checks.is_on_item(self.checks.read(entry), entry) or self.checks.is_saved_meanwhile(
                    entry, rows
                ):
                    return
            except WikiRefusal as second:
                message = Message("stopped.twice", first=refusal.message, second=second.message)
                raise WriteStopped(message, where=entry.qid, todo="run_again") from None
            except WriteRefused as refused:
                ledger.close_row(self.workspace, n, EditOutcome.REFUSED, reason=refused.message)
                raise
        outcome = EditOutcome.REFUSED if refusal.kind == "item" else EditOutcome.FAILED
        ledger.close_row(self.workspace, n, outcome, reason=refusal.message)
        if refusal.kind == "item":
            raise WriteRefused(refusal.message) from None
        if refusal.kind == "stop":
            raise self.policy.stop_error(self.session, refusal, entry.qid) from None
        raise refusal

    def _prove(
        self,
        entry: PlanEntry,
        n: int,
        before: Entity,
        revision: int,
        slot: WriteSlot,
        joined_rows: Sequence[tuple[PlanEntry, int]] = (),
    ) -> EntryResult:
        """Prove on the item, or on our own revision against its parent, that the edit added what was planned only."""
        try:
            after = self.policy.read_with_retries(lambda: self.session.entity(entry.qid), self.session)
            joined = [one for one, _ in joined_rows]
            edit_proof = proof.prove_edit(
                self.session, entry, before, after, revision, self.plan.group, self.policy, joined
            )
        except WikiRefusal as refusal:
            message = Message("stopped.after_sending", why=refusal.message)
            raise WriteStopped(message, where=entry.qid, todo="run_again") from None
        if edit_proof.unplanned:
            for number in (n, *(m for _, m in joined_rows)):
                why = joined_message(*edit_proof.unplanned)
                ledger.close_row(self.workspace, number, EditOutcome.WRITTEN, revision=edit_proof.revision, reason=why)
            raise WriteStopped(
                Message("stopped.harm", harm=edit_proof.unplanned),
                where=entry.qid,
                todo="undo_item",
                code_qid=entry.qid,
            )
        if edit_proof.concurrent_change:
            overtaken = edit_proof.concurrent_change
            for one, m in reversed(joined_rows):
                self._revert(one, m, edit_proof, overtaken, slot)
                after = self.policy.read_with_retries(lambda: self.session.entity(entry.qid), self.session)
                edit_proof = dataclasses.replace(edit_proof, after=after)
            return self._revert(entry, n, edit_proof, overtaken, slot)
        reason = joined_message(*filter(None, (entry.because, edit_proof.remark)))
        for number in (n, *(m for _, m in joined_rows)):
            ledger.close_row(self.workspace, number, EditOutcome.WRITTEN, revision=edit_proof.revision, reason=reason)
        return EditOutcome.WRITTEN, reason

    def _revert(
        self, entry: PlanEntry, n: int, edit_proof: proof.EditProof, overtaken: Message, slot: WriteSlot
    ) -> EntryResult:
        """Undo an edit saved just after a change by another editor that would have prevented it."""
        row = Edit(qid=entry.qid, guid=entry.statement, payload=entry.payload)
        group = self.plan.group
        summary = f"take back own edit, another came first ([[:toolforge:editgroups/b/CB/{group}|details]])"
        try:
            result = removal.reason_to_keep(row, edit_proof.after) or removal.remove(
                self.session, self.policy, slot, row, edit_proof.after, group, summary
            )
        except WikiRefusal as refusal:
            stop = refusal.kind == "stop"
            why = self.policy.stop_error(self.session, refusal, entry.qid).message if stop else refusal.message
            result = ledger.UndoResult(UndoState.FAILED, why)
        reason = Message("refused.overtaken", what=overtaken, became=result.message)
        if result.state is UndoState.UNDONE:
            ledger.close_row(self.workspace, n, EditOutcome.REFUSED, revision=edit_proof.revision, reason=reason)
            return EditOutcome.REFUSED, reason
        ledger.close_row(self.workspace, n, EditOutcome.WRITTEN, revision=edit_proof.revision, reason=reason)
        if result.state is UndoState.FAILED:
            raise WriteStopped(reason, where=entry.qid, todo="undo_edit", edit=n)
        return EditOutcome.WRITTEN, reason

    def _log_in(self) -> None:
        try:
            self.session.log_in()
        except WikiRefusal as refusal:
            message = Message("stopped.login_again", why=refusal.message)
            raise WriteStopped(message, todo="see_account") from None

    def _begin(self, entry: PlanEntry, before: Entity) -> int:
        """Make the row of an attempt. Raises WriteRefused where the decision has changed since it was checked: readings can take minutes."""
        row = {"revision_before": before["lastrevid"], "time": self.policy.timestamp(), **self._row(entry)}
        return ledger.open_row(self.workspace, partial(self.checks.check_decision, entry), **row)

    def _close(
        self, pending: Edit | None, entry: PlanEntry, outcome: EditOutcome, *, reason: Message, revision: int = 0
    ) -> None:
        if pending:
            ledger.close_row(self.workspace, pending.n, outcome, revision=revision, reason=reason)
        elif not any(r.outcome in ledger.FINAL for r in self.checks.rows(entry)):
            row = {"revision_before": entry.revision, "time": self.policy.timestamp(), **self._row(entry)}
            ledger.add_closed_row(self.workspace, outcome, revision=revision, reason=reason, **row)

    def _row(self, entry: PlanEntry) -> Row:
        names = ("proposal", "hash", "decision", "reviewer", "qid", "payload")
        row = {name: getattr(entry, name) for name in names}
        return {**row, "guid": entry.statement, "plan": self.plan.id, "group": self.plan.group}
