"""Pages of a MediaWiki as wikitext: which ones by title, category or query, each by the REST API with its revision and licence.

https://www.mediawiki.org/wiki/API:REST_API/Reference#Get_page_source. Wikitext, not Parsoid's HTML: it is what the readers are
measured on, it says which item a formula belongs to (`<math qid=…>`), and it is a third of the size.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from bot.corpus.crawl.fetcher import Fetcher, Unread
from bot.corpus.crawl.journal import Journal
from bot.corpus.crawl.targets import Received, Target, file_name
from bot.corpus.manifest import ManifestRow
from bot.errors import InputError, LookupFailed
from bot.lookup.exchange import HttpAnswer
from bot.settings import CrawlOrder, Wiki

_INVALID = frozenset("#<>[]|{}\n\r\t")  # no title of MediaWiki holds one of these
_TITLES_AT_ONCE = 50  # what the Action API takes without a bot's higher limit


@dataclass(frozen=True, slots=True)
class WikiAddresses:
    """One wiki: `scripts` is the folder of api.php, rest.php and index.php, `pages` an article's address with $1 for its title."""

    scripts: str
    pages: str
    language: str
    folder: str

    @property
    def api(self) -> str:
        return f"{self.scripts}/api.php"

    def rest(self, title: str) -> str:
        return f"{self.scripts}/rest.php/v1/page/{_encoded(title)}"

    def page(self, title: str) -> str:
        return self.pages.replace("$1", quote(title.replace(" ", "_"), safe="/:,()!*'@;"))

    def permanent(self, title: str, revision: str) -> str:
        return f"{self.scripts}/index.php?title={_encoded(title)}&oldid={revision}"


class WikiSource:
    """The pages that an order names, one wiki after the other."""

    def __init__(self, order: CrawlOrder, wiki: Wiki, fetcher: Fetcher, journal: Journal) -> None:
        self._order, self._wiki, self._fetcher, self._journal = order, wiki, fetcher, journal
        self._sites: dict[str, WikiAddresses] = {}

    def targets(self) -> Iterator[Target]:
        """Yield the pages by wiki, each once."""
        for site, found in self._pages():
            seen: set[str] = set()
            new = (pair for pair in found if not (pair[0] in seen or seen.add(pair[0])))  # type: ignore[func-returns-value]
            yield from (self._target(site, title, qid) for title, qid in new)

    def received(self, target: Target, answer: HttpAnswer) -> Received:
        """Return the page's wikitext. Raises LookupFailed for an answer that is no page of the REST API."""
        try:
            page = json.loads(answer.body)
            title, revision, text = str(page["title"]), str(int(page["latest"]["id"])), page["source"]
            licence = page.get("license") or {}
            if not isinstance(text, str):
                raise TypeError
            about = str(licence.get("title") or licence.get("url") or "")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise LookupFailed("sent no page of MediaWiki's REST API", where=target.url) from None
        if page.get("content_model", "wikitext") != "wikitext":
            raise Unread(f"is no wikitext ({page['content_model']})")
        site = self._sites[target.known.language]
        row = replace(
            target.known,
            path=f"{site.folder}/{file_name(title.replace(' ', '_'), '.wiki')}",
            title=title,
            revision=revision,
            permanent_url=site.permanent(title, revision),
            licence=about,
        )
        return Received(row, text.encode("utf-8", "replace"))

    def links(self, target: Target, row: ManifestRow, data: bytes) -> Iterator[Target]:
        """Yield nothing: links of an article are not followed."""
        return iter(())

    def _pages(self) -> Iterator[tuple[WikiAddresses, Iterable[tuple[str, str]]]]:
        """Yield each wiki with its (title, QID or "")."""
        for language in self._order.languages:
            site = self._site(language)
            yield site, ((title, "") for title in self._titles(language))

    def _titles(self, language: str) -> Iterator[str]:
        for given in self._order.titles:
            if (title := _of(given, language, self._order.languages)) is not None:
                yield title

    def _target(self, site: WikiAddresses, title: str, qid: str) -> Target:
        if not title or _INVALID & set(title):
            raise InputError(f"{title!r} is no title of a page", todo="give the title as it stands over the page")
        known = ManifestRow(
            site.rest(title),
            "wikipedia",
            title=title,
            language=site.language,
            identifiers=(("qid", qid),) if qid else (),
        )
        return Target(known.url, known, documented=True, page=site.page(title))

    def _site(self, language: str) -> WikiAddresses:
        if language not in self._sites:
            scripts = scripts_of(self._wiki.articles.replace("{language}", language))
            parts = urlsplit(scripts)
            pages = f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/w')}/wiki/$1"
            self._sites[language] = WikiAddresses(scripts, pages, language, file_name(language))
        return self._sites[language]


def scripts_of(address: str) -> str:
    """Return the folder of a wiki's scripts from the address of its api.php, of its rest.php, of that folder or of the site."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("is no address of a wiki (http or https)", where=address, todo="give that of its api.php")
    path = parts.path.partition("/rest.php")[0].removesuffix("/api.php").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/w'}"


def _of(given: str, language: str, languages: Iterable[str]) -> str | None:
    """Return the title for a language's wiki: `de:Titel` is for that one alone; None for another's."""
    prefix, colon, rest = given.partition(":")
    if colon and prefix in languages:
        return rest.strip() if prefix == language else None
    return given.strip()


def _encoded(title: str) -> str:
    return quote(title.replace(" ", "_"), safe="")
