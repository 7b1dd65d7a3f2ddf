"""Encyclopaedia articles about items: which there are by SPARQL, their wikitext by each language's Action API.

QIDs and languages in, Articles out. Every text is kept in the client's cache; a language's wiki is asked for many titles at once,
one request after the other, under the same request policy as the wiki of the items.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

from bot.errors import InputError, LookupFailed, SettingsError
from bot.lookup.cache import Cache
from bot.lookup.endpoints import Api
from bot.lookup.queries import checked_ids
from bot.sequences import batched
from bot.settings import Wiki
from bot.wikibase import Json, is_language_code

MAX_LANGUAGES = 5  # chosen: each is a wiki more to ask
TITLES_AT_ONCE = 20  # texts are long: fewer than the 50 that the API allows
ITEMS_AT_ONCE = 300
_MAXLAG = "5"  # seconds of replication lag from which we wait, as mediawiki.org/wiki/Manual:Maxlag_parameter advises
_LANGUAGE_PLACEHOLDER = "{language}"


@dataclass(frozen=True, slots=True)
class FetchedArticle:
    """One article as it was fetched: `text` is wikitext of that revision; redirects have been followed."""

    qid: str
    language: str
    title: str
    text: str
    revision: int = 0
    day: str = ""  # on which it was fetched, in UTC


class SitelinkQuery(Protocol):
    """What a client does for the query of sitelinks."""

    def __call__(self, query_name: str, *, fresh: bool = False, **values: object) -> list[dict[str, str]]: ...


class ArticleClient:
    """Fetches articles; `api_at` returns the Action API at an address."""

    def __init__(self, wiki: Wiki, cache: Cache, select: SitelinkQuery, api_at: Callable[[str], Api]) -> None:
        self._wiki, self._cache, self._select, self._api_at = wiki, cache, select, api_at

    def articles_of(
        self, qids: Iterable[str], languages: Sequence[str], on_failure: Callable[[LookupFailed], None] | None = None
    ) -> dict[str, tuple[FetchedArticle, ...]]:
        """Return for each item its articles in the order of `languages`, five at most; an item without any is left out.

        Where the wiki of a language gives no trustworthy answer, `on_failure` hears it, once a language, and the articles that
        were not told are left out; without `on_failure` LookupFailed is raised.
        """
        titles = self.titles_of(qids, languages)
        titles_by_language: dict[str, dict[str, None]] = defaultdict(dict)
        for article_titles in titles.values():
            for language, title in article_titles:
                titles_by_language[language][title] = None
        texts = {
            language: self._texts(language, list(language_titles), on_failure)
            for language, language_titles in titles_by_language.items()
        }
        found = {
            qid: tuple(
                FetchedArticle(qid, language, page["title"], page["text"], page["revision"], page.get("day", ""))
                for language, title in article_titles
                if (page := texts[language].get(title, {})).get("text")
            )
            for qid, article_titles in titles.items()
        }
        return {qid: pages for qid, pages in found.items() if pages}

    def titles_of(self, qids: Iterable[str], languages: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return for each item (language, title) of its encyclopaedia articles, in the order of `languages`."""
        codes, ids = _checked_languages(languages), checked_ids(qids)
        found: dict[str, dict[str, str]] = {qid: {} for qid in ids}
        for part in batched(ids if codes else (), ITEMS_AT_ONCE):
            for row in self._select("lookup_sitelinks", items=part, languages=codes):
                language = row["language"]
                if row["item"] in found and language in codes and row["project"] == self._project(language):
                    found[row["item"]][language] = row["title"]
        return {
            qid: tuple((language, sitelinks[language]) for language in codes if language in sitelinks)
            for qid, sitelinks in found.items()
        }

    def check(self, languages: Sequence[str]) -> None:
        """Raise InputError or SettingsError where these languages of the settings, or the addresses, cannot be asked."""
        for language in _checked_languages(languages, "encyclopaedia.languages"):
            self._address(language), self._project(language)

    def _texts(
        self, language: str, titles: Sequence[str], on_failure: Callable[[LookupFailed], None] | None
    ) -> dict[str, Json]:
        """Return {"title", "text", "revision", "day"} for each title in the answer; the text of a missing page is empty."""
        requests = {title: f"article\0{self._address(language)}\0{title}" for title in titles}
        return self._cache.get_or_ask(requests, partial(self._fetch, language), TITLES_AT_ONCE, on_failure=on_failure)

    def _fetch(self, language: str, titles: Sequence[str]) -> dict[str, Json]:
        answer = self._api_at(self._address(language)).ask(
            expect="query",
            action="query",
            prop="revisions",
            rvprop="ids|content",
            rvslots="main",
            redirects="1",
            formatversion="2",
            maxlag=_MAXLAG,
            titles="|".join(titles),
        )
        try:
            # A title is normalised first, and its redirect followed then.
            steps = [step for part in ("normalized", "redirects") for step in answer["query"].get(part, ())]
            moved = {step["from"]: step["to"] for step in steps}
            pages = {page["title"]: page for page in answer["query"]["pages"]}
            page_of = {title: pages[resolved_title(title, moved)] for title in titles}
            if "continue" in answer and len(titles) > 1:  # too much for one answer: some pages came without their text
                return {title: page for one in titles for title, page in self._fetch(language, [one]).items()}
            return {title: _page(page) | {"day": self._cache.today} for title, page in page_of.items()}
        except (KeyError, TypeError, IndexError, ValueError, AttributeError):
            raise LookupFailed("other_pages", where=self._address(language)) from None

    def _address(self, language: str) -> str:
        return _for_language(self._wiki.articles, language, "wiki.articles")

    def _project(self, language: str) -> str:
        return _for_language(self._wiki.articles_project, language, "wiki.articles_project")


def _page(page: Json) -> Json:
    if page.get("missing") or page.get("invalid"):
        return {"title": page["title"], "text": "", "revision": 0}
    revision = page["revisions"][0]
    return {
        "title": page["title"],
        "text": str(revision["slots"]["main"]["content"]),
        "revision": int(revision["revid"]),
    }


def resolved_title(title: str, moved: Mapping[str, str]) -> str:
    """Return the title that a page has after normalising and redirects; `moved` is what the API says of both."""
    for _ in range(4):
        if title not in moved:
            break
        title = moved[title]
    return title


def _for_language(pattern: str, language: str, setting: str) -> str:
    if _LANGUAGE_PLACEHOLDER not in pattern or not urlsplit(pattern).scheme.startswith("http"):
        raise SettingsError("no_place_in_address", setting=setting, given=repr(pattern), place=_LANGUAGE_PLACEHOLDER)
    return pattern.replace(_LANGUAGE_PLACEHOLDER, language)


def _checked_languages(languages: Sequence[str], where: str = "") -> tuple[str, ...]:
    codes = tuple(dict.fromkeys(languages))
    if len(codes) > MAX_LANGUAGES:
        raise InputError("many_languages", n=len(codes), most=MAX_LANGUAGES, where=where)
    for code in codes:
        if not is_language_code(code):
            raise InputError("no_language_code", given=repr(code), where=where)
    return codes
