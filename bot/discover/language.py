"""Is a document that calls itself English in English? Plain wiki text and many a page declare no language, and are taken for English."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.corpus.windows import MASK
from bot.records import Document

UNKNOWN = "und"  # ISO 639's word for a language that nobody has determined

# Words that no other language in Latin letters has often.
_ENGLISH = frozenset("the and that which with by this from where are can it has be these such".split())
# Words that other languages have often, and English hardly ever.
_OTHER = frozenset(
    "und ist der das ein eine mit wird les des est une dans pour que los las del una por para della che sono het een van voor "
    "niet wordt jest oraz yang dengan adalah".split()
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]+")
_MARKED = re.compile(r"(?=[a-z]*[ß-ɏḀ-ỿ])[a-zß-ɏḀ-ỿ]{3,}")  # small letters only: Schrödinger is at home everywhere
_ENOUGH = 1500  # words; more of a document says nothing new
_FEW = 8  # words; fewer say nothing
_LEAST = 0.04  # of the words; in English prose they are .1 and more, in a table of units they may be none
_MOST = 0.01  # of the words; in English next to none have marks or are of these


def with_language(document: Document, windows: Iterable[str]) -> Document:
    """Return the document, its language undetermined where it says English and the words around its formulas are not."""
    if document.language[:2] not in ("en", "") or not foreign(windows):
        return document
    return replace(document, language=UNKNOWN)


def foreign(windows: Iterable[str]) -> bool:
    """Tell whether a text is not English: in other letters, or in words of another language with hardly an English one."""
    words: list[str] = []
    for window in dict.fromkeys(windows):
        words += _WORD.findall(MASK.sub(" ", window))
        if len(words) >= _ENOUGH:
            break
    letters = sum(map(len, words))
    if letters >= 2 * _FEW and 2 * sum(len(word) for word in words if _LATIN.fullmatch(word)) < letters:
        return True
    if len(words) < _FEW or sum(word.lower() in _ENGLISH for word in words) >= _LEAST * len(words):
        return False
    other = sum(word in _OTHER or bool(_MARKED.fullmatch(word)) for word in words)
    return other >= _MOST * len(words)
