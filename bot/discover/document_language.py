"""Is a document that calls itself English in English? Plain wiki text and many a page declare no language, and are taken for English."""

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace

from bot.corpus.draft import MASK
from bot.discover.cues.cue_language import ENGLISH, article_language, languages
from bot.records import UNKNOWN_LANGUAGE, Document

# Words that no other language in Latin letters has often.
_ENGLISH = frozenset("the and that which with by this from where are can it has be these such".split())
# Words that other languages have often, and English hardly ever.
_OTHER = frozenset(
    "und ist der das ein eine mit wird les des est une dans pour que los las del una por para della che sono het een van voor "
    "niet wordt jest oraz yang dengan adalah".split()
)
_LETTERS = {
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ja": re.compile(r"[\u3041-\u30ff]"),
    "ko": re.compile(r"[\uac00-\ud7a3]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
_NO_RUSSIAN = re.compile("[ЂЃ-ЏђѓѕіјљњћќўџҐґ]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]+")
_MARKED = re.compile(r"(?=[a-z]*[ß-ɏḀ-ỿ])[a-zß-ɏḀ-ỿ]{3,}")  # small letters only: Schrödinger is at home everywhere
_SPOKEN = 0.25  # of the words; prose has a third and more of function words
_ENOUGH = 1500  # words; more of a document says nothing new
_FEW = 8  # words; fewer say nothing
_MIN_SHARE = 0.04  # of the words; in English prose they are .1 and more, in a table of units they may be none
_MAX_FOREIGN_SHARE = 0.01  # of the words; in English next to none have marks or are of these


def with_language(document: Document, windows: Collection[str]) -> Document:
    """Return the document in its language where it says English and the words around its formulas are not; in none where that is unclear."""
    if document.language[:2] not in ("en", "") or not is_foreign(windows):
        return document
    return replace(document, language=_likeliest(windows))


def _likeliest(windows: Iterable[str]) -> str:
    """Return the language that most words are function words of, of those that have a file, or whose letters they are in; UNKNOWN where neither tells."""
    words = Counter(_words(windows))
    if by_letters := _by_letters("".join(words.elements())):
        return by_letters
    shares = {
        code: sum(n for word, n in words.items() if word.lower() in article_language(code).words("function"))
        / words.total()
        for code in languages()
        if code != ENGLISH and words
    }
    best = max(shares, key=lambda code: shares[code], default=UNKNOWN_LANGUAGE)
    return best if shares.get(best, 0.0) >= _SPOKEN else UNKNOWN_LANGUAGE


def _by_letters(text: str) -> str:
    """Return the language that is the only usual one, of those in which science is written, in the letters of most of a text; else nothing."""
    counts = {code: len(letters.findall(text)) for code, letters in _LETTERS.items()}
    code = max(counts, key=lambda code: counts[code])
    if 2 * counts[code] < len(text):
        return ""
    if code == "zh" and 20 * counts["ja"] > len(text):  # Japanese is written in both
        return "ja"
    if code == "ru":  # other languages in its letters have no ы and э, or letters of their own
        if re.search("[їєґЇЄҐ]", text):
            return "uk"
        if re.search("[ыэЫЭ]", text) and not _NO_RUSSIAN.search(text):
            return code
        return ""
    return code


def is_foreign(windows: Iterable[str]) -> bool:
    """Tell whether a text is not English: in other letters, or in words of another language with hardly an English one."""
    words = _words(windows)
    letters = sum(map(len, words))
    if (
        letters >= 2 * _FEW
        and 2 * sum([len(word) for word in words if word.isascii() or _LATIN.fullmatch(word)]) < letters
    ):
        return True
    if len(words) < _FEW or sum([word.lower() in _ENGLISH for word in words]) >= _MIN_SHARE * len(words):
        return False
    other = sum(word in _OTHER or bool(_MARKED.fullmatch(word)) for word in words)
    return other >= _MAX_FOREIGN_SHARE * len(words) or _likeliest(windows) != UNKNOWN_LANGUAGE


def _words(windows: Iterable[str]) -> list[str]:
    words: list[str] = []
    for window in dict.fromkeys(windows):
        words += _WORD.findall(MASK.sub(" ", window))
        if len(words) >= _ENOUGH:
            break
    return words
