"""Name cues of one occurrence: each is a name and its kind of cue.

Cues are found while a document is mined, with its other formulas, its title and its headings. Kinds get their weights
later (bot.discover.names), so that a new weight needs no mining.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Self

from bot.corpus.draft import MASK, PARAGRAPH
from bot.discover.cues.cue_language import CueLanguage, cue_language
from bot.discover.cues.letters import spell_title_letters
from bot.discover.cues.nominative import nominative
from bot.discover.cues.prose import names_before_symbol, names_in_clause, prose_cues
from bot.discover.left_sides import left_side, left_text, plain_symbol, symbol_or_change, text_after
from bot.discover.names import is_bare
from bot.discover.phrases import (
    EN,
    definitions_in,
    display_form,
    first_full_name,
    fold,
    is_law,
    is_quantity,
    is_usable_name,
    noun_phrases,
    split_at_joint,
)
from bot.formula import clean, identifiers
from bot.records import MASK_CLOSE, Definition, Document, NameHint, Occurrence

# Kinds of cue by which an author ties a name to this very formula.
SOURCE_CUES = frozenset(("qid", "key_equations", "infobox"))
_HEADING_WORDS = 5  # a longer heading is a sentence and no name


# The number of a heading or a file: “3.2 ”, “02b ”, “C. ”, “b) ”; “2D” and “J. J. Thomson” are part of the name.
_NUMBER = re.compile(
    r"^[^\w\\]*(?:(?:0\d*[a-z]{0,2}|\d[\d.]*)(?=[^\w.])[^\w\\]*|[A-Z]\.\s+(?=[A-Z][^\W\d_])|[a-z]\)\s+)?"
)
_SYMBOL_AT_END = re.compile(r",?\s+(?P<letter>[^\W\d_])(?:_\w+)?$")
_PREMISE = 200  # characters before a formula in which its premise is looked for
_BLANK = re.compile(r"\s")
_LONE_BAR = re.compile(r"\n\n\|(?=\n\n|$)")
_SYMBOL_BEHIND = re.compile(rf"[\s,(]*{MASK.pattern}")
_CAPTION = re.compile(r"(?:fig(?:ure|\.)?|table|listing)\s*\d", re.I)
_WORDLIKE = re.compile(r"[^\W\d_]{3}")
_NUMBERED = re.compile(r"\s+\d[\d.]*$")


@dataclass(frozen=True, slots=True)
class NameCue:
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class DocumentContext:
    """Information of the whole document: its formulas by position, the meanings of its symbols, its first equations."""

    document: Document
    formulas: Mapping[int, str]
    meanings: Mapping[str, str]  # plain symbol to what the document says it means
    names_before: Mapping[str, str]  # plain symbol to the name that is most often right before it
    letters: Mapping[str, tuple[str, ...]]  # bare letter to all that symbols with it mean
    first_equations: frozenset[int]  # the first equation of the document
    opening_equations: frozenset[int]  # the first equation under each heading
    lone_equations: frozenset[int]  # the only equation under its heading
    title: str
    language: CueLanguage | None  # None: only structure names formulas

    @property
    def words(self) -> CueLanguage:
        return self.language or EN

    @classmethod
    def of(cls, document: Document, occurrences: Sequence[Occurrence], equations: Iterable[int]) -> Self:
        equation_positions = set(equations)
        meanings: dict[str, str] = {}
        first: list[int] = []
        under: dict[str, list[int]] = defaultdict(list)
        for occurrence in occurrences:
            for definition in occurrence.definitions:
                meanings.setdefault(plain_symbol(definition.symbol), definition.meaning)
            if occurrence.position in equation_positions and occurrence.role in ("text", "infobox"):
                if occurrence.display or occurrence.role == "infobox":
                    first.append(occurrence.position)
                under[occurrence.heading].append(occurrence.position)
        formulas = {o.position: o.tex for o in occurrences}
        firsts = frozenset(first[:1]), frozenset(equations[0] for equations in under.values())
        alone = frozenset(equations[0] for equations in under.values() if len(equations) == 1)
        language = cue_language(document.language)
        names_before = _names_before_symbols(occurrences, language) if language else {}
        letters = _letters(meanings, names_before)
        title = spell_title_letters(_title(document.title), language or EN)
        return cls(document, formulas, meanings, names_before, letters, *firsts, alone, title, language)


def name_cues(occurrence: Occurrence, context: DocumentContext) -> tuple[NameCue, ...]:
    """Return the name cues at one occurrence, each (name, kind) once, strongest kinds first."""
    found: dict[tuple[str, str], NameCue] = {}
    words = context.words
    left = left_side(occurrence.tex)
    language = context.language
    prose = (
        prose_cues(occurrence.window, occurrence.position, left, context.formulas, language) if language else iter(())
    )
    others = tuple(_constituents(occurrence, context, left))
    for source in (
        _hints(occurrence, context, {fold(name) for name, _ in others} - _own_meanings(occurrence, context, left)),
        _structure(occurrence, context),
        _meaning(occurrence, context, left),
        prose,
        others,
    ):
        for name, kind in source:
            folded, display_name = _folded_and_shown(name, kind, words)
            if display_name and (folded, kind) not in found:
                found[folded, kind] = NameCue(display_name, kind)
    return tuple(found.values())


@lru_cache(maxsize=100_000)
def _folded_and_shown(name: str, kind: str, language: CueLanguage) -> tuple[str, str]:
    """Return a name folded, and as it is shown; two empty strings where it is not a name."""
    display_name, from_source = _without_article(display_form(name), language), kind in ("qid", "key_equations")
    display_name = display_name if from_source else nominative(display_name, language)
    fits = is_usable_name(display_name, from_source=from_source, is_bare_cue=is_bare(kind), language=language)
    if fits and (from_source or not language.pattern("step").match(display_name)):
        return (fold(display_name), display_name)
    return ("", "")


def _without_article(name: str, language: CueLanguage) -> str:
    """Return a shown name without the article of another language than English: “La ley de Ohm” is “ley de Ohm”."""
    if language is EN:
        return name
    if language.elides and name[:2].lower() in ("l'", "l’"):
        return name[2:]
    article, _, rest = name.partition(" ")
    return rest if rest and article.lower() in language.words("articles") else name


def defined_symbols(window: str, formulas: Mapping[int, str], language: CueLanguage) -> tuple[Definition, ...]:
    """Return the meanings of symbols in a window, by the patterns of a language; readers have those of English."""
    found: dict[str, str] = {}
    for _, tex, meaning in definitions_in(window, formulas, language):
        found.setdefault(tex, meaning)
    return tuple(Definition(*pair) for pair in found.items())


def cue_kind(hint: NameHint) -> str:
    """Return the kind of cue that a hint of the document's structure is."""
    return "key_equations" if hint.kind.startswith("key_equation") else hint.kind


