"""What one occurrence says about its formula's name: each cue is a name, the kind of cue, and nothing else.

Cues are found while a document is mined, when its other formulas, its title and its headings are at hand; how far a
kind is believed is decided later (bot.discover.names), so that mining need not be repeated for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.corpus.draft import symbol_tex
from bot.discover.cues.cue_language import CueLanguage, cue_language
from bot.discover.cues.letters import spelt_title
from bot.discover.cues.prose import apposed, parts, prose_cues
from bot.discover.left_sides import left_side, left_text, plain, quantity, text_behind
from bot.discover.names import is_bare
from bot.discover.phrases import EN, fold, is_law, opening, phrases, tidy, usable
from bot.formula import clean, identifiers
from bot.records import Definition, Document, NameHint, Occurrence

# Kinds of cue by which an author ties a name to this very formula.
GIVEN = frozenset(("qid", "key_equations", "infobox"))
_HEADING_WORDS = 5  # a longer heading tells a story


# The number of a heading or a file: “3.2 ”, “02b ”; “2D” is part of the name.
_NUMBER = re.compile(r"^[^\w\\]*(?:(?:0\d*[a-z]{0,2}|\d[\d.]*)(?=[^\w.])[^\w\\]*)?")
_BLANK = re.compile(r"\s")
_NUMBERED = re.compile(r"\s+\d[\d.]*$")


@dataclass(frozen=True, slots=True)
class NameCue:
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class DocumentContext:
    """What the whole document adds: its formulas by position, what its symbols mean, which equations come first where."""

    document: Document
    formulas: Mapping[int, str]
    meanings: Mapping[str, str]  # plain symbol to what the document says it means
    beside: Mapping[str, str]  # plain symbol to the name that most often stands right before it
    letters: Mapping[str, tuple[str, ...]]  # bare letter to all that symbols with it mean
    first: frozenset[int]  # the first equation of the document
    opening: frozenset[int]  # the first equation under each heading
    alone: frozenset[int]  # the only equation under its heading
    title: str
    language: CueLanguage | None  # None: only structure names formulas

    @property
    def words(self) -> CueLanguage:
        return self.language or EN

    @classmethod
    def of(cls, document: Document, occurrences: Sequence[Occurrence], equations: Iterable[int]) -> DocumentContext:
        wanted = set(equations)
        meanings: dict[str, str] = {}
        first: list[int] = []
        under: dict[str, list[int]] = defaultdict(list)
        for occurrence in occurrences:
            for definition in occurrence.definitions:
                meanings.setdefault(plain(definition.symbol), definition.meaning)
            if occurrence.position in wanted and occurrence.role in ("text", "infobox"):
                if occurrence.display or occurrence.role == "infobox":
                    first.append(occurrence.position)
                under[occurrence.heading].append(occurrence.position)
        formulas = {o.position: o.tex for o in occurrences}
        firsts = frozenset(first[:1]), frozenset(equations[0] for equations in under.values())
        alone = frozenset(equations[0] for equations in under.values() if len(equations) == 1)
        language = cue_language(document.language)
        beside = _beside(occurrences, language) if language else {}
        letters = _letters(meanings, beside)
        title = spelt_title(_title(document.title), language or EN)
        return cls(document, formulas, meanings, beside, letters, *firsts, alone, title, language)


def name_cues(occurrence: Occurrence, context: DocumentContext) -> tuple[NameCue, ...]:
    """Return the name cues at one occurrence, each (name, kind) once, strongest kinds first."""
    found: dict[tuple[str, str], NameCue] = {}
    words = context.words
    left = left_side(occurrence.tex)
    language = context.language
    prose = (
        prose_cues(occurrence.window, occurrence.position, left, context.formulas, language) if language else iter(())
    )
    others = _constituents(occurrence, context, left)
    for source in (
        _hints(occurrence, context),
        _structure(occurrence, context),
        _meaning(occurrence, context, left),
        prose,
        others,
    ):
        for name, kind in source:
            folded, shown = _shown(name, kind, words)
            if shown and (folded, kind) not in found:
                found[folded, kind] = NameCue(shown, kind)
    return tuple(found.values())


@lru_cache(maxsize=100_000)
def _shown(name: str, kind: str, language: CueLanguage) -> tuple[str, str]:
    """Return a name folded, and as it is shown; what is no name gives nothing."""
    shown, given = tidy(name), kind in ("qid", "key_equations")
    fits = usable(shown, given=given, bare=is_bare(kind), language=language)
    return (fold(shown), shown) if fits and (given or not language.pattern("step").match(shown)) else ("", "")


def defined_symbols(window: str, formulas: Mapping[int, str], language: CueLanguage) -> tuple[Definition, ...]:
    """Return what a window says its symbols mean, by the patterns of a language; readers know those of English themselves."""
    found: dict[str, str] = {}
    for match in (match for pattern in language.definitions for match in pattern.finditer(window)):
        tex = "" if match["symbol"].lower() in language.stop else symbol_tex(match["symbol"], formulas)
        meaning = opening(match["meaning"], language)
        if tex and meaning:
            found.setdefault(tex, meaning)
    return tuple(Definition(*pair) for pair in found.items())


def cue_kind(hint: NameHint) -> str:
    """Return the kind of cue that a hint of the document's structure is."""
    return "key_equations" if hint.kind.startswith("key_equation") else hint.kind


def _hints(occurrence: Occurrence, context: DocumentContext) -> Iterator[tuple[str, str]]:
    for hint in occurrence.hints:
        kind = cue_kind(hint)
        name = _untagged(hint.name, context.words) if kind == "equation_title" else hint.name
        if kind == "equation_title" and _of_any_book(name, context.words):
            continue
        yield name, "bold_near" if kind == "bold_title" and occurrence.position not in context.first else kind


