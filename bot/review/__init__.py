"""A person decides: who may decide, the queue, decisions bound to a content hash, offline packets.

Proposal + a known reviewer -> Decision; web/ is the page to decide on. Nothing here suggests and nothing here writes to a wiki.
"""

from bot.review.decide import decide, same_earlier_decision
from bot.review.named_source import name_source
from bot.review.packet import export_packet, import_packet
from bot.review.people import add_reviewer, known_reviewer, remove_reviewer, reviewers
from bot.review.proposal_state import State
from bot.review.queue import find, queue, show

__all__ = [
    "State", "add_reviewer", "decide", "export_packet", "find", "import_packet", "known_reviewer", "name_source", "queue",
    "remove_reviewer", "reviewers", "same_earlier_decision", "show",
]  # fmt: skip
