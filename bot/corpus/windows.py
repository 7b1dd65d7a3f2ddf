"""Sentences of rendered text, and the window of whole sentences around a masked formula ⟦n⟧.

Text is what a reader sees: formulas are masks, a blank line ends a paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from bot.records import MASK_CLOSE, MASK_OPEN

LIMIT = 500  # characters of context on each side, as in the data of the paper; whole sentences, so a little less or (for one long sentence) more

MASK = re.compile(f"{MASK_OPEN}(\\d+){MASK_CLOSE}")

# A full stop after one of these does not end a sentence unless a paragraph ends there too.
_ABBREVIATIONS = frozenset(
    "eq eqs eqn eqns fig figs ref refs sec sect secs ch chap vol vols no nos pp p par para app tab tbl thm lem "
    "prop cor def ex e.g i.e eg ie cf viz vs et al etc ca approx resp incl esp ed eds cit op ibid i.i.d w.r.t a.k.a "
    "dr mr mrs ms prof st jr sr ph.d rev phys lett astron astrophys math mon soc proc univ inst dept jan feb mar apr jun "
    "jul aug sep sept oct nov dec u.s u.k".split()
)
# "al", "etc" and the like do end sentences when a capital word follows that is no name; we rather join than cut.
_STOP = re.compile(r"[.!?…](?:[\"'”’»)\]]|&quot;)*(?=\s)|\n[ \t]*\n")
_WORD_ENDS = re.compile(r"[\s(\[{“\"'⟦⟧]")
_FOLLOWING = re.compile(r"(\s*)[\"'“‘«(\[]*(.?)", re.S)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) spans of the sentences of `text`, in order, without the blanks between them."""
    found = []
    start = 0
    for cut in _cuts(text):
        sentence = text[start:cut]
        if sentence.strip():
            found.append((cut - len(sentence.lstrip()), start + len(sentence.rstrip())))
        start = cut
    return found


def spans(text: str, *limits: int, bounds: Sequence[tuple[int, int]] | None = None) -> list[dict[int, tuple[int, int]]]:
    """Return for each limit the windows of the masks of `text` as spans: the sentence and whole neighbours up to `limit` each side.

    `bounds` are its sentences, where they are known.
    """
    bounds = sentences(text) if bounds is None else bounds
    starts = [start for start, _ in bounds]
    found: list[dict[int, tuple[int, int]]] = [{} for _ in limits]
    for mask in MASK.finditer(text):
        own = bisect_right(starts, mask.start()) - 1
        for windows, limit in zip(found, limits, strict=True):
            windows[int(mask[1])] = _around(text, bounds, own, mask.span(), limit)
    return found


def squeezed(
    text: str, bounds: Sequence[tuple[int, int]], windows: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """Return the squeezed text of each window; each sentence is squeezed once, as windows overlap."""
    first, after = {start: n for n, (start, _) in enumerate(bounds)}, {end: n + 1 for n, (_, end) in enumerate(bounds)}
    plain = [squeeze(text[start:end]) for start, end in bounds]
    return {
        (start, end): " ".join(plain[first[start] : after[end]])
        if start in first and end in after
        else squeeze(text[start:end])
        for start, end in set(windows)
    }


def squeeze(text: str) -> str:
    """Return `text` with each run of blanks and line ends as one blank."""
    return " ".join(text.split())


def _cuts(text: str) -> Iterator[int]:
    for stop in _STOP.finditer(text):
        if text[stop.start()] == "\n" or _ends_sentence(text, stop):
            yield stop.end()
    yield len(text)


def _ends_sentence(text: str, stop: re.Match[str]) -> bool:
    at, end = stop.span()
    blanks, following = _FOLLOWING.match(text, end, end + 40).groups()  # type: ignore[union-attr]  # matches anything
    if "\n\n" in blanks:
        return True
    if not following or following.islower() or following in ",;:)=":
        return False
    if text[at] != ".":
        return True
    word = text[max(0, at - 20) : at]
    if not word.isalpha():
        word = _WORD_ENDS.split(word)[-1]
    if len(word) == 1 and word.isalpha() and word.isupper():  # an initial: "A. Einstein"
        return False
    return word.lower() not in _ABBREVIATIONS


def _around(
    text: str, bounds: Sequence[tuple[int, int]], own: int, mask: tuple[int, int], limit: int
) -> tuple[int, int]:
    start, end = bounds[own]
    # One endless sentence (a table, a list without stops) is cut between words, the only cut inside a sentence.
    most = 2 * max(limit, LIMIT)
    if mask[0] - start > most:
        start = text.find(" ", mask[0] - most // 2, mask[0]) + 1 or mask[0]
    if end - mask[1] > most:
        end = text.rfind(" ", mask[1], mask[1] + most // 2)
        end = mask[1] if end < 0 else end
    first, last = own, own
    while start == bounds[first][0] and first and mask[0] - bounds[first - 1][0] <= limit:
        first -= 1
        start = bounds[first][0]
    while end == bounds[last][1] and last + 1 < len(bounds) and bounds[last + 1][1] - mask[1] <= limit:
        last += 1
        end = bounds[last][1]
    return start, end
