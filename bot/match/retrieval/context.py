"""The words around a formula: titles, items named in them and their distance, meanings of letters."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bot.corpus.draft import find_definitions
from bot.discover.cues.mentions import nearness
from bot.formula import identifiers
from bot.items_file import ItemRow
from bot.match.item_labels import ALIAS, QUOTES, clause_head, fold, singular, variants, with_one_sign
from bot.wikibase import ITEM_ID

# Chosen when the weights of context were fitted (recognition.json, `in_document`), which hold what they are worth.
INNER_NAME_WEIGHT = 0.4  # “centripetal acceleration” is an acceleration, but it is not called so
PARTIAL_NAME_WEIGHT = 0.5  # a title that holds a name among other words, and a heading
MAX_NAME_WORDS = 9  # words of a name
MAX_CHARACTERS_READ = 10_000  # characters of a context that are read

_SPELLING = 0.72  # of labels.variants: number, possessive, bracket; not a law's name without “law”
_TITLES, _TITLE_WORDS = 3, 9
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?=\s)")
_WORD = re.compile(r"⟦\d+⟧|[^\W_]+")
_QID = re.compile(rf"\b{ITEM_ID}\b")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
# Formulas as texts of any kind set them off; the last kind holds no formula but says where one stands.
_FORMULA = re.compile(
    r"<math\b[^<>]{0,80}>(.{0,1000}?)</math>|\{\{math\|([^{}]{0,1000})\}\}|\$\$(.{1,1000}?)\$\$|(?<!\\)\$([^$\n]{1,1000}?)(?<!\\)\$"
    r"|\\\((.{1,1000}?)\\\)|\\\[(.{1,1000}?)\\\]"
    r"|(⟦\d+⟧|\[(?:FORMULA|MATH|MASK|EQUATION)\]|<(?:formula|mask)>|\bFORMULA\b)",
    re.S,
)
_REFERENCE = re.compile(r"<ref\b[^<>]{0,200}/>|<ref\b.{0,1000}?</ref>|<!--.{0,1000}?-->", re.S)
_TEMPLATE = re.compile(r"\{\{[^{}⟦]*\}\}")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,80}>|'{2,}|^=+[ \t]*|(?<=\S)[ \t]*=+$", re.M)
_BESIDE = re.compile(r"\s*,?\s*\(?(⟦\d+⟧|[^\W\d_](?:_\w{1,4})?(?![\w'’]))")  # the torque τ, the work ⟦3⟧
_COMMAND = re.compile(r"\\[a-zA-Z]+")
_SENTENCE = re.compile(r"([^.:|—⟦]{3,60}?)\s*(?:[.:|—]|\s-)\s+")
_IDENTIFIER = re.compile(r"\d{3}|\.\w{2,5}$")


@dataclass(frozen=True, slots=True)
class ItemMention:
    """A name of an item among words, from `start` to `end`; `weight` says how surely it is this item's."""

    item: int
    weight: float
    start: int
    end: int
    inside: bool = False  # it is the end of a longer name


class ItemNames:
    """Names of items, with and without formulas, by their words: case, number, possessive and hyphens aside. Items are their places in the rows."""

    def __init__(self, rows: Sequence[ItemRow]) -> None:
        self._by_name: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
        self._by_qid: dict[str, int] = {}
        for item, row in enumerate(rows):
            self._by_qid.setdefault(row["qid"], item)
            for n, name in enumerate((row.get("label"), *(row.get("aliases") or ()))):
                for spelling, close in variants(name) if name else ():
                    if close >= _SPELLING:
                        self._add(spelling, item, close * (ALIAS if n else 1.0))

    def _add(self, name: str, item: int, weight: float) -> None:
        words = normal_words(name)
        if (
            words
            and len(words) <= MAX_NAME_WORDS
            and (len(words) > 1 or (len(words[0]) > 2 and not words[0].isdigit()))
        ):
            weight_by_item = self._by_name[words]
            weight_by_item[item] = max(weight, weight_by_item.get(item, 0.0))

    def items_named(self, name: str) -> Mapping[int, float]:
        """Return the items that have a name, with how surely."""
        return self._by_name.get(normal_words(name), {})

    def find_names(self, words: Sequence[str]) -> Iterator[ItemMention]:
        """Yield the names among normal words: the longest at each place, and for less the names that it ends with."""
        start = 0
        while start < len(words):
            for end in range(min(len(words), start + MAX_NAME_WORDS), start, -1):
                if weight_by_item := self._by_name.get(tuple(words[start:end])):
                    yield from (ItemMention(item, weight, start, end) for item, weight in weight_by_item.items())
                    for inner in range(start + 1, end):
                        for item, weight in self._by_name.get(tuple(words[inner:end]), {}).items():
                            if item not in weight_by_item:
                                yield ItemMention(item, INNER_NAME_WEIGHT * weight, inner, end, True)
                    start = end - 1
                    break
            start += 1

    def by_qid(self, text: str) -> list[int]:
        """Return the items whose QIDs stand in a text."""
        return [self._by_qid[qid] for qid in _QID.findall(text) if qid in self._by_qid]


