"""The proof after an edit: on the item before and after, and where others were there too, on our own revision alone.

An edit of another person that falls between reading and writing is neither blamed on us nor hides what we did: our
revision is found in the history and compared with its parent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.messages import Message
from bot.write import concurrent_edit, item_state
from bot.write.entry import PlanEntry
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import Entity, Revision, WikiRefusal, WikiSession


@dataclass(frozen=True, slots=True)
class EditProof:
    """What an edit did. `unplanned`: changes beside those that were planned; `concurrent_change`: what somebody else did a moment before it."""

    revision: int
    after: Entity
    unplanned: tuple[Message, ...] = ()
    concurrent_change: Message | None = None
    remark: Message | None = None


def prove_edit(
    session: WikiSession,
    entry: PlanEntry,
    before: Entity,
    after: Entity,
    revision: int,
    group: str,
    policy: WikiPolicy,
    joined: Sequence[PlanEntry] = (),
) -> EditProof:
    """Return what our edit did, which added the claims of `joined` too. Raises WikiRefusal where the wiki does not show its history, or shows that nothing was saved."""
    wrong = _unplanned_changes(entry, before, after, joined)
    if not wrong and is_only_revision(session, policy, entry.qid, before, after, revision):
        return EditProof(revision, after)
    own = policy.read_with_retries(
        lambda: find_own_revision(session, entry, before["lastrevid"], (group,), revision), session
    )
    if own is None and wrong and not item_state.contains(after, entry.statement, entry.payload):
        raise WikiRefusal("lost", Message("wiki.not_saved"))
    if own is None:
        remark = None if wrong else Message("remark.no_revision")
        return EditProof(after["lastrevid"], after, tuple(wrong), remark=remark)
    parent = policy.read_with_retries(lambda: session.entity_at(own.parent), session)
    own_entity = policy.read_with_retries(lambda: session.entity_at(own.id), session)
    wrong = _unplanned_changes(entry, parent, own_entity, joined)
    present = item_state.contains(after, entry.statement, entry.payload)
    remark = None if present else Message("remark.removed_at_once")
    overtaken = next(filter(None, (_preceding_change(one, before, parent) for one in (entry, *joined))), None)
    return EditProof(own.id, after, tuple(wrong), overtaken if present else None, remark)


def is_only_revision(
    session: WikiSession, policy: WikiPolicy, qid: str, before: Entity, after: Entity, revision: int
) -> bool:
    """Tell whether our revision is the only one between the two readings, which are then the proof.

    Without the history a change of somebody that our edit went over would show in neither of them.
    """
    if not revision or revision != after["lastrevid"]:
        return False
    history = policy.read_with_retries(lambda: session.history(qid, before["lastrevid"]), session)
    return [line.id for line in history] == [revision]


def find_own_revision(
    session: WikiSession, entry: PlanEntry, since: int, groups: Sequence[str], ignored: int = 0
) -> Revision | None:
    """Return the revision after `since` of ours that added what the entry says; None where there is none."""
    for revision in session.history(entry.qid, since):
        if revision.id != ignored and not any(group in revision.comment for group in groups):
            continue
        in_parent = revision.parent and item_state.contains(
            session.entity_at(revision.parent), entry.statement, entry.payload
        )
        if not in_parent and item_state.contains(session.entity_at(revision.id), entry.statement, entry.payload):
            return revision
    return None


def _unplanned_changes(entry: PlanEntry, before: Entity, after: Entity, joined: Sequence[PlanEntry]) -> list[Message]:
    if entry.adds_claim:
        return item_state.unplanned_changes(
            before, after, added={one.statement: one.payload for one in (entry, *joined)}
        )
    return item_state.unplanned_changes(before, after, grown=entry.statement, reference=entry.payload)


def _preceding_change(entry: PlanEntry, before: Entity, parent: Entity) -> Message | None:
    """Return the change of another editor between our reading and our edit, where it concerns what we add."""
    if entry.adds_claim:
        prop, symbol = entry.payload["mainsnak"]["property"], entry.kind == "symbol"
        if item_state.fingerprint(before, prop) != item_state.fingerprint(parent, prop):
            return Message("overtaken.symbols" if symbol else "overtaken.formulas")
        if symbol and concurrent_edit.statements_with_formula(before, entry) != concurrent_edit.statements_with_formula(
            parent, entry
        ):
            return Message("overtaken.formulas")
        return None
    was, now = item_state.statements(before)[entry.statement], item_state.statements(parent).get(entry.statement)
    if now is None or item_state.without_references(was) != item_state.without_references(now):
        return Message("overtaken.statement")
    return None
