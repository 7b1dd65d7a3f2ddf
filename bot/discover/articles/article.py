"""One article as the choice of its defining formula sees it: its names, its symbol, its formulas with their sentences."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.corpus.draft import MASK, sentence_spans
from bot.corpus.wikimath import to_tex
from bot.discover.candidate_filters import keys_of
from bot.discover.cues.cue_language import CueLanguage, article_language
from bot.discover.document_language import with_language
from bot.discover.left_sides import left_side, sides, single_symbol
from bot.discover.phrases import fold, folded_clauses, is_law
from bot.formula import identifiers, statement_kind
from bot.formula.features.structural import token_ngrams
from bot.records import Document, Occurrence

_STATING = ("equation", "system", "relation")
_LETTER = re.compile(r"(?<![\w'’⟦])(?:[B-Zb-z]|[α-ωΑ-Ω])(?![\w'’⟧.-])")  # “a” is a word
_MIN_LEAVES = 3  # leaves: less is a symbol
_MAX_LENGTH = 1000  # characters; a longer one is a table or a derivation, and no value a wiki takes


@dataclass(frozen=True, slots=True)
class ArticleCandidate:
    """A formula of the article. `rank` counts the stating formulas before it, `under` those before it in its section."""

    occurrence: Occurrence
    kind: str
    left: str  # the plain symbol that it defines, or ""
    leaves: int
    rank: int
    rank_in_section: int
    repeated: int  # other formulas of the article that are the same up to scripts and shown arguments
    before: str  # its own sentence up to it, as written; other formulas are masks
    after: str

    @property
    def tex(self) -> str:
        return self.occurrence.tex

    @property
    def ngrams(self) -> frozenset[str]:
        """The token n-grams of the formula."""
        return token_ngrams(self.tex)


@dataclass(frozen=True)
class ArticleFormulas:
    """An article and the formulas in it that could define what it is about.

    `listed` are the formulas that a list of concepts has for the subject, the usual one first; None if no list was asked.
    """

    document: Document
    occurrences: tuple[Occurrence, ...]
    listed: tuple[str, ...] | None = None

    @cached_property
    def language(self) -> CueLanguage:
        """Return the patterns of the article's language, which a file that says English or nothing may not have."""
        document = with_language(self.document, [self.document.opening, *(one.window for one in self.occurrences)])
        return article_language(document.language)

    def pattern(self, name: str) -> re.Pattern[str]:
        return self.language.pattern(name)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the article's title and the bold names of its lead, folded, the title first."""
        bold = (h.name for o in self.occurrences for h in o.hints if h.kind == "bold_title")
        parts = self.pattern("conjunction").split(self.document.title)
        found = (fold(name) for name in (self.document.title, *bold, *(parts if len(parts) > 1 else ())))
        return tuple(dict.fromkeys(name for name in found if name))

    @cached_property
    def head(self) -> str:
        """Return the word that the title is headed by, folded: “fidelity” of “Fidelity of quantum states”."""
        words = self.pattern("preposition").split(re.sub(r"\([^()]*\)", " ", self.document.title), maxsplit=1)[0]
        return (fold(words).split() or [""])[-1]

    @cached_property
    def definition(self) -> str:
        """Return the first sentence of the opening that has a name of the article, as written; else the first one."""
        text = self.document.opening
        found = [text[start:end] for start, end in sentence_spans(text)]
        named = (
            each
            for each in found
            if any(f" {name} " in f" {fold(each)} " for name in self.names) and len(each.split()) > 5
        )
        return next(named, found[0] if found else "")

    @cached_property
    def called_in_definition(self) -> str:
        """Return the head of the definition: “the rate of change” of “velocity is the rate of change of …”."""
        text = MASK.sub(" ", self.definition)
        found = self.pattern("copula").search(text)
        if not found:
            return ""
        phrase = self.pattern("transparent").sub("", text[found.end() :].strip())
        return self.pattern("phrase_end").split(phrase, maxsplit=1)[0].strip()

    @cached_property
    def subject(self) -> Mapping[str, float]:
        """Return how far the title's head and what the definition calls the subject are a "quantity" (or a law, a function,
        …: something that is calculated or stated), and how far a "thing", each 0, ½ or 1."""
        kinds = [kind for text in (self.head, self.called_in_definition) if (kind := self._kind_of(text))]
        return {kind: count / len(kinds) for kind, count in Counter(kinds).items()}

    def _kind_of(self, text: str) -> str:
        kinds = {"quantity": self.pattern("quantity"), "thing": self.pattern("thing")}
        found = [
            (match.start(), "" if self.pattern("undecided").fullmatch(match[0]) else kind)
            for kind, pattern in kinds.items()
            for match in pattern.finditer(text)
        ]
        # The head of a phrase is its last noun in Germanic languages, its first in Romance ones.
        first = self.language.head_first
        return (min(found) if first else max(found))[1] if found else ""

    def without_names(self, text: str) -> str:
        """Return a heading without the names of the article; folded where it has one."""
        folded = f" {fold(text)} "
        named = [name for name in self.names if f" {name} " in folded]
        for name in named:
            folded = folded.replace(f" {name} ", " ")
        return folded.strip() if named else text

    @cached_property
    def explained(self) -> dict[str, set[str]]:
        """Return for each letter the words of four letters or more that explain it."""
        found: dict[str, set[str]] = {}
        for symbol_, texts in self.meanings.items():
            for letter in identifiers(symbol_)[:1]:
                found.setdefault(letter, set()).update(word for text in texts for word in text.split() if len(word) > 3)
        return found

    @cached_property
    def meanings(self) -> dict[str, set[str]]:
        """Return the folded meaning of each plain symbol in the text."""
        found: dict[str, set[str]] = {}
        for each in {(d.symbol, d.meaning) for o in self.occurrences for d in o.definitions}:
            found.setdefault(bare_symbol(each[0]), set()).add(fold(each[1]))
        return found

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
                found[bare_symbol(each[0])] += 1
        seen: set[str] = set()
        for one in self.occurrences:
            if (letter := bare_symbol(one.tex)) and self._introduced(one.window.partition(f"⟦{one.position}⟧")[0]):
                found[letter] += 2
            if one.window not in seen:
                seen.add(one.window)
                found.update(self._letters(one.window))
        del found[""]
        return found

    def _introduced(self, before: str) -> bool:
        """Say whether the text ends with a name of the article, or with “…, denoted by”."""
        gap = self.pattern("named").search(before[-80:].lower())
        text = fold(before[-80:][: gap.start()]) if gap else ""
        return any(f" {text}".endswith(f" {name}") for name in self.names if len(name) > 2)

    def _letters(self, window: str) -> Iterator[str]:
        """Yield letters that stand in the text as such: “the angular acceleration α of …”."""
        for found in _LETTER.finditer(window):
            if self._introduced(window[: found.start()]):
                yield bare_symbol(to_tex(found[0]))

    @cached_property
    def candidates(self) -> tuple[ArticleCandidate, ...]:
        read = [(one, *_read(one.tex)) for one in self.occurrences]
        count = Counter(key for *_, key in read)
        return tuple(self._candidates(read, count))

    def _candidates(
        self, read: Iterable[tuple[Occurrence, str, int, str]], count: Counter[str]
    ) -> Iterator[ArticleCandidate]:
        rank, under = 0, Counter[str]()
        for one, kind, leaves, key in read:
            if leaves < _MIN_LEAVES or kind in ("unreadable", "stub", "dependence"):
                continue
            before, after = sentence_around(one)
            left = left_side(one.tex) if kind in ("equation", "relation", "assignment") else ""
            yield ArticleCandidate(one, kind, left, leaves, rank, under[one.heading], count[key] - 1, before, after)
            if kind in _STATING:
                rank += 1
                under[one.heading] += 1

    @cached_property
    def listed_ngrams(self) -> tuple[frozenset[str], ...]:
        """Return the token n-grams of each listed formula."""
        return tuple(filter(None, map(token_ngrams, self.listed or ())))

    @cached_property
    def names_after_mentions(self) -> dict[int, tuple[int, bool]]:
        """Return for each position that follows a mention of the subject in its sentence: the words since the last one, and
        whether the sentence is about it: “the force is ⟦1⟧”, not “the work of the force is ⟦2⟧”."""
        found = {one.occurrence.position: self._is_mentioned(one) for one in self.candidates}
        return {position: each for position, each in found.items() if each}

    def _is_mentioned(self, one: ArticleCandidate) -> tuple[int, bool] | None:
        text = f" {folded_clauses(MASK.sub(' ', one.before))} "
        ends, about = [], False
        for name in self.mentions:
            at = text.find(f" {name} ")
            while at >= 0:
                end = at + len(name) + 1
                ends.append(end)
                about = about or self._heads_clause(text[:at].split(), text[end:].split())
                at = text.find(f" {name} ", at + 1)
        return (sum(map(str.isalnum, text[max(ends) :].split())), about) if ends else None

    def _heads_clause(self, before: list[str], after: list[str]) -> bool:
        """Say whether a name between these words heads its noun phrase, and no preposition governs that: not “in every rhombus”,
        not “the entropy balance equation”."""
        if after and self.is_continued(after[0]):
            return False
        while before and not self.ends_phrase(before[-1]):
            before = before[:-1]
        return not self.pattern("governed").search(" ".join(before))

    def is_continued(self, word: str) -> bool:
        """Say whether a name is part of a longer one by the folded word behind it: “entropy balance”, not “entropy S”."""
        return len(word) > 2 and not self.ends_phrase(word)

    def ends_phrase(self, word: str) -> bool:
        """Say whether a folded word behind a noun cannot belong to its phrase."""
        return not word.isalpha() or self.language.is_break(word) or word in self.language.words("through")

    @cached_property
    def letter_counts(self) -> Counter[str]:
        """Return in how many formulas each letter stands."""
        return Counter(letter for one in self.candidates for letter in set(identifiers(one.tex)))


def _read(tex: str) -> tuple[str, int, str]:
    """Return kind, number of leaves, and the key under which repetitions meet."""
    found = None if len(tex) > _MAX_LENGTH or bare_symbol(tex) else keys_of(tex)
    return (statement_kind(tex), found.leaves, found.K3) if found else ("unreadable", 0, "")


def sentence_around(one: Occurrence) -> tuple[str, str]:
    """Return what stands before and after the formula in its own sentence; without a window, nothing."""
    mask = f"⟦{one.position}⟧"
    at = one.window.find(mask)
    for start, end in sentence_spans(one.window) if at >= 0 else ():
        if start <= at < end:
            # What explains the symbols may open the next sentence: “Here m is the mass.”
            return one.window[start:at], one.window[at + len(mask) : end + 100]
    return "", ""


def bare_symbol(tex: str) -> str:
    """Return the plain form of a formula that is one symbol and nothing else."""
    found = single_symbol(tex) if not sides(tex)[1] else ""
    return found if len(found) <= 16 and not re.search(r"[<>,]|\\l?dots", found) else ""