def _hints(occurrence: Occurrence, context: DocumentContext, others: set[str]) -> Iterator[tuple[str, str]]:
    """Yield what the author's markup names; not a term that is what another symbol of the formula means, of `others`."""
    for hint in occurrence.hints:
        kind = cue_kind(hint)
        if kind == "defined_term" and (
            fold(hint.name) in others
            or _is_of_other_symbol(hint.name, occurrence, context)
            or _is_case(hint.name, occurrence, context.words)
        ):
            continue
        titled = kind == "equation_title"
        name = _without_box_kind(hint.name, context.words) if titled or kind == "defined_term" else hint.name
        name = name if kind in SOURCE_CUES else _without_symbol(name, occurrence)
        if titled and (_is_generic_title(name, context.words) or _tells_what_is_done(name, context.words)):
            continue
        far = kind == "bold_title" and occurrence.position not in context.first_equations
        yield name, "bold_near" if far or (titled and _is_premise(occurrence, context.words)) else kind


def _without_symbol(title: str, occurrence: Occurrence) -> str:
    """Return a title without the symbol behind it that is the formula's left side: “Moment of inertia J”."""
    found = _SYMBOL_AT_END.search(title)
    is_left = found and [found["letter"]] == list(identifiers(left_side(occurrence.tex))[:1])
    return title[: found.start()] if found and is_left else title


def _tells_what_is_done(title: str, words: CueLanguage) -> bool:
    """Say whether a title starts with a verb: “Satisfying Walras' law”."""
    first = title.partition(" ")[0].lower()
    return first.endswith("ing") and words.is_break(first)


def _is_premise(occurrence: Occurrence, words: CueLanguage) -> bool:
    """Say whether a formula tells what a titled box holds for: “Let f be a function with ⟦⟧. Then …”."""
    before = occurrence.window.partition(f"⟦{occurrence.position}⟧")[0]
    return bool(words.pattern("premise").search(before[-_PREMISE:]))


