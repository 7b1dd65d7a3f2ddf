"""Whether an item is of a kind that has a defining formula: its classes and its description, read as words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bot.match.labels import fold, singular
from bot.match.view import Pair
from bot.records import Evidence

# Words of class labels and descriptions. Words, not QIDs: they hold on another Wikibase too.
PLAUSIBLE = frozenset(
    "law equation formula theorem identity inequality principle quantity ratio coefficient constant function distribution number theory "
    "effect relation transform operator property variable parameter rate unit modulus energy force tensor matrix polynomial series "
    "sequence integral lemma hypothesis measure statistic estimator model concept physics mathematics statistics chemistry mechanics "
    "thermodynamics electromagnetism optics curve surface solution condition".split()
)
IMPLAUSIBLE = frozenset(
    "human person film movie album song single band painting sculpture book novel journal magazine newspaper article publication company business "
    "organization organisation city town village municipality settlement river mountain island country street building station ship "
    "taxon species genus gene protein disease surname disambiguation category template list award politician footballer actor "
    "actress singer writer university school airline television episode game software website asteroid galaxy".split()
)
_NAMES = re.compile(r"\b(?:family|given|male|female) name\b")


def plausible_class(pair: Pair, classes: Mapping[str, str]) -> Evidence | None:
    """The item's class or description says law, equation, quantity, …"""
    words, text = _words(pair, classes)
    found = sorted(words & PLAUSIBLE)
    if not found or words & IMPLAUSIBLE:
        return None
    return Evidence("plausible_class", 1.0, f"the item is described as {text}")


def implausible_class(pair: Pair, classes: Mapping[str, str]) -> Evidence | None:
    """The item is a person, a film, a list, …"""
    words, text = _words(pair, classes)
    if not (words & IMPLAUSIBLE or _NAMES.search(fold(text))) or words & PLAUSIBLE:
        return None
    return Evidence("implausible_class", 1.0, f"the item is described as {text}")


CLASSES: tuple[Callable[[Pair, Mapping[str, str]], Evidence | None], ...] = (plausible_class, implausible_class)


def _words(pair: Pair, classes: Mapping[str, str]) -> tuple[frozenset[str], str]:
    """Return the words of the item's class labels and description, and both as text."""
    texts = [classes[qid] for qid in pair.item.classes if classes.get(qid)]
    texts += [pair.item.description] if pair.item.description else []
    text = "; ".join(texts)
    return frozenset(singular(word) for word in re.findall(r"[a-z]+", fold(text))), text
