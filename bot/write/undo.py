"""Taking back what we wrote: planned, then applied, each step recorded; only what is still as we left it.

What others have touched is shown and kept. It needs no service but the wiki itself, and goes on where it was stopped.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
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
from bot.write.pace import Turn, one_writer
from bot.write.plans import store_record
from bot.write.session import account_folder, connect
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, WikiRefusal, WikiSession

_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\dZ?)?)?)?)?)?")
Undone = tuple[Edit, UndoResult]


@dataclass(frozen=True, slots=True)
class Which:
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
    entries: tuple[Undone, ...]

    @property
    def open(self) -> tuple[Edit, ...]:
        return tuple(row for row, result in self.entries if result.state is UndoState.PLANNED)


def undo(
    workspace: Workspace,
    wiki: Wiki,
    settings: Settings,
    *,
    group: str = "",
    edit: int = 0,
    item: str = "",
    live: bool = True,
    session: WikiSession | None = None,
    policy: WikiPolicy | None = None,
) -> list[Undone]:
    """Plan the undo of a group, an edit or an item and, unless `live` is false, carry it out."""
    taker = Undoer(workspace, wiki, settings, session=session, policy=policy)
    plan = taker.plan(Which(group, edit, item))
    return list(taker.apply(plan) if live else plan.entries)


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
        self.patience, self.failures = settings.writing.stop_after_failures, 0

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

    def plan(self, which: Which) -> UndoPlan:
        """Look at each edit, newest first, and store what would become of it. Raises InputError where nothing matches."""
        rows = _rows(self.workspace, which)
        if not rows:
            raise InputError("no_edit_matches", todo="see_command", code_command="export edits")
        entries = tuple((row, self._prospect(row)) for row in rows)
        group = digest(self.wiki.name, "undo", [row.n for row in rows], length=12)
        said = [(row.n, row.qid, row.guid, row.payload, result.message) for row, result in entries]
        plan = UndoPlan("undo-" + digest(self.wiki.name, said, length=16), group, entries)
        store_record(self.workspace, plan.id, self.wiki.name, group, now(), {"kind": "undo", "entries": said})
        return plan

    def apply(self, plan: UndoPlan) -> list[Undone]:
        """Carry out the plan; each row is read again and only taken back if it is still as we left it.

        Raises WriteStopped where the run must end; run again, it goes on.
        """
        done: list[Undone] = []
        with one_writer(self.folder):
            for row, planned in plan.entries:
                result = self._bring(row, plan.group) if planned.state is UndoState.PLANNED else planned
                if not result.told_by(row):
                    if result.state is UndoState.UNDONE:
                        fcdb.take_back(self.workspace, row.proposal)
                    ledger.record_undo(self.workspace, row.n, result)
                done.append((row, result))
                self.failures = self.failures + 1 if result.state is UndoState.FAILED else 0
                if self.failures >= self.patience:
                    raise WriteStopped(Message("stopped.failures", n=self.failures, reason=result.message))
        return done

    def _prospect(self, row: Edit) -> UndoResult:
        if row.undone:
            return UndoResult(UndoState.UNDONE, revision=row.undo_revision)
        try:
            entity = self.policy.patiently(lambda: self.session.entity(row.qid), self.session)
            if why := removal.kept(row, entity):
                return self._own(row, entity) or why
        except WikiRefusal as refusal:
            return UndoResult(UndoState.KEPT if refusal.kind == "item" else UndoState.FAILED, refusal.message)
        return UndoResult(UndoState.PLANNED)

    def _bring(self, row: Edit, group: str) -> UndoResult:
        tries = 0
        while True:
            try:
                with self.policy.pace.turn() as turn:
                    return self._one(row, group, turn)
            except WikiRefusal as refusal:
                if refusal.kind == "item":
                    return UndoResult(UndoState.KEPT, refusal.message)
                if refusal.kind == "stop":
                    raise self.policy.stop(self.session, refusal, row.qid) from None
                if tries >= self.policy.sends_again(refusal):
                    return UndoResult(UndoState.FAILED, refusal.message)
                self.policy.wait(tries, refusal)
                if refusal.kind == "session":
                    self.session.log_in()
                tries += 1

    def _one(self, row: Edit, group: str, turn: Turn) -> UndoResult:
        before = self.policy.patiently(lambda: self.session.entity(row.qid), self.session)
        if why := removal.kept(row, before):
            return self._own(row, before) or why
        # Not asked here: stop page, exclusion page and daily cap. To take back is what one does when told to stop.
        self.policy.permitted(self.session)
        ledger.begin_undo(self.workspace, row.n, before["lastrevid"], group)
        summary = (
            f"undo own edit of group {row.group}, [[{self.task}]] ([[:toolforge:editgroups/b/CB/{group}|details]])"
        )
        return removal.remove(self.session, self.policy, turn, row, before, group, summary)

    def _own(self, row: Edit, entity: Entity) -> UndoResult | None:
        """Return the undo where it was we who took it back, in a run that ended before it could record it."""
        begun = ledger.undoing(self.workspace, row.n)
        if not begun or "redirects" in entity:
            return None
        since, groups = min(b["revision_before"] for b in begun), [b["group"] for b in begun]
        own = removal.own_removal(self.session, self.policy, row, since, groups)
        return UndoResult(UndoState.UNDONE, revision=own.id) if own else None


def _rows(workspace: Workspace, which: Which) -> list[Edit]:
    if not which:
        raise InputError("undo_what")
    for option, moment in (("--since", which.since), ("--until", which.until)):
        if moment and not _TIME.fullmatch(moment):  # times are compared as text: no word may pass for one
            raise InputError("no_time", where=f"{option} {moment}", todo="moment")
    edits = store.edits.c
    query = sa.select(store.edits).where(edits.outcome == EditOutcome.WRITTEN).order_by(edits.n.desc())
    for column, value in ((edits.group, which.group), (edits.n, which.edit), (edits.qid, which.item)):
        query = query.where(column == value) if value else query
    query = query.where(edits.reviewer == which.reviewer) if which.reviewer else query
    query = query.where(edits.time >= which.since) if which.since else query
    query = query.where(edits.time < which.until) if which.until else query
    found = ledger.edits_of(workspace, query)
    return [*_symbols_of(workspace, found), *found]


def _symbols_of(workspace: Workspace, found: Sequence[Edit]) -> list[Edit]:
    """Return the symbols of formulas that are to be taken back, which are not left without them."""
    formulas = {(row.qid, snak_value(row.payload["mainsnak"])) for row in found if removal.whole(row)}
    edits, decisions = store.edits, store.decisions.c
    query = sa.select(edits.c.n, edits.c.qid, decisions.record["formula"].as_string().label("of"))
    query = query.join(store.decisions, decisions.n == edits.c.decision)
    query = query.where(decisions.record["kind"].as_string() == "symbol", edits.c.outcome == EditOutcome.WRITTEN)
    query = query.where(~store.is_undone(), edits.c.n.not_in([row.n for row in found])).order_by(edits.c.n.desc())
    wanted = [row["n"] for row in workspace.rows(query) if (row["qid"], row["of"]) in formulas]
    return ledger.edits_of(workspace, sa.select(edits).where(edits.c.n.in_(wanted)).order_by(edits.c.n.desc()))
