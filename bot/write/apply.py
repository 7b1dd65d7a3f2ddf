"""Carrying out a stored plan: each entry exactly once, each edit proved to have only added.

Order of one edit: decision still stands -> item read -> own GUID looked for -> item state as planned -> ledger row
-> send -> item read again -> proof -> ledger row closed. Killed anywhere, the next run finds the row and the GUID.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bot.errors import WriteRefused, WriteStopped
from bot.review import latest
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.write import ledger, state
from bot.write.authorise import authorise
from bot.write.manners import Manners
from bot.write.plan import Entry, Plan
from bot.write.session import Refusal, Session, connect

Outcome = tuple[Entry, str, str]  # entry, outcome, reason


def apply(
    workspace: Workspace,
    plan: Plan,
    wiki: Wiki,
    settings: Settings,
    *,
    session: Session | None = None,
    manners: Manners | None = None,
    on_edit: Callable[[Entry, str], None] = lambda entry, outcome: None,
) -> list[Outcome]:
    """Carry out `plan` and return each entry with its outcome; the caller holds the workspace's lock.

    Raises WriteRefused where writing here is not allowed, and WriteStopped where the run must end: a stop page, a cap,
    an unknown answer, repeated failures, or an item that did not only gain what was planned. What was done until then
    is in the ledger.
    """
    authorise(wiki, settings)
    if plan.wiki != wiki.name:
        raise WriteRefused(f"the plan is for {plan.wiki}, the wiki is {wiki.name}", todo="make a new plan")
    session = session or connect(wiki, settings, workspace.path / "pywikibot")
    manners = manners or Manners(workspace, settings, wiki, session.page_text)
    writer = _Writer(workspace, plan, session, manners, settings.writing.stop_after_failures)
    done: list[Outcome] = []
    for entry, outcome, reason in writer.run():
        done.append((entry, outcome, reason))
        on_edit(entry, outcome)
    return done


class _Writer:
    def __init__(self, workspace: Workspace, plan: Plan, session: Session, manners: Manners, patience: int) -> None:
        self.workspace, self.plan, self.session, self.manners = workspace, plan, session, manners
        self.patience, self.failures = patience, 0
        self.sent: set[str] = set()  # statements that this run has made or added to

    def run(self) -> Iterator[Outcome]:
        for entry in self.plan.entries:
            outcome, reason = self.one(entry)
            yield entry, outcome, reason
            self.failures = self.failures + 1 if outcome == "failed" else 0
            if self.failures >= self.patience:
                raise WriteStopped(f"{self.failures} failures one after another, the last: {reason}")

    def one(self, entry: Entry) -> tuple[str, str]:
        """Bring one entry to its end; return (outcome, reason)."""
        rows = [r for r in ledger.attempts(self.workspace, decision=entry.decision) if self._is_of(r, entry)]
        for row in rows:
            if row["outcome"] in ("written", "already_there", "refused"):
                return row["outcome"], row["reason"] or "done in an earlier run"
        pending = next((r for r in rows if r["outcome"] == ledger.OPEN), None)
        try:
            return self._send(entry, pending)
        except WriteRefused as error:
            self._close(pending, entry, "refused", reason=error.what)
            return "refused", error.what

    def _send(self, entry: Entry, pending: dict[str, Any] | None) -> tuple[str, str]:
        self._decision_stands(entry)
        try:
            before = self.session.entity(entry.qid)
        except Refusal as refusal:
            raise WriteRefused(refusal.what) from None
        if "redirects" in before or before.get("id") != entry.qid:
            raise WriteRefused(f"{entry.qid} is a redirect now")
        if self._is_there(before, entry):
            outcome = "already_there" if entry.kind == "already_there" or not pending else "written"
            self._close(pending, entry, outcome, revision=before["lastrevid"], reason="found on the item")
            return outcome, "found on the item"
        self._not_removed(entry, pending)
        self._state_holds(entry, before)
        if why := self.manners.before_edit(entry.qid):
            raise WriteRefused(why)
        n = pending["n"] if pending else self._begin(entry, before)
        return self._deliver(entry, n, before)

    def _deliver(self, entry: Entry, n: int, before: state.Entity) -> tuple[str, str]:
        doubt: Refusal | None = None
        self.sent.add(entry.statement)
        try:
            if entry.kind == "new_claim":
                self.session.add_claim(entry.qid, entry.payload, entry.summary)
            else:
                self.session.add_reference(entry.qid, entry.statement, entry.payload, entry.summary)
        except Refusal as refusal:
            doubt = refusal
        after = self.session.entity(entry.qid)
        if doubt and not self._is_there(after, entry):
            ledger.close(self.workspace, n, "failed", reason=doubt.what)
            if not doubt.harmless:
                raise WriteStopped(doubt.what, where=entry.qid, todo="find out why before the next run")
            return "failed", doubt.what
        harm = self._harm(entry, before, after)
        ledger.close(self.workspace, n, "written", revision=after["lastrevid"], reason=harm)
        if harm:
            raise WriteStopped(
                f"the item did not only gain what was planned: {harm}",
                where=entry.qid,
                todo=f"look at its history, then `formula-bot undo --item {entry.qid}` if it was us",
            )
        return "written", ""

    def _harm(self, entry: Entry, before: state.Entity, after: state.Entity) -> str:
        """Return what the edit did beside what was planned; an empty string is the proof that it only added."""
        if entry.kind == "new_claim":
            wrong = state.harm(before, after, added=entry.statement)
        else:
            wrong = state.harm(before, after, grown=entry.statement, reference=entry.payload)
        return "; ".join(wrong)

    def _decision_stands(self, entry: Entry) -> None:
        decision = latest(self.workspace).get(entry.proposal)
        if decision is None or decision.verdict != "approve" or decision.hash != entry.hash:
            raise WriteRefused("is not approved any more")

    def _state_holds(self, entry: Entry, before: state.Entity) -> None:
        """Compare with the state that was planned on, leaving out what this plan itself has written since."""
        own = self.sent | {r["guid"] for r in ledger.attempts(self.workspace) if r["plan"] == self.plan.id}
        now = state.fingerprint(before)
        drift = {g for g in entry.before.keys() | now.keys() if entry.before.get(g) != now.get(g)} - own
        if drift:
            raise WriteRefused(f"the item has changed since the plan was made ({len(drift)} statements)")

    def _not_removed(self, entry: Entry, pending: dict[str, Any] | None) -> None:
        """After a lost reply: if our edit is in the history and the statement is gone, a person took it back."""
        if pending is None:
            return
        revisions = self.session.comments_since(entry.qid, int(pending["revision_before"]))
        groups = (self.plan.group, pending["group"])  # a run that goes on has a group of its own
        if any(group in comment for _, comment in revisions for group in groups):
            raise WriteRefused("was written and then removed by somebody; it is never put back")

    @staticmethod
    def _is_there(entity: state.Entity, entry: Entry) -> bool:
        return state.holds(entity, entry.statement, {} if entry.kind == "already_there" else entry.payload)

    @staticmethod
    def _is_of(row: dict[str, Any], entry: Entry) -> bool:
        return bool(row["guid"] == entry.statement and (row["payload"] or {}) == entry.payload)

    def _begin(self, entry: Entry, before: state.Entity) -> int:
        return ledger.begin(self.workspace, revision_before=before["lastrevid"], **self._row(entry))

    def _close(self, pending: dict[str, Any] | None, entry: Entry, outcome: str, **values: Any) -> None:
        n = (
            pending["n"]
            if pending
            else ledger.begin(self.workspace, revision_before=entry.revision, **self._row(entry))
        )
        ledger.close(self.workspace, n, outcome, **values)

    def _row(self, entry: Entry) -> dict[str, Any]:
        names = ("proposal", "hash", "decision", "reviewer", "qid", "payload")
        row = {name: getattr(entry, name) for name in names}
        return {**row, "guid": entry.statement, "plan": self.plan.id, "group": self.plan.group}
