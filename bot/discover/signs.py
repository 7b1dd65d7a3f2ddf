"""What one occurrence says about its formula's name: each sign is a name, the kind of sign, and nothing else.

Signs are found while a document is mined, when its other formulas, its title and its headings are at hand; how far a
kind is believed is decided later (bot.discover.names), so that mining need not be repeated for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from bot.corpus.windows import sentences
from bot.discover.phrases import after, before, fold, is_law, is_quantity, phrases, suffixes, tidy, usable
from bot.discover.symbols import left_side, left_text, plain
from bot.discover.words import HEADINGS, LAWS
from bot.records import Document, Occurrence

HERE = "\ue000"  # stands for the formula itself in its sentence
_HERE = re.compile(HERE)
_MASK = re.compile(r"⟦\d+⟧")
_ADVERBS = r"(?:(?:also|often|commonly|usually|sometimes|generally|then|thus|therefore|simply|now|just|collectively|and|or|hence)\s+)*"
_CALLED = re.compile(
    rf"\b{_ADVERBS}(?:known\s+{_ADVERBS}as|called|termed|named|referred\s+to\s+{_ADVERBS}as|dubbed)\s+(?={HERE}?)"
)
_THIS_IS = re.compile(
    rf"^\W*(?:this|these|which|it|that|the\s+(?:above|last|latter|resulting)\s+\w+|eq\w*\.?\s*\(?{HERE}?[\d.]*\)?)\s+(?:\w+\s+){{0,2}}?(?:is|are)\s+"
    rf"{_ADVERBS}(?!{_ADVERBS}(?:known|called|termed|named|referred|a|an|not|true|why|how|what|because|to)\b)",
    re.I,
)
_DEFINED = re.compile(
    r"\b(?:is|are|can\s+(?:\w+\s+)?be|may\s+be|will\s+be|was|equals)\s+(?:(?:then|thus|therefore|simply|also|now|often|usually|generally|just|hence|formally)\s+)*"
    r"(?P<verb>defined|given|expressed|written|described|represented|calculated|computed|determined|found|obtained|equal|stated|quantified|measured|related)?"
    r"(?:\s+(?:mathematically|formally|simply|quantitatively|explicitly|approximately))?"
    r"(?:\s+(?:as|by|to be|to|through|from|using|in terms of|via|in the form|by the (?:\w+\s+)?(?:formula|equation|relation|expression|relationship|ratio|product|integral|sum)|as the [^⟦]{0,60}|as follows))*"
    rf"\s*[:,]?\s*{HERE}"
)
_DEFINE_THE = re.compile(
    rf"\b(?:define|defines|defining|call|denote|introduce|introducing)\s+(?P<name>(?:the|an?|its|our)\s[^⟦{HERE}]{{3,80}}?)(?:\s+⟦\d+⟧)?(?:\s*(?:as|by|to be|through|:|,))?\s*{HERE}"
)
_FOR_THE = re.compile(
    r"\b(?:equation|expression|formula|relation|definition|relationship)s?\s+(?:for|of|defining)\s+(?P<name>(?:the|an?|its)\s[^⟦]{3,80}?)"
    rf"(?:\s+(?:is|are|becomes?|reads?|takes|can be|of|in|from|as|with|at|on|under|for)\b[^⟦{HERE}]{{0,60}})?[:,]?\s*{HERE}"
)
_SYMBOL_BEFORE = re.compile(rf"(?P<mask>⟦\d+⟧)\W{{0,2}}(?:\([^()]*\)\s*)?(?={_DEFINED.pattern})")
_STATES = re.compile(
    r"(?P<name>[^.,;:⟦]{3,80}?)\s+(?:states?|says?|asserts?|implies|relates|tells us|reads?|becomes|takes the form)\b"
)
_PAREN_AFTER = re.compile(rf"{HERE}\W{{0,2}}\(\s*(?P<name>[^()⟦]{{4,70}}?)\s*\)")
_PAREN_BEFORE = re.compile(rf"\(\s*{HERE}\W{{0,2}}\)")
_APPOSITION = re.compile(rf"(?:⟦\d+⟧\s*,?\s*)?{HERE}")
PHRASES_KEPT = 14  # plain phrases kept for one occurrence, nearest first


@dataclass(frozen=True, slots=True)
class Sign:
    name: str
    kind: str


@dataclass(slots=True)
class Surroundings:
    """What the whole document adds: its formulas by position, what its symbols mean, which equations come first where."""

    document: Document
    formulas: Mapping[int, str]
    meanings: Mapping[str, str]  # plain symbol to what the document says it means
    first: frozenset[int]  # the first equation of the document
    opening: frozenset[int]  # the first equation under each heading
    title: str = field(default="")

    @classmethod
    def of(cls, document: Document, occurrences: Sequence[Occurrence], equations: Iterable[int]) -> Surroundings:
        wanted = set(equations)
        meanings: dict[str, str] = {}
        first: list[int] = []
        opening: dict[str, int] = {}
        for occurrence in occurrences:
            for definition in occurrence.definitions:
                meanings.setdefault(plain(definition.symbol), definition.meaning)
            if occurrence.position in wanted and occurrence.role in ("text", "infobox"):
                if occurrence.display or occurrence.role == "infobox":
                    first.append(occurrence.position)
                opening.setdefault(occurrence.heading, occurrence.position)
        formulas = {o.position: o.tex for o in occurrences}
        title = _title(document.title)
        return cls(document, formulas, meanings, frozenset(first[:1]), frozenset(opening.values()), title)


def signs(occurrence: Occurrence, around: Surroundings) -> tuple[Sign, ...]:
    """Return the signs at one occurrence, each (name, kind) once, strongest kinds first."""
    found: dict[tuple[str, str], Sign] = {}
    sources = (
        _hints(occurrence),
        _structure(occurrence, around),
        _meaning(occurrence, around),
        _prose(occurrence, around),
    )
    for name, kind in (pair for source in sources for pair in source):
        shown = tidy(name)
        if usable(shown):
            found.setdefault((fold(shown), kind), Sign(shown, kind))
    return tuple(found.values())


def _hints(occurrence: Occurrence) -> Iterator[tuple[str, str]]:
    for hint in occurrence.hints:
        yield hint.name, hint.kind


def _structure(occurrence: Occurrence, around: Surroundings) -> Iterator[tuple[str, str]]:
    text = left_text(occurrence.tex)
    if text:
        yield text, "left_text"
    position, document = occurrence.position, around.document
    if document.kind == "encyclopaedia" and around.title:
        yield around.title, "title_first" if position in around.first else "title"
    elif around.title:
        yield around.title, "chapter"
    heading = re.sub(r"^[\W\d.]+", "", occurrence.heading)
    if heading and fold(heading) not in HEADINGS and heading.casefold() != document.title.casefold():
        yield heading, "heading_first" if position in around.opening else "heading"


def _meaning(occurrence: Occurrence, around: Surroundings) -> Iterator[tuple[str, str]]:
    symbol = left_side(occurrence.tex)
    if not symbol:
        return
    near = {plain(d.symbol): d.meaning for d in occurrence.definitions}
    meaning = near.get(symbol)
    if meaning:
        yield from _with_parts(meaning, "symbol")
    elif symbol in around.meanings:
        meaning = around.meanings[symbol]
        yield from _with_parts(meaning, "symbol_far")
    if meaning and fold(meaning) == fold(around.title) and around.document.kind == "encyclopaedia":
        yield around.title, "title_symbol"


def _with_parts(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yield a long name and the shorter name it begins or ends with, under a weaker kind."""
    found = phrases(name)
    whole = found[0].text if found else ""
    if whole:
        yield whole, kind
        if " of " in whole:
            yield whole.split(" of ")[0], f"{kind}_part"
        for shorter in suffixes(whole.split(" of ")[0]):
            yield shorter, f"{kind}_part"