def _structure(occurrence: Occurrence, context: DocumentContext) -> Iterator[tuple[str, str]]:
    text, words = left_text(occurrence.tex), context.words
    if text:
        yield text, "left_text"
    after = text_after(occurrence.tex)
    if any(is_law(after[:end], words) for end in (len(after), *(at.start() for at in _BLANK.finditer(after)))):
        yield after, "parenthesis"
    position, document = occurrence.position, context.document
    if document.kind == "encyclopaedia" and context.title:
        yield (
            context.title,
            "title_first" if position in context.first_equations and _may_define(occurrence, context) else "title",
        )
    elif context.title:
        yield context.title, "chapter"
        yield from ((p.text, "chapter_part") for p in noun_phrases(context.title, words) if p.text != context.title)
    if occurrence.role == "table":
        yield from names_in_clause(_table_row_words(occurrence), "row", words)
    heading = _without_box_kind(spell_title_letters(_NUMBER.sub("", occurrence.heading), words), words)
    heading = _without_symbol(heading, occurrence)
    if (
        heading
        and not _CAPTION.match(heading)
        and not _is_generic_title(heading, words)
        and heading.casefold() != document.title.casefold()
    ):
        kind = "heading_first" if position in context.opening_equations else "heading"
        kind = "heading_only" if position in context.lone_equations else kind
        joins = " and " in heading if words is EN else words.pattern("conjunction").search(heading)
        topic = bool(joins) or len(heading.split()) > _HEADING_WORDS
        if not words.is_break(heading.split()[0].lower()) and not (
            words.capitalised and heading.split()[-1].islower()
        ):  # “Graphing position”, “How … are related” tell what is done
            yield heading, "chapter" if topic else kind
        for n, phrase in enumerate(noun_phrases(heading, words)):
            if phrase.text != heading:
                yield phrase.text, "heading" if topic and not n else "heading_part"
        yield from ((p.text, "heading_law") for p in noun_phrases(heading, words) if is_law(p.text, words))


def _without_box_kind(title: str, words: CueLanguage) -> str:
    """Return the title of a box without its kind: “Rule: the disk method”, “Theorem 3.2: …”, “Définition du noyau”."""
    kind, colon, name = title.partition(": ")
    kind = _NUMBERED.sub("", kind)
    of_kind = fold(kind) in _generic_titles(words) or words.is_law_head(kind.lower())
    name = name if colon and of_kind else kind if colon and _is_generic_title(name, words) else title
    head, _, rest = split_at_joint(name, words)
    if words is EN or head.lower() not in words.words("saying"):
        return name
    inner = words.words("joining") | words.words("articles")
    ends = any(words.is_break(word) and word not in inner for word in rest.lower().split())
    return name if ends or not rest else rest  # not “Calcul de (A+B)^p lorsque AB=BA”


def _is_generic_title(title: str, words: CueLanguage) -> bool:
    """Say whether a heading or title is one that every book has, such as “Learning Objectives” and “Solution”."""
    return fold(title.rstrip(" .:")) in _generic_titles(words)


@cache
def _generic_titles(words: CueLanguage) -> frozenset[str]:
    return frozenset(fold(each.replace("-", " ")) for each in words.words("headings"))


def _may_define(occurrence: Occurrence, context: DocumentContext) -> bool:
    """Say whether the first equation may be the article's: not `F = Mg` in “Mass” where F is called the force."""
    left = left_side(occurrence.tex)
    stated = {context.meanings.get(left, ""), context.names_before.get(left, "")} - {""}
    return (
        is_law(context.title, context.words) or not stated or any(fold(context.title) in fold(name) for name in stated)
    )


def _meaning(occurrence: Occurrence, context: DocumentContext, left: str) -> Iterator[tuple[str, str]]:
    if not left:
        return
    near = {plain_symbol(d.symbol): d.meaning for d in occurrence.definitions}
    if meaning := near.get(left, ""):
        yield from names_in_clause(meaning, "symbol", context.words)
    elif meaning := context.meanings.get(left, ""):
        yield from names_in_clause(meaning, "symbol_far", context.words)
    name_before = context.names_before.get(left, "")
    yield from names_in_clause(name_before, "symbol_far", context.words)
    if context.document.kind == "encyclopaedia" and fold(context.title) in (fold(meaning), fold(name_before)):
        yield context.title, "title_symbol"


def _is_of_other_symbol(name: str, occurrence: Occurrence, context: DocumentContext) -> bool:
    """Say whether a symbol of another letter than the formula's left side stands right behind a name wherever the window has it."""
    window, left = occurrence.window, identifiers(left_side(occurrence.tex))[:1]
    behind = [_SYMBOL_BEHIND.match(window, found.end()) for found in re.finditer(re.escape(name), window)]
    letters = [_letter(context.formulas.get(int(found[1]), "")) for found in behind if found]
    return bool(letters) and len(letters) == len(behind) and all(letter and letter != list(left) for letter in letters)


