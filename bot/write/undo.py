"""Undoing our edits: planned, then applied, each step recorded; only where the item is still as we left it.

What others have touched is shown and kept. It needs no service but the wiki, and continues where it was stopped.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import InputError, WriteStopped
from bot.lookup.entities import snak_value
from bot.messages import Message
from bot.records import Edit, EditOutcome, UndoState, digest
from bot.review import fcdb
from bot.settings import Settings, Wiki
from bot.store import Workspace, now
from bot.write import ledger, removal
from bot.write.authorise import authorise
from bot.write.ledger import UndoResult
from bot.write.plans import store_record
from bot.write.rate_limit import WriteSlot, lock_account
from bot.write.session import account_folder, connect
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, WikiRefusal, WikiSession

_OF_DECISION = ("discrepancy.changed.said", "discrepancy.changed.sentence")  # not of the row of the ledger itself
_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\dZ?)?)?)?)?)?")
UndoneEdit = tuple[Edit, UndoResult]


@dataclass(frozen=True, slots=True)
class EditSelection:
    """Which edits: all of the given parts must fit. Times are ISO 8601, UTC, or the beginning of one."""

    group: str = ""
    edit: int = 0
    item: str = ""
    reviewer: str = ""
    since: str = ""
    until: str = ""

    def __bool__(self) -> bool:
        return any((self.group, self.edit, self.item, self.reviewer, self.since, self.until))


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What would be taken back and what would be kept, with the reason; `id` is a digest of it."""

    id: str
    group: str  # the edit group of the undo itself
    entries: tuple[UndoneEdit, ...]

    @property
    def open(self) -> tuple[Edit, ...]:
        return tuple(row for row, result in self.entries if result.state is UndoState.PLANNED)


class Undoer:
    """Takes back edits of one workspace on one wiki. Raises WriteRefused where writing here is not allowed."""

    def __init__(
        self,
        workspace: Workspace,
        wiki: Wiki,
        settings: Settings,
        *,
        session: WikiSession | None = None,
        policy: WikiPolicy | None = None,
    ) -> None:
        authorise(wiki, settings)
        self.workspace, self.wiki, self.task = workspace, wiki, settings.writing.task or "rehearsal"
        self._settings, self._session, self._policy = settings, session, policy
        self.folder = account_folder(wiki, settings, workspace.path / "pywikibot")
        self.max_failures, self.failures = settings.writing.stop_after_failures, 0

    @property
    def session(self) -> WikiSession:
        if self._session is None:
            self._session = connect(self.wiki, self._settings, self.workspace.path / "pywikibot")
        return self._session

    @property
    def policy(self) -> WikiPolicy:
        if self._policy is None:
            self._policy = WikiPolicy(self.workspace, self._settings, self.wiki, self.folder)
        return self._policy

    def plan(self, selection: EditSelection) -> UndoPlan:
        """Look at each edit, newest first, and store what would become of it. Raises InputError where nothing matches."""
        if selection:  # an edit whose run was killed may be one of them
            ledger.close_sent_attempts(self.workspace, self._read)
        rows = _rows(self.workspace, selection)
        if not rows:
            raise InputError("no_edit_matches", todo="see_command", code_command="export edits")
        tampered = dict(
            one for one in hashchain.edit_discrepancies(self.workspace) if one[1].code not in _OF_DECISION
        )  # what such a row names may be of others
        entries = tuple(
            (row, UndoResult(UndoState.KEPT, tampered[row.n]) if row.n in tampered else self._planned_result(row))
            for row in rows
        )
        group = digest(self.wiki.name, "undo", [row.n for row in rows], length=12)
        content = [(row.n, row.qid, row.guid, row.payload, result.message) for row, result in entries]
        plan = UndoPlan("undo-" + digest(self.wiki.name, content, length=16), group, entries)
        store_record(self.workspace, plan.id, self.wiki.name, group, now(), {"kind": "undo", "entries": content})
        return plan

    def apply(self, plan: UndoPlan) -> list[UndoneEdit]:
        """Carry out the plan; each row is read again and only taken back if it is still as we left it.

        Raises WriteStopped where the run must end; run again, it goes on.
        """
        done: list[UndoneEdit] = []
        with lock_account(self.folder):
            for row, planned in plan.entries:
                result = self._undo_with_retries(row, plan.group) if planned.state is UndoState.PLANNED else planned
                if not result.is_recorded_in(row):
                    if result.state is UndoState.UNDONE:
                        fcdb.remove_undone(self.workspace, row.proposal)
                    ledger.record_undo(self.workspace, row.n, result)
                done.append((row, result))
                self.failures = self.failures + 1 if result.state is UndoState.FAILED else 0
                if self.failures >= self.max_failures:
                    raise WriteStopped(Message("stopped.failures", n=self.failures, reason=result.message))
        return done

    def _read(self, qids: list[str]) -> dict[str, Entity]:
        found = {}
        for qid in qids:
            with suppress(WikiRefusal):
                found[qid] = self.policy.read_with_retries(partial(self.session.entity, qid), self.session)
        return found

    def _planned_result(self, row: Edit) -> UndoResult:
        if row.undone:
            return UndoResult(UndoState.UNDONE, revision=row.undo_revision)
        try:
            entity = self.policy.read_with_retries(lambda: self.session.entity(row.qid), self.session)
            if why := removal.reason_to_keep(row, entity):
                return self._earlier_undo(row, entity) or why
        except WikiRefusal as refusal:
            return UndoResult(UndoState.KEPT if refusal.kind == "item" else UndoState.FAILED, refusal.message)
        return UndoResult(UndoState.PLANNED)

    def _undo_with_retries(self, row: Edit, group: str) -> UndoResult:
        tries = 0
        while True:
            try:
                with self.policy.rate_limiter.slot() as slot:
                    return self._undo_once(row, group, slot)
            except WikiRefusal as refusal:
                if refusal.kind == "item":
                    return UndoResult(UndoState.KEPT, refusal.message)
                if refusal.kind == "stop":
                    raise self.policy.stop_error(self.session, refusal, row.qid) from None
                if tries >= self.policy.max_resends(refusal):
                    return UndoResult(UndoState.FAILED, refusal.message)
                self.policy.wait_before_retry(tries, refusal)
                if refusal.kind == "session":
                    self.session.log_in()
                tries += 1

    def _undo_once(self, row: Edit, group: str, slot: WriteSlot) -> UndoResult:
        before = self.policy.read_with_retries(lambda: self.session.entity(row.qid), self.session)
        if why := removal.reason_to_keep(row, before):
            return self._earlier_undo(row, before) or why
        # Stop page, exclusion page and daily cap are not checked here: undoing is what a request to stop asks for.
        self.policy.checked_account(self.session)
        ledger.begin_undo(self.workspace, row.n, before["lastrevid"], group)
        summary = (
            f"undo own edit of group {row.group}, [[{self.task}]] ([[:toolforge:editgroups/b/CB/{group}|details]])"
        )
        return removal.remove(self.session, self.policy, slot, row, before, group, summary)

    def _earlier_undo(self, row: Edit, entity: Entity) -> UndoResult | None:
        """Return our own undo of it by an earlier run that ended before it could record it."""
        attempts = ledger.undo_attempts(self.workspace, row.n)
        if not attempts or "redirects" in entity:
            return None
        since, groups = min(b["revision_before"] for b in attempts), [b["group"] for b in attempts]
        own = removal.find_own_removal(self.session, self.policy, row, since, groups)
        return UndoResult(UndoState.UNDONE, revision=own.id) if own else None


