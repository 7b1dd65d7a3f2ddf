"""The sentence that supports a proposal: where formula and name stand together, and its parts for showing.

An occurrence supports an item when its own document names the item: in the sentence, in a structure such as a table
of key equations, in the heading, or in the title.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from urllib.parse import quote as percent

from bot.corpus.draft import MASK
from bot.match.item_labels import fold, variants
from bot.records import MASK_CLOSE, MASK_OPEN, Document, Item, Occurrence, Quote

# The places of a name, the most certain first: a row of a table names one formula, a sentence may hold several.
NAME_LOCATIONS = tuple("qid key_equation equation_title sentence defined_term bold_title infobox heading title".split())
MAX_QUOTES = 3
# Characters of a window that are shown around the formula; a row of a table needs fewer.
MAX_LENGTH, MAX_ROW_LENGTH = 800, 320
_NEAR_CUT = 100  # characters in which a blank is looked for where a text is cut
_TITLE = 200  # characters; a longer text is not a heading or title
_CLOSE = 0.75  # of item_labels.variants: spellings farther from the label than this name something else too often
_APOSTROPHE, _DASH = "['’‘ʼ′`´]", r"[-‐‑‒–—−\s]"


@dataclass(frozen=True, slots=True)
class QuotePart:
    """A piece of a quote as it is shown: text, the name, another formula, or the formula itself."""

    kind: Literal["text", "name", "formula", "subject"]
    text: str


@dataclass(frozen=True, slots=True)
class ItemSpellings:
    """The spellings under which a text may name an item; abbreviations only in their own case."""

    sought: tuple[tuple[str, str, bool], ...]  # (spelling, its words as in `_words`, whether its case counts)
    folded: frozenset[str]
    qid: str

    def is_name(self, name: str) -> bool:
        """Say whether a whole name means the item: “continuity equation (constant density)” is not “density”."""
        return any(spelling in self.folded for spelling, weight in variants(name) if weight >= _CLOSE)

    def find_near(self, text: str, at: int) -> str:
        """Return the item's name as the text writes it, the longest nearest to character `at`, or an empty string."""
        words = _words_of_title(text) if len(text) < _TITLE else _words(text)
        spans = [
            match.span()
            for spelling, spelling_words, exact in self.sought
            if spelling_words in words  # most patterns are never made, at .1 ms each
            for match in _pattern(spelling, exact).finditer(text)
        ]
        if not spans:
            return ""
        start, end = min(
            spans, key=lambda span: (min(abs(span[0] - at), abs(span[1] - at)) - (span[1] - span[0]), span)
        )
        return text[start:end]


def spellings_of(item: Item) -> ItemSpellings:
    """Return how texts may name the item."""
    close: dict[str, None] = {}
    exact: list[str] = []
    for label in (item.label, *item.aliases):
        if len(label) <= 6 and label.upper() == label:
            exact += [label] if len(label) > 1 else []
        else:
            near = (s for s, weight in variants(label) if len(s) > 2 and (weight >= _CLOSE or " " in s))
            close.update(dict.fromkeys(near))
    sought = tuple((spelling, _words(spelling), False) for spelling in close)
    sought += tuple((short, _words(short), True) for short in exact)
    return ItemSpellings(sought, frozenset(close) | {fold(short) for short in exact}, item.qid)


def name_location(occurrence: Occurrence, document: Document, names: ItemSpellings) -> tuple[str, str]:
    """Return (where, name as written) for the nearest place that names the item; empty strings where none does."""
    at = occurrence.window.find(f"{MASK_OPEN}{occurrence.position}{MASK_CLOSE}")
    found = {"sentence": names.find_near(occurrence.window, at) if at >= 0 else ""}
    for hint in occurrence.hints:
        if hint.name == names.qid or names.is_name(hint.name):
            found.setdefault(hint.kind, hint.name)
    found["heading"] = names.find_near(occurrence.heading, 0)
    found["title"] = names.find_near(document.title, 0)
    return min(
        ((where, name) for where, name in found.items() if name), key=lambda f: _location_rank(f[0]), default=("", "")
    )


def quotes(
    occurrences: Iterable[Occurrence],
    documents: Mapping[str, Document],
    item: Item,
    tex_at: Mapping[tuple[str, int], str],
) -> tuple[Quote, ...]:
    """Return the supporting quotes, the surest first, one for each document; where none supports, one that does not."""
    names = spellings_of(item)
    found: dict[str, Quote] = {}
    supported = [(o, *name_location(o, documents[o.document], names)) for o in occurrences if o.document in documents]
    for occurrence, where, name in sorted(supported, key=lambda s: _location_rank(s[1])):
        found.setdefault(occurrence.document, _quote(occurrence, documents[occurrence.document], where, name, tex_at))
    supporting = [quote for quote in found.values() if quote.where]
    return tuple(supporting or list(found.values())[:1])


def quote_parts(quote: Quote) -> Iterator[QuotePart]:
    """Yield a quote in pieces, so that a page or a text can mark the formula and the name nearest to it."""
    formulas = dict(quote.formulas)
    start, end = _nearest_name(quote)
    done = 0
    for mask in MASK.finditer(quote.window):
        yield from _text(quote.window, done, mask.start(), start, end)
        position = int(mask[1])
        yield QuotePart("subject" if position == quote.position else "formula", formulas.get(position, "…"))
        done = mask.end()
    yield from _text(quote.window, done, len(quote.window), start, end)


