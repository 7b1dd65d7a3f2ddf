"""Noun phrases of running text, and the one form under which two spellings of a name are the same name.

A light chunker: a phrase is a run of words that are not function words or verbs, joined by words like "of". Its word lists are
those of a language (bot.discover.cues.cue_language); English ones unless another is given.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from bot.corpus.draft import MASK, symbol_tex
from bot.discover.cues.cue_language import CueLanguage, english
from bot.formula.tex.symbols import LETTERS
from bot.records import MASK_CLOSE, MASK_OPEN

EN = english()
_COMPOUNDING = tuple(EN.words("compounding"))
_ELIDED_TOKEN = re.compile(
    r"⟦\d+⟧|(?:[lLdDsSnNcCjJmM]|[qQ]u)['’](?=\w{2})|[^\W_]+(?:[-‐‑–’'][^\W_]+)*(?:['’](?=\s))?|[^\w\s]"
)
_TOKEN = re.compile(r"⟦\d+⟧|[^\W_]+(?:(?:[-‐‑–’']|(?<=[a-z]{3})/(?=[a-z]{3}))[^\W_]+)*(?:['’](?=\s))?|[^\w\s]")
_MASK_AND_JOINED = re.compile(rf"(?P<joined>{MASK.pattern}(?:[-‐‑–][^\W\d_]+)?)")
_WORD = re.compile(r"[^\W\d_]")
_FOLDED = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_FOLDED_OR_BREAK = re.compile(_FOLDED.pattern + r"|[.,;:!?()\[\]⟦⟧\ue000]")
_PARENTHESIS = re.compile(r"\([^()]*\)")
_DASH = re.compile(r"[-‐‑‒–—−]")
_SINGULAR = dict(
    zip(
        "formulae criteria radii indices vertices matrices axes analyses hypotheses foci loci nuclei moduli spectra momenta phenomena gases lenses biases series species".split(),
        "formula criterion radius index vertex matrix axis analysis hypothesis focus locus nucleus modulus spectrum momentum phenomenon gas lens bias series species".split(),
        strict=True,
    )
)
_ORDINALS = {"1st": "first", "2nd": "second", "3rd": "third"}
_ARTICLE = frozenset(("the", "a", "an"))
# What a Greek letter in print is called: the Γ function is the gamma function.
_GREEK = {
    sign: command[1:].removeprefix("var") for command, sign in LETTERS.items() if command[1:2].islower() and "α" <= sign <= "ϵ"
}  # fmt: skip
_NOUNS_TOO = frozenset("speed seed bed feed need variable observable table ensemble ordered".split())
_NO_END = frozenset("times plus minus past long form forms equation, terms read".split())
_REFERENCES = frozenset(
    "figure fig table section chapter example problem exercise equation eq appendix page step".split()
)
_LIGHT = frozenset("also often its our as this just simply".split())
# Three letters side by side, of those in which the languages with cues are written (and mathematics).
_WORDLIKE = re.compile(r"[a-zA-ZÀ-ɏͰ-ϿḀ-ỿ]{3}")
_POSSESSIVE = ("'s", "’s", "s'", "s’")
MAX_WORDS = 7
MAX_OPENING = 200  # characters that the name at the start of a clause is looked for in


class Phrase(NamedTuple):
    """A noun phrase: its words as they stand and its span in the text."""

    text: str
    start: int
    end: int

    @property
    def head(self) -> str:
        """The word the phrase is about: the last one, or the one before “of”."""
        return _head(self.text.lower().split())


def noun_phrases(text: str, language: CueLanguage = EN) -> list[Phrase]:
    """Return the noun phrases of `text` in order; one joined by “of” stands before its two parts."""
    return [Phrase(p.text, at + p.start, at + p.end) if at else p for at, p in phrases_with_offsets(text, language)]


def phrases_with_offsets(text: str, language: CueLanguage = EN) -> Iterator[tuple[int, Phrase]]:
    """Yield the noun phrases in order, each with where its span is counted from: none reaches over a formula."""
    if MASK_OPEN not in text:
        yield from ((0, phrase) for phrase in _phrases(text, language))
        return
    # A word that a hyphen joins to a formula is the rest of one: “⟦n⟧-dimensional”
    masks = [(0, 0), *((mask.start(), mask.end("joined")) for mask in _MASK_AND_JOINED.finditer(text)), (len(text), 0)]
    for (_, start), (end, _) in pairwise(masks):
        if end > start:
            yield from [(start, phrase) for phrase in _phrases(text[start:end], language)]


@lru_cache(maxsize=16384)  # formulas of one sentence share what stands between them
def _phrases(text: str, language: CueLanguage) -> tuple[Phrase, ...]:
    found: list[Phrase] = []
    last: Phrase | None = None
    whole: Phrase | None = None  # that ends with `last`, by so many joints
    joints = 0
    for run in _runs(text, language):
        between = text[last.end : run.start].replace("’", "'").split() if last else []
        saying = last is not None and not joints and _last_word(last.text) in language.words("saying")
        changing = last is not None and _last_word(last.text) in language.words("changing")
        if whole and last and not saying and joints < language.most_joined and _are_joined(between, language, changing):
            joined = Phrase(" ".join(text[whole.start : run.end].split()), whole.start, run.end)
            whole, joints = joined, joints + 1
            if len(joined.text.split()) <= MAX_WORDS + joints:
                found[-1:] = [joined, found[-1]]
        else:
            whole, joints = run, 0
        found.append(run)
        last = run
    return tuple(found)


def _last_word(text: str) -> str:
    return text.rpartition(" ")[2].lower()


def _are_joined(between: list[str], language: CueLanguage, changing: bool) -> bool:
    """Say whether the words between two phrases make one name of them: “of”, “of the”, “de la”, “d'”; after a change “in” too."""
    if language is EN:
        between = [
            word.lower() for word in between
        ]  # in other languages a capital begins a sentence, not a word of a title
    joining = language.words("joining") | ({"in"} if changing else set())
    inner = joining | language.words("articles") | language.words("between")
    return 1 <= len(between) <= 2 and between[0] in joining and inner.issuperset(between[1:])


