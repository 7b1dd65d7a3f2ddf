"""Writing: decisions become a plan, the plan becomes edits, every edit is proved additive and kept in the ledger.

The only stage that imports pywikibot, and only in `session.py`.
"""

from bot.write.apply import apply
from bot.write.authorise import authorise
from bot.write.entry import Plan, PlanEntry, edits_of
from bot.write.plan import make_plan
from bot.write.plans import left, load_plan, waiting_plan
from bot.write.undo import undo

__all__ = [
    "Plan",
    "PlanEntry",
    "apply",
    "authorise",
    "edits_of",
    "left",
    "load_plan",
    "make_plan",
    "undo",
    "waiting_plan",
]
