"""The crawl: an order's documents asked one after the other, kept with their manifest, counted."""

import hashlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.console import Advance, progress
from bot.corpus.crawl.arxiv_source import ArxivSource, check_days, identifier_in
from bot.corpus.crawl.fetcher import CrawlSource, FetchedDocument, Fetcher, ForbiddenAddress, Target, UnsupportedContent
from bot.corpus.crawl.journal import FAILED, Journal
from bot.corpus.crawl.web_source import SiteMap, WebFolder, normalised_address
from bot.corpus.crawl.wiki_source import WikiSource
from bot.corpus.manifest import VANISHED, ManifestRow
from bot.errors import InputError, LookupFailed, SettingsError
from bot.messages import Message
from bot.records import PAIRS, digest
from bot.settings import CrawlOrder, Settings

FETCHED, UNCHANGED, FORBIDDEN, UNUSABLE = "fetched", "unchanged", "forbidden", "unusable"
_SOURCES: dict[str, type[CrawlSource]] = {
    "wikipedia": WikiSource, "arxiv": ArxivSource, "http": WebFolder, "sitemap": SiteMap,
}  # fmt: skip
_LANGUAGE = re.compile(r"[a-z]{2,8}(-[a-z0-9]{1,8})*")

Reasons = list[tuple[str, Message]]  # (address, why)
Clock = Callable[[], float]
Sleep = Callable[[float], None]


@dataclass(slots=True)
class CrawlSummary:
    """What became of an order's documents, those with them that a killed crawl had asked before."""

    into: str
    documents: int = 0
    fetched: int = 0
    unchanged: int = 0
    vanished: Reasons = field(default_factory=list, metadata=PAIRS)
    unusable: Reasons = field(default_factory=list, metadata=PAIRS)
    forbidden: Reasons = field(default_factory=list, metadata=PAIRS)
    failed: Reasons = field(default_factory=list, metadata=PAIRS)
    not_asked: int = 0
    resumed: int = 0  # of the documents: those that were asked before this process began
    requests: int = 0

    @property
    def complete(self) -> bool:
        """Tell whether every document that exists was fetched."""
        return not (self.forbidden or self.failed or self.not_asked)

    def count(self, row: ManifestRow) -> None:
        self.documents += 1
        if row.status in (FETCHED, UNCHANGED):
            setattr(self, row.status, getattr(self, row.status) + 1)
        else:
            getattr(self, row.status).append((row.url, row.status_message))


@dataclass(slots=True)
class CrawlPlan:
    """The requests that a crawl would send: for new documents, and conditional ones for known documents."""

    into: str
    documents: int = 0
    new: list[str] = field(default_factory=list)
    conditional: list[str] = field(default_factory=list)
    not_needed: int = 0  # the site says that they have not changed, or they were asked for before a kill
    problems: Reasons = field(default_factory=list, metadata=PAIRS)
    requests: int = 0


def check_order(order: CrawlOrder, settings: Settings) -> None:
    """Raise InputError or SettingsError for an invalid order; sends no request."""
    if not settings.agent.contact:
        raise SettingsError("no_contact", where=settings.path, todo="contact_config")
    if not order.into:
        raise InputError("no_into", todo="into")
    required: dict[str, tuple[object, ...]] = {
        "wikipedia": (order.titles, order.titles_file, order.categories, order.query, order.without_formula),
        "arxiv": (order.ids, order.category, order.since, order.until),
        "http": (order.url,),
        "sitemap": (order.url,),
    }
    if order.source not in required:
        raise InputError("no_crawl_source", given=repr(order.source), todo="known", known=", ".join(required))
    if not any(required[order.source]):
        code = f"{order.source}_needs" if order.source in ("wikipedia", "arxiv") else "source_needs"
        raise InputError(code, source=order.source, todo="see_docs", code_page="crawling.md")
    if order.source == "arxiv":
        check_days(order)
        for number in order.ids:
            identifier_in(number)
    elif order.source in ("http", "sitemap"):
        normalised_address(order.url)
    for language in order.languages:
        if not _LANGUAGE.fullmatch(language):
            raise InputError("no_language_code", given=repr(language), todo="language_codes")


