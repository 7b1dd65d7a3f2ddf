"""The words of this bot, each explained once: `glossary.<term>` and `glossary.<term>_said` of the catalogues.

The help of the review page, the dry-run report, the packet and docs/glossary.md show these entries and no others.
"""

TERMS = (
    "proposal", "item", "formula", "second_formula", "reference", "quote", "probability", "checks", "flagged", "built_in_list", "other_item",
    "unsure", "skip", "close", "by_hand", "undo", "lease", "blind", "control", "content", "revision", "corpus", "field", "topic", "rehearsal",
)  # fmt: skip
# What a report says, which has no buttons.
IN_REPORTS = ("proposal", "formula", "second_formula", "reference", "quote", "probability", "checks", "flagged", "built_in_list", "content", "corpus")  # fmt: skip
QUESTIONS = (
    "probability", "built_in_list", "quotes", "unsure", "second", "written", "mistake", "defining", "no_source", "names",
)  # fmt: skip
