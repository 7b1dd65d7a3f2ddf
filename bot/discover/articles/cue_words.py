"""The words by which an encyclopaedia introduces a formula (cue_words.toml): English, German, French, Spanish, Italian.

An article in another language is judged by its structure alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bot.wikibase import Json

_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class ClueWords:
    """Patterns over lower-case text; each is searched in one part of the formula's sentence or its heading."""

    says: re.Pattern[str]  # before the formula: this is the statement itself
    example: re.Pattern[str]  # before the formula: an example or an assumption
    special: re.Pattern[str]  # before the formula: a case, an approximation, another form
    step: re.Pattern[str]  # before the formula: a consequence, a step of a derivation
    condition: re.Pattern[str]  # before the formula: it holds under a condition
    besides: re.Pattern[str]  # right before the formula: it explains a symbol of another one
    statement: re.Pattern[str]  # heading of a section that states
    aside: re.Pattern[str]  # heading of a section that does something else
    named: re.Pattern[str]  # between a name and its symbol
    explained: re.Pattern[str]  # right behind the formula: its symbols are explained
    determiner: re.Pattern[str]  # right before a word that stands for a longer name: “the law”
    governed: re.Pattern[str]  # right before a name, folded: the phrase is about something else, “the work of the …”
    preposition: re.Pattern[str]  # in a title: what follows says of what
    conjunction: re.Pattern[str]  # in a title: two subjects
    pronoun: re.Pattern[str]  # start of a sentence about what the sentence before was about
    copula: re.Pattern[str]  # in the article's first sentence: between its subject and what it is
    phrase_end: re.Pattern[str]  # behind a noun phrase
    head_first: re.Pattern[str]  # found where the first noun of a phrase is its head
    quantity: re.Pattern[str]  # in what the subject is called: it is calculated, or stated by a formula
    thing: re.Pattern[str]  # in what the subject is called: a thing, a field of study, a class of something
    theorem: re.Pattern[str]  # the last word of a title: a statement that is often made in words alone
    listing: re.Pattern[str]  # in the title or the first sentence: the article lists formulas of others
    field: re.Pattern[str]  # name of an infobox's field for the formula
    operations: Mapping[str, re.Pattern[str]]  # words for an operation


@cache
def words(language: str) -> ClueWords:
    """Return the patterns of a language; none of them ever matches for one that is not read."""
    tables = dict(_tables())
    operations = {each: _pattern(by, language) for each, by in tables.pop("operations").items()}
    tables.pop("function_words")
    return ClueWords(operations=operations, **{cue: _pattern(by, language) for cue, by in tables.items()})


def language_of(text: str) -> str:
    """Return the language of a text among those that are read, by its function words; English where it has none of them."""
    found = {name: len(re.findall(pattern, text, re.I)) for name, pattern in _tables()["function_words"].items()}
    best = max(found, key=lambda name: found[name])
    return best if found[best] else "en"


@cache
def _tables() -> Json:
    return tomllib.loads(Path(__file__).with_name("cue_words.toml").read_text("utf-8"))


def _pattern(by_language: Mapping[str, str], language: str) -> re.Pattern[str]:
    return re.compile(by_language.get(language, _NEVER).replace("\n", ""), re.I)