def _is_case(name: str, occurrence: Occurrence, words: CueLanguage) -> bool:
    """Say whether a term tells what the formula holds for: “For a reversible process, ⟦⟧”; what stands right before it names it all the same."""
    if is_law(name, words) or is_quantity(name, words):
        return False
    window = occurrence.window
    found = [match.span() for match in re.finditer(re.escape(name), window)]
    if any(re.match(rf"[\s(]*⟦{occurrence.position}⟧", window[end:]) for _, end in found):
        return False
    before = [window[:start].lower().split()[-2:] for start, _ in found]
    return bool(before) and all(
        last in words.words("case") or (last in words.stop and first in words.words("case"))
        for first, last in (["", *pair][-2:] if pair else ["", ""] for pair in before)
    )


def _own_meanings(occurrence: Occurrence, context: DocumentContext, left: str) -> set[str]:
    near = [d.meaning for d in occurrence.definitions if plain_symbol(d.symbol) == left]
    stated = (*near, context.meanings.get(left, ""), context.names_before.get(left, ""))
    return {fold(first_full_name(meaning, context.words)) for meaning in stated}


def _constituents(occurrence: Occurrence, context: DocumentContext, left: str) -> Iterator[tuple[str, str]]:
    """What the other symbols of the formula mean: names that it holds and does not define."""
    own = identifiers(left)[:1]
    near: dict[str, list[str]] = defaultdict(list)
    for definition in occurrence.definitions:
        for letter in _letter(definition.symbol):
            near[letter].append(definition.meaning)
    for letter in identifiers(clean(occurrence.tex)):  # of whose tree its keys were made
        if letter not in own:
            for meaning in (*near[letter], *context.letters.get(letter, ())):
                if name := first_full_name(meaning, context.words):
                    yield name, "constituent"


def _letters(*name_tables: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for symbol_of, name in (pair for names in name_tables for pair in names.items()):
        for letter in _letter(symbol_of):
            found[letter] = (*found.get(letter, ()), name)
    return found


def _letter(symbol: str) -> list[str]:
    """Return the letter of a symbol; none of an expression: what `[A, B]` means is no meaning of A."""
    return list(identifiers(symbol)[:1]) if symbol_or_change(symbol) else []


def _table_row_words(occurrence: Occurrence) -> str:
    """Return the words of a formula's row in a table: before it in its cell, else in the nearest cell of words before it, else behind it.

    Where a bar ends the rows, its parts are rows and not cells, and a formula may be the first cell of one.
    """
    mask = f"⟦{occurrence.position}⟧"
    window = _LONE_BAR.sub(" |", occurrence.window)
    row = next((part for part in window.split(PARAGRAPH) if mask in part), "")
    before, _, after = row.partition(mask)
    *cells, own = before.split("|")
    ended = row.endswith("|") and not row.startswith("|")
    text = own.rpartition(MASK_CLOSE)[2]
    if "|" not in row or _has_words(text):
        known = MASK_CLOSE in before or cells or "|" in after
        return (
            re.split(r"[.:]\s", text.strip())[-1] if known else ""
        )  # the first row stands behind the caption and the head
    if not ended:
        nearest = next((cell for cell in reversed(cells) if MASK_CLOSE not in cell and _has_words(cell)), "")
        if nearest:
            return nearest.strip()
    behind = [part for part in re.split(r"[⟦|]", after)[: 1 if ended else 2] if _has_words(part)]
    return behind[0].strip() if behind and not MASK.search(own) else ""


def _has_words(text: str) -> bool:
    return bool(_WORDLIKE.search(text))


def _names_before_symbols(occurrences: Sequence[Occurrence], language: CueLanguage) -> dict[str, str]:
    """Return for each symbol the name that stands most often right before it in the document: “the flow rate ⟦Q⟧”."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for occurrence in occurrences:
        letter = symbol_or_change(occurrence.tex)
        at = occurrence.window.find(f"⟦{occurrence.position}⟧") if letter else -1
        if at > 0:
            for name, kind in names_before_symbol(occurrence.window[max(0, at - 100) : at], "whole", language):
                if kind == "whole" and is_usable_name(name, language=language):
                    counted[letter][name] += 1
    return {letter: min(names.items(), key=lambda pair: (-pair[1], pair[0]))[0] for letter, names in counted.items()}


def _title(title: str) -> str:
    text = re.sub(r"\s*\([^()]*\)\s*$", "", title.replace("_", " "))
    return _NUMBER.sub("", text).strip()
