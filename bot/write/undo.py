"""Taking back what we wrote: planned, then applied, each step recorded; only what is still as we left it.

What others have touched is shown and kept. It needs no service but the wiki itself, and goes on where it was stopped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import InputError, WriteStopped
from bot.records import digest
from bot.review import fcdb
from bot.settings import Settings, Wiki
from bot.store import Workspace, now
from bot.write import ledger, state
from bot.write.authorise import authorise
from bot.write.manners import Manners
from bot.write.pace import Turn, one_writer
from bot.write.plan import store_record
from bot.write.session import account_folder, connect
from bot.write.wire import Entity, Refusal, Revision, Session

Row = dict[str, Any]
Undone = tuple[Row, str]  # ledger row, what became of it: "undone …", "kept: …", "failed: …" or "would be undone"
_SENDS_AFTER_DOUBT = 2


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
    def open(self) -> tuple[Row, ...]:
        return tuple(row for row, what in self.entries if what == "would be undone")


def undo(
    workspace: Workspace,
    wiki: Wiki,
    settings: Settings,
    *,
    group: str = "",
    edit: int = 0,
    item: str = "",
    live: bool = True,
    session: Session | None = None,
    manners: Manners | None = None,
) -> list[Undone]:
    """Plan the undo of a group, an edit or an item and, unless `live` is false, carry it out."""
    taker = Undoer(workspace, wiki, settings, session=session, manners=manners)
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
        session: Session | None = None,
        manners: Manners | None = None,
    ) -> None:
        authorise(wiki, settings)
        self.workspace, self.wiki, self.task = workspace, wiki, settings.writing.task or "rehearsal"
        self._settings, self._session, self._manners = settings, session, manners
        self.folder = account_folder(wiki, settings, workspace.path / "pywikibot")
        self.patience, self.failures = settings.writing.stop_after_failures, 0

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = connect(self.wiki, self._settings, self.workspace.path / "pywikibot")
        return self._session

    @property
    def manners(self) -> Manners:
        if self._manners is None:
            self._manners = Manners(self.workspace, self._settings, self.wiki, self.folder)
        return self._manners

    def plan(self, which: Which) -> UndoPlan:
        """Look at each edit, newest first, and store what would become of it. Raises InputError where nothing matches."""
        rows = _rows(self.workspace, which)
        if not rows:
            raise InputError("no written edit matches", todo="see `formula-bot export edits`")
        entries = tuple((row, self._prospect(row)) for row in rows)
        group = digest(self.wiki.name, "undo", [row["n"] for row in rows], length=12)
        said = [(row["n"], row["qid"], row["guid"], row["payload"], what) for row, what in entries]
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
                what = self._bring(row, plan.group) if planned == "would be undone" else planned
                if what != (row["undo"] or ""):
                    if what.startswith("undone"):
                        fcdb.take_back(self.workspace, row["proposal"])
                    ledger.record_undo(self.workspace, row["n"], what)
                done.append((row, what))
                self.failures = self.failures + 1 if what.startswith("failed") else 0
                if self.failures >= self.patience:
                    raise WriteStopped(f"{self.failures} failures one after another, the last: {what}")
        return done

    def _prospect(self, row: Row) -> str:
        if (row["undo"] or "").startswith("undone"):
            return str(row["undo"])
        try:
            entity = self.manners.patiently(lambda: self.session.entity(row["qid"]), self.session)
            if why := self._kept(row, entity):
                return self._own(row, entity) or why
        except Refusal as refusal:
            return f"kept: {refusal.what}" if refusal.kind == "item" else f"failed: {refusal.what}"
        return "would be undone"

    def _bring(self, row: Row, group: str) -> str:
        tries = 0
        while True:
            try:
                with self.manners.pace.turn() as turn:
                    return self._one(row, group, turn)
            except Refusal as refusal:
                limits = {"later": self.manners.tries, "session": 2, "doubt": _SENDS_AFTER_DOUBT}
                if refusal.kind == "item":
                    return f"kept: {refusal.what}"
                if refusal.kind == "stop":
                    raise WriteStopped(refusal.what, where=row["qid"], todo="find out why first") from None
                if tries >= limits[refusal.kind]:
                    return f"failed: {refusal.what}"
                self.manners.wait(tries, refusal)
                if refusal.kind == "session":
                    self.session.log_in()
                tries += 1

    def _one(self, row: Row, group: str, turn: Turn) -> str:
        before = self.manners.patiently(lambda: self.session.entity(row["qid"]), self.session)
        if why := self._kept(row, before):
            return self._own(row, before) or why
        # Not asked here: stop page, exclusion page and daily cap. To take back is what one does when told to stop.
        self.manners.permitted(self.session)
        ledger.begin_undo(self.workspace, row["n"], before["lastrevid"], group)
        try:
            with turn.sending():
                revision = self._send(row, before, group)
        except Refusal as refusal:
            if refusal.kind in ("later", "session"):
                raise
            revision = 0
            after = self.manners.patiently(lambda: self.session.entity(row["qid"]), self.session)
            if not self._kept(row, after):
                raise
        after = self.manners.patiently(lambda: self.session.entity(row["qid"]), self.session)
        if revision == after["lastrevid"] and not _beside(row, before, after) and self._kept(row, after):
            return f"undone in revision {revision}"
        return self._among_others(row, before, after, group, turn)

    def _send(self, row: Row, before: Entity, group: str) -> int:
        summary = (
            f"undo own edit of group {row['group']}, [[{self.task}]] ([[:toolforge:editgroups/b/CB/{group}|details]])"
        )
        if _whole(row):
            return self.session.remove_claim(row["qid"], row["guid"], summary, before["lastrevid"])
        found = state.statements(before)[row["guid"]]
        hash_ = state.reference_hash(found, row["payload"])
        return self.session.remove_reference(row["qid"], row["guid"], hash_, summary)

    def _among_others(self, row: Row, before: Entity, after: Entity, group: str, turn: Turn) -> str:
        """Others edited at the same moment: judge our own revision against its parent, and put right what it took."""
        own = self._removal(row, before["lastrevid"], (group,))
        if own is None:
            return "kept: somebody removed it already" if self._kept(row, after) else "failed: it is still there"
        parent, mine = self.session.at(own.parent), self.session.at(own.id)
        if wrong := _beside(row, parent, mine):
            raise WriteStopped(
                f"the undo changed more than our edit: {wrong}", where=row["qid"], todo="see its history"
            )
        if _whole(row) and state.touched(state.statements(parent)[row["guid"]], row["payload"]):
            summary = f"put back another's change ([[:toolforge:editgroups/b/CB/{group}|details]])"
            with turn.sending():
                back = self.session.add_claim(row["qid"], state.statements(parent)[row["guid"]], summary, 0)
            return f"kept: somebody changed it at the same moment; put back as they left it in revision {back}"
        return f"undone in revision {own.id}"

    def _own(self, row: Row, entity: Entity) -> str:
        """Return "undone …" where it was we who took it back, in a run that did not live to note it."""
        begun = ledger.undoing(self.workspace, row["n"])
        if not begun or "redirects" in entity:
            return ""
        own = self._removal(row, min(b["revision_before"] for b in begun), [b["group"] for b in begun])
        return f"undone in revision {own.id}" if own else ""

    def _removal(self, row: Row, since: int, groups: Any) -> Revision | None:
        for revision in self.manners.patiently(lambda: self.session.history(row["qid"], since), self.session):
            if any(group in revision.comment for group in groups) and revision.parent:
                there, gone = self.session.at(revision.parent), self.session.at(revision.id)
                held = state.holds(there, row["guid"], row["payload"])
                if held and not state.holds(gone, row["guid"], row["payload"]):
                    return revision
        return None

    def _kept(self, row: Row, entity: Entity) -> str:
        """Return why there is nothing to take back, "" where it is still as we left it."""
        if "redirects" in entity or entity.get("id") != row["qid"]:
            return f"kept: the item was merged into {entity.get('id', 'another')}, where our statement has another GUID"
        found = state.statements(entity).get(row["guid"])
        if found is None:
            return "kept: somebody removed it already"
        if _whole(row):
            changed = state.touched(found, row["payload"])
            return f"kept: somebody changed its {', '.join(changed)}" if changed else ""
        there = state.reference_hash(found, row["payload"])
        return "" if there else "kept: somebody changed or removed the reference"


def _whole(row: Row) -> bool:
    return "mainsnak" in row["payload"]


def _beside(row: Row, before: Entity, after: Entity) -> str:
    """Return what changed beside our statement, or in it beside our reference."""
    old, new = state.fingerprint(before), state.fingerprint(after)
    wrong = [g for g in old.keys() | new.keys() if g != row["guid"] and old.get(g) != new.get(g)]
    if not _whole(row):
        was, now_ = state.statements(before).get(row["guid"]), state.statements(after).get(row["guid"])
        if was is None or now_ is None or not state.grew(now_, was, row["payload"]):
            wrong.append(row["guid"])
    return ", ".join(wrong)


def _rows(workspace: Workspace, which: Which) -> list[Row]:
    if not which:
        raise InputError("give --group, --edit, --item, --reviewer, --since or --until")
    edits = store.edits.c
    query = sa.select(store.edits).where(edits.outcome == "written").order_by(edits.n.desc())
    for column, value in ((edits.group, which.group), (edits.n, which.edit), (edits.qid, which.item)):
        query = query.where(column == value) if value else query
    query = query.where(edits.reviewer == which.reviewer) if which.reviewer else query
    query = query.where(edits.time >= which.since) if which.since else query
    query = query.where(edits.time < which.until) if which.until else query
    return workspace.rows(query)
