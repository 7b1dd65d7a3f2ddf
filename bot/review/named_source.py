"""A source that a reviewer names for a claim which the corpus gives none for: the proposal has it from then on, under a new hash.

The decision is then made on that content as on any other, and nothing is written without a source.
"""

from __future__ import annotations

from dataclasses import replace

from bot import hashchain, store
from bot.errors import ReviewError
from bot.messages import Message
from bot.propose import proposal_from_record, rehashed
from bot.propose.references import distinct, reference_of
from bot.records import Check, Proposal, as_json
from bot.review.decide import proposal_row
from bot.review.people import reviewer
from bot.review.proposal_state import State, statuses
from bot.settings import Settings
from bot.store import Workspace, now

_SOURCES = ("source", "citable source")  # checks that the named source answers


def name_source(workspace: Workspace, settings: Settings, proposal: str, seen: str, text: str, who: str) -> Proposal:
    """Give a proposal a source by QID, DOI, arXiv ID or address, and return it as it is then.

    `seen` is the hash of what the reviewer saw. Raises ReviewError where it is another one now, for somebody unknown, for
    anything but a new claim, for what is written already, and for a text that names no source that may be cited.
    """
    reviewer(workspace, who)
    row = proposal_row(workspace, proposal)
    found = proposal_from_record(row["record"], f"proposals {row['id']}")
    if seen != found.hash:
        raise ReviewError(Message("error.changed"), where=found.id, todo=Message("todo.again"))
    if found.kind != "new_claim" or statuses(workspace, [found.id])[found.id].state is State.WRITTEN:
        raise ReviewError(Message("error.only_for_claims"), where=found.id)
    properties = settings.wiki.properties
    reference = reference_of(text, properties, settings.proposing, now()[:10])
    if reference is None:
        raise ReviewError(
            Message("error.no_source_named", text=text[:80]), where=found.id, todo=Message("todo.name_source")
        )
    made = _with(found, distinct((*found.given, reference, *found.references), properties), (*found.given, reference))
    table = store.proposals
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        changed = db.execute(
            table.update()
            .where(table.c.id == found.id, table.c.hash == found.hash)
            .values(hash=made.hash, record=as_json(made))
        )
    if changed.rowcount != 1:
        raise ReviewError(Message("error.changed"), where=found.id, todo=Message("todo.again"))
    return made


def _with(found: Proposal, references: tuple, given: tuple) -> Proposal:  # type: ignore[type-arg]
    checks = tuple(
        Check.of(f"{check.name.replace(' ', '_')}.given", "ok")
        if check.name in _SOURCES and check.state == "warn" and check.detail.code.endswith((".none", ".cannot"))
        else check
        for check in found.checks
    )
    made = replace(found, references=references, given=tuple(r for r in given if r in references), checks=checks)
    return replace(made, hash=rehashed(made))
