"""Pages of a MediaWiki as wikitext: which ones by title, category or query, each by the REST API with its revision and licence.

https://www.mediawiki.org/wiki/API:REST_API/Reference#Get_page_source. Wikitext, not Parsoid's HTML: it is what the readers are
measured on, it says which item a formula belongs to (`<math qid=…>`), and it is a third of the size.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, unquote, urljoin, urlsplit

from bot.corpus.crawl.fetcher import CrawlSource, FetchedDocument, Fetcher, Target, UnsupportedContent
from bot.corpus.crawl.journal import Journal, file_name
from bot.corpus.decode import language_code
from bot.corpus.manifest import ManifestRow
from bot.errors import InputError, LookupFailed
from bot.lookup import Client
from bot.lookup.article_client import resolved_title
from bot.lookup.exchange import HttpAnswer
from bot.sequences import batched
from bot.settings import CrawlOrder, Settings
from bot.wikibase import Json

_INVALID = frozenset("#<>[]|{}\n\r\t")  # no title of MediaWiki holds one of these
_TITLES_AT_ONCE = 50  # what the Action API takes without a bot's higher limit
_ITEMS_AT_ONCE = 300
_CATEGORY = "Category:"  # understood by wikis of every language


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

    def title(self, address: str) -> str | None:
        """Return the title of the page at an address of this wiki; None for addresses of other wikis."""
        before, _, after = self.pages.partition("$1")
        if not (address.startswith(before) and address.endswith(after)):
            return None
        return unquote(address[len(before) : len(address) - len(after)]).replace("_", " ")


T = TypeVar("T")
PageOfWiki = tuple[WikiAddresses, str, str]  # a wiki, a title, the QID of its item or ""


class WikiSource(CrawlSource):
    """The pages of an order, each once. `languages` are the wikis; with `site` there is one, of any language."""

    def __init__(self, order: CrawlOrder, settings: Settings, fetcher: Fetcher, journal: Journal) -> None:
        super().__init__(order, settings, fetcher, journal)
        self._sites: dict[str, WikiAddresses] = {}

    def targets(self) -> Iterator[Target]:
        """Yield the pages; of those that are here already their present revisions are asked for, fifty at once."""
        seen: set[str] = set()
        batch: list[Target] = []
        for site, title, qid in self._ordered_pages():
            target = self._target(site, title, qid)
            if target.url in seen:
                continue
            seen.add(target.url)
            if batch and (len(batch) == _TITLES_AT_ONCE or batch[0].known.language != site.language):
                yield from self._with_revisions(batch)
                batch = []
            batch.append(target)
        yield from self._with_revisions(batch)
        if not seen:
            raise InputError("no_page_meant", todo="check_titles")

    def document_of(self, target: Target, answer: HttpAnswer) -> FetchedDocument:
        """Return the page's wikitext. Raises LookupFailed for an answer that is not a page of the REST API."""
        try:
            page = json.loads(answer.body)
            title, revision, text = str(page["title"]), str(int(page["latest"]["id"])), page["source"]
            licence = page.get("license") or {}
            if not isinstance(text, str):
                raise TypeError
            about = str(licence.get("title") or licence.get("url") or "")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise LookupFailed("no_rest_page", where=target.url) from None
        if page.get("content_model", "wikitext") != "wikitext":
            raise UnsupportedContent("no_wikitext", model=page["content_model"])
        site = self._sites[target.known.language]
        path = f"{site.folder}/{file_name(title.replace(' ', '_'), '.wiki')}"
        permanent = site.permanent(title, revision)
        row = replace(target.known, path=path, title=title, revision=revision, permanent_url=permanent, licence=about)
        return FetchedDocument(row, text.encode("utf-8", "replace"))

    def _ordered_pages(self) -> Iterator[PageOfWiki]:
        sites = self._wikis()
        titles = (*self._order.titles, *_lines(self._order.titles_file))
        for site in sites:
            stated_titles = (title for name in titles if (title := self._title_for(name, site)) is not None)
            yield from ((site, title, "") for title in stated_titles)
            for name in self._order.categories:
                if (category := self._title_for(name, site)) is not None:
                    yield from ((site, title, "") for title in self._members(site, category))
        if self._order.query:
            yield from self._pages_of_query(sites)
        if self._order.without_formula:
            yield from self._pages_of_items_without_formula(sites)

    def _members(self, site: WikiAddresses, category: str) -> Iterator[str]:
        """Yield the pages of a category and, `depth` steps down, of those in it; broad before deep."""
        name = category if category.lower().startswith("category:") else _CATEGORY + category
        waiting, seen = deque([(name, 0)]), {name}
        while waiting:
            current, depth = waiting.popleft()
            following: dict[str, str] | None = {}
            while following is not None:
                part = self._category_rows(site, current, following)
                yield from part["pages"]
                for subcategory in part["categories"]:
                    if depth < self._order.depth and subcategory not in seen:
                        seen.add(subcategory)
                        waiting.append((subcategory, depth + 1))
                following = part["continue"]

    def _category_rows(self, site: WikiAddresses, category: str, following: dict[str, str]) -> Json:
        kinds = {"cmtype": "page|subcat", "cmnamespace": "0|14"}
        if not self._order.depth:
            kinds = {"cmtype": "page", "cmnamespace": "0"}

        def rows(answer: Json) -> Json:
            members = answer["query"]["categorymembers"]
            continuation = answer.get("continue")
            return {
                "pages": [str(each["title"]) for each in members if each.get("ns") != 14],
                "categories": [str(each["title"]) for each in members if each.get("ns") == 14],
                "continue": None if continuation is None else {str(k): str(v) for k, v in continuation.items()},
            }

        parameters = {"list": "categorymembers", "cmtitle": category, "cmlimit": "500", "cmprop": "ids|title|type"}
        question = f"members {site.api} {category} {kinds} {following}"
        return self._answer(question, site.api, rows, "no_members", **parameters, **kinds, **following)

    def _answer(
        self, question: str, address: str, read: Callable[[Json], Json], refusal: str, **parameters: str
    ) -> Json:
        """Return what `read` makes of a query's answer, asked once. Raises LookupFailed (`refusal`) where the answer lacks it."""

        def ask() -> Json:
            answer = self._fetcher.ask_api(address, "query", action="query", formatversion="2", **parameters)
            try:
                return read(answer)
            except (KeyError, TypeError, AttributeError, ValueError):
                raise LookupFailed(refusal, where=address) from None

        return self._journal.answer_once(question, ask)

    def _pages_of_query(self, sites: list[WikiAddresses]) -> Iterator[PageOfWiki]:
        """Yield the pages that the operator's own query finds."""
        path = Path(self._order.query)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise InputError("file_unreadable", where=str(path), todo="check", code_what="--query") from None
        rows = self._journal.answer_once(f"query {text}", lambda: self._items_answer(lambda client: client.rows(text)))
        if rows and not (rows[0].keys() >= {"title", "language"} or "article" in rows[0]):
            columns = ", ".join(rows[0])
            raise InputError("article_columns", where=str(path), todo="query_columns", columns=columns)
        for row in rows:
            for site in sites:
                title = site.title(row["article"]) if "article" in row else row["title"]
                if title and row.get("language", site.language) == site.language:
                    yield site, title, row.get("item", "")

    def _pages_of_items_without_formula(self, sites: list[WikiAddresses]) -> Iterator[PageOfWiki]:
        """Yield the articles of items that should have a formula by their class but have none."""
        classes = self._order.classes or self._settings.crawling.classes
        if not classes:
            raise InputError("no_class", todo="crawl_classes")
        wikis = {site.language: site for site in sites}

        def list_items(client: Client) -> list[str]:
            name = "corpus_items_without_formula"
            pages = client.select_pages(name, {"classes": classes, "languages": list(wikis)})
            return [row["item"] for row in pages if row["item"].startswith("Q")]

        items = self._journal.answer_once(
            f"without formula {classes} {list(wikis)}", lambda: self._items_answer(list_items)
        )
        for part in batched(items, _ITEMS_AT_ONCE):
            for qid, titles in self._titles_of(part, list(wikis)):
                yield from ((wikis[language], title, qid) for language, title in titles)

    def _titles_of(self, items: Sequence[str], languages: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
        def ask(client: Client) -> list[tuple[str, list[tuple[str, str]]]]:
            return [(qid, list(titles)) for qid, titles in client.articles.titles_of(items, languages).items()]

        return self._journal.answer_once(f"titles {languages} {' '.join(items)}", lambda: self._items_answer(ask))

    def _items_answer(self, ask: Callable[[Client], T]) -> T:
        """Ask the wiki of the items, under its own request policy."""
        with Client(self._settings.wiki, self._settings.agent) as client:
            return ask(client)

    def _with_revisions(self, batch: list[Target]) -> Iterator[Target]:
        """Yield the targets of one wiki; those fetched before get their current revision."""
        rows = (self._journal.rows.get(t.url) for t in batch if not self._journal.was_requested(t.url))
        if not any(row is not None and row.revision for row in rows):
            yield from batch
            return
        site, titles = self._sites[batch[0].known.language], [target.known.title for target in batch]
        revisions: dict[str, str] = {}
        with suppress(LookupFailed):  # then each page is asked for with conditions
            joined = "|".join(titles)
            question, parameters = (
                f"revisions {site.api} {joined}",
                {"prop": "info", "titles": joined, "redirects": "1"},
            )
            revisions = self._answer(
                question, site.api, lambda answer: _revisions(answer, titles), "no_revisions", **parameters
            )
        yield from (replace(target, revision=revisions.get(target.known.title, "")) for target in batch)

    def _target(self, site: WikiAddresses, title: str, qid: str) -> Target:
        if not title or _INVALID & set(title):
            raise InputError("no_title", given=repr(title), todo="page_title")
        identifiers = (("qid", qid),) if qid else ()
        row = ManifestRow(site.rest(title), "wikipedia", title=title, language=site.language, identifiers=identifiers)
        return Target(row.url, row, documented=True, page=site.page(title))

    def _title_for(self, name: str, site: WikiAddresses) -> str | None:
        """Return the title for a wiki: `de:Titel` is only for that language; None for titles of other wikis."""
        prefix, colon, rest = name.partition(":")
        if colon and prefix in self._sites:
            return rest.strip() if prefix == site.language else None
        return name.strip()

    def _wikis(self) -> list[WikiAddresses]:
        if self._order.site:
            found = [self._wiki_of_scripts(scripts_of(self._order.site))]
        else:
            found = []
            for language in dict.fromkeys(self._order.languages):
                scripts = scripts_of(self._settings.wiki.articles.replace("{language}", language))
                pages = f"{scripts.removesuffix('/w')}/wiki/$1"
                found.append(WikiAddresses(scripts, pages, language, file_name(language)))
        self._sites = {site.language: site for site in found}
        return found

    def _wiki_of_scripts(self, scripts: str) -> WikiAddresses:
        """Ask a wiki where its articles are and in which language."""

        def site(answer: Json) -> Json:
            general = answer["query"]["general"]
            pages = urljoin(urljoin(f"{scripts}/", general["server"]), general["articlepath"])
            return {"pages": pages, "language": language_code(str(general["lang"]))}

        found = self._answer(f"site {scripts}", f"{scripts}/api.php", site, "articles_unknown", meta="siteinfo")
        folder = file_name(urlsplit(scripts).netloc)
        return WikiAddresses(scripts, found["pages"], found["language"], folder)


def scripts_of(address: str) -> str:
    """Return the folder of a wiki's scripts from the address of its api.php, of its rest.php, of that folder or of the site."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("no_wiki_address", where=address, todo="api_php")
    path = parts.path.partition("/rest.php")[0].removesuffix("/api.php").rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/w'}"


def _revisions(answer: Json, titles: list[str]) -> dict[str, str]:
    """Return the present revision of each page by its title."""
    steps = [step for part in ("normalized", "redirects") for step in answer["query"].get(part, ())]
    moved = {step["from"]: step["to"] for step in steps}
    last = {page["title"]: str(page.get("lastrevid", "")) for page in answer["query"]["pages"]}
    return {title: last.get(resolved_title(title.replace("_", " "), moved), "") for title in titles}


def _lines(path: str) -> Iterable[str]:
    """Return the lines of a file that are not remarks."""
    if not path:
        return ()
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError("file_unreadable", where=path, todo="titles_file") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _encoded(title: str) -> str:
    return quote(title.replace(" ", "_"), safe="")
