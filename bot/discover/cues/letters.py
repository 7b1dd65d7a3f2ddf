"""Letters that are part of a name: the Γ function, a χ²-test, Kendall's τ. What is set as a formula there is read as a word."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache

from bot.corpus.draft import MASK
from bot.discover.cues.cue_language import CueLanguage, article_language, languages
from bot.formula.tex.symbols import LETTERS

_POWER = r"(?:\s*\^\s*(?:(?P<power>[^\W_]|\*)|\{\s*(?P<grouped>[^\W_]|\*|\\ast)\s*\}))?"
_LETTER = re.compile(rf"(?P<letter>\\[A-Za-z]+|[^\W\d_]){_POWER}")
_IN_TITLE = re.compile(rf"(?P<letter>\\[A-Za-z]+(?![A-Za-z{{])|(?<![\w\\])[^\W\d_](?=\s*\^)){_POWER}")
_GREEK = re.compile(r"GREEK (?:\w+ )*?(?:LETTER |LUNATE )?(?P<name>[A-Z]+)(?: SYMBOL)?")
_OWNER = re.compile(r"(?<![\w'’])[A-Z][\w-]+(?:['’]s|s['’]) $")
_NOUN = re.compile(r"(?:(?P<hyphen>[-‐‑–])| )(?P<word>[^\W\d_]+)")
_NEAR = 40  # characters that the possessor, the article and the noun are looked for in


@lru_cache(maxsize=16384)
def spoken_letter(tex: str, squared: str) -> str:
    """Return how a single letter is spoken (“gamma”, “chi-squared”, “Lp”), or "" for any other formula."""
    found = _LETTER.fullmatch(tex.strip()) if len(tex) < 40 else None
    return _spoken(found, squared) if found else ""


def spell_title_letters(title: str, language: CueLanguage) -> str:
    """Return a title with its TeX letters as words: “The \\chi^2 distribution” is “The chi-squared distribution”."""
    if "\\" not in title and "^" not in title:
        return title
    squared = _square(language)
    return _IN_TITLE.sub(lambda found: _spoken(found, squared) or found[0], title)


def spell_letters(window: str, own: str, formulas: Mapping[int, str], language: CueLanguage) -> str:
    """Return a window in which the letters that are part of a name are words; `own` is the mask of the formula that is asked about.

    Such a letter is an ordinal (“the n-th …”), or has its possessor before it (“Kendall's τ”), or a noun behind it: joined by a hyphen,
    or one that heads the name of a law or quantity, where an article stands before.
    """
    squared = _square(language)

    def word(mask: re.Match[str]) -> str:
        letter = "" if mask[0] == own else spoken_letter(formulas.get(int(mask["position"]), ""), squared)
        if letter and mask["ordinal"]:
            return letter + mask["ordinal"]
        before = window[max(0, mask.start() - _NEAR) : mask.start()]
        return letter if letter and _named(before, window[mask.end() : mask.end() + _NEAR], language) else mask[0]

    return language.pattern("letter").sub(word, window)


def _square(language: CueLanguage) -> str:
    return next(iter(language.words("squared")), "")


def _named(before: str, after: str, language: CueLanguage) -> bool:
    noun = _NOUN.match(after)
    if (noun and noun["hyphen"]) or _OWNER.search(before):
        return True
    article = before.endswith(" ") and before.lower().split()[-1:]
    heads = noun and (language.is_law_head(noun["word"]) or language.is_quantity_head(noun["word"]))
    return bool(heads and article and article[0] in language.words("articles"))


@lru_cache(maxsize=16384)
def masked_name_pattern(name: str) -> re.Pattern[str] | None:
    """Return what finds a name in a window where its letters may be formulas; None for a name without such letters."""
    words = re.split(r"[\s-]+", name)
    spelt_or_set = [_spelt_or_set(word) for word in words]
    joined = r"[\s-]?".join(spelt_or_set)
    return re.compile(rf"(?<!\w){joined}(?!\w)") if MASK.pattern in joined else None


def _spelt_or_set(word: str) -> str:
    if len(word) == 1 or word in _words():
        return f"(?:{re.escape(word)}|{MASK.pattern})"
    return f"(?:{word})?" if word in _squared() else re.escape(word)


@cache
def _squared() -> frozenset[str]:
    return frozenset(word for code in languages() for word in article_language(code).words("squared"))


@cache
def _words() -> frozenset[str]:
    return frozenset(
        spoken_letter(command, "") for command, letter in LETTERS.items() if letter.isalpha() and command[1:2].islower()
    ) - {""}


def _spoken(found: re.Match[str], squared: str) -> str:
    letter = LETTERS.get(found["letter"], found["letter"])
    if not letter.isalpha() or len(letter) > 1:
        return ""
    greek = _GREEK.fullmatch(unicodedata.name(letter, ""))
    word = greek["name"].lower().replace("lamda", "lambda") if greek else letter
    power = found["power"] or found["grouped"]
    if power == "2":
        return f"{word}-{squared}" if squared else ""
    return word + power.replace("\\ast", "*") if power else word
