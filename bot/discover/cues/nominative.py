"""Names as a dictionary writes them: “homogenen Maxwell-Gleichungen” of a sentence is “homogene Maxwell-Gleichungen”.

Which nouns take which end is in the language's file, `[declension]`; a language without it declines nothing, and neither does a noun that it does not have.
"""

import re
from functools import lru_cache

from bot.discover.cues.cue_language import CueLanguage

_GENITIVE = re.compile(r"^(?P<noun>[A-ZÄÖÜ][\w-]{3,}e[lr])s(?=$|\s(?:de[rs]|eine[rs]|von|vom)\s)")  # no plural ends so
_ADJECTIVE = re.compile(r"^(?P<stem>[\w’'-]{3,}?)e[mnrs]?$")


@lru_cache(maxsize=100_000)
def nominative(name: str, language: CueLanguage) -> str:
    """Return a name with the adjectives that it begins with, and their noun, in the nominative without an article."""
    words = name.split(" ")
    at = next((n for n, word in enumerate(words) if not _is_before_noun(word, language)), len(words))
    if language.declension and at < len(words):
        for end, nouns in language.declension.items():
            if found := nouns.fullmatch(words[at]):
                declined = [_ADJECTIVE.sub(rf"\g<stem>{end}", word) for word in words[:at]]
                return " ".join([*declined, found["noun"], *words[at + 1 :]])
    return _GENITIVE.sub(r"\g<noun>", name) if language.declension else name


@lru_cache(maxsize=16384)
def inflected(name: str) -> re.Pattern[str]:
    """Return what finds a name of `nominative` in a text in any of its cases."""
    words = [
        rf"{re.escape(found['stem'])}e[mnrs]?"
        if (found := _ADJECTIVE.fullmatch(word))
        else rf"{re.escape(word)}(?:e?s)?"
        for word in name.split()
    ]
    return re.compile(r"(?<!\w)" + r"\s+".join(words) + r"(?!\w)")


def _is_before_noun(word: str, language: CueLanguage) -> bool:
    """Tell whether a word is an adjective or adverb: in small letters, or of a person (“Gaußschen”)."""
    return word.islower() or bool(language.pattern("of_person").search(word))