@dataclass(frozen=True, slots=True)
class Context:
    """What a context says, most of it by item: the weight of its name in title and headings, of the nearest name, of all names."""

    title: Mapping[int, float]
    heading: Mapping[int, float]
    near: Mapping[int, float]  # {} where the formula's own place is not known
    before: Mapping[int, float]  # like `near`, of names before the formula
    times: Mapping[int, float]
    length: Mapping[int, int]  # words of the longest name
    letters: Mapping[int, frozenset[str]]  # symbols that are said to be the item
    words: frozenset[str]  # stems of all words
    formulas: int = 0  # others than the one asked for
    titled: bool = False

    def __bool__(self) -> bool:
        return self.names_any or bool(self.formulas or self.titled)

    @property
    def names_any(self) -> bool:
        """Tell whether any item is named."""
        return bool(self.title or self.heading or self.times)

    def named(self, item: int) -> float:
        """Return how surely an item is named at all, from 0 to 1."""
        return max(self.title.get(item, 0.0), self.heading.get(item, 0.0), min(self.times.get(item, 0.0), 1.0))


def read_context(names: ItemNames, context: str, tex: str = "") -> Context:
    """Read a context; `tex` is the formula that is asked for.

    Short lines before any sentence are a title and headings. Wikitext, HTML and TeX between dollars are understood as far as they matter.
    """
    parts = _split_context(names, context[:MAX_CHARACTERS_READ], tex)
    title: dict[int, float] = {}
    heading: dict[int, float] = {}
    length: dict[int, int] = {}
    for n, line in enumerate(parts.titles):
        words = normal_words(line)
        for mention in names.find_names(words):
            whole = mention.end - mention.start == len(words) and n == 0
            mentions_of_part = title if whole else heading
            mentions_of_part[mention.item] = max(
                mention.weight * (1.0 if whole else PARTIAL_NAME_WEIGHT), mentions_of_part.get(mention.item, 0.0)
            )
            length[mention.item] = max(length.get(mention.item, 0), mention.end - mention.start)
    times: dict[int, float] = defaultdict(float)
    near: dict[int, float] = {}
    before: dict[int, float] = {}
    letters: dict[int, set[str]] = defaultdict(set)
    spans = [(match[0], match.end()) for match in _WORD.finditer(_plain(parts.text))]
    words = tuple(word if word[0] == "⟦" else singular(word) for word, _ in spans)
    place = words.index(parts.place) if parts.place in words else None
    for mention in names.find_names(words):
        item = mention.item
        times[item] += mention.weight
        length[item] = max(length.get(item, 0), mention.end - mention.start)
        if place is not None:
            first = mention.end <= place
            close = mention.weight * _nearness(
                words[mention.end : place] if first else words[place + 1 : mention.start]
            )
            near[item] = max(close, near.get(item, 0.0))
            if first:
                before[item] = max(close, before.get(item, 0.0))
        after = None if mention.inside else _BESIDE.match(parts.text, spans[mention.end - 1][1])
        letters[item].update(_symbol(after[1], parts.formulas) if after else ())
    for _, symbol, meaning in find_definitions(parts.text, parts.formulas):
        for item in _items_of_meaning(names, meaning):
            letters[item].update(identifiers(symbol)[:1])
    for item in names.by_qid(context):
        times[item] += 1.0
    text = " ".join((*parts.titles, parts.text))
    return Context(
        title,
        heading,
        near,
        before,
        dict(times),
        length,
        {item: frozenset(each) for item, each in letters.items() if each},
        frozenset(map(stem, _LETTERS.findall(fold(text)))),
        sum(bool(each) and f"⟦{n}⟧" != parts.place for n, each in parts.formulas.items()),
        any(_LETTERS.search(line) and not _IDENTIFIER.search(line) for line in parts.titles),
    )


