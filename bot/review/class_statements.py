"""Sentences that say what a concept is: “In physics, a force is an action that …” -> force, “an action”, with the item of the class where it is sure."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from bot.discover.phrases import fold
from bot.discover.symbols.quantity_names import quantity_of

_IS_A = re.compile(
    r"(?:In [^,⟦⟧]{3,60}, )?(?:[Tt]he |[Aa]n? )?(?P<subject>[^,⟦⟧().:;]{3,60}?)(?: \([^()]*\))?(?:, [^,.]{3,60},)? (?P<verb>is|are) "
    r"(?P<article>an?|one of the) (?P<kind>[^,⟦⟧().:;]{3,80})"
)
# What follows says something of this concept, not which class it is of.
_CLASS_ENDS = frozenset(
    "that which who whose where when with in on for by to from as at used given and or but if is are because since there only".split()
)


class ClassStatement(NamedTuple):
    """The item of a concept and its class in the words of the text; `qid` is the item of the class, "" where it is not sure."""

    item: str
    text: str  # subject, verb and class
    kind: str
    qid: str


def class_of_subject(sentence: str, subjects: Mapping[str, str], labels: Mapping[str, str]) -> ClassStatement | None:
    """Return the class that a sentence gives to its subject; None where it gives none.

    `subjects` and `labels` have items by folded names: of what may be spoken of, and of what may be a class. The class is the whole
    phrase or, without adjectives before it, its end: a relativistic wave equation is a wave equation. Single words have several
    meanings, so one is the item's only where both are quantities of one dimension: a friction is a force, but a force is no “action”.
    """
    found = _IS_A.match(sentence)
    item = subjects.get(fold(found["subject"]), "") if found else ""
    if not found or not item:
        return None
    words = found["kind"].split()
    words = words[: next((n for n, word in enumerate(words) if word.lower() in _CLASS_ENDS), len(words))]
    if not words:
        return None
    kind, name = " ".join(words), found["subject"]
    first = next((n for n, word in enumerate(words) if word == "of"), len(words))
    ends = (" ".join(words[n:]) for n in range(first))
    qid = next((qid for end in ends if (qid := labels.get(fold(end), "")) and qid != item and _is_sure(name, end)), "")
    kind = f"{found['article']} {kind}"
    return ClassStatement(item, f"{name} {found['verb']} {kind}", kind, qid)


def _is_sure(name: str, kind: str) -> bool:
    if " " in kind:
        return True
    one, other = quantity_of(name)[0], quantity_of(kind)[0]
    return one is not None and other is not None and one.dimension is not None and one.dimension == other.dimension
