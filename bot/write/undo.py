"""Taking back what we wrote: only statements and references that are still as we left them; the rest is shown."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bot import store
from bot.errors import InputError
from bot.review import fcdb
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.write import ledger, state
from bot.write.authorise import authorise
from bot.write.session import Refusal, Session, connect

Undone = tuple[dict[str, Any], str]  # ledger row, what became of it: "undone …", "kept: …" or "would be undone"


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
) -> list[Undone]:
    """Take back the written edits of a group, one edit, or an item, newest first; `live=False` only says what would be.

    Can be run again: what is undone already is left out. Raises InputError where nothing matches.
    """
    authorise(wiki, settings)
    rows = _rows(workspace, group, edit, item)
    if not rows:
        raise InputError("no written edit matches", todo="see `formula-bot export edits`")
    session = session or connect(wiki, settings, workspace.path / "pywikibot")
    summary = f"undo own edit{f' of group {group}' if group else ''} ([[{settings.writing.task or 'rehearsal'}]])"
    done: list[Undone] = []
    for row in rows:
        what = row["undo"] if row["undo"].startswith("undone") else _one(session, row, summary, live)
        if live and what != row["undo"]:
            if what.startswith("undone"):
                fcdb.take_back(workspace, row["proposal"])
            ledger.record_undo(workspace, row["n"], what)
        done.append((row, what))
    return done


def _one(session: Session, row: dict[str, Any], summary: str, live: bool) -> str:
    try:
        entity = session.entity(row["qid"])
        found = state.statements(entity).get(row["guid"])
        if found is None:
            return "kept: somebody removed it already"
        whole = "mainsnak" in row["payload"]
        kept = _touched(found, row["payload"]) if whole else _reference_hash(found, row["payload"])[1]
        if kept:
            return f"kept: {kept}"
        if not live:
            return "would be undone"
        if whole:
            session.remove_claim(row["qid"], row["guid"], summary)
        else:
            session.remove_reference(row["qid"], row["guid"], _reference_hash(found, row["payload"])[0], summary)
        return _outcome(session, row, entity, whole)
    except Refusal as refusal:
        return f"failed: {refusal.what}"


def _outcome(session: Session, row: dict[str, Any], before: state.Entity, whole: bool) -> str:
    after = session.entity(row["qid"])
    others = {g: d for g, d in state.fingerprint(before).items() if g != row["guid"]}
    now = {g: d for g, d in state.fingerprint(after).items() if g != row["guid"]}
    if others != now:
        return f"undone in revision {after['lastrevid']}, but another statement changed at the same time"
    found = state.statements(after).get(row["guid"])
    gone = found is None if whole else found is not None and not _reference_hash(found, row["payload"])[0]
    return f"undone in revision {after['lastrevid']}" if gone else "failed: it is still there"


def _touched(found: dict[str, Any], payload: dict[str, Any]) -> str:
    ours, theirs = state.essence(payload), state.essence(found)
    changed = [part for part in ours if ours[part] != theirs[part]]
    return f"somebody changed its {', '.join(changed)}" if changed else ""


def _reference_hash(found: dict[str, Any], payload: dict[str, Any]) -> tuple[str, str]:
    wanted = state.reference_essence(payload)
    for reference in found.get("references", []):
        if state.reference_essence(reference) == wanted:
            return reference.get("hash", ""), ""
    return "", "somebody changed or removed the reference"


def _rows(workspace: Workspace, group: str, edit: int, item: str) -> list[dict[str, Any]]:
    edits = store.edits
    wanted = {"group": (edits.c.group, group), "edit": (edits.c.n, edit), "item": (edits.c.qid, item)}
    given = [column == value for column, value in wanted.values() if value]
    if len(given) != 1:
        raise InputError("give one of --group, --edit, --item")
    query = sa.select(edits).where(edits.c.outcome == "written", given[0]).order_by(edits.c.n.desc())
    return workspace.rows(query)
