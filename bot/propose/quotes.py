"""The sentence that supports a proposal: where formula and name stand together, and its parts for showing.

An occurrence supports an item when its own document names the item: in the sentence, in a structure such as a table
of key equations, in the heading, or in the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from bot.match.labels import fold, variants
from bot.records import MASK_CLOSE, MASK_OPEN, Document, Item, Occurrence, Quote

MASK = re.compile(f"{MASK_OPEN}(\\d+){MASK_CLOSE}")
PLACES = (
    "sentence",
    "qid",
    "key_equation",
    "defined_term",
    "equation_title",
    "bold_title",
    "infobox",
    "heading",
    "title",
)
SHOWN = 3
LONGEST = 1200  # characters of a window that are shown around the formula
_CLOSE = 0.75  # spellings farther from the label than this name something else too often
_APOSTROPHE, _DASH = "['’‘ʼ′`´]", r"[-‐‑‒–—−\s]"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a quote as it is shown: text, the name, another formula, or the formula itself."""

    kind: Literal["text", "name", "formula", "subject"]
    text: str


@dataclass(frozen=True, slots=True)
class Names:
    """The spellings under which a text may name an item; abbreviations only in their own case."""

    patterns: tuple[re.Pattern[str], ...]
    folded: frozenset[str]
    qid: str

    def near(self, text: str, at: int) -> str:
        """Return the item's name as the text writes it, the longest nearest to character `at`, or an empty string."""
        spans = [match.span() for pattern in self.patterns for match in pattern.finditer(text)]
        if not spans:
            return ""
        start, end = min(
            spans, key=lambda span: (min(abs(span[0] - at), abs(span[1] - at)) - (span[1] - span[0]), span)
        )
        return text[start:end]


def names_of(item: Item) -> Names:
    """Return how texts may name the item."""
    close: dict[str, None] = {}
    exact: list[str] = []
    for label in (item.label, *item.aliases):
        if len(label) <= 6 and label.upper() == label:
            exact += [label] if len(label) > 1 else []
        else:
            near = (s for s, weight in variants(label) if len(s) > 2 and (weight >= _CLOSE or " " in s))
            close.update(dict.fromkeys(near))
    patterns = [_pattern(spelling, False) for spelling in close] + [_pattern(short, True) for short in exact]
    return Names(tuple(patterns), frozenset(close) | {fold(short) for short in exact}, item.qid)


def supports(occurrence: Occurrence, document: Document, names: Names) -> tuple[str, str]:
    """Return (where, name as written) for the nearest place that names the item; empty strings where none does."""
    mask = f"{MASK_OPEN}{occurrence.position}{MASK_CLOSE}"
    at = occurrence.window.find(mask)
    if at >= 0 and (name := names.near(occurrence.window, at)):
        return "sentence", name
    for hint in sorted(occurrence.hints, key=lambda h: _place(h.kind)):
        if hint.name == names.qid or fold(hint.name) in names.folded or names.near(hint.name, 0):
            return hint.kind, hint.name
    for where, text in (("heading", occurrence.heading), ("title", document.title)):
        if name := names.near(text, 0):
            return where, name
    return "", ""


def quotes(
    occurrences: Iterable[Occurrence],
    documents: Mapping[str, Document],
    item: Item,
    tex_at: Mapping[tuple[str, int], str],
    *,
    limit: int = SHOWN,
) -> tuple[Quote, ...]:
    """Return the best supporting quotes, one for each document, those that name the item first."""
    names = names_of(item)
    found: dict[str, Quote] = {}
    supported = [(o, *supports(o, documents[o.document], names)) for o in occurrences if o.document in documents]
    for occurrence, where, name in sorted(supported, key=lambda s: _place(s[1])):
        found.setdefault(occurrence.document, _quote(occurrence, documents[occurrence.document], where, name, tex_at))
    return tuple(found.values())[:limit]


def parts(quote: Quote) -> Iterator[Part]:
    """Yield a quote in pieces, so that a page or a text can mark formula and name."""
    formulas = dict(quote.formulas)
    for n, piece in enumerate(MASK.split(quote.window)):
        if n % 2:
            position = int(piece)
            yield Part("subject" if position == quote.position else "formula", formulas.get(position, "…"))
        else:
            yield from _named(piece, quote.name if quote.where == "sentence" else "")


def masks(window: str) -> list[int]:
    """Return the positions of the formulas in a window."""
    return [int(position) for position in MASK.findall(window)]


def _quote(
    occurrence: Occurrence, document: Document, where: str, name: str, tex_at: Mapping[tuple[str, int], str]
) -> Quote:
    window = _shortened(occurrence.window, occurrence.position, name if where == "sentence" else "")
    inside = dict.fromkeys([occurrence.position, *masks(window)])
    known = {
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
        formulas=tuple(sorted(known.items())),
        where=where,
    )


def _shortened(window: str, position: int, name: str) -> str:
    """Cut a very long window around formula and name, at blanks, so that no mask is broken."""
    if len(window) <= LONGEST:
        return window
    mask = f"{MASK_OPEN}{position}{MASK_CLOSE}"
    at = max(window.find(mask), 0)
    named = window.find(name) if name else at
    middle = (at + named) // 2 if abs(at - named) < LONGEST - 100 else at
    start = max(0, middle - LONGEST // 2)
    end = min(len(window), start + LONGEST)
    left = window.find(" ", start) + 1 if start else 0
    right = window.rfind(" ", left, end) if end < len(window) else end
    return f"{'… ' if left else ''}{window[left:right]}{' …' if right < len(window) else ''}"


def _named(text: str, name: str) -> Iterator[Part]:
    pieces = re.split(f"({re.escape(name)})", text) if name else [text]
    for n, piece in enumerate(pieces):
        if piece:
            yield Part("name" if n % 2 else "text", piece)


def _place(where: str) -> int:
    return PLACES.index(where) if where in PLACES else len(PLACES)


@lru_cache(maxsize=20_000)
def _pattern(spelling: str, exact: bool) -> re.Pattern[str]:
    loose = {"'": _APOSTROPHE, "-": _DASH, " ": r"\s+"}
    body = "".join(loose.get(character) or re.escape(character) for character in spelling)
    return re.compile(rf"(?<!\w){body}(?!\w)", 0 if exact else re.IGNORECASE)


def as_text(pieces: Sequence[Part]) -> str:
    """Return the pieces as plain text with formulas in dollars."""
    return "".join(f"${p.text}$" if p.kind in ("formula", "subject") else p.text for p in pieces)
