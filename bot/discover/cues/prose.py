"""Names of a formula in the sentences around it: patterns first, then plain phrases by distance.

Input is text in which the formula itself stands as HERE and other formulas as masks; output (name, kind) pairs.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain, combinations
from operator import itemgetter

from bot.corpus.draft import MASK, sentence_spans
from bot.discover.cues.cue_language import FORMULA_MARK, CueLanguage
from bot.discover.cues.letters import spell_letters
from bot.discover.left_sides import plain_symbol
from bot.discover.phrases import (
    EN,
    MAX_OPENING,
    first_full_name,
    fold,
    is_law,
    is_quantity,
    is_usable_name,
    last_full_name,
    name_at_end,
    name_at_start,
    noun_phrases,
    phrases_with_offsets,
    shorter_names,
    singular,
    split_at_joint,
)

# “Solution. (a) The current is …”: no part of the sentence
_ITEM = re.compile(r"[.:!?]\s+(?:\(\w{1,2}\)|[ⓐ-ⓩ])\s+(?=[A-Z])")
_STOP = re.compile(r"[.!?]\s|\n")
_CLOSE = 3  # words between a run of words and the end of a window without a mask
# Of bare windows: “equation state” was “equation of state”
_LAW_NOUNS = frozenset("equation equations law laws theorem principle".split())
PHRASES_KEPT = 14  # plain phrases kept for one occurrence, nearest first
_PAREN_AFTER = re.compile(rf"{FORMULA_MARK}\W{{0,2}}\(\s*(?P<name>[^()⟦]{{4,70}}?)\s*\)")
_SYMBOL_BEHIND = re.compile(r",?\s+(?:⟦\d+⟧|[A-Za-z])\s*$")
_PAREN_BEFORE = re.compile(rf"\(\s*{FORMULA_MARK}\W{{0,2}}\)")

Pairs = Iterator[tuple[str, str]]


def prose_cues(
    window: str, position: int, symbol: str, formulas: Mapping[int, str], language: CueLanguage = EN
) -> Pairs:
    """Yield what the window says of its formula; `symbol` is the formula's plain left side, `formulas` TeX by position."""
    mask = f"⟦{position}⟧"
    if mask not in window:
        if language is EN:
            yield from _bare(window)
        return
    text = spell_letters(window, mask, formulas, language).replace(mask, FORMULA_MARK)
    spans = sentence_spans(text)
    own = next((i for i, (start, end) in enumerate(spans) if FORMULA_MARK in text[start:end]), 0)
    sentence = text[slice(*spans[own])] if spans else text
    previous = text[slice(*spans[own - 1])] if own else ""
    following = [text[slice(*span)] for span in spans[own + 1 : own + 3]]
    if items := list(_ITEM.finditer(sentence, 0, sentence.find(FORMULA_MARK))):
        sentence = sentence[items[-1].end() :]
    at = sentence.find(FORMULA_MARK)
    head, tail = sentence[:at], sentence[at + 1 :]
    if language.pattern("calling").search(head) and (match := language.pattern("called_so").match(tail)):
        yield name_at_start(tail[match.end() :], language), "called"
    yield from _naming(tail, following, language)
    yield from _adjacent(head, language)
    yield from _defining(sentence, previous, language)
    if not head.strip() and not MASK.search(previous):  # standing by itself it is what the sentence before says
        yield from _defining(f"{previous.rstrip(' .')}: {FORMULA_MARK}", "", language)
        yield from names_in_clause(previous, "subject_before", language)
    for part in (head, previous if not MASK.search(head) else ""):
        # A law that is stated before another formula is that formula's.
        # The name before the verb is looked for only where the verb is there: that is far slower.
        match = language.pattern("stating").search(part) and language.pattern("states").search(part)
        named = last_full_name(match["name"], language) if match and not MASK.search(part, match.end()) else None
        if named and is_law(named.text, language):
            yield named.text, "states"
    yield from _symbol_named(text, symbol, formulas, language)
    if not re.search(r"\w", language.pattern("where").split(MASK.split(tail)[0])[0]):
        yield from names_in_clause(sentence, "subject_first", language)
    earlier = [text[slice(*span)] for span in reversed(spans[:own])]
    yield from _plain(sentence, [*earlier[:1], *following[:1], *earlier[1:], *following[1:]], language)


