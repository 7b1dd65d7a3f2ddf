"""What the sentences around a formula say its name is: patterns first, then plain phrases by nearness.

Input is text in which the formula itself stands as HERE and other formulas as masks; output (name, kind) pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import combinations

from bot.corpus.windows import sentences
from bot.discover.left_sides import plain
from bot.discover.phrases import after, before, fold, is_law, is_quantity, opening, phrases, singular, suffixes
from bot.discover.word_lists import LEAD

HERE = "\ue000"
MASK = re.compile(r"⟦(\d+)⟧")
_CLOSE = 3  # words between a run of words and the end of a window without a mask
_OF = frozenset("equation equations law laws theorem principle".split())  # “equation state” was “equation of state”
PHRASES_KEPT = 14  # plain phrases kept for one occurrence, nearest first
_ADVERBS = r"(?:(?:also|often|commonly|usually|sometimes|generally|then|thus|therefore|simply|now|just|collectively|and|or|hence)\s+)*"
_CALLED = re.compile(
    rf"\b{_ADVERBS}(?:known\s+{_ADVERBS}as|called|termed|named|referred\s+to\s+{_ADVERBS}as|dubbed)\s+"
)
_THIS = r"(?:this|these|which|it|that|eq\w*\.?\s*\(?[\d.]*\)?|the\s+(?:above|last|latter|resulting|previous)?\s*(?:equation|relation|expression|formula|result|law)\w*)"
_OF_THIS = re.compile(rf"\W*{_THIS}\b", re.I)
_THIS_IS = re.compile(
    rf"[\s,;:.]*{_THIS}\s+(?:\w+\s+){{0,2}}?(?:is|are)\s+{_ADVERBS}"
    r"(?!(?:known|called|termed|named|referred|a|an|not|true|why|how|what|because|to)\b)",
    re.I,
)
_IS_THE = re.compile(
    rf"[\s,]*(?:is|are|denotes?|represents?|defines?|gives?|expresses)\s+{_ADVERBS}(?=(?:the|our|a|an)\s)"
)
_FOR = re.compile(r"[\s,]*(?:for|as|describes?)\s+(?=(?:the|an?)\s)")
_VERB = r"(?:defined|given|expressed|written|described|represented|calculated|computed|determined|found|obtained|equal|stated|quantified|measured|related|summarized)"
_BY = (
    r"(?:as follows|as the [^⟦]{0,60}|in terms of|in the form(?: of)?|to be|by the (?:\w+\s+)?(?:formula|equation|relation|expression|relationship|ratio|product|integral|sum)"
    r"|as|by|to|through|from|using|via)"
)
_DEFINED = re.compile(
    r"\b(?:is|are|can\s+(?:\w+\s+)?be|may\s+be|will\s+be|was|equals|becomes?|reads?)\s+(?:(?:then|thus|therefore|simply|also|now|often|usually|generally|just|hence|formally)\s+)*"
    rf"(?P<verb>{_VERB})?(?:\s+(?:mathematically|formally|simply|quantitatively|explicitly|approximately))?(?:\s+{_BY})*\s*[:,]?\s*{HERE}"
)
_DEFINE_THE = re.compile(
    rf"\b(?:define|defines|defining|call|denote|introduce|introducing)\s+(?P<name>(?:the|an?|its|our)\s[^⟦{HERE}]{{3,80}}?)"
    rf"(?:\s+⟦\d+⟧)?(?:\s*(?:as|by|to be|through|:|,))?\s*{HERE}"
)
_FOR_THE = re.compile(
    r"\b(?:equation|expression|formula|relation|definition|relationship)s?\s+(?:for|of|defining)\s+(?P<name>(?:the|an?|its)\s[^⟦]{3,80}?)"
    rf"(?:\s+(?:is|are|becomes?|reads?|takes|can be|of|in|from|as|with|at|on|under|for)\b[^⟦{HERE}]{{0,60}})?[:,]?\s*{HERE}"
)
_STATES = re.compile(
    r"(?P<name>[^.,;:⟦]{3,80}?)\s+(?:states?|says?|asserts?|implies|relates|tells us|reads?|becomes|takes the form)\b"
)
_PAREN_AFTER = re.compile(rf"{HERE}\W{{0,2}}\(\s*(?P<name>[^()⟦]{{4,70}}?)\s*\)")
_PAREN_BEFORE = re.compile(rf"\(\s*{HERE}\W{{0,2}}\)")
_CLAUSE = re.compile(r"(?<=[,;:])\s|\b(?:that|then|where|so|because|since|and|if|when|thus|hence)\s")
_PRONOUN = re.compile(
    r"(?:^|[,;]\s*)(?:\w+\s+){0,3}?(?:this|it|which|these)\s*(?:relation|result|definition|law|relationship)?\s*$", re.I
)

Pairs = Iterator[tuple[str, str]]


def prose_cues(window: str, position: int, symbol: str, formulas: Mapping[int, str]) -> Pairs:
    """Yield what the window says of its formula; `symbol` is the formula's plain left side, `formulas` TeX by position."""
    mask = f"⟦{position}⟧"
    if mask not in window:
        yield from _bare(window)
        return
    text = window.replace(mask, HERE)
    spans = sentences(text)
    own = next((i for i, (start, end) in enumerate(spans) if HERE in text[start:end]), 0)
    here = text[slice(*spans[own])] if spans else text
    previous = text[slice(*spans[own - 1])] if own else ""
    following = [text[slice(*span)] for span in spans[own + 1 : own + 3]]
    at = here.find(HERE)
    head, tail = here[:at], here[at + 1 :]
    yield from _naming(tail, following)
    yield from _adjacent(head)
    yield from _defining(here, previous, symbol, formulas)
    for part in (head, previous if not MASK.search(head) else ""):
        # A law that is stated before another formula is that formula's.
        if (
            (match := _STATES.search(part))
            and not MASK.search(part, match.end())
            and (found := phrases(match["name"]))
            and is_law(found[-1].text)
        ):
            yield found[-1].text, "states"
    yield from _symbol_named(text, symbol, formulas)
    if not re.search(r"\w", MASK.split(tail)[0].partition(" where ")[0]):
        yield from parts(here, "subject_first")
    yield from _plain(here, previous, "".join(following[:1]))


