"""One article as the choice of its defining formula sees it: its names, its symbol, its formulas with their sentences."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from bot.corpus.wikimath import to_tex
from bot.corpus.windows import MASK, sentences
from bot.discover.articles.cue_words import ClueWords, words
from bot.discover.candidate_filters import keys_of
from bot.discover.left_sides import left_side, sides, symbol
from bot.discover.phrases import fold, is_law
from bot.formula import identifiers, kind
from bot.records import Document, Occurrence

_STATING = ("equation", "system", "relation")
_LETTER = re.compile(r"(?<![\w'’⟦])(?:[B-Zb-z]|[α-ωΑ-Ω])(?![\w'’⟧.-])")  # “a” is a word
_LEAST = 3  # leaves: less is a symbol
_LONGEST = 1000  # characters; a longer one is a table or a derivation, and no value a wiki takes


@dataclass(frozen=True, slots=True)
class Candidate:
    """A formula of the article. `rank` counts the stating formulas before it, `under` those before it in its section."""

    occurrence: Occurrence
    kind: str
    left: str  # the plain symbol that it defines, or ""
    leaves: int
    rank: int
    under: int
    repeated: int  # other formulas of the article that are the same up to scripts and shown arguments
    before: str  # its own sentence up to it, as written; other formulas are masks
    after: str

    @property
    def tex(self) -> str:
        return self.occurrence.tex


@dataclass(frozen=True)
class ArticleFormulas:
    """An article and the formulas in it that could define what it is about."""

    document: Document
    occurrences: tuple[Occurrence, ...]

    @cached_property
    def words(self) -> ClueWords:
        return words(self.document.language or "en")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the article's title and the bold names of its lead, folded, the title first."""
        bold = (h.name for o in self.occurrences for h in o.hints if h.kind == "bold_title")
        found = (fold(name) for name in (self.document.title, *bold))
        return tuple(dict.fromkeys(name for name in found if name))

    @cached_property
    def mentions(self) -> tuple[str, ...]:
        """Return what the text may call the article's subject: its names, their initials, and “theorem” where it is about one."""
        names = [name for name in self.names if len(name) > 2]
        initials = ["".join(word[0] for word in name.split()) for name in names if len(name.split()) > 2]
        head = names[0].split()[-1:] if names and self.is_law else []
        return tuple(dict.fromkeys([*names, *initials, *head]))

    @cached_property
    def is_law(self) -> bool:
        """Say whether the title is headed by law, equation, theorem, …"""
        return bool(self.document.title) and is_law(re.sub(r"\s*\([^()]*\)", "", self.document.title))

    @cached_property
    def symbols(self) -> Counter[str]:
        """Return the symbols that the text introduces beside a name of the article, with how often it does."""
        found: Counter[str] = Counter()
        for each in {(d.symbol, fold(d.meaning)) for o in self.occurrences for d in o.definitions}:
            if any(each[1] == name for name in self.names):
                found[bare(each[0])] += 1
        seen: set[str] = set()
        for one in self.occurrences:
            if (letter := bare(one.tex)) and self._introduced(one.window.partition(f"⟦{one.position}⟧")[0]):
                found[letter] += 2
            if one.window not in seen:
                seen.add(one.window)
                found.update(self._letters(one.window))
        del found[""]
        return found

    def _introduced(self, before: str) -> bool:
        """Say whether the text ends with a name of the article, or with “…, denoted by”."""
        gap = self.words.named.search(before[-80:].lower())
        text = fold(before[-80:][: gap.start()]) if gap else ""
        return any(f" {text}".endswith(f" {name}") for name in self.names if len(name) > 2)

    def _letters(self, window: str) -> Iterator[str]:
        """Yield letters that stand in the text as such: “the angular acceleration α of …”."""
        for found in _LETTER.finditer(window):
            if self._introduced(window[: found.start()]):
                yield bare(to_tex(found[0]))

    @cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        read = [(one, *_read(one.tex)) for one in self.occurrences]
        count = Counter(key for _, _, _, key in read if key)
        return tuple(self._candidates(read, count))

    def _candidates(self, read: Iterable[tuple[Occurrence, str, int, str]], count: Counter[str]) -> Iterator[Candidate]:
        rank, under = 0, Counter[str]()
        for one, what, leaves, key in read:
            if leaves < _LEAST or what in ("unreadable", "stub", "dependence"):
                continue
            before, after = _sentence(one)
            left = left_side(one.tex) if what in ("equation", "relation", "assignment") else ""
            yield Candidate(one, what, left, leaves, rank, under[one.heading], count[key] - 1, before, after)
            if what in _STATING:
                rank += 1
                under[one.heading] += 1

    @cached_property
    def gaps(self) -> dict[int, int]:
        """Return for each position the number of words from the last mention of the subject to it, -1 without one."""
        return {one.occurrence.position: self._gap(one) for one in self.candidates}

    def _gap(self, one: Candidate) -> int:
        text = f" {fold(MASK.sub(' ', one.before))} "
        ends = [at + len(name) + 1 for name in self.mentions if (at := text.rfind(f" {name} ")) >= 0]
        return len(text[max(ends) :].split()) if ends else -1

    @cached_property
    def used(self) -> Counter[str]:
        """Return in how many formulas each letter stands."""
        return Counter(letter for one in self.candidates for letter in set(identifiers(one.tex)))


def _read(tex: str) -> tuple[str, int, str]:
    """Return kind, number of leaves, and the key under which repetitions meet."""
    found = None if len(tex) > _LONGEST or bare(tex) else keys_of(tex)
    return (kind(tex), found.leaves, found.K3) if found else ("unreadable", 0, "")


def _sentence(one: Occurrence) -> tuple[str, str]:
    """Return what stands before and after the formula in its own sentence; without a window, nothing."""
    at = one.window.find(f"⟦{one.position}⟧")
    if at < 0:
        return "", ""
    for start, end in sentences(one.window):
        if start <= at < end:
            mask = MASK.match(one.window, at)
            # What explains the symbols may open the next sentence: “Here m is the mass.”
            return one.window[start:at], one.window[mask.end() if mask else at : end + 60]
    return "", ""


def bare(tex: str) -> str:
    """Return the plain form of a formula that is one symbol and nothing else."""
    found = symbol(tex) if not sides(tex)[1] else ""
    return found if len(found) <= 16 and not re.search(r"[<>,]|\\l?dots", found) else ""


def right_side(tex: str) -> str:
    return sides(tex)[1]