def names_in_clause(name: str, kind: str, language: CueLanguage = EN) -> Pairs:
    """Yield the name that a clause opens with, and under a weaker kind the shorter names it holds."""
    for n, part in enumerate(_parts(name[:MAX_OPENING], language)):
        yield part, f"{kind}_part" if n else kind


@lru_cache(maxsize=16384)  # what a symbol means is asked at each of its places
def _parts(name: str, language: CueLanguage) -> tuple[str, ...]:
    whole = first_full_name(name, language)
    if not whole:
        return ()
    stem = split_at_joint(whole, language)[0]
    return (whole, *([stem] if stem != whole else []), *shorter_names(stem, language))


def _naming(tail: str, following: list[str], language: CueLanguage) -> Pairs:
    """“… ⟦⟧, called the X”, “⟦⟧ is the X”, “⟦⟧. This is known as the X”: never past another formula."""
    of_this, where = language.pattern("of_this"), language.pattern("where")
    near = MASK.split(tail)[0][:200]
    last = not MASK.search(tail)
    # A second sentence still speaks of the formula where the first does: "This equation describes … It is called …".
    after_it = following if last and following and of_this.match(following[0]) else following[:1] if last else []
    for part, own in ((near, True), *((sentence[:200], False) for sentence in after_it)):
        if match := language.pattern("called").search(part):
            lead = part[: match.start()]
            # "where the constant k is called …" names a symbol, not the formula.
            if not MASK.search(lead) and (
                of_this.match(part[: match.end()]) or (own and len(lead) < 60 and not where.search(lead))
            ):
                yield name_at_start(part[match.end() :], language), "called"
        if match := language.pattern("this_is").match(part):
            name = name_at_start(part[match.end() :], language)
            yield name, "this_is" if is_law(name, language) else "this_is_quantity"
        for kind in ("is_the", "is_for", "this_gives") if own else ("this_gives",):
            if match := language.pattern(kind).match(part):
                yield from names_in_clause(part[match.end() :], kind, language)


def _adjacent(head: str, language: CueLanguage) -> Pairs:
    """The name right before the formula: “the Klein–Gordon equation ⟦⟧”, “Hooke's law: ⟦⟧”, “called the momentum ⟦⟧”."""
    if value := language.pattern("of_value").search(head):
        yield from names_in_clause(name_at_end(head[: value.start()], language), "adjacent_of", language)
    name = "" if value else name_at_end(head, language)
    label = head.rstrip()[:-1].strip() if head.rstrip().endswith(":") else ""
    is_case = bool(name) and _is_case(head, name, language)
    if name and label.endswith(name) and _is_label(label, is_case, language):
        yield from names_in_clause(label, "label_before", language)
        if not is_case:
            yield name, "label_before"
    if name and not is_case:
        comma = head.rstrip().endswith(",")
        yield name, "adjacent_law" if is_law(name, language) else "adjacent_comma" if comma else "adjacent"
        for shorter in shorter_names(name, language):
            yield shorter, "phrase_law" if is_law(shorter, language) else "phrase"
    calls = list(language.pattern("called").finditer(head))
    if calls and not MASK.search(rest := head[calls[-1].end() :]) and len(rest) < 100:
        yield name_at_start(rest, language), "called_before"


def _is_label(text: str, is_case: bool, language: CueLanguage) -> bool:
    """Say whether a text before a colon is a label and no sentence; one that ends with a case starts with a name: “Ohm's law for constant field:”."""
    allowed = language.words("joining") | language.words("articles") | language.words("in_label")
    words = text.lower().split()
    starts = not is_case or words[0] not in language.words("governing")
    return starts and all(word in allowed or not language.is_break(word) for word in words)


def _is_case(head: str, name: str, language: CueLanguage) -> bool:
    """Say whether all that stands before a formula is what it holds for: “For an ideal gas: ⟦⟧”, but “For the energy: ⟦⟧” names it.

    What stands in front of a parenthesis is, wherever a preposition governs it: “and from the South Pole (⟦⟧)”.
    """
    name_words = re.findall(r"[\w'’-]+", name.lower())
    held = name_words[0] in language.words("held")
    if not held and (is_law(name, language) or is_quantity(name, language)):
        return False
    words = re.findall(r"[\w'’-]+", head.lower())
    before = words[: len(words) - len(name_words)]
    while before and before[-1] in language.words("articles"):
        del before[-1]
    if before and (held or head.rstrip().endswith("(")) and before[-1] in language.words("governing"):
        return True
    return not held and len(before) == 1 and before[0] in language.words("case")