def _prose(occurrence: Occurrence, around: Surroundings) -> Iterator[tuple[str, str]]:
    window, mask = occurrence.window, f"⟦{occurrence.position}⟧"
    if mask not in window:
        yield from _bare(window)
        return
    text = window.replace(mask, HERE)
    spans = sentences(text)
    own = next((i for i, (start, end) in enumerate(spans) if HERE in text[start:end]), 0)
    here = text[slice(*spans[own])] if spans else text
    previous = text[slice(*spans[own - 1])] if own else ""
    following = text[slice(*spans[own + 1])] if own + 1 < len(spans) else ""
    yield from _patterns(here, previous, following, around, left_side(occurrence.tex))
    yield from _plain(here, previous, following)


def _patterns(here: str, previous: str, following: str, around: Surroundings, symbol: str) -> Iterator[tuple[str, str]]:
    at = here.find(HERE)
    head, tail = here[:at], here[at + 1 :]
    yield from _naming(tail, following)
    yield from _before(head, around, symbol)
    for pattern, kind in ((_DEFINE_THE, "defined"), (_FOR_THE, "defined")):
        if match := pattern.search(here):
            yield from _with_parts(match["name"], kind)
    if match := _DEFINED.search(here):
        yield from _subject(here[: match.start()], around, symbol, "defined" if match["verb"] else "equals")
    if match := _PAREN_AFTER.search(here):
        yield match["name"], "parenthesis"
    if match := _PAREN_BEFORE.search(here):
        yield before(here[: match.start()]), "parenthesis"
    for part in (head, previous):
        if (
            (match := _STATES.search(part))
            and (named := [p.text for p in phrases(match["name"])])
            and is_law(named[-1])
        ):
            yield named[-1], "states"


