"""Writing: decisions become a plan, the plan becomes edits, every edit is proved additive and kept in the ledger.

The only stage that imports pywikibot, and only in `session.py`.
"""

from bot.write.apply import apply
from bot.write.authorise import authorise
from bot.write.entry import Plan, number_of_edits
from bot.write.plan import make_plan
from bot.write.plans import load_plan, unfinished_entries, unfinished_plan

__all__ = [
    "Plan", "apply", "authorise", "load_plan", "make_plan", "number_of_edits", "unfinished_entries", "unfinished_plan",
]  # fmt: skip
