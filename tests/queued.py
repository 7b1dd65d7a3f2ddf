"""The proposals of a workspace, for the tests of several stages."""

from __future__ import annotations

from bot.records import Proposal
from bot.review.queue import queue
from bot.store import Workspace


def load_proposals(workspace: Workspace) -> list[Proposal]:
    """Return all proposals of the queue, the likeliest first."""
    return [row.proposal for row in queue(workspace, "all")]