@lru_cache(maxsize=50_000)
def normal_words(text: str) -> tuple[str, ...]:
    """Return the words of a text as names are looked up by."""
    return tuple(singular(word) for word in _WORD.findall(_plain(text)))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return what a word shares with its kin: conserved, conservation."""
    return singular(word)[:6]


def stems(text: str) -> frozenset[str]:
    """Return what the words of a text share with their kin, without words of one letter or two."""
    return frozenset([stem(word) for word in _LETTERS.findall(text.casefold())])


def _plain(text: str) -> str:
    """Return the text for looking up, each character at its place."""
    lower = text.lower()
    found = with_one_sign(lower if len(lower) == len(text) else text, QUOTES, "'")
    return _POSSESSIVE.sub(lambda match: " " * len(match[0]), found)


def _nearness(between: Sequence[str]) -> float:
    masks = sum(word[0] == "⟦" for word in between)
    return nearness(len(between) - masks, masks)


def _symbol(text: str, formulas: Mapping[int, str]) -> tuple[str, ...]:
    """Return the letter that stands right behind a name."""
    if text[0] == "⟦":
        tex = formulas.get(int(text[1:-1]), "")
        found = identifiers(tex) if 0 < len(tex) < 40 and "=" not in tex else ()
        return found if len(found) == 1 else ()
    return () if text in ("a", "A", "I") else identifiers(text)[:1]  # an article, a pronoun


def _items_of_meaning(names: ItemNames, meaning: str) -> Iterator[int]:
    """Yield the items that a meaning is: “net force on the body” is a force."""
    phrase = normal_words(clause_head(meaning))
    yield from (each.item for each in names.find_names(phrase) if each.end == len(phrase) and not each.inside)
    yield from (each.item for each in names.find_names(normal_words(meaning)) if each.start == 0)


# -- the parts of a context -------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class _ContextParts:
    """A context in parts: short lines before any sentence, text with masks, the TeX of the masks, the mask of the formula asked for."""

    titles: list[str] = field(default_factory=list)
    text: str = ""
    formulas: dict[int, str] = field(default_factory=dict)
    place: str = ""


def _split_context(names: ItemNames, context: str, tex: str) -> _ContextParts:
    formulas: list[str] = []
    normalised_tex = _tex_without_blanks(tex)

    def masked(found: str) -> str:
        formulas.append(found)
        return f" ⟦{len(formulas) - 1}⟧ "

    text = _REFERENCE.sub("", context)
    text = _FORMULA.sub(lambda match: masked(next((part for part in match.groups()[:-1] if part), "")), text)
    stripped = tex.strip()
    if (
        len(stripped) > 2
        and stripped in text
        and not any(_tex_without_blanks(each) == normalised_tex for each in formulas)
    ):
        before, _, after = text.partition(stripped)
        text = before + masked(tex) + after
    text = _LINK.sub(r"\1", text)
    for _ in range(3):
        text = _TEMPLATE.sub("", text)
    lines = []
    for line in map(str.strip, _MARKUP.sub("", text).split("\n")):
        if _is_tex(line):
            formulas += re.split(r"\s*[;|]\s+", line)
        elif line:
            lines.append(line.replace("_", " ") if " " not in line else line)
    titles: list[str] = []
    while lines and len(titles) < _TITLES and _is_title(lines[0]):
        titles.append(lines.pop(0))
    if lines and not titles:
        first = _SENTENCE.match(lines[0])
        if first and names.items_named(first[1]):
            titles.append(first[1])
            lines[0] = lines[0][first.end() :]
    indices = [n for n, each in enumerate(formulas) if each and _tex_without_blanks(each) == normalised_tex]
    blank = [n for n, each in enumerate(formulas) if not each]
    place = indices[0] if indices else blank[0] if len(blank) == 1 else None
    return _ContextParts(titles, "\n".join(lines), dict(enumerate(formulas)), "" if place is None else f"⟦{place}⟧")


def _is_title(line: str) -> bool:
    return len(line.split()) <= _TITLE_WORDS and line[-1] not in ".,;:?!" and "⟦" not in line and "=" not in line


def _is_tex(line: str) -> bool:
    """Tell a line that is TeX without any sign around it."""
    signs = len(_COMMAND.findall(line)) + sum(map(line.count, ("=", "^", "_{")))
    return signs > 0 and "⟦" not in line and len(_LETTERS.findall(_COMMAND.sub(" ", line))) <= signs


def _tex_without_blanks(tex: str) -> str:
    return re.sub(r"\\[,;:! ]|[\s{}]|[.,;]+$", "", tex)