def sentence_url(quote: Quote) -> str:
    """Return a document's address with a fragment that leads to the sentence: words beside the formula, else its section.

    https://wicg.github.io/scroll-to-text-fragment/; a browser that does not know the former goes to the latter, or to the top.
    """
    address, _, anchor = quote.url.partition("#")
    section = anchor or (percent(quote.heading.replace(" ", "_")) if quote.heading != quote.title else "")
    words = _words_around(quote)
    text = f":~:text={percent(words, safe='').replace('-', '%2D')}" if words else ""
    return f"{address}#{section}{text}" if section or text else address


def _words_around(quote: Quote) -> str:
    """Return up to eight whole words before the formula, or else behind it; nothing where there are fewer than three."""
    mask = f"{MASK_OPEN}{quote.position}{MASK_CLOSE}"
    before, found, after = quote.window.partition(mask)
    if not found:
        return ""
    left = re.split(r"[…⟧]|[.;:]\s", before)[-1].split()
    right = re.split(r"[…⟦]|[.;:]\s", after)[0].split()
    near = next((words for words in (left[-8:], right[:8]) if len(words) > 2), [])
    return " ".join(near).strip(" ,.;:()[]")


def formula_numbers(window: str) -> list[int]:
    """Return the positions of the formulas in a window."""
    return [int(position) for position in MASK.findall(window)]


def _quote(
    occurrence: Occurrence, document: Document, where: str, name: str, tex_at: Mapping[tuple[str, int], str]
) -> Quote:
    longest = MAX_ROW_LENGTH if where == "key_equation" else MAX_LENGTH
    window = _shortened(occurrence.window, occurrence.position, name if where == "sentence" else "", longest)
    inside = dict.fromkeys([occurrence.position, *formula_numbers(window)])
    tex_of = {
        **{p: tex_at[document.id, p] for p in inside if (document.id, p) in tex_at},
        occurrence.position: occurrence.tex,
    }
    return Quote(
        document=document.id,
        position=occurrence.position,
        window=window,
        heading=occurrence.heading,
        name=name,
        title=document.title,
        url=document.url,
        formulas=tuple(sorted(tex_of.items())),
        where=where,
    )


def _shortened(window: str, position: int, name: str, longest: int) -> str:
    """Cut a very long window around formula and name, at blanks if there are any, and never inside a mask."""
    if len(window) <= longest:
        return window
    mask = f"{MASK_OPEN}{position}{MASK_CLOSE}"
    at = max(window.find(mask), 0)
    named = window.find(name) if name else at
    middle = (at + named) // 2 if abs(at - named) < longest - 100 else at
    start = max(0, middle - longest // 2)
    end = min(len(window), start + longest)
    left = _first_cut(window, start) if start else 0
    right = _last_cut(window, end) if end < len(window) else end
    return f"{'… ' if left else ''}{window[left:right]}{' …' if right < len(window) else ''}"


def _first_cut(window: str, start: int) -> int:
    """Return where the text begins that is kept from `start` on."""
    blank = window.find(" ", start, start + _NEAR_CUT)
    close = window.find(MASK_CLOSE, start)
    return blank + 1 if blank >= 0 else close + 1 if close >= 0 and MASK_OPEN not in window[start:close] else start


def _last_cut(window: str, end: int) -> int:
    """Return where the text ends that is kept up to `end`."""
    blank = window.rfind(" ", max(0, end - _NEAR_CUT), end)
    mask = window.rfind(MASK_OPEN, 0, end)
    return blank if blank >= 0 else mask if mask >= 0 and MASK_CLOSE not in window[mask:end] else end


def _nearest_name(quote: Quote) -> tuple[int, int]:
    """Return the span of the name nearest to the formula; an empty one where there is none."""
    at = quote.window.find(f"{MASK_OPEN}{quote.position}{MASK_CLOSE}")
    starts = [found.start() for found in re.finditer(re.escape(quote.name), quote.window)] if quote.name else []
    start = min(starts, key=lambda s: abs(s - at), default=-1)
    return (start, start + len(quote.name)) if start >= 0 else (-1, -1)


def _text(window: str, left: int, right: int, start: int, end: int) -> Iterator[QuotePart]:
    named = left <= start and end <= right
    pieces = ((left, start, "text"), (start, end, "name"), (end, right, "text")) if named else ((left, right, "text"),)
    for begin, stop, kind in pieces:
        if begin < stop:
            yield QuotePart("name" if kind == "name" else "text", window[begin:stop])


def _location_rank(where: str) -> int:
    return NAME_LOCATIONS.index(where) if where in NAME_LOCATIONS else len(NAME_LOCATIONS)


def _lower(text: str) -> str:
    """Return text in which characters are equal that a pattern takes for equal whatever their case."""
    return text.replace("İ", "i").replace("ı", "i").casefold().replace("ʼ", "'")


def _words(text: str) -> str:
    """Return the words of a text between blanks: those of a spelling stand in those of each text that has it."""
    found = re.findall(r"\w+", _lower(text))
    return " ".join(["", *found, ""]) if found else ""


_words_of_title = lru_cache(maxsize=20_000)(_words)  # headings and titles are asked for at each of their formulas


@lru_cache(maxsize=20_000)
def _pattern(spelling: str, exact: bool) -> re.Pattern[str]:
    loose = {"'": _APOSTROPHE, "-": _DASH, " ": r"\s+"}
    body = "".join(loose.get(character) or re.escape(character) for character in spelling)
    return re.compile(rf"(?<!\w){body}(?!\w)", 0 if exact else re.IGNORECASE)
