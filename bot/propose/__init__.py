"""What we would say: ItemMatch + Item -> Proposal in the queue, and the dry-run report. Nothing here decides or writes.

Matches are merged into one entry for each item and canonical formula, compared with what the item says, given their
sources, checked, and saved under an id and a hash that are made from their content.
"""

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