def _runs(text: str, language: CueLanguage) -> Iterator[Phrase]:
    words: list[re.Match[str]] = []
    before_verb, verb = language.words("before_verb"), False
    prepositions = [found.span() for found in language.pattern("set_phrase").finditer(text)]
    for match in (_ELIDED_TOKEN if language.elides else _TOKEN).finditer(text):
        token = match[0]
        held = any(start <= match.start() < end for start, end in prepositions)
        if words and language.capitalised and _is_behind_noun(token, words[-1][0], language):
            if run := _phrase(words, language):
                yield run
            words = []
        if (words or len(token) > 1) and not verb and not held and _inside(token, language):
            words.append(match)
        elif words:
            # "second" is a number before "law" and a unit elsewhere; digits inside a phrase ("type 2") are rare: both end it.
            if run := _phrase(words, language):
                yield run
            words = []
        verb = bool(before_verb) and token.lower().replace("’", "'") in before_verb
    if words and (run := _phrase(words, language)):
        yield run


def _is_behind_noun(token: str, last: str, language: CueLanguage) -> bool:
    """Say whether a word begins a phrase of its own where nouns have capitals: “Leiter ⟨bewegten⟩ Ladung”, but “Gleichung idealer Gase”.

    With the end of the word before it, it is one of two adjectives at the start of a sentence: “Lineare zeitinvariante Systeme”.
    """
    if token in language.words("inner"):
        return False
    end = "e" if token.endswith("e") else token[-2:]
    return (
        token.islower()
        and len(token) > 1
        and last[:1].isupper()
        and not token.endswith("er")
        and not last.endswith(end)
    )


@lru_cache(maxsize=65536)  # a corpus repeats its words
def _inside(token: str, language: CueLanguage) -> bool:
    """Tell whether a token is a word that may be inside a phrase."""
    low = token.lower().replace("’", "'") if language.elides else token.lower()
    return bool(_WORD.match(token) or low in _ORDINALS) and not language.is_break(low)


