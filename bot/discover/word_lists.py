"""Word lists for the phrase chunker (word_lists.toml): what cannot stand in a name, what can head one, what never is one.

English only; a document in another language gets its names from structure (titles, tables, hints), not from prose.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path


def _forms(verbs: Iterable[str]) -> frozenset[str]:
    """Return verbs with their regular forms; a stem that takes them irregularly is listed by form."""
    found = set()
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb
        third = third if third.endswith("ies") else verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z")) else "s")
        past = verb[:-1] + "ied" if third.endswith("ies") and verb.endswith("y") else stem + "ed"
        found |= {verb, third, past, stem + "ing"}
    return frozenset(found)


_LISTS = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text("utf-8")).items()
}
STOP = (_LISTS["function"] | _forms(_LISTS["verbs"]) | _LISTS["verb_forms"]) - _LISTS["nouns"]
LEAD, LAWS, QUANTITIES = _LISTS["lead"], _LISTS["laws"], _LISTS["quantities"]
EMPTY, LIKE_ADJECTIVES = _LISTS["empty"], _LISTS["like_adjectives"]
COMPOUNDING = tuple(_LISTS["compounding"])
THROUGH, DESCRIBING, KIND_OF_LAW = _LISTS["through"], _LISTS["describing"], _LISTS["kind_of_law"]
HEADINGS = _LISTS["headings"]


def breaks(word: str) -> bool:
    """Say whether a lower-case word cannot stand inside a name."""
    return word in STOP or (word.endswith("ly") and len(word) > 4 and word not in _LISTS["ly_nouns"])