def _defining(sentence: str, previous: str, language: CueLanguage) -> Pairs:
    """“the X is defined as ⟦⟧”, “define the X as ⟦⟧”, “the equation for the X is ⟦⟧”, “⟦⟧ (X)”; “the heat equation for a rod is ⟦⟧” names itself."""
    for pattern in ("define_the", "for_the"):
        if match := language.pattern(pattern).search(sentence):
            before, _, joint = sentence[: match.start("name")].rstrip().rpartition(" ")
            law = "" if joint in language.words("joining") else name_at_end(before, language)  # “equations of motion”
            named = is_law(law, language) and is_usable_name(law, language=language)
            yield from names_in_clause(law if named else match["name"], "defined", language)
    if match := language.pattern("defined").search(sentence):
        yield from _subject(sentence[: match.start()], previous, "defined" if match["verb"] else "equals", language)
    if match := language.pattern("reduced").search(sentence):
        yield from names_in_clause(_right_before(sentence[: match.start()], language), "adjacent", language)
    if match := language.pattern("happens").search(sentence):
        yield name_at_end(sentence[: match.start()], language), "happens"
    if match := language.pattern("purpose").search(sentence):
        yield from names_in_clause(match["name"], "purpose", language)
    if match := _PAREN_AFTER.search(sentence):
        name = name_at_start(match["name"], language)
        if 2 * len(name) > len(match["name"]):  # else a remark
            yield name, "parenthesis"
    if match := _PAREN_BEFORE.search(sentence):
        name = name_at_end(sentence[: match.start()], language)
        if name and not _is_case(sentence[: match.start() + 1], name, language):
            yield name, "parenthesis"


def _subject(text: str, previous: str, kind: str, language: CueLanguage) -> Pairs:
    """The subject of “… is defined as ⟦⟧”; a pronoun stands for what the sentence before was about."""
    if match := language.pattern("relative").search(text):
        yield from names_in_clause(_right_before(text[: match.start()], language), kind, language)
    if language.pattern("pronoun").search(text):
        if calls := list(language.pattern("called").finditer(previous)):
            yield name_at_start(previous[calls[-1].end() :], language), "called_before"
        yield from names_in_clause(previous, "subject_before", language)
        return
    clause = language.pattern("clause").split(text)[-1]
    ending = name_at_end(clause, language)
    if ending and not language.pattern("determiner").search(clause) and _is_case(clause, ending, language):
        return  # “Für reale Gase gilt <here>”
    match = language.pattern("again").search(clause)
    if match and (fuller := _fuller(match["head"], previous, language)):
        yield fuller, "subject_before"
    yield from names_in_clause(clause, kind, language)
    if clause != text:
        yield from names_in_clause(text, "subject_first", language)


def _right_before(text: str, language: CueLanguage) -> str:
    """Return the name that a text ends with; its symbol may stand behind it."""
    return name_at_end(_SYMBOL_BEHIND.sub("", text), language)


def _fuller(head: str, text: str, language: CueLanguage) -> str:
    """Return the last name of a text that has `head` as its head and says more, or an empty string."""
    head_noun = singular(head.lower())
    named = [
        p for p in noun_phrases(text, language) if " " in p.text and singular(p.head.rpartition("-")[2]) == head_noun
    ]
    return max(named, key=lambda p: (p.start, len(p.text))).text if named else ""


def _symbol_named(text: str, symbol: str, formulas: Mapping[int, str], language: CueLanguage) -> Pairs:
    """“the flow rate Q” in the window of Q = …: the words right before the formula's own left side."""
    if not symbol:
        return
    places = [match.span() for match in MASK.finditer(text) if plain_symbol(formulas.get(int(match[1]), "")) == symbol]
    spelt_out = _spelt_out(symbol)
    if spelt_out and spelt_out in text:
        opened = r"\(?" if len(symbol) > 1 else ""
        pattern = rf"(?:(?<=[a-z] )|(?<=[a-z], )){opened}{spelt_out}(?=[\s,.;:)])"
        places += [match.span() for match in re.finditer(pattern, text)]
    for start, end in places:
        yield from names_before_symbol(text[:start], "apposition", language)
        if text[:start].endswith(", ") and text[end : end + 1] == ",":  # “The power, P, of a lens”
            clause = language.pattern("clause").split(_STOP.split(text[: start - 2])[-1])[-1]
            if not MASK.search(clause):
                yield from names_in_clause(clause, "apposition", language)
        if match := language.pattern("symbol_called").match(text, end):
            yield name_at_start(text[match.end() :], language), "symbol_called"


