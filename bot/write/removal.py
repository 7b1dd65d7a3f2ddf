"""Taking one statement or one source of ours off an item, without taking anything of another with it.

The wiki has no "remove it only if it is still this": somebody may change a statement between our reading and our removing.
So the removal is judged by our own revision against its parent, and what it took of another's is put back at once.
"""

from collections.abc import Iterable

from bot.errors import WriteStopped
from bot.messages import Message
from bot.records import Edit, UndoState
from bot.wikibase import Json
from bot.write import item_state
from bot.write.ledger import UndoResult
from bot.write.proof import is_only_revision
from bot.write.rate_limit import WriteSlot
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, Revision, WikiRefusal, WikiSession


def reason_to_keep(row: Edit, entity: Entity) -> UndoResult | None:
    """Return why the edit cannot be undone, None where it is still as we left it."""
    if "redirects" in entity or entity.get("id") != row.qid:
        target = entity.get("id")
        return UndoResult(
            UndoState.KEPT, Message("kept.merged", target=target) if target else Message("kept.merged_somewhere")
        )
    found = item_state.statements(entity).get(row.guid)
    if found is None:
        return UndoResult(UndoState.KEPT, Message("kept.removed"))
    if is_statement(row):
        changed = item_state.changed_parts(found, row.payload)
        why = Message("kept.changed", code_parts=", ".join(changed))
        return UndoResult(UndoState.KEPT, why) if changed else None
    present = item_state.reference_hash(found, row.payload)
    return None if present else UndoResult(UndoState.KEPT, Message("kept.reference"))


def remove(
    session: WikiSession, policy: WikiPolicy, slot: WriteSlot, row: Edit, before: Entity, group: str, summary: str
) -> UndoResult:
    """Take it off the item as `before` shows it; return whether it is undone, kept, or still there.

    Raises WikiRefusal where nothing was done and a retry is possible, WriteStopped where more than ours was removed.
    """
    try:
        with slot.sending():
            revision = _send(session, row, before, summary)
    except WikiRefusal as refusal:
        if refusal.kind in ("later", "session"):
            raise
        revision = 0
        if not reason_to_keep(row, policy.read_with_retries(lambda: session.entity(row.qid), session)):
            raise
    after = policy.read_with_retries(lambda: session.entity(row.qid), session)
    clean = not _unrelated_changes(row, before, after) and reason_to_keep(row, after)
    if clean and is_only_revision(session, policy, row.qid, before, after, revision):
        return UndoResult(UndoState.UNDONE, revision=revision)
    own = find_own_removal(session, policy, row, before["lastrevid"], (group,))
    if own is None:
        return reason_to_keep(row, after) or UndoResult(UndoState.FAILED, Message("failed.still_there"))
    parent = policy.read_with_retries(lambda: session.entity_at(own.parent), session)
    own_entity = policy.read_with_retries(lambda: session.entity_at(own.id), session)
    if wrong := _unrelated_changes(row, parent, own_entity):
        raise WriteStopped(Message("stopped.undo", wrong=wrong), where=row.qid, todo="see_history")
    statement = item_state.statements(parent)[row.guid]
    if not (is_statement(row) and item_state.changed_parts(statement, row.payload)):
        return UndoResult(UndoState.UNDONE, revision=own.id)
    return _put_back(session, policy, slot, row, statement, group)


def find_own_removal(
    session: WikiSession, policy: WikiPolicy, row: Edit, since: int, groups: Iterable[str]
) -> Revision | None:
    """Return our revision after `since` that took it off the item, None where there is none."""
    wanted = tuple(groups)
    for revision in policy.read_with_retries(lambda: session.history(row.qid, since), session):
        if revision.parent and any(group in revision.comment for group in wanted):
            parent, after = session.entity_at(revision.parent), session.entity_at(revision.id)
            if _contains(parent, row) and not _contains(after, row):
                return revision
    return None


def is_statement(row: Edit) -> bool:
    """Say whether the edit made a statement, and not a source of one."""
    return "mainsnak" in row.payload


def _put_back(
    session: WikiSession, policy: WikiPolicy, slot: WriteSlot, row: Edit, statement: Json, group: str
) -> UndoResult:
    """Restore the statement as somebody else left it in the moment before we removed it."""
    summary = f"put back another's change ([[:toolforge:editgroups/b/CB/{group}|details]])"
    for n in range(policy.max_retries + 1):
        try:
            with slot.sending():
                revision = session.add_claim(row.qid, statement, summary, 0)
        except WikiRefusal as refusal:
            after = policy.read_with_retries(lambda: session.entity(row.qid), session)
            if row.guid in item_state.statements(after):
                revision = after["lastrevid"]
            elif n == policy.max_retries or refusal.kind in ("item", "stop"):
                why = policy.stop_error(session, refusal, row.qid) if refusal.kind == "stop" else refusal
                message = Message("stopped.lost", why=why.message)
                raise WriteStopped(message, where=row.qid, todo="put_back", code_guid=row.guid) from None
            else:
                policy.wait_before_retry(n, refusal)
                continue
        return UndoResult(UndoState.KEPT, Message("kept.put_back"), revision)
    raise AssertionError("unreachable")


def _send(session: WikiSession, row: Edit, before: Entity, summary: str) -> int:
    if is_statement(row):
        return session.remove_claim(row.qid, row.guid, summary, before["lastrevid"])
    found = item_state.statements(before)[row.guid]
    return session.remove_reference(row.qid, row.guid, item_state.reference_hash(found, row.payload), summary)


def _contains(entity: Entity, row: Edit) -> bool:
    return item_state.contains(entity, row.guid, row.payload)


def _unrelated_changes(row: Edit, before: Entity, after: Entity) -> str:
    """Return what changed beside our statement, or in it beside our source."""
    old, new = item_state.fingerprint(before), item_state.fingerprint(after)
    wrong = [g for g in old.keys() | new.keys() if g != row.guid and old.get(g) != new.get(g)]
    if not is_statement(row):
        was, now = item_state.statements(before).get(row.guid), item_state.statements(after).get(row.guid)
        if was is None or now is None or not item_state.only_gained_reference(now, was, row.payload):
            wrong.append(row.guid)
    return ", ".join(wrong)