def _phrase(words: list[re.Match[str]], language: CueLanguage) -> Phrase | None:
    lead = language.words("lead")
    start, end = 0, len(words)
    while start < end and words[start][0].lower() in lead and not _is_compound(words[start:], language):
        start += 1
    if (
        language.capitalised
        and end - start > 1
        and _is_no_adjective(words[start][0])
        and words[start + 1][0][:1].isupper()
    ):
        start += 1
    while start < end and _is_cut_off(words[end - 1][0], language):
        end -= 1
    if phrase_words := words[max(start, end - MAX_WORDS) : end]:
        return Phrase(" ".join([word[0] for word in phrase_words]), phrase_words[0].start(), phrase_words[-1].end())
    return None


def _is_compound(words: list[re.Match[str]], language: CueLanguage) -> bool:
    """Say whether an adjective and the word behind it are one name: “small angle approximation”."""
    return bool(language.pattern("compound").match(" ".join([word[0] for word in words[:2]])))


def _is_no_adjective(word: str) -> bool:
    """Say whether a word in small letters before a noun has no end of an adjective: “nimmt Werte”."""
    return word.islower() and word.isalpha() and not word.endswith(("e", "em", "en", "er", "es"))


def _is_cut_off(last: str, language: CueLanguage) -> bool:
    """Say whether a phrase does not end with this word: a letter, “the total mass inside”, an adjective where nouns have capitals."""
    return len(last) == 1 or last in language.words("trail") or (language.capitalised and last.islower())


def name_at_start(text: str, language: CueLanguage = EN) -> str:
    """Return the name that `text` begins with, past articles, quotes and adverbs, or an empty string."""
    for phrase in noun_phrases(text[:160], language):
        gap = text[: phrase.start].lower()
        return phrase.text if not re.search(r"[^\s\"'“”„‘’*«»a-zà-ÿ]", gap) and _is_light_gap(gap, language) else ""
    return ""


@lru_cache(maxsize=16384)  # what a symbol means is asked at each of its places
def first_full_name(text: str, language: CueLanguage = EN) -> str:
    """Return the first name of a clause with all that “of” joins to it: “the moment of inertia about …” gives “moment of inertia”.

    “magnitude of X” and the like stand for X; “ratio of”, “sum of” describe and give nothing, nor does “charge per unit area”, which is no charge.
    """
    found = noun_phrases(text[:MAX_OPENING], language)
    if not found:
        return ""
    if _last_word(found[0].text) in language.words("saying") and found[1:]:
        between = text[found[0].end : found[1].start].split()
        found = found[1:] if _are_joined(between, language, False) else found
    longest = max((p for p in found if p.start == found[0].start), key=lambda p: p.end)
    if language.pattern("per").match(text, longest.end):
        return ""
    whole = longest.text
    head, of, rest = split_at_joint(whole, language)
    words = head.lower().split()
    if of and len(words) == 1 and words[0] in language.words("through"):
        return rest
    return "" if words[-1] in language.words("describing") and (of or len(words) == 1) else whole


def definitions_in(
    text: str, formulas: Mapping[int, str], language: CueLanguage
) -> Iterator[tuple[re.Match[str], str, str]]:
    """Yield what says the meaning of a symbol by the patterns of a language, the symbol as TeX, and the meaning."""
    for match in (match for pattern in language.definitions for match in pattern.finditer(text)):
        tex = "" if match["symbol"].lower() in language.stop else symbol_tex(match["symbol"], formulas)
        if tex and (meaning := first_full_name(match["meaning"], language)):
            yield match, tex, meaning


def split_at_joint(name: str, language: CueLanguage = EN) -> tuple[str, str, str]:
    """Return a name before its first joint (“of the”), the joint, and after it."""
    found = language.pattern("joint").search(name)
    return (name[: found.start()], found[0], name[found.end() :]) if found else (name, "", "")


def name_at_end(text: str, language: CueLanguage = EN) -> str:
    """Return the name that `text` ends with, past articles, a comma or a colon, or an empty string."""
    tail = text[-160:].rpartition(MASK_CLOSE)[2]
    whole = last_full_name(tail, language)
    return whole.text if whole and not tail[whole.end :].strip(" \"'“”„’:,(*").strip() else ""


