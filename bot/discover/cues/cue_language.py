"""How the texts of one language speak of formulas: word lists and patterns, read from languages/<code>.toml.

A further language is a further file. English, German, French and Spanish name formulas in prose; of Italian, articles alone are read.
A document in another language gets its names from structure (titles, tables, hints), and its articles are judged by structure.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from bot.corpus.draft import SYMBOL

FORMULA_MARK = "\ue000"  # the formula asked about, in a sentence
ENGLISH = "en"
_PLACEHOLDER = re.compile(r"(?<!\?P)<([a-z_]+)>")
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False)
class CueLanguage:
    """Word lists by name, lower case, and patterns by name; a list or a pattern that a language lacks holds nothing."""

    code: str
    lists: Mapping[str, frozenset[str]]
    patterns: Mapping[str, str]  # as they are written
    stop: frozenset[str]
    capitalised: bool  # every noun is written with a capital
    elides: bool  # “l'énergie”: an article before a vowel is a word of its own
    head_first: bool  # “énergie cinétique”: adjectives follow
    most_joined: int  # noun phrases that one name joins, beyond the first
    breaking: tuple[str, ...]  # ends of words that cannot stand inside a name
    definitions: tuple[re.Pattern[str], ...]  # of symbols, with the groups `symbol` and `meaning`
    operations: Sequence[str]  # mathematical operations: of each there is a pattern of its words
    declension: Mapping[str, re.Pattern[str]]  # end of an adjective in the nominative without an article -> its nouns
    prose: bool  # sentences name formulas: the file has cues
    parts: Mapping[str, str]  # what stands for <name> in a pattern

    def words(self, name: str) -> frozenset[str]:
        return self.lists.get(name, frozenset())

    @cache  # noqa: B019  # a language lives as long as the program
    def pattern(self, name: str) -> re.Pattern[str]:
        """Return a pattern, compiled when it is first asked for: a command needs few of those of all languages."""
        return _compiled(self.patterns[name], self.parts) if name in self.patterns else _NEVER

    def operation(self, name: str) -> re.Pattern[str]:
        return self.pattern(f"operation {name}")

    def is_break(self, word: str) -> bool:
        """Say whether a lower-case word cannot stand inside a name."""
        return word in self.stop or (
            len(word) > 4 and word.endswith(self.breaking) and word not in self.words("unbroken")
        )

    def is_law_head(self, word: str) -> bool:
        return word in self.words("laws") or bool(self.pattern("law_end").search(word))

    def is_quantity_head(self, word: str) -> bool:
        return word in self.words("quantities") or bool(self.pattern("quantity_end").search(word))


NO_LANGUAGE = CueLanguage("", {}, {}, frozenset(), False, False, False, 0, (), (), (), {}, False, {})  # matches nothing


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a file."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in _folder().iterdir() if f.name.endswith(".toml")))


def article_language(code: str) -> CueLanguage:
    """Return the language of a code such as “de” or “de-AT”, NO_LANGUAGE for one without a file. No code is English."""
    short = code.lower().replace("_", "-").partition("-")[0] or ENGLISH
    return _read(short) if short in languages() else NO_LANGUAGE


def cue_language(code: str) -> CueLanguage | None:
    """Return the language of a code where sentences in it name formulas; None for any other."""
    found = article_language(code)
    return found if found.prose else None


def english() -> CueLanguage:
    found = cue_language(ENGLISH)
    assert found is not None  # the package's own file
    return found


def _folder() -> Traversable:
    return files("bot.discover.cues").joinpath("languages")


@cache
def _read(code: str) -> CueLanguage:
    table = tomllib.loads(_folder().joinpath(f"{code}.toml").read_text("utf-8"))
    lists = {name: _with_double_s(words.split()) for name, words in table["words"].items()}
    verbs = _forms(lists.get("verbs", ())) if code == ENGLISH else lists.get("verbs", frozenset())
    stop = (lists["function"] | verbs | lists.get("verb_forms", frozenset())) - lists.get("nouns", frozenset())
    stop |= {word.replace("'", "’") for word in stop}
    cues: dict[str, str] = table.get("cues", {})
    scope: dict[str, str] = table.get("scope", {})
    parts = {"here": FORMULA_MARK, "symbol": SYMBOL, **cues, **scope}
    operations: dict[str, str] = table["operations"]
    patterns = cues | table["article"] | scope | {f"operation {name}": each for name, each in operations.items()}
    if "declension" in table:  # the list has an adjective in one of its cases
        lists["lead"] = frozenset(word + end for word in lists["lead"] for end in ("", *"mnrs"))
    declension = {
        end: re.compile(
            rf"(?P<noun>[\w-]*(?:{'|'.join(sorted(_with_double_s(nouns.split())))}))(?:{'' if end == 'e' else 'e?s'})?",
            re.I,
        )
        for end, nouns in table.get("declension", {}).items()
    }
    definitions = tuple(_compiled(each, parts) for each in table.get("definitions", {}).values())
    grammar = {**table["grammar"], "breaking": tuple(table["grammar"]["breaking"])}
    return CueLanguage(
        code,
        lists,
        patterns,
        stop,
        definitions=definitions,
        operations=tuple(operations),
        declension=declension,
        prose=bool(cues),
        parts=parts,
        **grammar,
    )


def _with_double_s(words: Iterable[str]) -> frozenset[str]:
    """Return words with those that are spelt with “ss” where “ß” is not used, as in Switzerland."""
    return frozenset(spelling for word in words for spelling in (word, word.replace("ß", "ss")))


def _compiled(pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
    while (filled := _PLACEHOLDER.sub(lambda m: parts[m[1]], pattern)) != pattern:
        pattern = filled
    return re.compile(pattern.replace("\n", ""), re.I)


def _forms(verbs: Iterable[str]) -> frozenset[str]:
    """Return English verbs with their regular forms; a stem that takes them irregularly is listed by form."""
    found = set()
    for verb in verbs:
        stem = verb[:-1] if verb.endswith("e") else verb
        third = verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb
        third = third if third.endswith("ies") else verb + ("es" if verb.endswith(("s", "x", "ch", "sh", "z")) else "s")
        past = verb[:-1] + "ied" if third.endswith("ies") and verb.endswith("y") else stem + "ed"
        found |= {verb, third, past, stem + "ing"}
    return frozenset(found)