def parts(name: str, kind: str) -> Pairs:
    """Yield the name that a clause opens with, and under a weaker kind the shorter names it holds."""
    whole = opening(name)
    if whole:
        yield whole, kind
        stem = whole.split(" of ")[0]
        if stem != whole:
            yield stem, f"{kind}_part"
        for shorter in suffixes(stem):
            yield shorter, f"{kind}_part"


def _naming(tail: str, following: list[str]) -> Pairs:
    """“… ⟦⟧, called the X”, “⟦⟧ is the X”, “⟦⟧. This is known as the X”: never past another formula."""
    near = MASK.split(tail)[0][:200]
    last = not MASK.search(tail)
    # A second sentence still speaks of the formula where the first does: "This equation describes … It is called …".
    after_it = following if last and following and _OF_THIS.match(following[0]) else following[:1] if last else []
    for part, own in ((near, True), *((sentence[:200], False) for sentence in after_it)):
        if match := _CALLED.search(part):
            lead = part[: match.start()]
            # "where the constant k is called …" names a symbol, not the formula.
            if not MASK.search(lead) and (
                _OF_THIS.match(lead) or (own and len(lead) < 60 and " where " not in f" {lead}")
            ):
                yield after(part[match.end() :]), "called"
        if match := _THIS_IS.match(part):
            name = after(part[match.end() :])
            yield name, "this_is" if is_law(name) else "this_is_quantity"
        if own and (match := _IS_THE.match(part)):
            yield from parts(part[match.end() :], "is_the")
        if own and (match := _FOR.match(part)):
            yield from parts(part[match.end() :], "is_for")


def _adjacent(head: str) -> Pairs:
    """The name right before the formula: “the Klein–Gordon equation ⟦⟧”, “Hooke's law: ⟦⟧”, “called the momentum ⟦⟧”."""
    name = before(head)
    if name:
        comma = head.rstrip().endswith(",")
        yield name, "adjacent_law" if is_law(name) else "adjacent_comma" if comma else "adjacent"
        for shorter in suffixes(name):
            yield shorter, "phrase_law" if is_law(shorter) else "phrase"
    if (calls := list(_CALLED.finditer(head))) and not MASK.search(rest := head[calls[-1].end() :]) and len(rest) < 100:
        yield after(rest), "called_before"


