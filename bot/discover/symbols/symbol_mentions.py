"""Meanings of symbols in a document: “where v is the speed”, “the force F”, “the charge density is ρ = Q/V”.

In: the occurrences of one document. Out: mentions, each with its sentence and the number of the formula that it stands at.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bot.corpus.draft import MASK, SYMBOL, find_definitions, sentence_spans, symbol_tex
from bot.discover.cues.cue_language import CueLanguage
from bot.discover.left_sides import sides
from bot.discover.phrases import definitions_in, first_full_name, is_usable_name, name_at_end
from bot.discover.symbols.quantity_names import quantity_of
from bot.formula.quantities.formula_symbols import FormulaSymbol, symbol_of
from bot.records import Occurrence

_PLAIN = re.compile(r"(?<![\w.'’\-–⟦])[^\W\d_](?:[\d′₀-₉]|_\w{1,3})?(?![\w'’⟧])(?!\.\w)")
_MASK_OR_PLAIN = re.compile(f"{MASK.pattern}|{_PLAIN.pattern}")
_PAIR = re.compile(
    rf"(?P<first>{SYMBOL})(?:,\s*(?P<second>{SYMBOL}))?,?\s+(?:and|und|or)\s+(?P<last>{SYMBOL}),?\s+"
    r"(?:are|denote|represent|being|stand for|sind|bezeichnen)\s+(?:respectively\s+|,\s*respectively,\s*)?(?=(?:the|die|its|their)\s)(?=(?P<meaning>[^⟦]{3,120}))"
)
_BRACKETED = re.compile(rf"(?P<name>[^⟦()]{{3,80}}?)\s*\(\s*(?P<symbol>{SYMBOL})\s*\)")
_BEHIND = re.compile(rf"(?P<symbol>{SYMBOL})\s*\(\s*(?P<name>(?:the |an? )?[^\W\d_][^()⟦]{{3,60}}?)\s*\)")
_SYMBOL_OF = re.compile(
    rf"\b(?P<name>[^⟦.,;()]{{3,80}}?),?\s+(?:is|are|wird|werden)?\s*(?:often |usually |commonly |generally )?(?:denoted|represented|symboli[sz]ed|designated|labell?ed|given the symbol|bezeichnet|mit)\s+(?:by|as|with|the symbol|by the symbol)?\s*(?P<symbol>{SYMBOL})"
)
# Without one of these a sentence says nothing of symbols, or nothing in that way: they are found much faster than the patterns fail.
_ANY = re.compile(SYMBOL)
_DENOTED = "denoted represented symboli designated label given bezeichnet mit".split()
# Kinds of mention by a name and a symbol: pattern, words, and where the name is in what is said.
_NAMED = (
    ("denoted", _SYMBOL_OF, _DENOTED, first_full_name),
    ("bracketed", _BRACKETED, ["("], name_at_end),
    ("behind", _BEHIND, ["("], first_full_name),
)
_ARE = ("are", "denote", "represent", "being", "stand for", "sind", "bezeichnen")
_LAST = re.compile(r"[^\W_]+(?:[-‐‑–’'][^\W_]+)*(?=\s*$)")
_MAX_WORD_LENGTH = 80  # characters of a word
_SIDE = 60  # characters of an equation's left side that may be a symbol with its arguments


@dataclass(frozen=True, slots=True)
class SymbolMention:
    """A meaning of a symbol; `position` is the formula beside which the sentence stands, `at` its place in the document's text."""

    symbol: FormulaSymbol
    meaning: str
    kind: str
    sentence: str
    position: int


def symbol_mentions(occurrences: Sequence[Occurrence], language: CueLanguage) -> tuple[SymbolMention, ...]:
    """Return all that the windows of a document's occurrences say of symbols, each sentence read once."""
    formulas = {each.position: each.tex for each in occurrences}
    seen: dict[str, int] = {}
    for each in occurrences:
        for text in sentence_texts(each.window):
            masks = [int(n) for n in MASK.findall(text)]
            seen.setdefault(text, masks[0] if masks else each.position)
    found: dict[tuple[str, str, str, int], SymbolMention] = {}
    for text, position in seen.items():
        for symbol, meaning, kind, place in _in_sentence(text, position, formulas, language):
            found.setdefault(
                (symbol.keys[0], meaning.casefold(), kind, place), SymbolMention(symbol, meaning, kind, text, place)
            )
    for each in occurrences:
        for mention in _of_left_side(each):
            found.setdefault(
                (mention.symbol.keys[0], mention.meaning.casefold(), mention.kind, mention.position), mention
            )
    return tuple(found.values())