def _structure(occurrence: Occurrence, context: DocumentContext) -> Iterator[tuple[str, str]]:
    text, words = left_text(occurrence.tex), context.words
    if text:
        yield text, "left_text"
    behind = text_behind(occurrence.tex)
    if any(is_law(behind[:end], words) for end in (len(behind), *(at.start() for at in _BLANK.finditer(behind)))):
        yield behind, "parenthesis"
    position, document = occurrence.position, context.document
    if document.kind == "encyclopaedia" and context.title:
        yield (
            context.title,
            "title_first" if position in context.first and _may_define(occurrence, context) else "title",
        )
    elif context.title:
        yield context.title, "chapter"
        yield from ((p.text, "chapter_part") for p in phrases(context.title, words) if p.text != context.title)
    if occurrence.role == "table":
        yield from parts(_row(occurrence), "row", words)
    heading = _untagged(spelt_title(_NUMBER.sub("", occurrence.heading), words), words)
    if heading and not _of_any_book(heading, words) and heading.casefold() != document.title.casefold():
        kind = "heading_first" if position in context.opening else "heading"
        kind = "heading_only" if position in context.alone else kind
        topic = " and " in heading or len(heading.split()) > _HEADING_WORDS
        if not words.breaks(heading.split()[0].lower()):  # “Graphing position”, “How … are related” tell what is done
            yield heading, "chapter" if topic else kind
        for n, phrase in enumerate(phrases(heading, words)):
            if phrase.text != heading:
                yield phrase.text, "heading" if topic and not n else "heading_part"
        yield from ((p.text, "heading_law") for p in phrases(heading, words) if is_law(p.text, words))


def _untagged(title: str, words: CueLanguage) -> str:
    """Return the title of a box without what kind of box it is: “Rule: the disk method”, “Theorem 3.2: …”."""
    kind, colon, name = title.partition(": ")
    kind = _NUMBERED.sub("", kind)
    of_kind = fold(kind).replace(" ", "-") in words.words("headings") or words.heads_law(kind.lower())
    return name if colon and of_kind else title


def _of_any_book(title: str, words: CueLanguage) -> bool:
    """Say whether a heading or title only tells what kind of part this is, as “Learning Objectives” and “Solution” do."""
    return fold(title.rstrip(" .:")).replace(" ", "-") in words.words("headings")


def _may_define(occurrence: Occurrence, context: DocumentContext) -> bool:
    """Say whether the first equation may be the article's: not `F = Mg` in “Mass” where F is called the force."""
    left = left_side(occurrence.tex)
    told = {context.meanings.get(left, ""), context.beside.get(left, "")} - {""}
    return is_law(context.title, context.words) or not told or any(fold(context.title) in fold(name) for name in told)


def _meaning(occurrence: Occurrence, context: DocumentContext, left: str) -> Iterator[tuple[str, str]]:
    if not left:
        return
    near = {plain(d.symbol): d.meaning for d in occurrence.definitions}
    if meaning := near.get(left, ""):
        yield from parts(meaning, "symbol", context.words)
    elif meaning := context.meanings.get(left, ""):
        yield from parts(meaning, "symbol_far", context.words)
    beside = context.beside.get(left, "")
    yield from parts(beside, "symbol_far", context.words)
    if context.document.kind == "encyclopaedia" and fold(context.title) in (fold(meaning), fold(beside)):
        yield context.title, "title_symbol"


def _constituents(occurrence: Occurrence, context: DocumentContext, left: str) -> Iterator[tuple[str, str]]:
    """What the other symbols of the formula mean: names that it holds and does not define."""
    own = identifiers(left)[:1]
    near: dict[str, list[str]] = defaultdict(list)
    for definition in occurrence.definitions:
        for letter in identifiers(definition.symbol)[:1]:
            near[letter].append(definition.meaning)
    for letter in identifiers(clean(occurrence.tex)):  # of whose tree its keys were made
        if letter not in own:
            for meaning in (*near[letter], *context.letters.get(letter, ())):
                if name := opening(meaning, context.words):
                    yield name, "constituent"


def _letters(*told: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for symbol_of, name in (pair for names in told for pair in names.items()):
        for letter in identifiers(symbol_of)[:1]:
            found[letter] = (*found.get(letter, ()), name)
    return found


def _row(occurrence: Occurrence) -> str:
    """Return the words of a table's row before its formula, or behind it where the formula is the row's first cell."""
    before, _, behind = occurrence.window.partition(f"⟦{occurrence.position}⟧")
    if before.rstrip().endswith("|"):
        return re.split(r"[⟦|]", behind)[0].strip()
    _, mask, text = before.rpartition("⟧")
    if not mask:
        return ""  # the first row stands behind the caption and the table's head
    return re.split(r"[.:|]\s", text.strip(" |"))[-1]


def _beside(occurrences: Sequence[Occurrence], language: CueLanguage) -> dict[str, str]:
    """Return for each symbol the name that stands most often right before it in the document: “the flow rate ⟦Q⟧”."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for occurrence in occurrences:
        letter = quantity(occurrence.tex)
        at = occurrence.window.find(f"⟦{occurrence.position}⟧") if letter else -1
        if at > 0:
            for name, kind in apposed(occurrence.window[max(0, at - 100) : at], "whole", language):
                if kind == "whole" and usable(name, language=language):
                    counted[letter][name] += 1
    return {letter: min(names.items(), key=lambda pair: (-pair[1], pair[0]))[0] for letter, names in counted.items()}


def _title(title: str) -> str:
    text = re.sub(r"\s*\([^()]*\)\s*$", "", title.replace("_", " "))
    return _NUMBER.sub("", text).strip()
