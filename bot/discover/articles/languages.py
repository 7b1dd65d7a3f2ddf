"""What an item's articles say in each language: the defining formula of every one that has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.corpus import read
from bot.corpus.draft import NoArticle
from bot.corpus.wikitext import article
from bot.discover.articles.selection import Defining, defining_formula
from bot.lookup import Client, FetchedArticle

LEAST = 0.2  # probability below which a choice is not worth showing beside other languages


@dataclass(frozen=True, slots=True)
class ArticleReading:
    """What one article says an item's formula is. `accepted`: it would be believed alone."""

    language: str
    title: str
    tex: str
    probability: float
    accepted: bool


def about(
    client: Client, qids: Sequence[str], languages: Sequence[str], dumps: Sequence[str] = ()
) -> dict[str, tuple[ArticleReading, ...]]:
    """Return for each item what its articles say, from dumps where some are given, else from the encyclopaedia itself.

    Which articles an item has is asked of the wiki in both cases. Raises LookupFailed, and SourceError for a dump.
    """
    if not dumps:
        pages = client.articles(qids, languages)
        return {qid: told for qid, found in pages.items() if (told := readings(found))}
    titles = client.article_titles(qids, languages)
    wanted = {place for told in titles.values() for place in told}
    held = {(one.language, one.title): one for one in _held(dumps, wanted)}
    shelves = {qid: tuple(held[place] for place in told if place in held) for qid, told in titles.items()}
    return {qid: told for qid, told in shelves.items() if told}


def readings(pages: Iterable[FetchedArticle]) -> tuple[ArticleReading, ...]:
    """Return what each article says, leaving out those that say nothing."""
    return tuple(one for page in pages if (one := _read(page)) is not None)


def _held(dumps: Sequence[str], wanted: set[tuple[str, str]]) -> Iterator[ArticleReading]:
    for page in read(dumps):
        if (page.document.language, page.document.title) in wanted:
            one = _reading(defining_formula(page.document, page.occurrences))
            if one is not None:
                yield one


def _read(page: FetchedArticle) -> ArticleReading | None:
    try:
        document, occurrences = article(
            page.text,
            id=f"{page.language}:{page.title}",
            title=page.title,
            source="encyclopaedia",
            format="wikitext",
            language=page.language,
        )
    except NoArticle:
        return None
    return _reading(defining_formula(document, occurrences))


def _reading(found: Defining) -> ArticleReading | None:
    if found.probability < LEAST:
        return None
    return ArticleReading(found.document.language, found.document.title, found.tex, found.probability, found.accepted)
