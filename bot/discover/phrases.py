"""Noun phrases of running text, and the one form under which two spellings of a name are the same name.

A light chunker: a phrase is a run of words that are no function words and no verbs, joined once by "of".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.discover.word_lists import (
    COMPOUNDING,
    DESCRIBING,
    EMPTY,
    KIND_OF_LAW,
    LAWS,
    LEAD,
    LIKE_ADJECTIVES,
    QUANTITIES,
    THROUGH,
    breaks,
)

_TOKEN = re.compile(r"⟦\d+⟧|[^\W_]+(?:[-‐‑–’'][^\W_]+)*(?:['’](?=\s))?|[^\w\s]")
_WORD = re.compile(r"[^\W\d_]")
_DASH = re.compile(r"[-‐‑‒–—−]")
_SINGULAR = {
    "formulae": "formula",
    "criteria": "criterion",
    "radii": "radius",
    "indices": "index",
    "vertices": "vertex",
}
_ARTICLE = frozenset(("the", "a", "an"))
_ADJECTIVE = re.compile(r"\w{2}(?:al|ive|ous|ic)$")
_NOUNS_TOO = frozenset("speed seed bed feed need variable observable table ensemble ordered".split())
_NO_END = frozenset("times plus minus past long form forms equation, terms".split())
_REFERENCES = frozenset(
    "figure fig table section chapter example problem exercise equation eq appendix page step".split()
)
_LIGHT = frozenset("also often its our as this just simply".split())
MOST_WORDS = 7


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: its words as they stand and its span in the text."""

    text: str
    start: int
    end: int

    @property
    def head(self) -> str:
        """The word the phrase is about: the last one, or the one before “of”."""
        return _head(self.text.lower().split())


def phrases(text: str) -> list[Phrase]:
    """Return the noun phrases of `text` in order; one joined by “of” stands before its two parts."""
    found: list[Phrase] = []
    last: Phrase | None = None
    chained = False
    for run in _runs(text):
        between = text[last.end : run.start].split() if last else []
        chained = (
            bool(last) and not chained and between[:1] == ["of"] and len(between) <= 2 and set(between[1:]) <= _ARTICLE
        )
        if last and chained:
            joined = Phrase(" ".join([last.text, *between, run.text]), last.start, run.end)
            if len(joined.text.split()) <= MOST_WORDS + 1:
                found[-1:] = [joined, found[-1]] if found and found[-1] is last else [*found[-1:], joined]
        found.append(run)
        last = run
    return found


def _runs(text: str) -> Iterator[Phrase]:
    words: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        low = token.lower()
        if _WORD.match(token) and not breaks(low) and (len(token) > 1 or words):
            words.append((token, match.start(), match.end()))
            continue
        # "second" is a number before "law" and a unit elsewhere; digits inside a phrase ("type 2") are rare: both end it.
        yield from _phrase(words)
        words = []
    yield from _phrase(words)


def _phrase(words: list[tuple[str, int, int]]) -> Iterator[Phrase]:
    while words and words[0][0].lower() in LEAD:
        words = words[1:]
    while words and len(words[-1][0]) == 1:
        words = words[:-1]
    words = words[-MOST_WORDS:]
    if words:
        yield Phrase(" ".join(w for w, _, _ in words), words[0][1], words[-1][2])


def after(text: str) -> str:
    """Return the name that `text` begins with, past articles, quotes and adverbs, or an empty string."""
    for phrase in phrases(text[:160]):
        gap = text[: phrase.start].lower()
        return phrase.text if not re.search(r"[^\s\"'“”‘’*«»a-z]", gap) and _light(gap) else ""
    return ""


def opening(text: str) -> str:
    """Return the first name of a clause with all that “of” joins to it: “the moment of inertia about …” gives “moment of inertia”.

    “magnitude of X” and the like stand for X; “ratio of”, “sum of” describe and give nothing.
    """
    found = phrases(text[:200])
    if not found:
        return ""
    whole = max((p for p in found if p.start == found[0].start), key=lambda p: p.end).text
    head, of, rest = whole.partition(" of ")
    last = head.split()[-1].lower()
    if of and last in THROUGH and len(head.split()) == 1:
        return re.sub(r"^(?:the|an?)\s", "", rest)
    return "" if last in DESCRIBING and (of or len(head.split()) == 1) else whole


def before(text: str) -> str:
    """Return the name that `text` ends with, past articles, a comma or a colon, or an empty string."""
    tail = text[-160:]
    found = phrases(tail)
    if not found:
        return ""
    whole = max((p for p in found if p.end == found[-1].end), key=lambda p: p.end - p.start)
    return whole.text if not tail[whole.end :].strip(" \"'“”’:,(*").strip() else ""