def last_full_name(text: str, language: CueLanguage = EN) -> Phrase | None:
    """Return the last name of a text with all that “of” joins to it."""
    found = noun_phrases(text, language)
    return max((p for p in found if p.end == found[-1].end), key=lambda p: p.end - p.start, default=None)


def _is_light_gap(gap: str, language: CueLanguage) -> bool:
    light = language.words("lead") | language.words("articles") | (_LIGHT if language is EN else frozenset())
    return all(
        w in light for w in re.findall(r"[a-zà-ÿ]+'?" if language.elides else "[a-zà-ÿ]+", gap.replace("’", "'"))
    )


def shorter_names(name: str, language: CueLanguage = EN) -> Iterator[str]:
    """Yield the shorter names inside a name that keep its head: “time-dependent Schrödinger equation” holds “Schrödinger equation”."""
    if language.head_first:
        head, of, _ = split_at_joint(name, language)
        words = head.split()
        yield from (" ".join(words[:i]) for i in range(1 + bool(of), len(words)))
        return
    words = name.split()
    joints = [i for i, word in enumerate(words) if word in language.words("joining") or (i and language.is_break(word))]
    if joints:
        yield from (" ".join(words[i:]) for i in range(1, joints[0]))
        return
    least = 2 if language.is_law_head(words[-1].lower()) else 1
    for i in range(1, len(words) - least + 1):
        yield " ".join(words[i:])


@lru_cache(maxsize=200_000)
def fold(name: str) -> str:
    """Return the form under which spellings of a name meet: case, plural, possessive, dashes, articles and accents of print.

    >>> fold("The Klein–Gordon equations") == fold("Klein-Gordon equation")
    True
    """
    return _folded(_PARENTHESIS.sub(" ", name), _FOLDED)


def folded_clauses(text: str) -> str:
    """Return a running text in the form of `fold`; the signs between its clauses are words of their own."""
    return _folded(text, _FOLDED_OR_BREAK)


def _folded(text: str, words: re.Pattern[str]) -> str:
    text = _DASH.sub(" ", text.replace("’", "'").casefold())
    return " ".join([_folded_word(word) for word in words.findall(text) if word not in _ARTICLE])


@lru_cache(maxsize=50_000)
def _folded_word(word: str) -> str:
    """Return a word in the singular, a Greek letter by its name, “2nd” as “second”."""
    return _GREEK.get(word) or _ORDINALS.get(word) or singular(word)


@lru_cache(maxsize=50_000)
def singular(word: str) -> str:
    word = word[:-2] if word.endswith("'s") else word
    if irregular := _SINGULAR.get(word):
        return irregular
    if len(word) <= 3 or word.endswith(("ss", "us", "is", "ics", "ous")):
        return word
    if word.endswith("ies") and len(word) > 5:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word.removesuffix("s")


@lru_cache(maxsize=100_000)
def display_form(name: str) -> str:
    """Return a name as it is shown: no article, no parenthesis, no stray marks, one blank between words."""
    text = _PARENTHESIS.sub(" ", name)
    text = re.sub(r"⟦\d+⟧", " ", text)
    text = re.sub(r"^\W*(?:(?:the|an?)\s+)?", "", " ".join(text.split()), flags=re.I)
    return text.strip(" .,;:*\"'“”‘«»[]{}|=")


@lru_cache(maxsize=100_000)
def is_usable_name(
    name: str, *, from_source: bool = False, is_bare_cue: bool = False, language: CueLanguage = EN
) -> bool:
    """Refuse what is not a name: empty words, numbers, figures and tables, single letters, whole clauses.

    `from_source` is what an author says in so many words, `is_bare_cue` what stood in a window of words: its kind may be all that is known of a law.
    """
    words = fold(name).split()
    most_words, most_characters = (20, 160) if from_source else (10, 80)
    if not words or len(words) > most_words or len(name) > most_characters:
        return False
    if not _WORDLIKE.search(name) or "⟦" in name:
        return False
    if len(words) > 1 and words[0] in _REFERENCES and (words[1].isdigit() or len(words[1]) == 1):
        return False
    return from_source or not (
        "\\" in name
        or (language is not EN and _begins_badly(name, language))
        or _ends_badly(name, words, language)
        or _says_nothing(name.lower().split(), words, is_bare_cue, language)
    )


