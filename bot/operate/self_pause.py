"""The bot pauses its own writing where others remove too much of what it wrote: the states of its edits -> a pause."""

from __future__ import annotations

from datetime import datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.audit import survival
from bot.messages import Message
from bot.records import EditOutcome
from bot.store import Workspace
from bot.write.pause import current_pause, pause_writing, pauses

WINDOW = timedelta(days=30)  # chosen: the last age of the survival audit
LEAST = 3  # removals; chosen, since one person's disagreement is no rate
_AGAINST = ("removed", "deprecated")  # what others did with a claim that they disagree with; a correction is none


def removals(workspace: Workspace, now: datetime) -> tuple[list[int], int]:
    """Return the numbers of edits that others removed in the last 30 days, and how many edits were written in these days.

    Removals that a person has looked at, when lifting a pause, count no more.
    """
    since = f"{now - WINDOW:%Y-%m-%dT%H:%M:%SZ}"
    seen = {n for pause in pauses(workspace) if pause["until"] for n in pause["counted"]}
    gone = [
        each.edit
        for each in survival(workspace, now).removals
        if each.state in _AGAINST and (each.removed or each.written) >= since and each.edit not in seen
    ]
    edits = store.edits.c
    written = sa.select(sa.func.count().label("n")).where(
        edits.outcome == EditOutcome.WRITTEN, ~store.is_undone(), edits.time >= since
    )
    return gone, int(workspace.rows(written)[0]["n"])


def pause_if_removed(workspace: Workspace, above: float, now: datetime) -> bool:
    """Pause writing where the share of removals is above the given one; say whether that was done now."""
    gone, written = removals(workspace, now)
    if len(gone) < LEAST or len(gone) <= above * max(written, 1) or current_pause(workspace):
        return False
    pause_writing(workspace, Message("pause.removals", n=len(gone), written=written), counted=gone)
    return True
