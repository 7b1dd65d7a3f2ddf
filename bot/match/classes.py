"""Whether an item is of a kind that has a defining formula: its classes and its description, read as words."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from bot.match.features.candidate_pair import CandidatePair
from bot.match.item_labels import fold, singular
from bot.records import Evidence

_NAMES = re.compile(r"\b(?:family|given|male|female) name\b")


def plausible_class(pair: CandidatePair, classes: Mapping[str, str]) -> Evidence | None:
    """The item's class or description says law, equation, quantity, …"""
    words, text = _words(pair, classes)
    found = sorted(words & _known("plausible"))
    if not found or words & _known("implausible"):
        return None
    return Evidence.of("plausible_class.said", 1.0, text=text)


def implausible_class(pair: CandidatePair, classes: Mapping[str, str]) -> Evidence | None:
    """The item is a person, a film, a list, …"""
    words, text = _words(pair, classes)
    if not (words & _known("implausible") or _NAMES.search(fold(text))) or words & _known("plausible"):
        return None
    return Evidence.of("implausible_class.said", 1.0, text=text)


CLASS_FEATURES: tuple[Callable[[CandidatePair, Mapping[str, str]], Evidence | None], ...] = (
    plausible_class,
    implausible_class,
)


def _words(pair: CandidatePair, classes: Mapping[str, str]) -> tuple[frozenset[str], str]:
    """Return the words of the item's class labels and description, and both as text."""
    texts = [classes[qid] for qid in pair.item.classes if classes.get(qid)]
    texts += [pair.item.description] if pair.item.description else []
    text = "; ".join(texts)
    return frozenset(singular(word) for word in re.findall(r"[a-z]+", fold(text))), text


@cache
def _known(kind: str) -> frozenset[str]:
    data = json.loads(files("bot.match").joinpath("classes.json").read_text(encoding="utf-8"))
    return frozenset(data[kind].split())