@lru_cache(maxsize=1024)  # neighbouring formulas share their windows
def sentence_texts(window: str) -> tuple[str, ...]:
    """Return the sentences of a text."""
    return tuple(window[start:end] for start, end in sentence_spans(window))


def _in_sentence(
    text: str, position: int, formulas: Mapping[int, str], language: CueLanguage
) -> Iterator[tuple[FormulaSymbol, str, str, int]]:
    if not _ANY.search(text):
        return

    def where(at: int) -> int:
        numbers = [int(m[1]) for m in MASK.finditer(text, 0, at + 1)]
        return numbers[-1] if numbers else position

    if language.code == "en":
        for at, tex, meaning in find_definitions(text, formulas):
            if symbol := symbol_of(tex):
                yield symbol, meaning, "defined", where(at)
    for match, tex, meaning in definitions_in(text, formulas, language):
        if symbol := symbol_of(tex):
            yield symbol, meaning, "defined", where(match.start())
    for match in _PAIR.finditer(text) if any(word in text for word in _ARE) else ():
        meaning = first_full_name(match["meaning"], language)
        for group in ("first", "second", "last"):
            if match[group] and meaning and (symbol := symbol_of(symbol_tex(match[group], formulas))):
                yield symbol, meaning, "several", where(match.start())
    for kind, pattern, words, name_in in _NAMED:
        for match in pattern.finditer(text) if any(word in text for word in words) else ():
            tex = symbol_tex(match["symbol"], formulas)
            if tex and (symbol := symbol_of(tex)) and (name := name_in(match["name"], language)):
                yield symbol, name, kind, where(match.start("symbol"))
    for place in _MASK_OR_PLAIN.finditer(text):
        head = text[: place.start()]
        if not head[-1:].isspace() or not head.rstrip()[-1:].isalpha():
            continue
        if place[0].startswith("⟦"):
            tex = formulas.get(int(place[1]), "")
            left, right = sides(tex)
            symbol = symbol_of(left) if len(left) <= _SIDE else None
            kind = "apposed_equation" if right else "apposed"
        else:
            if place[0].lower() in language.stop or place[0] in ("a", "A", "I", "s"):
                continue
            symbol, kind = symbol_of(symbol_tex(place[0], formulas)), "apposed_letter"
        if (
            symbol
            and not _ends_phrase(head, language)
            and (name := name_at_end(head, language))
            and is_usable_name(name, is_bare_cue=True, language=language)
        ):
            yield symbol, _nearer(name), kind, where(place.start())


def _ends_phrase(head: str, language: CueLanguage) -> bool:
    """Say whether the last word before a symbol is in no name, as most are: “where”, “is”. That is seen much faster than `before` says so."""
    last = _LAST.search(head, max(0, len(head) - _MAX_WORD_LENGTH))
    word = last[0].lower() if last else ""
    return len(word) == 1 or language.is_break(word.replace("’", "'") if language.elides else word)


def _nearer(name: str) -> str:
    """Return what stands right before a symbol: “sphere of radius” is a radius, “moment of inertia” itself."""
    tail = name.rpartition(" of ")[2]
    return tail if tail != name and quantity_of(name)[0] is None and quantity_of(tail)[0] is not None else name


def _of_left_side(occurrence: Occurrence) -> Iterator[SymbolMention]:
    """Yield what the text calls an equation, as the meaning of the one symbol on its left."""
    left, right = sides(occurrence.tex)
    symbol = symbol_of(left) if right and len(left) <= _SIDE else None
    if symbol:
        for cue in (cue for cue in occurrence.cues if not cue.kind.endswith("_part")):
            yield SymbolMention(symbol, cue.name, f"name_{cue.kind}", occurrence.window, occurrence.position)