def _light(gap: str) -> bool:
    words = re.findall(r"[a-z]+", gap)
    return all(w in LEAD or w in _ARTICLE or w in _LIGHT for w in words)


def suffixes(name: str) -> Iterator[str]:
    """Yield the shorter names inside a name that keep its head: “time-dependent Schrödinger equation” holds “Schrödinger equation”."""
    words = name.split()
    if "of" in words:
        at = words.index("of")
        for i in range(1, at):
            yield " ".join(words[i:])
        return
    least = 2 if words[-1].lower() in LAWS else 1
    for i in range(1, len(words) - least + 1):
        yield " ".join(words[i:])


@lru_cache(maxsize=200_000)
def fold(name: str) -> str:
    """Return the form under which spellings of a name meet: case, plural, possessive, dashes, articles and accents of print.

    >>> fold("The Klein–Gordon equations") == fold("Klein-Gordon equation")
    True
    """
    text = re.sub(r"\([^()]*\)", " ", name)
    text = _DASH.sub(" ", text.replace("’", "'").casefold())
    words = [w for w in re.findall(r"[^\W_]+(?:'[^\W_]+)*", text) if w not in _ARTICLE]
    return " ".join(singular(w) for w in words)


def singular(word: str) -> str:
    word = word[:-2] if word.endswith("'s") else word
    if len(word) <= 3 or word.endswith(("ss", "us", "is", "ics", "ous")):
        return word
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return _SINGULAR.get(word, word.removesuffix("s"))


def tidy(name: str) -> str:
    """Return a name as it is shown: no article, no parenthesis, no stray marks, one blank between words."""
    text = re.sub(r"\([^()]*\)", " ", name)
    text = re.sub(r"⟦\d+⟧", " ", text)
    text = re.sub(r"^\W*(?:(?:the|an?)\s+)?", "", " ".join(text.split()), flags=re.I)
    return text.strip(" .,;:*\"'“”‘«»[]{}|=")


def usable(name: str, *, given: bool = False, bare: bool = False) -> bool:
    """Refuse what is no name: empty words, numbers, figures and tables, single letters, whole clauses.

    `given` is what an author says in so many words, `bare` what stood in a window of words: its kind may be all that is known of a law.
    """
    words = fold(name).split()
    most_words, most_characters = (20, 160) if given else (10, 80)
    if not words or len(words) > most_words or len(name) > most_characters:
        return False
    if not re.search(r"[^\W\d_]{3}", name) or "⟦" in name:
        return False
    if len(words) > 1 and words[0] in _REFERENCES and (words[1].isdigit() or len(words[1]) == 1):
        return False
    return given or not (_ends_badly(name, words) or _says_nothing(name.lower().split(), words, bare))


def _ends_badly(name: str, words: list[str]) -> bool:
    last = name.lower().split()[-1]
    if re.search(r"[^-–]ed$|less$|[ai]ble$", last) and last not in _NOUNS_TOO:
        return True
    if _ADJECTIVE.search(last) and last not in LIKE_ADJECTIVES and not last.endswith(COMPOUNDING):
        return True
    # A cross-reference: "differentiating Equation (4)".
    reference = name.split()[-1] in ("Equation", "Equations") and name[:1].islower()
    return last in _NO_END or words[-1].isdigit() or reference


def _says_nothing(raw: list[str], words: list[str], bare: bool) -> bool:
    """Say whether a name tells a law's kind only, or is made of empty words; “time constant” is a name though each word alone is none."""
    kind_counts = bare and len(raw) > 2
    if raw[-1] in LAWS and len(raw) > 1 and not kind_counts and all(w in KIND_OF_LAW or w in LEAD for w in raw[:-1]):
        return True
    names = len(words) > 1 and not any(map(breaks, raw)) and raw[-1] in QUANTITIES and raw[0] not in LEAD
    return all(map(_empty, (*words, *raw))) and not names


def _empty(word: str) -> bool:
    return word in EMPTY or word in LEAD or breaks(word) or word.isdigit() or len(word) == 1


def is_law(name: str) -> bool:
    """Say whether a phrase is headed like a law: law, equation, theorem, principle …"""
    words = name.lower().split()
    return len(words) > 1 and (words[-1] in LAWS or _head(words) in LAWS)


def is_quantity(name: str) -> bool:
    """Say whether a phrase is headed like a quantity: energy, radius, constant …"""
    return _head(name.lower().split()) in QUANTITIES


def _head(words: list[str]) -> str:
    """Return the word a phrase is about: the last one, or the one before “of”."""
    return words[words.index("of") - 1] if "of" in words[1:] else words[-1] if words else ""