def crawl(
    order: CrawlOrder, settings: Settings, *, quiet: bool = False, clock: Clock = time.time, sleep: Sleep = time.sleep
) -> CrawlSummary:
    """Fetch the documents of an order into its folder; continues an interrupted crawl of the same order.

    Raises InputError for an order that cannot be meant, WorkspaceError while another crawl works in the folder, LookupFailed where the
    documents cannot be listed.
    """
    with _open_crawl(order, settings, clock, sleep) as (journal, fetcher, source):
        label = Message("told.fetching_bar", folder=str(order.into))
        with progress(label, order.limit or None, quiet=quiet) as advance:
            work = _Crawl(journal, fetcher, source, advance, CrawlSummary(order.into))
            work.crawl_all(order.limit)
        work.summary.requests = fetcher.requests
        journal.finish(complete=not (work.summary.failed or work.summary.not_asked))
    return work.summary


def plan(order: CrawlOrder, settings: Settings, *, clock: Clock = time.time, sleep: Sleep = time.sleep) -> CrawlPlan:
    """Return what `crawl` would ask for; asks for lists only, and for an index page. Nothing is kept."""
    found = CrawlPlan(order.into)
    with _open_crawl(order, settings, clock, sleep, dry=True) as (journal, fetcher, source):
        work = _Crawl(journal, fetcher, source, lambda step=1, note="": None, CrawlSummary(order.into))
        for target in work.pending_targets(order.limit):
            found.documents += 1
            row = work.intact_row(target)
            same = row is not None and target.revision and target.revision == row.revision
            if same or journal.was_requested(target.url):
                found.not_needed += 1
            else:
                (found.new if row is None else found.conditional).append(target.url)
            if source.follows_links and row is None and not target.depth:
                answer = fetcher.get(target.url)
                received = source.document_of(target, answer)
                work.linked.extend(source.links(target, replace(received.row, final_url=answer.url), received.data))
            work.queue_links(target)
        found.problems, found.requests = source.problems, fetcher.requests
    return found


@contextmanager
def _open_crawl(
    order: CrawlOrder, settings: Settings, clock: Clock, sleep: Sleep, *, dry: bool = False
) -> Iterator[tuple[Journal, Fetcher, CrawlSource]]:
    check_order(order, settings)
    named = digest(replace(order, into="", limit=0), length=16)
    with Journal(Path(order.into), named, clock, dry=dry) as journal:
        fetcher = Fetcher(settings.agent, settings.crawling, journal, sleep)
        try:
            yield journal, fetcher, _SOURCES[order.source](order, settings, fetcher, journal)
        finally:
            fetcher.close()


