"""Where the sentences around a formula name it: name cues with their sentence, and how far they are from the formula."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.corpus.draft import MASK, PARAGRAPH, sentence_spans
from bot.discover.cues.cue_language import NO_LANGUAGE, CueLanguage
from bot.discover.cues.letters import masked_name_pattern
from bot.discover.cues.nominative import inflected
from bot.discover.names import CUE_KINDS
from bot.records import MASK_OPEN, Occurrence

# Set by hand, as weights of name cues are: 8 words on, a name has lost about two thirds of its worth.
NEAR = 8.0
BETWEEN = 0.6  # what is left of it beyond another formula
_OTHER_FAMILIES = ("place", "left side")  # families of cues: the name is of a heading, or of the symbol on the left
_SURE = 0.3  # weight of a kind of cue from which the sentence names the formula explicitly
PROSE_CUES = frozenset(
    kind
    for kind, cue in CUE_KINDS.items()
    if cue.weight and not (cue.structural or cue.titled or cue.family in _OTHER_FAMILIES)
)
EXPLICIT_CUES = frozenset(kind for kind in PROSE_CUES if CUE_KINDS[kind].weight >= _SURE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a sentence has; `words` and `formulas` lie between it and the formula."""

    name: str
    kind: str
    sentence: str
    words: int
    formulas: int

    @property
    def confidence(self) -> float:
        """Return the share of right names among those that this kind of cue alone gives; 0 for a kind that is not explicit."""
        return CUE_KINDS[self.kind].weight if self.kind in EXPLICIT_CUES else 0.0

    @property
    def nearness(self) -> float:
        """Return 1 for a name next to the formula, less with each word and formula between."""
        return nearness(self.words, self.formulas)


def mentions(occurrence: Occurrence, language: CueLanguage = NO_LANGUAGE) -> Iterator[Mention]:
    """Yield the names of an occurrence in its sentences, each name and kind of cue once, the nearest one."""
    window, mask = occurrence.window, f"⟦{occurrence.position}⟧"
    position = window.find(mask)
    prose = [cue for cue in occurrence.cues if cue.kind in PROSE_CUES] if position >= 0 else []
    if prose:
        plain = window == PARAGRAPH.join(" ".join(part.split()) for part in window.split(PARAGRAPH))
        bounds = sentence_spans(window)
        for cue in prose:
            gaps = [
                (window[end:position] if end <= position else window[position + len(mask) : start], start)
                for start, end in _spans(cue.name, window, plain, language)
            ]
            if gaps:
                gap, start = min(gaps, key=lambda pair: -nearness(*_counted(pair[0])))
                sentence = next((window[s:e] for s, e in bounds if s <= start < e), window)
                yield Mention(cue.name, cue.kind, sentence, *_counted(gap))


def nearness(words: int, formulas: int) -> float:
    """Return the weight of a name by its distance in words and formulas, from 0 to 1."""
    return math.exp(-words / NEAR) * float(BETWEEN**formulas)


def _counted(gap: str) -> tuple[int, int]:
    formulas = len(MASK.findall(gap))
    return len(gap.split()) - formulas, formulas


def _spans(name: str, window: str, plain: bool, language: CueLanguage) -> Iterator[tuple[int, int]]:
    """Yield where a name stands between other words; a text that is not `plain` may break its lines, and a language may decline."""
    letters = masked_name_pattern(name) if MASK_OPEN in window else None
    if letters or language.declension:
        yield from (found.span() for found in (letters or inflected(name)).finditer(window))
        return
    words = name.split()
    if not plain:
        pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, words)) + r"(?!\w)"
        yield from (found.span() for found in re.finditer(pattern, window))
        return
    # Names are many, and a pattern for each takes longer to make than to look for.
    spelling, end = " ".join(words), 0
    while spelling and (start := window.find(spelling, end)) >= 0:
        end = start + len(spelling)
        if _in_word(window[start - 1 : start]) or _in_word(window[end : end + 1]):
            end = start + 1
        else:
            yield start, end


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