def _defining(here: str, previous: str, symbol: str, formulas: Mapping[int, str]) -> Pairs:
    """“the X is defined as ⟦⟧”, “define the X as ⟦⟧”, “the equation for the X is ⟦⟧”, “⟦⟧ (X)”."""
    for pattern in (_DEFINE_THE, _FOR_THE):
        if match := pattern.search(here):
            yield from parts(match["name"], "defined")
    if match := _DEFINED.search(here):
        yield from _subject(here[: match.start()], previous, symbol, formulas, "defined" if match["verb"] else "equals")
    if match := _PAREN_AFTER.search(here):
        yield match["name"], "parenthesis"
    if match := _PAREN_BEFORE.search(here):
        yield before(here[: match.start()]), "parenthesis"


def _subject(text: str, previous: str, symbol: str, formulas: Mapping[int, str], kind: str) -> Pairs:
    """The subject of “… is defined as ⟦⟧”; a pronoun stands for what the sentence before was about."""
    if _PRONOUN.search(text):
        if calls := list(_CALLED.finditer(previous)):
            yield after(previous[calls[-1].end() :]), "called_before"
        yield from parts(previous, "subject_before")
        return
    clause = _CLAUSE.split(text)[-1]
    yield from parts(clause, kind)
    if clause != text:
        yield from parts(text, "subject_first")


def _symbol_named(text: str, symbol: str, formulas: Mapping[int, str]) -> Pairs:
    """“the flow rate Q” in the window of Q = …: the words right before the formula's own left side."""
    if not symbol:
        return
    for match in MASK.finditer(text):
        if plain(formulas.get(int(match[1]), "")) == symbol:
            yield from apposed(text[: match.start()], "apposition")
    if len(symbol) == 1 and symbol.isalpha():
        for match in re.finditer(rf"(?<=[a-z] ){symbol}(?=[\s,.;:)])", text):
            yield from apposed(text[: match.start()], "apposition")


def apposed(text: str, kind: str) -> Pairs:
    """Yield the name a text ends with, where nothing stands between it and the symbol that follows."""
    if text[-1:].isspace() and text.rstrip()[-1:].isalpha():
        yield from parts(before(text), kind)


def _plain(here: str, previous: str, following: str) -> Pairs:
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


def _bare(words: str) -> Pairs:
    """A window of words that does not show where the formula stands: every short run of words may be a name.

    Such windows are what a markup stripper left; the words that stood nearest to the formula come last.
    """
    kept: dict[str, tuple[str, str]] = {}
    end_of_text = len(words.split())
    for phrase in reversed(phrases(words)):
        run = phrase.text.split()
        behind = end_of_text - len(words[: phrase.end].split())
        if ratio := _ratio(run):
            kept.setdefault(fold(ratio), (ratio, ("close" if behind <= _CLOSE else "near") + "_quantity"))
        for start, end in combinations(range(len(run) + 1), 2):
            if end - start <= 3:
                name = " ".join(run[start:end])
                close = behind + len(run) - end <= _CLOSE
                kept.setdefault(fold(name), (name, ("close" if close else "near") + _bare_kind(run[start:end])))
    yield from list(kept.values())[: 10 * PHRASES_KEPT]


def _ratio(run: list[str]) -> str:
    """“the ratio of proton to electron masses” stands there as “ratio proton electron masses”, and is the proton to electron mass ratio."""
    at = next((i for i, word in enumerate(run) if word.lower() == "ratio"), len(run))
    if len(run) < at + 4 or singular(run[at + 3]) == run[at + 3]:
        return ""
    one, other, quantity = run[at + 1 : at + 4]
    return f"{one} to {other} {singular(quantity)} ratio"


def _bare_kind(run: list[str]) -> str:
    """Function words are gone from such windows: “equation of state” stands there as “equation state”."""
    if len(run) < 2 or (len(run) == 2 and run[0].lower() in LEAD):
        return ""
    if is_law(" ".join(run)) or run[0].lower() in _OF:
        return "_law"
    kind = "_quantity" if is_quantity(" ".join(run)) else "_pair"
    return kind if len(run) == 2 else f"{kind}_long"