def _spelt_out(symbol: str) -> str:
    """Return how running text without formulas has a symbol: “P”, “KE”, “vavg” of v_avg; or an empty string."""
    letters = symbol.replace("_", "", 1)
    plainly = letters.isalpha() and (len(letters) == 1 or letters.isupper())
    indexed = letters != symbol and letters.isascii() and letters.isalnum() and len(letters) < 8
    return letters if plainly or indexed else ""


def names_before_symbol(text: str, kind: str, language: CueLanguage = EN) -> Pairs:
    """Yield the name a text ends with, where nothing stands between it and the symbol that follows."""
    if text[-1:].isspace() and text.rstrip()[-1:].isalpha():
        yield from names_in_clause(name_at_end(text, language), kind, language)


def _plain(sentence: str, around: list[str], language: CueLanguage) -> Pairs:
    """All other phrases, nearest first: those headed like a law count for more than others."""
    at = sentence.find(FORMULA_MARK)
    near = [
        (abs((start + p.end if start + p.end <= at else start + p.start) - at), start + p.start, p.text)
        for start, p in phrases_with_offsets(sentence.replace(FORMULA_MARK, "⟦0⟧"), language)
    ]
    near.sort(key=itemgetter(0, 1))
    seen: set[str] = set()
    for text, kind in chain(
        ((text, _kind(text, "phrase", language) or "phrase") for _, _, text in near),
        (
            (p.text, _kind(p.text, "window", language))
            for part in around
            for _, p in phrases_with_offsets(part, language)
        ),
    ):
        if kind and fold(text) not in seen:
            seen.add(fold(text))
            yield text, kind
            if len(seen) == PHRASES_KEPT:
                return


def _kind(text: str, kind: str, language: CueLanguage) -> str:
    return f"{kind}_law" if is_law(text, language) else f"{kind}_quantity" if is_quantity(text, language) else ""


def _bare(words: str) -> Pairs:
    """A window of words that does not show where the formula stands: every short run of words may be a name.

    Such windows are what a markup stripper left; the words that stood nearest to the formula come last.
    """
    cues: dict[str, tuple[str, str]] = {}
    end_of_text = len(words.split())
    for phrase in reversed(noun_phrases(words)):
        run = phrase.text.split()
        distance = end_of_text - len(words[: phrase.end].split())
        if ratio := _ratio(run):
            cues.setdefault(fold(ratio), (ratio, ("close" if distance <= _CLOSE else "near") + "_quantity"))
        for start, end in combinations(range(len(run) + 1), 2):
            if end - start <= 3:
                name = " ".join(run[start:end])
                close = distance + len(run) - end <= _CLOSE
                cues.setdefault(fold(name), (name, ("close" if close else "near") + _bare_kind(run[start:end])))
    yield from list(cues.values())[: 10 * PHRASES_KEPT]


def _ratio(run: list[str]) -> str:
    """“the ratio of proton to electron masses” has become “ratio proton electron masses”, and is the proton to electron mass ratio."""
    at = next((i for i, word in enumerate(run) if word.lower() == "ratio"), len(run))
    if len(run) < at + 4 or singular(run[at + 3]) == run[at + 3]:
        return ""
    one, other, quantity = run[at + 1 : at + 4]
    return f"{one} to {other} {singular(quantity)} ratio"


def _bare_kind(run: list[str]) -> str:
    """Function words are gone from such windows: “equation of state” has become “equation state”."""
    if len(run) < 2 or (len(run) == 2 and run[0].lower() in EN.words("lead")):
        return ""
    if is_law(" ".join(run)) or run[0].lower() in _LAW_NOUNS:
        return "_law"
    kind = "_quantity" if is_quantity(" ".join(run)) else "_pair"
    return kind if len(run) == 2 else f"{kind}_long"