def _naming(tail: str, following: str) -> Iterator[tuple[str, str]]:
    """“… ⟦⟧, called the X”, “⟦⟧. This is known as the X”, “⟦⟧, which is the X”: up to the next display of another formula."""
    for part, near in ((tail[:200], True), (following[:200], False)):
        if match := _CALLED.search(part):
            lead = part[: match.start()]
            # "where the constant k is called …" names a symbol, not the formula.
            if not _MASK.search(lead) and (
                (near and len(lead) < 60)
                or re.match(r"\W*(?:this|these|it|that|which|eq|the (?:equation|relation))", lead, re.I)
            ):
                yield after(part[match.end() :]), "called"
        if match := _THIS_IS.search(re.sub(r"^[\s,;:.]+", "", part)):
            rest = re.sub(r"^[\s,;:.]+", "", part)[match.end() :]
            name = after(rest)
            yield name, "this_is" if is_law(name) else "this_is_quantity"


def _before(head: str, around: Surroundings, symbol: str) -> Iterator[tuple[str, str]]:
    """The name right before the formula: “the Klein–Gordon equation ⟦⟧”, “Hooke's law: ⟦⟧”, “the momentum ⟦⟧”."""
    name = before(head)
    if name:
        kind = "adjacent_law" if is_law(name) else "adjacent"
        yield name, kind
        for shorter in suffixes(name):
            yield shorter, "phrase_law" if is_law(shorter) else "phrase"
    if match := re.search(rf"{_CALLED.pattern}(?P<name>[^⟦.;]{{3,70}})[^⟦.;]{{0,30}}$", head):
        yield after(match["name"]), "called_before"


def _subject(clause: str, around: Surroundings, symbol: str, kind: str) -> Iterator[tuple[str, str]]:
    """The subject of “… is defined as ⟦⟧”: the first phrase of the clause, or what a symbol before the verb stands for."""
    clause = re.split(r"(?<=[,;:])\s|\b(?:that|then|where|so|because|since|and|if|when)\s", clause)[-1]
    masks = _MASK.findall(clause)
    found = phrases(clause)
    if masks and plain(around.formulas.get(int(masks[-1][1:-1]), "")) == symbol and symbol:
        name = before(_MASK.split(clause)[-2])
        yield name, "apposition"
    if found:
        whole = max((p for p in found if p.start == found[0].start), key=lambda p: p.end)
        yield from _with_parts(whole.text, kind)


def _plain(here: str, previous: str, following: str) -> Iterator[tuple[str, str]]:
    """All other phrases, nearest first: those headed like a law count for more than others."""
    at = here.find(HERE)
    near = sorted(
        phrases(here.replace(HERE, "⟦0⟧")), key=lambda p: (abs((p.end if p.end <= at else p.start) - at), p.start)
    )
    kept = [
        (p.text, "phrase_law" if is_law(p.text) else "phrase_quantity" if is_quantity(p.text) else "phrase")
        for p in near
    ]
    far = [(p.text, "window_law") for part in (previous, following) for p in phrases(part) if is_law(p.text)]
    seen: set[str] = set()
    for text, kind in [*kept, *far]:
        if fold(text) not in seen and len(seen) < PHRASES_KEPT:
            seen.add(fold(text))
            yield text, kind


def _bare(words: str) -> Iterator[tuple[str, str]]:
    """A window that does not show where the formula stands (a list of words around it): every short run of words may be a name."""
    kept: dict[str, tuple[str, str]] = {}
    for phrase in phrases(words):
        run = phrase.text.split()
        for start, end in combinations(range(len(run) + 1), 2):
            if end - start <= 3:
                name = " ".join(run[start:end])
                kept.setdefault(fold(name), (name, _bare_kind(run[start:end])))
    yield from list(kept.values())[-10 * PHRASES_KEPT :]


def _bare_kind(run: list[str]) -> str:
    """Function words are gone from such windows: “equation of state” stands there as “equation state”."""
    if len(run) < 2:
        return "near"
    if is_law(" ".join(run)) or run[0] in LAWS:
        return "near_law"
    return "near_quantity" if is_quantity(" ".join(run)) else "near_long"


def _title(title: str) -> str:
    text = re.sub(r"\s*\([^()]*\)\s*$", "", title.replace("_", " "))
    return re.sub(r"^[\d.]+\s+", "", text).strip()
