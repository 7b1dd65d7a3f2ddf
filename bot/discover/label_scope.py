"""How wide a name is beside a label that it contains: the same concept, a way of saying it, or one case of it."""

import re
from functools import lru_cache

from bot.discover.cues.cue_language import CueLanguage
from bot.discover.phrases import EN

# What a name says of a label's concept: it itself, it in some form or of anything whatever, or one case of it.
SAME, GENERAL, NARROW = "same", "general", "narrow"


@lru_cache(maxsize=16384)
def name_scope(name: str, label: str, language: CueLanguage = EN) -> str:
    """Return how a folded name that contains a folded label stands to it: SAME, GENERAL, NARROW, or "" where it is about something else.

    “Torque vector” and “density of a substance” are as wide as torque and density; “average velocity” and “period of a pendulum” are narrower.
    In a language without words for it a name is the same or says nothing.
    """
    may_occur = len(label) > 2 and label in name  # seen much faster than a pattern is made
    found = re.search(rf"(?<!\w){re.escape(label)}(?:e?[sn])?(?!\w)", name) if may_occur else None
    if not found:
        return ""
    before, after = name[: found.start()].strip(), re.sub(r"^ \w(?=[ ,]|$)", "", name[found.end() :])
    if not before and not after:
        return SAME
    if "neutral" not in language.patterns:
        return ""
    neutral = language.pattern("neutral")
    words = [] if language.pattern("frame").match(f"{before} x") else before.split()
    if any(map(language.pattern("link").match, words)) or after.startswith(("'", "-")):
        return ""
    narrow = not all(map(neutral.match, words))
    if after and not language.pattern("form").match(after):
        case = language.pattern("case")
        of = case.search(after) if language.head_first else case.match(after)
        adjectives = after[: of.start() if of else None].split() if language.head_first else []
        if not of and not adjectives:
            return ""  # “energy density” is not energy
        words_after_of = re.split(r"[,;(]", after[of.end() :])[0].split() if of else []
        narrow |= not all(map(neutral.match, adjectives)) or not all(
            map(language.pattern("bearer").match, words_after_of)
        )
    return NARROW if narrow else GENERAL