@dataclass(frozen=True, slots=True)
class _Crawl:
    journal: Journal
    fetcher: Fetcher
    source: CrawlSource
    advance: Advance
    summary: CrawlSummary
    linked: deque[Target] = field(default_factory=deque)  # found in documents, and not yet looked at

    def crawl_all(self, limit: int) -> None:
        """Ask for each document once; for those that failed in an earlier crawl after all others."""
        for target in self.pending_targets(limit, retries=True):
            self._crawl_document(target)
        self.summary.failed += self.source.problems

    def pending_targets(self, limit: int, *, retries: bool = False) -> Iterator[Target]:
        """Yield each document once, `limit` of them; with `retries` those that failed before at the end."""
        listed, seen = iter(self.source.targets()), set[str]()
        waiting: deque[Target] = deque()
        while True:
            if limit and len(seen) >= limit:
                self.linked.clear()
                listed = iter(())
            target = self.linked.popleft() if self.linked else next(listed, None)
            if target is None:
                if not waiting:
                    return
                yield waiting.popleft()
            elif target.url not in seen:
                seen.add(target.url)
                row = self.journal.rows.get(target.url)
                if retries and row is not None and row.status == FAILED:
                    waiting.append(target)
                else:
                    yield target

    def intact_row(self, target: Target) -> ManifestRow | None:
        """Return the row of a document whose file is here as it was fetched."""
        row = self.journal.rows.get(target.url)
        return row if row is not None and self.journal.is_intact(row) else None

    def _crawl_document(self, target: Target) -> None:
        if self.journal.was_requested(target.url):
            self.summary.resumed += 1
            self.summary.count(self.journal.rows[target.url])
        elif self.fetcher.unavailable_reason(target.url):
            self.summary.not_asked += 1
        else:
            row = replace(self._fetched_row(target), checked=self.journal.now())
            self.journal.append_row(row)
            self.summary.count(row)
        self.queue_links(target)
        self.advance(1, target.known.title or target.url)

    def queue_links(self, target: Target) -> None:
        """Queue the links of a stored document to be crawled next."""
        if self.source.follows_links and (row := self.intact_row(target)) is not None:
            data = (self.journal.folder / row.path).read_bytes()
            self.linked.extend(self.source.links(target, row, data))

    def _fetched_row(self, target: Target) -> ManifestRow:
        """Return the new row of a document; its file is in place."""
        before, intact = self.journal.rows.get(target.url), self.intact_row(target)
        if intact is not None and target.revision and target.revision == intact.revision:
            return replace(intact, status=UNCHANGED, reason="", message=None)
        try:
            return self._row_of_answer(target, intact)
        except ForbiddenAddress as error:
            status, why = FORBIDDEN, error.message
        except UnsupportedContent as error:
            status, why = UNUSABLE, error.message
        except LookupFailed as error:
            status, why = FAILED, error.message
        return (before or target.known).as_failed(status, why)

    def _row_of_answer(self, target: Target, intact: ManifestRow | None) -> ManifestRow:
        if target.page:
            self.fetcher.check_robots(target.page)
        answer = self.fetcher.get(target.url, _conditions(intact), documented=target.documented)
        if answer.status in (404, 410):
            before = self.journal.rows.get(target.url)
            if before is None and self.source.follows_links and not target.depth:  # an index page that never was
                raise LookupFailed("refused_http", status=answer.status, where=target.url)
            return (before or target.known).as_failed(
                VANISHED, Message("unread.gone", status=answer.status, day=self.journal.now()[:10])
            )
        if answer.status == 304:
            if intact is None:
                raise LookupFailed("never_fetched", where=target.url)
            return replace(intact, status=UNCHANGED, reason="", message=None)
        received = self.source.document_of(target, answer)
        found = hashlib.sha256(received.data).hexdigest()
        same = intact is not None and (intact.digest, intact.revision) == (found, received.row.revision)
        if not same:
            self._store_document(target, received)
        return replace(
            received.row,
            final_url=answer.url,
            permanent_url=received.row.permanent_url or answer.url,
            day=intact.day if intact is not None and same else self.journal.now()[:10],
            etag=answer.headers.get("ETag", ""),
            last_modified=answer.headers.get("Last-Modified", ""),
            digest=found,
            status=UNCHANGED if same else FETCHED,
            reason="",
            message=None,
        )

    def _store_document(self, target: Target, received: FetchedDocument) -> None:
        """Put the file in place, and take that away under whose name the document was kept before."""
        try:
            self.journal.write_document(received.row.path, received.data)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):  # a folder is called as a page of the site
            raise LookupFailed("name_taken", where=target.url) from None
        before = self.journal.rows.get(target.url)
        if before is not None and before.path not in ("", received.row.path):
            others = (row.path for url, row in self.journal.rows.items() if url != target.url)
            if before.path not in others:
                self.journal.delete_document(before.path)


def _conditions(row: ManifestRow | None) -> dict[str, str]:
    """Return the headers by which a site need not send what we have."""
    if row is None:
        return {}
    pairs = (("If-None-Match", row.etag), ("If-Modified-Since", row.last_modified))
    return {name: value for name, value in pairs if value}
