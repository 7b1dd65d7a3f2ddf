"""What we would say: ItemMatch + Item -> Proposal in the queue, and the dry-run report. Nothing here decides or writes.

Matches are merged into one entry for each item and canonical formula, compared with what the item says, given their
sources, checked, and saved under an id and a hash that are made from their content.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.propose.build import content_hash, proposal_id, rehashed
    from bot.propose.diff import ExistingClaim, standing
    from bot.propose.quotes import Part, parts
    from bot.propose.run import ProposeSummary, propose
    from bot.propose.stored_proposals import load_proposals, proposal_from_record

__all__ = [
    "ExistingClaim",
    "Part",
    "ProposeSummary",
    "content_hash",
    "load_proposals",
    "parts",
    "proposal_from_record",
    "proposal_id",
    "propose",
    "rehashed",
    "standing",
]
_HOMES = {
    **dict.fromkeys(("content_hash", "proposal_id", "rehashed"), "build"),
    **dict.fromkeys(("ExistingClaim", "standing"), "diff"),
    **dict.fromkeys(("Part", "parts"), "quotes"),
    **dict.fromkeys(("load_proposals", "proposal_from_record"), "stored_proposals"),
    **dict.fromkeys(("ProposeSummary", "propose"), "run"),
}


def __getattr__(name: str) -> object:
    """Import a part when it is asked for: who only looks whether anything has changed checks no formula."""
    if name in _HOMES:
        return getattr(import_module(f"bot.propose.{_HOMES[name]}"), name)
    raise AttributeError(name)