def _rows(workspace: Workspace, selection: EditSelection) -> list[Edit]:
    if not selection:
        raise InputError("undo_what")
    for option, moment in (("--since", selection.since), ("--until", selection.until)):
        if moment and not _TIME.fullmatch(moment):  # times are compared as text: no word may pass for one
            raise InputError("no_time", where=f"{option} {moment}", todo="moment")
    edits = store.edits.c
    query = sa.select(store.edits).where(edits.outcome == EditOutcome.WRITTEN).order_by(edits.n.desc())
    for column, value in ((edits.group, selection.group), (edits.n, selection.edit), (edits.qid, selection.item)):
        query = query.where(column == value) if value else query
    query = query.where(edits.reviewer == selection.reviewer) if selection.reviewer else query
    query = query.where(edits.time >= selection.since) if selection.since else query
    query = query.where(edits.time < selection.until) if selection.until else query
    found = ledger.rows_of_query(workspace, query)
    return [*_symbols_of(workspace, found), *found]


def _symbols_of(workspace: Workspace, found: Sequence[Edit]) -> list[Edit]:
    """Return the symbols of formulas that are to be taken back, which are not left without them."""
    formulas = {(row.qid, snak_value(row.payload["mainsnak"])) for row in found if removal.is_statement(row)}
    edits, decisions = store.edits, store.decisions.c
    query = sa.select(edits.c.n, edits.c.qid, decisions.record["formula"].as_string().label("of"))
    query = query.join(store.decisions, decisions.n == edits.c.decision)
    query = query.where(decisions.record["kind"].as_string() == "symbol", edits.c.outcome == EditOutcome.WRITTEN)
    query = query.where(~store.is_undone(), edits.c.n.not_in([row.n for row in found])).order_by(edits.c.n.desc())
    wanted = [row["n"] for row in workspace.rows(query) if (row["qid"], row["of"]) in formulas]
    return ledger.rows_of_query(workspace, sa.select(edits).where(edits.c.n.in_(wanted)).order_by(edits.c.n.desc()))
