"""The defining formulas of an item's articles in each language."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.corpus import read
from bot.corpus.draft import MASK, NoArticle
from bot.corpus.wikitext import article
from bot.discover.articles.article import sentence_around
from bot.discover.articles.selection import defining_formula
from bot.errors import LookupFailed
from bot.lookup import Client, FetchedArticle
from bot.records import Document, Occurrence

_CONTEXT_CHARACTERS = 120  # characters of a sentence on either side of the formula
MIN_PROBABILITY = 0.2  # probability below which a choice is not worth showing beside other languages


@dataclass(frozen=True, slots=True)
class ArticleReading:
    """What one article says an item's formula is. `accepted`: it would be believed alone.

    `sentence` is where the formula stands, with the formulas in place; `revision` 0 and `day` "" where it was read from a dump.
    """

    language: str
    title: str
    tex: str
    probability: float
    accepted: bool
    sentence: str = ""
    revision: int = 0
    day: str = ""


def article_readings(
    client: Client,
    qids: Sequence[str],
    languages: Sequence[str],
    dumps: Sequence[str] = (),
    on_failure: Callable[[LookupFailed], None] | None = None,
    listed_formulas: Callable[[str], tuple[str, ...] | None] = lambda qid: None,
) -> dict[str, tuple[ArticleReading, ...]]:
    """Return the readings of each item's articles, from dumps if given, else from the encyclopaedia itself.

    `listed_formulas` returns the formulas that a list of concepts has for an item, or None where no list is asked.

    Which articles an item has is asked of the wiki in both cases. Raises LookupFailed, and SourceError for a dump; with
    `on_failure`, a language whose wiki does not answer is told there and its articles are not known.
    """
    if dumps:
        titles = client.articles.titles_of(qids, languages)
        items = {place: qid for qid, places in titles.items() for place in places}
        readings_by_page = {
            place: _reading(page.document, page.occurrences, listed_formulas(items[place]))
            for page in read(dumps)
            if (place := (page.document.language, page.document.title)) in items
        }
        readings = {qid: [readings_by_page.get(place) for place in places] for qid, places in titles.items()}
    else:
        pages = client.articles.articles_of(qids, languages, on_failure)
        readings = {qid: [_of_page(page, listed_formulas(qid)) for page in fetched] for qid, fetched in pages.items()}
    return {qid: found for qid, each in readings.items() if (found := tuple(filter(None, each)))}


def _of_page(page: FetchedArticle, listed: tuple[str, ...] | None) -> ArticleReading | None:
    id = f"{page.language}:{page.title}"
    document = Document(id, page.title, page.language, source="encyclopaedia", format="wikitext", kind="encyclopaedia")
    try:
        found = _reading(*article(page.text, document), listed)
    except NoArticle:
        return None
    return replace(found, revision=page.revision, day=page.day) if found else None


def _reading(
    document: Document, occurrences: Sequence[Occurrence], listed: tuple[str, ...] | None
) -> ArticleReading | None:
    found = defining_formula(document, occurrences, listed)
    if found.probability < MIN_PROBABILITY:
        return None
    sentence = _readable_sentence(occurrences, found.position)
    return ArticleReading(document.language, document.title, found.tex, found.probability, found.accepted, sentence)


def _readable_sentence(occurrences: Sequence[Occurrence], position: int) -> str:
    """Return the sentence of a formula as a person reads it, the formulas as TeX, cut between words where it is long."""
    formulas = {one.position: one for one in occurrences}
    before, after = sentence_around(formulas[position])
    start, end = ([_tex(formulas, word) for word in text.split()] for text in (before, after.partition(". ")[0]))
    head, tail = " ".join(reversed(_words_within(reversed(start)))), " ".join(_words_within(iter(end)))
    gaps = " " * before[-1:].isspace(), " " * after[:1].isspace()
    return f"{head}{gaps[0]}${formulas[position].tex}${gaps[1]}{tail}".strip()


def _words_within(words: Iterator[str]) -> list[str]:
    """Return the first words that fit, and a sign for those that do not."""
    found, room = list[str](), _CONTEXT_CHARACTERS
    for word in words:
        room -= len(word) + 1
        if room < 0:
            return [*found, "…"]
        found.append(word)
    return found


def _tex(formulas: Mapping[int, Occurrence], word: str) -> str:
    """Return a word of a window with its formula in place."""
    return MASK.sub(lambda m: f"${formulas[int(m[1])].tex}$" if int(m[1]) in formulas else "…", word)
