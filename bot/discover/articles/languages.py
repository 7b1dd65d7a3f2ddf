"""What an item's articles say in each language: the defining formula of every one that has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.corpus import read
from bot.corpus.draft import NoArticle
from bot.corpus.wikitext import article
from bot.discover.articles.selection import defining_formula
from bot.lookup import Client, FetchedArticle
from bot.records import Document, Occurrence

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
    if dumps:
        titles = client.article_titles(qids, languages)
        wanted = {place for places in titles.values() for place in places}
        held = {
            place: _reading(page.document, page.occurrences)
            for page in read(dumps)
            if (place := (page.document.language, page.document.title)) in wanted
        }
        readings = {qid: [held.get(place) for place in places] for qid, places in titles.items()}
    else:
        pages = client.articles(qids, languages)
        readings = {qid: [_of_page(page) for page in fetched] for qid, fetched in pages.items()}
    return {qid: found for qid, each in readings.items() if (found := tuple(filter(None, each)))}


def _of_page(page: FetchedArticle) -> ArticleReading | None:
    id = f"{page.language}:{page.title}"
    document = Document(id, page.title, page.language, source="encyclopaedia", format="wikitext", kind="encyclopaedia")
    try:
        return _reading(*article(page.text, document))
    except NoArticle:
        return None


def _reading(document: Document, occurrences: Sequence[Occurrence]) -> ArticleReading | None:
    found = defining_formula(document, occurrences)
    if found.probability < LEAST:
        return None
    return ArticleReading(document.language, document.title, found.tex, found.probability, found.accepted)
