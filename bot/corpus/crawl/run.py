"""The crawl: an order's documents asked one after the other, kept with their manifest, counted."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from bot.console import Advance, progress
from bot.corpus.crawl.fetcher import Fetcher, Forbidden, Unread
from bot.corpus.crawl.journal import FAILED, Journal
from bot.corpus.crawl.targets import CrawlSource, Target
from bot.corpus.crawl.wiki_source import WikiSource
from bot.corpus.manifest import VANISHED, ManifestRow
from bot.errors import InputError, LookupFailed, SettingsError
from bot.records import digest
from bot.settings import CrawlOrder, Settings

SOURCES = ("wikipedia", "arxiv", "http", "sitemap")
FETCHED, UNCHANGED, FORBIDDEN, UNUSABLE = "fetched", "unchanged", "forbidden", "unusable"
NOT_ASKED = "not asked"

Reasons = list[tuple[str, str]]  # (address, why)


@dataclass(slots=True)
class CrawlSummary:
    """What became of an order's documents, those with them that a killed crawl had asked before."""

    into: str
    documents: int = 0
    fetched: int = 0
    unchanged: int = 0
    vanished: Reasons = field(default_factory=list)
    unusable: Reasons = field(default_factory=list)
    forbidden: Reasons = field(default_factory=list)
    failed: Reasons = field(default_factory=list)
    not_asked: int = 0
    resumed: int = 0  # of the documents: those that were asked before this process began
    requests: int = 0

    @property
    def complete(self) -> bool:
        """Say whether everything could be had that is there."""
        return not (self.forbidden or self.failed or self.not_asked)

    def count(self, row: ManifestRow) -> None:
        self.documents += 1
        if row.status in (FETCHED, UNCHANGED):
            setattr(self, row.status, getattr(self, row.status) + 1)
        else:
            getattr(self, row.status).append((row.url, row.reason))


def check_order(order: CrawlOrder, settings: Settings) -> None:
    """Raise InputError or SettingsError for an order that cannot be meant; asks nobody."""
    if not settings.agent.contact:
        todo = "name your user page or address under [agent] in the settings, and give them with --config"
        raise SettingsError("agent.contact is empty: no site is asked without it", where=settings.path, todo=todo)
    if order.source not in SOURCES:
        raise InputError(f"{order.source!r} is no source of documents", todo=f"known: {', '.join(SOURCES)}")
    if not order.into:
        raise InputError("the folder for the documents is missing", todo="name it with --into")


def crawl(
    order: CrawlOrder,
    settings: Settings,
    *,
    quiet: bool = False,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> CrawlSummary:
    """Fetch what an order names into its folder; goes on where a killed crawl of the same order stopped.

    Raises InputError for an order that cannot be meant, WorkspaceError while another crawl works in the folder, LookupFailed where the
    documents cannot be listed.
    """
    check_order(order, settings)
    named = digest(replace(order, into="", limit=0), length=16)
    with Journal(Path(order.into), named, clock) as journal:
        fetcher = Fetcher(settings.agent, settings.crawling, journal, clock, sleep)
        try:
            source = _source(order, settings, fetcher, journal)
            with progress(f"Fetching into {order.into}", order.limit or None, quiet=quiet) as advance:
                summary = _Crawl(journal, fetcher, source, advance, CrawlSummary(order.into)).all(order.limit)
        finally:
            fetcher.close()
        summary.requests = fetcher.requests
        if not summary.not_asked:
            journal.finish()
    return summary


def _source(order: CrawlOrder, settings: Settings, fetcher: Fetcher, journal: Journal) -> CrawlSource:
    return WikiSource(order, settings.wiki, fetcher, journal)


@dataclass(frozen=True, slots=True)
class _Crawl:
    journal: Journal
    fetcher: Fetcher
    source: CrawlSource
    advance: Advance
    summary: CrawlSummary

    def all(self, limit: int) -> CrawlSummary:
        """Ask for each document once; for those that failed in an earlier crawl after all others."""
        late: list[Target] = []
        for target in islice(self._each(), limit or None):
            row = self.journal.rows.get(target.url)
            if row is not None and row.status == FAILED:
                late.append(target)
            else:
                self._one(target)
        for target in late:
            self._one(target)
        return self.summary

    def _each(self) -> Iterator[Target]:
        seen: set[str] = set()
        waiting: deque[Target] = deque()
        for listed in self.source.targets():
            waiting.append(listed)
            while waiting:
                target = waiting.popleft()
                if target.url not in seen:
                    seen.add(target.url)
                    yield target

    def _one(self, target: Target) -> None:
        if self.journal.asked(target.url):
            self.summary.resumed += 1
            self.summary.count(self.journal.rows[target.url])
        elif self.fetcher.away(target.url):
            self.summary.not_asked += 1
        else:
            row = replace(self._asked(target), checked=self.journal.now())
            self.journal.note(row)
            self.summary.count(row)
        self.advance(1, target.known.title)

    def _asked(self, target: Target) -> ManifestRow:
        """Return the new row of a document; its file is in place."""
        before = self.journal.rows.get(target.url)
        kept = before if before is not None and self.journal.intact(before) else None
        if kept is not None and target.revision and target.revision == kept.revision:
            return replace(kept, status=UNCHANGED, reason="")
        try:
            return self._answered(target, kept)
        except Forbidden as error:
            status, why = FORBIDDEN, str(error)
        except Unread as error:
            status, why = UNUSABLE, str(error)
        except LookupFailed as error:
            status, why = FAILED, error.what
        return replace(before or target.known, status=status, reason=why)

    def _answered(self, target: Target, kept: ManifestRow | None) -> ManifestRow:
        if target.page:
            self.fetcher.check_robots(target.page)
        answer = self.fetcher.get(target.url, _conditions(kept), documented=target.documented)
        if answer.status in (404, 410):
            before = self.journal.rows.get(target.url) or target.known
            return replace(before, status=VANISHED, reason=f"HTTP {answer.status} on {self.journal.now()[:10]}")
        if answer.status == 304:
            if kept is None:
                raise LookupFailed("says that a document has not changed which was never fetched", where=target.url)
            return replace(kept, status=UNCHANGED, reason="")
        received = self.source.received(target, answer)
        found = hashlib.sha256(received.data).hexdigest()
        same = kept is not None and (kept.digest, kept.revision) == (found, received.row.revision)
        if not same:
            self.journal.keep(received.row.path, received.data)
        return replace(
            received.row,
            final_url=answer.url,
            permanent_url=received.row.permanent_url or answer.url,
            day=kept.day if kept is not None and same else self.journal.now()[:10],
            etag=answer.headers.get("ETag", ""),
            last_modified=answer.headers.get("Last-Modified", ""),
            digest=found,
            status=UNCHANGED if same else FETCHED,
            reason="",
        )


def _conditions(kept: ManifestRow | None) -> dict[str, str]:
    """Return the headers by which a site need not send what we have."""
    if kept is None:
        return {}
    pairs = (("If-None-Match", kept.etag), ("If-Modified-Since", kept.last_modified))
    return {name: value for name, value in pairs if value}