def _begins_badly(name: str, language: CueLanguage) -> bool:
    """Say whether a name begins as a sentence, a command or a preposition does: “Vous devez …”, “Bestimme den …”, “autour de …”."""
    first, *others = name.lower().replace("’", "'").split()
    if others and language.elides:
        others[0] = re.sub(r"(?<=')\w.*", "", others[0])
    if others and others[0] in language.words("of_objects"):
        return True
    pronoun, elided, _ = first.partition("'")
    first = pronoun + elided if language.elides and elided and pronoun not in ("d", "l") else first
    return first in language.stop - language.words("articles") - language.words("opening")


def _ends_badly(name: str, words: list[str], language: CueLanguage) -> bool:
    last = name.lower().split()[-1]
    if last.endswith(_POSSESSIVE):
        return True
    if language.pattern("bad_end").search(last) and last not in _NOUNS_TOO:
        return True
    if not language.head_first and _head(words, language) in language.words("properties"):
        return True
    nouns = language.words("like_adjectives")
    noun = _DASH.split(last)[-1] in nouns  # a t-statistic
    if language.pattern("adjective").search(last) and not noun and not last.endswith(_COMPOUNDING):
        return True
    # A cross-reference: "differentiating Equation (4)".
    reference = name.split()[-1] in ("Equation", "Equations") and name[:1].islower()
    return last in _NO_END or last in language.stop or words[-1].isdigit() or reference


def _says_nothing(raw: list[str], words: list[str], is_bare_cue: bool, language: CueLanguage) -> bool:
    """Say whether a name tells a law's kind only, or is made of empty words; “time constant” is a name though each word alone is none."""
    lead, kinds = language.words("lead"), language.words("kind_of_law")
    kind_counts = is_bare_cue and len(raw) > 2
    if (
        language.is_law_head(raw[-1])
        and len(raw) > 1
        and not kind_counts
        and all(_ORDINALS.get(w, w) in kinds or w in lead or _is_participle(w) for w in raw[:-1])
    ):
        return True
    names = (
        len(words) > 1
        and not any(map(language.is_break, raw))
        and language.is_quantity_head(raw[-1])
        and raw[0] not in lead
    )
    return all(_is_empty_word(word, language) for word in (*words, *raw)) and not names


def _is_participle(word: str) -> bool:
    return word.endswith("ed") and word not in _NOUNS_TOO


def _is_empty_word(word: str, language: CueLanguage) -> bool:
    empty = word in language.words("empty") or word in language.words("lead") or word in language.words("joining")
    return empty or language.is_break(word) or word.isdigit() or len(word) == 1


@lru_cache(maxsize=100_000)
def is_law(name: str, language: CueLanguage = EN) -> bool:
    """Say whether a phrase is headed like a law: law, equation, theorem, principle …"""
    if language.head_first:
        return any(map(language.is_law_head, split_at_joint(name, language)[0].lower().split())) and " " in name
    words = name.lower().split()
    return len(words) > 1 and (language.is_law_head(words[-1]) or language.is_law_head(_head(words, language)))


@lru_cache(maxsize=100_000)
def is_quantity(name: str, language: CueLanguage = EN) -> bool:
    """Say whether a phrase is headed like a quantity: energy, radius, constant …"""
    return language.is_quantity_head(_head(name.lower().split(), language))


def _head(words: list[str], language: CueLanguage = EN) -> str:
    """Return the word a phrase is about: the last one, or the one before “of”; the first in “énergie cinétique”."""
    if not words or language.head_first:
        return words[0] if words else ""
    at = next((n for n, word in enumerate(words[1:], 1) if word in language.words("joining")), len(words))
    return words[at - 1]
